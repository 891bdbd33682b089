//! The first half of a call: prepared and decided about.
//!
//! What only reads is done at once, on the thread that prepared it; what is to be written down before is left to
//! [`dispatch`](super::dispatch).

use super::{approval, dispatch::Dispatch, part, place::Place};
use crate::{
    policy::{Answer, Intent, Verdict, judge},
    tier::Tier,
    tools::{AnyPrepared, AnyReply, Call, ToolError},
};

/// How far a call has come.
pub(super) enum Judged {
    /// It cannot be done as it is.
    NotPrepared(ToolError),
    /// It may be done, or not, or somebody is to be asked.
    Decided(Box<AnyPrepared>, Verdict),
    /// It was done.
    Ran { tier: Tier, intent: Intent, result: Box<Result<AnyReply, ToolError>> },
}

impl Dispatch<'_> {
    /// Prepares the call and decides about it; does it, where nothing is to be written down before.
    pub(super) fn judged(&self, place: &Place, call: &Call) -> Result<Judged, ToolError> {
        let Self { tool, request, .. } = self;
        let prepared = match self.prepare(place, call) {
            Ok(prepared) => prepared,
            Err(error) => return Ok(Judged::NotPrepared(error)),
        };
        let expires_at = approval::expires_at();
        let root = place.workspace.root().to_string_lossy();
        let question = self.question(&place.workspace, &root, &prepared.intent, &expires_at);
        let mut verdict = judge(&place.law, question, request.answer.as_ref());
        if let Verdict::Ask(plan) = &verdict
            && request.trust_client
            && plan.tier == Tier::Batch
        {
            verdict = judge(&place.law, question, Some(&Answer::allow(&plan.digest)));
        }
        if let Verdict::Ask(plan) = &mut verdict {
            // Who is asked should know what the call said otherwise.
            plan.reasons.extend(prepared.notes().iter().map(|note| format!("of the arguments: {note}")));
        }
        match verdict {
            Verdict::Run(permit) if tool.waits_for_no_journal() => {
                let (prepared, _) = part::chosen(prepared, request.answer.as_ref())?;
                call.check_cancelled()?;
                let (tier, intent) = (permit.tier(), prepared.intent.clone());
                Ok(Judged::Ran { tier, intent, result: Box::new(prepared.run(&permit, call)) })
            }
            verdict => Ok(Judged::Decided(Box::new(prepared), verdict)),
        }
    }
}
