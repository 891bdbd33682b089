//! The plan: what a person is asked, and the digest that binds their answer to it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ids::sha256_hex, policy::intent::Preview, tier::Tier};

/// What a person is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Names this asking; a fresh one each time.
    pub id: String,
    /// Covers all that is shown and all that decides: equal digests mean the same bytes will run.
    pub digest: String,
    /// The tool.
    pub tool: String,
    /// The workspace's id.
    pub workspace: String,
    /// How strictly it is asked.
    pub tier: Tier,
    /// Why it is asked, strictest first.
    pub reasons: Vec<String>,
    /// One line.
    pub summary: String,
    /// What a person needs to decide.
    pub preview: Preview,
    /// RFC 3339; afterwards the plan has to be made again.
    pub expires_at: String,
}

/// The parts of a plan that its digest covers.
#[derive(Debug, Serialize)]
pub struct Digested<'a> {
    /// The tool.
    pub tool: &'a str,
    /// The call's arguments.
    pub arguments: &'a Value,
    /// The workspace's id and root.
    pub workspace: (&'a str, &'a str),
    /// How strictly it is asked.
    pub tier: Tier,
    /// One line.
    pub summary: &'a str,
    /// What is shown.
    pub preview: &'a Preview,
    /// Identifies the configuration that was in force.
    pub law: &'a str,
}

impl Digested<'_> {
    /// The digest, `sha256:` and hex.
    pub fn digest(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or(Value::Null);
        format!("sha256:{}", sha256_hex(canonical(&value).as_bytes()))
    }
}

/// JSON with sorted keys and no white space: equal values have equal text.
pub fn canonical(value: &Value) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(map) => {
                let mut entries: Vec<_> = map.iter().collect();
                entries.sort_by(|left, right| left.0.cmp(right.0));
                Value::Object(entries.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect())
            }
            Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
            other => other.clone(),
        }
    }
    sorted(value).to_string()
}
