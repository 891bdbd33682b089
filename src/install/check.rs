//! One thing that was looked at: a stable id, a verdict, what was seen, and the one thing that mends it.

use serde::Serialize;

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
    "host.exit",
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

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// One of [`BROWSER_CHECKS`], or `browser.any`, `config.valid`, `workspace.available`.
    pub id: &'static str,
    /// How it ended.
    pub verdict: Verdict,
    /// A sentence about the thing and the reason.
    pub message: String,
    /// What was seen, as it is in the file or as the host said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// A command that mends it or, where only a person can, what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
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
        Self { id, verdict, message: message.into(), evidence: None, fix: None }
    }

    /// The same with what was seen.
    #[must_use]
    pub fn seen(mut self, evidence: impl Into<String>) -> Self {
        self.evidence = Some(evidence.into());
        self
    }

    /// The same with what mends it.
    #[must_use]
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
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
