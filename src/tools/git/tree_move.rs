//! The work tree and the index go from one commit's tree to another's: what a switch and a fast-forward share.
//!
//! Nothing local is ever lost: a changed, staged or untracked file that would be overwritten refuses the move. One that fails half
//! way is taken back. The branch itself is not touched here.

use std::{
    collections::{BTreeSet, HashMap},
    io::Read as _,
};

use gix::{
    ObjectId,
    bstr::{BString, ByteSlice as _},
};

use super::{
    attributes::{Rules, ToWorkTree},
    between::{between, entry_at},
    changes::{Changed, Entry, Untracked, Wanted, changes},
    checkout::{self, Checkout, Target},
    left_alone::LeftAlone,
    libgit2, racily_clean,
    renames::STATUS,
    revision, shown,
    side::{self, FILE_BYTES, FileStat, SUBMODULE},
    stage,
    status::operation,
};
use crate::{
    ids::Etag,
    policy::{Node, Permit},
    relpath::RelPath,
    text::counted,
    tools::{Call, Code, ToolError},
    workspace::{
        repository::{Holding, Repository, RepositoryError},
        restore::Content,
        walk::{WalkKind, open_walked, stat_walked},
    },
};

/// Paths that a refusal names.
const NAMED: usize = 10;

/// A move that was planned.
#[derive(Debug)]
pub(super) struct TreeMove {
    pub(super) checkout: Checkout,
    /// What the index gets.
    entries: Vec<Target>,
    /// The tree that is left.
    before: Option<ObjectId>,
}

impl TreeMove {
    /// From the tree of one commit to that of another; `None` is the empty tree.
    pub(super) fn plan(
        call: &Call,
        repository: &Repository,
        reader: &gix::Repository,
        (from, to): (Option<ObjectId>, Option<ObjectId>),
    ) -> Result<Self, ToolError> {
        let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
        let tree = |commit: Option<ObjectId>| {
            commit.map(|commit| revision::tree_of(reader, commit)).transpose().map_err(broken)
        };
        let (old, new) = (tree(from)?, tree(to)?);
        let entries = if old == new {
            Vec::new()
        } else {
            safe(call, repository, reader, between((call, repository), reader, (old, new), false)?)?
        };
        let checkout = checkout::plan(call, repository, reader, entries.clone(), new)?;
        Ok(Self { checkout, entries, before: old })
    }

    /// Makes it: the files, then the index and what `point` does to HEAD and the branch, which names what it did when this was planned,
    /// all at once. Whatever fails, all is taken back. The index is built first, because it is what a full disk refuses.
    pub(super) fn make(
        &self,
        call: &Call,
        permit: &Permit,
        repository: &Repository,
        (reader, opened): (&gix::Repository, &git2::Repository),
        (branch, named): (&str, Option<git2::Oid>),
        point: impl FnOnce(&mut Holding) -> Result<(), ToolError>,
    ) -> Result<(), ToolError> {
        let mut holding = repository.hold(permit, &[b"index", b"HEAD", branch.as_bytes()])?;
        // Before any file is touched: from here on nobody moves it.
        holding.check_reference(opened, branch, named)?;
        let mut index = None;
        if !self.entries.is_empty() {
            let mut built = holding.index(opened)?;
            self.update_index((call, repository), &holding, &mut built, |_| FileStat::default())?;
            holding.put_index();
            index = Some(built);
        }
        let own = OwnBytes::read(self, call, repository, reader)?;
        let done = self.checkout.make(call, permit, repository, reader).and_then(|()| {
            // What the files are like spares git a look at each of them; without it everything is right as well.
            if let Some(index) = &mut index {
                let stat = |path: &RelPath| side::stat_at(call, path);
                let _ = self.update_index((call, repository), &holding, index, stat);
            }
            let put = point(&mut holding).and_then(|()| Ok(holding.put()?));
            put.map_err(|error| (self.checkout.changes.len(), error))
        });
        done.map_err(|(made, error)| self.take_back(call, permit, (repository, reader), (made, &own), error))
    }

