//! One call, there and back: look the key up, prepare, judge, record, run, record.
//!
//! Runs on a blocking thread; nothing in here awaits.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Instant,
};

use crate::{
    cancel::Cancel,
    journal::{AuditRow, Recorded, StartedCall},
    policy::{Intent, Permit, Plan, Question, Verdict, judge},
    server::{
        address,
        host::Host,
        judged::Judged,
        part,
        place::Place,
        records::{is_final, is_refusal, journal_error, made, with_modes},
        render::{self, Finished},
        request::Request,
        settle::{self, Known},
        undo,
    },
    tier::Tier,
    tools::{AnyPrepared, AnyReply, AnyTool, Call, Code, Sink, ToolError, git, redacted},
    workspace::{LOCAL_FILE, Workspace},
};

/// Calls that write to a workspace run one after the other. A command is not held up: it may run for half an hour, and what it
/// writes is not ours to order.
pub fn orders_writes(tool: &dyn AnyTool) -> bool {
    let annotations = tool.spec().annotations;
    // What never asks and is no read changes no files: it ends a job, and must not wait for a commit to end.
    !annotations.read_only && !annotations.open_world && tool.spec().tier != Tier::Auto
}

/// So do those of several hosts. What changes a repository has git's own locks, which say who holds them, and may wait for hooks.
pub fn waits_for_other_hosts(tool: &dyn AnyTool) -> bool {
    !tool.spec().name.starts_with("git_")
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
    host: &Arc<Host>,
    tool: &'static dyn AnyTool,
    request: &Request,
    cancel: Cancel,
    sink: Arc<dyn Sink>,
) -> Outcome {
    let began = Instant::now();
    let tier = host.law.tool_tier(tool.spec().name, tool.spec().tier);
    let dispatch = Dispatch {
        host,
        tool,
        request,
        digest: request.digest(),
        workspace: host.workspace_id(request),
        began,
    };
    let stop = cancel.clone();
    match catch_unwind(AssertUnwindSafe(|| dispatch.run(cancel, sink))) {
        Ok(Ok(outcome)) => outcome,
        // Who stopped it does not want it to be done when its key comes again.
        Ok(Err(error))
            if error.code == Code::Cancelled && stop.is_for_good() && !tool.spec().annotations.read_only =>
        {
            Outcome::Done(dispatch.not_prepared(error).unwrap_or_else(|Elsewhere| {
                dispatch.ended_early(ToolError::cancelled("it goes on in another host process"))
            }))
        }
        Ok(Err(error)) => Outcome::Done(dispatch.ended_early(error)),
        Err(_panic) => {
            // The panic hook has written place and message to the log.
            tracing::error!(tool = tool.spec().name, "a call panicked");
            let error = ToolError::internal(format!("{} failed unexpectedly", tool.spec().name));
            let finished = dispatch.noted(render::failure(&error, tier, began.elapsed()));
            if !tool.spec().annotations.read_only {
                let audit = dispatch.audit(None, tier, "", &finished);
                let _ = host.journal.finished(&dispatch.started(None, &[]), &finished.stored(), None, &audit);
            }
            Outcome::Done(finished)
        }
    }
}

/// Runs a call that reads and certainly ends at once, on the thread that received it. `None`: it is no such call, or there is more
/// to say about it than its result, and nothing has happened.
pub fn run_brief(
    host: &Arc<Host>,
    tool: &'static dyn AnyTool,
    request: &Request,
    sink: Arc<dyn Sink>,
) -> Option<Outcome> {
    let workspace = host.workspace_id(request);
    let dispatch = Dispatch { host, tool, request, digest: String::new(), workspace, began: Instant::now() };
    catch_unwind(AssertUnwindSafe(|| dispatch.run_brief(sink))).ok().flatten().map(Outcome::Done)
}

/// Takes note of a call that nobody could be asked about.
pub(super) fn unasked(
    host: &Arc<Host>,
    tool: &'static dyn AnyTool,
    request: &Request,
    finished: &Finished,
    tier: Tier,
) {
    let workspace = host.workspace_id(request);
    let dispatch =
        Dispatch { host, tool, request, digest: request.digest(), workspace, began: Instant::now() };
    host.note(dispatch.audit(None, tier, "refused", finished));
}

pub(super) struct Dispatch<'a> {
    pub(super) host: &'a Arc<Host>,
    pub(super) tool: &'static dyn AnyTool,
    pub(super) request: &'a Request,
    pub(super) digest: String,
    pub(super) workspace: String,
    pub(super) began: Instant,
}

/// The call is another host process's: it has started it meanwhile.
struct Elsewhere;

/// What the audit says of a call that was done.
fn decision(tier: Tier) -> &'static str {
    if tier == Tier::Auto { "auto" } else { "allowed" }
}

