//! The law in force: the configuration, compiled.

use std::collections::BTreeMap;

use crate::{
    config::{Config, McpApprovals, Profile},
    policy::{commands::Commands, intent::Intent, path_rules::PathRules},
    tier::Tier,
};

/// The compiled configuration: path rules, tiers, commands.
#[derive(Clone, Debug)]
pub struct Law {
    paths: PathRules,
    tool_tiers: BTreeMap<String, Tier>,
    commands: Commands,
    profile: Profile,
    mcp_approvals: McpApprovals,
    digest: String,
}

impl Law {
    /// Compiles the configuration.
    pub fn new(config: &Config) -> Result<Self, super::path_rules::PathRulesError> {
        Ok(Self {
            paths: PathRules::new(&config.files)?,
            tool_tiers: config.tool_tiers.clone(),
            commands: Commands::new(config),
            profile: config.profile,
            mcp_approvals: config.mcp_approvals,
            digest: crate::ids::sha256_hex(format!("{config:?}").as_bytes()),
        })
    }

    /// The one matcher of blocked, protected and forbidden paths.
    pub fn paths(&self) -> &PathRules {
        &self.paths
    }

    /// The allowlist.
    pub fn commands(&self) -> &Commands {
        &self.commands
    }

    /// Which tools are offered.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// What happens to a plan when the client cannot be asked.
    pub fn mcp_approvals(&self) -> McpApprovals {
        self.mcp_approvals
    }

    /// Identifies this law: an approval given under another one does not count.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The tier of a tool before its arguments are seen.
    pub fn tool_tier(&self, tool: &str, base: Tier) -> Tier {
        self.tool_tiers.get(tool).copied().unwrap_or(base)
    }

    /// The tier of a call and the reasons for it, strictest first.
    pub fn effective_tier(&self, tool: &str, base: Tier, intent: &Intent) -> (Tier, Vec<String>) {
        let (start, why) = match (self.tool_tiers.get(tool), intent.tier) {
            (Some(&tier), _) => (tier, format!("the configuration sets `{tool}` to {}", tier.as_str())),
            (None, Some(tier)) => (tier, format!("this command is {}", tier.as_str())),
            (None, None) => (base, format!("`{tool}` is {}", base.as_str())),
        };
        let tier = intent.raises.iter().map(|raise| raise.tier).fold(start, Tier::max);
        let mut raises: Vec<_> = intent.raises.iter().collect();
        raises.sort_by_key(|raise| std::cmp::Reverse(raise.tier));
        let mut reasons: Vec<String> = raises.into_iter().map(|raise| raise.reason.clone()).collect();
        reasons.push(why);
        (tier, reasons)
    }
}
