//! Files of the work tree become what a tree or the index says: planned path by path, then made through the workspace's door.
//!
//! Nothing is written by libgit2 or gix, which go by names: the door goes by handles, keeps to the law, and writes only over what
//! the plan was made for. What is changed is listed for the journal, so that it can be undone.

use std::collections::{BTreeMap, BTreeSet};

use gix::{
    ObjectId,
    bstr::{BString, ByteSlice},
};

use super::{
    attributes::{Rules, ToWorkTree},
    changes::Entry,
    rule_files::ATTRIBUTES,
    side::{self, EXECUTABLE, LINK, SUBMODULE},
};
use crate::{
    change::{Owner, SET_ID, is_below},
    ids::Etag,
    policy::{ChangeOp, FileChange, Node, PathChange, PathClass, Permit, Raise},
    relpath::RelPath,
    text,
    tools::{
        Call, Code, ToolError, diff,
        fs::{names::judged, text_file::TextFile},
    },
    workspace::{
        DoorError,
        repository::Repository,
        restore::Content,
        walk::{WalkKind, stat_walked},
    },
};

/// Paths of one call: a person has to look at them.
pub(super) const PATHS_MAX: usize = 2000;
/// Bytes of all files of one call.
const BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Larger contents are shown by size and hash only.
const SHOWN_BYTES: u64 = 512 * 1024;
/// All the hunks of one plan; what is beyond is shown by size and hash too.
const HUNK_BYTES: usize = 1024 * 1024;

/// What a path becomes.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) path: RelPath,
    pub(super) git_path: BString,
    /// `None`: it goes.
    pub(super) to: Option<Entry>,
}

/// All that one call changes in the work tree, in the order in which it is done.
#[derive(Debug, Default)]
pub(super) struct Checkout {
    pub(super) changes: Vec<PathChange>,
    pub(super) shown: Vec<FileChange>,
    /// Bytes that the journal has to keep.
    kept_bytes: u64,
    /// Why they are not kept; `None`: they are.
    pub(super) not_kept: Option<Raise>,
    /// Protected paths among what changes: asked about one by one, whatever the tool's tier is.
    protected: Vec<Raise>,
    /// Where the bytes of a file come from.
    sources: BTreeMap<String, (BString, Entry)>,
    /// Whose rule files count.
    rules: Rules,
}

/// Plans the targets; what is as wanted already is left out. `tree` is where all of one comes.
pub(super) fn plan(
    call: &Call,
    repository: &Repository,
    reader: &gix::Repository,
    targets: Vec<Target>,
    tree: Option<ObjectId>,
) -> Result<Checkout, ToolError> {
    if targets.len() > PATHS_MAX {
        return Err(too_many_paths(targets.len()));
    }
    let rules = tree.map_or_else(|| restored_rules(&targets), Rules::Tree);
    let mut planner = Planner {
        call,
        repository,
        reader,
        bytes: ToWorkTree::new(call, repository, reader, &rules)?,
        done: Checkout { rules, ..Checkout::default() },
        total: 0,
        hunk_bytes: 0,
        next_hunk: 1,
        changed: Vec::new(),
    };
    let (gone, come): (Vec<_>, Vec<_>) = targets.into_iter().partition(|target| target.to.is_none());
    let removed: BTreeSet<RelPath> = gone.iter().map(|target| target.path.clone()).collect();
    for target in gone {
        planner.take(target)?;
    }
    planner.remove_folders(&removed, &come)?;
    planner.create_folders(&come)?;
    for target in come {
        planner.take(target)?;
    }
    let (mut done, changed) = (planner.done, planner.changed);
    done.protected = judged(call, &changed)?;
    done.not_kept = call.not_kept(done.kept_bytes);
    for file in &mut done.shown {
        file.undoable = done.not_kept.is_none();
    }
    Ok(done)
}

/// The rule files among the targets: they count for all the others.
fn restored_rules(targets: &[Target]) -> Rules {
    let is_rules =
        |target: &&Target| target.git_path.rsplit_str("/").next().is_some_and(|name| name == ATTRIBUTES);
    let files = targets.iter().filter(is_rules);
    let files = files.filter_map(|target| {
        let entry = target.to.filter(|to| to.mode != LINK && to.mode != SUBMODULE)?;
        Some((target.git_path.clone(), entry))
    });
    Rules::WorkTree(files.collect())
}

struct Planner<'a> {
    call: &'a Call,
    repository: &'a Repository,
    reader: &'a gix::Repository,
    bytes: ToWorkTree<'a>,
    done: Checkout,
    total: u64,
    hunk_bytes: usize,
    next_hunk: u32,
    /// Files and links, not folders.
    changed: Vec<RelPath>,
}

