//! A file that is read piece by piece, and whether all that was read of it is UTF-8.

use std::io::{self, Read};

use crate::tools::fs::utf8_check::Utf8Check;

/// Looks at what passes; changes none of it.
pub(super) struct Utf8Watch<R> {
    inner: R,
    is_wanted: bool,
    passed: u64,
    check: Utf8Check,
}

impl<R> Utf8Watch<R> {
    /// Watches `inner`, from its beginning, if that `is_wanted`.
    pub(super) fn of(inner: R, is_wanted: bool) -> Self {
        Self { inner, is_wanted, passed: 0, check: Utf8Check::default() }
    }

    /// How many bytes were read.
    pub(super) fn passed(&self) -> u64 {
        self.passed
    }

    /// Where what passed is no UTF-8 any more.
    pub(super) fn wrong_at(&self) -> Option<u64> {
        self.check.wrong_at()
    }
}

impl<R: Read> Read for Utf8Watch<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.passed += read as u64;
        if self.is_wanted && read > 0 {
            self.check.look(&buffer[..read]);
        } else if !buffer.is_empty() {
            self.check.end();
        }
        Ok(read)
    }
}
