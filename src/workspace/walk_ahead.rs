//! Lists folders ahead of a walk, on threads of their own: reading folders takes longer than looking at names, and on cold pages it
//! is nothing but waiting. The walk alone decides the order; what is ahead is bounded, and ends with the walk.

use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use super::{
    folder::{Folder, Listed, Lister},
    walk::Until,
};

/// Threads that list ahead of one walk. More than there are cores, because on a cold tree they wait for the disk.
const HELPERS: usize = 8;
/// Folders waiting for each helper before another one is started: a small tree is done before a thread has begun.
const WAITING_EACH: usize = 4;
/// Entries listed and not looked at yet; more would only be memory.
const ENTRIES_AHEAD: usize = 16 * 1024;

/// A folder on its way from "to be listed" to "listed": whoever comes first lists it.
#[derive(Debug)]
pub(super) struct Slot {
    state: Mutex<State>,
    done: Condvar,
}

#[derive(Debug)]
enum State {
    Waiting(Folder),
    Running,
    Done(io::Result<Listed>),
    Taken,
}

impl Slot {
    pub(super) fn new(folder: Folder) -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(State::Waiting(folder)), done: Condvar::new() })
    }

    /// What is in the folder, and whether a helper had listed it; else it is listed now.
    pub(super) fn take(&self, lister: Lister<'_>) -> io::Result<(Listed, bool)> {
        if let Some(folder) = self.begin() {
            *lock(&self.state) = State::Taken;
            return Ok((lister.list(&folder)?, false));
        }
        let mut state = lock(&self.state);
        while matches!(*state, State::Running) {
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match std::mem::replace(&mut *state, State::Taken) {
            State::Done(listed) => Ok((listed?, true)),
            State::Waiting(_) | State::Running | State::Taken => Err(io::ErrorKind::Other.into()),
        }
    }

    /// The folder, if nobody has begun to list it.
    fn begin(&self) -> Option<Folder> {
        let mut state = lock(&self.state);
        match std::mem::replace(&mut *state, State::Running) {
            State::Waiting(folder) => Some(folder),
            other => {
                *state = other;
                None
            }
        }
    }
}

/// A folder that a helper lists: whatever happens to the helper, the walk does not wait for ever.
struct Listing<'a>(&'a Slot);

impl Listing<'_> {
    fn end(self, listed: io::Result<Listed>) {
        *lock(&self.0.state) = State::Done(listed);
    }
}

impl Drop for Listing<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        if matches!(*state, State::Running) {
            *state = State::Done(Err(io::ErrorKind::Other.into()));
        }
        drop(state);
        self.0.done.notify_all();
    }
}

/// Which folders a walk comes to first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// A folder's own folders.
    Path,
    /// Those of its level.
    Shallow,
}

/// Folders that helpers may list, the next one of the walk first.
#[derive(Debug)]
pub(super) struct Queue {
    order: Order,
    todo: Mutex<Todo>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Todo {
    slots: VecDeque<Arc<Slot>>,
    entries_ahead: usize,
    closed: bool,
}

impl Queue {
    pub(super) fn new(order: Order) -> Self {
        Self { order, todo: Mutex::default(), changed: Condvar::new() }
    }

    /// What a helper does until the walk ends.
    pub(super) fn help(&self, lister: Lister<'_>, until: Option<&Until<'_>>) {
        while let Some(slot) = self.next() {
            if until.is_some_and(|until| until()) {
                return;
            }
            let Some(folder) = slot.begin() else { continue };
            let listing = Listing(&slot);
            let listed = lister.list(&folder);
            if let Ok(listed) = &listed {
                self.add(listed, listed.items.len());
            }
            listing.end(listed);
        }
    }

    fn next(&self) -> Option<Arc<Slot>> {
        let mut todo = lock(&self.todo);
        loop {
            if todo.closed {
                return None;
            }
            if todo.entries_ahead < ENTRIES_AHEAD
                && let Some(slot) = todo.slots.pop_front()
            {
                return Some(slot);
            }
            todo = self.changed.wait(todo).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Adds the folders in `listed`; returns how many wait now.
    fn add(&self, listed: &Listed, entries: usize) -> usize {
        let mut todo = lock(&self.todo);
        todo.entries_ahead += entries;
        let before = todo.slots.len();
        let folders = listed.items.iter().filter_map(|item| item.inner.as_ref());
        match self.order {
            Order::Shallow => todo.slots.extend(folders.cloned()),
            Order::Path => folders.rev().for_each(|folder| todo.slots.push_front(Arc::clone(folder))),
        }
        let waiting = todo.slots.len();
        drop(todo);
        if waiting > before {
            self.changed.notify_all();
        }
        waiting
    }

    /// The walk looks at so many entries that were ahead of it; returns how many folders wait.
    fn caught_up(&self, entries: usize) -> usize {
        let mut todo = lock(&self.todo);
        let was_full = todo.entries_ahead >= ENTRIES_AHEAD;
        todo.entries_ahead = todo.entries_ahead.saturating_sub(entries);
        if was_full && todo.entries_ahead < ENTRIES_AHEAD {
            self.changed.notify_all();
        }
        todo.slots.len()
    }
}

/// Sends the helpers home when the walk ends, also by a panic.
pub(super) struct Closing<'a>(pub(super) &'a Queue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        lock(&self.0.todo).closed = true;
        self.0.changed.notify_all();
    }
}

/// The helpers of one walk, started when there is something to do for them.
pub(super) struct Helpers<'a> {
    queue: &'a Queue,
    start: Box<dyn FnMut() + 'a>,
    started: usize,
}

impl<'a> Helpers<'a> {
    pub(super) fn new(queue: &'a Queue, start: Box<dyn FnMut() + 'a>) -> Self {
        Self { queue, start, started: 0 }
    }

    /// The walk has gone into a folder, which a helper had listed or not.
    pub(super) fn went_into(&mut self, listed: &Listed, by_helper: bool) {
        let waiting =
            if by_helper { self.queue.caught_up(listed.items.len()) } else { self.queue.add(listed, 0) };
        if self.started < HELPERS && waiting >= WAITING_EACH * (self.started + 1) {
            self.started += 1;
            (self.start)();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
