//! Watches a workspace for changes while somebody asked for it, and not a moment longer.
//!
//! Each folder that the ignore rules let through is watched by itself: what is ignored costs nothing. The system tells; nothing
//! is asked again and again, and where the system cannot watch it all, that is said. What is blocked is never named. Of `.git`
//! only the change of `HEAD`, of the branch that it names or of the index is told, and only that there was one.

use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _, event::ModifyKind};

use super::{
    LOCAL_FILE, Workspace,
    ignore_rules::{IgnoreRules, RuleFiles},
    nofollow,
    repository::git_folder,
    temporary,
    walk::{Walk, WalkKind, WalkOptions},
};
use crate::{
    config::watch::system_watcher,
    file_identity,
    limits::{WATCH_FOLDERS, WATCH_PATHS, WATCH_PENDING},
    policy::PathClass,
    relpath::RelPath,
};

/// Files that say what is ignored below their folder.
const RULE_FILES: [&str; 3] = [".gitignore", ".ignore", ".rgignore"];
/// The folder in a git folder where git writes down each move of `HEAD`, also those that change neither it nor the index.
const LOGS: &str = "logs";
/// Places where there was no room any more that are remembered; with more, nothing is known of any folder.
const ENDS: usize = 64;

/// What has changed since it was asked last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Relative to the root, sorted; those that fit.
    pub paths: Vec<String>,
    /// How many more there are.
    pub more: u64,
    /// `HEAD`, the branch that it names or the index of a repository.
    pub git: bool,
    /// Changes were missed: whoever needs to know has to look.
    pub missed: bool,
    /// The workspace's own file of rules may say something else by now. Whether the file is shown does not matter.
    pub rules: bool,
}

impl Changes {
    fn note(&mut self, path: &Path) {
        if self.paths.len() < WATCH_PATHS {
            self.paths.push(crate::text::from_os(path.as_os_str()).into_owned());
        } else {
            self.more += 1;
        }
    }

    /// Nothing that anybody should look at.
    pub fn is_empty(&self) -> bool {
        !self.rules && self.is_silent()
    }

    /// Nothing that anybody should be told of.
    pub fn is_silent(&self) -> bool {
        self.paths.is_empty() && self.more == 0 && !self.git && !self.missed
    }
}

/// Watches as long as it is kept.
#[derive(Debug)]
pub struct WorkspaceWatch {
    workspace: Arc<Workspace>,
    pending: Arc<Mutex<Pending>>,
    watched: HashSet<PathBuf>,
    watcher: RecommendedWatcher,
    partial: Option<String>,
    ends: Vec<End>,
}

/// Where there was no room any more: of what lies below `below`, neither the folder `at` nor any that comes after it in the order of
/// paths is watched.
#[derive(Clone, Debug)]
pub struct End {
    below: PathBuf,
    at: PathBuf,
}

impl End {
    pub(crate) fn at(below: impl Into<PathBuf>, at: impl Into<PathBuf>) -> Self {
        Self { below: below.into(), at: at.into() }
    }

    /// All of `folder` comes before it, or lies elsewhere.
    pub fn spares(&self, folder: &Path) -> bool {
        !(self.at.starts_with(folder) || folder.starts_with(&self.below) && *folder > *self.at)
    }
}

/// Why a part is not watched where the limit is the host's own.
pub fn own_limit() -> String {
    format!("only {WATCH_FOLDERS} folders are watched")
}

#[derive(Debug, Default)]
struct Pending {
    /// Each with whether something came or went under this name, and not only its content or its rights.
    paths: BTreeMap<PathBuf, bool>,
    missed: bool,
}

/// Why there is no watch at all, in a word that says whose limit it is.
fn lack(error: &notify::Error) -> String {
    let is_full = match &error.kind {
        notify::ErrorKind::MaxFilesWatch => true,
        notify::ErrorKind::Io(error) => {
            !matches!(error.kind(), std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::WouldBlock)
        }
        _ => false,
    };
    if is_full && cfg!(target_os = "linux") {
        format!(
            "{error}: this user's inotify instances (fs.inotify.max_user_instances) or open files are used up"
        )
    } else {
        error.to_string()
    }
}

