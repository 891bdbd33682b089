//! Takes our manifests away and brings back, byte for byte, what had been there before.
//!
//! Never removes a file that we did not write, or that somebody has changed since.

use std::path::{Path, PathBuf};

use super::{
    browsers::Scope,
    environment::Environment,
    error::InstallError,
    files::{self, Existing},
    ids::Ids,
    installer, launcher, manifest,
    ownership::{Owned, OwnedKey, Record},
    record_folder,
    record_keeper::RecordKeeper,
    registry::{self, Entry, View},
    state_names::{self, Kept},
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

/// What came of all.
#[derive(Debug)]
pub struct Uninstalled {
    /// Target by target.
    pub removals: Vec<Removal>,
    /// What of our own could not be removed.
    pub left: Vec<InstallError>,
    /// What hosts kept and only a purge throws away.
    pub kept: Option<Kept>,
    /// What is in the state folder after a purge because it is not ours.
    pub rest: Vec<PathBuf>,
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
) -> Result<Uninstalled, InstallError> {
    let dry_run = extent == Extent::Rehearsal;
    let scope = selection.scope;
    if !dry_run {
        record_folder::sweep(&environment.home, &environment.record_dir(scope));
    }
    let record = Record::read(environment, scope)?;
    let file_name = ids.file_name();
    let targets = targets(environment, selection, &record, &file_name)?;
    let mut keeper = None;
    let elsewhere = elsewhere(environment, scope);
    let has_state = extent == Extent::AndState
        && (environment.record_dir(scope).is_dir() || elsewhere.is_some_and(Path::is_dir));
    if !dry_run
        && (!targets.is_empty() || has_state || record_folder::is_begun(&environment.record_dir(scope)))
    {
        keeper = Some(RecordKeeper::open(environment, scope)?);
    }
    let record = keeper.as_ref().map_or(record, |keeper| keeper.record().clone());
    let mut removals: Vec<Removal> = targets
        .into_iter()
        .map(|target| {
            let manifest = target.manifest(&file_name);
            let result = uninstall_one(environment, keeper.as_mut(), &record, &manifest);
            Removal { target, manifest, result }
        })
        .collect();
    if let Some(keeper) = &mut keeper {
        with_more_room(environment, keeper, &record, &mut removals);
    }
    let mut answer = Uninstalled { removals, left: Vec::new(), kept: None, rest: Vec::new() };
    let Some(mut keeper) = keeper else { return Ok(answer) };
    if !keeper.record().manifests.is_empty() {
        return Ok(answer);
    }
    // Of a record that was lost nothing is known, and whose launcher a manifest named is plain all the same.
    let unrecorded = answer.removals.iter().any(|removal| {
        removal.result.as_ref().is_ok_and(|undone| *undone == Undone::Removed)
            && record.find(&removal.manifest).is_none()
    });
    if (keeper.record().has_launcher || unrecorded)
        && let Err(error) = keeper.remove_launcher(environment)
    {
        // The record goes on knowing of it: the next time it is tried again.
        answer.left.push(error);
        return Ok(answer);
    }
    if has_state {
        answer.rest = keeper.forget_state()?;
        if let Some(folder) = elsewhere {
            answer.rest.extend(state_names::remove_folder(folder)?);
        }
    } else if scope == Scope::User {
        answer.kept = keeper.forget_traces();
    }
    answer.left.extend(keeper.close(answer.kept.is_some()).err());
    // What hosts keep where variables lead now says nothing about the record.
    if let (Extent::Manifests, Some(folder)) = (extent, elsewhere) {
        match state_names::kept(folder) {
            None => drop(state_names::remove_folder(folder)?),
            kept => answer.kept = answer.kept.or(kept),
        }
    }
    Ok(answer)
}

/// On a full disk our own copies make room for what comes back: tried again without them. Cut off in between, nothing is lost: the
/// record knows what is to come back, and of the launcher.
fn with_more_room(
    environment: &Environment,
    keeper: &mut RecordKeeper,
    record: &Record,
    removals: &mut [Removal],
) {
    let has_no_room = |removal: &&mut Removal| removal.result.as_ref().is_err_and(InstallError::is_no_room);
    let mut waiting: Vec<&mut Removal> = removals.iter_mut().filter(has_no_room).collect();
    let leaving: Vec<&Path> = waiting.iter().map(|removal| removal.manifest.as_path()).collect();
    if leaving.is_empty() || !keeper.make_room(environment, &leaving) {
        return;
    }
    for removal in &mut waiting {
        removal.result = uninstall_one(environment, Some(&mut *keeper), record, &removal.manifest);
    }
}

/// The state folder, where the record is in another one.
fn elsewhere(environment: &Environment, scope: Scope) -> Option<&Path> {
    let folder = environment.state_dir.as_path();
    (scope == Scope::User && folder != environment.record_dir(scope)).then_some(folder)
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
        // What cannot even be seen is not known to be there: the record names what we wrote.
        let manifest = target.manifest(file_name);
        // One that is in the record under another name, by a link to its folder, is no second one.
        if files::is_there(&manifest) && record.shared(&manifest).is_none() {
            target::push_new(&mut targets, target);
        }
    }
    Ok(targets)
}

/// One that somebody has touched and that starts nothing without us is of no use to anybody.
fn names_launcher(environment: &Environment, manifest: &Path) -> bool {
    let program = files::read_through(manifest).ok().and_then(|bytes| manifest::program_in(&bytes));
    program.is_some_and(|program| program == launcher::path(environment))
}

fn uninstall_one(
    environment: &Environment,
    keeper: Option<&mut RecordKeeper>,
    record: &Record,
    manifest: &Path,
) -> Result<Undone, InstallError> {
    let existing = files::look(manifest)?;
    let Some(owned) = record.find(manifest) else {
        if existing == Existing::Absent {
            return Ok(Undone::NotInstalled);
        }
        if !installer::is_of_ours(environment, record, manifest, &existing) {
            return Ok(Undone::LeftForeign);
        }
        if keeper.is_some() {
            files::remove(manifest)?;
        }
        return Ok(Undone::Removed);
    };
    let record_now = keeper.as_ref().map_or(record, |keeper| keeper.record());
    let before = owned.before.existing().ok_or_else(|| owned.damaged(environment))?;
    let undone = match &existing {
        // Gone already, or a write of ours was cut off before it began.
        existing if *existing == before => Undone::NotInstalled,
        // Somebody took ours away: what was there before it comes back as was promised, where there is still a place for it.
        Existing::Absent
            if record_now.shared(manifest).is_none() && manifest.parent().is_some_and(Path::is_dir) =>
        {
            Undone::Restored
        }
        Existing::Absent => Undone::NotInstalled,
        existing if owned.is_ours(existing) || names_launcher(environment, manifest) => match before {
            // The other one, which has it by a link, brings it back.
            _ if record_now.shared(manifest).is_some() => Undone::Removed,
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
    let is_shared = keeper.record().shared(manifest).is_some();
    let stamp = owned.before.stamp();
    if undone != Undone::NotInstalled && !is_shared {
        match &before {
            Existing::Absent => files::remove(manifest)?,
            Existing::File { bytes, mode } => files::write_stamped(manifest, bytes, *mode, stamp)?,
            Existing::Link { to } => files::link_stamped(manifest, to, stamp)?,
        }
    }
    // The entry stays as long as there is something to take away.
    files::remove_empty_folders(&owned.created_folders)?;
    keeper.forget(manifest)?;
    Ok(undone)
}
