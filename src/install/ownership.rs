//! The record of what we wrote and what had been there before, in our state folder.
//!
//! It is kept beside the manifests and not in them, because Firefox refuses a manifest with any further key. An entry is
//! saved before its manifest is written: killed at any instant, uninstalling still knows what to restore.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

use super::{
    belongings,
    browsers::{Family, Scope},
    environment::Environment,
    error::InstallError,
    files::{self, Existing, Stamp},
    launcher, record_folder,
    registry::Entry,
    state_names::{self, Kept},
    target::{Presence, Target},
};
use crate::ids::sha256_hex;

pub(super) const FILE_NAME: &str = "installed.json";
pub(super) const LOCK_NAME: &str = "installed.lock";
/// Raised when an older binary could misread the record.
const VERSION: u32 = 1;

/// Everything we own outside our own folders.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    version: u32,
    /// One entry for each manifest.
    pub manifests: Vec<Owned>,
    /// Folders of our own that we made, outermost first: the last manifest takes them along.
    #[serde(default)]
    pub own_folders: Vec<PathBuf>,
    /// We made the launcher that manifests name.
    #[serde(default)]
    pub has_launcher: bool,
    /// Where somebody's file or folder is that stood in the launcher's place; noted before it is moved there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launcher_aside: Option<PathBuf>,
    /// Files of the extension that we keep for browsers to load, as they are called in its folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extension: Vec<PathBuf>,
    /// The command for a terminal, a link to the launcher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<PathBuf>,
    /// What was there before the first installation and could be taken for ours; `None` in records of older builds, which did not
    /// look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theirs: Option<Vec<PathBuf>>,
    /// The mode that the state folder had when it was there before; hosts close it to others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder_mode: Option<u32>,
}

/// One manifest that we wrote.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Owned {
    /// The manifest.
    pub manifest: PathBuf,
    /// The target's id.
    pub target: String,
    /// The target's name.
    pub name: String,
    /// The target's family.
    pub family: Family,
    /// The flags that name the target.
    pub flags: String,
    /// SHA-256 of what we wrote. Two while a write is under way: the file then holds one or the other.
    pub wrote: Vec<String>,
    /// What had been there.
    pub before: Before,
    /// Folders that we made for it, outermost first.
    pub created_folders: Vec<PathBuf>,
    /// Windows: the registry key that names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<OwnedKey>,
    /// For whom.
    #[serde(default)]
    pub scope: Scope,
}

/// A registry key that we wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnedKey {
    /// The whole key.
    pub key: String,
    /// What it said before.
    pub before: Entry,
    /// Keys above it that were made with it, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub created: Vec<String>,
}

/// What had been where a manifest of ours is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Before {
    /// Nothing.
    Absent,
    /// A file.
    File {
        /// Its bytes, base64.
        content: String,
        /// Its permission bits.
        mode: u32,
        /// Its owner and its time; records of older builds have none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stamp: Option<Stamp>,
    },
    /// A symbolic link.
    Link {
        /// Its text.
        to: PathBuf,
        /// Its owner and its time; records of older builds have none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stamp: Option<Stamp>,
    },
}

impl Before {
    /// Keeps what is at `path` now.
    pub fn of(path: &Path, existing: &Existing) -> Self {
        let stamp = Stamp::of(path);
        match existing {
            Existing::Absent => Self::Absent,
            Existing::File { bytes, mode } => {
                Self::File { content: STANDARD.encode(bytes), mode: *mode, stamp }
            }
            Existing::Link { to } => Self::Link { to: to.clone(), stamp },
        }
    }

    /// What was kept; `None` when the record was damaged.
    pub fn existing(&self) -> Option<Existing> {
        Some(match self {
            Self::Absent => Existing::Absent,
            Self::File { content, mode, .. } => {
                Existing::File { bytes: STANDARD.decode(content).ok()?, mode: *mode }
            }
            Self::Link { to, .. } => Existing::Link { to: to.clone() },
        })
    }

    /// The owner and the time of what was kept.
    pub fn stamp(&self) -> Option<&Stamp> {
        match self {
            Self::Absent => None,
            Self::File { stamp, .. } | Self::Link { stamp, .. } => stamp.as_ref(),
        }
    }
}

impl Owned {
    /// True when what is there now is what we wrote.
    pub fn is_ours(&self, existing: &Existing) -> bool {
        matches!(existing, Existing::File { bytes, .. } if self.wrote.contains(&sha256_hex(bytes)))
    }

