//! The host as it stands now: replaced as a whole when the configuration changes. Whoever takes it for a call keeps it for that
//! call, so that a call is judged and run under one law.

use std::{
    pin::pin,
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::Duration,
};

use serde_json::Value;
use tokio::{
    sync::{OwnedMutexGuard, broadcast, watch},
    time,
};

use super::{ConfigState, Errands, Host};
use crate::cancel::Cancel;

/// News that nobody took yet; a listener that is slower learns that it missed some.
const NEWS: usize = 64;
/// Until the request of an open dialog has noticed that it was cancelled.
const NOTICED: Duration = Duration::from_millis(100);
/// Until the dialog of a cancelled request is closed.
const CLOSED: Duration = Duration::from_secs(5);

/// What changed.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// Another configuration is in force, or the new one cannot be used: what hello would say of it now.
    Config(Value),
    /// Other tools are offered, or with other parameters.
    Tools,
}

/// The host as it stands now.
#[derive(Debug)]
pub struct Current {
    host: RwLock<Option<Arc<Host>>>,
    usable: watch::Sender<bool>,
    config: Mutex<ConfigState>,
    news: broadcast::Sender<News>,
    errands: Option<Arc<dyn Errands>>,
    dialog: Arc<tokio::sync::Mutex<()>>,
    /// Closes the dialog that is open.
    open: Mutex<Cancel>,
}

impl Current {
    /// At the start; without a host nothing is served until there is one.
    pub fn new(host: Option<Arc<Host>>, config: ConfigState) -> Self {
        Self {
            usable: watch::Sender::new(host.is_some()),
            host: RwLock::new(host),
            config: Mutex::new(config),
            news: broadcast::Sender::new(NEWS),
            errands: None,
            dialog: Arc::default(),
            open: Mutex::default(),
        }
    }

    /// The same for a peer that may run errands.
    #[must_use]
    pub fn with_errands(self, errands: Arc<dyn Errands>) -> Self {
        Self { errands: Some(errands), ..self }
    }

    /// What the entrance does for a peer.
    pub fn errands(&self) -> Option<Arc<dyn Errands>> {
        self.errands.clone()
    }

    /// Held as long as a dialog is open, which `cancel` closes; `None` when one is already. One that was told to close is waited
    /// for: who takes a question back may ask the next one at once.
    pub async fn open_dialog(&self, cancel: &Cancel) -> Option<OwnedMutexGuard<()>> {
        let mut free = pin!(Arc::clone(&self.dialog).lock_owned());
        let mut found = time::timeout(NOTICED, &mut free).await;
        if found.is_err() && self.open.lock().unwrap_or_else(PoisonError::into_inner).is_cancelled() {
            found = time::timeout(CLOSED, &mut free).await;
        }
        let held = found.ok()?;
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = cancel.clone();
        Some(held)
    }

    /// A host that never changes.
    pub fn fixed(host: Arc<Host>) -> Arc<Self> {
        let path =
            host.config.display_path().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
        Arc::new(Self::new(Some(host), ConfigState::usable(path)))
    }

    /// The host for the next call; `None` behind a configuration that never was usable.
    pub fn host(&self) -> Option<Arc<Host>> {
        self.host.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// True when there is a host.
    pub fn is_usable(&self) -> bool {
        *self.usable.borrow()
    }

    /// Waits for a host.
    pub async fn first_host(&self) -> Arc<Host> {
        let mut usable = self.usable.subscribe();
        loop {
            if let Some(host) = self.host() {
                return host;
            }
            if usable.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    /// How the configuration stands.
    pub fn config(&self) -> ConfigState {
        self.config.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on this host answers.
    pub fn replace(&self, host: Host, config: ConfigState) {
        let before = self.host();
        let tools = |host: &Host| {
            let law = host.default_law();
            host.offered().map(|tool| (tool.spec().name, tool.input_schema(&law))).collect::<Vec<_>>()
        };
        let tools_changed = before.is_some_and(|before| tools(&before) != tools(&host));
        *self.host.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(host));
        self.usable.send_replace(true);
        self.tell_config(config);
        if tools_changed {
            let _ = self.news.send(News::Tools);
        }
    }

    /// The configuration can no longer be used; the last good one stays in force.
    pub fn broken(&self, config: ConfigState) {
        self.tell_config(config);
    }

    fn tell_config(&self, config: ConfigState) {
        let told = config.told();
        *self.config.lock().unwrap_or_else(PoisonError::into_inner) = config;
        let _ = self.news.send(News::Config(told));
    }

    /// What changes from now on.
    pub fn news(&self) -> broadcast::Receiver<News> {
        self.news.subscribe()
    }
}
