//! How a text is written down that is too large to be held: told by its beginning and by what stands around its first byte that is
//! no UTF-8. Its lines are found in its bytes, and its characters come one piece after the other.

use std::io::{self, Read, Seek, SeekFrom};

use encoding_rs::{UTF_8, UTF_16BE, UTF_16LE};

use super::text_file::{Encoding, NoText, SNIFFED, TextFile};

/// Bytes on each side of the first one that is no UTF-8 that tell the encoding: many times what it takes, and little to hold.
const AROUND: u64 = 512 * 1024;
/// No encoding has a byte below this one inside of a character of more than one byte.
const ALONE: u8 = 0x30;

/// How many bytes a unit has of which characters are made, and which of them comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Bytes, in which a line end is always `\n` itself.
    One,
    /// UTF-16, low byte first.
    TwoLow,
    /// UTF-16, high byte first.
    TwoHigh,
    /// UTF-32, low byte first.
    FourLow,
    /// UTF-32, high byte first.
    FourHigh,
}

impl Units {
    /// By the byte order mark, and how long that is.
    pub fn of(beginning: &[u8]) -> (Self, usize) {
        match beginning {
            [0xff, 0xfe, 0, 0, ..] => (Self::FourLow, 4),
            [0, 0, 0xfe, 0xff, ..] => (Self::FourHigh, 4),
            [0xff, 0xfe, ..] => (Self::TwoLow, 2),
            [0xfe, 0xff, ..] => (Self::TwoHigh, 2),
            [0xef, 0xbb, 0xbf, ..] => (Self::One, 3),
            _ => (Self::One, 0),
        }
    }

    /// Bytes of one.
    pub fn width(self) -> usize {
        match self {
            Self::One => 1,
            Self::TwoLow | Self::TwoHigh => 2,
            Self::FourLow | Self::FourHigh => 4,
        }
    }

    /// Where lines end in `bytes`, which begin with a unit: behind the line end.
    pub fn line_ends(self, bytes: &[u8]) -> impl Iterator<Item = usize> {
        let width = self.width();
        memchr::memchr_iter(b'\n', bytes).filter_map(move |at| {
            if width == 1 {
                return Some(at + 1);
            }
            let start = at - at % width;
            let unit = bytes.get(start..start + width)?;
            self.is(b'\n', unit).then_some(start + width)
        })
    }

    /// Whether the line end that stops at `end` has a `\r` in front of it; `before` are the last bytes before `bytes`.
    pub fn has_return(self, bytes: &[u8], end: usize, before: &[u8]) -> bool {
        let width = self.width();
        let unit = match end.checked_sub(2 * width) {
            Some(start) => bytes.get(start..start + width),
            None => before.len().checked_sub(width).map(|start| &before[start..]),
        };
        unit.is_some_and(|unit| self.is(b'\r', unit))
    }

    fn is(self, character: u8, unit: &[u8]) -> bool {
        let place = match self {
            Self::One | Self::TwoLow | Self::FourLow => 0,
            Self::TwoHigh => 1,
            Self::FourHigh => 3,
        };
        unit.iter().enumerate().all(|(at, byte)| *byte == if at == place { character } else { 0 })
    }
}

/// How a text is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Script {
    /// What its characters are made of.
    pub units: Units,
    /// Bytes of its byte order mark.
    pub mark: usize,
    /// Its encoding, where that is known.
    pub encoding: Option<Encoding>,
}

impl Script {
    /// The script of a file that begins with `beginning`, and in which the byte at `wrong_at` is the first that is no UTF-8.
    pub fn of(file: &mut (impl Read + Seek), beginning: &[u8], wrong_at: Option<u64>) -> io::Result<Self> {
        let (units, mark) = Units::of(beginning);
        let encoding = match (units, wrong_at) {
            (Units::TwoLow, _) => Some(Encoding::Utf16Le),
            (Units::TwoHigh, _) => Some(Encoding::Utf16Be),
            (Units::FourLow | Units::FourHigh, _) => None,
            (Units::One, None) => Some(Encoding::Utf8),
            (Units::One, Some(_)) if mark > 0 => Some(Encoding::NearlyUtf8),
            (Units::One, Some(at)) => TextFile::decode(&around(file, at)?).ok().map(|text| text.encoding),
        };
        // What is no UTF-8 as a whole may look like it where it was cut.
        let is_wrong = units == Units::One && wrong_at.is_some();
        let encoding = encoding.map(|encoding| match encoding {
            Encoding::Utf8 if is_wrong => Encoding::NearlyUtf8,
            encoding => encoding,
        });
        Ok(Self { units, mark, encoding })
    }

