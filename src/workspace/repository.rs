//! The only place that opens git repositories.
//!
//! gix and libgit2 open by path, so git metadata is the one exception to the door's handles. In exchange a repository is opened
//! only when all of it lies inside the workspace: `.git` is a real folder without links, alternates or another work tree, or a file
//! that leads into such a folder (`linked.rs`; then it is only read), and discovery stops at the root. What this version cannot do
//! right is refused by name. Nothing a repository configures ever runs: gix reads it with reduced trust and without filter and diff
//! drivers, libgit2 has no way to run any.
//!
//! Names may come to lead elsewhere after the check, so the tools that use a repository do it where nothing else can be opened
//! ([`confined`](super::confined)), and what they read is kept back where the repository is another by then (`still.rs`).
//!
//! `GIT_*` variables are removed from the environment when the host starts; here they are also denied to gix.

mod error;
mod exchange;
mod failure;
mod holding;
mod hooks;
mod inspect;
mod leftovers;
mod linked;
mod mark;
mod own_index;
mod owner;
mod pack_cache;
mod reading;
mod references;
mod rules;
mod rules_above;
mod still;
mod upstream;

pub use error::RepositoryError;
pub use exchange::Exchange;
pub use failure::{Failure, FailureKind, leads_in_circles};
pub use holding::Holding;
pub use hooks::{HookFile, MESSAGE_FILE};
pub use leftovers::settle_repositories;
pub(super) use linked::git_folder;
pub use own_index::OwnIndex;
pub use reading::{driver_has_headings, driver_is_binary};
pub use references::Branch;
pub use rules::{ATTRIBUTES, IGNORED, RulesAbove};
pub use still::{Still, watched};
pub use upstream::Upstream;

