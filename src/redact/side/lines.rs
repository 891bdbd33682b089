//! What stands in front of the lines of differences, merges and blames, and which of them are no text.

/// The shortest name of a commit in front of the lines that it wrote.
const COMMIT: usize = 7;
/// The longest name of a file in front of a line, and how far what else stands there is looked at.
const NAME: usize = 300;
/// How far in a line a part of a difference may begin.
const COLUMN: usize = 64;

/// What a tool writes in front of each line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Front {
    None,
    /// Its number, and one of these.
    Number(&'static [u8]),
    /// The name of its file, and its number between two `:` or `-`.
    Name,
}

impl Front {
    const ALL: [Self; 5] =
        [Self::None, Self::Number(b"|"), Self::Number(b"\t"), Self::Number(b":-"), Self::Name];

    /// How much of a line it is.
    pub(super) fn length(self, line: &[u8]) -> usize {
        match self {
            Self::None => 0,
            Self::Number(signs) => {
                let blanks = line.iter().take(COLUMN).take_while(|byte| **byte == b' ').count();
                let rest = line.get(blanks..).unwrap_or_default();
                let digits = digits(rest);
                let is_one = digits > 0 && rest.get(digits).is_some_and(|sign| signs.contains(sign));
                if is_one { blanks + digits + 1 } else { 0 }
            }
            Self::Name => named(line).map_or(0, |(_, end)| end),
        }
    }

    /// What stands in front of something that begins a line but for that, and for a graph or the signs of a difference.
    pub(super) fn of_line_at(bytes: &[u8], at: usize) -> Option<Self> {
        let near = bytes.get(at.saturating_sub(NAME)..at)?;
        let start = match memchr::memrchr(b'\n', near) {
            Some(end) => end + 1,
            None if near.len() == at => 0,
            None => return None,
        };
        let before = near.get(start..)?;
        let is_graph = |front: &Self| {
            let rest = before.get(front.length(before)..).unwrap_or_default();
            (*front == Self::None || rest.len() < before.len())
                && rest.iter().all(|byte| of_graph(*byte) || matches!(byte, b'+' | b'@'))
        };
        Self::ALL.into_iter().find(is_graph)
    }

    /// What may stand in front of a line, and the rest of it.
    fn each(line: &[u8]) -> impl Iterator<Item = (Self, &[u8])> {
        let is_numbered = line.trim_ascii_start().first().is_some_and(u8::is_ascii_digit);
        let may_be = move |front: &Self| is_numbered || !matches!(front, Self::Number(_));
        Self::ALL.into_iter().filter(may_be).filter_map(move |front| {
            let length = front.length(line);
            (length > 0 || front == Self::None).then(|| (front, line.get(length..).unwrap_or_default()))
        })
    }
}

/// What the first lines of a text tell of it, and what stands in front of them.
#[derive(Debug, Default)]
pub(super) struct First {
    pub blame: Option<Front>,
    /// It says which lines follow.
    pub command: Option<Front>,
    /// Two lines follow each other: their numbers do, behind the same name of a file.
    pub numbered: Option<Front>,
}

impl First {
    pub(super) fn of<'t>(lines: impl Iterator<Item = &'t [u8]>) -> Self {
        let mut first = Self::default();
        let mut last: Option<(&[u8], u32)> = None;
        for line in lines {
            for (front, rest) in Front::each(line) {
                let may_tell =
                    |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b'^' | b'n' | b'*' | b'-');
                if !rest.first().is_some_and(may_tell) {
                    continue;
                }
                if first.blame.is_none() && blame(rest).is_some() {
                    first.blame = Some(front);
                }
                if first.command.is_none() && (command(rest) || context(rest)) {
                    first.command = Some(front);
                }
            }
            let next = numbered(line);
            if let (Some((name, number)), Some((next, second))) = (last, next)
                && name == next
                && second == number + 1
            {
                let front = if name.is_empty() { Front::Number(b":-") } else { Front::Name };
                first.numbered = first.numbered.or(Some(front));
            }
            last = next;
        }
        first
    }
}

/// The name of a file in front of a line, which may be missing, and the number of the line.
fn numbered(line: &[u8]) -> Option<(&[u8], u32)> {
    let number = digits(line);
    let (name, number) = if number > 0 && matches!(line.get(number), Some(b':' | b'-')) {
        (0, 0..number)
    } else {
        named(line).map(|(name, end)| (name, name + 1..end - 1))?
    };
    let number = std::str::from_utf8(line.get(number)?).ok()?;
    Some((line.get(..name)?, number.parse().ok()?))
}

/// Where the name of a file ends that stands in front of a line, and where the line begins. A name with a blank is none here: nearly all
/// lines of a text have one.
fn named(line: &[u8]) -> Option<(usize, usize)> {
    let near = line.get(..NAME).unwrap_or(line);
    let near = near.get(..memchr::memchr2(b' ', b'\t', near).unwrap_or(near.len()))?;
    memchr::memchr2_iter(b':', b'-', near).skip_while(|at| *at == 0).find_map(|at| {
        let rest = line.get(at + 1..)?;
        let digits = digits(rest);
        let closes = rest.get(digits).filter(|sign| digits > 0 && line.get(at) == Some(sign));
        closes.map(|_| (at, at + 1 + digits + 1))
    })
}

fn digits(text: &[u8]) -> usize {
    text.iter().take(9).take_while(|byte| byte.is_ascii_digit()).count()
}

fn of_graph(byte: u8) -> bool {
    b"|*/\\_ >".contains(&byte)
}

/// How a part of a difference begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// Where its lines begin: a graph may stand in front.
    pub column: usize,
    /// How many signs each of its lines has.
    signs: usize,
}

