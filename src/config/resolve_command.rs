//! Commands of a configuration: programs, flags and limits, each checked where it stands.

use std::{collections::BTreeSet, path::Path};

use super::{
    document::Fault,
    resolve::{Surroundings, check_id, fault, number, values},
    resolve_path::write_path,
    resolved::{CommandEntry, ExamplePlaces, Place, Places, Positional},
    shipped, typed,
    written::Written,
};
use crate::{
    limits::{EXEC_ARG_BYTES, EXEC_ARGS, EXEC_IDLE_MS, EXEC_TIMEOUT_MS, EXEC_TIMEOUT_MS_MAX},
    text::is_deceptive,
    tier::Tier,
};

pub(super) fn commands(
    written: Vec<typed::Command>,
    defaults: bool,
    around: &Surroundings<'_>,
    places: &mut Places,
) -> Result<Vec<CommandEntry>, Fault> {
    let mut entries = Vec::with_capacity(written.len());
    let mut ids = BTreeSet::new();
    for command in written {
        let id = &command.id;
        check_id("command", id, 1)?;
        if !ids.insert(id.value.clone()) {
            return Err(fault(
                id,
                format!("two commands have the id `{}`", id.value),
                "give each its own id",
            ));
        }
        let spans = |examples: &[Written<Vec<String>>]| examples.iter().map(Written::span).collect();
        let examples =
            ExamplePlaces { matches: spans(&command.matches), not_matches: spans(&command.not_matches) };
        places.examples.insert(id.value.clone(), examples);
        entries.push(command_entry(command, around)?);
    }
    if defaults {
        entries.extend(shipped::entries().into_iter().filter(|entry| !ids.contains(&entry.id)));
    }
    Ok(entries)
}

fn command_entry(command: typed::Command, around: &Surroundings<'_>) -> Result<CommandEntry, Fault> {
    check_program(&command.program, &command.args)?;
    if let (Some(_), Some(denied)) = (&command.allow_flags, &command.deny_flags) {
        let message = format!("`{}` has both `allow_flags` and `deny_flags`", command.id.value);
        return Err(fault(denied, message, "keep `allow_flags`: what is not listed is refused"));
    }
    let denied = command.deny_flags.as_ref().map_or(&[][..], |denied| &denied.value);
    let (allowed, with_values) = (command.allow_flags.iter().flatten(), command.value_flags.iter().flatten());
    allowed.chain(denied).chain(with_values).try_for_each(check_flag)?;
    command.env.keys().chain(&command.env_pass).try_for_each(check_variable)?;
    if let Some((name, _)) = command.env.iter().find(|(_, value)| value.contains('\0')) {
        let message = format!("the value of `{}` contains a NUL character", name.value);
        return Err(fault(name, message, "no program can be given one; leave it out"));
    }
    if command.args.iter().any(|arg| arg.contains('\0')) {
        let message = format!("an argument of `{}` contains a NUL character", command.id.value);
        return Err(fault(&command.id, message, "no program can be given one; leave it out"));
    }
    let write_paths =
        command.write_paths.iter().map(|path| write_path(path, around)).collect::<Result<_, _>>()?;
    let positional = command.positional.into();
    let place: Place = around.source.place(command.id.start);
    Ok(CommandEntry {
        summary: summary(&command)?,
        program: command.program.value,
        args: command.args,
        allow_flags: command.allow_flags.map(values),
        deny_flags: command.deny_flags.map(|denied| values(denied.value)),
        value_flags: match command.value_flags {
            Some(written) => values(written),
            None => shown_with_values(positional, &command.matches),
        },
        positional,
        argument_files: command.argument_files,
        max_args: usize::try_from(number(
            "max_args",
            command.max_args.as_ref(),
            EXEC_ARGS as u64,
            0,
            EXEC_ARGS as u64,
        )?)
        .unwrap_or(EXEC_ARGS),
        env: command.env.into_iter().map(|(name, value)| (name.value, value)).collect(),
        env_pass: values(command.env_pass),
        network: command.network,
        write_paths,
        timeout_ms: number(
            "timeout_ms",
            command.timeout_ms.as_ref(),
            EXEC_TIMEOUT_MS,
            1,
            EXEC_TIMEOUT_MS_MAX,
        )?,
        idle_timeout_ms: number(
            "idle_timeout_ms",
            command.idle_timeout_ms.as_ref(),
            EXEC_IDLE_MS,
            1,
            EXEC_TIMEOUT_MS_MAX,
        )?,
        tier: command.tier.unwrap_or(Tier::Individual),
        own_tier: command.tier.is_some(),
        matches: values(command.matches),
        not_matches: values(command.not_matches),
        shipped: false,
        place,
        id: command.id.value,
    })
}

