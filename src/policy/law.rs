//! The law in force: the configuration, compiled.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    commands::Commands,
    examples,
    intent::Intent,
    path_rules::{Neighbour, PathRules, PathRulesError},
    plan::canonical,
};
use crate::{
    config::{CommandEntry, Config, ConfigError, McpApprovals, Profile},
    ids::sha256_hex,
    tier::Tier,
};

/// The compiled configuration: path rules, tiers, commands.
#[derive(Clone, Debug)]
pub struct Law {
    paths: PathRules,
    tool_tiers: BTreeMap<String, Tier>,
    tier_floors: BTreeMap<String, Tier>,
    commands: Commands,
    profile: Profile,
    mcp_approvals: McpApprovals,
    digest: String,
}

impl Law {
    /// Compiles the configuration; what is wrong with its globs or examples is an error at their place in the file.
    pub fn new(config: &Config) -> Result<Self, ConfigError> {
        within_workspaces(config)?;
        let paths = PathRules::new(&config.files).map_err(|error| glob_error(config, &error))?;
        // The examples of the shipped entries are tested with the program: a host that starts has no time for them.
        for entry in config.commands.iter().filter(|entry| !entry.shipped) {
            examples::test(config, entry, &paths)?;
        }
        Ok(Self {
            paths,
            tool_tiers: config.tool_tiers.clone(),
            tier_floors: config.tier_floors.clone(),
            commands: Commands::new(config),
            profile: config.profile,
            mcp_approvals: config.mcp_approvals,
            digest: digest(config),
        })
    }

    /// The same law, under which these tools are asked for one by one.
    #[must_use]
    pub fn asking_each_time<'t>(&self, tools: impl Iterator<Item = &'t str>) -> Self {
        let mut law = self.clone();
        law.tool_tiers.extend(tools.map(|tool| (tool.to_owned(), Tier::Individual)));
        law.digest = sha256_hex(format!("{} {:?}", law.digest, law.tool_tiers).as_bytes());
        law
    }

    /// The law of a root whose own file of rules cannot be used, and was not known before. It may close anything: nothing is open but
    /// the file itself, and no command runs.
    pub fn closed(config: &Config, reason: &str) -> Result<Self, ConfigError> {
        let mut config = config.clone();
        config.exec.enabled = false;
        let law = Self::new(&config)?;
        let digest = sha256_hex(format!("{} closed: {reason}", law.digest).as_bytes());
        Ok(Self { paths: law.paths.closed(reason), digest, ..law })
    }

    /// The same law in a root beside others that hold some of the same files.
    #[must_use]
    pub fn beside(&self, neighbours: Vec<Neighbour>, laws: &[&str]) -> Self {
        let digest = sha256_hex(format!("{} {laws:?}", self.digest).as_bytes());
        Self { paths: self.paths.beside(neighbours), digest, ..self.clone() }
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
        let tier = self.tool_tiers.get(tool).copied().unwrap_or(base);
        self.tier_floors.get(tool).map_or(tier, |floor| tier.max(*floor))
    }

    /// The tier of a call and the reasons for it, strictest first.
    pub fn effective_tier(&self, tool: &str, base: Tier, intent: &Intent) -> (Tier, Vec<String>) {
        // What a tier is written for is a change; there is none to look at.
        if intent.is_nothing() {
            return (Tier::Auto, Vec::new());
        }
        let asks = |tier: Tier| match tier {
            Tier::Auto => "never asks",
            Tier::Batch => "asks before it changes something",
            Tier::Individual => "asks each time",
        };
        let configured = self.tool_tiers.get(tool).filter(|tier| intent.tier.is_none_or(|own| own <= **tier));
        let floor = self.tier_floors.get(tool).copied().unwrap_or(Tier::Auto);
        let (start, why) = match (configured, intent.tier) {
            (Some(&tier), _) => (tier, format!("the configuration says that `{tool}` {}", asks(tier))),
            (None, Some(tier)) => (tier, format!("this command {}", asks(tier))),
            (None, None) => (base, format!("`{tool}` {}", asks(base))),
        };
        let (start, why) = if floor > start {
            (floor, format!("the workspace's own file says that `{tool}` {}", asks(floor)))
        } else {
            (start, why)
        };
        let tier = intent.raises.iter().map(|raise| raise.tier).fold(start, Tier::max);
        let mut raises: Vec<_> = intent.raises.iter().collect();
        raises.sort_by_key(|raise| std::cmp::Reverse(raise.tier));
        let mut reasons: Vec<String> = raises.into_iter().map(|raise| raise.reason.clone()).collect();
        if tier == start {
            reasons.push(why);
        }
        (tier, reasons)
    }
}

