//! The control plane: `outrigger/*`, never shown to a model.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    ids::call_key,
    journal::{AuditFilter, CallState, JournalError, Trouble, TurnFilter},
    server::{
        Host,
        errands::Refusal,
        jobs, settle, turn_diff,
        undo::{self, Direction, UndoError, UndoParams},
    },
};

/// Why a control request has no result.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// No such method.
    #[error("there is no method `{0}`")]
    UnknownMethod(String),
    /// Its parameters do not fit.
    #[error("the parameters of `{method}` do not fit: {source}")]
    Params {
        /// The method.
        method: String,
        /// Why.
        source: serde_json::Error,
    },
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// It cannot be undone.
    #[error(transparent)]
    Undo(#[from] UndoError),
}

impl ControlError {
    /// The same as a refusal with a name; `None` where the request itself was wrong.
    pub fn refusal(&self) -> Option<Refusal> {
        let (reason, hint) = match self {
            Self::UnknownMethod(_) | Self::Params { .. } | Self::Undo(UndoError::Path(..)) => return None,
            Self::Journal(error) => in_the_way(error, "try again"),
            Self::Undo(UndoError::Journal(error)) => {
                in_the_way(error, "nothing was put back; ask again then")
            }
            Self::Undo(UndoError::Unrecorded(error)) => {
                in_the_way(error, "ask again then: what is done is not done twice")
            }
            Self::Undo(UndoError::Workspace(_) | UndoError::Moved(..)) => (
                "unknown_workspace",
                "nothing was put back; the workspace has to be in the configuration again".to_owned(),
            ),
            Self::Undo(UndoError::ReadOnly(_)) => (
                "read_only",
                "nothing was put back; the administrator can set `read_only = false` for it".to_owned(),
            ),
            Self::Undo(UndoError::Key(_) | UndoError::OtherCall(_)) => {
                ("bad_key", "nothing was put back; a new undo needs a new key".to_owned())
            }
            Self::Undo(UndoError::Running(_)) => ("busy", "ask again in a moment".to_owned()),
        };
        Some(Refusal::new(reason, self.to_string(), hint))
    }
}

