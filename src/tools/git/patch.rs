//! A difference as git writes it, so that `git apply` takes it back.

use std::fmt::Write as _;

use gix::{ObjectId, bstr::BString, diff::blob::Algorithm};
use similar::{DiffTag, group_diff_ops};

use super::{
    headings::Language,
    side::SUBMODULE,
    similarity::{is_text as looks_like_text, similarity},
};
use crate::tools::line_diff::operations_by;

/// The bits of a mode that say what kind of thing it is.
const KIND: u32 = 0o170_000;
/// Those of a file that is no link.
const REGULAR: u32 = 0o100_000;
/// The most of a heading that stands behind `@@`.
const HEADING: usize = 80;
/// Larger files are not compared line by line.
const TEXT_BYTES: usize = 16 * 1024 * 1024;

/// How a patch is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// Unchanged lines around each change.
    pub(super) context: usize,
    /// Which of git's ways finds the changes.
    pub(super) algorithm: Algorithm,
}

/// One side of a file.
#[derive(Clone, Debug)]
pub(super) struct Half {
    pub(super) mode: u32,
    pub(super) id: ObjectId,
    pub(super) bytes: Vec<u8>,
    /// To be shown as text whatever it holds, or never; git asks that of regular files alone.
    pub(super) as_text: Option<bool>,
}

/// A file that differs, with its contents.
#[derive(Clone, Debug)]
pub(super) struct FileDiff {
    /// In git's bytes, which are not always UTF-8.
    pub(super) path: BString,
    pub(super) old_path: Option<BString>,
    /// What was at the old path is still there.
    pub(super) copied: bool,
    pub(super) old: Option<Half>,
    pub(super) new: Option<Half>,
    /// Says which lines stand behind `@@`.
    pub(super) language: Option<Language>,
}

/// The patch of one file.
#[derive(Clone, Debug, Default)]
pub(super) struct Patch {
    pub(super) text: String,
    pub(super) added: u32,
    pub(super) removed: u32,
    pub(super) binary: bool,
    /// Some bytes are no UTF-8 and are shown as `\u{fffd}`.
    pub(super) lossy: bool,
}

impl Half {
    fn is_binary(&self) -> bool {
        let is_text = self.as_text.filter(|_| self.mode & KIND == REGULAR);
        self.bytes.len() > TEXT_BYTES || !is_text.unwrap_or_else(|| looks_like_text(&self.bytes))
    }
}

impl FileDiff {
    fn is_binary(&self) -> bool {
        [&self.old, &self.new].into_iter().flatten().any(Half::is_binary)
    }

    /// The patch.
    pub(super) fn patch(&self, style: Style) -> Patch {
        // A file that becomes a link goes, and the link comes: no patch turns one into the other.
        if let (Some(old), Some(new)) = (&self.old, &self.new)
            && old.mode & KIND != new.mode & KIND
        {
            let (gone, came) =
                (Self { new: None, ..self.clone() }, Self { old: None, old_path: None, ..self.clone() });
            return gone.patch(style).and(came.patch(style));
        }
        let mut patch = Patch { binary: self.is_binary(), ..Patch::default() };
        let alike = match (&self.old_path, &self.old, &self.new) {
            (Some(_), Some(old), Some(new)) => {
                Some(similarity((&old.bytes, !old.is_binary()), (&new.bytes, !new.is_binary())))
            }
            _ => None,
        };
        self.header(&mut patch.text, alike);
        let same = match (&self.old, &self.new) {
            (Some(old), Some(new)) => old.bytes == new.bytes,
            (old, new) => [old, new].into_iter().flatten().all(|half| half.bytes.is_empty()),
        };
        if same {
            return patch;
        }
        let name = |side: &str, path: &BString, half: &Option<Half>| match half {
            Some(_) => quoted(side, path),
            None => "/dev/null".to_owned(),
        };
        let old_path = self.old_path.as_ref().unwrap_or(&self.path);
        let (old_name, new_name) = (name("a/", old_path, &self.old), name("b/", &self.path, &self.new));
        if patch.binary {
            let _ = writeln!(patch.text, "Binary files {old_name} and {new_name} differ");
            return patch;
        }
        // A name with a space ends with a tab, so that nothing takes the rest of the line for a date.
        let tab = |name: &str| if name.contains(' ') && !name.starts_with('"') { "\t" } else { "" };
        let _ = write!(patch.text, "--- {old_name}{}\n+++ {new_name}{}\n", tab(&old_name), tab(&new_name));
        self.hunks(style, &mut patch);
        patch
    }

    /// That it changed, and nothing of what is in it; `reason` says why.
    pub(super) fn withheld(&self, reason: &str) -> Patch {
        let mut patch = Patch { binary: true, ..Patch::default() };
        self.header(&mut patch.text, None);
        let _ = writeln!(patch.text, "(not shown: {reason})");
        patch
    }

