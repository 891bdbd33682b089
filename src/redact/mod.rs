//! Takes secrets out of what a model gets to read: each is replaced by a placeholder that nothing else looks like, and counted.
//!
//! One pass over the text looks for the beginnings of known tokens and for words that stand in front of other secrets; only where one
//! is found is anything compared. The number of lines never changes, and text
//! without a secret is handed back untouched. It is a net for accidents, no wall: blocked paths are that.

mod address;
mod again;
mod alone;
mod colour;
mod context;
mod custom;
mod find;
mod gap;
mod keys;
mod literal;
mod near;
mod random;
mod rules;
mod runs;
mod short;
mod side;
mod whole;
mod words;

use std::{
    borrow::Cow,
    collections::HashMap,
    fmt::Write as _,
    sync::{Arc, OnceLock},
};

use self::{
    again::Again,
    find::{Finder, Span},
    side::Side,
};
pub use self::{
    custom::{Pattern, PatternError},
    whole::{Cuts, secrets_in, whole, whole_around},
};
use crate::text::prefix;

/// How a placeholder begins and ends.
const OPENS: &str = "\u{27e6}redacted:";
const CLOSES: char = '\u{27e7}';
/// Its first character, and the word behind that.
const OPENS_WITH: char = '\u{27e6}';
const WORD: &str = "redacted";
/// Bytes of something like a placeholder that are told.
const SHOWN: usize = 100;

/// The rules in force.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    enabled: bool,
    patterns: Arc<[Pattern]>,
}

impl Redactor {
    /// The built-in rules and these patterns, which were found usable by [`Pattern::compile`].
    pub fn new(enabled: bool, patterns: &[String]) -> Self {
        let compiled = patterns.iter().filter_map(|pattern| Pattern::compile(pattern).ok());
        Self { enabled, patterns: if enabled { compiled.collect() } else { Arc::default() } }
    }

    /// Begins with a result: the same secret gets the same placeholder in all of its texts.
    pub fn begin(&self) -> Redaction<'_> {
        Redaction {
            redactor: self,
            seen: HashMap::new(),
            numbers: HashMap::new(),
            again: Again::default(),
            count: 0,
        }
    }

    /// What is secret in a text, in its order; `again` are those that other texts of the same result told of, to which it adds its own.
    fn spans(&self, text: &str, again: &mut Again) -> Vec<Span> {
        static FINDER: OnceLock<Finder> = OnceLock::new();
        if !self.enabled {
            return Vec::new();
        }
        let mut spans = Vec::new();
        let finder = FINDER.get_or_init(Finder::new);
        finder.find(text, &mut spans);
        side::each(text, &mut |side: &Side, whole: &dyn Fn(Span) -> Option<Span>| {
            let mut found = Vec::new();
            finder.find(&side.text, &mut found);
            again.add(&side.text, &found);
            spans.extend(found.into_iter().filter_map(whole));
        });
        for (index, pattern) in self.patterns.iter().enumerate() {
            pattern.find(index, text, &mut spans);
        }
        // A placeholder that stands where a secret would is none: the text was shown without it before.
        spans.retain(|span| {
            let found = text.get(span.start..span.end);
            found.is_none_or(|found| !found.starts_with(OPENS) || placeholder(found) != Some(found))
        });
        again.add(text, &spans);
        again.find(text, &mut spans);
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        let mut end = 0;
        spans.retain_mut(|span| {
            // Of one that begins in the one before, the rest is replaced.
            span.start = span.start.max(end);
            let fits = span.start < span.end;
            if fits {
                end = span.end;
            }
            fits
        });
        spans
    }
}

/// One result's redaction.
#[derive(Debug)]
pub struct Redaction<'a> {
    redactor: &'a Redactor,
    seen: HashMap<(Cow<'static, str>, String), usize>,
    numbers: HashMap<Cow<'static, str>, usize>,
    again: Again,
    count: usize,
}

impl Redaction<'_> {
    /// The text with placeholders; untouched and not copied when there is no secret in it.
    pub fn text<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        self.behind(text, 0)
    }

    /// The same of what stands behind `start`: secrets are found in all of the text, and of one that began before `start` the rest is
    /// replaced.
    pub fn behind<'t>(&mut self, text: &'t str, start: usize) -> Cow<'t, str> {
        let mut spans = self.redactor.spans(text, &mut self.again);
        spans.retain(|span| span.end > start);
        if spans.is_empty() {
            return Cow::Borrowed(text.get(start..).unwrap_or_default());
        }
        let mut shown = String::with_capacity(text.len().saturating_sub(start));
        let mut end = start;
        for span in spans {
            let (Some(before), Some(secret)) =
                (text.get(end..span.start.max(end)), text.get(span.start..span.end))
            else {
                continue;
            };
            shown.push_str(before);
            let number = self.number(span.id.clone(), secret);
            let _ = write!(shown, "{OPENS}{}:{number}{CLOSES}", span.id);
            end = span.end;
        }
        shown.push_str(text.get(end..).unwrap_or_default());
        Cow::Owned(shown)
    }

    fn number(&mut self, id: Cow<'static, str>, secret: &str) -> usize {
        self.count += 1;
        let numbers = &mut self.numbers;
        *self.seen.entry((id.clone(), secret.to_owned())).or_insert_with(|| {
            let number = numbers.entry(id).or_insert(0);
            *number += 1;
            *number
        })
    }

    /// What a reader is told of it; `None` where nothing was replaced.
    pub fn told(&self) -> Option<String> {
        match self.count {
            0 => None,
            1 => Some("1 secret was replaced by a placeholder".to_owned()),
            count => Some(format!("{count} secrets were replaced by placeholders")),
        }
    }

    /// How many secrets were replaced so far.
    pub fn count(&self) -> usize {
        self.count
    }
}

/// The first thing in `text` that was meant for a placeholder: models write them in other letters, without a number, with spaces.
pub fn meant_placeholder(text: &str) -> Option<&str> {
    text.match_indices(OPENS_WITH).find_map(|(start, _)| {
        let word = text[start + OPENS_WITH.len_utf8()..].trim_start_matches([' ', '\t']);
        word.get(..WORD.len()).filter(|word| word.eq_ignore_ascii_case(WORD))?;
        let line = text[start..].lines().next()?;
        let end = line.find(CLOSES).map_or(line.len(), |end| end + CLOSES.len_utf8());
        Some(prefix(line, end.min(SHOWN)))
    })
}

/// The first placeholder in `text`.
pub fn placeholder(text: &str) -> Option<&str> {
    text.match_indices(OPENS).find_map(|(start, _)| {
        let rest = text.get(start + OPENS.len()..)?;
        // Letter by letter: what closes one may be missing in all of a long text.
        let of_id = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_';
        let id = rest.bytes().take_while(of_id).count();
        let number = rest.get(id..)?.strip_prefix(':')?;
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        let end = start + OPENS.len() + id + 1 + digits + CLOSES.len_utf8();
        let is_one = id > 0 && digits > 0 && number.get(digits..)?.starts_with(CLOSES);
        if is_one { text.get(start..end) } else { None }
    })
}

#[cfg(test)]
pub(crate) use tests::repeated::beginnings;

#[cfg(test)]
mod tests;
