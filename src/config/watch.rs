//! Says when the configuration may have changed.
//!
//! Folders are watched and not the file: editors replace it by a rename, and it may not be there yet. Links are followed hop by
//! hop, each hop's folder watched, so that a file in a repository of dotfiles, or one that is swapped by relinking a folder, is
//! seen as well. The system tells; only where it cannot, whoever follows has to read again and again.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

/// Links between the name and the file; more is a loop.
const HOPS: usize = 16;

/// Watches as long as it is kept.
#[derive(Debug)]
pub struct ConfigWatch {
    candidates: Vec<PathBuf>,
    points: Arc<Mutex<BTreeSet<PathBuf>>>,
    watched: BTreeMap<PathBuf, Option<Identity>>,
    watcher: RecommendedWatcher,
}

impl ConfigWatch {
    /// Calls `changed` whenever one of these files, or what leads to it, may have changed, from the first [`renew`](Self::renew) on.
    /// An error is a sentence.
    pub fn start(candidates: Vec<PathBuf>, changed: impl Fn() + Send + 'static) -> Result<Self, String> {
        let points: Arc<Mutex<BTreeSet<PathBuf>>> = Arc::default();
        let known = Arc::clone(&points);
        let watcher = system_watcher(move |event: notify::Result<notify::Event>| match event {
            Ok(event) if matches!(event.kind, EventKind::Access(_)) => {}
            Ok(event) => {
                let points = known.lock().unwrap_or_else(PoisonError::into_inner);
                // A folder that is watched and goes away concerns every point in it.
                let concerns =
                    |path: &PathBuf| points.iter().any(|point| point == path || point.parent() == Some(path));
                if event.need_rescan() || event.paths.iter().any(concerns) {
                    changed();
                }
            }
            Err(_) => changed(),
        })
        .map_err(|error| error.to_string())?;
        Ok(Self { candidates, points, watched: BTreeMap::new(), watcher })
    }

    /// Looks again where the files are: after a change, links may lead elsewhere and folders may be new.
    pub fn renew(&mut self) -> Result<(), String> {
        let points: BTreeSet<PathBuf> = self.candidates.iter().flat_map(|file| points_of(file)).collect();
        let folders: BTreeSet<PathBuf> =
            points.iter().filter_map(|point| point.parent()).map(Path::to_path_buf).collect();
        points.clone_into(&mut self.points.lock().unwrap_or_else(PoisonError::into_inner));
        for gone in self.watched.keys().filter(|watched| !folders.contains(*watched)) {
            let _ = self.watcher.unwatch(gone);
        }
        // Who stands there is noted before the watch is asked for: another one in between is seen by the next look.
        let folders: BTreeMap<PathBuf, Option<Identity>> =
            folders.into_iter().map(|folder| (folder.clone(), identity(&folder))).collect();
        let mut failed = None;
        for folder in folders.keys() {
            // Watching again what is watched is cheap, and right where a folder was replaced under its name.
            if let Err(error) = self.watcher.watch(folder, RecursiveMode::NonRecursive) {
                failed = Some(format!("{}: {error}", folder.display()));
            }
        }
        self.watched = folders;
        failed.map_or(Ok(()), Err)
    }

    /// Whether another folder stands where one is watched. The system tells of what happens in a folder, not of those above it, which
    /// may have been renamed with all that is in them.
    pub fn is_elsewhere(&self) -> bool {
        self.watched.iter().any(|(folder, watched)| identity(folder) != *watched)
    }
}

/// A watcher of the system's; an error also where there is no thread for it. The library starts one and does not look whether it got
/// it: asked for anything, and dropped, one without a thread panics.
pub fn system_watcher(
    mut heard: impl FnMut(notify::Result<notify::Event>) + Send + 'static,
) -> notify::Result<RecommendedWatcher> {
    let no_thread = |error: io::Error| {
        notify::Error::io(io::Error::new(
            io::ErrorKind::WouldBlock,
            format!("no thread could be started ({error})"),
        ))
    };
    thread::Builder::new().spawn(|| {}).map_err(no_thread)?.join().ok();
    // What listens is dropped with the thread that was to run it.
    let alive = Arc::new(());
    let listens = Arc::clone(&alive);
    let watcher = notify::recommended_watcher(move |event| {
        let _alive = Arc::strong_count(&listens);
        heard(event);
    })?;
    if Arc::strong_count(&alive) > 1 {
        return Ok(watcher);
    }
    std::mem::forget(watcher);
    Err(no_thread(io::ErrorKind::WouldBlock.into()))
}

/// Which folder it is, whatever its name; where the system lets nobody rename what is watched, none.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(folder: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(folder).ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(_folder: &Path) -> Option<Identity> {
    None
}

/// The names whose change can change what is read at `file`, each in a folder that exists.
fn points_of(file: &Path) -> BTreeSet<PathBuf> {
    let mut points = BTreeSet::new();
    let mut next = Some(file.to_path_buf());
    for _ in 0..HOPS {
        let Some(path) = next.take() else { break };
        // A folder on the way that is a link may be turned to another one.
        for folder in path.ancestors().skip(1) {
            if folder.is_symlink() {
                points.insert(folder.to_path_buf());
                if let Ok(target) = std::fs::read_link(folder) {
                    points.extend(existing(&folder.parent().unwrap_or(folder).join(target)));
                }
            }
        }
        points.extend(existing(&path));
        if let Ok(target) = std::fs::read_link(&path) {
            next = path.parent().map(|folder| folder.join(target));
        }
    }
    points
}

/// The name itself, or the first on the way to it that is missing.
fn existing(path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|name| name.parent().is_some_and(Path::is_dir)).map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// The library would panic at the first question, and once more while it is dropped, which ends the process.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_watcher_without_a_thread_is_an_error() {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let before = getrlimit(Resource::As);
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap();
        let kib: u64 = size.trim().trim_end_matches("kB").trim().parse().unwrap();
        // Less than a thread takes.
        let tight = Rlimit { current: Some((kib + 1024) * 1024), maximum: before.maximum };
        setrlimit(Resource::As, tight).unwrap();
        let watcher = system_watcher(|_| {}).map(drop);
        setrlimit(Resource::As, before).unwrap();
        assert!(watcher.unwrap_err().to_string().contains("no thread"));
        system_watcher(|_| {}).unwrap();
    }

    #[test]
    fn every_hop_on_the_way_is_a_point() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("dotfiles/outrigger")).unwrap();
        symlink("dotfiles/outrigger", at("config")).unwrap();
        symlink("../real.toml", at("dotfiles/outrigger/config.toml")).unwrap();
        let points = points_of(&at("config/config.toml"));
        for wanted in ["config", "config/config.toml", "dotfiles/outrigger", "config/../real.toml"] {
            assert!(points.contains(&at(wanted)), "{wanted}: {points:?}");
        }
        assert_eq!(points_of(&at("none/at/all.toml")), BTreeSet::from([at("none")]));
        symlink("loop.toml", at("loop.toml")).unwrap();
        assert_eq!(points_of(&at("loop.toml")).len(), 1);
    }
}
