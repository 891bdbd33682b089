//! A commit as it is told: who, when, what for. Text of a commit was written by anybody and is shown as text only.

use std::fmt::Write as _;

use gix::{
    ObjectId,
    bstr::{BStr, ByteSlice},
    objs::CommitRef,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{file_facts::FileFacts, mailmap::Mailmap};
use crate::text::visible;

/// Bytes of a subject that are told, and of a body.
const SUBJECT_BYTES: usize = 2000;
const BODY_BYTES: usize = 32 * 1024;
/// Parents that are named. The largest merge anybody made on purpose has 66.
const PARENTS: usize = 1000;
/// Parents in the text.
const PARENTS_SHOWN: usize = 70;
/// Seconds from 1970 to where the years are no 32-bit number any more, which no calendar of a system has.
const YEARS_END: u64 = 67_000_000_000_000_000;
/// Characters of an id that tell it from others for people.
const SHORT: usize = 10;

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitFacts {
    /// Its id.
    pub id: String,
    /// The beginning of it.
    pub short: String,
    /// The author's name, as `.mailmap` has it.
    pub author: String,
    /// The author's mail address, likewise.
    pub email: String,
    /// When it was written, with the author's own offset.
    pub time_iso: String,
    /// The first paragraph of the message, as one line.
    pub subject: String,
    /// The rest of the message.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub body: String,
    /// The ids of its parents.
    pub parents: Vec<String>,
    /// The files it changes, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileFacts>>,
}

impl CommitFacts {
    /// The facts of a commit with these parents (a shallow clone has fewer than the commit names).
    pub(super) fn of(id: ObjectId, commit: &CommitRef<'_>, parents: &[ObjectId], mailmap: &Mailmap) -> Self {
        let author = commit.author().ok();
        let (subject, body) = subject_and_body(commit.message);
        let text = |bytes: &BStr| decoded(bytes, commit.encoding);
        let (name, email) = author_of(commit, mailmap).unwrap_or_default();
        Self {
            id: id.to_string(),
            short: short(id),
            author: visible(&name).into_owned(),
            email: visible(&email).into_owned(),
            time_iso: author.and_then(|author| author.time().ok()).map(time_iso).unwrap_or_default(),
            subject: visible(&cut(text(subject.as_bstr()), SUBJECT_BYTES)).into_owned(),
            body: cut(text(body.as_bstr()).trim_end().to_owned(), BODY_BYTES),
            parents: parents.iter().take(PARENTS).map(ObjectId::to_string).collect(),
            files: None,
        }
    }

    /// `1a2b3c4d5e 2026-11-20 Ann Author: subject`
    pub(super) fn line(&self) -> String {
        let day = self.time_iso.split('T').next().filter(|day| !day.is_empty()).unwrap_or("?");
        format!("{} {day} {}: {}", self.short, self.author, self.subject)
    }

    /// All of it but the files.
    pub(super) fn block(&self) -> String {
        let mut text = format!("commit {}\n", self.id);
        if self.parents.len() > 1 {
            let shown = self.parents.iter().take(PARENTS_SHOWN);
            let parents: Vec<&str> = shown.map(|id| id.get(..SHORT).unwrap_or(id)).collect();
            let more = if self.parents.len() > PARENTS_SHOWN { " …" } else { "" };
            let _ = writeln!(text, "Merge: {}{more}", parents.join(" "));
        }
        let _ = write!(text, "Author: {} <{}>\nDate: {}\n\n", self.author, self.email, self.time_iso);
        for line in std::iter::once(self.subject.as_str())
            .chain((!self.body.is_empty()).then_some("").into_iter().chain(self.body.lines()))
        {
            let line: String = line.split('\t').map(visible).collect::<Vec<_>>().join("\t");
            let _ = writeln!(text, "{}{line}", if line.is_empty() { "" } else { "    " });
        }
        text
    }
}

/// The author's name and mail address.
pub(super) fn author_of(commit: &CommitRef<'_>, mailmap: &Mailmap) -> Option<(String, String)> {
    let author = commit.author().ok()?;
    let text = |bytes: &BStr| decoded(bytes, commit.encoding).into();
    let (name, email) = mailmap.now(text(author.name), text(author.email));
    Some((name.into_owned(), email.into_owned()))
}

/// The first paragraph of a message as one line, and what follows it. Blank lines before either are passed over, as git does it.
fn subject_and_body(message: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut rest = without_blank_lines(message);
    let mut subject = Vec::new();
    while let Some(line) = rest.split_inclusive(|byte| *byte == b'\n').next() {
        if line.trim_ascii().is_empty() {
            break;
        }
        if !subject.is_empty() {
            subject.push(b' ');
        }
        subject.extend_from_slice(line.trim_ascii_end());
        rest = &rest[line.len()..];
    }
    (subject, without_blank_lines(rest))
}

/// A text from its first line on that says something.
fn without_blank_lines(mut text: &[u8]) -> &[u8] {
    while let Some(end) = text.find_byte(b'\n').filter(|end| text[..*end].trim_ascii().is_empty()) {
        text = &text[end + 1..];
    }
    text
}

/// The text, or its beginning with a sign that there is more.
fn cut(text: String, bytes: usize) -> String {
    if text.len() <= bytes {
        return text;
    }
    let end = crate::text::prefix(&text, bytes).len();
    format!("{}…", &text[..crate::redact::whole(&text, 0..end).end])
}

/// The beginning of an id.
pub(super) fn short(id: ObjectId) -> String {
    id.to_hex_with_len(SHORT).to_string()
}

/// Text in the encoding that a commit names, UTF-8 where it names none.
pub(super) fn decoded(bytes: &BStr, encoding: Option<&BStr>) -> String {
    match encoding.and_then(|label| encoding_rs::Encoding::for_label(label)) {
        Some(encoding) => encoding.decode_without_bom_handling(bytes).0.into_owned(),
        None => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// `2026-11-20T10:00:00+01:00`, as git's `%aI`. What no calendar has is the beginning of 1970, as for git.
pub(super) fn time_iso(time: gix::date::Time) -> String {
    const DAY: i64 = 24 * 60 * 60;
    let local = time.seconds.checked_add(time.offset.into());
    let (local, offset) = match local.filter(|local| local.unsigned_abs() < YEARS_END) {
        Some(local) => (local, time.offset),
        None => (0, 0),
    };
    let (year, month, day) = civil(local.div_euclid(DAY));
    let clock = local.rem_euclid(DAY);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    let moment = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    let minutes = offset.abs() / 60;
    if minutes == 0 {
        return format!("{moment}Z");
    }
    format!("{moment}{}{:02}:{:02}", if offset < 0 { '-' } else { '+' }, minutes / 60, minutes % 60)
}

/// The date of a day, counted from 1970. A commit may be of a year that calendars of libraries do not have.
fn civil(day: i64) -> (i64, i64, i64) {
    // Counted from the 1st of March of the year 0, a leap day is the last of its year, and 400 years are one like the others.
    let day = day + 719_468;
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let of_month = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, of_month)
}

#[cfg(test)]
mod tests {
    use super::time_iso;

    #[test]
    fn every_year_has_its_dates() {
        let iso = |seconds, offset| time_iso(gix::date::Time { seconds, offset });
        assert_eq!(iso(0, 0), "1970-01-01T00:00:00Z");
        assert_eq!(iso(-1, -5400), "1969-12-31T22:29:59-01:30");
        assert_eq!(iso(951_782_400, 0), "2000-02-29T00:00:00Z");
        assert_eq!(iso(253_402_300_799, 0), "9999-12-31T23:59:59Z");
        assert_eq!(iso(253_402_300_800, 3600), "10000-01-01T01:00:00+01:00");
        assert_eq!(iso(1_000_000_000_000, 0), "33658-09-27T01:46:40Z");
        assert_eq!(iso(i64::MAX, 0), "1970-01-01T00:00:00Z");
    }
}
