//! Follows the configuration while a connection is served: a good file is in force for the next call, a broken one is said.
//!
//! Running calls keep the law under which they were judged; a plan that was made under another law is asked again, because its
//! digest covers the law.

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use serde_json::json;
use tokio::{sync::Notify, task, time};

use crate::{
    config::{Config, ConfigError, watch::ConfigWatch},
    native::{Caller, Wire},
    policy::Law,
    server::{ConfigState, Current, Host, News},
};

/// What a load gives: the configuration and its law, or why there is none; and the file.
pub(crate) type Loaded = (Result<(Config, Law), ConfigError>, PathBuf);

/// How the configuration of a connection is read, at its start and again.
#[derive(Clone)]
pub(crate) struct Loader {
    load: Arc<dyn Fn() -> Loaded + Send + Sync>,
    /// Where it stands or could stand.
    candidates: Vec<PathBuf>,
}

impl fmt::Debug for Loader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Loader").field("candidates", &self.candidates).finish_non_exhaustive()
    }
}

impl Loader {
    pub(crate) fn new(candidates: Vec<PathBuf>, load: impl Fn() -> Loaded + Send + Sync + 'static) -> Self {
        Self { load: Arc::new(load), candidates }
    }

    pub(crate) fn load(&self) -> Loaded {
        (self.load)()
    }
}

/// How often the file is read where the system has no watch to give.
const LOOK: Duration = Duration::from_secs(1);

/// How often it is looked whether the folders that are watched still stand where they stood.
const PATROL: Duration = Duration::from_secs(2);

/// An editor that saves in several steps is given this time.
const SETTLE: Duration = Duration::from_millis(80);

/// What a reload needs beside the configuration.
pub(super) struct Following<'a> {
    pub current: &'a Current,
    pub loader: Loader,
    pub caller: Option<&'a Caller>,
    pub wire: &'a Wire,
    /// The text in force and its file.
    pub seen: (Option<Arc<str>>, PathBuf),
    /// Makes the first host of a connection that began without one.
    pub first: &'a dyn Fn(Config, Law) -> Host,
    /// Whether the peer knows our notifications.
    pub said_hello: &'a dyn Fn() -> bool,
}

/// How a change is noticed: the system tells it, or, where it has no watch to give, the file is read again and again.
struct Watching {
    bell: Arc<Notify>,
    watch: Option<ConfigWatch>,
    /// Why the system does not tell everything; `None` while it does.
    lack: Option<String>,
}

impl Watching {
    /// Watches the way to the file as it leads now. What could not be had before is asked for again: others may have given it back.
    fn begin(&mut self, loader: &Loader) {
        let begun = if let Some(watch) = &mut self.watch {
            watch.renew()
        } else {
            let ringer = Arc::clone(&self.bell);
            let started = ConfigWatch::start(loader.candidates.clone(), move || ringer.notify_one());
            started.and_then(|mut watch| {
                let renewed = watch.renew();
                self.watch = Some(watch);
                renewed
            })
        };
        let lack = begun.err();
        match (&self.lack, &lack) {
            (None, Some(reason)) => tracing::warn!(
                reason,
                "the configuration cannot be watched; it is read every second until it can"
            ),
            (Some(_), None) => tracing::info!("the configuration is watched again"),
            _ => {}
        }
        self.lack = lack;
    }

    /// Until there may be something new.
    async fn next(&self) {
        if self.lack.is_some() {
            let _ = time::timeout(LOOK, self.bell.notified()).await;
            return;
        }
        while time::timeout(PATROL, self.bell.notified()).await.is_err() {
            if self.watch.as_ref().is_some_and(ConfigWatch::is_elsewhere) {
                return;
            }
        }
    }
}

impl Following<'_> {
    /// Follows until the caller is no longer allowed.
    pub(super) async fn run(mut self) {
        let mut watching = Watching { bell: Arc::default(), watch: None, lack: None };
        // What changed between the load and the watch is seen by the first look.
        watching.begin(&self.loader);
        loop {
            time::sleep(SETTLE).await;
            watching.begin(&self.loader);
            let loader = self.loader.clone();
            // Where the system gives no thread, asking for one panics. That ends a task of its own, and it is looked again.
            let load = async { task::spawn_blocking(move || loader.load()).await };
            let Ok(Ok((loaded, path))) = tokio::spawn(load).await else {
                time::sleep(LOOK).await;
                continue;
            };
            if !self.apply(loaded, path) {
                return;
            }
            watching.next().await;
        }
    }

    /// Puts a load in force; false when the caller may no longer be here.
    fn apply(&mut self, loaded: Result<(Config, Law), ConfigError>, path: PathBuf) -> bool {
        let mut news = self.current.news();
        let shown = path.to_string_lossy().into_owned();
        match loaded {
            Ok((config, law)) => {
                let seen = (config.source.as_ref().map(|source| Arc::clone(&source.text)), path);
                let is_usable = matches!(self.current.config(), ConfigState::Usable { .. });
                if is_usable && seen == self.seen {
                    return true;
                }
                if self.caller.is_some_and(|caller| !caller.is_allowed(&config.extensions_allow)) {
                    return false;
                }
                let host = match self.current.host() {
                    Some(host) => host.under(config, law),
                    None => (self.first)(config, law),
                };
                tracing::info!(file = shown, law = host.law.digest(), "another configuration is in force");
                self.current.replace(host, ConfigState::Usable { path: shown });
                self.seen = seen;
            }
            Err(error) => {
                let told = super::serve::words(&error);
                let state = match self.current.host() {
                    Some(_) => ConfigState::Stale { path: shown, error: told },
                    None => ConfigState::Broken { path: shown, error: told },
                };
                if self.current.config().told() == state.told() {
                    return true;
                }
                tracing::warn!(%error, "the configuration cannot be used; the last good one stays in force");
                self.current.broken(state);
            }
        }
        while let Ok(news) = news.try_recv() {
            self.tell(&news);
        }
        true
    }

    fn tell(&self, news: &News) {
        if !(self.said_hello)() {
            return;
        }
        let params = match news {
            News::Config(config) => json!({"config": config}),
            News::Tools => json!({"tools": true}),
        };
        self.wire
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/outrigger/changed", "params": params}));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn without_a_watch_the_file_is_looked_at_every_second() {
        let mut watching =
            Watching { bell: Arc::default(), watch: None, lack: Some("none is left".to_owned()) };
        let before = time::Instant::now();
        watching.next().await;
        assert!((LOOK..LOOK * 2).contains(&before.elapsed()));
        watching.lack = None;
        assert!(time::timeout(LOOK * 2, watching.next()).await.is_err());
        watching.bell.notify_one();
        watching.next().await;
    }
}
