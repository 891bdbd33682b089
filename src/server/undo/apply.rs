//! Makes the changes of an undo, and records what came of them.
//!
//! A disk takes nearly as long for one small file as for many that come at the same time, so files that need nothing of each other
//! are put back together, and each folder is written down once. All that came is on the disk before something else goes, and before
//! the journal says that it is done.

use std::{
    collections::{BTreeSet, HashMap},
    io,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use serde_json::json;

use super::{UndoError, UndoReport, UndoState, bytes, cut_off};
use crate::{
    change::{Node, PathChange},
    journal::{AuditRow, Direction, Going, Journal, JournalError, StartedCall},
    policy::Permit,
    text::visible,
    workspace::{DoorError, Workspace},
};

/// Fewer files than this are put back one after the other.
const MANY: usize = 32;
/// Files of many that are put back at the same time: it is the disk that is waited for, and more at once gain nothing.
const TOGETHER: usize = 16;
/// The largest of them: each is held in memory.
const TOGETHER_BYTES: u64 = 1024 * 1024;

/// Whether another process has been at it before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// None has.
    First,
    /// One has, and died.
    Again,
}

/// Makes the changes that were recorded, and records what came of them.
pub(super) fn apply(
    journal: &Journal,
    workspace: &Workspace,
    call: &StartedCall<'_>,
    direction: Direction,
    going: Going,
    start: Start,
) -> Result<UndoReport, UndoError> {
    let changes: Vec<&PathChange> = call.changes.iter().collect();
    let calls = going.calls.clone();
    let work = Work { journal, workspace, permit: Permit::for_undo(), calls: &calls, changes: &changes };
    let mut made = work.make_all().into_iter();
    // What this process could not replace stands there still.
    let is_replaced =
        |change: &PathChange| start == Start::Again && !cut_off::is_untouched(workspace, change);
    record(journal, call, direction, going, (|_: &PathChange| made.next().unwrap_or(Ok(false)), is_replaced))
}

struct Work<'w> {
    journal: &'w Journal,
    workspace: &'w Workspace,
    permit: Permit,
    calls: &'w [String],
    changes: &'w [&'w PathChange],
}

impl Work<'_> {
    /// What came of each change: whether it is a folder that stays, or why it is not made.
    fn make_all(&self) -> Vec<Result<bool, String>> {
        let mut made = Vec::with_capacity(self.changes.len());
        let (mut unsynced, mut has_come) = (BTreeSet::new(), false);
        let mut rest = self.changes;
        while !rest.is_empty() {
            let together = rest.iter().take_while(|change| self.stands_alone(change)).count();
            let (now, later) = rest.split_at(together.max(1));
            let takes_away =
                |change: &&PathChange| !matches!(change.before, None | Some(Node::Folder { .. }));
            if has_come && now.iter().any(takes_away) {
                self.workspace.sync_around(std::mem::take(&mut unsynced));
                has_come = false;
            }
            made.extend(self.make(now));
            unsynced.extend(now.iter().map(|change| change.path.as_str()));
            has_come |= now.iter().any(|change| change.after.is_some());
            rest = later;
        }
        self.workspace.sync_around(unsynced);
        made
    }

    /// A file whose bytes the journal has: it waits for no other change, and none for it.
    fn stands_alone(&self, change: &PathChange) -> bool {
        let Some(Node::File { etag, bytes, .. }) = &change.after else { return false };
        let is_kept = || *bytes == 0 || self.journal.has_image(etag).unwrap_or(false);
        !matches!(change.before, Some(Node::Folder { .. })) && *bytes <= TOGETHER_BYTES && is_kept()
    }

    /// Makes changes that need nothing of each other.
    fn make(&self, changes: &[&PathChange]) -> Vec<Result<bool, String>> {
        let put = |change: &PathChange| {
            put(self.journal, self.workspace, &self.permit, change, (self.calls, self.changes))
                .map_err(|error| error.to_string())
        };
        if changes.len() < MANY {
            return changes.iter().map(|change| put(change)).collect();
        }
        let (next, made) = (AtomicUsize::new(0), Mutex::new(vec![Ok(false); changes.len()]));
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(change) = changes.get(at) else { return };
                let result = put(change);
                if let Some(place) = made.lock().unwrap_or_else(PoisonError::into_inner).get_mut(at) {
                    *place = result;
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..TOGETHER {
                // Where there is no thread to be had, fewer do it.
                let _ = thread::Builder::new().name("undo".to_owned()).spawn_scoped(scope, work);
            }
            work();
        });
        made.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records what comes of each of the changes: whether it is a folder that stays, or why it is not made; and of one that is not,
