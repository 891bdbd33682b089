//! The echo that proves a link in both directions: one large frame there, chunks back, then chunks there and chunks back.
//!
//! The installer has its own few lines of chunking: the doctor judges the host's, and a fault in shared code would prove itself.

use serde_json::{Value, json};

use crate::ids::sha256_hex;

/// As the protocol says: slices of this many bytes at most.
const CHUNK_BYTES: usize = 256 * 1024;
/// As the protocol says: no message is longer.
const MESSAGE_BYTES: usize = 64 * 1024 * 1024;
/// What the first echo carries: near what one frame may hold for a browser.
const LARGE_BYTES: usize = 1_000_000;

/// What goes there and back: letters that become longer in JSON among those that do not.
pub fn text() -> String {
    let line = "0123456789 abcdefghij \"quoted\" \\ tab\t line\n \u{1} \u{fc} \u{6f22}\u{5b57} \u{1f980} ";
    let mut text = line.repeat(LARGE_BYTES / line.len() + 1);
    let mut end = LARGE_BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

/// The request.
pub fn request(id: &str, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "outrigger/echo", "params": {"text": text}})
}

/// The frames of a message that is sent in chunks.
pub fn chunks(id: &str, message: &str) -> Vec<Value> {
    let mut slices = Vec::new();
    let mut rest = message;
    while !rest.is_empty() {
        let mut end = rest.len().min(CHUNK_BYTES);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (slice, after) = rest.split_at(end);
        slices.push(slice);
        rest = after;
    }
    let count = slices.len();
    slices
        .into_iter()
        .enumerate()
        .map(|(index, data)| {
            let mut chunk = json!({"id": id, "index": index, "count": count, "data": data});
            if index + 1 == count {
                chunk["sha256"] = json!(sha256_hex(message.as_bytes()));
            }
            json!({"chunk": chunk})
        })
        .collect()
}

/// Chunks of one group, as they come.
#[derive(Debug, Default)]
pub struct Joining {
    text: String,
    next: u64,
}

impl Joining {
    /// Takes a chunk; the whole message after the last, or what is wrong with it.
    pub fn take(&mut self, chunk: &Value) -> Result<Option<Value>, String> {
        if chunk["index"].as_u64() != Some(self.next) {
            return Err(format!("chunk {} came where {} belongs", chunk["index"], self.next));
        }
        self.text.push_str(chunk["data"].as_str().unwrap_or_default());
        if self.text.len() > MESSAGE_BYTES {
            return Err("together they are longer than any message may be".to_owned());
        }
        self.next += 1;
        let Some(sum) = chunk["sha256"].as_str() else { return Ok(None) };
        let text = std::mem::take(&mut self.text);
        self.next = 0;
        if sha256_hex(text.as_bytes()) != sum {
            return Err("the chunks' checksum is wrong".to_owned());
        }
        serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| format!("the chunks together are no JSON: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_is_joined() {
        let message = request("x", &text()).to_string();
        let chunks = chunks("g", &message);
        assert!(chunks.len() > 3 && chunks.iter().all(|chunk| chunk.to_string().len() < 1_000_000));
        let mut joining = Joining::default();
        let mut joined = chunks.iter().map(|chunk| joining.take(&chunk["chunk"]).unwrap());
        assert_eq!(joined.by_ref().take(chunks.len() - 1).flatten().count(), 0);
        assert_eq!(joined.next().unwrap().unwrap().to_string(), message);
        assert!(joining.take(&chunks[1]["chunk"]).is_err());
    }
}
