//! The reader task: bytes become messages; what MCP must not see (rubbish, hello) is answered here.

use std::{
    thread,
    time::{Duration, Instant},
};

use rmcp::{
    ErrorData,
    model::{ClientJsonRpcMessage, ClientRequest, GetExtensions as _, GetMeta as _, ProtocolVersion},
};
use serde_json::{Value, json};
use tokio::{io::AsyncReadExt as _, sync::mpsc, task, time};

use super::{
    Closed, Front,
    in_flight::{InFlight, Kind, Refusal},
    writer::Queue,
};
use crate::{
    cancel::Cancel,
    limits::{ECHO_BYTES, LISTENER_BYTES, LISTENERS, VALUE_BYTES},
    native::{
        chunk::Joiner,
        envelope::{self, Envelope, INVALID_REQUEST, METHOD_NOT_FOUND, REFUSED, error_answer},
        frame::{Decoder, FrameError, Framing},
        stdout::Input,
    },
    room::{Room, Weight},
    text::{UNREADABLE, excerpt},
};

pub(super) struct Reader<F> {
    pub(super) front: F,
    pub(super) joiner: Joiner,
    pub(super) to_rmcp: mpsc::Sender<ClientJsonRpcMessage>,
    pub(super) outgoing: Queue,
    pub(super) in_flight: InFlight,
    /// A request has come after which rmcp takes other messages, too.
    pub(super) has_begun: bool,
    /// The last message was answered here, at once.
    pub(super) has_answered: bool,
}

impl<F: Front> Reader<F> {
    pub(super) async fn read_all(mut self, mut input: Input, framing: Framing, root: &Cancel) -> Closed {
        let mut decoder = Decoder::new(framing);
        let mut bytes = vec![0; 64 * 1024];
        loop {
            if std::mem::take(&mut self.has_answered) {
                look_out(&input).await;
            }
            let count = match input.read(&mut bytes).await {
                Ok(count) => count,
                Err(error) => return Closed::Failed(error.to_string()),
            };
            decoder.extend(&bytes[..count]);
            let last = if count == 0 { decoder.finish() } else { Ok(None) };
            loop {
                match decoder.next_body() {
                    Ok(Some(body)) => {
                        self.take(body).await;
                        if until_free(&self.outgoing.room, &self.in_flight, root, &input).await
                            == Pause::HungUp
                        {
                            return Closed::Clean;
                        }
                    }
                    Ok(None) => break,
                    Err(error @ FrameError::LongLine { .. }) => {
                        self.reply(&envelope::refusal_of_cut(decoder.dropped(), &error.to_string()));
                    }
                    Err(error) => return Closed::Broken(error),
                }
            }
            match last {
                Ok(Some(body)) => self.take(body).await,
                Ok(None) => {}
                Err(error) => return Closed::Broken(error),
            }
            if count == 0 {
                last_answers(&self.in_flight, &self.outgoing.room).await;
                return Closed::Clean;
            }
        }
    }

    async fn take(&mut self, body: Vec<u8>) {
        let mut bytes = body.len();
        let (message, values) = match envelope::open(&body) {
            Envelope::Message(message, values) => (message, values),
            Envelope::Broken(answer) => return self.reply(&answer),
            Envelope::BrokenChunk { answer, group } => {
                if let Some(group) = group {
                    self.joiner.forget(&group);
                }
                return self.reply(&answer);
            }
            Envelope::Chunk(frame) => match self.joiner.push(frame.chunk) {
                Ok(None) => return,
                Err(error) => {
                    return self.reply(&error_answer(Value::Null, INVALID_REQUEST, &error.to_string()));
                }
                Ok(Some(text)) => match envelope::open(text.as_bytes()) {
                    Envelope::Message(message, values) => {
                        bytes = text.len();
                        (message, values)
                    }
                    Envelope::Broken(answer) => return self.reply(&answer),
                    Envelope::Chunk(_) | Envelope::BrokenChunk { .. } => {
                        return self.reply(&error_answer(
                            Value::Null,
                            INVALID_REQUEST,
                            "what the chunks of a group joined to is a chunk itself; cut the message once, into chunks of one group",
                        ));
                    }
                },
            },
        };
        drop(body);
        if !self.in_flight.has(&message)
            && let Some(text) = self.front.answer(&message)
        {
            self.outgoing.put(text, None);
            self.has_answered = true;
            return;
        }
        if let Some(message) = self.as_mcp(message, bytes, values) {
            let _ = self.to_rmcp.send(message).await;
        }
    }