/// whether what stood there is gone all the same.
pub(super) fn record(
    journal: &Journal,
    call: &StartedCall<'_>,
    direction: Direction,
    mut going: Going,
    (mut made, is_replaced): (impl FnMut(&PathChange) -> Result<bool, String>, impl Fn(&PathChange) -> bool),
) -> Result<UndoReport, UndoError> {
    let places: HashMap<String, usize> =
        going.files.iter().enumerate().map(|(place, file)| (file.path.clone(), place)).collect();
    for change in call.changes {
        let made = made(change);
        let Some(file) = places.get(&change.path).and_then(|place| going.files.get_mut(*place)) else {
            continue;
        };
        match made {
            Ok(stays) => (file.done, file.stays) = (true, stays),
            Err(reason) => {
                file.conflict = Some(reason);
                file.replaced = file.replaced && is_replaced(change);
            }
        }
    }
    let failed = going.files.iter().filter(|file| !file.done).count();
    let none_of_them = !call.changes.is_empty() && failed == going.files.len();
    let report = UndoReport {
        state: match failed {
            _ if none_of_them => UndoState::Conflict,
            0 if going.whole => UndoState::Done,
            _ => UndoState::Partly,
        },
        workspace: call.workspace.to_owned(),
        direction,
        call: Some(call.key.to_owned()),
        files: going.files.clone(),
        note: None,
    };
    let kind = match (&going.brings_back, direction) {
        (Some(_), _) => "bring_back",
        (None, Direction::Undo) => "undo",
        (None, Direction::Redo) => "redo",
    };
    let audit = AuditRow {
        turn: call.turn.map(str::to_owned),
        call: Some(call.key.to_owned()),
        workspace: call.workspace.to_owned(),
        decision: "allowed".to_owned(),
        by: Some("user".to_owned()),
        outcome: if failed == 0 {
            "ok".to_owned()
        } else {
            format!("{failed} of {} not put back", going.files.len())
        },
        paths: call.changes.iter().map(|change| change.path.clone()).collect(),
        changes: call.changes.to_vec(),
        ..AuditRow::new(kind)
    };
    journal.undo_finished(call, direction, &going, &json!(report), &audit).map_err(UndoError::Unrecorded)?;
    Ok(report)
}

/// Whether it is a folder that stays: calls made it, and something that does not go is in it by now.
fn put(
    journal: &Journal,
    workspace: &Workspace,
    permit: &Permit,
    change: &PathChange,
    (calls, changes): (&[String], &[&PathChange]),
) -> Result<bool, PutError> {
    if change.before.is_none() && change.after.is_none() {
        return Ok(false);
    }
    if cut_off::went_first(workspace, change, changes) {
        return Ok(false);
    }
    if bytes::is_last_of_them(journal, workspace, change, (calls, changes))? {
        let is_there = cut_off::is_untouched(workspace, change);
        return Err(if is_there { PutError::Last } else { PutError::Changed });
    }
    let content = bytes::content_of(journal, workspace, change, changes)?;
    match workspace.put_unsynced(permit, change, content) {
        Err(DoorError::Io { source, .. })
            if source.kind() == io::ErrorKind::DirectoryNotEmpty
                && matches!(change.before, Some(Node::Folder { .. })) =>
        {
            // Where a file is to be again, the folder is in its way, whatever it holds.
            if change.after.is_none() { Ok(true) } else { Err(in_the_way(workspace, &change.path)) }
        }
        result => Ok(result.map(|()| false)?),
    }
}

fn in_the_way(workspace: &Workspace, folder: &str) -> PutError {
    let inside = workspace.inside(folder).ok().and_then(|inside| inside.into_iter().next());
    PutError::Holds(visible(inside.as_deref().unwrap_or(folder)).into_owned())
}

#[derive(Debug, thiserror::Error)]
enum PutError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Door(#[from] DoorError),
    #[error("its bytes are kept nowhere else: they would be gone for good")]
    Last,
    #[error("{}", bytes::CHANGED)]
    Changed,
    #[error("it is a folder, and `{0}` in it stays")]
    Holds(String),
}
