//! Regular expressions of callers: what compiling and running them may cost.
//!
//! The engine takes linear time in the text, but a dozen characters can mean a program of hundreds of megabytes.

use grep_regex::{Error, RegexMatcherBuilder};

use super::{Code, ToolError};
use crate::limits::{PATTERN_CACHE_BYTES, PATTERN_COMPILED_BYTES};

/// A builder of matchers that keeps to the limits.
pub(super) fn builder() -> RegexMatcherBuilder {
    let mut builder = RegexMatcherBuilder::new();
    builder.size_limit(PATTERN_COMPILED_BYTES).dfa_size_limit(PATTERN_CACHE_BYTES);
    builder
}

/// True when it was refused for its size alone.
pub(super) fn is_too_large(error: &Error) -> bool {
    error.to_string().contains("size limit")
}

/// The refusal of a pattern that [`is_too_large`]; `what` names the parameter.
pub(super) fn too_large(what: &str) -> ToolError {
    let limit = PATTERN_COMPILED_BYTES / 1024 / 1024;
    ToolError::new(
        Code::InvalidArgs,
        format!("{what} is too large: compiled it would take more than {limit} MiB"),
        "make the repetitions smaller (`\\w{1,200}` is possible, `\\p{L}{5000}` is not), or leave classes out of long ones: \
         `[a-z]` takes a hundredth of `\\w`",
    )
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    #[test]
    fn what_people_search_for_fits() {
        let words = (0..5000).fold(String::from("word"), |mut words, number| {
            let _ = write!(words, "|identifier{number}");
            words
        });
        for pattern in
            [r"\w{1,200}", r"(?i)\p{L}{100}", r"[a-z]{5000}", r"\b\w+\s{0,50}\(.{0,1000}\)", &words]
        {
            for is_insensitive in [false, true] {
                let built = builder().crlf(true).case_insensitive(is_insensitive).build(pattern);
                assert!(built.is_ok(), "{is_insensitive} {:.40}: {}", pattern, built.unwrap_err());
            }
        }
    }

    #[test]
    fn a_short_pattern_may_be_too_large() {
        for pattern in [r"\p{L}{5000}", r"(\w{1000}){1000}", r"((((a{100}){100}){100}){100})"] {
            assert!(is_too_large(&builder().build(pattern).unwrap_err()), "{pattern}");
        }
        assert!(!is_too_large(&builder().build("(").unwrap_err()));
    }
}
