//! Puts manifests where browsers look: each target on its own, one that fails never stops the rest.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{
    belongings::{self, Placed, Wanted},
    browsers::{Family, Scope},
    environment::Environment,
    error::InstallError,
    files::{self, Existing},
    for_all,
    ids::{ExtensionId, Ids},
    launcher::{self, Placement, Turned},
    manifest,
    obstacle::Obstacle,
    ownership::{Before, Owned, OwnedKey, Record},
    record_keeper::RecordKeeper,
    record_place,
    registry::{self, Entry, View},
    target::Target,
    way,
};
use crate::ids::sha256_hex;

/// Readable by all: a browser may run as another user, and nothing in it is secret.
pub const MANIFEST_MODE: u32 = 0o644;

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
    /// Windows: the registry key that is to name it.
    pub key: Option<String>,
}

/// The manifests for these targets, which are to name `program`.
pub fn plan(
    program: &Path,
    ids: &Ids,
    targets: Vec<Target>,
    more: &[ExtensionId],
) -> Result<Vec<Planned>, InstallError> {
    plan_each(program, ids, targets, |_| more.to_vec())
}

/// The same, with further extensions for each.
pub fn plan_each(
    program: &Path,
    ids: &Ids,
    targets: Vec<Target>,
    more: impl Fn(&Target) -> Vec<ExtensionId>,
) -> Result<Vec<Planned>, InstallError> {
    let file_name = ids.file_name();
    targets
        .into_iter()
        .map(|target| {
            let content = manifest::fill(target.family, ids, program, &more(&target))?;
            let key = target.registry.as_ref().map(|keys| format!("{keys}\\{}", ids.host_name));
            Ok(Planned { manifest: target.manifest(&file_name), target, content, key })
        })
        .collect()
}

/// What would keep an installation into this target from working.
pub fn obstacle(environment: &Environment, target: &Target, manifest: &Path) -> Option<Obstacle> {
    // What is everybody's is the administrator's affair.
    if target.scope == Scope::System {
        return None;
    }
    // What a link leads to that is no copy of ours stays where it is: the link is replaced.
    let copy = || {
        let program = files::canonical(&launcher::path(environment)).ok()?;
        launcher::is_copy(environment, &program).then(|| Obstacle::to_replacing(&program))?
    };
    let program = || match launcher::placement(environment, target.scope, false) {
        Placement::InPlace(_) => None,
        Placement::Launcher(launcher) => {
            let versions = launcher::versions(environment);
            Obstacle::to_speaking_of(&launcher)
                .or_else(|| Obstacle::to_writing(&versions))
                .or_else(|| Obstacle::to_replacing(&launcher))
                .or_else(copy)
        }
    };
    Obstacle::to_speaking_of(manifest)
        .or_else(|| Obstacle::to_replacing(manifest))
        .or_else(|| Obstacle::to_replacing(&Record::file(environment, target.scope)))
        .or_else(program)
}

/// Puts the program in its place, then writes the manifests.
pub fn install(
    environment: &Environment,
    scope: Scope,
    placement: &Placement,
    planned: Vec<Planned>,
) -> Result<Vec<Outcome>, InstallError> {
    environment.refuse_home_of_another(scope)?;
    if scope == Scope::System {
        for_all::refuse_closed(environment, placement.program())?;
    }
    let mut keeper = RecordKeeper::open(environment, scope)?;
    keeper.look_around(environment);
    if scope == Scope::User {
        record_place::point(environment, &mut keeper);
    }
    let had_launcher = keeper.record().has_launcher;
    if let Placement::Launcher(launcher) = placement
        && let Err(error) = turn(environment, &mut keeper, launcher)
    {
        take_back(environment, keeper, had_launcher);
        return Err(error);
    }
    let outcomes = planned
        .into_iter()
        .map(|planned| {
            let result = install_one(environment, &mut keeper, &planned);
            Outcome { target: planned.target, manifest: planned.manifest, result }
        })
        .collect();
    take_back(environment, keeper, had_launcher);
    Ok(outcomes)
}

