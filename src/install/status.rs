//! What is installed where: a look at files only, so nothing here claims that a link works.

use std::path::PathBuf;

use serde::Serialize;

use super::{
    browsers::Family,
    check::Verdict,
    environment::Environment,
    error::InstallError,
    ids::Ids,
    inspect,
    ownership::{Owned, Record},
    rivals::RIVAL,
    target::{self, Selection, Target},
};
use crate::text;

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TargetStatus {
    /// The target's id.
    pub browser: String,
    /// For people.
    pub name: String,
    /// The shape of its manifest.
    pub family: Family,
    /// Whether the browser was found.
    pub present: bool,
    /// What is there.
    pub state: InstallState,
    /// The manifest's place.
    #[serde(serialize_with = "text::lossy")]
    pub manifest: PathBuf,
    /// The program that the manifest names.
    #[serde(serialize_with = "text::lossy_option")]
    pub program: Option<PathBuf>,
    /// Whether our record says that we wrote it.
    pub recorded: bool,
    /// Why it is not simply installed.
    pub reason: Option<String>,
}

/// What is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InstallState {
    /// A good manifest that names this binary.
    Installed,
    /// No manifest.
    Missing,
    /// A manifest that the browser would refuse.
    Damaged,
    /// A good manifest that names something that cannot be started.
    PointsElsewhere,
    /// A good manifest that names another binary.
    OtherBinary,
}

impl InstallState {
    /// For people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::Missing => "missing",
            Self::Damaged => "damaged",
            Self::PointsElsewhere => "points elsewhere",
            Self::OtherBinary => "other binary",
        }
    }
}

/// The named targets or, when nothing was, every browser that is there or has a manifest of ours, and every folder that we wrote
/// to.
pub fn status(
    environment: &Environment,
    ids: &Ids,
    selection: &Selection,
) -> Result<Vec<TargetStatus>, InstallError> {
    let record = Record::read(environment, selection.scope)?;
    let is_everything = selection.is_empty();
    let targets = if is_everything {
        let mut targets = target::known(environment, selection.scope);
        record.manifests.iter().map(Owned::to_target).for_each(|owned| target::push_new(&mut targets, owned));
        targets
    } else {
        selection.named(environment)?
    };
    let counted = |target: Target| {
        let next = target.next.clone();
        let status = status_of(environment, ids, &record, target);
        let folder = status.manifest.parent();
        // Another browser's, which has a line of its own.
        let is_borrowed = next.iter().any(|next| Some(next.as_path()) == folder);
        let has_own = (status.recorded || status.state != InstallState::Missing) && !is_borrowed;
        (!is_everything || status.present || has_own).then_some(status)
    };
    Ok(targets.into_iter().filter_map(counted).collect())
}

fn status_of(environment: &Environment, ids: &Ids, record: &Record, target: Target) -> TargetStatus {
    let inspection = inspect::inspect(environment, ids, &target);
    // What somebody else's manifest says is no damage to ours.
    let problem = |prefix| inspection.first(Verdict::Problem, prefix).filter(|check| check.id != RIVAL);
    // One that takes another browser's key works, and yet nothing was installed for it.
    let borrowed = inspection.first(Verdict::Warning, "registry.value");
    let (state, check) = if let Some(check) = problem("manifest.present").or(borrowed) {
        (InstallState::Missing, Some(check))
    } else if let Some(check) = problem("manifest.") {
        (InstallState::Damaged, Some(check))
    } else if let Some(check) =
        ["binary.exists", "binary.regular", "binary.executable"].into_iter().find_map(problem)
    {
        (InstallState::PointsElsewhere, Some(check))
    } else if let Some(check) = inspection.first(Verdict::Warning, "binary.same") {
        (InstallState::OtherBinary, Some(check))
    } else {
        (InstallState::Installed, None)
    };
    TargetStatus {
        name: target.full_name(),
        browser: target.id,
        family: target.family,
        present: target.presence.is_there(),
        state,
        recorded: record.find(&inspection.manifest).is_some(),
        reason: check.map(|check| match &check.evidence {
            Some(evidence) => format!("{}: {evidence}", check.message),
            None => check.message.clone(),
        }),
        manifest: inspection.manifest,
        program: inspection.program,
    }
}
