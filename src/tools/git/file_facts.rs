//! Files that differ, as they are told: a table, then whole patches as far as the budget goes. The facts have every file; of the text
//! only so much is said at once, and the rest of the table is kept.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    changes::Changed,
    compare::{Compared, Comparison},
    patch::Patch,
};
use crate::{
    limits::READ_BYTES,
    text::{counted, visible},
    tools::{Call, NextCall, ToolError, Truncated},
};

/// Lines of the table that are shown; as many as `git_status` shows.
const TABLE_LINES: usize = 500;
/// Bytes of them, as of a file that is read.
const TABLE_BYTES: usize = READ_BYTES as usize;

/// A file that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileFacts {
    /// Relative to the workspace.
    pub path: String,
    /// Where it was before.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub old_path: String,
    /// `added`, `modified`, `deleted`, `renamed`, `copied`, `type_changed` or `unmerged`.
    pub status: String,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// Not compared line by line.
    pub binary: bool,
    /// Goes through a filter (LFS or the like), which does not run here; its content is not shown.
    pub filtered: bool,
}

/// The files of one difference, as they are collected.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) list: Vec<FileFacts>,
    /// Paths the configuration blocks; they are not listed.
    pub(super) blocked: u64,
    pub(super) patch: String,
    /// Files at the end whose patch did not fit.
    pub(super) left_out: usize,
    /// Bytes of the first patch that did not fit.
    pub(super) needed: usize,
    /// Some bytes are no UTF-8 and are shown as `\u{fffd}`.
    pub(super) lossy: bool,
    /// Files at the end that were only listed, because time ran out; their lines are not counted.
    late: usize,
    limit: usize,
    stat_only: bool,
}

impl Files {
    /// With so many bytes of patch, or none at all.
    pub(super) fn new(limit: usize, stat_only: bool) -> Self {
        Self { limit, stat_only, ..Self::default() }
    }

    /// Takes one more path.
    pub(super) fn take(
        &mut self,
        comparison: &mut Comparison<'_>,
        changed: &Changed,
        in_work_tree: bool,
    ) -> Result<(), ToolError> {
        match comparison.file(changed, in_work_tree)? {
            Compared::Blocked => self.blocked += 1,
            Compared::Same => {}
            Compared::File(file, patch) => self.add(file, &patch),
            Compared::Late(file) => {
                self.late += 1;
                self.left_out += 1;
                self.list.push(file);
            }
        }
        Ok(())
    }

    fn add(&mut self, file: FileFacts, patch: &Patch) {
        self.list.push(file);
        if self.stat_only {
            return;
        }
        // Once one file is left out so are all after it: what is shown is a beginning, not a choice.
        if self.left_out > 0 || self.patch.len() + patch.text.len() > self.limit {
            if self.left_out == 0 {
                self.needed = patch.text.len();
            }
            self.left_out += 1;
            return;
        }
        self.lossy |= patch.lossy;
        self.patch.push_str(&patch.text);
    }

    /// A path with conflicts; `None` for a blocked one.
    pub(super) fn unmerged(&mut self, path: Option<String>) {
        match path {
            None => self.blocked += 1,
            Some(path) => {
                self.list.push(FileFacts { path, status: "unmerged".to_owned(), ..FileFacts::default() });
            }
        }
    }

    /// One line for each file.
    fn lines(&self) -> String {
        let mut text = String::new();
        for file in &self.list {
            let name = if file.old_path.is_empty() {
                visible(&file.path).into_owned()
            } else {
                format!("{} -> {}", visible(&file.old_path), visible(&file.path))
            };
            let _ = match (file.filtered, file.binary) {
                (true, _) => writeln!(text, "{} {name} (filtered, not shown)", file.status),
                (_, true) => writeln!(text, "{} {name} (binary)", file.status),
                _ => writeln!(text, "{} {name} +{} -{}", file.status, file.added, file.removed),
            };
        }
        text
    }

    /// What they come to.
    fn sum(&self) -> String {
        let (added, removed) =
            self.list.iter().fold((0, 0), |sum, file| (sum.0 + file.added, sum.1 + file.removed));
        let mut text = if self.list.is_empty() {
            "no differences".to_owned()
        } else {
            format!("{}, +{added} -{removed}", counted(self.list.len(), "file"))
        };
        if self.late > 0 {
            let _ = write!(
                text,
                "\ntime ran out: the lines of the last {} are not counted",
                counted(self.late, "file")
            );
        }
        if self.blocked > 0 {
            let _ = write!(text, "\n{} more blocked by the configuration", self.blocked);
        }
        text
    }

    /// The table, the patches, and what was left out. Where only the beginning of the table is in it, the rest is kept.
    pub(super) fn text(&self, call: &Call, ask: &str) -> (String, Option<CutTable>) {
        let mut text = self.lines();
        let (shown, end) = beginning(&text);
        let cut = (end < text.len()).then(|| {
            let rest = counted(self.list.len() - shown, "more file");
            let table = text.clone();
            text.truncate(end);
            let cut = CutTable { handle: call.handles.keep(table), shown, total: self.list.len() };
            let next = cut.next().map(|next| format!("; next: {} {}", next.tool, next.args));
            let _ = writeln!(text, "… {rest}{}", next.unwrap_or_default());
            cut
        });
        text.push_str(&self.sum());
        if !self.patch.is_empty() {
            let _ = write!(text, "\n\n{}", self.patch);
        }
        if self.left_out > 0 {
            let _ = write!(text, "\n{} left out; {ask}", counted(self.left_out, "file"));
        }
        (text, cut)
    }

    /// What the reader should know about the patch.
    pub(super) fn warning(&self) -> Option<String> {
        self.lossy.then(|| "some lines are no UTF-8; they cannot be applied as shown".to_owned())
    }
}

/// Lines of a table that are shown, and where they end.
fn beginning(table: &str) -> (usize, usize) {
    let ends = memchr::memchr_iter(b'\n', table.as_bytes()).take(TABLE_LINES).map(|end| end + 1);
    ends.enumerate()
        .take_while(|(line, end)| *line == 0 || *end <= TABLE_BYTES)
        .last()
        .map_or((0, 0), |(line, end)| (line + 1, end))
}

/// A table of which only the beginning was shown.
#[derive(Debug)]
pub(super) struct CutTable {
    /// Where all of it is.
    pub(super) handle: Option<String>,
    shown: usize,
    total: usize,
}

impl CutTable {
    fn next(&self) -> Option<NextCall> {
        self.handle.as_deref().map(|handle| NextCall {
            tool: "fs_read".to_owned(),
            args: serde_json::json!({ "path": handle, "start_line": self.shown + 1 }),
        })
    }

    pub(super) fn truncated(&self) -> Truncated {
        let (shown, total) = (self.shown as u64, self.total as u64);
        Truncated { shown, total, unit: "files".to_owned(), next: self.next() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_cut_between_lines() {
        let line = format!("{}\n", "x".repeat(TABLE_BYTES / 3));
        for (table, shown, end) in [
            (String::new(), 0, 0),
            ("a\nb\n".to_owned(), 2, 4),
            ("a\n".repeat(TABLE_LINES + 1), TABLE_LINES, TABLE_LINES * 2),
            (line.repeat(3), 2, line.len() * 2),
            // Whatever its length, one is shown.
            (line.replace('\n', "").repeat(4) + "\n" + &line, 1, (line.len() - 1) * 4 + 1),
        ] {
            assert_eq!(beginning(&table), (shown, end));
        }
    }
}
