//! Tells whether the process that started a call is still there: its pid and the moment it began, since pids come again.

/// A process, named so that a later one with the same pid is another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessIdentity {
    pub(crate) pid: i64,
    pub(crate) started: i64,
}

impl ProcessIdentity {
    /// This process.
    pub(crate) fn own() -> Self {
        let pid = i64::from(std::process::id());
        Self { pid, started: start_of(pid).unwrap_or(0) }
    }

    /// True while that process runs.
    pub(crate) fn is_alive(self) -> bool {
        start_of(self.pid) == Some(self.started)
    }
}

/// The start time of a process in clock ticks since boot: field 22 of its `stat`, counted after the name, which may hold anything.
#[expect(clippy::disallowed_methods, reason = "`/proc` is no workspace")]
fn start_of(pid: i64) -> Option<i64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    // A zombie holds no lock, no file and no child; its work is over.
    if state == "Z" || state == "X" {
        return None;
    }
    fields.nth(18)?.parse().ok()
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
