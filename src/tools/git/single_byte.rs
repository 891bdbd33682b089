//! ISO-8859-1, ISO-8859-9 and ASCII, as git reads and writes them.
//!
//! gix goes by the rules of web pages, where these are other names of windows-1252 and windows-1254: the bytes 0x80 to 0x9f are
//! quotes, dashes and the euro there, and control characters here.

use std::borrow::Cow;

use encoding_rs::{Encoding, WINDOWS_1252, WINDOWS_1254};

/// What `working-tree-encoding` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SingleByte {
    /// `US-ASCII`.
    Ascii,
    /// `ISO-8859-1`, also called `latin1`.
    Latin1,
    /// `ISO-8859-9`, also called `latin5`.
    Latin5,
}

const FIRST: u8 = 0x80;
const LAST: u8 = 0x9f;

impl SingleByte {
    /// The one of this name.
    pub(super) fn named(name: &[u8]) -> Option<Self> {
        let (known, name) = (Encoding::for_label(name)?, name.to_ascii_lowercase());
        let has = |part: &[u8]| memchr::memmem::find(&name, part).is_some();
        if known == WINDOWS_1252 && (has(b"ascii") || has(b"ansi_x3.4")) {
            Some(Self::Ascii)
        } else if known == WINDOWS_1252 && !has(b"1252") {
            Some(Self::Latin1)
        } else if known == WINDOWS_1254 && !has(b"1254") {
            Some(Self::Latin5)
        } else {
            None
        }
    }

    /// The bytes of a file, or why git would not store it.
    pub(super) fn readable(self, bytes: &[u8]) -> Result<Cow<'_, [u8]>, &'static str> {
        if self == Self::Ascii && !bytes.is_ascii() {
            return Err("it has bytes that are no ASCII");
        }
        Ok(bytes.into())
    }

    /// What is stored where gix would store these bytes.
    pub(super) fn stored(self, bytes: Vec<u8>) -> Vec<u8> {
        match std::str::from_utf8(&bytes) {
            Ok(text) if !text.is_ascii() => {
                let web = self.web();
                let place = |character| web.iter().position(|&other| other == character);
                let control = |place| char::from(FIRST + u8::try_from(place).unwrap_or(0));
                let stored = text.chars().map(|character| place(character).map_or(character, control));
                stored.collect::<String>().into_bytes()
            }
            _ => bytes,
        }
    }

    /// What is stored as gix writes it right, or why it cannot be written.
    pub(super) fn writable(self, bytes: Vec<u8>) -> Result<Vec<u8>, &'static str> {
        match std::str::from_utf8(&bytes) {
            Ok(text) if !text.is_ascii() => {
                let web = self.web();
                let writable = text.chars().map(|character| match u8::try_from(character) {
                    Ok(byte @ FIRST..=LAST) => web.get(usize::from(byte - FIRST)).copied(),
                    _ => Some(character).filter(|character| self != Self::Ascii && !web.contains(character)),
                });
                let text: Option<String> = writable.collect();
                Ok(text.ok_or("it has characters that its encoding does not have")?.into_bytes())
            }
            _ => Ok(bytes),
        }
    }

    /// What gix takes the bytes 0x80 to 0x9f for.
    fn web(self) -> Vec<char> {
        let encoding = if self == Self::Latin5 { WINDOWS_1254 } else { WINDOWS_1252 };
        let bytes: Vec<u8> = (FIRST..=LAST).collect();
        encoding.decode_without_bom_handling(&bytes).0.chars().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::SingleByte::{self, Ascii, Latin1, Latin5};

    #[test]
    fn names_mean_what_they_mean_to_git() {
        for (name, expected) in [
            ("ISO-8859-1", Some(Latin1)),
            ("latin1", Some(Latin1)),
            ("L1", Some(Latin1)),
            ("cp819", Some(Latin1)),
            ("csISOLatin1", Some(Latin1)),
            ("US-ASCII", Some(Ascii)),
            ("ANSI_X3.4-1968", Some(Ascii)),
            ("ISO-8859-9", Some(Latin5)),
            ("latin5", Some(Latin5)),
            ("windows-1252", None),
            ("CP1252", None),
            ("cp1254", None),
            ("ISO-8859-15", None),
            ("UTF-8", None),
            ("nonsense", None),
        ] {
            assert_eq!(SingleByte::named(name.as_bytes()), expected, "{name}");
        }
    }
}
