//! The pattern of a content search, compiled the way ripgrep does it.

use std::borrow::Cow;

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, SearcherBuilder};
use regex_syntax::ast::parse::ParserBuilder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::line_anchors::of_lines;
use crate::{
    limits::{ECHO_BYTES, NAME_SHOWN_BYTES, PATTERN_BYTES},
    text::excerpt,
    tools::{Code, ToolError, regular_expression},
};

/// How upper and lower case count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Case {
    // No doc comments on the variants: the schema would become a union.
    #[default]
    Smart,
    Sensitive,
    Insensitive,
}

/// What to look for, and how.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) text: String,
    pub(super) literal: bool,
    pub(super) case: Case,
    pub(super) word: bool,
    pub(super) multiline: bool,
}

/// The most memory a search takes for one line, or for one file that it has to hold whole because matches may span lines.
pub(super) const HEAP_BYTES: usize = 64 * 1024 * 1024;
/// Threads that search. More than there are cores, because on a cold tree they wait for the disk; 16 is where that stops paying.
const SEARCHERS: usize = 16;
/// The same where each of them holds a whole file.
const SEARCHERS_OF_WHOLE_FILES: usize = 4;

/// Refuses what would keep the engines busy for minutes.
pub(super) fn check_length(what: &str, text: &str) -> Result<(), ToolError> {
    if text.len() <= PATTERN_BYTES {
        return Ok(());
    }
    Err(ToolError::new(
        Code::InvalidArgs,
        format!("the {what} has {} bytes; the limit is {PATTERN_BYTES}", text.len()),
        "search for a part of it",
    ))
}

impl Pattern {
    /// Compiles it.
    pub(super) fn matcher(&self) -> Result<RegexMatcher, ToolError> {
        if self.text.is_empty() {
            return Err(ToolError::new(
                Code::InvalidArgs,
                "the pattern is empty",
                "search_glob lists files; to count all lines use the pattern `^`",
            ));
        }
        check_length("pattern", &self.text)?;
        match self.build(true) {
            Err(error) if regular_expression::is_too_large(&error) => {
                Err(regular_expression::too_large("the pattern"))
            }
            // A pattern that names the `\r` of a line end means bytes, not lines.
            Err(_) => self.build(false).map_err(|error| refusal(&error)),
            Ok(matcher) => Ok(matcher),
        }
    }

    /// `is_dos`: the `\r` of a `\r\n` belongs to the line end, so that `$` stands in front of it.
    fn build(&self, is_dos: bool) -> Result<RegexMatcher, grep_regex::Error> {
        let mut builder = regular_expression::builder();
        builder
            .multi_line(true)
            .unicode(true)
            .octal(false)
            .fixed_strings(self.literal)
            .word(self.word)
            .case_smart(self.case == Case::Smart)
            .case_insensitive(self.case == Case::Insensitive);
        if self.multiline {
            builder.crlf(true).line_terminator(None);
        } else {
            builder.ban_byte(Some(b'\0'));
            // Either sets the line end that no match may cross.
            if is_dos {
                builder.crlf(true)
            } else {
                builder.line_terminator(Some(b'\n'))
            };
        }
        if self.literal {
            return builder.build(&self.text);
        }
        let text = if self.multiline { Cow::Borrowed(self.text.as_str()) } else { of_lines(&self.text) };
        builder.build(&closed(&text))
    }

    /// True for a pattern of plain letters: what it matches in the bytes of a text in an older encoding has all that it matches in
    /// the text itself.
    pub(super) fn is_plain(&self) -> bool {
        let is_letter = |byte: u8| byte.is_ascii() && (self.literal || !br"\.+*?()|[]{}^$".contains(&byte));
        self.text.bytes().all(is_letter)
    }

    /// A searcher for it.
    pub(super) fn searcher(&self, matcher: &RegexMatcher, context: usize) -> Searcher {
        let mut builder = SearcherBuilder::new();
        builder
            .line_terminator(matcher.line_terminator().unwrap_or(LineTerminator::crlf()))
            .line_number(true)
            .multi_line(self.multiline)
            .before_context(context)
            .after_context(context)
            .heap_limit(Some(HEAP_BYTES));
        builder.build()
    }

    /// How many threads search for it.
    pub(super) fn searchers(&self) -> usize {
        if self.multiline { SEARCHERS_OF_WHOLE_FILES } else { SEARCHERS }
    }
}

/// The pattern with an end to the comment (`(?x)`) it ends with: the matcher puts a parenthesis behind it.
fn closed(pattern: &str) -> Cow<'_, str> {
    let comments = || {
        let parsed = ParserBuilder::new().octal(false).build().parse_with_comments(pattern);
        parsed.is_ok_and(|parsed| {
            parsed.comments.last().is_some_and(|comment| comment.span.end.offset == pattern.len())
        })
    };
    if pattern.contains('#') && comments() {
        Cow::Owned(format!("{pattern}\n"))
    } else {
        Cow::Borrowed(pattern)
    }
}

/// Names what the engine cannot do, and what can be done instead.
fn refusal(error: &grep_regex::Error) -> ToolError {
    let reason = error.to_string();
    let hint = if reason.contains("look-around") || reason.contains("look-ahead") {
        "look-around is not supported (matching takes linear time); search for the part outside it, or set `literal` to take the pattern as plain text"
    } else if reason.contains("backreference") {
        "backreferences are not supported (matching takes linear time); spell the text out, or set `literal` to take the pattern as plain text"
    } else if reason.contains("\\n") {
        "set `multiline` to match across lines"
    } else if reason.contains("\\0") {
        "a file with a NUL is binary and is not searched; search for the text beside it"
    } else {
        "set `literal` to take the pattern as plain text, or escape the special characters with `\\`"
    };
    let reason = told(&reason);
    ToolError::new(Code::InvalidArgs, format!("the pattern is no valid regular expression: {reason}"), hint)
}

/// The engine repeats the whole pattern, with a mark below the place, and says behind that what is wrong.
fn told(reason: &str) -> String {
    if reason.len() <= ECHO_BYTES {
        return reason.to_owned();
    }
    reason
        .rsplit_once("\nerror: ")
        .map_or_else(|| excerpt(reason, NAME_SHOWN_BYTES), |(_, what)| excerpt(what, NAME_SHOWN_BYTES))
}
