//! The verdict over a prepared call: run it, ask a person, or refuse.

use serde_json::Value;

use crate::{
    ids::new_ulid,
    policy::{
        Law,
        intent::{Effect, Intent},
        plan::{Digested, Plan},
    },
    tier::{Mode, Tier},
};

/// Proof that the law let a call run. Only [`judge`] makes one; the doors that change something take one.
#[derive(Debug)]
pub struct Permit {
    tier: Tier,
    effect: Effect,
    read_only_workspace: bool,
}

impl Permit {
    /// The tier the call was judged under.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// True when the permit is for a call that changes files or git data.
    pub fn allows_write(&self) -> bool {
        self.effect == Effect::Write && !self.read_only_workspace
    }

    /// True when the permit is for a call that runs a program.
    pub fn allows_execute(&self) -> bool {
        self.effect == Effect::Execute
    }

    /// A permit for tests of the doors, which have no law at hand.
    #[cfg(test)]
    pub fn for_test(effect: Effect) -> Self {
        Self { tier: Tier::Auto, effect, read_only_workspace: false }
    }
}

/// What is judged.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// Its base tier.
    pub base_tier: Tier,
    /// The call's arguments.
    pub arguments: &'a Value,
    /// The workspace's id.
    pub workspace: &'a str,
    /// Its root, for the digest.
    pub workspace_root: &'a str,
    /// Nothing may change in it.
    pub read_only: bool,
    /// The session's mode.
    pub mode: Mode,
    /// What is about to happen.
    pub intent: &'a Intent,
    /// RFC 3339: when a plan made now would expire.
    pub expires_at: &'a str,
}

/// A person's answer to an earlier plan, as the server found it to be genuine.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The digest of the plan that was answered.
    pub digest: String,
    /// Yes or no.
    pub decision: Decision,
    /// What the person wrote beside it.
    pub note: Option<String>,
    /// Why the answer no longer counts (expired, used before); the plan is then asked again.
    pub void: Option<String>,
}

/// Yes or no; doubt is no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run it.
    Allow,
    /// Do not.
    Deny,
}

/// What the law says.
#[derive(Debug)]
pub enum Verdict {
    /// It may run.
    Run(Permit),
    /// A person has to be asked.
    Ask(Box<Plan>),
    /// It will not run.
    Refuse(Refusal),
}

/// Why a call will not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A person said no.
    #[error("the user denied this call{}", note.as_deref().map(|note| format!(": {note}")).unwrap_or_default())]
    Denied {
        /// What the person wrote.
        note: Option<String>,
    },
    /// The session only plans.
    #[error("the session is in plan mode, which only reads; `{tool}` would change something")]
    PlanMode {
        /// The tool.
        tool: String,
    },
    /// The administrator made the workspace read-only.
    #[error("the workspace `{workspace}` is read-only")]
    ReadOnly {
        /// The workspace's id.
        workspace: String,
    },
}

/// Judges a prepared call. The strictest of the tool's tier, the administrator's and the raises decides.
pub fn judge(law: &Law, question: Question<'_>, answer: Option<&Answer>) -> Verdict {
    let Question { tool, intent, .. } = question;
    if intent.effect != Effect::Read {
        if question.mode == Mode::Plan {
            return Verdict::Refuse(Refusal::PlanMode { tool: tool.to_owned() });
        }
        if question.read_only && intent.effect == Effect::Write {
            return Verdict::Refuse(Refusal::ReadOnly { workspace: question.workspace.to_owned() });
        }
    }
    let (tier, mut reasons) = law.effective_tier(tool, question.base_tier, intent);
    let permit = || Permit { tier, effect: intent.effect, read_only_workspace: question.read_only };
    if tier == Tier::Auto {
        return Verdict::Run(permit());
    }
    let preview = intent.preview.clone().unwrap_or(crate::policy::Preview::Files { files: Vec::new() });
    let digest = Digested {
        tool,
        arguments: question.arguments,
        workspace: (question.workspace, question.workspace_root),
        tier,
        summary: &intent.summary,
        preview: &preview,
        law: law.digest(),
    }
    .digest();
    if let Some(answer) = answer {
        if answer.decision == Decision::Deny {
            return Verdict::Refuse(Refusal::Denied { note: answer.note.clone() });
        }
        match &answer.void {
            Some(why) => reasons.insert(0, format!("approval_stale: {why}")),
            None if answer.digest == digest => return Verdict::Run(permit()),
            None => reasons
                .insert(0, "approval_stale: what would happen is no longer what was approved".to_owned()),
        }
    }
    Verdict::Ask(Box::new(Plan {
        id: new_ulid(),
        digest,
        tool: tool.to_owned(),
        workspace: question.workspace.to_owned(),
        tier,
        reasons,
        summary: intent.summary.clone(),
        preview,
        expires_at: question.expires_at.to_owned(),
    }))
}
