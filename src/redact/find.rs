//! Finds secrets: the vector search says where one could begin, a few comparisons say whether it does.

use std::{borrow::Cow, ops::Range, thread};

use aho_corasick::{
    AhoCorasick,
    packed::{self, Searcher},
};

use super::{
    keys::{end_of_private_key, private_key},
    rules::{CONTEXTS, Check, Class, KEY_BEGINS, KEY_ENDS, STAND_INS, TOKENS, Token},
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

/// How far behind a word its value may begin (`"api_key" :   "…"`).
const GAP: usize = 24;
/// The longest value of an assignment that is looked at.
const VALUE: usize = 256;
/// From how many bytes on a second thread is worth its start, which takes as long as a look through 200 KiB.
const LARGE: usize = 1 << 20;

/// The compiled rules.
pub(super) struct Finder {
    /// Each trigger once, and the tokens it stands for.
    triggers: Vec<(&'static str, Vec<&'static Token>)>,
    tokens: Search,
    contexts: Search,
}

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
        let mut triggers: Vec<(&'static str, Vec<&'static Token>)> = Vec::new();
        for token in TOKENS {
            match triggers.iter_mut().find(|(trigger, _)| *trigger == token.trigger) {
                Some((_, tokens)) => tokens.push(token),
                None => triggers.push((token.trigger, vec![token])),
            }
        }
        let words: Vec<&str> = triggers.iter().map(|(trigger, _)| *trigger).chain([KEY_BEGINS]).collect();
        Self { tokens: Search::new(&words), contexts: Search::new(CONTEXTS), triggers }
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
        self.tokens.each(looked_at, |word, start, end| match self.triggers.get(word) {
            Some((_, tokens)) => {
                spans.extend(tokens.iter().find_map(|token| token_at(text, token, from + start)));
            }
            None => private_key(text, from + start, from + end, spans),
        });
        self.contexts.each(looked_at, |word, start, end| {
            let end = from + end;
            let found = match CONTEXTS.get(word) {
                Some(&KEY_ENDS) => return end_of_private_key(text, from + start, end, spans),
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
                _ => assigned(text, end),
            };
            spans.extend(found);
        });
    }
}

/// Where a text that is worth two threads is cut: behind a line, for no trigger goes over its end.
fn middle(text: &str) -> Option<usize> {
    let half = text.len() / 2;
    let behind = text.as_bytes().get(half..).filter(|_| text.len() >= LARGE)?;
    Some(half + memchr::memchr(b'\n', behind)? + 1)
}

