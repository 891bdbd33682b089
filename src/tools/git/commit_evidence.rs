//! What tells whether a commit was made whose host died before it could say so.
//!
//! A commit is known by what it holds: its tree, its parents and its message are those of the plan. The journal keeps them with
//! the start of the call, and the branch is asked afterwards.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    commit::{Facts, branch_fact, files_changed, reply, short},
    libgit2,
    proposal::{Proposal, head, read_as},
};
use crate::{
    tools::{Call, Happened, ToolError},
    workspace::repository::Repository,
};

/// Commits looked at behind HEAD: people go on working before they come back to a call.
const LOOKED_AT: usize = 100;

/// A commit that is about to be made.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Evidence {
    /// The repository.
    folder: String,
    /// Where it is made.
    branch: String,
    /// HEAD before it.
    before: Option<String>,
    /// Of the new commit, where they are not HEAD alone.
    amend: bool,
    tree: String,
    message: String,
    files: Vec<String>,
    unsigned: bool,
}

impl Evidence {
    pub(super) fn of(repository: &Repository, proposal: &Proposal, amend: bool) -> Self {
        Self {
            folder: repository.folder().to_text(),
            branch: proposal.branch.clone(),
            before: proposal.parent.map(|id| id.to_string()),
            amend,
            tree: proposal.tree.to_string(),
            message: proposal.message.clone(),
            files: proposal.files.iter().map(|file| file.path.clone()).collect(),
            unsigned: proposal.unsigned,
        }
    }

    pub(super) fn to_value(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    pub(super) fn from_value(value: Value) -> Result<Self, ToolError> {
        serde_json::from_value(value).map_err(ToolError::internal)
    }

    /// Looks for the commit on the branch.
    pub(super) fn happened(self, call: &Call) -> Result<Happened<Facts>, ToolError> {
        let repository = super::at(call, &self.folder)?;
        let opened = repository.scratch()?;
        let failed = |error: git2::Error| libgit2(&repository, &error);
        let head = head(&opened).map_err(failed)?;
        if head.branch != self.branch {
            return Ok(Happened::Unknown);
        }
        let before = match &self.before {
            Some(id) => Some(opened.find_commit(git2::Oid::from_str(id).map_err(failed)?).map_err(failed)?),
            None => None,
        };
        if head.commit.as_ref().map(git2::Commit::id) == before.as_ref().map(git2::Commit::id) {
            return Ok(Happened::No);
        }
        let parents: Vec<git2::Oid> = match (&before, self.amend) {
            (Some(before), true) => read_as(&opened, before).parent_ids().collect(),
            (before, _) => before.iter().map(git2::Commit::id).collect(),
        };
        let is_it = |commit: &git2::Commit<'_>| {
            commit.tree_id().to_string() == self.tree
                && commit.parent_ids().eq(parents.iter().copied())
                && commit.message_raw_bytes() == self.message.as_bytes()
        };
        let line = std::iter::successors(head.commit, |commit| commit.parent(0).ok());
        let Some(made) = line.take(LOOKED_AT).find(is_it).map(|commit| commit.id()) else {
            return Ok(Happened::Unknown);
        };
        let count = files_changed(call, &repository, made).unwrap_or(self.files.len());
        let facts = Facts {
            id: made.to_string(),
            short: short(made),
            branch: branch_fact(self.branch),
            files: self.files,
            hooks_run: Vec::new(),
            unsigned: self.unsigned,
        };
        Ok(Happened::Yes(Box::new(reply(&self.message, count, facts))))
    }
}