impl WorkspaceWatch {
    /// Begins; `changed` is called, from a thread of the system's watcher, when [`settle`](Self::settle) has something to do.
    pub fn start(workspace: Arc<Workspace>, changed: impl Fn() + Send + 'static) -> Result<Self, String> {
        let pending: Arc<Mutex<Pending>> = Arc::default();
        let (taken, root) = (Arc::clone(&pending), workspace.root().to_path_buf());
        let watcher = system_watcher(move |event: notify::Result<notify::Event>| {
            if taken.lock().unwrap_or_else(PoisonError::into_inner).take(event, &root) {
                changed();
            }
        })
        .map_err(|error| lack(&error))?;
        let mut watch =
            Self { workspace, pending, watched: HashSet::new(), watcher, partial: None, ends: Vec::new() };
        watch.watch_below(&RelPath::root());
        Ok(watch)
    }

    /// Why a part of the workspace is not watched; `None` when all of it is.
    pub fn partial(&self) -> Option<&str> {
        self.partial.as_deref()
    }

    /// Where there was no room for more.
    pub fn ends(&self) -> &[End] {
        &self.ends
    }

    /// The folders that are watched, relative to the root.
    pub fn watched(&self) -> &HashSet<PathBuf> {
        &self.watched
    }

    /// What has changed, and from now on also what is new. Reads folders: never call it from an async task.
    pub fn settle(&mut self) -> Changes {
        let Pending { paths, missed } =
            std::mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner));
        let mut changes = Changes { missed, ..Changes::default() };
        let mut rules: Option<(PathBuf, Option<IgnoreRules>)> = None;
        let mut loosened: Vec<PathBuf> = Vec::new();
        // A folder that is gone is no longer watched. Under its name there may be another one by now, in no time at all.
        let is_other = |folder: &PathBuf| folder.ancestors().any(|above| paths.get(above) == Some(&true));
        self.watched.retain(|folder| !is_other(folder));
        for (path, moved) in paths {
            // What a change of ours is built in has its own name by now, or none.
            if path.components().any(|part| temporary::is_one(part.as_os_str())) {
                continue;
            }
            if path.components().any(|part| part.as_os_str() == ".git") {
                // In there nothing is watched but git folders and their logs.
                let is_watched = |folder: &Path| folder.ends_with(".git") || self.watched.contains(folder);
                let is_state = path.parent().is_some_and(is_watched)
                    && path.file_name().is_some_and(|name| name == "HEAD" || name == "index");
                changes.git |= is_state;
                if moved && path.ends_with(LOGS) && path.parent().is_some_and(is_watched) {
                    changes.git = true;
                    self.add(&path);
                }
                if moved && path.ends_with(".git") {
                    changes.git = true;
                    self.watch_folder(path.parent().unwrap_or(Path::new("")));
                }
                continue;
            }
            changes.rules |= path == Path::new(LOCAL_FILE);
            let kind = self.kind(&path);
            if !self.is_shown(&path, kind, &mut rules) {
                continue;
            }
            changes.note(&path);
            if path.file_name().is_some_and(|name| RULE_FILES.iter().any(|file| name == *file)) {
                loosened.push(path.parent().unwrap_or(Path::new("")).to_path_buf());
            }
            // What was put into a new folder before it was watched is new as well; where some was missed, all is looked at below.
            if !missed
                && kind == Some(WalkKind::Dir)
                && !self.watched.contains(&path)
                && let Some(folder) = RelPath::from_plain(&path)
            {
                self.watch_below(&folder).iter().for_each(|path| changes.note(path));
            }
        }
        if missed {
            self.renew();
            loosened.clear();
        }
        // Other rules may let other folders through; what lies in them is not new.
        for folder in loosened.iter().filter_map(|folder| RelPath::from_plain(folder)) {
            self.watch_below(&folder);
        }
        changes.paths.sort();
        changes.paths.dedup();
        changes
    }

    /// Watches all of it anew: among what was missed may be folders that came, or took the place of others. What changes meanwhile
    /// is found by whoever is told that something was missed.
    fn renew(&mut self) {
        for folder in std::mem::take(&mut self.watched) {
            let _ = self.watcher.unwatch(&self.workspace.root().join(folder));
        }
        self.partial = None;
        self.ends.clear();
        self.watch_below(&RelPath::root());
    }

    /// What stands there now, by the handle.
    fn kind(&self, path: &Path) -> Option<WalkKind> {
        let path = RelPath::from_plain(path)?;
        super::walk::stat_walked(self.workspace.handle(), &path).ok().flatten()
    }

    fn is_shown(
        &self,
        path: &Path,
        kind: Option<WalkKind>,
        rules: &mut Option<(PathBuf, Option<IgnoreRules>)>,
    ) -> bool {
        let shown = crate::text::from_os(path.as_os_str());
        if self.workspace.rules().classify(&shown) == PathClass::Blocked {
            return false;
        }
        let parent = path.parent().unwrap_or(Path::new(""));
        if rules.as_ref().is_none_or(|(folder, _)| folder != parent) {
            *rules = Some((parent.to_path_buf(), self.rules_in(parent)));
        }
        let rules = rules.as_ref().and_then(|(_, rules)| rules.as_ref());
        rules.is_some_and(|rules| !rules.skips(path, kind == Some(WalkKind::Dir), false))
    }

    /// The ignore rules that hold in a folder; `None` when it is itself left out, as it may be by now.
    fn rules_in(&self, folder: &Path) -> Option<IgnoreRules> {
        let mut rules = IgnoreRules::new(self.workspace.handle(), self.workspace.root());
        let mut folders: Vec<&Path> = folder.ancestors().collect();
        folders.reverse();
        for folder in folders {
            if !folder.as_os_str().is_empty() && rules.skips(folder, true, false) {
                return None;
            }
            rules = rules.enter(self.workspace.handle(), folder, RuleFiles::all());
        }
        Some(rules)
    }

    /// Watches a folder and those in it that ignore rules let through; returns what else there is.
    fn watch_below(&mut self, start: &RelPath) -> Vec<PathBuf> {
        let workspace = Arc::clone(&self.workspace);
        // Where there is no room for it there is none for what lies in it; room that comes meanwhile would leave a hole.
        if !self.watch_folder(start.as_path()) {
            self.end(start.as_path(), start.as_path());
            return Vec::new();
        }
        let options = WalkOptions { hidden: true, ignored: false, max_depth: usize::MAX };
        let is_root = start.is_root();
        // Of the whole workspace, only the folders matter: its files are not new.
        let wanted = |_: &Path, kind: WalkKind| kind == WalkKind::Dir || !is_root;
        let Ok(walk) = Walk::new(workspace.handle(), workspace.root(), workspace.rules(), start, options)
        else {
            return Vec::new();
        };
        let mut others = Vec::new();
        for entry in walk.only(&wanted) {
            let path = entry.path.as_path().to_path_buf();
            if entry.kind != WalkKind::Dir {
                others.push(path);
            } else if !self.watch_folder(&path) {
                self.end(start.as_path(), &path);
                break;
            }
        }
        others
    }

    fn end(&mut self, below: &Path, at: &Path) {
        if self.ends.len() < ENDS {
            self.ends.push(End::at(below, at));
        } else {
            self.ends = vec![End::at("", "")];
        }
    }

    /// Watches one folder, and the git folder that belongs to it; false when no more can be watched.
    fn watch_folder(&mut self, folder: &Path) -> bool {
        if !self.add(folder) {
            return false;
        }
        let git = folder.join(".git");
        let root = self.workspace.handle();
        let git = match root.symlink_metadata(&git) {
            Ok(metadata) if metadata.is_dir() => Some(git),
            Ok(metadata) if metadata.is_file() => git_folder(root, self.workspace.root(), folder),
            _ => None,
        };
        let Some(git) = git else { return true };
        let logs = git.join(LOGS);
        let has_logs = self.workspace.handle().symlink_metadata(&logs).is_ok_and(|found| found.is_dir());
        self.add(&git) && (!has_logs || self.add(&logs))
    }

    fn add(&mut self, folder: &Path) -> bool {
        if self.watched.len() >= WATCH_FOLDERS && !self.watched.contains(folder) {
            self.partial = Some(own_limit());
            return false;
        }
        let named = self.workspace.root().join(folder);
        match self.watcher.watch(&named, RecursiveMode::NonRecursive) {
            // The system watches by name: what it watches now has to be the folder that the handle leads to.
            Ok(()) if self.is_same(folder, &named) => {
                self.watched.insert(folder.to_path_buf());
                true
            }
            Ok(()) => {
                let _ = self.watcher.unwatch(&named);
                true
            }
            Err(error) if matches!(error.kind, notify::ErrorKind::MaxFilesWatch) => {
                self.partial = Some(format!(
                    "the system watches no more than {} folders for this user; `sysctl fs.inotify.max_user_watches` raises it",
                    self.watched.len()
                ));
                false
            }
            // Gone meanwhile, or not readable.
            Err(_) => true,
        }
    }

    fn is_same(&self, folder: &Path, named: &Path) -> bool {
        let by_handle = nofollow::open_dir(self.workspace.handle(), folder);
        by_handle.is_ok_and(|folder| file_identity::is_same(&folder.into_std_file(), named))
    }
}

