//! The system's word that this process should end.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Hears it.
#[derive(Debug)]
pub(super) struct Terminate(Signal);

impl Terminate {
    /// From now on.
    pub(super) fn listen() -> io::Result<Self> {
        signal(SignalKind::terminate()).map(Self)
    }

    /// Waits for it.
    pub(super) async fn asked(&mut self) {
        self.0.recv().await;
    }
}