    /// Its usual name.
    pub fn name(&self) -> String {
        self.encoding.map_or_else(|| "unknown".to_owned(), Encoding::name)
    }

    /// What makes its bytes characters, from behind the mark or from the beginning of a line.
    pub fn decoder(&self) -> Decoder {
        let encoding = match self.encoding {
            Some(Encoding::Utf16Le) => UTF_16LE,
            Some(Encoding::Utf16Be) => UTF_16BE,
            Some(Encoding::Legacy(encoding)) => encoding,
            Some(Encoding::Utf8 | Encoding::NearlyUtf8) | None => UTF_8,
        };
        let inner = (self.units.width() < 4).then(|| encoding.new_decoder_without_bom_handling());
        Decoder { inner, units: self.units, had_errors: false }
    }
}

/// Whether a file that begins with `beginning` is no text.
pub fn is_binary(beginning: &[u8]) -> bool {
    let sniffed = &beginning[..beginning.len().min(SNIFFED)];
    // It ends where it was cut, be it in the middle of a character.
    let whole = match std::str::from_utf8(sniffed) {
        Err(error) if error.error_len().is_none() => &sniffed[..error.valid_up_to()],
        _ => sniffed,
    };
    TextFile::decode(whole) == Err(NoText::Binary)
}

/// What stands around a byte, from the beginning of a character to the end of another.
fn around(file: &mut (impl Read + Seek), at: u64) -> io::Result<Vec<u8>> {
    let start = at.saturating_sub(AROUND);
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(at - start + AROUND).read_to_end(&mut bytes)?;
    let before = usize::try_from(at - start).unwrap_or(0).min(bytes.len());
    if bytes.len() as u64 == at - start + AROUND
        && let Some(last) = bytes[before..].iter().rposition(|byte| *byte < ALONE)
    {
        bytes.truncate(before + last + 1);
    }
    if start > 0
        && let Some(first) = bytes[..before].iter().position(|byte| *byte < ALONE)
    {
        bytes.drain(..first);
    }
    Ok(bytes)
}

/// Makes characters of bytes, piece by piece; what stands for none becomes `\u{fffd}`.
pub struct Decoder {
    /// `None` for UTF-32.
    inner: Option<encoding_rs::Decoder>,
    units: Units,
    had_errors: bool,
}

impl Decoder {
    /// Appends the characters of the next bytes; of UTF-32 these are whole units, but for the last. `is_last`: no others will come.
    pub fn decode(&mut self, bytes: &[u8], is_last: bool, text: &mut String) {
        let Some(decoder) = &mut self.inner else {
            let (units, rest) = bytes.as_chunks::<4>();
            let unit = if self.units == Units::FourHigh { u32::from_be_bytes } else { u32::from_le_bytes };
            let characters = units.iter().map(|bytes| char::from_u32(unit(*bytes)));
            let before = text.len();
            text.extend(characters.map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER)));
            self.had_errors |= !rest.is_empty() || text[before..].contains(char::REPLACEMENT_CHARACTER);
            return;
        };
        let mut rest = bytes;
        loop {
            let room = decoder.max_utf8_buffer_length(rest.len());
            text.reserve(room.unwrap_or(rest.len() * 3 + 16));
            let (result, read, had_errors) = decoder.decode_to_string(rest, text, is_last);
            self.had_errors |= had_errors;
            rest = &rest[read..];
            if result == encoding_rs::CoderResult::InputEmpty {
                return;
            }
        }
    }

    /// There were bytes that stand for nothing.
    pub fn had_errors(&self) -> bool {
        self.had_errors
    }
}

