//! What a command is about: browsers of the table and folders given by hand, each with its one manifest.

use std::path::{Path, PathBuf};

use super::{
    boxed::{self, BoxedBrowser},
    browsers::{self, BROWSERS, Browser, Family, Os, Place, Scope},
    environment::Environment,
    error::InstallError,
    files, library,
};
use crate::shell_words::{quoted, quoted_path};

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
    /// For whom.
    pub scope: Scope,
}

impl Selection {
    /// True when nothing was named.
    pub fn is_empty(&self) -> bool {
        self.browsers.is_empty() && !self.all && self.user_data_dirs.is_empty() && self.browser_dir.is_none()
    }

    /// True when browsers or folders were named one by one.
    pub fn is_specific(&self) -> bool {
        !self.browsers.is_empty() || !self.user_data_dirs.is_empty() || self.browser_dir.is_some()
    }

    /// The targets that were named; none when nothing was.
    pub fn named(&self, environment: &Environment) -> Result<Vec<Target>, InstallError> {
        let mut targets = Vec::new();
        if self.all {
            targets = known(environment, self.scope);
        }
        for id in &self.browsers {
            let browser =
                browsers::find(id).ok_or_else(|| InstallError::UnknownBrowser { given: id.clone() })?;
            let of_browser = Target::all_of_browser(browser, environment, self.scope);
            if of_browser.is_empty() {
                let for_all = self.scope == Scope::System && browser.place(environment.os).is_some();
                return Err(InstallError::NoPlace {
                    name: browser.name,
                    os: environment.os.as_str(),
                    for_all,
                });
            }
            for target in of_browser {
                push_new(&mut targets, target);
            }
        }
        for folder in &self.user_data_dirs {
            push_new(&mut targets, Target::of_folder(environment, folder, Family::Chromium)?);
        }
        if let Some((folder, family)) = &self.browser_dir {
            push_new(&mut targets, Target::of_folder(environment, folder, *family)?);
        }
        Ok(targets)
    }

    /// The named targets or, when nothing was named, the browsers that are there. A browser in a sandbox reads, through its
    /// portal, what is there for its kind outside.
    pub fn named_or_present(&self, environment: &Environment) -> Result<Vec<Target>, InstallError> {
        if !self.is_empty() {
            return self.named(environment);
        }
        let mut targets: Vec<Target> =
            known(environment, self.scope).into_iter().filter(|target| target.presence.is_there()).collect();
        for boxed in boxed::found(environment) {
            for id in boxed.read_through_portal() {
                let stand_in = browsers::find(id)
                    .and_then(|browser| Target::of_browser(browser, environment, self.scope));
                if let Some(mut target) = stand_in {
                    target.presence = Presence::Boxed(boxed.clone());
                    push_new(&mut targets, target);
                }
            }
        }
        Ok(targets)
    }
}

/// Why we think that a browser is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It has left something in this folder.
    Folder(PathBuf),
    /// Its program is in `PATH`.
    Program(PathBuf),
    /// One in a sandbox reads this place through a portal.
    Boxed(BoxedBrowser),
    /// A person named the folder.
    Given,
    /// One that runs has this folder; nobody else has named it.
    Running,
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
    /// Other browsers that are there and read the same manifest.
    pub also: Vec<&'static str>,
    /// The shape of the manifest.
    pub family: Family,
    /// The folder of manifests that is written to.
    pub folder: PathBuf,
    /// Folders of this user that are another browser's, and into which this one looks where its own has nothing for it.
    pub next: Vec<PathBuf>,
    /// Folders for everybody into which it looks where those have nothing for it, in its order.
    pub further: Vec<PathBuf>,
    /// Windows: the registry key that names the manifest, `HKCU\…` or `HKLM\…`.
    pub registry: Option<String>,
    /// Windows: the keys in which the browser looks, below `HKCU` and `HKLM`, its own first.
    pub registry_keys: Vec<String>,
    /// For whom.
    pub scope: Scope,
    /// The flags that name this target on the command line.
    pub flags: String,
    /// Whether the browser is there.
    pub presence: Presence,
}

