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
        Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
        PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
        ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool as ToolModel,
        ToolAnnotations, UnsubscribeRequestParams,
    },
    service::{NotificationContext, QuitReason, RequestContext, ServerInitializeError, SubscriptionContext},
    transport::Transport,
};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::{
    aside::Aside,
    cancel::Cancel,
    footprint,
    limits::{LISTENERS, NAME_SHOWN_BYTES},
    policy::Law,
    room::Room,
    server::{
        address,
        approval::{Approval, QUESTION, Response},
        ask::{ANOTHER_WAY, Asking, CANNOT_ASK, unavailable},
        control,
        current::Current,
        dispatch::Outcome,
        errands::{self, ErrandError},
        host::Host,
        kept, large, listen,
        live::Sent,
        places::{Kind, Places},
        questions::Questions,
        render::{self, Finished},
        request::{META, Request},
        resource, schema,
        thread::{self, Lost, Spare},
    },
    text::excerpt,
    tools::AnyTool,
};

/// Our own error: an errand was not run, and `data` says why and what would do the same.
const REFUSED: i32 = -32052;

/// The MCP server of one connection.
#[derive(Clone, Debug)]
pub struct Server {
    current: Arc<Current>,
    /// As it stood when the request came: one call, one law.
    pub(super) host: Arc<Host>,
    /// How many calls of each kind run at the same time.
    pub(super) places: Places,
    /// What older clients have been asked and have not answered.
    pub(super) questions: Questions,
    /// Where large results wait for the transport, if it asks for them there.
    aside: Option<Aside>,
    /// How much waits for the peer.
    pub(super) room: Room,
    /// For what ends something, where there is no other thread.
    pub(super) spare: Spare,
    /// What a client of an older revision subscribed to, by address.
    subscriptions: Arc<Mutex<HashMap<String, CancellationToken>>>,
}

