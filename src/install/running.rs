//! Browsers that run, as far as they can be looked at: which they are, where their user data is, with which variables they were started.
//!
//! Another user's program is no concern of this one, and neither is one that is confined: both name folders that they may write to, and
//! who takes a manifest from there and starts what it says, or writes one, does for them what they may not do themselves.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use super::{
    browsers::{self, BROWSERS, Base, Browser, Family, Os},
    environment::Environment,
    files, library,
    target::Target,
};

/// Where vendors put programs whose name does not say which browser they are.
const VENDORS: &[(&str, &str)] = &[
    ("/opt/google/chrome", "chrome"),
    ("/opt/google/chrome-beta", "chrome-beta"),
    ("/opt/google/chrome-unstable", "chrome-dev"),
    ("/opt/google/chrome-canary", "chrome-canary"),
    ("/opt/microsoft/msedge", "edge"),
    ("/opt/microsoft/msedge-beta", "edge-beta"),
    ("/opt/microsoft/msedge-dev", "edge-dev"),
    ("/opt/brave.com/brave", "brave"),
    ("/opt/vivaldi", "vivaldi"),
];
/// Names that several browsers of the Chromium family give their program.
const CHROMIUM_NAMES: &[&str] = &["chrome", "msedge", "chrome-headless-shell", "vivaldi-bin"];

/// A process, as far as it can be seen.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Where its program is, or was; empty for one of another user.
    pub program: PathBuf,
    /// What it was started with, its name first.
    pub words: Vec<String>,
    /// Its own folder among the processes.
    place: PathBuf,
}

/// All of this user's that are held to no more than this very process is.
pub fn processes(environment: &Environment) -> Vec<Process> {
    let own = Hold::of(&environment.processes.join("self"));
    files::entries(&environment.processes)
        .into_iter()
        .filter_map(|place| {
            let pid = place.file_name()?.to_str()?.parse().ok()?;
            if !files::is_mine(&place) || !Hold::of(&place).is_within(own) {
                return None;
            }
            let words = files::read_some(&place.join("cmdline")).ok()?;
            let words = String::from_utf8_lossy(&words);
            let words = words.split('\0').map(str::to_owned).collect();
            let program = files::link_of(&place.join("exe")).unwrap_or_default();
            Some(Process { pid, program, words, place })
        })
        .collect()
}

/// What holds a process and all that it starts, and what none of them can shed: our own commands have both, and a browser's first process,
/// which makes the sandbox for the others, has neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Hold {
    /// 1: nothing that it starts has more rights than it has.
    no_new_privileges: u32,
    /// How many filters of system calls stand over it; of kernels that do not count them, the kind.
    filters: u32,
}

impl Hold {
    /// Of a process with this folder; none where its folder does not tell.
    fn of(place: &Path) -> Self {
        let status = files::read_some(&place.join("status")).unwrap_or_default();
        Self::told_by(&String::from_utf8_lossy(&status))
    }

    fn told_by(status: &str) -> Self {
        let number = |name: &str| {
            let value = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            value.and_then(|value| value.trim().parse().ok())
        };
        let filters = number("Seccomp_filters").or_else(|| number("Seccomp"));
        Self {
            no_new_privileges: number("NoNewPrivs").unwrap_or_default(),
            filters: filters.unwrap_or_default(),
        }
    }

    fn is_within(self, other: Self) -> bool {
        self.no_new_privileges <= other.no_new_privileges && self.filters <= other.filters
    }
}

impl Process {
    /// The family of browsers to which it belongs, for a browser's own first process.
    pub fn family(&self) -> Option<Family> {
        let is_part = |word: &String| word.starts_with("--type=") || word == "-contentproc";
        if self.program.as_os_str().is_empty() || self.words.iter().any(is_part) {
            return None;
        }
        if let Some(browser) = self.browser() {
            return Some(browser.family);
        }
        self.is_some_chromium().then_some(Family::Chromium)
    }

    /// Its program has a name that several browsers share.
    fn is_some_chromium(&self) -> bool {
        CHROMIUM_NAMES.contains(&name_of(&self.program))
    }

