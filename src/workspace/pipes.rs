//! Lets go those of our own threads that wait on a named pipe which stands where a file was expected.
//!
//! Libraries that open files of a work tree by name wait for ever on a pipe that took a file's place. Opening that pipe for writing,
//! and closing it, ends the wait: the reader sees an empty file. Nothing is ever written, nothing else is opened; above all no pipe
//! that none of our threads waits on, for somebody else may be reading from it.

use std::{
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel},
    },
    thread,
    time::Duration,
};

use cap_std::fs::Dir;

use super::{confined, waiting};
use crate::relpath::RelPath;

/// How long something may take before it is looked for a pipe that it could be waiting on.
const PATIENCE: Duration = Duration::from_millis(400);
/// Where there was none, looking again is worth less and less; but not seldomer than this.
const PATIENCE_MOST: Duration = Duration::from_secs(20);

/// As long as it lives, none of our threads waits on a pipe below a folder for long.
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
        start(move || watch(&root, &folder, &ended));
        Self { _alive: alive }
    }
}

/// Opens each pipe that one of our threads waits on, once, on a thread of its own.
pub fn release_aside(root: Arc<Dir>, folder: RelPath) {
    start(move || {
        release(&root, &folder, &|| false);
    });
}

/// What looks into our other threads must not be held as one of them may be.
fn start(work: impl FnOnce() + Send + 'static) {
    confined::aside(|| drop(thread::Builder::new().name("pipes".to_owned()).spawn(work)));
}

fn watch(root: &Dir, folder: &RelPath, ended: &Receiver<()>) {
    let is_over = || ended.try_recv() == Err(TryRecvError::Disconnected);
    let mut patience = PATIENCE;
    while ended.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
        let pipes = release(root, folder, &is_over);
        patience = if pipes > 0 { PATIENCE / 4 } else { (patience * 2).min(PATIENCE_MOST) };
    }
}

/// Opens each pipe that one of our threads waits on. Gives how many there may be. `stop` ends the search, where there is one.
pub fn release(root: &Dir, folder: &RelPath, stop: &dyn Fn() -> bool) -> usize {
    waiting::release(root, folder, stop)
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, io::Write as _, path::Path, process::Command, sync::mpsc::channel, time::Duration};

    use cap_std::{ambient_authority, fs::Dir};

    use super::release;
    use crate::relpath::RelPath;

    fn pipe(path: &Path) {
        let made = rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0);
        assert_eq!(made, Ok(()));
    }

    #[test]
    fn a_reader_that_waits_on_a_pipe_sees_an_empty_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("deep")).unwrap();
        let path = folder.path().join("deep/.gitattributes");
        pipe(&path);
        let root = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
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

    #[test]
    fn somebody_elses_reader_goes_on_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let (path, heard) = (folder.path().join("pipe"), folder.path().join("heard"));
        pipe(&path);
        let script = format!("cat '{}' > '{}'", path.display(), heard.display());
        #[expect(clippy::disallowed_methods, reason = "another process is what this is about")]
        let mut reader = Command::new("sh").args(["-c", &script]).spawn().unwrap();
        let root = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        for _ in 0..20 {
            release(&root, &RelPath::root(), &|| false);
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(reader.try_wait().unwrap().is_none(), "it saw the end of the pipe");
        fs::OpenOptions::new().write(true).open(&path).unwrap().write_all(b"news\n").unwrap();
        assert!(reader.wait().unwrap().success());
        assert_eq!(fs::read_to_string(heard).unwrap(), "news\n");
    }
}
