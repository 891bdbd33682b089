//! The text of a large file in an older encoding, as it is searched: decoded while it is read.

use std::io::{self, Read, Seek, SeekFrom};

use encoding_rs::Encoding as Legacy;

use crate::tools::fs::{
    script::{Decoder, Script, Units},
    text_file::Encoding,
};

/// Bytes that are decoded at once.
const PIECE: usize = 64 * 1024;

/// The older encoding of a file in which the byte at `wrong_at` is the first that is no UTF-8; `None` for any other. What has a byte
/// order mark is decoded by the searcher.
pub(super) fn legacy_of(file: &mut (impl Read + Seek), wrong_at: u64) -> io::Result<Option<&'static Legacy>> {
    let mut beginning = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(4).read_to_end(&mut beginning)?;
    if Units::of(&beginning).1 > 0 {
        return Ok(None);
    }
    Ok(match Script::of(file, &beginning, Some(wrong_at))?.encoding {
        Some(Encoding::Legacy(encoding)) => Some(encoding),
        _ => None,
    })
}

/// Reads bytes and gives their characters as UTF-8.
pub(super) struct Decoded<R> {
    inner: R,
    decoder: Decoder,
    piece: Vec<u8>,
    text: String,
    /// How much of the text was given.
    given: usize,
    is_ended: bool,
}

impl<R> Decoded<R> {
    /// From the beginning of `inner`.
    pub(super) fn of(inner: R, encoding: &'static Legacy) -> Self {
        let script = Script { units: Units::One, mark: 0, encoding: Some(Encoding::Legacy(encoding)) };
        let (piece, text) = (vec![0; PIECE], String::new());
        Self { inner, decoder: script.decoder(), piece, text, given: 0, is_ended: false }
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.text.len() && !self.is_ended {
            let read = self.inner.read(&mut self.piece)?;
            self.is_ended = read == 0;
            self.text.clear();
            self.given = 0;
            self.decoder.decode(&self.piece[..read], self.is_ended, &mut self.text);
        }
        let rest = &self.text.as_bytes()[self.given..];
        let given = rest.len().min(buffer.len());
        buffer[..given].copy_from_slice(&rest[..given]);
        self.given += given;
        Ok(given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_come_whole_however_they_are_read() {
        let japanese =
            b"\x93\xfa\x96{\x8c\xea\x82\xcc\x83e\x83L\x83X\x83g\x82\xc5\x82\xb7\x81B\n".repeat(9000);
        let text = "日本語のテキストです。\n".repeat(9000);
        for size in [1, 7, 8192, 1 << 20] {
            let (mut decoded, mut all) = (Decoded::of(&*japanese, encoding_rs::SHIFT_JIS), Vec::new());
            let mut buffer = vec![0; size];
            loop {
                match decoded.read(&mut buffer).unwrap() {
                    0 => break,
                    read => all.extend_from_slice(&buffer[..read]),
                }
            }
            assert!(all == text.as_bytes(), "{size}");
        }
    }
}
