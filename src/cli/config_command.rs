//! `outrigger config`: whether the configuration can be used and where it cannot, what is in force, the model, an example; and where
//! commands' programs are.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{
    report::{Exit, Report, Tone},
    targets::lossy,
};
use crate::{
    config::{
        self, Config, edit,
        show::{Origin, Setting},
    },
    install::error::shown,
    policy::Law,
    text::{counted, visible},
    tools::catalog,
};

/// Look at the configuration, and name folders of programs in it
#[derive(Debug, Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Clone, Debug, Subcommand)]
enum Verb {
    /// Read it as the host would, examples of commands included
    Check,
    /// Show what is in force, each setting with its origin
    Show,
    /// Print the JSON Schema of the file
    Schema,
    /// Print a whole file with comments, every setting at its default
    Example,
    /// Let commands' programs be found in these folders, before all others (`path` in `[exec]`)
    AddPath {
        /// Folders of programs
        #[arg(required = true, value_name = "DIR")]
        folders: Vec<PathBuf>,
    },
}

/// Does it.
pub fn run(args: &ConfigArgs, config: Option<&Path>, report: &mut Report) -> Exit {
    match &args.verb {
        Verb::Schema => {
            let tools: Vec<&str> = catalog().iter().map(|tool| tool.spec().name).collect();
            report.json(&config::schema(&tools));
            return Exit::Done;
        }
        Verb::Example => {
            if report.is_json() {
                report.json(&json!({"language": "toml", "text": config::EXAMPLE}));
            } else {
                report.line(config::EXAMPLE.trim_end());
            }
            return Exit::Done;
        }
        Verb::AddPath { folders } => return add_path(folders, config, report),
        Verb::Check | Verb::Show => {}
    }
    let (loaded, path) = super::load(config);
    let (config, law) = match loaded {
        Ok(loaded) => loaded,
        Err(error) => {
            if report.is_json() {
                report.json(&json!({"ok": false, "file": lossy(&error.file), "line": error.line, "column": error.column, "message": error.message, "hint": error.hint}));
            } else {
                let colours = report.has_colours();
                report.error("the configuration cannot be used", &error.render(colours), "");
            }
            return Exit::Problems;
        }
    };
    match &args.verb {
        Verb::Show => show(&config, &law, &path, report),
        _ => check(&config, &path, report),
    }
    Exit::Done
}

fn add_path(folders: &[PathBuf], explicit: Option<&Path>, report: &mut Report) -> Exit {
    let tools: Vec<&str> = catalog().iter().map(|tool| tool.spec().name).collect();
    let added = config::locate(explicit).and_then(|located| {
        let file = located.path;
        let known = if file.exists() { config::find(explicit, &tools)? } else { Config::without_file() };
        Ok((edit::add_path(&file, &known, folders, &tools)?, file))
    });
    match added {
        Ok((added, file)) if report.is_json() => {
            report.json(&json!({"added": added, "file": lossy(&file)}));
            Exit::Done
        }
        Ok((added, file)) => {
            let place = shown(&file);
            report.line(&match added.as_slice() {
                [] => format!("Commands' programs are looked for there already, by {place}"),
                added => format!(
                    "Commands' programs are looked for in {} now, by {place}",
                    visible(&added.join(", "))
                ),
            });
            Exit::Done
        }
        Err(error) => {
            report.error("nothing was added", &error.to_string(), error.hint.as_deref().unwrap_or_default());
            Exit::Problems
        }
    }
}

fn check(config: &Config, path: &Path, report: &mut Report) {
    let (workspaces, commands) = (config.workspaces.len(), config.commands.len());
    if report.is_json() {
        report
            .json(&json!({"ok": true, "file": lossy(path), "workspaces": workspaces, "commands": commands}));
    } else if config.path.is_none() {
        report.line(&format!("There is no configuration at {}: no workspaces yet.", shown(path)));
        report.line("`outrigger workspace add DIR` makes one.");
    } else {
        let (workspaces, commands) = (counted(workspaces, "workspace"), counted(commands, "command"));
        report.line(&format!("{} can be used: {workspaces}, {commands}.", shown(path)));
    }
}

fn show(config: &Config, law: &Law, path: &Path, report: &mut Report) {
    let (blocked, protected) = (law.paths().blocked_globs(), law.paths().protected_globs());
    let settings = config::show::settings(config, blocked, protected);
    if report.is_json() {
        report.json(
            &json!({"file": config.path.as_deref().map(lossy), "law": law.digest(), "settings": settings}),
        );
        return;
    }
    let from = if config.path.is_some() { "the file" } else { "defaults alone, for there is no file" };
    report.pieces(&[(Tone::Faint, &format!("# {}: what is in force, by {from}", shown(path)))]);
    let mut table = String::new();
    let mut rest = settings.as_slice();
    while let Some(first) = rest.first() {
        if first.table != table || (first.table.starts_with("[[") && first.name() == "id") {
            table.clone_from(&first.table);
            let heading = if table.starts_with('[') { table.clone() } else { format!("[{table}]") };
            report.line("");
            report.pieces(&[(Tone::Strong, &heading)]);
        }
        let same = rest.iter().take_while(|setting| setting.key == first.key).count();
        let (group, others) = rest.split_at(same);
        rest = others;
        match group {
            [only] => line(&format!("{} = {}", only.name(), toml(&only.value)), only.origin, report),
            several => list(several, report),
        }
    }
}

/// A list whose items have origins of their own.
fn list(items: &[Setting], report: &mut Report) {
    let name = items.first().map(Setting::name).unwrap_or_default();
    report.line(&format!("{name} = ["));
    for item in items {
        let text = item.value.as_array().and_then(|list| list.first()).map(toml).unwrap_or_default();
        line(&format!("    {text},"), item.origin, report);
    }
    report.line("]");
}

fn line(text: &str, origin: Origin, report: &mut Report) {
    let origin = match origin {
        Origin::File { line } => format!("# line {line}"),
        Origin::Default => "# default".to_owned(),
        Origin::BuiltIn => "# built in".to_owned(),
    };
    let gap = " ".repeat(40_usize.saturating_sub(text.chars().count()).max(2));
    report.pieces(&[(Tone::Plain, text), (Tone::Plain, &gap), (Tone::Faint, &origin)]);
}

/// A value as TOML writes it.
fn toml(value: &Value) -> String {
    match value {
        Value::String(text) => toml_edit::Value::from(text.as_str()).to_string().trim().to_owned(),
        Value::Array(items) => format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(", ")),
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let pairs: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{} = {}", toml_edit::Key::new(key.as_str()), toml(value)))
                .collect();
            format!("{{ {} }}", pairs.join(", "))
        }
        other => other.to_string(),
    }
}
