//! Browsers in a sandbox: snaps and Flatpaks. They cannot start a program of the host by themselves.
//!
//! Two ways lead out: Ubuntu's portal for snaps of Firefox, and `xdg-native-messaging-proxy`. Both read the ordinary places
//! outside, so that is where manifests go; whether the way is open is the doctor's business (`doctor::boxed_checks`).

use std::path::{Path, PathBuf};

use super::{
    browsers::{BROWSERS, Boxed, Family, Os},
    environment::Environment,
    files,
};

/// One that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxedBrowser {
    /// The id of the table.
    pub id: &'static str,
    /// For people, without the package's kind.
    pub name: &'static str,
    /// The family.
    pub family: Family,
    /// The package.
    pub package: Boxed,
    /// What shows that it is used.
    pub sign: PathBuf,
}

impl BoxedBrowser {
    /// `snap` or `flatpak`.
    pub fn kind(&self) -> &'static str {
        match self.package {
            Boxed::Snap(_) => "snap",
            Boxed::Flatpak(_) => "flatpak",
        }
    }

    /// The package's own name.
    pub fn package_name(&self) -> &'static str {
        match self.package {
            Boxed::Snap(name) | Boxed::Flatpak(name) => name,
        }
    }

    /// The browsers of the table whose places a portal reads for it.
    pub fn read_through_portal(&self) -> &'static [&'static str] {
        match self.family {
            Family::Chromium => &["chrome", "chromium"],
            Family::Firefox => &["firefox"],
        }
    }
}

/// Those that are there: their data in this home, or the package on this machine.
pub fn found(environment: &Environment) -> Vec<BoxedBrowser> {
    if environment.os != Os::Linux {
        return Vec::new();
    }
    let mut found = Vec::new();
    for browser in BROWSERS {
        for package in browser.boxed {
            if let Some(sign) =
                signs(environment, *package).into_iter().find(|sign| files::holds_more_than(sign, None))
            {
                found.push(BoxedBrowser {
                    id: browser.id,
                    name: browser.name,
                    family: browser.family,
                    package: *package,
                    sign,
                });
            }
        }
    }
    found
}

/// What a program in `PATH` begins a browser in a sandbox with.
const DOORS: &[&str] = &["/snap/bin/", "snap run ", "flatpak run ", "/flatpak/exports/bin/"];

/// True for a program that only starts a browser in its sandbox: one of snap's or Flatpak's own, or a script that goes on to one.
pub fn is_door(program: &Path) -> bool {
    let Ok(real) = files::canonical(program) else { return false };
    let place = real.to_string_lossy();
    let is_theirs = ["/flatpak/app/", "/flatpak/exports/", "/snap/"].iter().any(|part| place.contains(part));
    if is_theirs || real.ends_with("bin/snap") || real.ends_with("bin/flatpak") {
        return true;
    }
    let text = files::read_some(&real).unwrap_or_default();
    let text = text.strip_prefix(b"#!").map(String::from_utf8_lossy).unwrap_or_default();
    let is_step = |line: &&str| !line.trim_start().starts_with('#');
    text.lines().filter(is_step).any(|line| DOORS.iter().any(|door| line.contains(door)))
}

fn signs(environment: &Environment, package: Boxed) -> Vec<PathBuf> {
    match package {
        Boxed::Flatpak(id) => vec![
            environment.home.join(".var/app").join(id),
            environment.home.join(".local/share/flatpak/app").join(id),
            environment.system_path("/var/lib/flatpak/app").join(id),
        ],
        Boxed::Snap(name) => {
            vec![environment.home.join("snap").join(name), environment.system_path("/snap").join(name)]
        }
    }
}
