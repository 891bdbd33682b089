//! The folder of the journal and the log: the user's alone.

use std::path::{Path, PathBuf};

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

/// Makes `folder` for this user alone, or checks that it is.
pub fn make_private(folder: &Path) -> Result<(), ConfigError> {
    private::make(folder).map_err(|reason| {
        ConfigError::file(
            folder,
            format!("the state folder cannot be used: {reason}"),
            "set `OUTRIGGER_STATE_DIR` to a folder of your own",
        )
    })
}
