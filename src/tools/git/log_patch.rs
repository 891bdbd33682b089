//! A commit of a log with its message, the table of its files and their patches.

use std::fmt::Write as _;

use super::{
    commit_facts::CommitFacts,
    compare::Comparison,
    file_facts::Files,
    history::Step,
    log::{TEXT_BYTES, changed_in},
};
use crate::{
    tools::{Call, Code, ToolError},
    workspace::repository::Repository,
};

/// A commit as it is told.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) block: String,
    /// Some bytes are no UTF-8.
    pub(super) lossy: bool,
    /// Files whose patch did not fit.
    pub(super) left_out: usize,
    /// Files that the configuration blocks.
    pub(super) blocked: u64,
    /// It changes more than can be told.
    pub(super) is_too_large: bool,
}

impl Told {
    /// With what it changes below a folder. A merge has no patch of its own, as in `git log`.
    pub(super) fn with_patch(
        (call, repository, reader): (&Call, &Repository, &gix::Repository),
        comparison: &mut Comparison<'_>,
        (step, folder): (&Step, &[u8]),
        facts: &mut CommitFacts,
    ) -> Result<Self, ToolError> {
        let mut block = facts.block();
        let mut files = Files::new(TEXT_BYTES.saturating_sub(block.len()), false);
        let mut is_too_large = false;
        if step.parents.len() < 2 {
            match changed_in((call, repository), reader, step, folder) {
                Ok(list) => {
                    for changed in list {
                        call.check_cancelled()?;
                        files.take(comparison, &changed, false)?;
                    }
                    // Without a parent there is nothing that git_diff could compare with.
                    let ask = if step.parents.is_empty() {
                        "git_show has the commit, and with `path` each of its files"
                    } else {
                        "git_show has the commit, git_diff single files of it"
                    };
                    block.push('\n');
                    block.push_str(&files.text(call, ask).0);
                }
                // The other commits can be told all the same.
                Err(error) if error.code == Code::TooLarge => {
                    let _ = write!(block, "\n(its changes are not shown: {})", error.message);
                    is_too_large = true;
                }
                Err(error) => return Err(error),
            }
            block.push('\n');
        }
        let Files { lossy, left_out, blocked, list, .. } = files;
        facts.files = Some(list);
        Ok(Self { block, lossy, left_out, blocked, is_too_large })
    }
}