/// What keeps the journal from being used, and what helps.
fn in_the_way(error: &JournalError, then: &str) -> (&'static str, String) {
    let (reason, help) = match error.trouble() {
        Trouble::Full => ("disk_full", "free space where the state folder lies"),
        Trouble::NotAllowed => {
            ("permission_denied", "`outrigger doctor` names the state folder, which has to be writable")
        }
        Trouble::Busy => ("busy", "another process holds the journal"),
        Trouble::Damaged => ("damaged", "the damaged file is kept, and a new one is begun"),
        Trouble::Newer => ("internal", "use the newer version, or another `OUTRIGGER_STATE_DIR`"),
        Trouble::Other => ("internal", "`outrigger doctor` looks at the state folder"),
    };
    (reason, format!("{help}; {then}"))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnsParams {
    #[serde(default)]
    session: Option<String>,
    #[serde(default)]
    workspace: Option<String>,
    #[serde(default = "fifty")]
    limit: u32,
    #[serde(rename = "_meta", default)]
    _meta: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DiffParams {
    turn: String,
    #[serde(rename = "_meta", default)]
    _meta: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AuditParams {
    #[serde(default)]
    filter: AuditFilter,
    /// Rows with a number above this one.
    #[serde(default)]
    after: i64,
    #[serde(default = "fifty")]
    limit: u32,
    #[serde(rename = "_meta", default)]
    _meta: Value,
}

fn fifty() -> u32 {
    50
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallParams {
    call: String,
    #[serde(rename = "_meta", default)]
    _meta: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyParams {
    /// Also says where each command's program is, which asks the login shell once.
    #[serde(default)]
    resolve: bool,
    /// Also starts a program that does nothing, as commands are started.
    #[serde(default, rename = "try")]
    try_one: bool,
    #[serde(rename = "_meta", default)]
    _meta: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoParams {
    #[serde(rename = "_meta", default)]
    _meta: Value,
}

/// What answers a method with these parameters.
type Answer = fn(&Host, Params<'_>) -> Result<Value, ControlError>;

/// The method that has to get through whatever the others do.
pub(super) const CANCEL: &str = "outrigger/calls/cancel";

/// Every control method.
const METHODS: [(&str, Answer); 10] = [
    ("outrigger/workspaces/list", |host, params| {
        params.read::<NoParams>()?;
        Ok(workspaces(host))
    }),
    ("outrigger/policy/get", |host, params| Ok(policy(host, &params.read()?))),
    ("outrigger/calls/get", |host, params| get_call(host, &kept(params.read::<CallParams>()?.call))),
    (CANCEL, |host, params| {
        let call = kept(params.read::<CallParams>()?.call);
        let cancelled = host.in_flight.cancel(&call);
        let mut result = get_call(host, &call)?;
        result["cancelled"] = json!(cancelled);
        Ok(result)
    }),
    ("outrigger/jobs/list", |host, params| Ok(jobs::list(host, &params.read()?))),
    ("outrigger/turns/list", |host, params| Ok(turns(host, &params.read()?)?)),
    ("outrigger/turns/diff", |host, params| Ok(turn_diff::of(host, &params.read::<DiffParams>()?.turn)?)),
    ("outrigger/turns/undo", |host, params| Ok(undo(host, Direction::Undo, params.read()?)?)),
    ("outrigger/turns/redo", |host, params| Ok(undo(host, Direction::Redo, params.read()?)?)),
    ("outrigger/audit/query", |host, params| Ok(audit(host, &params.read()?)?)),
];

/// The parameters of a request, and what it asks for.
struct Params<'a> {
    method: &'a str,
    value: Value,
}

impl Params<'_> {
    fn read<T: DeserializeOwned>(self) -> Result<T, ControlError> {
        let method = self.method;
        serde_json::from_value(self.value)
            .map_err(|source| ControlError::Params { method: method.to_owned(), source })
    }
}

fn known(method: &str) -> Option<Answer> {
    METHODS.iter().find(|(name, _)| *name == method).map(|(_, answer)| *answer)
}

/// Whether there is such a control method.
pub fn is_known(method: &str) -> bool {
    known(method).is_some()
}

/// Answers a control request.
pub fn answer(host: &Host, method: &str, value: Value) -> Result<Value, ControlError> {
    let answer = known(method).ok_or_else(|| ControlError::UnknownMethod(method.to_owned()))?;
    let mut result = answer(host, Params { method, value })?;
    result["resultType"] = json!("complete");
    Ok(result)
}

/// Cancels a call that runs here, and answers without the journal; `None` where it does not run, and the journal says more.
pub(super) fn cancel(host: &Host, params: Option<&Value>) -> Option<Value> {
    let call = kept(CallParams::deserialize(params?).ok()?.call);
    let running = json!({"call": call, "state": "running", "cancelled": true, "resultType": "complete"});
    host.in_flight.cancel(&call).then_some(running)
}

/// A key as the journal has it; what is no key is known to nobody.
fn kept(key: String) -> String {
    call_key(&key).unwrap_or(key)
}

/// Every configured workspace, with the default one marked.
pub fn workspaces(host: &Host) -> Value {
    let default = host.default_slot().map(|slot| slot.entry.id.clone());
    let list: Vec<Value> = host
        .slots
        .iter()
        .map(|slot| {
            let standing = slot.standing();
            let mut workspace = json!({
                "id": slot.entry.id,
                "path": slot.entry.path.to_string_lossy(),
                "default": default.as_deref() == Some(slot.entry.id.as_str()),
                "read_only": slot.entry.read_only,
                "available": standing.is_ok(),
            });
            if let Err(reason) = standing {
                workspace["reason"] = json!(reason);
            }
            workspace
        })
        .collect();
    json!({"workspaces": list})
}

fn policy(host: &Host, params: &PolicyParams) -> Value {
    let tiers: serde_json::Map<String, Value> = host
        .offered()
        .map(|tool| {
            (tool.spec().name.to_owned(), json!(host.law.tool_tier(tool.spec().name, tool.spec().tier)))
        })
        .collect();
    let commands: Vec<Value> = host
        .law
        .commands()
        .entries()
        .iter()
        .map(|entry| {
            let mut command = json!({
                "id": entry.id, "summary": entry.summary, "program": entry.program, "tier": entry.tier,
                "own": host.config.places.examples.contains_key(&entry.id),
            });
            if params.resolve {
                match host.processes.resolve_program(&entry.program) {
                    Ok(path) => command["found"] = json!(path.to_string_lossy()),
                    Err(error) => command["missing"] = json!(error.to_string()),
                }
            }
            command
        })
        .collect();
    let mut policy = json!({
        "config_path": host.config.display_path().map(|path| path.to_string_lossy()),
        "blocked": host.law.paths().blocked_globs(),
        "protected": host.law.paths().protected_globs(),
        "tiers": tiers,
        "commands": commands,
    });
    if params.resolve && host.config.exec.enabled {
        // What no command may name is started for `git_sync` and for hooks.
        policy["git"] = match host.processes.resolve_program("git") {
            Ok(path) => json!({"program": "git", "found": path.to_string_lossy()}),
            Err(error) => json!({"program": "git", "missing": error.to_string()}),
        };
    }
    if params.try_one && host.config.exec.enabled {
        policy["trial"] = match host.processes.try_one() {
            Ok(sandbox) => json!({"sandbox": sandbox}),
            Err(error) => json!({"sandbox": "none", "error": error.to_string()}),
        };
    }
    policy
}

fn turns(host: &Host, params: &TurnsParams) -> Result<Value, JournalError> {
    let filter = TurnFilter {
        session: params.session.as_deref(),
        workspace: params.workspace.as_deref(),
        limit: params.limit.min(1000),
    };
    let turns: Vec<Value> = host
        .journal
        .turns(&filter)?
        .into_iter()
        .map(|turn| {
            let state = match (turn.calls, turn.undone + turn.partly_undone) {
                (0, _) => "nothing",
                (calls, _) if calls == turn.undone => "undone",
                (_, 0) => "done",
                _ => "partly",
            };
            let mut value = json!(turn);
            value["state"] = json!(state);
            value
        })
        .collect();
    Ok(json!({"turns": turns}))
}

fn undo(host: &Host, direction: Direction, params: UndoParams) -> Result<Value, UndoError> {
    let params = UndoParams { call: params.call.map(kept), ..params };
    let report = undo::run(&host.journal, direction, &params, |id| {
        host.workspaces.iter().find(|workspace| workspace.id() == id).map(AsRef::as_ref)
    })?;
    Ok(json!(report))
}

fn audit(host: &Host, params: &AuditParams) -> Result<Value, JournalError> {
    let mut rows = Vec::new();
    let mut more = false;
    host.journal.flush()?;
    host.journal.note_cut_off()?;
    host.journal.audit(params.after, |entry| {
        if rows.len() >= params.limit.min(1000) as usize {
            more = true;
            return false;
        }
        if params.filter.takes(&entry.row) {
            rows.push(json!(entry));
        }
        true
    })?;
    Ok(json!({"rows": rows, "more": more}))
}

fn get_call(host: &Host, call: &str) -> Result<Value, ControlError> {
    if host.in_flight.contains(call) {
        return Ok(json!({"call": call, "state": "running"}));
    }
    let record = host.journal.call(call)?;
    // Asked last: of a journal that is replaced in between, what it did not know is not believed.
    let journal = host.journal.identity()?;
    let Some(record) = record else {
        return Ok(json!({"call": call, "state": "unknown", "journal": journal}));
    };
    let state = match record.state {
        CallState::Running => "running",
        CallState::Finished => "finished",
        CallState::Interrupted if record.executes => "outcome_unknown",
        // An interrupted write settles when it is asked again with the same key: from the files, or by a second start.
        CallState::Asked | CallState::Interrupted => "asked",
    };
    let mut answer = json!({"call": call, "state": state, "tool": record.tool, "journal": journal});
    if let Some(finished) = settle::stored_result(&record, &host.jobs) {
        answer["result"] = json!({
            "content": [{"type": "text", "text": finished.text}],
            "structuredContent": finished.whole(),
            "isError": finished.is_error,
        });
    }
    Ok(answer)
}
