//! Starts a host as a browser would and talks to it: hello, the workspaces, the end of input.
//!
//! Reports what was seen and judges nothing. Reads at most what a browser would read, waits at most its limits (see `Patience`), and leaves
//! no process behind.

use std::{
    collections::VecDeque,
    ffi::OsString,
    io::{self, BufReader, Read, Write as _},
    path::Path,
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    thread::Builder,
    time::Duration,
};

use byteorder::{NativeEndian, ReadBytesExt as _};
use serde_json::{Value, json};

use super::{
    patience::Patience,
    proof::{self, Joining},
};
use crate::{
    install::scratch::Scratch,
    process::{Ending, OwnChild, OwnProgram, ProcessError},
};

/// Browsers close the port at a longer message; a larger length is text on the host's output, read as a number.
const BROWSER_LIMIT: usize = 1024 * 1024;
/// A longer "frame" is text that was read as a length: the last of four letters alone makes more than that.
const PLAUSIBLE: usize = 64 * 1024 * 1024;
/// Frames that are read before somebody has asked for them.
const FRAMES: usize = 16;
/// How much of a host's error output is kept: its last words are the reason.
const STDERR_BYTES: usize = 2048;

/// How long a host may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// To answer.
    pub answer: Duration,
    /// To leave after its input was closed.
    pub exit: Duration,
}

impl Default for Limits {
    /// Five seconds are forever for a hello; after two, Chromium kills the host.
    fn default() -> Self {
        Self { answer: Duration::from_secs(5), exit: Duration::from_secs(2) }
    }
}

/// Everything that was seen.
#[derive(Debug)]
pub struct Transcript {
    /// The limits that were in force.
    pub limits: Limits,
    /// The whole answer to hello: an object with `result` or `error`.
    pub hello: Result<Value, Fault>,
    /// Whether large texts came back as they were sent, in one frame and in chunks; `None` when it was not tried.
    pub echo: Option<Result<(), Fault>>,
    /// The answer to `outrigger/workspaces/list`; `None` when it was not asked.
    pub workspaces: Option<Result<Value, Fault>>,
    /// The answer to `outrigger/policy/get`, with the programs looked for; `None` when it was not asked.
    pub policy: Option<Result<Value, Fault>>,
    /// The answer to `outrigger/policy/get`, with a program started as commands are; `None` when it was not asked.
    pub trial: Option<Result<Value, Fault>>,
    /// How it ended after its input was closed; `None`: it did not, and was killed.
    pub ending: Option<Ending>,
    /// It has ended, but a process that it started keeps its output open.
    pub output_held: bool,
    /// What it wrote after the last answer that is no frame.
    pub late: Option<Fault>,
    /// The end of what it wrote to its error output.
    pub stderr: String,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It did not start.
    #[error(transparent)]
    Start(#[from] ProcessError),
    /// A stream was not to be had.
    #[error("the host's streams could not be opened")]
    Streams,
    /// Nothing came.
    #[error("no answer within {} ms", .limit.as_millis())]
    Silent {
        /// The limit.
        limit: Duration,
    },
    /// It closed its output, or ended.
    #[error("the host closed its output without an answer")]
    Closed,
    /// It ended inside a frame.
    #[error("the host's output ended inside a frame of {announced} bytes")]
    Torn {
        /// The announced length.
        announced: usize,
    },
    /// A length that no browser accepts.
    #[error("the host wrote something that is no frame: {seen:?}")]
    Stray {
        /// The first bytes, as text.
        seen: String,
    },
    /// A frame that is one, and longer than any browser takes.
    #[error("the host wrote a frame of {announced} bytes; browsers close the port at more than 1048576")]
    Oversize {
        /// The announced length.
        announced: usize,
    },
    /// Chunks that do not fit together.
    #[error("the host's chunks cannot be joined: {reason}")]
    Chunks {
        /// Why.
        reason: String,
    },
    /// What came back is something else.
    #[error("{what} came back changed")]
    Changed {
        /// Which.
        what: &'static str,
    },
    /// An answer without what was asked for.
    #[error("the host answered with an error: {message}")]
    Refused {
        /// Its words.
        message: String,
    },
    /// A frame without JSON.
    #[error("the host's frame is not JSON: {source}")]
    NotJson {
        /// Why.
        source: serde_json::Error,
    },
    /// It said good-bye.
    #[error("the host said bye: {message}")]
    Bye {
        /// Its words.
        message: String,
    },
    /// Reading failed.
    #[error("the host's output cannot be read: {0}")]
    Read(io::Error),
}

/// Starts, talks, ends.
pub fn probe(program: &Path, arguments: &[OsString], limits: Limits) -> Transcript {
    let failed = |fault| Transcript {
        limits,
        hello: Err(fault),
        echo: None,
        workspaces: None,
        policy: None,
        trial: None,
        ending: None,
        output_held: false,
        late: None,
        stderr: String::new(),
    };
    // Goes when the host has gone. Without one it is tried all the same.
    let scratch = Scratch::create().ok();
    let state = scratch.as_ref().map(Scratch::path);
    let child = match (OwnProgram::HostProbe { path: program, args: arguments, state }).spawn() {
        Ok(child) => child,
        Err(error) => return failed(error.into()),
    };
    match Conversation::open(child, limits) {
        Ok(Some(conversation)) => conversation.run(),
        Ok(None) => failed(Fault::Streams),
        Err(source) => {
            let program = program.to_string_lossy().into_owned();
            failed(ProcessError::Spawn { program, source }.into())
        }
    }
}

struct Conversation {
    child: OwnChild,
    /// To the thread that writes: a host that does not read keeps nobody else waiting.
    input: Sender<Vec<u8>>,
    frames: Receiver<Result<Value, Fault>>,
    stderr: Receiver<String>,
    limits: Limits,
    joining: Joining,
}

impl Conversation {
    /// An error where there are no threads to be had; `None` where there are no streams.
    fn open(mut child: OwnChild, limits: Limits) -> io::Result<Option<Self>> {
        let (Some(mut stdin), Some(stdout), Some(mut stderr)) =
            (child.take_stdin(), child.take_stdout(), child.take_stderr())
        else {
            return Ok(None);
        };
        let mut stdout = BufReader::new(stdout);
        // The threads end with the streams: at the latest when the child's group is killed.
        let (input, unwritten) = mpsc::channel::<Vec<u8>>();
        let write = move || unwritten.iter().try_for_each(|bytes| stdin.write_all(&bytes));
        Builder::new().spawn(write)?;
        // One that says more than anybody takes waits, as it would for a browser.
        let (frame_sender, frames) = mpsc::sync_channel(FRAMES);
        Builder::new().spawn(move || {
            while let Some(frame) = read_frame(&mut stdout) {
                let last = frame.is_err();
                if frame_sender.send(frame).is_err() || last {
                    break;
                }
            }
        })?;
        let (stderr_sender, stderr_text) = mpsc::channel();
        Builder::new().spawn(move || {
            let _ = stderr_sender.send(last_words(&mut stderr));
        })?;
        Ok(Some(Self { child, input, frames, stderr: stderr_text, limits, joining: Joining::default() }))
    }

