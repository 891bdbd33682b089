//! No system but Linux holds a single thread to a folder.

use std::io;

use cap_std::fs::Dir;

/// Never.
#[expect(clippy::unnecessary_wraps, reason = "as where there is something to find out")]
pub(super) fn is_possible() -> io::Result<bool> {
    Ok(false)
}

/// What a thread may open.
#[derive(Debug)]
pub(super) struct Bounds(());

impl Bounds {
    pub(super) fn new(_root: &Dir) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn hold(self) -> io::Result<Settings> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// The user's own settings as a thread that is held can read them.
#[derive(Debug)]
pub(super) struct Settings(());

impl Settings {
    #[expect(clippy::unused_self, reason = "as where a thread can be held")]
    pub(super) fn have_changed(&self) -> bool {
        false
    }
}
