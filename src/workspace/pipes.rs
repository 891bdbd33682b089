//! Lets go those of our own threads that wait on a named pipe which stands where a file was expected.
//!
//! Libraries that open files of a work tree by name wait for ever on a pipe that took a file's place. Opening that pipe for writing,
//! and closing it, ends the wait: the reader sees an empty file. Nothing is ever written, nothing else is opened; above all no pipe
//! that none of our threads waits on, for somebody else may be reading from it. On Linux also a pipe is let go that has no name any
//! more, or another one, and one that somebody holds open for writing: it has an end for our thread alone. Where somebody writes without
//! end, the reader fails as soon as it comes upon nothing.

use std::{
    collections::VecDeque,
    mem,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use cap_std::fs::Dir;

use super::{confined, waiting};
use crate::relpath::RelPath;

/// How long something may take before it is looked for a pipe that it could be waiting on.
const PATIENCE: Duration = Duration::from_millis(400);
/// How long the thread that waits for what takes long is kept without anything to wait for.
const REST: Duration = Duration::from_mins(1);

/// As long as it lives, none of our threads waits on a pipe below a folder for long.
#[derive(Debug)]
pub struct Watch {
    /// Its end is what is waited for.
    _alive: Sender<()>,
}

/// What was begun a short time ago: most of it is over before anybody has to look.
#[derive(Debug)]
struct Begun {
    at: Instant,
    root: Arc<Dir>,
    folder: RelPath,
    ended: Receiver<()>,
}

/// The oldest first, and whether there is a thread that waits for them.
#[derive(Debug, Default)]
struct Waiting {
    begun: VecDeque<Begun>,
    is_attended: bool,
}

static WAITING: Mutex<Waiting> = Mutex::new(Waiting { begun: VecDeque::new(), is_attended: false });
static MORE: Condvar = Condvar::new();

impl Watch {
    /// Begins to watch.
    pub fn start(root: Arc<Dir>, folder: RelPath) -> Self {
        let (alive, ended) = channel();
        let mut waiting = lock();
        let is_first = waiting.begun.is_empty();
        waiting.begun.push_back(Begun { at: Instant::now(), root, folder, ended });
        let is_attended = mem::replace(&mut waiting.is_attended, true);
        drop(waiting);
        if !is_attended {
            // Where no thread is to be had nothing is watched: whoever waits then has a time limit of its own, or a person.
            start(attend, || lock().is_attended = false);
        } else if is_first {
            MORE.notify_one();
        }
        Self { _alive: alive }
    }
}

fn lock() -> MutexGuard<'static, Waiting> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives each that takes long a thread that watches it.
fn attend() {
    let mut waiting = lock();
    loop {
        let now = Instant::now();
        let Some(first) = waiting.begun.front() else {
            let (still, rest) = MORE.wait_timeout(waiting, REST).unwrap_or_else(PoisonError::into_inner);
            waiting = still;
            if rest.timed_out() && waiting.begun.is_empty() {
                waiting.is_attended = false;
                return;
            }
            continue;
        };
        let is_over = first.ended.try_recv() == Err(TryRecvError::Disconnected);
        let left = (first.at + PATIENCE).saturating_duration_since(now);
        if !is_over && !left.is_zero() {
            waiting = MORE.wait_timeout(waiting, left).unwrap_or_else(PoisonError::into_inner).0;
            continue;
        }
        if let Some(Begun { root, folder, ended, .. }) = waiting.begun.pop_front().filter(|_| !is_over) {
            drop(waiting);
            start(move || watch(&root, &folder, &ended), || ());
            waiting = lock();
        }
    }
}

/// Opens each pipe that one of our threads waits on, once, on a thread of its own.
pub fn release_aside(root: Arc<Dir>, folder: RelPath) {
    let look = move || {
        release(&root, &folder, &|| false);
    };
    start(look, || ());
}

/// What looks into our other threads must not be held as one of them may be.
fn start(work: impl FnOnce() + Send + 'static, failed: impl FnOnce() + Send + 'static) {
    confined::aside(|| {
        if thread::Builder::new().name("pipes".to_owned()).spawn(work).is_err() {
            failed();
        }
    });
}

/// Looks at once: it has been waited for already.
fn watch(root: &Dir, folder: &RelPath, ended: &Receiver<()>) {
    let is_over = || ended.try_recv() == Err(TryRecvError::Disconnected);
    let mut patience = PATIENCE;
    loop {
        let pipes = release(root, folder, &is_over);
        patience = if pipes > 0 { PATIENCE / 4 } else { (patience * 2).min(waiting::PATIENCE_MOST) };
        if ended.recv_timeout(patience) != Err(RecvTimeoutError::Timeout) {
            return;
        }
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

    /// What a thread of ours gives that reads `path`, while it is looked for pipes.
    #[cfg(target_os = "linux")]
    #[expect(clippy::unwrap_used, clippy::panic, reason = "it is a part of tests")]
    fn answer(root: &Path, path: &Path, before: impl FnOnce()) -> std::io::Result<Vec<u8>> {
        let root = Dir::open_ambient_dir(root, ambient_authority()).unwrap();
        let (sender, receiver) = channel();
        let path = path.to_owned();
        std::thread::spawn(move || sender.send(fs::read(path)));
        std::thread::sleep(Duration::from_millis(100));
        before();
        for _ in 0..100 {
            release(&root, &RelPath::root(), &|| false);
            if let Ok(answer) = receiver.recv_timeout(Duration::from_millis(100)) {
                return answer;
            }
        }
        panic!("it waits for ever");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_reader_of_a_pipe_that_somebody_holds_open_sees_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".gitattributes");
        pipe(&path);
        let holder = fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
        assert_eq!(answer(folder.path(), &path, || ()).unwrap(), b"");
        // It still is theirs, and nobody else reads from it.
        (&holder).write_all(b"news\n").unwrap();
        let mut read = [0; 5];
        std::io::Read::read_exact(&mut &holder, &mut read).unwrap();
        assert_eq!(&read, b"news\n");
    }

    /// Such a reader never stands still, so its thread tells nothing of it.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_reader_of_a_pipe_that_is_written_without_end_comes_to_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".gitignore");
        pipe(&path);
        let root = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        for _ in 0..3 {
            let path = path.clone();
            std::thread::spawn(move || {
                let mut pipe = fs::OpenOptions::new().write(true).open(path).unwrap();
                while pipe.write_all(&[b'x'; 4096]).is_ok() {}
            });
        }
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let (mut pipe, mut bytes) = (fs::File::open(path).unwrap(), vec![0; 4096]);
            while std::io::Read::read(&mut pipe, &mut bytes).is_ok_and(|read| read > 0) {}
            sender.send(())
        });
        let is_over = (0..100).any(|_| {
            release(&root, &RelPath::root(), &|| false);
            receiver.recv_timeout(Duration::from_millis(100)).is_ok()
        });
        assert!(is_over, "it reads for ever");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_pipe_that_is_gone_again_keeps_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let (path, aside) = (folder.path().join("index"), folder.path().join("aside"));
        pipe(&path);
        let swap = || {
            fs::rename(&path, &aside).unwrap();
            fs::write(&path, "the file").unwrap();
        };
        assert_eq!(answer(folder.path(), &path, swap).unwrap(), b"the file");
        fs::remove_file(&path).unwrap();
        fs::rename(&aside, &path).unwrap();
        let swap = || {
            fs::rename(&path, &aside).unwrap();
            pipe(&path);
        };
        assert_eq!(answer(folder.path(), &path, swap).unwrap(), b"");
        fs::remove_file(&path).unwrap();
        pipe(&path);
        let gone = answer(folder.path(), &path, || fs::remove_file(&path).unwrap());
        assert_eq!(gone.unwrap_err().kind(), std::io::ErrorKind::NotFound);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn our_own_pipes_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let root = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        let (sender, receiver) = channel();
        std::thread::spawn(move || sender.send(std::io::read_to_string(fs::File::from(reader))));
        for _ in 0..10 {
            std::thread::sleep(Duration::from_millis(60));
            release(&root, &RelPath::root(), &|| false);
        }
        assert!(receiver.try_recv().is_err(), "it saw an end");
        fs::File::from(writer).write_all(b"what a command says").unwrap();
        assert_eq!(receiver.recv().unwrap().unwrap(), "what a command says");
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