impl Planner<'_> {
    fn take(&mut self, target: Target) -> Result<(), ToolError> {
        self.call.check_cancelled()?;
        let Target { path, git_path, to } = target;
        let (rules, slashed) = (self.call.workspace.rules(), path.to_slashed());
        if rules.classify(&slashed) >= PathClass::Forbidden {
            return Err(DoorError::forbidden(rules, &slashed, path.to_string()).into());
        }
        let name = path.to_text();
        let before = self.stands(&path, &name)?;
        let (after, content) = match to {
            None => (None, Vec::new()),
            Some(entry) => {
                let (node, content) = self.becomes(&path, &git_path, entry, before.as_ref())?;
                self.done.sources.insert(name.clone(), (git_path, entry));
                (Some(node), content)
            }
        };
        if Node::same(before.as_ref(), after.as_ref()) {
            return Ok(());
        }
        let change = PathChange { path: name, before, after, copied_from: None };
        let shown = self.show(&change, &content);
        self.done.shown.push(shown);
        self.done.changes.push(change);
        self.changed.push(path);
        Ok(())
    }

    /// What is there now. A folder that is about to be emptied and removed counts as nothing.
    fn stands(&self, path: &RelPath, name: &str) -> Result<Option<Node>, ToolError> {
        let removed = self.done.changes.iter().any(|change| change.path == *name && change.after.is_none());
        let found = if removed { None } else { standing(self.call, path)? };
        match found {
            Some(Node::Folder { .. }) => {
                Err(DoorError::WrongType { path: name.to_owned(), found: "a folder", wanted: "a file" }
                    .into())
            }
            found => Ok(found),
        }
    }

    fn becomes(
        &mut self,
        path: &RelPath,
        git_path: &BString,
        entry: Entry,
        before: Option<&Node>,
    ) -> Result<(Node, Vec<u8>), ToolError> {
        if entry.mode == SUBMODULE {
            return Err(ToolError::new(
                Code::UnsupportedHere,
                format!("`{path}` is a submodule, which is not supported here"),
                "the user can do this with git itself",
            ));
        }
        let stored = side::object(self.repository, self.reader, entry)?;
        if self.bytes.is_link(entry) {
            let target = gix::path::from_bstr(stored.as_bstr()).map_err(ToolError::internal)?;
            let target = text::from_os(target.as_os_str()).into_owned();
            return Ok((Node::Link { target }, stored));
        }
        let content = self.bytes.convert(git_path.as_bstr(), entry, stored)?;
        self.total += content.len() as u64;
        if self.total > BYTES_MAX {
            return Err(too_many("the files are larger than 256 MiB together".to_owned()));
        }
        let etag = Etag::of(&content);
        let (mode, owner) = rights(entry.mode == EXECUTABLE, before, &etag);
        let bytes = content.len() as u64;
        // Other bytes leave those of a file alone.
        let file = before.filter(|before| matches!(before, Node::File { .. }));
        let attributes = file.map(|file| file.attributes().clone()).unwrap_or_default();
        let node = Node::File { etag, bytes, mode, owner, attributes };
        Ok((node, content))
    }

    fn show(&mut self, change: &PathChange, after: &[u8]) -> FileChange {
        let bytes_of = |node: &Option<Node>| match node {
            Some(Node::File { bytes, .. }) => *bytes,
            Some(Node::Link { target }) => target.len() as u64,
            _ => 0,
        };
        let etag_of = |node: &Option<Node>| match node {
            Some(Node::File { etag, .. }) => Some(etag.clone()),
            Some(Node::Link { target }) => Some(Etag::of(target.as_bytes())),
            _ => None,
        };
        let (before_bytes, after_bytes) = (bytes_of(&change.before), bytes_of(&change.after));
        let (mut hunks, mut line_ends) = (Vec::new(), None);
        let small = before_bytes.max(after_bytes) <= SHOWN_BYTES && self.hunk_bytes <= HUNK_BYTES;
        if small && let (Some(before), Some(after)) = (self.text_now(change), decoded(after)) {
            hunks = diff::hunks(&before, &after, &mut self.next_hunk);
            line_ends = diff::line_ends(&before, &after);
            self.hunk_bytes += hunks.iter().flat_map(|hunk| &hunk.lines).map(String::len).sum::<usize>();
        }
        let (added, removed) = diff::counts(&hunks);
        self.done.kept_bytes += before_bytes;
        let executable = |node: &Option<Node>| matches!(node, Some(Node::File { mode: Some(mode), .. }) if mode & 0o111 != 0);
        FileChange {
            path: change.path.clone(),
            op: match (&change.before, &change.after) {
                (None, _) => ChangeOp::Create,
                (_, None) => ChangeOp::Delete,
                _ => ChangeOp::Overwrite,
            },
            from: None,
            entries: None,
            before_etag: etag_of(&change.before),
            after_etag: etag_of(&change.after),
            before_bytes,
            after_bytes,
            executable: executable(&change.after) && !executable(&change.before),
            mode: change.after.as_ref().and_then(Node::octal_mode),
            mode_before: None,
            undoable: true,
            added,
            removed,
            line_ends,
            hunks,
        }
    }

    /// The text that is there; empty where nothing is.
    fn text_now(&self, change: &PathChange) -> Option<String> {
        match &change.before {
            None => Some(String::new()),
            Some(Node::Link { target }) => Some(target.clone()),
            Some(Node::File { .. }) => decoded(&self.call.workspace.content(&change.path, SHOWN_BYTES).ok()?),
            Some(Node::Folder { .. }) => None,
        }
    }

    /// Folders that only held what goes, or stand empty where a file comes; git does not know empty ones.
    fn remove_folders(&mut self, removed: &BTreeSet<RelPath>, come: &[Target]) -> Result<(), ToolError> {
        let mut gone = removed.clone();
        let mut folders: BTreeSet<(std::cmp::Reverse<usize>, RelPath)> = BTreeSet::new();
        for target in come {
            let found = folders_at(self.call, &target.path)?;
            folders.extend(
                found.into_iter().map(|here| (std::cmp::Reverse(here.as_path().components().count()), here)),
            );
        }
        for path in removed {
            let mut folder = path.parent();
            while let Some(here) = folder.filter(|here| here != self.repository.folder() && !here.is_root()) {
                folders.insert((std::cmp::Reverse(here.as_path().components().count()), here.clone()));
                folder = here.parent();
            }
        }
        for (_, folder) in folders {
            // Something comes below it: it stays.
            let needed = come
                .iter()
                .any(|target| target.path != folder && target.path.as_path().starts_with(folder.as_path()));
            let stands = standing(self.call, &folder)?;
            if needed || !matches!(stands, Some(Node::Folder { .. })) {
                continue;
            }
            let entries = self.call.workspace.handle().read_dir(folder.as_path());
            let entries = entries.map_err(|error| DoorError::io(&folder, error))?;
            let empty = entries
                .into_iter()
                .all(|entry| entry.is_ok_and(|entry| gone.contains(&folder.join(entry.file_name()))));
            if empty {
                let path = folder.to_text();
                self.done.changes.push(PathChange { path, before: stands, after: None, copied_from: None });
                gone.insert(folder);
            }
        }
        Ok(())
    }

    /// Folders on the way to what comes.
    fn create_folders(&mut self, come: &[Target]) -> Result<(), ToolError> {
        let mut folders: BTreeSet<RelPath> = BTreeSet::new();
        for target in come {
            let mut folder = target.path.parent();
            while let Some(here) = folder.filter(|here| here != self.repository.folder() && !here.is_root()) {
                folder = here.parent();
                if !folders.insert(here) {
                    break;
                }
            }
        }
        for folder in folders {
            let path = folder.to_text();
            let freed = self.done.changes.iter().any(|change| change.path == path && change.after.is_none());
            match standing(self.call, &folder)? {
                Some(Node::Folder { .. }) => {}
                Some(_) if !freed => {
                    let found = "a file or link";
                    return Err(DoorError::WrongType { path, found, wanted: "a folder" }.into());
                }
                _ => self.done.changes.push(PathChange {
                    path,
                    before: None,
                    after: Some(Node::folder()),
                    copied_from: None,
                }),
            }
        }
        Ok(())
    }
}