    fn run(mut self) -> Transcript {
        self.send(&hello());
        let hello = self.answer("hello");
        let result = hello.as_ref().map(|answer| answer["result"].clone()).unwrap_or_default();
        let echoes = result["features"].as_array().is_some_and(|features| features.contains(&json!("echo")));
        let echo = echoes.then(|| self.echo());
        // After a fault of the wire nothing more is to be learned, and each question would cost its limit.
        let whole = !matches!(echo, Some(Err(_)));
        let serves = result["config"]["ok"] == true && whole;
        let workspaces = serves.then(|| self.ask("workspaces", "outrigger/workspaces/list", json!({})));
        let policy = serves.then(|| self.ask("policy", "outrigger/policy/get", json!({"resolve": true})));
        let trial = serves.then(|| self.ask("trial", "outrigger/policy/get", json!({"try": true})));
        let Self { child, input, frames, stderr, limits, .. } = self;
        drop(input);
        let patience = Patience::with(child.id(), limits.exit);
        let ending = loop {
            let (left, ending) = (patience.left(), child.wait_for(patience.left()));
            if ending.is_some() || left.is_zero() {
                break ending;
            }
        };
        let (closed, late) = if ending.is_some() { read_out(&frames, &patience) } else { (false, None) };
        let output_held = ending.is_some() && !closed;
        drop(child);
        // After the kill nobody writes any more, unless a process left the group; then its words are not waited for.
        let stderr = stderr.recv_timeout(limits.exit).unwrap_or_default();
        Transcript { limits, hello, echo, workspaces, policy, trial, ending, output_held, late, stderr }
    }

    fn ask(&mut self, id: &str, method: &str, params: Value) -> Result<Value, Fault> {
        self.send(&request(id, method, params));
        self.answer(id)
    }

    /// Large texts, there and back: in one frame, as browsers send them, and in chunks, as our extension does.
    fn echo(&mut self) -> Result<(), Fault> {
        let text = proof::text();
        for (id, in_chunks, what) in
            [("echo-1", false, "a text of 1 MB in one frame"), ("echo-2", true, "a text of 1 MB in chunks")]
        {
            let request = proof::request(id, &text);
            if in_chunks {
                for chunk in proof::chunks(id, &request.to_string()) {
                    self.send(&chunk);
                }
            } else {
                self.send(&request);
            }
            let answer = self.answer(id)?;
            if let Some(message) = answer["error"]["message"].as_str() {
                return Err(Fault::Refused { message: message.to_owned() });
            }
            if answer["result"]["text"].as_str() != Some(&text) {
                return Err(Fault::Changed { what });
            }
        }
        Ok(())
    }

