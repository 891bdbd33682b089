//! What is known of a browser: who it is, how it is recognised, where it looks for manifests. The [table](BROWSERS) has a row for each.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use self::table::BROWSERS;
use super::environment::Environment;

mod table;

/// The two shapes of manifest and the two ways of starting a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// `allowed_origins`; started with the extension's origin.
    Chromium,
    /// `allowed_extensions`; started with the manifest's path and the add-on's id.
    Firefox,
}

impl Family {
    /// Its name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Firefox => "firefox",
        }
    }

    /// The folder of manifests inside a browser's own folder.
    pub fn manifest_folder(self, os: Os) -> &'static str {
        match (self, os) {
            (Self::Firefox, Os::Linux) => "native-messaging-hosts",
            _ => "NativeMessagingHosts",
        }
    }
}

/// A system that a place belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Os {
    /// Linux and the other systems that follow XDG.
    Linux,
    /// macOS.
    MacOs,
    /// Windows, where the registry says where a manifest is.
    Windows,
}

impl Os {
    /// The system this binary was built for.
    pub fn current() -> Self {
        match std::env::consts::OS {
            "macos" => Self::MacOs,
            "windows" => Self::Windows,
            _ => Self::Linux,
        }
    }

    /// Its name for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Linux => "Linux",
            Self::MacOs => "macOS",
            Self::Windows => "Windows",
        }
    }
}

/// For whom a manifest is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// This user.
    #[default]
    User,
    /// Everybody on this machine.
    System,
}

/// What a path of the table is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The home folder.
    Home,
    /// `$XDG_CONFIG_HOME`.
    Config,
    /// `~/Library/Application Support`.
    ApplicationSupport,
    /// `%LOCALAPPDATA%`.
    LocalAppData,
    /// `%APPDATA%`.
    RoamingAppData,
}

impl Base {
    /// The folder on this machine.
    pub fn folder(self, environment: &Environment) -> PathBuf {
        match self {
            Self::Home => environment.home.clone(),
            Self::Config => environment.config_home.clone(),
            Self::ApplicationSupport => environment.home.join("Library/Application Support"),
            Self::LocalAppData => environment.home.join("AppData/Local"),
            Self::RoamingAppData => environment.home.join("AppData/Roaming"),
        }
    }
}

/// Where a browser looks on one system.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The system.
    pub os: Os,
    /// The browser's own folder: its manifests for one user are in [`Family::manifest_folder`] of it.
    pub own: (Base, &'static str),
    /// Folders of manifests for everybody, the one to write to first. Of what is in `/usr/lib`, builds for some systems have `/usr/lib64`
    /// compiled into them instead: see `library`.
    pub system: &'static [&'static str],
    /// Folders of other browsers, like [`Place::own`], into which it looks for this user next.
    pub next: &'static [(Base, &'static str)],
    /// Folders of manifests for everybody that are another browser's, and into which it looks last.
    pub last: &'static [&'static str],
    /// Windows: the key below `Software` whose subkeys name the manifests, and those that it reads afterwards.
    pub registry: &'static [&'static str],
    /// Folders that the browser makes when it runs, where that is not its own folder.
    pub traces: &'static [(Base, &'static str)],
}

impl Place {
    const fn new(os: Os, base: Base, own: &'static str) -> Self {
        Self { os, own: (base, own), system: &[], next: &[], last: &[], registry: &[], traces: &[] }
    }

    const fn system(self, system: &'static [&'static str]) -> Self {
        Self { system, ..self }
    }

    /// It also takes what is another browser's.
    const fn borrowing(self, next: &'static [(Base, &'static str)], last: &'static [&'static str]) -> Self {
        Self { next, last, ..self }
    }

    const fn traces(self, traces: &'static [(Base, &'static str)]) -> Self {
        Self { traces, ..self }
    }

    /// Folders whose contents show that the browser is used.
    pub fn signs(&self, environment: &Environment) -> Vec<PathBuf> {
        let own = [self.own];
        let signs = if self.traces.is_empty() { &own[..] } else { self.traces };
        signs.iter().map(|(base, path)| base.folder(environment).join(path)).collect()
    }
}

/// One browser.
#[derive(Clone, Copy, Debug)]
pub struct Browser {
    /// Its name on the command line and in `--json`.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// The shape of its manifest.
    pub family: Family,
    /// Names of its program in `PATH`.
    pub programs: &'static [&'static str],
    /// Where it looks.
    pub places: &'static [Place],
    /// Its names as a Flatpak and as a snap, where it comes as one.
    pub boxed: &'static [Boxed],
}

/// A package that runs its browser in a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boxed {
    /// A Flatpak, by application id.
    Flatpak(&'static str),
    /// A snap, by name.
    Snap(&'static str),
}

impl Browser {
    /// Its place on a system, if we know one.
    pub fn place(&self, os: Os) -> Option<&'static Place> {
        self.places.iter().find(|place| place.os == os)
    }
}

/// The browser with this id.
pub fn find(id: &str) -> Option<&'static Browser> {
    BROWSERS.iter().find(|browser| browser.id == id)
}
