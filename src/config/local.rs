//! `.outrigger.toml` inside a workspace: untrusted content, in the language of the configuration.
//!
//! What narrows holds at once: more is blocked, more is protected, tools ask more strictly, fewer are offered, no commands. What
//! would widen holds only for a file whose exact bytes the user has trusted; everything else of the model is not a workspace's to say.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    deserialize,
    document::{Fault, Key, Node, Value},
    error::ConfigError,
    folders::System,
    read_toml,
    resolve::{self, Surroundings},
    resolve_command,
    resolved::{Config, Places},
    source::Source,
    typed,
    widened::Wider,
    written::Written,
};
use crate::tier::Tier;

/// What a workspace's own file makes of the configuration.
#[derive(Debug)]
pub struct Localized {
    /// The configuration for this workspace.
    pub config: Config,
    /// What was not taken, and why.
    pub ignored: Vec<String>,
    /// What needs trust, taken or not: for the question whether to give it.
    pub wider: Vec<Wider>,
}

/// Makes the configuration of a workspace. `base` is the administrator's; `tools` are all tools with their own tiers.
pub fn localize(
    source: &Source,
    base: &Config,
    trusted: bool,
    tools: &[(&str, Tier)],
) -> Result<Localized, ConfigError> {
    let names: Vec<&str> = tools.iter().map(|(name, _)| *name).collect();
    let around = Surroundings { source, folders: &System, tools: &names };
    let read = || -> Result<Localized, Fault> {
        let root = with_version(read_toml::read(&source.text)?);
        resolve::check_version(&root)?;
        let file: typed::File = deserialize::read(&root)?;
        let mut local = Local { config: base.clone(), trusted, ignored: foreign(&root), wider: Vec::new() };
        local.files(&file.files);
        // A file that says nothing of the profile does not mean the default one.
        if says(&root, "tools", "profile") {
            local.config.profile = local.config.profile.min(file.tools.profile.into());
        }
        local.tiers(file.tools.tier, tools, &around)?;
        if !file.exec.enabled {
            local.config.exec.enabled = false;
        }
        local.commands(file.command, &around)?;
        // What is found wrong with it later stands in this file.
        local.config.source = Some(source.clone());
        Ok(Localized { config: local.config, ignored: local.ignored, wider: local.wider })
    };
    read().map_err(|fault| ConfigError::at(source, &fault.span.unwrap_or(0..0), fault.message, fault.hint))
}

struct Local {
    config: Config,
    trusted: bool,
    ignored: Vec<String>,
    wider: Vec<Wider>,
}

impl Local {
    /// Notes something that widens; true when it may.
    fn may_widen(&mut self, wider: Wider) -> bool {
        if !self.trusted {
            self.ignored.push(format!("{} waits for `outrigger trust`", wider.what));
        }
        self.wider.push(wider);
        self.trusted
    }

    fn files(&mut self, files: &typed::Files) {
        self.config.places = Places::default();
        for (list, is_blocked) in [(&files.blocked, true), (&files.protected, false)] {
            for glob in list {
                let name = if is_blocked { "blocked" } else { "protected" };
                if let Some(out) = glob.value.strip_prefix('!') {
                    let own =
                        if is_blocked { &self.config.files.blocked } else { &self.config.files.protected };
                    let whose =
                        if own.iter().any(|own| own == out) { ", a rule of the configuration" } else { "" };
                    if !self.may_widen(Wider::plain(format!("`files.{name}` {:?}{whose}", glob.value))) {
                        continue;
                    }
                }
                let Config { files, places, .. } = &mut self.config;
                let (globs, spans) = if is_blocked {
                    (&mut files.blocked, &mut places.blocked)
                } else {
                    (&mut files.protected, &mut places.protected)
                };
                // The places are those of this file; the globs before them are the administrator's and known to be good.
                spans.resize(globs.len(), 0..0);
                globs.push(glob.value.clone());
                spans.push(glob.span());
            }
        }
    }

    fn tiers(
        &mut self,
        written: BTreeMap<Written<String>, Tier>,
        tools: &[(&str, Tier)],
        around: &Surroundings<'_>,
    ) -> Result<(), Fault> {
        for (name, tier) in resolve::tool_tiers(written, around)? {
            let own =
                tools.iter().find(|(tool, _)| *tool == name).map_or(Tier::Individual, |(_, tier)| *tier);
            let before = self.config.tool_tiers.get(&name).copied().unwrap_or(own);
            // A command may ask less strictly than its tool.
            self.config.tier_floors.insert(name.clone(), tier);
            let wider = || Wider::plain(format!("`tools.tier` {name} = {:?}", tier.as_str()));
            if tier >= before || self.may_widen(wider()) {
                self.config.tool_tiers.insert(name, tier);
            }
        }
        Ok(())
    }

    fn commands(&mut self, written: Vec<typed::Command>, around: &Surroundings<'_>) -> Result<(), Fault> {
        let own: BTreeSet<String> = self
            .config
            .commands
            .iter()
            .filter(|entry| !entry.shipped)
            .map(|entry| entry.id.clone())
            .collect();
        let mut places = Places::default();
        for entry in resolve_command::commands(written, false, around, &mut places)? {
            if own.contains(&entry.id) {
                let what = format!("`command` {}: the configuration has an entry of this name", entry.id);
                self.ignored.push(what);
                continue;
            }
            let known = self.config.commands.iter().find(|known| known.id == entry.id);
            let wider = Wider::command(&entry, known);
            if self.may_widen(wider) {
                self.config.commands.retain(|known| known.id != entry.id);
                self.config.commands.push(entry);
            }
        }
        self.config.places.examples = places.examples;
        Ok(())
    }
}

fn says(root: &Node, table: &str, key: &str) -> bool {
    let child = |node: &Node, name: &str| match &node.value {
        Value::Table(entries) => {
            entries.iter().find(|(key, _)| key.name == name).map(|(_, node)| node.clone())
        }
        _ => None,
    };
    child(root, table).and_then(|table| child(&table, key)).is_some()
}

/// A workspace's file may leave the version out.
fn with_version(mut root: Node) -> Node {
    if let Value::Table(entries) = &mut root.value
        && !entries.iter().any(|(key, _)| key.name == "version")
    {
        let key = Key { span: 0..0, name: "version".to_owned() };
        entries.insert(0, (key, Node { span: 0..0, value: Value::Integer(1) }));
    }
    root
}

/// Tables and keys that are not a workspace's to say.
fn foreign(root: &Node) -> Vec<String> {
    let Value::Table(entries) = &root.value else { return Vec::new() };
    let mut found = Vec::new();
    for (key, node) in entries {
        match (key.name.as_str(), &node.value) {
            ("version" | "files" | "tools" | "command", _) => {}
            ("exec", Value::Table(inner)) => found.extend(
                inner
                    .iter()
                    .filter(|(key, node)| key.name != "enabled" || node.value != Value::Boolean(false))
                    .map(|(key, _)| format!("`exec.{}` is not read from a workspace", key.name)),
            ),
            (name, _) => found.push(format!("`{name}` is not read from a workspace")),
        }
    }
    found
}
