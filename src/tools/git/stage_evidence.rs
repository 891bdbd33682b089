//! What tells whether paths were staged or unstaged whose host died before it could say so.
//!
//! A path that only the index had is known to nobody afterwards, and of one that was staged nothing is left to stage: the index is
//! asked.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    add::{Facts, reply},
    index_state::fingerprint,
    libgit2,
};
use crate::{
    tools::{Call, Happened, ToolError},
    workspace::repository::Repository,
};

/// Paths that are about to be staged or unstaged.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StageEvidence {
    /// The repository.
    folder: String,
    /// They are unstaged; older versions told of nothing else.
    #[serde(default = "yes")]
    unstage: bool,
    /// The fingerprint of the index when they are.
    after: String,
    paths: Vec<String>,
    blocked: u64,
}

impl StageEvidence {
    pub(super) fn new(
        repository: &Repository,
        unstage: bool,
        after: &str,
        paths: &[String],
        blocked: u64,
    ) -> Self {
        let folder = repository.folder().to_text();
        Self { folder, unstage, after: after.to_owned(), paths: paths.to_vec(), blocked }
    }

    pub(super) fn to_value(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    pub(super) fn from_value(value: Value) -> Result<Self, ToolError> {
        serde_json::from_value(value).map_err(ToolError::internal)
    }

    /// Where the index is another one by now, to do it once more does no harm.
    pub(super) fn happened(self, call: &Call) -> Result<Happened<Facts>, ToolError> {
        let repository = super::at(call, &self.folder)?;
        let opened = repository.scratch()?;
        let index = opened.index().map_err(|error| libgit2(&repository, &error))?;
        if fingerprint(&index) != self.after {
            return Ok(Happened::No);
        }
        let shown = self.paths.clone();
        let facts = Facts::of(self.unstage, self.paths, self.blocked);
        Ok(Happened::Yes(Box::new(reply(self.unstage, &shown, facts))))
    }
}

fn yes() -> bool {
    true
}
