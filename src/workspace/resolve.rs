//! From a caller's path to an open folder and one name, without ever leaving the root.
//!
//! Two ways, the same answers: where no link is in the way, Linux resolves beneath the root in one call; else, and elsewhere,
//! a walk opens each folder without following links and reads the links itself. The walk keeps the handles it came by, so `..`
//! goes back to the folder it really came from, and a folder that is swapped for a link while it walks is refused or not seen.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use cap_std::fs::Dir;

use super::{
    Backend, DoorError, FileKind, handle,
    input::{self, Part},
    kernel,
    refusal::{self, Refusal},
};
use crate::relpath::RelPath;

/// As many as Linux itself follows.
const LINKS_MAX: u32 = 40;

/// Where a path leads.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) resolved: RelPath,
    pub(super) parent: Arc<Dir>,
    pub(super) name: OsString,
    pub(super) missing_folders: Vec<OsString>,
    pub(super) kind: Option<FileKind>,
    /// What stands where the path would need a folder: whoever asks looks at the law first.
    pub(super) in_the_way: Option<(RelPath, FileKind)>,
}

impl Found {
    /// An error where something stands in the way.
    pub(super) fn check_way(&self) -> Result<(), DoorError> {
        let Some((path, kind)) = &self.in_the_way else { return Ok(()) };
        Err(DoorError::WrongType { path: path.to_string(), found: kind.described(), wanted: "a folder" })
    }
}

/// Resolves `parts` below `root`; `given` is only for messages.
pub(super) fn resolve(
    root: &Arc<Dir>,
    canonical: &Path,
    backend: Backend,
    parts: Vec<Part>,
    given: &str,
) -> Result<Found, DoorError> {
    if backend == Backend::Fastest
        && let Some(found) = beneath(root, &parts)
    {
        return Ok(found);
    }
    let mut walk = Walk { root, canonical, given, folders: Vec::new(), ahead: Vec::new(), links: 0 };
    walk.put_ahead(parts);
    walk.run()
}

/// The one-call way: plain names only, no link anywhere. `None` means: walk.
fn beneath(root: &Arc<Dir>, parts: &[Part]) -> Option<Found> {
    let mut path = PathBuf::new();
    for part in parts {
        let Part::Name(name) = part else { return None };
        path.push(name);
    }
    let (folder, name) = (path.parent()?, path.file_name()?.to_owned());
    let parent = if folder.as_os_str().is_empty() {
        Arc::clone(root)
    } else {
        Arc::new(handle::folder(kernel::open_beneath(root, folder).ok()?))
    };
    let kind = match handle::stat(&parent, &name) {
        Ok(stat) if stat.kind == FileKind::Link => return None,
        Ok(stat) => Some(stat.kind),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(_) => return None,
    };
    let resolved = RelPath::from_plain(&path)?;
    Some(Found { resolved, parent, name, missing_folders: Vec::new(), kind, in_the_way: None })
}

/// The portable way.
struct Walk<'a> {
    root: &'a Arc<Dir>,
    canonical: &'a Path,
    given: &'a str,
    /// The folders gone into, each with its name in the one before.
    folders: Vec<(OsString, Arc<Dir>)>,
    /// The steps still to go, the next one last.
    ahead: Vec<Part>,
    links: u32,
}

