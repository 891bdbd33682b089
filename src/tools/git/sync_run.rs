//! [`super::sync`] after it was allowed: the git program ran, and what it brought becomes the repository's.

use std::collections::HashSet;

use gix::ObjectId;

use super::{
    add::changed_meanwhile,
    commit_facts::short,
    libgit2,
    move_evidence::MoveEvidence,
    refspecs::Refspec,
    remote::{Remote, without_login},
    sync::{Facts, RefChange, Work},
    sync_plan::object,
    tree_move::{TreeMove, refuse_busy},
};
use crate::{
    policy::Permit,
    process::Ended,
    text::{counted, visible},
    tools::{
        Call, Code, Reply, ToolError,
        exec::{Ran, Ready},
    },
};

/// Output of the git program that is shown.
const OUTPUT_BYTES: usize = 8 * 1024;
/// What git says of a push that sent nothing.
const UP_TO_DATE: &str = "Everything up-to-date";
/// References that are named.
const NAMED: usize = 100;

/// A reference and what it names.
type Named = (String, git2::Oid);
/// A reference, what it names and what it will name.
type Move = (String, (Option<git2::Oid>, git2::Oid));

impl Work {
    pub(super) fn fetch(
        &self,
        permit: &Permit,
        call: &Call,
        opened: &git2::Repository,
        (ready, refspecs): (&Ready, &[Refspec]),
        pulls: bool,
    ) -> Result<Reply<Facts>, ToolError> {
        let exchange = self.repository.exchange(permit, opened)?;
        let failed = |error: git2::Error| libgit2(&self.repository, &error);
        let before = exchange.references("refs/").map_err(failed)?;
        let ran = ready.run(permit, call)?;
        if !ran.succeeded() {
            return Err(unsuccessful("fetch", &self.remote, &ran));
        }
        let after = exchange.references("refs/").map_err(failed)?;
        let mut refs = self.forget(permit, opened, (before, &after))?;
        refs.extend(self.take_over(permit, opened, after, refspecs)?);
        let mut text = match refs.len() {
            0 => format!("nothing new from `{}`", self.remote.name),
            count => {
                format!("{} from `{}`:\n{}", counted(count, "reference"), self.remote.name, lines(&refs))
            }
        };
        if pulls {
            let to = opened.refname_to_id(&self.remote.tracking(&self.remote.followed)).ok();
            let from = opened.refname_to_id(&format!("refs/heads/{}", self.branch)).ok();
            text.push_str(match (from, to) {
                (Some(from), Some(to)) if opened.graph_descendant_of(to, from).unwrap_or(false) => {
                    "\ncall git_sync `pull` again to move the branch forward to it"
                }
                (None, Some(_)) => {
                    "\ncall git_sync `pull` again to check it out: the branch has no commit yet"
                }
                (from, to) if from == to && to.is_some() => "\nthe branch is up to date",
                (Some(from), Some(to)) if opened.graph_descendant_of(from, to).unwrap_or(false) => {
                    "\nthe branch is up to date, and ahead: it has commits that a `push` would send"
                }
                (_, None) => "\nthe remote has no branch of this name",
                _ => "\nthe branch cannot go forward to it; git_log `a...b` shows how they differ",
            });
        }
        text.push_str(&said(&ran));
        Ok(Reply::new(text, Facts { refs, files: Vec::new() }))
    }

    /// What the git program has pruned is no more. First, since a branch may have come that one of these was in the way of.
    fn forget(
        &self,
        permit: &Permit,
        opened: &git2::Repository,
        (before, after): (Vec<Named>, &[Named]),
    ) -> Result<Vec<RefChange>, ToolError> {
        let left: HashSet<&str> = after.iter().map(|(name, _)| name.as_str()).collect();
        let gone: Vec<_> = before.into_iter().filter(|(name, _)| !left.contains(name.as_str())).collect();
        if !gone.is_empty() {
            self.repository.remove_references(permit, opened, &gone)?;
        }
        let of =
            |(name, from): (String, git2::Oid)| RefChange { name, from: from.to_string(), to: String::new() };
        Ok(gone.into_iter().map(of).collect())
    }

