//! What the journal and the audit are told of a call.

use std::collections::HashSet;

use serde_json::Value;

use super::{address::path_parameters, did, dispatch::Dispatch};
use crate::{
    change::{Node, PathChange},
    journal::{AuditRow, JournalError, StartedCall, Trouble},
    limits::PATCH_BYTES,
    policy::{Intent, Preview},
    server::{render::Finished, request::Request},
    tier::Tier,
    tools::{Code, ToolError, fs::patched_paths, repair::given},
    workspace::Workspace,
};

/// New files and folders of one call whose permissions are looked at behind it.
const LOOKED_AT: usize = 10_000;
/// Paths that the audit names of one call.
const PATHS_NAMED: usize = 50;

impl Dispatch<'_> {
    /// What the audit says of a call that is over.
    pub(super) fn audit(
        &self,
        intent: Option<&Intent>,
        tier: Tier,
        decision: &str,
        finished: &Finished,
    ) -> AuditRow {
        let request = self.request;
        let asked = tier != Tier::Auto && decision == "allowed";
        let happened = !matches!(decision, "denied" | "refused");
        let mut redaction = self.host.redactor.begin();
        let did = did::of(&request.tool, &request.arguments, finished, &mut redaction);
        let mut without_secrets = |path: &str| redaction.text(path).into_owned();
        let mut named = named_paths(request);
        // What did not happen is told by its paths alone: a patch names them in its text.
        if let Some(intent) = intent.filter(|_| !happened) {
            let given: HashSet<&str> = named.iter().copied().collect();
            let others = intent.changes.iter().map(|change| change.path.as_str());
            let others: Vec<&str> = others.filter(|path| !given.contains(path)).collect();
            named.extend(others);
        }
        // A patch that could not even be prepared, or failed: only its text says what it was about.
        let failed = intent.is_none() || finished.is_error;
        let patched = if named.is_empty() && failed { self.patched() } else { Vec::new() };
        named.extend(patched.iter().map(String::as_str));
        let paths_left = named.len().saturating_sub(PATHS_NAMED) as u64;
        let paths = named.iter().take(PATHS_NAMED).map(|path| without_secrets(path)).collect();
        let changes = intent.filter(|_| happened).map(|intent| self.shown(&intent.changes));
        AuditRow {
            session: request.session.clone(),
            turn: request.turn.clone(),
            call: Some(request.key.clone()),
            workspace: self.workspace.clone(),
            tool: request.tool.clone(),
            digest: self.digest.clone(),
            tier: tier.as_str().to_owned(),
            decision: decision.to_owned(),
            by: match (&request.answered_by, decision) {
                (_, "auto" | "refused") => None,
                (None, _) if request.trust_client => Some("client".to_owned()),
                (by, _) => by.clone().or_else(|| Some("user".to_owned())),
            },
            plan: request.answer.as_ref().filter(|_| asked).map(|answer| answer.digest.clone()),
            outcome: finished.structured["code"].as_str().unwrap_or("ok").to_owned(),
            duration_ms: u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            paths,
            paths_left,
            changes: changes.unwrap_or_default(),
            program: intent.and_then(|intent| match &intent.preview {
                Some(Preview::Command { program, .. }) => Some(program.clone()),
                _ => None,
            }),
            did,
            ..AuditRow::new("call")
        }
    }

    /// The paths that a call names in a patch, each once.
    fn patched(&self) -> Vec<String> {
        let text = given(&self.request.arguments, "patch").and_then(Value::as_str);
        let is_patch = self.tool.spec().name == "fs_apply_patch";
        let text = text.filter(|text| is_patch && text.len() <= PATCH_BYTES);
        let mut known = HashSet::new();
        let mut paths = text.map(patched_paths).unwrap_or_default();
        paths.retain(|path| known.insert(path.clone()));
        paths
    }

    /// Changes as the audit has them: a name may hold a secret.
    pub(super) fn shown(&self, changes: &[PathChange]) -> Vec<PathChange> {
        let mut redaction = self.host.redactor.begin();
        let mut shown = |change: &PathChange| PathChange {
            path: redaction.text(&change.path).into_owned(),
            copied_from: change.copied_from.as_ref().map(|from| redaction.text(from).into_owned()),
            ..change.clone()
        };
        changes.iter().map(&mut shown).collect()
    }

    /// The call as the journal knows it.
    pub(super) fn started<'s>(
        &'s self,
        executes: Option<bool>,
        changes: &'s [PathChange],
    ) -> StartedCall<'s> {
        StartedCall {
            key: &self.request.key,
            session: self.request.session.as_deref(),
            turn: self.request.turn.as_deref(),
            workspace: &self.workspace,
            root: self.host.root_of(&self.workspace),
            tool: self.tool.spec().name,
            digest: &self.digest,
            executes: executes.unwrap_or(false),
            changes,
            evidence: None,
        }
    }
}

