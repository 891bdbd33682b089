//! A file's bytes as text, and back. Pure.
//!
//! What is decoded here can be encoded again to the very same bytes; what cannot is refused, so that an edit never changes a byte
//! it was not asked to change.

use std::{borrow::Cow, ops::RangeInclusive};

use encoding_rs::{EncoderResult, Encoding as Legacy, UTF_8, UTF_16LE};

use crate::policy::Hunk;

/// How bytes stand for characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// The usual one.
    Utf8,
    /// Two bytes a unit, low byte first.
    Utf16Le,
    /// Two bytes a unit, high byte first.
    Utf16Be,
    /// The usual one but for single bytes: one of [`STRAYS`] stands for each.
    NearlyUtf8,
    /// An older one, found by looking at the bytes.
    Legacy(&'static Legacy),
}

impl Encoding {
    /// Its usual name, in lower case.
    pub fn name(self) -> String {
        match self {
            Self::Utf8 => "utf-8".to_owned(),
            Self::Utf16Le => "utf-16le".to_owned(),
            Self::Utf16Be => "utf-16be".to_owned(),
            Self::NearlyUtf8 => "utf-8 with invalid bytes".to_owned(),
            Self::Legacy(encoding) => encoding.name().to_lowercase(),
        }
    }
}

/// A text and how it is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    /// Without the byte order mark; line ends as they are.
    pub text: String,
    /// How it is written down.
    pub encoding: Encoding,
    /// It begins with a byte order mark.
    pub bom: bool,
}

/// Why bytes are no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoText {
    /// They are something else.
    #[error("it is no text")]
    Binary,
    /// They are text in an encoding that does not lead back to the same bytes.
    #[error("its encoding is unknown, or it has bytes that its encoding does not allow")]
    Unknown,
}

/// A character that the file's encoding does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{encoding} has no `{character}`")]
pub struct Unencodable {
    /// The first such character.
    pub character: char,
    /// The encoding.
    pub encoding: &'static str,
}

/// What stands for the bytes 0x80 to 0xff of a text that is nearly UTF-8: the last characters that there are, which no text has.
const STRAYS: RangeInclusive<char> = '\u{10ff80}'..='\u{10ffff}';

/// As many bytes as git looks at before it calls a file binary.
pub const SNIFFED: usize = 8000;

