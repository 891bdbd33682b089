//! Reads a configuration file: size, ownership, language, document, model.

use std::{
    io::{self, Read as _},
    path::Path,
    sync::Arc,
};

use super::{
    deserialize,
    document::{Fault, Node},
    encoding,
    error::ConfigError,
    folders::{Folders, System},
    read_toml, read_yaml,
    resolve::{self, Surroundings},
    resolved::Config,
    source::{Language, Source},
};
use crate::shell_words::moved_aside;

#[cfg(unix)]
#[path = "owner_unix.rs"]
mod owner;
#[cfg(windows)]
#[path = "owner_windows.rs"]
mod owner;

/// The largest file that is read: a hundred times the largest sensible one.
const FILE_BYTES: u64 = 1024 * 1024;

/// Reads the file at `path`. `tools` are the names that `tools.tier` may use.
pub fn load(path: &Path, tools: &[&str]) -> Result<Config, ConfigError> {
    let language = language(path)?;
    let text = read(path)?;
    parse(Source { path: path.to_owned(), text }, language, tools)
}

/// Makes the configuration of a text that was read already.
pub fn parse(source: Source, language: Language, tools: &[&str]) -> Result<Config, ConfigError> {
    parse_among(&source, language, tools, &System).map_err(|fault| {
        let span = fault.span.unwrap_or(0..0);
        ConfigError::at(&source, &span, fault.message, fault.hint)
    })
}

pub(super) fn parse_among(
    source: &Source,
    language: Language,
    tools: &[&str],
    folders: &dyn Folders,
) -> Result<Config, Fault> {
    let root: Node = match language {
        Language::Toml => read_toml::read(&source.text)?,
        Language::Yaml => read_yaml::read(&source.text)?,
    };
    resolve::check_version(&root)?;
    let file = deserialize::read(&root)?;
    resolve::resolve(file, &Surroundings { source, folders, tools })
}

/// The language a file name stands for.
pub fn language(path: &Path) -> Result<Language, ConfigError> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("toml") => Ok(Language::Toml),
        Some("yaml" | "yml") => Ok(Language::Yaml),
        _ => Err(ConfigError::file(
            path,
            "the name of a configuration ends in `.toml`, `.yaml` or `.yml`",
            "rename the file after its language",
        )),
    }
}

/// Refuses a file, called `what`, that somebody else could have written.
pub(super) fn check_owner(what: &str, path: &Path, metadata: &std::fs::Metadata) -> Result<(), ConfigError> {
    owner::check(what, path, metadata).map_err(|(message, hint)| ConfigError::file(path, message, hint))
}

/// Why the folder of a configuration does not keep it, and what helps.
pub(super) fn open_to_all(folder: &Path, metadata: &std::fs::Metadata) -> Option<(String, String)> {
    owner::open_to_all(folder, metadata)
}

/// What takes away what is no configuration.
pub(super) fn aside(path: &Path) -> String {
    format!("`{}` takes it out of the way; or name another file", moved_aside(path))
}

fn read(path: &Path) -> Result<Arc<str>, ConfigError> {
    let fail = |message: String, hint: &str| ConfigError::file(path, message, hint);
    let trouble = |error: &io::Error| match error.kind() {
        io::ErrorKind::NotFound => fail("the configuration file does not exist".to_owned(), "check the path"),
        io::ErrorKind::PermissionDenied if cfg!(unix) => {
            fail(format!("the configuration file cannot be read: {error}"), &owner::opened(path))
        }
        _ => fail(format!("the configuration file cannot be read: {error}"), &aside(path)),
    };
    // A FIFO would block the open; a folder or a device is no configuration either.
    let kind = std::fs::metadata(path).map_err(|error| trouble(&error))?;
    if !kind.is_file() {
        return Err(fail("the configuration is not a regular file".to_owned(), &aside(path)));
    }
    #[expect(clippy::disallowed_methods, reason = "`config::load` is the door to the configuration")]
    let file = std::fs::File::open(path).map_err(|error| trouble(&error))?;
    // What is judged is what was opened, not what the name meant a moment ago.
    let metadata = file.metadata().map_err(|error| trouble(&error))?;
    check_owner("the configuration file", path, &metadata)?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| trouble(&error))?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(fail("the configuration file is larger than 1 MiB".to_owned(), &aside(path)));
    }
    String::from_utf8(bytes).map(Arc::from).map_err(|error| encoding::not_utf8(path, &error))
}
