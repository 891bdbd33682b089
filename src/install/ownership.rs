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
    browsers::{Family, Scope},
    environment::Environment,
    error::InstallError,
    files::{self, Existing},
    registry::Entry,
    target::{Presence, Target},
};
use crate::ids::sha256_hex;

const FILE_NAME: &str = "installed.json";
const LOCK_NAME: &str = "installed.lock";
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
    },
    /// A symbolic link.
    Link {
        /// Its text.
        to: PathBuf,
    },
}

impl Before {
    /// Keeps what is there now.
    pub fn of(existing: &Existing) -> Self {
        match existing {
            Existing::Absent => Self::Absent,
            Existing::File { bytes, mode } => Self::File { content: STANDARD.encode(bytes), mode: *mode },
            Existing::Link { to } => Self::Link { to: to.clone() },
        }
    }

    /// What was kept; `None` when the record was damaged.
    pub fn existing(&self) -> Option<Existing> {
        Some(match self {
            Self::Absent => Existing::Absent,
            Self::File { content, mode } => {
                Existing::File { bytes: STANDARD.decode(content).ok()?, mode: *mode }
            }
            Self::Link { to } => Existing::Link { to: to.clone() },
        })
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
        Self { version: VERSION, manifests: Vec::new(), own_folders: Vec::new(), has_launcher: false }
    }

    /// Where it is, or would be.
    pub fn file(environment: &Environment, scope: Scope) -> PathBuf {
        environment.record_dir(scope).join(FILE_NAME)
    }

    /// Reads the record as it is, to look at; a missing one is empty.
    pub fn read(environment: &Environment, scope: Scope) -> Result<Self, InstallError> {
        let path = Self::file(environment, scope);
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

    /// Whether another entry is about the very same file, by a link to its folder: the last of them takes it along.
    pub fn shares(&self, manifest: &Path) -> bool {
        let Ok(real) = files::canonical(manifest) else { return false };
        let is_same = |owned: &Owned| files::canonical(&owned.manifest).is_ok_and(|other| other == real);
        self.manifests.iter().any(|owned| owned.manifest != manifest && is_same(owned))
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
    record: Record,
    _lock: File,
}

impl RecordKeeper {
    /// Waits for other processes, then reads.
    pub fn open(environment: &Environment, scope: Scope) -> Result<Self, InstallError> {
        let folder = environment.record_dir(scope);
        let made = files::missing_folders(&folder);
        let locked = files::create_folders(&folder, mode_of(scope))
            .and_then(|()| files::lock(&folder.join(LOCK_NAME)));
        let lock = locked.inspect_err(|_| files::remove_empty_folders(&made))?;
        let mut record = Record::read(environment, scope)?;
        record.note_folders(made);
        Ok(Self { folder, record, _lock: lock })
    }

    /// The record.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Notes the launcher and the folders that were made for it, on disk before it returns.
    pub fn note_launcher(&mut self, made: Vec<PathBuf>) -> Result<(), InstallError> {
        self.record.has_launcher = true;
        self.record.note_folders(made);
        self.save()
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

    /// Notes a folder of our own, which goes with the last manifest when nothing is in it.
    pub fn note_folder(&mut self, folder: PathBuf) {
        self.record.note_folders(vec![folder]);
    }

    /// Throws away what hosts leave behind by having been started: their log, and their empty folders for temporary files. Where
    /// there is more, everything stays, and the folder is the answer.
    pub fn forget_traces(&mut self) -> Option<PathBuf> {
        let is_more = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            ![FILE_NAME, LOCK_NAME, "log", "tmp"].contains(&name)
        };
        if files::entries(&self.folder).iter().any(is_more) {
            return Some(self.folder.clone());
        }
        files::remove_hollow(&self.folder.join("tmp"));
        let log = self.folder.join("log");
        if log.is_dir() && files::link_of(&log).is_none() && files::remove_folder(&log).is_err() {
            return Some(self.folder.clone());
        }
        self.record.note_folders(vec![self.folder.clone()]);
        None
    }

    /// Throws away what is in the folder beside the record itself.
    pub fn forget_state(&mut self) -> Result<(), InstallError> {
        for path in files::entries(&self.folder) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name == FILE_NAME || name == LOCK_NAME {
                continue;
            }
            if path.is_dir() && files::link_of(&path).is_none() {
                files::remove_folder(&path)?;
            } else {
                files::remove(&path)?;
            }
        }
        // The folder itself was ours, whoever made it first.
        self.record.note_folders(vec![self.folder.clone()]);
        Ok(())
    }

    /// When nothing is installed any more, nothing of ours stays that nobody else put something into.
    pub fn close(self) {
        if !self.record.manifests.is_empty() {
            return;
        }
        for name in [FILE_NAME, LOCK_NAME] {
            let path = self.folder.join(name);
            if path.exists()
                && let Err(error) = files::remove(&path)
            {
                tracing::debug!(%error, "a file of the record stays");
            }
        }
        let mut folders = self.record.own_folders;
        folders.sort_by_key(|folder| folder.components().count());
        files::remove_empty_folders(&folders);
    }

    fn save(&self) -> Result<(), InstallError> {
        let path = self.folder.join(FILE_NAME);
        let text = serde_json::to_vec_pretty(&self.record)
            .map_err(|error| InstallError::Record { path: path.clone(), reason: error.to_string() })?;
        // For this user alone: it may hold a copy of somebody else's file.
        files::write_atomic(&path, &text, 0o600)
    }
}

/// The system's own folder of state is for everybody to see, though not what is in it.
fn mode_of(scope: Scope) -> u32 {
    match scope {
        Scope::User => files::PRIVATE,
        Scope::System => files::SHARED,
    }
}
