//! What tells whether paths were unstaged whose host died before it could say so.
//!
//! A path that only the index had is known to nobody afterwards, so such a call cannot simply start again: the index is asked.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    add::{Facts, reply},
    libgit2, stage,
};
use crate::{
    tools::{Call, Happened, ToolError},
    workspace::repository::Repository,
};

/// Paths that are about to be unstaged.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct UnstageEvidence {
    /// The repository.
    folder: String,
    /// The fingerprint of the index when they are.
    after: String,
    paths: Vec<String>,
    blocked: u64,
}

impl UnstageEvidence {
    pub(super) fn new(repository: &Repository, after: &str, paths: &[String], blocked: u64) -> Self {
        let folder = repository.folder().to_text();
        Self { folder, after: after.to_owned(), paths: paths.to_vec(), blocked }
    }

    pub(super) fn to_value(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    pub(super) fn from_value(value: Value) -> Result<Self, ToolError> {
        serde_json::from_value(value).map_err(ToolError::internal)
    }

    /// Where the index is another one by now, to unstage them once more does no harm.
    pub(super) fn happened(self, call: &Call) -> Result<Happened<Facts>, ToolError> {
        let repository = super::at(call, &self.folder)?;
        let opened = repository.scratch()?;
        let index = opened.index().map_err(|error| libgit2(&repository, &error))?;
        if stage::fingerprint(&index) != self.after {
            return Ok(Happened::No);
        }
        let shown = self.paths.clone();
        let facts = Facts { staged: Vec::new(), unstaged: self.paths, blocked: self.blocked };
        Ok(Happened::Yes(Box::new(reply(true, &shown, facts))))
    }
}
