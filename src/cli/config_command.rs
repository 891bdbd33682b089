//! `outrigger config`: says whether the configuration can be used, and where it cannot.

use std::path::Path;

use clap::{Args, Subcommand};
use serde_json::json;

use super::report::{Exit, Report};

/// Look at the configuration
#[derive(Debug, Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Read it as the host would, examples of commands included
    Check,
}

/// Does it.
pub fn run(args: &ConfigArgs, config: Option<&Path>, report: &mut Report) -> Exit {
    let Verb::Check = args.verb;
    let (loaded, path) = super::load(config);
    match loaded {
        Ok((config, _)) => {
            let (workspaces, commands) = (config.workspaces.len(), config.commands.len());
            if report.is_json() {
                report
                    .json(&json!({"ok": true, "file": path, "workspaces": workspaces, "commands": commands}));
            } else if config.path.is_none() {
                report.line(&format!("There is no configuration at {}: no workspaces yet.", path.display()));
                report.line("`outrigger workspace add DIR` makes one.");
            } else {
                report.line(&format!(
                    "{} can be used: {workspaces} workspaces, {commands} commands.",
                    path.display()
                ));
            }
            Exit::Done
        }
        Err(error) => {
            if report.is_json() {
                report.json(&json!({"ok": false, "file": error.file, "line": error.line, "column": error.column, "message": error.message, "hint": error.hint}));
            } else {
                report.error("the configuration cannot be used", &error.render(false), "");
            }
            Exit::Problems
        }
    }
}
