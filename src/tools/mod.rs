//! The verbs: everything a model can call, each in a file of its own, listed once in the [`catalog`].
//!
//! A tool prepares (reads only), the law judges what it prepared, then it runs with a permit. [`AnyTool`] is the shape the
//! server sees; tools implement [`Tool`].

pub mod call;
pub mod diff;
pub mod error;
pub mod exec;
pub mod facts;
mod foreign_names;
pub mod fs;
pub mod git;
pub mod handles;
mod invalid_args;
pub mod line_diff;
pub mod redacted;
mod regular_expression;
pub mod repair;
pub mod reply;
pub mod search;
pub mod workspace;

/// What `fuzz/` sees of the pure parts; no release has it.
#[cfg(any(fuzzing, debug_assertions))]
pub mod fuzzed {
    pub use super::repair::repair;
}

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use self::facts::Facts;
pub use self::{
    call::{Call, NAMED_SECRET, Sink, Unavailable, learnt_from, secret_looking},
    error::{Code, ToolError},
    handles::Handles,
    reply::{AnyReply, NextCall, Reply, Truncated},
};
use crate::{
    config::{Config, Profile},
    policy::{Effect, Intent, Law, Permit, Preview, Raise},
    text::visible,
    tier::Tier,
};

/// What is known about a tool before it is called.
#[derive(Clone, Copy, Debug)]
pub struct ToolSpec {
    /// `^[a-z][a-z0-9_]{2,31}$`.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// For models: at most 60 words.
    pub description: &'static str,
    /// The smallest profile that offers it.
    pub profile: Profile,
    /// Before arguments and administrator raise it.
    pub tier: Tier,
    /// MCP's hints.
    pub annotations: Annotations,
}

/// MCP's behaviour hints; a test compares them with what the tool was seen to do.
#[derive(Clone, Copy, Debug)]
pub struct Annotations {
    /// Changes nothing.
    pub read_only: bool,
    /// May destroy something.
    pub destructive: bool,
    /// A second equal call changes nothing more.
    pub idempotent: bool,
    /// Reaches beyond the workspace.
    pub open_world: bool,
}

/// Only reads, and may be repeated.
pub const READS: Annotations =
    Annotations { read_only: true, destructive: false, idempotent: true, open_world: false };

/// One verb.
pub trait Tool: Send + Sync + 'static {
    /// What the model gives; its doc comments become the schema.
    type Params: DeserializeOwned + JsonSchema + Send;
    /// The facts in `data`.
    type Output: Serialize + JsonSchema + Send + 'static;
    /// What `prepare` found out and `run` needs.
    type Work: Send + 'static;
    /// Name, words, tier, hints.
    const SPEC: ToolSpec;

    /// Reads only: resolves, hashes, previews.
    fn prepare(&self, params: Self::Params, call: &Call) -> Result<Prepared<Self::Work>, ToolError>;

    /// Does it, through the doors.
    fn run(&self, permit: &Permit, work: Self::Work, call: &Call) -> Result<Reply<Self::Output>, ToolError>;

    /// What is left of a prepared call when a person allowed only these hunks of its plan; at least one, all of them known.
    fn narrow(&self, _work: Self::Work, _hunks: &[String]) -> Result<Prepared<Self::Work>, ToolError> {
        Err(ToolError::new(
            Code::InvalidArgs,
            format!("a call of `{}` is allowed or denied as a whole", Self::SPEC.name),
            "answer the plan without `hunks`",
        ))
    }

    /// What tells later whether the call happened, where the changes it announces do not; kept with its start.
    fn evidence(&self, _work: &Self::Work) -> Option<Value> {
        None
    }

    /// Whether the call that left this evidence happened; asked when its host died meanwhile. Reads only.
    fn happened(&self, _evidence: Value, _call: &Call) -> Result<Happened<Self::Output>, ToolError> {
        Ok(Happened::Unknown)
    }

    /// `prepare` never takes longer than handing the call to another thread would.
    const PREPARES_BRIEFLY: bool = false;

    /// It tells of workspaces, also when the folder of its own is gone.
    const TELLS_OF_WORKSPACES: bool = false;

    /// It has to work whatever the journal can do, and is recorded when it has run, as a read is.
    const WAITS_FOR_NO_JOURNAL: bool = Self::SPEC.annotations.read_only;

    /// It lasts as long as its caller likes to wait for a job.
    const WAITS_FOR_JOBS: bool = false;

    /// Its `limit` counts what is held until the whole answer is there.
    const HOLDS_ENTRIES: bool = false;

    /// It works with libraries that open what lies in a repository by names: where nothing outside the workspace can be opened.
    const OPENS_BY_NAME: bool = false;

    /// True when `run` certainly takes less time than handing it to another thread would.
    fn is_brief(&self, _work: &Self::Work, _call: &Call) -> bool {
        false
    }

    /// False where the configuration has to turn the tool on and does not.
    fn is_offered(_config: &Config) -> bool
    where
        Self: Sized,
    {
        true
    }

    /// Narrows the input schema to what the configuration allows.
    fn refine_schema(_schema: &mut Map<String, Value>, _law: &Law)
    where
        Self: Sized,
    {
    }
}

