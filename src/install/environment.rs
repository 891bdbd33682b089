//! Where things are on this machine, read once and then passed on: nothing else in the installer asks the process.

use std::{
    env,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy;

use super::{browsers::Os, error::InstallError, files};
use crate::config;

/// The folders and the binary that everything here is relative to.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Whose rows of the table count.
    pub os: Os,
    /// The home folder.
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME`, where Linux browsers keep their profiles.
    pub config_home: PathBuf,
    /// Our own state folder; the record of what we wrote lives in it.
    pub state_dir: PathBuf,
    /// The folders of `PATH`: programs found in them show that a browser is there.
    pub search_path: Vec<PathBuf>,
    /// Folders that are emptied without asking.
    pub temporary: Vec<PathBuf>,
    /// The binary that manifests will name: absolute, links resolved.
    pub binary: PathBuf,
}

impl Environment {
    /// Reads the process's environment.
    pub fn of_process() -> Result<Self, InstallError> {
        let base = etcetera::choose_base_strategy().map_err(|_| InstallError::NoHome)?;
        let state_dir = config::state_path().map_err(InstallError::State)?;
        let binary = env::current_exe()
            .and_then(|path| files::canonical(&path))
            .map_err(|source| InstallError::Binary { source })?;
        let search_path = env::var_os("PATH").unwrap_or_default();
        Ok(Self {
            os: Os::current(),
            home: base.home_dir().to_path_buf(),
            config_home: base.config_dir(),
            state_dir,
            search_path: env::split_paths(&search_path).filter(|folder| folder.is_absolute()).collect(),
            temporary: vec![env::temp_dir(), "/tmp".into(), "/var/tmp".into(), "/dev/shm".into()],
            binary,
        })
    }

    /// How a person calls this binary: by its name where `PATH` finds it, else by its whole path.
    pub fn command(&self) -> String {
        let found = self.find_program("outrigger").and_then(|path| files::canonical(&path).ok());
        if found.as_deref() == Some(&*self.binary) {
            return "outrigger".to_owned();
        }
        quoted(&self.binary.to_string_lossy())
    }

    /// The first executable file of this name in `PATH`.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        self.search_path.iter().map(|folder| folder.join(name)).find(|path| files::is_program(path))
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

/// `text` as one word of a shell command.
pub fn quoted(text: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "/._-+:@%=,".contains(character);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_word_stays_one_word() {
        assert_eq!(quoted("/home/ada/outrigger"), "/home/ada/outrigger");
        assert_eq!(quoted("/home/ada l/it's"), r"'/home/ada l/it'\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("$HOME"), "'$HOME'");
    }
}
