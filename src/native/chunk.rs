//! Chunks, sans-IO: how a message longer than a frame travels (`docs/protocol.md`).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::{
    ids::sha256_hex,
    limits::{CHUNK_BYTES, GROUP_NAME_BYTES, MESSAGE_BYTES, OPEN_GROUPS},
    text::prefix,
};

/// One piece of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chunk {
    /// Names the group.
    pub id: String,
    /// From 0.
    pub index: u32,
    /// How many there are.
    pub count: u32,
    /// A slice of the message's JSON text.
    pub data: String,
    /// In the last one: hex of the SHA-256 of the whole text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// The frame a chunk travels in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChunkFrame {
    /// The chunk.
    pub chunk: Chunk,
}

/// A group that was dropped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChunkError {
    /// Out of order.
    #[error("chunk {index} of group `{id}` came where {expected} was expected; the group is dropped")]
    Order {
        /// The group.
        id: String,
        /// What came.
        index: u32,
        /// What should have come.
        expected: u32,
    },
    /// A group of nothing.
    #[error("group `{id}` says that it has no chunks; it is dropped")]
    Empty {
        /// The group.
        id: String,
    },
    /// Its count changed.
    #[error(
        "chunk {index} of group `{id}` counts {count} chunks, where the first one counted {expected}; the group is dropped"
    )]
    Count {
        /// The group.
        id: String,
        /// Which said so.
        index: u32,
        /// What it said.
        count: u32,
        /// What the first one said.
        expected: u32,
    },
    /// Too many at once.
    #[error("group `{id}` is one too many: {limit} others are still open, which is the limit; it is dropped")]
    TooManyGroups {
        /// The group.
        id: String,
        /// The limit.
        limit: usize,
    },
    /// Its name is too long to be kept, or to be said.
    #[error("the name of a group has {bytes} bytes, where {limit} are the most; the group is dropped")]
    LongName {
        /// Its bytes.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// One slice is too long.
    #[error(
        "chunk {index} of group `{id}` has {bytes} bytes of data, where {limit} are the most; the group is dropped"
    )]
    LongSlice {
        /// The group.
        id: String,
        /// Which.
        index: u32,
        /// Its bytes.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// Too long, joined.
    #[error("group `{id}` grows above {limit} bytes; it is dropped")]
    TooLong {
        /// The group.
        id: String,
        /// The limit.
        limit: usize,
    },
    /// The checksum is missing or differs.
    #[error("group `{id}` does not have the SHA-256 its last chunk says; it is dropped")]
    Checksum {
        /// The group.
        id: String,
    },
}

/// Cuts a message into chunks, one at a time, so that others may pass between them.
#[derive(Debug)]
pub struct Splitter {
    id: String,
    text: String,
    sha256: String,
    position: usize,
    index: u32,
    count: u32,
}

impl Splitter {
    /// A splitter for `text`, which must be longer than one chunk.
    pub fn new(id: String, text: String) -> Self {
        let sha256 = sha256_hex(text.as_bytes());
        let mut count = 0;
        let mut rest = text.as_str();
        while !rest.is_empty() {
            rest = &rest[prefix(rest, CHUNK_BYTES).len()..];
            count += 1;
        }
        Self { id, text, sha256, position: 0, index: 0, count }
    }
}

impl Iterator for Splitter {
    type Item = ChunkFrame;

    fn next(&mut self) -> Option<ChunkFrame> {
        let data = prefix(&self.text[self.position..], CHUNK_BYTES);
        if data.is_empty() {
            return None;
        }
        let chunk = Chunk {
            id: self.id.clone(),
            index: self.index,
            count: self.count,
            data: data.to_owned(),
            sha256: (self.index + 1 == self.count).then(|| self.sha256.clone()),
        };
        self.position += data.len();
        self.index += 1;
        Some(ChunkFrame { chunk })
    }
}

/// Joins chunks into messages; a group that breaks a rule is dropped and forgotten.
#[derive(Debug, Default)]
pub struct Joiner {
    groups: HashMap<String, Group>,
}

#[derive(Debug)]
struct Group {
    next: u32,
    count: u32,
    text: String,
}

impl Joiner {
    /// Takes a chunk; gives the message when it was the last one.
    pub fn push(&mut self, chunk: Chunk) -> Result<Option<String>, ChunkError> {
        let id = chunk.id.clone();
        let result = self.accept(chunk);
        if !matches!(result, Ok(None)) {
            self.groups.remove(&id);
        }
        result
    }

    /// Forgets a group of which something came that is no chunk.
    pub fn forget(&mut self, id: &str) {
        self.groups.remove(id);
    }

