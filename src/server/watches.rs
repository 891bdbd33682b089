//! One watch for each workspace and its law, however many listen: the system gives each user only few of them.

use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use tokio::{
    sync::{
        Notify,
        broadcast::{self, error::RecvError},
        watch,
    },
    task, time,
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::place::Place;
use crate::workspace::{
    Workspace,
    watch::{Changes, End, WorkspaceWatch},
};

/// Changes of this time are told together.
const COALESCE: Duration = Duration::from_millis(200);
/// Changes that wait for one who listens; who has missed some is told so.
const WAITING: usize = 16;

/// The watches of one connection that somebody listens to. Another configuration ends none whose law stays the same.
#[derive(Clone, Debug, Default)]
pub struct Watches(Arc<Mutex<BTreeMap<Key, Weak<Shared>>>>);

/// The id of a workspace, its folder, and the digest of its law: a watch names nothing that the law closes.
type Key = (String, PathBuf, String);

fn key(place: &Place) -> Key {
    let workspace = &place.workspace;
    (workspace.id().to_owned(), workspace.root().to_path_buf(), place.law.digest().to_owned())
}

/// A watch that several listen to; it ends with the last of them.
#[derive(Debug)]
struct Shared {
    workspace: Arc<Workspace>,
    state: watch::Receiver<State>,
    changes: broadcast::Sender<Arc<Changes>>,
    _end: DropGuard,
}

#[derive(Clone, Debug)]
enum State {
    Begins,
    /// With what is not watched.
    Stands(Option<Partial>),
    Failed(String),
}

/// A watch that lacks a part.
#[derive(Clone, Debug)]
pub(super) struct Partial {
    /// Why.
    pub(super) reason: String,
    watched: Arc<HashSet<PathBuf>>,
    ends: Arc<[End]>,
}

impl Partial {
    /// True when each change of what stands at `path` is told all the same: it is no folder and lies in one that is watched, or all that
    /// lies in it is.
    pub(super) fn covers(&self, workspace: &Workspace, path: &str) -> bool {
        let path = Path::new(path.trim_matches('/'));
        let is_folder = |path| workspace.handle().symlink_metadata(path).is_ok_and(|found| found.is_dir());
        if is_folder(path) {
            return self.watched.contains(path) && self.ends.iter().all(|end| end.spares(path));
        }
        path.parent().is_some_and(|folder| self.watched.contains(folder))
    }
}

/// What a watch says of its workspace.
#[derive(Debug)]
pub(super) enum Watched {
    /// From here on changes are told; with what is not watched.
    Began(Option<Partial>),
    /// Something has changed.
    Changed(Arc<Changes>),
    /// Not at all, or not all of it.
    Partly(String),
}

/// The ear of one who listens.
#[derive(Debug)]
pub(super) struct Ear {
    state: watch::Receiver<State>,
    changes: broadcast::Receiver<Arc<Changes>>,
    began: bool,
    partial: Option<String>,
    key: Key,
    shared: Arc<Shared>,
}

/// What somebody listens to: a folder under one law.
#[derive(Debug)]
pub(super) struct Subject {
    key: Key,
    workspace: Arc<Workspace>,
}

impl Subject {
    /// True while that is the place: the same law, and the folder still stands there.
    pub(super) fn is(&self, place: &Place) -> bool {
        self.key == key(place) && self.workspace.is_in_place()
    }

    pub(super) fn workspace(&self) -> &Workspace {
        &self.workspace
    }
}

impl Watches {
    /// Listens to the workspace of `place`.
    pub(super) fn listen(&self, place: Place) -> Ear {
        let key = key(&place);
        let mut watches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        watches.retain(|_, shared| shared.strong_count() > 0);
        let standing = watches.get(&key).and_then(Weak::upgrade);
        // One that failed is tried again: there may be room by now.
        let shared = standing.filter(|shared| {
            !matches!(*shared.state.borrow(), State::Failed(_)) && shared.workspace.is_in_place()
        });
        let shared = shared.unwrap_or_else(|| {
            let shared = Arc::new(Shared::start(place.workspace));
            watches.insert(key.clone(), Arc::downgrade(&shared));
            shared
        });
        Ear {
            state: shared.state.clone(),
            changes: shared.changes.subscribe(),
            began: false,
            partial: None,
            key,
            shared,
        }
    }
}

impl Shared {
    fn start(workspace: Arc<Workspace>) -> Self {
        let (said, state) = watch::channel(State::Begins);
        let (changes, _) = broadcast::channel(WAITING);
        let end = CancellationToken::new();
        let (ended, told, watched) = (end.clone(), changes.clone(), Arc::clone(&workspace));
        tokio::spawn(async move {
            tokio::select! {
                () = ended.cancelled() => {}
                () = attend(watched, &said, &told) => {}
            }
        });
        Self { workspace, state, changes, _end: end.drop_guard() }
    }
}

/// Waits for the bell, then for a moment, then looks.
async fn attend(
    workspace: Arc<Workspace>,
    said: &watch::Sender<State>,
    told: &broadcast::Sender<Arc<Changes>>,
) {
    let bell = Arc::new(Notify::new());
    let ringer = Arc::clone(&bell);
    let started =
        task::spawn_blocking(move || WorkspaceWatch::start(workspace, move || ringer.notify_one())).await;
    let mut watch = match started {
        Ok(Ok(watch)) => watch,
        Ok(Err(reason)) => {
            said.send_replace(State::Failed(reason));
            return;
        }
        Err(_) => return,
    };
    loop {
        said.send_if_modified(|state| {
            let partial = watch.partial().map(|reason| Partial {
                reason: reason.to_owned(),
                watched: Arc::new(watch.watched().clone()),
                ends: watch.ends().into(),
            });
            let reason = partial.as_ref().map(|partial| &partial.reason);
            let is_said =
                matches!(&*state, State::Stands(said) if said.as_ref().map(|said| &said.reason) == reason);
            *state = State::Stands(partial);
            !is_said
        });
        bell.notified().await;
        time::sleep(COALESCE).await;
        let settled = task::spawn_blocking(move || {
            let changes = watch.settle();
            (watch, changes)
        })
        .await;
        let Ok((kept, changes)) = settled else { return };
        watch = kept;
        if !changes.is_empty() {
            // Nobody to hear it: the end is near.
            let _ = told.send(Arc::new(changes));
        }
    }
}

impl Ear {
    /// What it listens to, to be compared with what there is later.
    pub(super) fn subject(&self) -> Subject {
        Subject { key: self.key.clone(), workspace: Arc::clone(&self.shared.workspace) }
    }

    /// The next word; none once there is no watch any more.
    pub(super) async fn next(&mut self) -> Option<Watched> {
        loop {
            if let Some(word) = self.word() {
                return Some(word);
            }
            tokio::select! {
                changed = self.state.changed() => if changed.is_err() {
                    return self.lost();
                },
                changes = self.changes.recv(), if self.began => match changes {
                    Ok(changes) => return Some(Watched::Changed(changes)),
                    Err(RecvError::Lagged(_)) => {
                        return Some(Watched::Changed(Arc::new(Changes { missed: true, ..Changes::default() })));
                    }
                    Err(RecvError::Closed) => return None,
                },
            }
        }
    }

    /// There is no watch any more and nobody has said so: no thread could be started for it.
    fn lost(&mut self) -> Option<Watched> {
        if matches!(&*self.state.borrow(), State::Failed(_)) {
            return None;
        }
        let reason = "no thread could be started that looks for changes".to_owned();
        let is_said = self.partial.as_ref() == Some(&reason);
        self.partial = Some(reason.clone());
        (!is_said).then_some(Watched::Partly(reason))
    }

    /// What the watch says of itself and has not said here.
    fn word(&mut self) -> Option<Watched> {
        match &*self.state.borrow_and_update() {
            State::Stands(partial) if !self.began => {
                self.began = true;
                Some(Watched::Began(partial.clone()))
            }
            State::Stands(Some(Partial { reason, .. })) | State::Failed(reason)
                if self.partial.as_ref() != Some(reason) =>
            {
                self.partial = Some(reason.clone());
                Some(Watched::Partly(reason.clone()))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::{Config, Place, WorkspaceEntry},
        policy::Law,
    };

    #[test]
    fn of_a_watch_that_lacks_a_part_what_lies_in_watched_folders_is_told_and_nothing_else_for_sure() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["first/deep", "watched/deep", "last"] {
            std::fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        let entry = WorkspaceEntry {
            id: "ws".into(),
            path: root.path().canonicalize().unwrap(),
            read_only: false,
            closed_by: None,
            place: Place::default(),
        };
        let law = Law::new(&Config::default()).unwrap();
        let workspace = Workspace::open(&entry, Arc::new(law.paths().clone())).unwrap();
        let watched = ["", "first", "first/deep", "watched"].into_iter().map(PathBuf::from).collect();
        let ends = [End::at("", "watched/deep")].into();
        let partial = Partial { reason: "the limit".into(), watched: Arc::new(watched), ends };
        for (path, is_covered) in [
            ("file", true),
            ("watched/file", true),
            ("watched/none/", true),
            ("last/file", false),
            ("watched/deep/file", false),
            ("watched/deep", false),
            ("watched", false),
            ("last", false),
            ("", false),
            ("first/", true),
            ("first/deep", true),
        ] {
            assert_eq!(partial.covers(&workspace, path), is_covered, "{path}");
        }
    }
}
