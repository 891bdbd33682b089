//! Where things are on this machine, read once and then passed on: nothing else in the installer asks the process.

use std::{
    env,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy;

use super::{
    browsers::{Os, Place, Scope},
    error::InstallError,
    files, launcher, permissions, record_place,
};
use crate::{config, shell_words::quoted};

/// The folders and the binary that everything here is relative to.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Whose rows of the table count.
    pub os: Os,
    /// The home folder.
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME`, where Linux browsers keep their profiles.
    pub config_home: PathBuf,
    /// Our own state folder.
    pub state_dir: PathBuf,
    /// The folder of the record of what we wrote for this user: the state folder, or one that it was when that was written.
    pub record_home: PathBuf,
    /// Where our own copies of the program are, for this user.
    pub program_dir: PathBuf,
    /// What every path of the whole machine begins with: `/`.
    pub system_root: PathBuf,
    /// Whether we may change what is everybody's.
    pub is_root: bool,
    /// Where running processes can be looked at.
    pub processes: PathBuf,
    /// Windows: the program that reads and writes the registry.
    pub registry: Option<PathBuf>,
    /// The folders of `PATH`: programs found in them show that a browser is there.
    pub search_path: Vec<PathBuf>,
    /// Folders that are emptied without asking.
    pub temporary: Vec<PathBuf>,
    /// The binary that manifests will name: absolute, links resolved.
    pub binary: PathBuf,
    /// What a host takes that is started with this process's environment; `None` where that is not known.
    pub taken: Option<Taken>,
    /// Variables that lead a host elsewhere than it goes by itself, with their values: a terminal may have some that browsers have not.
    pub leading: Vec<(&'static str, String)>,
}

/// Where a host reads what it may do, and keeps what it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The configuration, there or not.
    pub config: PathBuf,
    /// The folder of journal and log.
    pub state: PathBuf,
}

impl Environment {
    /// Reads the process's environment.
    pub fn of_process() -> Result<Self, InstallError> {
        let base = etcetera::choose_base_strategy().map_err(|_| InstallError::NoHome)?;
        if base.home_dir().is_relative() {
            return Err(InstallError::RelativeHome { path: base.home_dir().to_path_buf() });
        }
        let state_dir = config::state_path().map_err(InstallError::State)?;
        let config = config::locate(None).ok().map(|located| located.path);
        let taken = config.map(|config| Taken { config, state: state_dir.clone() });
        let search_path = env::var_os("PATH").unwrap_or_default();
        let os = Os::current();
        // Who moves our state elsewhere wants nothing of ours in the usual places.
        let moved = env::var_os("OUTRIGGER_STATE_DIR").is_some_and(|folder| !folder.is_empty());
        let program_dir = if moved { state_dir.join("program") } else { base.data_dir().join("outrigger") };
        // A host that goes on after its version was removed has no file any more; the launcher leads to its successor.
        let binary = env::current_exe()
            .and_then(|path| files::canonical(&path))
            .or_else(|error| files::canonical(&program_dir.join("bin/outrigger")).map_err(|_| error))
            .map_err(|source| InstallError::Binary { source })?;
        let windows =
            || env::var_os("SystemRoot").map_or_else(|| PathBuf::from("C:\\Windows"), PathBuf::from);
        let environment = Self {
            os,
            home: base.home_dir().to_path_buf(),
            config_home: base.config_dir(),
            record_home: state_dir.clone(),
            state_dir,
            program_dir,
            system_root: system_root(),
            is_root: permissions::is_root(),
            processes: "/proc".into(),
            registry: (os == Os::Windows).then(|| windows().join("System32").join("reg.exe")),
            search_path: env::split_paths(&search_path).filter(|folder| folder.is_absolute()).collect(),
            temporary: vec![env::temp_dir(), "/tmp".into(), "/var/tmp".into(), "/dev/shm".into()],
            binary,
            taken,
            leading: leading(base.home_dir()),
        };
        Ok(Self { record_home: record_place::find(&environment), ..environment })
    }

    /// Refuses to leave an administrator's files in the home folder of somebody else, where `sudo` has kept `HOME`.
    pub fn refuse_home_of_another(&self, scope: Scope) -> Result<(), InstallError> {
        let owner = files::owner_of(&self.home).filter(|owner| *owner != 0);
        match owner.filter(|_| self.is_root && scope == Scope::User) {
            Some(owner) => Err(InstallError::HomeOfAnother { home: self.home.clone(), owner }),
            None => Ok(()),
        }
    }

    /// A path of the whole machine, as it is here.
    pub fn system_path(&self, path: &str) -> PathBuf {
        self.system_root.join(path.trim_start_matches('/'))
    }

    /// Our own folder for what is everybody's: the record of it.
    pub fn system_state(&self) -> PathBuf {
        match self.os {
            Os::Linux => self.system_path("/var/lib/outrigger"),
            Os::MacOs => self.system_path("/Library/Application Support/Outrigger"),
            Os::Windows => self.system_path("ProgramData/Outrigger"),
        }
    }

    /// The folder of the record of what we wrote.
    pub fn record_dir(&self, scope: Scope) -> PathBuf {
        match scope {
            Scope::User => self.record_home.clone(),
            Scope::System => self.system_state(),
        }
    }

    /// Windows: the folder of the manifest that a registry key names; one for each key.
    pub fn manifests_of_registry(&self, place: &Place, scope: Scope) -> PathBuf {
        let key = place.registry.first().copied().unwrap_or_default();
        let folder = match scope {
            Scope::User => self.program_dir.clone(),
            Scope::System => self.system_state(),
        };
        folder.join("manifests").join(key.to_lowercase().replace(['\\', ' '], "-"))
    }

    /// The folder with the extension's builds that came with this binary, if there is one.
    pub fn extension_builds(&self) -> Option<PathBuf> {
        [Some(self.program_dir.join("extension")), self.extension_beside()]
            .into_iter()
            .flatten()
            .find(|folder| folder.is_dir())
    }

    /// The same, as an archive or a package has it beside the binary.
    pub fn extension_beside(&self) -> Option<PathBuf> {
        let folder = self.binary.parent()?.parent()?.join("share/outrigger/extension");
        folder.is_dir().then_some(folder)
    }

    /// How a person calls this binary: by its name where `PATH` finds it, else by its whole path.
    pub fn command(&self) -> String {
        let found = self.find_program("outrigger").and_then(|path| files::canonical(&path).ok());
        if found.as_deref() == Some(&*self.binary) {
            return "outrigger".to_owned();
        }
        quoted(&self.binary.to_string_lossy())
    }

    /// The same behind `sudo`, which has a `PATH` of its own.
    pub fn command_as_root(&self) -> String {
        const KNOWN: &[&str] =
            &["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
        if self.binary.parent().is_some_and(|folder| KNOWN.iter().any(|known| folder == Path::new(known))) {
            return self.command();
        }
        let launcher = launcher::launcher_of(&self.binary);
        quoted(&launcher.as_deref().unwrap_or(&self.binary).to_string_lossy())
    }

    /// The first executable file of this name in `PATH`.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        self.find_programs(name).next()
    }

    /// All of them.
    pub fn find_programs<'a>(&'a self, name: &'a str) -> impl Iterator<Item = PathBuf> + 'a {
        self.search_path.iter().map(move |folder| folder.join(name)).filter(|path| files::is_program(path))
    }

    /// Why the binary may not stay where it is, if that is to be feared.
    pub fn binary_may_vanish(&self) -> Option<&'static str> {
        let within = |folder: &PathBuf| {
            files::canonical(folder).is_ok_and(|folder| self.binary.starts_with(folder))
                || self.binary.starts_with(folder)
        };
        if self.temporary.iter().any(within) {
            return Some("it is in a temporary folder, which is emptied without asking");
        }
        let mut folders = self.binary.ancestors().skip(1).filter_map(Path::file_name);
        let in_build_folder = folders.next().is_some_and(|name| name == "release" || name == "debug")
            && folders.any(|name| name == "target");
        in_build_folder.then_some("it is in a build folder, which `cargo clean` empties")
    }
}

/// Variables that are set, and do not only say what would be so without them.
fn leading(home: &Path) -> Vec<(&'static str, String)> {
    leading_of(home, |name| Some(env::var_os(name)?.to_string_lossy().into_owned()))
}

/// The same of any process.
pub(super) fn leading_of(home: &Path, value: impl Fn(&str) -> Option<String>) -> Vec<(&'static str, String)> {
    const NAMES: &[(&str, Option<&str>)] = &[
        ("OUTRIGGER_CONFIG", None),
        ("OUTRIGGER_STATE_DIR", None),
        ("XDG_CONFIG_HOME", Some(".config")),
        ("XDG_STATE_HOME", Some(".local/state")),
    ];
    NAMES
        .iter()
        .filter_map(|(name, usual)| {
            let value = value(name).filter(|value| !value.is_empty())?;
            let folder = Path::new(&value);
            // Of XDG's a relative one counts as not set.
            let leads = usual.is_none_or(|usual| folder.is_absolute() && folder != home.join(usual));
            leads.then_some((*name, value))
        })
        .collect()
}

/// What every path of the whole machine begins with.
#[cfg(unix)]
fn system_root() -> PathBuf {
    "/".into()
}

/// What every path of the whole machine begins with.
#[cfg(windows)]
fn system_root() -> PathBuf {
    let drive = env::var("SystemDrive").unwrap_or_else(|_| "C:".to_owned());
    PathBuf::from(format!("{drive}\\"))
}
