//! What [`super::sync`] would do, for a person to see.

use std::collections::BTreeMap;

use gix::ObjectId;

use super::{
    apart::ahead_behind,
    commit_facts::short,
    in_folder, libgit2,
    refspecs::Refspec,
    remote::Remote,
    sync::{Step, no_branch},
    tree_move::{TreeMove, refuse_busy},
};
use crate::{
    policy::{AllowedCommand, Effect, Intent, Preview},
    text::counted,
    tools::{Call, Code, ToolError, exec::Ready},
    workspace::repository::Repository,
};

pub(super) struct Planner<'a> {
    pub(super) call: &'a Call,
    pub(super) repository: &'a Repository,
    pub(super) opened: &'a git2::Repository,
    pub(super) remote: &'a Remote,
}

/// What a repository of this machine that is fetched from or pushed to is served with. No value has anything for a shell.
const SERVED: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    // Run with one argument for each alternate; an empty value would be an error.
    "core.alternateRefsCommand=true",
    "core.sshCommand=false",
    "core.askPass=",
    "credential.helper=",
    // To update the files that are checked out there is to run its filters.
    "receive.denyCurrentBranch=refuse",
    "receive.autogc=false",
    "gc.auto=0",
    "maintenance.auto=false",
];

type Planned = (Intent, Step);

