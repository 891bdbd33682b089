//! Frames, sans-IO: a `u32` length in native byte order, then that many bytes. Lines for plain stdio clients have the same shape.
//!
//! A decoder takes bytes as they come and gives bodies as they are complete. It never allocates what a length announces, only
//! what has arrived.

use byteorder::{ByteOrder, NativeEndian};

use crate::limits::INBOUND_FRAME_BYTES;

/// What is kept of a line that is dropped: the id of a request stands near its beginning, as most clients write it.
const DROPPED_KEPT: usize = 4096;

/// A frame that cannot be read. But for a long line, which ends where it ends, nothing after it can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The announced length is above the limit.
    #[error("a frame of {announced} bytes was announced; the limit is {limit}")]
    TooLong {
        /// As announced, or as counted.
        announced: u64,
        /// The limit.
        limit: u64,
    },
    /// A line is longer than any message may be; it is dropped, and what comes behind it can be read.
    #[error("the message is longer than {limit} bytes; it is dropped")]
    LongLine {
        /// The limit.
        limit: u64,
    },
    /// The input ended inside a frame.
    #[error("the input ended inside a frame, {missing} bytes early")]
    Torn {
        /// What was still to come, as far as that is known.
        missing: u64,
    },
}

/// How messages are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Length-prefixed: native messaging.
    Length,
    /// One message a line: MCP over stdio.
    Line,
}

/// Bytes in, bodies out.
#[derive(Debug)]
pub struct Decoder {
    framing: Framing,
    buffer: Vec<u8>,
    start: usize,
    /// How far the search for a line end has come, so that a long line is looked at once.
    searched: usize,
    /// The beginning of a line that is dropped up to its end.
    dropped: Option<Vec<u8>>,
}

impl Decoder {
    /// An empty decoder.
    pub fn new(framing: Framing) -> Self {
        Self { framing, buffer: Vec::new(), start: 0, searched: 0, dropped: None }
    }

    /// The beginning of the line that is being dropped.
    pub fn dropped(&self) -> &[u8] {
        self.dropped.as_deref().unwrap_or_default()
    }

