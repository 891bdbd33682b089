//! Identifiers and hashes: ULIDs for things, BLAKE3 for the contents of files, SHA-256 for everything others may check.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use ulid::{Generator, Ulid};

/// A fresh ULID as text.
pub fn new_ulid() -> String {
    Generator::new().generate().map(|ulid| ulid.to_string()).unwrap_or_default()
}

/// True for the text of a ULID. 26 of its letters hold 130 bits; the largest of 128 begins with `7`.
pub fn is_ulid(text: &str) -> bool {
    text.len() == 26 && text.starts_with(|letter| letter <= '7') && Ulid::from_string(text).is_ok()
}

/// The key that `text` is, as it is kept: the letters of a ULID mean the same in both cases. `None` when it is no ULID.
pub fn call_key(text: &str) -> Option<String> {
    is_ulid(text).then(|| text.to_ascii_uppercase())
}

/// The ULID that belongs to this key and this name, always the same one.
pub fn derived_ulid(key: &str, name: &str) -> String {
    let hash = Sha256::digest(format!("{key}\n{name}").as_bytes());
    let bits = hash.iter().take(16).fold(0, |bits: u128, byte| (bits << 8) | u128::from(*byte));
    Ulid::from(bits).to_string()
}

/// Lower-case hex of the SHA-256 of `bytes`.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Lower-case hex of `bytes`.
pub fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The identity of a file's raw bytes: the first half of their BLAKE3 in hex.
///
/// 128 bits: short enough to stand in a model's context, long enough that nobody makes two files with the same one by chance.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Etag(String);

/// Characters of an etag that a text shows, and that are enough to name it.
const SHORT_ETAG: usize = 12;

/// Makes the etag of bytes that come piece by piece.
#[derive(Clone, Debug, Default)]
pub struct EtagHasher(blake3::Hasher);

impl EtagHasher {
    /// Takes in what comes next.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The etag of all of it.
    pub fn end(&self) -> Etag {
        Etag::from_hash(self.0.finalize())
    }
}

impl Etag {
    /// The etag of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self::from_hash(blake3::hash(bytes))
    }

    fn from_hash(hash: blake3::Hash) -> Self {
        Self(hex(&hash.as_bytes()[..16]))
    }

    /// True when a caller who gave this text means this etag: all of it, or its beginning as texts show it.
    pub fn is_meant_by(&self, text: &str) -> bool {
        let text = text.trim().to_ascii_lowercase();
        text.len() >= SHORT_ETAG && self.0.starts_with(&text)
    }

    /// Its beginning, for texts: nobody changes a file by chance to one with the same.
    pub fn short(&self) -> &str {
        crate::text::prefix(&self.0, SHORT_ETAG)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Etag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_ulid_has_128_bits_in_both_cases() {
        for text in [super::new_ulid(), "7ZZZZZZZZZZZZZZZZZZZZZZZZZ".to_owned()] {
            assert!(super::is_ulid(&text) && super::is_ulid(&text.to_ascii_lowercase()), "{text}");
        }
        for text in
            ["8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "G0000000000000000000000000", "0000000000000000000000000", "x"]
        {
            assert!(!super::is_ulid(text), "{text}");
        }
    }
}
