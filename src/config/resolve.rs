//! From what was written to what it means: defaults filled in, paths absolute, every rule of the model checked.
//!
//! The first thing wrong ends it, with its place; nothing is corrected or left out silently.

use std::{collections::BTreeMap, path::PathBuf};

use super::{
    deserialize::did_you_mean,
    document::{Fault, Node, Value},
    folders::Folders,
    resolve_command::commands,
    resolve_path::{absolute, workspace_folder},
    resolved::{
        Config, ExecSettings, FileRules, GitSettings, JournalSettings, Places, RedactSettings, WorkspaceEntry,
    },
    source::Source,
    typed,
    written::Written,
};
use crate::{
    limits::{JOURNAL_DAYS, JOURNAL_MIB, REDACT_PATTERNS},
    redact::{Pattern, PatternError},
    tier::Tier,
};

/// The only version of the model there is.
const VERSION: i64 = 1;

/// Judges the version before anything else: a file of another version has other keys.
pub(super) fn check_version(root: &Node) -> Result<(), Fault> {
    let Value::Table(entries) = &root.value else {
        return Err(Fault::at(
            root.span.clone(),
            "a configuration is a table of keys",
            "begin with the key `version`",
        ));
    };
    let hint = format!("set `version` to {VERSION}");
    match entries.iter().find(|(key, _)| key.name == "version").map(|(_, node)| node) {
        None => Err(Fault::at(0..0, "the key `version` is missing at the top of the file", hint)),
        Some(Node { value: Value::Integer(VERSION), .. }) => Ok(()),
        Some(node) => {
            let found = node.value.describe();
            let message = format!("this program reads version {VERSION} of the configuration, found {found}");
            Err(Fault::at(node.span.clone(), message, hint))
        }
    }
}

/// What is needed beside the file.
pub(super) struct Surroundings<'a> {
    pub source: &'a Source,
    pub folders: &'a dyn Folders,
    /// The names that `tools.tier` may use.
    pub tools: &'a [&'a str],
}

/// Makes the configuration of a file.
pub(super) fn resolve(file: typed::File, around: &Surroundings<'_>) -> Result<Config, Fault> {
    let mut places = Places {
        blocked: file.files.blocked.iter().map(Written::span).collect(),
        protected: file.files.protected.iter().map(Written::span).collect(),
        redact: file.redact.patterns.iter().map(Written::span).collect(),
        examples: BTreeMap::new(),
    };
    Ok(Config {
        path: Some(around.source.path.clone()),
        workspaces: workspaces(file.workspace, around)?,
        beside: Vec::new(),
        files: FileRules { blocked: values(file.files.blocked), protected: values(file.files.protected) },
        profile: file.tools.profile.into(),
        tool_tiers: tool_tiers(file.tools.tier, around)?,
        tier_floors: BTreeMap::new(),
        commands: commands(file.command, file.exec.defaults, around, &mut places)?,
        exec: ExecSettings {
            enabled: file.exec.enabled,
            defaults: file.exec.defaults,
            path: file.exec.path.iter().map(|path| absolute(path, around)).collect::<Result<_, _>>()?,
            sandbox: file.exec.sandbox.into(),
        },
        git: git(&file.git),
        mcp_approvals: file.mcp.approvals.into(),
        extensions_allow: extensions(file.extensions.allow)?,
        redact: redact(file.redact)?,
        journal: journal(&file.journal)?,
        log_level: file.log.level.into(),
        add_workspace: file.panel.add_workspace.into(),
        source: Some(around.source.clone()),
        places,
    })
}

pub(super) fn values<T>(written: Vec<Written<T>>) -> Vec<T> {
    written.into_iter().map(|written| written.value).collect()
}

pub(super) fn fault<T>(written: &Written<T>, message: String, hint: &str) -> Fault {
    Fault::at(written.span(), message, hint)
}

fn workspaces(
    written: Vec<typed::Workspace>,
    around: &Surroundings<'_>,
) -> Result<Vec<WorkspaceEntry>, Fault> {
    let mut entries: Vec<WorkspaceEntry> = Vec::with_capacity(written.len());
    let mut folders: Vec<PathBuf> = Vec::new();
    for workspace in written {
        let id = &workspace.id;
        check_id("workspace", id, 2)?;
        if id.value == "out" {
            return Err(fault(
                id,
                "`out` is no id for a workspace: `out:` names kept output".to_owned(),
                "choose another",
            ));
        }
        if entries.iter().any(|entry| entry.id == id.value) {
            return Err(fault(
                id,
                format!("two workspaces have the id `{}`", id.value),
                "give each its own id",
            ));
        }
        let path = absolute(&workspace.path, around)?;
        let folder = workspace_folder(&id.value, &workspace.path, &path, around)?;
        if let Some(index) = folders.iter().position(|known| *known == folder) {
            let other = entries.get(index).map_or("", |entry| entry.id.as_str());
            return Err(fault(
                &workspace.path,
                format!("`{}` is the folder of the workspace `{other}` already", workspace.path.value),
                "keep one of them",
            ));
        }
        folders.push(folder);
        let place = around.source.place(id.start);
        let (id, read_only) = (id.value.clone(), workspace.read_only);
        entries.push(WorkspaceEntry { id, path, read_only, closed_by: None, place });
    }
    // What lies in a folder that no tool changes is not changed by another name either.
    let closed: Vec<(String, PathBuf)> = (entries.iter().zip(&folders))
        .filter(|(entry, _)| entry.read_only)
        .map(|(entry, folder)| (entry.id.clone(), folder.clone()))
        .collect();
    for (entry, folder) in entries.iter_mut().zip(&folders).filter(|(entry, _)| !entry.read_only) {
        let around = closed.iter().find(|(_, closed)| folder.starts_with(closed));
        entry.closed_by = around.map(|(id, _)| id.clone());
        entry.read_only = around.is_some();
    }
    Ok(entries)
}

