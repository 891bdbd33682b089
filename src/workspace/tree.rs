//! All that stands at a name: a file, a link, or a folder with everything in it, read through handles and without following a link.
//!
//! What is listed here is what a move or a delete is about, so it is all or an error: what the law hides, what no tool may change
//! and what cannot be put back again is refused, never skipped.

use std::{ffi::OsStr, fs::File, io};

use cap_std::fs::Dir;

use super::{
    DoorError, FileKind, Stat, Workspace, WorkspacePath, handle, kernel, node, planned::Planned,
    read::wrong_kind, temporary,
};
use crate::{
    change::{Node, Rights, SET_ID},
    policy::{PathClass, PathRules},
    relpath::RelPath,
    text,
};

/// Deeper trees are made by a fault or to make trouble; every level holds a handle.
const DEPTH_MAX: usize = 200;

/// One name of a tree.
#[derive(Clone, Debug)]
pub struct TreeEntry {
    /// Relative to the workspace.
    pub path: RelPath,
    /// What stands there.
    pub node: Node,
    stat: Stat,
}

impl TreeEntry {
    /// It runs as somebody to whom this process can give nothing back.
    pub fn loses_set_id(&self) -> bool {
        let kept = if let Node::File { mode: Some(mode), .. } = self.node { mode } else { self.stat.mode };
        (self.stat.mode & !kept) & SET_ID != 0
    }

    /// What a copy of it is: whoever makes it owns it, and a folder around it has a say.
    pub fn copied(&self) -> Node {
        match self.node.clone() {
            Node::File { etag, bytes, attributes, .. } => {
                Rights::file(Some(handle::rights_of_copy(&self.stat)), etag, bytes)
                    .with_attributes(attributes)
            }
            Node::Folder { .. } => Node::folder(),
            link @ Node::Link { .. } => link,
        }
    }
}

/// What stands at a name.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// A folder before what is in it; the first is the name itself.
    pub entries: Vec<TreeEntry>,
    /// Bytes of all files.
    pub bytes: u64,
}

/// How much of a tree is looked at.
#[derive(Clone, Copy, Debug)]
pub struct TreeLimits {
    /// Names, the first included.
    pub entries: usize,
    /// Bytes of all files.
    pub bytes: u64,
}

impl Tree {
    /// The same names with the same things: nothing has changed.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.entries.len() == other.entries.len()
            && self
                .entries
                .iter()
                .zip(&other.entries)
                .all(|(one, other)| one.path == other.path && one.node == other.node)
    }

    /// What is known of each of them, however it is called.
    pub(super) fn by_identity(&self) -> Planned {
        self.entries.iter().map(|entry| (entry.stat.identity, entry.stat)).collect()
    }

    /// The same files as far as can be told without reading them again.
    pub(super) fn looks_same(&self, stats: &[Stat]) -> bool {
        self.entries.len() == stats.len()
            && self.entries.iter().zip(stats).all(|(entry, now)| {
                let then = &entry.stat;
                then.identity == now.identity
                    && then.kind == now.kind
                    && then.size == now.size
                    && then.modified == now.modified
            })
    }
}

impl Workspace {
    /// What stands at `path` and is to go, or to get another name; `stop` is asked between two names.
    pub fn tree(
        &self,
        path: &WorkspacePath,
        limits: TreeLimits,
        stop: &dyn Fn() -> bool,
    ) -> Result<Tree, DoorError> {
        self.read_tree(path, limits, stop, true)
    }

    /// The same of what is only read: it may stand where nothing may be changed.
    pub fn tree_to_copy(
        &self,
        path: &WorkspacePath,
        limits: TreeLimits,
        stop: &dyn Fn() -> bool,
    ) -> Result<Tree, DoorError> {
        self.read_tree(path, limits, stop, false)
    }

    fn read_tree(
        &self,
        path: &WorkspacePath,
        limits: TreeLimits,
        stop: &dyn Fn() -> bool,
        changes: bool,
    ) -> Result<Tree, DoorError> {
        self.check_exists(path)?;
        let mut reading = Reading {
            rules: self.rules(),
            given: path.given(),
            limits,
            stop,
            sweeps: changes && !self.read_only(),
            changes,
            tree: Tree::default(),
        };
        reading.name(&path.parent, &path.name, path.resolved().clone(), 0)?;
        Ok(reading.tree)
    }
}

struct Reading<'a> {
    rules: &'a PathRules,
    given: &'a str,
    limits: TreeLimits,
    stop: &'a dyn Fn() -> bool,
    sweeps: bool,
    /// It is about to go or to get another name.
    changes: bool,
    tree: Tree,
}

