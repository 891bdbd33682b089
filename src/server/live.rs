//! What a call says while it runs: progress to whoever gave a token, live output to a peer that said hello.
//!
//! The tool's thread only fills a small buffer; a task empties it at most every 50 ms. Whatever the tool prints faster than the
//! browser can take is skipped and counted, never queued without bound.

use std::{
    str::Utf8Chunk,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rmcp::{
    Peer, RoleServer,
    model::{CustomNotification, ProgressNotificationParam, ProgressToken, ServerNotification},
};
use serde_json::json;
use tokio::{sync::Notify, task::JoinHandle, time};

use crate::{room::Room, tools::Sink};

/// At most one notification per call in this time.
const INTERVAL: Duration = Duration::from_millis(50);
/// Clients reset their timeouts on progress; five seconds is well below any default.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Output kept between two notifications, and the most text of one.
const BUFFER_BYTES: usize = 64 * 1024;

/// Where a call's news go.
#[derive(Clone, Debug)]
pub struct Audience {
    /// Takes notifications.
    pub peer: Peer<RoleServer>,
    /// Given when progress is wanted.
    pub token: Option<ProgressToken>,
    /// The call's key, when live output is wanted.
    pub output_of: Option<String>,
    /// How much waits for it.
    pub room: Room,
    /// What the same request was told before: it waits for a plan, for a person, and for the call.
    pub sent: Sent,
}

/// The progress that was told last in a request.
#[derive(Clone, Debug, Default)]
pub struct Sent(Arc<Mutex<f64>>);

impl Sent {
    /// Progress must grow with each notification, says MCP; a heartbeat grows by a thousandth.
    fn grow(&self, done: f64) -> f64 {
        let mut sent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *sent = if done > *sent { done } else { *sent + 0.001 };
        *sent
    }
}

/// The tool's side.
#[derive(Debug, Default)]
pub struct LiveSink {
    pending: Mutex<Pending>,
    news: Notify,
    over: Notify,
}

#[derive(Debug, Default)]
struct Pending {
    progress: Option<(u64, Option<u64>, String)>,
    output: Vec<u8>,
    offset: u64,
    skipped: u64,
    ended: bool,
}

impl Sink for LiveSink {
    fn progress(&self, done: u64, total: Option<u64>, message: &str) {
        self.lock().progress = Some((done, total, message.to_owned()));
        self.news.notify_one();
    }

    fn output(&self, bytes: &[u8]) {
        let mut pending = self.lock();
        pending.output.extend_from_slice(bytes);
        if let Some(surplus) = pending.output.len().checked_sub(BUFFER_BYTES).filter(|surplus| *surplus > 0) {
            pending.output.drain(..surplus);
            pending.skipped += surplus as u64;
        }
        drop(pending);
        self.news.notify_one();
    }
}

impl LiveSink {
    /// Starts the task that tells `audience`; it ends after [`LiveSink::end`], everything told.
    pub fn start(audience: Audience) -> (Arc<Self>, JoinHandle<()>) {
        let sink = Arc::new(Self::default());
        let teller = Teller { audience, last: None };
        let task = tokio::spawn(teller.tell(Arc::clone(&sink)));
        (sink, task)
    }

    /// Says that nothing more comes.
    pub fn end(&self) {
        self.lock().ended = true;
        self.news.notify_one();
        self.over.notify_one();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Teller {
    audience: Audience,
    last: Option<(Option<u64>, String)>,
}

impl Teller {
    async fn tell(mut self, sink: Arc<LiveSink>) {
        loop {
            let heard = time::timeout(HEARTBEAT, sink.news.notified()).await.is_ok();
            // A peer that does not read gets no more to read: the buffer keeps the end and counts the rest.
            if self.audience.room.is_full() && !sink.lock().ended {
                let _ = time::timeout(INTERVAL, sink.over.notified()).await;
                sink.news.notify_one();
                continue;
            }
            let (progress, output, ended) = take(&sink);
            if let Some((text, offset, skipped)) = output {
                self.tell_output(&text, offset, skipped).await;
            }
            match progress {
                Some((done, total, message)) => self.tell_progress(done as f64, total, message).await,
                None if !heard => {
                    let (total, message) = self.last.clone().unwrap_or((None, "still running".to_owned()));
                    self.tell_progress(0.0, total, message).await;
                }
                None => {}
            }
            if ended {
                return;
            }
            // The end of the call does not wait for the interval.
            let _ = time::timeout(INTERVAL, sink.over.notified()).await;
        }
    }

    async fn tell_progress(&mut self, done: f64, total: Option<u64>, message: String) {
        let Some(token) = self.audience.token.clone() else { return };
        let sent = self.audience.sent.grow(done);
        let mut params = ProgressNotificationParam::new(token, sent).with_message(message.clone());
        if let Some(total) = total {
            params = params.with_total(total as f64);
        }
        self.last = Some((total, message));
        let _ = self.audience.peer.notify_progress(params).await;
    }

    async fn tell_output(&self, text: &str, offset: u64, skipped: u64) {
        let Some(call) = &self.audience.output_of else { return };
        let params = json!({"call": call, "text": text, "offset": offset, "skipped_bytes": skipped});
        let notification = CustomNotification::new("notifications/outrigger/output", Some(params));
        let _ =
            self.audience.peer.send_notification(ServerNotification::CustomNotification(notification)).await;
    }
}

type News = (Option<(u64, Option<u64>, String)>, Option<(String, u64, u64)>, bool);

fn take(sink: &LiveSink) -> News {
    let mut pending = sink.lock();
    let complete = if pending.ended { pending.output.len() } else { complete_prefix(&pending.output) };
    let output = (complete > 0 || pending.skipped > 0).then(|| {
        let mut bytes: Vec<u8> = pending.output.drain(..complete).collect();
        let surplus = surplus(&bytes);
        bytes.drain(..surplus);
        let skipped = std::mem::take(&mut pending.skipped) + surplus as u64;
        let offset = pending.offset + skipped;
        pending.offset = offset + bytes.len() as u64;
        (String::from_utf8_lossy(&bytes).into_owned(), offset, skipped)
    });
    (pending.progress.take(), output, pending.ended)
}

/// How many of the first bytes have to go, so that the text of the rest is short enough: what is no text is longer once it is shown.
fn surplus(bytes: &[u8]) -> usize {
    const SHOWN: usize = '\u{fffd}'.len_utf8();
    let shown =
        |chunk: &Utf8Chunk<'_>| chunk.valid().len() + if chunk.invalid().is_empty() { 0 } else { SHOWN };
    let mut length: usize = bytes.utf8_chunks().map(|chunk| shown(&chunk)).sum();
    let mut gone = 0;
    for chunk in bytes.utf8_chunks() {
        let Some(too_long) = length.checked_sub(BUFFER_BYTES).filter(|too_long| *too_long > 0) else { break };
        if too_long <= chunk.valid().len() {
            return gone + chunk.valid().ceil_char_boundary(too_long);
        }
        length -= shown(&chunk);
        gone += chunk.valid().len() + chunk.invalid().len();
    }
    gone
}

/// How much of `bytes` does not end inside a character.
fn complete_prefix(bytes: &[u8]) -> usize {
    match bytes.utf8_chunks().last() {
        Some(chunk)
            if chunk.invalid().len() < 4
                && !chunk.invalid().is_empty()
                && could_continue(chunk.invalid()) =>
        {
            bytes.len() - chunk.invalid().len()
        }
        _ => bytes.len(),
    }
}

/// True for the beginning of a character whose rest may still come.
fn could_continue(bytes: &[u8]) -> bool {
    let length = match bytes.first() {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => return false,
    };
    bytes.len() < length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_never_cut_in_two() {
        let crab = "a🦀".as_bytes();
        for (end, complete) in [(1, 1), (2, 1), (3, 1), (4, 1), (5, 5)] {
            assert_eq!(complete_prefix(&crab[..end]), complete);
        }
        assert_eq!(complete_prefix(b"a\xff"), 2);
    }

    #[test]
    fn what_is_no_text_does_not_grow_beyond_the_limit() {
        let mixed = ["é".repeat(BUFFER_BYTES / 8).as_bytes(), &vec![0xff; BUFFER_BYTES / 2]].concat();
        for bytes in [vec![0xff; BUFFER_BYTES], mixed, "€".repeat(BUFFER_BYTES / 3).into_bytes()] {
            let sink = LiveSink::default();
            sink.output(&bytes);
            sink.output(b"end");
            let (text, offset, skipped) = take(&sink).1.unwrap();
            assert!((BUFFER_BYTES - 8..=BUFFER_BYTES).contains(&text.len()), "{}", text.len());
            assert!(text.ends_with("end"));
            assert_eq!(offset, skipped);
            sink.output(b"e");
            assert_eq!(take(&sink).1, Some(("e".into(), bytes.len() as u64 + 3, 0)));
        }
    }

    #[test]
    fn what_does_not_fit_is_skipped_and_counted() {
        let sink = LiveSink::default();
        sink.output(&vec![b'a'; BUFFER_BYTES]);
        sink.output(b"bcd");
        let (_, output, _) = take(&sink);
        let (text, offset, skipped) = output.unwrap();
        assert_eq!((text.len(), offset, skipped), (BUFFER_BYTES, 3, 3));
        assert!(text.ends_with("bcd"));
        sink.output(b"e");
        assert_eq!(take(&sink).1, Some(("e".into(), BUFFER_BYTES as u64 + 3, 0)));
    }
}
