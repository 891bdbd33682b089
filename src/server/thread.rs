//! Work on a thread of its own, where the system gives one.
//!
//! The runtime panics when it needs a thread and the system has none, and keeps the work: that is done when there are threads again,
//! and nobody waits for it any more. Here it is never done, and whoever asked hears why.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError, mpsc},
    task::{Context, Poll},
    thread::Builder,
    time::Duration,
};

use thiserror::Error;
use tokio::{
    runtime::Handle,
    sync::oneshot,
    task::{self, JoinError, JoinHandle},
    time::{Instant, Sleep, sleep},
};

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
    /// The same, on the spare thread.
    #[error("it broke: {0}")]
    BrokeApart(#[from] oneshot::error::RecvError),
}

/// A thread that stands from the beginning on, for what ends something: the very command that is to be ended may have taken up all
/// that there are.
#[derive(Clone, Debug, Default)]
pub(super) struct Spare(Option<mpsc::Sender<Box<dyn FnOnce() + Send>>>);

impl Spare {
    /// Starts it; none, where the system gives none now.
    pub fn start() -> Self {
        let (sender, errands) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
        // What breaks in there is missed by whoever waits for it.
        let attend = move || errands.iter().for_each(|errand| drop(catch_unwind(AssertUnwindSafe(errand))));
        let begun = Builder::new().name("spare".to_owned()).spawn(attend);
        Self(begun.ok().map(|_| sender))
    }

    /// Does it there, one after the other; gives it back where there is no such thread.
    fn take_on<T: Send + 'static>(&self, work: Held<T>) -> Result<oneshot::Receiver<T>, Held<T>> {
        let Some(sender) = &self.0 else { return Err(work) };
        let (told, done) = oneshot::channel();
        let (held, runtime) = (Arc::new(Mutex::new(Some(work))), Handle::current());
        let kept = Arc::clone(&held);
        let errand = move || {
            let _runtime = runtime.enter();
            if let Some(work) = take(&kept) {
                let _ = told.send(work());
            }
        };
        match sender.send(Box::new(errand)) {
            Ok(()) => Ok(done),
            Err(_) => take(&held).map_or(Ok(done), Err),
        }
    }
}

/// Work that nobody has begun.
type Held<T> = Box<dyn FnOnce() -> T + Send>;

/// What is asked when work waits for a thread.
#[derive(Clone, Copy)]
pub(super) struct Trial {
    /// After so long, and then again and again.
    patience: Duration,
    /// Whether the system gives a thread.
    is_there_one: fn() -> bool,
}

const TRIAL: Trial =
    Trial { patience: Duration::from_secs(1), is_there_one: || Builder::new().spawn(|| {}).is_ok() };

/// Work under way; awaiting it gives what it comes to.
pub(super) enum Work<T> {
    /// Given to the runtime, which may have no thread for it and says so to nobody while it has others that are busy.
    Given {
        done: JoinHandle<Option<T>>,
        waiting: Arc<Mutex<Option<Held<T>>>>,
        trial: Trial,
        look: Pin<Box<Sleep>>,
        spare: Spare,
    },
    /// On a thread.
    Begun(JoinHandle<Option<T>>),
    /// On the spare one.
    Apart(oneshot::Receiver<T>),
    /// Done by whoever asked; nothing, where it had to be on a thread.
    Here(Option<T>),
}

impl<T> fmt::Debug for Work<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Work").finish_non_exhaustive()
    }
}

/// Begins work that may wait for disks and programs.
pub(super) fn begin<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Work<T> {
    begin_or(Box::new(work), Spare::default(), TRIAL, |_| None)
}

/// Begins work that ends something: where there is no other thread, on the spare one.
pub(super) fn begin_surely<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    spare: &Spare,
) -> Work<T> {
    begin_or(Box::new(work), spare.clone(), TRIAL, |_| None)
}

/// The same of work that is short: without any thread it is done here.
pub(super) fn begin_or_here<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    spare: &Spare,
) -> Work<T> {
    begin_or(Box::new(work), spare.clone(), TRIAL, |work| Some(work()))
}

fn take<W>(waiting: &Mutex<Option<W>>) -> Option<W> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn begin_or<T: Send + 'static>(
    work: Held<T>,
    spare: Spare,
    trial: Trial,
    without: impl FnOnce(Held<T>) -> Option<T>,
) -> Work<T> {
    let waiting = Arc::new(Mutex::new(Some(work)));
    let kept = Arc::clone(&waiting);
    let begun =
        catch_unwind(AssertUnwindSafe(|| task::spawn_blocking(move || take(&kept).map(|work| work()))));
    match begun {
        Ok(done) => Work::Given { done, waiting, trial, look: Box::pin(sleep(trial.patience)), spare },
        // What the runtime keeps is empty once this is taken, and what the work held is free.
        Err(_) => match take(&waiting).map(|work| spare.take_on(work)) {
            Some(Ok(done)) => Work::Apart(done),
            Some(Err(work)) => Work::Here(without(work)),
            None => Work::Here(None),
        },
    }
}

impl<T> Unpin for Work<T> {}

