//! How a client is asked for a person's approval: in the way of its revision of MCP.

use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolResponse, ClientResult, ElicitRequest, ElicitRequestParams, ElicitationAction, InputRequest,
        InputRequests, InputRequiredResult, MetaObject, ServerRequest,
    },
    service::{PeerRequestOptions, RequestContext, ServiceError},
};
use serde_json::{Value, json};

use super::{
    approval::{QUESTION, decide},
    dispatch::{self, Outcome},
    handler::{Server, complete, reads_links},
    host::Host,
    live::LiveSink,
    render::{self, Finished},
    request::{META, Request},
};
use crate::{
    limits::NAME_SHOWN_BYTES,
    policy::{Answer, Decision, Plan},
    room::Weight,
    text::{UNREADABLE, excerpt},
    tier::Tier,
    tools::{AnyTool, Code, NAMED_SECRET, Sink as _, ToolError},
};

/// How often a plan may go stale while one call of an older client waits, before the call gives up.
const STALE_ROUNDS: usize = 3;

/// Why it does.
const STALE: &str = "what would happen changed each time it was asked: something else changed the same files, or the repository, meanwhile";

/// How a person can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asking {
    /// By `input_required`.
    Modern,
    /// By `elicitation/create`.
    Legacy,
    /// Not at all.
    Impossible,
}

impl Server {
    pub(super) fn asking(&self, context: &RequestContext<RoleServer>) -> Asking {
        let modern = context.protocol_version().is_some_and(|version| !version.has_initialize());
        if self.host.said_hello() && modern {
            return Asking::Modern;
        }
        let form =
            context.client_capabilities().and_then(|capabilities| capabilities.elicitation).is_some_and(
                // Neither named means form: that is what clients of 2025-06-18 declare.
                |elicitation| elicitation.form.is_some() || elicitation.url.is_none(),
            );
        match (form, modern) {
            (false, _) => Asking::Impossible,
            (true, true) => Asking::Modern,
            (true, false) => Asking::Legacy,
        }
    }

    /// Asks by `elicitation/create` and runs the call again with the answer.
    pub(super) async fn ask_legacy(
        &self,
        tool: &'static dyn AnyTool,
        mut request: Request,
        context: &RequestContext<RoleServer>,
        mut plan: Box<Plan>,
    ) -> Result<CallToolResponse, ErrorData> {
        let weight = context.extensions.get::<Weight>().copied().unwrap_or_default().0;
        for _ in 0..STALE_ROUNDS {
            let Some(open) = self.questions.open(weight) else {
                let many = "too many questions to this client wait for their answers";
                let later = "nothing was done; ask again when some of them are answered, and for fewer things at once";
                return Ok(complete(&unavailable(&self.host, tool, &request, &plan, many, later), false));
            };
            let question = question(&plan)?;
            // A client that gives up on what it hears nothing of would do so while its person reads.
            let (sink, teller) = LiveSink::start(self.audience(context, None));
            sink.progress(0, None, "waits for an answer to its question");
            let result = asked(context, question).await;
            sink.end();
            let _ = teller.await;
            drop(open);
            let (decision, note) = match &result {
                Ok(None) => return Err(ErrorData::internal_error("the request was cancelled", None)),
                Ok(Some(result)) => decide(Some(result)),
                // It says that it cannot: nobody has seen the question, and nobody has denied.
                Err(ServiceError::McpError(error)) if error.message != UNREADABLE => {
                    tracing::warn!(%error, "the client answered a question with an error");
                    let reason = excerpt(&error.message, NAME_SHOWN_BYTES);
                    let cannot = format!("this client answered the question with an error ({reason})");
                    return Ok(complete(
                        &unavailable(&self.host, tool, &request, &plan, &cannot, ANOTHER_WAY),
                        false,
                    ));
                }
                Err(error) => {
                    tracing::warn!(%error, "the client could not be asked");
                    (Decision::Deny, Some("the client could not show the question".to_owned()))
                }
            };
            request.answer = Some(Answer { decision, note, ..Answer::allow(&plan.digest) });
            match &*self.now().perform(tool, &request, context).await {
                Outcome::Done(finished) => return Ok(complete(finished, reads_links(context))),
                Outcome::Ask(fresh) => plan.clone_from(fresh),
            }
        }
        let error = ToolError::new(
            Code::ApprovalStale,
            STALE,
            "nothing was done; calls that change the same files, or the same repository, go one after the other, each when the one \
             before has its answer, or as one call: git_add takes several paths",
        );
        let finished = render::failure(&error, plan.tier, Duration::ZERO);
        dispatch::unasked(&self.host, tool, &request, &finished, plan.tier);
        Ok(complete(&finished, false))
    }

