//! The record, held against other processes while it changes: each thing is noted before it is done.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use super::{
    belongings,
    browsers::Scope,
    environment::Environment,
    error::InstallError,
    files, launcher,
    ownership::{FILE_NAME, LOCK_NAME, Owned, Record},
    record_folder,
    state_names::{self, Kept},
};

/// The record, held against other processes, to change.
#[derive(Debug)]
pub struct RecordKeeper {
    home: PathBuf,
    folder: PathBuf,
    mode: u32,
    record: Record,
    /// It was read from a file: of one that was not there nothing follows.
    was_there: bool,
    _lock: File,
}

impl RecordKeeper {
    /// Waits for other processes, then reads.
    pub fn open(environment: &Environment, scope: Scope) -> Result<Self, InstallError> {
        Self::try_open(environment, scope).map_err(|error| error.of_scope(scope))
    }

    fn try_open(environment: &Environment, scope: Scope) -> Result<Self, InstallError> {
        let (home, folder) = (environment.home.clone(), environment.record_dir(scope));
        // Whoever had the lock may have taken it away with its folder.
        let mut patience = TRIES;
        let lock = loop {
            record_folder::make(&home, &folder, mode_of(scope), mode_of_record(scope))?;
            match files::lock(&folder.join(LOCK_NAME)) {
                Err(error) if error.is_not_found() && patience > 0 => patience -= 1,
                locked => break locked,
            }
        };
        let lock = match lock {
            Ok(lock) => lock,
            Err(error) => {
                // Nothing was done yet, so nothing but folders can have been made for it.
                if let Ok(record) = Record::read_in(&folder)
                    && record.is_new()
                    && !record.own_folders.is_empty()
                    && !matches!(error, InstallError::Held { .. })
                {
                    // Why the lock is not to be had is the error.
                    let _ = record_folder::unmake(&home, &folder, &record.own_folders);
                }
                return Err(error);
            }
        };
        let was_there = files::is_there(&folder.join(FILE_NAME));
        let record = Record::read_in(&folder)?;
        files::sweep(&folder.join(FILE_NAME));
        record.manifests.iter().for_each(|owned| files::sweep(&owned.manifest));
        Ok(Self { home, folder, mode: mode_of_record(scope), record, was_there, _lock: lock })
    }

    /// Looks, before the first installation, at what could later be taken for ours; written down with the first change.
    pub fn look_around(&mut self, environment: &Environment) {
        if !self.record.is_new() {
            return;
        }
        let mut theirs = Vec::new();
        if !self.record.has_made(&self.folder) && !state_names::has_traces(&self.folder) {
            theirs.extend(["log", "tmp"].map(|name| self.folder.join(name)));
            theirs.push(self.folder.clone());
            self.record.folder_mode = files::mode_of(&self.folder);
        }
        theirs.push(launcher::lock_file(environment));
        theirs.retain(|path| files::is_there(path));
        self.record.theirs = Some(theirs);
    }

    /// The record.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Notes the launcher, the folders that were made for it and where what stands in its place is going to be, on disk before it
    /// returns.
    pub fn note_launcher(
        &mut self,
        program_dir: &Path,
        made: Vec<PathBuf>,
        aside: Option<PathBuf>,
    ) -> Result<(), InstallError> {
        self.record.has_launcher = true;
        if !self.record.programs.iter().any(|known| known == program_dir) {
            self.record.programs.push(program_dir.to_path_buf());
        }
        self.record.note_folders(made);
        if aside.is_some() {
            self.record.launcher_aside = aside;
        }
        self.save()
    }

    /// An older build made the launcher: what else its script put beside it is not written down.
    pub fn is_of_older_build(&self) -> bool {
        self.record.has_launcher && self.record.theirs.is_none()
    }

    /// Notes the extension's files and the folders that were made for them, on disk before it returns.
    pub fn note_extension(&mut self, files: Vec<PathBuf>, made: Vec<PathBuf>) -> Result<(), InstallError> {
        self.record.extension = files;
        self.record.note_folders(made);
        self.save()
    }

    /// The same for the command.
    pub fn note_command(&mut self, command: Option<PathBuf>, made: Vec<PathBuf>) -> Result<(), InstallError> {
        self.record.command = command;
        self.record.note_folders(made);
        self.save()
    }