impl Dispatch<'_> {
    fn run(&self, cancel: Cancel, sink: Arc<dyn Sink>) -> Result<Outcome, ToolError> {
        let Self { host, tool, request, .. } = self;
        let place = self.place()?;
        let reads = tool.spec().annotations.read_only;
        let call = self.call(&place, cancel, sink)?;
        let mut start_again = false;
        if !reads {
            match settle::look_up(&host.journal, &request.key, &self.digest, *tool, &call)
                .map_err(journal_error)?
            {
                Known::New => {}
                Known::StartAgain => start_again = true,
                Known::Finished(finished) => return Ok(Outcome::Done(finished)),
                Known::Settled(finished) => return self.settled(finished),
                Known::Happened(reply) => {
                    let finished = self.render(tool.spec().tier, Ok(*reply));
                    return self.settled(Finished { replayed: true, ..finished });
                }
                Known::Failed(error) => return Err(error),
            }
        }
        call.check_cancelled()?;
        let judged = git::on_one_thread(*tool, &call, || self.judged(&place, &call))?;
        let (prepared, verdict) = match judged {
            Judged::Ran { tier, intent, result } => {
                let finished = self.render(tier, saying_what_is_denied(*result, &call));
                host.note(self.audit(Some(&intent), tier, decision(tier), &finished));
                return Ok(Outcome::Done(finished));
            }
            Judged::NotPrepared(error) if reads || !is_final(error.code) => return Err(error),
            // What the same call has just done in another process may be all that keeps it from being done here.
            Judged::NotPrepared(error) => {
                return self.not_prepared(error).or_else(|Elsewhere| self.joined(&call)).map(Outcome::Done);
            }
            Judged::Decided(prepared, verdict) => (*prepared, verdict),
        };
        match verdict {
            Verdict::Run(permit) => {
                let (prepared, told) = part::chosen(prepared, request.answer.as_ref())?;
                self.permitted(&permit, prepared, &told, &call, start_again).map(Outcome::Done)
            }
            Verdict::Refuse(refusal) => {
                let error = ToolError::from(refusal).with_notes(prepared.notes());
                let tier = self.tier(&place, &prepared.intent);
                let finished = self.noted(render::failure(&error, tier, self.began.elapsed()));
                let decision =
                    if finished.structured["code"] == "approval_denied" { "denied" } else { "refused" };
                let audit = self.audit(Some(&prepared.intent), tier, decision, &finished);
                if reads {
                    host.note(audit);
                } else {
                    // A denial is a finished call too: the same call does not come back as a question.
                    let started = self.started(None, &[]);
                    let recorded = host.journal.finished(&started, &finished.stored(), Some(&[]), &audit);
                    if recorded.map_err(journal_error)? == Recorded::Elsewhere {
                        return self.joined(&call).map(Outcome::Done);
                    }
                }
                Ok(Outcome::Done(finished))
            }
            Verdict::Ask(plan) => {
                host.journal.asked(&self.started(None, &[])).map_err(journal_error)?;
                Ok(Outcome::Ask(plan))
            }
        }
    }

    /// A call that an earlier host did and could not record.
    fn settled(&self, finished: Finished) -> Result<Outcome, ToolError> {
        let audit = self.audit(None, self.tool.spec().tier, "allowed", &finished);
        let started = self.started(None, &[]);
        self.host.journal.finished(&started, &finished.stored(), None, &audit).map_err(journal_error)?;
        Ok(Outcome::Done(finished))
    }

    pub(super) fn prepare(&self, place: &Place, call: &Call) -> Result<AnyPrepared, ToolError> {
        self.check_offered(place)?;
        redacted::check(self.tool.spec().name, &self.request.arguments)?;
        self.tool.prepare(self.request.arguments.clone(), call)
    }

    /// A call that would have changed something, and cannot be done as it is: finished, so that its key never does it later.
    fn not_prepared(&self, error: ToolError) -> Result<Finished, Elsewhere> {
        let (finished, audit) = self.failure(error);
        let (started, journal) = (self.started(None, &[]), &self.host.journal);
        match journal.finished(&started, &finished.stored(), Some(&[]), &audit) {
            Ok(Recorded::Now) => {}
            Ok(Recorded::Elsewhere) => return Err(Elsewhere),
            // Nothing was to be done; the row of the audit waits until it can be written.
            Err(error) => tracing::error!(%error, "a refused call could not be recorded"),
        }
        Ok(finished)
    }

    /// A call that ended before anything could be decided about it: the audit has it, its key may be asked again.
    fn ended_early(&self, error: ToolError) -> Finished {
        let goes_on = error.code == Code::Busy;
        let is_unknown = error.code == Code::OutcomeUnknown;
        let (finished, audit) = self.failure(error);
        // What became of a call is said once, however often somebody asks.
        let is_said = is_unknown && self.host.journal.has_row(&self.request.key, &audit.outcome);
        if !goes_on && !is_said {
            self.host.note(audit);
        }
        finished
    }

    fn failure(&self, error: ToolError) -> (Finished, AuditRow) {
        let tier = self.host.law.tool_tier(self.tool.spec().name, self.tool.spec().tier);
        let decision = match &self.request.answer {
            _ if is_refusal(error.code) => "refused",
            Some(_) => "allowed",
            None => "auto",
        };
        let error = address::name_back_in(error, self.request);
        let error = render::redact_error(error, &self.host.redactor);
        let finished = self.noted(render::failure(&error, tier, self.began.elapsed()));
        let audit = self.audit(None, tier, decision, &finished);
        (finished, audit)
    }

    fn run_brief(&self, sink: Arc<dyn Sink>) -> Option<Finished> {
        let Self { host, tool, request, .. } = self;
        let place = self.place().ok()?;
        self.check_offered(&place).ok()?;
        let workspace = &place.workspace;
        let call = self.call(&place, host.root.clone(), sink).ok()?;
        let prepared = tool.prepare(request.arguments.clone(), &call).ok()?;
        if !tool.spec().annotations.read_only || !prepared.is_brief(&call) {
            return None;
        }
        let root = workspace.root().to_string_lossy();
        match judge(&place.law, self.question(workspace, &root, &prepared.intent, ""), None) {
            Verdict::Run(permit) => {
                let finished =
                    self.render(permit.tier(), saying_what_is_denied(prepared.run(&permit, &call), &call));
                host.note(self.audit(None, permit.tier(), "auto", &finished));
                Some(finished)
            }
            Verdict::Ask(_) | Verdict::Refuse(_) => None,
        }
    }

    /// Where the call happens, without what the rules of its user keep from it.
    fn place(&self) -> Result<Place, ToolError> {
        let place = self.host.place(self.request.workspace.as_deref()).or_else(|error| {
            let stand_in = self.tool.tells_of_workspaces().then(|| self.host.stand_in(&self.workspace));
            stand_in.flatten().ok_or(error)
        });
        self.under_the_users_rules(place?)
    }

    fn under_the_users_rules(&self, place: Place) -> Result<Place, ToolError> {
        let workspace = under_the_users_rules(self.host, self.request, &place.workspace)?;
        Ok(Place { workspace, ..place })
    }

    pub(super) fn question<'q>(
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
            closed_by: workspace.closed_by(),
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
        let Self { host, .. } = self;
        call.check_cancelled()?;
        let intent = prepared.intent.clone();
        let executes = intent.effect.executes();
        let evidence = prepared.evidence();
        let started =
            StartedCall { evidence: evidence.as_ref(), ..self.started(Some(executes), &intent.changes) };
        if !call.cancel.begin_effects() {
            return Err(ToolError::cancelled("nothing was changed"));
        }
        let undo::Images { images, unread, .. } =
            undo::images(&host.journal, &call.workspace, &intent.changes).map_err(journal_error)?;
        if let Some(error) = unread {
            let mut error = ToolError::from(error);
            error.message = format!("{}; nothing was changed, since it could not be undone", error.message);
            return Err(error);
        }
        if host.journal.started(&started, &images, start_again).map_err(journal_error)? == Recorded::Elsewhere
        {
            return self.joined(call);
        }
        drop(images);
        let result = prepared.run(permit, call).map(|reply| reply.with_warnings(told));
        let result = saying_what_is_denied(result, call);
        let made = match &result {
            Ok(_) => with_modes(&intent.changes, &call.workspace),
            Err(_) => Some(made(&intent.changes, &call.workspace)),
        };
        let finished = self.render(permit.tier(), result);
        let mut audit = self.audit(Some(&intent), permit.tier(), decision(permit.tier()), &finished);
        if let Some(made) = made.as_ref().filter(|_| finished.is_error) {
            audit.changes = self.shown(made);
        }
        let mut finished = finished;
        if let Err(error) = host.journal.finished(&started, &finished.stored(), made.as_deref(), &audit) {
            // What happened has happened; to call it "not run" would make somebody do it twice.
            tracing::error!(%error, "the end of a call could not be recorded");
            finished.warn(&format!(
                "the journal could not record how this call ended, and will be told later: {error}"
            ));
        }
        for notice in host.journal.take_notices() {
            finished.warn(&format!("{notice}; what was done before cannot be undone here"));
        }
        Ok(finished)
    }

    /// Another host process has started the same call between our look and now.
    fn joined(&self, call: &Call) -> Result<Finished, ToolError> {
        let Self { host, tool, request, digest, .. } = self;
        match settle::look_up(&host.journal, &request.key, digest, *tool, call).map_err(journal_error)? {
            Known::Finished(finished) => Ok(finished),
            Known::Failed(error) => Err(error),
            // Its host has just died; who asks again has it settled.
            _ => Err(ToolError::new(
                Code::Busy,
                "this call was just started by another host process",
                "ask again in a moment",
            )),
        }
    }

    fn render(&self, tier: Tier, result: Result<AnyReply, ToolError>) -> Finished {
        let redactor = &self.host.redactor;
        let named = result.map(|reply| address::name_back(reply, self.request));
        let told = named.and_then(|reply| render::success(reply, redactor, tier, self.began.elapsed()));
        self.noted(told.unwrap_or_else(|error| {
            let error = address::name_back_in(error, self.request);
            render::failure(&render::redact_error(error, redactor), tier, self.began.elapsed())
        }))
    }

    /// Counts a failure that comes again and again, before it is recorded: whoever asks for the call once more gets the same words.
    fn noted(&self, mut finished: Finished) -> Finished {
        // What ended at once, on the thread that received it, is counted by nobody.
        if !self.digest.is_empty() {
            self.host.repeats.note(&self.digest, &mut finished);
        }
        finished
    }

    fn tier(&self, place: &Place, intent: &Intent) -> Tier {
        place.law.effective_tier(self.tool.spec().name, self.tool.spec().tier, intent).0
    }

    /// A workspace's own file may offer fewer tools than the connection.
    fn check_offered(&self, place: &Place) -> Result<(), ToolError> {
        if self.tool.spec().profile <= place.law.profile() {
            return Ok(());
        }
        Err(ToolError::new(
            Code::PermissionDenied,
            format!("`{}` is not offered in the workspace `{}`", self.tool.spec().name, place.workspace.id()),
            format!("`tools.profile` in its {LOCAL_FILE} says so"),
        ))
    }

    fn call(&self, place: &Place, cancel: Cancel, sink: Arc<dyn Sink>) -> Result<Call, ToolError> {
        let own = &place.workspace;
        // In another workspace the user's rules hold as well.
        let under_rules = |other: Place| {
            if other.workspace.id() == own.id() {
                return Ok(Arc::clone(own));
            }
            self.under_the_users_rules(other).map(|place| place.workspace)
        };
        let workspaces = match self.host.slots.len() {
            1 => vec![Arc::clone(own)],
            _ => self.host.places().into_iter().map(under_rules).collect::<Result<_, _>>()?,
        };
        let unavailable =
            if self.tool.tells_of_workspaces() { self.host.unavailable(&self.workspace) } else { Vec::new() };
        Ok(Call {
            workspace: Arc::clone(&place.workspace),
            workspaces: Arc::new(workspaces),
            beside: Arc::new(self.host.places_beside().into_iter().map(|place| place.workspace).collect()),
            unavailable,
            law: Arc::clone(&place.law),
            config: Arc::clone(&self.host.config),
            processes: Arc::clone(&self.host.processes),
            handles: Arc::clone(&self.host.handles),
            jobs: Arc::clone(&self.host.jobs),
            cancel,
            sink,
            mode: self.request.mode,
            redactor: self.host.redactor.clone(),
            image_room: self.host.journal.image_room(),
        })
    }
}

