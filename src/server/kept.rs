//! Texts that were cut from answers, as resources `outrigger://out/<ulid>`: linked from the result, and read without their secrets.

use rmcp::{
    ErrorData,
    model::{ContentBlock, ReadResourceResult, Resource, ResourceContents},
};

use super::Host;

/// In front of the id of a handle. It wins over a workspace with that name only where the path is the id of a handle.
const KEPT: &str = "outrigger://out/";

/// The link to what a result keeps under a handle, for clients that follow links.
pub(super) fn link(handle: &str) -> Option<ContentBlock> {
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