impl Server {
    /// A server over what the connection shares.
    pub fn new(current: Arc<Current>, host: Arc<Host>) -> Self {
        Self {
            current,
            host,
            places: Places::default(),
            questions: Questions::default(),
            aside: None,
            room: Room::default(),
            spare: Spare::start(),
            subscriptions: Arc::default(),
        }
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
    pub(super) fn now(&self) -> Self {
        let host = self.current.host().unwrap_or_else(|| Arc::clone(&self.host));
        Self { host, ..self.clone() }
    }

    /// Serves until the transport ends.
    pub async fn serve_over(self, transport: impl Transport<RoleServer> + 'static) {
        match self.serve(transport).await {
            Ok(running) => {
                let quit = running.waiting().await;
                match quit {
                    Ok(QuitReason::Closed | QuitReason::Cancelled) => {
                        tracing::debug!("the MCP service ended");
                    }
                    quit => tracing::warn!(?quit, "the MCP service ended by itself"),
                }
            }
            Err(ServerInitializeError::ConnectionClosed(at)) => {
                tracing::debug!(at, "the input ended before the MCP service had begun");
            }
            // What it was may be anybody's.
            Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
                tracing::warn!(
                    "the MCP service did not begin: something came before the request that begins it"
                );
            }
            Err(error) => tracing::warn!(%error, "the MCP service did not begin"),
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

    fn complete(&self, outcome: &Arc<Outcome>, finished: &Finished, links: bool) -> CallToolResponse {
        let stand_in = self.aside.as_ref().and_then(|aside| large::stand_in(outcome, links, aside));
        match stand_in {
            Some(mut result) => {
                result.meta = meta(finished);
                CallToolResponse::Complete(result)
            }
            None => complete(finished, links),
        }
    }

    /// Does something on a thread of its own, as soon as there is a place for its kind and its peer has read what it asked for before.
    /// Who cancels the request is answered by nobody; what had begun by then is told to `stop`, and keeps its place until it does.
    async fn apart<T: Send + 'static>(
        &self,
        kind: Option<Kind>,
        cancelled: &CancellationToken,
        stop: Cancel,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let admitted = async {
            let place = self.places.one(kind?).await;
            self.room.until_free().await;
            place
        };
        let gave_up = || ErrorData::internal_error("the request was cancelled", None);
        let place = tokio::select! {
            place = admitted => place,
            () = cancelled.cancelled() => return Err(gave_up()),
        };
        // With the result, so that the next one begins when this one is on its way.
        let placed = move || (work(), place);
        // What waits for no place is what has to be done whatever there is.
        let work =
            if kind.is_some() { thread::begin(placed) } else { thread::begin_or_here(placed, &self.spare) };
        tokio::select! {
            done = work => match done {
                Ok((result, _place)) => Ok(result),
                Err(Lost::NoThread) => Err(refused(&errands::no_thread())),
                Err(broke) => Err(ErrorData::internal_error(broke.to_string(), None)),
            },
            () = cancelled.cancelled() => { stop.cancel(); Err(gave_up()) }
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
            Err(ErrandError::Refused(refusal)) => Err(refused(&refusal)),
        }
    }
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
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        one_page(request)?;
        let host = self.now().host;
        let law = host.default_law();
        // Asked once in a connection, and more of the program than a call needs.
        let tools = footprint::apart(|| host.offered().map(|tool| Self::tool_model(tool, &law)).collect());
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        mut params: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let this = self.now();
        context.extensions.insert(Sent::default());
        let Some(tool) = this.host.tool(&params.name) else {
            let (message, hint) = this.host.no_tool(&params.name);
            return Err(invalid(format!("{message}; {hint}")));
        };
        let state = params.request_state.take();
        let content = params.input_responses.take().and_then(|mut responses| responses.remove(QUESTION));
        let approval = match context.meta.get(&format!("{META}approval")) {
            None | Some(Value::Null) => Approval::default(),
            // A list would be read as the fields in their order.
            Some(approval) if !approval.is_object() => {
                return Err(invalid(format!("`_meta[\"{META}approval\"]` must be an object")));
            }
            Some(approval) => serde_json::from_value(approval.clone())
                .map_err(|error| invalid(format!("`_meta[\"{META}approval\"]` does not fit: {error}")))?,
        };
        let by = approval.by.clone();
        let response = Response { state, content, approval };
        let way = this.asking(&context);
        let mut request = Request::new(&params.name, params.arguments.unwrap_or_default(), &context.meta)
            .map_err(invalid)?;
        if let Err(error) = address::apply(&this.host, &mut request) {
            return Ok(complete(&render::failure(&error, tool.spec().tier, Duration::ZERO), false));
        }
        request.answer = this.host.approvals.open(&response, &request.binding());
        request.answered_by.clone_from(&by);
        if let Some(answer) = &request.answer {
            tracing::info!(tool = tool.spec().name, call = request.key, decision = ?answer.decision, by, "a plan was answered");
        }
        request.trust_client = way == Asking::Impossible
            && this.host.law.mcp_approvals() == crate::config::McpApprovals::TrustClient;
        let outcome = this.perform(tool, &request, &context).await;
        match (&*outcome, way) {
            (Outcome::Done(finished), _) => Ok(this.complete(&outcome, finished, reads_links(&context))),
            (Outcome::Ask(plan), Asking::Modern) => this.ask_modern(&request, plan),
            (Outcome::Ask(plan), Asking::Legacy) => {
                this.ask_legacy(tool, request, &context, plan.clone()).await
            }
            (Outcome::Ask(plan), Asking::Impossible) => {
                Ok(complete(&unavailable(&this.host, tool, &request, plan, CANNOT_ASK, ANOTHER_WAY), false))
            }
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        one_page(request)?;
        Ok(ListResourcesResult::with_all_items(resource::list(&self.now().host)))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        one_page(request)?;
        Ok(ListResourceTemplatesResult::with_all_items(resource::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let host = self.now().host;
        let stop = host.root.child();
        let (uri, meta, token) = (request.uri, context.meta, stop.clone());
        let read = self.apart(Some(Kind::Resource), &context.ct, stop, move || {
            resource::read(&host, &uri, &meta, token)
        });
        read.await?.map(ReadResourceResponse::from)
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
            let uri = excerpt(&request.uri, NAME_SHOWN_BYTES);
            return Err(invalid(format!("`{uri}` is no resource of a workspace here")));
        }
        let stop = CancellationToken::new();
        {
            let mut subscriptions = self.subscriptions();
            if subscriptions.len() >= LISTENERS && !subscriptions.contains_key(&request.uri) {
                return Err(refused(&listen::too_many(&request.uri)));
            }
            if let Some(before) = subscriptions.insert(request.uri.clone(), stop.clone()) {
                before.cancel();
            }
        }
        let (began, stands) = oneshot::channel();
        let (uri, ended) = (request.uri.clone(), stop.clone());
        let current = Arc::clone(&self.current);
        tokio::spawn(async move {
            listen::follow((&current, &host), uri, context.peer, ended, began).await;
        });
        // The answer is all that such a client has to know from when on changes are told.
        match stands.await {
            // Without a word: another request for the same address took its place, or the connection ends.
            Ok(Ok(())) | Err(_) => Ok(()),
            Ok(Err(why)) => {
                stop.cancel();
                self.subscriptions().retain(|_, kept| !kept.is_cancelled());
                Err(refused(&listen::unwatched(&request.uri, &why)))
            }
        }
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
        // A cancel waits for nothing: what is cancelled may be what others wait for, and hold all the threads there are.
        if request.method == control::CANCEL
            && let Some(cancelled) = control::cancel(&host, request.params.as_ref())
        {
            return Ok(CustomResult::new(cancelled));
        }
        let kind = (request.method != control::CANCEL).then_some(Kind::Control);
        let answer = self.apart(kind, &context.ct, Cancel::new(), move || {
            control::answer(&host, &request.method, request.params.unwrap_or(json!({})))
        });
        let answer = answer.await?;
        match answer {
            Ok(result) => Ok(CustomResult::new(result)),
            Err(control::ControlError::UnknownMethod(method)) => Err(ErrorData::new(
                rmcp::model::ErrorCode::METHOD_NOT_FOUND,
                format!("there is no method `{}`", excerpt(&method, 80)),
                None,
            )),
            Err(
                error @ (control::ControlError::Params { .. }
                | control::ControlError::Undo(super::undo::UndoError::Path(..))),
            ) => Err(invalid(error.to_string())),
            Err(error) => Err(error.refusal().map_or_else(
                || ErrorData::internal_error(error.to_string(), None),
                |refusal| refused(&refusal),
            )),
        }
    }
}

/// Every list is whole in its first page; a cursor was never given out.
fn one_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor).filter(|cursor| !cursor.is_empty()) {
        None => Ok(()),
        Some(cursor) => Err(invalid(format!(
            "there is no page `{}`: the first page is all there is; ask without a cursor",
            excerpt(&cursor, 80)
        ))),
    }
}

/// Not done, with a name, a reason and what would work.
fn refused(refusal: &errands::Refusal) -> ErrorData {
    ErrorData::new(rmcp::model::ErrorCode(REFUSED), refusal.message.clone(), Some(refusal.data()))
}

fn invalid(message: String) -> ErrorData {
    ErrorData::invalid_params(message, None)
}

/// Whether the client of this request can read a link in a result.
pub(super) fn reads_links(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_none_or(|revision| kept::reads_links(revision.as_str()))
}

/// A result; with a link to what was cut for whoever reads `links`.
pub(super) fn complete(finished: &Finished, links: bool) -> CallToolResponse {
    let mut result = if finished.is_error {
        CallToolResult::error(vec![ContentBlock::text(finished.text.clone())])
    } else {
        let mut content = vec![ContentBlock::text(finished.text.clone())];
        if let Some((mime, data)) = &finished.picture {
            content.push(ContentBlock::image(data.clone(), mime.clone()));
        }
        CallToolResult::success(content)
    };
    result.content.extend(kept::link(finished).filter(|_| links));
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
