//! What keeps one command in its place: worked out by the door for that command, told in its plan, and applied as it is.

use std::{
    fmt::Write as _,
    io,
    path::{Path, PathBuf},
};

use super::{
    ProcessError,
    bounds::{Bounds, Writable},
    sandbox::Sandboxing,
    writable::{of_handle, of_path},
};
use crate::{
    config::{CommandEntry, Sandbox},
    text::{unmarked, visible},
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
        let description = has.describe(closed, &folders(&writable), workspace.read_only());
        let bounds = (wanted != Sandbox::Off).then_some(Bounds {
            files: has.files,
            closes_network: closed,
            guards_processes: has.network,
            writable,
        });
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
fn folders(writable: &[Writable]) -> String {
    let mut words = String::new();
    for folder in writable {
        let name = folder.path.to_string_lossy();
        let _ = write!(words, "`{}`, ", visible(&name));
    }
    words
}

fn lost(path: &Path) -> impl Fn(io::Error) -> ProcessError + use<> {
    let folder: PathBuf = path.to_owned();
    move |source| ProcessError::Writable { folder: folder.clone(), source }
}

#[expect(clippy::disallowed_methods, reason = "only names are compared; what is opened is checked again")]
pub(super) fn canonical(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok().map(unmarked)
}