impl Target {
    /// Every manifest of a browser of the table: one, but for everybody, where builds of it may look into one folder or another.
    pub fn all_of_browser(browser: &Browser, environment: &Environment, scope: Scope) -> Vec<Self> {
        let Some(first) = Self::of_browser(browser, environment, scope) else { return Vec::new() };
        let mut targets = vec![first.clone()];
        if scope == Scope::System && environment.os != Os::Windows {
            let others = library::possible(environment, browser).into_iter().skip(1);
            targets.extend(others.map(|folder| {
                let name = format!("{} (builds that look into {})", first.name, super::error::shown(&folder));
                Self { name, folder, ..first.clone() }
            }));
        }
        targets
    }

    /// A browser of the table, where it has a place on this system.
    pub fn of_browser(browser: &Browser, environment: &Environment, scope: Scope) -> Option<Self> {
        let place = browser.place(environment.os)?;
        let own = place.own.0.folder(environment).join(place.own.1);
        let user_folder = own.join(browser.family.manifest_folder(environment.os));
        let manifests = browser.family.manifest_folder(environment.os);
        let next = || place.next.iter().map(|(base, own)| base.folder(environment).join(own).join(manifests));
        let last = place.last.iter().map(|path| environment.system_path(path));
        let (folder, next, further) = match (environment.os, scope) {
            (Os::Windows, _) => (environment.manifests_of_registry(place, scope), Vec::new(), Vec::new()),
            (_, Scope::User) => {
                let further = library::read(environment, browser).into_iter().chain(last);
                (user_folder.clone(), next().collect(), further.collect())
            }
            (_, Scope::System) => {
                (place.system.first().map(|path| environment.system_path(path))?, Vec::new(), last.collect())
            }
        };
        // A folder in which there are only our manifests was made by us.
        let sign = place
            .signs(environment)
            .into_iter()
            .find(|sign| files::holds_more_than(sign, Some(&user_folder)));
        // What leads into a sandbox is no browser of its own.
        let programs = || browser.programs.iter().flat_map(|name| environment.find_programs(name));
        let program = || programs().find(|program| !boxed::is_door(program));
        let presence = match sign {
            Some(sign) => Presence::Folder(sign),
            None => program().map_or(Presence::Absent, Presence::Program),
        };
        let for_all = if scope == Scope::System { " --scope system" } else { "" };
        Some(Self {
            id: browser.id.to_owned(),
            name: browser.name.to_owned(),
            also: Vec::new(),
            family: browser.family,
            folder,
            next,
            further,
            registry: registry_key(environment, place, scope),
            registry_keys: registry_keys(environment, place),
            scope,
            flags: format!("--browser {}{for_all}", browser.id),
            presence,
        })
    }

    /// A browser's own folder, given by hand.
    pub fn of_folder(environment: &Environment, own: &Path, family: Family) -> Result<Self, InstallError> {
        if environment.os == Os::Windows {
            return Err(InstallError::NoFolders);
        }
        if files::is_there(own) && !own.is_dir() && files::link_of(own).is_none() {
            return Err(InstallError::NotAFolder { path: own.to_path_buf() });
        }
        if own.is_relative() {
            return Err(InstallError::NotAbsolute { path: own.to_path_buf() });
        }
        if let Some(folder) = profiles_of(own, family) {
            let place = quoted_path(folder);
            let instead = match family {
                Family::Chromium => format!("--user-data-dir {place}"),
                Family::Firefox => format!("--browser-dir {place} --family firefox"),
            };
            return Err(InstallError::AProfile { path: own.to_path_buf(), instead });
        }
        let text = own.to_string_lossy();
        let flags = match family {
            Family::Chromium => format!("--user-data-dir {}", quoted(&text)),
            Family::Firefox => format!("--browser-dir {} --family firefox", quoted(&text)),
        };
        Ok(Self {
            id: text.clone().into_owned(),
            name: super::error::shown(own),
            also: Vec::new(),
            family,
            folder: own.join(family.manifest_folder(environment.os)),
            next: Vec::new(),
            further: Vec::new(),
            registry: None,
            registry_keys: Vec::new(),
            scope: Scope::User,
            flags,
            presence: Presence::Given,
        })
    }