    /// What stands before the hunks; of a renamed or copied file with how much of both is alike, where that is known.
    fn header(&self, text: &mut String, alike: Option<u64>) {
        let old_path = self.old_path.as_ref().unwrap_or(&self.path);
        let _ = writeln!(text, "diff --git {} {}", quoted("a/", old_path), quoted("b/", &self.path));
        match (&self.old, &self.new) {
            (None, Some(new)) => {
                let _ = writeln!(text, "new file mode {:06o}", new.mode);
            }
            (Some(old), None) => {
                let _ = writeln!(text, "deleted file mode {:06o}", old.mode);
            }
            (Some(old), Some(new)) if old.mode != new.mode => {
                let _ = write!(text, "old mode {:06o}\nnew mode {:06o}\n", old.mode, new.mode);
            }
            _ => {}
        }
        if let Some(percent) = alike {
            let _ = writeln!(text, "similarity index {percent}%");
        }
        if let Some(from) = &self.old_path {
            let verb = if self.copied { "copy" } else { "rename" };
            let _ = write!(text, "{verb} from {}\n{verb} to {}\n", quoted("", from), quoted("", &self.path));
        }
        let id = |half: &Option<Half>| {
            half.as_ref().map_or_else(|| "0".repeat(7), |half| half.id.to_hex_with_len(7).to_string())
        };
        let (old, new) = (id(&self.old), id(&self.new));
        if old != new {
            let mode = match (&self.old, &self.new) {
                (Some(old), Some(new)) if old.mode == new.mode => format!(" {:06o}", new.mode),
                _ => String::new(),
            };
            let _ = writeln!(text, "index {old}..{new}{mode}");
        }
    }

    fn hunks(&self, style: Style, patch: &mut Patch) {
        let (old, new) = (lines(self.old.as_ref()), lines(self.new.as_ref()));
        let (mut heading, mut looked_at) = (String::new(), 0);
        for group in group_diff_ops(operations_by(style.algorithm, &old, &new), style.context) {
            let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
            let old_range = first.old_range().start..last.old_range().end;
            let new_range = first.new_range().start..last.new_range().end;
            let above = old[looked_at..old_range.start].iter().rev();
            if let Some(line) = above.copied().find_map(|line| heading_of(line, self.language)) {
                let text = String::from_utf8_lossy(&line[..line.len().min(HEADING)]);
                heading = format!(" {}", text.trim_ascii_end());
            }
            looked_at = old_range.start;
            let _ = writeln!(patch.text, "@@ -{} +{} @@{heading}", span(&old_range), span(&new_range));
            for op in &group {
                let (tag, old_range, new_range) = op.as_tag_tuple();
                if tag == DiffTag::Equal {
                    old[old_range].iter().for_each(|line| patch.line(' ', line));
                    continue;
                }
                patch.removed += old_range.len() as u32;
                patch.added += new_range.len() as u32;
                old[old_range].iter().for_each(|line| patch.line('-', line));
                new[new_range].iter().for_each(|line| patch.line('+', line));
            }
        }
    }

    /// True for another repository's commit.
    pub(super) fn is_submodule(&self) -> bool {
        [&self.old, &self.new].into_iter().flatten().any(|half| half.mode == SUBMODULE)
    }
}

impl Patch {
    /// This one, then `other`.
    fn and(mut self, other: Self) -> Self {
        self.text.push_str(&other.text);
        Self {
            text: self.text,
            added: self.added + other.added,
            removed: self.removed + other.removed,
            binary: self.binary || other.binary,
            lossy: self.lossy || other.lossy,
        }
    }

    fn line(&mut self, sign: char, line: &[u8]) {
        self.text.push(sign);
        let text = String::from_utf8_lossy(line);
        self.lossy |= matches!(text, std::borrow::Cow::Owned(_));
        self.text.push_str(&text);
        if !line.ends_with(b"\n") {
            self.text.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// What git shows of a line behind `@@` for the hunks below it, if anything.
fn heading_of(line: &[u8], language: Option<Language>) -> Option<&[u8]> {
    let is_heading = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$');
    match language {
        Some(language) => language.heading(line),
        None => line.first().is_some_and(is_heading).then_some(line),
    }
}

/// Lines with their ends; only `\n` ends a line for git.
fn lines(half: Option<&Half>) -> Vec<&[u8]> {
    half.map_or(&[][..], |half| &half.bytes[..]).split_inclusive(|byte| *byte == b'\n').collect()
}

fn span(range: &std::ops::Range<usize>) -> String {
    // git counts from the line before when there is none.
    let start = if range.is_empty() { range.start } else { range.start + 1 };
    if range.len() == 1 { start.to_string() } else { format!("{start},{}", range.len()) }
}

/// A name as git writes it into a patch: in quotes with escapes where it holds anything that could mislead.
fn quoted(side: &str, path: &[u8]) -> String {
    let plain = |byte: &u8| matches!(byte, 0x20..=0x7e) && !matches!(byte, b'"' | b'\\');
    let name = || side.bytes().chain(path.iter().copied());
    if name().all(|byte| plain(&byte)) {
        return name().map(char::from).collect();
    }
    let mut text = String::from('"');
    for byte in name() {
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            b'\r' => text.push_str("\\r"),
            0x20..=0x7e => text.push(char::from(byte)),
            byte => {
                let _ = write!(text, "\\{byte:03o}");
            }
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::{quoted, span};

    #[test]
    fn names_and_ranges_are_written_as_git_does() {
        assert_eq!(quoted("a/", b"plain name.txt"), "a/plain name.txt");
        assert_eq!(quoted("a/", "ü\n\"".as_bytes()), "\"a/\\303\\274\\n\\\"\"");
        assert_eq!(quoted("", b"\xff"), "\"\\377\"");
        assert_eq!((span(&(0..0)), span(&(0..1)), span(&(4..6))), ("0,0".into(), "1".into(), "5,2".into()));
    }
}