use std::{
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use cap_std::fs::Dir;
use gix::bstr::{BStr, BString};

use self::linked::Places;
use super::{Workspace, handle, nofollow, pipes, walk::WalkKind};
use crate::{
    policy::Permit,
    relpath::RelPath,
    text::{unmarked, visible},
};

/// Before every other backend of the object database: what is written goes there.
const FIRST_BACKEND: i32 = 10_000;

/// Beside its bytes an object takes a folder and the rest of a block.
const OBJECT_ROOM: u64 = 64 * 1024;

/// The largest file of packed references that libgit2 is given: it holds all of them, at four times the size.
const PACKED_REFS_BYTES: u64 = 64 * 1024 * 1024;
/// The largest that gix is given, which looks through it without holding it; three million of them.
const READ_PACKED_REFS_BYTES: u64 = 256 * 1024 * 1024;

/// The rules of a sparse checkout that are read; more are thousands of folders.
const SPARSE_BYTES: u64 = 1024 * 1024;

/// A repository that lies wholly inside a workspace.
#[derive(Clone, Debug)]
pub struct Repository {
    handle: Arc<Dir>,
    folder: RelPath,
    workdir: PathBuf,
    places: Places,
    git_dir: PathBuf,
    /// The libraries open files by name.
    _watch: Arc<pipes::Watch>,
    /// A chain of differences was too long to be followed.
    gave_up: Arc<AtomicBool>,
    /// The read-only workspace in which it lies, where it is reached through another one.
    read_only_in: Option<String>,
    /// What gix has opened: for a small repository that takes longer than most of what is asked of it.
    opened: Arc<OnceLock<gix::ThreadSafeRepository>>,
}

impl Repository {
    /// The repository that contains `path`, which need not exist any more; looked for no higher than the workspace's root.
    pub fn containing(workspace: &Workspace, path: &RelPath) -> Result<Self, RepositoryError> {
        let handle = workspace.handle();
        // One that cannot be looked into does not end the search, as for git.
        let mut closed = None;
        for folder in path.as_path().ancestors() {
            // A link is a path of the repository that it lies in, wherever it leads.
            let dot_git =
                nofollow::stand_in(handle, folder).and_then(|folder| folder.symlink_metadata(".git"));
            let Ok(metadata) = dot_git else { continue };
            let folder = RelPath::from_plain(folder).unwrap_or_default();
            if metadata.is_symlink() {
                return Err(RepositoryError::Outside {
                    path: folder.to_string(),
                    reason: "`.git` is a link".to_owned(),
                });
            }
            let places = if metadata.is_dir() {
                let git = folder.join(".git");
                Places { common: git.clone(), git }
            } else {
                linked::follow(handle, workspace.root(), &folder)?
            };
            if let Err(error) = handle.symlink_metadata(places.git.join("HEAD").as_path()) {
                if error.kind() == io::ErrorKind::PermissionDenied {
                    closed.get_or_insert_with(|| {
                        RepositoryError::unreadable(&folder, Path::new(".git"), &error)
                    });
                }
                continue;
            }
            let workdir = workspace.root().join(folder.as_path());
            let git_dir = workspace.root().join(places.git.as_path());
            let read = if metadata.is_dir() { folder.clone() } else { RelPath::root() };
            let watch = Arc::new(pipes::Watch::start(Arc::clone(handle), read));
            let read_only_in = workspace.rules().read_only_around(&folder.to_slashed());
            let found = Self {
                handle: Arc::clone(handle),
                read_only_in: read_only_in.map(str::to_owned),
                folder,
                workdir,
                places,
                git_dir,
                _watch: watch,
                gave_up: Arc::default(),
                opened: Arc::default(),
            };
            let is_closed = workspace.read_only() || found.read_only_in.is_some();
            found.is_used();
            if found.look()? && !found.is_linked() && !is_closed {
                found.settle();
                found.is_settled();
            }
            return Ok(found);
        }
        Err(closed.unwrap_or_else(|| RepositoryError::None { path: path.to_string() }))
    }

    /// Folders of the workspace's root that have a `.git`, in their order; only so many entries are looked at.
    pub fn folders_at_root(workspace: &Workspace, entries: usize) -> Vec<RelPath> {
        let Ok(listed) = workspace.handle().entries() else { return Vec::new() };
        let names = listed.take(entries).filter_map(|entry| Some(entry.ok()?.file_name()));
        let mut found: Vec<RelPath> = names
            .filter_map(|name| RelPath::from_plain(Path::new(&name)))
            .filter(|folder| workspace.handle().symlink_metadata(folder.join(".git").as_path()).is_ok())
            .collect();
        found.sort();
        found
    }

    /// Its folder, relative to the workspace.
    pub fn folder(&self) -> &RelPath {
        &self.folder
    }

    /// A path of the repository as a path of the workspace; `None` for one that no tree should hold (`..`, `.git`).
    pub fn in_workspace(&self, path: &BStr) -> Option<RelPath> {
        let path = RelPath::from_plain(&gix::path::from_bstr(path).ok()?)?;
        let in_git = path.as_path().components().any(|name| name.as_os_str().eq_ignore_ascii_case(".git"));
        (!in_git && !path.is_root()).then(|| self.folder.join(path.as_path()))
    }

    /// Which paths a sparse checkout holds, as git has it written; `None` where nothing is written, which is all of them.
    pub fn sparse_rules(&self) -> Result<Option<Vec<u8>>, RepositoryError> {
        let git = nofollow::open_dir(&self.handle, self.places.git.as_path());
        let found = git.and_then(|git| nofollow::open_file(&git, "info/sparse-checkout".as_ref()));
        let read = match found {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            found => found.and_then(|(file, _)| {
                let mut bytes = Vec::new();
                file.take(SPARSE_BYTES + 1).read_to_end(&mut bytes).map(|_| bytes)
            }),
        };
        let bytes = read.map_err(|error| self.broken(&error))?;
        if bytes.len() as u64 > SPARSE_BYTES {
            let reason = "`.git/info/sparse-checkout` has more than 1 MiB".to_owned();
            return Err(RepositoryError::TooLarge { path: self.folder.to_string(), reason });
        }
        Ok(Some(bytes))
    }

    /// The names in a folder of the work tree, by the plain way to it, and what each of them is.
    pub fn names(&self, folder: &BStr) -> io::Result<Vec<(BString, WalkKind)>> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let path = self.in_workspace(folder).ok_or_else(missing)?;
        let mut names = Vec::new();
        handle::read_names(nofollow::open_dir(&self.handle, path.as_path())?, |name, kind| {
            names.push((
                gix::path::os_str_into_bstr(name).map_or_else(|_| "?".into(), BStr::to_owned),
                WalkKind::of(kind),
            ));
            true
        })?;
        Ok(names)
    }

    /// Whether the user may not list a folder of the work tree, look at what is in it, or read its rules of what is ignored.
    pub fn is_closed(&self, folder: &BStr) -> bool {
        let Some(path) = self.in_workspace(folder) else { return false };
        let denied = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
        let rules = nofollow::open_dir(&self.handle, path.as_path()).and_then(|folder| {
            let rules = Path::new(".gitignore");
            folder.symlink_metadata(rules)?;
            nofollow::open_file(&folder, rules)
        });
        rules.is_err_and(|error| denied(&error))
    }

    /// A path of the workspace as a path of the repository, with `/`; `None` when it lies elsewhere.
    pub fn in_repository(&self, path: &RelPath) -> Option<Vec<u8>> {
        let inside = path.as_path().strip_prefix(self.folder.as_path()).ok()?;
        let names: Vec<&[u8]> = inside.components().map(|name| name.as_os_str().as_encoded_bytes()).collect();
        Some(names.join(&b'/'))
    }

    /// Checks that all of it still lies inside. Done when it is opened, and again before anything is written.
    pub fn check(&self) -> Result<(), RepositoryError> {
        self.look().map(|_| ())
    }

    /// The same; true when a change of ours goes on in it, or was left half done.
    fn look(&self) -> Result<bool, RepositoryError> {
        let Places { git, common } = &self.places;
        let shares = git != common;
        let has_ours = inspect::layout(&self.handle, &self.folder, git, shares)?;
        inspect::settings(&self.handle, &self.folder, git, (&self.git_dir, &self.workdir))?;
        if shares {
            inspect::layout(&self.handle, &self.folder, common, false)?;
            let common_dir = self.common_dir();
            let workdir = common_dir.parent().unwrap_or(&common_dir);
            inspect::settings(&self.handle, &self.folder, common, (&common_dir, workdir))?;
        } else if self.is_linked() {
            inspect::names_work_tree(&self.handle, &self.folder, git, (&self.git_dir, &self.workdir))?;
        }
        inspect::shallow(&self.handle, &self.folder, common)?;
        self.check_packed(READ_PACKED_REFS_BYTES)?;
        self.check_own_rules()?;
        if !self.is_in_place() {
            return Err(self.outside("the workspace's folder is no longer where it was"));
        }
        self.check_owner()?;
        Ok(has_ours)
    }

    /// What a host that was killed has left is finished or taken back.
    fn settle(&self) {
        if let Ok(git) = nofollow::open_dir(&self.handle, self.places.git.as_path()) {
            leftovers::settle(&git);
        }
    }

    /// Its git folder is not in its folder: it is a submodule, or a linked worktree.
    fn is_linked(&self) -> bool {
        self.places.git != self.folder.join(".git")
    }

    fn common_dir(&self) -> PathBuf {
        let up = if self.places.git == self.places.common { 0 } else { 2 };
        self.git_dir.ancestors().nth(up).unwrap_or(&self.git_dir).to_path_buf()
    }

    /// What the libraries open. From the git folder alone they would not know the work tree of a linked one.
    fn opened_by(&self) -> &Path {
        if self.is_linked() { &self.workdir } else { &self.git_dir }
    }

    /// An error where it may be read, but not be changed here.
    pub fn changeable(&self) -> Result<(), RepositoryError> {
        if self.is_linked() {
            let reason = "it can be read here, but not be changed".to_owned();
            return Err(RepositoryError::Linked { path: self.folder.to_string(), reason });
        }
        if let Some(workspace) = self.read_only_in.clone() {
            return Err(RepositoryError::OfReadOnly { path: self.folder.to_string(), workspace });
        }
        Ok(())
    }

    /// Opens it for writing.
    pub fn writer(&self, permit: &Permit) -> Result<git2::Repository, RepositoryError> {
        if !permit.allows_write() {
            return Err(RepositoryError::NotPermitted { path: self.folder.to_string() });
        }
        self.changeable()?;
        self.check()?;
        self.open_libgit2()
    }

    /// Opens it for trying out: objects that are written stay in memory, and nothing else may be written.
    pub fn scratch(&self) -> Result<git2::Repository, RepositoryError> {
        let repository = self.open_libgit2()?;
        let odb = repository.odb().map_err(|error| self.broken(&error))?;
        odb.add_new_mempack_backend(FIRST_BACKEND).map_err(|error| self.broken(&error))?;
        drop(odb);
        Ok(repository)
    }

    fn open_libgit2(&self) -> Result<git2::Repository, RepositoryError> {
        self.is_used();
        self.check_packed(PACKED_REFS_BYTES)?;
        let repository = git2::Repository::open_ext(
            self.opened_by(),
            git2::RepositoryOpenFlags::NO_SEARCH,
            std::iter::empty::<&std::ffi::OsStr>(),
        )
        .map_err(|error| self.broken(&error))?;
        settings_as_opened(&repository).map_err(|error| self.broken(&error))?;
        self.check_opened(repository.path(), repository.commondir(), repository.workdir())?;
        Ok(repository)
    }

    fn check_packed(&self, limit: u64) -> Result<(), RepositoryError> {
        let packed = self.handle.symlink_metadata(self.places.common.join("packed-refs").as_path());
        let size = packed.map_or(0, |packed| packed.len());
        if size <= limit {
            return Ok(());
        }
        let reason = format!(
            "`.git/packed-refs` has {} MiB of references, and {} are looked through",
            size >> 20,
            limit >> 20
        );
        Err(RepositoryError::TooLarge { path: self.folder.to_string(), reason })
    }

    fn check_opened(
        &self,
        git_dir: &Path,
        common_dir: &Path,
        workdir: Option<&Path>,
    ) -> Result<(), RepositoryError> {
        let Some(workdir) = workdir else { return Err(self.unsupported("no work tree (it is bare)")) };
        for (what, opened, expected) in [
            ("the git folder", git_dir, &self.git_dir),
            ("the common folder", common_dir, &self.common_dir()),
            ("the work tree", workdir, &self.workdir),
        ] {
            #[expect(
                clippy::disallowed_methods,
                reason = "compares where libraries opened by path with the handle's place"
            )]
            let real = std::fs::canonicalize(opened).map(unmarked);
            if !real.is_ok_and(|real| real.components().eq(expected.components())) {
                return Err(self.outside(&format!("{what} is somewhere else")));
            }
        }
        Ok(())
    }

    fn outside(&self, reason: &str) -> RepositoryError {
        RepositoryError::Outside { path: self.folder.to_string(), reason: reason.to_owned() }
    }

    fn unsupported(&self, what: &str) -> RepositoryError {
        RepositoryError::Unsupported { path: self.folder.to_string(), what: what.to_owned() }
    }

    /// The error of an object that libgit2 could not write. Of a `write` that found no room it keeps the words of an error before, so the
    /// room is looked at.
    pub fn not_written(&self, error: &git2::Error, bytes: usize) -> RepositoryError {
        let room = handle::room(&self.handle);
        if error.kind() == FailureKind::Wrong && room.is_some_and(|room| room < bytes as u64 + OBJECT_ROOM) {
            let (path, reason) = (self.folder.to_string(), "an object could not be written".to_owned());
            return RepositoryError::DiskFull { path, reason };
        }
        self.broken(error)
    }

    /// Which of the files that all is about the user may not read. The libraries do not name it, and cannot do without.
    fn closed_file(&self) -> Option<String> {
        const RULES: [&str; 2] = [".gitignore", ".gitattributes"];
        const PARTS: [&str; 6] =
            ["HEAD", "index", "packed-refs", "info/exclude", "info/attributes", "info/sparse-checkout"];
        let rules = RULES.iter().map(|rules| (self.folder.join(rules), (*rules).to_owned()));
        let parts = PARTS.iter().map(|part| (self.places.git.join(part), format!(".git/{part}")));
        let denied = |path: &RelPath| {
            let opened = nofollow::open_file(&self.handle, path.as_path());
            opened.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
        };
        let mut closed = rules.chain(parts).filter(|(path, _)| denied(path));
        closed.next().map(|(_, name)| format!("it may not read `{name}`"))
    }

    /// The error of a library; its words may hold names from the repository.
    pub fn broken(&self, error: &impl Failure) -> RepositoryError {
        if self.gave_up.swap(false, Ordering::Relaxed) {
            let reason = "an object is packed as a chain of more differences than git makes".to_owned();
            return RepositoryError::TooLarge { path: self.folder.to_string(), reason };
        }
        let (path, reason) = (self.folder.to_string(), visible(&error.words()).into_owned());
        match error.kind() {
            FailureKind::Wrong => RepositoryError::Broken { path, reason },
            FailureKind::Foreign => self.foreign(),
            FailureKind::TooLarge => RepositoryError::TooLarge { path, reason },
            FailureKind::DiskFull => RepositoryError::DiskFull { path, reason },
            FailureKind::Denied => {
                RepositoryError::Denied { path, reason: self.closed_file().unwrap_or(reason) }
            }
        }
    }
}

/// From here on libgit2 reads the settings as they are now. A repository that has just been opened reads their files again whenever
/// they change; where that fails, since another one is in the place of a file or it is half written, libgit2 1.9 ends the process: it
/// frees an entry that it has not found.
fn settings_as_opened(opened: &git2::Repository) -> Result<(), git2::Error> {
    opened.set_config(&opened.config()?.snapshot()?)
}
