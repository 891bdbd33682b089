//! Approval tiers and session modes: how much a person has to say before something happens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much approval a call needs; ordered, the strictest wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Runs at once.
    Auto,
    /// Asked once for a group.
    Batch,
    /// Asked for this one call.
    Individual,
}

impl Tier {
    /// The word used on the wire and in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Batch => "batch",
            Self::Individual => "individual",
        }
    }
}

/// The mode of the session a call belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Reads only; the host refuses everything else.
    Plan,
    /// The default: what is not `auto` asks.
    #[default]
    Ask,
    /// The extension answers `batch` plans by itself; for the host the same as `ask`.
    AcceptEdits,
}
