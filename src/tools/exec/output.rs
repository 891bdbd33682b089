//! `exec_output`: what a background job has written, waiting for more when asked to; without a job, the list of them.
//!
//! It shows the jobs of this connection only and changes nothing but where the next look begins.

use std::time::{Duration, Instant};

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::jobs::Job;
use crate::{
    config::Profile,
    limits::{EXEC_TEXT_BYTES, EXEC_WAIT_MS_MAX, PATTERN_BYTES, WORD_BYTES},
    policy::{Intent, Permit},
    process::{Ended, Excerpt, signal_name},
    text::{before_word, behind_word, visible},
    tier::Tier,
    tools::{Annotations, Call, Code, Prepared, Reply, Tool, ToolError, ToolSpec, regular_expression},
};

/// Bytes of output; no job writes more.
const SINCE_MAX: i64 = 1_000_000_000_000_000;
/// Lines; more are a file.
const TAIL_MAX: u32 = 1_000_000;

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ExecOutput;

/// What a model gives.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Empty: all.
    #[serde(default)]
    job: String,
    /// Wait so long.
    #[serde(default)]
    #[schemars(range(max = 30_000))]
    wait_ms: u64,
    /// From `next_since`; -1: what is new.
    #[serde(default = "unseen")]
    #[schemars(range(min = -1, max = SINCE_MAX))]
    since: i64,
    /// Last lines; 0: all.
    #[serde(default)]
    #[schemars(range(max = TAIL_MAX))]
    tail: u32,
    /// Regex that ends the wait.
    #[serde(default)]
    pattern: String,
}

fn unseen() -> i64 {
    -1
}

/// The facts; the text itself is in the answer's text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The job.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(flatten)]
    job: Option<Facts>,
    /// Where the next part begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_since: Option<u64>,
    /// Whether the text has the pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    matched: Option<bool>,
    /// All jobs, when none was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<Vec<Facts>>,
}

/// A job.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Facts {
    /// Its name.
    job: String,
    /// The id of its command.
    command: String,
    /// Whether it runs, or how it ended.
    state: State,
    /// The exit code, when it exited by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that killed it, when one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
    /// Bytes it wrote.
    bytes_total: u64,
}

/// Whether a job runs, or how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It runs.
    Running,
    /// By itself.
    Exited,
    /// By a signal, or on request.
    Killed,
    /// At its time limit.
    Timeout,
    /// It said nothing for too long.
    IdleTimeout,
    /// Nobody knows.
    Lost,
}

impl Facts {
    /// Of a job.
    pub fn of(job: &Job) -> Self {
        let (state, exit_code, signal) = match job.result() {
            None => (State::Running, None, None),
            Some(Err(_)) => (State::Lost, None, None),
            Some(Ok(ran)) => {
                let (state, exit_code) = match ran.outcome.ended {
                    Ended::Exited(code) => (State::Exited, Some(code)),
                    Ended::Signaled(_) | Ended::Cancelled => (State::Killed, None),
                    Ended::Timeout => (State::Timeout, None),
                    Ended::IdleTimeout => (State::IdleTimeout, None),
                };
                (state, exit_code, ran.outcome.signal.map(signal_name))
            }
        };
        Self {
            job: job.id.clone(),
            command: job.command.clone(),
            state,
            exit_code,
            signal,
            bytes_total: job.transcript.bytes_total(),
        }
    }
}

impl Tool for ExecOutput {
    type Params = Params;
    type Output = Output;
    type Work = (Params, Option<RegexMatcher>);
    const SPEC: ToolSpec = ToolSpec {
        name: "exec_output",
        title: "Look at a background job",
        description: "Shows what a background job wrote since the last look, and whether it still runs. wait_ms \
            waits for its end, or until `pattern` is in the text. Without a job: lists all.",
        profile: Profile::Core,
        tier: Tier::Auto,
        annotations: Annotations {
            read_only: true,
            destructive: false,
            idempotent: false,
            open_world: false,
        },
    };
    const WAITS_FOR_JOBS: bool = true;

    fn prepare(&self, params: Params, _call: &Call) -> Result<Prepared<Self::Work>, ToolError> {
        if params.wait_ms > EXEC_WAIT_MS_MAX {
            return Err(ToolError::new(
                Code::InvalidArgs,
                format!("`wait_ms` is {}; at most {EXEC_WAIT_MS_MAX} is waited", params.wait_ms),
                "call again to wait longer",
            ));
        }
        if params.since > SINCE_MAX {
            return Err(ToolError::out_of_range("since", params.since, (-1, SINCE_MAX)));
        }
        if params.tail > TAIL_MAX {
            return Err(ToolError::out_of_range("tail", params.tail, (0, TAIL_MAX)));
        }
        if params.since < -1 {
            return Err(ToolError::new(
                Code::InvalidArgs,
                format!("`since` is {}; it may be -1 or a position from 0 on", params.since),
                "leave it out to see what was not shown yet; tail=20 shows the last 20 lines",
            ));
        }
        let pattern = match params.pattern.as_str() {
            "" => None,
            pattern => Some(compiled(pattern)?),
        };
        let summary = format!("Look at {}", if params.job.is_empty() { "all jobs" } else { &params.job });
        Ok(Prepared { intent: Intent::read(summary), work: (params, pattern) })
    }