/// Whether a call happened whose host died.
#[derive(Debug)]
pub enum Happened<T> {
    /// It did, and this is its answer.
    Yes(Box<Reply<T>>),
    /// It provably did not, and may start again.
    No,
    /// Nobody can tell.
    Unknown,
}

/// A prepared call: what the law judges, and what `run` needs.
#[derive(Debug)]
pub struct Prepared<W> {
    /// For the law.
    pub intent: Intent,
    /// For `run`.
    pub work: W,
}

impl<W> Prepared<W> {
    fn erase<T: Tool<Work = W>>(self, tool: &'static T) -> AnyPrepared {
        AnyPrepared {
            intent: self.intent,
            notes: Vec::new(),
            held: Box::new(HeldWork { tool, work: self.work }),
        }
    }
}

/// A prepared call whose tool is no longer known by type.
pub struct AnyPrepared {
    /// For the law.
    pub intent: Intent,
    /// What was put right in the arguments; the answer tells it.
    notes: Vec<String>,
    held: Box<dyn Held>,
}

impl std::fmt::Debug for AnyPrepared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("AnyPrepared").field("intent", &self.intent).finish_non_exhaustive()
    }
}

impl AnyPrepared {
    /// A call that does nothing but fail, once a person was asked.
    fn failing(error: ToolError, raise: Raise, spec: ToolSpec) -> Self {
        let effect = if spec.annotations.read_only { Effect::Read } else { Effect::Write };
        let summary = format!(
            "Change nothing, and tell the caller why {} fails: {}",
            spec.name,
            visible(&error.message)
        );
        let preview = Some(Preview::Files { files: Vec::new() });
        let (raises, changes) = (vec![raise], Vec::new());
        Self {
            intent: Intent { effect, raises, tier: None, changes, summary, preview },
            notes: Vec::new(),
            held: Box::new(Fails(error)),
        }
    }

    /// Does it.
    pub fn run(self, permit: &Permit, call: &Call) -> Result<AnyReply, ToolError> {
        let Self { notes, held, .. } = self;
        match held.run(permit, call) {
            Ok(reply) => Ok(reply.with_warnings(&notes)),
            Err(error) => Err(error.with_notes(&notes)),
        }
    }

    /// What was put right in the arguments, or left out of them.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// True when [`AnyPrepared::run`] certainly ends at once.
    pub fn is_brief(&self, call: &Call) -> bool {
        self.held.is_brief(call)
    }

    /// What tells later whether it happened.
    pub fn evidence(&self) -> Option<Value> {
        self.held.evidence()
    }

    /// The same call with only these hunks of its plan.
    pub fn narrow(self, hunks: &[String]) -> Result<Self, ToolError> {
        let narrowed = self.held.narrow(hunks).map_err(|error| error.with_notes(&self.notes))?;
        Ok(Self { notes: self.notes, ..narrowed })
    }
}