    /// Takes bytes that arrived.
    pub fn extend(&mut self, bytes: &[u8]) {
        if self.start > 0 && self.start == self.buffer.len() {
            self.reset();
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete body.
    pub fn next_body(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        match self.framing {
            Framing::Length => self.next_frame(),
            Framing::Line => self.next_line(),
        }
    }

    /// Says that no more bytes come: an error inside a frame; a last line without its end counts.
    pub fn finish(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        let rest = self.pending().len();
        match self.framing {
            _ if rest == 0 => Ok(None),
            Framing::Line => {
                let line = self.pending().to_vec();
                self.reset();
                Ok(Some(line))
            }
            Framing::Length => {
                let missing = match self.pending() {
                    header if header.len() < 4 => 4 - rest,
                    body => 4 + NativeEndian::read_u32(body) as usize - rest,
                };
                Err(FrameError::Torn { missing: missing as u64 })
            }
        }
    }

    fn next_frame(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        let pending = self.pending();
        if pending.len() < 4 {
            return Ok(None);
        }
        let length = NativeEndian::read_u32(pending) as usize;
        if length > INBOUND_FRAME_BYTES {
            return Err(FrameError::TooLong { announced: length as u64, limit: INBOUND_FRAME_BYTES as u64 });
        }
        let Some(body) = pending.get(4..4 + length) else { return Ok(None) };
        let body = body.to_vec();
        self.consume(4 + length);
        Ok(Some(body))
    }

    fn next_line(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        loop {
            let unsearched = self.buffer.get(self.searched.max(self.start)..).unwrap_or_default();
            let Some(offset) = unsearched.iter().position(|byte| *byte == b'\n') else {
                self.searched = self.buffer.len();
                if self.dropped.is_some() {
                    self.reset();
                } else if self.pending().len() > INBOUND_FRAME_BYTES {
                    self.dropped = Some(self.pending()[..DROPPED_KEPT].to_vec());
                    self.reset();
                    return Err(FrameError::LongLine { limit: INBOUND_FRAME_BYTES as u64 });
                }
                return Ok(None);
            };
            let end = self.searched.max(self.start) + offset;
            let is_dropped = self.dropped.take().is_some();
            let line = if is_dropped { &[] } else { self.buffer[self.start..end].trim_ascii() }.to_vec();
            self.searched = end + 1;
            let consumed = end + 1 - self.start;
            self.consume(consumed);
            if !line.is_empty() {
                return Ok(Some(line));
            }
        }
    }

    fn pending(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    fn consume(&mut self, bytes: usize) {
        self.start += bytes;
        if self.start == self.buffer.len() {
            self.reset();
        } else if self.start > 64 * 1024 {
            // Keeps a busy peer's buffer from growing for ever; moving 64 KiB at a time costs nothing measurable.
            self.buffer.drain(..self.start);
            self.searched = self.searched.saturating_sub(self.start);
            self.start = 0;
        }
    }

    fn reset(&mut self) {
        self.start = 0;
        self.searched = 0;
        if self.buffer.capacity() > 1024 * 1024 {
            // One large message must not stay resident for the life of the connection.
            self.buffer = Vec::new();
        } else {
            self.buffer.clear();
        }
    }
}

/// `body` with what the framing puts around it.
pub fn encode(framing: Framing, mut body: Vec<u8>) -> Vec<u8> {
    match framing {
        Framing::Length => {
            let mut bytes = vec![0; 4];
            NativeEndian::write_u32(&mut bytes, body.len() as u32);
            bytes.append(&mut body);
            bytes
        }
        Framing::Line => {
            body.push(b'\n');
            body
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode_in_pieces(framing: Framing, bytes: &[u8], pieces: &[usize]) -> Vec<Vec<u8>> {
        let mut decoder = Decoder::new(framing);
        let mut bodies = Vec::new();
        let mut rest = bytes;
        for piece in pieces.iter().copied().chain([usize::MAX]) {
            let (now, later) = rest.split_at(piece.min(rest.len()));
            rest = later;
            decoder.extend(now);
            while let Some(body) = decoder.next_body().unwrap() {
                bodies.push(body);
            }
        }
        assert_eq!(decoder.finish(), Ok(None));
        bodies
    }

    proptest! {
        #[test]
        fn frames_survive_any_cutting(
            bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..20),
            pieces in prop::collection::vec(0_usize..200, 0..60),
        ) {
            let bytes: Vec<u8> = bodies.iter().flat_map(|body| encode(Framing::Length, body.clone())).collect();
            prop_assert_eq!(decode_in_pieces(Framing::Length, &bytes, &pieces), bodies);
        }

        #[test]
        fn lines_survive_any_cutting(
            bodies in prop::collection::vec("[a-z{}\" ]{0,80}[a-z]", 0..20),
            pieces in prop::collection::vec(0_usize..50, 0..60),
        ) {
            let bytes: Vec<u8> = bodies.iter().flat_map(|body| encode(Framing::Line, body.clone().into_bytes())).collect();
            let expected: Vec<Vec<u8>> = bodies.iter().map(|body| body.trim().as_bytes().to_vec()).collect();
            prop_assert_eq!(decode_in_pieces(Framing::Line, &bytes, &pieces), expected);
        }
    }

    #[test]
    fn a_length_above_the_limit_is_refused_before_anything_is_allocated() {
        let mut decoder = Decoder::new(Framing::Length);
        decoder.extend(&u32::MAX.to_ne_bytes());
        assert!(matches!(decoder.next_body(), Err(FrameError::TooLong { announced: 4_294_967_295, .. })));
    }

    #[test]
    fn a_line_above_the_limit_is_dropped_and_the_next_one_read() {
        let mut decoder = Decoder::new(Framing::Line);
        decoder.extend(b"{\"id\":7,\"x\":\"");
        let mut refusals = 0;
        for _ in 0..=INBOUND_FRAME_BYTES / (1024 * 1024) + 3 {
            decoder.extend(&vec![b'y'; 1024 * 1024]);
            match decoder.next_body() {
                Err(FrameError::LongLine { .. }) => refusals += 1,
                other => assert_eq!(other, Ok(None)),
            }
        }
        assert!(refusals == 1 && decoder.dropped().starts_with(b"{\"id\":7"));
        decoder.extend(b"\"}\n{\"id\":8}\n");
        assert_eq!(decoder.next_body(), Ok(Some(b"{\"id\":8}".to_vec())));
        assert_eq!((decoder.next_body(), decoder.finish()), (Ok(None), Ok(None)));
    }

    #[test]
    fn input_that_ends_inside_a_frame_is_torn() {
        let mut decoder = Decoder::new(Framing::Length);
        decoder.extend(&encode(Framing::Length, b"0123456789".to_vec())[..9]);
        assert_eq!(decoder.next_body(), Ok(None));
        assert_eq!(decoder.finish(), Err(FrameError::Torn { missing: 5 }));
        let mut decoder = Decoder::new(Framing::Length);
        decoder.extend(&[1, 0]);
        assert_eq!(decoder.finish(), Err(FrameError::Torn { missing: 2 }));
    }
}
