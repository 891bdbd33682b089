//! A pipe that nobody waits for.

use std::{
    io,
    os::fd::{AsRawFd as _, OwnedFd},
};

use rustix::fs::{Mode, OFlags};

/// The same pipe under a file description of our own, so that `O_NONBLOCK` does not leak to whoever shares the old one.
pub(super) fn pipe(descriptor: OwnedFd, access: OFlags) -> io::Result<OwnedFd> {
    let path = format!("/proc/self/fd/{}", descriptor.as_raw_fd());
    Ok(rustix::fs::open(path, access | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?)
}
