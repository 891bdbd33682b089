//! What becomes of a call whose key was seen before: its stored result, an honest "unknown", or a second start.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    change::{Node, PathChange},
    journal::{AuditRow, CallRecord, CallState, CutOff, Journal, JournalError, StartedCall, UndoneCalls},
    policy::Permit,
    server::{
        host::Host,
        records::made,
        render::{self, Finished},
        undo::bytes::content_of,
    },
    text::counted,
    tier::Tier,
    tools::{
        AnyReply, AnyTool, Call, Code, Happened, ToolError, catalog,
        exec::{self, Jobs},
    },
    workspace::{DoorError, Workspace},
};

/// What the journal makes of a key.
#[derive(Debug)]
pub enum Known {
    /// Never started: go on.
    New,
    /// Started before, with provably no effect, or with one that may happen again: go on.
    StartAgain,
    /// It is over, and this is its result.
    Finished(Finished),
    /// It was done before its host died; the journal does not know yet.
    Settled(Finished),
    /// The same, with the answer that its tool gives to it.
    Happened(Box<AnyReply>),
    /// It cannot go on.
    Failed(ToolError),
}

/// How long a host that is just ending may take to settle its calls; its own limit is 200 ms.
const PATIENCE: Duration = Duration::from_secs(3);
const POLL: Duration = Duration::from_millis(25);
/// Paths that the answer of a call names that nobody saw end; whoever reads it knows what was asked.
const TOLD: usize = 20;
/// Beside the answer of a call that nobody saw end.
const SETTLED: &str = "settled from what stands there, after a restart";

/// Looks the key up and settles what an earlier life left.
pub fn look_up(
    journal: &Journal,
    key: &str,
    digest: &str,
    tool: &dyn AnyTool,
    call: &Call,
) -> Result<Known, JournalError> {
    let mut waited = Duration::ZERO;
    loop {
        let Some(record) = journal.call(key)? else { return Ok(Known::New) };
        if record.digest != digest {
            return Ok(Known::Failed(ToolError::new(
                Code::InvalidArgs,
                format!("the call key `{key}` belongs to another call of `{}`", record.tool),
                "a key names one call with its arguments; a new call needs a new key",
            )));
        }
        match record.state {
            CallState::Asked => return Ok(Known::New),
            CallState::Finished => return Ok(stored(&record, &call.jobs)),
            CallState::Interrupted => {
                // The audit says that it was cut off before it says what became of it.
                if let Err(error) = journal.note_cut_off() {
                    tracing::warn!(%error, "the audit has no row of calls that were cut off");
                }
                // Of a path that calls behind it changed the file says nothing any more, and they do.
                let this = journal.cut_off(key)?.into_iter().find(|cut_off| cut_off.key == key);
                let later = this.map(|cut_off| cut_off.later).unwrap_or_default();
                return Ok(interrupted((&record, &later), journal, tool, call));
            }
            CallState::Running if call.cancel.is_cancelled() => {
                return Ok(Known::Failed(ToolError::cancelled("it goes on in another host process")));
            }
            CallState::Running if waited < PATIENCE => {
                thread::sleep(POLL);
                waited += POLL;
            }
            CallState::Running => {
                return Ok(Known::Failed(ToolError::new(
                    Code::Busy,
                    format!("this call of `{}` still runs in another host process", record.tool),
                    "ask again in a moment",
                )));
            }
        }
    }
}

/// The stored result of a call that is over, as it is true in the connection of these jobs.
pub(super) fn stored_result(record: &CallRecord, jobs: &Jobs) -> Option<Finished> {
    let mut finished: Finished = serde_json::from_value(record.result.clone()?).ok()?;
    if record.executes {
        exec::told_again(&mut finished.text, &mut finished.structured, jobs);
    }
    Some(finished)
}

fn stored(record: &CallRecord, jobs: &Jobs) -> Known {
    match stored_result(record, jobs) {
        Some(finished) => Known::Finished(Finished { replayed: true, ..finished }),
        None => Known::Failed(unknown(record, "its stored result cannot be read")),
    }
}

