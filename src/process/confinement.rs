//! What keeps one command in its place: worked out by the door for that command, told in its plan, and applied as it is.

use std::{
    fmt::Write as _,
    io,
    os::fd::AsFd,
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, fstat, openat, statat};

use super::{
    ProcessError,
    protocol::{Bounds, Writable},
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
            writable.extend(of_path(path).map_err(lost(path))?);
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
    Ok(Writable { path: path.to_owned(), device: stat.st_dev, inode: stat.st_ino })
}

/// A path of the configuration, by what it leads to; `None` where there is nothing.
fn of_path(path: &Path) -> io::Result<Option<Writable>> {
    let Some(real) = canonical(path) else { return Ok(None) };
    let stat = statat(CWD, &real, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(Some(Writable { path: real, device: stat.st_dev, inode: stat.st_ino }))
}

/// The folder or file that was meant, as a handle; an error when another one stands there by now.
pub(super) fn open(writable: &Writable) -> io::Result<rustix::fd::OwnedFd> {
    let handle =
        openat(CWD, &writable.path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    let stat = fstat(&handle)?;
    if (stat.st_dev, stat.st_ino) != (writable.device, writable.inode) {
        return Err(io::Error::other(format!(
            "`{}` was replaced by something else",
            writable.path.display()
        )));
    }
    Ok(handle)
}

fn lost(path: &Path) -> impl Fn(io::Error) -> ProcessError + use<> {
    let folder: PathBuf = path.to_owned();
    move |source| ProcessError::Writable { folder: folder.clone(), source }
}

#[expect(clippy::disallowed_methods, reason = "only names are compared; what is opened is checked again")]
fn canonical(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok()
}
