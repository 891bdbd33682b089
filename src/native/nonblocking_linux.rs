//! A pipe that nobody waits for.

use std::{
    io,
    os::fd::{AsRawFd as _, OwnedFd},
};

use rustix::fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl};

/// The same pipe under a file description of our own, so that `O_NONBLOCK` does not leak to whoever shares the old one.
///
/// A pipe of another user, who started us by `sudo` or the like, cannot be opened again, nor can any where `/proc` is not to be had: then
/// those who share our end are told with us, which is better than no host.
pub(super) fn pipe(descriptor: OwnedFd, access: OFlags) -> io::Result<OwnedFd> {
    let path = format!("/proc/self/fd/{}", descriptor.as_raw_fd());
    if let Ok(own) = rustix::fs::open(path, access | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()) {
        return Ok(own);
    }
    fcntl_setfl(&descriptor, fcntl_getfl(&descriptor)? | OFlags::NONBLOCK)?;
    Ok(descriptor)
}
