//! Which pipes our own threads wait on, as the kernel tells it: each thread's system call and the name that it was given.

use std::{ffi::CString, fs::File, os::unix::fs::FileExt as _, thread, time::Duration};

use cap_std::fs::Dir;
use rustix::fs::{CWD, Mode, OFlags, fstat, open, openat};

use crate::relpath::RelPath;

/// The longest name that the kernel takes, its end included.
const NAME_BYTES: usize = 4096;
/// Memory is given page by page: the next one may not be there.
const PAGE: u64 = 4096;
/// What stands for the working folder in front of a name.
const CURRENT: &str = "0xffffff9c";

/// The numbers of `open` (where there is one) and `openat`.
#[cfg(target_arch = "x86_64")]
const CALLS: (&str, &str) = ("2", "257");
#[cfg(target_arch = "aarch64")]
const CALLS: (&str, &str) = ("", "56");
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const CALLS: (&str, &str) = ("", "");

/// Opens each of them for a moment. Gives how many there were.
pub(super) fn release(_root: &Dir, _folder: &RelPath, stop: &dyn Fn() -> bool) -> usize {
    let mut pipes = 0;
    for thread in threads() {
        if stop() {
            break;
        }
        let Some(name) = opened_by(&thread) else { continue };
        pipes += usize::from(let_go(&name));
    }
    pipes
}

#[expect(
    clippy::disallowed_methods,
    reason = "`/proc` is the kernel's list of our threads, no file of a workspace"
)]
fn threads() -> Vec<String> {
    let entries = std::fs::read_dir("/proc/self/task");
    entries.into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// The name that a thread is about to open; `None` when it does something else.
#[expect(
    clippy::disallowed_methods,
    reason = "`/proc` tells of our own threads, it is no file of a workspace"
)]
fn opened_by(thread: &str) -> Option<CString> {
    let call = std::fs::read_to_string(format!("/proc/self/task/{thread}/syscall")).ok()?;
    let mut words = call.split_ascii_whitespace();
    let (number, first, second) = (words.next()?, words.next()?, words.next()?);
    let (folder, place) = match number {
        number if number == CALLS.1 => (Some(first), second),
        number if number == CALLS.0 => (None, first),
        _ => return None,
    };
    let name = text_at(u64::from_str_radix(place.strip_prefix("0x")?, 16).ok()?)?;
    match folder {
        Some(folder) if !folder.ends_with(CURRENT.trim_start_matches("0x")) && !name.starts_with(b"/") => {
            let number = u32::from_str_radix(folder.strip_prefix("0x")?, 16).ok()?;
            CString::new([format!("/proc/self/fd/{number}/").as_bytes(), &name].concat()).ok()
        }
        _ => CString::new(name).ok(),
    }
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
