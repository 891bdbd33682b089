//! What stands around the files of a patch: sentences, fences, mail. Pure.
//!
//! It is overlooked, and nothing in it may be meant as a change: a patch of which a part is left out is another patch, and whoever sent
//! it would read `ok`. So a line that could be such a part refuses all of it.

use std::ops::Range;

use super::{GRAMMAR, PatchError, unified::is_hunk};

/// Looks at the lines that belong to no file: those in front of the first one, or those behind the one that begins at `above`.
pub(super) fn check(lines: &[&str], within: Range<usize>, above: Option<usize>) -> Result<(), PatchError> {
    let is_behind = above.is_some();
    let folders = above.map(|above| folders(&lines[above..within.start])).unwrap_or_default();
    let mut around = Around { kind: Kind::Text, goes_on: is_behind, touches: is_behind, folders };
    let mut odd = None;
    for at in within {
        if let Some(part) = around.part(lines, at) {
            // It would have been read, did nothing stand in front of it.
            if let Some(odd) = odd.filter(|_| part == Part::Hunk && is_behind) {
                return Err(PatchError {
                    line: odd + 1,
                    reason: "this line stands in front of a hunk and belongs to none".to_owned(),
                    hint: "leave it out, or put the names of a file between it and the hunk",
                });
            }
            return Err(part.refused(at + 1));
        }
        odd = odd.or_else(|| (!is_filling(lines[at])).then_some(at));
        around.step(lines[at]);
    }
    Ok(())
}

/// What people and models leave between the parts of a diff, and what means nothing there.
pub(super) fn is_filling(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || ["```", "...", "…", "index "].iter().any(|word| line.starts_with(word))
}

/// `-- ` above the version of git, with which it ends a mail. Without it this is a line that a hunk takes away.
pub(super) fn is_signature(lines: &[&str], at: usize) -> bool {
    let is_version = |line: &&str| {
        let (major, rest) = line.strip_prefix("libgit2 ").unwrap_or(line).split_once('.').unwrap_or_default();
        is_number(major) && rest.starts_with(|first: char| first.is_ascii_digit())
    };
    lines[at].trim_end() == "--" && lines.get(at + 1).is_some_and(is_version)
}

/// `-- ` behind a hunk that is complete, in a mail, above what somebody signs with: nothing of it could be a part of a diff.
pub(super) fn is_own_signature(lines: &[&str], at: usize) -> bool {
    let is_part = |line: &str| line.starts_with(['+', '-', ' ', '@', '\\']) || line.starts_with("diff ");
    let mut below = lines[at + 1..].iter().take_while(|line| !begins_mail(line));
    lines[at] == "-- "
        && below.next().is_some_and(|line| !is_filling(line) && !is_part(line))
        && !below.any(|line| is_part(line))
        && lines[..at].iter().rev().any(|line| begins_mail(line))
}

/// The first line of a mail as `git format-patch` writes it.
fn begins_mail(line: &str) -> bool {
    line.strip_prefix("From ").is_some_and(begins_with_object)
}

fn begins_with_object(text: &str) -> bool {
    let name = text.split(' ').next().unwrap_or_default();
    name.len() >= 7 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The first folders of the names of a file.
fn folders<'l>(file: &[&'l str]) -> Vec<&'l str> {
    let header = file.iter().take_while(|line| !line.starts_with("@@"));
    let names = header.filter_map(|line| line.strip_prefix("--- ").or_else(|| line.strip_prefix("+++ ")));
    names.filter_map(|name| Some(name.split_once('/')?.0)).collect()
}

/// A rule of Markdown with nothing above and below it.
pub(super) fn is_lone_rule(lines: &[&str], at: usize) -> bool {
    let is_empty = |at: usize| lines.get(at).is_none_or(|line| line.trim().is_empty());
    is_rule(lines[at]) && at > 0 && is_empty(at - 1) && is_empty(at + 1)
}

/// What several parents were compared with is no change of one file.
pub(super) fn of_a_merge(line: usize) -> PatchError {
    PatchError {
        line,
        reason: "this is the combined diff of a merge, which has no one file that it starts from".to_owned(),
        hint: "make a diff against one parent: `git diff HEAD^1 HEAD` shows what the merge brought",
    }
}

