//! `git_add`: stages and unstages paths.
//!
//! What is staged are the bytes the workspace door reads, converted as git does it. The tool never runs a filter, never stages a
//! blocked path, and never changes a file of the work tree.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    index_state::{fingerprint, names},
    libgit2, racily_clean, stage,
    stage_evidence::StageEvidence,
    staging::Staging,
};
use crate::{
    config::Profile,
    policy::{Effect, Intent, Permit, Preview},
    text::counted,
    tier::Tier,
    tools::{Annotations, Call, Code, Happened, Prepared, Reply, Tool, ToolError, ToolSpec},
    workspace::{DoorError, repository::Repository},
};

/// `git_add`.
#[derive(Clone, Copy, Debug)]
pub struct GitAdd;

/// What to stage.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// `.`: everything that changed.
    #[schemars(length(min = 1))]
    pub paths: Vec<String>,
    /// Take them out of the index.
    #[serde(default)]
    pub unstage: bool,
}

/// What was staged.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Facts {
    /// The paths that were staged.
    pub staged: Vec<String>,
    /// The paths that were unstaged.
    pub unstaged: Vec<String>,
    /// Paths the configuration blocks; they were left alone.
    pub blocked: u64,
}

/// A change of the index that was planned.
#[derive(Debug)]
pub struct Work {
    params: Params,
    repository: Repository,
    before: String,
    after: String,
    /// What changes in the index; with none there is nothing to do.
    paths: Vec<String>,
    blocked: u64,
    warnings: Vec<String>,
}

impl Facts {
    pub(super) fn of(unstage: bool, paths: Vec<String>, blocked: u64) -> Self {
        let (staged, unstaged) = if unstage { (Vec::new(), paths) } else { (paths, Vec::new()) };
        Self { staged, unstaged, blocked }
    }
}

impl Tool for GitAdd {
    type Params = Params;
    type Output = Facts;
    type Work = Work;

    const SPEC: ToolSpec = ToolSpec {
        name: "git_add",
        title: "Stage changes",
        description: "Stages files or folders, deletions included; `unstage` takes them back to HEAD. An ignored \
            file must be named itself.",
        profile: Profile::Core,
        tier: Tier::Batch,
        annotations: Annotations {
            read_only: false,
            destructive: false,
            idempotent: true,
            open_world: false,
        },
    };

