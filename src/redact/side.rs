//! A text as it reads where something between is left out: the new side of a difference and the old one, each side of a merge, the
//! file of a blame. There a value may stand below its name, though something else stands between them here. Our own tools and others
//! print such texts with numbers, names of files, a graph or colours in front of each line: those are left out, too.

mod lines;

use memchr::memmem;

use self::lines::{Blame, First, Front, Header, Merge, blame, command, context, header, merge};
use super::{colour, find::Span};

/// How a part of a difference begins.
const PART: &[u8] = b"@@ -";
/// The same of one that compares with two texts.
const COMBINED: &[u8] = b"@@@ -";
/// How the first side of a merge begins, and what stood there before both.
const OURS: &[u8] = b"<<<<<<<";
const BASE: &[u8] = b"|||||||";
/// Between two words of which one took the place of the other.
const WORDS: &[u8] = b"-]{+";
/// How many lines may stand in front of a blame, or of a difference without context.
const FIRST: usize = 8;

/// A text without some of its parts.
#[derive(Debug, Default)]
pub(super) struct Side {
    pub text: String,
    /// Where its pieces begin, there and here.
    pieces: Vec<(usize, usize)>,
}

impl Side {
    /// Adds what stands at `at` in the whole text.
    pub(super) fn push(&mut self, part: &str, at: usize) {
        if part.is_empty() {
            return;
        }
        let goes_on = self.pieces.last().is_some_and(|(own, here)| self.text.len() - own + here == at);
        if !goes_on {
            self.pieces.push((self.text.len(), at));
        }
        self.text.push_str(part);
    }

    /// The same span in the whole text.
    fn back(&self, span: Span) -> Option<Span> {
        let here = |at: usize| {
            let piece = self.pieces.partition_point(|(own, _)| *own <= at).checked_sub(1)?;
            let (own, here) = self.pieces.get(piece)?;
            Some(at - own + here)
        };
        Some(Span { start: here(span.start)?, end: here(span.end.checked_sub(1)?)? + 1, ..span })
    }
}

/// A side, and what finds its spans in the whole text.
type Found<'f> = dyn FnMut(&Side, &dyn Fn(Span) -> Option<Span>) + 'f;

/// All sides that a text has beside itself; most have none.
pub(super) fn each(text: &str, found: &mut Found<'_>) {
    let plain = colour::without(text);
    // What is one line there is one here.
    let on_one_line = |span: &Span| !text.get(span.start..span.end).is_none_or(|part| part.contains('\n'));
    let uncoloured = |span: Span| match &plain {
        Some(plain) => plain.back(span),
        None => Some(span),
    };
    if let Some(plain) = &plain {
        found(plain, &|span| plain.back(span).filter(on_one_line));
    }
    let text = plain.as_ref().map_or(text, |plain| &plain.text);
    let Some(sides) = Sides::of(text) else { return };
    for kept in &sides.kept {
        let side = match kept {
            Kept::Word(is_new) => words(text, sides.front, *is_new),
            Kept::New(_) | Kept::Old(_) => sides.side(text, *kept),
        };
        if side.text.len() < text.len() {
            found(&side, &|span| side.back(span).and_then(uncoloured).filter(on_one_line));
        }
    }
}

/// What is not left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    /// What was written; of a merge that is not done, this one of its texts.
    New(Merge),
    /// What stood there before, in this one of the texts that are compared with.
    Old(usize),
    /// The new words of a difference of words, or the old ones.
    Word(bool),
}

/// Which sides there are.
struct Sides {
    /// What stands in front of each line.
    front: Front,
    is_blame: bool,
    kept: Vec<Kept>,
}

impl Sides {
    /// Nothing where no line would be left out.
    fn of(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let has = |part: &[u8]| memmem::find(bytes, part).is_some();
        let front_of =
            |part: &[u8]| memmem::find_iter(bytes, part).find_map(|at| Front::of_line_at(bytes, at));
        let part = front_of(PART);
        let merge = front_of(OURS);
        let First { blame, command, numbered } = First::of(text.split('\n').take(FIRST).map(str::as_bytes));
        let front = part.or(merge).or(blame).or(command).or(numbered)?;
        let mut kept = vec![Kept::New(Merge::Ours)];
        if merge.is_some() {
            kept.push(Kept::New(Merge::Theirs));
            if has(BASE) {
                kept.push(Kept::New(Merge::Base));
            }
        }
        if part.is_some() || command.is_some() {
            kept.push(Kept::Old(0));
            if has(COMBINED) {
                kept.push(Kept::Old(1));
            }
            if has(WORDS) {
                kept.extend([Kept::Word(true), Kept::Word(false)]);
            }
        }
        Some(Self { front, is_blame: blame.is_some(), kept })
    }

