//! What a searcher is fed with: a file in pieces, up to its first NUL, and with room for its lines where they are long.

use std::io::{self, Read};

use super::{
    long_lines::LongLine,
    stop::{Stop, Stoppable, Stopped},
};

/// The searcher asks for more at once only after its buffer has grown to some two times as much for a line that does not end. That
/// much it may take without being asked: few lines that a person wrote are so long.
const GROWN: usize = 256 * 1024;

/// How the bytes come to the searcher.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    /// Bytes of all of it, as far as that is known.
    pub(super) size: u64,
    /// The searcher translates them by itself, and asks for little at a time, whatever its lines are.
    pub(super) is_translated: bool,
    /// They come in units of two: each other byte of a plain text is a NUL.
    pub(super) is_wide: bool,
}

/// A reader for one file.
pub(super) struct Feed<'a, R> {
    inner: Stoppable<'a, R>,
    kind: Kind,
    passed: u64,
    nul: Option<u64>,
    long: Option<LongLine>,
}

impl<'a, R> Feed<'a, R> {
    pub(super) fn of(inner: R, kind: Kind, stop: &'a Stop) -> Self {
        Self { inner: Stoppable { inner, stop }, kind, passed: 0, nul: None, long: None }
    }

    /// Where the first NUL is, if it was met; and the room for long lines, if it was needed: to be dropped after the buffer that it
    /// is for.
    pub(super) fn end(self) -> (Option<u64>, Option<LongLine>) {
        (self.nul, self.long)
    }
}

impl<R: Read> Read for Feed<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.nul.is_some() {
            return Ok(0);
        }
        let is_large = buffer.len() > GROWN || self.kind.is_translated && self.kind.size > GROWN as u64;
        if is_large && self.long.is_none() {
            // Some systems say of a file that is made while it is read that it is empty.
            let size = if self.passed > self.kind.size { u64::MAX } else { self.kind.size };
            let long = LongLine::wait(size, self.inner.stop);
            self.long = Some(long.ok_or_else(|| io::Error::other(Stopped))?);
        }
        let read = self.inner.read(buffer)?;
        // The lines in front of a NUL are text: the searcher itself would drop its whole buffer with it.
        let nul = if self.kind.is_wide { None } else { memchr::memchr(0, &buffer[..read]) };
        self.nul = nul.map(|at| self.passed + at as u64);
        self.passed += read as u64;
        Ok(nul.unwrap_or(read))
    }
}