    /// Where the browser looks, in its order.
    pub fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.folder).chain(&self.next).chain(&self.further)
    }

    /// The manifest that is written.
    pub fn manifest(&self, file_name: &str) -> PathBuf {
        self.folder.join(file_name)
    }

    /// The command that installs it again.
    pub fn reinstall(&self, environment: &Environment) -> String {
        format!("{} install {}", self.command(environment), self.flags)
    }

    /// This binary, as a person calls it to change this target.
    pub fn command(&self, environment: &Environment) -> String {
        let needed = self.scope == Scope::System && environment.os != Os::Windows && !environment.is_root;
        if needed { format!("sudo {}", environment.command_as_root()) } else { environment.command() }
    }

    /// True for a place that only a browser in a sandbox reads.
    pub fn is_boxed(&self) -> bool {
        matches!(self.presence, Presence::Boxed(_))
    }

    /// Its name, with the others that read the same manifest.
    pub fn full_name(&self) -> String {
        if self.also.is_empty() {
            return self.name.clone();
        }
        format!("{} (and {})", self.name, self.also.join(", "))
    }
}

/// The folder into which a browser looks, for one of its profiles.
fn profiles_of(profile: &Path, family: Family) -> Option<PathBuf> {
    let above = profile.parent()?;
    match family {
        Family::Chromium => {
            let is_profile = profile.join("Preferences").is_file() && above.join("Local State").is_file();
            is_profile.then(|| above.to_path_buf())
        }
        // `~/.mozilla/firefox/abc.default`
        Family::Firefox => {
            let is_profile = profile.join("prefs.js").is_file() && above.join("profiles.ini").is_file();
            above.parent().filter(|_| is_profile).map(Path::to_path_buf)
        }
    }
}

fn registry_key(environment: &Environment, place: &Place, scope: Scope) -> Option<String> {
    let own = place.registry.first().filter(|_| environment.os == Os::Windows)?;
    let hive = if scope == Scope::System { "HKLM" } else { "HKCU" };
    Some(format!("{hive}\\Software\\{own}\\NativeMessagingHosts"))
}

fn registry_keys(environment: &Environment, place: &Place) -> Vec<String> {
    let keys = place.registry.iter().filter(|_| environment.os == Os::Windows);
    keys.map(|key| format!("Software\\{key}\\NativeMessagingHosts")).collect()
}

/// Every browser of the table that has a place on this system.
pub fn known(environment: &Environment, scope: Scope) -> Vec<Target> {
    let mut targets = Vec::new();
    for browser in BROWSERS {
        for target in Target::all_of_browser(browser, environment, scope) {
            push_shared(&mut targets, target, browser);
        }
    }
    targets
}

/// Two browsers that read one manifest are one target, named after the first of them that is there.
fn push_shared(targets: &mut Vec<Target>, target: Target, browser: &Browser) {
    let Some(known) = targets.iter_mut().find(|known| known.folder == target.folder) else {
        return targets.push(target);
    };
    match (known.presence.is_there(), target.presence.is_there()) {
        (true, true) => known.also.push(browser.name),
        (false, true) => *known = target,
        (_, false) => {}
    }
}

/// Adds a target unless its manifest is already in the list.
pub fn push_new(targets: &mut Vec<Target>, target: Target) {
    if targets.iter().all(|known| known.folder != target.folder) {
        targets.push(target);
    }
}
