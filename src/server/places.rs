//! How many calls run at the same time, each kind by itself: what may last waits for its own kind, never in the way of what ends soon.
//!
//! One that has no place yet waits, holds no thread, and is over at once when it is cancelled.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{dispatch, request::Request};
use crate::tools::AnyTool;

/// Of most kinds so many run; more wait. A model that asks for hundreds of reads at once gains nothing from hundreds of threads.
const PLACES: u32 = 32;
/// Two of the largest results are made at once: each takes several times its size until it is written.
const LARGEST: u32 = 2;
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
        self.many(Kind::of(tool), weight(request)).await
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

/// How many places a call takes: who asks for megabytes stands for many, so that few of those are made at once.
fn weight(request: &Request) -> u32 {
    let megabytes = request.arguments.get("max_bytes").and_then(Value::as_u64).unwrap_or_default() >> 20;
    u32::try_from(megabytes + 1).map_or(PLACES / LARGEST, |places| places.min(PLACES / LARGEST))
}

#[cfg(test)]
mod tests {
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
