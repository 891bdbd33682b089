//! A dialog of the operating system, in a process of its own: choose a folder, or answer yes or no.
//!
//! Nothing in a browser can click it, which is its whole point. The host carries no toolkit for it: it starts what the desktop
//! brings along, and ends it when the request is cancelled or the port closes.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use super::{Ended, OwnProgram, ProcessDoor, ProcessError, program};
use crate::{cancel::Cancel, text};

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub enum Dialog<'a> {
    /// Which folder?
    Folder {
        /// The window's title.
        title: &'a str,
        /// Where the dialog opens.
        start: Option<&'a Path>,
    },
    /// Yes or no?
    Confirm {
        /// The window's title.
        title: &'a str,
        /// The question, as plain text.
        text: &'a str,
    },
}

/// What the person said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// This folder.
    Folder(PathBuf),
    /// Yes.
    Yes,
    /// No, or the window was closed.
    No,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum DialogError {
    /// Nobody could see it.
    #[error("there is no display (neither `WAYLAND_DISPLAY` nor `DISPLAY` is set)")]
    NoDisplay,
    /// Nothing can show it.
    #[error("no program that shows a dialog was found ({})", .looked_for.join(", "))]
    NoProgram {
        /// Their names.
        looked_for: Vec<&'static str>,
    },
    /// What could show it might answer for the person.
    #[error(
        "the only program found that shows a dialog is `{}`, where an agent or another user could change it; install one for everybody ({})",
        text::visible(&.found.to_string_lossy()),
        .looked_for.join(", ")
    )]
    NotTrusted {
        /// The first.
        found: PathBuf,
        /// Their names.
        looked_for: Vec<&'static str>,
    },
    /// It did not start.
    #[error(transparent)]
    Start(#[from] ProcessError),
    /// It ended without an answer.
    #[error("`{program}` showed no dialog: {words}")]
    Failed {
        /// Which.
        program: &'static str,
        /// Its last words.
        words: String,
    },
    /// Nobody waits for the answer any more.
    #[error("the request was cancelled")]
    Cancelled,
}

impl DialogError {
    /// True when this machine has no way to show a dialog at all.
    pub fn is_impossible(&self) -> bool {
        matches!(self, Self::NoDisplay | Self::NoProgram { .. } | Self::NotTrusted { .. })
    }
}

/// How a program is talked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tongue {
    Zenity,
    Kdialog,
    AppleScript,
    /// Our own binary, which asks Windows.
    Own,
}

const PROGRAMS: &[(&str, Tongue)] = &[
    ("zenity", Tongue::Zenity),
    ("qarma", Tongue::Zenity),
    ("kdialog", Tongue::Kdialog),
    ("osascript", Tongue::AppleScript),
];

/// Shows it and waits for the person, however long that takes.
pub fn ask(door: &ProcessDoor, dialog: Dialog<'_>, cancel: &Cancel) -> Result<Reply, DialogError> {
    let system = std::env::consts::OS;
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !["macos", "windows"].contains(&system) && !set("WAYLAND_DISPLAY") && !set("DISPLAY") {
        return Err(DialogError::NoDisplay);
    }
    let desktop = std::env::var("XDG_CURRENT_DESKTOP").unwrap_or_default();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let (name, tongue, program) = if system == "windows" {
        ("outrigger", Tongue::Own, door.helper().to_owned())
    } else {
        find(&path, &door.open_folders(), &desktop, system == "macos")?
    };
    let args = arguments(tongue, dialog);
    let (ended, printed) = door.show(OwnProgram::Dialog { path: &program, args: &args }, cancel)?;
    if ended == Ended::Cancelled {
        return Err(DialogError::Cancelled);
    }
    understood(dialog, ended, &printed).map_err(|words| DialogError::Failed { program: name, words })
}

