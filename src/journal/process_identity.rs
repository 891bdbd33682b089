//! Tells whether the process that started a call is still there: its pid and the moment it began, since pids come again.

use system::start_of;

#[cfg(target_os = "linux")]
#[path = "process_identity_linux.rs"]
mod system;
#[cfg(target_os = "macos")]
#[path = "process_identity_macos.rs"]
mod system;
#[cfg(windows)]
#[path = "process_identity_windows.rs"]
mod system;

/// A process, named so that a later one with the same pid is another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessIdentity {
    pub(crate) pid: i64,
    pub(crate) started: i64,
}

impl ProcessIdentity {
    /// This process.
    pub(crate) fn own() -> Self {
        Self::of(std::process::id().into())
    }

    /// The one that has this pid now.
    pub(crate) fn of(pid: i64) -> Self {
        Self { pid, started: start_of(pid).unwrap_or(0) }
    }

    /// True while that process runs.
    pub(crate) fn is_alive(self) -> bool {
        start_of(self.pid) == Some(self.started)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_another_life_of_its_pid_is_not() {
        let own = ProcessIdentity::own();
        assert!(own.started > 0);
        assert!(own.is_alive());
        assert!(!ProcessIdentity { started: own.started + 1, ..own }.is_alive());
        assert!(!ProcessIdentity { pid: i64::from(i32::MAX), started: 1 }.is_alive());
    }
}