    /// A host that does not read is found out by its missing answer.
    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
        let mut frame = length.to_ne_bytes().to_vec();
        frame.extend_from_slice(body.as_bytes());
        let _ = self.input.send(frame);
    }

    /// The message with this id; notifications before it are passed over, all but a bye.
    fn answer(&mut self, id: &str) -> Result<Value, Fault> {
        let limit = self.limits.answer;
        let patience = Patience::with(self.child.id(), limit);
        loop {
            let left = patience.left();
            if left.is_zero() {
                // It may have said much else meanwhile.
                return Err(Fault::Silent { limit });
            }
            let message = match self.frames.recv_timeout(left) {
                Ok(frame) => frame?,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Err(Fault::Closed),
            };
            let message = match message.get("chunk") {
                Some(chunk) => match self.joining.take(chunk).map_err(|reason| Fault::Chunks { reason })? {
                    Some(whole) => whole,
                    None => continue,
                },
                None => message,
            };
            if message["id"] == id {
                return Ok(message);
            }
            if message["method"] == "notifications/outrigger/bye" {
                let params = &message["params"];
                let words = params["message"].as_str().or(params["reason"].as_str()).unwrap_or_default();
                return Err(Fault::Bye { message: words.to_owned() });
            }
        }
    }
}

/// Whether the reader comes to an end in time, and the first thing on the way there that is no frame.
fn read_out(frames: &Receiver<Result<Value, Fault>>, patience: &Patience) -> (bool, Option<Fault>) {
    let mut late = None;
    loop {
        let left = patience.left();
        match frames.recv_timeout(left) {
            Err(RecvTimeoutError::Disconnected) => return (true, late),
            Ok(Err(fault)) => late = late.or(Some(fault)),
            _ if left.is_zero() => return (false, late),
            _ => {}
        }
    }
}

/// What every conversation begins with.
pub(super) fn hello() -> Value {
    json!({
        "jsonrpc": "2.0", "id": "hello", "method": "outrigger/hello",
        "params": {
            "client": {"name": "outrigger-doctor", "version": env!("CARGO_PKG_VERSION")},
            "protocol": {"min": 1, "max": 1},
        },
    })
}

fn request(id: &str, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "outrigger-doctor", "version": env!("CARGO_PKG_VERSION")},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// The next frame; `None` at a clean end.
fn read_frame(stdout: &mut BufReader<impl Read>) -> Option<Result<Value, Fault>> {
    let mut header = [0; 4];
    let mut filled = 0;
    while filled < header.len() {
        match stdout.read(&mut header[filled..]) {
            Ok(0) if filled == 0 => return None,
            Ok(0) => return Some(Err(stray(&header[..filled], stdout))),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Some(Err(Fault::Read(error))),
        }
    }
    let Ok(announced) = (&header[..]).read_u32::<NativeEndian>().map(|length| length as usize) else {
        return Some(Err(Fault::Streams));
    };
    if announced > BROWSER_LIMIT {
        if announced <= PLAUSIBLE {
            return Some(Err(Fault::Oversize { announced }));
        }
        return Some(Err(stray(&header, stdout)));
    }
    let mut body = vec![0; announced];
    Some(match stdout.read_exact(&mut body) {
        Ok(()) => serde_json::from_slice(&body).map_err(|source| Fault::NotJson { source }),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(Fault::Torn { announced }),
        Err(error) => Err(Fault::Read(error)),
    })
}

/// What stands where a frame should: the header's bytes and what came with them, without waiting for more.
fn stray(header: &[u8], stdout: &BufReader<impl Read>) -> Fault {
    let more = stdout.buffer();
    let bytes = [header, &more[..more.len().min(60)]].concat();
    Fault::Stray { seen: String::from_utf8_lossy(&bytes).into_owned() }
}

/// Reads to the end, so that the host never blocks, and keeps the last of it.
fn last_words(stderr: &mut impl Read) -> String {
    let mut kept: VecDeque<u8> = VecDeque::with_capacity(STDERR_BYTES);
    let mut buffer = [0; 4096];
    while let Ok(count) = stderr.read(&mut buffer) {
        if count == 0 {
            break;
        }
        kept.extend(&buffer[..count]);
        let surplus = kept.len().saturating_sub(STDERR_BYTES);
        kept.drain(..surplus);
    }
    String::from_utf8_lossy(kept.make_contiguous()).into_owned()
}
