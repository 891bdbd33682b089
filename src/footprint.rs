//! Gives memory back once nothing needs it: what the allocator kept after a large answer, and the code of what is over.
//!
//! A program's pages stay counted as its own after the start, which runs most of it once, and never again. They are clean copies
//! of the file: given back, they cost a few microseconds when they are needed after all, and nothing otherwise. That is done in
//! quiet moments, and in busy ones as soon as the whole has grown beyond what a host should be.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{sync::Notify, time};

/// How long nothing has to happen before memory is given back.
const QUIET: Duration = Duration::from_secs(1);
/// Bytes of files (that is, of the program) beyond which code is given back although calls come. A run of reads needs 6 MiB; the
/// budget of the whole is 12, and the journal may want 3 at any moment.
const LARGE: u64 = 15 * 512 * 1024;
/// How often that is looked at, at most: what is needed again after it was given back costs half a millisecond.
const LOOK: Duration = Duration::from_millis(20);
/// Calls that need more code than that take it back at once: then the next look comes twice as late, at most so much.
const LATEST_LOOK: Duration = Duration::from_millis(1280);

/// Waits for quiet moments. While nothing happens it does not wake up.
#[derive(Clone, Debug)]
pub struct Footprint(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    quiet: Duration,
    began: Instant,
    /// Milliseconds from `began` to the last look at the size.
    looked: AtomicU64,
    /// Milliseconds from there to the next one.
    pause: AtomicU64,
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
        Self(Arc::new(Shared {
            quiet,
            began: Instant::now(),
            looked: AtomicU64::new(0),
            pause: AtomicU64::new(millis(LOOK)),
            active: AtomicBool::new(false),
            watched: AtomicBool::new(false),
            begins: Notify::new(),
        }))
    }

    /// Something happens.
    pub fn touch(&self) {
        self.0.active.store(true, Ordering::Relaxed);
        if !self.0.watched.swap(true, Ordering::AcqRel) {
            self.0.begins.notify_one();
        }
        self.stay_small();
    }

    /// Gives code back when there is too much of it, also while calls come.
    fn stay_small(&self) {
        let now = u64::try_from(self.0.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let looked = self.0.looked.load(Ordering::Relaxed);
        let pause = self.0.pause.load(Ordering::Relaxed);
        if now.saturating_sub(looked) < pause {
            return;
        }
        self.0.looked.store(now, Ordering::Relaxed);
        let is_large = platform::resident_code().is_some_and(|bytes| bytes > LARGE);
        if is_large {
            platform::drop_code();
        }
        self.0.pause.store(next_pause(pause, is_large), Ordering::Relaxed);
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

fn next_pause(pause: u64, is_large: bool) -> u64 {
    if is_large { (pause * 2).min(millis(LATEST_LOOK)) } else { millis(LOOK) }
}

const fn millis(duration: Duration) -> u64 {
    duration.as_millis() as u64
}

/// Keeps all threads to one heap. With one for each of them, what one thread frees no other uses: a search of a large tree kept
/// 200 MiB instead of 20, in the same time.
pub fn share_one_heap() {
    platform::share_one_heap();
}

/// Gives the program's code back around work that needs a large part of it for a moment: neither what ran before nor what runs
/// after it uses the same pages.
pub fn apart<T>(work: impl FnOnce() -> T) -> T {
    platform::drop_code();
    let result = work();
    platform::drop_code();
    result
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

    #[expect(unsafe_code, reason = "a function of libc that takes two numbers")]
    pub(super) fn share_one_heap() {
        // SAFETY: `mallopt` may be called at any time; it is called before the first thread starts.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }

    /// Lets go of the pages of files that are code or constants: they are never written, so they come back from the file as
    /// they were.
    pub(super) fn drop_code() {
        let Ok(maps) = told("/proc/self/maps") else { return };
        for (start, length) in unchanging(&maps) {
            release(start, length);
        }
    }

    /// What is resident of files now.
    pub(super) fn resident_code() -> Option<u64> {
        resident_code_of(&told("/proc/self/status").ok()?)
    }

    pub(super) fn resident_code_of(status: &str) -> Option<u64> {
        let kib =
            status.lines().find_map(|line| line.strip_prefix("RssFile:"))?.trim().strip_suffix(" kB")?;
        Some(kib.parse::<u64>().ok()? * 1024)
    }

    /// What the system says of this process. In one piece: it knows no sizes beforehand.
    #[expect(
        clippy::disallowed_methods,
        reason = "the system's own figures of this process are no files of anybody"
    )]
    fn told(path: &str) -> std::io::Result<String> {
        use std::io::Read as _;
        let mut text = String::with_capacity(16 * 1024);
        std::fs::File::open(path)?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[expect(unsafe_code, reason = "the address comes from the system's own list")]
    fn release(start: usize, length: usize) {
        let address = std::ptr::with_exposed_provenance_mut(start);
        // SAFETY: the range is a private mapping of a file that nothing has ever written to; the kernel reads dropped pages of
        // it again from the file, with the same bytes.
        let _ = unsafe { rustix::mm::madvise(address, length, rustix::mm::Advice::LinuxDontNeed) };
    }

    /// Start and length of what is code of a program or library, and of what stands in front of it in the file: constants, tables,
    /// names. What can only be read further on may be what the loader has filled in before it took away the right to write; and
    /// other files are not ours to judge: they may be gone, and something else in their place, by the time this is read.
    pub(super) fn unchanging(maps: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let mut before = None;
        for mapping in maps.lines().map(Mapping::of) {
            if let Some(code) = mapping.as_ref().filter(|mapping| mapping.kind == "r-xp") {
                let front = before.filter(|front: &Mapping<'_>| {
                    (front.kind, front.offset, front.file) == ("r--p", 0, code.file)
                });
                found.extend(front.map(|front| front.range));
                found.push(code.range);
            }
            before = mapping;
        }
        found
    }

    /// A line of the system's list that is part of a file.
    struct Mapping<'a> {
        range: (usize, usize),
        kind: &'a str,
        offset: usize,
        file: &'a str,
    }

    impl<'a> Mapping<'a> {
        fn of(line: &'a str) -> Option<Self> {
            let mut fields = line.split_ascii_whitespace();
            let (start, end) = fields.next()?.split_once('-')?;
            let kind = fields.next()?;
            let offset = usize::from_str_radix(fields.next()?, 16).ok()?;
            let file = fields.nth(2).filter(|file| file.starts_with('/'))?;
            let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
            Some(Self { range: (start, end.checked_sub(start)?), kind, offset, file })
        }
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod platform {
    pub(super) fn share_one_heap() {}
    pub(super) fn trim_heap() {}
    pub(super) fn drop_code() {}
    pub(super) fn resident_code() -> Option<u64> {
        None
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    #[test]
    fn only_what_no_one_has_written_is_let_go() {
        let maps = "\
10000-11000 r--p 00000000 fe:00 12   /usr/share/data
11000-12000 r--p 00000000 fe:00 13   /usr/bin/outrigger
12000-15000 r-xp 00001000 fe:00 13   /usr/bin/outrigger
15000-16000 r--p 00004000 fe:00 13   /usr/bin/outrigger
16000-17000 rw-p 00005000 fe:00 13   /usr/bin/outrigger
17000-18000 rwxp 00000000 fe:00 13   /usr/bin/outrigger
18000-19000 r--p 00001000 fe:00 14   /usr/lib/other
19000-1a000 r-xp 00001000 fe:00 14   /usr/lib/other
1a000-1b000 r--p 00000000 00:00 0
1b000-1c000 r-xp 00000000 00:00 0    [vdso]

";
        assert_eq!(platform::unchanging(maps), [(0x11000, 0x1000), (0x12000, 0x3000), (0x19000, 0x1000)]);
    }

    #[test]
    fn calls_that_need_much_code_are_left_alone_more_and_more() {
        let pauses = std::iter::successors(Some(millis(LOOK)), |pause| Some(next_pause(*pause, true)));
        assert_eq!(pauses.take(8).collect::<Vec<_>>(), [20, 40, 80, 160, 320, 640, 1280, 1280]);
        assert_eq!(next_pause(1280, false), millis(LOOK));
    }

    #[test]
    fn the_size_is_what_the_system_says() {
        let status = "Name:\toutrigger\nVmRSS:\t    8080 kB\nRssAnon:\t    1412 kB\nRssFile:\t    6668 kB\n";
        assert_eq!(platform::resident_code_of(status), Some(6668 * 1024));
        assert_eq!(platform::resident_code_of("Name:\toutrigger\n"), None);
        assert!(platform::resident_code().unwrap() > 1024 * 1024);
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