    /// The paths that change.
    pub(super) fn files(&self) -> Vec<String> {
        self.checkout.shown.iter().map(|file| file.path.clone()).collect()
    }

    /// The index has what the other branch has; everything else in it stays.
    fn update_index(
        &self,
        (call, repository): (&Call, &Repository),
        holding: &Holding,
        index: &mut git2::Index,
        stat: impl Fn(&RelPath) -> FileStat,
    ) -> Result<(), ToolError> {
        let failed = |error: git2::Error| libgit2(repository, &error);
        for target in &self.entries {
            let place =
                gix::path::from_bstr(target.git_path.as_bstr()).map_err(|error| repository.broken(&error))?;
            match target.to {
                None => index.remove_path(&place).map_err(failed)?,
                Some(entry) => {
                    let stat = stat(&target.path);
                    let entry = stage::entry(target.git_path.as_bstr(), oid(entry.id), entry.mode, stat);
                    index.add(&entry).map_err(failed)?;
                }
            }
        }
        racily_clean::write(call, repository, holding, index)
    }

    /// After a failure half way: what was changed becomes again what it was.
    fn take_back(
        &self,
        call: &Call,
        permit: &Permit,
        (repository, reader): (&Repository, &gix::Repository),
        (made, own): (usize, &OwnBytes),
        mut error: ToolError,
    ) -> ToolError {
        let mut stored = Stored::new(self, call, repository, reader);
        let mut left = Vec::new();
        for change in self.checkout.changes[..made].iter().rev() {
            let content = match &change.before {
                Some(Node::File { etag, .. }) => match own.of(&change.path) {
                    Some(bytes) => Ok(Some(bytes.to_vec())),
                    None => stored.content(&change.path, etag),
                },
                _ => Ok(None),
            };
            // A file without its bytes is an error, unless it stands there.
            let back = content.and_then(|content| {
                Ok(call.workspace.put(permit, &change.reversed(), content.map(Content::Bytes))?)
            });
            if back.is_err() {
                left.push(format!("`{}`", change.path));
            }
        }
        let words = if left.is_empty() {
            "nothing was changed".to_owned()
        } else {
            let more = if left.len() > NAMED { ", …" } else { "" };
            let named = left.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            format!(
                "{} of {} not as before: {named}{more}; the branch was not changed",
                left.len(),
                counted(self.checkout.changes.len(), "path"),
            )
        };
        error.message = format!("{}; {words}", error.message);
        error
    }
}

/// What a checkout of the tree that is left would write.
struct Stored<'a> {
    call: &'a Call,
    repository: &'a Repository,
    reader: &'a gix::Repository,
    tree: Option<ObjectId>,
    targets: HashMap<String, &'a Target>,
    /// Only where a file is not as it is stored.
    rules: Option<ToWorkTree<'a>>,
}

impl<'a> Stored<'a> {
    fn new(
        tree_move: &'a TreeMove,
        call: &'a Call,
        repository: &'a Repository,
        reader: &'a gix::Repository,
    ) -> Self {
        let targets = tree_move.entries.iter().map(|target| (target.path.to_text(), target));
        Self { call, repository, reader, tree: tree_move.before, targets: targets.collect(), rules: None }
    }

    /// The bytes that have this etag; `None` where a checkout would write others.
    fn content(&mut self, path: &str, etag: &Etag) -> Result<Option<Vec<u8>>, ToolError> {
        let (Some(target), Some(tree)) = (self.targets.get(path), self.tree) else { return Ok(None) };
        let git_path = target.git_path.as_bstr();
        let found = entry_at(self.reader, tree, git_path).map_err(|error| self.repository.broken(&error))?;
        let Some(entry) = found else { return Ok(None) };
        let stored = side::object(self.repository, self.reader, entry)?;
        if Etag::of(&stored) == *etag {
            return Ok(Some(stored));
        }
        if self.rules.is_none() {
            let rules = Rules::Tree(tree);
            self.rules = Some(ToWorkTree::new(self.call, self.repository, self.reader, &rules)?);
        }
        let Some(rules) = &mut self.rules else { return Ok(None) };
        let content = rules.convert(git_path, entry, stored)?;
        Ok((Etag::of(&content) == *etag).then_some(content))
    }
}

