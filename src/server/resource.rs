//! Resources: the files of the workspaces under `outrigger://<workspace>/<path>`, read by the way of `fs_read` and `fs_list`, with
//! the same law.

use std::sync::Arc;

use base64::Engine as _;
use rmcp::{
    ErrorData,
    model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};
use serde_json::{Map, Value, json};

use super::{
    Host,
    dispatch::{self, Outcome, under_the_users_rules},
    kept,
    request::{META, Request},
};
use crate::{
    cancel::Cancel,
    limits::READ_BYTES_MAX,
    text::visible,
    tools::{AnyTool, Code, Sink, ToolError, fs::text_file::TextFile},
    workspace::Workspace,
};

/// How our addresses begin.
const SCHEME: &str = "outrigger://";
/// The largest file that goes as bytes: in base64 it has a third more, and a message has 64 MiB.
const BLOB_BYTES: u64 = 32 * 1024 * 1024;
/// More lines than a file that is read whole can have.
const ALL_LINES: u32 = 1_000_000;

/// An address, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub workspace: String,
    /// Relative to the root; empty for the root.
    pub path: String,
}

impl Address {
    pub(super) fn parse(uri: &str) -> Option<Self> {
        let (workspace, path) =
            uri.strip_prefix(SCHEME)?.split_once('/').unwrap_or((uri.strip_prefix(SCHEME)?, ""));
        if workspace.is_empty() || path.contains(['?', '#']) {
            return None;
        }
        Some(Self { workspace: workspace.to_owned(), path: decoded(path)? })
    }
}

impl Address {
    /// Whether its path can lie in a workspace at all, whatever is there.
    pub(super) fn stays_inside(&self) -> bool {
        !self.path.contains('\0') && self.path.split('/').all(|name| name != "..")
    }
}

/// `%41` as `A`; what is no UTF-8 then, or no escape, is no address.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// The workspaces as resources; what is in them is found by listing.
pub(super) fn list(host: &Host) -> Vec<Resource> {
    let of = |workspace: &Arc<crate::workspace::Workspace>| {
        Resource::new(format!("{SCHEME}{}/", workspace.id()), workspace.id())
            .with_description("The files of this workspace")
    };
    host.workspaces.iter().map(of).collect()
}

/// How the address of a file is made.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new(format!("{SCHEME}{{workspace}}/{{+path}}"), "file");
    vec![template.with_description("A file or folder of a workspace; `path` relative to its root, with `/`")]
}

/// Nobody listens while a resource is read.
struct Silent;

impl Sink for Silent {
    fn progress(&self, _: u64, _: Option<u64>, _: &str) {}
    fn output(&self, _: &[u8]) {}
}

/// Reads one, without what the rules in `client` keep from it. Blocks; never call it from an async task.
pub(super) fn read(
    host: &Arc<Host>,
    uri: &str,
    client: &Map<String, Value>,
    cancel: Cancel,
) -> Result<ReadResourceResult, ErrorData> {
    look(host, uri, client, cancel).map_err(|error| without_secrets(host, error))
}

/// A failure is also written to the log, and an address may hold a token.
fn without_secrets(host: &Host, mut error: ErrorData) -> ErrorData {
    let mut redaction = host.redactor.begin();
    error.message = redaction.text(&error.message).into_owned().into();
    for fact in error.data.as_mut().and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
        if let Value::String(text) = fact {
            *text = redaction.text(text).into_owned();
        }
    }
    error
}

