//! Names that go, get another place, or are made: as one step, at every instant either before or after it.
//!
//! What goes is first put aside under a temporary name, looked at once more, and only then taken apart; what is copied is built
//! under a temporary name and takes its own when it is whole. A link is moved and removed itself, never what it leads to.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use cap_std::fs::Dir;

use super::{
    DoorError, FileKind, Workspace, WorkspacePath,
    displace::{self, beside, changed, lasting_names, refused, return_to, take_apart, take_free, take_place},
    handle, kernel, node,
    planned::Planned,
    replace::{Folders, sync_folder},
    temporary,
    tree::{self, Tree, TreeLimits},
};
use crate::{
    change::{Node, Owner},
    policy::{PathClass, Permit},
};

/// Whether something may stand at the new name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Nothing.
    Free,
    /// This, which is replaced.
    Replaces(Node),
    /// The same file in other letters, where the file system does not tell them apart.
    SameFile,
}

impl Workspace {
    /// Refuses names that no tool may change, before anything is prepared.
    pub fn check_name(&self, path: &WorkspacePath) -> Result<(), DoorError> {
        self.check_changes(path)?;
        path.check_place()
    }

    /// Takes away what stands at a temporary name, where a process that died left it there; false where somebody has it yet.
    pub fn take_leftover(&self, path: &WorkspacePath) -> Result<bool, DoorError> {
        self.check_changes(path)?;
        self.sweep_beside([path.resolved().to_slashed().as_str()], None);
        Ok(handle::stat(&path.parent, &path.name).is_err_and(|error| error.kind() == io::ErrorKind::NotFound))
    }

    /// Refuses places that no tool may change.
    fn check_changes(&self, path: &WorkspacePath) -> Result<(), DoorError> {
        if self.read_only() {
            return Err(DoorError::ReadOnly { workspace: self.closed_by().to_owned() });
        }
        if path.resolved().is_root() {
            return Err(DoorError::IsRoot { path: path.given().to_owned() });
        }
        let (rules, slashed) = (self.rules(), path.resolved().to_slashed());
        if path.class() >= PathClass::Forbidden
            || rules.holds_own_files(&slashed)
            || rules.read_only_below(&slashed).is_some()
        {
            return Err(DoorError::forbidden(rules, &slashed, path.given()));
        }
        match rules.leads_through(&slashed) {
            Some(workspace) => {
                Err(DoorError::OnTheWay { path: path.given().to_owned(), workspace: workspace.to_owned() })
            }
            None => Ok(()),
        }
    }

    /// True when both are one file whose name differs in letters that the file system takes for the same.
    pub fn is_respelled(&self, from: &WorkspacePath, to: &WorkspacePath) -> bool {
        let fold = |path: &WorkspacePath| crate::policy::fold(&path.resolved().to_slashed());
        let identity =
            |path: &WorkspacePath| handle::stat(&path.parent, &path.name).map(|stat| stat.identity);
        from.name != to.name
            && fold(from) == fold(to)
            && matches!((identity(from), identity(to)), (Ok(from), Ok(to)) if from == to)
            && !are_two_names(from, to)
    }