/// The first that is there and lies where nobody could put another in its place; on a KDE desktop its own.
fn find(
    path: &OsStr,
    exposed: &[PathBuf],
    desktop: &str,
    is_mac: bool,
) -> Result<(&'static str, Tongue, PathBuf), DialogError> {
    let fits = |tongue: Tongue| (tongue == Tongue::AppleScript) == is_mac;
    let mut wanted: Vec<_> = PROGRAMS.iter().filter(|(_, tongue)| fits(*tongue)).collect();
    if desktop.split(':').any(|name| name.eq_ignore_ascii_case("kde")) {
        wanted.sort_by_key(|(_, tongue)| *tongue != Tongue::Kdialog);
    }
    let mut passed_over = None;
    for (name, tongue) in &wanted {
        let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
        for file in folders.map(|folder| folder.join(name)).filter(|file| file.is_file()) {
            if program::is_trusted(&file, exposed) {
                return Ok((name, *tongue, file));
            }
            passed_over.get_or_insert(file);
        }
    }
    let looked_for = wanted.iter().map(|(name, _)| *name).collect();
    Err(match passed_over {
        Some(found) => DialogError::NotTrusted { found, looked_for },
        None => DialogError::NoProgram { looked_for },
    })
}

fn arguments(tongue: Tongue, dialog: Dialog<'_>) -> Vec<OsString> {
    let with = |flag: &str, value: &OsStr| {
        let mut word = OsString::from(flag);
        word.push(value);
        word
    };
    match (tongue, dialog) {
        (Tongue::Zenity, Dialog::Folder { title, start }) => {
            let mut args =
                vec!["--file-selection".into(), "--directory".into(), format!("--title={title}").into()];
            // With a slash at its end it is opened; without one it would be selected in its parent.
            args.extend(start.map(|start| with("--filename=", start.join("").as_os_str())));
            args
        }
        (Tongue::Zenity, Dialog::Confirm { title, text }) => {
            let words =
                ["--question", "--no-markup", "--default-cancel", "--ok-label=Allow", "--cancel-label=Deny"];
            let more = [format!("--title={title}"), format!("--text={text}")];
            words.iter().map(OsString::from).chain(more.into_iter().map(OsString::from)).collect()
        }
        (Tongue::Kdialog, Dialog::Folder { title, start }) => {
            let start = start.map_or_else(|| "/".into(), |start| start.as_os_str().to_owned());
            vec!["--title".into(), title.into(), "--getexistingdirectory".into(), start]
        }
        (Tongue::Kdialog, Dialog::Confirm { title, text }) => {
            // The word after the flag is taken whatever it begins with, but a program may think again of a leading dash.
            let text = text.trim_start_matches('-');
            vec!["--title".into(), title.into(), "--warningyesno".into(), text.into()]
        }
        (Tongue::AppleScript, dialog) => apple_script(dialog).into_iter().map(OsString::from).collect(),
        (Tongue::Own, Dialog::Folder { title, start }) => {
            let words = ["__dialog", "folder", title].map(OsString::from);
            words.into_iter().chain(start.map(|start| start.as_os_str().to_owned())).collect()
        }
        (Tongue::Own, Dialog::Confirm { title, text }) => {
            ["__dialog", "confirm", title, text].map(OsString::from).into()
        }
    }
}

/// What a person or a page gave travels as an argument, never as part of the script.
fn apple_script(dialog: Dialog<'_>) -> Vec<String> {
    match dialog {
        Dialog::Folder { title, start } => {
            let script = match start {
                Some(_) => {
                    "on run {title, start}\nPOSIX path of (choose folder with prompt title default location (POSIX file start))\nend run"
                }
                None => "on run {title}\nPOSIX path of (choose folder with prompt title)\nend run",
            };
            let start = start.map(|start| start.to_string_lossy().into_owned());
            ["-e".to_owned(), script.to_owned(), title.to_owned()].into_iter().chain(start).collect()
        }
        Dialog::Confirm { title, text } => {
            let script = "on run {title, question}\ndisplay dialog question with title title buttons {\"Deny\", \"Allow\"} default button \"Deny\" cancel button \"Deny\"\nend run";
            vec!["-e".to_owned(), script.to_owned(), title.to_owned(), text.to_owned()]
        }
    }
}

