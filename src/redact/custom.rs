//! The patterns of the configuration: each is tried line by line, so that lines stay lines, and `^` and `$` mean those of a line.
//!
//! A line of a file often has something of ours in front of it when it gets here: its number, a sign of a difference. A pattern with
//! an anchor is also tried behind that.

use std::borrow::Cow;

use regex_automata::{
    Input,
    meta::Regex,
    util::{captures::Captures, syntax},
};
use regex_syntax::hir::{Class, Hir, HirKind};

use super::find::Span;
use crate::limits::REDACT_PATTERN_BYTES;

/// Bytes that a pattern may look at behind one of its matches, together: `a(.*b)?` looks for a `b` up to the end of the line at each `a`.
const LOOKED_AT: usize = 4 << 20;
/// Each match may look as far.
const NEAR: usize = 64;

/// Why a pattern of the configuration cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It is no regular expression, or one that is too large.
    #[error("this is no usable regular expression: {reason}")]
    Syntax {
        /// Why.
        reason: String,
    },
    /// It would replace nothing, everywhere.
    #[error("this pattern matches the empty text")]
    Empty,
    /// It would never match.
    #[error("this pattern matches only over a line break, and it is tried on each line by itself")]
    Lines,
}

/// A usable pattern.
#[derive(Debug)]
pub struct Pattern {
    regex: Regex,
    has_anchor: bool,
}

impl Pattern {
    /// Compiles it, or says why it cannot be used.
    pub fn compile(pattern: &str) -> Result<Self, PatternError> {
        let regex = Regex::builder()
            .configure(
                Regex::config()
                    .nfa_size_limit(Some(REDACT_PATTERN_BYTES))
                    .hybrid_cache_capacity(REDACT_PATTERN_BYTES),
            )
            .syntax(syntax::Config::new())
            .build(pattern)
            .map_err(|error| PatternError::Syntax { reason: reason(&error) })?;
        let parsed = syntax::parse(pattern)
            .map_err(|error| PatternError::Syntax { reason: last_line(&error.to_string()) })?;
        if regex.is_match("") {
            return Err(PatternError::Empty);
        }
        if needs_line_break(&parsed) {
            return Err(PatternError::Lines);
        }
        Ok(Self { regex, has_anchor: parsed.properties().look_set().contains_anchor() })
    }

    /// What it finds; `index` is its place in the configuration.
    pub(super) fn find(&self, index: usize, text: &str, spans: &mut Vec<Span>) {
        let group = self.regex.group_info().to_index(regex_automata::PatternID::ZERO, "secret").unwrap_or(0);
        let mut captures = match group {
            0 => Captures::matches(self.regex.group_info().clone()),
            _ => self.regex.create_captures(),
        };
        let (mut start, mut matches) = (0, 0);
        for whole in text.split_inclusive('\n') {
            let line = whole.trim_end_matches(['\n', '\r']);
            let mut find = |offset: usize| {
                let Some(line) = line.get(offset..).filter(|line| !line.is_empty()) else { return };
                self.find_in_line(line, (group, &mut captures), &mut matches, |found| {
                    let id = Cow::Owned(format!("custom_{}", index + 1));
                    let at = start + offset;
                    spans.push(Span { start: at + found.start, end: at + found.end, id, again: false });
                });
            };
            find(0);
            if self.has_anchor {
                behind_ours(line).into_iter().flatten().for_each(find);
            }
            start += whole.len();
        }
    }

    fn find_in_line(
        &self,
        line: &str,
        (group, captures): (usize, &mut Captures),
        matches: &mut usize,
        mut found: impl FnMut(regex_automata::Span),
    ) {
        let mut start = 0;
        loop {
            self.search(line, start, *matches, captures);
            *matches += 1;
            let Some(whole) = captures.get_match() else { return };
            if let Some(secret) = captures.get_group(group).filter(|secret| !secret.is_empty()) {
                found(secret);
            }
            let next = if whole.is_empty() { whole.end() + 1 } else { whole.end() };
            if next >= line.len() {
                return;
            }
            start = next;
        }
    }

    /// The next match. The more there were, the less of the line is looked at first, and twice as much each time that there is none or
    /// that it goes on: so a match costs what it is long and how far away it stands, and not what the line is long.
    fn search(&self, line: &str, start: usize, matches: usize, captures: &mut Captures) {
        let mut length = (LOOKED_AT / (matches + 1)).max(NEAR);
        loop {
            let end = line.ceil_char_boundary(start.saturating_add(length).min(line.len()));
            // What stands behind is seen all the same: `$` is the end of the line.
            self.regex.search_captures(&Input::new(line).range(start..end), captures);
            let is_whole = captures.get_match().is_some_and(|found| found.end() < end);
            if is_whole || end == line.len() {
                return;
            }
            length *= 2;
        }
    }
}

/// Where a line of a file may begin behind what the host put in front of it: `  12|`, `12:` or `12-`; the sign of a difference,
/// alone or behind a number; the blanks in front of a commit's message; the commit and the author in front of its first line.
fn behind_ours(line: &str) -> [Option<usize>; 4] {
    let bytes = line.as_bytes();
    let blanks = bytes.iter().take_while(|byte| **byte == b' ').count();
    let digits = bytes.iter().skip(blanks).take_while(|byte| byte.is_ascii_digit()).count();
    let number = (digits > 0 && matches!(bytes.get(blanks + digits), Some(b'|' | b':' | b'-')))
        .then_some(blanks + digits + 1);
    let from = number.unwrap_or_default();
    let sign = matches!(bytes.get(from), Some(b'+' | b'-' | b' ')).then_some(from + 1);
    let hex = bytes.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let is_commit = hex >= 7 && bytes.get(hex) == Some(&b' ');
    let subject = is_commit.then(|| line.find(": ")).flatten().map(|at| at + 2);
    [number, sign, (blanks > 1).then_some(blanks), subject]
}

/// True where no match lies on one line.
fn needs_line_break(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Class(Class::Unicode(class)) => {
            !class.ranges().is_empty()
                && class.ranges().iter().all(|range| (range.start(), range.end()) == ('\n', '\n'))
        }
        HirKind::Repetition(repetition) => repetition.min > 0 && needs_line_break(&repetition.sub),
        HirKind::Capture(capture) => needs_line_break(&capture.sub),
        HirKind::Concat(parts) => parts.iter().any(needs_line_break),
        HirKind::Alternation(parts) => parts.iter().all(needs_line_break),
        HirKind::Class(Class::Bytes(_)) | HirKind::Empty | HirKind::Look(_) => false,
    }
}

/// The last line of the error: those before it draw the pattern, which stands in the configuration anyway.
fn reason(error: &regex_automata::meta::BuildError) -> String {
    match error.syntax_error() {
        Some(error) => last_line(&error.to_string()),
        None if error.size_limit().is_some() => {
            format!("it is larger than {REDACT_PATTERN_BYTES} bytes once compiled")
        }
        None => last_line(&error.to_string()),
    }
}

fn last_line(whole: &str) -> String {
    let last = whole.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    last.trim().trim_start_matches("error: ").to_owned()
}
