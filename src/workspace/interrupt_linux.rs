//! Gets a thread of ours out of a call that nothing else ends: by a signal that only cuts the call short.
//!
//! The signal (`SIGURG`, which nobody else sends us and which does nothing where it is not awaited) goes to one thread, never to the
//! process. A call that is cut short is made again by std, and is an error to libgit2. A read has to be given an end before that, or it
//! would wait again: the thread itself puts an empty pipe in the place of the one it reads. Nothing else of it runs at that moment, so
//! what it reads cannot be closed, and its number given to another file, between the look and the exchange.
//!
//! A thread that never stands still in a read is not known to read; what it reads from is told not to let it wait.
#![expect(unsafe_code, reason = "signals to single threads, and what they do, have no safe wrapper")]

use std::{
    ffi::c_int,
    mem::{self, ManuallyDrop},
    os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd},
    ptr,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};

use rustix::{
    fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat},
    io::{DupFlags, FdFlags, dup3, fcntl_dupfd_cloexec, fcntl_getfd},
};

const SIGNAL: c_int = libc::SIGURG;
/// How long a thread may take to hear of it; one that stands in a call hears it at once.
const LOOKS: u32 = 50;
const LOOK: Duration = Duration::from_millis(1);

/// The numbers below were given to us.
pub(super) const FIRST_OF_OURS: i32 = 3;

/// Nobody is to do anything.
const NOBODY: i32 = 0;
/// The thread that was asked is at it.
const AT_IT: i32 = -1;

/// A named pipe that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pipe {
    pub(super) descriptor: i32,
    pub(super) device: u64,
    pub(super) inode: u64,
}

/// The thread that is to put an end in the place of what it reads, and what that is.
static ASKED: AtomicI32 = AtomicI32::new(NOBODY);
static DESCRIPTOR: AtomicI32 = AtomicI32::new(-1);
static DEVICE: AtomicU64 = AtomicU64::new(0);
static INODE: AtomicU64 = AtomicU64::new(0);
/// What has an end at once.
static END: AtomicI32 = AtomicI32::new(-1);
static HAS_ENDED: AtomicBool = AtomicBool::new(false);

/// Cuts the call short that the thread stands in.
pub(super) fn wake(thread: i32) {
    if is_ready() {
        send(thread);
    }
}

/// Ends the read that the thread stands in, as if the pipe had nothing more to give.
pub(super) fn end_read(thread: i32, pipe: Pipe) -> bool {
    /// One at a time.
    static ORDER: Mutex<()> = Mutex::new(());
    let _one = ORDER.lock().unwrap_or_else(PoisonError::into_inner);
    if thread <= 0 || !is_ready() {
        return false;
    }
    DESCRIPTOR.store(pipe.descriptor, SeqCst);
    DEVICE.store(pipe.device, SeqCst);
    INODE.store(pipe.inode, SeqCst);
    HAS_ENDED.store(false, SeqCst);
    ASKED.store(thread, SeqCst);
    if send(thread) {
        for _ in 0..LOOKS {
            if ASKED.load(SeqCst) == NOBODY {
                break;
            }
            thread::sleep(LOOK);
        }
    }
    // What is not begun by now never is; what is begun takes two system calls.
    if ASKED.compare_exchange(thread, NOBODY, SeqCst, SeqCst).is_err() {
        while ASKED.load(SeqCst) == AT_IT {
            thread::sleep(LOOK);
        }
    }
    HAS_ENDED.load(SeqCst)
}

