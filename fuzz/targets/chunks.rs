//! Chunks in any order, torn, repeated, of many groups: no message that was not sent comes out, memory stays bounded, and a message
//! that was split comes back whatever passes between its chunks.

use arbitrary::Arbitrary;
use outrigger::native::chunk::{Chunk, Joiner, Splitter};

#[derive(Arbitrary, Debug)]
pub enum Step {
    /// The next chunk of the true message.
    True,
    /// A chunk of a group that nobody began.
    Stray { group: u8, index: u8, count: u8, data: String, sum: bool },
}

/// What the bytes of a run are read as.
pub type Input = (String, u16, Vec<Step>);

/// One run.
pub fn run(input: Input) {
    let (text, times, steps) = input;
    let text = text.repeat(usize::from(times) + 1);
    if text.is_empty() || text.len() > 2_000_000 {
        return;
    }
    let mut joiner = Joiner::default();
    let mut pieces = Splitter::new("true".to_owned(), text.clone());
    let mut steps = steps.into_iter();
    let mut came = None;
    while came.is_none() {
        let stray = match steps.next() {
            Some(Step::Stray { group, index, count, data, sum }) => Some(Chunk {
                // Three groups: the eighth and the true one always find room.
                id: format!("stray {}", group % 3),
                index: u32::from(index % 4),
                count: u32::from(count % 5),
                sha256: sum.then(|| outrigger::ids::sha256_hex(data.as_bytes())),
                data,
            }),
            Some(Step::True) | None => None,
        };
        match stray {
            Some(chunk) => {
                let (count, data, index) = (chunk.count, chunk.data.clone(), chunk.index);
                if let Ok(Some(joined)) = joiner.push(chunk) {
                    assert!(joined.ends_with(&data) && index + 1 == count, "a message nobody sent");
                }
            }
            None => match pieces.next() {
                Some(frame) => {
                    assert!(frame.chunk.data.len() <= outrigger::limits::CHUNK_BYTES);
                    came = joiner.push(frame.chunk).expect("a true chunk was refused");
                }
                None => panic!("the message did not come back"),
            },
        }
    }
    assert_eq!(came.as_deref(), Some(text.as_str()));
}
