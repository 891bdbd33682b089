//! The examples of an allowlist entry: what its author believed is tested before anything depends on it.

use super::{
    commands::{CheckedCommand, CommandRefusal, Resolution},
    path_rules::PathRules,
};
use crate::{
    config::{CommandEntry, Config, ConfigError},
    relpath::RelPath,
    text::visible,
};

/// Every `match` must pass and every `not_match` must be refused.
pub(super) fn test(config: &Config, entry: &CommandEntry, rules: &PathRules) -> Result<(), ConfigError> {
    let places = config.places.examples.get(&entry.id);
    for (index, args) in entry.matches.iter().enumerate() {
        if let Err(refusal) = judge(entry, args, rules) {
            let message =
                format!("the `match` example {} of `{}` is refused: {refusal}", shown(args), entry.id);
            let hint = "change the rules of the command, or move the example to `not_match`";
            return Err(config.error(
                places.and_then(|places| places.matches.get(index)),
                message,
                Some(hint.to_owned()),
            ));
        }
    }
    for (index, args) in entry.not_matches.iter().enumerate() {
        if judge(entry, args, rules).is_ok() {
            let message = format!("the `not_match` example {} of `{}` is allowed", shown(args), entry.id);
            let hint = "take the flag out of `allow_flags`, or move the example to `match`";
            return Err(config.error(
                places.and_then(|places| places.not_matches.get(index)),
                message,
                Some(hint.to_owned()),
            ));
        }
    }
    Ok(())
}

fn judge(entry: &CommandEntry, args: &[String], rules: &PathRules) -> Result<(), CommandRefusal> {
    let checked = CheckedCommand::new(entry, args)?;
    let resolved: Vec<Resolution> = checked.path_arguments().map(lexical).collect();
    checked.judge_paths(rules, &resolved)
}

/// What the text of a path says by itself: an example has no workspace, and so no links.
fn lexical(text: &str) -> Resolution {
    let outside = |why: &str| Resolution::Outside(why.to_owned());
    if text.starts_with(['/', '\\']) || text.as_bytes().get(1) == Some(&b':') {
        return outside("it is an absolute path");
    }
    let mut names: Vec<&str> = Vec::new();
    for name in text.split(['/', '\\']) {
        match name {
            ".." if names.pop().is_none() => return outside("`..` leads above the workspace"),
            "" | "." | ".." => {}
            name => names.push(name),
        }
    }
    match RelPath::from_plain(&names.iter().collect::<std::path::PathBuf>()) {
        Some(path) => Resolution::Inside(path),
        None => Resolution::NotAPath,
    }
}

fn shown(args: &[String]) -> String {
    let quoted: Vec<String> = args.iter().map(|arg| format!("\"{}\"", visible(arg))).collect();
    format!("[{}]", quoted.join(", "))
}
