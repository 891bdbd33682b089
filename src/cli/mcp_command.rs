//! `outrigger mcp`: the tools for any MCP client, over stdio.

use std::{path::Path, process::ExitCode, sync::Arc};

use clap::Args;

use super::{
    canonical,
    errands::OwnErrands,
    reload::Loader,
    report::{Exit, Report},
    serve::{self, Service},
};
use crate::{
    config::{self, Config, ConfigError},
    hint::nearest,
};

/// Serve the tools to an MCP client over stdio
#[derive(Debug, Args)]
pub struct McpArgs {
    /// Serve this workspace alone: its id, or its folder
    #[arg(long, value_name = "ID|DIR")]
    workspace: Option<String>,
}

const HELP: &str = "`outrigger workspace list` shows them; `outrigger workspace add DIR` adds one";

/// Serves until the client goes. What is wrong before that is told on stderr, where MCP clients show it.
pub fn run(args: &McpArgs, config: Option<&Path>, report: &mut Report) -> ExitCode {
    let (explicit, wanted) = (config.map(Path::to_path_buf), args.workspace.clone());
    let loader = Loader::new(config::locate::candidates(config), move || {
        let (loaded, path) = super::load(explicit.as_deref());
        let loaded = loaded.and_then(|(config, law)| match &wanted {
            Some(wanted) => {
                let unknown = |reason| ConfigError::file(&path, reason, HELP);
                only(config, wanted).map(|config| (config, law)).map_err(unknown)
            }
            None => Ok((config, law)),
        });
        (loaded, path)
    });
    let (loaded, config_path) = super::load(config);
    let loaded = match (loaded, &args.workspace) {
        (Ok((config, law)), Some(wanted)) => match only(config, wanted) {
            Ok(config) => Ok((config, law)),
            Err(reason) => {
                report.error("the tools cannot be served", &reason, HELP);
                return Exit::Problems.into();
            }
        },
        (Ok(loaded), None) => Ok(loaded),
        (Err(error), _) => {
            // The client is told, too, by every answer; a person looks here.
            report.error(
                "the configuration cannot be used",
                &told(&error),
                error.hint.as_deref().unwrap_or_default(),
            );
            Err(error)
        }
    };
    serve::serve(Service {
        config: loaded,
        config_path,
        named_state: None,
        state_folder: super::state_folder(),
        loader,
        caller: None,
        errands: Arc::new(OwnErrands { explicit: config.map(Path::to_path_buf) }),
    })
}

/// The configuration with the wanted workspace alone.
fn only(mut config: Config, wanted: &str) -> Result<Config, String> {
    let folder = canonical(Path::new(wanted));
    let position = config.workspaces.iter().position(|workspace| {
        workspace.id == wanted || canonical(&workspace.path).is_some_and(|path| Some(path) == folder)
    });
    let Some(position) = position else {
        let near = nearest(wanted, config.workspaces.iter().map(|workspace| workspace.id.as_str()));
        let near = near.map(|id| format!("; did you mean `{id}`?")).unwrap_or_default();
        return Err(format!("`{wanted}` is neither the id nor the folder of a configured workspace{near}"));
    };
    let served = config.workspaces.remove(position);
    let meets = |one: &Path, other: &Path| one.starts_with(other) || other.starts_with(one);
    config.beside = std::mem::take(&mut config.workspaces);
    config.beside.retain(|other| meets(&other.path, &served.path));
    config.workspaces = vec![served];
    Ok(config)
}

fn told(error: &ConfigError) -> String {
    format!("{}:{}:{}: {}", error.file.display(), error.line, error.column, error.message)
}
