//! The patch of one path that differs, whichever sides it has: commits, the index, the work tree.

use gix::bstr::{BStr, ByteSlice};

use super::{
    changes::{Changed, Entry},
    file_facts::FileFacts,
    patch::{FileDiff, Half, Patch},
    shown,
    side::{self, WorkTree},
};
use crate::{
    tools::{Call, ToolError},
    workspace::repository::Repository,
};

/// Makes patches of one repository.
pub(super) struct Comparison<'a> {
    call: &'a Call,
    repository: &'a Repository,
    reader: &'a gix::Repository,
    work_tree: WorkTree<'a>,
    context: usize,
}

/// What became of a path.
#[derive(Debug)]
pub(super) enum Compared {
    /// The configuration blocks it.
    Blocked,
    /// It only looked different.
    Same,
    /// It differs so.
    File(FileFacts, Patch),
}

impl<'a> Comparison<'a> {
    /// With so many unchanged lines around each change.
    pub(super) fn new(
        call: &'a Call,
        repository: &'a Repository,
        reader: &'a gix::Repository,
        context: usize,
    ) -> Result<Self, ToolError> {
        Ok(Self { call, repository, reader, work_tree: WorkTree::new(call, repository, reader)?, context })
    }

    /// Compares the sides of `changed`; with `in_work_tree` its new one is a file of the work tree.
    pub(super) fn file(&mut self, changed: &Changed, in_work_tree: bool) -> Result<Compared, ToolError> {
        let from = changed.from.as_ref().map(|from| shown(self.repository, self.call, from.as_bstr()));
        let path = shown(self.repository, self.call, changed.path.as_bstr());
        let (Some(path), None | Some(Some(_))) = (path, &from) else { return Ok(Compared::Blocked) };
        let git_path: &BStr = changed.path.as_bstr();
        let old_path = from.flatten();
        let mut file = FileFacts {
            path: path.to_text(),
            old_path: old_path.as_ref().map(crate::relpath::RelPath::to_text).unwrap_or_default(),
            status: changed.change.to_owned(),
            ..FileFacts::default()
        };
        let reads_file = in_work_tree && changed.change != "deleted";
        if reads_file && self.work_tree.filter(&path, git_path)?.is_some() {
            (file.filtered, file.binary) = (true, true);
            return Ok(Compared::File(file, Patch::default()));
        }
        let new = if reads_file {
            match self.work_tree.stored(&path, git_path, changed.old.map(|old| old.mode))? {
                Some(stored) => {
                    let id =
                        gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, &stored.bytes)
                            .map_err(ToolError::internal)?;
                    Some(Half { mode: stored.mode, id, bytes: stored.bytes })
                }
                None => None,
            }
        } else {
            changed.new.map(|entry| self.half(entry)).transpose()?
        };
        let diff = FileDiff {
            path: path.to_slashed(),
            old_path: old_path.map(|path| path.to_slashed()),
            copied: changed.change == "copied",
            old: changed.old.map(|entry| self.half(entry)).transpose()?,
            new,
            no_text: self.work_tree.is_no_text(&path, git_path)?,
        };
        // Equal after conversion: only the time stamp differs.
        if let (Some(old), Some(new)) = (&diff.old, &diff.new)
            && (old.id, old.mode) == (new.id, new.mode)
            && diff.old_path.is_none()
        {
            return Ok(Compared::Same);
        }
        let patch = diff.patch(self.context);
        if diff.new.is_none() && !diff.is_submodule() {
            "deleted".clone_into(&mut file.status);
        }
        (file.added, file.removed, file.binary) = (patch.added, patch.removed, patch.binary);
        Ok(Compared::File(file, patch))
    }

    fn half(&self, entry: Entry) -> Result<Half, ToolError> {
        let bytes = side::object(self.repository, self.reader, entry)?;
        Ok(Half { mode: entry.mode, id: entry.id, bytes })
    }
}