    /// What was fetched becomes known to the repository. Tags that it has stay as they are, but for those that a refspec names.
    fn take_over(
        &self,
        permit: &Permit,
        opened: &git2::Repository,
        found: Vec<Named>,
        refspecs: &[Refspec],
    ) -> Result<Vec<RefChange>, ToolError> {
        let mut moves: Vec<Move> = Vec::new();
        for (name, to) in found {
            let from = opened.refname_to_id(&name).ok();
            let is_new_tag = name.starts_with("refs/tags/") && from.is_none();
            let is_taken = is_new_tag || refspecs.iter().any(|refspec| refspec.keeps(&name));
            if is_taken && from != Some(to) && git2::Reference::is_valid_name(&name) {
                moves.push((name, (from, to)));
            }
        }
        self.move_references(permit, opened, &moves, &format!("fetch {}", self.remote.name))?;
        let of = |(name, (from, to)): Move| RefChange {
            name,
            from: from.map(|from| from.to_string()).unwrap_or_default(),
            to: to.to_string(),
        };
        Ok(moves.into_iter().map(of).collect())
    }

    /// All of them or none.
    fn move_references(
        &self,
        permit: &Permit,
        opened: &git2::Repository,
        moves: &[Move],
        message: &str,
    ) -> Result<(), ToolError> {
        if moves.is_empty() {
            return Ok(());
        }
        let names: Vec<&[u8]> = moves.iter().map(|(name, _)| name.as_bytes()).collect();
        let mut holding = self.repository.hold(permit, &names)?;
        for (name, ids) in moves {
            holding.set_reference(opened, name, *ids, message)?;
        }
        Ok(holding.put()?)
    }

    pub(super) fn push(
        &self,
        permit: &Permit,
        call: &Call,
        opened: &git2::Repository,
        ready: &Ready,
        commit: git2::Oid,
    ) -> Result<Reply<Facts>, ToolError> {
        let exchange = self.repository.exchange(permit, opened)?;
        let ran = ready.run(permit, call)?;
        drop(exchange);
        if !ran.succeeded() {
            return Err(unsuccessful("push", &self.remote, &ran));
        }
        let tracking = self.remote.tracking(&self.remote.sent_to);
        let known = opened.refname_to_id(&tracking).ok();
        if known != Some(commit) {
            self.move_references(permit, opened, &[(tracking, (known, commit))], "update by push")?;
        }
        // What had been fetched may be old, so whether the remote has taken anything is git's to say; a remote's own lines begin otherwise.
        let is_new = !ran.transcript.last(OUTPUT_BYTES).lines().any(|line| line == UP_TO_DATE);
        let name = format!("refs/heads/{}", self.remote.sent_to);
        let from = known.map(|known| known.to_string()).unwrap_or_default();
        let refs = if is_new { vec![RefChange { name, from, to: commit.to_string() }] } else { Vec::new() };
        let (branch, remote) = (&self.branch, &self.remote.name);
        let done = if is_new {
            format!("pushed `{branch}` to `{remote}`")
        } else {
            format!("nothing to push: `{remote}` has all of `{branch}`")
        };
        let text = format!("{done}{}", said(&ran));
        Ok(Reply::new(text, Facts { refs, files: Vec::new() }))
    }

    pub(super) fn forward(
        &self,
        permit: &Permit,
        call: &Call,
        opened: &git2::Repository,
        movement: &TreeMove,
        (from, to): (Option<git2::Oid>, git2::Oid),
    ) -> Result<Reply<Facts>, ToolError> {
        refuse_busy(&self.repository, opened, call)?;
        let name = format!("refs/heads/{}", self.branch);
        let head = self.repository.head(opened)?;
        if head.reference != name.as_bytes() || head.id != from {
            return Err(changed_meanwhile());
        }
        let reader = self.repository.reader()?;
        movement.make(call, permit, &self.repository, (&reader, opened), (&name, from), |holding| {
            let who = self.repository.who(opened).map_err(|error| libgit2(&self.repository, &error))?;
            let message = if from.is_some() { "pull: Fast-forward" } else { "initial pull" };
            Ok(holding.move_head(opened, &head, to, (&who, message))?)
        })?;
        Ok(moved((&self.branch, name), (from.map(object), object(to)), movement.files()))
    }
}

