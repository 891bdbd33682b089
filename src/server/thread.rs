//! Work on a thread of its own, where the system gives one.
//!
//! The runtime panics when it needs a thread and the system has none, and keeps the work: that is done when there are threads again,
//! and nobody waits for it any more. Here it is never done, and whoever asked hears why.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use thiserror::Error;
use tokio::task::{self, JoinError, JoinHandle};

/// What helps where there is no thread.
pub(super) const MORE_THREADS: &str = "nothing was done; try again when fewer programs run: they have used up the processes and threads that \
                                       this user, or this container, may have";

/// Why there is no result.
#[derive(Debug, Error)]
pub(super) enum Lost {
    /// It has not begun, and never will.
    #[error("no thread could be started")]
    NoThread,
    /// It broke.
    #[error(transparent)]
    Broke(#[from] JoinError),
}

/// Work under way; awaiting it gives what it comes to.
#[derive(Debug)]
pub(super) enum Work<T> {
    /// On a thread.
    Begun(JoinHandle<Option<T>>),
    /// Done by whoever asked; nothing, where it had to be on a thread.
    Here(Option<T>),
}

/// Begins work that may wait for disks and programs.
pub(super) fn begin<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Work<T> {
    begin_or(work, |_| None)
}

/// Begins work that has to be done whatever there is, and is short: without a thread it is done here.
pub(super) fn begin_or_here<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Work<T> {
    begin_or(work, |work| Some(work()))
}

fn begin_or<T: Send + 'static, W: FnOnce() -> T + Send + 'static>(
    work: W,
    without: impl FnOnce(W) -> Option<T>,
) -> Work<T> {
    let waiting = Arc::new(Mutex::new(Some(work)));
    let take = |waiting: &Mutex<Option<W>>| waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
    let kept = Arc::clone(&waiting);
    let begun =
        catch_unwind(AssertUnwindSafe(|| task::spawn_blocking(move || take(&kept).map(|work| work()))));
    // What the runtime keeps is empty once this is taken, and what the work held is free.
    begun.map_or_else(|_| Work::Here(take(&waiting).and_then(without)), Work::Begun)
}

impl<T> Unpin for Work<T> {}

impl<T> Future for Work<T> {
    type Output = Result<T, Lost>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Self::Begun(begun) => Pin::new(begun).poll(context).map(|done| done?.ok_or(Lost::NoThread)),
            Self::Here(done) => Poll::Ready(done.take().ok_or(Lost::NoThread)),
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use tokio::runtime::Builder;

    use super::*;

    /// No system gives a stack of this size, and so no thread.
    const TOO_LARGE: usize = 1 << 46;

    #[test]
    fn what_gets_no_thread_is_told_and_never_done() {
        let held = Arc::new(());
        let work = |held: &Arc<()>| {
            let held = Arc::clone(held);
            move || Arc::strong_count(&held)
        };
        let runtime = Builder::new_current_thread().thread_stack_size(TOO_LARGE).build().unwrap();
        let lost = runtime.block_on(async { begin(work(&held)).await });
        assert!(matches!(lost, Err(Lost::NoThread)), "{lost:?}");
        assert_eq!(Arc::strong_count(&held), 1, "it waits for a thread all the same");
        assert_eq!(runtime.block_on(async { begin_or_here(work(&held)).await }).unwrap(), 2);
        let runtime = Builder::new_current_thread().build().unwrap();
        assert_eq!(runtime.block_on(async { begin(work(&held)).await }).unwrap(), 2);
    }
}
