//! What keeps one command in its place: worked out by the door for that command, told in its plan, and applied as it is.

use std::{
    fmt::Write as _,
    io,
    os::fd::AsFd,
    path::{Component, Path, PathBuf},
};

use rustix::{
    fd::OwnedFd,
    fs::{AtFlags, CWD, Mode, OFlags, fstat, mkdirat, openat, statat},
    io::Errno,
};

use super::{
    ProcessError,
    protocol::{Bounds, Identity, Writable},
    sandbox::Sandboxing,
};
use crate::{
    config::{CommandEntry, Sandbox},
    text::visible,
    workspace::Workspace,
};

/// What keeps one command in its place. Only the door makes one.
#[derive(Clone, Debug)]
pub struct Confinement {
    kind: &'static str,
    description: String,
    network: bool,
    bounds: Option<Bounds>,
}

impl Confinement {
    pub(super) fn new(
        wanted: Sandbox,
        entry: &CommandEntry,
        workspace: &Workspace,
    ) -> Result<Self, ProcessError> {
        let has = Sandboxing::under(wanted)?;
        let closed = has.network && !entry.network;
        let mut writable = Vec::new();
        if !workspace.read_only() {
            writable.push(of_handle(workspace.root(), workspace.handle()).map_err(lost(workspace.root()))?);
        }
        for path in &entry.write_paths {
            writable.push(of_path(path).map_err(lost(path))?);
        }
        let description = has.describe(closed, &folders(&writable, workspace));
        let bounds =
            (wanted != Sandbox::Off).then_some(Bounds { files: has.files, closes_network: closed, writable });
        Ok(Self { kind: has.kind(closed), description, network: !closed, bounds })
    }

    /// One word.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// What that means for a person who decides.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The command can use the network.
    pub fn has_network(&self) -> bool {
        self.network
    }

    /// It cannot change files but those it may.
    pub fn confines_files(&self) -> bool {
        self.bounds.as_ref().is_some_and(|bounds| bounds.files.is_some())
    }

    /// True when the command can change `path`, by name or through what it is.
    pub fn lets_change(&self, path: &Path) -> bool {
        match &self.bounds {
            Some(Bounds { files: Some(_), writable, .. }) => {
                let real = canonical(path);
                writable.iter().any(|folder| {
                    path.starts_with(&folder.path)
                        || real.as_deref().is_some_and(|real| real.starts_with(&folder.path))
                })
            }
            _ => true,
        }
    }

    pub(super) fn bounds(&self) -> Option<&Bounds> {
        self.bounds.as_ref()
    }
}

/// Where it may write, for people.
fn folders(writable: &[Writable], workspace: &Workspace) -> String {
    let mut words = String::new();
    for folder in writable {
        let name = folder.path.to_string_lossy();
        let _ = write!(words, "`{}`, ", visible(&name));
    }
    if workspace.read_only() {
        let _ = write!(words, "not the workspace, which is read-only, but ");
    }
    words
}

/// An open folder, by what it is.
pub(super) fn of_handle(path: &Path, handle: impl AsFd) -> io::Result<Writable> {
    let stat = fstat(handle)?;
    Ok(Writable { path: path.to_owned(), identity: Some(identity(&stat)) })
}

/// A path of the configuration, by what it leads to. What is not there yet is told by the name it will have.
fn of_path(path: &Path) -> io::Result<Writable> {
    let Some(real) = canonical(path) else { return Ok(Writable { path: future(path), identity: None }) };
    let stat = statat(CWD, &real, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(Writable { path: real, identity: Some(identity(&stat)) })
}

/// The name that `path` will have: what is there of it, without links, and the rest as it is written.
fn future(path: &Path) -> PathBuf {
    let found = path.ancestors().find_map(|above| Some((canonical(above)?, path.strip_prefix(above).ok()?)));
    found.map_or_else(|| path.to_owned(), |(real, rest)| real.join(rest))
}

/// The folder or file that was meant, as a handle; an error when another one stands there by now.
pub(super) fn open(writable: &Writable) -> io::Result<OwnedFd> {
    let Some(meant) = writable.identity else { return make(&writable.path) };
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = openat(CWD, &writable.path, flags, Mode::empty())?;
    if identity(&fstat(&handle)?) != meant {
        let path = writable.path.display();
        return Err(io::Error::other(format!("`{path}` was replaced by something else")));
    }
    Ok(handle)
}

/// The folder at `path`, made where it is missing, for its owner alone. No link is followed, wherever it stands: nobody has seen
/// this folder before, and only that makes it the one that was told.
fn make(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder = openat(CWD, "/", flags, Mode::empty())?;
    for name in path.components().filter(|part| matches!(part, Component::Normal(_))) {
        folder = match openat(&folder, name.as_os_str(), flags, Mode::empty()) {
            Err(Errno::NOENT) => {
                match mkdirat(&folder, name.as_os_str(), Mode::RWXU) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
                openat(&folder, name.as_os_str(), flags, Mode::empty())?
            }
            opened => opened?,
        };
    }
    Ok(folder)
}

fn identity(stat: &rustix::fs::Stat) -> Identity {
    Identity { device: stat.st_dev, inode: stat.st_ino }
}

fn lost(path: &Path) -> impl Fn(io::Error) -> ProcessError + use<> {
    let folder: PathBuf = path.to_owned();
    move |source| ProcessError::Writable { folder: folder.clone(), source }
}

#[expect(clippy::disallowed_methods, reason = "only names are compared; what is opened is checked again")]
fn canonical(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok()
}
