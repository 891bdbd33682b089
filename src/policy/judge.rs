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
#[derive(Clone, Debug)]
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
        self.effect.writes() && !self.read_only_workspace
    }

    /// True when the permit is for a call that runs a program.
    pub fn allows_execute(&self) -> bool {
        self.effect.executes()
    }

    /// For what a person asks of the control plane: putting back what calls changed. No model reaches it.
    pub fn for_undo() -> Self {
        Self { tier: Tier::Individual, effect: Effect::Write, read_only_workspace: false }
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
    /// The workspace of which that is said: this one, or one around it.
    pub closed_by: &'a str,
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
    /// The hunks that are allowed; `None`: all of them.
    pub hunks: Option<Vec<String>>,
    /// Why the answer no longer counts (expired, used before); the plan is then asked again.
    pub void: Option<String>,
}

impl Answer {
    /// Yes, to all of the plan with this digest.
    pub fn allow(digest: &str) -> Self {
        Self { digest: digest.to_owned(), decision: Decision::Allow, note: None, hunks: None, void: None }
    }

    /// No, to whatever the plan was.
    pub fn deny() -> Self {
        Self { digest: String::new(), decision: Decision::Deny, note: None, hunks: None, void: None }
    }
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
        if question.read_only && intent.effect.writes() {
            return Verdict::Refuse(Refusal::ReadOnly { workspace: question.closed_by.to_owned() });
        }
    }
    // A person's no stands, whatever the law thinks of the call by now.
    if let Some(Answer { decision: Decision::Deny, note, .. }) = answer {
        return Verdict::Refuse(Refusal::Denied { note: note.clone() });
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{
        config::Config,
        policy::{Preview, Raise},
    };

    const TIERS: [Tier; 3] = [Tier::Auto, Tier::Batch, Tier::Individual];

    fn intent(effect: Effect, raises: &[Tier], tier: Option<Tier>) -> Intent {
        Intent {
            effect,
            raises: raises
                .iter()
                .map(|&tier| Raise { tier, reason: format!("raised to {}", tier.as_str()) })
                .collect(),
            tier,
            changes: Vec::new(),
            summary: "does it".to_owned(),
            preview: Some(Preview::Files { files: Vec::new() }),
        }
    }

    fn ask(
        law: &Law,
        intent: &Intent,
        base: Tier,
        change: impl FnOnce(&mut Question<'_>),
        answer: Option<&Answer>,
    ) -> Verdict {
        let arguments = json!({ "path": "a" });
        let mut question = Question {
            tool: "fs_write",
            base_tier: base,
            arguments: &arguments,
            workspace: "app",
            workspace_root: "/app",
            read_only: false,
            closed_by: "app",
            mode: Mode::Ask,
            intent,
            expires_at: "2026-01-01T00:00:00Z",
        };
        change(&mut question);
        judge(law, question, answer)
    }

    fn law(lowered: Option<Tier>) -> Law {
        let mut config = Config::without_file();
        config.tool_tiers.extend(lowered.map(|tier| ("fs_write".to_owned(), tier)));
        Law::new(&config).unwrap()
    }

    fn plan(verdict: Verdict) -> Plan {
        match verdict {
            Verdict::Ask(plan) => *plan,
            other => panic!("{other:?}"),
        }
    }

    fn answer(digest: &str, decision: Decision) -> Answer {
        Answer { decision, note: Some("no".to_owned()), ..Answer::allow(digest) }
    }

    proptest! {
        #[test]
        fn the_strictest_wins_and_only_the_administrator_lowers(
            base in proptest::sample::select(&TIERS[..]),
            lowered in proptest::option::of(proptest::sample::select(&TIERS[..])),
            command in proptest::option::of(proptest::sample::select(&TIERS[..])),
            raises in proptest::collection::vec(proptest::sample::select(&TIERS[..]), 0..4),
        ) {
            let intent = intent(Effect::Write, &raises, command);
            // The administrator lowers a tool, and no command that is written with a tier.
            let own = lowered.max(command).unwrap_or(base);
            let expected = raises.iter().copied().fold(own, Tier::max);
            match ask(&law(lowered), &intent, base, |_| {}, None) {
                Verdict::Run(permit) => prop_assert_eq!((expected, permit.tier()), (Tier::Auto, Tier::Auto)),
                Verdict::Ask(plan) => {
                    prop_assert_eq!(plan.tier, expected);
                    prop_assert_ne!(expected, Tier::Auto);
                    // The tool's own tier is a reason only where nothing raised it.
                    let unraised = expected == own;
                    prop_assert_eq!(plan.reasons.len(), raises.len() + usize::from(unraised));
                }
                Verdict::Refuse(refusal) => prop_assert!(false, "{}", refusal),
            }
        }

        #[test]
        fn a_deny_is_never_beaten(
            right in any::<bool>(),
            void in any::<bool>(),
            base in proptest::sample::select(&TIERS[1..]),
        ) {
            let (law, intent) = (law(None), intent(Effect::Write, &[], None));
            let asked = plan(ask(&law, &intent, base, |_| {}, None));
            let mut denied = answer(if right { &asked.digest } else { "other" }, Decision::Deny);
            denied.void = void.then(|| "it has expired".to_owned());
            let verdict = ask(&law, &intent, base, |_| {}, Some(&denied));
            let denied = matches!(verdict, Verdict::Refuse(Refusal::Denied { .. }));
            prop_assert!(denied);
        }
    }

    #[test]
    fn a_deny_holds_even_where_nothing_would_be_asked_any_more() {
        let intent = intent(Effect::Write, &[], None);
        let verdict =
            ask(&law(Some(Tier::Auto)), &intent, Tier::Batch, |_| {}, Some(&answer("x", Decision::Deny)));
        assert!(matches!(verdict, Verdict::Refuse(Refusal::Denied { .. })), "{verdict:?}");
    }

    #[test]
    fn an_approval_counts_once_for_what_was_shown() {
        let (law, intent) = (law(None), intent(Effect::Write, &[], None));
        let asked = plan(ask(&law, &intent, Tier::Batch, |_| {}, None));
        let yes = answer(&asked.digest, Decision::Allow);
        assert!(matches!(ask(&law, &intent, Tier::Batch, |_| {}, Some(&yes)), Verdict::Run(_)));
        let void = Answer { void: Some("it was used before".to_owned()), ..yes.clone() };
        let again = plan(ask(&law, &intent, Tier::Batch, |_| {}, Some(&void)));
        assert_eq!(again.reasons[0], "approval_stale: it was used before");
        assert_ne!(again.id, asked.id);
        let other =
            plan(ask(&law, &intent, Tier::Batch, |question| question.workspace = "other", Some(&yes)));
        assert!(other.reasons[0].starts_with("approval_stale: what would happen"), "{:?}", other.reasons);
        let mut stricter = intent.clone();
        stricter.raises.push(Raise { tier: Tier::Individual, reason: "protected".to_owned() });
        assert!(matches!(ask(&law, &stricter, Tier::Batch, |_| {}, Some(&yes)), Verdict::Ask(_)));
    }

    #[test]
    fn an_approval_under_another_law_does_not_count() {
        let intent = intent(Effect::Write, &[], None);
        let asked = plan(ask(&law(None), &intent, Tier::Batch, |_| {}, None));
        let yes = answer(&asked.digest, Decision::Allow);
        let mut config = Config::without_file();
        config.files.blocked.push("secrets/**".to_owned());
        let changed = Law::new(&config).unwrap();
        assert!(matches!(ask(&changed, &intent, Tier::Batch, |_| {}, Some(&yes)), Verdict::Ask(_)));
        config = Config::without_file();
        config.path = Some("/elsewhere/config.toml".into());
        let moved = Law::new(&config).unwrap();
        assert!(matches!(ask(&moved, &intent, Tier::Batch, |_| {}, Some(&yes)), Verdict::Run(_)));
    }

    #[test]
    fn plan_mode_and_read_only_workspaces_change_nothing() {
        let auto = law(Some(Tier::Auto));
        for effect in [Effect::Write, Effect::Execute] {
            let verdict = ask(
                &auto,
                &intent(effect, &[], None),
                Tier::Auto,
                |question| question.mode = Mode::Plan,
                None,
            );
            assert!(matches!(verdict, Verdict::Refuse(Refusal::PlanMode { .. })));
        }
        let verdict = ask(
            &auto,
            &intent(Effect::Write, &[], None),
            Tier::Auto,
            |question| question.read_only = true,
            None,
        );
        assert!(matches!(verdict, Verdict::Refuse(Refusal::ReadOnly { .. })));
        let read = ask(
            &auto,
            &intent(Effect::Read, &[], None),
            Tier::Auto,
            |question| question.mode = Mode::Plan,
            None,
        );
        match read {
            Verdict::Run(permit) => assert!(!permit.allows_write() && !permit.allows_execute()),
            other => panic!("{other:?}"),
        }
    }
}
