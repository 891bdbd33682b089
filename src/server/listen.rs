//! Who listens hears of changes: of the tools, of files under the resources that were named. Nothing is watched for nobody.

use std::{
    collections::{BTreeMap, BTreeSet},
    future::pending,
};

use rmcp::{
    Peer, RoleServer,
    model::{CustomNotification, ResourceUpdatedNotificationParam, ServerNotification, SubscriptionFilter},
    service::{SubscriptionContext, SubscriptionSink},
};
use serde_json::{Value, json};
use tokio::{
    sync::{broadcast::error::RecvError, mpsc, oneshot},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use super::{
    Current, Host, News, Place, errands,
    resource::Address,
    watches::{Ear, Partial, Subject, Watched},
};
use crate::{
    limits::{LISTENERS, NAME_SHOWN_BYTES},
    text::excerpt,
    workspace::watch::{Changes, own_limit},
};

/// Where news go.
#[derive(Clone, Debug)]
pub(super) enum Listener {
    /// A `subscriptions/listen` of a current client.
    Modern(SubscriptionSink),
    /// A client of an older revision.
    Legacy(Peer<RoleServer>),
}

impl Listener {
    async fn updated(&self, uri: &str) {
        let _ = match self {
            Self::Modern(sink) => sink.notify_resource_updated(uri).await.map_err(|error| error.to_string()),
            Self::Legacy(peer) => peer
                .notify_resource_updated(ResourceUpdatedNotificationParam::new(uri))
                .await
                .map_err(|error| error.to_string()),
        };
    }

    async fn tools_changed(&self) {
        let _ = match self {
            Self::Modern(sink) => sink.notify_tool_list_changed().await.map_err(|error| error.to_string()),
            Self::Legacy(peer) => peer.notify_tool_list_changed().await.map_err(|error| error.to_string()),
        };
    }
}

/// What of a wish can be granted: news of the tools, and resources in workspaces that there are.
pub(super) fn accepted(host: &Host, requested: &SubscriptionFilter) -> SubscriptionFilter {
    let known = |uri: &&String| {
        Address::parse(uri).filter(Address::stays_inside).is_some_and(|address| {
            host.slots.iter().any(|slot| slot.entry.id == address.workspace && slot.opened.is_ok())
        })
    };
    let uris: Vec<String> =
        requested.resource_subscriptions.iter().flatten().filter(known).cloned().collect();
    let mut accepted = SubscriptionFilter::new();
    accepted.tools_list_changed = requested.tools_list_changed;
    accepted.resource_subscriptions = (!uris.is_empty()).then_some(uris);
    accepted
}

/// Why nobody would be told of a change.
#[derive(Clone, Debug)]
pub(super) enum Unwatched {
    /// Nothing of the workspace is watched.
    All(String),
    /// There was no room for all of it.
    Part(String),
}

/// Serves one `subscriptions/listen` until it is cancelled or the connection ends.
pub(super) async fn listen(current: &Current, host: &Host, context: &SubscriptionContext) {
    let listener = Listener::Modern(context.sink().clone());
    let accepted = context.accepted();
    // One that is named again is told once all the same.
    let mut uris = accepted.resource_subscriptions.clone().unwrap_or_default();
    uris.sort_unstable();
    uris.dedup();
    let peer = host.said_hello().then(|| context.request_context().peer.clone());
    tokio::select! {
        () = context.cancelled() => {}
        () = host.root.cancelled() => {}
        () = files(current, &uris, &listener, peer.as_ref(), None) => {}
        () = tools(current, accepted.tools_list_changed == Some(true), &listener) => {}
    }
}

/// Tells of other tools, for ever.
pub(super) async fn tools(current: &Current, wanted: bool, listener: &Listener) {
    if !wanted {
        return pending().await;
    }
    let mut news = current.news();
    loop {
        match news.recv().await {
            Ok(News::Tools) | Err(RecvError::Lagged(_)) => listener.tools_changed().await,
            Ok(News::Config(_)) => {}
            Err(RecvError::Closed) => return pending().await,
        }
    }
}

/// Tells a client of an older revision of one resource, until `stop`. `began` hears that the watch stands, or why there
/// is none.
pub(super) async fn follow(
    (current, host): (&Current, &Host),
    uri: String,
    peer: Peer<RoleServer>,
    stop: CancellationToken,
    began: oneshot::Sender<Result<(), Unwatched>>,
) {
    let (listener, uris) = (Listener::Legacy(peer), [uri]);
    tokio::select! {
        () = stop.cancelled() => {}
        () = host.root.cancelled() => {}
        () = files(current, &uris, &listener, None, Some(began)) => {}
    }
}

/// Watches the workspaces of these resources and tells of what changes under them, for ever, by the law that is in force: what it closes
/// from now on is not told from now on, nor what lies in a workspace that is none any more. `peer` hears of all of it at once; `began` of
/// the first word of a watch, or why there is none.
async fn files(
    current: &Current,
    uris: &[String],
    listener: &Listener,
    peer: Option<&Peer<RoleServer>>,
    mut began: Option<oneshot::Sender<Result<(), Unwatched>>>,
) {
    let mut by_workspace: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for uri in uris {
        if let Some(address) = Address::parse(uri) {
            by_workspace.entry(address.workspace).or_default().push((address.path, uri.clone()));
        }
    }
    // Before the host is asked for: what comes after it is heard.
    let mut news = current.news();
    let (told, mut heard) = mpsc::channel(4);
    let mut ears = Ears { open: BTreeMap::new(), known: BTreeSet::new(), begun: 0, told };
    let host = current.first_host().await;
    for id in by_workspace.keys() {
        ears.tune(&host, id);
    }
    drop(host);
    if ears.open.is_empty()
        && let Some(began) = began.take()
    {
        let _ = began.send(Err(Unwatched::All("its folder cannot be opened".to_owned())));
    }
    loop {
        let (id, number, word) = tokio::select! {
                news = news.recv() => match news {
                    Ok(News::Config(_)) | Err(RecvError::Lagged(_)) => {
                        let host = current.first_host().await;
                        for id in by_workspace.keys() {
            ears.tune(&host, id);
        }
                        continue;
                    }
                    Ok(News::Tools) => continue,
                    Err(RecvError::Closed) => return pending().await,
                },
                Some(told) = heard.recv() => told,
            };
        // Whatever has changed, it may have been the law.
        if matches!(word, Watched::Changed(_)) {
            let host = current.first_host().await;
            ears.follow(&host, &id);
        }
        let Some(ear) = ears.open.get(&id).filter(|ear| ear.number == number) else { continue };
        let wanted = by_workspace.get(&id).map_or(&[][..], Vec::as_slice);
        if let Some(began) = began.take() {
            // Of a watch that stands `Partly` is never the first word.
            let _ = began.send(match &word {
                Watched::Partly(reason) => Err(Unwatched::All(reason.clone())),
                Watched::Began(Some(partial))
                    if !wanted.iter().all(|(path, _)| ear.covers(partial, path)) =>
                {
                    Err(Unwatched::Part(partial.reason.clone()))
                }
                Watched::Began(_) | Watched::Changed(_) => Ok(()),
            });
        }
        match word {
            // What changed between the acknowledgment and this moment was not seen: now is the time to look.
            Watched::Began(_) => {
                // Who was told that it stands does not look by itself.
                if ear.is_other {
                    for (_, uri) in wanted {
                        listener.updated(uri).await;
                    }
                }
                tell(peer, json!({"workspace": id, "watching": true})).await;
            }
            Watched::Changed(changes) if changes.is_silent() => {}
            Watched::Changed(changes) => {
                for (_, uri) in wanted.iter().filter(|(path, _)| concerns(path, &changes)) {
                    listener.updated(uri).await;
                }
                tell(peer, told_changes(&id, &changes)).await;
            }
            Watched::Partly(reason) => {
                tracing::warn!(workspace = id, reason, "a workspace is not watched, or not all of it");
                tell(peer, json!({"workspace": id, "partial": reason})).await;
            }
        }
    }
}

/// The ears of one who listens, by workspace.
struct Ears {
    open: BTreeMap<String, OpenEar>,
    /// Workspaces that were listened to at all.
    known: BTreeSet<String>,
    begun: u64,
    told: mpsc::Sender<Told>,
}

struct OpenEar {
    subject: Subject,
    /// Tells its words from those of an earlier one.
    number: u64,
    /// It took the place of an earlier one.
    is_other: bool,
    words: JoinHandle<()>,
}

impl OpenEar {
    fn covers(&self, partial: &Partial, path: &str) -> bool {
        partial.covers(self.subject.workspace(), path)
    }
}

impl Drop for OpenEar {
    fn drop(&mut self) {
        self.words.abort();
    }
}

impl Ears {
    /// Listens to a workspace as it is now: to nothing where there is none, and again where there was no watch to be had.
    fn tune(&mut self, host: &Host, id: &str) {
        match host.place(Some(id)) {
            Ok(place) if self.open.get(id).is_some_and(|ear| ear.words.is_finished()) => {
                self.begin(host, id, place);
            }
            Ok(_) => self.follow(host, id),
            Err(_) => drop(self.open.remove(id)),
        }
    }

    /// Listens under the law there is now, if it is another one.
    fn follow(&mut self, host: &Host, id: &str) {
        if let Ok(place) = host.place(Some(id))
            && self.open.get(id).is_none_or(|ear| !ear.subject.is(&place))
        {
            self.begin(host, id, place);
        }
    }

    fn begin(&mut self, host: &Host, id: &str, place: Place) {
        // Gone before the next one begins: the system gives each user only few of them.
        drop(self.open.remove(id));
        let is_other = !self.known.insert(id.to_owned());
        let ear = host.watches.listen(place);
        let (subject, number) = (ear.subject(), self.begun);
        self.begun += 1;
        let words = tokio::spawn(hand_on(ear, id.to_owned(), number, self.told.clone()));
        self.open.insert(id.to_owned(), OpenEar { subject, number, is_other, words });
    }
}

type Told = (String, u64, Watched);

/// Hands on what is heard of one workspace, as long as anybody takes it.
async fn hand_on(mut ear: Ear, id: String, number: u64, told: mpsc::Sender<Told>) {
    loop {
        let word = tokio::select! {
            word = ear.next() => word,
            () = told.closed() => return,
        };
        let Some(word) = word else { return };
        if told.send((id.clone(), number, word)).await.is_err() {
            return;
        }
    }
}

/// The resource itself changed, or something in it, or a folder around it: that may have got another name, or gone.
fn concerns(path: &str, changes: &Changes) -> bool {
    let path = path.trim_matches('/');
    let below = |path: &str, folder: &str| {
        path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let within = |changed: &String| path.is_empty() || below(changed, path) || below(path, changed);
    changes.missed || changes.more > 0 || changes.paths.iter().any(within)
}

fn told_changes(id: &str, changes: &Changes) -> Value {
    json!({
        "workspace": id, "paths": changes.paths, "more": changes.more, "git": changes.git, "missed": changes.missed,
    })
}

async fn tell(peer: Option<&Peer<RoleServer>>, params: Value) {
    let Some(peer) = peer else { return };
    let notification = CustomNotification::new("notifications/outrigger/changed", Some(params));
    let _ = peer.send_notification(ServerNotification::CustomNotification(notification)).await;
}

/// Nobody would be told of a change, and has to know it.
pub(super) fn unwatched(uri: &str, why: &Unwatched) -> errands::Refusal {
    let uri = excerpt(uri, NAME_SHOWN_BYTES);
    let (message, hint) = match why {
        Unwatched::All(reason) => (
            format!("`{uri}` is not watched, and no change of it would be told: {reason}"),
            "subscribe to fewer resources, the root of a workspace (`outrigger://ID/`) stands for all in it; or read it again when it \
             matters; or raise the system's limit",
        ),
        Unwatched::Part(reason) => (
            format!("`{uri}` is not watched, or not all of it, and a change of it may not be told: {reason}"),
            if *reason == own_limit() {
                "subscribe to folders that hold fewer, or to single files; name folders that programs fill in `.gitignore` or `.ignore`, \
                 then they take no room; or read it again when it matters"
            } else {
                "subscribe to folders that hold fewer, or to single files; or read it again when it matters; or raise the system's limit"
            },
        ),
    };
    errands::Refusal::new("not_watched", message, hint)
}

/// Each takes memory, and a task that tells of it.
pub(super) fn too_many(uri: &str) -> errands::Refusal {
    errands::Refusal::new(
        "too_many_listeners",
        format!(
            "`{}` is not watched: this connection is subscribed to {LISTENERS} resources, and no more are taken",
            excerpt(uri, NAME_SHOWN_BYTES)
        ),
        "unsubscribe from one that is no longer needed, or subscribe to the root of a workspace (`outrigger://ID/`), which stands for \
         all in it",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_is_concerned_by_what_is_in_it() {
        let changes = |paths: &[&str]| Changes {
            paths: paths.iter().map(ToString::to_string).collect(),
            ..Changes::default()
        };
        assert!(concerns("src", &changes(&["src/a.rs"])));
        assert!(concerns("src/a.rs", &changes(&["b", "src/a.rs"])));
        assert!(concerns("", &changes(&["b"])));
        assert!(concerns("src/a.rs", &changes(&["src"])));
        assert!(!concerns("src", &changes(&["src2/a.rs", "a/src"])));
        assert!(concerns("src", &Changes { more: 1, ..Changes::default() }));
        assert!(!concerns("src", &Changes { git: true, ..Changes::default() }));
    }
}
