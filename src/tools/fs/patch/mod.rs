//! Patches as models write them: two grammars, one meaning. Pure; nothing in here touches a file, and no text makes it panic.

mod anchors;
mod codex;
mod find;
mod header;
mod hunk;
mod lines;
mod named;
mod names;
mod place;
mod prose;
mod section;
mod unified;

pub use anchors::Doubt;
pub use find::{PLACES_NAMED, PlaceError};
pub use hunk::PatchHunk;
pub use named::{Named, Side, is_kept};
pub use place::{Placed, place};
pub use unified::TWO_FILES;

use self::hunk::Line;
use crate::text::counted;

/// What happens to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePatch {
    /// As written, prefixes taken off.
    pub path: String,
    /// All readings of it, where the patch leaves open which is meant, the likelier first: what stands there tells. Nothing stands at a
    /// new name: that is read as those of the other files are.
    pub or: Vec<Named>,
    /// The patch compares two folders, whose names stand in front of those of the files: a new file lies where the others are.
    pub compared: bool,
    /// Where in the patch it begins, from 1.
    pub line: usize,
    /// What happens.
    pub action: Action,
    /// Its last hunk, with which the patch ends, has fewer lines than it says.
    pub short: Option<Short>,
    /// The line, from 1, that takes the permission to execute away.
    pub plain: Option<usize>,
    /// What the file has afterwards whose only hunk says that it has nothing: where there is none, it is made. And whether the
    /// patch says how its lines end.
    pub if_empty: Option<(String, bool)>,
}

/// A hunk of a diff that has fewer lines than its first one says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Short {
    /// Where in the patch it begins, from 1.
    pub line: usize,
    /// Lines of the old and the new side together, as it says.
    pub said: u64,
    /// The same, as they are.
    pub found: u64,
}

impl FilePatch {
    /// The names in it: where the file is, and where it goes.
    pub fn paths_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let to = match &mut self.action {
            Action::Update { to, .. } => to.as_mut(),
            Action::Add { .. } | Action::Delete { .. } => None,
        };
        let or = self.or.iter_mut().map(|named| &mut named.path);
        std::iter::once(&mut self.path).chain(or).chain(to)
    }
}

/// What happens to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// It appears with this text.
    Add {
        /// With `\n` only, unless the patch says how its lines end.
        text: String,
        /// It does: nothing else has a say.
        exact: bool,
        /// It may be run.
        executable: bool,
    },
    /// It goes.
    Delete {
        /// What was in it, where the patch is a diff, which always says so.
        hunks: Option<Vec<PatchHunk>>,
    },
    /// Parts of it change, or it gets another name, or both.
    Update {
        /// The new name.
        to: Option<String>,
        /// In the order of the file.
        hunks: Vec<PatchHunk>,
        /// It may be run from now on.
        executable: bool,
    },
}

/// Forgets how lines end where no line of the file's patch ends otherwise than the patch itself.
fn settle_ends(hunks: &mut [PatchHunk]) -> bool {
    // Of a line without an end it says so by a `\r` that is one of its characters.
    let is_told = |lines: &[String], returns: &[bool], is_unended: bool| {
        returns.contains(&true) || (is_unended && lines.last().is_some_and(|line| line.ends_with('\r')))
    };
    let exact = hunks.iter().any(|hunk| {
        is_told(&hunk.old, &hunk.returns.0, hunk.unended.0)
            || is_told(&hunk.new, &hunk.returns.1, hunk.unended.1)
    });
    if !exact {
        for hunk in hunks {
            hunk.returns = (Vec::new(), Vec::new());
        }
    }
    exact
}

/// The lines of a patch.
#[derive(Clone, Copy)]
struct Lines<'a> {
    /// Without their ends.
    text: &'a [&'a str],
    /// Which have a `\r` that belongs to the file.
    returns: &'a [bool],
}

impl<'a> Lines<'a> {
    /// The line behind its sign.
    fn behind_sign(&self, at: usize) -> Line<'a> {
        let line = self.text.get(at).copied().unwrap_or_default();
        let returns = self.returns.get(at).copied().unwrap_or_default();
        Line { rest: line.get(1..).unwrap_or_default(), returns, is_bare: line.is_empty() && !returns }
    }
}

/// Why a text is no patch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the patch: {reason}")]
pub struct PatchError {
    /// From 1.
    pub line: usize,
    /// What is wrong, and what was expected.
    pub reason: String,
    /// What would work.
    pub hint: &'static str,
}

