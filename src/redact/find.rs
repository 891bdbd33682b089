//! Finds secrets: the search for words says where one could begin, a few comparisons say whether it does.

use std::{borrow::Cow, ops::Range, thread};

mod encoded;
mod manifest;

use self::{encoded::encoded, manifest::Manifests};
use super::{
    address::{password_in_address, password_in_escaped_address, password_in_source},
    context::{
        assigned, assigned_behind, assigned_end, assigned_word, authorization, azure_secret, bearer,
        credential, identified, json_key, literal_argument, login, passed, password_or_folder, secret_key,
        secret_name, signature, token_name,
    },
    keys::{end_of_private_key, private_key, putty_key},
    random::is_random,
    rules::{CONTEXTS, Check, Class, Context, TOKENS, Token},
    runs::Runs,
    short::{
        early_openai, hugging_face, is_escape, replicate, sendgrid, short_prefix, supabase, telegram, xai,
    },
    words::{Word, Words},
};

/// A secret in a text: bytes, on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub start: usize,
    pub end: usize,
    pub id: Cow<'static, str>,
    /// Nothing tells of it here: it stands at another place, where something does.
    pub again: bool,
}

impl Span {
    pub(super) fn new(start: usize, end: usize, id: &'static str) -> Self {
        Self { start, end, id: Cow::Borrowed(id), again: false }
    }
}

/// From how many bytes on a second thread is worth its start, which takes as long as a look through 200 KiB.
const LARGE: usize = 1 << 20;

/// How much of a long token is looked at for what makes it one.
const LOOKED_AT: usize = 64;

/// The compiled rules.
pub(super) struct Finder {
    /// First those of [`CONTEXTS`], then the triggers.
    words: Words,
    triggers: Triggers,
}

/// Each trigger once, and the tokens it stands for, with how far behind their beginning it stands.
type Triggers = Vec<(&'static str, Vec<(&'static Token, usize)>)>;

impl Finder {
    pub(super) fn new() -> Self {
        let triggers = triggers(TOKENS);
        let contexts = CONTEXTS.iter().map(|(text, any_case, _)| Word { text, any_case: *any_case });
        let tokens = triggers.iter().map(|(text, _)| Word { text, any_case: false });
        Self { words: Words::new(contexts.chain(tokens)), triggers }
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
        // What tokens ask of a text goes forward by itself, and so does what names ask.
        let (mut token_runs, mut name_runs) = (Runs::new(text), Runs::new(text));
        let (mut tokens, mut named) = (Vec::new(), Vec::new());
        let (mut manifests, mut known) = (Manifests::new(text), 0..0);
        self.words.each(looked_at, |word, start, end| {
            let (start, end) = (from + start, from + end);
            let Some((_, _, context)) = CONTEXTS.get(word) else {
                let found = self.triggers.get(word - CONTEXTS.len()).and_then(|(_, tokens)| {
                    tokens.iter().find_map(|token| token_at(text, *token, start, &mut token_runs))
                });
                return add(&mut tokens, found);
            };
            let runs = &mut name_runs;
            let found = match context {
                Context::KeyBegins => return private_key(text, start, end, spans),
                Context::KeyEnds => return end_of_private_key(text, start, end, spans),
                Context::PuttyKey => return putty_key(text, end, spans),
                Context::Name => assigned(text, end, runs),
                Context::PassName => assigned_behind(text, start, end, "pa", runs),
                Context::TokenName => token_name(text, start, end, runs),
                Context::SecretName => {
                    manifests.find(start, end, spans);
                    secret_name(text, start, end, runs)
                }
                Context::StringData => return manifests.data(start, spans),
                Context::Encoded => return self.find_encoded(text, start, &mut known, spans),
                Context::Credential => credential(text, end, runs),
                Context::NameEnd => assigned_end(text, end, runs),
                Context::Word => assigned_word(text, start, end, runs),
                Context::Pass => passed(text, start, end, runs),
                Context::Literal => literal_argument(text, end),
                Context::WorkingFolder => password_or_folder(text, end, runs),
                Context::Identified => identified(text, end, runs),
                Context::Key => secret_key(text, start, end, runs),
                Context::JsonKey => json_key(text, end, runs),
                Context::Login => login(text, end, runs),
                Context::Authorization => authorization(text, end, runs),
                Context::Bearer => bearer(text, end),
                Context::Address => password_in_address(text, end),
                Context::EscapedAddress => password_in_escaped_address(text, start),
                Context::DataSource => password_in_source(text, start),
                Context::Signature => signature(text, end),
                Context::AzureSecret => azure_secret(text, end),
                Context::HuggingFace => short_prefix(text, end, "hf_", hugging_face),
                Context::SendGrid => short_prefix(text, end, "SG.", sendgrid),
                Context::Telegram => telegram(text, end),
                Context::EarlyOpenAi => early_openai(text, end),
                Context::XAi => short_prefix(text, end, "xai-", xai),
                Context::Replicate => short_prefix(text, end, "r8_", replicate),
                Context::Supabase => short_prefix(text, end, "sbp_", supabase),
            };
            add(&mut named, found);
            for found in runs.beside.drain(..) {
                add(&mut named, Some(found));
            }
        });
        spans.append(&mut tokens);
        spans.append(&mut named);
    }
}

impl Finder {
    /// A value in base64 is a secret where it says one.
    fn find_encoded(&self, text: &str, hit: usize, known: &mut Range<usize>, spans: &mut Vec<Span>) {
        let Some((value, plain)) = encoded(text, hit, known) else { return };
        let mut found = Vec::new();
        self.find_from(&plain, 0..plain.len(), &mut found);
        if !found.is_empty() {
            spans.push(Span::new(value.start, value.end, "encoded_secret"));
        }
    }
}

/// Adds a secret to those found. What begins in the last of them is a part of it, or one of another kind that goes further: of a long
/// run each piece may look like the beginning of a secret.
fn add(spans: &mut Vec<Span>, found: Option<Span>) {
    let Some(found) = found else { return };
    match spans.last_mut().filter(|last| (last.start..last.end).contains(&found.start)) {
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
/// (`\n`, `%20`, a colour), or the token is so long and so marked that no word holds it by chance.
fn begins(before: &[u8], token: &Token) -> bool {
    let is_marked = token.min >= 32 && token.prefix.contains(['_', '-']);
    match before {
        [] => true,
        [.., last] if !last.is_ascii_alphanumeric() => true,
        _ => is_marked || is_escape(before),
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
        Check::Random => {
            let near = body.start..body.end.min(body.start + LOOKED_AT);
            runs.has_digits(body) || bytes.get(near).is_some_and(is_random)
        }
        Check::Jwt => runs.three_parts(body).is_some_and(|parts| {
            parts.iter().all(|part| part.len() >= 8)
                && bytes.get(parts[1].clone()).is_some_and(|payload| payload.starts_with(b"eyJ"))
        }),
        Check::NoExample => !bytes.get(body).is_some_and(|body| body.ends_with(b"EXAMPLE")),
    }
}
