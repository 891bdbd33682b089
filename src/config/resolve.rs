//! From what was written to what it means: defaults filled in, paths absolute, every rule of the model checked.
//!
//! The first thing wrong ends it, with its place; nothing is corrected or left out silently.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::{
    deserialize::{Written, did_you_mean},
    document::{Fault, Node, Value},
    folders::{Folders, Kind},
    resolved::{CommandEntry, Config, ExamplePlaces, ExecSettings, FileRules, Place, Places, WorkspaceEntry},
    shipped,
    source::Source,
    typed,
};
use crate::{
    limits::{EXEC_ARG_BYTES, EXEC_ARGS, EXEC_IDLE_MS, EXEC_TIMEOUT_MS, EXEC_TIMEOUT_MS_MAX},
    text::is_deceptive,
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
        examples: BTreeMap::new(),
    };
    Ok(Config {
        path: Some(around.source.path.clone()),
        workspaces: workspaces(file.workspace, around)?,
        files: FileRules { blocked: values(file.files.blocked), protected: values(file.files.protected) },
        profile: file.tools.profile.into(),
        tool_tiers: tool_tiers(file.tools.tier, around)?,
        commands: commands(file.command, file.exec.defaults, around, &mut places)?,
        exec: ExecSettings {
            enabled: file.exec.enabled,
            path: file.exec.path.iter().map(|path| absolute(path, around)).collect::<Result<_, _>>()?,
            sandbox: file.exec.sandbox.into(),
        },
        mcp_approvals: file.mcp.approvals.into(),
        extensions_allow: extensions(file.extensions.allow)?,
        log_level: file.log.level.map(|level| level.as_str().to_owned()),
        source: Some(around.source.clone()),
        places,
    })
}

fn values<T>(written: Vec<Written<T>>) -> Vec<T> {
    written.into_iter().map(|written| written.value).collect()
}

fn fault<T>(written: &Written<T>, message: String, hint: &str) -> Fault {
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
        let folder = workspace_folder(&workspace.path, &path, around)?;
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
        entries.push(WorkspaceEntry { id: id.value.clone(), path, read_only: workspace.read_only, place });
    }
    Ok(entries)
}

/// The folder as the system knows it; refused are files, what is not there, the root of the file system and the home folder.
fn workspace_folder(
    written: &Written<String>,
    path: &Path,
    around: &Surroundings<'_>,
) -> Result<PathBuf, Fault> {
    let text = &written.value;
    let folder = match around.folders.kind(path) {
        Kind::Folder(real) => real,
        Kind::Other => {
            return Err(fault(written, format!("`{text}` is not a folder"), "name the folder it is in"));
        }
        Kind::Missing => {
            return Err(fault(written, format!("`{text}` does not exist"), "create it, or correct the path"));
        }
        Kind::Unreadable(why) => {
            return Err(fault(
                written,
                format!("`{text}` cannot be looked at: {why}"),
                "check its permissions",
            ));
        }
    };
    let hint = "name the folder of one project";
    if folder.parent().is_none() {
        return Err(fault(written, format!("`{text}` is the root of the file system"), hint));
    }
    let home = around.folders.home();
    if home.as_deref().is_some_and(|home| home == folder) {
        return Err(fault(written, format!("`{text}` is the home folder itself"), hint));
    }
    if home.as_deref().is_some_and(|home| home.starts_with(&folder)) {
        return Err(fault(written, format!("`{text}` contains the home folder"), hint));
    }
    Ok(folder)
}

/// An absolute path, or one below the home folder.
fn absolute(written: &Written<String>, around: &Surroundings<'_>) -> Result<PathBuf, Fault> {
    let text = &written.value;
    let hint = "write an absolute path, or one that begins with `~/`";
    if text.is_empty() {
        return Err(fault(written, "the path is empty".to_owned(), hint));
    }
    if text.contains('\0') {
        return Err(fault(written, "the path contains a NUL character".to_owned(), hint));
    }
    let path = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            let Some(home) = around.folders.home() else {
                return Err(fault(
                    written,
                    "the home folder is not known".to_owned(),
                    "write an absolute path",
                ));
            };
            home.join(rest.trim_start_matches('/'))
        }
        Some(_) => return Err(fault(written, format!("`{text}` names the home of another user"), hint)),
        None => PathBuf::from(text),
    };
    if !path.is_absolute() {
        return Err(fault(written, format!("`{text}` is a relative path"), hint));
    }
    if path.components().any(|component| component == std::path::Component::ParentDir) {
        return Err(fault(written, format!("`{text}` contains `..`"), "write the path it leads to"));
    }
    Ok(path)
}

