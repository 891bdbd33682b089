//! The programs that we start on our own account, each in a job of its own; there are no orphans to adopt.

use std::{
    io,
    process::{Child, Command},
    time::Duration,
};

use super::job_windows::{self, Job};

/// What a program of ours started; ended when it is dropped.
#[derive(Debug)]
pub(super) struct Group(Job);

/// Jobs keep what they started: nothing falls to anybody.
pub(super) fn adopt_orphans() {}

/// Starts a program in a job of its own.
pub(super) fn spawn_own(command: &mut Command) -> io::Result<(Child, Group)> {
    let (job, child) = Job::spawn(command)?;
    Ok((child, Group(job)))
}

/// The variables of a browser that was started from a desktop: it has the user's own.
pub(super) fn desktop_environment() -> &'static [(&'static str, &'static str)] {
    &[]
}

/// Nobody asks where folders cannot be claimed.
pub(super) fn uses(_temp: &std::path::Path) -> bool {
    true
}

/// How it ended; `None` while it runs.
pub(super) fn ending(child: &Child) -> Option<super::Ending> {
    job_windows::exit_code(child).map(super::Ending::Exit)
}

/// Nothing here asks a program without a window to leave.
pub(super) fn ask_to_leave(_pid: u32, _is_meant: impl Fn() -> bool, _patience: Duration) -> bool {
    false
}

impl Group {
    /// Kills the program and all that it started.
    pub(super) fn kill(&self) {
        self.0.end();
    }
}

/// Waits for a program of ours that was killed.
pub(super) fn wait_for_own(child: &mut Child) {
    let _ = child.wait();
}