/// The bits of the file that is there, with or without those to execute; `None` for a new one that is as any.
fn rights(executable: bool, before: Option<&Node>, after: &Etag) -> (Option<u32>, Option<Owner>) {
    let Some(&Node::File { mode: Some(mode), owner, ref etag, .. }) = before else {
        return (executable.then_some(0o755), None);
    };
    // Set-id bits vouch for the bytes that are there.
    let mode = if etag == after { mode } else { mode & !SET_ID };
    let mode = if executable { mode | ((mode & 0o444) >> 2) } else { mode & !0o111 };
    (Some(mode), owner)
}

/// What stands at a path. Below a file or a link stands nothing, although nothing can be put there either.
pub(super) fn standing(call: &Call, path: &RelPath) -> Result<Option<Node>, ToolError> {
    let handle = call.workspace.handle();
    let is_below_file = || {
        let above = path.as_path().ancestors().skip(1).filter_map(RelPath::from_plain);
        above
            .into_iter()
            .any(|here| matches!(stat_walked(handle, &here), Ok(Some(WalkKind::File | WalkKind::Link))))
    };
    match call.workspace.node(&path.to_text()) {
        Err(_) if is_below_file() => Ok(None),
        found => Ok(found?),
    }
}

/// The folder at `path` and all that are in it; none where no folder stands.
pub(super) fn folders_at(call: &Call, path: &RelPath) -> Result<Vec<RelPath>, ToolError> {
    let handle = call.workspace.handle();
    let mut found = Vec::new();
    let mut waiting = vec![path.clone()];
    while let Some(here) = waiting.pop() {
        if !matches!(stat_walked(handle, &here), Ok(Some(WalkKind::Dir))) {
            continue;
        }
        let entries = handle.read_dir(here.as_path()).map_err(|error| DoorError::io(&here, error))?;
        let folders =
            entries.filter_map(Result::ok).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        waiting.extend(folders.map(|entry| here.join(entry.file_name())));
        found.push(here);
        if found.len() > PATHS_MAX {
            return Err(too_many_paths(found.len()));
        }
    }
    Ok(found)
}