fn interrupted(
    (record, later): (&CallRecord, &[PathChange]),
    journal: &Journal,
    tool: &dyn AnyTool,
    call: &Call,
) -> Known {
    let workspace = &call.workspace;
    if record.executes {
        return Known::Failed(unknown(record, "a command was running when the host ended"));
    }
    if !workspace.is_at(record.root.as_deref()) {
        let root = record.root.as_deref().unwrap_or_default();
        return Known::Failed(unknown(record, &format!("the workspace was the folder `{root}` then")));
    }
    if let Some(evidence) = &record.evidence {
        return match by_evidence(record, evidence, tool, call) {
            // Files that it had changed by then say nothing of the rest.
            Known::StartAgain => by_places((record, later), journal, workspace, false),
            known => known,
        };
    }
    if record.changes.is_empty() {
        return if tool.spec().annotations.idempotent {
            Known::StartAgain
        } else {
            Known::Failed(unknown(record, "it was running when the host ended"))
        };
    }
    by_places((record, later), journal, workspace, true)
}

/// What a call had changed that was cut off, and that is not settled.
#[derive(Clone, Debug)]
pub struct Begun {
    key: String,
    workspace: String,
    root: Option<String>,
    changes: Vec<PathChange>,
}

impl Begun {
    /// Puts it beside what the calls of the turn changed, in this workspace alone where one is named.
    pub fn join(self, calls: &mut UndoneCalls, workspace: Option<&str>) {
        if workspace.is_none_or(|workspace| workspace == self.workspace) {
            calls.keys.push(self.key);
            calls.workspace = self.workspace;
            calls.roots.extend(self.root);
            calls.changes.extend(self.changes);
        }
    }
}

/// Settles the calls of a turn that were cut off and that nobody has asked for since, before it is undone: what they changed is a
/// part of the turn. What they say of a call is final: asked for later, it does not start again behind the back of whoever undid it.
/// A look alone leaves it so that it can start again, and gets told what is there.
pub fn cut_off<'w>(
    journal: &Journal,
    turn: &str,
    is_dry: bool,
    find: impl Fn(&str) -> Option<&'w Workspace>,
) -> Result<Vec<Begun>, JournalError> {
    let mut begun = Vec::new();
    for call in journal.cut_off(turn)? {
        // Another folder under the same id says nothing of it.
        let Some(workspace) =
            find(&call.record.workspace).filter(|found| found.is_at(call.record.root.as_deref()))
        else {
            continue;
        };
        let sweep =
            || workspace.sweep_beside(call.record.changes.iter().map(|change| change.path.as_str()), None);
        if !is_dry {
            sweep();
        }
        let places = places(&call.record.changes, &call.later, workspace);
        let changes = call.record.changes.iter().zip(places);
        let made: Vec<PathChange> =
            changes.filter(|(_, place)| *place != Place::Before).map(|(change, _)| change.clone()).collect();
        let is_all = made.len() == call.record.changes.len();
        // Of git's part, files say nothing.
        if made.is_empty() && (is_dry || call.record.evidence.is_some()) {
            continue;
        }
        if is_dry && !is_all {
            let CutOff { key, record, .. } = call;
            begun.push(Begun { key, workspace: record.workspace, root: record.root, changes: made });
        } else {
            // From here on nobody knows that there was something to look for.
            sweep();
            settle_cut_off(journal, &call, &made, is_all)?;
        }
    }
    Ok(begun)
}

/// What a call that was cut off left at the path of one of its changes: what is there, or was when something later changed it.
fn left(change: &PathChange, later: &[PathChange], workspace: &Workspace) -> Result<Option<Node>, DoorError> {
    match later.iter().find(|next| next.path == change.path) {
        Some(next) => Ok(next.before.clone()),
        None => workspace.node(&change.path),
    }
}

fn settle_cut_off(
    journal: &Journal,
    call: &CutOff,
    made: &[PathChange],
    is_all: bool,
) -> Result<(), JournalError> {
    let CutOff { key, session, turn, record, .. } = call;
    let tier = catalog()
        .iter()
        .find(|tool| tool.spec().name == record.tool)
        .map_or(Tier::Batch, |tool| tool.spec().tier);
    let failed = |error: ToolError| render::failure(&error, tier, Duration::ZERO);
    let finished = match record.evidence {
        None if is_all => done(record),
        None if made.is_empty() => {
            failed(ToolError::cancelled("the host ended before it had changed anything"))
        }
        _ => failed(unknown(record, "it was running when the host ended")),
    };
    let started = StartedCall {
        key,
        session: session.as_deref(),
        turn: turn.as_deref(),
        workspace: &record.workspace,
        root: record.root.as_deref().map(Path::new),
        tool: &record.tool,
        digest: &record.digest,
        executes: record.executes,
        changes: &record.changes,
        evidence: None,
    };
    let audit = AuditRow {
        session: session.clone(),
        turn: turn.clone(),
        call: Some(key.clone()),
        workspace: record.workspace.clone(),
        tool: record.tool.clone(),
        digest: record.digest.clone(),
        tier: tier.as_str().to_owned(),
        decision: "allowed".to_owned(),
        outcome: finished.structured["code"].as_str().unwrap_or("ok").to_owned(),
        paths: record.changes.iter().map(|change| change.path.clone()).collect(),
        changes: made.to_vec(),
        ..AuditRow::new("call")
    };
    journal.finished(&started, &finished.stored(), Some(made), &audit)?;
    Ok(())
}