    /// Which browser it is, where that can be told.
    fn browser(&self) -> Option<&'static Browser> {
        let folder = self.program.parent().and_then(Path::to_str).unwrap_or_default();
        if let Some((_, id)) = VENDORS.iter().find(|(vendor, _)| *vendor == folder) {
            return browsers::find(id);
        }
        let called = |name: &str| BROWSERS.iter().find(|browser| browser.programs.contains(&name));
        let own = name_of(&self.program);
        // What it was called is anybody's choice: it only tells which of those it is that share a name.
        let first = || self.words.first().map(|word| name_of(Path::new(word)));
        called(own)
            .or_else(|| called(&unwrapped(own)))
            .or_else(|| called(first()?).filter(|_| self.is_some_chromium()))
    }

    /// The value of a variable that it was started with; `None` where its variables cannot be seen.
    pub fn variable(&self, name: &str) -> Option<Option<String>> {
        let bytes = files::read_some(&self.place.join("environ")).ok().filter(|bytes| !bytes.is_empty())?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Some(text.split('\0').find_map(|line| Some(line.strip_prefix(name)?.strip_prefix('=')?.to_owned())))
    }

    /// The folder below which it looks for manifests: by what it was started with, its words before its variables.
    fn own_folder(&self, environment: &Environment) -> Option<PathBuf> {
        let given = match self.family()? {
            Family::Chromium => self.user_data_dir().or_else(|| self.by_variables(environment))?,
            Family::Firefox => self.by_variables(environment)?,
        };
        // Relative where even that cannot be seen.
        Some(match files::link_of(&self.place.join("cwd")) {
            Some(start) if given.is_relative() => {
                let folder = start.join(given);
                files::canonical(&folder).unwrap_or(folder)
            }
            _ => given,
        })
    }

    fn user_data_dir(&self) -> Option<PathBuf> {
        let mut words = self.words.iter();
        loop {
            let word = words.next()?;
            if let Some(folder) = word.strip_prefix("--user-data-dir=") {
                return Some(PathBuf::from(folder));
            }
            if word == "--user-data-dir" {
                return Some(PathBuf::from(words.next()?));
            }
        }
    }

    /// Where its variables lead it, as Chromium and Firefox read them on Linux; a terminal may have others.
    fn by_variables(&self, environment: &Environment) -> Option<PathBuf> {
        let value = |name: &str| Some(PathBuf::from(self.variable(name)?.filter(|value| !value.is_empty())?));
        if environment.os != Os::Linux {
            return None;
        }
        if self.family()? == Family::Chromium
            && let Some(folder) = value("CHROME_USER_DATA_DIR")
        {
            return Some(folder);
        }
        let (base, own) = self.browser()?.place(environment.os)?.own;
        let home = value("HOME")?;
        let base = match base {
            Base::Config => value("CHROME_CONFIG_HOME")
                .or_else(|| value("XDG_CONFIG_HOME"))
                .unwrap_or_else(|| home.join(".config")),
            _ => home,
        };
        Some(base.join(own))
    }

    /// In a snap's or a Flatpak's own sandbox, which has a diagnosis of its own.
    fn is_boxed(&self) -> bool {
        ["/snap/", "/app/"].iter().any(|place| self.program.starts_with(place))
    }

    /// False for one that was started with another home folder than ours.
    pub fn is_of_this_home(&self, environment: &Environment) -> bool {
        match self.variable("HOME") {
            Some(its) => its.is_none_or(|its| files::is_same_folder(Path::new(&its), &environment.home)),
            // One that has ended since it was found shows nothing any more.
            None => files::read_some(&self.place.join("cmdline")).is_ok_and(|words| !words.is_empty()),
        }
    }

    /// In a container or a sandbox, in which the same path is another folder.
    pub fn is_elsewhere(&self, environment: &Environment) -> bool {
        let own = files::link_of(&environment.processes.join("self/ns/mnt"));
        let its = files::link_of(&self.place.join("ns/mnt"));
        own.is_some() && its.is_some() && own != its
    }
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(OsStr::to_str).unwrap_or_default()
}

/// The name of a program as its command has it: packages put the program itself behind a script, and change its name for that.
fn unwrapped(name: &str) -> String {
    let name = name.trim_start_matches('.');
    let name = ["-wrapped", "-bin"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    name.replace('_', "-")
}

/// A folder of its own, with which a browser runs: user data of the Chromium family, another home folder's of Firefox's.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The folder.
    pub folder: PathBuf,
    /// The browser's family.
    pub family: Family,
    /// Whose, where that can be told.
    pub browser: Option<&'static Browser>,
    /// Its path means another folder for the browser than for us.
    pub is_elsewhere: bool,
    /// Its home folder is ours, as far as can be seen.
    pub is_of_this_home: bool,
}