/// The token whose trigger stands at `hit`.
fn token_at(text: &str, token: &Token, hit: usize) -> Option<Span> {
    let start = hit.checked_sub(token.prefix.find(token.trigger)?)?;
    let bytes = text.as_bytes();
    if !bytes.get(start..)?.starts_with(token.prefix.as_bytes()) {
        return None;
    }
    if !begins(bytes.get(..start)?, token) {
        return None;
    }
    let body = start + token.prefix.len();
    let end = run(bytes, body, token.class, token.max + 1);
    let length = end - body;
    let fits = (token.min..=token.max).contains(&length) && holds(token.check, bytes.get(body..end)?);
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
fn run(bytes: &[u8], start: usize, class: Class, most: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    let mut length = rest.iter().take(most).take_while(|byte| class.has(**byte)).count();
    while length > 0 && rest.get(length - 1) == Some(&b'.') {
        length -= 1;
    }
    start + length
}

fn holds(check: Check, body: &[u8]) -> bool {
    match check {
        Check::None => true,
        Check::Digits => has_digits(body),
        Check::Mixed => {
            let (small, capital) = (u8::is_ascii_lowercase, u8::is_ascii_uppercase);
            has_digits(body) || (body.iter().any(small) && body.iter().any(capital))
        }
        Check::Jwt => {
            let mut parts = body.split(|byte| *byte == b'.');
            let (head, payload, signature) = (parts.next(), parts.next(), parts.next());
            head.is_some_and(|head| head.len() >= 8)
                && payload.is_some_and(|payload| payload.len() >= 8 && payload.starts_with(b"eyJ"))
                && signature.is_some_and(|signature| signature.len() >= 8)
                && parts.next().is_none()
        }
        Check::NoExample => !body.ends_with(b"EXAMPLE"),
    }
}

/// Letters, and at least two digits.
fn has_digits(body: &[u8]) -> bool {
    body.iter().filter(|byte| byte.is_ascii_digit()).count() >= 2 && body.iter().any(u8::is_ascii_alphabetic)
}

/// The password of `scheme://name:password@host`.
fn password_in_address(text: &str, after: usize) -> Option<Span> {
    let rest = text.get(after..)?;
    // Asked of every byte behind every `://`: a match compiles to a table, a search in a list does not.
    let stops = |byte: u8| {
        matches!(
            byte,
            b'/' | b'"'
                | b'\''
                | b'<'
                | b'>'
                | b'`'
                | b'('
                | b')'
                | b'{'
                | b'}'
                | b'['
                | b']'
                | b'$'
                | b'%'
                | b','
                | b';'
                | b'?'
                | b'#'
                | b'\\'
                | b' '
                | b'\t'
                | b'\n'
                | b'\r'
        )
    };
    let authority = rest.bytes().take(VALUE).position(stops).unwrap_or(rest.len().min(VALUE));
    let authority = rest.as_bytes().get(..authority)?;
    let at = authority.iter().rposition(|byte| *byte == b'@')?;
    let Some(colon) = authority.get(..at)?.iter().position(|byte| *byte == b':') else {
        let fits = is_token_as_name(authority.get(..at)?);
        return fits.then(|| Span::new(after, after + at, "token_in_url"));
    };
    let password = authority.get(colon + 1..at)?;
    let stands_in = STAND_INS.iter().any(|word| password.eq_ignore_ascii_case(word.as_bytes()));
    let is_blank = password.iter().all(|byte| matches!(byte, b'*' | b'x' | b'X' | b'.' | b'-'));
    (password.len() >= 4 && !stands_in && !is_blank)
        .then(|| Span::new(after + colon + 1, after + at, "password_in_url"))
}

/// `https://<token>@host`: long, random, and not the public key that Sentry's addresses begin with.
fn is_token_as_name(name: &[u8]) -> bool {
    let is_public_key = name.len() == 32 && name.iter().all(u8::is_ascii_hexdigit);
    name.len() >= 30
        && !is_public_key
        && name.iter().all(|byte| Class::Word.has(*byte))
        && has_digits(name)
        && entropy(name) >= 3.5
}

/// What follows `Authorization: Basic `.
fn basic(text: &str, after: usize) -> Option<Span> {
    let header = text.get(..after)?.strip_suffix("asic ")?.strip_suffix(['B', 'b'])?;
    let name = header.trim_end_matches([' ', ':', '"', '\'', '`', '=', '>', ',']).as_bytes();
    if !name.get(name.len().checked_sub(13)?..)?.eq_ignore_ascii_case(b"authorization") {
        return None;
    }
    let bytes = text.as_bytes();
    let of_base64 = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'+' | b'/' | b'=');
    let length = bytes.get(after..)?.iter().take(VALUE).take_while(of_base64).count();
    (length >= 8).then(|| Span::new(after, after + length, "basic_auth"))
}

/// A token whose beginning is too short to be looked for beside the others; `length` says how long its body is.
fn short_prefix(text: &str, after: usize, prefix: &str, length: fn(&[u8]) -> Option<Named>) -> Option<Span> {
    let bytes = text.as_bytes();
    let start = after - prefix.len();
    if bytes.get(..start)?.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
        return None;
    }
    let (length, id) = length(bytes.get(after..)?)?;
    Some(Span::new(start, after + length, id))
}

