//! `doctor --fix`: does what the checks say mends them, as far as that is ours to do. What it did is told, and examined again.

use serde::Serialize;

use super::{Diagnosis, open_hosts};
use crate::install::{
    check::{Check, Mend, Verdict},
    environment::Environment,
    error::{InstallError, shown},
    files,
    ids::{ExtensionId, Ids},
    installer, launcher, manifest,
    target::Target,
};

/// One thing that was done, or tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mended {
    /// The browser's id.
    pub browser: String,
    /// The check that asked for it.
    pub id: &'static str,
    /// What was done.
    pub done: String,
    /// Why it could not be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Mends what can be mended of `diagnosis`.
pub fn mend(environment: &Environment, ids: &Ids, diagnosis: &Diagnosis) -> Vec<Mended> {
    let mut mended = Vec::new();
    for (target, checks) in &diagnosis.examined {
        let wanted =
            checks.iter().filter(|check| matches!(check.verdict, Verdict::Problem | Verdict::Warning));
        let mut reinstalled = false;
        for check in wanted {
            let Some(way) = &check.mend else { continue };
            if *way == Mend::Reinstall && std::mem::replace(&mut reinstalled, true) {
                continue;
            }
            let (done, result) = one(environment, ids, target, way);
            mended.push(outcome(&target.id, check, done, result));
        }
    }
    for check in &diagnosis.general {
        let (Some(way), false) = (&check.mend, check.verdict == Verdict::Ok) else { continue };
        match way {
            Mend::InstallInto(folder, family) => {
                let result = Target::of_folder(environment, folder, *family)
                    .and_then(|target| reinstall(environment, ids, &target));
                let done = format!("installed into {}", shown(folder));
                mended.push(outcome("machine", check, done, result));
            }
            Mend::EndHosts(pids) => {
                let error = open_hosts::end(environment, ids, pids).err();
                let done = "asked the old host to leave".to_owned();
                mended.push(Mended { browser: "machine".to_owned(), id: check.id, done, error });
            }
            _ => {
                if let Some((done, result)) = permissions(way) {
                    mended.push(outcome("machine", check, done, result));
                }
            }
        }
    }
    mended
}

fn outcome(browser: &str, check: &Check, done: String, result: Result<(), InstallError>) -> Mended {
    Mended {
        browser: browser.to_owned(),
        id: check.id,
        done,
        error: result.err().map(|error| error.to_string()),
    }
}

fn one(
    environment: &Environment,
    ids: &Ids,
    target: &Target,
    way: &Mend,
) -> (String, Result<(), InstallError>) {
    permissions(way).unwrap_or_else(|| {
        let removed = match way {
            Mend::CopyAgain(copy) => files::remove(copy),
            _ => Ok(()),
        };
        (
            format!("installed into {} again", target.name),
            removed.and_then(|()| reinstall(environment, ids, target)),
        )
    })
}

/// `None` for what no permissions mend.
fn permissions(way: &Mend) -> Option<(String, Result<(), InstallError>)> {
    match way {
        Mend::Reinstall | Mend::CopyAgain(_) | Mend::InstallInto(..) | Mend::EndHosts(_) => None,
        Mend::AddMode(path, bits) => {
            Some((format!("chmod +{bits:o} {}", shown(path)), files::change_mode(path, *bits, 0)))
        }
        Mend::RemoveMode(path, bits) => {
            Some((format!("chmod -{bits:o} {}", shown(path)), files::change_mode(path, 0, *bits)))
        }
    }
}

/// Who could start the host before can do so after it.
fn reinstall(environment: &Environment, ids: &Ids, target: &Target) -> Result<(), InstallError> {
    let more = allowed_now(ids, target);
    let placement = launcher::placement(environment, target.scope, false);
    let planned = installer::plan(placement.program(), ids, vec![target.clone()], &more)?;
    let outcomes = installer::install(environment, target.scope, &placement, planned)?;
    outcomes.into_iter().try_for_each(|outcome| outcome.result.map(|_| ()))
}

fn allowed_now(ids: &Ids, target: &Target) -> Vec<ExtensionId> {
    let read = files::read_through(&target.manifest(&ids.file_name())).ok();
    let value: serde_json::Value =
        read.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    // Of a manifest that somebody else wrote nothing is taken over.
    if value["name"] != ids.host_name.as_str() {
        return Vec::new();
    }
    let entries = value[manifest::allowed_key(target.family)].as_array().cloned().unwrap_or_default();
    entries.iter().filter_map(|entry| ExtensionId::parse(entry.as_str()?).ok()).collect()
}
