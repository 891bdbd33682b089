//! What is meant for everybody on the machine: whether everybody gets there. An administrator does, whatever the permissions say.

use std::path::{Path, PathBuf};

use super::{
    check::{Check, Verdict},
    environment::Environment,
    error::{InstallError, shown},
    permissions::{self, Reach},
    way,
};
use crate::shell_words::quoted_path;

/// What a kind of file must allow to everybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// To be read.
    Read,
    /// To be read and started.
    Start,
}

/// Refuses a program for everybody that only its owner gets to: every other user's browser would say that there is no host.
pub(super) fn refuse_closed(environment: &Environment, program: &Path) -> Result<(), InstallError> {
    match closed(environment, "", "the program", program, Wanted::Start) {
        Some(check) if check.verdict == Verdict::Problem => Err(InstallError::ForItsOwnerAlone {
            path: program.to_path_buf(),
            seen: check.evidence.unwrap_or_default(),
            fix: check.fix.unwrap_or_default(),
        }),
        _ => Ok(()),
    }
}

/// The check that not everybody gets to `file` and may use it; `thing` is what it is called.
pub(super) fn closed(
    environment: &Environment,
    id: &'static str,
    thing: &str,
    file: &Path,
    wanted: Wanted,
) -> Option<Check> {
    let (bits, letters) = match wanted {
        Wanted::Read => (0o4, "r"),
        Wanted::Start => (0o5, "rx"),
    };
    let found: Vec<(PathBuf, bool, Reach)> = way::to(file)
        .into_iter()
        // What is above the whole machine is everybody's.
        .filter(|path| !environment.system_root.starts_with(path))
        .filter_map(|path| {
            let is_folder = path.is_dir();
            let reach = permissions::reach(&path, if is_folder { 0o1 } else { bits })?;
            Some((path, is_folder, reach))
        })
        .collect();
    let is_for_nobody = found.iter().any(|(.., reach)| *reach == Reach::Owner);
    let commands: Vec<String> = [(true, "x"), (false, letters)]
        .into_iter()
        .filter_map(|(folders, letters)| {
            let paths = found.iter().filter(|(_, is_folder, _)| *is_folder == folders);
            let places: Vec<String> = paths.map(|(path, ..)| quoted_path(path)).collect();
            (!places.is_empty()).then(|| format!("sudo chmod a+{letters} {}", places.join(" ")))
        })
        .collect();
    if commands.is_empty() {
        return None;
    }
    let (verdict, who) =
        if is_for_nobody { (Verdict::Problem, "its owner") } else { (Verdict::Warning, "a group") };
    let places: Vec<String> = found.iter().map(|(path, ..)| shown(path)).collect();
    let check = Check {
        verdict,
        ..Check::problem(id, format!("{thing} is for everybody, and only {who} gets to it and may use it"))
    };
    let check = check.seen(format!("closed to others: {}", places.join(", "))).fix(commands.join(" && "));
    Some(match wanted {
        Wanted::Read => check,
        Wanted::Start => {
            check.advice("or put the program where everybody gets, and install it again from there")
        }
    })
}
