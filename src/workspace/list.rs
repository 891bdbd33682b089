//! Listing one folder: names, types, where links lead. Blocked names are counted, never shown.

use std::{ffi::OsString, path::PathBuf};

use super::{DoorError, FileKind, Stat, Workspace, WorkspacePath, handle, read::wrong_type};
use crate::{hint, relpath::RelPath, text::from_os};

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
        Ok(Link { target, inside: self.follow(link).is_ok() })
    }

    /// The paths nearest to a missing one, in the folder where it is missed.
    pub(super) fn near(&self, path: &WorkspacePath) -> Vec<String> {
        let missing = path.missing_folders.first().unwrap_or(&path.name);
        let Ok(folder) = handle::open_folder_to_read(&path.parent, ".".as_ref()) else { return Vec::new() };
        let depth = path.missing_folders.len();
        let within = (0..=depth).try_fold(path.resolved().clone(), |path, _| path.parent());
        let within = within.unwrap_or_default();
        let (mut names, mut compared) = (Vec::new(), 0);
        // What could be read before it failed is compared as well.
        let _ = handle::read_names(folder, |name, _| {
            if !self.rules().is_blocked_in_open_folder(&within.join(name).to_slashed()) {
                names.push(from_os(name).into_owned());
            }
            compared += 1;
            compared < COMPARED_MAX
        });
        names.sort();
        let near = hint::nearest_few(&from_os(missing), names.iter().map(String::as_str), CANDIDATES_MAX);
        let folder = if within.is_root() { String::new() } else { format!("{}/", within.to_text()) };
        near.into_iter().map(|name| format!("{folder}{name}")).collect()
    }
}
