//! What the rules of a client's user deny to one call: blocked for that call alone, and in the same way as what the
//! configuration blocks.
//!
//! A glob here speaks of the whole path from the root: `*` and `?` stay within a folder, `**` crosses folders, `**/` is any
//! folders or none, `{a,b}` is a choice, `\` makes the next character an ordinary one; a `/` or `./` in front and a `/` at the end
//! say nothing. It is the extension's dialect, not that of
//! `[files]`; `extension/src/lib/globs.json` holds both to the same cases. What lies in what matches counts as matching. Pure.

use std::collections::HashSet;

use regex_automata::{meta, util::syntax};
use unicode_normalization::UnicodeNormalization;

use super::path_names::{fold, spellings};

/// All globs of a call together; a list of rules is never this long.
const LONGEST: usize = 65_536;

/// A list that cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeniedPathsError {
    /// No path is known for it.
    #[error("`{glob}` is no usable glob: {reason}")]
    Glob {
        /// As written.
        glob: String,
        /// Why.
        reason: &'static str,
    },
    /// Too much to compile.
    #[error("the denied globs are too many or too long ({bytes} bytes)")]
    TooLong {
        /// All of them together.
        bytes: usize,
    },
}

/// The globs, compiled.
#[derive(Clone, Debug)]
pub struct DeniedPaths {
    written: Vec<String>,
    matcher: meta::Regex,
}

impl DeniedPaths {
    /// Compiles the globs; one that cannot be kept makes the whole list unusable.
    pub fn new(globs: &[String]) -> Result<Self, DeniedPathsError> {
        let bytes = globs.iter().map(String::len).sum();
        if bytes > LONGEST {
            return Err(DeniedPathsError::TooLong { bytes });
        }
        let (mut patterns, mut written) = (Vec::new(), Vec::new());
        let mut seen = HashSet::new();
        for glob in globs.iter().filter(|glob| seen.insert(*glob)) {
            let plain = plain(glob);
            if plain.is_empty() {
                let reason = "it names the whole workspace: `**` matches everything";
                return Err(DeniedPathsError::Glob { glob: glob.clone(), reason });
            }
            if plain.split('/').any(|name| name == "..") {
                let reason = "`..` never occurs in a resolved path, so it would match nothing";
                return Err(DeniedPathsError::Glob { glob: glob.clone(), reason });
            }
            // As written and folded: `?` for `ß` fits the one spelling, `ss` for `ß` the other.
            for spelling in [plain.nfc().collect::<String>(), fold(&plain)] {
                let pattern = pattern(&spelling)
                    .map_err(|reason| DeniedPathsError::Glob { glob: glob.clone(), reason })?;
                patterns.push(format!("^(?:{pattern})(?:/.*)?$"));
                written.push(glob.clone());
            }
        }
        let matcher = meta::Regex::builder()
            .syntax(syntax::Config::new().case_insensitive(true).dot_matches_new_line(true))
            .build_many(&patterns)
            .map_err(|_| DeniedPathsError::TooLong { bytes })?;
        Ok(Self { written, matcher })
    }

    /// The glob that denies `path`, or a folder it lies in.
    pub fn matching(&self, path: &str) -> Option<&str> {
        if path.is_empty() {
            // The root itself is no path in it; everything below may be denied all the same.
            return None;
        }
        let found = |text: &str| self.matcher.find(text).map(|found| found.pattern().as_usize());
        let composed = (!path.is_ascii()).then(|| path.nfc().collect::<String>());
        let place = composed
            .as_deref()
            .and_then(found)
            .or_else(|| spellings(path).iter().find_map(|reading| found(reading)))?;
        self.written.get(place).map(String::as_str)
    }
}