/// Whether the pipe is one that we read from, and wait for. With `hurry` a read of it gives what there is from now on, and is an error
/// where there is nothing: who reads as fast as somebody writes stands in no call in which it could be found, and would go on for ever.
///
/// Done by a handle of our own to what is open, so nothing else is touched where the number has become another file's.
pub(super) fn is_waited_for(pipe: Pipe, hurry: bool) -> bool {
    // SAFETY: the number is only looked at and copied; where nothing is open by it any more, that is an error.
    let there = unsafe { BorrowedFd::borrow_raw(pipe.descriptor) };
    // What we were started with is open for others as well.
    if !fcntl_getfd(there).is_ok_and(|flags| flags.contains(FdFlags::CLOEXEC)) {
        return false;
    }
    let Ok(own) = fcntl_dupfd_cloexec(there, FIRST_OF_OURS) else { return false };
    let Ok(flags) = fcntl_getfl(&own) else { return false };
    let is_one = !flags.intersects(OFlags::WRONLY | OFlags::RDWR | OFlags::PATH | OFlags::NONBLOCK)
        && is_it(own.as_fd(), (pipe.device, pipe.inode));
    if is_one && hurry {
        // What cannot be told so stays as it is.
        let _ = fcntl_setfl(&own, flags | OFlags::NONBLOCK);
    }
    is_one
}

/// From the first time on the signal is awaited, and there is something that has an end.
fn is_ready() -> bool {
    static READY: OnceLock<Option<OwnedFd>> = OnceLock::new();
    let ready = READY.get_or_init(|| {
        // Whose writing end is closed.
        let (end, _) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).ok()?;
        END.store(end.as_raw_fd(), SeqCst);
        let handler: extern "C" fn(c_int) = woken;
        // SAFETY: all zeroes is a valid `sigaction` without flags and with an empty mask.
        let mut action: libc::sigaction = unsafe { mem::zeroed() };
        action.sa_sigaction = handler as usize;
        // Not `SA_RESTART`: the call is to be cut short.
        action.sa_flags = libc::SA_ONSTACK;
        // SAFETY: the handler makes system calls and touches atomics, nothing else.
        (unsafe { libc::sigaction(SIGNAL, &raw const action, ptr::null_mut()) } == 0).then_some(end)
    });
    ready.is_some()
}

fn send(thread: i32) -> bool {
    // SAFETY: the kernel takes numbers; one that is no thread of this process is an error.
    unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, SIGNAL) == 0 }
}

/// What a thread does that is cut short. Only what may be done in the middle of anything: no memory is asked for, no lock taken.
extern "C" fn woken(_: c_int) {
    // SAFETY: the place is the thread's own, and always there.
    let errors = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let before = unsafe { *errors };
    let thread = rustix::thread::gettid().as_raw_nonzero().get();
    if ASKED.compare_exchange(thread, AT_IT, SeqCst, SeqCst).is_ok() {
        HAS_ENDED.store(exchange(DESCRIPTOR.load(SeqCst), END.load(SeqCst)), SeqCst);
        ASKED.store(NOBODY, SeqCst);
    }
    // SAFETY: as above; whoever is interrupted may be about to look there.
    unsafe { *errors = before };
}

/// Puts `end` in the place of the pipe that is read, if it still is that pipe.
fn exchange(descriptor: i32, end: i32) -> bool {
    // SAFETY: what the thread stood reading from is open as long as it stands still. Were it another's by now, this only looks at it.
    let pipe = unsafe { BorrowedFd::borrow_raw(descriptor) };
    if !is_it(pipe, (DEVICE.load(SeqCst), INODE.load(SeqCst))) {
        return false;
    }
    // SAFETY: this end is kept open for good.
    let end = unsafe { BorrowedFd::borrow_raw(end) };
    // SAFETY: the number stays its owner's, who closes it; it is not closed here.
    let mut place = ManuallyDrop::new(unsafe { OwnedFd::from_raw_fd(descriptor) });
    dup3(end, &mut place, DupFlags::CLOEXEC).is_ok()
}

fn is_it(open: BorrowedFd<'_>, pipe: (u64, u64)) -> bool {
    fstat(open).is_ok_and(|stat| {
        (stat.st_dev, stat.st_ino) == pipe && FileType::from_raw_mode(stat.st_mode) == FileType::Fifo
    })
}
