//! What can be said about the program that a manifest names, without starting it.

use std::path::Path;

use super::{
    browsers::Scope,
    check::{Check, Mend},
    environment::Environment,
    error::shown,
    files,
    for_all::{self, Wanted},
    inspect::Inspector,
    launcher,
    obstacle::Obstacle,
    permissions::{self, OtherWriter},
    way,
};
use crate::{
    shell_words::{moved_aside, quoted_path},
    text,
};

/// The checks of `program`, which `manifest` names.
pub(super) fn of(inspector: &Inspector<'_>, manifest: &Path, program: &Path) -> Vec<Check> {
    let (environment, reinstall) = (inspector.environment, inspector.reinstall.as_str());
    let place = shown(program);
    let problem = |id, message: String| Check::problem(id, message).fix(reinstall).mended_by(Mend::Reinstall);
    let mut checks = Vec::new();
    let real = match files::canonical(program) {
        Ok(real) => real,
        Err(error) => {
            let message = format!("`{place}`, which the manifest names, cannot be found");
            let check = problem("binary.exists", message).seen(missing(program, &error));
            // Installing again would fail at the same door.
            let closed = program.parent().and_then(Obstacle::to_reaching);
            checks.push(match closed.filter(|_| error.kind() == std::io::ErrorKind::PermissionDenied) {
                // A program of the whole machine is meant for everybody.
                Some(obstacle) if obstacle.command().is_none() && !program.starts_with(&environment.home) => {
                    Check::problem(check.id, check.message)
                        .seen(obstacle.seen())
                        .fix(obstacle.opened_to_all())
                }
                Some(obstacle) => obstacle.on(Check::problem(check.id, check.message)),
                None => check,
            });
            return checks;
        }
    };
    checks.push(Check::ok("binary.exists", format!("`{place}` is there")));
    if !real.is_file() {
        let message = format!("`{place}`, which the manifest names, is not a file");
        let kind = if real.is_dir() { "it is a folder" } else { "it is a pipe, a socket or a device" };
        checks.push(problem("binary.regular", message).seen(kind));
        return checks;
    }
    checks.push(Check::ok("binary.regular", "it is a file"));
    if !permissions::may_execute(&real) {
        checks.push(not_executable(environment, &real, reinstall));
        return checks;
    }
    let closed = (inspector.target.scope == Scope::System)
        .then(|| for_all::closed(environment, "binary.executable", "the program", program, Wanted::Start));
    checks.push(if permissions::lends_rights(&real) {
        lends_rights(environment, &real, reinstall)
    } else if let Some(check) = closed.flatten() {
        check
    } else {
        Check::ok("binary.executable", "it may be executed")
    });
    checks.push(same(environment, &real, reinstall));
    checks.push(folder(environment, (program, is_ours(environment, &real)), manifest, reinstall));
    checks
}

/// A link that leads nowhere is told apart from nothing at all.
fn missing(program: &Path, error: &std::io::Error) -> String {
    match files::link_of(program).filter(|_| error.kind() == std::io::ErrorKind::NotFound) {
        Some(to) => format!("it is a link to `{}`, which is not there", shown(&to)),
        None => error.to_string(),
    }
}

fn not_executable(environment: &Environment, real: &Path, reinstall: &str) -> Check {
    let message = format!("`{}` may not be executed", shown(real));
    let check = Check::problem("binary.executable", message);
    if permissions::is_without_programs(real) {
        let own = real.starts_with(&environment.program_dir);
        let check = check.seen("its disk is mounted with `noexec`");
        return if own && environment.binary.starts_with(&environment.program_dir) {
            let place = quoted_path(real);
            check
                .fix(format!("sudo mount -o remount,exec \"$(findmnt -no TARGET -T {place})\""))
                .advice(format!("or unpack outrigger on another disk and run `{reinstall} --in-place` there"))
        } else if own {
            check.fix(format!("{reinstall} --in-place"))
        } else {
            check.fix(reinstall).mended_by(Mend::Reinstall)
        };
    }
    let check = check.seen("it has no execute permission for you");
    // What is not ours may be anything: a private file that nobody else may read, say.
    if !is_ours(environment, real) {
        return check.fix(reinstall).mended_by(Mend::Reinstall);
    }
    let place = quoted_path(real);
    if !permissions::is_own(real) && !permissions::is_root() {
        return check.fix(format!("sudo chmod a+rx {place}"));
    }
    check.fix(format!("chmod a+rx {place}")).mended_by(Mend::AddMode(real.to_path_buf(), 0o555))
}

/// It is this program, or lies where the installer puts its copies.
fn is_ours(environment: &Environment, real: &Path) -> bool {
    let folder = files::canonical(&environment.program_dir).ok();
    folder.is_some_and(|folder| real.starts_with(folder))
        || files::canonical(&environment.binary)
            .is_ok_and(|ours| ours == real || files::same_contents(&ours, real))
}

/// A host has the rights of whoever sits before the browser, and no others.
fn lends_rights(environment: &Environment, real: &Path, reinstall: &str) -> Check {
    let message =
        format!("`{}` runs with the rights of its owner or its group instead of yours", shown(real));
    let check =
        Check::problem("binary.executable", message).seen("it has the permission `setuid` or `setgid`");
    if !is_ours(environment, real) {
        return check.fix(reinstall).mended_by(Mend::Reinstall);
    }
    check
        .fix(format!("chmod ug-s {}", quoted_path(real)))
        .mended_by(Mend::RemoveMode(real.to_path_buf(), 0o6000))
}