/// The second half of a call, once the law has judged the first.
trait Held: Send {
    fn run(self: Box<Self>, permit: &Permit, call: &Call) -> Result<AnyReply, ToolError>;
    fn narrow(self: Box<Self>, hunks: &[String]) -> Result<AnyPrepared, ToolError>;
    fn is_brief(&self, call: &Call) -> bool;
    fn evidence(&self) -> Option<Value>;
}

struct HeldWork<T: Tool> {
    tool: &'static T,
    work: T::Work,
}

impl<T: Tool> Held for HeldWork<T> {
    fn run(self: Box<Self>, permit: &Permit, call: &Call) -> Result<AnyReply, ToolError> {
        let step = if T::SPEC.annotations.read_only { git::Step::Read } else { git::Step::Write };
        let run = || self.tool.run(permit, self.work, call);
        let reply = if T::OPENS_BY_NAME { git::confined(call, step, run) } else { run() };
        reply.map(Reply::erase)
    }

    fn narrow(self: Box<Self>, hunks: &[String]) -> Result<AnyPrepared, ToolError> {
        self.tool.narrow(self.work, hunks).map(|prepared| prepared.erase(self.tool))
    }

    fn is_brief(&self, call: &Call) -> bool {
        self.tool.is_brief(&self.work, call)
    }

    fn evidence(&self) -> Option<Value> {
        self.tool.evidence(&self.work)
    }
}

/// Instead of a change: why there is none.
struct Fails(ToolError);

impl Held for Fails {
    fn run(self: Box<Self>, _permit: &Permit, _call: &Call) -> Result<AnyReply, ToolError> {
        Err(self.0)
    }

    fn narrow(self: Box<Self>, _hunks: &[String]) -> Result<AnyPrepared, ToolError> {
        Err(self.0)
    }

    fn is_brief(&self, _call: &Call) -> bool {
        false
    }

    fn evidence(&self) -> Option<Value> {
        None
    }
}

/// A tool as the server sees it.
pub trait AnyTool: Send + Sync + 'static {
    /// Name, words, tier, hints.
    fn spec(&self) -> &'static ToolSpec;
    /// False where the configuration has to turn the tool on and does not.
    fn is_offered(&self, config: &Config) -> bool;
    /// JSON Schema of the arguments, under this law.
    fn input_schema(&self, law: &Law) -> Map<String, Value>;
    /// JSON Schema of `data`.
    fn data_schema(&self) -> Map<String, Value>;
    /// `prepare` never takes longer than handing the call to another thread would.
    fn prepares_briefly(&self) -> bool;
    /// It tells of workspaces, also when the folder of its own is gone.
    fn tells_of_workspaces(&self) -> bool;
    /// It has to work whatever the journal can do, and is recorded when it has run.
    fn waits_for_no_journal(&self) -> bool;
    /// It lasts as long as its caller likes to wait for a job.
    fn waits_for_jobs(&self) -> bool;
    /// Its `limit` counts what is held until the whole answer is there.
    fn holds_entries(&self) -> bool;
    /// Reads a repository, by libraries that open it by name.
    fn reads_by_name(&self) -> bool;
    /// Parses the arguments and prepares the call.
    fn prepare(&'static self, arguments: Value, call: &Call) -> Result<AnyPrepared, ToolError>;
    /// Whether the call that left this evidence happened.
    fn happened(&self, evidence: Value, call: &Call) -> Result<Happened<Box<dyn Facts>>, ToolError>;
}