impl<T: Send + 'static> Future for Work<T> {
    type Output = Result<T, Lost>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        loop {
            match this {
                Self::Given { done, waiting, trial, look, spare } => {
                    if let Poll::Ready(done) = Pin::new(done).poll(context) {
                        return Poll::Ready(done?.ok_or(Lost::NoThread));
                    }
                    if look.as_mut().poll(context).is_pending() {
                        return Poll::Pending;
                    }
                    if waiting.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
                        // It has begun, and who it is that did is asked no more.
                    } else if (trial.is_there_one)() {
                        // The runtime takes the next one when it is given something.
                        let _ = catch_unwind(|| task::spawn_blocking(|| {}));
                        look.as_mut().reset(Instant::now() + trial.patience);
                        continue;
                    } else if let Some(work) = take(waiting) {
                        let Ok(done) = spare.take_on(work) else {
                            return Poll::Ready(Err(Lost::NoThread));
                        };
                        *this = Self::Apart(done);
                        continue;
                    }
                    let Self::Given { done, .. } = std::mem::replace(this, Self::Here(None)) else {
                        continue;
                    };
                    *this = Self::Begun(done);
                }
                Self::Begun(done) => {
                    return Pin::new(done).poll(context).map(|done| done?.ok_or(Lost::NoThread));
                }
                Self::Apart(done) => {
                    return Pin::new(done).poll(context).map(|done| done.map_err(Lost::from));
                }
                Self::Here(done) => return Poll::Ready(done.take().ok_or(Lost::NoThread)),
            }
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
        let runtime =
            Builder::new_current_thread().enable_time().thread_stack_size(TOO_LARGE).build().unwrap();
        let lost = runtime.block_on(async { begin(work(&held)).await });
        assert!(matches!(lost, Err(Lost::NoThread)), "{lost:?}");
        assert_eq!(Arc::strong_count(&held), 1, "it waits for a thread all the same");
        assert_eq!(
            runtime.block_on(async { begin_or_here(work(&held), &Spare::default()).await }).unwrap(),
            2
        );
        let apart = runtime.block_on(async { begin_surely(work(&held), &Spare::start()).await });
        assert_eq!(apart.unwrap(), 2);
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        assert_eq!(runtime.block_on(async { begin(work(&held)).await }).unwrap(), 2);
    }
    /// The runtime has one thread, and it is busy until this is dropped.
    #[expect(clippy::unwrap_used, reason = "tests alone call it")]
    fn busy() -> (tokio::runtime::Runtime, mpsc::Sender<()>) {
        let runtime = Builder::new_current_thread().enable_time().max_blocking_threads(1).build().unwrap();
        let (sender, until) = mpsc::channel::<()>();
        let (began, begun) = mpsc::channel();
        runtime.spawn_blocking(move || {
            began.send(()).unwrap();
            let _ = until.recv();
        });
        begun.recv().unwrap();
        (runtime, sender)
    }

    fn trial(is_there_one: fn() -> bool) -> Trial {
        Trial { patience: Duration::from_millis(1), is_there_one }
    }

    #[test]
    fn what_waits_behind_a_busy_thread_where_there_is_no_other_is_taken_back() {
        let (runtime, busy) = busy();
        let held = Arc::new(());
        let kept = Arc::clone(&held);
        let lost = runtime.block_on(async {
            begin_or(Box::new(move || drop(kept)), Spare::default(), trial(|| false), |_| None).await
        });
        assert!(matches!(lost, Err(Lost::NoThread)), "{lost:?}");
        assert_eq!(Arc::strong_count(&held), 1, "it waits for a thread all the same");
        drop(busy);
    }

    #[test]
    fn what_ends_something_is_done_by_the_spare_thread_then() {
        let (runtime, busy) = busy();
        let work = Box::new(|| {
            // In the runtime's reach, as everywhere.
            Handle::current();
            7
        });
        let done =
            runtime.block_on(async { begin_or(work, Spare::start(), trial(|| false), |_| None).await });
        assert_eq!(done.unwrap(), 7);
        let broken = Box::new(|| panic!("on purpose"));
        let spare = Spare::start();
        let done = runtime
            .block_on(async { begin_or::<()>(broken, spare.clone(), trial(|| false), |_| None).await });
        assert!(matches!(done, Err(Lost::BrokeApart(_))), "{done:?}");
        let done =
            runtime.block_on(async { begin_or(Box::new(|| 8), spare, trial(|| false), |_| None).await });
        assert_eq!(done.unwrap(), 8, "the thread is gone with what broke");
        drop(busy);
    }

    #[test]
    fn where_there_are_threads_it_waits_for_its_turn() {
        let (runtime, busy) = busy();
        let mut busy = Some(busy);
        let done = runtime.block_on(async {
            let work = begin_or(Box::new(|| 7), Spare::default(), trial(|| true), |_| None);
            tokio::pin!(work);
            tokio::select! {
                done = &mut work => panic!("{done:?} without a thread"),
                () = sleep(Duration::from_millis(20)) => busy.take(),
            };
            work.await
        });
        assert_eq!(done.unwrap(), 7);
    }
}
