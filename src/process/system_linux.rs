//! What Linux has for a helper and for those who start one.

use std::{
    io,
    os::fd::{AsRawFd as _, OwnedFd},
    path::PathBuf,
};

use cap_std::fs::Dir;
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, getpid, pidfd_open, set_child_subreaper, set_dumpable_behavior,
};

use super::bounds::Identity;

/// Where a process finds the numbers of its descriptors.
pub(super) const DESCRIPTORS: &str = "/proc/self/fd";

/// The binary that runs, even when its file was replaced meanwhile: host and helper are always of one version.
pub(super) fn own_binary() -> PathBuf {
    "/proc/self/exe".into()
}

/// Whatever loses its parent below this process becomes its child.
pub(super) fn adopt_orphans() -> io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

/// What it starts runs under the same user and must not be able to look into it, or to take it over.
pub(super) fn hide() -> io::Result<()> {
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

/// Readable once the process has ended.
pub(super) fn end_of(pid: Pid) -> Option<OwnedFd> {
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

/// A path that leads a child to the open folder, whatever its name leads to by now: this link leads to the folder itself, and the
/// handle is still open in the child before it becomes another program.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
pub(super) fn way_to(folder: &Dir) -> io::Result<PathBuf> {
    Ok(format!("/proc/self/fd/{}", folder.as_raw_fd()).into())
}

/// What the helper should find itself in: here the way leads nowhere else.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
pub(super) fn expected(_folder: &Dir) -> io::Result<Option<Identity>> {
    Ok(None)
}
