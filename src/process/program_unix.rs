//! What a program is on Unix: a file that this user may execute.

use std::{
    fs::{File, Metadata},
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use rustix::fs::{Mode, OFlags};

/// No bare name has one.
pub(super) const NOT_IN_NAMES: [char; 2] = ['/', '\0'];

/// Searched behind everything else; the only ones when the login shell does not answer.
pub(super) fn default_folders() -> Vec<PathBuf> {
    ["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"].map(PathBuf::from).into()
}

/// True for what another user could put something else in the place of, and for what cannot be looked at. A group's right is taken for
/// that of administrators.
pub(super) fn is_of_others(real: &Path) -> bool {
    /// Who owns what a namespace has no name for.
    const NOBODY: u32 = 65_534;
    let user = rustix::process::geteuid().as_raw();
    real.ancestors().any(|step| {
        let Ok(found) = step.metadata() else { return true };
        // In a sticky folder others may not replace what is ours.
        let is_sticky = found.is_dir() && found.mode() & 0o1000 != 0;
        (found.mode() & 0o002 != 0 && !is_sticky) || ![0, user, NOBODY].contains(&found.uid())
    })
}

/// The names that a program of this name can have.
pub(super) fn spellings(name: &str) -> [&str; 1] {
    [name]
}

/// True for a file that this user may start.
pub(super) fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// Which file it is, and when it was changed last: the time of the change of its data or its names, which nobody can set.
pub(super) fn identity(found: &Metadata) -> String {
    let changed = (found.ctime(), found.ctime_nsec(), found.mtime(), found.mtime_nsec());
    format!("{} {} {} {changed:?}", found.dev(), found.ino(), found.len())
}

/// Opens a file that is not to be waited for, and no link.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}
