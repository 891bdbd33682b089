//! Looks up what in a command's arguments could be a path, as the command would see it from its working folder.

use std::{
    io,
    path::{Component, Path},
};

use crate::{
    policy::{CheckedCommand, Resolution},
    relpath::RelPath,
    text::visible,
    tools::{Call, Code, ToolError},
    workspace::{DoorError, NAME_BYTES, PATH_BYTES, Workspace},
};

/// What the door says about each path-like piece, in order. A blocked one is an error at once.
pub fn look_up(
    call: &Call,
    workdir: &RelPath,
    command: &CheckedCommand,
) -> Result<Vec<Resolution>, ToolError> {
    let may_run_above = command.may_run_above();
    command
        .path_arguments()
        .map(|piece| {
            call.check_cancelled()?;
            match look_up_one(&call.workspace, workdir, piece)? {
                found @ Resolution::Outside(_) => Ok(found),
                found if may_run_above => look_up_above(call, workdir, piece, found),
                found => Ok(found),
            }
        })
        .collect()
}

/// A shipped command of a package runs none above the workspace: its program would take the next one up there, whose scripts nobody
/// has shown. What an administrator allows may do without a package, as `npm init` does.
pub fn check_package(
    workspace: &Workspace,
    workdir: &RelPath,
    command: &CheckedCommand,
) -> Result<(), ToolError> {
    if !(command.may_run_above() && command.entry().shipped) {
        return Ok(());
    }
    let is_package = |folder: &Path| {
        let named = folder.join(PACKAGE).to_str().map(|named| workspace.resolve(named));
        named.is_some_and(|found| found.is_ok_and(|package| package.exists()))
    };
    if workdir.as_path().ancestors().any(is_package) {
        return Ok(());
    }
    let Some(above) = workspace.root().ancestors().skip(1).find(|folder| folder.join(PACKAGE).exists())
    else {
        return Ok(());
    };
    Err(ToolError::new(
        Code::NotFound,
        format!(
            "there is no `{PACKAGE}` in `{workdir}`, nor in a folder above it in the workspace; `{}` would run that of `{}`",
            command.entry().program,
            visible(&above.to_string_lossy())
        ),
        "give the folder of a package as `workdir`",
    ))
}

/// What makes a folder a package.
const PACKAGE: &str = "package.json";

/// `found`, unless the piece leads out of the workspace, or to what is blocked, from one of the folders above: the program runs in the
/// nearest of them that is a package.
fn look_up_above(
    call: &Call,
    workdir: &RelPath,
    piece: &str,
    found: Resolution,
) -> Result<Resolution, ToolError> {
    for folder in workdir.as_path().ancestors().skip(1).filter_map(RelPath::from_plain) {
        call.check_cancelled()?;
        if let Resolution::Outside(why) = look_up_one(&call.workspace, &folder, piece)? {
            return Ok(Resolution::Outside(format!("{why}, if the program runs in `{folder}`")));
        }
    }
    Ok(found)
}

fn look_up_one(workspace: &Workspace, workdir: &RelPath, piece: &str) -> Result<Resolution, ToolError> {
    let Some(written) = from_workdir(workdir, piece) else {
        return Ok(Resolution::NotAPath);
    };
    if is_only_too_long(&written) {
        return Ok(Resolution::Outside("it is too long to be looked up from its working folder".to_owned()));
    }
    let found = resolution(workspace.resolve(&written))?;
    if !has_parent_steps(&written) || !matches!(found, Resolution::Inside(_) | Resolution::NotAPath) {
        return Ok(found);
    }
    // The system goes back through the folders it really came by; many programs cut `name/..` out of the text instead. The
    // two differ behind links and missing folders, so both readings have to be allowed.
    let Some(shortened) = without_parent_steps(&written) else {
        return Ok(Resolution::Outside("`..` leads above its folder".to_owned()));
    };
    match resolution(workspace.resolve(&shortened))? {
        outside @ Resolution::Outside(_) => Ok(outside),
        _ => Ok(found),
    }
}

/// The piece as a path from the root; an absolute one stays as it is. `None` when no path can be made of it.
fn from_workdir(workdir: &RelPath, piece: &str) -> Option<String> {
    if Path::new(piece).is_absolute() || workdir.is_root() {
        return Some(piece.to_owned());
    }
    Some(format!("{}/{piece}", workdir.as_path().to_str()?))
}

fn resolution(found: Result<crate::workspace::WorkspacePath, DoorError>) -> Result<Resolution, ToolError> {
    match found {
        Ok(path) => Ok(Resolution::Inside(path.resolved().clone())),
        Err(DoorError::Outside { reason, .. }) => Ok(Resolution::Outside(reason)),
        Err(blocked @ DoorError::Blocked { .. }) => Err(blocked.into()),
        // Nothing can be opened by such a name, so it leads nowhere.
        Err(DoorError::NotFound { .. } | DoorError::WrongType { .. } | DoorError::InvalidPath { .. }) => {
            Ok(Resolution::NotAPath)
        }
        // Nor can the command, which has no other rights.
        Err(DoorError::Io { source, .. }) if source.kind() == io::ErrorKind::PermissionDenied => {
            Ok(Resolution::NotAPath)
        }
        // It is not known where it leads.
        Err(unknown) => Err(unknown.into()),
    }
}

/// Longer than what the door looks up, though a program that stands in the working folder could open it.
fn is_only_too_long(path: &str) -> bool {
    path.len() > PATH_BYTES && path.split('/').all(|name| name.len() <= NAME_BYTES)
}

fn has_parent_steps(path: &str) -> bool {
    Path::new(path).components().any(|component| component == Component::ParentDir)
}

/// The path with every `name/..` cut out; `None` when it leads above where it began.
fn without_parent_steps(path: &str) -> Option<String> {
    let mut kept: Vec<&str> = Vec::new();
    for component in Path::new(path).components() {
        match component {
            Component::ParentDir => {
                if kept.pop().is_none_or(|last| last == "/") {
                    return None;
                }
            }
            Component::CurDir => {}
            other => kept.push(other.as_os_str().to_str()?),
        }
    }
    let path: std::path::PathBuf = kept.iter().collect();
    Some(if kept.is_empty() { ".".to_owned() } else { path.to_str()?.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parent_steps_are_cut_out_of_the_text() {
        let cut = |path| without_parent_steps(path);
        assert_eq!(cut("a/../b").as_deref(), Some("b"));
        assert_eq!(cut("a/./b/../..").as_deref(), Some("."));
        assert_eq!(cut("a/../../b"), None);
        assert_eq!(cut("/a/../b").as_deref(), Some("/b"));
        assert_eq!(cut("/a/../../b"), None);
    }

    #[test]
    fn a_long_path_is_no_other_one_than_a_short_one() {
        assert!(is_only_too_long(&("./".repeat(2048) + ".env")));
        assert!(!is_only_too_long(&("./".repeat(2000) + ".env")));
        assert!(!is_only_too_long(&"word ".repeat(1000)));
    }

    #[test]
    fn pieces_are_seen_from_the_working_folder() {
        let workdir = RelPath::root().join("sub");
        assert_eq!(from_workdir(&workdir, "../x").as_deref(), Some("sub/../x"));
        assert_eq!(from_workdir(&workdir, "/etc").as_deref(), Some("/etc"));
        assert_eq!(from_workdir(&RelPath::root(), "x").as_deref(), Some("x"));
    }
}