impl PatchError {
    fn new(line: usize, reason: impl Into<String>) -> Self {
        Self { line, reason: reason.into(), hint: GRAMMAR }
    }

    /// Lines come, at a place that is told by lines of the file which the hunk does not have.
    fn without_lines(line: usize, old: u32) -> Self {
        Self {
            line,
            reason: format!("this hunk says that it has {} of the file, and has none", counted(old, "line")),
            hint: "write those lines, each behind a blank or a `-`; `@@ -LINE,0 +LINE,COUNT @@` puts lines below a line",
        }
    }

    /// It is a patch, of something that no patch makes here.
    fn impossible(line: usize, reason: impl Into<String>) -> Self {
        Self { line, reason: reason.into(), hint: LEAVE_OUT }
    }
}

const GRAMMAR: &str = "write `*** Begin Patch`, then `*** Update File: path` with `@@` and lines that begin with ` `, `-` or `+`, then \
     `*** End Patch`; or a unified diff";
const LEAVE_OUT: &str =
    "leave that file out of the patch: the rest of it can be applied; a command may do what a patch cannot";

/// Reads a patch in either grammar.
pub fn parse(text: &str) -> Result<Vec<FilePatch>, PatchError> {
    // What some programs put in front of every text is no part of this one.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if is_escaped(text) {
        return Err(PatchError {
            line: 1,
            reason: "its line breaks are the two characters `\\n`".to_owned(),
            hint: "send each as one line break: it was escaped once too often",
        });
    }
    let raw: Vec<&str> = text.split('\n').collect();
    let lines: Vec<&str> = raw.iter().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    // A diff may have the first line of the other grammar among its own.
    let begin = lines.iter().position(|line| line.trim() == codex::BEGIN);
    let begin = begin.filter(|begin| unified::begin(&lines[..*begin]).is_none());
    // A patch whose own first line ends with `\r\n` was sent so: that says nothing of the files.
    let first = begin.or_else(|| unified::begin(&lines)).unwrap_or(0);
    let sent_so = raw[first].ends_with('\r');
    let returns: Vec<bool> = raw.iter().map(|line| !sent_so && line.ends_with('\r')).collect();
    let lines = Lines { text: &lines, returns: &returns };
    let patches = match begin {
        Some(begin) => {
            prose::check(lines.text, 0..begin, None)?;
            codex::parse(lines, begin)?
        }
        None => unified::parse(lines)?,
    };
    if patches.is_empty() {
        let reason =
            format!("no file is named; it has to be a unified diff, or begin with `{}`", codex::BEGIN);
        return Err(PatchError::new(1, reason));
    }
    Ok(patches)
}

