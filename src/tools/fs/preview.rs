//! What `fs_read` says about what is no text: what it is, and how it begins. Pictures are shown by `picture`. Pure.

use std::fmt::Write as _;

use super::picture;
use crate::{ids::hex, redact::secrets_in};

/// Bytes that are shown of what cannot be read.
const SHOWN: usize = 256;
/// Bytes behind those that may belong to a secret.
const NEAR: usize = 4096;
/// Bytes of one line of them.
const LINE: usize = 16;

/// What a file that is no text is.
#[derive(Debug)]
pub struct Preview {
    /// `image`, `pdf` or `binary`.
    pub kind: &'static str,
    /// Its type, as the web names it.
    pub mime: &'static str,
    /// What it is called.
    pub what: &'static str,
    /// For the model.
    pub text: String,
}

/// Looks at the bytes of a file, or at its first ones: `size` says how many there are.
pub fn preview(path: &str, bytes: &[u8], size: u64) -> Preview {
    let (mime, what) = known(bytes).unwrap_or(("application/octet-stream", "binary data"));
    let mut text = format!("{path}: {what}, {size} bytes\n");
    if picture::format(mime).is_some() {
        return Preview { kind: "image", mime, what, text };
    }
    if mime == "application/pdf" {
        text.push_str("A command such as pdftotext can take the text out of it.\n");
        return Preview { kind: "pdf", mime, what, text };
    }
    let (shown, is_secret) = (&bytes[..bytes.len().min(SHOWN)], secrets(bytes));
    for (line, offset) in shown.chunks(LINE).zip((0..).step_by(LINE)) {
        let hidden = |at: usize| is_secret.get(offset + at).copied().unwrap_or(false);
        let pair = |(at, byte): (usize, &u8)| if hidden(at) { "**".to_owned() } else { hex(&[*byte]) };
        let pairs: Vec<String> = line.iter().enumerate().map(pair).collect();
        let letters = line.iter().enumerate().map(|(at, byte)| match byte {
            _ if hidden(at) => '*',
            byte if byte.is_ascii_graphic() => char::from(*byte),
            _ => '.',
        });
        let letters: String = letters.collect();
        let _ = writeln!(text, "{offset:04x}  {:<47}  {letters}", pairs.join(" "));
    }
    if size > shown.len() as u64 {
        let _ = writeln!(text, "(the first {} of {size} bytes)", shown.len());
    }
    Preview { kind: "binary", mime, what, text }
}

/// Which of the bytes that are shown belong to a secret. In columns no rule would find it.
fn secrets(bytes: &[u8]) -> Vec<bool> {
    let near = bytes.iter().take(SHOWN + NEAR);
    let text: String =
        near.map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { ' ' }).collect();
    let mut is_secret = vec![false; text.len()];
    for span in secrets_in(&text) {
        is_secret[span].fill(true);
    }
    is_secret
}

/// Type and words, by how it begins.
fn known(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    const KINDS: &[(&[u8], &str, &str)] = &[
        (b"\x89PNG\r\n\x1a\n", "image/png", "a PNG image"),
        (b"\xff\xd8\xff", "image/jpeg", "a JPEG image"),
        (b"GIF8", "image/gif", "a GIF image"),
        (b"%PDF", "application/pdf", "a PDF document"),
        (b"\x7fELF", "application/x-elf", "an ELF program or library"),
        (b"PK\x03\x04", "application/zip", "a ZIP archive (or a document that is one)"),
        (b"\x1f\x8b", "application/gzip", "gzip data"),
        (b"\xfd7zXZ\0", "application/x-xz", "xz data"),
        (b"\x28\xb5\x2f\xfd", "application/zstd", "Zstandard data"),
        (b"SQLite format 3\0", "application/vnd.sqlite3", "an SQLite database"),
        (b"\0asm", "application/wasm", "a WebAssembly module"),
        (b"\xca\xfe\xba\xbe", "application/java-vm", "a Java class or a Mach-O library"),
        (b"\xcf\xfa\xed\xfe", "application/x-mach-binary", "a Mach-O program or library"),
        (b"OggS", "audio/ogg", "Ogg audio or video"),
        (b"ID3", "audio/mpeg", "MP3 audio"),
        (b"wOF2", "font/woff2", "a WOFF2 font"),
        (b"wOFF", "font/woff", "a WOFF font"),
        (b"MZ", "application/vnd.microsoft.portable-executable", "a Windows program"),
    ];
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some(("image/webp", "a WebP image"));
    }
    if bytes.get(4..8) == Some(b"ftyp") {
        return Some(("video/mp4", "MP4 video or audio"));
    }
    KINDS.iter().find(|(magic, ..)| bytes.starts_with(magic)).map(|&(_, mime, what)| (mime, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_named_and_begun() {
        let elf = preview("a.out", b"\x7fELF\x02\x01\x01\0rest of it", 4000);
        assert_eq!((elf.kind, elf.mime), ("binary", "application/x-elf"));
        assert_eq!(
            elf.text,
            "a.out: an ELF program or library, 4000 bytes\n\
             0000  7f 45 4c 46 02 01 01 00 72 65 73 74 20 6f 66 20  .ELF....rest.of.\n\
             0010  69 74                                            it\n\
             (the first 18 of 4000 bytes)\n"
        );
        let token = format!("ghp_{}", "a1B2c3D4e5".repeat(4));
        let hidden = preview("x", format!("\0\0{token}\0").as_bytes(), 47).text;
        assert!(
            hidden.contains("0000  00 00 ** **") && !hidden.contains("a1") && !hidden.contains("ghp"),
            "{hidden}"
        );
        assert_eq!(preview("x.pdf", b"%PDF-1.7", 8).kind, "pdf");
        let png = preview("x.png", b"\x89PNG\r\n\x1a\n", 8);
        assert_eq!(
            (png.kind, png.mime, png.text.as_str()),
            ("image", "image/png", "x.png: a PNG image, 8 bytes\n")
        );
    }
}
