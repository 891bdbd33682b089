//! The only door to programs.
//!
//! On Unix a command runs under a helper: this binary, started again as `outrigger __run`. The helper is the command's parent and the
//! subreaper of all it starts, so that nothing outlives the call, `setsid` or not, and nothing outlives the host either:
//! the helper watches a pipe from the host and ends everything when that pipe closes. On Windows a job object keeps both promises.
//!
//! Where the system can, a command is held to its bounds: Landlock for what it may change, seccomp against the network. What
//! holds it is told in its plan, and a command that cannot be held like that is not started.
//!
//! Programs are started by absolute path with an argument list, never through a shell. Arguments, environment and working
//! folder come from the law and from handles; nothing is inherited.

mod bounds;
mod confinement;
pub mod dialog;
mod door;
mod ended;
mod env;
pub mod error;
mod escape;
mod guarded;
mod output;
pub mod own;
mod program;
#[cfg(unix)]
mod protocol;
pub mod sandbox;
mod temp;

#[cfg(unix)]
#[path = "family_unix.rs"]
mod family;
#[cfg(windows)]
#[path = "family_windows.rs"]
mod family;
#[cfg(unix)]
#[path = "helper_unix.rs"]
mod helper;
#[cfg(windows)]
#[path = "helper_windows.rs"]
mod helper;
#[cfg(windows)]
mod job_windows;
#[cfg(unix)]
mod kill_unix;
#[cfg(unix)]
#[path = "login_shell_unix.rs"]
mod login_shell;
#[cfg(windows)]
#[path = "login_shell_windows.rs"]
mod login_shell;
#[cfg(target_os = "linux")]
#[path = "processes_linux.rs"]
mod processes;
#[cfg(target_os = "macos")]
#[path = "processes_macos.rs"]
mod processes;
#[cfg(unix)]
#[path = "removal_unix.rs"]
mod removal;
#[cfg(windows)]
#[path = "removal_windows.rs"]
mod removal;
#[cfg(unix)]
#[path = "run_unix.rs"]
mod run;
#[cfg(windows)]
#[path = "run_windows.rs"]
mod run;
#[cfg(target_os = "linux")]
#[path = "sandbox_linux.rs"]
mod sandbox_system;
#[cfg(target_os = "macos")]
#[path = "sandbox_macos.rs"]
mod sandbox_system;
#[cfg(windows)]
#[path = "sandbox_windows.rs"]
mod sandbox_system;
#[cfg(any(target_os = "macos", test))]
mod seatbelt;
#[cfg(unix)]
#[path = "signal_unix.rs"]
mod signal;
#[cfg(windows)]
#[path = "signal_windows.rs"]
mod signal;
#[cfg(unix)]
#[path = "starter_unix.rs"]
mod starter;
#[cfg(target_os = "linux")]
#[path = "system_linux.rs"]
mod system;
#[cfg(target_os = "macos")]
#[path = "system_macos.rs"]
mod system;
#[cfg(windows)]
#[path = "system_windows.rs"]
mod system;
#[cfg(unix)]
#[path = "writable_unix.rs"]
mod writable;
#[cfg(windows)]
#[path = "writable_windows.rs"]
mod writable;

pub use confinement::Confinement;
pub use door::{CANCEL_GRACE, News, ProcessDoor, Watch};
pub use ended::{Ended, Outcome};
pub use error::ProcessError;
pub use guarded::Guarded;
pub use helper::{HELPER_ARGUMENT, run_helper};
pub use output::{Excerpt, Transcript};
pub use own::{Asked, Ending, OwnChild, OwnProgram, ask_to_leave, is_stopped, stop_own};
pub use program::ProgramFile;
pub use run::Started;
pub use sandbox::Sandboxing;
pub use signal::signal_name;