impl Pending {
    /// Takes an event in; true when it says anything.
    fn take(&mut self, event: notify::Result<notify::Event>, root: &Path) -> bool {
        let event = match event {
            Ok(event) if matches!(event.kind, EventKind::Access(_)) => return false,
            Ok(event) => event,
            Err(_) => {
                self.missed = true;
                return true;
            }
        };
        self.missed |= event.need_rescan();
        let moves = matches!(
            event.kind,
            EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
        );
        let before = self.paths.len();
        for path in event.paths {
            let Ok(path) = path.strip_prefix(root) else { continue };
            if path.as_os_str().is_empty() {
                continue;
            }
            if self.paths.len() >= WATCH_PENDING {
                self.missed = true;
                break;
            }
            *self.paths.entry(path.to_path_buf()).or_default() |= moves;
        }
        self.missed || self.paths.len() > before
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        sync::mpsc::{Receiver, channel},
        time::Duration,
    };

    use super::*;
    use crate::{
        config::{Config, Place, WorkspaceEntry},
        policy::Law,
    };

    struct Watching {
        folder: tempfile::TempDir,
        watch: WorkspaceWatch,
        bell: Receiver<()>,
    }

    fn watching(before: &[&str]) -> Watching {
        let folder = tempfile::tempdir().unwrap();
        for path in before {
            fs::create_dir_all(folder.path().join(path)).unwrap();
        }
        let entry = WorkspaceEntry {
            id: "ws".into(),
            path: folder.path().canonicalize().unwrap(),
            read_only: false,
            closed_by: None,
            place: Place::default(),
        };
        let law = Law::new(&Config::default()).unwrap();
        let workspace = Arc::new(Workspace::open(&entry, Arc::new(law.paths().clone())).unwrap());
        let (ring, bell) = channel();
        let watch = WorkspaceWatch::start(workspace, move || ring.send(()).unwrap_or_default()).unwrap();
        Watching { folder, watch, bell }
    }

    impl Watching {
        /// Waits until the system has told of `path`.
        fn heard(&self, path: &str) {
            while !self.watch.pending.lock().unwrap().paths.contains_key(Path::new(path)) {
                self.bell.recv_timeout(Duration::from_secs(20)).unwrap();
            }
        }
    }

    #[test]
    fn folders_that_came_while_changes_were_missed_are_watched() {
        let mut watching = watching(&["tree/deep"]);
        let root = watching.folder.path().to_path_buf();
        fs::remove_dir_all(root.join("tree")).unwrap();
        fs::create_dir_all(root.join("tree/deep")).unwrap();
        fs::create_dir(root.join("new")).unwrap();
        fs::write(root.join("last"), "").unwrap();
        watching.heard("last");
        // As when there are more than are kept, or than the system keeps.
        *watching.watch.pending.lock().unwrap() = Pending { paths: BTreeMap::new(), missed: true };
        assert!(watching.watch.settle().missed);
        for path in ["tree/top", "tree/deep/file", "new/file"] {
            fs::write(root.join(path), "").unwrap();
            watching.heard(path);
        }
    }
}
