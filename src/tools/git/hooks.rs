//! The hooks that git would run around a commit: found, named with their hash in the plan, and run as git would.
//!
//! Hook files are run directly, through the process door, never by git. Only regular files in the repository's own `.git/hooks`
//! count; hooks that come from anywhere else are refused, because nothing could say what would run.

use std::collections::BTreeMap;

use super::libgit2;
use crate::{
    policy::{AllowedCommand, Permit, Raise},
    process::Ended,
    relpath::RelPath,
    tier::Tier,
    tools::{
        Call, Code, ToolError,
        exec::{Ran, Ready},
    },
    workspace::{
        confined,
        repository::{HookFile, Repository},
    },
};

/// Hooks that git would run around a commit, in their order.
const HOOKS: &[&str] = &["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"];
/// Has a say in each change of a branch, step by step of git's own transaction: no commit of ours could ask it as git does.
const TRANSACTION: &str = "reference-transaction";
/// Output beside an error.
const OUTPUT_BYTES: usize = 8 * 1024;

/// A hook as the plan names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hook {
    pub(super) name: &'static str,
    pub(super) sha256: String,
}

impl Hook {
    /// `pre-commit sha256:…`
    pub(super) fn shown(&self) -> String {
        format!("{} sha256:{}", self.name, self.sha256)
    }
}

/// The hooks that a commit would run.
pub(super) fn find(
    repository: &Repository,
    call: &Call,
    opened: &git2::Repository,
) -> Result<Vec<Hook>, ToolError> {
    let refused = |what: String| {
        ToolError::new(
            Code::UnsupportedHere,
            format!("the repository at `{}` has {what}, which would run on a commit", repository.folder()),
            "the user can commit with git itself; staging works",
        )
    };
    let config = opened.config().map_err(|error| libgit2(repository, &error))?;
    if let Ok(path) = config.get_path("core.hooksPath")
        && !repository.is_own_hooks_folder(&path)
    {
        return Err(refused("hooks elsewhere (`core.hooksPath`)".to_owned()));
    }
    let mut hooks = Vec::new();
    for name in HOOKS.iter().copied() {
        match repository.hook(name)? {
            HookFile::None => {}
            HookFile::Regular(sha256) => hooks.push(Hook { name, sha256 }),
            HookFile::Other(what) => return Err(refused(format!("a hook that is {what} (`{name}`)"))),
        }
    }
    if repository.hook(TRANSACTION)? != HookFile::None {
        return Err(refused(format!("a `{TRANSACTION}` hook")));
    }
    if !hooks.is_empty() && !call.config.exec.enabled {
        return Err(refused("active hooks, while commands are turned off (`exec.enabled`)".to_owned()));
    }
    Ok(hooks)
}

/// Why a commit with hooks is asked for by itself.
pub(super) fn raises(repository: &Repository, call: &Call, hooks: &[Hook]) -> Result<Vec<Raise>, ToolError> {
    let Some(first) = hooks.first() else { return Ok(Vec::new()) };
    let names: Vec<&str> = hooks.iter().map(|hook| hook.name).collect();
    let ready = ready(repository, call, first.name, Vec::new(), ".git/index")?;
    let mut raises = vec![Raise {
        tier: Tier::Individual,
        reason: format!(
            "hooks of the repository run: {}; what confines them: {}",
            names.join(", "),
            ready.confinement().description()
        ),
    }];
    raises.extend(ready.raises(call));
    Ok(raises)
}

/// Runs the hooks of one commit.
pub(super) struct Runner<'a> {
    pub(super) call: &'a Call,
    pub(super) permit: &'a Permit,
    pub(super) repository: &'a Repository,
    pub(super) hooks: &'a [Hook],
    /// Relative to the work tree: what `git diff --cached` in a hook compares with.
    pub(super) index: String,
    pub(super) ran: Vec<String>,
}

impl Runner<'_> {
    /// Runs the hook if there is one; an error when it fails.
    pub(super) fn run(&mut self, name: &'static str, args: &[&str]) -> Result<(), ToolError> {
        let Some(hook) = self.hooks.iter().find(|hook| hook.name == name) else { return Ok(()) };
        // What was named is what runs.
        if self.repository.hook(name)? != HookFile::Regular(hook.sha256.clone()) {
            return Err(ToolError::new(
                Code::Stale,
                format!(
                    "the hook `{name}` is not the one that was shown, and did not run; nothing was committed"
                ),
                "call git_commit again: its new plan names the hooks that would run now",
            ));
        }
        let args = args.iter().map(|&argument| argument.to_owned()).collect();
        let ready = ready(self.repository, self.call, name, args, &self.index)?;
        let (permit, call) = (self.permit.clone(), self.call.clone());
        let ran = outside(move || ready.run(&permit, &call)).map_err(|error| failed_to_start(name, error))?;
        self.ran.push(name.to_owned());
        if ran.succeeded() { Ok(()) } else { Err(failed(name, &ran)) }
    }
}

/// As git starts a hook: in the work tree's folder, with the index named.
fn ready(
    repository: &Repository,
    call: &Call,
    name: &str,
    args: Vec<String>,
    index: &str,
) -> Result<Ready, ToolError> {
    let program = repository.hook_path(name);
    let environment: BTreeMap<String, String> =
        [("GIT_INDEX_FILE", index), ("GIT_EDITOR", ":"), ("GIT_PREFIX", "")]
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
    let folder: RelPath = repository.folder().clone();
    let command = AllowedCommand::hook(name, program, args, folder, environment);
    let call = call.clone();
    outside(move || Ready::new(&call, command))
}

/// A hook is held by its own bounds, not by those of the thread that commits.
fn outside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    confined::outside(work)
        .unwrap_or_else(|| Err(ToolError::internal("nobody is left who could start a hook")))
}

fn failed_to_start(name: &str, error: ToolError) -> ToolError {
    if error.code == Code::Cancelled {
        return error;
    }
    ToolError::new(
        Code::HookFailed,
        format!("the hook `{name}` could not be run: {}; nothing was committed", error.message),
        "a hook needs a first line like `#!/bin/sh` that names an installed program; the user can repair it",
    )
}

fn failed(name: &str, ran: &Ran) -> ToolError {
    let how = match ran.outcome.ended {
        Ended::Exited(code) => format!("exited with code {code}"),
        Ended::Signaled(signal) => format!("was killed by signal {signal}"),
        Ended::Timeout => "took too long and was ended".to_owned(),
        Ended::IdleTimeout => "said nothing for too long and was ended".to_owned(),
        Ended::Cancelled => {
            return ToolError::cancelled(&format!("the hook `{name}` was ended; nothing was committed"));
        }
    };
    let output = ran.transcript.last(OUTPUT_BYTES);
    let output = if output.trim().is_empty() {
        "It had no output.".to_owned()
    } else {
        format!("Its output:\n{output}")
    };
    ToolError::new(
        Code::HookFailed,
        format!("the hook `{name}` {how}; nothing was committed. {output}"),
        "correct what it complains about, git_add the files, then commit again",
    )
}