fn is_rule(line: &str) -> bool {
    let line = line.trim_end();
    line.len() >= 3 && line.bytes().all(|byte| byte == b'-')
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Where a line stands.
struct Around<'l> {
    kind: Kind,
    /// Nothing was said since the part of a diff above: what looks like a list may still be one.
    goes_on: bool,
    /// No empty line and no fence stands between this one and that part: what is said here may be a line of it without its blank.
    touches: bool,
    /// The first folders of the names of the file above.
    folders: Vec<&'l str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// What somebody wrote.
    Text,
    /// The message of a commit, as `git format-patch` writes it: git looks for no change in it, up to a line `---`.
    Message,
    /// What stands around a commit that git shows: its message is indented, and so is what it was compared with before.
    Commit,
}

/// What a line would be in a patch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Hunk,
    Signed,
    Name,
    Header,
    OtherGrammar,
    OtherDiff,
    OnlyTold,
    Merge,
    Indented,
}

impl Around<'_> {
    fn part(&self, lines: &[&str], at: usize) -> Option<Part> {
        let line = lines[at];
        let next = lines.get(at + 1).copied().unwrap_or_default();
        if line.starts_with([' ', '\t']) {
            let is_signed = self.touches && line.trim_start().starts_with(['-', '+']);
            let part = indented(line, next).filter(|_| self.kind == Kind::Text);
            return is_signed.then_some(Part::Indented).or(part);
        }
        if line.starts_with("@@") && (self.kind != Kind::Message || is_hunk(line)) {
            return Some(Part::Hunk);
        }
        if self.kind == Kind::Message {
            return None;
        }
        match line.as_bytes().first() {
            Some(b'-' | b'+') => self.signed(lines, at),
            Some(b'\\') if line.starts_with("\\ ") => Some(Part::Signed),
            _ => word(line, next).or_else(|| self.is_told(line).then_some(Part::OnlyTold)),
        }
    }

    /// `diff -r` says that a file is on one side alone; its name may have blanks.
    fn is_told(&self, line: &str) -> bool {
        let folder = line.strip_prefix("Only in ").and_then(|rest| Some(rest.split_once(": ")?.0));
        folder.is_some_and(|folder| self.folders.contains(&folder.split('/').next().unwrap_or_default()))
    }

    fn signed(&self, lines: &[&str], at: usize) -> Option<Part> {
        let line = lines[at];
        let is_name = line.get(..4).is_some_and(|word| matches!(word, "--- " | "+++ "));
        if is_name && !is_rule(line) {
            return Some(Part::Name);
        }
        let entry = line.strip_prefix("- ").is_some_and(|entry| !entry.starts_with(char::is_whitespace));
        let is_signature = is_signature(lines, at) || is_own_signature(lines, at);
        let is_prose = is_rule(line) || is_signature || (entry && !self.goes_on);
        (!is_prose).then_some(Part::Signed)
    }

    fn step(&mut self, line: &str) {
        if begins_mail(line) {
            (self.kind, self.touches) = (Kind::Message, false);
        } else if line.strip_prefix("commit ").is_some_and(begins_with_object)
            || (self.kind == Kind::Message && line.trim_end() == "---")
        {
            (self.kind, self.touches) = (Kind::Commit, false);
        }
        if let Some(language) = line.trim().strip_prefix("```") {
            self.goes_on = ["diff", "patch"].contains(&language.trim());
            self.touches = false;
        } else if line.trim().is_empty() {
            self.touches = false;
        } else if !is_filling(line) && !self.touches {
            self.goes_on = false;
        }
    }
}

impl Part {
    fn refused(self, line: usize) -> PatchError {
        let (reason, hint) = match self {
            Self::Hunk => {
                ("this hunk belongs to no file", "put the lines `--- a/PATH` and `+++ b/PATH` in front of it")
            }
            Self::Signed => (
                "this line reads as one of a hunk and belongs to none",
                "put a line `@@` in front of the lines of a hunk, and the names of its file where that is another; write a list with `* `",
            ),
            Self::Name => (
                "this line names a file, and the line that belongs to it is missing",
                "a file begins with `--- a/PATH` and right below it `+++ b/PATH`; a line of a hunk is counted in its `@@` line",
            ),
            Self::Header => (
                "this line says what becomes of a file and belongs to none",
                "put `diff --git a/PATH b/PATH` in front of it; another name is told by `rename from` and `rename to`",
            ),
            Self::OtherGrammar => (
                "this line belongs between `*** Begin Patch` and `*** End Patch`",
                "write all of it in one grammar, or make two patches of it",
            ),
            Self::OtherDiff => ("this is a change in a form that no patch here has", GRAMMAR),
            Self::OnlyTold => {
                return PatchError::impossible(line, "it says that a file differs, and not how");
            }
            Self::Merge => return of_a_merge(line),
            Self::Indented => (
                "this line looks like a part of a patch, and stands behind blanks",
                "take away the blanks in front of all lines of that part, which is indented, or leave it out",
            ),
        };
        PatchError { line, reason: reason.to_owned(), hint }
    }
}