/// Files that count as unchanged and are not what a checkout writes (other line ends, an id that was filled in): where the move fails,
/// their bytes cannot be made again.
#[derive(Default)]
struct OwnBytes(HashMap<String, Vec<u8>>);

impl OwnBytes {
    fn read(
        tree_move: &TreeMove,
        call: &Call,
        repository: &Repository,
        reader: &gix::Repository,
    ) -> Result<Self, ToolError> {
        let (mut own, mut left) = (Self::default(), FILE_BYTES);
        let mut stored = Stored::new(tree_move, call, repository, reader);
        for change in &tree_move.checkout.changes {
            call.check_cancelled()?;
            let Some(Node::File { etag, .. }) = &change.before else { continue };
            // What cannot be made is no reason not to begin.
            if matches!(stored.content(&change.path, etag), Ok(Some(_))) {
                continue;
            }
            let Some(target) = stored.targets.get(&change.path) else { continue };
            let opened = open_walked(call.workspace.handle(), &target.path);
            let Some((file, _)) = opened.ok().filter(|(_, metadata)| metadata.len() <= left) else {
                continue;
            };
            let mut bytes = Vec::new();
            let is_whole = file.take(left + 1).read_to_end(&mut bytes).is_ok_and(|read| read as u64 <= left);
            if is_whole && Etag::of(&bytes) == *etag {
                left -= bytes.len() as u64;
                own.0.insert(change.path.clone(), bytes);
            }
        }
        Ok(own)
    }

    fn of(&self, path: &str) -> Option<&[u8]> {
        self.0.get(path).map(Vec::as_slice)
    }
}

pub(super) fn oid(id: ObjectId) -> git2::Oid {
    git2::Oid::from_bytes(id.as_bytes()).unwrap_or(git2::Oid::ZERO_SHA1)
}

/// A merge in progress would be carried to another branch; a locked index could not be written in the end.
pub(super) fn refuse_busy(
    repository: &Repository,
    opened: &git2::Repository,
    call: &Call,
) -> Result<(), ToolError> {
    let state = opened.state();
    let conflicts = opened.index().map_err(|error| libgit2(repository, &error))?.has_conflicts();
    if conflicts || !matches!(state, git2::RepositoryState::Clean | git2::RepositoryState::Bisect) {
        let what = if state == git2::RepositoryState::Clean { "unmerged paths" } else { operation(state) };
        return Err(ToolError::new(
            Code::MergeInProgress,
            format!("the repository at `{}` has {what} in progress", repository.folder()),
            "finish or abort it first; the user can do that with git itself",
        ));
    }
    let lock = repository.folder().join(".git").join("index.lock");
    if call.workspace.handle().symlink_metadata(lock.as_path()).is_ok() {
        let path = repository.folder().to_string();
        return Err(RepositoryError::Locked { path, lock: "index.lock".to_owned() }.into());
    }
    Ok(())
}

