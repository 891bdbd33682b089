//! Calls that another host process has: what this one would say of how they end is of no account.

use rusqlite::{Connection, OptionalExtension as _};

use super::{Journal, process_identity::ProcessIdentity};

impl Journal {
    /// Whether another process has begun the call and is alive, or has finished it.
    pub(super) fn is_elsewhere(&self, database: &Connection, key: &str) -> rusqlite::Result<bool> {
        let found = database
            .prepare_cached("SELECT state, pid, pid_started FROM calls WHERE key = ?1")?
            .query_row([key], |row| {
                let owner = ProcessIdentity { pid: row.get("pid")?, started: row.get("pid_started")? };
                Ok((row.get::<_, String>("state")?, owner))
            })
            .optional()?;
        Ok(found.is_some_and(|(state, owner)| {
            owner != self.owner && (state == "finished" || state == "started" && owner.is_alive())
        }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        change::{Node, PathChange},
        journal::{AuditRow, CallState, Recorded, calls::tests::started},
    };

    #[test]
    fn what_another_process_runs_is_left_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::new(folder.path().to_owned());
        let own = journal.owner;
        let parent = ProcessIdentity::of(std::os::unix::process::parent_id().into());
        let refusal = json!({"code": "nothing_to_commit"});
        let row = AuditRow::new("call");
        let changes =
            [PathChange { path: "a".into(), before: None, after: Some(Node::folder()), copied_from: None }];
        let call = started("k", &changes);
        // Asked by whomever, it is nobody's.
        journal.owner = parent;
        journal.asked(&started("asked", &[])).unwrap();
        assert_eq!(journal.started(&call, &[], false).unwrap(), Recorded::Now);
        journal.owner = own;
        assert_eq!(journal.finished(&started("asked", &[]), &refusal, None, &row).unwrap(), Recorded::Now);
        assert_eq!(journal.finished(&call, &refusal, Some(&[]), &row).unwrap(), Recorded::Elsewhere);
        let record = journal.call("k").unwrap().unwrap();
        assert_eq!((record.state, record.changes.as_slice()), (CallState::Running, changes.as_slice()));
        journal.owner = parent;
        assert_eq!(journal.finished(&call, &json!({"done": 1}), None, &row).unwrap(), Recorded::Now);
        journal.owner = own;
        assert_eq!(journal.finished(&call, &refusal, Some(&[]), &row).unwrap(), Recorded::Elsewhere);
        assert_eq!(journal.call("k").unwrap().unwrap().result, Some(json!({"done": 1})));
        // A call that was cut off is begun anew once: who looked it up at the same time comes too late.
        assert_eq!(journal.started(&started("cut", &changes), &[], false).unwrap(), Recorded::Now);
        journal.owner = parent;
        assert_eq!(journal.started(&started("cut", &changes), &[], true).unwrap(), Recorded::Elsewhere);
        journal.owner = own;
        assert_eq!(journal.started(&started("cut", &changes), &[], true).unwrap(), Recorded::Now);
        let audited =
            |db: &mut Connection| db.query_row("SELECT count(*) FROM audit", [], |row| row.get::<_, i64>(0));
        assert_eq!(journal.with(audited).unwrap(), 2, "what was left to another process is told by that one");
    }
}