/// A part of a patch behind blanks, as in a list.
fn indented(line: &str, next: &str) -> Option<Part> {
    let (inner, below) = (line.trim_start(), next.trim_start());
    let is_as_deep = line.len() - inner.len() == next.len() - below.len();
    let sign = |text: &str| text.chars().next().filter(|sign| matches!(sign, '-' | '+'));
    let is_change = is_as_deep && sign(inner).zip(sign(below)).is_some_and(|(one, other)| one != other);
    if is_change || ["@@", "diff --git "].iter().any(|word| inner.starts_with(word)) {
        return Some(Part::Indented);
    }
    word(inner, below).filter(|part| *part == Part::OtherGrammar)
}

/// What the first words of a line are in a patch.
fn word(line: &str, next: &str) -> Option<Part> {
    const OTHER_GRAMMAR: [&str; 7] = [
        "*** Begin Patch",
        "*** End Patch",
        "*** Add File:",
        "*** Delete File:",
        "*** Update File:",
        "*** Move to:",
        "*** End of File",
    ];
    let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    if begins(&OTHER_GRAMMAR) {
        return Some(Part::OtherGrammar);
    }
    if begins(&["diff --cc ", "diff --combined "]) {
        return Some(Part::Merge);
    }
    // The names below it say as much.
    let is_plain = line.trim_end() == "new file mode 100644"
        && (next.starts_with("--- /dev/null") || next.starts_with("index "));
    let is_header = begins(&["rename from ", "copy from "])
        || ["rename to ", "copy to "].iter().any(|word| line.strip_prefix(word).is_some_and(is_one_word))
        || ["old mode ", "new mode ", "new file mode ", "deleted file mode "]
            .iter()
            .any(|word| line.strip_prefix(word).is_some_and(|mode| is_number(mode.trim())));
    if is_header && !is_plain {
        return Some(Part::Header);
    }
    if is_only_told(line) {
        return Some(Part::OnlyTold);
    }
    let is_other_diff = begins(&["<<<<<<< ", ">>>>>>> "])
        || (line.starts_with("***************") && next.starts_with("*** "))
        || (is_place(line) && next.starts_with(['<', '>']));
    is_other_diff.then_some(Part::OtherDiff)
}

/// Git and diff say that something differs, and not how.
fn is_only_told(line: &str) -> bool {
    let is_hex = |text: &str| text.len() >= 7 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_range = |word: &str| {
        let (old, new) = word.trim_end_matches(':').split_once("..").unwrap_or_default();
        is_hex(old) && is_hex(new.trim_start_matches('.'))
    };
    line.starts_with("GIT binary patch")
        || (line.starts_with("Binary files ") && line.trim_end().ends_with("differ"))
        || (line.starts_with("Files ") && line.contains(" and ") && line.trim_end().ends_with(" differ"))
        || line
            .strip_prefix("Only in ")
            .and_then(|rest| rest.split_once(": "))
            .is_some_and(|(folder, name)| is_one_word(folder) && is_one_word(name))
        || (line.starts_with("File ") && line.contains(" is a ") && line.contains(" while file "))
        || (line.starts_with("Symbolic links ") && line.trim_end().ends_with(" differ"))
        || (line.starts_with("Submodule ") && line.split(' ').any(is_range))
}

fn is_one_word(text: &str) -> bool {
    let text = text.trim_end();
    !text.is_empty() && !text.contains(char::is_whitespace)
}

/// `3,4c5`: where a diff without context changes something.
fn is_place(line: &str) -> bool {
    let is_lines = |text: &str| text.split(',').all(is_number);
    line.trim_end().split_once(['a', 'c', 'd']).is_some_and(|(old, new)| is_lines(old) && is_lines(new))
}