/// What the change means for each path, once nothing local can be lost by it.
fn safe(
    call: &Call,
    repository: &Repository,
    reader: &gix::Repository,
    changed: Vec<Changed>,
) -> Result<Vec<Target>, ToolError> {
    let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
    let wanted = Wanted {
        staged: None,
        unstaged: true,
        untracked: Untracked::No,
        renames: STATUS,
        believes_index: false,
    };
    let local = changes(repository, wanted, call)?;
    let index = reader.index_or_empty().map_err(broken)?;
    let goes: BTreeSet<BString> =
        changed.iter().filter(|changed| changed.new.is_none()).map(|changed| changed.path.clone()).collect();
    let (mut lost, mut blocked, mut targets) = (Vec::new(), 0, Vec::new());
    for Changed { path: git_path, old, new, .. } in changed {
        let Some(path) = shown(repository, call, git_path.as_bstr()) else {
            blocked += 1;
            continue;
        };
        if [old, new].into_iter().flatten().any(|entry| entry.mode == SUBMODULE) {
            return Err(ToolError::new(
                Code::UnsupportedHere,
                format!("the branches differ in the submodule `{path}`"),
                "the user can switch with git itself",
            ));
        }
        let staged = index
            .entry_by_path(git_path.as_bstr())
            .map(|entry| Entry { mode: entry.mode.bits(), id: entry.id });
        if staged == new {
            // As it will be, whatever the work tree makes of it; but no file that is gone from both should be there.
            let stands = if new.is_none() { checkout::standing(call, &path)? } else { None };
            if stands.is_some_and(|stands| !matches!(stands, Node::Folder { .. })) {
                lost.push(path);
            }
            continue;
        }
        let here = local.unstaged.iter().find(|changed| changed.path == git_path);
        let is_deleted = here.is_some_and(|here| here.change == "deleted");
        let in_the_way = (old.is_none() || is_deleted) && stands_in_the_way(call, repository, &path, &goes)?;
        // A file that is not there has nothing to lose.
        let is_gone = is_deleted && !in_the_way && checkout::standing(call, &path)?.is_none();
        if staged != old || in_the_way || (here.is_some() && !is_gone) {
            lost.push(path);
            continue;
        }
        targets.push(Target { path, git_path, to: new });
    }
    if !lost.is_empty() {
        let names: Vec<String> = lost.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
        let more =
            if lost.len() > NAMED { format!(" and {} more", lost.len() - NAMED) } else { String::new() };
        return Err(ToolError::new(
            Code::Stale,
            format!("local changes of {}{more} would be lost", names.join(", ")),
            "commit them first (git_add, git_commit), or discard them with git_restore or fs_delete",
        ));
    }
    if blocked > 0 {
        return Err(ToolError::new(
            Code::BlockedPath,
            format!("{} of the other branch blocked by the configuration", counted(blocked, "path")),
            "what cannot be shown is not written; the user can switch with git itself",
        ));
    }
    let written = targets.iter().map(|target| &target.git_path);
    LeftAlone::new(repository, reader)?.refuse((call, repository), written)?;
    Ok(targets)
}

/// True when something untracked stands where a file of the other branch has to come, or on the way to it.
fn stands_in_the_way(
    call: &Call,
    repository: &Repository,
    path: &RelPath,
    goes: &BTreeSet<BString>,
) -> Result<bool, ToolError> {
    let handle = call.workspace.handle();
    let is_going =
        |path: &RelPath| repository.in_repository(path).is_some_and(|inside| goes.contains(inside.as_bstr()));
    let mut folder = path.parent();
    while let Some(here) = folder.filter(|here| !here.is_root() && here != repository.folder()) {
        match stat_walked(handle, &here).unwrap_or(Some(WalkKind::Other)) {
            Some(WalkKind::Dir) => break,
            None => {}
            // Below a file stands nothing.
            Some(_) => return Ok(!is_going(&here)),
        }
        folder = here.parent();
    }
    match call.workspace.node(&path.to_text())? {
        None => Ok(false),
        // Only what goes may be in it.
        Some(Node::Folder { .. }) => Ok(!holds_only(call, path, &is_going)),
        Some(_) => Ok(!is_going(path)),
    }
}

/// True when everything below a folder is going.
fn holds_only(call: &Call, folder: &RelPath, is_going: &impl Fn(&RelPath) -> bool) -> bool {
    let Ok(entries) = call.workspace.handle().read_dir(folder.as_path()) else { return false };
    entries.into_iter().all(|entry| {
        entry.is_ok_and(|entry| {
            let path = folder.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => holds_only(call, &path, is_going),
                Ok(_) => is_going(&path),
                Err(_) => false,
            }
        })
    })
}
