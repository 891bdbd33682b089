//! What host and helper say to each other. Both are the same binary, so there is one version of it.
//!
//! Host to helper, on its stdin: one [`Request`] behind its length, later at most one [`end message`](end_message).
//! The end of that stream means that the host is gone. Helper to host, on its stderr: one [`Report`], then the end.

use std::{
    ffi::OsString,
    io::{self, Read},
    path::PathBuf,
};

use serde::{Deserialize, Serialize};

use super::bounds::{Bounds, Identity};

/// What to run. Arguments may be any bytes; the working folder is the helper's own.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Request {
    /// Absolute.
    pub(super) program: OsString,
    /// Without the program's name.
    pub(super) args: Vec<OsString>,
    /// All of it.
    pub(super) env: Vec<(OsString, OsString)>,
    /// The private temporary folder; the helper removes it when no host is left to do so.
    pub(super) temp: PathBuf,
    /// What the program is held to; `None`: nothing.
    pub(super) bounds: Option<Bounds>,
    /// Asked to end, it is also told that nobody is there any more: a shell made for a person hears nothing else.
    pub(super) hang_up: bool,
    /// What the working folder has to be, where its name could lead elsewhere by now.
    pub(super) folder: Option<Identity>,
}

/// How it ended.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Report {
    /// The program did not start.
    NotStarted {
        /// The system's number; 0 when there is none.
        errno: i32,
        /// The same in words.
        message: String,
    },
    /// The program did not start, because it could not be held to its bounds.
    NotHeld {
        /// Why.
        message: String,
    },
    /// The program ran, and nothing of it is left but `survivors`.
    Ended {
        /// When it exited by itself.
        exit_code: Option<i32>,
        /// When a signal ended it.
        signal: Option<i32>,
        /// Descendants that could not be killed: another user's, or stuck in the kernel.
        survivors: u32,
    },
}

/// More than any request can be (64 arguments of 4 KiB, each byte written as up to four): a longer one is not ours.
const REQUEST_BYTES_MAX: u32 = 16 * 1024 * 1024;

impl Request {
    /// The request behind its length.
    pub(super) fn encode(&self) -> io::Result<Vec<u8>> {
        let body = serde_json::to_vec(self)?;
        let length = u32::try_from(body.len())
            .ok()
            .filter(|length| *length <= REQUEST_BYTES_MAX)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the arguments are too long"))?;
        Ok([&length.to_ne_bytes()[..], &body].concat())
    }

    /// Reads one request, and nothing behind it.
    pub(super) fn read_from(mut reader: impl Read) -> io::Result<Self> {
        let mut length = [0; 4];
        reader.read_exact(&mut length)?;
        let length = u32::from_ne_bytes(length);
        if length > REQUEST_BYTES_MAX {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "this is no request"));
        }
        let mut body = vec![0; length as usize];
        reader.read_exact(&mut body)?;
        Ok(serde_json::from_slice(&body)?)
    }
}

/// Asks the helper to end everything: first politely, after `grace_ms` for good.
pub(super) fn end_message(grace_ms: u32) -> [u8; END_MESSAGE_BYTES] {
    grace_ms.to_ne_bytes()
}

/// The grace of an [`end_message`].
pub(super) fn end_grace_ms(message: [u8; END_MESSAGE_BYTES]) -> u32 {
    u32::from_ne_bytes(message)
}

/// The length of an [`end_message`].
pub(super) const END_MESSAGE_BYTES: usize = 4;

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;
    use crate::process::bounds::Writable;

    #[test]
    fn every_byte_of_a_request_arrives() {
        let request = Request {
            program: "/bin/echo".into(),
            args: vec![OsString::from_vec((1..=255).collect()), "".into()],
            env: vec![("KEY".into(), OsString::from_vec(vec![0xff, b'='])), ("B".into(), "\n".into())],
            temp: "/tmp/x".into(),
            bounds: Some(Bounds {
                files: Some(6),
                closes_network: true,
                guards_processes: true,
                writable: vec![
                    Writable { path: "/a".into(), identity: Some(Identity { device: u64::MAX, inode: 7 }) },
                    Writable { path: "/b".into(), identity: None },
                ],
            }),
            hang_up: true,
            folder: Some(Identity { device: 1, inode: 2 }),
        };
        let mut encoded = request.encode().unwrap();
        encoded.extend_from_slice(&end_message(3000));
        let mut reader = encoded.as_slice();
        assert_eq!(Request::read_from(&mut reader).unwrap(), request);
        assert_eq!(end_grace_ms(reader.try_into().unwrap()), 3000);
    }

    #[test]
    fn what_is_no_request_is_an_error() {
        assert!(Request::read_from(&b""[..]).is_err());
        assert!(Request::read_from(&b"\xff\xff\xff\xff"[..]).is_err());
        assert!(Request::read_from(&b"\x02\0\0\0{}"[..]).is_err());
    }
}