/// Puts what came along with the binary into its place, where outrigger is in some browser.
pub fn place(environment: &Environment, scope: Scope, wanted: Wanted) -> Result<Placed, InstallError> {
    let is_kept = |record: &Record| record.has_launcher && !record.manifests.is_empty();
    if !(wanted.extension || wanted.command) || !is_kept(&Record::read(environment, scope)?) {
        return Ok(Placed::default());
    }
    let mut keeper = RecordKeeper::open(environment, scope)?;
    if !is_kept(keeper.record()) {
        keeper.release();
        return Ok(Placed::default());
    }
    Ok(belongings::place(environment, &mut keeper, wanted))
}

/// Further extensions that our manifest of this target lets start the host.
pub fn allowed_now(environment: &Environment, ids: &Ids, target: &Target) -> Vec<ExtensionId> {
    let manifest = target.manifest(&ids.file_name());
    let Ok(record) = Record::read(environment, target.scope) else { return Vec::new() };
    match (record.find(&manifest), files::look(&manifest)) {
        (Some(owned), Ok(existing @ Existing::File { .. })) if owned.is_ours(&existing) => {
            let Existing::File { bytes, .. } = existing else { return Vec::new() };
            allowed_in(target.family, &bytes)
                .iter()
                .filter_map(|entry| ExtensionId::parse(entry).ok())
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Makes the launcher; what somebody has in its place is moved aside, and both are noted before they are done.
fn turn(
    environment: &Environment,
    keeper: &mut RecordKeeper,
    launcher: &Path,
) -> Result<Turned, InstallError> {
    let mut folders = launcher.parent().map(files::missing_folders).unwrap_or_default();
    folders.extend(files::missing_folders(&launcher::versions(environment)));
    let is_theirs = launcher::is_foreign(environment) && keeper.is_launcher_theirs();
    let aside = is_theirs.then(|| files::aside(launcher));
    keeper.note_launcher(&environment.program_dir, folders, aside.clone())?;
    if let Some(aside) = aside {
        files::rename(launcher, &aside)?;
    }
    launcher::turn(environment)
}

/// Makes the launcher lead to this binary; `None` where there is no launcher. One that is somewhere else now than when it was made is
/// noted first.
pub fn turn_again(environment: &Environment, scope: Scope) -> Result<Option<Turned>, InstallError> {
    environment.refuse_home_of_another(scope)?;
    let record = Record::read(environment, scope)?;
    if !record.has_launcher {
        return Ok(None);
    }
    let is_noted = record.programs.is_empty() || record.programs.contains(&environment.program_dir);
    if is_noted && launcher::is_turned(environment)? {
        return Ok(Some(Turned::Unchanged));
    }
    let mut keeper = RecordKeeper::open(environment, scope)?;
    // Whoever uninstalled while it was waited for has left nothing, and a copy that is made now would be nobody's.
    if !keeper.record().has_launcher {
        keeper.release();
        return Ok(None);
    }
    turn(environment, &mut keeper, &launcher::path(environment)).map(Some)
}

/// Where no manifest is left, nothing of ours is wanted; what cannot be removed is remembered.
fn take_back(environment: &Environment, mut keeper: RecordKeeper, had_launcher: bool) {
    if keeper.record().manifests.is_empty()
        && keeper.record().has_launcher
        && let Err(error) = keeper.remove_launcher(environment)
    {
        tracing::debug!(%error, "copies of the program stay");
        // Behind a closed door nothing new was made; what an earlier installation made is remembered.
        if had_launcher {
            return;
        }
        keeper.forget_launcher();
    }
    if let Err(error) = keeper.close(false) {
        tracing::debug!(%error, "a folder stays, and the record of it");
    }
}

fn install_one(
    environment: &Environment,
    keeper: &mut RecordKeeper,
    planned: &Planned,
) -> Result<Done, InstallError> {
    if let Some(other) = shared_with(keeper.record(), planned) {
        return Err(InstallError::Shared { path: planned.manifest.clone(), with: other.name.clone() });
    }
    let existing = files::look(&planned.manifest)?;
    let mut change = kind_of_change(environment, keeper.record(), planned, &existing);
    let key = key_before(environment, keeper.record(), planned)?;
    if change == Done::Unchanged && key.is_none() {
        return Ok(change);
    }
    let digest = sha256_hex(planned.content.as_bytes());
    let known = keeper.record().find(&planned.manifest).cloned();
    let mut owned = entry_for(environment, keeper.record(), planned, &existing);
    owned.wrote.push(digest.clone());
    if let Some(before) = key {
        if change == Done::Unchanged {
            change = Done::Updated { dropped: Vec::new() };
        }
        owned.key = Some(before);
    }
    if change == Done::Replaced {
        keeper.record().refuse_surplus(&owned)?;
    }
    keeper.put(owned.clone())?;
    let mode = if planned.target.scope == Scope::System { files::SHARED } else { files::PRIVATE };
    let written = files::create_folders(&planned.target.folder, mode)
        .and_then(|()| files::write_atomic(&planned.manifest, planned.content.as_bytes(), MANIFEST_MODE));
    if let Err(error) = written {
        // What was never written is not to be remembered as ours; what an earlier installation keeps is.
        let left = files::remove_empty_folders(&owned.created_folders);
        match known {
            Some(known) => keeper.put(known)?,
            None if left.is_ok() => keeper.forget(&planned.manifest)?,
            None => {}
        }
        return Err(error);
    }
    owned.wrote = vec![digest];
    if let Some(OwnedKey { key, .. }) = &owned.key {
        registry::write(environment, key, &planned.manifest.to_string_lossy())?;
    }
    match keeper.put(owned) {
        // What is on the disk knows of both texts, and the manifest is there.
        Err(error) if !error.is_no_room() => Err(error),
        _ => Ok(change),
    }
}

/// The target of the other family that has the very same file, by a link to its folder.
fn shared_with<'a>(record: &'a Record, planned: &Planned) -> Option<&'a Owned> {
    let real = files::canonical(&planned.manifest).ok()?;
    record.manifests.iter().find(|owned| {
        owned.family != planned.target.family
            && owned.manifest != planned.manifest
            && files::canonical(&owned.manifest).is_ok_and(|other| other == real)
    })
}

/// What the registry says before we write to it; `None` when there is nothing to write.
fn key_before(
    environment: &Environment,
    record: &Record,
    planned: &Planned,
) -> Result<Option<OwnedKey>, InstallError> {
    let Some(key) = &planned.key else { return Ok(None) };
    let now = registry::read(environment, key, View::Bits64)?;
    let ours = Entry::Value(planned.manifest.to_string_lossy().into_owned());
    if now == ours {
        return Ok(None);
    }
    // One that somebody took away was ours: what had been there before it still counts.
    let known = record.find(&planned.manifest).and_then(|owned| owned.key.clone());
    let mut created = known.as_ref().map(|known| known.created.clone()).unwrap_or_default();
    for parent in registry::missing_parents(environment, key)? {
        if !created.contains(&parent) {
            created.push(parent);
        }
    }
    let before = match known {
        Some(known) if now == Entry::Absent => known.before,
        _ => now,
    };
    Ok(Some(OwnedKey { key: key.clone(), before, created }))
}

/// The entry to save before the write: what was there before us stays what it was when ours is only renewed.
pub(super) fn entry_for(
    environment: &Environment,
    record: &Record,
    planned: &Planned,
    existing: &Existing,
) -> Owned {
    let known = record.find(&planned.manifest);
    let renewed = known.filter(|owned| owned.is_ours(existing));
    // By another name it is in the record already, with what was there before.
    let shared = record.shared(&planned.manifest);
    let before = match (known, shared) {
        // One that somebody took away was ours: what had been there before it still counts.
        (Some(known), _) if *existing == Existing::Absent => known.before.clone(),
        (None, Some(shared)) if *existing == Existing::Absent || shared.is_ours(existing) => {
            shared.before.clone()
        }
        _ if !is_of_ours(environment, record, &planned.manifest, existing) => {
            Before::of(&planned.manifest, existing)
        }
        (Some(known), _) => known.before.clone(),
        (None, Some(shared)) => shared.before.clone(),
        (None, None) => Before::Absent,
    };
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
        key: known.and_then(|owned| owned.key.clone()),
        scope: planned.target.scope,
        wrote: renewed.map(|owned| owned.wrote.clone()).unwrap_or_default(),
        before,
        created_folders,
    }
}

