//! Firefox, asked over its own protocol for tests: it takes an add-on that nobody signed for as long as it runs.
//!
//! The port is one that this Firefox opened on this machine for us and wrote into its profile, which only this user can read; it is the
//! one connection that outrigger ever makes, and only when the doctor is told to start browsers. What the add-on has to say comes over
//! the browser's output.

use std::{
    ffi::OsString,
    io::{BufRead as _, BufReader, Read, Write as _},
    net::{Ipv4Addr, TcpStream},
    path::Path,
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::browser_probe::Met;
use crate::{
    install::files,
    process::{OwnChild, OwnProgram},
};

/// A browser starts within a few seconds; on a machine under load, later.
const PATIENCE: Duration = Duration::from_mins(1);
/// Between two looks whether it listens.
const ROUND: Duration = Duration::from_millis(50);
/// How much is kept of what a browser says about itself.
const WORDS_BYTES: u64 = 64 * 1024;
/// No answer is longer.
const ANSWER_BYTES: usize = 1024 * 1024;

/// Stands before what the add-on has to say.
pub(super) const MARK: &str = "outrigger-doctor ";
/// Where Firefox says which port it took.
const PORT_FILE: &str = "MarionetteActivePort";
/// A free port; what the add-on dumps is printed; nothing is asked, fetched or told.
pub(super) const PREFERENCES: &str = r#"user_pref("marionette.port", 0);
user_pref("browser.dom.window.dump.enabled", true);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
user_pref("app.update.enabled", false);
user_pref("extensions.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
"#;

/// What a browser is started with.
#[derive(Debug)]
pub(super) struct Meeting<'a> {
    /// The browser.
    pub program: &'a Path,
    /// The home folder that it sees.
    pub home: &'a Path,
    /// Its profile.
    pub profile: &'a Path,
    /// The add-on's folder.
    pub extension: &'a Path,
}

/// Starts the browser, loads the add-on, waits for what it says, and ends the browser.
pub(super) fn meet(meeting: &Meeting<'_>) -> Met {
    let mut args: Vec<OsString> =
        ["--headless", "--no-remote", "--marionette", "--profile"].into_iter().map(OsString::from).collect();
    args.push(meeting.profile.into());
    args.push("about:blank".into());
    let browser =
        OwnProgram::Browser { path: meeting.program, args: &args, home: meeting.home, piped: false };
    let mut child = match browser.spawn() {
        Ok(child) => child,
        Err(error) => return Met::Impossible(error.to_string()),
    };
    drop(child.take_stdin());
    let (Some(output), Some(errors)) = (child.take_stdout(), child.take_stderr()) else {
        return Met::Impossible("its streams could not be opened".to_owned());
    };
    let said = marked(output);
    let words = last_line(errors, WORDS_BYTES);
    match converse(meeting, &child, &said) {
        Ok(said) => Met::Said(said),
        Err(reason) => {
            drop(child);
            match words.recv_timeout(Duration::from_secs(2)) {
                Ok(words) if !words.is_empty() => {
                    Met::Impossible(format!("{reason}; its last words: {words}"))
                }
                _ => Met::Impossible(reason),
            }
        }
    }
}

fn converse(meeting: &Meeting<'_>, child: &OwnChild, said: &Receiver<Value>) -> Result<Value, String> {
    let until = Instant::now() + PATIENCE;
    let port = port(&meeting.profile.join(PORT_FILE), child, until)?;
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))
        .map_err(|error| format!("it does not take a connection: {error}"))?;
    let left = until.saturating_duration_since(Instant::now()).max(ROUND);
    stream.set_read_timeout(Some(left)).map_err(|error| error.to_string())?;
    read(&mut stream)?;
    ask(&mut stream, 1, "WebDriver:NewSession", &json!({}))?;
    ask(&mut stream, 2, "Addon:Install", &json!({"path": meeting.extension, "temporary": true}))?;
    said.recv_timeout(until.saturating_duration_since(Instant::now()))
        .map_err(|_| "its add-on said nothing".to_owned())
}

/// The port that the browser took, as soon as it has said so.
fn port(file: &Path, child: &OwnChild, until: Instant) -> Result<u16, String> {
    loop {
        let text = files::read_some(file).unwrap_or_default();
        if let Ok(port) = String::from_utf8_lossy(&text).trim().parse() {
            return Ok(port);
        }
        if child.wait_for(ROUND).is_some() {
            return Err("it ended by itself".to_owned());
        }
        if Instant::now() > until {
            return Err(format!("it did not listen within {} s", PATIENCE.as_secs()));
        }
    }
}

/// One command: `length:[0, number, name, parameters]`, answered by `length:[1, number, error, result]`.
fn ask(stream: &mut TcpStream, number: u64, command: &str, params: &Value) -> Result<Value, String> {
    let text = json!([0, number, command, params]).to_string();
    stream.write_all(format!("{}:{text}", text.len()).as_bytes()).map_err(|error| error.to_string())?;
    let answer = read(stream)?;
    match answer[2]["message"].as_str() {
        Some(words) => Err(format!("it refuses `{command}`: {words}")),
        None => Ok(answer[3].clone()),
    }
}

fn read(stream: &mut TcpStream) -> Result<Value, String> {
    let failed = |error: std::io::Error| format!("it does not answer: {error}");
    let (mut length, mut byte) = (0_usize, [0]);
    loop {
        stream.read_exact(&mut byte).map_err(failed)?;
        match byte[0] {
            b':' => break,
            digit @ b'0'..=b'9' if length < ANSWER_BYTES => length = length * 10 + usize::from(digit - b'0'),
            _ => return Err("it does not speak the protocol that was expected".to_owned()),
        }
    }
    let mut text = vec![0; length.min(ANSWER_BYTES)];
    stream.read_exact(&mut text).map_err(failed)?;
    serde_json::from_slice(&text).map_err(|error| format!("it does not speak JSON: {error}"))
}

/// What stands behind the mark in the browser's output, which is read to its end.
fn marked(output: impl Read + Send + 'static) -> Receiver<Value> {
    let (sender, receiver) = mpsc::channel();
    // Without a thread nobody hears it: it has then said nothing.
    let _ = thread::Builder::new().spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if let Some(said) = line.split_once(MARK).and_then(|(_, said)| serde_json::from_str(said).ok()) {
                let _ = sender.send(said);
            }
        }
    });
    receiver
}

/// The last line that says something, when the stream has ended; all of it is read, the beginning kept.
pub(super) fn last_line(stream: impl Read + Send + 'static, limit: u64) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    // Without a thread nobody hears it: it has then said nothing.
    let _ = thread::Builder::new().spawn(move || {
        let mut stream = stream;
        let mut bytes = Vec::new();
        let _ = stream.by_ref().take(limit).read_to_end(&mut bytes);
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
        let text = String::from_utf8_lossy(&bytes);
        let last = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
        let _ = sender.send(last.to_owned());
    });
    receiver
}