    /// Removes all that stands at `path`, if it is what was planned. What could not be taken apart any more is named. Here as below,
    /// `stop` is asked as long as nothing has changed.
    pub fn remove(
        &self,
        permit: &Permit,
        path: &WorkspacePath,
        planned: &Tree,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<String>, DoorError> {
        self.check_permit(permit, path)?;
        self.check_unchanged(path, planned, stop)?;
        if let Some((stuck, error)) = stuck(&path.parent, &path.name, path.given().as_ref()) {
            return Err(DoorError::io(stuck.to_string_lossy(), error));
        }
        let failed = |error| DoorError::io(path.given(), error);
        let planned_by_identity = planned.by_identity();
        let aside = Aside::for_name(path, &planned_by_identity).map_err(failed)?;
        let (here, there) =
            ((&*path.parent, path.name.as_os_str()), (&*aside.folder, aside.name.as_os_str()));
        let put_aside = kernel::rename_free(here, there).map_err(failed);
        put_aside.inspect_err(|_| aside.leave(path))?;
        let mut now = Vec::new();
        if tree::stats(there.0, there.1, &mut now).is_err() || !planned.looks_same(&now) {
            let kept = return_to(there, here);
            aside.leave(path);
            return Err(refused(path.given(), changed(kept)));
        }
        let left = take_apart(there, &planned_by_identity).err().map(|error| {
            let kept = return_to(there, here).map(|kept| beside(path.given(), &kept));
            still_there(kept.as_deref().unwrap_or(path.given()), &error)
        });
        aside.leave(path);
        let _ = sync_folder(&path.parent);
        Ok(left)
    }

    /// Gives what stands at `from`, if it is what was planned, the name `to`. Missing folders are made.
    pub fn rename(
        &self,
        permit: &Permit,
        (from, planned): (&WorkspacePath, &Tree),
        to: &WorkspacePath,
        target: &Target,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), DoorError> {
        self.check_permit(permit, from)?;
        self.check_permit(permit, to)?;
        self.check_unchanged(from, planned, stop)?;
        let mut folders = Folders::create(to)?;
        let source = (&*from.parent, from.name.as_os_str());
        let place = (&*folders.last, to.name.as_os_str());
        let failed = |error| {
            let at = if is_about_target(&error, source.0, place.0) { to } else { from };
            DoorError::io(at.given(), error)
        };
        let renamed = match target {
            Target::Free => kernel::rename_free(source, place).map_err(failed),
            Target::SameFile => handle::rename_to(source, place).map_err(failed),
            Target::Replaces(node) => {
                check_node(place, node, to).and_then(|_held| rename_over(source, place).map_err(failed))
            }
        };
        renamed.inspect_err(|_| folders.remove())?;
        let _ = sync_folder(&folders.last);
        let _ = sync_folder(&from.parent);
        Ok(())
    }

    /// Makes a copy of what stands at `from` in a workspace, this one or another, if it is what was planned, at `to`. Missing
    /// folders are made.
    pub fn copy(
        &self,
        permit: &Permit,
        source: (&Self, &WorkspacePath, &Tree),
        to: &WorkspacePath,
        target: &Target,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), DoorError> {
        self.check_permit(permit, to)?;
        let mut folders = Folders::create(to)?;
        let made = self.copy_into(source, &folders.last, to, target, stop);
        made.inspect_err(|_| folders.remove())?;
        let _ = sync_folder(&folders.last);
        Ok(())
    }

    fn copy_into(
        &self,
        (home, from, planned): (&Self, &WorkspacePath, &Tree),
        folder: &Arc<Dir>,
        to: &WorkspacePath,
        target: &Target,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), DoorError> {
        let failed = |error| DoorError::io(to.given(), error);
        // The copy is built in a folder of its own, so that it is one name that appears, whatever it is.
        let (aside, inside, held) = temporary::create_folder(folder).map_err(failed)?;
        let built = || -> Result<(), DoorError> {
            let name = to.name.as_os_str();
            let copied = copy_name((&from.parent, &from.name), (&inside, name), stop);
            to.go_on(stop).and(copied.map_err(failed))?;
            // What was copied has to be what was planned: the copy is read, and the source looked at again.
            let copy = WorkspacePath { parent: Arc::new(inside.try_clone().map_err(failed)?), ..to.clone() };
            let copy = self.tree_to_copy(&WorkspacePath { kind: from.kind, ..copy }, ALL, stop)?;
            let is_same = copy.entries.len() == planned.entries.len()
                && copy
                    .entries
                    .iter()
                    .zip(&planned.entries)
                    .all(|(copy, old)| copy.node.holds_the_same(&old.node));
            if !is_same {
                return Err(DoorError::Stale { path: from.given().to_owned() });
            }
            let now = home.tree_to_copy(from, ALL, stop);
            check_same(now, planned, from)?;
            let (new, place) = ((&inside, name), (&**folder, name));
            match target {
                Target::Replaces(node) => take_place(new, place, &check_node(place, node, to)?.seen),
                _ => take_free(new, place),
            }
            .map_err(|error| refused(to.given(), error))
        };
        let done = built();
        let _ = temporary::purge(folder, &aside);
        drop(held);
        done
    }

    /// Makes the folder `path` and those on the way to it.
    pub fn make_folder(&self, permit: &Permit, path: &WorkspacePath) -> Result<(), DoorError> {
        self.check_permit(permit, path)?;
        let mut folders = Folders::create(path)?;
        let failed = |error| DoorError::io(path.given(), error);
        handle::create_folder(&folders.last, &path.name).map_err(failed).inspect_err(|_| folders.remove())?;
        let _ = sync_folder(&folders.last);
        Ok(())
    }

    fn check_permit(&self, permit: &Permit, path: &WorkspacePath) -> Result<(), DoorError> {
        if !permit.allows_write() {
            return Err(DoorError::NotPermitted { path: path.given().to_owned() });
        }
        self.check_name(path)
    }

    fn check_unchanged(
        &self,
        path: &WorkspacePath,
        planned: &Tree,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), DoorError> {
        check_same(self.tree(path, ALL, stop), planned, path)
    }
}

fn check_same(now: Result<Tree, DoorError>, planned: &Tree, path: &WorkspacePath) -> Result<(), DoorError> {
    match now {
        Ok(now) if now.is_same(planned) => Ok(()),
        Err(stopped @ DoorError::Stopped { .. }) => Err(stopped),
        _ => Err(DoorError::Stale { path: path.given().to_owned() }),
    }
}

/// Whether a file that is found by both is there twice, as hard links, and not only once under a name that is read either way.
fn are_two_names(from: &WorkspacePath, to: &WorkspacePath) -> bool {
    let folder = |path: &WorkspacePath| handle::stat(&path.parent, ".".as_ref()).map(|stat| stat.identity);
    if !matches!((folder(from), folder(to)), (Ok(from), Ok(to)) if from == to) {
        return true;
    }
    temporary::names(&from.parent).is_ok_and(|names| names.contains(&from.name) && names.contains(&to.name))
}

/// Puts `from` in the place of `to`. Of two hard links of one file the system would leave both, and call it done; so the first takes a
/// temporary name, which is taken away if it is left.
fn rename_over(from: (&Dir, &OsStr), to: (&Dir, &OsStr)) -> io::Result<()> {
    if handle::stat(from.0, from.1)?.identity != handle::stat(to.0, to.1)?.identity {
        return handle::rename_to(from, to);
    }
    let name = temporary::name();
    let aside = (to.0, name.as_os_str());
    kernel::rename_free(from, aside)?;
    handle::rename_to(aside, to).inspect_err(|_| drop(kernel::rename_free(aside, from)))?;
    match handle::remove_file(aside.0, aside.1) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether it is the new name that the system has something against, and not the old one: it does not say which.
fn is_about_target(error: &io::Error, from: &Dir, to: &Dir) -> bool {
    let may_change = |folder: &Dir| handle::check_writable(folder, ".".as_ref()).is_ok();
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            may_change(from) && !may_change(to)
        }
        io::ErrorKind::NotFound | io::ErrorKind::ResourceBusy => false,
        _ => true,
    }
}