/// A patch whose lines are all in one.
fn is_escaped(text: &str) -> bool {
    let begins = [codex::BEGIN, "--- ", "diff --git "].iter().any(|word| text.trim_start().starts_with(word));
    begins && !text.trim().contains('\n') && text.contains("\\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hunk(line: usize, old: &[&str], new: &[&str]) -> PatchHunk {
        let owned = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect();
        PatchHunk { line, old: owned(old), new: owned(new), ..PatchHunk::default() }
    }

    #[test]
    fn both_grammars_say_the_same() {
        let codex = parse(
            "*** Begin Patch\n*** Add File: new.txt\n+one\n+two\n*** Update File: a.rs\n*** Move to: b.rs\n@@ fn main() {\n \
             let x;\n-old\n+new\n\n@@\n-last\n*** End of File\n*** Delete File: gone\n*** End Patch\n",
        )
        .unwrap();
        let first = PatchHunk {
            anchors: vec!["fn main() {".into()],
            first_below: true,
            bare: (0, 1),
            ..hunk(7, &["let x;", "old", ""], &["let x;", "new", ""])
        };
        let second = PatchHunk { at_end: true, first_below: true, ..hunk(12, &["last"], &[]) };
        let update =
            Action::Update { to: Some("b.rs".into()), hunks: vec![first, second], executable: false };
        assert_eq!(
            codex,
            [
                FilePatch {
                    path: "new.txt".into(),
                    or: Vec::new(),
                    compared: false,
                    line: 2,
                    short: None,
                    plain: None,
                    if_empty: None,
                    action: Action::Add { text: "one\ntwo\n".into(), executable: false, exact: false }
                },
                FilePatch {
                    path: "a.rs".into(),
                    or: Vec::new(),
                    compared: false,
                    line: 5,
                    short: None,
                    plain: None,
                    if_empty: None,
                    action: update
                },
                FilePatch {
                    path: "gone".into(),
                    or: Vec::new(),
                    compared: false,
                    line: 15,
                    short: None,
                    plain: None,
                    if_empty: None,
                    action: Action::Delete { hunks: None }
                },
            ]
        );
        let unified = parse(
            "diff --git a/a.rs b/a.rs\nindex 1..2 100644\n--- a/a.rs\n+++ b/a.rs\n@@ -3,2 +3,2 @@ fn main() {\n let x;\n-old\n+new\n\
             diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n\
             diff --git a/o b/p\nsimilarity index 100%\nrename from o\nrename to p\n",
        )
        .unwrap();
        let change = PatchHunk { start: Some(3), ..hunk(5, &["let x;", "old"], &["let x;", "new"]) };
        assert_eq!(
            unified,
            [
                FilePatch {
                    path: "a.rs".into(),
                    or: Vec::new(),
                    compared: false,
                    line: 1,
                    short: None,
                    plain: None,
                    if_empty: None,
                    action: Action::Update { to: None, hunks: vec![change], executable: false }
                },
                FilePatch {
                    path: "n".into(),
                    or: Vec::new(),
                    compared: false,
                    line: 9,
                    short: None,
                    plain: None,
                    if_empty: None,
                    action: Action::Add { text: "x".into(), executable: true, exact: false }
                },
                FilePatch {
                    path: "o".into(),
                    or: Vec::new(),
                    compared: false,
                    line: 16,
                    short: None,
                    plain: None,
                    if_empty: None,
                    action: Action::Update { to: Some("p".into()), hunks: vec![], executable: false }
                },
            ]
        );
    }

    #[test]
    fn a_diff_of_a_text_about_patches_is_a_diff() {
        let lines = " *** Begin Patch\n *** Add File: x\n-+y\n++z\n *** End Patch\n";
        for head in
            ["--- a/doc.md\n+++ b/doc.md\n", "diff --git a/doc.md b/doc.md\n--- a/doc.md\n+++ b/doc.md\n"]
        {
            let patches = parse(&format!("{head}@@ -1,4 +1,4 @@\n{lines}")).unwrap();
            let [FilePatch { path, action: Action::Update { hunks, .. }, .. }] = patches.as_slice() else {
                panic!("{patches:?}")
            };
            assert_eq!((path.as_str(), hunks[0].old[2].as_str()), ("doc.md", "+y"));
        }
    }

    #[test]
    fn white_space_around_the_words_is_overlooked() {
        let text = "*** Add File: a\n+x\n*** Delete File: b\n*** Update File: c\n@@\n-x\n+y\n";
        let plain = parse(&format!("*** Begin Patch\n{text}*** End Patch\n")).unwrap();
        let padded = text.replace("*** ", "  *** ");
        assert_eq!(parse(&format!(" *** Begin Patch \n{padded} *** End Patch \n\n")).unwrap(), plain);
        for end in ["EOF\n", "\nPATCH", "```\n\n", " \n"] {
            assert_eq!(
                parse(&format!("*** Begin Patch\n{text}*** End Patch\n{end}")).unwrap(),
                plain,
                "{end:?}"
            );
        }
        // In a hunk it is a line like others.
        let line = "*** Begin Patch\n*** Update File: c\n@@\n *** End Patch\n-x\n+y\n*** End Patch\n";
        let Action::Update { hunks, .. } = &parse(line).unwrap()[0].action else { panic!("{line}") };
        assert_eq!(hunks[0].old, ["*** End Patch", "x"]);
    }

    #[track_caller]
    fn refused(text: &str, line: usize, reason: &str) {
        let error = parse(text).unwrap_err();
        assert!(error.line == line && error.reason.contains(reason), "{error}");
    }

    #[test]
    fn what_is_no_patch_says_where_and_why() {
        refused("", 1, "no file is named");
        refused("hello\nworld\n", 1, "no file is named");
        refused("*** Begin Patch\n*** Add File: a\n+x\n", 4, "*** End Patch");
        refused(r"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch", 1, r"two characters `\n`");
        refused(r"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", 1, r"two characters `\n`");
        refused("*** Begin Patch\n*** Update File: a\n*** End Patch\n", 2, "no hunk");
        refused("*** Begin Patch\n*** Add File: a\nx\n*** End Patch\n", 3, "`+`");
        let more = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n*** Begin Patch\n*** Delete File: b\n*** End Patch\n";
        refused(more, 4, "one beginning and one end");
        refused(
            "*** Begin Patch\n*** Delete File: a\n*** End Patch\n\n*** Delete File: b\n",
            5,
            "one beginning and one end",
        );
        refused("*** Begin Patch\nrubbish\n*** End Patch\n", 2, "*** Add File: ");
        refused("*** Begin Patch\n*** Update File: a\n@@\n?x\n*** End Patch\n", 4, "begins with");
        refused("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n?\n", 4, "begins with");
        refused("diff --git a/x b/x\nBinary files a/x and b/x differ\n", 2, "binary");
        refused(
            "diff --git a/x b/x\nold mode 100755\nnew mode 100644\n",
            3,
            "the permission to execute cannot be taken away",
        );
        refused(
            "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+t\n",
            2,
            "symbolic link",
        );
    }

    #[test]
    fn what_a_patch_cannot_do_has_another_hint_than_what_cannot_be_read() {
        for (text, hint) in [
            ("hello\n", "*** Begin Patch"),
            ("diff --git a/x b/x\nBinary files a/x and b/x differ\n", "leave that file out"),
            ("diff --git a/x b/x\nGIT binary patch\n", "leave that file out"),
            ("diff --git a/x b/x\nnew file mode 120000\n", "leave that file out"),
            ("diff --git a/x b/x\nnew file mode 160000\n", "leave that file out"),
            ("diff --cc x\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n", "against one parent"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.hint.contains(hint), "{text}: {}", error.hint);
        }
    }

    #[test]
    fn a_hunk_with_a_wrong_count_is_read_to_its_end() {
        let patches =
            parse("--- a/x\n+++ b/x\n@@ -1,9 +1,1 @@\n a\n-b\n+c\n@@ -20 +20 @@\n--- d\n+++ e\n").unwrap();
        let Action::Update { hunks, .. } = &patches[0].action else { panic!("{patches:?}") };
        assert_eq!(
            (hunks[0].old.as_slice(), hunks[1].new.as_slice()),
            (&["a".into(), "b".into()][..], &["++ e".into()][..])
        );
    }

    fn rubbish() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "*** Begin Patch",
            "*** End Patch",
            "*** Add File: a",
            "*** Delete File: b",
            "*** Update File: c",
            "*** Move to: d",
            "*** End of File",
            "@@",
            "@@ x",
            "+",
            "-",
            " ",
            "+a",
            "-b",
            " c",
            "diff --git a/x b/x",
            "--- a/x",
            "+++ b/x",
            "--- /dev/null",
            "+++ /dev/null",
            "@@ -1,2 +3,4 @@",
            "@@ -0,0 +1 @@",
            "@@ -99999999999999999999 +1 @@",
            "\\ No newline at end of file",
            "rename from é",
            "rename to \"\\303\\251\"",
            "new file mode 100644",
            "deleted file mode 1",
            "old mode 1",
            "new mode 100755",
            "Binary files differ",
            "\r",
            "```",
            "--- \"a/\\",
            "index 1..2",
            "-- ",
            "2.40.1",
            "---",
            "- x",
            "From 1234567 Mon",
            "commit 1234567",
            "1c2",
            "> x",
            "",
        ]);
        prop::collection::vec(prop_oneof![pieces.prop_map(str::to_owned), ".{0,8}"], 0..24)
            .prop_map(|lines| lines.join("\n"))
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in rubbish(), file in "[abc\n]{0,40}") {
            for patch in parse(&text).unwrap_or_default() {
                let (Action::Update { hunks, .. } | Action::Delete { hunks: Some(hunks) }) = patch.action else {
                    continue;
                };
                let _ = place(&crate::tools::fs::line_ends::LfView::new(&file), &hunks, &|| false);
            }
        }

        #[test]
        fn no_bytes_make_it_panic(text in any::<String>()) {
            let _ = parse(&text);
            let _ = parse(&format!("*** Begin Patch\n{text}\n*** End Patch"));
            let _ = parse(&format!("--- a/x\n+++ b/x\n@@ {text}"));
        }
    }
}
