//! What is ours in the state folder, by its names: whatever else is there is somebody else's, wherever the folder is.

use std::path::{Path, PathBuf};

use super::{
    error::InstallError,
    files,
    ownership::{FILE_NAME, LOCK_NAME},
};
use crate::config;

/// What hosts have been keeping in the folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The folder.
    pub folder: PathBuf,
    /// Turns can still be undone.
    pub has_journal: bool,
}

/// What an uninstallation does not throw away by itself, where there is any.
pub(super) fn kept(folder: &Path) -> Option<Kept> {
    let has =
        |is_wanted: fn(&str) -> bool| files::entries(folder).iter().any(|path| is_wanted(name_of(path)));
    let has_journal = has(config::is_of_journal);
    (has_journal || has(|name| name == "trust.json"))
        .then(|| Kept { folder: folder.to_path_buf(), has_journal })
}

/// Whether a host has been here: then its folders are its own, also where they are empty.
pub(super) fn has_traces(folder: &Path) -> bool {
    kept(folder).is_some()
        || files::entries(&folder.join("log")).iter().any(|path| config::is_of_log(name_of(path)))
        || files::entries(&folder.join("tmp")).iter().any(|path| config::is_of_tmp(name_of(path)))
}

/// Removes the log, and empty folders for temporary files; `theirs` were there before.
pub(super) fn remove_traces(folder: &Path, theirs: &[PathBuf]) -> Result<(), InstallError> {
    remove_in(&folder.join("log"), config::is_of_log)?;
    remove_hollow_in(&folder.join("tmp"), config::is_of_tmp);
    for inner in
        ["log", "tmp"].map(|name| folder.join(name)).into_iter().filter(|inner| !theirs.contains(inner))
    {
        files::remove_empty_folders(&[inner])?;
    }
    Ok(())
}

/// Removes everything that is ours; whether anything was.
pub(super) fn remove_all(folder: &Path, theirs: &[PathBuf]) -> Result<bool, InstallError> {
    let had = has_traces(folder);
    for path in
        files::entries(&folder.join("tmp")).into_iter().filter(|path| config::is_of_tmp(name_of(path)))
    {
        remove(&path)?;
    }
    remove_traces(folder, theirs)?;
    // The journal last: as long as it is there, the next run has something to throw away.
    let is_ours =
        |name: &str| config::is_of_journal(name) || name == "trust.json" || name.starts_with(OLD_RECORD);
    remove_in(folder, is_ours)?;
    Ok(had)
}

/// Removes everything that is ours from a state folder without a record, and the folder with it where nothing else is in it; what else
/// is there is the answer.
pub(super) fn remove_folder(folder: &Path) -> Result<Vec<PathBuf>, InstallError> {
    if remove_all(folder, &[])? {
        files::remove_empty_folders(&[folder.to_path_buf()])?;
    }
    Ok(rest(folder, &[]))
}

/// The name that the doctor's own advice gives to a record that cannot be used.
const OLD_RECORD: &str = "installed.json.old";

/// What is not ours, or not only.
pub(super) fn rest(folder: &Path, made: &[PathBuf]) -> Vec<PathBuf> {
    let is_rest = |path: &PathBuf| {
        let goes = made.contains(path) && files::is_hollow(path);
        !goes && ![FILE_NAME, LOCK_NAME].contains(&name_of(path))
    };
    files::entries(folder).into_iter().filter(is_rest).collect()
}

fn remove_in(folder: &Path, is_ours: impl Fn(&str) -> bool) -> Result<(), InstallError> {
    if files::link_of(folder).is_some() {
        return Ok(());
    }
    files::entries(folder).iter().filter(|path| is_ours(name_of(path))).try_for_each(|path| remove(path))
}

fn remove_hollow_in(folder: &Path, is_ours: fn(&str) -> bool) {
    if files::link_of(folder).is_none() {
        files::entries(folder)
            .iter()
            .filter(|path| is_ours(name_of(path)))
            .for_each(|path| files::remove_hollow(path));
    }
}

fn remove(path: &Path) -> Result<(), InstallError> {
    if path.is_dir() && files::link_of(path).is_none() {
        files::remove_folder(path)
    } else {
        files::remove(path)
    }
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}
