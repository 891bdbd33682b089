//! Bytes as they come from a browser: whatever they are and however they are cut, the decoder gives the same bodies or the same
//! error, and what was encoded comes back.

use arbitrary::Arbitrary;
use outrigger::native::frame::{Decoder, FrameError, Framing, encode};

#[derive(Arbitrary, Debug)]
pub struct Input {
    lines: bool,
    /// Whole bodies first, then whatever.
    bodies: Vec<Vec<u8>>,
    rest: Vec<u8>,
    cuts: Vec<u8>,
}

/// One run.
pub fn run(input: Input) {
    let framing = if input.lines { Framing::Line } else { Framing::Length };
    let mut bytes = Vec::new();
    for body in &input.bodies {
        bytes.extend(encode(framing, body.clone()));
    }
    bytes.extend(&input.rest);
    let whole = decode(framing, &bytes, &[]);
    assert_eq!(whole, decode(framing, &bytes, &input.cuts), "cut differently, read differently");
    if framing == Framing::Length {
        let given: Vec<&Vec<u8>> = input.bodies.iter().collect();
        assert_eq!(whole.0.iter().take(given.len()).collect::<Vec<_>>(), given);
    }
}

/// What is read from bytes that come in pieces of these sizes.
fn decode(framing: Framing, bytes: &[u8], cuts: &[u8]) -> (Vec<Vec<u8>>, Option<String>) {
    let mut decoder = Decoder::new(framing);
    let mut found = Vec::new();
    let mut sizes = cuts.iter().map(|size| usize::from(*size) + 1);
    let mut left = bytes;
    let told = |error: FrameError| Some(error.to_string());
    loop {
        match decoder.next_body() {
            Ok(Some(body)) => found.push(body),
            Ok(None) if left.is_empty() => break,
            Ok(None) => {
                let (piece, rest) = left.split_at(sizes.next().unwrap_or(left.len()).min(left.len()));
                decoder.extend(piece);
                left = rest;
            }
            Err(error) => return (found, told(error)),
        }
    }
    match decoder.finish() {
        Ok(body) => found.extend(body),
        Err(error) => return (found, told(error)),
    }
    (found, None)
}
