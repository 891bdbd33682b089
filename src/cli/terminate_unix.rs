//! The system's word that this process should end: from its manager, a terminal that closes, or a person at its keys.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Hears it.
#[derive(Debug)]
pub(super) struct Terminate {
    term: Signal,
    hangup: Option<Signal>,
    interrupt: Option<Signal>,
}

impl Terminate {
    /// From now on. What whoever started this process had it ignore, as `nohup` does, stays ignored.
    pub(super) fn listen() -> io::Result<Self> {
        let unless_ignored = |kind: SignalKind| {
            if is_ignored(kind.as_raw_value()) { Ok(None) } else { signal(kind).map(Some) }
        };
        Ok(Self {
            term: signal(SignalKind::terminate())?,
            hangup: unless_ignored(SignalKind::hangup())?,
            interrupt: unless_ignored(SignalKind::interrupt())?,
        })
    }

    /// Waits for it; the signal's number.
    pub(super) async fn asked(&mut self) -> u8 {
        tokio::select! {
            _ = self.term.recv() => 15,
            () = heard(&mut self.hangup) => 1,
            () = heard(&mut self.interrupt) => 2,
        }
    }
}

async fn heard(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Where the system says so; elsewhere nothing is.
fn is_ignored(number: i32) -> bool {
    let Ok(process) = procfs_status() else { return false };
    let ignored = process.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    u32::try_from(number - 1).is_ok_and(|bit| ignored.checked_shr(bit).is_some_and(|mask| mask & 1 == 1))
}

#[expect(clippy::disallowed_methods, reason = "the kernel's word on this very process")]
fn procfs_status() -> io::Result<String> {
    std::fs::read_to_string("/proc/self/status")
}
