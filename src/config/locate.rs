//! Where the configuration and the state of this user are.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy as _;

use super::{error::ConfigError, load, resolved::Config};
use crate::shell_words::{moved_aside, quoted_path};

/// The names a configuration can have in its folder.
const NAMES: [&str; 3] = ["config.toml", "config.yaml", "config.yml"];

/// Where the configuration is, or would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The file.
    pub path: PathBuf,
    /// There is none there, and none was asked for by name.
    pub absent: bool,
}

/// What decides where the configuration is.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// `--config FILE`.
    pub explicit: Option<PathBuf>,
    /// `OUTRIGGER_CONFIG`.
    pub variable: Option<OsString>,
    /// The platform's folder for configuration.
    pub config_folder: Option<PathBuf>,
}

/// Every file that can be the configuration: the one that was named, or each of the names in the platform's folder.
pub fn candidates(explicit: Option<&Path>) -> Vec<PathBuf> {
    match locate(explicit) {
        Ok(Located { path, .. }) => {
            let named = explicit.is_some()
                || std::env::var_os("OUTRIGGER_CONFIG").is_some_and(|name| !name.is_empty());
            let folder = if named { None } else { path.parent() };
            folder.map_or_else(|| vec![path.clone()], |folder| NAMES.map(|name| folder.join(name)).to_vec())
        }
        // Several files in the folder: taking one away mends it.
        Err(error) => NAMES.map(|name| error.file.join(name)).to_vec(),
    }
}

/// The folder that a configuration is looked for in when none is named, whether it is there or not.
pub fn own_folder() -> Option<PathBuf> {
    config_folder().map(|folder| folder.join("outrigger"))
}

/// The program and, behind the installer's launcher, the folder of launcher and versions: whoever writes there decides what
/// browsers start.
pub fn own_program() -> Vec<PathBuf> {
    let Ok(program) = std::env::current_exe() else { return Vec::new() };
    let versions = program.parent().and_then(Path::parent);
    let versions = versions.filter(|folder| folder.file_name().is_some_and(|name| name == "versions"));
    let folder = versions.and_then(Path::parent).map(Path::to_path_buf);
    std::iter::once(program).chain(folder).collect()
}

/// Finds the configuration: `--config`, `OUTRIGGER_CONFIG`, the platform's folder.
pub fn locate(explicit: Option<&Path>) -> Result<Located, ConfigError> {
    locate_by(&Hints {
        explicit: explicit.map(Path::to_owned),
        variable: std::env::var_os("OUTRIGGER_CONFIG"),
        config_folder: config_folder(),
    })
}

fn config_folder() -> Option<PathBuf> {
    etcetera::choose_base_strategy().ok().map(|base| base.config_dir()).filter(|folder| folder.is_absolute())
}

/// The same, of given hints.
pub fn locate_by(hints: &Hints) -> Result<Located, ConfigError> {
    if let Some(path) = &hints.explicit {
        return Ok(Located { path: path.clone(), absent: false });
    }
    if let Some(variable) = hints.variable.as_ref().filter(|variable| !variable.is_empty()) {
        return Ok(Located { path: variable.into(), absent: false });
    }
    let Some(folder) = &hints.config_folder else {
        return Err(ConfigError::file(
            "config.toml",
            "the folder for configuration is not known, because the home folder is not",
            "name a file with `--config` or `OUTRIGGER_CONFIG`",
        ));
    };
    let folder = folder.join("outrigger");
    if let Some((reason, hint)) = hidden(&folder) {
        return Err(ConfigError::file(&folder, format!("the folder for configuration {reason}"), hint));
    }
    // A dangling link counts: it was put there to be the configuration, and not reading it would be a silent default.
    let found: Vec<&str> =
        NAMES.into_iter().filter(|name| folder.join(name).symlink_metadata().is_ok()).collect();
    match found.as_slice() {
        [] => Ok(Located { path: folder.join(NAMES[0]), absent: true }),
        [name] => Ok(Located { path: folder.join(name), absent: false }),
        [kept, others @ ..] => {
            let aside: Vec<String> = others.iter().map(|name| moved_aside(&folder.join(name))).collect();
            let between = if cfg!(windows) { " & " } else { " && " };
            Err(ConfigError::file(
                &folder,
                format!("there are several configurations: `{}`", found.join("`, `")),
                format!("`{}` keeps `{kept}`; or keep another one", aside.join(between)),
            ))
        }
    }
}

/// Why nobody can say whether there is a configuration in the folder, and what helps: what may be written there is not to be
/// taken for nothing.
fn hidden(folder: &Path) -> Option<(String, String)> {
    let refused = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => None,
        io::ErrorKind::PermissionDenied if cfg!(unix) => Some((
            format!("cannot be looked into: {error}"),
            format!("`chmod u+rwx {}` opens it", quoted_path(folder)),
        )),
        _ => Some((format!("cannot be looked into: {error}"), load::aside(folder))),
    };
    match folder.metadata() {
        Ok(metadata) if !metadata.is_dir() => Some(("is not a folder".to_owned(), load::aside(folder))),
        Ok(metadata) => match load::open_to_all(folder, &metadata) {
            None => folder.join(NAMES[0]).symlink_metadata().err().and_then(refused),
            open => open,
        },
        // Anything else that is there now was made by somebody a moment ago.
        Err(error)
            if error.kind() == io::ErrorKind::NotFound
                && folder.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) =>
        {
            Some(("is a link that leads nowhere".to_owned(), load::aside(folder)))
        }
        Err(error) => refused(error),
    }
}

/// Finds and reads the configuration; without one, what holds then. `tools` are the names that `tools.tier` may use.
pub fn find(explicit: Option<&Path>, tools: &[&str]) -> Result<Config, ConfigError> {
    match locate(explicit)? {
        Located { absent: true, .. } => Ok(Config::without_file()),
        Located { path, .. } => load::load(&path, tools),
    }
}