    fn side(&self, text: &str, kept: Kept) -> Side {
        let mut side = Side::default();
        let mut state = State::default();
        let (mut at, mut in_facts) = (0, false);
        for line in text.split_inclusive('\n') {
            let mut front = self.front.length(line.as_bytes());
            let rest = line.as_bytes().get(front..).unwrap_or_default();
            let blame = blame(rest).filter(|_| self.is_blame);
            in_facts = blame.map_or(in_facts, |blame| blame == Blame::Facts);
            let content = match blame {
                Some(Blame::Line(length)) => Some(length),
                Some(Blame::Commit | Blame::Facts) => None,
                None if in_facts => None,
                None => state.content(rest, kept),
            };
            if let Some(length) = content {
                front += length;
                side.push(line.get(front..).unwrap_or(line), at + front.min(line.len()));
            }
            at += line.len();
        }
        side
    }
}

/// What the lines stand in that are read.
#[derive(Default)]
struct State {
    part: Option<Header>,
    /// In a difference without context, or in one that has both files one below the other.
    plain: bool,
    context: bool,
    merge: Option<Merge>,
}

impl State {
    /// Where the text of a line begins; nothing of one that is left out.
    fn content(&mut self, line: &[u8], kept: Kept) -> Option<usize> {
        if let Some(header) = header(line) {
            *self = Self { part: Some(header), ..Self::default() };
            return Some(0);
        }
        if command(line) {
            *self = Self { plain: true, ..Self::default() };
            return Some(0);
        }
        if context(line) {
            *self = Self { context: true, ..Self::default() };
            return Some(0);
        }
        let mut length = 0;
        if let Some(part) = self.part {
            match part.signs(line) {
                Some(signs) => {
                    let is_kept = match kept {
                        Kept::Old(text) => {
                            signs.get(text) == Some(&b'-') || signs.iter().all(|sign| *sign == b' ')
                        }
                        _ => !signs.contains(&b'-'),
                    };
                    if !is_kept {
                        return None;
                    }
                    length = if signs.is_empty() { 0 } else { part.column + signs.len() };
                }
                None => self.part = None,
            }
        }
        if self.plain {
            let is_old = matches!(kept, Kept::Old(_));
            match line {
                [sign @ (b'<' | b'>'), b' ', ..] => {
                    return ((*sign == b'<') == is_old).then_some(2);
                }
                [b'<' | b'>', ..]
                | [b'\\', b' ', ..]
                | [b'-', b'-', b'-']
                | [b'-', b'-', b'-', b'\n' | b'\r', ..] => {
                    return None;
                }
                _ => self.plain = false,
            }
        }
        if self.context {
            match line {
                [b' ' | b'+' | b'-' | b'!', b' ', ..] => return Some(2),
                _ => self.context = false,
            }
        }
        let Kept::New(own) = kept else { return Some(length) };
        if let Some(next) = merge(line.get(length..).unwrap_or_default(), self.merge) {
            self.merge = next;
            return None;
        }
        self.merge.is_none_or(|merge| merge == own).then_some(length)
    }
}

/// The text with the new words alone, or with the old ones: `[-old-]{+new+}`.
fn words(text: &str, front: Front, is_new: bool) -> Side {
    let mut side = Side::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bytes = line.as_bytes();
        let mut end = front.length(bytes);
        for open in memchr::memchr2_iter(b'[', b'{', bytes) {
            let (closes, is_added) = match bytes.get(open..open + 2) {
                Some(b"[-") => (b"-]", false),
                Some(b"{+") => (b"+}", true),
                _ => continue,
            };
            if open < end {
                continue;
            }
            // What is not closed in its line is none, and so is all that follows.
            let inside = bytes.get(open + 2..).unwrap_or_default();
            let Some(length) = memmem::find(inside, closes) else { break };
            side.push(line.get(end..open).unwrap_or_default(), at + end);
            if is_added == is_new {
                side.push(line.get(open + 2..open + 2 + length).unwrap_or_default(), at + open + 2);
            }
            end = open + 2 + length + 2;
        }
        side.push(line.get(end..).unwrap_or_default(), at + end);
        at += line.len();
    }
    side
}
