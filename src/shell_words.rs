//! Words of the commands that a person is given to paste.

use std::path::Path;

/// One word, for the shells of this system.
#[cfg(unix)]
pub fn quoted(text: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "/._-+:@%=,".contains(character);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// One word, for both shells of Windows; no path has a quotation mark.
#[cfg(windows)]
pub fn quoted(text: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || r"\/._-+:@=~".contains(character);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { format!("\"{text}\"") }
}

/// The same of a path.
pub fn quoted_path(path: impl AsRef<Path>) -> String {
    quoted(&path.as_ref().to_string_lossy())
}

/// The command that moves it out of the way, to a name that nothing has yet.
pub fn moved_aside(path: &Path) -> String {
    let named = |number: u32| {
        path.with_added_extension(if number == 1 { "old".to_owned() } else { format!("old-{number}") })
    };
    let free = (1..100).map(named).find(|name| name.symlink_metadata().is_err());
    let program = if cfg!(windows) { "move" } else { "mv" };
    format!("{program} {} {}", quoted_path(path), quoted_path(free.unwrap_or_else(|| named(100))))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one_word() {
        assert_eq!(quoted("/home/ada/outrigger"), "/home/ada/outrigger");
        assert_eq!(quoted("/home/ada l/it's"), r"'/home/ada l/it'\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("$HOME"), "'$HOME'");
    }

    #[test]
    fn what_is_put_aside_takes_no_place_that_is_taken() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("outrigger.toml");
        let old = |name: &str| format!("mv {} {}", path.display(), folder.path().join(name).display());
        assert_eq!(moved_aside(&path), old("outrigger.toml.old"));
        // A link to nothing has the name, too.
        std::os::unix::fs::symlink("nowhere", folder.path().join("outrigger.toml.old")).expect("link");
        assert_eq!(moved_aside(&path), old("outrigger.toml.old-2"));
    }
}
