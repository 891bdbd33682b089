//! What is in force, setting by setting, each with its origin: a line of the file, a default, or the program itself.

use serde::Serialize;
use serde_json::{Value, json};

use super::{
    document::{Node, Value as Written},
    load::language,
    read_toml, read_yaml,
    resolved::{
        AddWorkspace, CommandEntry, Config, LogLevel, McpApprovals, Positional, Profile, Sandbox,
        WorkspaceEntry,
    },
    source::{Language, Source},
};

/// Where a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "origin", rename_all = "snake_case")]
pub enum Origin {
    /// The file says so.
    File {
        /// From 1.
        line: u32,
    },
    /// Nothing is said, and this holds then.
    Default,
    /// Shipped with the program.
    BuiltIn,
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Setting {
    /// The table it stands in, as the file would name it: `exec`, `[[command]]`; empty at the top.
    #[serde(skip)]
    pub table: String,
    /// Its path: `exec.sandbox`, `command.cargo_test.network`.
    pub key: String,
    /// What holds.
    pub value: Value,
    /// Why.
    #[serde(flatten)]
    pub origin: Origin,
}

impl Setting {
    /// The last part of the key.
    pub fn name(&self) -> &str {
        self.key.rsplit('.').next().unwrap_or(&self.key)
    }
}

/// Every setting in force. `blocked` and `protected` are the whole lists of the law, the built-in globs among them.
pub fn settings(config: &Config, blocked: &[String], protected: &[String]) -> Vec<Setting> {
    let mut shown = Shown { source: config.source.as_ref(), root: document(config), settings: Vec::new() };
    shown.add("", "version", json!(1));
    for entry in &config.workspaces {
        shown.workspace(entry);
    }
    shown.globs("files", "blocked", blocked);
    shown.globs("files", "protected", protected);
    shown.add("tools", "profile", json!(profile(config.profile)));
    shown.add("tools", "tier", json!(config.tool_tiers));
    shown.add("exec", "enabled", json!(config.exec.enabled));
    shown.add("exec", "defaults", json!(config.exec.defaults));
    shown.add("exec", "path", json!(config.exec.path));
    shown.add("exec", "sandbox", json!(sandbox(config.exec.sandbox)));
    shown.add("git", "sync", json!(config.git.sync));
    shown.add("git", "allow_force", json!(config.git.allow_force));
    shown.add("git", "credentials", json!(config.git.credentials));
    shown.add("git", "protocols", json!(config.git.protocols));
    shown.add("mcp", "approvals", json!(approvals(config.mcp_approvals)));
    shown.add("redact", "enabled", json!(config.redact.enabled));
    shown.add("redact", "patterns", json!(config.redact.patterns));
    shown.add("journal", "max_mib", json!(config.journal.max_mib));
    shown.add("journal", "max_days", json!(config.journal.max_days));
    shown.add("log", "level", json!(level(config.log_level)));
    shown.add("panel", "add_workspace", json!(add_workspace(config.add_workspace)));
    shown.add("extensions", "allow", json!(config.extensions_allow));
    for entry in &config.commands {
        shown.command(entry);
    }
    shown.settings
}

fn document(config: &Config) -> Option<Node> {
    let source = config.source.as_ref()?;
    match language(&source.path).ok()? {
        Language::Toml => read_toml::read(&source.text).ok(),
        Language::Yaml => read_yaml::read(&source.text).ok(),
    }
}

struct Shown<'a> {
    source: Option<&'a Source>,
    root: Option<Node>,
    settings: Vec<Setting>,
}

