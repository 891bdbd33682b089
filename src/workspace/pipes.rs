//! Lets go whoever waits on a named pipe that stands where a file was expected.
//!
//! Libraries that open files of a work tree by name wait for ever on a pipe that took a file's place. Opening such a pipe for
//! writing, and closing it, ends the wait: the reader sees an empty file. Nothing is ever written, nothing else is opened.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel},
    },
    thread,
    time::Duration,
};

use cap_std::fs::Dir;

use super::nofollow;
use crate::relpath::RelPath;

/// Names that are looked at; a tree with more of them is not searched to its end.
const NAMES: usize = 500_000;

/// How long something may take before it is looked for a pipe that it could be waiting on.
const PATIENCE: Duration = Duration::from_millis(400);
/// Where there was none, looking again is worth less and less; but not seldomer than this.
const PATIENCE_MOST: Duration = Duration::from_secs(20);

/// As long as it lives, nobody waits on a pipe below a folder for long.
#[derive(Debug)]
pub struct Watch {
    /// Its end is what the thread waits for.
    _alive: Sender<()>,
}

impl Watch {
    /// Begins to watch.
    pub fn start(root: Arc<Dir>, folder: RelPath) -> Self {
        let (alive, ended) = channel();
        // Where no thread is to be had nothing is watched: whoever waits then has a time limit of its own, or a person.
        let _ = thread::Builder::new().name("pipes".to_owned()).spawn(move || watch(&root, &folder, &ended));
        Self { _alive: alive }
    }
}

fn watch(root: &Dir, folder: &RelPath, ended: &Receiver<()>) {
    let is_over = || ended.try_recv() == Err(TryRecvError::Disconnected);
    let mut patience = PATIENCE;
    while ended.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
        let pipes = release(root, folder, &is_over);
        patience = if pipes > 0 { PATIENCE / 4 } else { (patience * 2).min(PATIENCE_MOST) };
    }
}

/// Looks through everything below `folder`, `.git` included, and opens each pipe that somebody waits on. Gives how many pipes
/// there are. `stop` ends the search.
pub fn release(root: &Dir, folder: &RelPath, stop: &dyn Fn() -> bool) -> usize {
    let mut waiting: Vec<PathBuf> = vec![folder.as_path().to_path_buf()];
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
            if kind.is_dir() {
                waiting.push(here.join(entry.file_name()));
            } else if is_pipe(kind) {
                pipes += 1;
                open_for_writing(&open, &entry.file_name());
            }
        }
    }
    pipes
}

#[cfg(unix)]
fn is_pipe(kind: cap_std::fs::FileType) -> bool {
    use cap_std::fs::FileTypeExt as _;
    kind.is_fifo()
}

/// Succeeds only where somebody has it open for reading, or waits for that; fails at once otherwise.
#[cfg(unix)]
fn open_for_writing(folder: &Dir, name: &std::ffi::OsStr) {
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
fn is_pipe(_kind: cap_std::fs::FileType) -> bool {
    false
}

#[cfg(not(unix))]
fn open_for_writing(_folder: &Dir, _name: &std::ffi::OsStr) {}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, sync::mpsc::channel, time::Duration};

    use cap_std::{ambient_authority, fs::Dir};

    use super::release;
    use crate::relpath::RelPath;

    #[test]
    fn a_reader_that_waits_on_a_pipe_sees_an_empty_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("deep")).unwrap();
        let path = folder.path().join("deep/pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let root = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        // Nobody waits: nothing happens, and it does not wait either.
        assert_eq!(release(&root, &RelPath::root(), &|| false), 1);
        let (sender, receiver) = channel();
        std::thread::spawn(move || sender.send(fs::read(path)));
        let mut answer = None;
        for _ in 0..500 {
            release(&root, &RelPath::root(), &|| false);
            answer = receiver.recv_timeout(Duration::from_millis(20)).ok();
            if answer.is_some() {
                break;
            }
        }
        assert_eq!(answer.unwrap().unwrap(), b"");
    }
}