/// The workspace without what the rules of the client's user keep from this request.
pub(super) fn under_the_users_rules(
    host: &Host,
    request: &Request,
    workspace: &Arc<Workspace>,
) -> Result<Arc<Workspace>, ToolError> {
    let compiled = |id: &str| {
        host.denied.compiled(request.denied_in(id)).map_err(|error| {
            ToolError::new(
                Code::InvalidArgs,
                format!("a rule of the user cannot be kept: {error}"),
                "nothing was done; the user has to mend the rule",
            )
        })
    };
    let own = compiled(workspace.id())?;
    let mut theirs = Vec::new();
    for id in workspace.rules().neighbours() {
        theirs.extend(compiled(id)?.map(|paths| (id.to_owned(), paths)));
    }
    if own.is_none() && theirs.is_empty() {
        return Ok(Arc::clone(workspace));
    }
    Ok(Arc::new(workspace.denying(own, &theirs)))
}

/// A model must know that what it was not shown is there, and whose word keeps it away.
fn saying_what_is_denied(result: Result<AnyReply, ToolError>, call: &Call) -> Result<AnyReply, ToolError> {
    if !call.workspace.rules().has_denied() {
        return result;
    }
    let words = "rules of the user keep some paths from this call; they count as blocked. Do not try to get at them by other means";
    result.map(|reply| reply.with_warnings(&[words.to_owned()]))
}
