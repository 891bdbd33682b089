//! A tool call in our own words, as it came from a client.

use serde::Deserialize as _;
use serde_json::{Map, Value, json};

use crate::{
    ids::{call_key, new_ulid, sha256_hex},
    limits::ECHO_BYTES,
    object::objects,
    policy::{Answer, plan::canonical},
    server::denied::Denied,
    text::{prefix, visible},
    tier::Mode,
};

/// The prefix of our keys in `_meta`.
pub const META: &str = "dev.outrigger/";

/// The longest name of a session, a turn or a workspace: each is kept with every call.
const NAME_BYTES: usize = 256;

/// A call as it came, its parameters understood.
#[derive(Clone, Debug)]
pub struct Request {
    /// The tool's name.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// The workspace it names.
    pub workspace: Option<String>,
    /// The same, where a path names it.
    pub named: Option<String>,
    /// The session it belongs to.
    pub session: Option<String>,
    /// The turn it belongs to.
    pub turn: Option<String>,
    /// The session's mode.
    pub mode: Mode,
    /// The idempotency key: the client's, or one of ours.
    pub key: String,
    /// It is the client's.
    pub has_own_key: bool,
    /// A person's answer to an earlier plan.
    pub answer: Option<Answer>,
    /// Who gave it: `user`, `rule:<id>`.
    pub answered_by: Option<String>,
    /// What the user's rules keep from it.
    pub denied: Vec<Denied>,
    /// Nobody can be asked, and the configuration trusts the client with `batch`.
    pub trust_client: bool,
}

impl Request {
    /// Reads name, arguments and what the client put into `_meta`; an error is a sentence.
    pub fn new(tool: &str, arguments: Map<String, Value>, meta: &Map<String, Value>) -> Result<Self, String> {
        let find = |name: &str| meta.get(&format!("{META}{name}"));
        let text = |name: &str| match find(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.len() <= NAME_BYTES => Ok(Some(text.clone())),
            Some(Value::String(text)) => {
                Err(format!("`_meta[\"{META}{name}\"]` has {} bytes; at most {NAME_BYTES}", text.len()))
            }
            Some(_) => Err(format!("`_meta[\"{META}{name}\"]` must be a string")),
        };
        let key = text("call")?;
        let has_own_key = key.is_some();
        let key = match key {
            Some(key) => call_key(&key).ok_or_else(|| {
                format!(
                    "`_meta[\"{META}call\"]` must be a ULID; `{}` is none",
                    visible(prefix(&key, ECHO_BYTES))
                )
            })?,
            None => new_ulid(),
        };
        let mode = match find("mode") {
            None => Mode::default(),
            Some(mode) => Mode::deserialize(mode).map_err(|_| {
                format!("`_meta[\"{META}mode\"]` must be \"plan\", \"ask\" or \"accept_edits\"")
            })?,
        };
        let denied = match find("denied") {
            None => Vec::new(),
            Some(denied) => objects::<_, Denied>(denied).map_err(|error| {
                format!("`_meta[\"{META}denied\"]` must be a list of {{path, workspace?}}: {error}")
            })?,
        };
        Ok(Self {
            tool: tool.to_owned(),
            arguments: Value::Object(arguments),
            workspace: text("workspace")?,
            named: None,
            session: text("session")?,
            turn: text("turn")?,
            mode,
            key,
            has_own_key,
            answer: None,
            answered_by: None,
            denied,
            trust_client: false,
        })
    }

    /// The globs that hold in this workspace.
    pub fn denied_in(&self, workspace: &str) -> Vec<String> {
        let holds = |denied: &&Denied| denied.workspace.as_deref().is_none_or(|only| only == workspace);
        self.denied.iter().filter(holds).map(|denied| denied.path.clone()).collect()
    }

    /// What an approval is for: this call, of this key, session and turn where they were given.
    pub fn binding(&self) -> String {
        let key = self.has_own_key.then_some(&self.key);
        json!([self.digest(), key, self.session, self.turn]).to_string()
    }

    /// Of the tool's name, its arguments and its workspace: what a key stands for.
    pub fn digest(&self) -> String {
        sha256_hex(
            format!(
                "{}\n{}\n{}",
                self.tool,
                self.workspace.as_deref().unwrap_or(""),
                canonical(&self.arguments)
            )
            .as_bytes(),
        )
    }
}
