//! How installing fails: the thing, the reason, and what to do about it.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{
    browsers::{BROWSERS, Scope},
    obstacle::Obstacle,
    permissions,
};
use crate::{
    config::ConfigError,
    hint,
    shell_words::{moved_aside, quoted, quoted_path},
    text,
};

/// Something that stops the whole command or one target of it.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// No home folder.
    #[error("the home folder is unknown")]
    NoHome,
    /// A home folder that is another one in each folder.
    #[error("`HOME` is `{}`, a relative path", shown(.path))]
    RelativeHome {
        /// As it is.
        path: PathBuf,
    },
    /// An administrator at work in the home folder of somebody else, whose browsers could read nothing of it.
    #[error("the home folder `{}` belongs to another user (uid {owner}), who could not use what an administrator puts there", shown(.home))]
    HomeOfAnother {
        /// The home folder.
        home: PathBuf,
        /// Whose it is.
        owner: u32,
    },
    /// Our state folder is not to be had.
    #[error(transparent)]
    State(ConfigError),
    /// The running binary's own path cannot be had.
    #[error("the path of the running outrigger binary cannot be found: {source}")]
    Binary {
        /// Why.
        source: io::Error,
    },
    /// A manifest is JSON, and JSON is Unicode.
    #[error("the path `{}` is not valid UTF-8, and manifests and the record of them are", shown(.path))]
    NotUnicode {
        /// The path.
        path: PathBuf,
    },
    /// A file that was built into the binary is wrong.
    #[error("bug: the built-in `{file}` cannot be used: {source}")]
    Shipped {
        /// Which.
        file: &'static str,
        /// Why.
        source: serde_json::Error,
    },
    /// No such browser in the table.
    #[error("there is no browser `{}` in the list", text::visible(.given))]
    UnknownBrowser {
        /// What was given.
        given: String,
    },
    /// A browser without a known place here.
    #[error("{}", if *.for_all { format!("{name} has no known folder for all users on {os}") } else { format!("{name} is not available on {os}") })]
    NoPlace {
        /// The browser.
        name: &'static str,
        /// The system.
        os: &'static str,
        /// It has a place, but none for everybody.
        for_all: bool,
    },
    /// Windows browsers are told by the registry, not by folders.
    #[error("browsers on Windows look into the registry, not into their own folders")]
    NoFolders,
    /// The registry refused.
    #[error("the registry key `{}`: {}", text::visible(.key), text::visible(.reason))]
    Registry {
        /// The key.
        key: String,
        /// Why.
        reason: String,
    },
    /// Nothing to do it for.
    #[error("no browser was found")]
    NoBrowser,
    /// An extension id that no browser would accept.
    #[error("`{}` is not an extension id", text::visible(.given))]
    ExtensionId {
        /// What was given.
        given: String,
    },
    /// Something other than a file is where the manifest belongs.
    #[error("`{}` is {kind}", shown(.path))]
    NotAFile {
        /// Where.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
    },
    /// Something stands in the way to a folder.
    #[error("cannot write to `{}`: {seen}", shown(.path))]
    Obstructed {
        /// The folder.
        path: PathBuf,
        /// What does.
        seen: String,
        /// And what takes it away.
        help: String,
    },
    /// A folder of ours that cannot be taken away.
    #[error("cannot remove the folder `{}`", shown(.path))]
    Stays {
        /// The folder.
        path: PathBuf,
        /// What keeps it, and what takes that away.
        help: String,
    },
    /// A program for everybody that not everybody gets to.
    #[error("`{}` is to be started by everybody, and only its owner gets to it ({seen})", shown(.path))]
    ForItsOwnerAlone {
        /// The program.
        path: PathBuf,
        /// What is closed.
        seen: String,
        /// What opens it.
        fix: String,
    },
    /// A copy that its disk lets nobody start.
    #[error("`{}` may not be executed: its disk is mounted with `noexec`", shown(.path))]
    NotExecutable {
        /// The copy.
        path: PathBuf,
    },
    /// A launcher that browsers would follow to somewhere else.
    #[error("the launcher `{}` does not lead to the program, `{}`", shown(.launcher), shown(.program))]
    LedAstray {
        /// The launcher.
        launcher: PathBuf,
        /// Where it should lead.
        program: PathBuf,
    },
    /// Browsers of both families read the same folder by a link, and no file is a manifest for both.
    #[error("`{}` is the manifest of {with} by a link, and one file cannot serve both", shown(.path))]
    Shared {
        /// As the target names it.
        path: PathBuf,
        /// Whose it is.
        with: String,
    },
    /// What is everybody's is the administrator's.
    #[error("{reason}")]
    ForEverybody {
        /// What the system refused.
        reason: Box<InstallError>,
    },
    /// A person named one profile where the folder of all of them is wanted.
    #[error("`{}` is one profile of a browser, which looks for hosts beside its profiles and not in them", shown(.path))]
    AProfile {
        /// The profile.
        path: PathBuf,
        /// What to name instead, as flags.
        instead: String,
    },
    /// The folder was named from a folder that is not there.
    #[error("where `{}` is cannot be told", shown(.path))]
    NotAbsolute {
        /// What they named.
        path: PathBuf,
    },
    /// A person named a file where a folder is wanted.
    #[error("`{}` is no folder", shown(.path))]
    NotAFolder {
        /// What they named.
        path: PathBuf,
    },
    /// The file that a person named for a report cannot be written.
    #[error("cannot write `{}`: {source}", shown(.path))]
    Report {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Somebody else has put something where it belongs.
    #[error("`{}` is not outrigger's, and stays as it is", shown(.path))]
    Foreign {
        /// What is there.
        path: PathBuf,
    },
    /// Another process has it, and does not go on.
    #[error("`{}` is held by {}, which has not let go of it for 30 seconds", shown(.path), .by.map_or_else(|| "another outrigger".to_owned(), |by| format!("process {by}")))]
    Held {
        /// The lock.
        path: PathBuf,
        /// Its number, where the system tells.
        by: Option<u32>,
    },
    /// A manifest of somebody else that the record has no room to keep.
    #[error("`{}` is somebody else's and too large to be kept beside what else is kept until outrigger is uninstalled", shown(.path))]
    TooMuchToKeep {
        /// The manifest.
        path: PathBuf,
    },
    /// The record of what we wrote cannot be read.
    #[error("the record of installed manifests, `{}`, cannot be used: {reason}", shown(.path))]
    Record {
        /// The record.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The record was written by an outrigger that knows more than this one.
    #[error("the record of installed manifests, `{}`, was written by a newer outrigger (version {version} of it; this one knows {known})", shown(.path))]
    NewerRecord {
        /// The record.
        path: PathBuf,
        /// Its version.
        version: u32,
        /// The newest that is known.
        known: u32,
    },
    /// The system refused.
    #[error("{action} `{}`: {source}", shown(.path))]
    Io {
        /// What was tried, as "cannot write".
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl InstallError {
    /// True when the system says that there is nothing at the path.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    /// True when a file stands where a folder of the path belongs: then there is nothing behind it.
    pub fn is_not_folder(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotADirectory)
    }

    /// True when links of the path lead back to themselves.
    pub fn is_circle(&self) -> bool {
        matches!(self, Self::Io { source, .. } if permissions::is_circle(source))
    }

    /// True when there is no room left for it.
    pub fn is_no_room(&self) -> bool {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        matches!(self, Self::Io { source, .. } if [StorageFull, QuotaExceeded].contains(&source.kind()))
    }

    /// True when the system says that this user may not.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::PermissionDenied)
    }

    /// The same of what is for one user or for everybody: whom the system refuses what is everybody's needs an administrator.
    #[must_use]
    pub fn of_scope(self, scope: Scope) -> Self {
        let is_refused = self.is_denied() || matches!(self, Self::Obstructed { .. });
        if scope == Scope::System && is_refused && !permissions::is_root() {
            return Self::ForEverybody { reason: Box::new(self) };
        }
        self
    }

    /// What a person can do; empty where only a developer can.
    pub fn help(&self) -> String {
        match self {
            Self::NoHome | Self::RelativeHome { .. } => {
                "set HOME to the absolute path of your home folder".to_owned()
            }
            Self::HomeOfAnother { .. } => {
                "run it without `sudo`, as that user; for everybody on this machine: `--scope system`"
                    .to_owned()
            }
            Self::State(error) => error.hint.clone().unwrap_or_default(),
            Self::Binary { .. } => {
                "start outrigger from a file that is still there; after an update, open a new terminal"
                    .to_owned()
            }
            Self::NotUnicode { .. } => "move it to a folder with a plain name".to_owned(),
            Self::Shipped { .. } => "please report it; this build of outrigger is broken".to_owned(),
            Self::UnknownBrowser { given } => {
                let names: Vec<&str> = BROWSERS.iter().map(|browser| browser.id).collect();
                let known = format!("known browsers: {}", names.join(", "));
                match hint::nearest(given, names) {
                    Some(meant) => format!("did you mean `{meant}`? {known}"),
                    None => format!(
                        "{known}; for another one, give its folder: `--browser-dir DIR --family chromium|firefox`"
                    ),
                }
            }
            Self::NoPlace { for_all: true, .. } => {
                "install it for your user, without `--scope system`".to_owned()
            }
            Self::NoFolders => "name the browser: `--browser chrome`".to_owned(),
            Self::Registry { .. } => {
                "look at the key with `reg query`, then run the command again".to_owned()
            }
            Self::NoPlace { .. } => {
                "give the browser's own folder: `--browser-dir DIR --family chromium|firefox`".to_owned()
            }
            Self::NoBrowser => "name one (`--browser chrome`), take all of them (`--all`), or give a folder \
                                (`--user-data-dir DIR`)"
                .to_owned(),
            Self::ExtensionId { .. } => {
                "Chromium ids are 32 letters from a to p (see chrome://extensions), Firefox ids \
                                         look like name@example.org (see about:debugging)"
                    .to_owned()
            }
            Self::NotAFile { path, .. } | Self::TooMuchToKeep { path } => {
                format!("move it away: {}", moved_aside(path))
            }
            Self::NotExecutable { .. } => {
                "let manifests name the program where it is now: add `--in-place` to `outrigger install`"
                    .to_owned()
            }
            Self::LedAstray { launcher, .. } => {
                let folder = launcher.parent().unwrap_or(launcher).to_string_lossy();
                format!(
                    "look whether a link of its path leads elsewhere (ls -ld {}), or let manifests name the program where it is now: add `--in-place` to `outrigger install`",
                    quoted(&folder)
                )
            }
            Self::Shared { path, .. } => {
                format!("give it a folder of its own: {}", moved_aside(path.parent().unwrap_or(path)))
            }
            Self::ForEverybody { .. } => {
                format!("what is for everybody needs an administrator: {}", permissions::AS_ADMINISTRATOR)
            }
            Self::AProfile { instead, .. } => format!("name that folder: `{instead}`"),
            Self::NotAbsolute { .. } => "give its absolute path".to_owned(),
            Self::NotAFolder { .. } => {
                "give the folder in which the browser has its profiles; one that is not there yet is made"
                    .to_owned()
            }
            Self::Report { path, source } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => io_help(source, path),
                _ => "give a file in a folder that is there and that you may write to".to_owned(),
            },
            Self::Foreign { path } => {
                format!(
                    "to have outrigger's there, move it away ({}) and run the command again",
                    moved_aside(path)
                )
            }
            Self::Held { by: Some(by), .. } => format!(
                "look what it does: ps -fp {by}; when it hangs, end it (kill {by}) and run the command again"
            ),
            Self::Held { by: None, .. } => {
                "wait until it is done or end it, then run the command again".to_owned()
            }
            Self::Record { .. } => {
                "move the record away to start a new one; manifests it listed then have to be deleted by hand"
                    .to_owned()
            }
            Self::NewerRecord { .. } => {
                "use that newer outrigger, also to uninstall; the record stays where it is, because it keeps what was there before"
                    .to_owned()
            }
            Self::Obstructed { help, .. } | Self::Stays { help, .. } => help.clone(),
            Self::ForItsOwnerAlone { fix, .. } => format!(
                "put the program where everybody gets, such as /usr/local/bin, and install it from there; or open it: `{fix}`"
            ),
            Self::Io { source, path, .. } => io_help(source, path),
        }
    }
}

/// What to do about a refusal of the system.
fn io_help(source: &io::Error, path: &Path) -> String {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            let folder = path.parent().unwrap_or(path).to_string_lossy();
            return format!(
                "free some space on that disk (`df -h {}`), then run the command again",
                quoted(&folder)
            );
        }
        io::ErrorKind::FileTooLarge => {
            return "files may not be so large here (`ulimit -f` says how large): run the command from another shell"
                .to_owned();
        }
        _ => {}
    }
    if let Some(obstacle) = Obstacle::to_replacing(path) {
        return obstacle.help();
    }
    if permissions::is_circle(source) {
        return format!("a link that leads back to itself is where a file belongs: {}", moved_aside(path));
    }
    match source.kind() {
        io::ErrorKind::PermissionDenied => {
            format!("look who owns it: ls -ld {}", quoted_path(path))
        }
        io::ErrorKind::IsADirectory => {
            format!("a folder is where a file belongs: {}", moved_aside(path))
        }
        _ => "look at the path and its owner, then run the command again".to_owned(),
    }
}

/// A path for people: nothing in it can hide or reorder what is read.
pub fn shown(path: &Path) -> String {
    text::visible(&path.to_string_lossy()).into_owned()
}
