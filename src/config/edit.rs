//! Adds and removes workspaces and folders of programs in the configuration file, its comments and its order kept.
//!
//! The new text is read as a configuration before it replaces the old one: an edit never leaves a file that cannot be used. Several at
//! once go one after the other, and none takes back what another has just written.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use super::{
    error::ConfigError,
    load::{language, parse},
    own_file,
    resolved::Config,
    source::{Language, Source},
};
use crate::text::visible;

/// Why a workspace is not added.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// The folder may not be one.
    #[error(transparent)]
    Folder(ConfigError),
    /// The configuration cannot be edited, or does not take the id.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

impl From<AddError> for ConfigError {
    fn from(error: AddError) -> Self {
        let (AddError::Folder(error) | AddError::Config(error)) = error;
        error
    }
}

/// Adds the folder `dir` as a workspace, under `id` or a name made of the folder's; returns the id.
///
/// `known` is what the file says now; `tools` are the names that `tools.tier` may use.
pub fn add_workspace(
    file: &Path,
    known: &Config,
    dir: &Path,
    id: Option<&str>,
    tools: &[&str],
) -> Result<String, AddError> {
    add(file, known, (dir, id), tools, Way::Write)
}

/// Says what [`add_workspace`] would say, and writes nothing.
pub fn try_workspace(
    file: &Path,
    known: &Config,
    dir: &Path,
    id: Option<&str>,
    tools: &[&str],
) -> Result<String, AddError> {
    add(file, known, (dir, id), tools, Way::Try)
}

/// Whether what an edit makes of the file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Write,
    Try,
}

fn add(
    file: &Path,
    known: &Config,
    (dir, id): (&Path, Option<&str>),
    tools: &[&str],
    way: Way,
) -> Result<String, AddError> {
    let folder = absolute(file, dir).map_err(AddError::Folder)?;
    let is_same = |path: &Path| path == folder || canonical(path).is_ok_and(|path| path == folder);
    if let Some(same) = known.workspaces.iter().find(|workspace| is_same(&workspace.path)) {
        if id.is_some_and(|id| id != same.id) {
            let message =
                format!("`{}` is the workspace `{}` already", visible(&folder.to_string_lossy()), same.id);
            let hint = format!("to give it another id, `outrigger workspace remove {}` first", same.id);
            return Err(ConfigError::file(file, message, hint).into());
        }
        return Ok(same.id.clone());
    }
    let id = match id {
        Some(id) => id.to_owned(),
        None => free_id(known, &folder),
    };
    let Some(text) = folder.to_str() else {
        let hint = "rename the folder, or give the workspace another one";
        let message = "the folder's name is not UTF-8, which a configuration cannot hold";
        return Err(AddError::Folder(ConfigError::file(&folder, message, hint)));
    };
    edit(file, tools, ("workspace", &format!("  - id: {id}\n    path: {text}")), way, |document| {
        let tables = document.entry("workspace").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        let Some(tables) = tables.as_array_of_tables_mut() else {
            return Err("`workspace` is not written as `[[workspace]]`".to_owned());
        };
        let mut table = Table::new();
        table.insert("id", value(&id));
        table.insert("path", value(text));
        tables.push(table);
        Ok(())
    })
    .map_err(|error| of_the_new_one(file, &id, error))?;
    Ok(id)
}

/// What is wrong with a workspace that was not added: it has no line in the file, and cannot be taken from the list.
fn of_the_new_one(file: &Path, id: &str, error: ConfigError) -> AddError {
    let out_of_the_list = format!("`outrigger workspace remove {id}` takes it from the list; or ");
    let hint = error.hint.clone().unwrap_or_default();
    match hint.strip_prefix(&out_of_the_list) {
        Some(otherwise) => AddError::Folder(ConfigError::file(file, error.message, otherwise)),
        None => error.into(),
    }
}

/// Removes the workspace `id`; false when there is none. Its folder is not touched, and need not be there.
pub fn remove_workspace(file: &Path, id: &str, tools: &[&str]) -> Result<bool, ConfigError> {
    let mut found = false;
    edit(
        file,
        tools,
        ("workspace", &format!("the entry with `id: {id}` taken out")),
        Way::Write,
        |document| {
            let (before, left) = match document.get_mut("workspace") {
                Some(Item::ArrayOfTables(tables)) => {
                    let before = tables.len();
                    tables.retain(|table| table.get("id").and_then(Item::as_str) != Some(id));
                    (before, tables.len())
                }
                // Written in one line each.
                Some(Item::Value(toml_edit::Value::Array(list))) => {
                    let before = list.len();
                    let id_of = |entry: &toml_edit::Value| {
                        entry.as_inline_table()?.get("id")?.as_str().map(str::to_owned)
                    };
                    list.retain(|entry| id_of(entry).as_deref() != Some(id));
                    (before, list.len())
                }
                _ => (0, 0),
            };
            found = left != before;
            if found && left == 0 {
                document.remove("workspace");
            }
            Ok(())
        },
    )?;
    Ok(found)
}