    const OPENS_BY_NAME: bool = true;

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        if params.paths.is_empty() {
            return Err(ToolError::new(
                Code::InvalidArgs,
                "git_add: `paths` is empty",
                "name the paths to stage; `.` stages everything that changed",
            ));
        }
        writable(call)?;
        let (repository, mut staging) = staging(&params, call)?;
        let opened = repository.scratch()?;
        let mut index = opened.index().map_err(|error| libgit2(&repository, &error))?;
        let before = fingerprint(&index);
        let known = names(&index);
        let changed = stage::apply(call, &repository, &opened, &mut index, &staging.items)?;
        staging.keep(&changed);
        staging.displaced(call, &repository, &known, &names(&index));
        let after = fingerprint(&index);
        let warnings = staging.warnings();
        if staging.items.is_empty() {
            let (paths, blocked) = (Vec::new(), staging.blocked);
            let work = Work { params, repository, before, after, paths, blocked, warnings };
            return Ok(Prepared { intent: Intent::nothing("Nothing to stage or unstage"), work });
        }
        let paths: Vec<String> = staging.items.iter().map(|item| item.path.to_string()).collect();
        let action = if params.unstage { "unstage" } else { "stage" };
        let intent = Intent {
            effect: Effect::Write,
            raises: Vec::new(),
            tier: None,
            changes: Vec::new(),
            summary: format!(
                "{} {}",
                if params.unstage { "Unstage" } else { "Stage" },
                counted(paths.len(), "path")
            ),
            // The fingerprints bind the approval to these contents.
            preview: Some(Preview::Stage {
                action: action.to_owned(),
                paths,
                before: before.clone(),
                after: after.clone(),
            }),
        };
        let paths = staging.items.iter().map(|item| item.path.to_text()).collect();
        let work = Work { params, repository, before, after, paths, blocked: staging.blocked, warnings };
        Ok(Prepared { intent, work })
    }

    fn run(&self, permit: &Permit, work: Work, call: &Call) -> Result<Reply<Facts>, ToolError> {
        if work.paths.is_empty() {
            let facts = Facts { blocked: work.blocked, ..Facts::default() };
            return Ok(reply(work.params.unstage, &[], facts).with_warnings(&work.warnings));
        }
        let opened = work.repository.writer(permit)?;
        let (_, mut staging) = staging(&work.params, call)?;
        let mut holding = work.repository.hold(permit, &[b"index"])?;
        let mut index = holding.index(&opened)?;
        let before = fingerprint(&index);
        let known = names(&index);
        let changed = stage::apply(call, &work.repository, &opened, &mut index, &staging.items)?;
        if before != work.before || fingerprint(&index) != work.after {
            return Err(changed_meanwhile());
        }
        call.check_cancelled()?;
        if before != work.after || staging.items.iter().any(|item| matches!(item.to, stage::To::Content(_))) {
            racily_clean::write(call, &work.repository, &holding, &mut index)?;
            holding.put_index();
            holding.put()?;
        }
        staging.keep(&changed);
        staging.displaced(call, &work.repository, &known, &names(&index));
        let shown: Vec<String> = staging.items.iter().map(|item| item.path.to_string()).collect();
        let paths = staging.items.iter().map(|item| item.path.to_text()).collect();
        let facts = Facts::of(work.params.unstage, paths, staging.blocked);
        let mut reply = reply(work.params.unstage, &shown, facts);
        reply.warnings = staging.warnings();
        Ok(reply)
    }

    fn evidence(&self, work: &Work) -> Option<Value> {
        let Work { params, repository, after, paths, blocked, .. } = work;
        let evidence = || StageEvidence::new(repository, params.unstage, after, paths, *blocked).to_value();
        (!paths.is_empty()).then(evidence).flatten()
    }

    fn happened(&self, evidence: Value, call: &Call) -> Result<Happened<Facts>, ToolError> {
        StageEvidence::from_value(evidence)?.happened(call)
    }
}

/// What is said of the paths that were staged or unstaged.
pub(super) fn reply(unstage: bool, shown: &[String], facts: Facts) -> Reply<Facts> {
    let text = match shown.len() {
        0 => format!("nothing to {}", if unstage { "unstage" } else { "stage" }),
        count => {
            let verb = if unstage { "unstaged" } else { "staged" };
            format!("{verb} {}:\n  {}", counted(count, "path"), shown.join("\n  "))
        }
    };
    Reply::new(text, facts)
}

fn staging(params: &Params, call: &Call) -> Result<(Repository, Staging), ToolError> {
    let (repository, paths) = stage::find(call, &params.paths)?;
    let mut staging = if params.unstage {
        stage::collect_unstaging(call, &repository, &paths)?
    } else {
        stage::collect(call, &repository, &paths, false)?
    };
    staging.notes.extend(stage::note_inner(call, &repository, &paths));
    Ok((repository, staging))
}

/// A read-only workspace is refused before anything is looked at.
pub(super) fn writable(call: &Call) -> Result<(), ToolError> {
    if call.workspace.read_only() {
        return Err(DoorError::ReadOnly { workspace: call.workspace.closed_by().to_owned() }.into());
    }
    Ok(())
}

/// What was approved is no longer what would happen.
pub(super) fn changed_meanwhile() -> ToolError {
    ToolError::new(
        Code::Stale,
        "the files, the index or the branch changed after the plan was made; nothing was done",
        "look with git_status, then call again",
    )
}
