//! Listing one folder: names, types, where links lead. Blocked names are counted, never shown.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::{Component, Path, PathBuf},
};

use cap_std::fs::Dir;

use super::{
    Backend, DoorError, FileKind, Stat, Workspace, WorkspacePath, elsewhere::elsewhere, handle, input,
    read::wrong_type, resolve,
};
use crate::{hint, policy::PathClass, relpath::RelPath, text::from_os};

/// Names that are offered when one is missing.
const CANDIDATES_MAX: usize = 3;
/// Entries that are compared with a missing name: an error must not take longer than what it reports.
const COMPARED_MAX: usize = 5000;

/// One entry of a folder.
#[derive(Clone, Debug)]
pub struct FolderEntry {
    /// Its name, as the system has it.
    pub name: OsString,
    /// What it is; links are not followed.
    pub kind: FileKind,
}

/// Where a symbolic link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its text.
    pub target: PathBuf,
    /// It leads to something inside the workspace, or to a missing name inside it.
    pub inside: bool,
    /// It leads, as it is written or as it is found, to what is blocked: its text tells a name that is never told.
    pub blocked: bool,
}

/// The entries of a folder that may be shown.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Sorted by name.
    pub entries: Vec<FolderEntry>,
    /// How many are blocked.
    pub blocked: u64,
}

impl Workspace {
    /// What is in a folder.
    pub fn list_dir(&self, path: &WorkspacePath) -> Result<Listing, DoorError> {
        self.check_exists(path)?;
        if let Some(kind) = path.kind().filter(|kind| *kind != FileKind::Folder) {
            return Err(wrong_type(path, kind, "a folder"));
        }
        let failed = |error| DoorError::io(path.given(), error);
        let folder = handle::open_folder_to_read(&path.parent, &path.name).map_err(failed)?;
        let mut listing = Listing::default();
        handle::read_names(folder, |name, kind| {
            if self.rules().is_blocked_in_open_folder(&path.resolved().join(name).to_slashed()) {
                listing.blocked += 1;
            } else {
                listing.entries.push(FolderEntry { name: name.to_owned(), kind });
            }
            true
        })
        .map_err(failed)?;
        listing.entries.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(listing)
    }

    /// What stands at a path that a walk gave, a link itself for a link.
    pub fn stat_listed(&self, path: &RelPath) -> Result<Stat, DoorError> {
        let failed = |error| DoorError::io(path, error);
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return handle::stat(&**self.handle(), ".".as_ref()).map_err(failed);
        };
        let folder = self.open_folder(&self.resolve_listed(&folder)?)?;
        handle::stat(&folder, name).map_err(failed)
    }

    /// Where the link at `link` leads.
    pub fn read_link(&self, link: &RelPath) -> Result<Link, DoorError> {
        let failed = |error| DoorError::io(link, error);
        let (Some(folder), Some(name)) = (link.parent(), link.file_name()) else {
            return Err(failed(std::io::ErrorKind::InvalidInput.into()));
        };
        let folder = self.open_folder(&self.resolve_listed(&folder)?)?;
        let target = handle::read_seen_link(&folder, name).map_err(failed)?;
        Ok(self.link_saying(link, target))
    }

    /// Where a link at `link` that says `target` leads, whether it is there or not.
    pub fn link_saying(&self, link: &RelPath, target: PathBuf) -> Link {
        let folder = link.parent().unwrap_or_default();
        let written = self.root.join(folder.as_path()).join(&target);
        let parts = written.strip_prefix(&self.root).ok().and_then(input::parts);
        let found = parts.and_then(|parts| {
            resolve::resolve(&self.handle, &self.root, Backend::Walk, parts, &link.to_string()).ok()
        });
        let found = found.filter(|found| found.check_way().is_ok());
        let inside = found.is_some();
        let cleaned = cleaned(&written);
        let mut roots = [&self.root, &self.written_root].into_iter();
        let read = roots.find_map(|root| cleaned.strip_prefix(root).ok()).and_then(RelPath::from_plain);
        let blocked = found
            .map(|found| found.resolved)
            .into_iter()
            .chain(read)
            .any(|path| self.rules().classify(&path.to_slashed()) == PathClass::Blocked);
        Link { target, inside, blocked }
    }

    /// The paths nearest to a missing one: in the folder where it is missed, and from there as far down as it goes on; else those of
    /// the same name in other folders.
    pub(super) fn near(&self, path: &WorkspacePath) -> Vec<String> {
        // Written as on another system.
        let slashed = path.given().replace('\\', "/");
        if slashed != path.given()
            && let Ok(meant) = self.resolve(&slashed)
            && meant.exists()
        {
            return vec![meant.resolved().to_text()];
        }
        let missing: Vec<&OsStr> =
            path.missing_folders.iter().chain([&path.name]).map(OsString::as_os_str).collect();
        let within = missing.iter().try_fold(path.resolved().clone(), |path, _| path.parent());
        let mut looking = Looking { workspace: self, left: COMPARED_MAX };
        let near = looking.near(&path.parent, &within.unwrap_or_default(), missing[0], CANDIDATES_MAX);
        let mut near: Vec<RelPath> =
            near.into_iter().map(|near| looking.follow(&path.parent, near, &missing[1..])).collect();
        if !near.iter().any(|near| near.file_name() == Some(&*path.name)) {
            let others = elsewhere(self, path.resolved()).into_iter().take(CANDIDATES_MAX);
            let others: Vec<RelPath> = others.filter(|other| !near.contains(other)).collect();
            near.extend(others);
            near.truncate(CANDIDATES_MAX);
        }
        near.iter().map(RelPath::to_text).collect()
    }
}

/// The path without its `..`, as it reads; links are not looked at.
fn cleaned(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(cleaned.pop()),
            other => cleaned.push(other),
        }
    }
    cleaned
}

/// Looks for names that a missing one may have meant.
struct Looking<'a> {
    workspace: &'a Workspace,
    /// Names that may still be compared.
    left: usize,
}

impl Looking<'_> {
    /// The entries of a folder, which is `within`, that are nearest to a name.
    fn near(&mut self, folder: &Dir, within: &RelPath, missing: &OsStr, most: usize) -> Vec<RelPath> {
        let Ok(folder) = handle::open_folder_to_read(folder, ".".as_ref()) else { return Vec::new() };
        let mut names: BTreeMap<String, OsString> = BTreeMap::new();
        // What could be read before it failed is compared as well.
        let _ = handle::read_names(folder, |name, _| {
            if !self.workspace.rules().is_blocked_in_open_folder(&within.join(name).to_slashed()) {
                names.insert(from_os(name).into_owned(), name.to_owned());
            }
            self.left = self.left.saturating_sub(1);
            self.left > 0
        });
        let near = hint::nearest_few(&from_os(missing), names.keys().map(String::as_str), most);
        near.into_iter().filter_map(|name| names.get(name)).map(|name| within.join(name)).collect()
    }

    /// The path behind `near`, an entry of `folder`, that `rest` may have meant; `near` itself where that is no folder.
    fn follow(&mut self, folder: &Dir, near: RelPath, rest: &[&OsStr]) -> RelPath {
        let [next, rest @ ..] = rest else { return near };
        // A link is not followed: where it leads is another question than what was meant.
        let opened = near.file_name().map(|name| handle::open_folder(folder, name));
        let Some(Ok(folder)) = opened else { return near };
        match self.near(&folder, &near, next, 1).pop() {
            Some(nearer) => self.follow(&folder, nearer, rest),
            None => near,
        }
    }
}
