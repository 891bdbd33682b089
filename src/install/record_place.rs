//! Where the record is when the variable that says so is another one now than when it was written.
//!
//! The state folder follows `XDG_STATE_HOME`, which a terminal, a package's script and a browser need not have alike. A record that
//! is not in the usual place is pointed at by a link beside the programs, to which manifests lead; whoever has none in their own
//! place goes on with that one, so that one installation has one record. Who says `OUTRIGGER_STATE_DIR` means that folder and no
//! other.

use std::path::{Path, PathBuf};

use super::{
    browsers::{Os, Scope},
    environment::Environment,
    files::{self, Existing},
    ids::Ids,
    manifest,
    ownership::FILE_NAME,
    record_keeper::RecordKeeper,
    target,
};

/// The link's name in the folder of programs.
const POINTER: &str = "record";
/// The folder of programs inside a state folder that is somebody's own choice.
const OWN_PROGRAMS: &str = "program";

/// The folder of this user's record: where variables say, or where one was written when they said something else.
pub(super) fn find(environment: &Environment) -> PathBuf {
    let own = &environment.state_dir;
    if holds_record(own) || is_chosen(environment) {
        return own.clone();
    }
    let known = |folder: PathBuf| {
        (holds_record(&folder) && files::is_mine(&folder.join(FILE_NAME))).then_some(folder)
    };
    let beside = |programs: &PathBuf| files::link_of(&programs.join(POINTER)).and_then(known);
    known(usual(environment))
        .or_else(|| beside(&environment.program_dir))
        .or_else(|| programs_of_manifests(environment).iter().find_map(beside))
        .unwrap_or_else(|| own.clone())
}

/// Makes the link, where the record is in a place that only a variable leads to.
pub(super) fn point(environment: &Environment, keeper: &mut RecordKeeper) {
    let folder = environment.record_dir(Scope::User);
    if is_chosen(environment) || folder == usual(environment) {
        return;
    }
    let link = environment.program_dir.join(POINTER);
    let is_free = match files::look_link(&link) {
        Ok(Some(Existing::Absent)) => true,
        Ok(Some(Existing::Link { to })) => to != folder && keeper.record().pointers.contains(&link),
        // Somebody's own.
        _ => false,
    };
    if !is_free {
        return;
    }
    let made = keeper
        .note_pointer(&link, files::missing_folders(&environment.program_dir))
        .and_then(|()| files::create_folders(&environment.program_dir, files::SHARED))
        .and_then(|()| files::link_atomic(&link, &folder));
    // Without it everything works as long as the variable stays.
    if let Err(error) = made {
        tracing::debug!(%error, "nothing leads to the record");
    }
}

/// The state folder of another installation, which somebody chose by `OUTRIGGER_STATE_DIR`, where this manifest is of one.
pub fn chosen_of(manifest: &Path) -> Option<PathBuf> {
    let programs = programs_of(manifest)?;
    let folder = programs.parent().filter(|_| programs.ends_with(OWN_PROGRAMS))?;
    holds_record(folder).then(|| folder.to_path_buf())
}

fn holds_record(folder: &Path) -> bool {
    files::is_there(&folder.join(FILE_NAME))
}

/// Without variables.
fn usual(environment: &Environment) -> PathBuf {
    environment.home.join(".local/state/outrigger")
}

/// Where programs lie in the state folder, somebody chose it for themselves.
fn is_chosen(environment: &Environment) -> bool {
    environment.os == Os::Windows || environment.program_dir.starts_with(&environment.state_dir)
}

/// The folders of programs to which manifests of this user lead.
fn programs_of_manifests(environment: &Environment) -> Vec<PathBuf> {
    let Ok(ids) = Ids::shipped() else { return Vec::new() };
    let file_name = ids.file_name();
    let targets = target::known(environment, Scope::User);
    targets.iter().filter_map(|target| programs_of(&target.manifest(&file_name))).collect()
}

fn programs_of(manifest: &Path) -> Option<PathBuf> {
    let program = manifest::program_in(&files::read_through(manifest).ok()?)?;
    let programs = program.parent()?.parent()?;
    (program.is_absolute() && program.ends_with("bin/outrigger")).then(|| programs.to_path_buf())
}