/// The plan had its limits; what is compared with it has none of its own.
const ALL: TreeLimits = TreeLimits { entries: usize::MAX, bytes: u64::MAX };

/// The first name, `name` itself or one below it, that this user could not take away: a folder goes as a whole or not at all.
fn stuck(folder: &Dir, name: &OsStr, path: &Path) -> Option<(PathBuf, io::Error)> {
    let here = |error| Some((path.to_path_buf(), error));
    match kernel::check_removable(folder, name).and_then(|()| handle::stat(folder, name)) {
        Err(error) => return here(error),
        Ok(stat) if stat.kind != FileKind::Folder => return None,
        Ok(_) => {}
    }
    let opened = handle::open_folder_to_read(folder, name);
    let names = opened.and_then(|opened| Ok((temporary::names(&opened)?, opened)));
    match names {
        Err(error) => here(error),
        Ok((names, _)) if names.is_empty() => None,
        Ok((names, opened)) => match kernel::check_emptiable(folder, name) {
            Err(error) => here(error),
            Ok(()) => names.iter().find_map(|name| stuck(&opened, name, &path.join(name))),
        },
    }
}

/// Where something is put before it is taken apart, held so that nobody takes it for left behind.
struct Aside {
    folder: Arc<Dir>,
    name: OsString,
    /// The temporary name in the folder of the path.
    top: OsString,
    _held: Vec<File>,
}

impl Aside {
    fn for_name(path: &WorkspacePath, planned: &Planned) -> io::Result<Self> {
        temporary::sweep_once(&path.parent);
        let held = match handle::stat(&path.parent, &path.name)?.kind {
            FileKind::Folder => {
                let folder = handle::open_folder_to_read(&path.parent, &path.name)?;
                let is_empty = temporary::names(&folder)?.is_empty();
                let held = folder.into_std_file();
                // An empty one is gone at once, and may be one that gets no other place.
                if !is_empty {
                    temporary::hold(&held);
                    let name = path.name.clone();
                    return Ok(match temporary::create_old(&path.parent, planned) {
                        Ok((top, folder, around)) => {
                            Self { folder: Arc::new(folder), name, top, _held: vec![around, held] }
                        }
                        // On a full disk there is room for nothing more, and no list of what was planned: no sweep may take this away.
                        Err(_) => Self::at(path, lasting_name(&name), held),
                    });
                }
                held
            }
            FileKind::File => handle::open_file(&path.parent, &path.name)?,
            // A link cannot be held, so it goes into a folder that can.
            _ => {
                let (top, folder, held) = temporary::create_folder(&path.parent)?;
                let name = path.name.clone();
                return Ok(Self { folder: Arc::new(folder), name, top, _held: vec![held] });
            }
        };
        temporary::hold(&held);
        Ok(Self::at(path, temporary::name(), held))
    }

