//! One watch for each workspace and its law, however many listen: the system gives each user only few of them.

use std::{
    collections::BTreeMap,
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
    watch::{Changes, WorkspaceWatch},
};

/// Changes of this time are told together.
const COALESCE: Duration = Duration::from_millis(200);
/// Changes that wait for one who listens; who has missed some is told so.
const WAITING: usize = 16;

/// The watches of one configuration that somebody listens to.
#[derive(Debug, Default)]
pub struct Watches(Mutex<BTreeMap<Key, Weak<Shared>>>);

/// The id of a workspace and the digest of its law: a watch names nothing that the law closes.
type Key = (String, String);

/// A watch that several listen to; it ends with the last of them.
#[derive(Debug)]
struct Shared {
    state: watch::Receiver<State>,
    changes: broadcast::Sender<Arc<Changes>>,
    _end: DropGuard,
}

#[derive(Clone, Debug)]
enum State {
    Begins,
    /// With the reason why a part is not watched.
    Stands(Option<String>),
    Failed(String),
}

/// What a watch says of its workspace.
#[derive(Debug)]
pub(super) enum Watched {
    /// From here on changes are told.
    Began,
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
    _shared: Arc<Shared>,
}

impl Watches {
    /// Listens to the workspace of `place`.
    pub(super) fn listen(&self, place: Place) -> Ear {
        let key = (place.workspace.id().to_owned(), place.law.digest().to_owned());
        let mut watches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        watches.retain(|_, shared| shared.strong_count() > 0);
        let standing = watches.get(&key).and_then(Weak::upgrade);
        // One that failed is tried again: there may be room by now.
        let shared = standing.filter(|shared| !matches!(*shared.state.borrow(), State::Failed(_)));
        let shared = shared.unwrap_or_else(|| {
            let shared = Arc::new(Shared::start(place.workspace));
            watches.insert(key, Arc::downgrade(&shared));
            shared
        });
        Ear {
            state: shared.state.clone(),
            changes: shared.changes.subscribe(),
            began: false,
            partial: None,
            _shared: shared,
        }
    }
}

impl Shared {
    fn start(workspace: Arc<Workspace>) -> Self {
        let (said, state) = watch::channel(State::Begins);
        let (changes, _) = broadcast::channel(WAITING);
        let end = CancellationToken::new();
        let (ended, told) = (end.clone(), changes.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = ended.cancelled() => {}
                () = attend(workspace, &said, &told) => {}
            }
        });
        Self { state, changes, _end: end.drop_guard() }
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
            let partial = watch.partial();
            let is_said = matches!(state, State::Stands(said) if said.as_deref() == partial);
            if !is_said {
                *state = State::Stands(partial.map(str::to_owned));
            }
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
            State::Stands(_) if !self.began => {
                self.began = true;
                Some(Watched::Began)
            }
            State::Stands(Some(reason)) | State::Failed(reason) if self.partial.as_ref() != Some(reason) => {
                self.partial = Some(reason.clone());
                Some(Watched::Partly(reason.clone()))
            }
            _ => None,
        }
    }
}
