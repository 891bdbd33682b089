//! What the panel may ask the host to do for a person: joins the server's errands with the installer and the configuration.
//!
//! It is the same code that the command line runs; nothing here decides who may ask (`server::errands` does).

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{
    config::{
        self, Config, ConfigError,
        edit::{self, AddError},
    },
    install::{
        Environment, Ids, InstallError, Selection,
        doctor::{self, Limits, redacted},
    },
    server::errands::{Added, Errands, Refusal},
    shell_words::{quoted, quoted_path},
    text::visible,
    tools::catalog,
};

/// The errands of one connection.
#[derive(Debug)]
pub(crate) struct OwnErrands {
    /// `--config FILE`, where one was given.
    pub explicit: Option<PathBuf>,
}

/// Adds a workspace to the configuration, or only tries it.
type Way = fn(&Path, &Config, &Path, Option<&str>, &[&str]) -> Result<String, AddError>;

impl Errands for OwnErrands {
    fn examine(&self, browsers: &[String], report: bool) -> Result<Value, Refusal> {
        let refused = |error: InstallError| {
            Refusal::new("doctor", format!("nothing was examined: {error}"), error.help())
        };
        let environment = Environment::of_process().map_err(refused)?;
        let ids = Ids::shipped().map_err(refused)?;
        let selection = Selection { browsers: browsers.to_vec(), ..Selection::default() };
        let targets = doctor::targets(&environment, &selection).map_err(refused)?;
        let diagnosis = doctor::examine(&environment, &ids, &targets, Limits::default());
        let mut answer = json!(diagnosis);
        if report {
            answer["report"] = json!(redacted::text(&environment, &diagnosis));
        }
        Ok(answer)
    }

    fn try_workspace(&self, folder: &Path, id: Option<&str>) -> Result<Option<Added>, Refusal> {
        // What is refused before anything is written, a terminal refuses as well: there is no command to be told.
        let added = self.add(folder, id, edit::try_workspace).map_err(|error| of_adding(&error))?;
        Ok(added.known.then_some(added))
    }

    fn add_workspace(&self, folder: &Path, id: Option<&str>) -> Result<Added, Refusal> {
        self.add(folder, id, edit::add_workspace).map_err(|error| match error {
            AddError::Folder(_) => of_adding(&error),
            AddError::Config(_) => of_adding(&error).or_run(self.add_command(Some(folder), id)),
        })
    }

    fn remove_workspace(&self, id: &str) -> Result<bool, Refusal> {
        let file =
            config::locate(self.explicit.as_deref()).map_err(|error| of_config("config", &error))?.path;
        edit::remove_workspace(&file, id, &tools()).map_err(|error| of_config("config", &error))
    }

    fn remove_command(&self, id: &str) -> String {
        format!("{} workspace remove {}", self.program(), quoted(id))
    }

    fn add_command(&self, folder: Option<&Path>, id: Option<&str>) -> String {
        let folder = folder.map_or_else(|| "DIR".to_owned(), quoted_path);
        let id = id.map(|id| format!(" --id {}", quoted(id))).unwrap_or_default();
        format!("{} workspace add {folder}{id}", self.program())
    }
}

impl OwnErrands {
    /// How a terminal calls this program under this configuration.
    fn program(&self) -> String {
        let program =
            Environment::of_process().map_or_else(|_| "outrigger".to_owned(), |found| found.command());
        // A terminal need not have the variable that the browser was started with.
        let named =
            || std::env::var_os("OUTRIGGER_CONFIG").filter(|name| !name.is_empty()).map(PathBuf::from);
        let config = self.explicit.clone().or_else(named);
        let config = config.map(|file| format!(" --config {}", quoted_path(file)));
        format!("{program}{}", config.unwrap_or_default())
    }

    fn add(&self, folder: &Path, id: Option<&str>, way: Way) -> Result<Added, AddError> {
        let (file, known) = self.current()?;
        let id = way(&file, &known, folder, id, &tools())?;
        let known = known.workspaces.iter().any(|workspace| workspace.id == id);
        Ok(Added { id, known })
    }

    /// The file and what it says now; one that does not exist yet says nothing.
    fn current(&self) -> Result<(PathBuf, Config), ConfigError> {
        let explicit = self.explicit.as_deref();
        let file = config::locate(explicit)?.path;
        let known = if file.exists() { config::find(explicit, &tools())? } else { Config::without_file() };
        Ok((file, known))
    }
}

fn tools() -> Vec<&'static str> {
    catalog().iter().map(|tool| tool.spec().name).collect()
}

fn of_adding(error: &AddError) -> Refusal {
    match error {
        // It is no matter of the file.
        AddError::Folder(error) => {
            let hint = error.hint.clone().unwrap_or_default();
            Refusal::new("no_folder", visible(&error.message), hint)
        }
        AddError::Config(error) => of_config("config", error),
    }
}

fn of_config(reason: &'static str, error: &ConfigError) -> Refusal {
    let message = format!("{}: {}", error.file.display(), error.message);
    Refusal::new(reason, message, error.hint.clone().unwrap_or_default())
}
