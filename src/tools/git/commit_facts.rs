//! A commit as it is told: who, when, what for. Text of a commit was written by anybody and is shown as text only.

use std::fmt::Write as _;

use gix::{
    ObjectId,
    bstr::{BStr, ByteSlice},
    objs::{CommitRef, commit::MessageRef},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::file_facts::FileFacts;
use crate::text::visible;

/// Bytes of a subject that are told, and of a body.
const SUBJECT_BYTES: usize = 2000;
const BODY_BYTES: usize = 32 * 1024;
/// Parents that are named. The largest merge anybody made on purpose has 66.
const PARENTS: usize = 1000;
/// Parents in the text.
const PARENTS_SHOWN: usize = 70;
/// Characters of an id that tell it from others for people.
const SHORT: usize = 10;

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitFacts {
    /// Its id.
    pub id: String,
    /// The beginning of it.
    pub short: String,
    /// The author's name.
    pub author: String,
    /// The author's mail address.
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
    pub(super) fn of(id: ObjectId, commit: &CommitRef<'_>, parents: &[ObjectId]) -> Self {
        let author = commit.author().ok();
        let message = MessageRef::from_bytes(without_blank_lines(commit.message));
        let text = |bytes: &BStr| decoded(bytes, commit.encoding);
        let identity = |bytes: Option<&BStr>| visible(&bytes.map(text).unwrap_or_default()).into_owned();
        Self {
            id: id.to_string(),
            short: short(id),
            author: identity(author.map(|author| author.name)),
            email: identity(author.map(|author| author.email)),
            time_iso: author.and_then(|author| author.time().ok()).map(time_iso).unwrap_or_default(),
            subject: visible(&cut(text(message.summary().as_bstr()), SUBJECT_BYTES)).into_owned(),
            body: message
                .body
                .map(|body| cut(text(body).trim_end().to_owned(), BODY_BYTES))
                .unwrap_or_default(),
            parents: parents.iter().take(PARENTS).map(ObjectId::to_string).collect(),
            files: None,
        }
    }

    /// `1a2b3c4d5e 2026-11-20 Ann Author: subject`
    pub(super) fn line(&self) -> String {
        let day = self.time_iso.get(..10).unwrap_or("?");
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

/// A message from its first line on that says something: git tells no others.
fn without_blank_lines(mut message: &[u8]) -> &[u8] {
    while let Some(end) = message.find_byte(b'\n').filter(|end| message[..*end].trim_ascii().is_empty()) {
        message = &message[end + 1..];
    }
    message
}

/// The text, or its beginning with a sign that there is more.
fn cut(text: String, bytes: usize) -> String {
    if text.len() <= bytes { text } else { format!("{}…", crate::text::prefix(&text, bytes)) }
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

/// `2026-11-20T10:00:00+01:00`, as git's `%aI`.
pub(super) fn time_iso(time: gix::date::Time) -> String {
    let offset = jiff::tz::Offset::from_seconds(time.offset).ok();
    let moment = jiff::Timestamp::from_second(time.seconds).ok();
    match (moment, offset) {
        (Some(moment), Some(offset)) => {
            let local = offset.to_datetime(moment);
            let (sign, minutes) = (if time.offset < 0 { '-' } else { '+' }, time.offset.abs() / 60);
            if minutes == 0 {
                return format!("{}Z", local.strftime("%Y-%m-%dT%H:%M:%S"));
            }
            format!("{}{sign}{:02}:{:02}", local.strftime("%Y-%m-%dT%H:%M:%S"), minutes / 60, minutes % 60)
        }
        _ => String::new(),
    }
}