/// Lets commands' programs be found in these folders, before all others; returns those that were not known yet.
pub fn add_path(
    file: &Path,
    known: &Config,
    folders: &[PathBuf],
    tools: &[&str],
) -> Result<Vec<String>, ConfigError> {
    let mut new: Vec<String> = Vec::new();
    for folder in folders {
        let cannot = |reason: &str, hint: &str| {
            let shown = visible(&folder.to_string_lossy()).into_owned();
            ConfigError::file(file, format!("`{shown}` cannot be a folder of programs: {reason}"), hint)
        };
        // The name that the person gave: a link may lead to another version tomorrow.
        let absolute = std::path::absolute(folder)
            .map_err(|error| cannot(&error.to_string(), "name a folder that exists"))?;
        if !absolute.is_dir() {
            return Err(cannot("it is no folder", "name a folder that exists"));
        }
        if let Some(around) = known.workspaces.iter().find(|workspace| lies_in(&absolute, &workspace.path)) {
            return Err(cannot(
                &format!(
                    "it lies in the workspace `{}`, where an agent could change what is in it",
                    around.id
                ),
                "programs are not looked for there; a `[[command]]` may name one by its absolute path",
            ));
        }
        let text = absolute.to_str().ok_or_else(|| {
            cannot(
                "its name is not UTF-8, which a configuration cannot hold",
                "rename it, or make a link to it",
            )
        })?;
        if !known.exec.path.contains(&absolute) && !new.iter().any(|known| known == text) {
            new.push(text.to_owned());
        }
    }
    if new.is_empty() {
        return Ok(new);
    }
    let by_hand: Vec<String> = new.iter().map(|folder| format!("    - {folder}")).collect();
    edit(file, tools, ("exec", &format!("  path:\n{}", by_hand.join("\n"))), Way::Write, |document| {
        let exec = document.entry("exec").or_insert(Item::Table(Table::new()));
        let Some(exec) = exec.as_table_like_mut() else {
            return Err("`exec` is not written as `[exec]`".to_owned());
        };
        let path = exec.entry("path").or_insert(value(Array::new()));
        let Some(path) = path.as_array_mut() else {
            return Err("`path` in `[exec]` is not a list".to_owned());
        };
        for (place, folder) in new.iter().enumerate() {
            path.insert(place, folder);
        }
        Ok(())
    })?;
    Ok(new)
}

fn edit(
    file: &Path,
    tools: &[&str],
    (table, by_hand): (&str, &str),
    way: Way,
    mut change: impl FnMut(&mut DocumentMut) -> Result<(), String>,
) -> Result<(), ConfigError> {
    if language(file)? == Language::Yaml {
        let hint = format!("edit it by hand, under `{table}:`\n{by_hand}");
        return Err(ConfigError::file(
            file,
            "a YAML configuration is not edited, to keep your comments",
            hint,
        ));
    }
    if way == Way::Try {
        return edited(file, tools, &mut change).map(|_| ());
    }
    loop {
        // A link stays a link: what it names is replaced.
        let target = destination(file);
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let _alone =
            own_file::hold(folder.unwrap_or(Path::new("."))).map_err(|error| not_written(file, &error))?;
        let (old, new) = edited(file, tools, &mut change)?;
        match write(&target, &new, old.is_none()) {
            // Somebody else has begun one meanwhile.
            Err(error) if old.is_none() && error.kind() == io::ErrorKind::AlreadyExists => {}
            written => return written.map_err(|error| not_written(file, &error)),
        }
    }
}

/// What the file says, if it is there, and what it is to say.
fn edited(
    file: &Path,
    tools: &[&str],
    change: &mut impl FnMut(&mut DocumentMut) -> Result<(), String>,
) -> Result<(Option<String>, String), ConfigError> {
    let old = read(file)?;
    let mut document: DocumentMut =
        old.as_deref().unwrap_or("version = 1\n").parse().map_err(|error: toml_edit::TomlError| {
            ConfigError::file(file, format!("the file is not TOML: {}", error.message()), "mend it first")
        })?;
    change(&mut document).map_err(|reason| ConfigError::file(file, reason, "edit it by hand"))?;
    let text = old.as_deref().map_or_else(|| document.to_string(), |old| like(old, &document.to_string()));
    let judged =
        |text: &str| parse(Source { path: file.to_owned(), text: text.into() }, Language::Toml, tools);
    // What could not be used before may have several faults, and this edit mends one of them.
    if old.as_ref().is_none_or(|old| judged(old).is_ok()) {
        judged(&text)?;
    }
    Ok((old, text))
}