    /// The message as rmcp's type, or `None` when it was answered here or means nothing.
    fn as_mcp(&mut self, message: Value, bytes: usize, values: usize) -> Option<ClientJsonRpcMessage> {
        let id = message.get("id").cloned();
        let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
        let is_request = id.is_some() && method.is_some();
        if !is_request && !self.has_begun {
            // rmcp gives up when anything but a request comes before it knows the revision; such a message cannot mean anything yet.
            tracing::debug!(?method, "a message before the connection has begun is ignored");
            return None;
        }
        // What the host asks has an integer for its id. rmcp takes `"1"` and `1.0` for one as well, and the answer to something else would
        // be a person's yes.
        if method.is_none() && !id.as_ref().is_some_and(Value::is_i64) {
            tracing::debug!("an answer to nothing that was asked is ignored");
            return None;
        }
        let is_answered = self.in_flight.has(&message);
        let parsed: Result<ClientJsonRpcMessage, _> = serde_json::from_value(message);
        let bad = match &parsed {
            Err(error) => Some(error.to_string()),
            Ok(ClientJsonRpcMessage::Request(request)) => misfit(&request.request),
            Ok(_) => None,
        };
        if let Some(reason) = bad {
            return match (id, method) {
                (Some(id), Some(method)) => {
                    let reason = excerpt(&reason, ECHO_BYTES);
                    let words = format!("the parameters of `{}` do not fit: {reason}", excerpt(&method, 80));
                    self.reply(
                        &json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": words}}),
                    );
                    None
                }
                (Some(id), None) => unreadable_answer(id),
                (None, _) => None,
            };
        }
        let mut parsed = parsed.ok()?;
        if let ClientJsonRpcMessage::Request(request) = &mut parsed {
            if !is_answered && let Some(method) = unknown(&request.request) {
                let words = format!("there is no method `{}`", excerpt(method, 80));
                self.reply(&error_answer(id.unwrap_or_default(), METHOD_NOT_FOUND, &words));
                return None;
            }
            let (kind, bytes) = match &request.request {
                ClientRequest::SubscriptionsListenRequest(_) => (Kind::Listener, bytes),
                _ => (Kind::Work, bytes + values * VALUE_BYTES),
            };
            let working = match self.in_flight.begin(&request.id, bytes, kind) {
                Ok(working) => working,
                Err(refusal) => {
                    let id = serde_json::to_value(&request.id).unwrap_or(Value::Null);
                    self.reply(&not_begun(id, refusal));
                    return None;
                }
            };
            request.request.extensions_mut().insert(working);
            request.request.extensions_mut().insert(Weight(bytes));
            // Only now: one that is refused here is never seen by rmcp.
            self.has_begun |= begins(&request.request);
        }
        Some(parsed)
    }

    fn reply(&self, answer: &Value) {
        self.outgoing.put(answer.to_string(), None);
    }
}

/// The answer to a request that is not begun, with what would work.
fn not_begun(id: Value, refusal: Refusal) -> Value {
    let (message, hint) = match refusal {
        Refusal::Twice => {
            return error_answer(id, INVALID_REQUEST, "a request with this id is still being answered");
        }
        Refusal::Listeners => (
            format!("{LISTENERS} `subscriptions/listen` are open on this connection, and no more are taken"),
            "cancel one that is no longer needed (`notifications/cancelled` with its id), or name all resources in one: the root of a \
             workspace (`outrigger://ID/`) stands for all in it",
        ),
        Refusal::ListenerBytes => (
            format!(
                "the `subscriptions/listen` of this connection may have {LISTENER_BYTES} bytes together, and with this one they have more"
            ),
            "name fewer resources: the root of a workspace (`outrigger://ID/`) stands for all in it",
        ),
    };
    let data = json!({"reason": "too_many_listeners", "hint": hint});
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": REFUSED, "message": message, "data": data}})
}

