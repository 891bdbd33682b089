//! Secrets that stand once more where nothing tells of them: behind an option, in an address, in an error. What a text tells of
//! one place holds for all of its places, and for those of the other texts of the same result.

use std::{borrow::Cow, collections::HashMap, ops::Range};

use super::{
    OPENS_WITH,
    context::is_pattern,
    find::Span,
    random::{
        changes, entropy, in_words, is_constant, is_key, is_name, is_path, is_short_key, is_strong,
        reads_as_words,
    },
    short::is_escape,
};

/// The shortest and the longest that are looked for. What is shorter may be anything, and what is longer is known by itself.
const LEAST: usize = 12;
const MOST: usize = 4096;
/// How many are looked for: a file of secrets has some dozen.
const SECRETS: usize = 400;
/// By so many bytes one is looked up; by the first four of them it is seen that none begins at a place.
const START: usize = 8;
/// Bits of the table of those four.
const TABLE_BITS: u32 = 12;
/// How much is compared, in bytes for each byte of a text: those that begin alike may stand there in thousands.
const COMPARED: usize = 64;

/// The secrets of a result that no chance has made.
#[derive(Debug, Default)]
pub(super) struct Again {
    /// By their first bytes, each the longest first.
    by_start: HashMap<[u8; START], Vec<Known>>,
    /// Which first four bytes there are; empty without any.
    table: Vec<bool>,
    count: usize,
}

#[derive(Debug)]
struct Known {
    secret: Box<[u8]>,
    id: Cow<'static, str>,
}

impl Again {
    /// Remembers what was found, the longest first where it is too much.
    pub(super) fn add(&mut self, text: &str, found: &[Span]) {
        if self.count >= SECRETS || found.is_empty() {
            return;
        }
        let mut new: Vec<_> = found
            .iter()
            // A key of many lines is known by itself, and each of its lines by what stands around it.
            .filter(|span| span.id != "private_key" && (LEAST..=MOST).contains(&(span.end - span.start)))
            .filter_map(|span| Some((text.get(span.start..span.end)?, &span.id)))
            .collect();
        new.sort_by(|(one, _), (other, _)| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        new.dedup_by_key(|(secret, _)| *secret);
        for (secret, id) in new {
            if self.count < SECRETS && is_own(secret) {
                self.remember(secret.as_bytes(), id.clone());
            }
        }
    }

    fn remember(&mut self, secret: &[u8], id: Cow<'static, str>) {
        let Some(start) = secret.first_chunk::<START>() else { return };
        let alike = self.by_start.entry(*start).or_default();
        if alike.iter().any(|known| *known.secret == *secret) {
            return;
        }
        let place = alike.partition_point(|known| known.secret.len() > secret.len());
        alike.insert(place, Known { secret: secret.into(), id });
        self.table.resize(1 << TABLE_BITS, false);
        let [first, second, third, fourth, ..] = *start;
        if let Some(entry) = self.table.get_mut(entry([first, second, third, fourth])) {
            *entry = true;
        }
        self.count += 1;
    }

    /// All places of them, in their order.
    pub(super) fn find(&self, text: &str, spans: &mut Vec<Span>) {
        if self.table.is_empty() {
            return;
        }
        let bytes = text.as_bytes();
        let (mut behind, mut left) = (0, bytes.len().saturating_mul(COMPARED).saturating_add(1 << 20));
        for (at, four) in bytes.windows(4).enumerate() {
            let [first, second, third, fourth] = *four else { continue };
            if !self.table[entry([first, second, third, fourth])] || at < behind {
                continue;
            }
            let Some((range, id)) = self.at(bytes, at, &mut left) else { continue };
            behind = range.end;
            spans.push(Span { start: range.start, end: range.end, id: id.clone(), again: true });
        }
    }

    /// The longest that stands at a place as a whole.
    fn at(&self, bytes: &[u8], at: usize, left: &mut usize) -> Option<(Range<usize>, &Cow<'static, str>)> {
        let rest = bytes.get(at..)?;
        let alike = self.by_start.get(rest.first_chunk::<START>()?)?;
        if !begins(bytes, at) {
            return None;
        }
        alike.iter().find_map(|known| {
            *left = left.checked_sub(known.secret.len())?;
            let end = at + known.secret.len();
            (rest.starts_with(&known.secret) && ends(bytes, end)).then_some((at..end, &known.id))
        })
    }
}

fn entry(bytes: [u8; 4]) -> usize {
    (u32::from_le_bytes(bytes).wrapping_mul(0x9e37_79b1) >> (u32::BITS - TABLE_BITS)) as usize
}

/// True where no word goes on, but for an option of one letter (`mysql -p…`) and what stands for another sign (`\n`).
fn begins(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    let is_word = bytes.get(at).is_some_and(u8::is_ascii_alphanumeric)
        && before.last().is_some_and(u8::is_ascii_alphanumeric);
    let is_option = || match before {
        [b'-', letter] => letter.is_ascii_alphabetic(),
        [.., front, b'-', letter] => letter.is_ascii_alphabetic() && !front.is_ascii_alphanumeric(),
        _ => false,
    };
    !is_word || is_option() || is_escape(before)
}

fn ends(bytes: &[u8], end: usize) -> bool {
    let is_word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    !(is_word(end) && is_word(end - 1))
}

/// True for what is this secret wherever it stands: no word, no name, and made by no person.
fn is_own(secret: &str) -> bool {
    let bytes = secret.as_bytes();
    let is_made =
        is_strong(bytes) || is_short_key(bytes) || is_key(bytes) || bytes.len() < 16 && is_mixed(bytes);
    // `rt2500usb_config_key`: what joins words is no accident.
    let is_joined = secret.contains(['_', '-', '.', '/']) && in_words(bytes) * 2 >= bytes.len();
    is_made
        && !is_joined
        && !secret.contains(['\n', '\r', OPENS_WITH])
        && !reads_as_words(bytes)
        && !is_name(bytes)
        && !is_constant(bytes)
        && !is_path(bytes)
        && !is_pattern(bytes)
}

/// True for a short one of small letters, capitals and digits that take turns.
fn is_mixed(bytes: &[u8]) -> bool {
    let has = |of: fn(&u8) -> bool| bytes.iter().any(of);
    has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
        && changes(bytes) * 5 >= bytes.len() * 2
        && entropy(bytes) >= 3.0
}