/// Files that are looked at again to say what a call had changed when its connection ended; the whole exit has 200 ms.
const LOOKED_AT: usize = 1000;
/// Bytes of them.
const LOOKED_AT_BYTES: u64 = 16 * 1024 * 1024;

impl Host {
    /// What becomes of a call that still ran when its connection had ended, and the changes it had made where they can be told. Nothing
    /// of one that the files do not tell change by change: the next host settles it, as after a kill, when it is asked for or undone.
    pub fn end_of_connection(&self, call: &CallRecord) -> Option<(Value, Option<Vec<PathChange>>)> {
        if !call.executes && (call.evidence.is_some() || has_ways(&call.changes)) {
            return None;
        }
        let workspace = self.workspaces.iter().find(|workspace| workspace.id() == call.workspace);
        let made =
            workspace.filter(|_| may_be_looked_at(call)).map(|workspace| made(&call.changes, workspace));
        let look = "look at what it changed before calling again";
        let (message, hint) = match &made {
            _ if call.executes => (
                "the connection ended while the call ran; a command was killed, and what it had done before stays done"
                    .to_owned(),
                look,
            ),
            None => ("the connection ended while the call ran; what it had changed by then stays changed".to_owned(), look),
            Some(made) if made.is_empty() => (
                "the connection ended before the call had changed anything".to_owned(),
                "call again if it is still wanted",
            ),
            Some(made) => (
                format!(
                    "the connection ended while the call ran; of {} {} had been made, and stays",
                    counted(call.changes.len(), "change"),
                    made.len(),
                ),
                look,
            ),
        };
        let error = ToolError::new(Code::Cancelled, message, hint);
        let tier = catalog().iter().find(|tool| tool.spec().name == call.tool).map(|tool| tool.spec().tier);
        Some((render::failure(&error, tier.unwrap_or(Tier::Batch), Duration::ZERO).stored(), made))
    }
}

/// Takes away what calls left that had no time for it when their connection ended or their host was killed.
pub fn clean_up(host: &Host) {
    let marked = host.journal.is_marked();
    for call in host.journal.take_cut_off() {
        let workspace = host.workspaces.iter().find(|workspace| workspace.id() == call.workspace);
        if let Some(workspace) = workspace {
            workspace.sweep_beside(call.changes.iter().map(|change| change.path.as_str()), None);
        }
    }
    if marked && let Err(error) = host.journal.note_cut_off() {
        tracing::warn!(%error, "the audit has no row of calls that were cut off");
    }
}

/// Something becomes of one path in several steps (a folder goes, a file comes): between two of them it is as neither left it.
fn has_ways(changes: &[PathChange]) -> bool {
    let mut paths = HashSet::new();
    changes.iter().any(|change| !paths.insert(&change.path))
}

/// Its changes are all that it does, and few enough for the moment that is left.
fn may_be_looked_at(call: &CallRecord) -> bool {
    let bytes = |node: &Option<Node>| match node {
        Some(Node::File { bytes, .. }) => *bytes,
        _ => 0,
    };
    let sizes = call.changes.iter().map(|change| bytes(&change.before).max(bytes(&change.after)));
    !call.executes
        && !call.changes.is_empty()
        && call.changes.len() <= LOOKED_AT
        && sizes.sum::<u64>() <= LOOKED_AT_BYTES
}

