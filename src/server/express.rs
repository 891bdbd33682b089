//! The short way of a short read: answered where it was received, without MCP's machinery around it.
//!
//! Only calls that certainly end within microseconds and change nothing go here, and only in the shape that a current client
//! sends; whatever is unusual, wrong or has to be asked goes the long way, which says so in the same words. A test compares the
//! answers of both ways.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{
    server::{
        address,
        current::Current,
        dispatch::{self, Outcome},
        kept, large,
        render::{Finished, write_json},
        request::Request,
    },
    tools::Sink,
};

/// The revision in which each request says for itself what its client is.
const MODERN: &str = "2026-07-28";

/// Answers short reads.
#[derive(Debug)]
pub struct Express {
    current: Arc<Current>,
    /// A client of an older revision has said that it is ready.
    initialized: bool,
    /// It reads links in results.
    links: bool,
}

/// A call that ends at once says nothing before its end.
struct Silent;

impl Sink for Silent {
    fn progress(&self, _: u64, _: Option<u64>, _: &str) {}
    fn output(&self, _: &[u8]) {}
}

impl Express {
    /// For one connection.
    pub fn new(current: Arc<Current>) -> Self {
        Self { current, initialized: false, links: false }
    }

    /// The whole answer as JSON, or `None` for everything that goes the long way.
    pub fn answer(&mut self, message: &Value) -> Option<String> {
        match message.get("method")?.as_str()? {
            "tools/call" => self.call(message),
            "initialize" => {
                self.links = message["params"]["protocolVersion"].as_str().is_some_and(kept::reads_links);
                None
            }
            "notifications/initialized" => {
                self.initialized = true;
                None
            }
            _ => None,
        }
    }

    fn call(&self, message: &Value) -> Option<String> {
        let id = message.get("id")?;
        let params = message.get("params")?.as_object()?;
        let known = |key: &String| matches!(key.as_str(), "name" | "arguments" | "_meta");
        if !params.keys().all(known) {
            return None;
        }
        let nothing = Map::new();
        let meta = params.get("_meta").map_or(Some(&nothing), Value::as_object)?;
        let modern = self.is_modern(meta)?;
        let arguments = match params.get("arguments") {
            None => &nothing,
            Some(arguments) => arguments.as_object()?,
        };
        let name = params.get("name")?.as_str()?;
        let host = self.current.host()?;
        let tool = host.tool(name)?;
        if !tool.prepares_briefly() {
            return None;
        }
        let mut request = Request::new(name, arguments.clone(), meta).ok()?;
        address::apply(&host, &mut request).ok()?;
        match dispatch::run_brief(&host, tool, &request, Arc::new(Silent))? {
            Outcome::Done(finished) => written(id, (modern, modern || self.links), &finished),
            Outcome::Ask(_) => None,
        }
    }

    /// Whether the request is one of the current revision; `None` when neither it nor its connection says what it is.
    fn is_modern(&self, meta: &Map<String, Value>) -> Option<bool> {
        let capabilities = meta.get("io.modelcontextprotocol/clientCapabilities");
        match meta.get("io.modelcontextprotocol/protocolVersion") {
            Some(version) if version == MODERN && capabilities.is_some_and(Value::is_object) => Some(true),
            None if self.initialized => Some(false),
            _ => None,
        }
    }
}

fn written(id: &Value, (modern, links): (bool, bool), finished: &Finished) -> Option<String> {
    let mut message = Vec::with_capacity(finished.bytes() + finished.bytes() / 8 + 512);
    message.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    write_json(&mut message, id);
    message.extend_from_slice(if modern {
        br#","result":{"resultType":"complete","#
    } else {
        br#","result":{"#
    });
    large::write(finished, links, &mut message);
    message.extend_from_slice(b"}}");
    String::from_utf8(message).ok()
}
