//! Background jobs as a person looks at them: how each stands, and what it wrote.
//!
//! A look takes nothing from the model: what `exec_output` has not shown yet it still shows.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{server::Host, tools::exec::output::Facts};

/// Of one job in one answer; a look that comes later than this much text gets its beginning and its end.
const OUTPUT_BYTES: usize = 256 * 1024;

/// What is asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobsParams {
    /// Jobs whose output is wanted, and from which position on.
    #[serde(default)]
    since: HashMap<String, u64>,
    #[serde(rename = "_meta", default)]
    _meta: Value,
}

/// All jobs of this connection, in the order of their start.
pub fn list(host: &Host, params: &JobsParams) -> Value {
    let jobs: Vec<Value> = host
        .jobs
        .all()
        .iter()
        .map(|job| {
            let mut facts = json!(Facts::of(job));
            if let Some(&since) = params.since.get(&job.id) {
                let part = job.part(since, OUTPUT_BYTES, &mut host.redactor.begin());
                facts["output"] = json!({
                    "text": part.text,
                    "next_since": part.end,
                    "omitted_bytes": part.omitted_bytes,
                });
            }
            facts
        })
        .collect();
    json!({"jobs": jobs})
}