    fn accept(&mut self, chunk: Chunk) -> Result<Option<String>, ChunkError> {
        let Chunk { id, index, count, data, sha256 } = chunk;
        if id.len() > GROUP_NAME_BYTES {
            return Err(ChunkError::LongName { bytes: id.len(), limit: GROUP_NAME_BYTES });
        }
        if data.len() > CHUNK_BYTES {
            return Err(ChunkError::LongSlice { id, index, bytes: data.len(), limit: CHUNK_BYTES });
        }
        if !self.groups.contains_key(&id) {
            if index != 0 {
                return Err(ChunkError::Order { id, index, expected: 0 });
            }
            if count == 0 {
                return Err(ChunkError::Empty { id });
            }
            if self.groups.len() >= OPEN_GROUPS {
                return Err(ChunkError::TooManyGroups { id, limit: OPEN_GROUPS });
            }
        }
        let group = self.groups.entry(id.clone()).or_insert(Group { next: 0, count, text: String::new() });
        if index != group.next {
            return Err(ChunkError::Order { id, index, expected: group.next });
        }
        if count != group.count {
            return Err(ChunkError::Count { id, index, count, expected: group.count });
        }
        let joined: usize = group.text.len() + data.len();
        if joined > MESSAGE_BYTES {
            return Err(ChunkError::TooLong { id, limit: MESSAGE_BYTES });
        }
        group.text.push_str(&data);
        group.next += 1;
        if group.next < group.count {
            return Ok(None);
        }
        if sha256.is_none_or(|sum| sum != sha256_hex(group.text.as_bytes())) {
            return Err(ChunkError::Checksum { id });
        }
        Ok(Some(std::mem::take(&mut group.text)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text_of(length: usize, seed: usize) -> String {
        let alphabet = ["a", "\"", "\\", "é", "漢", "🦀", "\n"];
        let mut text = String::new();
        let mut state = seed;
        while text.len() < length {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(alphabet[(state >> 33) % alphabet.len()]);
        }
        text
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn two_interleaved_messages_come_back(left in 1_usize..900_000, right in 1_usize..900_000, seed: usize) {
            let (left, right) = (text_of(left, seed), text_of(right, seed ^ 7));
            let mut joiner = Joiner::default();
            let mut whole = Vec::new();
            let mut groups = [Splitter::new("l".into(), left.clone()), Splitter::new("r".into(), right.clone())];
            let mut turn = seed;
            loop {
                let frame = match groups[turn % 2].next() { Some(frame) => frame, None => match groups[(turn + 1) % 2].next() { Some(frame) => frame, None => break } };
                turn = turn.wrapping_mul(31).wrapping_add(1) >> 1;
                let wire = serde_json::to_string(&frame).unwrap();
                prop_assert!(wire.len() < crate::limits::FRAME_BYTES);
                let frame: ChunkFrame = serde_json::from_str(&wire).unwrap();
                whole.extend(joiner.push(frame.chunk).unwrap());
            }
            whole.sort();
            let mut expected = vec![left, right];
            expected.sort();
            prop_assert_eq!(whole, expected);
        }
    }

    fn chunk(id: &str, index: u32, count: u32, data: &str, whole: Option<&str>) -> Chunk {
        Chunk {
            id: id.into(),
            index,
            count,
            data: data.into(),
            sha256: whole.map(|text| sha256_hex(text.as_bytes())),
        }
    }

    #[test]
    fn a_group_that_breaks_a_rule_is_dropped_and_its_name_is_free_again() {
        let mut joiner = Joiner::default();
        assert_eq!(joiner.push(chunk("g", 0, 3, "a", None)), Ok(None));
        assert!(matches!(
            joiner.push(chunk("g", 2, 3, "c", None)),
            Err(ChunkError::Order { expected: 1, .. })
        ));
        assert!(matches!(
            joiner.push(chunk("g", 1, 3, "b", None)),
            Err(ChunkError::Order { expected: 0, .. })
        ));
        let refused = |found: Result<Option<String>, ChunkError>| found.unwrap_err().to_string();
        assert_eq!(
            refused(joiner.push(chunk("g", 0, 0, "a", None))),
            "group `g` says that it has no chunks; it is dropped"
        );
        assert_eq!(joiner.push(chunk("g", 0, 2, "a", None)), Ok(None));
        assert_eq!(
            refused(joiner.push(chunk("g", 1, 3, "b", None))),
            "chunk 1 of group `g` counts 3 chunks, where the first one counted 2; the group is dropped"
        );
        assert_eq!(joiner.push(chunk("g", 0, 2, "a", None)), Ok(None));
        assert_eq!(joiner.push(chunk("g", 1, 2, "b", Some("ab"))), Ok(Some("ab".into())));
        assert!(matches!(joiner.push(chunk("g", 0, 1, "x", Some("y"))), Err(ChunkError::Checksum { .. })));
        assert!(matches!(joiner.push(chunk("g", 0, 1, "x", None)), Err(ChunkError::Checksum { .. })));
        let (most, more) = ("é".repeat(CHUNK_BYTES / 2), format!("{}x", "é".repeat(CHUNK_BYTES / 2)));
        assert_eq!(joiner.push(chunk("g", 0, 2, &most, None)), Ok(None));
        assert_eq!(
            refused(joiner.push(chunk("g", 1, 2, &more, None))),
            "chunk 1 of group `g` has 262145 bytes of data, where 262144 are the most; the group is dropped"
        );
        assert_eq!(joiner.push(chunk("g", 0, 1, &most, Some(&most))), Ok(Some(most.clone())));
        let (most, more) = ("g".repeat(GROUP_NAME_BYTES), "g".repeat(GROUP_NAME_BYTES + 1));
        assert_eq!(joiner.push(chunk(&most, 0, 1, "x", Some("x"))), Ok(Some("x".into())));
        assert_eq!(
            refused(joiner.push(chunk(&more, 0, 1, "x", Some("x")))),
            "the name of a group has 129 bytes, where 128 are the most; the group is dropped"
        );
        for group in 0..OPEN_GROUPS {
            assert_eq!(joiner.push(chunk(&group.to_string(), 0, 2, "", None)), Ok(None));
        }
        assert!(matches!(
            joiner.push(chunk("one more", 0, 2, "", None)),
            Err(ChunkError::TooManyGroups { .. })
        ));
    }
}