fn look(
    host: &Arc<Host>,
    uri: &str,
    client: &Map<String, Value>,
    cancel: Cancel,
) -> Result<ReadResourceResult, ErrorData> {
    if let Some(kept) = kept::read(host, uri) {
        return kept;
    }
    let unusable =
        |message: String, hint: &str| refused(uri, ToolError::new(Code::InvalidArgs, message, hint));
    let Some(address) = Address::parse(uri) else {
        let message =
            format!("`{}` is no address here; they are written `{SCHEME}<workspace>/<path>`", visible(uri));
        return Err(unusable(message, "resources/list names the workspaces"));
    };
    let mut meta = Map::new();
    meta.insert(format!("{META}workspace"), json!(address.workspace));
    let denied = format!("{META}denied");
    if let Some(paths) = client.get(&denied) {
        meta.insert(denied, paths.clone());
    }
    let path = if address.path.is_empty() { ".".to_owned() } else { address.path };
    let open = host.workspace(Some(&address.workspace));
    let is_folder =
        open.as_ref().is_ok_and(|workspace| workspace.resolve(&path).is_ok_and(|path| path.is_folder()));
    let (name, arguments) = if is_folder {
        ("fs_list", json!({"path": path}))
    } else {
        let whole =
            json!({"path": path, "line_numbers": false, "limit": ALL_LINES, "max_bytes": READ_BYTES_MAX});
        ("fs_read", whole)
    };
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let request = Request::new(name, arguments, &meta).map_err(|reason| unusable(reason, ""))?;
    let workspace = open.and_then(|open| under_the_users_rules(host, &request, &open));
    let tool: &'static dyn AnyTool = host.tool(name).ok_or_else(|| {
        unusable(format!("`{name}` is not offered, which reads resources"), "the configuration says what is")
    })?;
    match dispatch::run(host, tool, &request, cancel, Arc::new(Silent)) {
        Outcome::Done(finished) if finished.is_error => Err(ErrorData::invalid_params(
            finished.structured["message"].as_str().unwrap_or_default().to_owned(),
            Some(
                json!({"uri": uri, "code": finished.structured["code"], "hint": finished.structured["hint"]}),
            ),
        )),
        Outcome::Done(finished) if name == "fs_read" => {
            let facts = finished.whole();
            let place = facts["data"]["path"].as_str().unwrap_or(&path);
            let kind = facts["data"]["kind"].as_str().unwrap_or_default();
            if matches!(kind, "image" | "pdf" | "binary") {
                let mime = facts["data"]["mime"].as_str().unwrap_or("application/octet-stream");
                return bytes(workspace, place, mime, uri);
            }
            // As it is in the file: not as a model reads it, with notes and long lines cut.
            let whole = workspace
                .ok()
                .filter(|_| kind == "text")
                .and_then(|workspace| workspace.content(place, u64::from(READ_BYTES_MAX)).ok())
                .and_then(|content| TextFile::decode_lossy(&content));
            Ok(match whole {
                Some(whole) => text(host.redactor.begin().text(&whole).into_owned(), uri),
                None => text(finished.text, uri),
            })
        }
        Outcome::Done(finished) => Ok(text(finished.text, uri)),
        Outcome::Ask(plan) => {
            let message = format!("this needs the user's approval ({})", plan.reasons.join("; "));
            let hint = format!("call `{name}` instead, with which the user can be asked");
            Err(refused(uri, ToolError::new(Code::ApprovalUnavailable, message, hint)))
        }
    }
}

/// Why there is nothing to read, as a tool would say it.
pub(super) fn refused(uri: &str, error: ToolError) -> ErrorData {
    let data = json!({"uri": uri, "code": error.code, "hint": error.hint});
    ErrorData::invalid_params(error.message, Some(data))
}

fn text(text: String, uri: &str) -> ReadResourceResult {
    ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type("text/plain")])
}

/// What is no text goes as its bytes. The law has judged it as a read already; `path` is the one it resolved to.
fn bytes(
    workspace: Result<Arc<Workspace>, ToolError>,
    path: &str,
    mime: &str,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let workspace = workspace.map_err(|error| refused(uri, error))?;
    let content = workspace.content(path, BLOB_BYTES).map_err(|error| refused(uri, error.into()))?;
    let blob = base64::engine::general_purpose::STANDARD.encode(content);
    Ok(ReadResourceResult::new(vec![ResourceContents::blob(blob, uri).with_mime_type(mime)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        let address = |workspace: &str, path: &str| {
            Some(Address { workspace: workspace.to_owned(), path: path.to_owned() })
        };
        assert_eq!(Address::parse("outrigger://app/src/a.rs"), address("app", "src/a.rs"));
        assert_eq!(Address::parse("outrigger://app/a%20b%C3%A9"), address("app", "a bé"));
        assert_eq!(Address::parse("outrigger://app"), address("app", ""));
        assert_eq!(Address::parse("outrigger://app/"), address("app", ""));
        for uri in [
            "file:///a",
            "outrigger:///a",
            "outrigger://app/%g0",
            "outrigger://app/%f",
            "outrigger://app/%ff",
            "outrigger://app/a?b",
        ] {
            assert_eq!(Address::parse(uri), None, "{uri}");
        }
    }
}
