//! Results as JSON, without rmcp: it would hold a large one as a tree of values, and copy it.

use std::sync::Arc;

use rmcp::model::CallToolResult;
use serde_json::{Value, json};

use super::{
    dispatch::Outcome,
    kept,
    render::{Finished, write_json},
};
use crate::{
    aside::{Aside, Fields},
    json_text::push_string,
};

/// Results up to this size go through rmcp: at a few microseconds each, one way for most is worth more.
const LARGE: usize = 16 * 1024;

/// A finished call that is written when it is sent.
#[derive(Debug)]
struct Later {
    outcome: Arc<Outcome>,
    links: bool,
}

impl Fields for Later {
    fn write(&self, message: &mut Vec<u8>) {
        if let Outcome::Done(finished) = &*self.outcome {
            write(finished, self.links, message);
        }
    }
}

/// What stands for a large result until it is sent; `None` for all others.
pub(super) fn stand_in(outcome: &Arc<Outcome>, links: bool, aside: &Aside) -> Option<CallToolResult> {
    let Outcome::Done(finished) = &**outcome else { return None };
    if finished.bytes() <= LARGE {
        return None;
    }
    let mut result = CallToolResult::success(Vec::new());
    result.is_error = None;
    let later = Later { outcome: Arc::clone(outcome), links };
    result.structured_content = Some(Value::String(aside.put(Arc::new(later))));
    Some(result)
}

/// Writes the fields of a result, as rmcp would; with a link to what was cut for whoever reads links.
pub(super) fn write(finished: &Finished, links: bool, message: &mut Vec<u8>) {
    message.extend_from_slice(br#""content":[{"type":"text","text":"#);
    push_string(message, &finished.text);
    message.push(b'}');
    if let Some((mime, data)) = &finished.picture {
        message.push(b',');
        write_json(message, &json!({"type": "image", "data": data, "mimeType": mime}));
    }
    if let Some(link) = kept::link(finished).filter(|_| links) {
        message.push(b',');
        write_json(message, &link);
    }
    message.extend_from_slice(br#"],"structuredContent":"#);
    finished.write_structured(message);
    message.extend_from_slice(if finished.is_error { br#","isError":true"# } else { br#","isError":false"# });
}
