//! Seatbelt, by the system's own `sandbox-exec`: it holds itself to a profile and becomes the program.

use std::{
    ffi::OsString,
    io,
    process::{Command, Stdio},
};

use super::{
    bounds::{Bounds, Writable},
    protocol::Request,
    sandbox::Sandboxing,
    seatbelt, writable,
};

/// What holds files and the network, in one word.
pub(super) const BOTH: &str = "seatbelt";
/// What holds files.
pub(super) const FILES: &str = "seatbelt";
/// What holds the network.
pub(super) const NETWORK: &str = "seatbelt";
/// Writing to a file includes its mode, its times and its attributes.
pub(super) const HOLDS_ATTRIBUTES: bool = true;

/// Part of every macOS; a workspace cannot put another one there.
const SANDBOX_EXEC: &str = "/usr/bin/sandbox-exec";

/// Why a command could not be held.
#[derive(Debug, thiserror::Error)]
pub(super) enum SandboxError {
    #[error("`{}` cannot be let through: {source}", path.display())]
    Writable { path: std::path::PathBuf, source: std::io::Error },
    #[error("a folder that it may write to has a name that a profile cannot say")]
    Unsayable,
}

/// Holds nothing yet: what the command is held to is put in front of it by [`command`]. Looks whether all that it may write to is
/// what was meant.
pub(super) fn hold(bounds: &Bounds) -> Result<(), SandboxError> {
    for writable in &bounds.writable {
        let Writable { path, .. } = writable;
        let opened = writable::open(writable);
        opened.map_err(|source| SandboxError::Writable { path: path.clone(), source })?;
    }
    seatbelt::profile(bounds).map(drop).ok_or(SandboxError::Unsayable)
}

/// The thread itself is not held.
pub(super) fn keeps_signals_in(_bounds: &Bounds, _outside: rustix::process::Pid) -> bool {
    false
}

/// The program and its arguments, behind what holds them.
pub(super) fn command(request: &Request) -> (OsString, Vec<OsString>) {
    let profile = request.bounds.as_ref().and_then(seatbelt::profile);
    let Some(profile) = profile else { return (request.program.clone(), request.args.clone()) };
    let front = ["-p".into(), profile.into(), request.program.clone()];
    (SANDBOX_EXEC.into(), front.into_iter().chain(request.args.iter().cloned()).collect())
}

/// What holds, by trying: a program that does nothing is started behind a profile that forbids writing and the network.
#[expect(clippy::disallowed_methods, reason = "this module is part of the door")]
pub(super) fn probe() -> io::Result<Sandboxing> {
    let all =
        Bounds { files: Some(u8::MAX), closes_network: true, guards_processes: false, writable: Vec::new() };
    let works = match seatbelt::profile(&all) {
        None => false,
        Some(profile) => {
            let mut command = Command::new(SANDBOX_EXEC);
            command.arg("-p").arg(profile).arg("/usr/bin/true").env_clear();
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            match command.status() {
                Ok(status) => status.success(),
                // No further process for now: that says nothing of what would hold it.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Err(error),
                Err(_) => false,
            }
        }
    };
    Ok(Sandboxing { files: works.then_some(u8::MAX), network: works })
}
