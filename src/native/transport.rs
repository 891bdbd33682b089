//! The transport: one reader task, one writer task, and rmcp between them.
//!
//! The reader turns bytes into messages and answers by itself what MCP must not see (rubbish, hello). The writer lets small
//! messages pass between the chunks of large ones. End of input cancels every running call at once: rmcp's own five seconds of
//! patience would outlive the two that a browser gives us.

use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ClientRequest, RequestId, ServerResult},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde::Deserialize as _;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::{Notify, mpsc, oneshot, watch},
    task, time,
};

use super::{
    chunk::{Joiner, Splitter},
    envelope::{self, Envelope, INVALID_REQUEST, error_answer},
    frame::{self, Decoder, FrameError, Framing},
    stdout::{Input, Output},
};
use crate::{
    aside::{Aside, Fields},
    cancel::Cancel,
    ids::new_ulid,
    limits::{CHUNK_BYTES, MESSAGE_BYTES, REQUEST_BYTES, REQUESTS},
    room::Room,
};

/// Looks at every message before MCP does; what it answers itself goes no further.
pub trait Front: Send + 'static {
    /// `Some` is the whole answer, as JSON.
    fn answer(&mut self, message: &Value) -> Option<String>;
}

/// Why the input is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closed {
    /// Between two frames.
    Clean,
    /// Inside a frame, or with an impossible length.
    Broken(FrameError),
    /// The system said so.
    Failed(String),
}

/// A connection's handles for those who do not speak through rmcp.
#[derive(Clone, Debug)]
pub struct Wire {
    outgoing: Queue,
    closed: watch::Receiver<Option<Closed>>,
}

/// The way to the writer; what is in it is counted.
#[derive(Clone, Debug)]
struct Queue {
    sender: mpsc::UnboundedSender<Outgoing>,
    room: Room,
}

impl Queue {
    /// False when nobody writes any more.
    fn put(&self, text: String, written: Option<oneshot::Sender<()>>) -> bool {
        let bytes = text.len();
        self.room.take(bytes);
        let sent = self.sender.send(Outgoing { text, written }).is_ok();
        if !sent {
            self.room.give(bytes);
        }
        sent
    }
}

#[derive(Debug)]
struct Outgoing {
    text: String,
    /// Told when the bytes have been handed to the system.
    written: Option<oneshot::Sender<()>>,
}

impl Wire {
    /// Queues a message of our own (notifications, bye).
    pub fn send(&self, message: &Value) {
        self.outgoing.put(message.to_string(), None);
    }

    /// Sends a message and waits until it is written.
    pub async fn send_and_flush(&self, message: &Value) {
        let (written, done) = oneshot::channel();
        if self.outgoing.put(message.to_string(), Some(written)) {
            let _ = done.await;
        }
    }

    /// Waits for the end of the input.
    pub async fn closed(&self) -> Closed {
        let mut closed = self.closed.clone();
        match closed.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone().unwrap_or(Closed::Clean),
            Err(_) => Closed::Clean,
        }
    }
}

/// Requests that are being answered, each with the length of its message.
#[derive(Clone, Debug, Default)]
struct InFlight(Arc<Flying>);

#[derive(Debug, Default)]
struct Flying {
    requests: Mutex<HashMap<RequestId, usize>>,
    /// A request was answered, or its answer will never be heard.
    answered: Notify,
}

impl InFlight {
    /// False when a request with this id is there already.
    fn begin(&self, id: &RequestId, bytes: usize) -> bool {
        match self.lock().entry(id.clone()) {
            Entry::Occupied(_) => false,
            Entry::Vacant(entry) => {
                entry.insert(bytes);
                true
            }
        }
    }

    fn end(&self, id: &RequestId) {
        self.lock().remove(id);
        self.0.answered.notify_waiters();
    }

    /// Whether the message's id is that of a request still being answered.
    fn has(&self, message: &Value) -> bool {
        let requests = self.lock();
        !requests.is_empty()
            && message
                .get("id")
                .and_then(|id| RequestId::deserialize(id).ok())
                .is_some_and(|id| requests.contains_key(&id))
    }

    fn is_full(&self) -> bool {
        let requests = self.lock();
        requests.len() >= REQUESTS || requests.values().sum::<usize>() >= REQUEST_BYTES
    }