    /// Beside it, under this name.
    fn at(path: &WorkspacePath, top: OsString, held: File) -> Self {
        Self { folder: Arc::clone(&path.parent), name: top.clone(), top, _held: vec![held] }
    }

    /// Takes away what was made for it, once nothing is in it.
    fn leave(&self, path: &WorkspacePath) {
        if temporary::is_old(&self.top) {
            temporary::leave_old(&path.parent, &self.top);
        } else {
            let _ = handle::remove_folder(&path.parent, &self.top);
        }
    }
}

/// A name beside it that no sweep takes away.
fn lasting_name(name: &OsStr) -> OsString {
    /// Room for the rest, also where a file system has less of it than others.
    const LONG: usize = 100;
    let [long, short] = lasting_names(name);
    if name.len() > LONG { short } else { long }
}

/// What stands there is what was planned; a file is held, so that no other host replaces it before its name is taken.
fn check_node(
    (folder, name): (&Dir, &OsStr),
    expected: &Node,
    path: &WorkspacePath,
) -> Result<node::Held, DoorError> {
    match node::held_at(folder, name, path.given())? {
        (Some(now), Some(held)) if now.matches(expected) => Ok(held),
        _ => Err(DoorError::Stale { path: path.given().to_owned() }),
    }
}

/// What is told of a delete that could not take all of it away.
fn still_there(path: &str, error: &io::Error) -> String {
    let why = if displace::is_changed(error) || error.kind() == io::ErrorKind::DirectoryNotEmpty {
        "what somebody else has put there meanwhile stays".to_owned()
    } else {
        error.to_string()
    };
    format!("`{path}` is still there: {why}")
}

/// Of a large file so much is copied at a time; what is on the disk already is not waited for at the end.
const PIECE: u64 = 8 * 1024 * 1024;

/// Copies a file, a link, or a folder with all that is in it; times are those of the copy. `stop` is asked between two of them.
fn copy_name(
    (from, name): (&Dir, &OsStr),
    (into, to): (&Dir, &OsStr),
    stop: &dyn Fn() -> bool,
) -> io::Result<()> {
    if stop() {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let stat = handle::stat(from, name)?;
    match stat.kind {
        FileKind::Link => handle::create_link(into, &handle::read_seen_link(from, name)?, to),
        FileKind::File => {
            let source = handle::open_file(from, name)?;
            let mut copy = handle::create_file(into, to, 0o600)?;
            while io::copy(&mut (&source).take(PIECE), &mut copy)? == PIECE {
                copy.sync_data()?;
                if stop() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
            }
            handle::copy_attributes(&source, &copy);
            // A copy is its maker's, and nothing runs as its owner.
            let owner = Owner { group: stat.group, ..handle::stat_open(&copy)?.owner() };
            handle::set_mode(&copy, owner, stat.mode & 0o777)?;
            copy.sync_all()
        }
        FileKind::Folder => {
            handle::create_folder(into, to)?;
            let (source, copy) =
                (handle::open_folder_to_read(from, name)?, handle::open_folder_to_read(into, to)?);
            let names = temporary::names(&source)?;
            for entry in names.into_iter().filter(|name| !temporary::is_one(name)) {
                copy_name((&source, &entry), (&copy, &entry), stop)?;
            }
            handle::sync(&copy)?;
            handle::copy_list_of_rights(&source, &copy);
            let copy = copy.into_std_file();
            let made = handle::stat_open(&copy)?;
            // What the folder around it hands on to those in it stays.
            let group = if made.mode & 0o2000 == 0 { stat.group } else { made.group };
            // Whoever made it can take it away again, and so can an undo.
            let mode = (stat.mode & 0o777) | 0o700 | (made.mode & 0o2000);
            handle::set_mode(&copy, Owner { group, ..made.owner() }, mode)
        }
        _ => Err(io::ErrorKind::InvalidInput.into()),
    }
}
