//! Chromium, asked over two pipes: its own protocol for tools, JSON texts with a zero byte after each.
//!
//! No port is opened, so nobody else on the machine can take part. The browser ends with the conversation.

use std::{
    ffi::OsString,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::Path,
    process::ChildStdin,
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::browser_probe::Met;
use crate::process::{OwnChild, OwnProgram};

/// A browser starts within a few seconds; on a machine under load, later.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long a browser gets to end by itself.
const FAREWELL: Duration = Duration::from_secs(10);
/// Between two looks whether the page is there.
const ROUND: Duration = Duration::from_millis(50);
/// How much is kept of what a browser says about itself, and of one of its answers.
const WORDS_BYTES: u64 = 64 * 1024;
/// Nothing that we ask for is longer.
const ANSWER_BYTES: u64 = 4 * 1024 * 1024;

/// What a browser is started with.
#[derive(Debug)]
pub(super) struct Meeting<'a> {
    /// The browser.
    pub program: &'a Path,
    /// The home folder that it sees.
    pub home: &'a Path,
    /// Its user data folder.
    pub profile: &'a Path,
    /// The extension's folder.
    pub extension: &'a Path,
    /// The extension's origin.
    pub id: &'a str,
    /// What a page of the extension evaluates: a promise of `{answer}` or `{closed}`.
    pub expression: &'a str,
    /// Chromium has no sandbox for root.
    pub is_root: bool,
}

/// Starts the browser, loads the extension, evaluates in a page of it, and ends the browser.
pub(super) fn meet(meeting: &Meeting<'_>) -> Met {
    let args = arguments(meeting);
    let browser = OwnProgram::Browser { path: meeting.program, args: &args, home: meeting.home, piped: true };
    let child = match browser.spawn() {
        Ok(child) => child,
        Err(error) => return Met::Impossible(error.to_string()),
    };
    let Some(mut conversation) = Conversation::open(child) else {
        return Met::Impossible("its streams could not be opened".to_owned());
    };
    let said = conversation.run(meeting);
    // A browser that is killed leaves its socket in the folder for temporary files.
    conversation.until = Instant::now() + FAREWELL;
    if conversation.ask("Browser.close", &json!({}), None).is_ok()
        && let Some(child) = &conversation.child
    {
        child.wait_for(FAREWELL);
    }
    match said {
        Ok(said) => Met::Said(said),
        Err(reason) => Met::Impossible(conversation.with_last_words(reason)),
    }
}

fn arguments(meeting: &Meeting<'_>) -> Vec<OsString> {
    let mut profile = OsString::from("--user-data-dir=");
    profile.push(meeting.profile);
    let mut args: Vec<OsString> = [
        "--headless=new",
        "--remote-debugging-pipe",
        "--enable-unsafe-extension-debugging",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-gpu",
        "--password-store=basic",
        "--use-mock-keychain",
    ]
    .into_iter()
    .map(OsString::from)
    .collect();
    args.push(profile);
    if meeting.is_root {
        args.push("--no-sandbox".into());
    }
    args.push("about:blank".into());
    args
}

struct Conversation {
    input: ChildStdin,
    messages: Receiver<Value>,
    words: Receiver<String>,
    next: u64,
    until: Instant,
    child: Option<OwnChild>,
}

impl Conversation {
    fn open(mut child: OwnChild) -> Option<Self> {
        let input = child.take_stdin()?;
        let mut output = BufReader::new(child.take_stdout()?);
        let errors = child.take_stderr()?;
        let (sender, messages) = mpsc::channel();
        // Without a thread nobody hears it: it has then said nothing.
        let _ = thread::Builder::new().spawn(move || {
            loop {
                let mut text = Vec::new();
                let read = output.by_ref().take(ANSWER_BYTES).read_until(0, &mut text);
                if !matches!(read, Ok(count) if count > 0) {
                    return;
                }
                text.pop_if(|last| *last == 0);
                let Ok(message) = serde_json::from_slice(&text) else { continue };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let words = super::marionette::last_line(errors, WORDS_BYTES);
        Some(Self { input, messages, words, next: 0, until: Instant::now() + PATIENCE, child: Some(child) })
    }

    fn run(&mut self, meeting: &Meeting<'_>) -> Result<Value, String> {
        let loaded = self.ask("Extensions.loadUnpacked", &json!({"path": meeting.extension}), None)?;
        let id = loaded["id"].as_str().unwrap_or_default();
        if format!("chrome-extension://{id}/") != meeting.id {
            return Err(format!("it gave the extension another id, `{id}`"));
        }
        let page =
            self.ask("Target.createTarget", &json!({"url": format!("{}meet.html", meeting.id)}), None)?;
        let attach = json!({"targetId": page["targetId"], "flatten": true});
        let session = self.ask("Target.attachToTarget", &attach, None)?["sessionId"].clone();
        let evaluate = json!({"expression": meeting.expression, "awaitPromise": true, "returnByValue": true});
        loop {
            // While the page is being loaded, what is evaluated belongs to nothing, or ends with it.
            if let Ok(evaluated) = self.ask("Runtime.evaluate", &evaluate, session.as_str()) {
                let said = &evaluated["result"]["value"];
                if said.is_object() && said["early"] != true {
                    return Ok(said.clone());
                }
            }
            if Instant::now() > self.until {
                return Err("a page of the extension never came to be".to_owned());
            }
            thread::sleep(ROUND);
        }
    }

    /// The result of one method.
    fn ask(&mut self, method: &str, params: &Value, session: Option<&str>) -> Result<Value, String> {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        // One that does not read is found out by its missing answer.
        let _ = self.input.write_all(format!("{message}\0").as_bytes()).and_then(|()| self.input.flush());
        loop {
            match self.messages.recv_timeout(self.until.saturating_duration_since(Instant::now())) {
                Ok(answer) if answer["id"] == self.next => {
                    let refused = answer["error"]["message"].as_str();
                    return refused.map_or_else(
                        || Ok(answer["result"].clone()),
                        |words| Err(format!("it refuses `{method}`: {words}")),
                    );
                }
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("it did not answer `{method}` within {} s", PATIENCE.as_secs()));
                }
                Err(RecvTimeoutError::Disconnected) => return Err("it ended by itself".to_owned()),
            }
        }
    }

    /// The reason, with what the browser said last about itself.
    fn with_last_words(&mut self, reason: String) -> String {
        drop(self.child.take());
        match self.words.recv_timeout(Duration::from_secs(2)) {
            Ok(words) if !words.is_empty() => format!("{reason}; its last words: {words}"),
            _ => reason,
        }
    }
}
