//! Approvals on the wire: a plan's state is sealed with a key of this process, opened on the retry, and used once.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use rmcp::model::{RequestStateCodec, RequestStateError, SealOptions};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::entropy;
use crate::{
    limits::PLAN_LIFETIME_SECONDS,
    policy::{Answer, Decision, Plan},
};

/// The key under which the one question is asked.
pub const QUESTION: &str = "approval";

/// Seals plans and knows which were used.
pub struct Approvals {
    codec: RequestStateCodec,
    used: Mutex<HashSet<String>>,
}

impl std::fmt::Debug for Approvals {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Approvals").finish_non_exhaustive()
    }
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    plan: String,
    digest: String,
}

/// What a client answered, before anything of it is believed.
#[derive(Clone, Debug, Default)]
pub struct Response {
    /// The sealed state, echoed.
    pub state: Option<String>,
    /// The elicitation's result.
    pub content: Option<Value>,
    /// What else the client says of the answer.
    pub approval: Approval,
}

/// `_meta["dev.outrigger/approval"]`: who answered, and for what part of the plan.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// `user` or `rule:<id>`.
    #[serde(default, deserialize_with = "decider")]
    pub by: Option<String>,
    /// The hunks that are allowed; none named: all of them.
    #[serde(default)]
    pub hunks: Option<Vec<String>>,
    /// The same note as in the elicitation's result.
    #[serde(default)]
    pub note: Option<String>,
}

/// The longest id of a rule.
const RULE_ID_BYTES: usize = 64;

/// Who decided, which the audit keeps: nothing but a person or a rule is believed.
fn decider<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let Some(by) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    let is_id = |id: &str| {
        (1..=RULE_ID_BYTES).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    if by == "user" || by.strip_prefix("rule:").is_some_and(is_id) {
        return Ok(Some(by));
    }
    Err(D::Error::custom("`by` is `user` or `rule:<id>`, the id of at most 64 of A-Z, a-z, 0-9, `_` and `-`"))
}

impl Approvals {
    /// With a fresh key: states of another process's life do not open.
    pub fn new() -> Self {
        let mut key = [0_u8; 32];
        if entropy::fill(&mut key).is_err() {
            // No randomness means no seal anybody could trust: a key nobody can know is made from what differs per process.
            let seed =
                format!("{}{:?}{}", std::process::id(), std::time::Instant::now(), crate::ids::new_ulid());
            key.copy_from_slice(&Sha256::digest(seed.as_bytes()));
        }
        Self { codec: RequestStateCodec::new_unchecked(key), used: Mutex::default() }
    }

    /// The state that goes out with a plan. `binding` names the request it belongs to.
    pub fn seal(&self, plan: &Plan, binding: &str) -> String {
        self.seal_for(plan, binding, Duration::from_secs(PLAN_LIFETIME_SECONDS.unsigned_abs()))
    }

    fn seal_for(&self, plan: &Plan, binding: &str, lifetime: Duration) -> String {
        let sealed = Sealed { plan: plan.id.clone(), digest: plan.digest.clone() };
        let options = SealOptions::new().associated_data(binding.as_bytes()).ttl(lifetime);
        self.codec.seal_json_with(&sealed, &options).unwrap_or_default()
    }

    /// What a client's answer is worth. A denial counts whatever its state; an approval only with a state that opens. Either uses the
    /// plan up: what was denied is not allowed afterwards.
    pub fn open(&self, response: &Response, binding: &str) -> Option<Answer> {
        if response.state.is_none() && response.content.is_none() {
            return None;
        }
        let used = self.use_up(response.state.as_deref(), binding);
        let (decision, note) = decide(response.content.as_ref());
        let note = note.or_else(|| response.approval.note.clone());
        let hunks = response.approval.hunks.clone();
        // Allowing nothing of a change is denying it.
        if decision == Decision::Deny || hunks.as_ref().is_some_and(Vec::is_empty) {
            return Some(Answer { note, ..Answer::deny() });
        }
        let (digest, void) = match used {
            Ok(digest) => (digest, None),
            Err(why) => (String::new(), Some(why.to_owned())),
        };
        Some(Answer { digest, decision, note, hunks, void })
    }

