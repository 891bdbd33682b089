//! Whether the repositories that a thread has used still are what they were when it began with each.
//!
//! The libraries open by name. What a name led to while they did is not known, only what it leads to before and after.

use std::cell::RefCell;

use cap_std::fs::{Dir, Metadata};

use super::{Repository, inspect};

thread_local! {
    /// What has been used since the thread began to watch; `None`: it does not.
    static USED: RefCell<Option<Vec<(Repository, Way)>>> = const { RefCell::new(None) };
}

/// What stood at each step of the way from the workspace's folder to the git folder.
type Way = Vec<Option<Metadata>>;

/// How the repositories stand that were used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Still {
    /// The folder of the first one that another stands in the place of.
    pub replaced: Option<String>,
    /// The folder of the first one that was renamed since, or had something made in it or removed: it may have been away.
    pub touched: Option<String>,
}

/// Does the work, and says how the repositories stand that it has used.
pub fn watched<T>(work: impl FnOnce() -> T) -> (T, Still) {
    let around = USED.replace(Some(Vec::new()));
    let done = work();
    let used = USED.replace(around).unwrap_or_default();
    let mut still = Still::default();
    for (repository, before) in used {
        let now = repository.way();
        let is_replaced = !alike(&before, &now, inspect::same) || !repository.is_in_place();
        let folder = || repository.folder.to_string();
        if is_replaced {
            still.replaced.get_or_insert_with(folder);
        }
        if is_replaced || !alike(&before, &now, untouched) {
            still.touched.get_or_insert_with(folder);
        }
    }
    (done, still)
}

fn alike(before: &Way, now: &Way, is_alike: impl Fn(&Metadata, &Metadata) -> bool) -> bool {
    before.len() == now.len()
        && before.iter().zip(now).all(|pair| matches!(pair, (Some(one), Some(other)) if is_alike(one, other)))
}

/// The same, and not renamed since: that is a change to what is noted of it.
#[cfg(unix)]
fn untouched(before: &Metadata, now: &Metadata) -> bool {
    use cap_std::fs::MetadataExt as _;
    let changed = |metadata: &Metadata| (metadata.ctime(), metadata.ctime_nsec());
    inspect::same(before, now) && changed(before) == changed(now)
}

#[cfg(not(unix))]
fn untouched(before: &Metadata, now: &Metadata) -> bool {
    inspect::same(before, now)
}

impl Repository {
    /// Notes that a library is about to use it.
    pub(super) fn is_used(&self) {
        USED.with_borrow_mut(|used| {
            let Some(used) = used else { return };
            if !used.iter().any(|(known, _)| known.places == self.places) {
                used.push((self.clone(), self.way()));
            }
        });
    }

    /// What was changed in it until now is our own doing.
    pub(super) fn is_settled(&self) {
        USED.with_borrow_mut(|used| {
            if let Some(used) = used {
                used.retain(|(known, _)| known.places != self.places);
            }
        });
        self.is_used();
    }

    /// What the handle sees and what the path leads to are the same folder.
    pub(super) fn is_in_place(&self) -> bool {
        let by_handle = self.handle.metadata(self.places.git.as_path());
        let by_path = Dir::open_ambient_dir(&self.git_dir, cap_std::ambient_authority())
            .and_then(|folder| folder.dir_metadata());
        matches!((by_handle, by_path), (Ok(handle), Ok(path)) if inspect::same(&handle, &path))
    }

    fn way(&self) -> Way {
        let steps = self.places.git.as_path().ancestors();
        let look = |step: &std::path::Path| {
            let is_root = step.as_os_str().is_empty();
            if is_root { self.handle.dir_metadata() } else { self.handle.symlink_metadata(step) }.ok()
        };
        steps.map(look).collect()
    }
}
