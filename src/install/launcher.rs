//! The one path that manifests name, whatever version is behind it.
//!
//! `bin/outrigger` in our own folder is a link to `versions/<version>-<hash>/outrigger`, a copy of the binary that was installed.
//! An update adds a folder and turns the link, in one step: whatever runs goes on with its own file, whoever starts meanwhile
//! gets the old one or the new one. A binary that a package manager keeps at a path of its own is named itself: its owner
//! updates it in place.

use std::path::{Path, PathBuf};

use super::{
    browsers::{Os, Scope},
    environment::Environment,
    error::InstallError,
    files,
};

/// Versions that stay beside the current one: a browser that is just starting a host may still have read the old link.
const KEPT: usize = 2;
/// Held by who turns the launcher.
const LOCK_NAME: &str = "update.lock";
/// Where package managers keep a program at one path for ever.
const PACKAGED: &[&str] = &["/usr/bin", "/usr/local/bin", "/usr/lib/outrigger", "/opt/outrigger"];

/// Where the program is that manifests name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// The running binary itself.
    InPlace(PathBuf),
    /// Our link to a copy.
    Launcher(PathBuf),
}

impl Placement {
    /// The path for manifests.
    pub fn program(&self) -> &Path {
        match self {
            Self::InPlace(path) | Self::Launcher(path) => path,
        }
    }
}

/// What an update did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turned {
    /// There was no launcher.
    New,
    /// It leads to another binary than before.
    Updated,
    /// It leads to this binary already.
    Unchanged,
}

/// The path that manifests are to name; changes nothing.
pub fn placement(environment: &Environment, scope: Scope, in_place: bool) -> Placement {
    let packaged =
        PACKAGED.iter().any(|folder| environment.binary.starts_with(environment.system_path(folder)));
    // On Windows a running program cannot be replaced but may be renamed; the installer's folder is named as it is.
    if in_place || packaged || scope == Scope::System || environment.os == Os::Windows {
        let is_named = in_place || environment.os == Os::Windows;
        let program = launcher_of(&environment.binary).filter(|_| !is_named);
        return Placement::InPlace(program.unwrap_or_else(|| environment.binary.clone()));
    }
    Placement::Launcher(path(environment))
}

/// The launcher that leads to this binary, for a copy in a folder of versions: the next update takes that away, and the launcher stays.
pub fn launcher_of(binary: &Path) -> Option<PathBuf> {
    let version = binary.parent().filter(|folder| is_version(folder))?;
    let launcher = version.parent()?.parent()?.join("bin/outrigger");
    files::canonical(&launcher).is_ok_and(|program| program == binary).then_some(launcher)
}

/// The launcher, whether it is there or not.
pub fn path(environment: &Environment) -> PathBuf {
    environment.program_dir.join("bin").join("outrigger")
}

/// The folder of copies, one folder for each version.
pub fn versions(environment: &Environment) -> PathBuf {
    environment.program_dir.join("versions")
}

/// A copy of the running binary, whether it is there or not.
struct OwnCopy<'a> {
    environment: &'a Environment,
    /// Its folder's name, by which the launcher leads to it.
    name: String,
    path: PathBuf,
}

impl<'a> OwnCopy<'a> {
    fn of(environment: &'a Environment) -> Result<Self, InstallError> {
        let digest = files::sha256(&environment.binary)?;
        let name = format!("{}-{}", env!("CARGO_PKG_VERSION"), &digest[..12]);
        let path = versions(environment).join(&name).join("outrigger");
        Ok(Self { environment, name, path })
    }

    fn is_whole(&self) -> bool {
        files::same_contents(&self.environment.binary, &self.path) && files::is_program(&self.path)
    }

    fn is_in_place(&self) -> bool {
        self.is_led_to() && self.is_whole()
    }

    /// What the launcher is to say: the way from folder to folder, which moves along with the home. Where somebody has made the
    /// launcher's folder a link to another one, there is no such way.
    fn link(&self) -> PathBuf {
        let real = |folder: &Path| files::canonical(folder).ok();
        let bin = path(self.environment).parent().and_then(real);
        if bin.as_deref().and_then(Path::parent) != real(&self.environment.program_dir).as_deref() {
            return self.path.clone();
        }
        Path::new("..").join("versions").join(&self.name).join("outrigger")
    }

