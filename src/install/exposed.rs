//! Where agents, and the commands that they run, may write, as far as the configuration says: what lies there is as they want it.

use std::path::{Path, PathBuf};

use super::{
    environment::{Environment, Taken},
    files, way,
};
use crate::{
    config::{self, Config, Source, WorkspaceEntry, local, trust::TrustStore},
    ids::sha256_hex,
    policy::PathRules,
    tier::Tier,
    tools,
    workspace::{LOCAL_FILE, Workspace},
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
        Self { folders: environment.taken.as_ref().and_then(folders) }
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
    let tools: Vec<(&str, Tier)> =
        tools::catalog().iter().map(|tool| (tool.spec().name, tool.spec().tier)).collect();
    let config = if files::is_there(&taken.config) {
        let names: Vec<&str> = tools.iter().map(|(name, _)| *name).collect();
        config::load(&taken.config, &names).ok()?
    } else {
        Config::without_file()
    };
    let trust = TrustStore::new(&taken.state);
    let local = config.workspaces.iter().filter_map(|entry| written_locally(entry, &config, &trust, &tools));
    // Each command has a temporary folder of its own in the last one.
    let more = local.flatten().chain([taken.state.join("tmp")]);
    let written = config.roots().into_iter().chain(config.write_paths()).chain(more);
    Some(written.map(|folder| files::canonical(&folder).unwrap_or(folder)).collect())
}

/// What the commands of a workspace's own file may write beside it, where that file is trusted.
fn written_locally(
    entry: &WorkspaceEntry,
    config: &Config,
    trust: &TrustStore,
    tools: &[(&str, Tier)],
) -> Option<Vec<PathBuf>> {
    let rules = PathRules::new(&config.files).ok()?;
    let workspace = Workspace::open(entry, rules.into()).ok()?;
    let bytes = workspace.read_local().ok()??;
    if !trust.trusts(workspace.root(), &sha256_hex(&bytes)) {
        return None;
    }
    let source = Source { path: LOCAL_FILE.into(), text: String::from_utf8(bytes).ok()?.into() };
    Some(local::localize(&source, config, true, tools).ok()?.config.write_paths())
}