/// Whether what is there is a manifest of ours, as we wrote it or spoilt since: nobody wants that one back. One that names a
/// program of somebody else that is there is theirs.
pub(super) fn is_of_ours(
    environment: &Environment,
    record: &Record,
    manifest: &Path,
    existing: &Existing,
) -> bool {
    let program = match existing {
        Existing::Absent => return false,
        Existing::File { bytes, .. } => manifest::program_in(bytes),
        // Somebody's link stays theirs, but for one in place of our manifest that leads to none.
        Existing::Link { .. } if record.find(manifest).is_none() => return false,
        Existing::Link { .. } => {
            files::read_through(manifest).ok().and_then(|bytes| manifest::program_in(&bytes))
        }
    };
    match record.find(manifest) {
        Some(owned) if owned.is_ours(existing) => true,
        Some(_) => program.is_none_or(|program| {
            program.starts_with(&environment.program_dir)
                || program == environment.binary
                || !program.is_absolute()
                || way::is_of_a_process(&program)
                || !files::is_program(&program)
        }),
        // Written by us, and the record of it has gone; or the home was moved, and with it what this names.
        None => program.is_some_and(|program| {
            program == launcher::path(environment) || launcher::is_one_that_is_gone(&program)
        }),
    }
}

pub(super) fn kind_of_change(
    environment: &Environment,
    record: &Record,
    planned: &Planned,
    existing: &Existing,
) -> Done {
    let ours = is_of_ours(environment, record, &planned.manifest, existing);
    match existing {
        Existing::Absent => Done::Installed,
        Existing::File { bytes, mode } if ours => {
            let recorded = record.find(&planned.manifest).is_some_and(|owned| owned.is_ours(existing));
            if recorded && bytes == planned.content.as_bytes() && *mode == MANIFEST_MODE {
                Done::Unchanged
            } else {
                Done::Updated { dropped: dropped(planned.target.family, bytes, &planned.content) }
            }
        }
        Existing::Link { .. } if ours => Done::Updated { dropped: Vec::new() },
        Existing::File { .. } | Existing::Link { .. } => Done::Replaced,
    }
}

