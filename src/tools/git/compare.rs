//! The patch of one path that differs, whichever sides it has: commits, the index, the work tree.

use std::{
    path::MAIN_SEPARATOR,
    time::{Duration, Instant},
};

use gix::{
    bstr::{BStr, BString, ByteSlice},
    diff::blob::Algorithm,
};

use super::{
    attributes::Attributes,
    changes::{Changed, Entry},
    file_facts::FileFacts,
    patch::{FileDiff, Half, Patch, Style},
    shown,
    side::{self, FILE_BYTES, SUBMODULE, WorkTree, check_rule_files},
};
use crate::{
    limits,
    relpath::RelPath,
    tools::{Call, Code, ToolError},
    workspace::repository::Repository,
};

/// Makes patches of one repository.
pub(super) struct Comparison<'a> {
    call: &'a Call,
    repository: &'a Repository,
    reader: &'a gix::Repository,
    /// `None` where only commits are compared.
    work_tree: Option<WorkTree<'a>>,
    attributes: Attributes<'a>,
    style: Style,
    deadline: Instant,
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
    /// It differs, and there was no time to see how.
    Late(FileFacts),
}

/// Why nothing is shown of what only a question opens.
const SECRET: &str =
    "it is named as if it held a secret; fs_read, or git_show with its `path`, asks the user";

fn deadline() -> Instant {
    Instant::now() + Duration::from_secs(limits::SEARCH_SECONDS)
}

/// As the user has told git to compare. The smallest difference, which git offers too, may take hours and is not looked for.
fn style(reader: &gix::Repository, context: usize) -> Style {
    let algorithm = match reader.config_snapshot().string("diff.algorithm") {
        Some(name) if name.eq_ignore_ascii_case(b"histogram") => Algorithm::Histogram,
        _ => Algorithm::Myers,
    };
    Style { context, algorithm }
}

impl<'a> Comparison<'a> {
    /// With so many unchanged lines around each change.
    pub(super) fn new(
        call: &'a Call,
        repository: &'a Repository,
        reader: &'a gix::Repository,
        context: usize,
    ) -> Result<Self, ToolError> {
        let work_tree = Some(WorkTree::new(call, repository, reader)?);
        let attributes = Attributes::new(repository, reader)?;
        Ok(Self {
            call,
            repository,
            reader,
            work_tree,
            attributes,
            style: style(reader, context),
            deadline: deadline(),
        })
    }

