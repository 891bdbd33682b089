//! The only door to programs.
//!
//! A command runs under a helper: this binary, started again as `outrigger __run`. The helper is the command's parent and the
//! subreaper of all it starts, so that nothing outlives the call, `setsid` or not, and nothing outlives the host either:
//! the helper watches a pipe from the host and ends everything when that pipe closes.
//!
//! Where the system can, a command is held to its bounds: Landlock for what it may change, seccomp against the network. What
//! holds it is told in its plan, and a command that cannot be held like that is not started.
//!
//! Programs are started by absolute path with an argument list, never through a shell. Arguments, environment and working
//! folder come from the law and from handles; nothing is inherited.

mod confinement;
pub mod dialog;
mod door;
mod env;
pub mod error;
mod escape;
mod family_unix;
mod guarded;
mod helper_unix;
mod kill_unix;
mod login_shell;
mod output;
pub mod own;
mod program;
mod protocol;
mod run_unix;
pub mod sandbox;
mod sandbox_linux;
mod signal;
mod temp;

pub use confinement::Confinement;
pub use door::{CANCEL_GRACE, News, ProcessDoor, Watch};
pub use error::ProcessError;
pub use guarded::Guarded;
pub use helper_unix::{HELPER_ARGUMENT, run_helper};
pub use output::{Excerpt, Transcript};
pub use own::{Asked, Ending, OwnChild, OwnProgram};
pub use run_unix::{Ended, Outcome, Started};
pub use sandbox::Sandboxing;
pub use signal::signal_name;
