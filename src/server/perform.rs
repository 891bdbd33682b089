//! One call on a thread of its own, cancelled or joined.

use std::{sync::Arc, time::Duration};

use rmcp::{RoleServer, service::RequestContext};
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit};

use super::{
    dispatch::{self, Outcome},
    handler::Server,
    in_flight::Begin,
    live::{Audience, LiveSink, Sent},
    places::Kind,
    render,
    request::Request,
    thread::{self, Lost, MORE_THREADS, Work},
};
use crate::{
    cancel::Cancel,
    tools::{AnyTool, Code, Sink as _, ToolError},
    workspace::Workspace,
};

/// How long a cancelled call may take to stop by itself; the answer has to be there within 100 ms.
const CANCEL_PATIENCE: Duration = Duration::from_millis(60);

impl Server {
    /// Runs a call on a blocking thread, telling what it says meanwhile; joins it when it runs already.
    pub(super) async fn perform(
        &self,
        tool: &'static dyn AnyTool,
        request: &Request,
        context: &RequestContext<RoleServer>,
    ) -> Arc<Outcome> {
        let cancel = self.host.root.child();
        let begin = self.host.in_flight.begin(&request.key, &request.digest(), &cancel);
        let told = match begin {
            Begin::New(told) => told,
            Begin::Mismatch => return Arc::new(failed(tool, &key_taken(&request.key))),
            Begin::Joined(mut running) => {
                // What the call says goes to whoever began it; that it still runs, to each who waits for it.
                let (sink, teller) = LiveSink::start(self.audience(context, None));
                sink.progress(0, None, "the same call runs already");
                let outcome = tokio::select! {
                    outcome = running.wait_for(Option::is_some) => outcome.ok().and_then(|outcome| outcome.clone()),
                    () = context.ct.cancelled() => { self.host.in_flight.cancel(&request.key); None }
                };
                sink.end();
                let _ = teller.await;
                return outcome.unwrap_or_else(|| {
                    Arc::new(failed(tool, &ToolError::cancelled("the call it joined goes on")))
                });
            }
        };
        let key = self.host.said_hello().then(|| request.key.clone());
        let (sink, teller) = LiveSink::start(self.audience(context, key));
        let outcome = Arc::new(self.run_blocking(tool, request, context, cancel, Arc::clone(&sink)).await);
        sink.end();
        let _ = teller.await;
        // Told first: whoever joins until the entry is gone finds the outcome instead of starting the call again.
        let _ = told.send(Some(Arc::clone(&outcome)));
        self.host.in_flight.end(&request.key);
        self.host.footprint.touch();
        self.host.tidy_later();
        outcome
    }

    /// Who hears what is told while a request waits.
    pub(super) fn audience(
        &self,
        context: &RequestContext<RoleServer>,
        output_of: Option<String>,
    ) -> Audience {
        Audience {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token(),
            output_of,
            room: self.room.clone(),
            sent: context.extensions.get::<Sent>().cloned().unwrap_or_default(),
        }
    }

    async fn run_blocking(
        &self,
        tool: &'static dyn AnyTool,
        request: &Request,
        context: &RequestContext<RoleServer>,
        cancel: Cancel,
        sink: Arc<LiveSink>,
    ) -> Outcome {
        // One that is cancelled while it waits is over at its first step, and keeps its arguments no longer.
        let (turn, _place) = tokio::select! {
            admitted = self.admitted(tool, request) => admitted,
            () = cancel.cancelled() => (None, None),
            () = context.ct.cancelled() => { cancel.cancel(); (None, None) }
        };
        let (host, owned, token) = (Arc::clone(&self.host), request.clone(), cancel.clone());
        let work = move || {
            // Other hosts write to the same folder.
            let ordered = turn.as_ref().filter(|_| dispatch::waits_for_other_hosts(tool));
            let _held = ordered.and_then(|(_, workspace)| workspace.hold_writes(&|| token.is_cancelled()));
            let outcome = dispatch::run(&host, tool, &owned, token.clone(), sink);
            // It may have gone on long after it was answered, and only now lets go of its memory.
            if token.is_cancelled() {
                host.footprint.touch();
            }
            outcome
        };
        let mut work = match Kind::of(tool) {
            Kind::End => thread::begin_surely(work, &self.spare),
            _ => thread::begin(work),
        };
        let finished = tokio::select! {
            finished = &mut work => finished,
            () = cancel.cancelled() => stopped(tool, &cancel, work).await,
            () = context.ct.cancelled() => {
                // A stock client's cancel gets no answer, by the protocol; what the call had done is in the journal.
                cancel.cancel();
                stopped(tool, &cancel, work).await
            }
        };
        finished.unwrap_or_else(|lost| {
            let error = match lost {
                Lost::NoThread => ToolError::new(Code::Busy, Lost::NoThread.to_string(), MORE_THREADS),
                broke => ToolError::internal(broke),
            };
            failed(tool, &error)
        })
    }

    /// Waits until the call may begin: for its turn among those that write to its workspace, and for a place, in this order, so that
    /// who waits for a turn keeps no place from others.
    async fn admitted(
        &self,
        tool: &dyn AnyTool,
        request: &Request,
    ) -> (Option<(OwnedMutexGuard<()>, Arc<Workspace>)>, Option<OwnedSemaphorePermit>) {
        let turn = match self.host.workspace(request.workspace.as_deref()) {
            Ok(workspace) if dispatch::orders_writes(tool) => {
                Some((workspace.lock_writes().await, workspace))
            }
            _ => None,
        };
        let place = self.places.of_call(tool, request).await;
        // Of a peer that does not read what it asked for, nothing more is made; what it ends, ends.
        if Kind::of(tool) != Kind::End {
            self.room.until_free().await;
        }
        (turn, place)
    }
}

/// The end of a call that was cancelled. It stops by itself at the next step; one that waits for a disk or deep in a library, and has
/// changed nothing, is not waited for.
async fn stopped(
    tool: &'static dyn AnyTool,
    cancel: &Cancel,
    mut work: Work<Outcome>,
) -> Result<Outcome, Lost> {
    tokio::select! {
        finished = &mut work => return finished,
        () = tokio::time::sleep(CANCEL_PATIENCE) => {}
    }
    if cancel.give_up() {
        return Ok(failed(tool, &ToolError::cancelled("nothing was changed")));
    }
    work.await
}

fn failed(tool: &dyn AnyTool, error: &ToolError) -> Outcome {
    Outcome::Done(render::failure(error, tool.spec().tier, Duration::ZERO))
}

fn key_taken(key: &str) -> ToolError {
    ToolError::new(
        Code::InvalidArgs,
        format!("the call key `{key}` belongs to another call that runs now"),
        "a key names one call with its arguments; a new call needs a new key",
    )
}