/// Those of the announced changes that stand there, after a call that failed.
pub(super) fn made(changes: &[PathChange], workspace: &Workspace) -> Vec<PathChange> {
    let stands = |change: &&PathChange| {
        workspace.node(&change.path).is_ok_and(|now| {
            Node::same(now.as_ref(), change.after.as_ref())
                && !Node::same(now.as_ref(), change.before.as_ref())
        })
    };
    changes.iter().filter(stands).cloned().collect()
}

/// The changes with what is only known behind them; `None` where that is nothing, or too much to look at.
pub(super) fn with_modes(changes: &[PathChange], workspace: &Workspace) -> Option<Vec<PathChange>> {
    let is_new = |change: &&PathChange| change.before.is_none() && change.after.is_some();
    let new = changes.iter().filter(is_new).count();
    (1..=LOOKED_AT)
        .contains(&new)
        .then(|| changes.iter().map(|change| workspace.with_modes(change)).collect())
}

/// The paths that the arguments name, as they were written, under whatever name: it is put right where the call is prepared.
fn named_paths(request: &Request) -> Vec<&str> {
    fn texts(value: &Value) -> Vec<&str> {
        match value {
            Value::String(text) => vec![text],
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }
    let names = path_parameters(&request.tool).iter();
    let mut values: Vec<&Value> = Vec::new();
    for value in names.filter_map(|name| given(&request.arguments, name)) {
        // One name may stand for several parameters.
        if !values.iter().any(|known| std::ptr::eq(*known, value)) {
            values.push(value);
        }
    }
    values.into_iter().flat_map(texts).collect()
}

/// A rule or a border said no, not the state of a file.
pub(super) fn is_refusal(code: Code) -> bool {
    matches!(
        code,
        Code::BlockedPath
            | Code::OutsideWorkspace
            | Code::ProtectedPath
            | Code::PermissionDenied
            | Code::CommandNotAllowed
            | Code::ArgumentNotAllowed
            | Code::ApprovalUnavailable
    )
}

/// The same call with the same key has this answer for good. What says "again", or is a fault of ours, has not ended the call.
pub(super) fn is_final(code: Code) -> bool {
    !matches!(
        code,
        Code::Busy
            | Code::Timeout
            | Code::IdleTimeout
            | Code::Cancelled
            | Code::ApprovalStale
            | Code::OutcomeUnknown
            | Code::DiskFull
            | Code::Internal
    )
}

/// Without its journal a call that changes something does not run.
pub(super) fn journal_error(error: JournalError) -> ToolError {
    tracing::error!(%error, "the journal cannot be used");
    let (code, hint) = match error.trouble() {
        Trouble::Full => {
            (Code::DiskFull, "nothing was changed; the user has to free space where the state folder lies")
        }
        Trouble::NotAllowed => (
            Code::PermissionDenied,
            "nothing was changed; `outrigger doctor` names the state folder, which has to be writable",
        ),
        Trouble::Busy => (Code::Busy, "nothing was changed; try again in a moment"),
        Trouble::Damaged => {
            (Code::Busy, "nothing was changed; try again, and tell the user about the damaged file")
        }
        Trouble::Newer => (
            Code::Internal,
            "nothing was changed; the user has to use the newer version, or another `OUTRIGGER_STATE_DIR`",
        ),
        Trouble::Other => {
            (Code::Internal, "check the state folder's space and permissions; `outrigger doctor` names it")
        }
    };
    ToolError::new(code, format!("the call was not run: {error}"), hint)
}
