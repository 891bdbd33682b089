//! Finds secrets: the vector search says where one could begin, a few comparisons say whether it does.

use std::{borrow::Cow, ops::Range, thread};

use aho_corasick::{
    AhoCorasick,
    packed::{self, Searcher},
};

use super::{
    address::password_in_address,
    context::{assigned, azure_secret, basic, bearer, key_data, login, signature},
    keys::{end_of_private_key, private_key, putty_key},
    rules::{CONTEXTS, Check, Class, KEY_BEGINS, KEY_ENDS, MORE_TOKENS, PUTTY_KEY, TOKENS, Token},
    runs::Runs,
    short::{early_openai, hugging_face, replicate, sendgrid, short_prefix, supabase, telegram, xai},
};

/// A secret in a text: bytes, on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub start: usize,
    pub end: usize,
    pub id: Cow<'static, str>,
}

impl Span {
    pub(super) fn new(start: usize, end: usize, id: &'static str) -> Self {
        Self { start, end, id: Cow::Borrowed(id) }
    }
}

/// From how many bytes on a second thread is worth its start, which takes as long as a look through 200 KiB.
const LARGE: usize = 1 << 20;

/// The compiled rules.
pub(super) struct Finder {
    triggers: Triggers,
    tokens: Search,
    /// Those of the second search, which stand behind its words.
    more_triggers: Triggers,
    contexts: Search,
}

/// Each trigger once, and the tokens it stands for, with how far behind their beginning it stands.
type Triggers = Vec<(&'static str, Vec<(&'static Token, usize)>)>;

/// The vector search; where the processor has none, the automaton.
enum Search {
    Packed(Box<Searcher>),
    Automaton(Box<AhoCorasick>),
    Nothing,
}

impl Search {
    fn new(words: &[&str]) -> Self {
        let config = packed::Config::new();
        match config.builder().extend(words).build() {
            Some(searcher) => Self::Packed(Box::new(searcher)),
            None => AhoCorasick::new(words)
                .map_or(Self::Nothing, |automaton| Self::Automaton(Box::new(automaton))),
        }
    }

    /// Tells `found` of each word: which one, and where it begins and ends.
    fn each(&self, text: &str, mut found: impl FnMut(usize, usize, usize)) {
        match self {
            Self::Packed(searcher) => {
                for hit in searcher.find_iter(text) {
                    found(hit.pattern().as_usize(), hit.start(), hit.end());
                }
            }
            Self::Automaton(automaton) => {
                for hit in automaton.find_iter(text) {
                    found(hit.pattern().as_usize(), hit.start(), hit.end());
                }
            }
            Self::Nothing => {}
        }
    }
}

impl Finder {
    pub(super) fn new() -> Self {
        let (triggers, more_triggers) = (triggers(TOKENS), triggers(MORE_TOKENS));
        let of = |triggers: &Triggers| triggers.iter().map(|(trigger, _)| *trigger).collect::<Vec<_>>();
        Self {
            tokens: Search::new(&[of(&triggers), vec![KEY_BEGINS]].concat()),
            contexts: Search::new(&[CONTEXTS.to_vec(), of(&more_triggers)].concat()),
            triggers,
            more_triggers,
        }
    }

    /// All of them, in no order. A large text is looked through by two threads, each from the beginning or the middle on.
    pub(super) fn find(&self, text: &str, spans: &mut Vec<Span>) {
        let Some(middle) = middle(text) else { return self.find_from(text, 0..text.len(), spans) };
        thread::scope(|scope| {
            let second = || {
                let mut spans = Vec::new();
                self.find_from(text, middle..text.len(), &mut spans);
                spans
            };
            let helper = thread::Builder::new().spawn_scoped(scope, second);
            self.find_from(text, 0..middle, spans);
            // Without a second thread, or where it came to grief, this one does its part: nothing is shown unlooked at.
            spans.extend(helper.ok().and_then(|helper| helper.join().ok()).unwrap_or_else(second));
        });
    }

    /// Those whose beginning stands in `part`; what belongs to it may go on behind.
    pub(super) fn find_from(&self, text: &str, part: Range<usize>, spans: &mut Vec<Span>) {
        let from = part.start;
        let looked_at = text.get(part).unwrap_or_default();
        let (first, mut runs) = (spans.len(), Runs::new(text));
        self.tokens.each(looked_at, |word, start, end| match self.triggers.get(word) {
            Some((_, tokens)) => {
                let found = tokens.iter().find_map(|token| token_at(text, *token, from + start, &mut runs));
                add(spans, first, found);
            }
            None => private_key(text, from + start, from + end, spans),
        });
        let (first, mut runs) = (spans.len(), Runs::new(text));
        self.contexts.each(looked_at, |word, start, end| {
            let end = from + end;
            let found = match CONTEXTS.get(word) {
                Some(&KEY_ENDS) => return end_of_private_key(text, from + start, end, spans),
                Some(&PUTTY_KEY) => return putty_key(text, end, spans),
                Some(&"://") => password_in_address(text, end),
                Some(&"earer ") => bearer(text, end),
                Some(&"asic ") => basic(text, end),
                Some(&"hf_") => short_prefix(text, end, "hf_", hugging_face),
                Some(&"SG.") => short_prefix(text, end, "SG.", sendgrid),
                Some(&":AA") => telegram(text, end),
                Some(&"T3BlbkFJ") => early_openai(text, end),
                Some(&"xai-") => short_prefix(text, end, "xai-", xai),
                Some(&"r8_") => short_prefix(text, end, "r8_", replicate),
                Some(&"sbp_") => short_prefix(text, end, "sbp_", supabase),
                Some(&"_auth" | &"\"auth") => login(text, end, &mut runs),
                Some(&"key-data") => key_data(text, end, &mut runs),
                Some(&"sig=") => signature(text, end),
                Some(&"8Q~" | &"7Q~") => azure_secret(text, end),
                Some(_) => assigned(text, end, &mut runs),
                None => self.more_triggers.get(word - CONTEXTS.len()).and_then(|(_, tokens)| {
                    tokens.iter().find_map(|token| token_at(text, *token, from + start, &mut runs))
                }),
            };
            add(spans, first, found);
        });
    }
}

