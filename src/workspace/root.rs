//! A workspace root: opened once, everything relative to its handle.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use cap_std::fs::Dir;
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::{
    DoorError, WorkspacePath,
    entry::read_either,
    handle,
    input::{self, Names},
    resolve, temporary,
};
use crate::{
    config::WorkspaceEntry,
    file_identity,
    policy::{PathClass, PathRules},
    relpath::RelPath,
    text,
};

/// How long another host's writing is waited for: most is over in milliseconds, a commit's hooks may take minutes.
const PATIENCE: Duration = Duration::from_secs(2);

/// How paths are resolved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// In one system call where that is possible, else by the walk.
    #[default]
    Fastest,
    /// By the walk alone: what systems without `openat2` do. For tests.
    Walk,
}

/// One workspace.
#[derive(Debug)]
pub struct Workspace {
    pub(super) id: String,
    pub(super) root: PathBuf,
    pub(super) written_root: PathBuf,
    pub(super) handle: Arc<Dir>,
    pub(super) read_only: bool,
    pub(super) closed_by: Option<String>,
    pub(super) rules: Arc<PathRules>,
    pub(super) backend: Backend,
    pub(super) writes: Arc<Mutex<()>>,
    pub(super) notes: Arc<[String]>,
}

impl Workspace {
    /// Opens the folder of `entry`.
    pub fn open(entry: &WorkspaceEntry, rules: Arc<PathRules>) -> Result<Self, DoorError> {
        Self::open_with(entry, rules, Backend::default())
    }

    /// The same with a chosen way of resolving.
    pub fn open_with(
        entry: &WorkspaceEntry,
        rules: Arc<PathRules>,
        backend: Backend,
    ) -> Result<Self, DoorError> {
        let failed = |source| DoorError::Root {
            workspace: entry.id.clone(),
            root: text::visible(&entry.path.to_string_lossy()).into_owned(),
            source,
        };
        #[expect(clippy::disallowed_methods, reason = "the root itself is named by the administrator")]
        let root = handle::canonical_root(std::fs::canonicalize(&entry.path).map_err(failed)?);
        let handle = handle::open_root(&root).map_err(failed)?;
        Ok(Self {
            id: entry.id.clone(),
            written_root: entry.path.clone(),
            handle: Arc::new(handle),
            read_only: entry.read_only,
            closed_by: entry.closed_by.clone(),
            rules: Arc::new(rules.at([root.as_path(), &entry.path])),
            root,
            backend,
            writes: Arc::default(),
            notes: Arc::default(),
        })
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its folder, canonical. For people and for programs that need a name; the door itself uses the handle.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What a whole path says behind the workspace's folder, as that is, or as the configuration writes it.
    pub fn behind_root<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        path.strip_prefix(&self.root).or_else(|_| path.strip_prefix(&self.written_root)).ok()
    }

    /// It is the folder of this name; nobody says otherwise where none is known.
    pub fn is_at(&self, root: Option<&str>) -> bool {
        root.is_none_or(|root| self.root.to_string_lossy() == root)
    }

    /// The folder that was opened is the one that its path names now. It may have been deleted since, or another put in its place.
    pub fn is_in_place(&self) -> bool {
        // Without a handle to spare nothing is known, and nothing else is said.
        self.handle.try_clone().map_or(true, |open| file_identity::is_same(&open.into_std_file(), &self.root))
    }

    /// Nothing in it may change.
    pub fn read_only(&self) -> bool {
        self.read_only
    }

    /// Which workspace's `read_only` it is by which nothing may change here: its own, or that of one around it.
    pub fn closed_by(&self) -> &str {
        self.closed_by.as_deref().unwrap_or(&self.id)
    }

    /// Its folder as an open handle.
    pub fn handle(&self) -> &Arc<Dir> {
        &self.handle
    }

    /// The law's rules for its paths.
    pub fn rules(&self) -> &PathRules {
        &self.rules
    }

    /// The same, to be kept.
    pub fn shared_rules(&self) -> Arc<PathRules> {
        Arc::clone(&self.rules)
    }

    /// Waits until no other call writes to this workspace, first come, first served.
    pub async fn lock_writes(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.writes).lock_owned().await
    }

    /// Waits until no other host writes to this folder, and holds it until the result is dropped. Who waits too long, or gives up,
    /// goes on without: each file is held again where it is replaced.
    pub fn hold_writes(&self, gave_up: &dyn Fn() -> bool) -> Option<File> {
        let folder = handle::open_folder_to_read(&self.handle, ".".as_ref()).ok()?.into_std_file();
        temporary::wait_to_hold(&folder, PATIENCE, gave_up).then_some(folder)
    }

    /// Finds what `input` leads to; it may be missing, then it can be created.
    ///
    /// `input` is relative to the root with `/`, or absolute inside it. Bytes that are not UTF-8 are written `\xNN`, as the
    /// listings show them.
    pub fn resolve(&self, input: &str) -> Result<WorkspacePath, DoorError> {
        read_either(input, |path| self.resolve_written(input, path))
    }

    /// Finds what a path leads to that a listing or a walk gave.
    pub fn resolve_listed(&self, path: &RelPath) -> Result<WorkspacePath, DoorError> {
        self.finish(&path.to_string(), input::parts(path.as_path()).unwrap_or_default())
    }

    fn resolve_written(&self, given: &str, path: &Path) -> Result<WorkspacePath, DoorError> {
        let parts = input::parse(given, path, &[&self.root, &self.written_root], Names::HERE)?;
        self.finish(&text::visible(given), parts)
    }

    fn finish(&self, given: &str, parts: Vec<input::Part>) -> Result<WorkspacePath, DoorError> {
        let written = input::plain(&parts);
        let found = resolve::resolve(&self.handle, &self.root, self.backend, parts, given)?;
        let resolved = found.resolved.to_slashed();
        let mut verdict = self.rules.why(&resolved);
        // A link with a blocked name is hidden in listings, so it is not read by that name either.
        let written = written.map(|path| path.to_slashed()).filter(|written| *written != resolved);
        if let Some(stricter) = written.as_deref().and_then(|written| self.rules.why(written))
            && verdict.is_none_or(|(class, _)| class < stricter.0)
        {
            verdict = Some(stricter);
        }
        if let Some((PathClass::Blocked, glob)) = verdict {
            let by = match &written {
                Some(written) if self.rules.classify(&resolved) < PathClass::Blocked => {
                    self.rules.blocker(written)
                }
                _ => self.rules.blocker(&resolved),
            };
            return Err(DoorError::Blocked { path: given.to_owned(), glob: glob.to_owned(), by });
        }
        found.check_way()?;
        Ok(WorkspacePath {
            given: given.to_owned(),
            resolved: found.resolved,
            parent: found.parent,
            name: found.name,
            missing_folders: found.missing_folders,
            kind: found.kind,
            class: verdict.map_or(PathClass::Open, |(class, _)| class),
        })
    }
}
