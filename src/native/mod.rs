//! The native edge: bytes in, bytes out.
//!
//! [`frame`] and [`chunk`] are sans-IO; [`transport`] wraps them in one task that reads and one that writes; [`stdout`] keeps the
//! real standard output away from everybody else; [`caller`] decides from `argv` who started us.

pub mod caller;
pub mod chunk;
pub mod envelope;
pub mod frame;
#[cfg(unix)]
#[path = "stdout_unix.rs"]
pub mod stdout;
#[cfg(windows)]
#[path = "stdout_windows.rs"]
pub mod stdout;
pub mod transport;

pub use caller::Caller;
pub use transport::{Closed, Front, Wire, WireTransport};