impl TextFile {
    /// A new text in UTF-8.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), encoding: Encoding::Utf8, bom: false }
    }

    /// The text of bytes that stand for themselves: UTF-8 without a byte order mark, as nearly all files are.
    pub fn plain(bytes: &[u8]) -> Option<&str> {
        let is_marked = bytes.starts_with(b"\xef\xbb\xbf");
        let is_binary = bytes[..bytes.len().min(SNIFFED)].contains(&0);
        if is_marked || is_binary { None } else { std::str::from_utf8(bytes).ok() }
    }

    /// Decodes by byte order mark, else strict UTF-8, else the encoding the bytes look like, UTF-8 with a few wrong bytes among them.
    pub fn decode(bytes: &[u8]) -> Result<Self, NoText> {
        if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
            let text = std::str::from_utf8(rest).map_err(|_| NoText::Unknown)?;
            return Ok(Self { text: text.to_owned(), encoding: Encoding::Utf8, bom: true });
        }
        if bytes.starts_with(b"\xff\xfe\0\0") || bytes.starts_with(b"\0\0\xfe\xff") {
            return Err(NoText::Unknown);
        }
        if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
            return utf16(rest, Encoding::Utf16Le, u16::from_le_bytes);
        }
        if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
            return utf16(rest, Encoding::Utf16Be, u16::from_be_bytes);
        }
        if bytes[..bytes.len().min(SNIFFED)].contains(&0) {
            return Err(NoText::Binary);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Self::new(text)),
            // Its bytes may well pass for some old encoding, but the places that it names are counted in them.
            Err(_) if has_controls(bytes) || bytes.starts_with(b"%PDF-") => Err(NoText::Binary),
            Err(_) => nearly_utf8(bytes).map_or_else(|| legacy(bytes), Ok),
        }
    }

    /// Its text as it is shown: a byte that stands for nothing is no character of its own.
    pub fn into_shown(self) -> String {
        match self.encoding {
            Encoding::NearlyUtf8 => without_strays(&self.text).into_owned(),
            _ => self.text,
        }
    }

    /// The text for reading only: what cannot be decoded becomes `\u{fffd}`. `None` for what is no text at all.
    pub fn decode_lossy(bytes: &[u8]) -> Option<String> {
        match Self::decode(bytes) {
            Ok(file) => Some(file.into_shown()),
            Err(NoText::Unknown) => Some(Self::as_far_as_known(bytes)),
            Err(NoText::Binary) => None,
        }
    }

    /// A text that can be read and not be written back: UTF-32, UTF-16 with wrong units, and what is nearly UTF-8.
    pub fn as_far_as_known(bytes: &[u8]) -> String {
        let unit: fn([u8; 4]) -> u32 = match bytes {
            [0xff, 0xfe, 0, 0, ..] => u32::from_le_bytes,
            [0, 0, 0xfe, 0xff, ..] => u32::from_be_bytes,
            // A byte order mark says it, as it does to a search.
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => return UTF_16LE.decode(bytes).0.into_owned(),
            _ => return String::from_utf8_lossy(bytes).into_owned(),
        };
        let units = bytes[4..].as_chunks::<4>().0.iter();
        units.map(|bytes| char::from_u32(unit(*bytes)).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    }

    /// The bytes of `text` written down as this file is.
    pub fn encode(&self, text: &str) -> Result<Vec<u8>, Unencodable> {
        let mut bytes = Vec::with_capacity(text.len() + 3);
        match self.encoding {
            Encoding::Utf8 => {
                if self.bom {
                    bytes.extend_from_slice(b"\xef\xbb\xbf");
                }
                bytes.extend_from_slice(text.as_bytes());
            }
            Encoding::Utf16Le => {
                bytes.extend_from_slice(b"\xff\xfe");
                text.encode_utf16().for_each(|unit| bytes.extend_from_slice(&unit.to_le_bytes()));
            }
            Encoding::Utf16Be => {
                bytes.extend_from_slice(b"\xfe\xff");
                text.encode_utf16().for_each(|unit| bytes.extend_from_slice(&unit.to_be_bytes()));
            }
            Encoding::NearlyUtf8 => {
                for character in text.chars() {
                    if is_stray(character) {
                        bytes.push((u32::from(character) & 0xff) as u8);
                    } else {
                        bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                }
            }
            Encoding::Legacy(encoding) => encode_legacy(encoding, text, &mut bytes)?,
        }
        Ok(bytes)
    }
}

/// The same of a part of a text.
pub fn without_strays(text: &str) -> Cow<'_, str> {
    if text.contains(is_stray) { Cow::Owned(text.replace(is_stray, "\u{fffd}")) } else { Cow::Borrowed(text) }
}

/// Hunks between two texts as they are shown.
pub fn shown_hunks(mut hunks: Vec<Hunk>) -> Vec<Hunk> {
    for line in hunks.iter_mut().flat_map(|hunk| &mut hunk.lines) {
        if let Cow::Owned(shown) = without_strays(line) {
            *line = shown;
        }
    }
    hunks
}

fn utf16(bytes: &[u8], encoding: Encoding, unit: fn([u8; 2]) -> u16) -> Result<TextFile, NoText> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(NoText::Unknown);
    }
    let units = pairs.iter().map(|pair| unit(*pair));
    let text = char::decode_utf16(units).collect::<Result<String, _>>().map_err(|_| NoText::Unknown)?;
    Ok(TextFile { text, encoding, bom: true })
}

/// The one-byte encodings have a character for every byte: only control characters tell a text from anything else.
fn has_controls(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f))
}

fn is_stray(character: char) -> bool {
    STRAYS.contains(&character)
}

/// A text in which more characters are whole than bytes are wrong: in another encoding, hardly any two bytes would be one of UTF-8.
fn nearly_utf8(bytes: &[u8]) -> Option<TextFile> {
    let (mut text, mut whole, mut strays) = (String::with_capacity(bytes.len()), 0, 0);
    for chunk in bytes.utf8_chunks() {
        whole += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        strays += chunk.invalid().len();
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().filter_map(|byte| char::from_u32(0x10_ff00 + u32::from(*byte))));
    }
    let file = TextFile { text, encoding: Encoding::NearlyUtf8, bom: false };
    let leads_back = whole > strays && file.encode(&file.text).is_ok_and(|again| again == bytes);
    leads_back.then_some(file)
}

