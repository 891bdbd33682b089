//! Takes our manifests away and brings back, byte for byte, what had been there before.
//!
//! Never removes a file that we did not write, or that somebody has changed since.

use std::path::{Path, PathBuf};

use super::{
    environment::Environment,
    error::InstallError,
    files::{self, Existing},
    ids::Ids,
    launcher,
    ownership::{Owned, OwnedKey, Record, RecordKeeper},
    registry::{self, Entry, View},
    target::{self, Selection, Target},
};

/// What came of one target.
#[derive(Debug)]
pub struct Removal {
    /// Which.
    pub target: Target,
    /// Its manifest.
    pub manifest: PathBuf,
    /// How it went.
    pub result: Result<Undone, InstallError>,
}

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undone {
    /// Ours was removed.
    Removed,
    /// Ours was removed, and what had been there is back.
    Restored,
    /// There was nothing to remove.
    NotInstalled,
    /// Somebody has changed it since: left as it is.
    LeftChanged,
    /// Somebody else wrote it: left as it is.
    LeftForeign,
}

/// How far an uninstallation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Only says what it would do.
    Rehearsal,
    /// Takes back what installing wrote.
    Manifests,
    /// Also throws the state folder away: journal, audit, logs. The configuration stays.
    AndState,
}

/// Removes what was named or, when nothing was, all that we ever wrote.
pub fn uninstall(
    environment: &Environment,
    ids: &Ids,
    selection: &Selection,
    extent: Extent,
) -> Result<Vec<Removal>, InstallError> {
    let dry_run = extent == Extent::Rehearsal;
    let scope = selection.scope;
    let record = Record::read(environment, scope)?;
    let file_name = ids.file_name();
    let targets = targets(environment, selection, &record, &file_name)?;
    let mut keeper = None;
    let has_state = extent == Extent::AndState && environment.record_dir(scope).is_dir();
    if !dry_run && (!targets.is_empty() || record.has_launcher || has_state) {
        keeper = Some(RecordKeeper::open(environment, scope)?);
    }
    let record = keeper.as_ref().map_or(record, |keeper| keeper.record().clone());
    let removals = targets
        .into_iter()
        .map(|target| {
            let manifest = target.manifest(&file_name);
            let result = uninstall_one(environment, keeper.as_mut(), record.find(&manifest), &manifest);
            Removal { target, manifest, result }
        })
        .collect();
    if let Some(mut keeper) = keeper {
        if keeper.record().manifests.is_empty() && keeper.record().has_launcher {
            launcher::remove(environment)?;
        }
        if has_state && keeper.record().manifests.is_empty() {
            keeper.forget_state()?;
        }
        keeper.close();
    }
    Ok(removals)
}

/// The named targets; else all of the record, and whatever else has our name in a folder we know.
fn targets(
    environment: &Environment,
    selection: &Selection,
    record: &Record,
    file_name: &str,
) -> Result<Vec<Target>, InstallError> {
    if !selection.is_empty() {
        return selection.named(environment);
    }
    let mut targets: Vec<Target> = record.manifests.iter().map(Owned::to_target).collect();
    for target in target::known(environment, selection.scope) {
        if !matches!(files::look(&target.manifest(file_name)), Ok(Existing::Absent)) {
            target::push_new(&mut targets, target);
        }
    }
    Ok(targets)
}

fn uninstall_one(
    environment: &Environment,
    keeper: Option<&mut RecordKeeper>,
    owned: Option<&Owned>,
    manifest: &Path,
) -> Result<Undone, InstallError> {
    let existing = files::look(manifest)?;
    let Some(owned) = owned else {
        let absent = existing == Existing::Absent;
        return Ok(if absent { Undone::NotInstalled } else { Undone::LeftForeign });
    };
    let before = owned.before.existing().ok_or_else(|| InstallError::Record {
        path: manifest.to_path_buf(),
        reason: "what it kept of this file is damaged".to_owned(),
    })?;
    let undone = match &existing {
        // Gone already, or a write of ours was cut off before it began.
        Existing::Absent => Undone::NotInstalled,
        existing if *existing == before => Undone::NotInstalled,
        existing if owned.is_ours(existing) => match before {
            Existing::Absent => Undone::Removed,
            Existing::File { .. } | Existing::Link { .. } => Undone::Restored,
        },
        _ => return Ok(Undone::LeftChanged),
    };
    let Some(keeper) = keeper else { return Ok(undone) };
    if let Some(OwnedKey { key, before, created }) = &owned.key {
        let ours = Entry::Value(manifest.to_string_lossy().into_owned());
        // A key that somebody has changed since is theirs.
        if registry::read(environment, key, View::Bits64)? == ours {
            registry::restore(environment, key, before)?;
        }
        registry::remove_empty(environment, created)?;
    }
    if undone != Undone::NotInstalled {
        match &before {
            Existing::Absent => files::remove(manifest)?,
            Existing::File { bytes, mode } => files::write_atomic(manifest, bytes, *mode)?,
            Existing::Link { to } => files::link_atomic(manifest, to)?,
        }
    }
    files::remove_empty_folders(&owned.created_folders);
    keeper.forget(manifest)?;
    Ok(undone)
}
