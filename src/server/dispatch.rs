//! One call, there and back: look the key up, prepare, judge, record, run, record.
//!
//! Runs on a blocking thread; nothing in here awaits.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Instant,
};

use serde_json::Value;

use crate::{
    cancel::Cancel,
    journal::{FileStep, JournalError, Recorded, StartedCall},
    policy::{Answer, Effect, Intent, Node, PathChange, Permit, Plan, Question, Verdict, judge},
    server::{
        approval,
        host::Host,
        part,
        render::{self, Finished},
        request::Request,
        settle::{self, Known},
    },
    tier::Tier,
    tools::{AnyPrepared, AnyTool, Call, Code, Sink, ToolError},
    workspace::Workspace,
};

/// Calls that write to a workspace run one after the other. A command is not held up: it may run for half an hour, and what it
/// writes is not ours to order.
pub fn orders_writes(tool: &dyn AnyTool) -> bool {
    let annotations = tool.spec().annotations;
    !annotations.read_only && !annotations.open_world
}

/// How a call ends, for now.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// With a result, good or bad.
    Done(Finished),
    /// With a question.
    Ask(Box<Plan>),
}

/// Runs one call.
pub fn run(
    host: &Host,
    tool: &'static dyn AnyTool,
    request: &Request,
    cancel: Cancel,
    sink: Arc<dyn Sink>,
) -> Outcome {
    let began = Instant::now();
    let tier = host.law.tool_tier(tool.spec().name, tool.spec().tier);
    let dispatch = Dispatch { host, tool, request, digest: request.digest(), began };
    match catch_unwind(AssertUnwindSafe(|| dispatch.run(cancel, sink))) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => Outcome::Done(render::failure(&error, tier, began.elapsed())),
        Err(_panic) => {
            // The panic hook has written place and message to the log.
            tracing::error!(tool = tool.spec().name, "a call panicked");
            let error = ToolError::internal(format!("{} failed unexpectedly", tool.spec().name));
            let finished = render::failure(&error, tier, began.elapsed());
            if !tool.spec().annotations.read_only {
                let _ = host.journal.finished(&dispatch.started(None, &[]), &stored(&finished));
            }
            Outcome::Done(finished)
        }
    }
}

/// Runs a call that reads and certainly ends at once, on the thread that received it. `None`: it is no such call, or there is more
/// to say about it than its result, and nothing has happened.
pub fn run_brief(
    host: &Host,
    tool: &'static dyn AnyTool,
    request: &Request,
    sink: Arc<dyn Sink>,
) -> Option<Outcome> {
    let dispatch = Dispatch { host, tool, request, digest: String::new(), began: Instant::now() };
    catch_unwind(AssertUnwindSafe(|| dispatch.run_brief(sink))).ok().flatten().map(Outcome::Done)
}

struct Dispatch<'a> {
    host: &'a Host,
    tool: &'static dyn AnyTool,
    request: &'a Request,
    digest: String,
    began: Instant,
}

