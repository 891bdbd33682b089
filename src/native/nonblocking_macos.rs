//! A pipe that nobody waits for.

use std::{io, os::fd::OwnedFd};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

/// The pipe itself: there is no way to open it again. Whoever shares our end is told with us; the other end is not.
pub(super) fn pipe(descriptor: OwnedFd, _access: OFlags) -> io::Result<OwnedFd> {
    let flags = fcntl_getfl(&descriptor)?;
    fcntl_setfl(&descriptor, flags | OFlags::NONBLOCK)?;
    Ok(descriptor)
}