    /// Notes a link to the record and the folders that were made for it, on disk before it returns.
    pub fn note_pointer(&mut self, link: &Path, made: Vec<PathBuf>) -> Result<(), InstallError> {
        if !self.record.pointers.iter().any(|known| known == link) {
            self.record.pointers.push(link.to_path_buf());
        }
        self.record.note_folders(made);
        self.save()
    }

    /// What stands in the launcher's place is not ours: there is none yet, or a run was cut off before it was moved aside.
    pub fn is_launcher_theirs(&self) -> bool {
        let aside = self.record.launcher_aside.as_ref();
        !self.record.has_launcher || aside.is_some_and(|aside| !files::is_there(aside))
    }

    /// Takes the launcher and all copies away, and what was put beside them, wherever variables have led them.
    pub fn remove_launcher(&mut self, environment: &Environment) -> Result<(), InstallError> {
        for program_dir in self.program_dirs(environment) {
            self.remove_launcher_in(&Environment { program_dir, ..environment.clone() })?;
        }
        if self.record.theirs.is_none() {
            // An older build noted none of those that it made for copies, and of a lost record nothing is known.
            let versions = launcher::versions(environment);
            let bin = launcher::path(environment).parent().map(Path::to_path_buf);
            self.record
                .note_folders([environment.program_dir.clone(), versions].into_iter().chain(bin).collect());
        }
        self.record.has_launcher = false;
        self.record.launcher_aside = None;
        self.record.programs.clear();
        match self.save() {
            Err(error) if error.is_no_room() => Ok(()),
            saved => saved,
        }
    }

    /// Takes away copies of the program where nothing but these manifests, which all are to go, needs them. Whether that made room.
    pub fn make_room(&self, environment: &Environment, leaving: &[&Path]) -> bool {
        let is_leaving = |owned: &Owned| leaving.contains(&owned.manifest.as_path());
        if !self.record.has_launcher || !self.record.manifests.iter().all(is_leaving) {
            return false;
        }
        self.program_dirs(environment).into_iter().fold(false, |any, program_dir| {
            any | launcher::remove_copies(&Environment { program_dir, ..environment.clone() })
        })
    }

    /// The folders that have a launcher.
    fn program_dirs(&self, environment: &Environment) -> Vec<PathBuf> {
        if self.record.programs.is_empty() {
            return vec![environment.program_dir.clone()];
        }
        self.record.programs.clone()
    }

    fn remove_launcher_in(&mut self, environment: &Environment) -> Result<(), InstallError> {
        belongings::remove(environment, self)?;
        let aside = self.record.launcher_aside.as_ref();
        let aside = aside.filter(|aside| aside.starts_with(&environment.program_dir));
        launcher::remove(environment, aside.map(PathBuf::as_path), self.is_launcher_theirs())?;
        let lock = launcher::lock_file(environment);
        let is_theirs = self.record.theirs.as_ref().is_some_and(|theirs| theirs.contains(&lock));
        if !is_theirs && files::is_empty_file(&lock) {
            files::remove(&lock)?;
        }
        Ok(())
    }

    /// Nothing of it was made.
    pub fn forget_launcher(&mut self) {
        self.record.has_launcher = false;
        self.record.programs.clear();
    }

    /// Adds or replaces an entry, on disk before it returns; else everything stays as it was.
    pub fn put(&mut self, owned: Owned) -> Result<(), InstallError> {
        if owned.manifest.to_str().is_none() {
            // The record is JSON, too.
            return Err(InstallError::NotUnicode { path: owned.manifest });
        }
        let before = self.record.manifests.clone();
        self.record.put(owned);
        let saved = self.save();
        if saved.is_err() {
            self.record.manifests = before;
        }
        saved
    }

    /// Takes an entry out, on disk before it returns where there is room; else it is tried again with the next change. An entry
    /// whose manifest has gone is taken out by the next uninstallation.
    pub fn forget(&mut self, manifest: &Path) -> Result<(), InstallError> {
        if let Some(owned) = self.record.find(manifest) {
            // What was made for it and now holds something else of ours goes with the last of that.
            let left = owned.created_folders.iter().filter(|folder| folder.is_dir()).cloned().collect();
            self.record.note_folders(left);
        }
        self.record.manifests.retain(|owned| owned.manifest != manifest);
        match self.save() {
            Err(error) if error.is_no_room() => Ok(()),
            saved => saved,
        }
    }