/// The flags that an example shows with a value behind them. Only where nothing but flags may stand: elsewhere it could be a word
/// of its own, and a flag that only seems to take one would keep the next word from being judged.
fn shown_with_values(positional: Positional, examples: &[Written<Vec<String>>]) -> Vec<String> {
    if positional != Positional::None {
        return Vec::new();
    }
    let is_flag = |argument: &str| argument.len() > 1 && argument.starts_with('-');
    let pairs = examples.iter().flat_map(|example| example.value.windows(2));
    let flags: BTreeSet<&String> = pairs
        .filter(|pair| is_flag(&pair[0]) && !is_flag(&pair[1]) && pair[0] != "--" && !pair[0].contains('='))
        .map(|pair| &pair[0])
        .collect();
    flags.into_iter().cloned().collect()
}

/// A bare name, or an absolute path; never git, whose tools keep rules that an allowlist cannot.
fn check_program(program: &Written<String>, args: &[String]) -> Result<(), Fault> {
    let text = &program.value;
    let hint = "write the bare name of the program, or its absolute path";
    let is_bare = !text.contains(['/', '\\']);
    if text.trim().is_empty() || text.chars().any(is_deceptive) {
        return Err(fault(program, "the program is no usable name".to_owned(), hint));
    }
    if is_bare && (text.contains(char::is_whitespace) || text.starts_with(['-', '~', '.'])) {
        return Err(fault(
            program,
            format!("`{text}` is no name of a program"),
            "arguments belong into `args`",
        ));
    }
    if !is_bare && !Path::new(text).is_absolute() {
        return Err(fault(program, format!("`{text}` is a relative path"), hint));
    }
    if shipped::is_git(text) || shipped::starting_git(text, args).is_some() {
        return Err(fault(
            program,
            "git is no command of the allowlist".to_owned(),
            "the tools whose names begin with `git_` do it",
        ));
    }
    Ok(())
}

fn check_flag(flag: &Written<String>) -> Result<(), Fault> {
    let text = &flag.value;
    if !text.starts_with('-') || text.len() < 2 {
        return Err(fault(
            flag,
            format!("`{text}` is no flag"),
            "a flag begins with `-`; `positional` rules the rest",
        ));
    }
    if text.contains(char::is_whitespace) || text.chars().any(is_deceptive) {
        return Err(fault(
            flag,
            format!("`{text}` is more than one token"),
            "list each flag alone, without its value",
        ));
    }
    if text.len() > EXEC_ARG_BYTES {
        return Err(fault(flag, "this flag is too long to be one".to_owned(), "list each flag alone"));
    }
    Ok(())
}

/// The variables by which programs find their temporary folder. On Windows `TMPDIR` is for programs that come from Unix.
pub const TEMPORARY: &[&str] = if cfg!(windows) { &["TEMP", "TMP", "TMPDIR"] } else { &["TMPDIR"] };

fn check_variable(name: &Written<String>) -> Result<(), Fault> {
    let text = &name.value;
    let is_same = |own: &&str| if cfg!(windows) { own.eq_ignore_ascii_case(text) } else { *own == text };
    if TEMPORARY.iter().any(is_same) {
        return Err(fault(
            name,
            format!(
                "`{text}` cannot be chosen: each run has a temporary folder of its own, which goes with it"
            ),
            "leave it out; for another folder use a variable that the program itself knows, and `write_paths`",
        ));
    }
    let fits = !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if fits {
        return Ok(());
    }
    let hint = "a name has letters, digits and `_`, and no digit in front";
    Err(fault(name, format!("`{text}` is no name of an environment variable"), hint))
}

fn summary(command: &typed::Command) -> Result<String, Fault> {
    let Some(written) = &command.summary else {
        let words: Vec<&str> = std::iter::once(command.program.value.as_str())
            .chain(command.args.iter().map(String::as_str))
            .collect();
        return Ok(format!("Run `{}`", words.join(" ")));
    };
    let text = &written.value;
    if text.trim().is_empty()
        || text.chars().count() > 120
        || text.chars().any(|c| c == '\n' || is_deceptive(c))
    {
        let hint = if text.trim().is_empty() { "say what the command does" } else { "shorten it" };
        return Err(fault(written, "a summary is one line of 1 to 120 characters".to_owned(), hint));
    }
    Ok(text.clone())
}
