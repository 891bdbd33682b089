//! Which pipes our own threads may wait on, where the kernel does not tell: those with a name that git's libraries open unasked.

use std::time::Duration;

use cap_std::fs::Dir;

use crate::relpath::RelPath;

/// Where there was none, looking again is worth less and less, for the whole folder is gone through; but not seldomer than this.
pub(super) const PATIENCE_MOST: Duration = Duration::from_secs(20);

/// Looks for them below `folder` and opens each for a moment. Gives how many there were.
#[cfg(unix)]
pub(super) fn release(root: &Dir, folder: &RelPath, stop: &dyn Fn() -> bool) -> usize {
    use cap_std::fs::FileTypeExt as _;

    use super::nofollow;
    /// Names that are looked at; a tree with more of them is not searched to its end.
    const NAMES: usize = 500_000;
    const OPENED: &[&str] = &[".gitignore", ".gitattributes", ".gitmodules", ".mailmap"];
    let mut waiting = vec![folder.as_path().to_path_buf()];
    let (mut seen, mut pipes) = (0, 0);
    while let Some(here) = waiting.pop() {
        // What cannot be listed cannot be waited on by name either, or not for long.
        let Ok(open) = nofollow::open_dir(root, &here) else { continue };
        let Ok(entries) = open.entries() else { continue };
        for entry in entries.flatten() {
            seen += 1;
            if seen > NAMES || stop() {
                return pipes;
            }
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            if kind.is_dir() {
                waiting.push(here.join(name));
            } else if kind.is_fifo() && OPENED.iter().any(|opened| name == *opened) {
                pipes += 1;
                let_go(&open, &name);
            }
        }
    }
    pipes
}

/// Succeeds only where somebody has it open for reading, or waits for that; fails at once otherwise.
#[cfg(unix)]
fn let_go(folder: &Dir, name: &std::ffi::OsStr) {
    use rustix::fs::{Mode, OFlags, fstat, openat};
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
    if let Ok(opened) = openat(folder, name, flags, Mode::empty()) {
        // Held for a moment: the reader's `open` has to have come back before the last writer is gone.
        let is_pipe = fstat(&opened).is_ok_and(|stat| {
            rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::Fifo
        });
        if is_pipe {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}

/// Other systems have no pipes among files.
#[cfg(not(unix))]
pub(super) fn release(_root: &Dir, _folder: &RelPath, _stop: &dyn Fn() -> bool) -> usize {
    0
}
