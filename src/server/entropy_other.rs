//! Bytes that nobody can guess.

use std::io;

/// Fills all of `buffer`.
pub(super) fn fill(buffer: &mut [u8]) -> io::Result<()> {
    getrandom::fill(buffer).map_err(io::Error::other)
}
