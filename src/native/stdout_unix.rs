//! The stdout guard: the real standard streams move away, so that nothing but the transport can write to the browser.
//!
//! Afterwards descriptor 1 points to stderr and descriptor 0 to nothing; a stray `println` in a dependency ends up in the
//! browser's log instead of tearing a frame, and no child can inherit the port.

use std::{
    fs::File,
    io,
    os::fd::{AsFd as _, BorrowedFd, OwnedFd},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{Mode, OFlags},
    io::fcntl_dupfd_cloexec,
    stdio,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{UnixStream, unix::pipe},
};

/// What anybody may ask of Linux for a pipe (`/proc/sys/fs/pipe-max-size`); its pages are there only while something is in them.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 1024 * 1024;

#[cfg(target_os = "linux")]
#[path = "nonblocking_linux.rs"]
mod nonblocking;
#[cfg(target_os = "macos")]
#[path = "nonblocking_macos.rs"]
mod nonblocking;

/// The real standard input and output, held by nobody else.
#[derive(Debug)]
pub struct RealStreams {
    input: OwnedFd,
    output: OwnedFd,
}

/// The reading half, whatever it is.
pub type Input = Box<dyn Source>;
/// The writing half, whatever it is.
pub type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// What is read from.
pub trait Source: AsyncRead + Send + Sync + Unpin {
    /// True when the other side has closed it, whatever still waits in it: who does not read on sees no end.
    fn is_hung_up(&self) -> bool;
    /// True when a read would not wait, or where that cannot be said.
    fn is_ready(&self) -> bool;
}

impl Source for pipe::Receiver {
    fn is_hung_up(&self) -> bool {
        has_hung_up(self.as_fd())
    }

    fn is_ready(&self) -> bool {
        is_ready(self.as_fd())
    }
}

impl Source for UnixStream {
    fn is_hung_up(&self) -> bool {
        has_hung_up(self.as_fd())
    }

    fn is_ready(&self) -> bool {
        is_ready(self.as_fd())
    }
}

/// A file has no other side.
impl Source for tokio::fs::File {
    fn is_hung_up(&self) -> bool {
        false
    }

    fn is_ready(&self) -> bool {
        true
    }
}

fn is_ready(descriptor: BorrowedFd<'_>) -> bool {
    let mut polled = [PollFd::from_borrowed_fd(descriptor, PollFlags::IN)];
    poll(&mut polled, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}

fn has_hung_up(descriptor: BorrowedFd<'_>) -> bool {
    #[cfg(target_os = "linux")]
    let asked = PollFlags::RDHUP;
    #[cfg(not(target_os = "linux"))]
    let asked = PollFlags::empty();
    let mut polled = [PollFd::from_borrowed_fd(descriptor, asked)];
    poll(&mut polled, Some(&Timespec::default())).is_ok()
        && polled[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | asked)
}

impl RealStreams {
    /// Moves the real streams away. Called once, before anything could print.
    pub fn take() -> io::Result<Self> {
        // Above 9: scripts and helpers like to use the low numbers.
        let input = fcntl_dupfd_cloexec(stdio::stdin(), 10)?;
        let output = fcntl_dupfd_cloexec(stdio::stdout(), 10)?;
        stdio::dup2_stdout(stdio::stderr())?;
        let nothing = rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        stdio::dup2_stdin(nothing)?;
        Ok(Self { input, output })
    }

    /// The output once more, for who has to say that there is no reactor to write it.
    pub fn output_again(&self) -> io::Result<File> {
        Ok(File::from(self.output.try_clone()?))
    }

    /// The streams for the reactor: pipes and sockets without a thread, anything else through the blocking pool.
    pub fn into_async(self) -> io::Result<(Input, Output)> {
        Ok((reader(self.input)?, writer(self.output)?))
    }
}

fn reader(descriptor: OwnedFd) -> io::Result<Input> {
    Ok(match kind(&descriptor)? {
        Kind::Pipe => {
            Box::new(pipe::Receiver::from_owned_fd(nonblocking::pipe(descriptor, OFlags::RDONLY)?)?)
        }
        Kind::Socket => Box::new(socket(descriptor)?),
        Kind::Other => Box::new(tokio::fs::File::from_std(File::from(descriptor))),
    })
}

fn writer(descriptor: OwnedFd) -> io::Result<Output> {
    Ok(match kind(&descriptor)? {
        Kind::Pipe => {
            let pipe = nonblocking::pipe(descriptor, OFlags::WRONLY)?;
            // A large answer with fewer wake-ups of either side; where it is not allowed, the pipe stays as it is.
            #[cfg(target_os = "linux")]
            let _ = rustix::pipe::fcntl_setpipe_size(&pipe, PIPE_BYTES);
            Box::new(pipe::Sender::from_owned_fd(pipe)?)
        }
        Kind::Socket => Box::new(socket(descriptor)?),
        Kind::Other => Box::new(tokio::fs::File::from_std(File::from(descriptor))),
    })
}

enum Kind {
    Pipe,
    Socket,
    Other,
}

fn kind(descriptor: &OwnedFd) -> io::Result<Kind> {
    let stat = rustix::fs::fstat(descriptor)?;
    Ok(match rustix::fs::FileType::from_raw_mode(stat.st_mode) {
        rustix::fs::FileType::Fifo => Kind::Pipe,
        rustix::fs::FileType::Socket => Kind::Socket,
        _ => Kind::Other,
    })
}

fn socket(descriptor: OwnedFd) -> io::Result<UnixStream> {
    let socket = std::os::unix::net::UnixStream::from(descriptor);
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket)
}
