//! A manifest as a file: whether it is there, whether the browser can read it, and what stands in the way of one.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{
    browsers::{self, BROWSERS, Scope},
    check::{Check, Mend},
    error::{InstallError, shown},
    files,
    for_all::{self, Wanted},
    inspect::{Inspection, Inspector},
    manifest,
    obstacle::Obstacle,
    permissions,
};
use crate::shell_words::{moved_aside, quoted_path};

/// None at all; whether one could be put there decides what mends it.
pub(super) fn absent(inspector: &Inspector<'_>, manifest: PathBuf) -> Inspection {
    let place = shown(&manifest);
    if let Some(other) = for_everybody(inspector) {
        let message = "there is no manifest of outrigger in this folder, and there is one for everybody: whether this browser reads that one is not known while it does not run";
        let check = Check::not_checked("manifest.present", message)
            .seen(format!("missing: {place}; there: {}", shown(&other)))
            .fix(inspector.reinstall.as_str());
        return Inspection { manifest, checks: vec![check], program: None };
    }
    let check = inspector
        .problem("manifest.present", "there is no manifest of outrigger, so the browser cannot start it")
        .seen(format!("missing: {place}"));
    let folder = manifest.parent().unwrap_or(&manifest);
    let obstacle = (inspector.target.scope == Scope::User && inspector.mend.is_some())
        .then(|| Obstacle::to_writing(folder))
        .flatten();
    let check = match obstacle {
        None => check,
        Some(obstacle) => cleared(
            inspector,
            Check::problem(
                "manifest.present",
                "there is no manifest of outrigger, and none can be written to the browser's folder",
            ),
            &obstacle,
        ),
    };
    Inspection { manifest, checks: vec![check], program: None }
}

/// One of the whole machine that the browser of a folder given by hand may read.
fn for_everybody(inspector: &Inspector<'_>) -> Option<PathBuf> {
    let Inspector { environment, target, .. } = inspector;
    if browsers::find(&target.id).is_some() || !target.further.is_empty() {
        return None;
    }
    let relatives = BROWSERS.iter().filter(|browser| browser.family == target.family);
    relatives
        .filter_map(|browser| browser.place(environment.os))
        .flat_map(|place| place.system)
        .map(|folder| environment.system_path(folder).join(inspector.ids.file_name()))
        .find(|manifest| files::is_there(manifest))
}

/// With what takes the obstacle out of the way and then installs.
fn cleared(inspector: &Inspector<'_>, check: Check, obstacle: &Obstacle) -> Check {
    let check = check.seen(obstacle.seen());
    let check = match obstacle.command() {
        Some(command) => check.fix(format!("{command} && {}", inspector.reinstall)),
        None => check.advice(obstacle.advice()),
    };
    match obstacle.mend() {
        Some(mend) => check.mended_by(mend),
        None => check,
    }
}

/// The manifest's object, if there is one.
pub(super) fn read(inspector: &Inspector<'_>, inspection: &mut Inspection) -> Option<Map<String, Value>> {
    let Inspection { manifest, checks, .. } = inspection;
    let place = shown(manifest);
    checks.push(Check::ok("manifest.present", format!("the manifest is {place}")));
    let bytes = match files::read_through(manifest) {
        Ok(bytes) => bytes,
        Err(error) => {
            checks.push(unreadable(inspector, manifest, &error));
            return None;
        }
    };
    if inspector.target.scope == Scope::System {
        let closed = for_all::closed(
            inspector.environment,
            "manifest.readable",
            "the manifest",
            manifest,
            Wanted::Read,
        );
        checks.push(closed.unwrap_or_else(|| Check::ok("manifest.readable", "the manifest can be read")));
    } else if is_for_all(inspector, manifest) && !permissions::is_readable_by_all(manifest) {
        let message = "the manifest is for everybody, and only its owner may read it";
        let fix = format!("sudo chmod a+r {}", quoted_path(manifest));
        checks.push(Check::problem("manifest.readable", message).seen(place).fix(fix));
        return None;
    } else {
        checks.push(Check::ok("manifest.readable", "the manifest can be read"));
    }
    match serde_json::from_slice::<Map<String, Value>>(manifest::without_mark(&bytes)) {
        Ok(object) => {
            checks.push(Check::ok("manifest.json", "the manifest is a JSON object"));
            Some(object)
        }
        Err(error) => {
            let check = inspector
                .problem("manifest.json", "the manifest is not a JSON object, so the browser ignores it");
            checks.push(check.seen(format!("{place}: {error}")));
            None
        }
    }
}

/// True for a manifest of the whole machine.
fn is_for_all(inspector: &Inspector<'_>, manifest: &Path) -> bool {
    let folder = manifest.parent();
    inspector.target.scope == Scope::System
        || inspector.target.further.iter().any(|further| Some(&**further) == folder)
}

fn unreadable(inspector: &Inspector<'_>, manifest: &Path, error: &InstallError) -> Check {
    let message = "the manifest cannot be read, so the browser ignores it";
    let check = Check::problem("manifest.readable", message).seen(error.to_string());
    let place = quoted_path(manifest);
    let sudo = if is_for_all(inspector, manifest) { "sudo " } else { "" };
    match error {
        // Something is there and yet not found: a link that leads nowhere, which installing replaces.
        error if error.is_not_found() => inspector.mended(check),
        InstallError::NotAFile { .. } => {
            check.fix(format!("{sudo}{} && {}", moved_aside(manifest), inspector.reinstall))
        }
        error if error.is_denied() => match Obstacle::to_reaching(manifest.parent().unwrap_or(manifest)) {
            Some(obstacle) if is_for_all(inspector, manifest) => {
                check.seen(obstacle.seen()).fix(obstacle.opened_to_all())
            }
            Some(obstacle) => cleared(inspector, check, &obstacle),
            None if permissions::is_own(manifest) => check
                .fix(format!("chmod a+r {place}"))
                .mended_by(Mend::AddMode(manifest.to_path_buf(), 0o444)),
            None => check.fix(format!("sudo chmod a+r {place}")),
        },
        error if error.is_circle() => match Obstacle::to_reaching(manifest.parent().unwrap_or(manifest)) {
            Some(obstacle) => cleared(inspector, check, &obstacle),
            None => inspector.mended(check),
        },
        error => check.advice(error.help()),
    }
}