/// Extensions that the old manifest allowed and the new one does not.
fn dropped(family: Family, old: &[u8], new: &str) -> Vec<String> {
    let kept = allowed_in(family, new.as_bytes());
    allowed_in(family, old).into_iter().filter(|entry| !kept.contains(entry)).collect()
}

fn allowed_in(family: Family, manifest: &[u8]) -> Vec<String> {
    let value: Value = serde_json::from_slice(manifest).unwrap_or_default();
    let entries = value[manifest::allowed_key(family)].as_array().cloned().unwrap_or_default();
    entries.iter().filter_map(|entry| entry.as_str().map(str::to_owned)).collect()
}

/// Writes what a person wants to show to others, where they said: as a shell would, but that a file is there whole or as it was.
pub fn write_report(file: &Path, text: &str) -> Result<(), InstallError> {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
    // A link stays one, and what it leads to is written.
    let file = files::canonical(&file).unwrap_or(file);
    let told = |error| match error {
        InstallError::Io { path, source, .. } => InstallError::Report { path, source },
        error => error,
    };
    if files::is_there(&file) && !file.is_file() {
        let told = |source| InstallError::Report { path: file.clone(), source };
        return files::write_into(&file, text.as_bytes()).map_err(told);
    }
    let mode = files::mode_of(&file).unwrap_or(MANIFEST_MODE);
    files::write_atomic(&file, text.as_bytes(), mode).map_err(told)
}
