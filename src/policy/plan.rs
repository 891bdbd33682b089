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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn digest(parts: &[String; 7]) -> String {
        let preview = Preview::Stage {
            action: parts[4].clone(),
            paths: vec![parts[5].clone()],
            before: String::new(),
            after: String::new(),
        };
        Digested {
            tool: &parts[0],
            arguments: &json!({ "a": parts[1] }),
            workspace: (&parts[2], "/root"),
            tier: Tier::Batch,
            summary: &parts[3],
            preview: &preview,
            law: &parts[6],
        }
        .digest()
    }

    proptest! {
        #[test]
        fn whatever_is_shown_changes_the_digest(
            parts in proptest::array::uniform7(".{0,12}"),
            index in 0_usize..7,
            more in ".{1,6}",
        ) {
            let mut changed = parts.clone();
            changed[index].push_str(&more);
            prop_assert_ne!(digest(&parts), digest(&changed));
            prop_assert_eq!(digest(&parts), digest(&parts.clone()));
        }

        #[test]
        fn the_order_of_keys_says_nothing(keys in proptest::collection::hash_map("[a-z]{1,6}", any::<i32>(), 0..8)) {
            let mut pairs: Vec<_> = keys.into_iter().collect();
            let object = |pairs: &[(String, i32)]| {
                Value::Object(pairs.iter().map(|(key, value)| (key.clone(), json!({ "z": value, "a": value }))).collect())
            };
            let forward = canonical(&object(&pairs));
            pairs.reverse();
            prop_assert_eq!(forward, canonical(&object(&pairs)));
        }
    }

    #[test]
    fn the_tier_is_part_of_the_digest() {
        let preview = Preview::Files { files: Vec::new() };
        let of = |tier| {
            let arguments = Value::Null;
            Digested {
                tool: "t",
                arguments: &arguments,
                workspace: ("w", "/"),
                tier,
                summary: "s",
                preview: &preview,
                law: "l",
            }
            .digest()
        };
        assert_ne!(of(Tier::Batch), of(Tier::Individual));
    }
}