    /// Waits until one more may come. Cancel-safe: it changes nothing.
    async fn until_free(&self) {
        while self.is_full() {
            let answered = self.0.answered.notified();
            tokio::pin!(answered);
            answered.as_mut().enable();
            if self.is_full() {
                answered.await;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, usize>> {
        self.0.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What rmcp serves over.
#[derive(Debug)]
pub struct WireTransport {
    incoming: mpsc::Receiver<ClientJsonRpcMessage>,
    outgoing: Queue,
    in_flight: InFlight,
    aside: Aside,
}

impl WireTransport {
    /// Starts the two tasks. `root` is cancelled when the input ends.
    pub fn start(
        input: Input,
        output: Output,
        framing: Framing,
        front: impl Front,
        root: Cancel,
    ) -> (Self, Wire) {
        // Requests are small and rmcp takes them at once; a bound makes a flood wait in the pipe instead of in memory.
        let (to_rmcp, incoming) = mpsc::channel(64);
        let (sender, queue) = mpsc::unbounded_channel();
        let outgoing = Queue { sender, room: Room::default() };
        let (closed_sender, closed) = watch::channel(None);
        let in_flight = InFlight::default();
        let room = outgoing.room.clone();
        tokio::spawn(async move {
            write_all(output, framing, queue, &room).await;
            room.close();
        });
        let reader = Reader {
            front,
            joiner: Joiner::default(),
            to_rmcp,
            outgoing: outgoing.clone(),
            in_flight: in_flight.clone(),
            request_seen: false,
        };
        tokio::spawn(async move {
            let reason = reader.read_all(input, framing, &root).await;
            root.cancel();
            let _ = closed_sender.send(Some(reason));
        });
        (
            Self { incoming, outgoing: outgoing.clone(), in_flight, aside: Aside::default() },
            Wire { outgoing, closed },
        )
    }

    /// Where the results wait that this transport puts in itself.
    pub fn aside(&self) -> Aside {
        self.aside.clone()
    }

    /// How much waits for the peer.
    pub fn room(&self) -> Room {
        self.outgoing.room.clone()
    }
}

impl Transport<RoleServer> for WireTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        let answered = match &message {
            TxJsonRpcMessage::<RoleServer>::Response(response) => Some(response.id.clone()),
            TxJsonRpcMessage::<RoleServer>::Error(error) => error.id.clone(),
            _ => None,
        };
        if let Some(id) = &answered {
            self.in_flight.end(id);
        }
        // News for a peer that does not read are of no use to it, and nothing else bounds them.
        let is_lost =
            matches!(message, TxJsonRpcMessage::<RoleServer>::Notification(_)) && outgoing.room.is_overfull();
        let fields = stand_in(&message).and_then(|name| Some((name.to_owned(), self.aside.take(name)?)));
        async move {
            if is_lost {
                return Ok(());
            }
            let mut text = serde_json::to_string(&message).map_err(io::Error::other)?;
            if let Some((name, fields)) = fields {
                text = put_in(&text, &name, &*fields);
            }
            if text.len() > MESSAGE_BYTES {
                let id = serde_json::to_value(&answered).unwrap_or(Value::Null);
                let words = format!("the answer has {} bytes; the limit is {MESSAGE_BYTES}", text.len());
                text = error_answer(id, -32603, &words).to_string();
            }
            if outgoing.put(text, None) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
        }
    }

    /// Cancel-safe: a message stays in the channel until it is returned.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.incoming.close();
        Ok(())
    }
}

/// The name of the result that a message only stands for.
fn stand_in(message: &TxJsonRpcMessage<RoleServer>) -> Option<&str> {
    let TxJsonRpcMessage::<RoleServer>::Response(response) = message else { return None };
    let ServerResult::CallToolResult(result) = &response.result else { return None };
    result.structured_content.as_ref()?.as_str()
}

/// The message with the real fields in the place of those that stand for them.
fn put_in(message: &str, name: &str, fields: &dyn Fields) -> String {
    let Some((before, after)) = message.split_once(&format!(r#""content":[],"structuredContent":"{name}""#))
    else {
        return message.to_owned();
    };
    let mut whole = before.as_bytes().to_vec();
    fields.write(&mut whole);
    whole.extend_from_slice(after.as_bytes());
    String::from_utf8(whole).unwrap_or_default()
}

struct Reader<F> {
    front: F,
    joiner: Joiner,
    to_rmcp: mpsc::Sender<ClientJsonRpcMessage>,
    outgoing: Queue,
    in_flight: InFlight,
    request_seen: bool,
}

impl<F: Front> Reader<F> {
    async fn read_all(mut self, mut input: Input, framing: Framing, root: &Cancel) -> Closed {
        let mut decoder = Decoder::new(framing);
        let mut bytes = vec![0; 64 * 1024];
        loop {
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
                    Err(error) => return Closed::Broken(error),
                }
            }
            match last {
                Ok(Some(body)) => self.take(body).await,
                Ok(None) => {}
                Err(error) => return Closed::Broken(error),
            }
            if count == 0 {
                return Closed::Clean;
            }
        }
    }

    async fn take(&mut self, body: Vec<u8>) {
        let mut bytes = body.len();
        let message = match envelope::open(&body) {
            Envelope::Message(message) => message,
            Envelope::Broken(answer) => return self.reply(&answer),
            Envelope::Chunk(frame) => match self.joiner.push(frame.chunk) {
                Ok(None) => return,
                Err(error) => {
                    return self.reply(&error_answer(Value::Null, INVALID_REQUEST, &error.to_string()));
                }
                Ok(Some(text)) => match envelope::open(text.as_bytes()) {
                    Envelope::Message(message) => {
                        bytes = text.len();
                        message
                    }
                    Envelope::Broken(answer) => return self.reply(&answer),
                    Envelope::Chunk(_) => {
                        return self.reply(&error_answer(
                            Value::Null,
                            INVALID_REQUEST,
                            "a chunk inside chunks",
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
            return;
        }
        if let Some(message) = self.as_mcp(message, bytes) {
            let _ = self.to_rmcp.send(message).await;
        }
    }

    /// The message as rmcp's type, or `None` when it was answered here or means nothing.
    fn as_mcp(&mut self, message: Value, bytes: usize) -> Option<ClientJsonRpcMessage> {
        let id = message.get("id").cloned();
        let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
        let params = message.get("params").cloned();
        let is_request = id.is_some() && method.is_some();
        if !is_request && !self.request_seen {
            // rmcp gives up when anything but a request comes first; such a message cannot mean anything yet.
            tracing::debug!(?method, "a message before the first request is ignored");
            return None;
        }
        let parsed: Result<ClientJsonRpcMessage, _> = serde_json::from_value(message);
        let bad = match &parsed {
            Err(error) => Some(error.to_string()),
            Ok(ClientJsonRpcMessage::Request(request)) => misfit(&request.request, params.as_ref()),
            Ok(_) => None,
        };
        if let Some(reason) = bad {
            if let (Some(id), Some(method)) = (id, method) {
                let words = format!("the parameters of `{method}` do not fit: {reason}");
                self.reply(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": words}}));
            }
            return None;
        }
        let parsed = parsed.ok()?;
        if let ClientJsonRpcMessage::Request(request) = &parsed {
            self.request_seen = true;
            if !self.in_flight.begin(&request.id, bytes) {
                let id = serde_json::to_value(&request.id).unwrap_or(Value::Null);
                self.reply(&error_answer(
                    id,
                    INVALID_REQUEST,
                    "a request with this id is still being answered",
                ));
                return None;
            }
        }
        Some(parsed)
    }

    fn reply(&self, answer: &Value) {
        self.outgoing.put(answer.to_string(), None);
    }
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
    "subscriptions/listen",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];

/// Why a request of a method that MCP knows was not understood as such; rmcp would call it a custom one.
fn misfit(request: &ClientRequest, params: Option<&Value>) -> Option<String> {
    let ClientRequest::CustomRequest(custom) = request else { return None };
    if custom.method == "tools/call" {
        let params = params.cloned().unwrap_or(json!({}));
        return Some(match serde_json::from_value::<rmcp::model::CallToolRequestParams>(params) {
            Err(error) => error.to_string(),
            Ok(_) => "they are not those of a tool call".to_owned(),
        });
    }
    KNOWN.contains(&custom.method.as_str()).then(|| "a field is missing or has the wrong type".to_owned())
}

/// Writes what comes: small messages at once, large ones chunk by chunk, so that the small ones can pass.
async fn write_all(
    mut output: Output,
    framing: Framing,
    mut queue: mpsc::UnboundedReceiver<Outgoing>,
    room: &Room,
) {
    let mut large: VecDeque<(Splitter, Option<oneshot::Sender<()>>)> = VecDeque::new();
    loop {
        let next = if large.is_empty() { queue.recv().await } else { queue.try_recv().ok() };
        let written = match next {
            Some(Outgoing { text, written }) if framing == Framing::Length && text.len() > CHUNK_BYTES => {
                large.push_back((Splitter::new(new_ulid(), text), written));
                continue;
            }
            Some(Outgoing { text, written }) => {
                let bytes = text.len();
                let result = output.write_all(&frame::encode(framing, text.into_bytes())).await;
                room.give(bytes);
                result.map(|()| written)
            }
            None => match large.front_mut() {
                None => return,
                Some((splitter, written)) => {
                    if let Some(chunk) = splitter.next() {
                        let text = serde_json::to_string(&chunk).unwrap_or_default();
                        let result = output.write_all(&frame::encode(framing, text.into_bytes())).await;
                        room.give(chunk.chunk.data.len());
                        // A peer that reads fast never makes us wait: without this, a cancel would not be read for a hundred chunks.
                        task::yield_now().await;
                        result.map(|()| None)
                    } else {
                        let written = written.take();
                        large.pop_front();
                        Ok(written)
                    }
                }
            },
        };
        match written {
            Ok(Some(written)) => {
                let _ = output.flush().await;
                let _ = written.send(());
            }
            Ok(None) => {
                if output.flush().await.is_err() {
                    return;
                }
            }
            Err(error) => {
                // The reader sees the end of the port by itself; nothing written here can be delivered any more.
                tracing::debug!(%error, "the other side no longer reads");
                return;
            }
        }
    }
}
