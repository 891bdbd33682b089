//! Paths of a configuration: absolute or below the home folder, and never so wide that they free an agent of all limits.

use std::path::{Path, PathBuf};

use super::{
    document::Fault,
    folders::Kind,
    resolve::{Surroundings, fault},
    written::Written,
};

/// An absolute path, or one below the home folder.
pub(super) fn absolute(written: &Written<String>, around: &Surroundings<'_>) -> Result<PathBuf, Fault> {
    let text = &written.value;
    let hint = "write an absolute path, or one that begins with `~/`";
    if text.is_empty() {
        return Err(fault(written, "the path is empty".to_owned(), hint));
    }
    if text.contains('\0') {
        return Err(fault(written, "the path contains a NUL character".to_owned(), hint));
    }
    let path = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            let Some(home) = around.folders.home() else {
                return Err(fault(
                    written,
                    "the home folder is not known".to_owned(),
                    "write an absolute path",
                ));
            };
            home.join(rest.trim_start_matches('/'))
        }
        Some(_) => return Err(fault(written, format!("`{text}` names the home of another user"), hint)),
        None => PathBuf::from(text),
    };
    if !path.is_absolute() {
        return Err(fault(written, format!("`{text}` is a relative path"), hint));
    }
    if path.components().any(|component| component == std::path::Component::ParentDir) {
        return Err(fault(written, format!("`{text}` contains `..`"), "write the path it leads to"));
    }
    Ok(path)
}

/// The folder as the system knows it; refused are files, what is not there, the root of the file system and the home folder.
pub(super) fn workspace_folder(
    written: &Written<String>,
    path: &Path,
    around: &Surroundings<'_>,
) -> Result<PathBuf, Fault> {
    let text = &written.value;
    let folder = match around.folders.kind(path) {
        Kind::Folder(real) => real,
        Kind::Other => {
            return Err(fault(written, format!("`{text}` is not a folder"), "name the folder it is in"));
        }
        Kind::Missing => {
            return Err(fault(written, format!("`{text}` does not exist"), "create it, or correct the path"));
        }
        Kind::Unreadable(why) => {
            return Err(fault(
                written,
                format!("`{text}` cannot be looked at: {why}"),
                "check its permissions",
            ));
        }
    };
    let hint = "name the folder of one project";
    if folder.parent().is_none() {
        return Err(fault(written, format!("`{text}` is the root of the file system"), hint));
    }
    let home = around.folders.home();
    if home.as_deref().is_some_and(|home| home == folder) {
        return Err(fault(written, format!("`{text}` is the home folder itself"), hint));
    }
    if home.as_deref().is_some_and(|home| home.starts_with(&folder)) {
        return Err(fault(written, format!("`{text}` contains the home folder"), hint));
    }
    Ok(folder)
}

/// A folder that a command may write beside the workspace: never one that would free it of all limits.
pub(super) fn write_path(written: &Written<String>, around: &Surroundings<'_>) -> Result<PathBuf, Fault> {
    let path = absolute(written, around)?;
    let real = match around.folders.kind(&path) {
        Kind::Folder(real) => real,
        _ => path.clone(),
    };
    let home = around.folders.home();
    if real.parent().is_none() || home.is_some_and(|home| home.starts_with(&real)) {
        let message = format!("`{}` contains the whole home folder", written.value);
        return Err(fault(written, message, "name the folder that the command needs"));
    }
    Ok(path)
}
