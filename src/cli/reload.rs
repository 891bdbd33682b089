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

impl Following<'_> {
    /// Follows until the caller is no longer allowed.
    pub(super) async fn run(mut self) {
        let bell = Arc::new(Notify::new());
        let ringer = Arc::clone(&bell);
        let candidates = self.loader.candidates.clone();
        let watch = ConfigWatch::start(candidates, move || ringer.notify_one());
        let mut watch = match watch {
            Ok(watch) => watch,
            Err(reason) => {
                tracing::warn!(
                    reason,
                    "the configuration is not watched; a change is seen at the next start"
                );
                return std::future::pending().await;
            }
        };
        // What changed between the load and the watch.
        bell.notify_one();
        loop {
            bell.notified().await;
            time::sleep(SETTLE).await;
            if let Err(reason) = watch.renew() {
                tracing::warn!(reason, "a part of the way to the configuration is not watched");
            }
            let loader = self.loader.clone();
            let Ok((loaded, path)) = task::spawn_blocking(move || loader.load()).await else { continue };
            if !self.apply(loaded, path) {
                return;
            }
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
