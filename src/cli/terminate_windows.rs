//! The system's word that this process should end: the console closes, or the machine does, or a person at its keys says so.
//!
//! A browser's host has no console and hears neither: its port closes instead, and a browser that waits in vain ends it.

use std::io;

use tokio::signal::windows::{CtrlC, CtrlClose, CtrlShutdown, ctrl_c, ctrl_close, ctrl_shutdown};

/// Hears it.
#[derive(Debug)]
pub(super) struct Terminate {
    close: CtrlClose,
    shutdown: CtrlShutdown,
    interrupt: CtrlC,
}

impl Terminate {
    /// From now on.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self { close: ctrl_close()?, shutdown: ctrl_shutdown()?, interrupt: ctrl_c()? })
    }

    /// Waits for it; the number of the signal that says so elsewhere.
    pub(super) async fn asked(&mut self) -> u8 {
        tokio::select! {
            _ = self.close.recv() => 1,
            _ = self.shutdown.recv() => 15,
            _ = self.interrupt.recv() => 2,
        }
    }
}
