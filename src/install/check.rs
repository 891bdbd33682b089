//! One thing that was looked at: a stable id, a verdict, what was seen, and the one thing that mends it.

use std::path::PathBuf;

use serde::Serialize;

use super::browsers::Family;

/// Every check of one browser, in the order in which they are made. Programs rely on these names.
pub const BROWSER_CHECKS: &[&str] = &[
    "manifest.present",
    "manifest.readable",
    "manifest.json",
    "manifest.keys",
    "manifest.name",
    "manifest.description",
    "manifest.type",
    "manifest.allowed",
    "manifest.path",
    "binary.exists",
    "binary.regular",
    "binary.executable",
    "binary.same",
    "binary.folder",
    "host.start",
    "host.hello",
    "host.version",
    "host.echo",
    "host.exit",
];

/// Checks that are there only where they apply: to systems with a registry, browsers whose policies we know, and so on.
pub const FURTHER_CHECKS: &[&str] = &[
    "browser.any",
    "browser.boxed",
    "browser.probe",
    "browser.profile",
    "browser.windows",
    "config.valid",
    "exec.programs",
    "exec.start",
    "host.folders",
    "host.others",
    "host.variables",
    "manifest.hidden",
    "manifest.misplaced",
    "manifest.rival",
    "manifest.shadowed",
    "policy.allowed",
    "policy.extension",
    "policy.readable",
    "policy.user_level",
    "portal.permission",
    "registry.shadowed",
    "registry.value",
    "state.folder",
    "state.record",
    "workspace.available",
];

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It was looked at and is right.
    Ok,
    /// It works, but somebody should know.
    Warning,
    /// It keeps the link from working, or makes it unsafe.
    Problem,
    /// It could not be looked at; this is never counted as right.
    NotChecked,
}

/// What `doctor --fix` does by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mend {
    /// Installs into this browser again.
    Reinstall,
    /// Throws a copy of the program away that cannot be used, then installs again.
    CopyAgain(PathBuf),
    /// Gives a file of ours these permissions too.
    AddMode(PathBuf, u32),
    /// Takes these permissions from a file or folder.
    RemoveMode(PathBuf, u32),
    /// Installs into the folder with which a browser of this family runs.
    InstallInto(PathBuf, Family),
    /// Asks these hosts to leave, if they have nothing under way: the browser starts the ones of now.
    EndHosts(Vec<u32>),
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// One of [`BROWSER_CHECKS`] or [`FURTHER_CHECKS`].
    pub id: &'static str,
    /// How it ended.
    pub verdict: Verdict,
    /// A sentence about the thing and the reason.
    pub message: String,
    /// What was seen, as it is in the file or as the host said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// One command for a shell that mends it, complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// What to do where no command mends it, or why nothing can be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// `doctor --fix` mends it.
    pub fixable: bool,
    /// How.
    #[serde(skip)]
    pub mend: Option<Mend>,
}

impl Check {
    /// Right.
    pub fn ok(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(id, Verdict::Ok, message)
    }

    /// To be known.
    pub fn warning(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(id, Verdict::Warning, message)
    }

    /// Wrong.
    pub fn problem(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(id, Verdict::Problem, message)
    }

    /// Not looked at.
    pub fn not_checked(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(id, Verdict::NotChecked, message)
    }

    fn new(id: &'static str, verdict: Verdict, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { id, verdict, message, evidence: None, fix: None, advice: None, fixable: false, mend: None }
    }

    /// The same with what was seen.
    #[must_use]
    pub fn seen(mut self, evidence: impl Into<String>) -> Self {
        self.evidence = Some(evidence.into());
        self
    }

    /// The same with the command that mends it.
    #[must_use]
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// The same with what to do, where no command does it.
    #[must_use]
    pub fn advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// The same, mended by the doctor itself when asked.
    #[must_use]
    pub fn mended_by(mut self, mend: Mend) -> Self {
        self.fixable = true;
        self.mend = Some(mend);
        self
    }

    /// True for one that needs no mending.
    pub fn is_fine(&self) -> bool {
        matches!(self.verdict, Verdict::Ok | Verdict::Warning)
    }
}

/// Adds every check of a browser that was not made, as not checked.
pub fn complete(checks: &mut Vec<Check>) {
    for id in BROWSER_CHECKS {
        if checks.iter().all(|check| check.id != *id) {
            checks.push(Check::not_checked(id, "an earlier check failed"));
        }
    }
}