/// Reads on until `piece` is full: less is read only at the file's end, so that no unit is cut before.
pub fn fill(file: &mut impl Read, piece: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < piece.len() {
        match file.read(&mut piece[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn script(bytes: &[u8]) -> Script {
        let wrong_at = std::str::from_utf8(bytes).err().map(|error| error.valid_up_to() as u64);
        Script::of(&mut Cursor::new(bytes), bytes, wrong_at).unwrap()
    }

    #[test]
    fn what_stands_around_the_first_odd_byte_tells_the_encoding() {
        let plain = b"some plain words\n".repeat(60_000);
        let with = |odd: &[u8]| [plain.as_slice(), odd, &plain].concat();
        assert_eq!(script(&with(b"")).name(), "utf-8");
        assert_eq!(script(&with(b"Stra\xdfe, gr\xfc\xdfe an alle\n")).name(), "windows-1252");
        let japanese =
            b"\x93\xfa\x96{\x8c\xea\x82\xcc\x83e\x83L\x83X\x83g\x82\xc5\x82\xb7\x81B\n".repeat(60_000);
        assert_eq!(script(&with(&japanese)).name(), "shift_jis");
        let torn = [b"\xff bad\n".as_slice(), &"日本語の行\n".repeat(60_000).into_bytes()].concat();
        assert_eq!(script(&torn).name(), "utf-8 with invalid bytes");
        assert_eq!(script(b"\xef\xbb\xbfa\xff").name(), "utf-8 with invalid bytes");
        let (units, mark) = (Units::FourHigh, 4);
        assert_eq!(script(b"\0\0\xfe\xff\0\0\0a"), Script { units, mark, encoding: None });
    }

    #[test]
    fn lines_end_at_units_and_not_at_bytes() {
        let ends = |units: Units, bytes: &[u8]| units.line_ends(bytes).collect::<Vec<_>>();
        assert_eq!(ends(Units::One, b"a\nb\n"), [2, 4]);
        // U+4E0A has a byte that is a line end elsewhere, and so has U+0A00.
        assert_eq!(ends(Units::TwoLow, b"\x0a\x4e\x0a\0\0\x0a"), [4]);
        assert_eq!(ends(Units::TwoHigh, b"\x4e\x0a\0\x0a\x0a\0"), [4]);
        assert_eq!(ends(Units::FourLow, b"\x0a\0\x01\0\x0a\0\0\0"), [8]);
        assert_eq!(ends(Units::FourHigh, b"\0\x01\0\x0a\0\0\0\x0a"), [8]);
        assert!(Units::TwoLow.has_return(b"\x0d\0\x0a\0", 4, b""));
        assert!(Units::TwoLow.has_return(b"\x0a\0", 2, b"a\0\x0d\0"));
        assert!(!Units::TwoHigh.has_return(b"\0\x0a", 2, b"\x0d\0"));
    }

    #[test]
    fn a_beginning_may_be_cut_inside_a_character() {
        let text = format!("\u{1}{}é", "x".repeat(SNIFFED - 2));
        assert!(!is_binary(text.as_bytes()));
        assert!(is_binary(b"\x01 caf\xe9 noir"));
        assert!(is_binary(b"a\0"));
    }

    #[test]
    fn characters_may_be_cut_by_pieces() {
        for (bytes, expected) in [
            ("aé😀日".as_bytes(), "aé😀日"),
            (b"\xff\xfe\x3d\xd8\0\xdea\0\x3d\xd8", "😀a\u{fffd}"),
            (
                b"\x93\xfa\x96{\x8c\xea\x82\xcc\x83e\x83L\x83X\x83g\x82\xc5\x82\xb7\x81B",
                "日本語のテキストです。",
            ),
        ] {
            let script = script(bytes);
            for piece in 1..5 {
                let (mut decoder, mut text) = (script.decoder(), String::new());
                bytes[script.mark..].chunks(piece).for_each(|piece| decoder.decode(piece, false, &mut text));
                decoder.decode(b"", true, &mut text);
                assert_eq!((text.as_str(), decoder.had_errors()), (expected, expected.contains('\u{fffd}')));
            }
        }
    }
}
