//! MCP, through rmcp: lists the tools, takes calls, asks for approval in the way the client's revision has.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
        ElicitRequest, ElicitRequestParams, ElicitationAction, Implementation, InputRequest, InputRequests,
        InputRequiredResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
        PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
        ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool as ToolModel,
        ToolAnnotations, UnsubscribeRequestParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
    transport::Transport,
};
use serde_json::{Value, json};
use tokio::{sync::Semaphore, task};
use tokio_util::sync::CancellationToken;

use crate::{
    aside::Aside,
    cancel::Cancel,
    footprint,
    hint::nearest,
    policy::{Answer, Decision, Law, Plan},
    room::Room,
    server::{
        address,
        approval::{Approval, QUESTION, Response, decide},
        control,
        current::Current,
        dispatch::{self, Outcome},
        errands::{self, ErrandError},
        host::Host,
        in_flight::Begin,
        kept, large, listen,
        live::{Audience, LiveSink},
        render::{self, Finished},
        request::{META, Request},
        resource, schema,
    },
    tier::Tier,
    tools::{AnyTool, Code, ToolError},
};

/// Calls that run at the same time; more wait. A model that asks for hundreds of reads at once gains nothing from hundreds of threads.
const CONCURRENT_CALLS: usize = 32;
/// Two of the largest results are made at once.
const MOST_SLOTS: u32 = 16;
/// How long a cancelled call may take to stop by itself; the answer has to be there within 100 ms.
const CANCEL_PATIENCE: Duration = Duration::from_millis(60);
/// How often a plan may go stale while one call of an older client waits, before the call gives up.
const STALE_ROUNDS: usize = 3;
/// Our own error: an errand was not run, and `data` says why and what would do the same.
const REFUSED: i32 = -32052;

/// The MCP server of one connection.
#[derive(Clone, Debug)]
pub struct Server {
    current: Arc<Current>,
    /// As it stood when the request came: one call, one law.
    host: Arc<Host>,
    slots: Arc<Semaphore>,
    /// Where large results wait for the transport, if it asks for them there.
    aside: Option<Aside>,
    /// How much waits for the peer.
    room: Room,
    /// What a client of an older revision subscribed to, by address.
    subscriptions: Arc<Mutex<HashMap<String, CancellationToken>>>,
}

/// How a person can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asking {
    /// By `input_required`.
    Modern,
    /// By `elicitation/create`.
    Legacy,
    /// Not at all.
    Impossible,
}

impl Server {
    /// A server over what the connection shares.
    pub fn new(current: Arc<Current>, host: Arc<Host>) -> Self {
        let slots = Arc::new(Semaphore::new(CONCURRENT_CALLS));
        Self { current, host, slots, aside: None, room: Room::default(), subscriptions: Arc::default() }
    }

    /// The same, over a transport that puts large results in itself.
    #[must_use]
    pub fn with_aside(self, aside: Aside) -> Self {
        Self { aside: Some(aside), ..self }
    }

    /// The same, over a transport whose peer may read slowly.
    #[must_use]
    pub fn with_room(self, room: Room) -> Self {
        Self { room, ..self }
    }

    fn subscriptions(&self) -> MutexGuard<'_, HashMap<String, CancellationToken>> {
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server of the next request.
    fn now(&self) -> Self {
        let host = self.current.host().unwrap_or_else(|| Arc::clone(&self.host));
        Self { host, ..self.clone() }
    }

    /// Serves until the transport ends.
    pub async fn serve_over(self, transport: impl Transport<RoleServer> + 'static) {
        match self.serve(transport).await {
            Ok(running) => {
                let quit = running.waiting().await;
                tracing::debug!(?quit, "the MCP service ended");
            }
            Err(error) => tracing::debug!(%error, "the MCP service did not begin"),
        }
    }

    fn tool_model(tool: &dyn AnyTool, law: &Law) -> ToolModel {
        let spec = tool.spec();
        let annotations = ToolAnnotations::from_raw(
            None,
            Some(spec.annotations.read_only),
            Some(spec.annotations.destructive),
            Some(spec.annotations.idempotent),
            Some(spec.annotations.open_world),
        );
        let tier = law.tool_tier(spec.name, spec.tier);
        let mut meta = MetaObject::new();
        meta.insert(format!("{META}tier"), json!(tier));
        ToolModel::new(spec.name, spec.description, Arc::new(tool.input_schema(law)))
            .with_title(spec.title)
            .with_raw_output_schema(Arc::new(schema::output(tool)))
            .with_annotations(annotations)
            .with_meta(meta)
    }

