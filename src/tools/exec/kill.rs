//! `exec_kill`: ends a background job and everything it started. It reaches the jobs of this connection only.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::output::Facts;
use crate::{
    cancel::Cancel,
    config::Profile,
    limits::EXEC_GRACE_MS_MAX,
    policy::{Intent, Permit},
    tier::Tier,
    tools::{Annotations, Call, Code, Prepared, Reply, Tool, ToolError, ToolSpec},
};

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ExecKill;

/// What a model gives.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The job.
    job: String,
    /// Milliseconds.
    #[serde(default = "grace")]
    #[schemars(range(max = 10_000))]
    grace_ms: u64,
}

fn grace() -> u64 {
    3000
}

/// How it ended.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The job.
    #[serde(flatten)]
    job: Facts,
    /// It had ended before.
    already: bool,
}

/// Beyond the grace: how long killing and telling takes at most.
const PATIENCE: Duration = Duration::from_secs(5);

impl Tool for ExecKill {
    type Params = Params;
    type Output = Output;
    type Work = Params;
    const SPEC: ToolSpec = ToolSpec {
        name: "exec_kill",
        title: "End a background job",
        description: "Ends a background job and everything it started: SIGTERM, then SIGKILL after grace_ms.",
        profile: Profile::Core,
        tier: Tier::Auto,
        annotations: Annotations { read_only: false, destructive: true, idempotent: true, open_world: false },
    };
    /// The job itself may have filled the disk, or hold the journal's lock.
    const WAITS_FOR_NO_JOURNAL: bool = true;

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Params>, ToolError> {
        if params.grace_ms > EXEC_GRACE_MS_MAX {
            return Err(ToolError::new(
                Code::InvalidArgs,
                format!("`grace_ms` is {}; at most {EXEC_GRACE_MS_MAX} is waited", params.grace_ms),
                "leave it out for 3000",
            ));
        }
        let job = call.jobs.find(&params.job)?;
        // Ending what this connection started changes no file; also a session that only plans may tidy up.
        let intent = Intent::read(format!("End {} (`{}`)", job.id, job.command));
        Ok(Prepared { intent, work: params })
    }

    fn run(&self, _permit: &Permit, params: Params, call: &Call) -> Result<Reply<Output>, ToolError> {
        let job = call.jobs.find(&params.job)?;
        let already = !job.is_running();
        let grace = Duration::from_millis(params.grace_ms);
        if !already {
            job.end(grace);
            // Also when this call is cancelled: what was begun is seen to its end.
            job.wait(Instant::now() + grace + PATIENCE, &Cancel::new());
        }
        if job.is_running() {
            return Err(ToolError::new(
                Code::Timeout,
                format!("{} (`{}`) was told to end and has not ended", job.id, job.command),
                "it is stuck in the system; exec_output shows when it is gone",
            ));
        }
        let before = if already { " before" } else { "" };
        let text = format!("{} (`{}`) {}{before}.", job.id, job.command, job.state_in_words());
        let mut reply = Reply::new(text, Output { job: Facts::of(&job), already });
        if let Some(Ok(ran)) = job.result() {
            reply.warnings = ran.warnings();
        }
        Ok(reply)
    }
}