    /// The target this entry was made for, as far as the record knows it.
    pub fn to_target(&self) -> Target {
        let folder = self.manifest.parent().unwrap_or(Path::new("/"));
        // A profile that somebody threw away needs no host any more.
        let is_there = folder.parent().is_some_and(Path::is_dir);
        let registry = self.key.as_ref().and_then(|key| Some(key.key.rsplit_once('\\')?.0.to_owned()));
        let below = registry.as_deref().and_then(|key| key.split_once('\\'));
        Target {
            id: self.target.clone(),
            name: self.name.clone(),
            family: self.family,
            folder: folder.to_path_buf(),
            also: Vec::new(),
            further: Vec::new(),
            registry_keys: below.into_iter().map(|(_, key)| key.to_owned()).collect(),
            registry,
            scope: self.scope,
            flags: self.flags.clone(),
            presence: if is_there { Presence::Given } else { Presence::Absent },
        }
    }
}

impl Record {
    fn empty() -> Self {
        Self::of_folders(Vec::new())
    }

    /// One that knows of nothing but folders.
    pub(super) fn of_folders(own_folders: Vec<PathBuf>) -> Self {
        Self {
            version: VERSION,
            manifests: Vec::new(),
            own_folders,
            has_launcher: false,
            launcher_aside: None,
            extension: Vec::new(),
            command: None,
            theirs: None,
            folder_mode: None,
        }
    }

    /// True as long as nothing was written with it.
    fn is_new(&self) -> bool {
        self.manifests.is_empty() && !self.has_launcher && self.theirs.is_none()
    }

    /// The folders on the way to a manifest were made by us.
    fn has_made(&self, folder: &Path) -> bool {
        self.own_folders.iter().any(|own| own == folder)
    }

    /// Its text, which is for this folder.
    pub(super) fn to_bytes(&self, folder: &Path) -> Result<Vec<u8>, InstallError> {
        let path = folder.join(FILE_NAME);
        serde_json::to_vec_pretty(self)
            .map_err(|error| InstallError::Record { path, reason: error.to_string() })
    }

    /// Where it is, or would be.
    pub fn file(environment: &Environment, scope: Scope) -> PathBuf {
        environment.record_dir(scope).join(FILE_NAME)
    }

    /// Reads the record as it is, to look at; a missing one is empty.
    pub fn read(environment: &Environment, scope: Scope) -> Result<Self, InstallError> {
        Self::read_in(&environment.record_dir(scope)).map_err(|error| error.of_scope(scope))
    }

    /// The same of a folder.
    pub(super) fn read_in(folder: &Path) -> Result<Self, InstallError> {
        let path = folder.join(FILE_NAME);
        let bytes = match files::look(&path)? {
            Existing::Absent => return Ok(Self::empty()),
            Existing::File { bytes, .. } => bytes,
            Existing::Link { .. } => files::read_through(&path)?,
        };
        let record: Self = serde_json::from_slice(&bytes)
            .map_err(|error| InstallError::Record { path: path.clone(), reason: error.to_string() })?;
        if record.version != VERSION {
            let reason = format!("its version is {}, this outrigger knows version {VERSION}", record.version);
            return Err(InstallError::Record { path, reason });
        }
        Ok(record)
    }

    fn note_folders(&mut self, made: Vec<PathBuf>) {
        for folder in made {
            if !self.own_folders.contains(&folder) {
                self.own_folders.push(folder);
            }
        }
    }

    /// Another entry about the very same file, by a link to its folder: the last of them takes it along.
    pub fn shared(&self, manifest: &Path) -> Option<&Owned> {
        let name = manifest.file_name()?;
        let real = |manifest: &Path| files::canonical(manifest.parent()?).ok();
        let folder = real(manifest)?;
        let is_same = |owned: &Owned| real(&owned.manifest).is_some_and(|other| other == folder);
        let mut others = self.manifests.iter().filter(|owned| owned.manifest != manifest);
        others.find(|owned| owned.manifest.file_name() == Some(name) && is_same(owned))
    }

    /// The entry of a manifest.
    pub fn find(&self, manifest: &Path) -> Option<&Owned> {
        self.manifests.iter().find(|owned| owned.manifest == manifest)
    }
}

