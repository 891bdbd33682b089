//! What an installation would do, found out without changing anything.

use std::path::Path;

use super::{
    belongings::{self, Placed, Wanted},
    browsers::Scope,
    environment::Environment,
    error::InstallError,
    files, for_all,
    installer::{Done, Outcome, Planned, entry_for, kind_of_change},
    launcher::{self, Placement},
    obstacle::Obstacle,
    ownership::Record,
};

/// Says what [`super::installer::install`] would do, and changes nothing.
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
    let mut record = Record::read(environment, scope)?;
    Ok(planned
        .into_iter()
        .map(|planned| {
            let result = rehearse_one(environment, &mut record, placement, &planned);
            Outcome { target: planned.target, manifest: planned.manifest, result }
        })
        .collect())
}

fn rehearse_one(
    environment: &Environment,
    record: &mut Record,
    placement: &Placement,
    planned: &Planned,
) -> Result<Done, InstallError> {
    let existing = files::look(&planned.manifest)?;
    let change = kind_of_change(environment, record, planned, &existing);
    // Else nothing would be written.
    if change != Done::Unchanged || needs_launcher(environment, placement) {
        writable(environment, placement, planned)?;
    }
    if change == Done::Replaced {
        let owned = entry_for(environment, record, planned, &existing);
        record.refuse_surplus(&owned)?;
        record.put(owned);
    }
    Ok(change)
}

/// What a rehearsal does not try is asked for: the folders that the installation would write to.
fn writable(environment: &Environment, placement: &Placement, planned: &Planned) -> Result<(), InstallError> {
    let record_dir = environment.record_dir(planned.target.scope);
    let launcher = launcher::path(environment);
    let program = needs_launcher(environment, placement).then(|| {
        launcher.parent().map(Path::to_path_buf).into_iter().chain([launcher::versions(environment)])
    });
    let folders =
        [planned.target.folder.clone(), record_dir].into_iter().chain(program.into_iter().flatten());
    for folder in folders {
        if let Some(obstacle) = Obstacle::to_writing(&folder) {
            let (seen, help) = (obstacle.seen(), obstacle.help());
            let error = InstallError::Obstructed { path: folder, seen, help };
            return Err(error.of_scope(planned.target.scope));
        }
    }
    Ok(())
}

/// Whether the launcher is still to be made or turned.
fn needs_launcher(environment: &Environment, placement: &Placement) -> bool {
    matches!(placement, Placement::Launcher(launcher)
    if !files::canonical(launcher).is_ok_and(|program| {
        program == environment.binary || files::same_contents(&program, &environment.binary)
    }))
}

/// What [`super::installer::place`] would do after an installation; nothing is changed.
pub fn place(
    environment: &Environment,
    scope: Scope,
    placement: &Placement,
    wanted: Wanted,
) -> Result<Placed, InstallError> {
    let record = Record::read(environment, scope)?;
    let has_launcher = record.has_launcher || matches!(placement, Placement::Launcher(_));
    Ok(if has_launcher { belongings::rehearse(environment, &record, wanted) } else { Placed::default() })
}
