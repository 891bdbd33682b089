//! UTF-16 in the work tree, as git reads and writes it.
//!
//! gix writes such a file as UTF-8, and knows the order of its bytes from the name alone: it is never left to itself here.

use std::borrow::Cow;

const LITTLE_MARK: [u8; 2] = [0xff, 0xfe];
const BIG_MARK: [u8; 2] = [0xfe, 0xff];

/// What `working-tree-encoding` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Utf16 {
    /// `UTF-16`: a mark says the order of the bytes.
    Marked,
    /// `UTF-16LE`, without a mark.
    Little,
    /// `UTF-16BE`, without a mark.
    Big,
}

impl Utf16 {
    /// The one of this name.
    pub(super) fn named(name: &[u8]) -> Option<Self> {
        match name.to_ascii_lowercase().as_slice() {
            b"utf-16" => Some(Self::Marked),
            b"utf-16le" => Some(Self::Little),
            b"utf-16be" => Some(Self::Big),
            _ => None,
        }
    }

    /// The bytes of a file as gix reads them right, or why git would not store it.
    pub(super) fn readable(self, bytes: &[u8]) -> Result<Cow<'_, [u8]>, &'static str> {
        let is_marked = bytes.starts_with(&LITTLE_MARK) || bytes.starts_with(&BIG_MARK);
        match self {
            Self::Marked if !is_marked && !bytes.is_empty() => {
                Err("it has no byte order mark, which `UTF-16` needs")
            }
            Self::Little | Self::Big if is_marked => {
                Err("it has a byte order mark, which only `UTF-16` allows")
            }
            // gix takes the low byte for the first.
            Self::Marked if bytes.starts_with(&BIG_MARK) => {
                let mut swapped = bytes.to_vec();
                swapped.chunks_exact_mut(2).for_each(<[u8]>::reverse);
                Ok(swapped.into())
            }
            _ => Ok(bytes.into()),
        }
    }

    /// The bytes of a file with this text.
    pub(super) fn written(self, text: &str) -> Vec<u8> {
        let units = text.encode_utf16();
        match self {
            Self::Marked if text.is_empty() => Vec::new(),
            Self::Marked => LITTLE_MARK.into_iter().chain(units.flat_map(u16::to_le_bytes)).collect(),
            Self::Little => units.flat_map(u16::to_le_bytes).collect(),
            Self::Big => units.flat_map(u16::to_be_bytes).collect(),
        }
    }
}
