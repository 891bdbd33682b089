//! Which pipes our own threads wait on, as the kernel tells it: each thread's system call and what it was given, and what is open.

use std::{
    collections::HashMap,
    ffi::CString,
    fs::File,
    os::unix::fs::{FileExt as _, FileTypeExt as _, MetadataExt as _},
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use cap_std::fs::Dir;
use rustix::fs::{CWD, Mode, OFlags, fstat, open, openat};

use super::interrupt::{self, FIRST_OF_OURS, Pipe};
use crate::relpath::RelPath;

/// How seldom it is looked at most: a look reads a few bytes for each thread.
pub(super) const PATIENCE_MOST: Duration = Duration::from_secs(1);
/// Between two looks, whoever asks for them.
const APART: Duration = Duration::from_millis(50);
/// The longest name that the kernel takes, its end included.
const NAME_BYTES: usize = 4096;
/// Memory is given page by page: the next one may not be there.
const PAGE: u64 = 4096;
/// What stands for the working folder in front of a name.
const CURRENT: &str = "0xffffff9c";
/// Where in the kernel somebody stands who opens a pipe.
const FOR_A_PARTNER: &str = "wait_for_partner";

/// The numbers of `open` (where there is one), `openat` and `read`.
#[cfg(target_arch = "x86_64")]
const CALLS: (&str, &str, &str) = ("2", "257", "0");
#[cfg(target_arch = "aarch64")]
const CALLS: (&str, &str, &str) = ("", "56", "63");
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const CALLS: (&str, &str, &str) = ("", "", "");

/// What the last look found.
#[derive(Default)]
struct Look {
    at: Option<Instant>,
    /// The call of each thread that was opening something.
    opening: HashMap<String, String>,
    /// The pipes that were read from.
    open: Vec<Pipe>,
    pipes: usize,
}

/// What a thread does that may be to wait on a pipe.
enum Wait {
    Open(CString),
    Read(Pipe),
}

/// Lets go whoever waits. Gives how many pipes there were.
pub(super) fn release(_root: &Dir, _folder: &RelPath, stop: &dyn Fn() -> bool) -> usize {
    /// All who ask look at the same threads: one of them does it.
    static LAST: Mutex<Option<Look>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let before = last.take().unwrap_or_default();
    if before.at.is_some_and(|at| at.elapsed() < APART) {
        let pipes = before.pipes;
        *last = Some(before);
        return pipes;
    }
    let mut look = Look::default();
    for thread in threads() {
        if stop() {
            break;
        }
        let Some(call) = call_of(&thread) else { continue };
        match waits(&call) {
            Some(Wait::Open(name)) => {
                let stands = before.opening.get(&thread) == Some(&call);
                look.pipes += usize::from(let_open(&thread, &call, &name, stands));
                look.opening.insert(thread, call);
            }
            Some(Wait::Read(pipe)) => {
                look.pipes +=
                    usize::from(number(&thread).is_some_and(|thread| interrupt::end_read(thread, pipe)));
            }
            None => {}
        }
    }
    // A thread that runs has no call that could be seen. What was open at the look before is still read.
    for pipe in descriptors().into_iter().filter_map(pipe_of) {
        if interrupt::is_waited_for(pipe, before.open.contains(&pipe)) {
            look.open.push(pipe);
        }
    }
    look.pipes += look.open.len();
    let pipes = look.pipes;
    *last = Some(Look { at: Some(Instant::now()), ..look });
    pipes
}

fn threads() -> Vec<String> {
    names("task")
}

fn descriptors() -> Vec<i32> {
    names("fd").iter().filter_map(|name| name.parse().ok()).collect()
}

#[expect(
    clippy::disallowed_methods,
    reason = "`/proc` is the kernel's list of our threads and of what is open, no file of a workspace"
)]
fn names(list: &str) -> Vec<String> {
    let entries = std::fs::read_dir(format!("/proc/self/{list}"));
    entries.into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// The number and what was given, the place in the program last; a thread that runs has none.
fn call_of(thread: &str) -> Option<String> {
    told(thread, "syscall")
}

#[expect(
    clippy::disallowed_methods,
    reason = "`/proc` tells of our own threads, it is no file of a workspace"
)]
fn told(thread: &str, what: &str) -> Option<String> {
    std::fs::read_to_string(format!("/proc/self/task/{thread}/{what}")).ok()
}

