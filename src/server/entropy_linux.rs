//! Bytes that nobody can guess.

use std::io;

use rustix::rand::{GetRandomFlags, getrandom};

/// Fills all of `buffer`.
pub(super) fn fill(buffer: &mut [u8]) -> io::Result<()> {
    let mut filled = 0;
    while filled < buffer.len() {
        filled += getrandom(&mut buffer[filled..], GetRandomFlags::empty())?;
    }
    Ok(())
}