/// A glob that begins with a workspace's whole path would never match: paths are matched as they are from the workspace's own folder.
fn within_workspaces(config: &Config) -> Result<(), ConfigError> {
    let slashed = |text: &str| text.replace('\\', "/");
    let roots: Vec<String> =
        config.workspaces.iter().map(|entry| slashed(&entry.path.to_string_lossy())).collect();
    for (list, globs) in [("blocked", &config.files.blocked), ("protected", &config.files.protected)] {
        for (index, glob) in globs.iter().enumerate() {
            let whole = slashed(glob);
            let rest = roots.iter().filter(|root| root.len() > 1).find_map(|root| {
                let rest = whole.trim_start_matches('!').strip_prefix(root.trim_end_matches('/'))?;
                rest.is_empty().then_some("/**").or_else(|| rest.starts_with('/').then_some(rest))
            });
            if let Some(rest) = rest {
                let error = PathRulesError {
                    list,
                    index,
                    glob: glob.clone(),
                    reason: "a glob begins at the workspace's own folder, not at the disk's".to_owned(),
                    hint: Some(format!("write `{rest}`")),
                };
                return Err(glob_error(config, &error));
            }
        }
    }
    Ok(())
}

fn glob_error(config: &Config, error: &PathRulesError) -> ConfigError {
    let spans = if error.list == "blocked" { &config.places.blocked } else { &config.places.protected };
    config.error(spans.get(error.index), error.to_string(), error.hint.clone())
}

/// Everything that decides, and nothing else: neither where the configuration stands nor what it is called.
fn digest(config: &Config) -> String {
    let commands: Vec<Value> = config.commands.iter().map(command_facts).collect();
    let facts = json!({
        "blocked": config.files.blocked,
        "protected": config.files.protected,
        "tiers": config.tool_tiers,
        "floors": config.tier_floors,
        "profile": format!("{:?}", config.profile),
        "approvals": format!("{:?}", config.mcp_approvals),
        "exec": {
            "enabled": config.exec.enabled,
            "path": lossy(&config.exec.path),
            "sandbox": format!("{:?}", config.exec.sandbox),
        },
        "git": {
            "sync": config.git.sync,
            "allow_force": config.git.allow_force,
            "credentials": config.git.credentials,
            "protocols": config.git.protocols,
        },
        "commands": commands,
    });
    sha256_hex(canonical(&facts).as_bytes())
}

fn command_facts(entry: &CommandEntry) -> Value {
    json!({
        "id": entry.id,
        "program": entry.program,
        "args": entry.args,
        "allow_flags": entry.allow_flags,
        "deny_flags": entry.deny_flags,
        "value_flags": entry.value_flags,
        "positional": format!("{:?}", entry.positional),
        "argument_files": entry.argument_files,
        "max_args": entry.max_args,
        "env": entry.env,
        "env_pass": entry.env_pass,
        "network": entry.network,
        "write_paths": lossy(&entry.write_paths),
        "timeout_ms": entry.timeout_ms,
        "idle_timeout_ms": entry.idle_timeout_ms,
        "tier": entry.tier,
        "own_tier": entry.own_tier,
    })
}

fn lossy(paths: &[std::path::PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{FileRules, WorkspaceEntry};

    #[test]
    fn a_glob_with_the_whole_path_of_a_workspace_is_refused() {
        let config = |glob: &str| {
            let mut config = Config::without_file();
            let place = crate::config::Place::default();
            let entry = |id: &str, path: &str| WorkspaceEntry {
                id: id.to_owned(),
                path: path.into(),
                read_only: false,
                closed_by: None,
                place,
            };
            config.workspaces = vec![entry("all", "/"), entry("app", "/home/ada/app")];
            config.files.blocked = vec![glob.to_owned()];
            config
        };
        for (glob, better) in [
            ("/home/ada/app/secrets/**", "write `/secrets/**`"),
            ("/home/ada/app", "write `/**`"),
            ("~/secrets", "is no home folder"),
            ("C:/app/secrets", "no path in a workspace begins with a drive"),
        ] {
            let error = Law::new(&config(glob)).unwrap_err();
            let said = format!("{error} {error:?}");
            assert!(said.contains(better), "{glob}: {said}");
        }
        for glob in ["/home/ada/apple", "/home", "a~/x", "x:/y/z".trim_start_matches("x:"), "~", "d/c:/x"] {
            Law::new(&config(glob)).unwrap();
        }
    }

    #[test]
    fn the_shipped_entries_keep_their_own_examples() {
        let config = Config::without_file();
        let paths = PathRules::new(&FileRules::default()).unwrap();
        let shipped: Vec<_> = config.commands.iter().filter(|entry| entry.shipped).collect();
        assert!(shipped.len() > 10, "{}", shipped.len());
        for entry in shipped {
            assert!(
                !entry.matches.is_empty() && !entry.not_matches.is_empty(),
                "`{}` has no examples",
                entry.id
            );
            examples::test(&config, entry, &paths).unwrap();
        }
    }
}
