//! What the system must let a host have: files and threads. Without them it would greet, and then fail at every call.

use std::{
    os::unix::net::UnixStream,
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use rustix::{
    fs::Mode,
    process::{Resource, getrlimit, umask},
};
use tokio::{
    runtime::Builder,
    signal::unix::{SignalKind, signal},
};

/// A first thread that has less is none to work on: what it has is the system's to say, and where it ends the process ends, without a word.
const STACK: usize = 4 << 20;

/// Works where there is room: on this thread, or where it has too little, on another.
pub(super) fn with_room(work: impl FnOnce() -> ExitCode + Send + 'static) -> ExitCode {
    if getrlimit(Resource::Stack).current.is_none_or(|bytes| bytes >= STACK as u64) {
        return work();
    }
    let work = Arc::new(Mutex::new(Some(work)));
    let take = move || work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let other = take.clone();
    match thread::Builder::new().stack_size(STACK).spawn(move || take().map(|work| work())) {
        Ok(thread) => thread.join().ok().flatten().unwrap_or(ExitCode::FAILURE),
        // There may be enough after all.
        Err(_) => other().map_or(ExitCode::FAILURE, |work| work()),
    }
}

/// Less than this is used up by one command that is run.
const FILES: u64 = 64;

/// What is missing, and what gives it.
pub(super) fn missing() -> Option<String> {
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    if files < FILES {
        return Some(format!(
            "the host may have {files} files open and needs {FILES}: raise `ulimit -n` where the browser is started"
        ));
    }
    // The runtime panics without one.
    if let Err(error) = UnixStream::pair() {
        return Some(format!(
            "the host gets no pair of sockets ({error}): something forbids it, such as a filter of system calls, or `ulimit -n` is too low"
        ));
    }
    let thread = thread::Builder::new().spawn(|| {});
    match thread {
        Ok(thread) => {
            let _ = thread.join();
            None
        }
        Err(error) => Some(format!(
            "the host may start no thread ({error}): end some programs of yours, or raise `ulimit -u` where the browser is started"
        )),
    }
}

/// A mask that takes rights from the owner would make files that this very program cannot open again.
pub(super) fn keep_own_rights() {
    let mask = umask(Mode::empty());
    umask(mask - Mode::RWXU);
}

/// From now on a file that grows beyond its limit is a failed write, like one to a full disk, and not the end of this process; and the
/// end of a child is told also where whoever started this process did not want to hear of theirs. Programs that are started have the
/// system's own way again.
pub(super) fn outlive_what_was_inherited() {
    let Ok(runtime) = Builder::new_current_thread().enable_io().build() else { return };
    let _inside = runtime.enter();
    // What was set once stays set.
    let _ = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()));
    let _ = signal(SignalKind::child());
}