    fn asking(&self, context: &RequestContext<RoleServer>) -> Asking {
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

    /// Runs a call on a blocking thread, telling what it says meanwhile; joins it when it runs already.
    async fn perform(
        &self,
        tool: &'static dyn AnyTool,
        request: &Request,
        context: &RequestContext<RoleServer>,
    ) -> Arc<Outcome> {
        let cancel = self.host.root.child();
        let begin = self.host.in_flight.begin(&request.key, &request.digest(), &cancel);
        let told = match begin {
            Begin::New(told) => told,
            Begin::Mismatch => return Arc::new(failed(tool, &key_taken(&request.key))),
            Begin::Joined(mut running) => {
                let outcome = tokio::select! {
                    outcome = running.wait_for(Option::is_some) => outcome.ok().and_then(|outcome| outcome.clone()),
                    () = context.ct.cancelled() => { self.host.in_flight.cancel(&request.key); None }
                };
                return outcome.unwrap_or_else(|| {
                    Arc::new(failed(tool, &ToolError::cancelled("the call it joined goes on")))
                });
            }
        };
        let audience = Audience {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token(),
            output_of: self.host.said_hello().then(|| request.key.clone()),
            room: self.room.clone(),
        };
        let (sink, teller) = LiveSink::start(audience);
        let outcome = Arc::new(self.run_blocking(tool, request, context, cancel, Arc::clone(&sink)).await);
        sink.end();
        let _ = teller.await;
        // Told first: whoever joins until the entry is gone finds the outcome instead of starting the call again.
        let _ = told.send(Some(Arc::clone(&outcome)));
        self.host.in_flight.end(&request.key);
        self.host.footprint.touch();
        outcome
    }

    async fn run_blocking(
        &self,
        tool: &'static dyn AnyTool,
        request: &Request,
        context: &RequestContext<RoleServer>,
        cancel: Cancel,
        sink: Arc<LiveSink>,
    ) -> Outcome {
        let _slots = self.slots.acquire_many(slots_of(request)).await;
        // Of a peer that does not read what it asked for, nothing more is made.
        tokio::select! {
            () = self.room.until_free() => {}
            () = cancel.cancelled() => {}
            () = context.ct.cancelled() => cancel.cancel(),
        }
        let turn = match self.host.workspace(request.workspace.as_deref()) {
            Ok(workspace) if dispatch::orders_writes(tool) => tokio::select! {
                turn = workspace.lock_writes() => Some(turn),
                () = cancel.cancelled() => None,
                () = context.ct.cancelled() => { cancel.cancel(); None }
            },
            _ => None,
        };
        let (host, owned, token) = (Arc::clone(&self.host), request.clone(), cancel.clone());
        let mut work = task::spawn_blocking(move || {
            let _turn = turn;
            dispatch::run(&host, tool, &owned, token, sink)
        });
        let finished = tokio::select! {
            finished = &mut work => finished,
            () = cancel.cancelled() => stopped(tool, &cancel, work).await,
            () = context.ct.cancelled() => {
                // A stock client's cancel gets no answer, by the protocol; what the call had done is in the journal.
                cancel.cancel();
                stopped(tool, &cancel, work).await
            }
        };
        finished.unwrap_or_else(|error| failed(tool, &ToolError::internal(error)))
    }

    /// Asks by `elicitation/create` and runs the call again with the answer.
    async fn ask_legacy(
        &self,
        tool: &'static dyn AnyTool,
        mut request: Request,
        context: &RequestContext<RoleServer>,
        mut plan: Box<Plan>,
    ) -> Result<CallToolResponse, ErrorData> {
        for _ in 0..STALE_ROUNDS {
            let result = context
                .peer
                .create_elicitation(question(&plan)?)
                .await
                .map(|result| json!({"action": action(&result.action), "content": result.content}));
            let (decision, note) = match &result {
                Ok(result) => decide(Some(result)),
                Err(error) => {
                    tracing::warn!(%error, "the client could not be asked");
                    (Decision::Deny, Some("the client could not show the question".to_owned()))
                }
            };
            request.answer = Some(Answer { decision, note, ..Answer::allow(&plan.digest) });
            match &*self.now().perform(tool, &request, context).await {
                Outcome::Done(finished) => return Ok(complete(finished)),
                Outcome::Ask(fresh) => plan.clone_from(fresh),
            }
        }
        let error = ToolError::new(
            Code::ApprovalStale,
            "what would happen changed each time it was asked",
            "try again later",
        );
        Ok(complete(&render::failure(&error, plan.tier, Duration::ZERO)))
    }

    fn complete(&self, outcome: &Arc<Outcome>, finished: &Finished) -> CallToolResponse {
        let stand_in = self.aside.as_ref().and_then(|aside| large::stand_in(outcome, aside));
        match stand_in {
            Some(mut result) => {
                result.meta = meta(finished);
                CallToolResponse::Complete(result)
            }
            None => complete(finished),
        }
    }

    /// A request that may wait for a person; cancelling it closes their dialog.
    async fn run_errand(
        &self,
        host: &Arc<Host>,
        request: CustomRequest,
        context: &RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let cancel = host.root.child();
        let params = request.params.unwrap_or(json!({}));
        let errand = errands::answer(&self.current, host, &request.method, params, cancel.clone());
        tokio::pin!(errand);
        let answer = tokio::select! {
            answer = &mut errand => answer,
            () = context.ct.cancelled() => { cancel.cancel(); errand.await }
        };
        match answer {
            Ok(result) => Ok(CustomResult::new(result)),
            Err(ErrandError::Params(reason)) => Err(invalid(reason)),
            Err(ErrandError::Internal(reason)) => Err(ErrorData::internal_error(reason, None)),
            Err(ErrandError::Refused(refusal)) => {
                let code = rmcp::model::ErrorCode(REFUSED);
                Err(ErrorData::new(code, refusal.message.clone(), Some(refusal.data())))
            }
        }
    }

    fn ask_modern(&self, request: &Request, plan: &Plan) -> Result<CallToolResponse, ErrorData> {
        let mut questions = InputRequests::new();
        questions.insert(QUESTION.to_owned(), InputRequest::Elicitation(ElicitRequest::new(question(plan)?)));
        let state = self.host.approvals.seal(plan, &binding(request));
        let mut meta = MetaObject::new();
        meta.insert(format!("{META}plan"), json!(plan));
        Ok(InputRequiredResult::new(Some(questions), Some(state)).with_meta(meta).into())
    }
}

/// How many of the places for calls one takes: who asks for megabytes stands for many, so that few of those are made at once.
fn slots_of(request: &Request) -> u32 {
    let megabytes = request.arguments.get("max_bytes").and_then(Value::as_u64).unwrap_or_default() >> 20;
    u32::try_from(megabytes + 1).map_or(MOST_SLOTS, |slots| slots.min(MOST_SLOTS))
}

/// The end of a call that was cancelled. It stops by itself at the next step; one that waits for a disk or deep in a library, and has
/// changed nothing, is not waited for.
async fn stopped(
    tool: &'static dyn AnyTool,
    cancel: &Cancel,
    mut work: task::JoinHandle<Outcome>,
) -> Result<Outcome, task::JoinError> {
    tokio::select! {
        finished = &mut work => return finished,
        () = tokio::time::sleep(CANCEL_PATIENCE) => {}
    }
    if cancel.give_up() {
        return Ok(failed(tool, &ToolError::cancelled("nothing was changed")));
    }
    work.await
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder()
                .enable_tools()
                .enable_tool_list_changed()
                .enable_resources()
                .enable_resources_subscribe()
                .build())
            .with_server_info(Implementation::new("outrigger", env!("CARGO_PKG_VERSION")).with_title("Outrigger"))
            .with_instructions(
                "Tools for one folder of the user's machine. Paths are relative to the workspace, with `/`. Start with \
                 workspace_info. Read before you edit. Writes and commands are shown to the user, who may deny them.",
            )
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let host = self.now().host;
        let law = host.default_law();
        // Asked once in a connection, and more of the program than a call needs.
        let tools = footprint::apart(|| host.offered().map(|tool| Self::tool_model(tool, &law)).collect());
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        mut params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let this = self.now();
        let Some(tool) = this.host.tool(&params.name) else {
            let near = nearest(&params.name, this.host.offered().map(|tool| tool.spec().name));
            let hint = near.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
            let name = crate::text::prefix(&params.name, crate::limits::ECHO_BYTES);
            return Err(invalid(format!("there is no tool `{name}`{hint}")));
        };
        let state = params.request_state.take();
        let content = params.input_responses.take().and_then(|mut responses| responses.remove(QUESTION));
        let approval = match context.meta.get(&format!("{META}approval")) {
            None | Some(Value::Null) => Approval::default(),
            Some(approval) => serde_json::from_value(approval.clone())
                .map_err(|error| invalid(format!("`_meta[\"{META}approval\"]` does not fit: {error}")))?,
        };
        let by = approval.by.clone();
        let response = Response { state, content, approval };
        let way = this.asking(&context);
        let mut request = Request::new(&params.name, params.arguments.unwrap_or_default(), &context.meta)
            .map_err(invalid)?;
        if let Err(error) = address::apply(&this.host, &mut request) {
            return Ok(complete(&render::failure(&error, tool.spec().tier, Duration::ZERO)));
        }
        request.answer = this.host.approvals.open(&response, &binding(&request));
        request.answered_by.clone_from(&by);
        if let Some(answer) = &request.answer {
            tracing::info!(tool = tool.spec().name, call = request.key, decision = ?answer.decision, by, "a plan was answered");
        }
        request.trust_client = way == Asking::Impossible
            && this.host.law.mcp_approvals() == crate::config::McpApprovals::TrustClient;
        let outcome = this.perform(tool, &request, &context).await;
        match (&*outcome, way) {
            (Outcome::Done(finished), _) => Ok(this.complete(&outcome, finished)),
            (Outcome::Ask(plan), Asking::Modern) => this.ask_modern(&request, plan),
            (Outcome::Ask(plan), Asking::Legacy) => {
                this.ask_legacy(tool, request, &context, plan.clone()).await
            }
            (Outcome::Ask(plan), Asking::Impossible) => Ok(complete(&unavailable(plan))),
        }
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resource::list(&self.now().host)))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resource::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let host = self.now().host;
        let read = task::spawn_blocking(move || resource::read(&host, &request.uri));
        let read = read.await.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        read.map(ReadResourceResponse::from)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(listen::accepted(&self.now().host, requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        listen::listen(&self.current, &self.now().host, &context).await;
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let mut wish = SubscriptionFilter::new();
        wish.resource_subscriptions = Some(vec![request.uri.clone()]);
        let host = self.now().host;
        if listen::accepted(&host, &wish).resource_subscriptions.is_none() {
            return Err(invalid(format!("`{}` is no resource of a workspace here", request.uri)));
        }
        let stop = CancellationToken::new();
        let before = self.subscriptions().insert(request.uri.clone(), stop.clone());
        if let Some(before) = before {
            before.cancel();
        }
        tokio::spawn(async move { listen::follow(&host, request.uri, context.peer, stop).await });
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if let Some(stop) = self.subscriptions().remove(&request.uri) {
            stop.cancel();
        }
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let (current, host) = (Arc::clone(&self.current), self.now().host);
        tokio::spawn(async move {
            let listener = listen::Listener::Legacy(context.peer);
            tokio::select! {
                () = listen::tools(&current, true, &listener) => {}
                () = host.root.cancelled() => {}
            }
        });
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let host = self.now().host;
        if errands::is_errand(&request.method) {
            return self.run_errand(&host, request, &context).await;
        }
        let answer = task::spawn_blocking(move || {
            control::answer(&host, &request.method, request.params.unwrap_or(json!({})))
        })
        .await
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        match answer {
            Ok(result) => Ok(CustomResult::new(result)),
            Err(control::ControlError::UnknownMethod(method)) => Err(ErrorData::new(
                rmcp::model::ErrorCode::METHOD_NOT_FOUND,
                format!("there is no method `{method}`"),
                None,
            )),
            Err(error @ control::ControlError::Params { .. }) => Err(invalid(error.to_string())),
            Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
        }
    }
}