/// `@@ -1,3 +1,3 @@`, `@@@ -1,3 -1,3 +1,5 @@@`.
pub(super) fn header(line: &[u8]) -> Option<Header> {
    let column = line.iter().take(COLUMN).take_while(|byte| of_graph(**byte)).count();
    let rest = line.get(column..)?;
    let count = rest.iter().take(9).take_while(|byte| **byte == b'@').count();
    let is_one = count >= 2 && rest.get(count..)?.starts_with(b" -");
    is_one.then(|| Header { column, signs: count - 1 })
}

impl Header {
    /// The signs of a line of that part, none of an empty one; nothing of a line that is none of its.
    pub(super) fn signs(self, line: &[u8]) -> Option<&[u8]> {
        let plain = line.trim_ascii_end();
        let front = plain.get(..self.column.min(plain.len()))?;
        if !front.iter().all(|byte| of_graph(*byte)) {
            return None;
        }
        let signs = plain.get(self.column..).unwrap_or_default();
        let signs = signs.get(..self.signs).unwrap_or_default();
        let is_one = signs.iter().all(|sign| matches!(sign, b' ' | b'+' | b'-'));
        let is_remark = signs.starts_with(b"\\");
        if is_remark { Some(&[]) } else { is_one.then_some(signs) }
    }
}

/// `12c12`, `3,5d2`: what `diff` writes without options.
pub(super) fn command(line: &[u8]) -> bool {
    let range = |text: &[u8]| {
        let mut at = digits(text);
        if at > 0 && text.get(at) == Some(&b',') {
            let more = digits(text.get(at + 1..).unwrap_or_default());
            at = if more > 0 { at + 1 + more } else { 0 };
        }
        at
    };
    let line = line.trim_ascii_end();
    let first = range(line);
    let Some((b'a' | b'c' | b'd', rest)) = line.get(first..).and_then(<[u8]>::split_first) else {
        return false;
    };
    let second = range(rest);
    first > 0 && second > 0 && second == rest.len()
}

/// `*** 1,5 ****` and `--- 1,6 ----`, each in front of the lines of one file.
pub(super) fn context(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let inside = |opens: &[u8], closes: &[u8]| line.strip_prefix(opens)?.strip_suffix(closes);
    let range = inside(b"*** ", b" ****").or_else(|| inside(b"--- ", b" ----"));
    range.is_some_and(|range| {
        !range.is_empty() && range.iter().all(|byte| byte.is_ascii_digit() || *byte == b',')
    })
}

/// A text of a merge that is not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merge {
    Ours,
    Base,
    Theirs,
}

/// Which text follows a line that tells of one, or that the merge is over.
#[expect(clippy::option_option, reason = "a line may tell nothing, or that the merge is over")]
pub(super) fn merge(line: &[u8], within: Option<Merge>) -> Option<Option<Merge>> {
    let (mark, rest) = line.split_at_checked(7)?;
    if !matches!(rest.first(), None | Some(b' ' | b'\n' | b'\r')) {
        return None;
    }
    match mark {
        b"<<<<<<<" => Some(Some(Merge::Ours)),
        b"|||||||" if within.is_some() => Some(Some(Merge::Base)),
        b"=======" if within.is_some() => Some(Some(Merge::Theirs)),
        b">>>>>>>" if within.is_some() => Some(None),
        _ => None,
    }
}

/// A line of a blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blame {
    /// It tells of a commit.
    Commit,
    /// The same, and more lines do so up to the text.
    Facts,
    /// It begins so far in the line.
    Line(usize),
}

/// `1f3a9c0b12 2026-01-31 Ann: what was done` is what our tool writes, `1f3a9c0b12 (Ann 2026-01-31 10:00:00 +0100 12) text` or
/// `1f3a9c0b12 12) text` what git does, and of its form for programs the first line, and what begins with a tabulator.
pub(super) fn blame(line: &[u8]) -> Option<Blame> {
    if line.starts_with(b"not committed yet") {
        return Some(Blame::Commit);
    }
    if line.starts_with(b"\t") {
        return Some(Blame::Line(1));
    }
    let mark = usize::from(line.starts_with(b"^"));
    let id = line.iter().skip(mark).take(64).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let rest = line.get(mark + id..)?;
    if id < COMMIT || !matches!(rest.first(), Some(b' ' | b'\t')) {
        return None;
    }
    if rest.get(..12).is_some_and(|day| is_day(day, b" 0000-00-00 ")) {
        return Some(Blame::Commit);
    }
    let near = rest.get(..NAME).unwrap_or(rest);
    let is_number = |byte: &u8| byte.is_ascii_digit() || *byte == b' ';
    if id >= 40 && near.trim_ascii().iter().all(is_number) {
        return Some(Blame::Facts);
    }
    let blanks = near.iter().take_while(|byte| **byte == b' ').count();
    let number = digits(near.get(blanks..)?);
    if number > 0 && near.get(blanks + number) == Some(&b')') {
        let end = mark + id + blanks + number + 1;
        return Some(Blame::Line(end + usize::from(line.get(end) == Some(&b' '))));
    }
    let open = memchr::memchr(b'(', near)?;
    let day = near
        .get(open..)?
        .windows(12)
        .position(|day| is_day(day, b" 0000-00-00 ") || is_day(day, b"\t0000-00-00 "))?;
    let close = memchr::memchr(b')', near.get(open + day..)?)?;
    let end = mark + id + open + day + close + 1;
    Some(Blame::Line(end + usize::from(line.get(end) == Some(&b' '))))
}

fn is_day(text: &[u8], form: &[u8]) -> bool {
    text.len() == form.len()
        && text.iter().zip(form).all(|(byte, wanted)| match wanted {
            b'0' => byte.is_ascii_digit(),
            _ => byte == wanted,
        })
}
