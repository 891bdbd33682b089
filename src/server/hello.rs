//! Hello, answered below MCP, so that a version skew is a sentence and not a failed connect; and the gate of a broken
//! configuration, behind which nothing is served but the error.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    limits::{CHUNK_BYTES, ECHO_BYTES, FRAME_BYTES, MESSAGE_BYTES, OPEN_GROUPS},
    server::{Current, control, errands},
    text::excerpt,
};

/// The versions of our own part of the protocol that this host speaks.
const PROTOCOL: (u32, u32) = (1, 1);

/// How the configuration stands.
#[derive(Clone, Debug)]
pub enum ConfigState {
    /// Usable.
    Usable {
        /// The file, or where it would be.
        path: String,
    },
    /// The file is no longer usable; the last good one is in force.
    Stale {
        /// The file.
        path: String,
        /// `{message, file, line, column, hint}`.
        error: Value,
    },
    /// Not usable: nothing is served but this.
    Broken {
        /// The file.
        path: String,
        /// `{message, file, line, column, hint}`.
        error: Value,
    },
}

impl ConfigState {
    /// Usable.
    pub fn usable(path: String) -> Self {
        Self::Usable { path }
    }

    /// As hello tells it.
    pub fn told(&self) -> Value {
        match self {
            Self::Usable { path } => json!({"path": path, "ok": true}),
            Self::Stale { path, error } => json!({"path": path, "ok": true, "error": error}),
            Self::Broken { path, error } => json!({"path": path, "ok": false, "error": error}),
        }
    }
}

/// Answers hello, and everything else while the configuration is broken.
#[derive(Debug)]
pub struct Hello {
    current: Arc<Current>,
    caller: Option<Value>,
    instance_id: String,
    state: String,
    said: Arc<AtomicBool>,
}

#[derive(Deserialize)]
struct HelloParams {
    protocol: Range,
}

#[derive(Deserialize)]
struct Range {
    min: u32,
    max: u32,
}

impl Hello {
    /// For a browser (`caller` given) or a plain MCP client (then hello is an unknown method like any other).
    pub fn new(
        current: Arc<Current>,
        caller: Option<Value>,
        instance_id: String,
        state: String,
        said: Arc<AtomicBool>,
    ) -> Self {
        Self { current, caller, instance_id, state, said }
    }

    /// The whole answer, for messages that MCP must not see.
    pub fn answer(&mut self, message: &Value) -> Option<Value> {
        let method = message.get("method")?.as_str()?;
        let id = message.get("id").cloned();
        if method == "outrigger/hello"
            && let (Some(caller), Some(id)) = (&self.caller, &id)
        {
            return Some(self.hello(id, caller, message.get("params").cloned().unwrap_or_default()));
        }
        if method == "outrigger/echo"
            && let (Some(_), Some(id)) = (&self.caller, &id)
        {
            return Some(echo(id, message.get("params")));
        }
        // Almost always there is a host, and then nothing is asked of a lock or copied.
        if self.current.is_usable() {
            // rmcp would ask for the request's metadata first.
            let is_unknown =
                method.starts_with("outrigger/") && !control::is_known(method) && !errands::is_errand(method);
            return id.filter(|_| is_unknown).map(|id| {
                let message = format!("there is no method `{}`", excerpt(method, 80));
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": message}})
            });
        }
        let ConfigState::Broken { error, .. } = self.current.config() else { return None };
        let id = id?;
        let message =
            format!("the configuration cannot be used: {}", error["message"].as_str().unwrap_or_default());
        Some(
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32051, "message": message, "data": {"reason": "config_invalid", "error": error}}}),
        )
    }

    fn hello(&self, id: &Value, caller: &Value, params: Value) -> Value {
        let range = match serde_json::from_value::<HelloParams>(params) {
            Ok(params) => params.protocol,
            Err(error) => {
                let reason = excerpt(&error.to_string(), ECHO_BYTES);
                let message = format!("the parameters of `outrigger/hello` do not fit: {reason}");
                return json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": message}});
            }
        };
        let (min, max) = PROTOCOL;
        if range.max < min || range.min > max {
            let older = if range.max < min { "the extension" } else { "the host" };
            return json!({"jsonrpc": "2.0", "id": id, "error": {
                "code": -32050,
                "message": format!("the extension speaks versions {}-{} of the protocol, this host {min}-{max}", range.min, range.max),
                "data": {"reason": "version_skew", "host": {"min": min, "max": max}, "client": {"min": range.min, "max": range.max},
                    "hint": format!("update {older}")}}});
        }
        self.said.store(true, Ordering::Release);
        let config = self.current.config().told();
        json!({"jsonrpc": "2.0", "id": id, "result": {
            "resultType": "complete",
            "host": {"name": "outrigger", "version": env!("CARGO_PKG_VERSION"), "build": if cfg!(debug_assertions) { "debug" } else { "release" }},
            "protocol": {"min": min, "max": max, "chosen": max.min(range.max)},
            "pid": std::process::id(),
            "instance_id": self.instance_id,
            "caller": caller,
            "limits": {"frame_bytes": FRAME_BYTES, "chunk_bytes": CHUNK_BYTES, "message_bytes": MESSAGE_BYTES, "open_groups": OPEN_GROUPS},
            "features": ["chunks", "output", "calls", "changed", "echo", "denied"],
            "mcp": ["2026-07-28"],
            "config": config,
            "state": {"path": self.state},
        }})
    }
}

