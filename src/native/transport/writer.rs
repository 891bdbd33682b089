//! The writer task: small messages pass between the chunks of large ones.

use std::{collections::VecDeque, io};

use tokio::{
    io::AsyncWriteExt as _,
    sync::{mpsc, oneshot},
    task,
};

use crate::{
    ids::new_ulid,
    limits::CHUNK_BYTES,
    native::{
        chunk::Splitter,
        frame::{self, Framing},
        stdout::Output,
    },
    room::Room,
};

/// The way to the writer; what is in it is counted.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    pub(super) sender: mpsc::UnboundedSender<Outgoing>,
    pub(super) room: Room,
}

impl Queue {
    /// False when nobody writes any more.
    pub(super) fn put(&self, text: String, written: Option<oneshot::Sender<()>>) -> bool {
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
pub(super) struct Outgoing {
    text: String,
    /// Told when the bytes have been handed to the system.
    written: Option<oneshot::Sender<()>>,
}

/// Writes what comes: small messages at once, large ones chunk by chunk, so that the small ones can pass. Returns when nobody has
/// anything to write any more, or with the reason why nobody can hear it.
pub(super) async fn write_all(
    mut output: Output,
    framing: Framing,
    mut queue: mpsc::UnboundedReceiver<Outgoing>,
    room: &Room,
) -> io::Result<()> {
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
                None => return Ok(()),
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
                output.flush().await?;
            }
            Err(error) => return Err(error),
        }
    }
}
