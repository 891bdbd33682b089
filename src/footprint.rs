//! Gives memory back once nothing needs it: what the allocator kept after a large answer, and the code of what is over.
//!
//! A program's pages stay counted as its own after the start, which runs most of it once, and never again. They are clean copies
//! of the file: given back, they cost a few microseconds when they are needed after all, and nothing otherwise.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{sync::Notify, time};

/// How long nothing has to happen before memory is given back.
const QUIET: Duration = Duration::from_secs(1);

/// Waits for quiet moments. While nothing happens it does not wake up.
#[derive(Clone, Debug)]
pub struct Footprint(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    quiet: Duration,
    /// Something happened since the last look.
    active: AtomicBool,
    /// Somebody counts the quiet.
    watched: AtomicBool,
    begins: Notify,
}

impl Default for Footprint {
    fn default() -> Self {
        Self::new(QUIET)
    }
}

impl Footprint {
    /// After this long without anything.
    pub fn new(quiet: Duration) -> Self {
        let (active, watched, begins) = (AtomicBool::new(false), AtomicBool::new(false), Notify::new());
        Self(Arc::new(Shared { quiet, active, watched, begins }))
    }

    /// Something happens.
    pub fn touch(&self) {
        self.0.active.store(true, Ordering::Relaxed);
        if !self.0.watched.swap(true, Ordering::AcqRel) {
            self.0.begins.notify_one();
        }
    }

    /// Gives memory back a moment after things happened, for as long as it is polled.
    pub async fn keep_small(&self) {
        loop {
            self.0.begins.notified().await;
            while self.0.active.swap(false, Ordering::AcqRel) {
                time::sleep(self.0.quiet).await;
            }
            give_back();
            self.0.watched.store(false, Ordering::Release);
            // What came between the last look and the line above has notified nobody.
            if self.0.active.load(Ordering::Acquire) {
                self.touch();
            }
        }
    }
}

/// Gives back what the allocator keeps and what the program no longer runs.
pub fn give_back() {
    platform::trim_heap();
    platform::drop_code();
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod platform {
    /// glibc keeps what was freed, in the hope that it is wanted again.
    #[expect(unsafe_code, reason = "a function of libc that takes a number and touches free memory only")]
    pub(super) fn trim_heap() {
        // SAFETY: `malloc_trim` may be called at any time, from any thread.
        unsafe { libc::malloc_trim(0) };
    }

    /// Lets go of the executable pages of files: they are never written, so they come back from the file as they were.
    #[expect(clippy::disallowed_methods, reason = "reads the system's own list of this process's memory")]
    pub(super) fn drop_code() {
        let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else { return };
        for (start, length) in maps.lines().filter_map(code) {
            release(start, length);
        }
    }

    #[expect(unsafe_code, reason = "the address comes from the system's own list")]
    fn release(start: usize, length: usize) {
        let address = std::ptr::with_exposed_provenance_mut(start);
        // SAFETY: the range is a private mapping of a file that can be executed but not written; the kernel reads dropped pages
        // of it again from the file, with the same bytes.
        let _ = unsafe { rustix::mm::madvise(address, length, rustix::mm::Advice::LinuxDontNeed) };
    }

    /// Start and length of a line of the list that is code of a file.
    pub(super) fn code(line: &str) -> Option<(usize, usize)> {
        let mut fields = line.split_ascii_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let kind = fields.next()?;
        let file = fields.nth(3)?;
        if kind != "r-xp" || !file.starts_with('/') {
            return None;
        }
        let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
        Some((start, end.checked_sub(start)?))
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod platform {
    pub(super) fn trim_heap() {}
    pub(super) fn drop_code() {}
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    #[test]
    fn only_code_of_files_is_let_go() {
        let code = platform::code;
        assert_eq!(
            code("55d0c0a00000-55d0c0a01000 r-xp 00001000 fe:00 12   /usr/bin/outrigger"),
            Some((0x55d0_c0a0_0000, 0x1000))
        );
        for line in [
            "55d0c0a00000-55d0c0a01000 r--p 00001000 fe:00 12   /usr/bin/outrigger",
            "55d0c0a00000-55d0c0a01000 rwxp 00001000 fe:00 12   /usr/bin/outrigger",
            "55d0c0a00000-55d0c0a01000 r-xp 00000000 00:00 0    [vdso]",
            "55d0c0a00000-55d0c0a01000 r-xp 00000000 00:00 0",
            "",
        ] {
            assert_eq!(code(line), None, "{line}");
        }
    }

    #[tokio::test]
    async fn everything_goes_on_afterwards_and_quiet_is_noticed_again() {
        let footprint = Footprint::new(Duration::from_millis(1));
        let keeper = footprint.clone();
        let task = tokio::spawn(async move { keeper.keep_small().await });
        for _ in 0..3 {
            footprint.touch();
            while footprint.0.watched.load(Ordering::Acquire) {
                time::sleep(Duration::from_millis(1)).await;
            }
            assert_eq!(format!("{:?}", vec![1, 2]), "[1, 2]");
        }
        task.abort();
    }
}