/// The text as it came: with it the doctor proves that large messages survive the way, also behind a broken configuration.
fn echo(id: &Value, params: Option<&Value>) -> Value {
    if let Some(text) = params.and_then(|params| params.get("text")).and_then(Value::as_str) {
        return json!({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete", "text": text}});
    }
    let message = "the parameters of `outrigger/echo` do not fit: `text` is missing or no text";
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": message}})
}

/// The last frame before a deliberate exit.
pub fn bye(code: u8, reason: &str, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/outrigger/bye", "params": {"code": code, "reason": reason, "message": message}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(config: ConfigState, caller: bool) -> Hello {
        let current = Arc::new(Current::new(None, config));
        Hello::new(
            current,
            caller.then(|| json!({"family": "chromium"})),
            "01".into(),
            "/s".into(),
            Arc::default(),
        )
    }

    fn usable() -> ConfigState {
        ConfigState::Usable { path: "/c".into() }
    }

    #[test]
    fn hello_is_answered_for_browsers_and_skew_is_a_sentence() {
        let ask = |min, max| json!({"jsonrpc": "2.0", "id": "hello", "method": "outrigger/hello", "params": {"protocol": {"min": min, "max": max}}});
        assert_eq!(hello(usable(), true).answer(&ask(1, 3)).unwrap()["result"]["protocol"]["chosen"], 1);
        assert!(hello(usable(), false).answer(&ask(1, 1)).is_none());
        let skew = hello(usable(), true).answer(&ask(2, 3)).unwrap();
        assert_eq!(skew["error"]["code"], -32050);
        assert_eq!(skew["error"]["data"]["hint"], "update the host");
        let bad = json!({"jsonrpc": "2.0", "id": 1, "method": "outrigger/hello", "params": {}});
        assert_eq!(hello(usable(), true).answer(&bad).unwrap()["error"]["code"], -32602);
    }

    #[test]
    fn a_broken_configuration_answers_everything_with_its_error() {
        let config = ConfigState::Broken { path: "/c".into(), error: json!({"message": "unknown key `a`"}) };
        let mut hello = hello(config, true);
        let request = json!({"jsonrpc": "2.0", "id": 4, "method": "tools/list"});
        let answer = hello.answer(&request).unwrap();
        assert_eq!((answer["id"].as_i64(), answer["error"]["code"].as_i64()), (Some(4), Some(-32051)));
        assert!(hello.answer(&json!({"jsonrpc": "2.0", "method": "notifications/x"})).is_none());
    }
}