    /// The digest of the plan that a state names, once; an error is why it no longer counts.
    fn use_up(&self, state: Option<&str>, binding: &str) -> Result<String, &'static str> {
        let opened: Result<Sealed, _> = match state {
            Some(state) => self.codec.open_json_with(state, binding.as_bytes()),
            None => Err(RequestStateError::MalformedFormat),
        };
        match opened {
            Ok(sealed) if self.use_once(&sealed.plan) => Ok(sealed.digest),
            Ok(_) => Err("this plan was used before"),
            Err(RequestStateError::Expired) => Err("the plan has expired"),
            Err(_) => Err("the plan was made by another run of the host, or for another call"),
        }
    }

    fn use_once(&self, plan: &str) -> bool {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(plan.to_owned())
    }
}

impl Default for Approvals {
    fn default() -> Self {
        Self::new()
    }
}

/// Reads an elicitation's result. Doubt means deny.
pub fn decide(result: Option<&Value>) -> (Decision, Option<String>) {
    let Some(result) = result else { return (Decision::Deny, None) };
    let content = &result["content"];
    let note = content["note"].as_str().map(str::trim).filter(|note| !note.is_empty()).map(str::to_owned);
    // An answer that has not the form that was asked for is none.
    let is_formed = matches!(content["note"], Value::Null | Value::String(_));
    let allowed = result["action"] == "accept" && content["decision"] == "allow" && is_formed;
    (if allowed { Decision::Allow } else { Decision::Deny }, note)
}

