//! A file that is read piece by piece, and whether all that was read of it is UTF-8.

use std::io::{self, Read};

/// Looks at what passes; changes none of it.
pub(super) struct Utf8Watch<R> {
    inner: R,
    is_wanted: bool,
    is_utf8: bool,
    /// A character that began at the end of the last piece.
    begun: Vec<u8>,
}

impl<R> Utf8Watch<R> {
    /// Watches `inner`, from its beginning, if that `is_wanted`.
    pub(super) fn of(inner: R, is_wanted: bool) -> Self {
        Self { inner, is_wanted, is_utf8: true, begun: Vec::new() }
    }

    /// Nothing that passed says otherwise.
    pub(super) fn is_utf8(&self) -> bool {
        self.is_utf8
    }

    fn watch(&mut self, mut bytes: &[u8]) {
        while let (false, [first, rest @ ..]) = (self.begun.is_empty(), bytes) {
            self.begun.push(*first);
            bytes = rest;
            match std::str::from_utf8(&self.begun) {
                Ok(_) => self.begun.clear(),
                Err(error) if error.error_len().is_none() => {}
                Err(_) => {
                    self.is_utf8 = false;
                    return;
                }
            }
        }
        if let Err(error) = std::str::from_utf8(bytes) {
            self.is_utf8 = error.error_len().is_none();
            self.begun.extend_from_slice(&bytes[error.valid_up_to()..]);
        }
    }
}

impl<R: Read> Read for Utf8Watch<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        if self.is_wanted && self.is_utf8 {
            self.watch(&buffer[..read]);
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_utf8(bytes: &[u8], piece: usize) -> bool {
        let mut watch = Utf8Watch::of(bytes, true);
        let mut buffer = vec![0; piece];
        while watch.read(&mut buffer).unwrap() > 0 {}
        watch.is_utf8()
    }

    #[test]
    fn pieces_may_end_inside_a_character() {
        for piece in 1..9 {
            assert!(is_utf8("aé😀ß, plain and long enough, 日本".as_bytes(), piece), "{piece}");
            assert!(!is_utf8(b"plain and then caf\xe9 noir", piece), "{piece}");
            assert!(!is_utf8(b"\xf0\x9f\x98x", piece), "{piece}");
        }
    }
}
