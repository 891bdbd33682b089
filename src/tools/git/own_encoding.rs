//! Encodings of which gix has another idea than git: it is helped before and after it converts.

use std::borrow::Cow;

use super::{single_byte::SingleByte, utf16::Utf16};

/// What `working-tree-encoding` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OwnEncoding {
    Utf16(Utf16),
    SingleByte(SingleByte),
}

impl OwnEncoding {
    /// The one of this name.
    pub(super) fn named(name: &[u8]) -> Option<Self> {
        Utf16::named(name).map(Self::Utf16).or_else(|| SingleByte::named(name).map(Self::SingleByte))
    }

    /// Whether gix may find a file to differ only because it reads it wrong.
    pub(super) fn is_misread(self) -> bool {
        matches!(self, Self::Utf16(Utf16::Marked) | Self::SingleByte(_))
    }

    /// The bytes of a file as gix reads them right, or why git would not store it.
    pub(super) fn readable(self, bytes: &[u8]) -> Result<Cow<'_, [u8]>, &'static str> {
        match self {
            Self::Utf16(utf16) => utf16.readable(bytes),
            Self::SingleByte(single) => single.readable(bytes),
        }
    }

    /// What is stored where gix would store these bytes.
    pub(super) fn stored(self, bytes: Vec<u8>) -> Vec<u8> {
        match self {
            Self::Utf16(_) => bytes,
            Self::SingleByte(single) => single.stored(bytes),
        }
    }

    /// What is stored as gix writes it right, or why it cannot be written.
    pub(super) fn writable(self, bytes: Vec<u8>) -> Result<Vec<u8>, &'static str> {
        match self {
            Self::Utf16(_) => Ok(bytes),
            Self::SingleByte(single) => single.writable(bytes),
        }
    }

    /// The bytes of a file for which gix has these.
    pub(super) fn written(self, bytes: Vec<u8>) -> Result<Vec<u8>, &'static str> {
        match self {
            Self::Utf16(utf16) => {
                let text = std::str::from_utf8(&bytes).map_err(|_| "it is not stored as UTF-8")?;
                Ok(utf16.written(text))
            }
            Self::SingleByte(_) => Ok(bytes),
        }
    }
}