/// The answer of a forward move that its host did not live to give.
pub(super) fn forwarded(evidence: &MoveEvidence) -> Reply<Facts> {
    let none = || ObjectId::null(gix::hash::Kind::Sha1);
    let (from, to) = (evidence.from(), evidence.to().unwrap_or_else(none));
    let name = format!("refs/heads/{}", evidence.branch());
    moved((evidence.branch(), name), (from, to), evidence.files.clone())
}

fn moved(
    (branch, name): (&str, String),
    (from, to): (Option<ObjectId>, ObjectId),
    files: Vec<String>,
) -> Reply<Facts> {
    let text =
        format!("moved `{branch}` forward to {} ({} changed)", short(to), counted(files.len(), "file"));
    let refs = vec![RefChange {
        name,
        from: from.map(|from| from.to_string()).unwrap_or_default(),
        to: to.to_string(),
    }];
    Reply::new(text, Facts { refs, files })
}

fn lines(refs: &[RefChange]) -> String {
    let of = |id: &str, none: &str| id.get(..10).unwrap_or(none).to_owned();
    let shown = refs.iter().take(NAMED);
    let lines: Vec<String> = shown
        .map(|change| {
            format!("  {} {} -> {}", visible(&change.name), of(&change.from, "new"), of(&change.to, "gone"))
        })
        .collect();
    lines.join("\n")
}

fn said(ran: &Ran) -> String {
    let output = without_login(&ran.transcript.last(OUTPUT_BYTES));
    if output.trim().is_empty() { String::new() } else { format!("\n\ngit said:\n{}", output.trim_end()) }
}

fn unsuccessful(what: &str, remote: &Remote, ran: &Ran) -> ToolError {
    let output = without_login(&ran.transcript.last(OUTPUT_BYTES));
    let has = |words: &[&str]| words.iter().any(|word| output.contains(word));
    let (code, hint) = match ran.outcome.ended {
        Ended::Cancelled => {
            return ToolError::cancelled(&format!(
                "the {what} was ended; the remote may have taken a part of it"
            ));
        }
        Ended::Timeout | Ended::IdleTimeout => (Code::Timeout, "the remote may be slow or out of reach"),
        _ if what == "fetch" && has(&["[rejected]"]) => (
            Code::Stale,
            "the remote has replaced commits, and its `fetch` in the configuration, which is without a `+`, does not take that",
        ),
        _ if has(&["[rejected]", "stale info", "non-fast-forward"]) => {
            (Code::Stale, "fetch first; git_log `a...b` shows how the two differ")
        }
        _ if has(&["unpacker error", "unable to create temporary object directory"]) => (
            Code::PermissionDenied,
            "the remote's folder cannot be written to from here (a remote on this machine lies outside what the git program may \
             write); the user can push with git itself",
        ),
        // What the remote itself decides, as a hook, a rule of the branch, or since it is checked out there.
        _ if has(&["[remote rejected]"]) => (
            Code::PermissionDenied,
            "the remote does not take it, for the reason in brackets; fetching does not change that, another branch may",
        ),
        _ if has(&["Authentication failed", "Permission denied", "could not read Username", "Host key"]) => (
            Code::PermissionDenied,
            "nobody is asked for a password here; an ssh agent helps, or the administrator's `credentials = true`",
        ),
        _ => (Code::NotFound, "the remote could not be used; the user can try with git itself"),
    };
    ToolError::new(
        code,
        format!("the {what} with `{}` ({}) failed. git said:\n{output}", remote.name, remote.shown_url()),
        hint,
    )
}
