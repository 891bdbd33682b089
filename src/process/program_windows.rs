//! What a program is on Windows: a file with one of four endings. The working folder is never searched.

use std::{
    fs::{File, Metadata},
    io,
    os::windows::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

/// No bare name has one.
pub(super) const NOT_IN_NAMES: [char; 4] = ['/', '\\', ':', '\0'];

/// In the order in which they are looked for. Scripts of the system's own shell come last; std starts them with each argument in
/// quotes, and refuses arguments that cannot be quoted for that shell.
const ENDINGS: [&str; 4] = ["exe", "com", "cmd", "bat"];

/// Searched behind everything else.
pub(super) fn default_folders() -> Vec<PathBuf> {
    let root = std::env::var_os("SystemRoot").map_or_else(|| PathBuf::from(r"C:\Windows"), PathBuf::from);
    vec![root.join("System32"), root]
}

/// Nothing of others is started for a person here: dialogs are this very program's.
pub(super) fn is_of_others(_real: &Path) -> bool {
    false
}

/// The names that a program of this name can have.
pub(super) fn spellings(name: &str) -> Vec<String> {
    if has_ending(Path::new(name)) {
        return vec![name.to_owned()];
    }
    ENDINGS.iter().map(|ending| format!("{name}.{ending}")).collect()
}

/// True for a file that can be started, by its ending.
pub(super) fn is_executable(path: &Path) -> bool {
    has_ending(path)
}

fn has_ending(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// Which file it is, as far as is told without opening it, and when it was changed last.
pub(super) fn identity(found: &Metadata) -> String {
    format!("{} {} {}", found.file_size(), found.creation_time(), found.last_write_time())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the program was found by the administrator's rules; its bytes are only hashed"
)]
pub(super) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}
