//! What a command is about: browsers of the table and folders given by hand, each with its one manifest.

use std::path::{Path, PathBuf};

use super::{
    browsers::{self, BROWSERS, Browser, Family},
    environment::{Environment, quoted},
    error::InstallError,
    files,
};

/// What was asked for.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Ids of the table.
    pub browsers: Vec<String>,
    /// Every browser of the table, there or not.
    pub all: bool,
    /// User data folders of the Chromium family, absolute.
    pub user_data_dirs: Vec<PathBuf>,
    /// A browser's own folder, absolute, and its family.
    pub browser_dir: Option<(PathBuf, Family)>,
}

impl Selection {
    /// True when nothing was named.
    pub fn is_empty(&self) -> bool {
        self.browsers.is_empty() && !self.all && self.user_data_dirs.is_empty() && self.browser_dir.is_none()
    }

    /// The targets that were named; none when nothing was.
    pub fn named(&self, environment: &Environment) -> Result<Vec<Target>, InstallError> {
        let mut targets = Vec::new();
        if self.all {
            targets = known(environment);
        }
        for id in &self.browsers {
            let browser =
                browsers::find(id).ok_or_else(|| InstallError::UnknownBrowser { given: id.clone() })?;
            let target = Target::of_browser(browser, environment)
                .ok_or(InstallError::NoPlace { name: browser.name, os: environment.os.as_str() })?;
            push_new(&mut targets, target);
        }
        for folder in &self.user_data_dirs {
            push_new(&mut targets, Target::of_folder(folder, Family::Chromium));
        }
        if let Some((folder, family)) = &self.browser_dir {
            push_new(&mut targets, Target::of_folder(folder, *family));
        }
        Ok(targets)
    }

    /// The named targets or, when nothing was named, the browsers that are there.
    pub fn named_or_present(&self, environment: &Environment) -> Result<Vec<Target>, InstallError> {
        if !self.is_empty() {
            return self.named(environment);
        }
        Ok(known(environment).into_iter().filter(|target| target.presence.is_there()).collect())
    }
}

/// Why we think that a browser is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It has left something in this folder.
    Folder(PathBuf),
    /// Its program is in `PATH`.
    Program(PathBuf),
    /// A person named the folder.
    Given,
    /// We do not.
    Absent,
}

impl Presence {
    /// True unless the browser was not found.
    pub fn is_there(&self) -> bool {
        *self != Self::Absent
    }
}

/// One manifest of one browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The id of the table, or the folder given by hand.
    pub id: String,
    /// For people.
    pub name: String,
    /// The shape of the manifest.
    pub family: Family,
    /// The folder of manifests.
    pub folder: PathBuf,
    /// The flags that name this target on the command line.
    pub flags: String,
    /// Whether the browser is there.
    pub presence: Presence,
}

impl Target {
    /// A browser of the table, where it has a place on this system.
    pub fn of_browser(browser: &Browser, environment: &Environment) -> Option<Self> {
        let place = browser.place(environment.os)?;
        let folder = place.manifests.0.folder(environment).join(place.manifests.1);
        let trace = place
            .traces
            .iter()
            .map(|(base, path)| base.folder(environment).join(path))
            // A folder in which there are only our manifests was made by us.
            .find(|trace| files::holds_more_than(trace, Some(&folder)));
        let program = || browser.programs.iter().find_map(|name| environment.find_program(name));
        let presence = match trace {
            Some(trace) => Presence::Folder(trace),
            None => program().map_or(Presence::Absent, Presence::Program),
        };
        Some(Self {
            id: browser.id.to_owned(),
            name: browser.name.to_owned(),
            family: browser.family,
            folder,
            flags: format!("--browser {}", browser.id),
            presence,
        })
    }

    /// A browser's own folder, given by hand.
    pub fn of_folder(own: &Path, family: Family) -> Self {
        let text = own.to_string_lossy();
        let flags = match family {
            Family::Chromium => format!("--user-data-dir {}", quoted(&text)),
            Family::Firefox => format!("--browser-dir {} --family firefox", quoted(&text)),
        };
        Self {
            id: text.clone().into_owned(),
            name: super::error::shown(own),
            family,
            folder: own.join(family.manifest_folder()),
            flags,
            presence: Presence::Given,
        }
    }

    /// The manifest.
    pub fn manifest(&self, file_name: &str) -> PathBuf {
        self.folder.join(file_name)
    }
}

/// Every browser of the table that has a place on this system.
pub fn known(environment: &Environment) -> Vec<Target> {
    BROWSERS.iter().filter_map(|browser| Target::of_browser(browser, environment)).collect()
}

/// Adds a target unless its manifest is already in the list.
pub fn push_new(targets: &mut Vec<Target>, target: Target) {
    if targets.iter().all(|known| known.folder != target.folder) {
        targets.push(target);
    }
}
