//! The names in a unified diff: prefixes, quotes, times. Pure.

/// What git puts in front of both names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Prefixes {
    /// Nothing (`--no-prefix`).
    None,
    /// `a/` and `b/`, or by what is compared (`diff.mnemonicPrefix`), or what somebody chose (`--src-prefix`).
    Of(String, String),
}

/// The name of `diff --git a/x b/x`, and what stands in front of it: for a file whose content does not change it stands nowhere else.
pub(super) fn git_names(text: &str) -> Option<(Prefixes, String)> {
    let (old, new) = if text.starts_with('"') {
        let (old, rest) = quoted(text)?;
        (old, unquoted(rest.strip_prefix(' ')?))
    } else {
        let cut = text.len() / 2;
        let are_one = text.as_bytes().get(cut) == Some(&b' ') && text.get(..cut) == text.get(cut + 1..);
        let cut = if are_one { cut } else { cut_between(text)? };
        (text.get(..cut)?.to_owned(), text.get(cut + 1..)?.to_owned())
    };
    if old == new {
        return Some((Prefixes::None, old));
    }
    let (one, other, name) = parted(&old, &new)?;
    Some((Prefixes::Of(one.to_owned(), other.to_owned()), name.to_owned()))
}

/// The first folder of each of two names that are one but for it, with its `/`, and the rest: as git reads them.
pub(super) fn parted<'n>(old: &'n str, new: &'n str) -> Option<(&'n str, &'n str, &'n str)> {
    let cut = |name: &'n str| name.split_at_checked(name.find('/')? + 1);
    let ((one, name), (other, again)) = (cut(old)?, cut(new)?);
    (one != other && name == again && !name.is_empty()).then_some((one, other, name))
}

/// Where the blank stands between two names that are one but for their first folders. Names may have blanks; what stands behind both
/// folders is equally long, so each `/` that could end the second one leaves one blank.
fn cut_between(text: &str) -> Option<usize> {
    let mut slashes = text.match_indices('/').map(|(at, _)| at);
    let first = slashes.next()?;
    let mut before = first;
    for slash in slashes {
        let cut = first + text.len() - slash;
        let is_cut = before < cut && cut < slash && text.as_bytes().get(cut) == Some(&b' ');
        if is_cut && text.get(first + 1..cut) == text.get(slash + 1..) {
            return Some(cut);
        }
        before = slash;
    }
    None
}

/// Of index, work tree, commit, object; and of the two sides of a comparison outside of a repository.
const PREFIXES: [&str; 8] = ["a/", "b/", "i/", "w/", "c/", "o/", "1/", "2/"];

/// The name begins as those that git writes.
pub(super) fn has_prefix(name: &str) -> bool {
    let name = name.strip_prefix('"').unwrap_or(name);
    PREFIXES.iter().any(|prefix| name.len() > prefix.len() && name.starts_with(prefix))
}

/// The prefixes of two names that are one but for them. No diff of git gives a file another folder in this way: it says `rename`.
pub(super) fn prefixes_of(old: &str, new: &str) -> Option<(&'static str, &'static str)> {
    let cut = |name: &str| PREFIXES.into_iter().find(|prefix| name.starts_with(prefix));
    let (one, other) = (cut(old)?, cut(new)?);
    (one != other && old.get(2..)? == new.get(2..)?).then_some((one, other))
}

/// A name is the one that is told without a prefix.
pub(super) fn is_called(name: &str, told: &str) -> bool {
    let prefix = name.strip_suffix(told);
    prefix.is_some_and(|prefix| prefix.find('/').map_or(prefix.is_empty(), |at| at + 1 == prefix.len()))
}

/// The name behind `--- ` or `+++ `. A blank at its end is its own: git puts a TAB behind a name with blanks, diff a time.
pub(super) fn file_name(text: &str, is_git: bool) -> String {
    if let Some((name, _)) = quoted(text) {
        return name;
    }
    let named = if is_git { text } else { without_time(text).unwrap_or(text) };
    let name = named.split(['\t', '\r']).next().unwrap_or_default();
    if name.trim_end() == "/dev/null" { name.trim_end() } else { name }.to_owned()
}

/// Programs that compare folders write these two lines: a time stands behind a name, or how they were called above both.
pub(super) fn compares(lines: &[&str], at: usize) -> bool {
    let has_time = |line: &&str| without_time(line).is_some();
    let is_call =
        |above: usize| lines[above].strip_prefix("diff ").is_some_and(|rest| !rest.starts_with("--git "));
    lines.iter().skip(at).take(2).any(has_time) || at.checked_sub(1).is_some_and(is_call)
}

