//! The mark of a host that ended before its calls could clean up behind themselves: the next one does it for them.
//!
//! A file beside the journal, so that a host that starts need not open the database to know that there is nothing to do.

use std::{io, path::PathBuf};

use super::{CallRecord, Journal, calls::record};

/// Calls whose leftovers one start looks for; more do not run at once.
const CALLS: u32 = 64;

impl Journal {
    fn cut_off_mark(&self) -> PathBuf {
        self.folder.join("journal.sqlite.cut-off")
    }

    /// Leaves the mark.
    #[expect(
        clippy::disallowed_methods,
        reason = "the journal keeps its own folder, which no workspace door may open"
    )]
    pub(super) fn mark_cut_off(&self) {
        if let Err(error) = std::fs::write(self.cut_off_mark(), "") {
            tracing::warn!(%error, "what a call left behind stays until something is written beside it");
        }
    }

    /// The last calls that were cut off, if there is a mark, which is taken away.
    #[expect(
        clippy::disallowed_methods,
        reason = "the journal keeps its own folder, which no workspace door may open"
    )]
    pub fn take_cut_off(&self) -> Vec<CallRecord> {
        match std::fs::remove_file(self.cut_off_mark()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
            Err(error) => tracing::warn!(%error, "the mark of calls that were cut off stays"),
        }
        let found = self.with(|database| {
            database
                .prepare(
                    "SELECT workspace, root, tool, digest, state, executes, changes, evidence, undone_by, pid, pid_started, NULL AS result
                     FROM calls WHERE state = 'finished' AND NOT executes AND json_extract(result, '$.structured.code') = 'cancelled'
                     ORDER BY place DESC LIMIT ?1",
                )?
                .query_map([CALLS], record)?
                .collect()
        });
        found.unwrap_or_else(|error| {
            tracing::warn!(%error, "what calls left behind stays until something is written beside it");
            Vec::new()
        })
    }
}
