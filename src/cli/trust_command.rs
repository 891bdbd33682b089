//! `outrigger trust`: lets a workspace's own file widen its rules, as long as not one byte of it changes.

use std::{
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::json;

use super::{
    call_command::asked_yes,
    report::{Exit, Report, Tone},
    state_folder,
};
use crate::{
    config::{Config, ConfigError, Source, local, trust::TrustStore, widened::Wider},
    ids::sha256_hex,
    policy::PathRules,
    text::visible,
    tier::Tier,
    tools::catalog,
    workspace::{LOCAL_FILE, Workspace},
};

/// Let a workspace's own .outrigger.toml widen its rules
///
/// A workspace's file narrows at once and without a question. What would widen (a command, a lower tier, a built-in taken out)
/// is shown here and holds from then on, until the file changes.
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// The workspace's folder, or one in it
    #[arg(default_value = ".")]
    dir: PathBuf,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Take the trust back
    #[arg(long, conflicts_with = "yes")]
    remove: bool,
    /// Show what is trusted
    #[arg(long, conflicts_with_all = ["yes", "remove"])]
    list: bool,
}

/// What is about to be trusted.
struct Found {
    folder: PathBuf,
    sha256: String,
    wider: Vec<Wider>,
}

/// Does it.
pub fn run(args: &TrustArgs, config: Option<&Path>, report: &mut Report) -> Exit {
    match perform(args, config, report) {
        Ok(exit) => exit,
        Err(error) => {
            let colours = report.has_colours();
            let what = if args.remove { "nothing was taken back" } else { "nothing was trusted" };
            report.error(what, &error.render(colours), "");
            Exit::Problems
        }
    }
}

fn perform(args: &TrustArgs, explicit: Option<&Path>, report: &mut Report) -> Result<Exit, ConfigError> {
    let store = TrustStore::new(&state_folder());
    if args.list {
        return list(&store, report);
    }
    // As it is listed: also of a folder that is gone, or no workspace any more, for either may come back.
    if args.remove && store.remove(&args.dir)? {
        return Ok(removed(&args.dir, true, report));
    }
    let (config, _) = super::load(explicit).0?;
    let id = super::workspace_named(&config, Some(&args.dir.to_string_lossy()))
        .map_err(|reason| ConfigError::file(&args.dir, reason, "`outrigger workspace list` shows them"))?;
    let entry = config.workspaces.iter().find(|entry| Some(&entry.id) == id.as_ref());
    let Some(entry) = entry else {
        return Err(ConfigError::file(
            &args.dir,
            "there is no workspace",
            "`outrigger workspace add DIR` adds one",
        ));
    };
    let rules = PathRules::new(&config.files)
        .map_err(|error| ConfigError::file(&entry.path, error.to_string(), "mend the configuration first"))?;
    let workspace = Workspace::open(entry, rules.into())
        .map_err(|error| ConfigError::file(&entry.path, error.to_string(), "check the folder"))?;
    if args.remove {
        return Ok(removed(workspace.root(), store.remove(workspace.root())?, report));
    }
    let found = look(&workspace, &config)?;
    trust(args, &found, &store, report)
}

fn removed(folder: &Path, was_trusted: bool, report: &mut Report) -> Exit {
    let words = if was_trusted { "is no longer trusted" } else { "was not trusted" };
    if report.is_json() {
        report.json(&json!({"folder": folder, "removed": was_trusted}));
    } else {
        report.line(&format!("{} {words}.", visible(&folder.join(LOCAL_FILE).to_string_lossy())));
    }
    Exit::Done
}

/// Reads the file as the host would, and finds what needs trust.
fn look(workspace: &Workspace, config: &Config) -> Result<Found, ConfigError> {
    let path = workspace.root().join(LOCAL_FILE);
    let fail = |message: String, hint: &str| ConfigError::file(&path, message, hint);
    let bytes = workspace
        .read_local()
        .map_err(|error| fail(format!("the file cannot be read: {error}"), "it has to be a plain file"))?
        .ok_or_else(|| fail("there is no such file".to_owned(), "nothing has to be trusted then"))?;
    let sha256 = sha256_hex(&bytes);
    let text =
        String::from_utf8(bytes).map_err(|_| fail("the file is not UTF-8".to_owned(), "save it as UTF-8"))?;
    let tools: Vec<(&str, Tier)> =
        catalog().iter().map(|tool| (tool.spec().name, tool.spec().tier)).collect();
    let source = Source { path: path.clone(), text: text.into() };
    let localized = local::localize(&source, config, true, &tools)?;
    crate::policy::Law::new(&localized.config)?;
    Ok(Found { folder: workspace.root().to_owned(), sha256, wider: localized.wider })
}

fn trust(
    args: &TrustArgs,
    found: &Found,
    store: &TrustStore,
    report: &mut Report,
) -> Result<Exit, ConfigError> {
    let file = found.folder.join(LOCAL_FILE);
    if found.wider.is_empty() {
        if report.is_json() {
            report.json(
                &json!({"folder": found.folder, "sha256": found.sha256, "wider": [], "trusted": false}),
            );
        } else {
            report.line(&format!("{} widens nothing: no trust is needed.", file.display()));
        }
        return Ok(Exit::Done);
    }
    if !args.yes {
        let words: Vec<String> = found.wider.iter().map(|wider| format!("  {}", wider.lines())).collect();
        let shown =
            format!("{} would widen the rules:\n{}", visible(&file.to_string_lossy()), words.join("\n"));
        if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            report.error(&shown, "", "there is no terminal to ask on; `--yes` trusts it");
            return Ok(Exit::NotApproved);
        }
        report.notice(&shown);
        if !asked_yes("Trust exactly this file? [y/N] ") {
            return Ok(Exit::NotApproved);
        }
    }
    store.add(&found.folder, &found.sha256)?;
    if report.is_json() {
        report.json(
            &json!({"folder": found.folder, "sha256": found.sha256, "wider": words_of(&found.wider), "trusted": true}),
        );
    } else {
        report.line(&format!("{} is trusted until it changes (sha256 {}).", file.display(), found.sha256));
    }
    Ok(Exit::Done)
}

/// For programs: each thing with what is in it, by the names of the file.
fn words_of(wider: &[Wider]) -> Vec<serde_json::Value> {
    let of = |wider: &Wider| {
        let details: serde_json::Map<_, _> =
            wider.details.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        json!({"what": wider.what, "details": details})
    };
    wider.iter().map(of).collect()
}

fn list(store: &TrustStore, report: &mut Report) -> Result<Exit, ConfigError> {
    let list = store.list()?;
    if report.is_json() {
        report.json(&json!({"trusted": list}));
    } else if list.is_empty() {
        report.line("No workspace's file is trusted.");
    } else {
        let mut rows = vec![vec![(Tone::Faint, "FOLDER".to_owned()), (Tone::Faint, "SHA256".to_owned())]];
        rows.extend(list.into_iter().map(|entry| {
            let folder = visible(&entry.folder.to_string_lossy()).into_owned();
            vec![(Tone::Plain, folder), (Tone::Plain, entry.sha256)]
        }));
        report.table(&rows);
    }
    Ok(Exit::Done)
}
