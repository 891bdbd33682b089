//! Why a host does not start: what the system says of it, and what the file is.

use std::{io, path::Path};

use super::{host_checks::Link, seen};
use crate::{
    install::{
        binary_checks::interpreter_of,
        check::{Check, Mend},
        error::shown,
        files, launcher, permissions,
    },
    process::ProcessError,
    shell_words::quoted_path,
};

/// The check of a program that the system did not start.
pub fn failed(link: &Link<'_>, error: &ProcessError) -> Check {
    let program = link.program;
    let kind = match error {
        ProcessError::Spawn { source, .. } => source.kind(),
        _ => io::ErrorKind::Other,
    };
    if kind == io::ErrorKind::ExecutableFileBusy {
        return busy(link);
    }
    let check = Check::problem("host.start", seen(&error.to_string()));
    if let ProcessError::Spawn { source, .. } = error
        && permissions::is_exhausted(source)
    {
        let advice = "nothing is said by that about the host: end some programs, or raise the limits of this session (`ulimit -n`, `ulimit -u`), then look again";
        return check.seen(source.to_string()).advice(advice);
    }
    if kind == io::ErrorKind::PermissionDenied && permissions::may_execute(program) && !is_led_astray(program)
    {
        let advice = "not possible here, because something forbids to start programs (a filter of system calls, AppArmor, SELinux): run it in another session";
        return check.seen(format!("its permissions allow it: {}", shown(program))).advice(advice);
    }
    link.mend.of(check.seen(what_it_is(program)))
}

/// A program that somebody has open for writing: the system starts none of those.
fn busy(link: &Link<'_>) -> Check {
    let program = link.program;
    let message = format!("`{}` cannot be started while something has it open for writing", shown(program));
    let check = Check::problem("host.start", message);
    let real = files::canonical(program).unwrap_or_else(|_| program.to_path_buf());
    let check = check.seen(format!("text file busy: {}", shown(&real)));
    let place = quoted_path(&real);
    if launcher::is_copy(link.environment, &real) {
        let fix = format!("rm {place} && {}", link.target.reinstall(link.environment));
        return check.fix(fix).mended_by(Mend::CopyAgain(real));
    }
    check.advice(format!("wait until it is whole; this shows what writes it: fuser -v {place}"))
}

/// A signal, and what it usually means.
pub fn ended_by(signal: i32) -> String {
    let meaning = match signal {
        6 => "it gave up",
        9 => "something ended it: a limit of CPU time (`ulimit -t`), or the system for want of memory",
        4 | 7 | 11 => "it crashed: a damaged file, or a limit of memory (`ulimit -v`)",
        24 => "a limit of CPU time: `ulimit -t`",
        25 => "a limit of file size: `ulimit -f`",
        31 => "it did what is forbidden here, by a filter of system calls",
        _ => return format!("ended by signal {signal}"),
    };
    format!("ended by signal {signal} ({meaning})")
}

/// What the file begins with, which says why the system does not start it.
fn what_it_is(program: &Path) -> String {
    let begins = files::read_some(program).unwrap_or_default();
    let place = shown(program);
    if begins.is_empty() {
        return format!("an empty file: {place}");
    }
    let Some(interpreter) = interpreter_of(&begins) else {
        let kind = if begins.starts_with(b"\x7fELF") || begins.starts_with(b"\xcf\xfa\xed\xfe") {
            "a program that this system cannot start"
        } else {
            "neither a program nor a script"
        };
        return format!("{kind}: {place}");
    };
    if interpreter.is_empty() {
        return format!("a script that does not say for which interpreter: {place}");
    }
    let wrong = match Path::new(&interpreter) {
        path if !path.exists() => ", which is not there",
        path if !files::is_program(path) => ", which is no program",
        _ => "",
    };
    seen(&format!("a script for `{interpreter}`{wrong}: {place}"))
}

/// A script whose interpreter cannot be started: what the system says of it is not said of the script.
fn is_led_astray(program: &Path) -> bool {
    let interpreter = interpreter_of(&files::read_some(program).unwrap_or_default());
    interpreter.is_some_and(|interpreter| !files::is_program(Path::new(&interpreter)))
}