    /// Of commits alone: the index is not read.
    pub(super) fn of_commits(
        call: &'a Call,
        repository: &'a Repository,
        reader: &'a gix::Repository,
        context: usize,
    ) -> Result<Self, ToolError> {
        let attributes = Attributes::without_index(repository, reader)?;
        Ok(Self {
            call,
            repository,
            reader,
            work_tree: None,
            attributes,
            style: style(reader, context),
            deadline: deadline(),
        })
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
            old_path: old_path.as_ref().map(RelPath::to_text).unwrap_or_default(),
            status: changed.change.to_owned(),
            ..FileFacts::default()
        };
        if Instant::now() >= self.deadline {
            return Ok(Compared::Late(file));
        }
        if [changed.old, changed.new].into_iter().flatten().any(|entry| self.is_too_large(entry)) {
            file.binary = true;
            return Ok(Compared::File(file, Patch::default()));
        }
        for path in std::iter::once(&path).chain(&old_path) {
            match check_rule_files(self.call, self.repository, path) {
                Err(error) if error.code == Code::PermissionDenied => {
                    return Ok(closed(changed, file, (path, old_path.as_ref())));
                }
                checked => checked?,
            }
        }
        let attributes = self.attributes.of(git_path)?;
        let (old_as_text, old_language) = match (&changed.from, &old_path) {
            (Some(from), Some(_)) => {
                let old = self.attributes.of(from.as_bstr())?;
                (old.as_text, old.language)
            }
            _ => (attributes.as_text, None),
        };
        let mut work_tree = self.work_tree.as_mut().filter(|_| {
            // A submodule's new side is the commit it stands at.
            in_work_tree && changed.change != "deleted" && changed.new.is_none()
        });
        if let Some(work_tree) = work_tree.as_mut().filter(|_| attributes.foreign.is_some())
            && work_tree.foreign(&path, git_path)?.is_some()
        {
            (file.filtered, file.binary) = (true, true);
            return Ok(Compared::File(file, Patch::default()));
        }
        let new = if let Some(work_tree) = work_tree {
            match work_tree.stored(&path, git_path, changed.old.map(|old| old.mode)) {
                Err(error) if error.code == Code::PermissionDenied => {
                    return Ok(closed(changed, file, (&path, old_path.as_ref())));
                }
                Err(error) => return Err(error),
                Ok(Some(stored)) => {
                    let id =
                        gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, &stored.bytes)
                            .map_err(ToolError::internal)?;
                    let (mode, bytes, as_text) = (stored.mode, stored.bytes, attributes.as_text);
                    Some(Half { mode, id, bytes, as_text })
                }
                Ok(None) => None,
            }
        } else {
            changed.new.map(|entry| self.half(entry, attributes.as_text)).transpose()?
        };
        let diff = FileDiff {
            path: bytes(&path),
            old_path: old_path.as_ref().map(bytes),
            copied: changed.change == "copied",
            old: changed.old.map(|entry| self.half(entry, old_as_text)).transpose()?,
            new,
            language: old_language.or(attributes.language),
        };
        // Equal after conversion: only the time stamp differs.
        if let (Some(old), Some(new)) = (&diff.old, &diff.new)
            && (old.id, old.mode) == (new.id, new.mode)
            && diff.old_path.is_none()
        {
            // The file is as we had it; the conflict is there all the same.
            let is_unmerged = changed.change == "unmerged";
            return Ok(if is_unmerged { Compared::File(file, Patch::default()) } else { Compared::Same });
        }
        let rules = self.call.workspace.rules();
        let secret =
            std::iter::once(&path).chain(&old_path).any(|path| rules.looks_secret(&path.to_slashed()));
        let leads_to_blocked = |path: &RelPath, half: Option<&Half>| {
            half.is_some_and(|half| side::leads_to_blocked(self.call, path, half.mode, &half.bytes))
        };
        let patch = if secret {
            diff.withheld(SECRET)
        } else if leads_to_blocked(old_path.as_ref().unwrap_or(&path), diff.old.as_ref())
            || leads_to_blocked(&path, diff.new.as_ref())
        {
            diff.withheld("it is a link to what is blocked")
        } else {
            diff.patch(self.style)
        };
        if diff.new.is_none() && !diff.is_submodule() && changed.change != "unmerged" {
            "deleted".clone_into(&mut file.status);
        }
        (file.added, file.removed, file.binary) = (patch.added, patch.removed, patch.binary);
        Ok(Compared::File(file, patch))
    }

    /// What cannot be held is listed all the same.
    fn is_too_large(&self, entry: Entry) -> bool {
        entry.mode != SUBMODULE
            && self
                .reader
                .try_find_header(entry.id)
                .ok()
                .flatten()
                .is_some_and(|header| header.size() > FILE_BYTES)
    }

    fn half(&self, entry: Entry, as_text: Option<bool>) -> Result<Half, ToolError> {
        let bytes = side::object(self.repository, self.reader, entry)?;
        Ok(Half { mode: entry.mode, id: entry.id, bytes, as_text })
    }
}

/// A file that the user may not read, or for which rules are written that he may not read: that it differs is all that is known.
fn closed(
    changed: &Changed,
    mut file: FileFacts,
    (path, old_path): (&RelPath, Option<&RelPath>),
) -> Compared {
    let half = |entry: Entry| Half { mode: entry.mode, id: entry.id, bytes: Vec::new(), as_text: None };
    let old = changed.old.map(half);
    let diff = FileDiff {
        path: bytes(path),
        old_path: old_path.map(bytes),
        copied: changed.change == "copied",
        new: changed.new.map(half).or_else(|| changed.old.map(half)),
        old,
        language: None,
    };
    file.binary = true;
    Compared::File(file, diff.withheld("this user may not read it, or the rules for it"))
}

/// The path as git writes it: with `/`, every byte of its names as it is.
fn bytes(path: &RelPath) -> BString {
    let mut bytes = path.as_path().as_os_str().as_encoded_bytes().to_vec();
    bytes.iter_mut().filter(|byte| char::from(**byte) == MAIN_SEPARATOR).for_each(|byte| *byte = b'/');
    bytes.into()
}
