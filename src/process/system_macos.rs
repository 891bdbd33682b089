//! What macOS has for a helper and for those who start one.
#![expect(unsafe_code, reason = "one call of the system has no safe wrapper")]

use std::{
    ffi::OsString,
    io,
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::ffi::OsStringExt as _,
    },
    path::PathBuf,
    ptr,
};

use cap_std::fs::Dir;
use rustix::{
    event::kqueue::{Event, EventFilter, EventFlags, ProcessEvents, kevent, kqueue},
    process::Pid,
};

use super::{bounds::Identity, writable};

/// Where a process finds the numbers of its descriptors.
pub(super) const DESCRIPTORS: &str = "/dev/fd";

/// The binary that runs, by its name.
pub(super) fn own_binary() -> PathBuf {
    std::env::current_exe().unwrap_or_default()
}

/// There is no such right: what loses its parent is looked for by its session.
pub(super) fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

/// What it starts runs under the same user and must not be able to take it over.
pub(super) fn hide() -> io::Result<()> {
    // SAFETY: a call with numbers, about this process alone.
    let failed = unsafe { libc::ptrace(libc::PT_DENY_ATTACH, 0, ptr::null_mut(), 0) };
    if failed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Readable once the process has ended.
pub(super) fn end_of(pid: Pid) -> Option<OwnedFd> {
    let queue = kqueue().ok()?;
    let filter = EventFilter::Proc { pid, flags: ProcessEvents::EXIT };
    let change = [Event::new(filter, EventFlags::ADD, ptr::null_mut())];
    let mut none: [Event; 0] = [];
    // SAFETY: no descriptor is in the change.
    unsafe { kevent(&queue, &change, &mut none[..], None) }.ok()?;
    Some(queue)
}

/// A path that leads a child to the open folder, if nobody moves it meanwhile; the helper looks where it has come to.
pub(super) fn way_to(folder: &Dir) -> io::Result<PathBuf> {
    let path = rustix::fs::getpath(folder.as_fd())?;
    Ok(OsString::from_vec(path.into_bytes()).into())
}

/// What the helper should find itself in.
pub(super) fn expected(folder: &Dir) -> io::Result<Option<Identity>> {
    writable::identity_of(folder.as_fd()).map(Some)
}