/// Whether the browser starts what the person just ran.
fn same(environment: &Environment, real: &Path, reinstall: &str) -> Check {
    const ID: &str = "binary.same";
    let ours = files::canonical(&environment.binary).ok();
    let is_this_very = ours.as_deref() == Some(real);
    if !is_this_very && ours.is_some_and(|ours| files::same_contents(&ours, real)) {
        return Check::ok(ID, "it is a copy of this binary");
    }
    if launcher::is_damaged(environment, real) {
        let message = "the copy of outrigger that browsers start is damaged: its bytes are not those that were installed";
        let check = Check::problem(ID, message).seen(shown(real));
        // What runs now is the damaged one: what it would copy is no better.
        return if is_this_very {
            check.advice("not possible from here, because this very program is the damaged one: unpack outrigger again, and run the `install` of that one")
        } else {
            check.fix(format!("{} update-launcher", environment.command())).mended_by(Mend::Reinstall)
        };
    }
    if is_this_very {
        return Check::ok(ID, "it is this very binary");
    }
    let mine = shown(&environment.binary);
    if cfg!(unix)
        && let Err(error) = files::read_some(real)
    {
        let message = format!("what browsers start cannot be compared with this outrigger, `{mine}`");
        let check = Check::warning(ID, message).seen(format!("{}: {error}", shown(real)));
        let sudo = if permissions::is_own(real) || permissions::is_root() { "" } else { "sudo " };
        return check.fix(format!("{sudo}chmod a+r {}", quoted_path(real)));
    }
    let behind_launcher = files::canonical(&launcher::path(environment)).is_ok_and(|current| current == real);
    let (message, fix) = if behind_launcher {
        let fix = format!("{} update-launcher", environment.command());
        (format!("browsers start another build of outrigger than this one, `{mine}`"), fix)
    } else {
        (format!("the manifest names another binary than this one, `{mine}`"), reinstall.to_owned())
    };
    let (message, seen) = match interpreter_of(&files::read_some(real).unwrap_or_default()) {
        Some(interpreter) => {
            let message = format!("browsers start a script, and not this outrigger, `{mine}`");
            (message, format!("a script for `{interpreter}`: {}", shown(real)))
        }
        None => (message, shown(real)),
    };
    Check::warning(ID, message).seen(seen).fix(fix).mended_by(Mend::Reinstall)
}

/// What a script is for, by the bytes that it begins with.
pub fn interpreter_of(begins: &[u8]) -> Option<String> {
    let line = begins.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let interpreter = line.trim_start_matches(' ').split(' ').next().unwrap_or_default();
    Some(text::visible(interpreter).into_owned())
}

/// Whoever may write the binary, the manifest that names it or a folder on the way to one of them decides what the browser starts.
fn folder(
    environment: &Environment,
    (program, is_ours): (&Path, bool),
    manifest: &Path,
    reinstall: &str,
) -> Check {
    const ID: &str = "binary.folder";
    let to_manifest = way::to(manifest);
    for path in way::to(program).iter().chain(&to_manifest) {
        let writer = match permissions::other_writer(path) {
            Ok(None) => continue,
            Ok(Some(writer)) => writer,
            Err(error) => {
                return Check::warning(ID, format!("the owner of `{}` cannot be found out", shown(path)))
                    .seen(error.to_string());
            }
        };
        let seen = shown(path);
        let narrowed = writer.narrowed(&quoted_path(path));
        let check = match writer {
            OtherWriter::Everyone => Check::problem(
                ID,
                "every user of this machine may replace the program that the browser starts",
            )
            .seen(format!("writable for everyone: {seen}")),
            OtherWriter::Owner(owner) => {
                Check::problem(ID, "another user may replace the program that the browser starts")
                    .seen(format!("owned by user {owner}: {seen}"))
            }
            OtherWriter::Nobody => Check::warning(
                ID,
                "whose the program is that the browser starts cannot be told: `nobody` is how a disk shows users that it does not know",
            )
            .seen(format!("owned by user 65534: {seen}")),
            OtherWriter::Listed(user) => {
                Check::problem(ID, "another user may replace the program that the browser starts")
                    .seen(format!("writable for user {user}, by its list of rights (`getfacl`): {seen}"))
            }
            OtherWriter::Group(group) => {
                Check::warning(ID, "members of a group may replace the program that the browser starts")
                    .seen(format!("writable for group {group}: {seen}"))
            }
        };
        // Another program than ours is left behind by installing again, and so are its folders, whoever may write there.
        if !is_ours && !to_manifest.contains(path) {
            return check.fix(reinstall).mended_by(Mend::Reinstall);
        }
        let sudo = |path: &Path| if permissions::is_root() || files::is_mine(path) { "" } else { "sudo " };
        return match narrowed {
            Some((command, _)) if !sudo(path).is_empty() => check.fix(format!("sudo {command}")),
            Some((command, Some(mode))) => check.fix(command).mended_by(Mend::RemoveMode(path.clone(), mode)),
            Some((command, None)) => check.fix(command),
            None if path == manifest => {
                let sudo = sudo(path.parent().unwrap_or(path));
                check.fix(format!("{sudo}{} && {reinstall}", moved_aside(path)))
            }
            // Nothing of anybody else belongs there.
            None if path.starts_with(&environment.program_dir) => {
                let place = quoted_path(&environment.program_dir);
                check.fix(format!("sudo chown -R \"$(id -u)\" {place}"))
            }
            None => check.advice("move the binary to a folder of your own, then install again"),
        };
    }
    Check::ok(ID, "nobody else may replace it")
}
