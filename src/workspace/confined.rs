//! Holds what opens files by name to the workspace.
//!
//! Libraries that know no handles look names up again and again, and what stands at a name may be swapped for a link in between. So
//! they work on a thread of their own that the kernel lets open nothing outside the workspace's folder, by whatever name; but for
//! what the user's own settings of git need.
//!
//! The thread, and all that it starts, is held for good. So it is never one that is used again, and nothing that outlives the work is
//! started from it: that is for the thread that waits, which is free ([`outside`], [`aside`]). Where the kernel cannot hold a thread,
//! the work is done as it is, and the checks of [`repository`](super::repository) are all there is.

use std::{
    cell::RefCell,
    io,
    panic::resume_unwind,
    sync::mpsc::{Sender, channel},
    thread::{self, Builder},
};

use cap_std::fs::Dir;

use super::holding_thread::{Bounds, Settings, is_possible};

/// What the free thread is asked to do.
type Errand = Box<dyn FnOnce() + Send>;

thread_local! {
    /// The way to the free thread, on one that is held.
    static FREE: RefCell<Option<Sender<Errand>>> = const { RefCell::new(None) };
    /// What such a thread can read of the user's own settings.
    static SETTINGS: RefCell<Option<Settings>> = const { RefCell::new(None) };
}

/// Whether the user's own settings of git are others than those that this thread was let read: it may not open the new ones.
pub fn settings_have_changed() -> bool {
    SETTINGS.with_borrow(|settings| settings.as_ref().is_some_and(Settings::have_changed))
}

/// Does the work on a thread that can open nothing outside `root`. An error where there is no such thread to be had.
pub fn within<T: Send>(root: &Dir, work: impl FnOnce() -> T + Send) -> io::Result<T> {
    let is_held = FREE.with_borrow(Option::is_some);
    if is_held || !is_possible()? {
        return Ok(work());
    }
    let bounds = Bounds::new(root)?;
    let (errands, asked) = channel::<Errand>();
    thread::scope(|scope| {
        let held = Builder::new().name("confined".to_owned()).spawn_scoped(scope, move || {
            SETTINGS.set(Some(bounds.hold()?));
            FREE.set(Some(errands));
            let done = work();
            // Its end is what the free thread waits for.
            FREE.take();
            Ok(done)
        })?;
        for errand in asked {
            errand();
        }
        held.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Does on the free thread what a held one must not: what starts a program, above all. `None`: that thread is gone.
pub fn outside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let Some(free) = FREE.with_borrow(Clone::clone) else { return Some(work()) };
    let (told, answer) = channel();
    let errand = move || {
        let _ = told.send(work());
    };
    free.send(Box::new(errand)).ok()?;
    answer.recv().ok()
}

/// The same for what nobody waits for: starting a thread that outlives the work.
pub fn aside(work: impl FnOnce() + Send + 'static) {
    match FREE.with_borrow(Clone::clone) {
        Some(free) => drop(free.send(Box::new(work))),
        None => work(),
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::{fs, os::unix::fs::symlink, path::Path};

    use cap_std::ambient_authority;

    use super::*;

    fn scene() -> (tempfile::TempDir, Dir) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("root/a")).unwrap();
        fs::create_dir_all(folder.path().join("root/b")).unwrap();
        fs::write(folder.path().join("root/a/file"), "inside").unwrap();
        fs::write(folder.path().join("outside"), "outside").unwrap();
        symlink("../outside", folder.path().join("root/link")).unwrap();
        let root = Dir::open_ambient_dir(folder.path().join("root"), ambient_authority()).unwrap();
        (folder, root)
    }

    fn opens(path: &Path) -> bool {
        fs::read(path).is_ok()
    }

    #[test]
    fn only_what_lies_inside_can_be_opened_and_changed() {
        let (folder, root) = scene();
        if !is_possible().unwrap() {
            return;
        }
        let at = folder.path();
        within(&root, || {
            assert!(opens(&at.join("root/a/file")));
            assert!(!opens(&at.join("outside")));
            assert!(!opens(&at.join("root/link")));
            assert!(fs::read_dir(at).is_err());
            assert!(fs::write(at.join("new"), "x").is_err());
            fs::rename(at.join("root/a/file"), at.join("root/b/file")).unwrap();
            assert!(fs::rename(at.join("root/b/file"), at.join("file")).is_err());
            // Also on a thread that it starts.
            assert!(thread::scope(|scope| scope.spawn(|| !opens(&at.join("outside"))).join().unwrap()));
            // The folder is known by its handle, whatever its name is.
            assert!(
                outside({
                    let at = at.to_owned();
                    move || {
                        opens(&at.join("outside")) && fs::rename(at.join("root"), at.join("moved")).is_ok()
                    }
                })
                .unwrap()
            );
            assert!(opens(&at.join("moved/b/file")));
        })
        .unwrap();
        assert!(opens(&at.join("outside")));
    }

    #[test]
    fn what_is_started_aside_is_free() {
        let (folder, root) = scene();
        let (told, answer) = channel();
        let outside = folder.path().join("outside");
        within(&root, || aside(move || drop(thread::spawn(move || told.send(opens(&outside)))))).unwrap();
        assert!(answer.recv().unwrap());
    }

    #[test]
    fn a_panic_goes_on_to_who_waits() {
        let (_folder, root) = scene();
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            within(&root, || std::panic::resume_unwind(Box::new("lost")))
        }));
        assert!(caught.is_err());
    }
}
