//! The transport: one reader task, one writer task, and rmcp between them.
//!
//! The reader turns bytes into messages and answers by itself what MCP must not see (rubbish, hello). The writer lets small
//! messages pass between the chunks of large ones. End of input cancels every running call at once: rmcp's own five seconds of
//! patience would outlive the two that a browser gives us.

mod in_flight;
mod reader;
mod writer;

use std::{io, sync::Arc};

use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ClientNotification, ErrorCode, ServerResult},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};

use self::{
    in_flight::InFlight,
    reader::Reader,
    writer::{Queue, write_all},
};
use super::{
    chunk::Joiner,
    envelope::error_answer,
    frame::{FrameError, Framing},
    stdout::{Input, Output},
};
use crate::{
    aside::{Aside, Fields},
    cancel::Cancel,
    limits::MESSAGE_BYTES,
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
        let closed_sender = Arc::new(closed_sender);
        let (end, root_of_writer) = (Arc::clone(&closed_sender), root.clone());
        tokio::spawn(async move {
            let written = write_all(output, framing, queue, &room).await;
            room.close();
            if let Err(error) = written {
                // The input may stay open for good: whoever hears no answer has gone all the same.
                tracing::info!(%error, "the other side no longer reads");
                root_of_writer.cancel();
                let _ = end.send(Some(Closed::Clean));
            }
        });
        let reader = Reader {
            front,
            joiner: Joiner::default(),
            to_rmcp,
            outgoing: outgoing.clone(),
            in_flight: in_flight.clone(),
            has_begun: false,
            has_answered: false,
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
        mut message: TxJsonRpcMessage<RoleServer>,
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
        // Of a method that it knows and we do not offer, rmcp says the bare name.
        if let TxJsonRpcMessage::<RoleServer>::Error(answer) = &mut message
            && answer.error.code == ErrorCode::METHOD_NOT_FOUND
            && !answer.error.message.contains(' ')
        {
            answer.error.message = format!("there is no method `{}`", answer.error.message).into();
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
        let message = self.incoming.recv().await;
        // rmcp drops what a cancelled request would have answered: nobody would hear of its end.
        if let Some(RxJsonRpcMessage::<RoleServer>::Notification(message)) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &message.notification
            && let Some(id) = &cancelled.params.request_id
        {
            self.in_flight.cancel(id);
        }
        message
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