/// When a plan made now expires, RFC 3339.
pub fn expires_at() -> String {
    let lifetime = SignedDuration::from_secs(PLAN_LIFETIME_SECONDS);
    Timestamp::now().checked_add(lifetime).unwrap_or(Timestamp::MAX).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{policy::Preview, tier::Tier};

    fn plan() -> Plan {
        Plan {
            id: crate::ids::new_ulid(),
            digest: "sha256:x".into(),
            tool: "fs_write".into(),
            workspace: "app".into(),
            tier: Tier::Batch,
            reasons: vec![],
            summary: String::new(),
            preview: Preview::Files { files: vec![] },
            expires_at: expires_at(),
        }
    }

    fn allow(state: &str) -> Response {
        Response {
            state: Some(state.into()),
            content: Some(json!({"action": "accept", "content": {"decision": "allow"}})),
            approval: Approval::default(),
        }
    }

    #[test]
    fn an_approval_counts_once_for_its_own_request_in_its_own_process() {
        let approvals = Approvals::new();
        let state = approvals.seal(&plan(), "call 1");
        assert!(approvals.open(&allow(&state), "call 2").unwrap().void.is_some());
        assert!(Approvals::new().open(&allow(&state), "call 1").unwrap().void.is_some());
        assert!(approvals.open(&allow(&state[..state.len() - 2]), "call 1").unwrap().void.is_some());
        let answer = approvals.open(&allow(&state), "call 1").unwrap();
        assert_eq!((answer.void, answer.digest.as_str()), (None, "sha256:x"));
        assert!(approvals.open(&allow(&state), "call 1").unwrap().void.is_some());
    }

    #[test]
    fn a_plan_that_was_denied_is_not_allowed_afterwards() {
        let approvals = Approvals::new();
        let hunkless = Approval { hunks: Some(Vec::new()), ..Approval::default() };
        for (content, approval) in [
            (Some(json!({"action": "accept", "content": {"decision": "deny"}})), Approval::default()),
            (Some(json!({"action": "decline"})), Approval::default()),
            (Some(json!({"action": "cancel"})), Approval::default()),
            (Some(json!({"action": "accept", "content": {"decision": ["allow"]}})), Approval::default()),
            (Some(json!({})), Approval::default()),
            (None, Approval::default()),
            (Some(json!({"action": "accept", "content": {"decision": "allow"}})), hunkless),
        ] {
            let state = approvals.seal(&plan(), "call 1");
            let denial = Response { state: Some(state.clone()), content, approval };
            assert_eq!(approvals.open(&denial, "call 1").unwrap().decision, Decision::Deny, "{denial:?}");
            let late = approvals.open(&allow(&state), "call 1").unwrap();
            assert_eq!(late.void.as_deref(), Some("this plan was used before"), "{denial:?}");
        }
        // What is no answer to a plan does not use it up.
        let state = approvals.seal(&plan(), "call 1");
        let elsewhere = Response { content: None, ..allow(&state) };
        assert_eq!(approvals.open(&elsewhere, "call 2").unwrap().decision, Decision::Deny);
        assert_eq!(approvals.open(&allow(&state), "call 1").unwrap().void, None);
    }

    #[test]
    fn an_approval_that_comes_too_late_is_no_approval() {
        let approvals = Approvals::new();
        let state = approvals.seal_for(&plan(), "call 1", Duration::ZERO);
        std::thread::sleep(Duration::from_millis(20));
        let answer = approvals.open(&allow(&state), "call 1").unwrap();
        assert_eq!((answer.void.as_deref(), answer.digest.as_str()), (Some("the plan has expired"), ""));
        // A denial counts whenever it comes.
        let mut denial = allow(&state);
        denial.content = Some(json!({"action": "decline"}));
        assert_eq!(approvals.open(&denial, "call 1").unwrap().decision, Decision::Deny);
    }

    #[test]
    fn a_person_or_a_rule_decides_and_nobody_else() {
        let read =
            |by: Value| serde_json::from_value::<Approval>(json!({"by": by})).map(|approval| approval.by);
        for by in ["user", "rule:accept_edits", "rule:lease-01JD", "rule:01JD3Z8Q9Y"] {
            assert_eq!(read(json!(by)).unwrap().as_deref(), Some(by));
        }
        assert_eq!(read(json!(null)).unwrap(), None);
        assert_eq!(serde_json::from_str::<Approval>("{}").unwrap().by, None);
        for by in [
            "",
            "model",
            "User",
            "rule:",
            "rule:a b",
            "rule:\u{202e}",
            "user\n",
            "rule:a:b",
            "client",
            "config",
        ] {
            assert!(read(json!(by)).is_err(), "{by:?}");
        }
        assert!(read(json!(format!("rule:{}", "x".repeat(65)))).is_err());
        assert!(read(json!(1)).is_err());
    }

    #[test]
    fn doubt_means_deny() {
        for content in [
            json!(null),
            json!({}),
            json!({"action": "accept"}),
            json!({"action": "accept", "content": {}}),
            json!({"action": "accept", "content": {"decision": "ALLOW"}}),
            json!({"action": "accept", "content": {"decision": true}}),
            json!({"action": "accept", "content": {"decision": "allow", "note": 5}}),
            json!({"action": "accept", "content": {"decision": "allow", "note": {}}}),
            json!({"action": "decline", "content": {"decision": "allow"}}),
            json!({"action": "cancel"}),
            json!([1]),
        ] {
            assert_eq!(decide(Some(&content)).0, Decision::Deny, "{content}");
        }
        let denied = decide(Some(
            &json!({"action": "accept", "content": {"decision": "deny", "note": " use b.txt "}}),
        ));
        assert_eq!(denied, (Decision::Deny, Some("use b.txt".into())));
        assert!(Approvals::new().open(&Response::default(), "x").is_none());
        let approvals = Approvals::new();
        let mut nothing = allow(&approvals.seal(&plan(), "x"));
        nothing.approval.hunks = Some(Vec::new());
        assert_eq!(approvals.open(&nothing, "x").unwrap().decision, Decision::Deny);
    }
}
