//! Where agents, and the commands that they run, may write, as far as the configuration says: what lies there is as they want it.

use std::path::{Path, PathBuf};

use super::{
    environment::{Environment, Taken},
    files, way,
};
use crate::{
    config::{self, Config},
    tools,
};

/// Those folders; also of workspaces that are closed to them now.
#[derive(Clone, Debug)]
pub struct Exposed {
    /// Without links; `None` where the configuration cannot be read, and may have said anything a moment ago.
    folders: Option<Vec<PathBuf>>,
}

impl Exposed {
    /// As the configuration says that hosts of this user take.
    pub fn of(environment: &Environment) -> Self {
        let folders = match &environment.taken {
            Some(taken) => folders(taken),
            None => Some(Vec::new()),
        };
        Self { folders }
    }

    /// Whether that is known.
    pub fn is_known(&self) -> bool {
        self.folders.is_some()
    }

    /// Whether the file, or anything on the way to it, lies in one of them.
    pub fn holds(&self, path: &Path) -> bool {
        // The way as it is written, and as the disk has it where it knows no large and small letters.
        let steps = way::to(path).into_iter().chain(files::canonical(path));
        let folders = self.folders.as_deref().unwrap_or_default();
        steps.into_iter().any(|step| folders.iter().any(|folder| step.starts_with(folder)))
    }
}

fn folders(taken: &Taken) -> Option<Vec<PathBuf>> {
    let config = if files::is_there(&taken.config) {
        let names: Vec<&str> = tools::catalog().iter().map(|tool| tool.spec().name).collect();
        config::load(&taken.config, &names).ok()?
    } else {
        Config::without_file()
    };
    // Each command has a temporary folder of its own in the last one.
    let written = config.roots().into_iter().chain(config.write_paths()).chain([taken.state.join("tmp")]);
    Some(written.map(|folder| files::canonical(&folder).unwrap_or(folder)).collect())
}