fn decoded(bytes: &[u8]) -> Option<String> {
    TextFile::decode_lossy(bytes)
}

pub(super) fn too_many_paths(count: usize) -> ToolError {
    too_many(format!("{count} paths would change; the limit is {PATHS_MAX}"))
}

fn too_many(message: String) -> ToolError {
    ToolError::new(Code::TooLarge, message, "name fewer paths; the user can do it with git itself")
}

impl Checkout {
    /// Makes the changes in order; how many were made, with what stopped it.
    pub(super) fn make(
        &self,
        call: &Call,
        permit: &Permit,
        repository: &Repository,
        reader: &gix::Repository,
    ) -> Result<(), (usize, ToolError)> {
        let mut bytes = ToWorkTree::new(call, repository, reader, &self.rules).map_err(|error| (0, error))?;
        for (made, change) in self.rule_files_go_last().into_iter().enumerate() {
            let done = call
                .check_cancelled()
                .and_then(|()| self.content(change, repository, reader, &mut bytes))
                .and_then(|content| Ok(call.workspace.put(permit, change, content.map(Content::Bytes))?));
            done.map_err(|error| (made, error))?;
        }
        Ok(())
    }

    /// The changes in an order in which each file is made by the rules that its plan was made by: a rule file that goes does so when
    /// nothing is left to be made, and the folders around it after it.
    fn rule_files_go_last(&self) -> Vec<&PathChange> {
        if matches!(self.rules, Rules::Tree(_)) {
            return self.changes.iter().collect();
        }
        let goes = |change: &PathChange| change.after.is_none();
        let is_rules = |change: &PathChange| {
            goes(change) && change.path.rsplit('/').next().is_some_and(|name| name.as_bytes() == ATTRIBUTES)
        };
        let turns_around =
            |path: &str| self.changes.iter().any(|other| !goes(other) && is_below(path, &other.path));
        let late: Vec<&PathChange> =
            self.changes.iter().filter(|change| is_rules(change) && !turns_around(&change.path)).collect();
        let waits = |change: &PathChange| {
            goes(change)
                && late.iter().any(|rules| rules.path == change.path || is_below(&rules.path, &change.path))
        };
        let (waiting, mut changes): (Vec<&PathChange>, Vec<&PathChange>) =
            self.changes.iter().partition(|change| waits(change));
        changes.extend(waiting);
        changes
    }

    fn content(
        &self,
        change: &PathChange,
        repository: &Repository,
        reader: &gix::Repository,
        bytes: &mut ToWorkTree<'_>,
    ) -> Result<Option<Vec<u8>>, ToolError> {
        let Some(Node::File { etag, .. }) = &change.after else { return Ok(None) };
        let Some((git_path, entry)) = self.sources.get(&change.path) else {
            return Err(ToolError::internal("a file without a source"));
        };
        let content = bytes.convert(git_path.as_bstr(), *entry, side::object(repository, reader, *entry)?)?;
        // The rule files may have changed since: what was shown is what is written.
        if Etag::of(&content) != *etag {
            return Err(super::add::changed_meanwhile());
        }
        Ok(Some(content))
    }

    /// Git's name of each file or link that comes, and what it is made of.
    pub(super) fn sources(&self) -> impl Iterator<Item = &(BString, Entry)> {
        self.sources.values()
    }

    /// Why it is asked more strictly than the tool's tier says.
    pub(super) fn raises(&self) -> Vec<Raise> {
        self.protected.iter().chain(&self.not_kept).cloned().collect()
    }

    /// Files, not folders, that change.
    pub(super) fn files(&self) -> usize {
        self.shown.len()
    }
}