impl<T: Tool> AnyTool for T {
    fn spec(&self) -> &'static ToolSpec {
        const { &T::SPEC }
    }

    fn is_offered(&self, config: &Config) -> bool {
        T::is_offered(config)
    }

    fn input_schema(&self, law: &Law) -> Map<String, Value> {
        let mut schema = reply::plain_schema::<T::Params>();
        schema.insert("additionalProperties".into(), Value::Bool(false));
        // Ours, about the struct; a model pays for each word.
        schema.remove("description");
        T::refine_schema(&mut schema, law);
        schema
    }

    fn data_schema(&self) -> Map<String, Value> {
        reply::plain_schema::<T::Output>()
    }

    fn prepares_briefly(&self) -> bool {
        T::PREPARES_BRIEFLY
    }

    fn tells_of_workspaces(&self) -> bool {
        T::TELLS_OF_WORKSPACES
    }

    fn waits_for_no_journal(&self) -> bool {
        T::WAITS_FOR_NO_JOURNAL
    }

    fn waits_for_jobs(&self) -> bool {
        T::WAITS_FOR_JOBS
    }

    fn holds_entries(&self) -> bool {
        T::HOLDS_ENTRIES
    }

    fn reads_by_name(&self) -> bool {
        T::OPENS_BY_NAME && T::SPEC.annotations.read_only
    }

    fn prepare(&'static self, arguments: Value, call: &Call) -> Result<AnyPrepared, ToolError> {
        let (params, notes) = parameters::<T>(arguments, &call.law)?;
        let prepare = || Tool::prepare(self, params, call);
        let prepared =
            if T::OPENS_BY_NAME { git::confined(call, git::Step::Read, prepare) } else { prepare() };
        let prepared = match prepared {
            Ok(prepared) => prepared.erase(self),
            Err(mut error) => match error.asks.take() {
                Some(raise) => AnyPrepared::failing(error, *raise, T::SPEC),
                None => return Err(error.with_notes(&notes)),
            },
        };
        Ok(AnyPrepared { notes, ..prepared })
    }

    fn happened(&self, evidence: Value, call: &Call) -> Result<Happened<Box<dyn Facts>>, ToolError> {
        let look = || Tool::happened(self, evidence, call);
        let happened = if T::OPENS_BY_NAME { git::confined(call, git::Step::Read, look) } else { look() };
        Ok(match happened? {
            Happened::Yes(reply) => Happened::Yes(Box::new(reply.erase())),
            Happened::No => Happened::No,
            Happened::Unknown => Happened::Unknown,
        })
    }
}

/// Reads the arguments; those that nearly fit are put right, and what was put right is told.
fn parameters<T: Tool>(arguments: Value, law: &Law) -> Result<(T::Params, Vec<String>), ToolError> {
    let wrong = match serde_path_to_error::deserialize(&arguments) {
        Ok(params) => return Ok((params, Vec::new())),
        Err(error) => error,
    };
    let mut schema = reply::plain_schema::<T::Params>();
    T::refine_schema(&mut schema, law);
    let repaired = repair::as_far_as_it_goes(&schema, &arguments, !T::SPEC.annotations.read_only);
    let (wrong, notes) = match repaired {
        None => (wrong, Vec::new()),
        // What is still wrong then, and not the first thing that would have been put right.
        Some(repaired) => match serde_path_to_error::deserialize(&repaired.arguments) {
            Ok(params) if !repaired.braked => return Ok((params, repaired.notes)),
            Ok(_) => (wrong, repaired.notes),
            Err(error) => (error, repaired.notes),
        },
    };
    Err(invalid_args::invalid_args(T::SPEC.name, &wrong, &schema).with_notes(&notes))
}

/// Every tool there is, in the order of `tools/list`.
pub fn catalog() -> &'static [&'static dyn AnyTool] {
    &[
        &workspace::WorkspaceInfo,
        &fs::FsRead,
        &fs::FsList,
        &search::SearchGrep,
        &search::SearchGlob,
        &fs::FsWrite,
        &fs::FsEdit,
        &fs::FsApplyPatch,
        &fs::FsMove,
        &fs::FsDelete,
        &fs::FsMkdir,
        &git::GitStatus,
        &git::GitDiff,
        &git::GitLog,
        &git::GitShow,
        &git::GitBlame,
        &git::GitAdd,
        &git::GitCommit,
        &git::GitRestore,
        &git::GitSwitch,
        &git::GitSync,
        &exec::ExecRun,
        &exec::ExecOutput,
        &exec::ExecKill,
    ]
}
