//! The user's login shell, asked for its `PATH`: browsers that were started from a dock have a poor one.
//!
//! Whatever a shell's start-up files print, wait for or start, the answer comes within a limit, or there is none.

use std::{
    ffi::{OsStr, OsString},
    os::unix::{ffi::OsStrExt, fs::MetadataExt as _},
    path::{Path, PathBuf},
};

/// Around the `PATH`, since start-up files may print too.
const MARK: &str = "__outrigger_path__";

/// The user's shell: as the environment says, else as the system's list of users says. None for an administrator with somebody else's
/// home folder, as `sudo` may leave it: what that one's start-up files say would be done with all rights.
pub(super) fn of_user() -> Option<PathBuf> {
    let owner = || Some(std::env::home_dir()?.metadata().ok()?.uid());
    if rustix::process::geteuid().is_root() && owner().is_some_and(|owner| owner != 0) {
        return None;
    }
    let named = std::env::var_os("SHELL").map(PathBuf::from);
    let listed = || Some(nix::unistd::User::from_uid(nix::unistd::getuid()).ok()??.shell);
    let usable = |shell: &PathBuf| shell.is_absolute() && !is_none(shell);
    named.filter(usable).or_else(|| listed().filter(usable)).or_else(|| Some("/bin/sh".into()))
}

/// Accounts that nobody logs into have such a shell.
fn is_none(shell: &Path) -> bool {
    matches!(name(shell), Some("nologin" | "false" | "true"))
}

fn name(shell: &Path) -> Option<&str> {
    shell.file_name()?.to_str()
}

/// What makes any common shell, `fish` and `csh` included, print its `PATH` between marks.
pub(super) fn arguments(shell: &Path, interactive: bool) -> Vec<OsString> {
    let script = format!("printf '%s%s%s' '{MARK}' \"$PATH\" '{MARK}'");
    let flags: &[&str] = match (name(shell), interactive) {
        // They take `-l` only alone.
        (Some("csh" | "tcsh"), true) => &["-i"],
        (Some("csh" | "tcsh"), false) => &[],
        (_, true) => &["-i", "-l"],
        (_, false) => &["-l"],
    };
    let words = flags.iter().copied().chain(["-c", &script]);
    words.map(OsString::from).collect()
}

/// The `PATH` in what the shell printed.
pub(super) fn path_in(printed: &str) -> Option<OsString> {
    // The last one: a shell that echoes what it runs prints the script first.
    let (before, _) = printed.rsplit_once(MARK)?;
    let (_, path) = before.rsplit_once(MARK)?;
    let is_path = path.split(':').any(|folder| Path::new(folder).is_absolute());
    is_path.then(|| OsStr::from_bytes(path.as_bytes()).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_found_among_what_start_up_files_print() {
        assert_eq!(path_in(&format!("hello\n{MARK}/a:/b{MARK}bye")), Some("/a:/b".into()));
        let echoed = format!("printf '%s%s%s' '{MARK}' \"$PATH\" '{MARK}'\n{MARK}/a{MARK}");
        assert_eq!(path_in(&echoed), Some("/a".into()));
        assert_eq!(path_in("nothing"), None);
        assert_eq!(path_in(&format!("{MARK}{MARK}")), None);
        assert_eq!(path_in(&format!("{MARK}command not found{MARK}")), None);
    }

    #[test]
    fn a_shell_that_is_none_is_not_asked() {
        for shell in ["/usr/sbin/nologin", "/bin/false"] {
            assert!(is_none(Path::new(shell)), "{shell}");
        }
        assert!(!is_none(Path::new("/bin/zsh")));
        assert!(of_user().unwrap().is_absolute());
    }
}