pub(super) fn check_id(what: &str, id: &Written<String>, least: usize) -> Result<(), Fault> {
    let text = &id.value;
    let fits = (least..=32).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-')
        && !text.starts_with('-');
    if fits {
        return Ok(());
    }
    let hint =
        format!("an id has {least} to 32 of the characters a-z, 0-9, `_` and `-`, and no `-` in front");
    Err(fault(id, format!("`{text}` is no id for a {what}"), &hint))
}

pub(super) fn tool_tiers(
    written: BTreeMap<Written<String>, Tier>,
    around: &Surroundings<'_>,
) -> Result<BTreeMap<String, Tier>, Fault> {
    let mut in_order: Vec<_> = written.into_iter().collect();
    in_order.sort_by_key(|(name, _)| name.start);
    for (name, _) in &in_order {
        if !around.tools.contains(&name.value.as_str()) {
            let message = format!("there is no tool `{}`", name.value);
            return Err(fault(name, message, &did_you_mean(&name.value, around.tools)));
        }
    }
    Ok(in_order.into_iter().map(|(name, tier)| (name.value, tier)).collect())
}

fn git(written: &typed::Git) -> GitSettings {
    let name = |protocol: &typed::Protocol| match protocol {
        typed::Protocol::Https => "https",
        typed::Protocol::Ssh => "ssh",
        typed::Protocol::Http => "http",
        typed::Protocol::Git => "git",
        typed::Protocol::File => "file",
    };
    GitSettings {
        sync: written.sync,
        allow_force: written.allow_force,
        credentials: written.credentials,
        protocols: written.protocols.iter().map(name).collect(),
    }
}

fn redact(written: typed::Redact) -> Result<RedactSettings, Fault> {
    if let Some(surplus) = written.patterns.get(REDACT_PATTERNS) {
        return Err(fault(
            surplus,
            format!("there are more than {REDACT_PATTERNS} patterns"),
            "join some of them with `|`",
        ));
    }
    for pattern in &written.patterns {
        Pattern::compile(&pattern.value).map_err(|error| {
            let hint = match error {
                PatternError::Syntax { .. } => {
                    "the language is that of the `regex` crate: no look-around, no backreferences"
                }
                PatternError::Empty => "say how the secret begins, or how long it is at least",
                PatternError::Lines => "write a pattern for what stands on one line, or one for each line",
            };
            fault(pattern, error.to_string(), hint)
        })?;
    }
    Ok(RedactSettings { enabled: written.enabled, patterns: values(written.patterns) })
}

fn journal(written: &typed::Journal) -> Result<JournalSettings, Fault> {
    Ok(JournalSettings {
        max_mib: number("max_mib", written.max_mib.as_ref(), JOURNAL_MIB, 1, 65_536)?,
        max_days: number("max_days", written.max_days.as_ref(), JOURNAL_DAYS, 1, 3650)?,
    })
}

pub(super) fn number(
    key: &str,
    written: Option<&Written<u64>>,
    default: u64,
    least: u64,
    most: u64,
) -> Result<u64, Fault> {
    match written {
        None => Ok(default),
        Some(written) if (least..=most).contains(&written.value) => Ok(written.value),
        Some(written) => {
            let message = format!("`{key}`: {} is out of range", written.value);
            Err(fault(written, message, &format!("it goes from {least} to {most}")))
        }
    }
}

fn extensions(written: Vec<Written<String>>) -> Result<Vec<String>, Fault> {
    for caller in &written {
        if !is_extension(&caller.value) {
            let hint =
                "write `chrome-extension://<32 letters>/`, or a Firefox id such as `addon@example.org`";
            return Err(fault(caller, format!("`{}` is no id of an extension", caller.value), hint));
        }
    }
    Ok(values(written))
}

fn is_extension(text: &str) -> bool {
    if let Some(rest) = text.strip_prefix("chrome-extension://") {
        return rest.strip_suffix('/').is_some_and(|id| {
            id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_lowercase() && byte <= b'p')
        });
    }
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    let is_guid = text.len() == 38
        && text.starts_with('{')
        && text.ends_with('}')
        && text.bytes().skip(1).take(36).all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    is_guid || text.split_once('@').is_some_and(|(name, host)| !host.is_empty() && plain(name) && plain(host))
}
