//! The stdout guard on Windows: the real standard streams move away, so that nothing but the transport can write to the browser.
//!
//! Afterwards the standard output is the error output and the standard input is nothing, and nothing that this process was given
//! is passed on to a child. Bytes are never translated: std and the system write what they are given.
#![expect(
    unsafe_code,
    reason = "the standard streams and what is passed on to children have no safe wrapper"
)]

use std::{
    fs::{File, OpenOptions},
    io,
    os::windows::io::{AsRawHandle as _, FromRawHandle as _, IntoRawHandle as _, OwnedHandle},
    ptr,
};

use tokio::io::{AsyncRead, AsyncWrite};
use windows_sys::Win32::{
    Foundation::{DUPLICATE_SAME_ACCESS, DuplicateHandle, HANDLE, HANDLE_FLAG_INHERIT, SetHandleInformation},
    System::{
        Console::{GetStdHandle, STD_ERROR_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle},
        Threading::GetCurrentProcess,
    },
};

/// The real standard input and output, held by nobody else.
#[derive(Debug)]
pub struct RealStreams {
    input: OwnedHandle,
    output: OwnedHandle,
}

/// The reading half, whatever it is.
pub type Input = Box<dyn Source>;
/// The writing half, whatever it is.
pub type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// What is read from.
pub trait Source: AsyncRead + Send + Sync + Unpin {
    /// Whether the other side has closed it; a reader that waits elsewhere is told by the system's end of the process only.
    fn is_hung_up(&self) -> bool {
        false
    }

    /// True when a read would not wait, or where that cannot be said.
    fn is_ready(&self) -> bool {
        true
    }
}

impl Source for tokio::fs::File {}

/// Handles are small multiples of four; a process that has just started has a few dozen.
const NUMBERS: std::ops::RangeInclusive<usize> = 1..=1024;

impl RealStreams {
    /// Moves the real streams away. Called once, before anything could print.
    pub fn take() -> io::Result<Self> {
        let (input, output) = (standard(STD_INPUT_HANDLE)?, standard(STD_OUTPUT_HANDLE)?);
        keep_everything();
        let nothing = OwnedHandle::from(open_nothing()?);
        // Held for ever: what stands for a standard stream must stay open.
        let nothing = nothing.into_raw_handle();
        // SAFETY: calls with numbers and a handle that stays open.
        unsafe {
            let errors = GetStdHandle(STD_ERROR_HANDLE);
            let errors = if errors.is_null() { nothing } else { errors };
            SetStdHandle(STD_OUTPUT_HANDLE, errors);
            SetStdHandle(STD_INPUT_HANDLE, nothing);
        }
        Ok(Self { input, output })
    }

    /// The output once more, for who has to say that there is no reactor to write it.
    pub fn output_again(&self) -> io::Result<File> {
        Ok(File::from(self.output.try_clone()?))
    }

    /// The streams for the reactor: through the blocking pool, since pipes from elsewhere cannot be waited for together.
    pub fn into_async(self) -> io::Result<(Input, Output)> {
        let file = |handle| tokio::fs::File::from_std(File::from(handle));
        Ok((Box::new(file(self.input)), Box::new(file(self.output))))
    }
}

/// A standard stream under a handle of our own that no child gets.
fn standard(which: u32) -> io::Result<OwnedHandle> {
    // SAFETY: a call with a number; the handle stays whose it was.
    let handle = unsafe { GetStdHandle(which) };
    if handle.is_null() {
        return Err(io::ErrorKind::NotConnected.into());
    }
    let mut own: HANDLE = ptr::null_mut();
    // SAFETY: the process's own handle needs no closing; the duplicate is ours.
    let done = unsafe {
        let process = GetCurrentProcess();
        DuplicateHandle(process, handle, process, &raw mut own, 0, 0, DUPLICATE_SAME_ACCESS)
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the duplicate is open and nobody else's. The handle that was inherited is closed here, and nothing uses it again:
    // else the browser would not see that this process is done with its port.
    unsafe {
        drop(OwnedHandle::from_raw_handle(handle));
        Ok(OwnedHandle::from_raw_handle(own))
    }
}

/// Passes nothing on to children but what is meant for them: what we were given may be passed on as it was to us.
fn keep_everything() {
    for number in NUMBERS {
        let handle = ptr::without_provenance_mut(number * 4);
        // SAFETY: a call with numbers; it fails for what is no handle.
        unsafe { SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0) };
    }
}

#[expect(clippy::disallowed_methods, reason = "this is no file, but the system's name for nothing")]
fn open_nothing() -> io::Result<File> {
    let nothing = OpenOptions::new().read(true).write(true).open("NUL")?;
    // SAFETY: a call with a handle that is open.
    unsafe { SetHandleInformation(nothing.as_raw_handle(), HANDLE_FLAG_INHERIT, 0) };
    Ok(nothing)
}
