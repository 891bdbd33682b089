//! The one table of browsers: who they are, how they are recognised, where they look for manifests.
//!
//! Adding a browser is one row. A browser that looks in several folders gets several places, one on another system a place
//! with that system's name; what a row says comes from the vendor's documentation or source, never from a guess.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::environment::Environment;

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
    pub fn manifest_folder(self) -> &'static str {
        match self {
            Self::Chromium => "NativeMessagingHosts",
            Self::Firefox => "native-messaging-hosts",
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
}

impl Os {
    /// The system this binary was built for.
    pub fn current() -> Self {
        if std::env::consts::OS == "macos" { Self::MacOs } else { Self::Linux }
    }

    /// Its name for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Linux => "Linux",
            Self::MacOs => "macOS",
        }
    }
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
}

impl Base {
    /// The folder on this machine.
    pub fn folder(self, environment: &Environment) -> PathBuf {
        match self {
            Self::Home => environment.home.clone(),
            Self::Config => environment.config_home.clone(),
            Self::ApplicationSupport => environment.home.join("Library/Application Support"),
        }
    }
}

/// One folder of manifests on one system, for one user.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The system.
    pub os: Os,
    /// The folder of manifests.
    pub manifests: (Base, &'static str),
    /// Folders that the browser makes when it runs: one that is there and not empty shows that the browser is used.
    pub traces: &'static [(Base, &'static str)],
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

/// Every browser we install into, in the order in which they are shown.
pub const BROWSERS: &[Browser] = &[
    Browser {
        id: "chrome",
        name: "Google Chrome",
        family: Family::Chromium,
        programs: &["google-chrome", "google-chrome-stable"],
        places: &[
            Place {
                os: Os::Linux,
                manifests: (Base::Config, "google-chrome/NativeMessagingHosts"),
                traces: &[(Base::Config, "google-chrome")],
            },
            Place {
                os: Os::MacOs,
                manifests: (Base::ApplicationSupport, "Google/Chrome/NativeMessagingHosts"),
                traces: &[(Base::ApplicationSupport, "Google/Chrome")],
            },
        ],
    },
    Browser {
        id: "chromium",
        name: "Chromium",
        family: Family::Chromium,
        programs: &["chromium", "chromium-browser"],
        places: &[
            Place {
                os: Os::Linux,
                manifests: (Base::Config, "chromium/NativeMessagingHosts"),
                traces: &[(Base::Config, "chromium")],
            },
            Place {
                os: Os::MacOs,
                manifests: (Base::ApplicationSupport, "Chromium/NativeMessagingHosts"),
                traces: &[(Base::ApplicationSupport, "Chromium")],
            },
        ],
    },
    Browser {
        id: "edge",
        name: "Microsoft Edge",
        family: Family::Chromium,
        programs: &["microsoft-edge", "microsoft-edge-stable"],
        places: &[
            Place {
                os: Os::Linux,
                manifests: (Base::Config, "microsoft-edge/NativeMessagingHosts"),
                traces: &[(Base::Config, "microsoft-edge")],
            },
            Place {
                os: Os::MacOs,
                manifests: (Base::ApplicationSupport, "Microsoft Edge/NativeMessagingHosts"),
                traces: &[(Base::ApplicationSupport, "Microsoft Edge")],
            },
        ],
    },
    Browser {
        id: "brave",
        name: "Brave",
        family: Family::Chromium,
        programs: &["brave-browser", "brave-browser-stable", "brave"],
        places: &[
            Place {
                os: Os::Linux,
                manifests: (Base::Config, "BraveSoftware/Brave-Browser/NativeMessagingHosts"),
                traces: &[(Base::Config, "BraveSoftware/Brave-Browser")],
            },
            Place {
                os: Os::MacOs,
                manifests: (Base::ApplicationSupport, "BraveSoftware/Brave-Browser/NativeMessagingHosts"),
                traces: &[(Base::ApplicationSupport, "BraveSoftware/Brave-Browser")],
            },
        ],
    },
    Browser {
        id: "firefox",
        name: "Firefox",
        family: Family::Firefox,
        programs: &["firefox", "firefox-esr"],
        places: &[
            Place {
                // Manifests stay in `~/.mozilla` even where profiles have moved to the XDG folder.
                os: Os::Linux,
                manifests: (Base::Home, ".mozilla/native-messaging-hosts"),
                traces: &[(Base::Home, ".mozilla/firefox"), (Base::Config, "mozilla/firefox")],
            },
            Place {
                os: Os::MacOs,
                manifests: (Base::ApplicationSupport, "Mozilla/NativeMessagingHosts"),
                traces: &[(Base::ApplicationSupport, "Firefox")],
            },
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::{BROWSERS, Family, Os};

    #[test]
    fn ids_and_places_are_unique() {
        for (index, browser) in BROWSERS.iter().enumerate() {
            for other in &BROWSERS[index + 1..] {
                assert_ne!(browser.id, other.id);
                for os in [Os::Linux, Os::MacOs] {
                    let folders =
                        [browser, other].map(|browser| browser.place(os).map(|place| place.manifests.1));
                    assert_ne!(folders[0], folders[1], "{} and {} on {os:?}", browser.id, other.id);
                }
            }
        }
    }

    #[test]
    fn chromium_manifests_lie_inside_the_trace() {
        for browser in BROWSERS.iter().filter(|browser| browser.family == Family::Chromium) {
            for place in browser.places {
                let expected = format!("{}/NativeMessagingHosts", place.traces[0].1);
                assert_eq!(place.manifests.1, expected, "{}", browser.id);
            }
        }
    }
}
