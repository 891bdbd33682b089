//! What the system must let a host have: files and threads. Without them it would greet, and then fail at every call.

use std::{os::unix::net::UnixStream, thread};

use rustix::{
    fs::Mode,
    process::{Resource, getrlimit, umask},
};
use tokio::{
    runtime::Builder,
    signal::unix::{SignalKind, signal},
};

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
