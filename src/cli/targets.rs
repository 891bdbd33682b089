//! Which browsers a command is about, and how what came of each is told to programs.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::{Value, json};

use super::report::{Exit, Report};
use crate::{
    install::{Family, InstallError, Scope, Selection},
    text,
};

/// Which browsers.
#[derive(Args, Clone, Debug, Default)]
pub struct TargetArgs {
    /// A browser, such as chrome, chromium, edge, brave, firefox (may be given several times, or with commas)
    #[arg(long, value_name = "NAME", value_delimiter = ',', num_args = 1..)]
    pub browser: Vec<String>,
    /// Every browser outrigger knows, found or not
    #[arg(long)]
    pub all: bool,
    /// A browser of the Chromium family that runs with its own --user-data-dir
    #[arg(long, value_name = "DIR")]
    pub user_data_dir: Vec<PathBuf>,
    /// The own folder of a browser that is not in the list
    #[arg(long, value_name = "DIR", requires = "family")]
    pub browser_dir: Option<PathBuf>,
    /// The family of that browser
    #[arg(long, value_enum, requires = "browser_dir")]
    pub family: Option<FamilyArg>,
    /// For you, or for everybody on this machine
    #[arg(long, value_enum, default_value_t)]
    pub scope: ScopeArg,
}

/// For whom, on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ScopeArg {
    /// For this user; needs no rights
    #[default]
    User,
    /// For everybody on this machine; needs an administrator
    System,
}

impl From<ScopeArg> for Scope {
    fn from(scope: ScopeArg) -> Self {
        match scope {
            ScopeArg::User => Self::User,
            ScopeArg::System => Self::System,
        }
    }
}

/// A family on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FamilyArg {
    /// Chrome, Edge, Brave and their relatives
    Chromium,
    /// Firefox and its relatives
    Firefox,
}

impl TargetArgs {
    /// What was meant: paths absolute.
    pub fn selection(&self) -> Selection {
        // What cannot be made absolute is refused where it is used.
        let absolute = |path: &PathBuf| {
            let path = at_home(path);
            std::path::absolute(&path).unwrap_or(path)
        };
        let family = match self.family {
            Some(FamilyArg::Firefox) => Family::Firefox,
            Some(FamilyArg::Chromium) | None => Family::Chromium,
        };
        Selection {
            browsers: self.browser.clone(),
            all: self.all,
            user_data_dirs: self.user_data_dir.iter().map(absolute).collect(),
            browser_dir: self.browser_dir.as_ref().map(|path| (absolute(path), family)),
            scope: self.scope.into(),
        }
    }
}

/// A leading `~/`, which shells leave alone behind `--flag=`.
fn at_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_path_buf(),
    }
}

/// One target for programs.
#[derive(Debug, Serialize)]
pub(super) struct TargetAnswer {
    pub browser: String,
    #[serde(serialize_with = "text::lossy")]
    pub manifest: PathBuf,
    pub result: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped_extensions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
}

/// A path for programs: JSON holds no bytes that are not UTF-8.
pub(super) fn lossy(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

pub(super) fn error_answer(error: &InstallError) -> Value {
    json!({"message": error.to_string(), "help": error.help()})
}

/// An error that stopped the whole command.
pub fn refused(what: &str, error: &InstallError, report: &mut Report) -> Exit {
    report.error(what, &error.to_string(), &error.help());
    match error {
        InstallError::UnknownBrowser { .. }
        | InstallError::ExtensionId { .. }
        | InstallError::NoFolders
        | InstallError::NotAFolder { .. }
        | InstallError::AProfile { .. }
        | InstallError::NotAbsolute { .. }
        | InstallError::NoPlace { .. } => Exit::Usage,
        _ => Exit::Problems,
    }
}

pub(super) fn exit_of(all_well: bool) -> Exit {
    if all_well { Exit::Done } else { Exit::Problems }
}