fn invalid(message: String) -> ErrorData {
    ErrorData::invalid_params(message, None)
}

fn failed(tool: &dyn AnyTool, error: &ToolError) -> Outcome {
    Outcome::Done(render::failure(error, tool.spec().tier, Duration::ZERO))
}

fn key_taken(key: &str) -> ToolError {
    ToolError::new(
        Code::InvalidArgs,
        format!("the call key `{key}` belongs to another call that runs now"),
        "a key names one call with its arguments; a new call needs a new key",
    )
}

fn unavailable(plan: &Plan) -> Finished {
    let error = ToolError::new(
        Code::ApprovalUnavailable,
        format!(
            "this needs the user's approval ({}), and this client cannot ask: {}",
            plan.reasons.join("; "),
            plan.summary
        ),
        "use a client with MCP elicitation, or let the administrator set `[mcp] approvals` or the tool's tier",
    );
    render::failure(&error, if plan.tier == Tier::Auto { Tier::Batch } else { plan.tier }, Duration::ZERO)
}

/// Names the request that a sealed state belongs to.
fn binding(request: &Request) -> String {
    request.digest()
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

fn complete(finished: &Finished) -> CallToolResponse {
    let mut result = if finished.is_error {
        CallToolResult::error(vec![ContentBlock::text(finished.text.clone())])
    } else {
        let mut content = vec![ContentBlock::text(finished.text.clone())];
        if let Some((mime, data)) = &finished.picture {
            content.push(ContentBlock::image(data.clone(), mime.clone()));
        }
        CallToolResult::success(content)
    };
    result.content.extend(finished.structured["handle"].as_str().and_then(kept::link));
    result.structured_content = Some(finished.whole());
    result.meta = meta(finished);
    CallToolResponse::Complete(result)
}

fn meta(finished: &Finished) -> Option<MetaObject> {
    finished.replayed.then(|| {
        let mut meta = MetaObject::new();
        meta.insert(format!("{META}replayed"), Value::Bool(true));
        meta
    })
}
