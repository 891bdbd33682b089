//! The folder of the record, made and taken away in one step each: a run that is cut off leaves nothing that nobody knows of.
//!
//! Folders that were made have to be noted in the record, and the record needs its folder. So the whole way to it is built under
//! another name, record included, and gets its own name when it is there; it goes the same way back. What has that other name is
//! of a run that did not get so far, and the next one takes it away.
//!
//! Several processes may be on this way at once, and the folders in which they could put a lock are those that they make and take
//! away. So each holds the home folder itself for the few calls of this: what is on its way under that lock is of a process that is
//! dead, and who finds folders finds all of them or none.

use std::path::{Path, PathBuf};

use super::{
    error::InstallError,
    files,
    obstacle::Obstacle,
    ownership::{FILE_NAME, LOCK_NAME, Record},
};

/// What is on its way has this name, with a ULID before the ending.
const PASSING: &str = "outrigger";

/// Makes the folder, with a record in it that knows which folders were made for it. One that is there stays as it is.
pub(super) fn make(home: &Path, folder: &Path, mode: u32, file_mode: u32) -> Result<(), InstallError> {
    let _alone = files::lock_folder(home);
    sweep_alone(folder);
    let missing = files::missing_folders(folder);
    let Some(outermost) = missing.first().filter(|outermost| !files::is_there(outermost)) else {
        return files::create_folders(folder, mode);
    };
    let passing = files::temporary_beside(&outermost.with_file_name(PASSING));
    let built = (|| {
        for folder in &missing {
            files::create_folder(&moved(folder, outermost, &passing), mode)?;
        }
        let record = Record::of_folders(missing.clone()).to_bytes(folder)?;
        files::write_lasting(&moved(folder, outermost, &passing).join(FILE_NAME), &record, file_mode)?;
        files::rename(&passing, outermost)
    })();
    if built.is_ok() {
        return Ok(());
    }
    take_away(&passing);
    if files::is_there(outermost) {
        // Somebody else was faster.
        return files::create_folders(folder, mode);
    }
    // The plain way works, or says why it does not, with names that people know.
    let plain = files::create_folders(folder, mode).and_then(|()| {
        if files::is_there(&folder.join(FILE_NAME)) {
            // Where the home folder cannot be locked, somebody else may have been faster even now.
            return Ok(());
        }
        let record = Record::of_folders(missing.clone()).to_bytes(folder)?;
        files::write_lasting(&folder.join(FILE_NAME), &record, file_mode)
    });
    if plain.is_err() {
        // Why they were not made is the error.
        let _ = files::remove_empty_folders(&missing);
    }
    plain
}

/// Takes the record away, and with it those of `folders` that nothing else is in.
pub(super) fn unmake(home: &Path, folder: &Path, folders: &[PathBuf]) -> Result<(), InstallError> {
    let _alone = files::lock_folder(home);
    let mut above: Vec<&PathBuf> = folders.iter().filter(|made| folder.starts_with(made)).collect();
    above.sort_by_key(|folder| folder.components().count());
    let nothing_else = files::entries(folder)
        .iter()
        .all(|path| [FILE_NAME, LOCK_NAME].iter().any(|name| path.ends_with(name)));
    if let Some(outermost) =
        above.first().filter(|_| nothing_else && above.iter().any(|made| *made == folder))
    {
        let passing = files::temporary_beside(&outermost.with_file_name(PASSING));
        // Also where the disk did not want to be asked afterwards.
        if files::rename(folder, &passing).is_ok() || files::is_there(&passing) {
            let removed = remove_above(folder, &passing);
            take_away(&passing);
            return removed;
        }
    }
    take_away_record(folder);
    files::remove_empty_folders(&above.into_iter().cloned().collect::<Vec<_>>())
}

/// An error where something keeps this user from taking away those of `folders` that nothing but the record is in.
pub(super) fn may_unmake(folder: &Path, folders: &[PathBuf]) -> Result<(), InstallError> {
    let is_record = |path: &PathBuf| [FILE_NAME, LOCK_NAME].iter().any(|name| path.ends_with(name));
    if !files::entries(folder).iter().all(is_record) {
        return Ok(());
    }
    for made in folder.ancestors().take_while(|made| folders.iter().any(|known| known == made)) {
        let Some(above) = made.parent() else { break };
        if let Some(obstacle) = Obstacle::to_writing(above) {
            return Err(InstallError::Stays { path: made.to_path_buf(), help: obstacle.help() });
        }
        if files::holds_more_than(above, Some(made)) {
            break;
        }
    }
    Ok(())
}

/// Takes away what earlier runs that were cut off have left on the way to this folder.
pub(super) fn sweep(home: &Path, folder: &Path) {
    let _alone = files::lock_folder(home);
    sweep_alone(folder);
}

fn sweep_alone(folder: &Path) {
    for above in folder.ancestors().skip(1) {
        for passing in files::temporaries(above, PASSING) {
            if files::is_mine(&passing) {
                if let Err(error) = remove_above(folder, &passing) {
                    tracing::debug!(%error, "a folder stays");
                }
                take_away(&passing);
            }
        }
    }
}

/// True when a record is there, or a run was cut off before it was.
pub(super) fn is_begun(folder: &Path) -> bool {
    [FILE_NAME, LOCK_NAME].iter().any(|name| files::is_there(&folder.join(name)))
}

/// A folder below `from`, as it is below `to`.
fn moved(folder: &Path, from: &Path, to: &Path) -> PathBuf {
    match folder.strip_prefix(from) {
        Ok(rest) if rest.as_os_str().is_empty() => to.to_path_buf(),
        Ok(rest) => to.join(rest),
        Err(_) => to.to_path_buf(),
    }
}

/// Removes those folders on the way to `folder` that the record in `passing` says were made, where nothing is in them.
fn remove_above(folder: &Path, passing: &Path) -> Result<(), InstallError> {
    let Ok(record) = Record::read_in(passing) else { return Ok(()) };
    let mut made: Vec<PathBuf> =
        record.own_folders.into_iter().filter(|made| folder.starts_with(made)).collect();
    made.sort_by_key(|folder| folder.components().count());
    files::remove_empty_folders(&made)
}

/// Removes what is on its way, and nothing that is not a record of ours.
fn take_away(passing: &Path) {
    let mut inner = passing.to_path_buf();
    while let [only] = &*files::entries(&inner) {
        if files::link_of(only).is_some() || !only.is_dir() {
            break;
        }
        inner.clone_from(only);
    }
    take_away_record(&inner);
    files::remove_hollow(passing);
}

/// The lock goes last: who gets a new one while the old record is still there would write into what is being taken away.
fn take_away_record(folder: &Path) {
    files::sweep(&folder.join(FILE_NAME));
    for name in [FILE_NAME, LOCK_NAME] {
        let path = folder.join(name);
        if path.is_file()
            && let Err(error) = files::remove(&path)
        {
            tracing::debug!(%error, "a file of the record stays");
        }
    }
}
