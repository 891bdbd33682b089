//! `outrigger workspace`: the folders an agent may work on.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;

use super::{
    report::{Exit, Report, Tone},
    targets::lossy,
};
use crate::{
    config::{self, Config, ConfigError, WorkspaceEntry, edit},
    install::error::shown,
    text::visible,
    tools::catalog,
};

/// The folders an agent may work on
#[derive(Debug, Args)]
pub struct WorkspaceArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Show them
    List,
    /// Let an agent work on a folder
    Add {
        /// The folder
        dir: PathBuf,
        /// Its short name (default: made of the folder's name)
        #[arg(long)]
        id: Option<String>,
    },
    /// Take a folder from the list; the folder itself is not touched
    Remove {
        /// Its short name
        id: String,
    },
}

/// Does it.
pub fn run(args: &WorkspaceArgs, config: Option<&Path>, report: &mut Report) -> Exit {
    match perform(args, config, report) {
        Ok(exit) => exit,
        Err(error) => {
            let place =
                if error.line > 0 { format!(":{}:{}", error.line, error.column) } else { String::new() };
            let reason = format!("{}{place}: {}", shown(&error.file), visible(&error.message));
            let what = match &args.verb {
                Verb::List => "the configuration cannot be used",
                Verb::Add { .. } => "nothing was added",
                Verb::Remove { .. } => "nothing was removed",
            };
            report.error(what, &reason, error.hint.as_deref().unwrap_or_default());
            Exit::Problems
        }
    }
}

fn perform(args: &WorkspaceArgs, explicit: Option<&Path>, report: &mut Report) -> Result<Exit, ConfigError> {
    let tools: Vec<&str> = catalog().iter().map(|tool| tool.spec().name).collect();
    let file = config::locate(explicit)?.path;
    // Taking a workspace out may be what makes the file usable again.
    let known = || current(explicit, &file, &tools);
    match &args.verb {
        Verb::List => list(&known()?, &file, report),
        Verb::Add { dir, id } => {
            let known = known()?;
            let id = edit::add_workspace(&file, &known, dir, id.as_deref(), &tools)?;
            let since = if known.workspaces.iter().any(|had| had.id == id) { "already" } else { "now" };
            if report.is_json() {
                report.json(&json!({"id": id, "file": lossy(&file)}));
            } else {
                report.line(&format!("{id} is a workspace {since}, in {}", shown(&file)));
            }
        }
        Verb::Remove { id } => {
            let sharing = known().ok().and_then(|known| sharing(&known, id));
            if !edit::remove_workspace(&file, id, &tools)? {
                report.error(
                    &format!("there is no workspace `{id}`"),
                    "",
                    "`outrigger workspace list` shows them",
                );
                return Ok(Exit::Problems);
            }
            if report.is_json() {
                report.json(&json!({"removed": id, "file": lossy(&file)}));
            } else {
                report.line(&format!("{id} is no workspace any more; its folder is untouched"));
                if let Some(other) = sharing {
                    report.line(&format!(
                        "The workspace {other} has files of it, too: an agent reaches them by that one's rules alone now."
                    ));
                }
            }
        }
    }
    Ok(Exit::Done)
}

/// The id of a workspace that holds files of the workspace `id`, too.
fn sharing(known: &Config, id: &str) -> Option<String> {
    let own = known.workspaces.iter().find(|workspace| workspace.id == id)?;
    let shares = |other: &&WorkspaceEntry| {
        other.id != id && (own.path.starts_with(&other.path) || other.path.starts_with(&own.path))
    };
    known.workspaces.iter().find(shares).map(|other| other.id.clone())
}

/// What the file says; a named file that does not exist yet says nothing.
fn current(explicit: Option<&Path>, file: &Path, tools: &[&str]) -> Result<Config, ConfigError> {
    if file.exists() { config::find(explicit, tools) } else { Ok(Config::without_file()) }
}

fn list(known: &Config, file: &Path, report: &mut Report) {
    if report.is_json() {
        let list: Vec<_> = known
            .workspaces
            .iter()
            .map(|workspace| {
                json!({"id": workspace.id, "path": lossy(&workspace.path), "read_only": workspace.read_only, "available": workspace.path.is_dir()})
            })
            .collect();
        return report.json(&json!({"file": lossy(file), "workspaces": list}));
    }
    if known.workspaces.is_empty() {
        report.line(&format!("There are no workspaces in {}.", shown(file)));
        return report.line("`outrigger workspace add DIR` adds one.");
    }
    let mut rows = vec![vec![(Tone::Faint, "ID".to_owned()), (Tone::Faint, "FOLDER".to_owned())]];
    rows.extend(known.workspaces.iter().map(|workspace| {
        let note = match (workspace.path.is_dir(), workspace.read_only) {
            (false, _) => " (not there)",
            (true, true) => " (read-only)",
            (true, false) => "",
        };
        vec![(Tone::Strong, workspace.id.clone()), (Tone::Plain, format!("{}{note}", shown(&workspace.path)))]
    }));
    report.table(&rows);
}