    pub(super) fn ask_modern(&self, request: &Request, plan: &Plan) -> Result<CallToolResponse, ErrorData> {
        let mut questions = InputRequests::new();
        questions.insert(QUESTION.to_owned(), InputRequest::Elicitation(ElicitRequest::new(question(plan)?)));
        let state = self.host.approvals.seal(plan, &request.binding());
        let mut meta = MetaObject::new();
        meta.insert(format!("{META}plan"), json!(plan));
        Ok(InputRequiredResult::new(Some(questions), Some(state)).with_meta(meta).into())
    }
}

/// The answer to a question; `None` when the request that needs it is cancelled: then the question is taken back, and nobody waits.
async fn asked(
    context: &RequestContext<RoleServer>,
    question: ElicitRequestParams,
) -> Result<Option<Value>, ServiceError> {
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(question));
    let mut asked = context.peer.send_cancellable_request(request, PeerRequestOptions::default()).await?;
    let answer = tokio::select! {
        answer = &mut asked.rx => answer,
        () = context.ct.cancelled() => {
            let _ = asked.cancel(Some("the call it was for was cancelled".to_owned())).await;
            return Ok(None);
        }
    };
    match answer.map_err(|_| ServiceError::TransportClosed)?? {
        ClientResult::ElicitResult(result) => {
            Ok(Some(json!({"action": action(&result.action), "content": result.content})))
        }
        _ => Err(ServiceError::UnexpectedResponse),
    }
}

/// What such a client cannot do: be asked.
pub(super) const CANNOT_ASK: &str = "this client cannot ask";

/// What helps where a client never can.
pub(super) const ANOTHER_WAY: &str =
    "use a client with MCP elicitation, or let the administrator set `[mcp] approvals` or the tool's tier";

pub(super) fn unavailable(
    host: &Arc<Host>,
    tool: &'static dyn AnyTool,
    request: &Request,
    plan: &Plan,
    cannot: &str,
    hint: &str,
) -> Finished {
    let error = ToolError::new(
        Code::ApprovalUnavailable,
        match plan.reasons.iter().find(|reason| reason.ends_with(NAMED_SECRET)) {
            // The same words whatever stands in the file.
            Some(reason) => format!("this needs the user's approval ({reason}), and {cannot}"),
            None => format!(
                "this needs the user's approval ({}), and {cannot}: {}",
                plan.reasons.join("; "),
                plan.summary
            ),
        },
        hint,
    );
    let tier = if plan.tier == Tier::Auto { Tier::Batch } else { plan.tier };
    let finished = render::failure(&error, tier, Duration::ZERO);
    dispatch::unasked(host, tool, request, &finished, tier);
    finished
}

fn action(action: &ElicitationAction) -> &'static str {
    match action {
        ElicitationAction::Accept => "accept",
        ElicitationAction::Decline => "decline",
        _ => "cancel",
    }
}

fn question(plan: &Plan) -> Result<ElicitRequestParams, ErrorData> {
    let requested_schema = serde_json::from_value(json!({
        "type": "object",
        "properties": {
            "decision": {"type": "string", "title": "Decision", "enum": ["allow", "deny"]},
            "note": {"type": "string", "title": "Note to the model"}
        },
        "required": ["decision"]
    }))
    .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: render::plan_text(plan),
        requested_schema,
    })
}
