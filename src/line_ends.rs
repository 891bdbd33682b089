//! Line ends: what a text has, and what becomes of them. Pure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The line ends of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineEnds {
    /// No line end at all.
    None,
    /// `\n`
    Lf,
    /// `\r\n`
    Crlf,
    /// Both.
    Mixed,
}

impl LineEnds {
    /// What `text` has.
    pub fn of(text: &str) -> Self {
        let (lf, crlf) = counts(text.as_bytes());
        Self::from_counts(lf, crlf)
    }

    /// From the number of `\n` and how many of them follow a `\r`.
    pub fn from_counts(lf: u64, crlf: u64) -> Self {
        match (lf, crlf) {
            (0, _) => Self::None,
            (_, 0) => Self::Lf,
            (lf, crlf) if lf == crlf => Self::Crlf,
            _ => Self::Mixed,
        }
    }

    /// The word used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lf => "lf",
            Self::Crlf => "crlf",
            Self::Mixed => "mixed",
        }
    }
}

/// The number of `\n`, and how many of them follow a `\r`.
pub fn counts(bytes: &[u8]) -> (u64, u64) {
    let lf = memchr::memchr_iter(b'\n', bytes).count() as u64;
    let crlf =
        memchr::memchr_iter(b'\r', bytes).filter(|at| bytes.get(at + 1) == Some(&b'\n')).count() as u64;
    (lf, crlf)
}

/// What becomes of the line ends of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineEndChange {
    /// What it has.
    pub before: LineEnds,
    /// What it gets; the same where both are mixed, and it is other lines that have the one or the other.
    pub after: LineEnds,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_counted() {
        assert_eq!(LineEnds::of("a"), LineEnds::None);
        assert_eq!(LineEnds::of("a\nb\n"), LineEnds::Lf);
        assert_eq!(LineEnds::of("a\r\nb\r\n"), LineEnds::Crlf);
        assert_eq!(LineEnds::of("a\r\nb\n"), LineEnds::Mixed);
        assert_eq!(LineEnds::of("a\rb"), LineEnds::None);
    }
}
