//! Globs with a `?` or a class, matched character by character: a set of globs takes both for bytes, and would let `é` through.
//!
//! What such a glob means is still the set's to say; only its regular expression is read as one of characters.

use regex_automata::{meta, util::syntax};

/// Globs, compiled, each with the place of its list's entry.
#[derive(Clone, Debug, Default)]
pub(super) struct ByCharacter {
    matcher: Option<meta::Regex>,
    places: Vec<usize>,
}

/// True where it matters what one character is.
pub(super) fn counts_characters(glob: &str) -> bool {
    glob.contains(['?', '['])
}

impl ByCharacter {
    pub(super) fn new(globs: Vec<(globset::Glob, usize)>) -> Result<Self, Box<meta::BuildError>> {
        if globs.is_empty() {
            return Ok(Self::default());
        }
        let patterns: Vec<String> = globs.iter().map(|(glob, _)| of_characters(glob.regex())).collect();
        let matcher = meta::Regex::builder()
            .syntax(syntax::Config::new().case_insensitive(true).dot_matches_new_line(true))
            .build_many(&patterns)?;
        Ok(Self { matcher: Some(matcher), places: globs.into_iter().map(|(_, place)| place).collect() })
    }

    /// The place of a glob that matches all of `text`.
    pub(super) fn matching(&self, text: &str) -> Option<usize> {
        let found = self.matcher.as_ref()?.find(text)?;
        self.places.get(found.pattern().as_usize()).copied()
    }
}

/// The regular expression of a glob, which spells out characters beyond ASCII as their bytes (`\xc3\xa9`), as one of characters.
fn of_characters(regex: &str) -> String {
    let regex = regex.strip_prefix("(?-u)").unwrap_or(regex);
    let mut bytes = Vec::with_capacity(regex.len());
    let mut rest = regex.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'\\', [b'x', high, low, after @ ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16).unwrap_or_default() as u8;
                bytes.push(digit(high) * 16 + digit(low));
                rest = after;
            }
            (b'\\', [escaped, after @ ..]) => {
                bytes.extend([b'\\', *escaped]);
                rest = after;
            }
            _ => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use globset::Glob;

    use super::*;

    #[test]
    fn bytes_become_characters_again() {
        for (glob, regex) in [
            ("s?cret", "^s.cret$"),
            ("[éü-ÿ]x", "^[éü-ÿ]x$"),
            ("[!é]日?", "^[^é]日.$"),
            (r"a\\x41?", r"^a\\x41.$"),
            (r"\?[]\^]", r"^\?[\]\\\^]$"),
        ] {
            assert_eq!(of_characters(Glob::new(glob).unwrap().regex()), regex);
        }
    }
}
