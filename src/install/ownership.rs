//! The record of what we wrote and what had been there before, in our state folder.
//!
//! It is kept beside the manifests and not in them, because Firefox refuses a manifest with any further key. An entry is
//! saved before its manifest is written: killed at any instant, uninstalling still knows what to restore.

use std::path::{Component, Path, PathBuf};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

use super::{
    browsers::{Family, Scope},
    environment::Environment,
    error::{InstallError, shown},
    files::{self, Existing, Most, Stamp},
    registry::Entry,
    target::{Presence, Target},
};
use crate::ids::sha256_hex;

pub(super) const FILE_NAME: &str = "installed.json";
pub(super) const LOCK_NAME: &str = "installed.lock";
/// Raised when an older binary could misread the record.
const VERSION: u32 = 1;

/// The most that manifests of others may take in the record together: ten of the largest that are replaced at all, and real ones are
/// a thousandth of that. The record is written anew with each change, so it is to stay small enough for that.
const KEPT_BYTES: usize = 14 * 1024 * 1024;
/// What is kept of others, and as much again as paths and names could ever take: a record that was written can be read.
const RECORD_BYTES: Most =
    Most { bytes: 32 * 1024 * 1024, larger: "larger than 32 MiB, which no record of outrigger is" };

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
    /// Folders that had or have a launcher: where they are is said by variables, which may have been others then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<PathBuf>,
    /// Links that lead to the record, which is where only a variable led.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pointers: Vec<PathBuf>,
    /// The record's own folder when it was written. A home that was moved since has taken along all that is named here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<PathBuf>,
}

/// What every version of the record has.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
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

    /// How much room it takes in the record.
    fn size(&self) -> usize {
        match self {
            Self::File { content, .. } => content.len(),
            Self::Absent | Self::Link { .. } => 0,
        }
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

    /// What had been there cannot be brought back.
    pub(super) fn damaged(&self, environment: &Environment) -> InstallError {
        let reason = format!("what it kept of `{}` is damaged", shown(&self.manifest));
        InstallError::Record { path: Record::file(environment, self.scope), reason }
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
            next: Vec::new(),
            further: Vec::new(),
            registry_keys: below.into_iter().map(|(_, key)| key.to_owned()).collect(),
            registry,
            scope: self.scope,
            flags: self.flags.clone(),
            presence: if is_there { Presence::Given } else { Presence::Absent },
        }
    }
}

/// Where two paths that end the same begin to differ, from the end.
fn differing(one: &Path, other: &Path) -> Option<(PathBuf, PathBuf)> {
    let same = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    let above = |path: &Path| path.ancestors().nth(same).map(Path::to_path_buf);
    if same == 0 || one == other {
        return None;
    }
    Some((above(one)?, above(other)?))
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
            programs: Vec::new(),
            pointers: Vec::new(),
            place: None,
        }
    }

    /// True as long as nothing was written with it.
    pub(super) fn is_new(&self) -> bool {
        self.manifests.is_empty() && !self.has_launcher && self.theirs.is_none()
    }

    /// The folders on the way to a manifest were made by us.
    pub(super) fn has_made(&self, folder: &Path) -> bool {
        self.own_folders.iter().any(|own| own == folder)
    }

    /// Its text, which is for this folder.
    pub(super) fn to_bytes(&self, folder: &Path) -> Result<Vec<u8>, InstallError> {
        let path = folder.join(FILE_NAME);
        let placed = Self { place: Some(folder.to_path_buf()), ..self.clone() };
        let bytes = serde_json::to_vec_pretty(&placed)
            .map_err(|error| InstallError::Record { path: path.clone(), reason: error.to_string() })?;
        // What could not be read again is not written.
        match u64::try_from(bytes.len()) {
            Ok(length) if length <= RECORD_BYTES.bytes => Ok(bytes),
            _ => Err(InstallError::NotAFile { path, kind: RECORD_BYTES.larger }),
        }
    }

    /// An error where what this entry keeps does not fit in beside what is kept already.
    pub(super) fn refuse_surplus(&self, owned: &Owned) -> Result<(), InstallError> {
        let others = self.manifests.iter().filter(|known| known.manifest != owned.manifest);
        let kept: usize = others.map(|known| known.before.size()).sum();
        if kept + owned.before.size() > KEPT_BYTES {
            return Err(InstallError::TooMuchToKeep { path: owned.manifest.clone() });
        }
        Ok(())
    }

    /// Adds or replaces an entry.
    pub(super) fn put(&mut self, owned: Owned) {
        match self.manifests.iter_mut().find(|known| known.manifest == owned.manifest) {
            Some(known) => *known = owned,
            None => self.manifests.push(owned),
        }
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
        let bytes = match files::look_up_to(&path, RECORD_BYTES)? {
            Existing::Absent => return Ok(Self::empty()),
            Existing::File { bytes, .. } => bytes,
            Existing::Link { .. } => files::read_up_to(&path, RECORD_BYTES)?,
        };
        // Asked before all else: what a newer one means may stand there in another shape.
        if let Ok(Versioned { version }) = serde_json::from_slice(&bytes)
            && version > VERSION
        {
            return Err(InstallError::NewerRecord { path, version, known: VERSION });
        }
        let record: Self = serde_json::from_slice(&bytes)
            .map_err(|error| InstallError::Record { path: path.clone(), reason: error.to_string() })?;
        if record.version != VERSION {
            let reason = format!("its version is {}, this outrigger knows version {VERSION}", record.version);
            return Err(InstallError::Record { path, reason });
        }
        let mut record = record.moved_to(folder);
        // Ours are names in our folder: whatever else stands there, nobody's file is taken away by it.
        record.extension.retain(|file| {
            file.components().all(|part| matches!(part, Component::Normal(_))) && !file.as_os_str().is_empty()
        });
        Ok(record)
    }

    /// The same where its folder is now: a home that got another name keeps its browsers, and what we wrote in them.
    fn moved_to(mut self, folder: &Path) -> Self {
        let Some((old, new)) = self.place.take().and_then(|place| differing(&place, folder)) else {
            return self;
        };
        let moved = |path: &mut PathBuf| {
            // What has moved is above nothing of ours.
            if let Ok(rest) = path.strip_prefix(&old)
                && !rest.as_os_str().is_empty()
            {
                *path = new.join(rest);
            }
        };
        self.own_folders.iter_mut().for_each(moved);
        self.programs.iter_mut().for_each(moved);
        self.pointers.iter_mut().for_each(moved);
        self.theirs.iter_mut().flatten().for_each(moved);
        self.launcher_aside.iter_mut().for_each(moved);
        self.command.iter_mut().for_each(moved);
        for owned in &mut self.manifests {
            moved(&mut owned.manifest);
            owned.created_folders.iter_mut().for_each(moved);
            let mut target = PathBuf::from(&owned.target);
            moved(&mut target);
            let target = target.to_string_lossy().into_owned();
            if target != owned.target {
                owned.flags = owned.flags.replace(&owned.target, &target);
                owned.target = target;
            }
        }
        self
    }

    pub(super) fn note_folders(&mut self, made: Vec<PathBuf>) {
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