impl Planner<'_> {
    pub(super) fn fetch(&self, branch: Option<&str>, pulls: bool) -> Result<Planned, ToolError> {
        let Remote { name, url, tags, .. } = self.remote;
        let refspecs = self.remote.fetched(branch)?;
        let written: Vec<String> = refspecs.iter().map(Refspec::to_string).collect();
        let args = ["--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance"];
        // One branch that is gone is an error.
        let prunes = self.remote.prunes && branch.is_none();
        let prune = if prunes { "--prune" } else { "--no-prune" };
        let args = args
            .into_iter()
            .chain([prune])
            .chain(*tags)
            .chain(["--", url])
            .chain(written.iter().map(String::as_str));
        let ready = self.git(("fetch", "upload-pack"), args)?;
        let what = branch.map_or_else(|| "all branches".to_owned(), |branch| format!("`{branch}`"));
        let forgets = if prunes { ", and forget those that are gone there" } else { "" };
        let (url, folder) = (self.remote.shown_url(), in_folder(self.repository));
        let summary = format!("Fetch {what} from `{name}`{forgets} ({url}{folder})");
        Ok((self.intent(&ready, summary), Step::Fetch { ready, refspecs, pulls }))
    }

    pub(super) fn push(&self, branch: &str, force: bool) -> Result<Planned, ToolError> {
        let failed = |error: git2::Error| libgit2(self.repository, &error);
        let found = self.opened.find_branch(branch, git2::BranchType::Local);
        let commit = found.map_err(|_| no_branch(branch))?.into_reference().peel_to_commit();
        let commit = commit.map_err(failed)?.id();
        let sent_to = &self.remote.sent_to;
        let known = self.opened.refname_to_id(&self.remote.tracking(sent_to)).ok();
        let (ahead, behind) = match known {
            Some(known) => ahead_behind(self.call, self.repository, (commit, known))?,
            None => (0, 0),
        };
        let mut args = vec!["--no-verify".to_owned(), "--no-follow-tags".to_owned()];
        args.push("--recurse-submodules=no".to_owned());
        if force {
            let known = known.map(|known| known.to_string()).unwrap_or_default();
            args.push(format!("--force-with-lease=refs/heads/{sent_to}:{known}"));
        }
        args.extend(["--".to_owned(), self.remote.url.clone(), format!("{commit}:refs/heads/{sent_to}")]);
        let ready = self.git(("push", "receive-pack"), args.iter().map(String::as_str))?;
        let what = match known {
            None => format!("the new branch `{sent_to}`"),
            Some(_) => format!("{} of `{branch}`", counted(ahead, "commit")),
        };
        let replaced = if force && behind > 0 {
            format!(", where they replace {}", counted(behind, "commit"))
        } else {
            String::new()
        };
        let there = if sent_to == branch { String::new() } else { format!("`{sent_to}` of ") };
        let place = commit.to_string();
        let summary = format!(
            "Push {what}, up to {}, to {there}`{}`{replaced} ({}{})",
            &place[..10],
            self.remote.name,
            self.remote.shown_url(),
            in_folder(self.repository)
        );
        Ok((self.intent(&ready, summary), Step::Push { ready, commit }))
    }

    /// The way forward to what was fetched; `None` when nothing is known to be ahead.
    pub(super) fn forward(&self, branch: &str) -> Result<Option<Planned>, ToolError> {
        refuse_busy(self.repository, self.opened, self.call)?;
        let followed = &self.remote.followed;
        let Ok(to) = self.opened.refname_to_id(&self.remote.tracking(followed)) else { return Ok(None) };
        let from = self.opened.refname_to_id(&format!("refs/heads/{branch}")).ok();
        let (ahead, behind) = match from {
            Some(from) => ahead_behind(self.call, self.repository, (from, to))?,
            None => (0, 0),
        };
        if from.is_some() && behind == 0 {
            return Ok(None);
        }
        if ahead > 0 {
            return Err(ToolError::new(
                Code::Stale,
                format!(
                    "`{branch}` and `{}/{followed}` have gone apart: {} here, {} there",
                    self.remote.name,
                    counted(ahead, "commit"),
                    counted(behind, "commit")
                ),
                "only a fast-forward is made; the user can merge or rebase with git itself",
            ));
        }
        let reader = self.repository.reader()?;
        let ends = (from.map(object), Some(object(to)));
        let movement = TreeMove::plan(self.call, self.repository, &reader, ends)?;
        let what = match from {
            Some(_) => format!("Move `{branch}` forward by {}", counted(behind, "commit")),
            None => format!("Move `{branch}`, which has no commit yet,"),
        };
        let intent = Intent {
            effect: Effect::Write,
            raises: movement.checkout.raises(),
            tier: None,
            changes: movement.checkout.changes.clone(),
            summary: format!(
                "{what} to {}, as fetched from `{}` ({}{})",
                short(object(to)),
                self.remote.name,
                counted(movement.checkout.files(), "file"),
                in_folder(self.repository),
            ),
            preview: Some(Preview::Files { files: movement.checkout.shown.clone() }),
        };
        Ok(Some((intent, Step::Forward { movement, from, to })))
    }

    fn intent(&self, ready: &Ready, summary: String) -> Intent {
        Intent {
            effect: Effect::WriteAndExecute,
            raises: ready.raises(self.call),
            tier: None,
            changes: Vec::new(),
            summary,
            preview: Some(ready.preview()),
        }
    }

    /// The git program with nothing in it that could start another one, but for the one at the other end.
    fn git<'s>(
        &self,
        (verb, other_end): (&str, &str),
        args: impl Iterator<Item = &'s str>,
    ) -> Result<Ready, ToolError> {
        let settings = &self.call.config.git;
        let is_local = self.remote.is_local();
        // An address that git takes for one of this machine and we do not would be served with hooks and all.
        let protocols: Vec<&str> =
            settings.protocols.iter().copied().filter(|protocol| is_local || *protocol != "file").collect();
        let (git_dir, objects) = self.repository.exchange_places();
        let mut all: Vec<String> = Vec::new();
        let mut set = |setting: &str| all.extend(["-c".to_owned(), setting.to_owned()]);
        for setting in [
            "core.hooksPath=/dev/null",
            "core.fsmonitor=false",
            "core.sshCommand=ssh -oBatchMode=yes",
            "core.askPass=",
            "protocol.allow=never",
            "fetch.recurseSubmodules=false",
            "push.gpgSign=false",
            "gc.auto=0",
            "maintenance.auto=false",
        ] {
            set(setting);
        }
        for protocol in &protocols {
            set(&format!("protocol.{protocol}.allow=always"));
        }
        if !settings.credentials {
            set("credential.helper=");
        }
        let text = |path: &std::path::Path| {
            path.to_str().map(str::to_owned).ok_or_else(|| {
                let reason = "its name is not UTF-8, which the git program's environment needs";
                ToolError::new(Code::UnsupportedHere, reason, "the user can use git itself")
            })
        };
        let program = self.call.processes.resolve_program("git")?;
        all.push(verb.to_owned());
        if is_local {
            all.push(format!("--{other_end}={}", served_by(&text(&program)?, other_end)));
        }
        all.extend(args.map(str::to_owned));
        let environment: BTreeMap<String, String> = [
            ("GIT_DIR", text(&git_dir)?),
            ("GIT_OBJECT_DIRECTORY", text(&objects)?),
            ("GIT_ALLOW_PROTOCOL", protocols.join(":")),
            ("GIT_OPTIONAL_LOCKS", "0".to_owned()),
            ("LC_ALL", "C.UTF-8".to_owned()),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
        let folder = self.repository.folder().clone();
        let passed = vec!["SSH_AUTH_SOCK".to_owned()];
        let command = AllowedCommand::git(program, all, folder, environment, passed, Vec::new());
        Ready::new(self.call, command)
    }
}

/// The command by which git serves a repository of this machine, for a shell. It reads the configuration of that repository and
/// none of ours, since git keeps its own environment from it: what names a program is said again.
fn served_by(program: &str, service: &str) -> String {
    let settings: String = SERVED.iter().flat_map(|setting| [" -c ", setting]).collect();
    // What a partial clone has left out would be fetched by a program that its configuration names.
    format!(
        "GIT_ALLOW_PROTOCOL= GIT_NO_LAZY_FETCH=1 '{}'{settings} {service}",
        program.replace('\'', r"'\''")
    )
}

pub(super) fn object(id: git2::Oid) -> ObjectId {
    ObjectId::from_bytes_or_panic(id.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_of_the_other_end_is_one_word_for_a_shell() {
        let command = served_by("/opt/it's \"my\" $(x)/git", "receive-pack");
        let start = r#"GIT_ALLOW_PROTOCOL= GIT_NO_LAZY_FETCH=1 '/opt/it'\''s "my" $(x)/git' -c core.hooksPath=/dev/null -c "#;
        assert!(command.starts_with(start) && command.ends_with(" receive-pack"), "{command}");
        assert!(SERVED.concat().bytes().all(|byte| byte.is_ascii_alphanumeric() || b"./=".contains(&byte)));
    }
}