/// The record, held against other processes, to change.
#[derive(Debug)]
pub struct RecordKeeper {
    folder: PathBuf,
    mode: u32,
    record: Record,
    _lock: File,
}

impl RecordKeeper {
    /// Waits for other processes, then reads.
    pub fn open(environment: &Environment, scope: Scope) -> Result<Self, InstallError> {
        Self::try_open(environment, scope).map_err(|error| error.of_scope(scope))
    }

    fn try_open(environment: &Environment, scope: Scope) -> Result<Self, InstallError> {
        let folder = environment.record_dir(scope);
        record_folder::sweep(&folder);
        // Whoever had the lock may have taken it away with its folder.
        let mut patience = TRIES;
        let lock = loop {
            record_folder::make(&folder, mode_of(scope), mode_of_record(scope))?;
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
                    record_folder::unmake(&folder, &record.own_folders);
                }
                return Err(error);
            }
        };
        let record = Record::read_in(&folder)?;
        files::sweep(&folder.join(FILE_NAME));
        record.manifests.iter().for_each(|owned| files::sweep(&owned.manifest));
        Ok(Self { folder, mode: mode_of_record(scope), record, _lock: lock })
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
    pub fn note_launcher(&mut self, made: Vec<PathBuf>, aside: Option<PathBuf>) -> Result<(), InstallError> {
        self.record.has_launcher = true;
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

    /// What stands in the launcher's place is not ours: there is none yet, or a run was cut off before it was moved aside.
    pub fn is_launcher_theirs(&self) -> bool {
        let aside = self.record.launcher_aside.as_ref();
        !self.record.has_launcher || aside.is_some_and(|aside| !files::is_there(aside))
    }

    /// Takes the launcher and all copies away, and what was put beside them.
    pub fn remove_launcher(&mut self, environment: &Environment) -> Result<(), InstallError> {
        belongings::remove(environment, self)?;
        launcher::remove(environment, self.record.launcher_aside.as_deref(), self.is_launcher_theirs())?;
        let lock = launcher::lock_file(environment);
        let is_theirs = self.record.theirs.as_ref().is_some_and(|theirs| theirs.contains(&lock));
        if !is_theirs && files::is_empty_file(&lock) {
            files::remove(&lock)?;
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
        match self.save() {
            Err(error) if error.is_no_room() => Ok(()),
            saved => saved,
        }
    }

    /// Nothing of it was made.
    pub fn forget_launcher(&mut self) {
        self.record.has_launcher = false;
    }

    /// Adds or replaces an entry, on disk before it returns; else everything stays as it was.
    pub fn put(&mut self, owned: Owned) -> Result<(), InstallError> {
        let before = self.record.manifests.clone();
        match self.record.manifests.iter_mut().find(|known| known.manifest == owned.manifest) {
            Some(known) => *known = owned,
            None => self.record.manifests.push(owned),
        }
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
        if let Err(error) = state_names::remove_traces(&self.folder, theirs.as_deref().unwrap_or_default()) {
            tracing::debug!(%error, "a log stays");
        }
        if theirs.is_none() {
            // An older build did not note whether it was there.
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

    /// When nothing is installed any more, nothing of ours stays that nobody else put something into. What hosts keep stays, and
    /// with it what is known of the folders around it.
    pub fn close(mut self, kept: bool) {
        if !self.record.manifests.is_empty() || self.record.has_launcher {
            return;
        }
        let mut folders = std::mem::take(&mut self.record.own_folders);
        folders.sort_by_key(|folder| folder.components().count());
        let (way, others): (Vec<_>, Vec<_>) =
            folders.into_iter().partition(|made| self.folder.starts_with(made));
        files::remove_empty_folders(&others);
        if kept {
            self.record.own_folders =
                way.into_iter().chain(others.into_iter().filter(|made| made.is_dir())).collect();
            if let Err(error) = self.save() {
                tracing::debug!(%error, "the record stays as it was");
            }
            return;
        }
        if let Some(mode) = self.record.folder_mode
            && files::mode_of(&self.folder).is_some_and(|now| now != mode)
            && let Err(error) = files::set_mode(&self.folder, mode)
        {
            tracing::debug!(%error, "the state folder stays closed");
        }
        record_folder::unmake(&self.folder, &way);
    }

    fn save(&self) -> Result<(), InstallError> {
        files::write_atomic(&self.folder.join(FILE_NAME), &self.record.to_bytes(&self.folder)?, self.mode)
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