    /// Throws away what hosts leave behind by having been started: their log, and their empty folders for temporary files. Where
    /// there is more of theirs, everything stays, and that is the answer.
    pub fn forget_traces(&mut self) -> Option<Kept> {
        if let Some(kept) = state_names::kept(&self.folder) {
            return Some(kept);
        }
        let theirs = self.record.theirs.clone();
        let had_traces = state_names::has_traces(&self.folder);
        if let Err(error) = state_names::remove_traces(&self.folder, theirs.as_deref().unwrap_or_default()) {
            tracing::debug!(%error, "a log stays");
        }
        if theirs.is_none() && (self.was_there || had_traces) {
            // An older build did not note whether it was there. Without any record it is only told by what hosts have left.
            self.record.note_folders(vec![self.folder.clone()]);
        }
        None
    }

    /// Throws away all that is ours in the folder beside the record itself; what else is there is the answer.
    pub fn forget_state(&mut self) -> Result<Vec<PathBuf>, InstallError> {
        let theirs = self.record.theirs.clone();
        let had_traces = state_names::remove_all(&self.folder, theirs.as_deref().unwrap_or_default())?;
        let is_theirs = theirs.as_ref().is_some_and(|theirs| theirs.contains(&self.folder));
        if !is_theirs && (had_traces || theirs.is_some()) {
            // Hosts made it.
            self.record.note_folders(vec![self.folder.clone()]);
        }
        Ok(state_names::rest(&self.folder, &self.record.own_folders))
    }

    /// Lets go of it. Where somebody was faster and has uninstalled, it is taken away with the folders that opening it made.
    pub fn release(self) {
        let kept = state_names::kept(&self.folder).is_some();
        if let Err(error) = self.close(kept) {
            tracing::debug!(%error, "a folder stays");
        }
    }

    /// When nothing is installed any more, nothing of ours stays that nobody else put something into. What hosts keep stays, and
    /// with it what is known of the folders around it; so it is where one of ours cannot be taken away, which is the error.
    pub fn close(mut self, kept: bool) -> Result<(), InstallError> {
        if !self.record.manifests.is_empty() || self.record.has_launcher {
            return Ok(());
        }
        for link in std::mem::take(&mut self.record.pointers) {
            files::sweep(&link);
            if files::link_of(&link).is_some()
                && let Err(error) = files::remove(&link)
            {
                tracing::debug!(%error, "a link to the record stays");
            }
        }
        let mut folders = std::mem::take(&mut self.record.own_folders);
        folders.sort_by_key(|folder| folder.components().count());
        let (way, others): (Vec<_>, Vec<_>) =
            folders.into_iter().partition(|made| self.folder.starts_with(made));
        let removed = files::remove_empty_folders(&others)
            .and_then(|()| if kept { Ok(()) } else { record_folder::may_unmake(&self.folder, &way) });
        if kept || removed.is_err() {
            self.record.own_folders =
                way.into_iter().chain(others.into_iter().filter(|made| made.is_dir())).collect();
            if let Err(error) = self.save() {
                tracing::debug!(%error, "the record stays as it was");
            }
            return removed;
        }
        if let Some(mode) = self.record.folder_mode
            && files::mode_of(&self.folder).is_some_and(|now| now != mode)
            && let Err(error) = files::set_mode(&self.folder, mode)
        {
            tracing::debug!(%error, "the state folder stays closed");
        }
        record_folder::unmake(&self.home, &self.folder, &way)
    }

    fn save(&self) -> Result<(), InstallError> {
        files::write_lasting(&self.folder.join(FILE_NAME), &self.record.to_bytes(&self.folder)?, self.mode)
    }
}

/// How often it is tried again when the folder went while it was waited for.
const TRIES: u32 = 20;

/// For this user alone: it may hold a copy of somebody else's file. What is everybody's everybody may see.
fn mode_of_record(scope: Scope) -> u32 {
    match scope {
        Scope::User => 0o600,
        Scope::System => 0o644,
    }
}

/// The system's own folder of state is for everybody to see, though not what is in it.
fn mode_of(scope: Scope) -> u32 {
    match scope {
        Scope::User => files::PRIVATE,
        Scope::System => files::SHARED,
    }
}