fn check_id(what: &str, id: &Written<String>, least: usize) -> Result<(), Fault> {
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

fn tool_tiers(
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

fn commands(
    written: Vec<typed::Command>,
    defaults: bool,
    around: &Surroundings<'_>,
    places: &mut Places,
) -> Result<Vec<CommandEntry>, Fault> {
    let mut entries = Vec::with_capacity(written.len());
    let mut ids = BTreeSet::new();
    for command in written {
        let id = &command.id;
        check_id("command", id, 1)?;
        if !ids.insert(id.value.clone()) {
            return Err(fault(
                id,
                format!("two commands have the id `{}`", id.value),
                "give each its own id",
            ));
        }
        let spans = |examples: &[Written<Vec<String>>]| examples.iter().map(Written::span).collect();
        let examples =
            ExamplePlaces { matches: spans(&command.matches), not_matches: spans(&command.not_matches) };
        places.examples.insert(id.value.clone(), examples);
        entries.push(command_entry(command, around)?);
    }
    if defaults {
        entries.extend(shipped::entries().into_iter().filter(|entry| !ids.contains(&entry.id)));
    }
    Ok(entries)
}

fn command_entry(command: typed::Command, around: &Surroundings<'_>) -> Result<CommandEntry, Fault> {
    check_program(&command.program)?;
    if let (Some(_), Some(denied)) = (&command.allow_flags, &command.deny_flags) {
        let message = format!("`{}` has both `allow_flags` and `deny_flags`", command.id.value);
        return Err(fault(denied, message, "keep `allow_flags`: what is not listed is refused"));
    }
    let denied = command.deny_flags.as_ref().map_or(&[][..], |denied| &denied.value);
    command.allow_flags.iter().flatten().chain(denied).try_for_each(check_flag)?;
    command.env.keys().chain(&command.env_pass).try_for_each(check_variable)?;
    let write_paths =
        command.write_paths.iter().map(|path| write_path(path, around)).collect::<Result<_, _>>()?;
    let place: Place = around.source.place(command.id.start);
    Ok(CommandEntry {
        summary: summary(&command)?,
        program: command.program.value,
        args: command.args,
        allow_flags: command.allow_flags.map(values),
        deny_flags: command.deny_flags.map(|denied| values(denied.value)),
        positional: command.positional.into(),
        max_args: usize::try_from(number(
            "max_args",
            command.max_args.as_ref(),
            EXEC_ARGS as u64,
            0,
            EXEC_ARGS as u64,
        )?)
        .unwrap_or(EXEC_ARGS),
        env: command.env.into_iter().map(|(name, value)| (name.value, value)).collect(),
        env_pass: values(command.env_pass),
        network: command.network,
        write_paths,
        timeout_ms: number(
            "timeout_ms",
            command.timeout_ms.as_ref(),
            EXEC_TIMEOUT_MS,
            1,
            EXEC_TIMEOUT_MS_MAX,
        )?,
        idle_timeout_ms: number(
            "idle_timeout_ms",
            command.idle_timeout_ms.as_ref(),
            EXEC_IDLE_MS,
            1,
            EXEC_TIMEOUT_MS_MAX,
        )?,
        tier: command.tier,
        matches: values(command.matches),
        not_matches: values(command.not_matches),
        shipped: false,
        place,
        id: command.id.value,
    })
}

/// A bare name, or an absolute path; never git, whose tools keep rules that an allowlist cannot.
fn check_program(program: &Written<String>) -> Result<(), Fault> {
    let text = &program.value;
    let hint = "write the bare name of the program, or its absolute path";
    let is_bare = !text.contains(['/', '\\']);
    if text.trim().is_empty() || text.chars().any(is_deceptive) {
        return Err(fault(program, "the program is no usable name".to_owned(), hint));
    }
    if is_bare && (text.contains(char::is_whitespace) || text.starts_with(['-', '~', '.'])) {
        return Err(fault(
            program,
            format!("`{text}` is no name of a program"),
            "arguments belong into `args`",
        ));
    }
    if !is_bare && !Path::new(text).is_absolute() {
        return Err(fault(program, format!("`{text}` is a relative path"), hint));
    }
    if shipped::is_git(text) {
        return Err(fault(
            program,
            "git is no command of the allowlist".to_owned(),
            "the tools whose names begin with `git_` do it",
        ));
    }
    Ok(())
}

fn check_flag(flag: &Written<String>) -> Result<(), Fault> {
    let text = &flag.value;
    if !text.starts_with('-') || text.len() < 2 {
        return Err(fault(
            flag,
            format!("`{text}` is no flag"),
            "a flag begins with `-`; `positional` rules the rest",
        ));
    }
    if text.contains(char::is_whitespace) || text.chars().any(is_deceptive) {
        return Err(fault(
            flag,
            format!("`{text}` is more than one token"),
            "list each flag alone, without its value",
        ));
    }
    if text.len() > EXEC_ARG_BYTES {
        return Err(fault(flag, "this flag is too long to be one".to_owned(), "list each flag alone"));
    }
    Ok(())
}

fn check_variable(name: &Written<String>) -> Result<(), Fault> {
    let text = &name.value;
    let fits = !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if fits {
        return Ok(());
    }
    let hint = "a name has letters, digits and `_`, and no digit in front";
    Err(fault(name, format!("`{text}` is no name of an environment variable"), hint))
}

/// A folder that a command may write beside the workspace: never one that would free it of all limits.
fn write_path(written: &Written<String>, around: &Surroundings<'_>) -> Result<PathBuf, Fault> {
    let path = absolute(written, around)?;
    let real = match around.folders.kind(&path) {
        Kind::Folder(real) => real,
        _ => path.clone(),
    };
    let home = around.folders.home();
    if real.parent().is_none() || home.is_some_and(|home| home.starts_with(&real)) {
        let message = format!("`{}` contains the whole home folder", written.value);
        return Err(fault(written, message, "name the folder that the command needs"));
    }
    Ok(path)
}

fn summary(command: &typed::Command) -> Result<String, Fault> {
    let Some(written) = &command.summary else {
        let words: Vec<&str> = std::iter::once(command.program.value.as_str())
            .chain(command.args.iter().map(String::as_str))
            .collect();
        return Ok(format!("Run `{}`", words.join(" ")));
    };
    let text = &written.value;
    if text.trim().is_empty()
        || text.chars().count() > 120
        || text.chars().any(|c| c == '\n' || is_deceptive(c))
    {
        return Err(fault(written, "a summary is one line of 1 to 120 characters".to_owned(), "shorten it"));
    }
    Ok(text.clone())
}

fn number(
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
