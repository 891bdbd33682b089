//! How many calls run at the same time, each kind by itself: what may last waits for its own kind, never in the way of what ends soon.
//!
//! One that has no place yet waits, holds no thread, and is over at once when it is cancelled.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{dispatch, request::Request};
use crate::tools::{
    AnyTool,
    repair::{may_mean, number_meant},
};

/// Of most kinds so many run; more wait. A model that asks for hundreds of reads at once gains nothing from hundreds of threads.
const PLACES: u32 = 32;
/// Two of the largest results are made at once: each takes several times its size until it is written.
const LARGEST: u32 = 2;
/// So many entries count like a megabyte: with their paths and facts they take about that.
const ENTRIES: u64 = 1000;
/// All kinds together stay far below the threads that the runtime gives out, 512: else one kind would be in the way of the others there.
const KINDS: usize = 7;

/// What a request has to wait for before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Ends as soon as it has read.
    Read,
    /// One after the other in each workspace, and then perhaps for other hosts, or for hooks.
    Change,
    /// Lasts as long as a program does: half an hour.
    Program,
    /// Looks at a job, and waits for it as long as the caller likes.
    Look,
    /// Ends a job, whatever else goes on.
    End,
    /// A file, whole.
    Resource,
    /// Beside MCP: the journal's requests and the like.
    Control,
}

impl Kind {
    pub(super) fn of(tool: &dyn AnyTool) -> Self {
        let annotations = tool.spec().annotations;
        if annotations.open_world {
            Self::Program
        } else if dispatch::orders_writes(tool) {
            Self::Change
        } else if !annotations.read_only {
            Self::End
        } else if tool.waits_for_jobs() {
            Self::Look
        } else {
            Self::Read
        }
    }
}

/// The places of one connection.
#[derive(Clone, Debug)]
pub(super) struct Places(Arc<[Arc<Semaphore>; KINDS]>);

impl Default for Places {
    fn default() -> Self {
        let of = |kind: usize| {
            let count = if kind == Kind::Resource as usize { LARGEST } else { PLACES };
            Arc::new(Semaphore::new(count as usize))
        };
        Self(Arc::new(std::array::from_fn(of)))
    }
}

impl Places {
    /// Waits for a place for this call. Cancel-safe: who stops waiting has none.
    pub(super) async fn of_call(
        &self,
        tool: &dyn AnyTool,
        request: &Request,
    ) -> Option<OwnedSemaphorePermit> {
        self.many(Kind::of(tool), weight(tool, &request.arguments)).await
    }

    /// The same for what is no call.
    pub(super) async fn one(&self, kind: Kind) -> Option<OwnedSemaphorePermit> {
        self.many(kind, 1).await
    }

    async fn many(&self, kind: Kind, count: u32) -> Option<OwnedSemaphorePermit> {
        let places = self.0.get(kind as usize).map(Arc::clone)?;
        places.acquire_many_owned(count).await.ok()
    }
}

/// How many places a call takes: who asks for megabytes, for thousands of entries, or for files to be held as a whole, stands for
/// many, so that few of those are made at once. Under whatever name it is asked for: what is put right is put right later.
fn weight(tool: &dyn AnyTool, arguments: &Value) -> u32 {
    let of = |(name, value): (&String, &Value)| {
        let number = || number_meant(value).unwrap_or_default();
        if may_mean(name, "max_bytes") || may_mean(name, "limit_bytes") {
            number() >> 20
        } else if tool.holds_entries() && may_mean(name, "limit") {
            number() / ENTRIES
        } else if tool.holds_entries() && may_mean(name, "multiline") && is_yes(value) {
            u64::from(PLACES)
        } else {
            0
        }
    };
    let more = arguments.as_object().and_then(|arguments| arguments.iter().map(of).max()).unwrap_or_default();
    u32::try_from(more).unwrap_or(PLACES).saturating_add(1).min(PLACES / LARGEST)
}

fn is_yes(value: &Value) -> bool {
    value
        .as_bool()
        .unwrap_or_else(|| value.as_str().is_some_and(|text| text.trim().eq_ignore_ascii_case("true")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tools::catalog;

    #[test]
    fn what_may_last_is_of_a_kind_of_its_own() {
        let named = |kind: Kind| -> Vec<&str> {
            let of_kind = catalog().iter().filter(|tool| Kind::of(**tool) == kind);
            of_kind.map(|tool| tool.spec().name).collect()
        };
        assert_eq!(named(Kind::Program), ["git_sync", "exec_run"]);
        assert_eq!(named(Kind::Look), ["exec_output"]);
        assert_eq!(named(Kind::End), ["exec_kill"]);
        assert!(named(Kind::Change).contains(&"git_commit") && named(Kind::Change).contains(&"fs_write"));
        assert!(named(Kind::Read).contains(&"fs_read") && named(Kind::Read).contains(&"search_grep"));
    }

    #[test]
    fn who_asks_for_much_takes_many_places() {
        let of = |name: &str, arguments: Value| {
            let tool = catalog().iter().find(|tool| tool.spec().name == name).unwrap();
            weight(*tool, &arguments)
        };
        let most = PLACES / LARGEST;
        for (name, arguments, places) in [
            ("fs_read", json!({"path": "a"}), 1),
            ("fs_read", json!({"path": "a", "limit": 100_000}), 1),
            ("fs_read", json!({"max_bytes": 3 << 20}), 4),
            ("fs_read", json!({"maxBytes": "16777216"}), most),
            ("fs_read", json!({"max_bytes": 16_777_216.0}), most),
            ("git_diff", json!({"limit_bytes": 16 << 20}), most),
            ("fs_list", json!({"limit": 500}), 1),
            ("fs_list", json!({"limit": 5000}), 6),
            ("search_glob", json!({"limit": 100_000}), most),
            ("search_glob", json!({"max_results": u64::MAX}), most),
            ("search_grep", json!({"pattern": "a", "multiline": false}), 1),
            ("search_grep", json!({"pattern": "a", "multiline": "true"}), most),
            ("search_grep", json!(["max_bytes"]), 1),
        ] {
            assert_eq!(of(name, arguments.clone()), places, "{name} {arguments}");
        }
    }

    #[tokio::test]
    async fn kinds_do_not_wait_for_each_other() {
        let places = Places::default();
        let mut held = Vec::new();
        for _ in 0..PLACES {
            held.push(places.one(Kind::Program).await);
        }
        assert!(held.iter().all(Option::is_some));
        let one_more = places.one(Kind::Program);
        tokio::pin!(one_more);
        tokio::select! {
            biased;
            _ = &mut one_more => panic!("a place more than there are"),
            place = places.one(Kind::End) => assert!(place.is_some()),
        }
        drop(held);
        assert!(one_more.await.is_some());
    }
}