/// The glob without what no path has: a `/` or `./` in front, a `/` at its end, two in a row. It would never match.
fn plain(glob: &str) -> String {
    let mut plain = glob.to_owned();
    while plain.contains("//") || plain.contains("/./") {
        plain = plain.replace("/./", "/").replace("//", "/");
    }
    let mut rest = plain.as_str();
    while let Some(shorter) = rest.strip_prefix("./").or_else(|| rest.strip_prefix('/')) {
        rest = shorter;
    }
    let rest = rest.strip_suffix("/.").unwrap_or(rest);
    rest.trim_end_matches('/').to_owned()
}

/// The glob as a regular expression.
fn pattern(glob: &str) -> Result<String, &'static str> {
    let mut pattern = String::with_capacity(glob.len() * 2);
    let mut rest = glob;
    let mut depth = 0;
    while let Some(character) = rest.chars().next() {
        let mut taken = character.len_utf8();
        match character {
            '\\' => {
                let literal = rest.chars().nth(1).ok_or("nothing follows its last `\\`")?;
                taken += literal.len_utf8();
                push_literal(&mut pattern, literal);
            }
            '*' if rest.starts_with("**/") => {
                taken = 3;
                // Behind a part of a name it crosses from that name on: `secret**/key` is `secret/key` and `secrets/old/key`.
                let begins =
                    glob[..glob.len() - rest.len()].ends_with(['/', '{', ',']) || rest.len() == glob.len();
                pattern.push_str(if begins { "(?:[^/]+/)*" } else { "(?:.*/)?" });
            }
            '*' if rest.starts_with("**") => {
                taken = 2;
                pattern.push_str(".*");
            }
            '*' => pattern.push_str("[^/]*"),
            '?' => pattern.push_str("[^/]"),
            '{' => {
                depth += 1;
                pattern.push_str("(?:");
            }
            '}' if depth > 0 => {
                depth -= 1;
                pattern.push(')');
            }
            ',' if depth > 0 => pattern.push('|'),
            literal => push_literal(&mut pattern, literal),
        }
        rest = rest.get(taken..).unwrap_or_default();
    }
    if depth == 0 { Ok(pattern) } else { Err("a `{` has no `}`") }
}

fn push_literal(pattern: &mut String, character: char) {
    if character.is_ascii_punctuation() {
        pattern.push('\\');
    }
    pattern.push(character);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Case {
        glob: String,
        path: String,
        denied: bool,
    }

    #[test]
    fn the_dialect_is_the_extensions() {
        let cases: Vec<Case> =
            serde_json::from_str(include_str!("../../extension/src/lib/globs.json")).unwrap();
        assert!(cases.len() > 30);
        for Case { glob, path, denied } in cases {
            let rules = DeniedPaths::new(std::slice::from_ref(&glob)).unwrap();
            assert_eq!(rules.matching(&path).is_some(), denied, "{glob} {path}");
        }
    }

    #[test]
    fn the_glob_that_denies_is_named_as_it_was_written() {
        let rules = DeniedPaths::new(&["a/*.TS".into(), "{b,c}/**".into()]).unwrap();
        assert_eq!(rules.matching("c/deep/x"), Some("{b,c}/**"));
        assert_eq!(rules.matching("A/x.ts"), Some("a/*.TS"));
        assert_eq!(rules.matching("a/deep/x.ts"), None);
    }

    #[test]
    fn what_cannot_be_kept_is_an_error() {
        assert!(DeniedPaths::new(&["{a".into()]).is_err());
        assert!(DeniedPaths::new(&["a\\".into()]).is_err());
        for empty in ["", "/", "./", "//", ".//./"] {
            assert!(DeniedPaths::new(&[empty.into()]).is_err(), "{empty:?}");
        }
        for outside in ["..", "../a", "a/../b", "**/..", "/../a/", "a/.."] {
            assert!(DeniedPaths::new(&[outside.into()]).is_err(), "{outside:?}");
        }
        assert!(DeniedPaths::new(&["a..b/..c/...".into()]).is_ok());
        assert!(DeniedPaths::new(&["a".repeat(LONGEST + 1)]).is_err());
    }
}