    fn is_led_to(&self) -> bool {
        let launcher = path(self.environment);
        files::link_of(&launcher) == Some(self.link()) && is_same(&launcher, &self.path)
    }
}

/// True for two paths of one file that is there.
fn is_same(one: &Path, other: &Path) -> bool {
    files::canonical(one).is_ok_and(|one| files::canonical(other).is_ok_and(|other| one == other))
}

/// True where the launcher leads to this binary, or to a whole copy of it: then nothing need be written, and a disk that cannot be
/// written to is in nobody's way.
pub fn is_turned(environment: &Environment) -> Result<bool, InstallError> {
    Ok(is_started_through(environment) || OwnCopy::of(environment)?.is_in_place())
}

/// True where the copy is this very file.
fn is_started_through(environment: &Environment) -> bool {
    files::canonical(&path(environment)).is_ok_and(|current| current == environment.binary)
}

/// Makes the launcher lead to a copy of the running binary. Whoever calls holds the record, in which the launcher is noted: an
/// uninstallation comes before it or after it.
pub fn turn(environment: &Environment) -> Result<Turned, InstallError> {
    if is_started_through(environment) {
        return Ok(Turned::Unchanged);
    }
    let (launcher, versions, copy) = (path(environment), versions(environment), OwnCopy::of(environment)?);
    if copy.is_in_place() {
        return Ok(Turned::Unchanged);
    }
    for folder in [versions.as_path(), launcher.parent().unwrap_or(&versions)] {
        files::create_folders(folder, files::SHARED)?;
    }
    let _one = files::lock(&lock_file(environment))?;
    sweep(environment);
    if !copy.is_whole() {
        files::copy_program(&environment.binary, &versions.join(&copy.name), "outrigger")?;
        if !files::is_program(&copy.path) {
            return Err(InstallError::NotExecutable { path: copy.path });
        }
    }
    if copy.is_led_to() {
        return Ok(Turned::Unchanged);
    }
    let was_there = files::is_there(&launcher);
    files::move_folder_aside(&launcher)?;
    files::link_atomic(&launcher, &copy.link())?;
    if !is_same(&launcher, &copy.path) {
        return Err(InstallError::LedAstray { launcher, program: copy.path });
    }
    clean_up(&versions, &copy.name);
    Ok(if was_there { Turned::Updated } else { Turned::New })
}

/// True for a file in the folder of copies; `copy` without links.
pub fn is_copy(environment: &Environment, copy: &Path) -> bool {
    let folder = copy.parent().and_then(Path::parent);
    folder.is_some() && files::canonical(&versions(environment)).ok().as_deref() == folder
}

/// True for a copy of ours whose bytes are not those that its folder is named after.
pub fn is_damaged(environment: &Environment, copy: &Path) -> bool {
    let folder = copy.parent().filter(|_| is_copy(environment, copy));
    let name = folder.and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
    let Some((_, beginning)) = name.rsplit_once('-').filter(|(_, hash)| hash.len() == 12) else {
        return false;
    };
    files::is_no_program(copy) || files::sha256(copy).is_ok_and(|digest| !digest.starts_with(beginning))
}

/// Removes old versions; the youngest stay. A host that runs an older one keeps its file, though it has no name any more.
fn clean_up(versions: &Path, current: &str) {
    let mut old: Vec<_> = files::entries(versions)
        .into_iter()
        .filter(|folder| is_version(folder) && !folder.ends_with(current))
        .map(|folder| (files::changed(&folder), folder))
        .collect();
    old.sort();
    let surplus = old.len().saturating_sub(KEPT);
    for (_, folder) in old.into_iter().take(surplus) {
        if let Err(error) = remove_version(&folder) {
            tracing::debug!(%error, "an old version stays");
        }
    }
}