fn legacy(bytes: &[u8]) -> Result<TextFile, NoText> {
    // ISO-2022-JP keeps a state, so that one edit could change how the bytes after it are read.
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, chardetng::Utf8Detection::Deny);
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes).ok_or(NoText::Unknown)?;
    let file = TextFile { text: text.into_owned(), encoding: Encoding::Legacy(encoding), bom: false };
    match file.encode(&file.text) {
        Ok(again) if again == bytes => Ok(file),
        _ => Err(NoText::Unknown),
    }
}

fn encode_legacy(encoding: &'static Legacy, text: &str, bytes: &mut Vec<u8>) -> Result<(), Unencodable> {
    if encoding.output_encoding() == UTF_8 {
        bytes.extend_from_slice(text.as_bytes());
        return Ok(());
    }
    let mut encoder = encoding.new_encoder();
    let mut rest = text;
    loop {
        let needed = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
        bytes.reserve(needed.unwrap_or(rest.len() * 4 + 16));
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, bytes, true);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return Ok(()),
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(character) => {
                return Err(Unencodable { character, encoding: encoding.name() });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], encoding: &str, text: &str) {
        let file = TextFile::decode(bytes).unwrap();
        assert_eq!((file.encoding.name().as_str(), file.text.as_str()), (encoding, text));
        assert_eq!(file.encode(&file.text).unwrap(), bytes);
    }

    #[test]
    fn every_encoding_leads_back_to_its_bytes() {
        check(b"", "utf-8", "");
        check("é\r\n".as_bytes(), "utf-8", "é\r\n");
        check(b"\xef\xbb\xbfa", "utf-8", "a");
        check(b"\xff\xfea\0\xe9\0", "utf-16le", "aé");
        check(b"\xfe\xff\0a\xd8\x3d\xde\0", "utf-16be", "a😀");
        check(b"Stra\xdfe, gr\xfc\xdfe an alle", "windows-1252", "Straße, grüße an alle");
        check(b"\xe6\x97\xa5\xe6\x9c\xac\xff\n", "utf-8 with invalid bytes", "日本\u{10ffff}\n");
        // It was cut in the middle of a character.
        check(
            b"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97",
            "utf-8 with invalid bytes",
            "日本語\u{10ffe6}\u{10ff97}",
        );
        check(
            b"\x93\xfa\x96{\x8c\xea\x82\xcc\x83e\x83L\x83X\x83g\x82\xc5\x82\xb7\x81B",
            "shift_jis",
            "日本語のテキストです。",
        );
    }

    #[test]
    fn what_does_not_lead_back_is_refused() {
        assert_eq!(TextFile::decode(b"\x7fELF\x02\x01\x01\0"), Err(NoText::Binary));
        assert_eq!(TextFile::decode(b"\x89PNG\r\n\x1a\n\x02"), Err(NoText::Binary));
        assert_eq!(TextFile::decode(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"), Err(NoText::Binary));
        assert_eq!(TextFile::decode(b"\xef\xbb\xbf\xff"), Err(NoText::Unknown));
        assert_eq!(TextFile::decode(b"\xff\xfea\0b"), Err(NoText::Unknown));
        assert_eq!(TextFile::decode(b"\xff\xfe\x3d\xd8a\0"), Err(NoText::Unknown));
        assert_eq!(TextFile::decode(b"\xff\xfe\0\0a\0\0\0"), Err(NoText::Unknown));
        assert_eq!(TextFile::decode_lossy(b"\xff\xfe\0\0a\0\0\0").as_deref(), Some("a"));
        assert_eq!(TextFile::decode_lossy(b"\0\0\xfe\xff\0\x01\xf6\0").as_deref(), Some("😀"));
        assert_eq!(TextFile::decode_lossy(b"\xfe\xff\0a\xd8\x3d\0b").as_deref(), Some("a\u{fffd}b"));
    }

    #[test]
    fn a_character_the_encoding_lacks_is_named() {
        let file = TextFile::decode(b"gr\xfc\xdfe an alle").unwrap();
        assert_eq!(file.encode("grüße → alle").unwrap_err().character, '→');
    }
}
