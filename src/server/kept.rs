//! Texts that were cut from answers, as resources `outrigger://out/<ulid>`: linked from the result, and read without their secrets.

use rmcp::{
    ErrorData,
    model::{ContentBlock, ReadResourceResult, Resource, ResourceContents},
};

use super::{Host, render::Finished};

/// In front of the id of a handle. It wins over a workspace with that name only where the path is the id of a handle.
const KEPT: &str = "outrigger://out/";

/// The first revision of MCP that has links in results; clients of an older one refuse the whole result over one. They find the handle in
/// the text.
const LINKS_SINCE: &str = "2025-06-18";

/// True when a client of this revision can read a result with a link in it.
pub(super) fn reads_links(revision: &str) -> bool {
    revision >= LINKS_SINCE
}

/// The link to what a result keeps under a handle, for clients that follow links.
pub(super) fn link(finished: &Finished) -> Option<ContentBlock> {
    let handle = finished.structured["handle"].as_str()?;
    let id = handle.strip_prefix("out:")?;
    let resource = Resource::new(format!("{KEPT}{id}"), handle)
        .with_title("All of the text that was cut")
        .with_mime_type("text/plain");
    Some(ContentBlock::resource_link(resource))
}

/// What is kept behind an address; `None` when it is the address of something else.
pub(super) fn read(host: &Host, uri: &str) -> Option<Result<ReadResourceResult, ErrorData>> {
    let id = uri.strip_prefix(KEPT)?;
    let kept = host.handles.find(&format!("out:{id}"))?;
    Some(match kept {
        Ok(kept) => {
            let text = host.redactor.begin().text(&kept.text).into_owned();
            Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri)]))
        }
        Err(error) => Err(super::resource::refused(uri, error)),
    })
}
