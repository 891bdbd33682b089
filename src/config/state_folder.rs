//! The folder of the journal and the log: the user's alone.

use std::{
    io,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy as _;

use super::error::ConfigError;

#[cfg(unix)]
#[path = "private_unix.rs"]
mod private;
#[cfg(windows)]
#[path = "private_windows.rs"]
mod private;

/// The state folder, made if it is not there: `OUTRIGGER_STATE_DIR`, or the platform's.
pub fn state_folder() -> Result<PathBuf, ConfigError> {
    let folder = state_path()?;
    make_private(&folder)?;
    Ok(folder)
}

/// Names a folder that a host uses in the state folder's place, and nobody afterwards: the doctor tries hosts, and leaves nothing.
pub const PROBE: &str = "OUTRIGGER_PROBE";

/// Set where a login shell is asked for its `PATH`: what its start-up files start asks no shell again.
pub const RESOLVING: &str = "OUTRIGGER_RESOLVING_ENVIRONMENT";

/// That folder, for a host that is only tried.
pub fn probe_folder() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os(PROBE)?);
    (folder.is_absolute() && folder.is_dir()).then_some(folder)
}

/// Where the state folder is or would be; makes nothing.
pub fn state_path() -> Result<PathBuf, ConfigError> {
    if let Some(folder) = std::env::var_os("OUTRIGGER_STATE_DIR").filter(|folder| !folder.is_empty()) {
        let folder = PathBuf::from(folder);
        if folder.is_absolute() {
            return Ok(folder);
        }
        return Err(ConfigError::file(
            folder,
            "`OUTRIGGER_STATE_DIR` is a relative path",
            "write an absolute path",
        ));
    }
    let base = etcetera::choose_base_strategy().map_err(|error| {
        ConfigError::file(
            "outrigger",
            format!("the state folder is not known: {error}"),
            "set `OUTRIGGER_STATE_DIR`",
        )
    })?;
    if base.home_dir().is_relative() {
        // It would be another folder for every host, beside the program that a browser starts.
        return Err(ConfigError::file(
            base.home_dir().to_path_buf(),
            "the state folder is not known: `HOME` is a relative path",
            "set `HOME` to the absolute path of the home folder, or `OUTRIGGER_STATE_DIR`",
        ));
    }
    Ok(base.state_dir().unwrap_or_else(|| base.data_dir()).join("outrigger"))
}

/// Whether a file of the state folder is the journal's: the database, what SQLite keeps beside it, what was put aside.
pub fn is_of_journal(name: &str) -> bool {
    name.strip_prefix("journal.sqlite").is_some_and(|rest| {
        rest.is_empty()
            || ["-wal", "-shm", "-journal", ".cut-off", ".running", ".damaged-", ".old"]
                .iter()
                .any(|known| rest.starts_with(known))
    })
}

/// Whether a file of the folder `log` is a log of ours.
pub fn is_of_log(name: &str) -> bool {
    name == "outrigger.log" || name.strip_suffix(".log").is_some_and(|rest| rest.starts_with("outrigger."))
}

/// Whether a folder in `tmp` was made for a command.
pub fn is_of_tmp(name: &str) -> bool {
    name.strip_prefix("run-").is_some_and(|rest| rest.len() == 16)
}

/// Whether something in the state folder has a name that outrigger gives.
#[cfg(unix)]
pub(super) fn is_ours(name: &str) -> bool {
    // On its way to a file of ours, or put aside by a person whom the doctor told to.
    let is_passing = name
        .strip_suffix(".new")
        .is_some_and(|rest| ["trust.", ".installed.json."].iter().any(|start| rest.starts_with(start)));
    is_of_journal(name)
        || is_passing
        || name.contains(".old")
        || ["installed.json", "installed.lock", "trust.json", "log", "tmp", "program"].contains(&name)
}

/// Makes `folder` for this user alone, or checks that it is.
pub fn make_own(folder: &Path) -> io::Result<()> {
    private::make(folder)
}

/// The same, in words.
pub fn make_private(folder: &Path) -> Result<(), ConfigError> {
    make_own(folder).map_err(|reason| {
        ConfigError::file(
            folder,
            format!("the state folder cannot be used: {reason}"),
            "set `OUTRIGGER_STATE_DIR` to a folder of your own",
        )
    })
}
