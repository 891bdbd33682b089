//! What the system can hold a command to. It is tried out once, on a thread of its own, and never guessed from versions.

use std::{io, sync::OnceLock};

use super::{ProcessError, sandbox_system};
use crate::config::Sandbox;

/// The oldest Landlock that is a sandbox: before the second, moving a file to another folder never worked, which most build
/// tools do all the time.
const OLDEST_LANDLOCK: u8 = 2;
/// Before the third, a file could be emptied without being opened for writing.
const LANDLOCK_TRUNCATES: u8 = 3;
/// Before the sixth, a signal could reach any process of the user.
const LANDLOCK_SIGNALS: u8 = 6;

/// What confines commands here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sandboxing {
    /// The version of Landlock that holds files; `None`: nothing does.
    pub(super) files: Option<u8>,
    /// The network can be closed.
    pub(super) network: bool,
}

impl Sandboxing {
    /// What the configuration wants, as far as there is; an error where it requires more.
    pub fn under(wanted: Sandbox) -> Result<Self, ProcessError> {
        static PROBED: OnceLock<Sandboxing> = OnceLock::new();
        if wanted == Sandbox::Off {
            return Ok(Self::default());
        }
        let found = Self::found(&PROBED, sandbox_system::probe)
            .map_err(|source| ProcessError::SandboxUnknown { source })?;
        let enough = found.network && found.files.is_some_and(|version| version >= LANDLOCK_TRUNCATES);
        if wanted == Sandbox::Required && !enough {
            return Err(ProcessError::SandboxRequired { missing: found.missing() });
        }
        Ok(found)
    }

    /// What was found once, or is found now. What could not be tried is tried again the next time.
    fn found(kept: &OnceLock<Self>, probe: impl FnOnce() -> io::Result<Self>) -> io::Result<Self> {
        if let Some(found) = kept.get() {
            return Ok(*found);
        }
        let found = probe()?;
        tracing::info!(landlock = ?found.files, seccomp = found.network, "what can confine a command");
        let files = found.files.filter(|version| *version >= OLDEST_LANDLOCK);
        Ok(*kept.get_or_init(|| Self { files, ..found }))
    }

    /// One word for all commands: what holds one that has no right to the network.
    pub fn kind(&self, closed: bool) -> &'static str {
        match (self.files.is_some(), closed) {
            (true, true) => sandbox_system::BOTH,
            (true, false) => sandbox_system::FILES,
            (false, true) => sandbox_system::NETWORK,
            (false, false) => "none",
        }
    }

    /// The network is closed to a command that has no right to it.
    pub fn closes_network(&self) -> bool {
        self.network
    }

    fn missing(self) -> &'static str {
        match (self.files, self.network) {
            (None, false) => "this system has neither Landlock nor seccomp filters",
            (None, true) => "this kernel has no Landlock",
            (Some(_), false) => "this system has no seccomp filters",
            (Some(_), true) => "this kernel's Landlock is too old: it lets files be emptied",
        }
    }

    /// For a person who decides. `folders` ends with a comma or is empty.
    pub(super) fn describe(self, closed: bool, folders: &str, read_only: bool) -> String {
        if self.files.is_none() && !closed {
            return "none: the command runs with all rights of your account; \
                it can read and change any file you can, blocked and protected ones too, and use the network"
                .to_owned();
        }
        let files = match self.files {
            None => "this kernel has no Landlock: it can change any file you can".to_owned(),
            Some(version) => {
                let end = if folders.is_empty() { "" } else { "and " };
                let mut words = format!(
                    "it can change files only below {folders}{end}a temporary folder of its own; \
                     in those everything, `.git` and protected files too"
                );
                if read_only {
                    words += "; not the workspace, which is read-only";
                }
                if version < LANDLOCK_TRUNCATES {
                    words += "; it can empty other files, which this kernel's Landlock does not prevent";
                }
                if !sandbox_system::HOLDS_ATTRIBUTES {
                    words += "; it can change modes, times and attributes of your other files";
                }
                if version < LANDLOCK_SIGNALS {
                    words += "; it can end other programs of yours";
                }
                words
            }
        };
        let network = if closed {
            "it has no network, not even to this machine, and no sockets to other programs"
        } else {
            "the network is open to it, and with it the programs of this machine that listen"
        };
        format!("{}: {files}; it can read what you can read, blocked files too; {network}", self.kind(closed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_tried_is_tried_again() {
        let kept = OnceLock::new();
        let none_left = || Err(io::ErrorKind::WouldBlock.into());
        assert!(Sandboxing::found(&kept, none_left).is_err());
        let whole = Sandboxing { files: Some(5), network: true };
        assert_eq!(Sandboxing::found(&kept, || Ok(whole)).unwrap(), whole);
        assert_eq!(Sandboxing::found(&kept, none_left).unwrap(), whole);
        let old = Sandboxing { files: Some(1), network: true };
        assert_eq!(Sandboxing::found(&OnceLock::new(), || Ok(old)).unwrap().files, None);
    }
}