impl Shown<'_> {
    fn add(&mut self, table: &str, key: &str, value: Value) {
        let within = if table.is_empty() {
            self.root.as_ref()
        } else {
            self.root.as_ref().and_then(|root| child(root, table))
        };
        let origin = self.origin(within.and_then(|node| child(node, key)));
        let path = if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") };
        self.settings.push(Setting { table: table.to_owned(), key: path, value, origin });
    }

    fn origin(&self, node: Option<&Node>) -> Origin {
        match (self.source, node) {
            (Some(source), Some(node)) => Origin::File { line: source.place(node.span.start).line },
            _ => Origin::Default,
        }
    }

    /// One entry per glob: some are written, some are built in.
    fn globs(&mut self, table: &str, key: &str, in_force: &[String]) {
        let written = self.root.as_ref().and_then(|root| child(child(root, table)?, key));
        let items = match written.map(|node| &node.value) {
            Some(Written::List(items)) => items.as_slice(),
            _ => &[],
        };
        // What takes a built-in out is in force, too: it says why that one is missing.
        let taken_out = items.iter().filter_map(|item| match &item.value {
            Written::String(glob) if glob.starts_with('!') => Some(glob),
            _ => None,
        });
        let settings: Vec<Setting> = in_force
            .iter()
            .chain(taken_out)
            .map(|glob| {
                let node = items.iter().find(|item| item.value == Written::String(glob.clone()));
                let origin = if node.is_some() { self.origin(node) } else { Origin::BuiltIn };
                Setting {
                    table: table.to_owned(),
                    key: format!("{table}.{key}"),
                    value: json!([glob]),
                    origin,
                }
            })
            .collect();
        self.settings.extend(settings);
    }

    fn workspace(&mut self, entry: &WorkspaceEntry) {
        let node = self.entry("workspace", &entry.id).cloned();
        let facts =
            [("id", json!(entry.id)), ("path", json!(entry.path)), ("read_only", json!(entry.read_only))];
        self.entry_settings("workspace", &entry.id, node.as_ref(), Origin::Default, facts);
    }

    fn command(&mut self, entry: &CommandEntry) {
        let node = self.entry("command", &entry.id).cloned();
        let facts = [
            ("id", json!(entry.id)),
            ("program", json!(entry.program)),
            ("args", json!(entry.args)),
            ("summary", json!(entry.summary)),
            ("allow_flags", json!(entry.allow_flags)),
            ("deny_flags", json!(entry.deny_flags)),
            ("value_flags", json!(entry.value_flags)),
            ("positional", json!(positional(entry.positional))),
            ("argument_files", json!(entry.argument_files)),
            ("max_args", json!(entry.max_args)),
            ("env", json!(entry.env)),
            ("env_pass", json!(entry.env_pass)),
            ("network", json!(entry.network)),
            ("write_paths", json!(entry.write_paths)),
            ("timeout_ms", json!(entry.timeout_ms)),
            ("idle_timeout_ms", json!(entry.idle_timeout_ms)),
            ("tier", json!(entry.tier)),
            ("match", json!(entry.matches)),
            ("not_match", json!(entry.not_matches)),
        ];
        let otherwise = if entry.shipped { Origin::BuiltIn } else { Origin::Default };
        self.entry_settings("command", &entry.id, node.as_ref(), otherwise, facts);
    }

    fn entry_settings<const N: usize>(
        &mut self,
        table: &str,
        id: &str,
        node: Option<&Node>,
        otherwise: Origin,
        facts: [(&str, Value); N],
    ) {
        for (key, value) in facts.into_iter().filter(|(_, value)| !value.is_null()) {
            let written = node.and_then(|node| child(node, key));
            let origin = if written.is_some() { self.origin(written) } else { otherwise };
            let path = format!("{table}.{id}.{key}");
            self.settings.push(Setting { table: format!("[[{table}]]"), key: path, value, origin });
        }
    }

    /// The entry of a list of tables with this id.
    fn entry(&self, table: &str, id: &str) -> Option<&Node> {
        let Written::List(items) = &child(self.root.as_ref()?, table)?.value else { return None };
        items
            .iter()
            .find(|item| child(item, "id").is_some_and(|node| node.value == Written::String(id.to_owned())))
    }
}

fn child<'a>(node: &'a Node, name: &str) -> Option<&'a Node> {
    let Written::Table(entries) = &node.value else { return None };
    entries.iter().find(|(key, _)| key.name == name).map(|(_, node)| node)
}

fn profile(profile: Profile) -> &'static str {
    match profile {
        Profile::Read => "read",
        Profile::Core => "core",
        Profile::Full => "full",
    }
}

fn sandbox(sandbox: Sandbox) -> &'static str {
    match sandbox {
        Sandbox::Required => "required",
        Sandbox::BestEffort => "best-effort",
        Sandbox::Off => "off",
    }
}

fn approvals(approvals: McpApprovals) -> &'static str {
    match approvals {
        McpApprovals::Refuse => "refuse",
        McpApprovals::TrustClient => "trust-client",
    }
}

fn level(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Error => "error",
        LogLevel::Warn => "warn",
        LogLevel::Info => "info",
        LogLevel::Debug => "debug",
        LogLevel::Trace => "trace",
    }
}

fn add_workspace(way: AddWorkspace) -> &'static str {
    match way {
        AddWorkspace::Picker => "picker",
        AddWorkspace::Never => "never",
    }
}

fn positional(positional: Positional) -> &'static str {
    match positional {
        Positional::None => "none",
        Positional::PathInWorkspace => "path_in_workspace",
        Positional::Any => "any",
    }
}