/// Adds a secret to those found from number `first` on. What begins in the last of them is a part of it, or one of another kind that
/// goes further: of a long run each piece may look like the beginning of a secret.
fn add(spans: &mut Vec<Span>, first: usize, found: Option<Span>) {
    let Some(found) = found else { return };
    let last = spans.get_mut(first..).and_then(<[_]>::last_mut);
    match last.filter(|last| (last.start..last.end).contains(&found.start)) {
        Some(last) if found.end <= last.end => {}
        Some(last) if found.id == last.id => last.end = found.end,
        _ => spans.push(found),
    }
}

fn triggers(tokens: &'static [Token]) -> Triggers {
    let mut triggers = Triggers::new();
    for token in tokens {
        let Some(offset) = token.prefix.find(token.trigger) else { continue };
        match triggers.iter_mut().find(|(trigger, _)| *trigger == token.trigger) {
            Some((_, tokens)) => tokens.push((token, offset)),
            None => triggers.push((token.trigger, vec![(token, offset)])),
        }
    }
    triggers
}

/// Where a text that is worth two threads is cut: behind a line, for no trigger goes over its end.
fn middle(text: &str) -> Option<usize> {
    let half = text.len() / 2;
    let behind = text.as_bytes().get(half..).filter(|_| text.len() >= LARGE)?;
    Some(half + memchr::memchr(b'\n', behind)? + 1)
}

/// The token whose trigger stands at `hit`.
fn token_at(text: &str, (token, offset): (&Token, usize), hit: usize, runs: &mut Runs<'_>) -> Option<Span> {
    let start = hit.checked_sub(offset)?;
    let bytes = text.as_bytes();
    if !bytes.get(start..)?.starts_with(token.prefix.as_bytes()) {
        return None;
    }
    if !begins(bytes.get(..start)?, token) {
        return None;
    }
    let body = start + token.prefix.len();
    let end = runs.end(token.class, body, token.max + 1);
    let fits = (token.min..=token.max).contains(&(end - body)) && holds(token.check, bytes, body..end, runs);
    let from = if token.keeps_prefix { body } else { start };
    fits.then(|| Span::new(from, end, token.id))
}

/// True when a token may begin behind `before`. In the middle of a longer word there is none, unless the word ends with an escape
/// (`\n`, `%20`, `\u0020`), or the token is so long and so marked that no word holds it by chance.
fn begins(before: &[u8], token: &Token) -> bool {
    let is_marked = token.min >= 32 && token.prefix.contains(['_', '-']);
    let digits = |text: &[u8]| text.iter().all(u8::is_ascii_hexdigit);
    match before {
        [.., last] if !last.is_ascii_alphanumeric() => true,
        [] | [.., b'\\', b'n' | b'r' | b't' | b'f' | b'b'] => true,
        [.., b'%', first, second] | [.., b'\\', b'x', first, second] if digits(&[*first, *second]) => true,
        [.., b'\\', b'u', first, second, third, fourth] if digits(&[*first, *second, *third, *fourth]) => {
            true
        }
        _ => is_marked,
    }
}

/// Where the run of `class` that begins at `start` ends, after `most` bytes at the latest; a full stop behind it is no part.
pub(super) fn run(bytes: &[u8], start: usize, class: Class, most: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    let mut length = rest.iter().take(most).take_while(|byte| class.has(**byte)).count();
    while length > 0 && rest.get(length - 1) == Some(&b'.') {
        length -= 1;
    }
    start + length
}

fn holds(check: Check, bytes: &[u8], body: Range<usize>, runs: &mut Runs<'_>) -> bool {
    match check {
        Check::None => true,
        Check::Digits => runs.has_digits(body),
        Check::Mixed => runs.has_digits(body.clone()) || runs.has_both_cases(body),
        Check::Jwt => runs.three_parts(body).is_some_and(|parts| {
            parts.iter().all(|part| part.len() >= 8)
                && bytes.get(parts[1].clone()).is_some_and(|payload| payload.starts_with(b"eyJ"))
        }),
        Check::NoExample => !bytes.get(body).is_some_and(|body| body.ends_with(b"EXAMPLE")),
    }
}

/// Letters, and at least two digits.
pub(super) fn has_digits(body: &[u8]) -> bool {
    body.iter().filter(|byte| byte.is_ascii_digit()).count() >= 2 && body.iter().any(u8::is_ascii_alphabetic)
}

/// Shannon's, in bits per byte: 3.5 and more for random text, less for words and numbers.
pub(super) fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total = bytes.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / total;
            -share * share.log2()
        })
        .sum()
}