impl Walk<'_> {
    fn run(&mut self) -> Result<Found, DoorError> {
        while let Some(part) = self.ahead.pop() {
            let Part::Name(name) = part else {
                if self.folders.pop().is_none() {
                    return Err(self.outside("`..` leads above its folder"));
                }
                continue;
            };
            match handle::open_folder(self.here(), &name) {
                Ok(folder) => self.folders.push((name, Arc::new(folder))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return self.missing(name),
                Err(error) if is_no_folder(&error) => match handle::read_link(self.here(), &name) {
                    Ok(target) => self.follow(&target)?,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return self.missing(name),
                    Err(error) if refusal::of(&error) == Some(Refusal::NoLink) => {
                        if let Some(found) = self.leaf(name)? {
                            return Ok(found);
                        }
                    }
                    Err(error) => return Err(DoorError::io(self.given, error)),
                },
                Err(error) => return Err(DoorError::io(self.given, error)),
            }
        }
        Ok(self.folder())
    }

    /// The folder the walk stands in.
    fn here(&self) -> &Arc<Dir> {
        self.folders.last().map_or(self.root, |(_, folder)| folder)
    }

    fn put_ahead(&mut self, parts: Vec<Part>) {
        self.ahead.extend(parts.into_iter().rev());
    }

    /// A link was read: its target comes before what is still ahead.
    fn follow(&mut self, target: &Path) -> Result<(), DoorError> {
        self.count_link()?;
        if let Some(parts) = input::parts(target) {
            self.put_ahead(parts);
            return Ok(());
        }
        // An absolute target is only text: below the root's own path it is walked from the root, else it leads out.
        let Some(parts) = target.strip_prefix(self.canonical).ok().and_then(input::parts) else {
            return Err(self.outside("a symbolic link leads out of it"));
        };
        self.folders.clear();
        self.put_ahead(parts);
        Ok(())
    }

    fn count_link(&mut self) -> Result<(), DoorError> {
        self.links += 1;
        if self.links > LINKS_MAX {
            return Err(self.outside("it leads through more than 40 symbolic links"));
        }
        Ok(())
    }

    /// Neither folder nor link: the end of the path. `None` when it became one of them meanwhile; then it is looked at again.
    fn leaf(&mut self, name: OsString) -> Result<Option<Found>, DoorError> {
        let kind = match handle::stat(self.here(), &name) {
            Ok(stat) => stat.kind,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return self.missing(name).map(Some),
            Err(error) => return Err(DoorError::io(self.given, error)),
        };
        if matches!(kind, FileKind::Folder | FileKind::Link) {
            self.count_link()?;
            self.ahead.push(Part::Name(name));
            return Ok(None);
        }
        let here = self.path().join(&name);
        let rest = self.ahead.iter().rev().map_while(|part| match part {
            Part::Name(name) => Some(name),
            Part::Up => None,
        });
        Ok(Some(Found {
            resolved: rest.fold(here.clone(), |path, name| path.join(name)),
            parent: Arc::clone(self.here()),
            name,
            missing_folders: Vec::new(),
            kind: Some(kind),
            in_the_way: (!self.ahead.is_empty()).then_some((here, kind)),
        }))
    }

    /// Nothing is called `name` here: fine if only plain names follow, for they can be created.
    fn missing(&mut self, name: OsString) -> Result<Found, DoorError> {
        let mut names = vec![name];
        while let Some(part) = self.ahead.pop() {
            let Part::Name(name) = part else {
                return Err(DoorError::NotFound { path: self.given.to_owned(), candidates: Vec::new() });
            };
            names.push(name);
        }
        let resolved = names.iter().fold(self.path(), |path, name| path.join(name));
        let name = names.pop().unwrap_or_default();
        Ok(Found {
            resolved,
            parent: Arc::clone(self.here()),
            name,
            missing_folders: names,
            kind: None,
            in_the_way: None,
        })
    }

    /// The walk ended in the folder it stands in.
    fn folder(&mut self) -> Found {
        let resolved = self.path();
        let name = self.folders.pop().map_or_else(|| OsString::from("."), |(name, _)| name);
        Found {
            resolved,
            parent: Arc::clone(self.here()),
            name,
            missing_folders: Vec::new(),
            kind: Some(FileKind::Folder),
            in_the_way: None,
        }
    }

    fn path(&self) -> RelPath {
        self.folders.iter().fold(RelPath::root(), |path, (name, _)| path.join(name))
    }

    fn outside(&self, reason: &str) -> DoorError {
        DoorError::Outside { path: self.given.to_owned(), reason: reason.to_owned() }
    }
}

/// What opening a link or a file as a folder fails with, by system.
fn is_no_folder(error: &io::Error) -> bool {
    matches!(refusal::of(error), Some(Refusal::NoFolder | Refusal::Link))
}
