//! What came along with the binary and stays when its archive has gone: the extension for browsers to load, and the command for a
//! terminal. Both are in the record before they are made, and go with the last manifest.

use std::path::{Path, PathBuf};

use super::{
    environment::Environment,
    error::InstallError,
    files::{self, Existing},
    launcher,
    ownership::Record,
    record_keeper::RecordKeeper,
};

/// What is wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// A copy of the extension that lies beside the binary.
    pub extension: bool,
    /// The command in `~/.local/bin`.
    pub command: bool,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Placed {
    /// The folder of the extension's builds.
    pub extension: Option<Result<PathBuf, InstallError>>,
    /// The command.
    pub command: Option<Result<PathBuf, InstallError>>,
}

impl Placed {
    /// What went wrong.
    pub fn errors(&self) -> impl Iterator<Item = &InstallError> {
        [&self.extension, &self.command].into_iter().flatten().filter_map(|result| result.as_ref().err())
    }
}

/// Readable by all, as the archive has it.
const FILE_MODE: u32 = 0o644;

/// Puts what is wanted into its place; one that fails does not stop the other.
pub(super) fn place(environment: &Environment, keeper: &mut RecordKeeper, wanted: Wanted) -> Placed {
    let builds = environment.extension_beside().filter(|_| wanted.extension);
    Placed {
        extension: builds.map(|from| place_extension(environment, keeper, &from)),
        command: wanted.command.then(|| place_command(environment, keeper)),
    }
}

/// What of it could not be put into its place; nothing is changed.
pub(super) fn rehearse(environment: &Environment, record: &Record, wanted: Wanted) -> Placed {
    let folder = folder_of_extension(environment);
    let is_theirs = record.extension.is_empty() && files::is_there(&folder) && !files::is_hollow(&folder);
    let is_wanted = wanted.extension && environment.extension_beside().is_some();
    Placed {
        extension: is_wanted.then_some(if is_theirs {
            Err(InstallError::Foreign { path: folder })
        } else {
            Ok(folder)
        }),
        command: wanted.command.then(|| {
            let command = command_file(environment);
            state_of_command(environment, &command).map(|_| command)
        }),
    }
}

/// Where the extension is kept.
fn folder_of_extension(environment: &Environment) -> PathBuf {
    environment.program_dir.join("extension")
}

/// Where a person's own commands are.
fn command_file(environment: &Environment) -> PathBuf {
    environment.home.join(".local/bin/outrigger")
}

fn place_extension(
    environment: &Environment,
    keeper: &mut RecordKeeper,
    from: &Path,
) -> Result<PathBuf, InstallError> {
    let folder = folder_of_extension(environment);
    let mut known = keeper.record().extension.clone();
    if known.is_empty() && keeper.is_of_older_build() {
        // Its script put the whole folder there.
        known = files_in(&folder)?;
    }
    if known.is_empty() && files::is_there(&folder) && !files::is_hollow(&folder) {
        return Err(InstallError::Foreign { path: folder });
    }
    let files = files_in(from)?;
    let mut made = Vec::new();
    for file in &files {
        let place = folder.join(file);
        for missing in place.parent().map(files::missing_folders).unwrap_or_default() {
            if !made.contains(&missing) {
                made.push(missing);
            }
        }
    }
    let gone: Vec<PathBuf> = known.into_iter().filter(|file| !files.contains(file)).collect();
    keeper.note_extension(files.iter().chain(&gone).cloned().collect(), made)?;
    for file in &files {
        let to = folder.join(file);
        files::create_folders(to.parent().unwrap_or(&folder), files::SHARED)?;
        files::sweep(&to);
        if !files::same_contents(&from.join(file), &to) {
            files::copy_file(&from.join(file), &to, FILE_MODE)?;
        }
    }
    for file in &gone {
        remove_file(&folder.join(file))?;
    }
    keeper.note_extension(files, Vec::new())?;
    Ok(folder)
}

/// Every file below a folder, by its path from there; nothing where there is none.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>, InstallError> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(inner) = folders.pop() {
        for path in files::contents(&folder.join(&inner))? {
            let name = inner.join(path.file_name().unwrap_or_default());
            if files::link_of(&path).is_none() && path.is_dir() {
                folders.push(name);
            } else if path.is_file() {
                found.push(name);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn place_command(environment: &Environment, keeper: &mut RecordKeeper) -> Result<PathBuf, InstallError> {
    let (command, launcher) = (command_file(environment), launcher::path(environment));
    if state_of_command(environment, &command)? == CommandState::Ready {
        if keeper.is_of_older_build() {
            keeper.note_command(Some(command.clone()), Vec::new())?;
        }
        return Ok(command);
    }
    let folder = command.parent().unwrap_or(&command).to_path_buf();
    keeper.note_command(Some(command.clone()), files::missing_folders(&folder))?;
    files::create_folders(&folder, files::SHARED)?;
    files::sweep(&command);
    files::link_atomic(&command, &launcher)?;
    Ok(command)
}

#[derive(PartialEq)]
enum CommandState {
    /// To be made.
    Missing,
    /// It leads to us.
    Ready,
}

/// Refuses what is somebody else's.
fn state_of_command(environment: &Environment, command: &Path) -> Result<CommandState, InstallError> {
    match files::look_link(command)? {
        Some(Existing::Absent) => Ok(CommandState::Missing),
        // Ours, or somebody's that leads to us all the same.
        Some(Existing::Link { to }) if to == launcher::path(environment) => Ok(CommandState::Ready),
        // Ours, from before the home was moved.
        Some(Existing::Link { to }) if launcher::is_one_that_is_gone(&to) => Ok(CommandState::Missing),
        _ => Err(InstallError::Foreign { path: command.to_path_buf() }),
    }
}

/// Takes both away, as far as they are what was put there.
pub(super) fn remove(environment: &Environment, keeper: &mut RecordKeeper) -> Result<(), InstallError> {
    let folder = folder_of_extension(environment);
    let mut known = keeper.record().extension.clone();
    let mut command = keeper.record().command.clone();
    let is_unknown = known.is_empty() && keeper.is_of_older_build();
    if is_unknown {
        known = files_in(&folder)?;
    }
    if keeper.is_of_older_build() {
        command = Some(command_file(environment));
    }
    if let Some(command) = command {
        files::sweep(&command);
        if files::link_of(&command)
            .is_some_and(|to| to == launcher::path(environment) || launcher::is_one_that_is_gone(&to))
        {
            files::remove(&command)?;
        }
        keeper.note_command(None, Vec::new())?;
    }
    if !known.is_empty() {
        for file in &known {
            files::sweep(&folder.join(file));
            remove_file(&folder.join(file))?;
        }
        let folders = known.iter().flat_map(|file| file.ancestors().skip(1)).map(|inner| folder.join(inner));
        keeper.note_extension(Vec::new(), if is_unknown { folders.collect() } else { Vec::new() })?;
    }
    Ok(())
}

fn remove_file(path: &Path) -> Result<(), InstallError> {
    if path.is_file() || files::link_of(path).is_some() { files::remove(path) } else { Ok(()) }
}