/// How long a body is, and what it is called.
type Named = (usize, &'static str);

/// 34 letters and digits, large and small.
fn hugging_face(rest: &[u8]) -> Option<Named> {
    let body = rest.get(..run(rest, 0, Class::Alnum, 35))?;
    let mixed = body.iter().any(u8::is_ascii_uppercase) && body.iter().any(u8::is_ascii_lowercase);
    (body.len() == 34 && mixed && rest.get(34) != Some(&b'_')).then_some((34, "hugging_face_token"))
}

/// 22 and 43, a full stop between them.
fn sendgrid(rest: &[u8]) -> Option<Named> {
    let (first, end) = (run(rest, 0, Class::Word, 23), run(rest, 23, Class::Word, 44));
    (first == 22 && rest.get(22) == Some(&b'.') && end == 66 && has_digits(rest.get(..66)?))
        .then_some((66, "sendgrid_key"))
}

/// `<number of the bot>:AA<33 more>`; the number is no secret.
fn telegram(text: &str, after: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let start = after - 2;
    let digits = bytes.get(..start - 1)?.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let end = run(bytes, start, Class::Word, 36);
    let fits = (8..=10).contains(&digits) && end - start == 35 && has_digits(bytes.get(start..end)?);
    fits.then(|| Span::new(start, end, "telegram_token"))
}

/// 80 letters and digits.
fn xai(rest: &[u8]) -> Option<Named> {
    let length = run(rest, 0, Class::Alnum, 81);
    (length == 80 && has_digits(&rest[..length])).then_some((length, "xai_key"))
}

/// 37 letters and digits.
fn replicate(rest: &[u8]) -> Option<Named> {
    let length = run(rest, 0, Class::Alnum, 38);
    (length == 37 && has_digits(&rest[..length])).then_some((length, "replicate_token"))
}

/// 40 hexadecimal digits.
fn supabase(rest: &[u8]) -> Option<Named> {
    (run(rest, 0, Class::Hex, 41) == 40).then_some((40, "supabase_token"))
}

/// `sk-<20>T3BlbkFJ<20>`, as its issuer gave them before they had other words in front.
fn early_openai(text: &str, after: usize) -> Option<Span> {
    const HALF: usize = 20;
    let bytes = text.as_bytes();
    let middle = after - "T3BlbkFJ".len();
    let start = middle.checked_sub("sk-".len() + HALF)?;
    let first = bytes.get(start..middle)?.strip_prefix(b"sk-")?;
    let is_whole = first.iter().all(u8::is_ascii_alphanumeric)
        && run(bytes, after, Class::Alnum, HALF + 1) == after + HALF
        && !bytes[..start].last().is_some_and(u8::is_ascii_alphanumeric);
    is_whole.then(|| Span::new(start, after + HALF, "openai_key"))
}

/// What follows `Bearer `.
fn bearer(text: &str, after: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let end = bytes
        .get(after..)?
        .iter()
        .take(4096)
        .take_while(|byte| Class::Base64.has(**byte) || matches!(byte, b'.' | b'~'))
        .count()
        + after;
    let token = bytes.get(after..end)?;
    (token.len() >= 20 && has_digits(token)).then(|| Span::new(after, end, "bearer_token"))
}

/// The value of `…secret… = "value"`: long, of random letters and digits, and no call of a function.
fn assigned(text: &str, after: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let name_end = run(bytes, after, Class::Word, 40);
    let gap = bytes.get(name_end..)?.iter().take(GAP);
    let gap_length = gap.take_while(|byte| b" \t\"'`:=>".contains(byte)).count();
    let between = bytes.get(name_end..name_end + gap_length)?;
    if !between.iter().any(|byte| matches!(byte, b'=' | b':')) {
        return None;
    }
    let start = name_end + gap_length;
    let end =
        bytes.get(start..)?.iter().take(VALUE).take_while(|byte| Class::Base64.has(**byte)).count() + start;
    let value = bytes.get(start..end)?;
    let quoted = between.last().is_some_and(|byte| b"\"'`".contains(byte));
    let next = bytes.get(end).copied();
    let ends_well = if quoted {
        next.is_some_and(|byte| b"\"'`".contains(&byte))
    } else {
        !next.is_some_and(|byte| b"([{.:<!?$".contains(&byte))
    };
    let is_secret = (20..VALUE).contains(&value.len()) && has_digits(value) && entropy(value) >= 3.5;
    (ends_well && is_secret).then(|| Span::new(start, end, "assigned_secret"))
}

/// Shannon's, in bits per byte: 3.5 and more for random text, less for words and numbers.
fn entropy(bytes: &[u8]) -> f64 {
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