fn number(thread: &str) -> Option<i32> {
    thread.parse().ok()
}

/// What a thread is about to open, or reads from; `None` when it does something else.
fn waits(call: &str) -> Option<Wait> {
    let mut words = call.split_ascii_whitespace();
    let (number, first, second) = (words.next()?, words.next()?, words.next()?);
    let (folder, place) = match number {
        number if number == CALLS.2 => return pipe_at(first).map(Wait::Read),
        number if number == CALLS.1 => (Some(first), second),
        number if number == CALLS.0 => (None, first),
        _ => return None,
    };
    let name = text_at(u64::from_str_radix(place.strip_prefix("0x")?, 16).ok()?)?;
    let name = match folder {
        Some(folder) if !folder.ends_with(CURRENT.trim_start_matches("0x")) && !name.starts_with(b"/") => {
            let number = u32::from_str_radix(folder.strip_prefix("0x")?, 16).ok()?;
            CString::new([format!("/proc/self/fd/{number}/").as_bytes(), &name].concat())
        }
        _ => CString::new(name),
    };
    name.ok().map(Wait::Open)
}

/// The pipe that is read from.
fn pipe_at(descriptor: &str) -> Option<Pipe> {
    pipe_of(i32::from_str_radix(descriptor.strip_prefix("0x")?, 16).ok()?)
}

/// What is open, if it is a pipe that has a name. Those without one are how we hear of others; the first three were given to us.
fn pipe_of(descriptor: i32) -> Option<Pipe> {
    if descriptor < FIRST_OF_OURS {
        return None;
    }
    let place = format!("/proc/self/fd/{descriptor}");
    let metadata = std::fs::metadata(&place).ok().filter(|metadata| metadata.file_type().is_fifo())?;
    let has_name = std::fs::read_link(place).is_ok_and(|name| name.is_absolute());
    has_name.then(|| Pipe { descriptor, device: metadata.dev(), inode: metadata.ino() })
}

/// The bytes in our own memory up to the next NUL.
#[expect(clippy::disallowed_methods, reason = "our own memory is no file of a workspace")]
fn text_at(place: u64) -> Option<Vec<u8>> {
    let memory = File::open("/proc/self/mem").ok()?;
    let mut text = Vec::new();
    while text.len() < NAME_BYTES {
        let from = place + text.len() as u64;
        let mut piece = vec![0; usize::try_from(PAGE - from % PAGE).ok()?];
        let read = memory.read_at(&mut piece, from).ok().filter(|read| *read > 0)?;
        piece.truncate(read);
        match piece.iter().position(|byte| *byte == 0) {
            Some(end) => {
                text.extend_from_slice(&piece[..end]);
                return Some(text);
            }
            None => text.append(&mut piece),
        }
    }
    None
}

/// By its name, which ends the wait for good; or by cutting the call short, where something else has that name by now. What `stands`
/// did the very same at the look before. Gives whether it waits on a pipe.
fn let_open(thread: &str, call: &str, name: &CString, stands: bool) -> bool {
    let is_let_go = let_go(name);
    let place = told(thread, "wchan").unwrap_or_default();
    let is_for_a_partner = place == FOR_A_PARTNER;
    // Not every kernel tells where a thread stands.
    let may_be = is_for_a_partner || (stands && matches!(place.as_str(), "" | "0"));
    if may_be
        && (stands || !is_let_go)
        && call_of(thread).as_deref() == Some(call)
        && let Some(thread) = number(thread)
    {
        interrupt::wake(thread);
    }
    is_let_go || is_for_a_partner
}

/// Opens what stands there for writing if it is a pipe: looked at by a handle first, so that nothing else is ever opened.
fn let_go(name: &CString) -> bool {
    let Ok(place) = openat(CWD, name.as_c_str(), OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) else {
        return false;
    };
    let kind = fstat(&place).map(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode));
    if kind != Ok(rustix::fs::FileType::Fifo) {
        return false;
    }
    let handle = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&place));
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    if let Ok(opened) = open(handle, flags, Mode::empty()) {
        // Held for a moment: the reader's `open` has to have come back before the last writer is gone.
        thread::sleep(Duration::from_millis(1));
        drop(opened);
    }
    true
}