/// What is made of an answer that is none, so that nobody waits for another one: a failure.
fn unreadable_answer(id: Value) -> Option<ClientJsonRpcMessage> {
    let error = ErrorData::invalid_request(UNREADABLE, None);
    Some(ClientJsonRpcMessage::error(error, Some(serde_json::from_value(id).ok()?)))
}

/// Whether a request says in which revision its connection goes on. A ping, a probe and what rmcp refuses for its metadata do not.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let (meta, modern) = (request.get_meta(), ProtocolVersion::V_2026_07_28);
            meta.missing_required_keys(&modern).is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

/// How long a reader that has just answered looks for what comes next. To be woken, perhaps on another core, takes longer than a short
/// read does, and whoever makes many of them sends the next one as soon as it has an answer.
const LOOKOUT: Duration = Duration::from_micros(60);

/// Lets the answer out, and waits a moment for more without going to sleep.
async fn look_out(input: &Input) {
    task::yield_now().await;
    let began = Instant::now();
    while !input.is_ready() && began.elapsed() < LOOKOUT {
        // Who has been answered may want this very core.
        thread::yield_now();
    }
}

/// How long answers may still come after the end of the input: what runs longer is cancelled, and the whole exit has 200 ms.
const LAST_ANSWERS: Duration = Duration::from_millis(50);
/// How often it is looked whether all have come.
const LAST_LOOK: Duration = Duration::from_millis(1);

/// Whoever writes its requests and closes the input at once (`printf … | outrigger mcp`) still reads what is quick to answer.
async fn last_answers(in_flight: &InFlight, room: &Room) {
    let answered = async {
        // Twice in a row: between the end of a request and its answer in the queue is a moment in which neither shows it.
        let mut quiet = 0;
        while quiet < 2 {
            quiet = if in_flight.is_empty() && room.is_empty() { quiet + 1 } else { 0 };
            time::sleep(LAST_LOOK).await;
        }
    };
    let _ = time::timeout(LAST_ANSWERS, answered).await;
}

/// How often a reader that waits looks whether anybody is still there: an end of the input has 200 ms for everything.
const LOOK: Duration = Duration::from_millis(25);

/// How the wait of a reader ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    Over,
    /// The peer has closed the input meanwhile; what it had still written there is of no use to it.
    HungUp,
}

/// A peer that asks for more than it reads waits in its pipe. Until then whatever comes is read, so that a cancel passes. The
/// end of the input lies behind what is not read, so it is asked for.
async fn until_free(room: &Room, in_flight: &InFlight, root: &Cancel, input: &Input) -> Pause {
    if !room.is_overfull() && !in_flight.is_full() {
        return Pause::Over;
    }
    let gone = async {
        while !input.is_hung_up() {
            time::sleep(LOOK).await;
        }
    };
    tokio::select! {
        ((), ()) = async { tokio::join!(room.until_not_overfull(), in_flight.until_free()) } => Pause::Over,
        () = root.cancelled() => Pause::Over,
        () = gone => Pause::HungUp,
    }
}

/// The methods of MCP with parameters of their own; rmcp takes one with the wrong parameters for a custom method.
const KNOWN: &[&str] = &[
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];

/// The name of a method that nobody has. rmcp would ask for the request's metadata first.
fn unknown(request: &ClientRequest) -> Option<&str> {
    let ClientRequest::CustomRequest(custom) = request else { return None };
    let method = custom.method.as_str();
    (!method.starts_with("outrigger/") && method != "tools/call" && !KNOWN.contains(&method))
        .then_some(method)
}

/// Why a request of a method that MCP knows was not understood as such; rmcp would call it a custom one.
fn misfit(request: &ClientRequest) -> Option<String> {
    let ClientRequest::CustomRequest(custom) = request else { return None };
    if custom.method == "tools/call" {
        let params = custom.params.clone().unwrap_or(json!({}));
        return Some(match serde_json::from_value::<rmcp::model::CallToolRequestParams>(params) {
            Err(error) => error.to_string(),
            Ok(_) => "they are not those of a tool call".to_owned(),
        });
    }
    KNOWN.contains(&custom.method.as_str()).then(|| "a field is missing or has the wrong type".to_owned())
}
