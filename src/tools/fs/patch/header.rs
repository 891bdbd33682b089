//! What git says of a file between `diff --git` and its names. Pure.

use super::{
    PatchError, PatchHunk,
    names::{Prefixes, is_called, unquoted},
};

/// What git says of a file in front of its hunks.
#[derive(Default)]
pub(super) struct Header {
    pub(super) old: Option<String>,
    pub(super) new: Option<String>,
    /// Git wrote it.
    pub(super) is_git: bool,
    /// What stands in front of both names, where the first line tells.
    pub(super) prefixes: Option<Prefixes>,
    /// A line between the first one and the names says what becomes of the file.
    pub(super) speaks: bool,
    pub(super) renamed: bool,
    /// There is a line `rename from`, `rename to`.
    pub(super) rename_lines: (bool, bool),
    pub(super) added: bool,
    pub(super) deleted: bool,
    /// By its time there is nothing: before, after.
    pub(super) epoch: (bool, bool),
    pub(super) was_executable: bool,
    pub(super) executable: bool,
    /// The line, from 1, by which nobody may execute it.
    pub(super) plain: Option<usize>,
}

impl Header {
    /// Reads a line of it; false when the line is none.
    pub(super) fn read(&mut self, text: &str, number: usize) -> Result<bool, PatchError> {
        let refused = |reason: &str| Err(PatchError::impossible(number, reason));
        if let Some(mode) = text.strip_prefix("new file mode ").or_else(|| text.strip_prefix("new mode ")) {
            self.added |= text.starts_with("new file");
            match mode.trim() {
                "100644" | "100664" if self.was_executable => {
                    return refused(
                        "the permission to execute cannot be taken away by a patch; a command can do it",
                    );
                }
                "100644" | "100664" => self.plain = (!text.starts_with("new file")).then_some(number),
                "100755" => self.executable = true,
                "120000" => return refused("a symbolic link cannot be made by a patch"),
                _ => return refused("only files with mode 100644 or 100755 can be made"),
            }
        } else if let Some(mode) = text.strip_prefix("old mode ") {
            self.was_executable = mode.trim() == "100755";
        } else if text.starts_with("deleted file mode ") {
            self.deleted = true;
        } else if let Some(path) = text.strip_prefix("rename from ") {
            (self.old, self.renamed) = (Some(unquoted(path)), true);
            self.rename_lines.0 = true;
        } else if let Some(path) = text.strip_prefix("rename to ") {
            (self.new, self.renamed) = (Some(unquoted(path)), true);
            self.rename_lines.1 = true;
        } else if text.starts_with("copy from ") || text.starts_with("copy to ") {
            return refused("a copy cannot be made by a patch; use fs_move with copy=true, then patch it");
        } else if text.starts_with("Binary files ") || text.starts_with("GIT binary patch") {
            return refused("a binary file cannot be patched");
        } else if let Some(mode) = text.strip_prefix("index ").and_then(|ids| ids.trim_end().rsplit_once(' '))
        {
            match mode.1 {
                "120000" => return refused("where a symbolic link leads cannot be changed by a patch"),
                "160000" => {
                    return refused("which commit a submodule stands at cannot be changed by a patch");
                }
                _ => return Ok(true),
            }
        } else {
            return Ok(["index ", "similarity index ", "dissimilarity index "]
                .iter()
                .any(|word| text.starts_with(word)));
        }
        self.speaks = true;
        Ok(true)
    }

    /// The new file has this name.
    pub(super) fn has_new_name(&self, name: &str) -> bool {
        (self.deleted && name == "/dev/null") || self.new.as_deref().is_some_and(|new| is_called(name, new))
    }

    /// What git says of a file in front of its names it says of no other.
    pub(super) fn check_names(&self, old: &str, new: &str, line: usize) -> Result<(), PatchError> {
        let is_it = |name: &str, told: Option<&str>| told.is_none_or(|told| is_called(name, told));
        let agrees = |name: &str, told: Option<&str>, is_gone: bool| {
            if name == "/dev/null" { is_gone && !self.renamed } else { is_it(name, told) }
        };
        let fits =
            agrees(old, self.old.as_deref(), self.added) && agrees(new, self.new.as_deref(), self.deleted);
        if fits || !self.speaks {
            return Ok(());
        }
        Err(PatchError {
            line,
            reason: "these names are not those that stand above them".to_owned(),
            hint: "what `diff --git` and the lines below it say belongs to one file: put `diff --git a/PATH b/PATH` in front of another one",
        })
    }

    /// One thing becomes of the file, which begins at `line`, and each hunk says something that can happen to it.
    pub(super) fn check(&self, hunks: &[PatchHunk], line: usize) -> Result<(), PatchError> {
        if self.rename_lines.0 != self.rename_lines.1 {
            let reason = "of `rename from` and `rename to` one is missing".to_owned();
            return Err(PatchError {
                line,
                reason,
                hint: "write both, or none where the file keeps its name",
            });
        }
        if [self.renamed, self.added, self.deleted].into_iter().filter(|is_said| *is_said).count() > 1 {
            let reason = "what is said of this file cannot all become of it".to_owned();
            let hint = "a file gets another name, or it is new, or it goes: leave out what is not meant";
            return Err(PatchError { line, reason, hint });
        }
        if let Some(hunk) = hunks.iter().find(|hunk| hunk.old.is_empty() && hunk.new.is_empty()) {
            let hint = "write its lines below it, or leave it out";
            return Err(PatchError { line: hunk.line, reason: "this hunk has no lines".to_owned(), hint });
        }
        if self.deleted
            && let Some(hunk) = hunks.iter().find(|hunk| !hunk.new.is_empty())
        {
            let reason = "no line of a file that is deleted stays or comes".to_owned();
            let hint = "take away each of its lines, or name the file twice where it stays";
            return Err(PatchError { line: hunk.line, reason, hint });
        }
        Ok(())
    }
}
