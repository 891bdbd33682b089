//! The system's word that this process should end: the console closes, or the machine does.
//!
//! A browser's host has no console and hears neither: its port closes instead, and a browser that waits in vain ends it.

use std::io;

use tokio::signal::windows::{CtrlClose, CtrlShutdown, ctrl_close, ctrl_shutdown};

/// Hears it.
#[derive(Debug)]
pub(super) struct Terminate {
    close: CtrlClose,
    shutdown: CtrlShutdown,
}

impl Terminate {
    /// From now on.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self { close: ctrl_close()?, shutdown: ctrl_shutdown()? })
    }

    /// Waits for it.
    pub(super) async fn asked(&mut self) {
        tokio::select! {
            _ = self.close.recv() => {}
            _ = self.shutdown.recv() => {}
        }
    }
}