#[expect(clippy::disallowed_methods, reason = "the configuration is our own file")]
fn read(file: &Path) -> Result<Option<String>, ConfigError> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(ConfigError::file(file, format!("it cannot be read: {error}"), "check its permissions"))
        }
    }
}

/// With the line ends and the mark at the beginning that the old text has.
fn like(old: &str, text: &str) -> String {
    let is_of_windows = old.contains("\r\n") && !old.replace("\r\n", "").contains('\n');
    let text = if is_of_windows { text.replace("\r\n", "\n").replace('\n', "\r\n") } else { text.to_owned() };
    match old.strip_prefix(MARK) {
        Some(_) if !text.starts_with(MARK) => format!("{MARK}{text}"),
        _ => text,
    }
}

const MARK: char = '\u{feff}';

/// Wherever links lead.
fn lies_in(folder: &Path, workspace: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(folder).starts_with(real(workspace))
}

fn not_written(file: &Path, error: &io::Error) -> ConfigError {
    ConfigError::file(
        file,
        format!("it cannot be written: {error}"),
        "check the folder's permissions and space",
    )
}

/// Where the file is, or will be: at the end of its links, also of one that leads to no file yet.
#[expect(clippy::disallowed_methods, reason = "the configuration is our own file")]
fn destination(file: &Path) -> PathBuf {
    if let Ok(target) = std::fs::canonicalize(file) {
        return target;
    }
    match std::fs::read_link(file) {
        Ok(to) => file.parent().map_or_else(|| to.clone(), |folder| folder.join(&to)),
        Err(_) => file.to_owned(),
    }
}

/// Replaces the file in one step, and keeps its permissions; a new one is for this user alone, and takes nobody's place.
#[expect(clippy::disallowed_methods, reason = "the configuration is our own file")]
fn write(target: &Path, text: &str, is_new: bool) -> io::Result<()> {
    let folder = target.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let fresh = folder.join(format!(".{}.outrigger-new", crate::ids::new_ulid()));
    let result = (|| {
        let mut stream = own_file::create(&fresh)?;
        stream.write_all(text.as_bytes())?;
        if cfg!(unix) && !is_new {
            stream.set_permissions(std::fs::metadata(target)?.permissions())?;
        }
        stream.sync_all()?;
        drop(stream);
        if is_new {
            match std::fs::hard_link(&fresh, target) {
                // Some disks have no second names.
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {}
                linked => return linked.and_then(|()| std::fs::remove_file(&fresh)),
            }
        }
        std::fs::rename(&fresh, target)
    })();
    if result.is_err() {
        let _ = std::fs::remove_file(&fresh);
    }
    result
}

fn absolute(file: &Path, dir: &Path) -> Result<PathBuf, ConfigError> {
    let folder = canonical(dir).map_err(|error| {
        ConfigError::file(
            file,
            format!("`{}` cannot be a workspace: {error}", visible(&dir.to_string_lossy())),
            "name a folder that exists",
        )
    })?;
    if folder.is_dir() {
        return Ok(folder);
    }
    let shown = visible(&dir.to_string_lossy()).into_owned();
    Err(ConfigError::file(file, format!("`{shown}` is no folder"), "name a folder"))
}

#[expect(clippy::disallowed_methods, reason = "the folder is named by a person, or by the configuration")]
fn canonical(dir: &Path) -> io::Result<PathBuf> {
    std::fs::canonicalize(dir).map(crate::text::unmarked)
}

/// A free id made of the folder's name.
fn free_id(known: &Config, folder: &Path) -> String {
    let name = folder.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let is_plain = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit();
    let plain: String =
        name.chars().map(|character| if is_plain(character) { character } else { '_' }).collect();
    let plain = plain.trim_matches('_');
    let mut base = if plain.len() < 2 { format!("ws_{plain}") } else { plain.to_owned() };
    base.truncate(base.trim_end_matches('_').len().min(24));
    // `out:` names kept output, so no workspace has that id.
    let taken = |id: &str| id == "out" || known.workspaces.iter().any(|workspace| workspace.id == id);
    if !taken(&base) {
        return base;
    }
    let numbered = |number: usize| format!("{base}_{number}");
    // One more number than there are workspaces: one of them is free.
    (2..known.workspaces.len() + 3).map(numbered).find(|id| !taken(id)).unwrap_or(base)
}