/// What stands in front of a date, a time and perhaps a zone; after a TAB, or after blanks that somebody made of it.
fn without_time(text: &str) -> Option<&str> {
    let made_of = |word: &str, signs: &str| {
        word.starts_with(|first: char| first.is_ascii_digit())
            && word.chars().all(|sign| sign.is_ascii_digit() || signs.contains(sign))
    };
    let is_zone = |word: &str| word.strip_prefix(['+', '-']).is_some_and(|zone| made_of(zone, ":"));
    let (mut rest, mut word) = last_word(text)?;
    if is_zone(word) {
        (rest, word) = last_word(rest.trim_end_matches(' '))?;
    }
    if !(word.contains(':') && made_of(word, ":.")) {
        return None;
    }
    let dated = rest.trim_end_matches(' ');
    (rest, word) = last_word(dated)?;
    if !(word.contains('-') && made_of(word, "-")) {
        return None;
    }
    let is_tab = dated.as_bytes().get(rest.len()) == Some(&b'\t');
    Some(if is_tab { rest } else { rest.trim_end_matches(' ') })
}

/// What stands in front of the last word, but for one blank, and that word.
fn last_word(text: &str) -> Option<(&str, &str)> {
    let at = text.rfind([' ', '\t'])?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// A name as git writes it: in quotes, with escapes, if there is something odd in it.
pub(super) fn unquoted(text: &str) -> String {
    quoted(text).map_or_else(|| text.to_owned(), |(name, _)| name)
}

/// The name that stands in quotes here, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes().enumerate().peekable();
    while let Some((at, byte)) = rest.next() {
        if byte == b'"' {
            return Some((shown(bytes), inner.get(at + 1..)?));
        }
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()?.1 {
            b'a' => 0x07,
            b'b' => 0x08,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 0x0b,
            b'f' => 0x0c,
            b'r' => b'\r',
            first @ b'0'..=b'7' => {
                let mut value = u32::from(first - b'0');
                for _ in 0..2 {
                    if let Some((_, digit)) = rest.next_if(|(_, byte)| (b'0'..=b'7').contains(byte)) {
                        value = value * 8 + u32::from(digit - b'0');
                    }
                }
                u8::try_from(value & 0xff).unwrap_or_default()
            }
            other => other,
        });
    }
    None
}

/// A name as text, with what is none written as `\xff`.
fn shown(name: Vec<u8>) -> String {
    match String::from_utf8(name) {
        Ok(text) => text,
        Err(error) => error.into_bytes().utf8_chunks().fold(String::new(), |mut text, chunk| {
            use std::fmt::Write as _;
            text.push_str(chunk.valid());
            for byte in chunk.invalid() {
                let _ = write!(text, "\\x{byte:02x}");
            }
            text
        }),
    }
}

/// A time that stands for "there is nothing": GNU diff writes it behind the name of a file that comes or goes.
pub(super) fn is_epoch(text: &str) -> bool {
    let Some(name) = without_time(text) else { return false };
    let mut words = text.get(name.len()..).unwrap_or_default().split_whitespace();
    let (Some(date), Some(time)) = (words.next(), words.next()) else { return false };
    let zone = words.next().unwrap_or("+0000").replace(':', "");
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<i64>().ok());
    let hours_minutes = number(time.get(..2)).zip(number(time.get(3..5)));
    let offset = number(zone.get(1..3)).zip(number(zone.get(3..5)));
    let (Some((hours, minutes)), Some((zone_hours, zone_minutes))) = (hours_minutes, offset) else {
        return false;
    };
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let rest_is_zero = time.get(5..).unwrap_or_default().chars().all(|sign| matches!(sign, ':' | '.' | '0'));
    let day = match date {
        "1970-01-01" => 0,
        "1969-12-31" => -24 * 60,
        _ => return false,
    };
    rest_is_zero && day + hours * 60 + minutes == sign * (zone_hours * 60 + zone_minutes)
}

/// What stands behind the first folder of a name.
pub(super) fn below(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, rest)| rest)
}

/// A name without the `./` that some put in front of it.
pub(super) fn undotted(name: &str) -> &str {
    name.trim_start_matches("./")
}