    fn run(
        &self,
        _permit: &Permit,
        (params, pattern): Self::Work,
        call: &Call,
    ) -> Result<Reply<Output>, ToolError> {
        if params.job.is_empty() {
            return Ok(list(call));
        }
        let job = call.jobs.find(&params.job)?;
        // The last lines are asked for whether they were shown or not.
        let unseen = if params.tail > 0 { 0 } else { job.seen() };
        let start = u64::try_from(params.since).unwrap_or(unseen);
        let until = Instant::now() + Duration::from_millis(params.wait_ms);
        let matched = pattern.map(|pattern| {
            job.wait_for(start, until, &call.cancel, |text| {
                pattern.is_match(text.as_bytes()).unwrap_or(false)
            })
        });
        if matched.is_none() {
            job.wait(until, &call.cancel);
        }
        call.check_cancelled()?;
        Ok(show(&job, &params, start, matched, call))
    }
}

fn compiled(pattern: &str) -> Result<RegexMatcher, ToolError> {
    if pattern.len() > PATTERN_BYTES {
        return Err(ToolError::new(
            Code::InvalidArgs,
            format!("`pattern` has {} bytes; the limit is {PATTERN_BYTES}", pattern.len()),
            "wait for a part of it",
        ));
    }
    regular_expression::builder().multi_line(true).build(pattern).map_err(|error| {
        if regular_expression::is_too_large(&error) {
            return regular_expression::too_large("`pattern`");
        }
        ToolError::new(
            Code::InvalidArgs,
            format!("`pattern` is no regular expression: {error}"),
            "escape what is meant as it stands, such as `\\(`",
        )
    })
}

fn list(call: &Call) -> Reply<Output> {
    let jobs = call.jobs.all();
    let lines: Vec<String> =
        jobs.iter().map(|job| format!("{} (`{}`) {}", job.id, job.command, job.state_in_words())).collect();
    let text = if lines.is_empty() {
        "There are no background jobs; exec_run with `background` starts one.".to_owned()
    } else {
        lines.join("\n")
    };
    let jobs = jobs.iter().map(|job| Facts::of(job)).collect();
    Reply::new(text, Output { job: None, next_since: None, matched: None, jobs: Some(jobs) })
}

fn show(job: &Job, params: &Params, start: u64, matched: Option<bool>, call: &Call) -> Reply<Output> {
    let facts = Facts::of(job);
    let state = job.state_in_words();
    let mut redaction = call.redactor.begin();
    let all = job.part(start, usize::MAX, &mut redaction);
    let asked = last_lines(&all.text, params.tail);
    let shown = narrow(asked, all.omitted_bytes);
    // What the last lines leave out has not been shown.
    if asked.len() == all.text.len() {
        job.set_seen(all.end);
    }
    let awaited = match (matched, facts.state) {
        (Some(false), State::Running) => format!("; `{}` has not come yet", visible(&params.pattern)),
        (Some(false), _) => format!("; `{}` did not come", visible(&params.pattern)),
        _ => String::new(),
    };
    let mut text = format!("{} (`{}`) {state}{awaited}", job.id, job.command);
    text += match (shown.text.is_empty(), job.transcript.text_bytes() > all.end) {
        (true, true) => ", without new output but for a word that may still grow.",
        (true, false) => ", without new output.",
        _ => ".\n\n",
    };
    text += &shown.text;
    let data = Output { job: Some(facts), next_since: Some(all.end), matched, jobs: None };
    let mut reply = Reply::new(text, data);
    if let Some(Ok(ran)) = job.result() {
        reply.warnings = ran.warnings();
    }
    reply.warnings.extend(redaction.told());
    if shown.omitted_bytes > 0 {
        let total = all.end.saturating_sub(start);
        reply.keep_output(call, all, (shown.text.len() as u64).min(total), total);
    }
    reply
}

/// The last `count` lines; all for 0.
fn last_lines(text: &str, count: u32) -> &str {
    if count == 0 {
        return text;
    }
    let end = text.strip_suffix('\n').unwrap_or(text);
    match end.rmatch_indices('\n').nth(count as usize - 1) {
        Some((at, _)) => &text[at + 1..],
        None => text,
    }
}

/// As much as a model is shown: the beginning and the end.
fn narrow(text: &str, omitted: u64) -> Excerpt {
    if text.len() <= EXEC_TEXT_BYTES {
        return Excerpt { text: text.to_owned(), end: 0, omitted_bytes: omitted };
    }
    let head = text.floor_char_boundary(EXEC_TEXT_BYTES / 5);
    let head = &text[..before_word(text, head, WORD_BYTES)];
    let tail = text.ceil_char_boundary(text.len() - (EXEC_TEXT_BYTES - EXEC_TEXT_BYTES / 5));
    let tail = &text[behind_word(text, tail, WORD_BYTES)..];
    let left_out = (text.len() - head.len() - tail.len()) as u64;
    let text = format!("{head}\n[… {left_out} bytes left out …]\n{tail}");
    Excerpt { text, end: 0, omitted_bytes: left_out + omitted }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_a_text() {
        assert_eq!(last_lines("a\nb\nc\n", 2), "b\nc\n");
        assert_eq!(last_lines("a\nb\nc", 1), "c");
        assert_eq!(last_lines("a\nb", 5), "a\nb");
        assert_eq!(last_lines("a\nb", 0), "a\nb");
    }
}