/// True for a path that only our launchers have, at which nothing is any more: another home's, from before it was moved.
pub fn is_one_that_is_gone(program: &Path) -> bool {
    program.is_absolute()
        && program.ends_with("outrigger/bin/outrigger")
        && matches!(files::look_at(program), Ok(false))
}

/// What else stands where the launcher belongs, and is not ours.
pub fn is_foreign(environment: &Environment) -> bool {
    let launcher = path(environment);
    files::is_there(&launcher) && !leads_to_version(environment)
}

/// Whether the launcher is a link as [`turn`] makes them.
fn leads_to_version(environment: &Environment) -> bool {
    let Some(to) = files::link_of(&path(environment)) else { return false };
    let folder = to.parent();
    to.file_name().is_some_and(|name| name == "outrigger")
        && folder.is_some_and(is_version)
        && folder.and_then(Path::parent).is_some_and(|copies| {
            copies == Path::new("..").join("versions") || copies == versions(environment)
        })
}

/// True for the name of a folder that [`turn`] makes: `<version>-<12 digits of the hash>`.
fn is_version(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    name.rsplit_once('-').is_some_and(|(version, hash)| {
        version.starts_with(|first: char| first.is_ascii_digit())
            && hash.len() == 12
            && hash.bytes().all(is_digit)
    })
}

/// Takes a copy away, and its folder with it where nothing else is in that.
fn remove_version(folder: &Path) -> Result<(), InstallError> {
    let copy = folder.join("outrigger");
    files::contents(folder)?;
    if files::is_there(&copy) && (files::link_of(&copy).is_some() || !copy.is_dir()) {
        files::remove(&copy)?;
    }
    files::remove_empty_folders(&[folder.to_path_buf()])
}

/// Takes away what runs that were cut off have left; whoever calls keeps others from working there.
fn sweep(environment: &Environment) {
    files::sweep(&path(environment));
    for left in files::temporaries(&versions(environment), "").into_iter().filter(|left| files::is_mine(left))
    {
        if let Err(error) = remove_version(&left) {
            tracing::debug!(%error, "a copy that was cut off stays");
        }
    }
}

/// Takes the launcher and all versions away, and nothing else that is there. What stood in the launcher's place comes back.
///
/// What is there now is taken for ours unless it is `theirs`: somebody who puts another file in its place has put it in ours.
pub fn remove(environment: &Environment, aside: Option<&Path>, theirs: bool) -> Result<(), InstallError> {
    let launcher = path(environment);
    // What cannot be looked at is there all the same, and saying so beats leaving it behind in silence.
    let is_there = files::look_at(&launcher)?;
    let is_folder = is_there && launcher.is_dir() && files::link_of(&launcher).is_none();
    sweep(environment);
    if is_there && !is_folder && (leads_to_version(environment) || !theirs) {
        files::remove(&launcher)?;
    }
    if let Some(aside) = aside.filter(|aside| files::is_there(aside))
        && !files::is_there(&launcher)
    {
        files::rename(aside, &launcher)?;
    }
    for folder in copies(environment)? {
        remove_version(&folder)?;
    }
    Ok(())
}

/// Takes copies away to make room, and nothing else: the launcher and what is known of it stay for who removes the rest. The binary
/// that runs stays, too: it would free nothing before its end, and who has no other could not go on. Whether any went.
pub fn remove_copies(environment: &Environment) -> bool {
    let Ok(copies) = copies(environment) else { return false };
    let others = copies.into_iter().filter(|folder| !is_same(&folder.join("outrigger"), &environment.binary));
    others.map(|folder| remove_version(&folder)).fold(false, |any, removed| any | removed.is_ok())
}

/// The folders of all copies. A file in the place of theirs is somebody's and holds none.
fn copies(environment: &Environment) -> Result<Vec<PathBuf>, InstallError> {
    match files::contents(&versions(environment)) {
        Err(error) if error.is_not_folder() => Ok(Vec::new()),
        found => Ok(found?.into_iter().filter(|folder| is_version(folder)).collect()),
    }
}

/// The lock of those who turn the launcher.
pub fn lock_file(environment: &Environment) -> PathBuf {
    environment.program_dir.join(LOCK_NAME)
}
