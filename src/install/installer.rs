//! Puts manifests where browsers look: each target on its own, one that fails never stops the rest.

use std::path::PathBuf;

use serde_json::Value;

use super::{
    browsers::Family,
    environment::Environment,
    error::InstallError,
    files::{self, Existing},
    ids::{ExtensionId, Ids},
    manifest,
    ownership::{Before, Owned, Record, RecordKeeper},
    target::Target,
};
use crate::ids::sha256_hex;

/// Readable by all: a browser may run as another user, and nothing in it is secret.
const MANIFEST_MODE: u32 = 0o644;

/// What came of one target.
#[derive(Debug)]
pub struct Outcome {
    /// Which.
    pub target: Target,
    /// Its manifest.
    pub manifest: PathBuf,
    /// How it went.
    pub result: Result<Done, InstallError>,
}

/// How it went well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// There was none.
    Installed,
    /// Ours was there, with other contents; extensions that it allowed and the new one does not.
    Updated {
        /// As they stood in it.
        dropped: Vec<String>,
    },
    /// Ours was there and is the same.
    Unchanged,
    /// Another one was there; uninstalling brings it back.
    Replaced,
}

/// What is to be written, before anything is.
#[derive(Clone, Debug)]
pub struct Planned {
    /// For whom.
    pub target: Target,
    /// Where.
    pub manifest: PathBuf,
    /// The whole text.
    pub content: String,
}

/// The manifests for these targets.
pub fn plan(
    environment: &Environment,
    ids: &Ids,
    targets: Vec<Target>,
    more: &[ExtensionId],
) -> Result<Vec<Planned>, InstallError> {
    let file_name = ids.file_name();
    targets
        .into_iter()
        .map(|target| {
            let content = manifest::fill(target.family, ids, &environment.binary, more)?;
            Ok(Planned { manifest: target.manifest(&file_name), target, content })
        })
        .collect()
}

/// Says what [`install`] would do, and changes nothing.
pub fn rehearse(environment: &Environment, planned: Vec<Planned>) -> Result<Vec<Outcome>, InstallError> {
    let record = Record::read(environment)?;
    Ok(planned
        .into_iter()
        .map(|planned| {
            let result =
                files::look(&planned.manifest).map(|existing| kind_of_change(&record, &planned, &existing));
            Outcome { target: planned.target, manifest: planned.manifest, result }
        })
        .collect())
}

/// Writes the manifests.
pub fn install(environment: &Environment, planned: Vec<Planned>) -> Result<Vec<Outcome>, InstallError> {
    let mut keeper = RecordKeeper::open(environment)?;
    Ok(planned
        .into_iter()
        .map(|planned| {
            let result = install_one(&mut keeper, &planned);
            Outcome { target: planned.target, manifest: planned.manifest, result }
        })
        .collect())
}

fn install_one(keeper: &mut RecordKeeper, planned: &Planned) -> Result<Done, InstallError> {
    let existing = files::look(&planned.manifest)?;
    let change = kind_of_change(keeper.record(), planned, &existing);
    if change == Done::Unchanged {
        return Ok(change);
    }
    let digest = sha256_hex(planned.content.as_bytes());
    let mut owned = entry_for(keeper.record(), planned, &existing);
    owned.wrote.push(digest.clone());
    keeper.put(owned.clone())?;
    files::create_folders(&planned.target.folder)?;
    files::write_atomic(&planned.manifest, planned.content.as_bytes(), MANIFEST_MODE)?;
    owned.wrote = vec![digest];
    keeper.put(owned)?;
    Ok(change)
}

/// The entry to save before the write: what was there before us stays what it was when ours is only renewed.
fn entry_for(record: &Record, planned: &Planned, existing: &Existing) -> Owned {
    let known = record.find(&planned.manifest);
    let renewed = known.filter(|owned| owned.is_ours(existing));
    let mut created_folders = known.map(|owned| owned.created_folders.clone()).unwrap_or_default();
    for folder in files::missing_folders(&planned.target.folder) {
        if !created_folders.contains(&folder) {
            created_folders.push(folder);
        }
    }
    Owned {
        manifest: planned.manifest.clone(),
        target: planned.target.id.clone(),
        name: planned.target.name.clone(),
        family: planned.target.family,
        flags: planned.target.flags.clone(),
        wrote: renewed.map(|owned| owned.wrote.clone()).unwrap_or_default(),
        before: renewed.map_or_else(|| Before::of(existing), |owned| owned.before.clone()),
        created_folders,
    }
}

fn kind_of_change(record: &Record, planned: &Planned, existing: &Existing) -> Done {
    let ours = record.find(&planned.manifest).is_some_and(|owned| owned.is_ours(existing));
    match existing {
        Existing::Absent => Done::Installed,
        Existing::File { bytes, mode } if ours => {
            if bytes == planned.content.as_bytes() && *mode == MANIFEST_MODE {
                Done::Unchanged
            } else {
                Done::Updated { dropped: dropped(planned.target.family, bytes, &planned.content) }
            }
        }
        Existing::File { .. } | Existing::Link { .. } => Done::Replaced,
    }
}

/// Extensions that the old manifest allowed and the new one does not.
fn dropped(family: Family, old: &[u8], new: &str) -> Vec<String> {
    let allowed = |bytes: &[u8]| -> Vec<String> {
        let value: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let entries = value[manifest::allowed_key(family)].as_array().cloned().unwrap_or_default();
        entries.iter().filter_map(|entry| entry.as_str().map(str::to_owned)).collect()
    };
    let kept = allowed(new.as_bytes());
    allowed(old).into_iter().filter(|entry| !kept.contains(entry)).collect()
}
