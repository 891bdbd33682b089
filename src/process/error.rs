//! How a program fails to start, or is lost.

use std::{io, path::PathBuf};

use super::{Ended, signal_name};

/// A program that did not run to an end we know.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The system refused.
    #[error("`{program}` could not be started: {source}")]
    Spawn {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// After [`super::stop_own`].
    #[error("nothing more is started: this process was told to stop")]
    Stopped,
    /// A bare name that is in no folder of the search path.
    #[error("`{program}` was not found in any of {} folders", searched.len())]
    NotFound {
        /// The name.
        program: String,
        /// Where it was looked for.
        searched: Vec<PathBuf>,
    },
    /// A name that is neither bare nor absolute, or a file that is no program.
    #[error("`{program}` cannot be run: {reason}")]
    Unusable {
        /// As configured.
        program: String,
        /// Why.
        reason: &'static str,
    },
    /// It cannot be looked at, so nobody can be shown what would run.
    #[error("`{program}` cannot be looked at: {source}")]
    Unseen {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// Found only where tools can write.
    #[error("`{program}` was found only at `{}`, inside a workspace, where an agent could change it", found.display())]
    InWorkspace {
        /// The name.
        program: String,
        /// Where it is.
        found: PathBuf,
    },
    /// `exec.sandbox = "required"`, and there is none.
    #[error("the configuration requires a sandbox (`exec.sandbox = \"required\"`), but {missing}")]
    SandboxRequired {
        /// What there is not.
        missing: &'static str,
    },
    /// What there is of one could not be tried out: for lack of a thread or a descriptor, which says nothing of the next time.
    #[error("what can confine a command here could not be found out: {source}")]
    SandboxUnknown {
        /// Why.
        source: io::Error,
    },
    /// The sandbox that the plan told of could not be put around the command.
    #[error("`{program}` was not started, because its sandbox could not be set up: {reason}")]
    NotHeld {
        /// The program.
        program: String,
        /// Why.
        reason: String,
    },
    /// A folder that the command may change cannot be looked at.
    #[error("the folder `{}`, which the command may change, cannot be looked at: {source}", folder.display())]
    Writable {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The private temporary folder cannot be made.
    #[error("the temporary folder `{}` could not be made: {source}", folder.display())]
    Temp {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The helper could not be started or spoken to.
    #[error("the helper that runs commands could not be used: {source}")]
    Helper {
        /// Why.
        source: io::Error,
    },
    /// The helper died before it said how the command ended.
    #[error("the helper that ran `{program}` died; what it had started was killed")]
    Lost {
        /// The program.
        program: String,
    },
    /// A program of ours that does nothing did not come to its end.
    #[error("a program that does nothing, started as commands are, {}", how(*ended))]
    Trial {
        /// How it ended.
        ended: Ended,
    },
    /// A bug: a program without a permit for running one.
    #[error("the call's permit does not cover running `{program}`")]
    NotPermitted {
        /// The program.
        program: String,
    },
}

fn how(ended: Ended) -> String {
    match ended {
        Ended::Exited(code) => format!("ended with status {code}"),
        Ended::Signaled(signal) => format!("was ended by {}", signal_name(signal)),
        Ended::Timeout | Ended::IdleTimeout | Ended::Cancelled => {
            "did not come to its end in time".to_owned()
        }
    }
}