/// What the end of the program means; `Err` has its last words.
fn understood(dialog: Dialog<'_>, ended: Ended, printed: &str) -> Result<Reply, String> {
    let mut lines = printed.lines().filter(|line| !line.trim().is_empty());
    match ended {
        Ended::Exited(0) => match dialog {
            Dialog::Confirm { .. } => Ok(Reply::Yes),
            // Warnings of the toolkit may stand around the answer.
            Dialog::Folder { .. } => lines
                .rfind(|line| Path::new(line).is_absolute())
                .map(|line| Reply::Folder(line.into()))
                .ok_or_else(|| "it named no folder".to_owned()),
        },
        // "No" and "no display" end alike; only the words tell them apart.
        Ended::Exited(1) if !is_about_the_display(printed) => Ok(Reply::No),
        ended => Err(lines
            .next_back()
            .map_or_else(|| format!("it ended with {ended:?}"), |line| line.trim().to_owned())),
    }
}

fn is_about_the_display(words: &str) -> bool {
    let words = words.to_lowercase();
    ["cannot open display", "failed to open display", "could not connect to display", "unable to init server"]
        .iter()
        .any(|sentence| words.contains(sentence))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    const FOLDER: Dialog<'_> = Dialog::Folder { title: "t", start: None };
    const CONFIRM: Dialog<'_> = Dialog::Confirm { title: "t", text: "?" };

    #[test]
    fn an_end_is_understood() {
        let end = understood;
        let folder = || Ok(Reply::Folder("/a b".into()));
        assert_eq!(end(FOLDER, Ended::Exited(0), "/a b\n"), folder());
        assert_eq!(end(FOLDER, Ended::Exited(0), "Gtk-WARNING: x\n/a b\nGtk-WARNING: y"), folder());
        assert_eq!(end(FOLDER, Ended::Exited(0), ""), Err("it named no folder".into()));
        assert_eq!(end(FOLDER, Ended::Exited(1), "Gtk-WARNING: whatever"), Ok(Reply::No));
        let words = "x\nUnable to init server: no\n(zenity:1): Gtk-WARNING: cannot open display: :9\n";
        assert_eq!(
            end(FOLDER, Ended::Exited(1), words),
            Err("(zenity:1): Gtk-WARNING: cannot open display: :9".into())
        );
        assert_eq!(end(CONFIRM, Ended::Exited(0), ""), Ok(Reply::Yes));
        assert_eq!(end(CONFIRM, Ended::Signaled(6), ""), Err("it ended with Signaled(6)".into()));
    }

    #[test]
    fn the_desktops_own_program_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["zenity", "kdialog"] {
            put(folder.path(), name);
        }
        let named = |desktop| find(folder.path().as_os_str(), &[], desktop, false).unwrap().0;
        assert_eq!((named("GNOME"), named("KDE"), named("")), ("zenity", "kdialog", "zenity"));
        assert!(find(folder.path().as_os_str(), &[], "", true).unwrap_err().is_impossible());
    }

    fn put(folder: &Path, name: &str) -> PathBuf {
        let program = folder.join(name);
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(&program, "").unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        program
    }

    #[test]
    fn who_could_be_anybodys_does_not_answer_for_a_person() {
        let temp = tempfile::tempdir().unwrap();
        let folder = |name: &str| temp.path().join(name);
        let exposed = [folder("ws"), folder("cache")];
        // In a workspace, where a command may write, a link into one, where everybody may write, and not to be started.
        put(&folder("ws/bin"), "zenity");
        put(&folder("cache"), "zenity");
        std::fs::create_dir(folder("links")).unwrap();
        symlink(folder("ws/bin/zenity"), folder("links/zenity")).unwrap();
        put(&folder("all"), "zenity");
        std::fs::set_permissions(folder("all"), PermissionsExt::from_mode(0o777)).unwrap();
        std::fs::set_permissions(put(&folder("plain"), "zenity"), PermissionsExt::from_mode(0o644)).unwrap();
        let bad = ["ws/bin", "cache", "links", "all", "plain"].map(folder);
        let path = |folders: &[PathBuf]| std::env::join_paths(folders).unwrap();
        let found = |folders: &[PathBuf]| find(&path(folders), &exposed, "", false);
        for folder in &bad {
            let refused = found(std::slice::from_ref(folder)).unwrap_err();
            assert!(matches!(&refused, DialogError::NotTrusted { .. }) && refused.is_impossible());
            assert!(refused.to_string().contains(&*folder.to_string_lossy()), "{refused}");
        }
        let good = put(&folder("good"), "zenity");
        assert_eq!(found(&[&bad[..], &[folder("good")]].concat()).unwrap().2, good);
    }
}
