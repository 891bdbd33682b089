//! Makes manifests of ours name a program that is there: after an update, and where a version's folder has gone.
//!
//! Touches only what the record says we wrote and nobody has changed since; who may start the host stays as it was.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{
    browsers::Scope,
    environment::Environment,
    error::InstallError,
    files::{self, Existing},
    ownership::{Owned, Record},
    record_keeper::RecordKeeper,
};
use crate::ids::sha256_hex;

/// Which manifests are made to name another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those whose program cannot be started.
    Broken,
    /// All that name another one.
    All,
}

/// One that was.
#[derive(Debug)]
pub struct Repaired {
    /// The browser's name.
    pub name: String,
    /// Which.
    pub manifest: PathBuf,
    /// How it went.
    pub result: Result<(), InstallError>,
}

/// Makes our manifests name `program`.
pub fn repair(
    environment: &Environment,
    scope: Scope,
    program: &Path,
    which: Which,
) -> Result<Vec<Repaired>, InstallError> {
    // Most of the time there is nothing to do, and then nothing is locked or written.
    let record = Record::read(environment, scope)?;
    let needed = |owned: &&Owned| renewed(owned, program, which).is_some();
    if !record.manifests.iter().any(|owned| needed(&owned)) {
        return Ok(Vec::new());
    }
    let mut keeper = RecordKeeper::open(environment, scope)?;
    let found: Vec<Owned> = keeper.record().manifests.iter().filter(needed).cloned().collect();
    let repaired = found
        .into_iter()
        .map(|owned| Repaired {
            name: owned.name.clone(),
            manifest: owned.manifest.clone(),
            result: rewrite(&mut keeper, owned, program, which),
        })
        .collect();
    keeper.release();
    Ok(repaired)
}

/// The new text, where one is needed.
fn renewed(owned: &Owned, program: &Path, which: Which) -> Option<String> {
    let existing = files::look(&owned.manifest).ok()?;
    let Existing::File { bytes, .. } = &existing else { return None };
    if !owned.is_ours(&existing) {
        return None;
    }
    let mut manifest: Value = serde_json::from_slice(bytes).ok()?;
    let old = Path::new(manifest.get("path")?.as_str()?);
    if old == program || (which == Which::Broken && files::is_program(old)) {
        return None;
    }
    manifest["path"] = program.to_str()?.into();
    Some(serde_json::to_string_pretty(&manifest).ok()? + "\n")
}

fn rewrite(
    keeper: &mut RecordKeeper,
    mut owned: Owned,
    program: &Path,
    which: Which,
) -> Result<(), InstallError> {
    let Some(text) = renewed(&owned, program, which) else { return Ok(()) };
    let digest = sha256_hex(text.as_bytes());
    owned.wrote.push(digest.clone());
    keeper.put(owned.clone())?;
    files::write_atomic(&owned.manifest, text.as_bytes(), super::installer::MANIFEST_MODE)?;
    owned.wrote = vec![digest];
    keeper.put(owned)
}