/// What the files say, and what calls behind it found. With `is_all` they are all that the call changes.
fn by_places(
    (record, later): (&CallRecord, &[PathChange]),
    journal: &Journal,
    workspace: &Workspace,
    is_all: bool,
) -> Known {
    workspace.sweep_beside(record.changes.iter().map(|change| change.path.as_str()), None);
    let mut places = places(&record.changes, later, workspace);
    if places.iter().all(|place| *place == Place::Before) {
        return Known::StartAgain;
    }
    if is_all && places.iter().all(|place| *place == Place::After) {
        return Known::Settled(done(record));
    }
    // What others built on it is not taken back from under them.
    let is_last = !later.iter().any(|next| record.changes.iter().any(|change| change.path == next.path));
    if is_last && !places.contains(&Place::Neither) && put_back(record, journal, workspace, &mut places) {
        return Known::StartAgain;
    }
    let found: Vec<String> = record
        .changes
        .iter()
        .zip(&places)
        .map(|(change, place)| format!("`{}` {}", change.path, place.words()))
        .collect();
    Known::Failed(unknown(record, &found.join(", ")))
}

fn done(record: &CallRecord) -> Finished {
    Finished {
        text: format!(
            "Done before the host was restarted: {} is as planned.",
            some(&record.changes, |change| format!("`{}`", change.path))
        ),
        structured: json!({"ok": true, "warnings": [SETTLED]}),
        data: None,
        picture: None,
        is_error: false,
        replayed: true,
    }
}

/// The first of them, and how many more there are: a call may change thousands.
fn some<T>(all: &[T], words: impl Fn(&T) -> String) -> String {
    let told: Vec<String> = all.iter().take(TOLD).map(words).collect();
    match all.len() - told.len() {
        0 => told.join(", "),
        more => format!("{} and {more} more", told.join(", ")),
    }
}

/// What the tool itself makes of it.
fn by_evidence(record: &CallRecord, evidence: &Value, tool: &dyn AnyTool, call: &Call) -> Known {
    match tool.happened(evidence.clone(), call) {
        Ok(Happened::Yes(reply)) => Known::Happened(Box::new(reply.with_warnings(&[SETTLED.to_owned()]))),
        Ok(Happened::No) => Known::StartAgain,
        Ok(Happened::Unknown) => Known::Failed(unknown(record, "it was running when the host ended")),
        Err(error) => Known::Failed(unknown(record, &error.message)),
    }
}

/// Where a path of an interrupted call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Before,
    After,
    Neither,
}

impl Place {
    fn words(self) -> &'static str {
        match self {
            Self::Before => "is as it was",
            Self::After => "is as planned",
            Self::Neither => "is neither as it was nor as planned",
        }
    }
}

/// Where each change of a call that was cut off stands, or stood when something later changed its path. What becomes of one path in
/// several steps (a folder goes, a file comes) is one way: where it ended, all before it is done and nothing behind it.
fn places(changes: &[PathChange], later: &[PathChange], workspace: &Workspace) -> Vec<Place> {
    let mut ways: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, change) in changes.iter().enumerate() {
        ways.entry(&change.path).or_default().push(at);
    }
    let mut places = vec![Place::Neither; changes.len()];
    for way in ways.values() {
        let Ok(found) = left(&changes[way[0]], later, workspace) else { continue };
        let is = |node: &Option<Node>| Node::same(found.as_ref(), node.as_ref());
        let done = match way.iter().rposition(|at| is(&changes[*at].after)) {
            Some(last) => last + 1,
            None if is(&changes[way[0]].before) => 0,
            None => continue,
        };
        for (step, at) in way.iter().enumerate() {
            places[*at] = if step < done { Place::After } else { Place::Before };
        }
    }
    places
}

/// Takes back the part of a call that was done: all or nothing was promised. The last change goes first.
fn put_back(record: &CallRecord, journal: &Journal, workspace: &Workspace, places: &mut [Place]) -> bool {
    let permit = Permit::for_undo();
    let reversed: Vec<PathChange> = record.changes.iter().map(PathChange::reversed).collect();
    let all: Vec<&PathChange> = reversed.iter().collect();
    for (change, place) in reversed.iter().zip(places).rev() {
        if *place == Place::Before {
            continue;
        }
        let content = content_of(journal, workspace, change, &all).ok().flatten();
        if workspace.put(&permit, change, content).is_err() {
            return false;
        }
        *place = Place::Before;
    }
    true
}

fn unknown(record: &CallRecord, why: &str) -> ToolError {
    let check = if record.executes {
        "look at what the command should have changed before running it again"
    } else if record.tool.starts_with("git_") {
        "git_status and git_diff show what was done"
    } else {
        "read the file and compare before writing again"
    };
    ToolError::new(
        Code::OutcomeUnknown,
        format!("the outcome of this call of `{}` is unknown: {why}", record.tool),
        check,
    )
}