impl Reading<'_> {
    fn name(&mut self, parent: &Dir, name: &OsStr, path: RelPath, depth: usize) -> Result<(), DoorError> {
        if (self.stop)() {
            return Err(DoorError::Stopped { path: self.given.to_owned() });
        }
        self.check_law(&path)?;
        if self.tree.entries.len() >= self.limits.entries || depth > DEPTH_MAX {
            let limit = format!("{} entries or {DEPTH_MAX} levels", self.limits.entries);
            return Err(DoorError::TooMany { path: self.given.to_owned(), limit });
        }
        let failed = |error| DoorError::io(&path, error);
        let stat = handle::stat(parent, name).map_err(failed)?;
        let node = match stat.kind {
            FileKind::Folder => return self.folder(parent, name, path, stat, depth),
            FileKind::Link => {
                let target = handle::read_seen_link(parent, name).map_err(failed)?;
                Node::Link { target: text::from_os(target.as_os_str()).into_owned() }
            }
            FileKind::File => {
                self.check_size(stat.size)?;
                let node =
                    file_node(handle::open_file(parent, name).map_err(failed)?, stat, &path, self.stop);
                if (self.stop)() {
                    return Err(DoorError::Stopped { path: self.given.to_owned() });
                }
                node?
            }
            other => return Err(wrong_kind(&path.to_string(), other, "a file, a folder or a link")),
        };
        self.tree.entries.push(TreeEntry { path, node, stat });
        Ok(())
    }

    fn folder(
        &mut self,
        parent: &Dir,
        name: &OsStr,
        path: RelPath,
        stat: Stat,
        depth: usize,
    ) -> Result<(), DoorError> {
        let failed = |error| DoorError::io(&path, error);
        if kernel::is_mount_point(parent, name).map_err(failed)? {
            return Err(DoorError::MountPoint { path: path.to_string() });
        }
        let folder = handle::open_folder_to_read(parent, name).map_err(failed)?;
        let mut names = temporary::names(&folder).map_err(failed)?;
        // What a process that was killed left here is nothing of the user's: it is not shown, not copied, and never comes back.
        if self.sweeps && names.iter().any(|name| temporary::is_one(name)) {
            temporary::sweep(&folder);
            names = temporary::names(&folder).map_err(failed)?;
        }
        if !self.changes {
            names.retain(|name| !temporary::is_one(name));
        }
        if self.changes && !names.is_empty() {
            handle::check_writable(parent, name).map_err(failed)?;
        }
        let Rights { mode, owner } = handle::rights(&stat);
        let node = Node::Folder { mode: Some(mode), owner, attributes: handle::attributes(&folder) };
        self.tree.entries.push(TreeEntry { path: path.clone(), node, stat });
        names.iter().try_for_each(|name| self.name(&folder, name, path.join(name), depth + 1))
    }

    fn check_law(&self, path: &RelPath) -> Result<(), DoorError> {
        let slashed = path.to_slashed();
        match self.rules.why(&slashed) {
            // A blocked name is not told, not even here.
            Some((PathClass::Blocked, glob)) => {
                let by = self.rules.blocker(&slashed);
                Err(DoorError::HoldsBlocked { path: self.given.to_owned(), glob: glob.to_owned(), by })
            }
            Some((PathClass::Forbidden, _)) if self.changes => {
                Err(DoorError::forbidden(self.rules, &slashed, path.to_string()))
            }
            _ => Ok(()),
        }
    }

    fn check_size(&mut self, size: u64) -> Result<(), DoorError> {
        self.tree.bytes = self.tree.bytes.saturating_add(size);
        if self.tree.bytes > self.limits.bytes {
            let (path, size, limit) = (self.given.to_owned(), self.tree.bytes, self.limits.bytes);
            return Err(DoorError::TooLarge { path, size, limit });
        }
        Ok(())
    }
}

fn file_node(file: File, named: Stat, path: &RelPath, stop: &dyn Fn() -> bool) -> Result<Node, DoorError> {
    let failed = |error| DoorError::io(path, error);
    let stat = handle::stat_open(&file).map_err(failed)?;
    if stat.identity != named.identity || stat.kind != FileKind::File {
        return Err(DoorError::Stale { path: path.to_string() });
    }
    let attributes = handle::attributes(&file);
    let (etag, bytes) = node::hashed(file, stop).map_err(failed)?;
    Ok(Rights::file(Some(handle::rights(&stat)), etag, bytes).with_attributes(attributes))
}

/// The stats of all that stands at a name, in the order of [`Tree::entries`]; nothing is read.
pub(super) fn stats(parent: &Dir, name: &OsStr, into: &mut Vec<Stat>) -> io::Result<()> {
    let stat = handle::stat(parent, name)?;
    into.push(stat);
    if stat.kind != FileKind::Folder {
        return Ok(());
    }
    let folder = handle::open_folder_to_read(parent, name)?;
    temporary::names(&folder)?.iter().try_for_each(|name| stats(&folder, name, into))
}