impl Dispatch<'_> {
    fn run(&self, cancel: Cancel, sink: Arc<dyn Sink>) -> Result<Outcome, ToolError> {
        let Self { host, tool, request, .. } = self;
        let workspace = host.workspace(request.workspace.as_deref())?;
        let reads = tool.spec().annotations.read_only;
        let mut start_again = false;
        if !reads {
            match settle::look_up(&host.journal, &request.key, &self.digest, *tool, &workspace)
                .map_err(journal_error)?
            {
                Known::New => {}
                Known::StartAgain => start_again = true,
                Known::Finished(finished) => return Ok(Outcome::Done(finished)),
                Known::Failed(error) => return Err(error),
            }
        }
        let call = self.call(&workspace, cancel, sink);
        call.check_cancelled()?;
        let prepared = tool.prepare(request.arguments.clone(), &call)?;
        let expires_at = approval::expires_at();
        let root = workspace.root().to_string_lossy();
        let question = self.question(&workspace, &root, &prepared.intent, &expires_at);
        let mut verdict = judge(&host.law, question, request.answer.as_ref());
        if let Verdict::Ask(plan) = &verdict
            && request.trust_client
            && plan.tier == Tier::Batch
        {
            verdict = judge(&host.law, question, Some(&Answer::allow(&plan.digest)));
        }
        match verdict {
            Verdict::Run(permit) => {
                let (prepared, told) = part::chosen(prepared, request.answer.as_ref())?;
                self.permitted(&permit, prepared, &told, &call, start_again).map(Outcome::Done)
            }
            Verdict::Refuse(refusal) => {
                let error = ToolError::from(refusal);
                let finished = render::failure(&error, self.tier(&prepared.intent), self.began.elapsed());
                if !reads {
                    // A denial is a finished call too: the same call does not come back as a question.
                    host.journal
                        .finished(&self.started(None, &[]), &stored(&finished))
                        .map_err(journal_error)?;
                }
                Ok(Outcome::Done(finished))
            }
            Verdict::Ask(plan) => {
                host.journal.asked(&self.started(None, &[])).map_err(journal_error)?;
                Ok(Outcome::Ask(plan))
            }
        }
    }

    fn run_brief(&self, sink: Arc<dyn Sink>) -> Option<Finished> {
        let Self { host, tool, request, .. } = self;
        let workspace = host.workspace(request.workspace.as_deref()).ok()?;
        let call = self.call(&workspace, host.root.clone(), sink);
        let prepared = tool.prepare(request.arguments.clone(), &call).ok()?;
        if !tool.spec().annotations.read_only || !prepared.is_brief(&call) {
            return None;
        }
        let root = workspace.root().to_string_lossy();
        match judge(&host.law, self.question(&workspace, &root, &prepared.intent, ""), None) {
            Verdict::Run(permit) => Some(self.render(permit.tier(), prepared.run(&permit, &call))),
            Verdict::Ask(_) | Verdict::Refuse(_) => None,
        }
    }

    fn question<'q>(
        &'q self,
        workspace: &'q Workspace,
        root: &'q str,
        intent: &'q Intent,
        expires_at: &'q str,
    ) -> Question<'q> {
        Question {
            tool: self.tool.spec().name,
            base_tier: self.tool.spec().tier,
            arguments: &self.request.arguments,
            workspace: workspace.id(),
            workspace_root: root,
            read_only: workspace.read_only(),
            mode: self.request.mode,
            intent,
            expires_at,
        }
    }

    fn permitted(
        &self,
        permit: &Permit,
        prepared: AnyPrepared,
        told: &[String],
        call: &Call,
        start_again: bool,
    ) -> Result<Finished, ToolError> {
        let Self { host, tool, .. } = self;
        call.check_cancelled()?;
        if tool.spec().annotations.read_only {
            return Ok(self.render(permit.tier(), prepared.run(permit, call)));
        }
        let files = file_steps(&prepared.intent);
        let executes = prepared.intent.effect == Effect::Execute;
        let started = self.started(Some(executes), &files);
        match host.journal.started(&started, start_again).map_err(journal_error)? {
            Recorded::Now => {}
            Recorded::Elsewhere => {
                return Err(ToolError::new(
                    Code::Busy,
                    "this call was just started by another host process",
                    "ask again in a moment",
                ));
            }
        }
        let result = prepared.run(permit, call).map(|reply| reply.with_warnings(told));
        let finished = self.render(permit.tier(), result);
        host.journal.finished(&started, &stored(&finished)).map_err(journal_error)?;
        Ok(finished)
    }

    fn render(&self, tier: Tier, result: Result<crate::tools::Reply<Value>, ToolError>) -> Finished {
        match result {
            Ok(reply) => render::success(reply, tier, self.began.elapsed()),
            Err(error) => render::failure(&error, tier, self.began.elapsed()),
        }
    }

    fn tier(&self, intent: &Intent) -> Tier {
        self.host.law.effective_tier(self.tool.spec().name, self.tool.spec().tier, intent).0
    }

    fn started<'s>(&'s self, executes: Option<bool>, files: &'s [FileStep]) -> StartedCall<'s> {
        StartedCall {
            key: &self.request.key,
            session: self.request.session.as_deref(),
            turn: self.request.turn.as_deref(),
            workspace: self.request.workspace.as_deref().unwrap_or(""),
            tool: self.tool.spec().name,
            digest: &self.digest,
            executes: executes.unwrap_or(false),
            files,
        }
    }

    fn call(&self, workspace: &Arc<Workspace>, cancel: Cancel, sink: Arc<dyn Sink>) -> Call {
        Call {
            workspace: Arc::clone(workspace),
            workspaces: Arc::clone(&self.host.workspaces),
            law: Arc::clone(&self.host.law),
            config: Arc::clone(&self.host.config),
            processes: Arc::clone(&self.host.processes),
            cancel,
            sink,
            mode: self.request.mode,
        }
    }
}

fn file_steps(intent: &Intent) -> Vec<FileStep> {
    let etag = |node: &Option<Node>| match node {
        Some(Node::File { etag, .. }) => Some(etag.as_str().to_owned()),
        _ => None,
    };
    let step = |change: &PathChange| FileStep {
        path: change.path.clone(),
        before: etag(&change.before),
        after: etag(&change.after),
    };
    intent.changes.iter().map(step).collect()
}

fn stored(finished: &Finished) -> Value {
    serde_json::to_value(finished).unwrap_or_default()
}

/// Without its journal a call that changes something does not run.
fn journal_error(error: JournalError) -> ToolError {
    tracing::error!(%error, "the journal cannot be used");
    ToolError::new(
        Code::Internal,
        format!("the call was not run: {error}"),
        "check the state folder's space and permissions; `outrigger doctor` names it",
    )
}