/// Those that run now, but for the folders that browsers take by themselves.
pub fn profiles(environment: &Environment) -> Vec<Profile> {
    let mut profiles: Vec<Profile> = processes(environment)
        .iter()
        .filter(|process| !process.is_boxed())
        .filter_map(|process| {
            let is_elsewhere = process.is_elsewhere(environment);
            let (family, folder) = (process.family()?, process.own_folder(environment)?);
            let is_of_this_home = process.is_of_this_home(environment);
            Some(Profile { folder, family, browser: process.browser(), is_elsewhere, is_of_this_home })
        })
        // The same folder is another one in a container.
        .filter(|profile| profile.is_elsewhere || !is_usual(environment, &profile.folder))
        .collect();
    profiles.sort_by(|one, other| one.folder.cmp(&other.folder));
    profiles.dedup_by(|one, other| one.folder == other.folder);
    profiles
}

/// The folder that a browser takes by itself.
fn is_usual(environment: &Environment, folder: &Path) -> bool {
    let places = BROWSERS.iter().filter_map(|browser| browser.place(environment.os));
    places
        .into_iter()
        .any(|place| files::is_same_folder(folder, &place.own.0.folder(environment).join(place.own.1)))
}

/// Which browser runs with the folder of this target, which a person gave.
pub fn browser_of(environment: &Environment, target: &Target) -> Option<&'static Browser> {
    let own = target.folder.parent().filter(|_| browsers::find(&target.id).is_none())?;
    let is_own = |profile: &Profile| files::is_same_folder(&profile.folder, own);
    profiles(environment).into_iter().find(is_own)?.browser
}

/// A folder that was given by hand, with what the browser that runs with it reads behind it.
pub fn completed(environment: &Environment, mut target: Target) -> Target {
    if environment.os == Os::Windows || !target.further.is_empty() {
        return target;
    }
    if let Some(browser) = browser_of(environment, &target) {
        target.further = library::read(environment, browser);
    }
    target
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(program: &str, called: &str) -> Process {
        Process { pid: 1, program: program.into(), words: vec![called.to_owned()], place: PathBuf::new() }
    }

    #[test]
    fn a_program_is_known_by_what_it_is_and_not_by_what_it_is_called() {
        for (program, called, expected) in [
            ("/bin/bash", "google-chrome", None),
            ("/bin/bash", "/opt/google/chrome/chrome", None),
            ("/usr/lib/firefox/firefox", "x", Some("firefox")),
            ("/nix/store/a-firefox/lib/firefox/.firefox-wrapped", "firefox", Some("firefox")),
            ("/opt/zen/zen-bin", "zen", Some("zen")),
            ("/opt/yandex/browser/yandex_browser", "yandex-browser", Some("yandex")),
            ("/opt/google/chrome/chrome", "x", Some("chrome")),
            ("/home/ada/helium/chrome", "/usr/bin/helium", Some("helium")),
        ] {
            let process = process(program, called);
            assert_eq!(process.browser().map(|browser| browser.id), expected, "{program}");
            assert_eq!(process.family().is_some(), expected.is_some(), "{program}");
        }
        assert_eq!(process("/home/ada/any/chrome", "x").family(), Some(Family::Chromium));
    }

    #[test]
    fn who_is_held_to_more_is_told_apart() {
        let hold = |text: &str| Hold::told_by(text);
        let free = hold("Name:\tx\nNoNewPrivs:\t0\nSeccomp:\t0\nSeccomp_filters:\t0\n");
        let boxed = hold("NoNewPrivs:\t0\nSeccomp:\t2\nSeccomp_filters:\t1\n");
        let held = hold("NoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t1\n");
        let more = hold("NoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t2\n");
        // Of a kernel before 5.9.
        let old = hold("NoNewPrivs:\t1\nSeccomp:\t2\n");
        for (one, other) in [(free, boxed), (boxed, held), (held, more), (free, old)] {
            assert!(one.is_within(other) && one.is_within(one) && !other.is_within(one));
        }
        assert!(hold("").is_within(free));
    }
}
