//! The files that make up the user's own settings of git, wherever they lie, and those of time zones: the libraries read them by name.
//!
//! Nothing of a workspace says which they are.

use std::{
    ffi::OsStr,
    fs::File,
    io::Read as _,
    os::unix::{ffi::OsStrExt as _, fs::MetadataExt as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use gix::bstr::ByteSlice as _;
use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};

/// Settings that are followed, and files that they name. Nobody has more, and each is looked at before each call.
const MOST_FILES: usize = 100;
/// The largest file of settings that is looked through for others.
const SETTINGS_BYTES: u64 = 1024 * 1024;

/// What tells the zone of the time; programs ask for it in one of these places.
const ZONES: [&str; 4] = ["/etc/localtime", "/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo"];

/// What tells where somebody's home is, and where else to ask. Only read where the user's settings name a file of somebody's.
const USERS: [&str; 2] = ["/etc/passwd", "/etc/nsswitch.conf"];

/// What was found, and for whom.
#[derive(Debug)]
struct Known {
    home: Option<PathBuf>,
    xdg: Option<PathBuf>,
    files: Arc<[(PathBuf, Option<Stamp>)]>,
}

/// Another file, or another content, has another one.
pub(super) type Stamp = [i128; 6];

/// Each of the files, and the folders of time zones; one may be missing. The same list as before where nothing of it has changed.
pub(super) fn files() -> Arc<[(PathBuf, Option<Stamp>)]> {
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    let xdg = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = &*known
        && (&known.home, &known.xdg) == (&home, &xdg)
        && known.files.iter().all(|(path, stamp)| stamp_at(path) == *stamp)
    {
        return Arc::clone(&known.files);
    }
    let files: Arc<[_]> = collect(home.as_deref(), xdg.as_deref()).into();
    *known = Some(Known { home, xdg, files: Arc::clone(&files) });
    files
}

fn collect(home: Option<&Path>, xdg: Option<&Path>) -> Vec<(PathBuf, Option<Stamp>)> {
    let own = home.map(|home| home.join(".config"));
    let folders = [xdg, own.as_deref()];
    let in_folders = |name| folders.iter().flatten().map(move |folder: &&Path| folder.join(name));
    let mut ahead: Vec<PathBuf> = in_folders("git/config").collect();
    ahead.extend(home.map(|home| home.join(".gitconfig")));
    ahead.push("/etc/gitconfig".into());
    let mut others: Vec<PathBuf> = in_folders("git/ignore").chain(in_folders("git/attributes")).collect();
    others.push("/etc/gitattributes".into());
    others.extend(ZONES.map(PathBuf::from));
    // What stands there is noted before it is read.
    let mut found: Vec<(PathBuf, Option<Stamp>)> = Vec::new();
    while let Some(path) = ahead.pop() {
        if found.len() >= MOST_FILES || found.iter().any(|(known, _)| *known == path) {
            continue;
        }
        found.push((path.clone(), stamp_at(&path)));
        let named = named_in(&path, home);
        ahead.extend(named.settings);
        others.extend(named.files);
    }
    others.truncate(MOST_FILES);
    found.extend(others.into_iter().map(|path| (path.clone(), stamp_at(&path))));
    found
}

/// What a file of settings names.
#[derive(Debug, Default)]
struct Named {
    settings: Vec<PathBuf>,
    files: Vec<PathBuf>,
}

fn named_in(path: &Path, home: Option<&Path>) -> Named {
    let mut named = Named::default();
    let Some(bytes) = read(path) else { return named };
    let metadata = gix::config::file::Metadata::from(gix::config::Source::User);
    let options = gix::config::file::init::Options::default();
    let Ok(config) = gix::config::File::from_bytes_no_includes(&bytes, metadata, options) else {
        return named;
    };
    let folder = path.parent().unwrap_or(path);
    for section in config.sections() {
        let (keys, is_settings): (&[&str], bool) =
            match section.header().name().to_str_lossy().to_ascii_lowercase().as_str() {
                "include" | "includeif" => (&["path"], true),
                "core" => (&["excludesFile", "attributesFile"], false),
                "mailmap" => (&["file"], false),
                _ => continue,
            };
        for value in keys.iter().flat_map(|key| section.values(key)) {
            let written = Path::new(OsStr::from_bytes(&value));
            let whole = match (written.strip_prefix("~"), home, value.strip_prefix(b"~")) {
                (Ok(rest), Some(home), _) => home.join(rest),
                (Err(_), _, Some(of_somebody)) => {
                    // Where their home is the libraries ask the system, which looks it up there.
                    named.files.extend(USERS.map(PathBuf::from));
                    let Some(whole) = in_somebodys_home(of_somebody) else { continue };
                    whole
                }
                _ => folder.join(written),
            };
            if is_settings { named.settings.push(whole) } else { named.files.push(whole) }
        }
    }
    named
}

/// `name/rest`, in the home folder of whom the system knows by that name.
fn in_somebodys_home(written: &[u8]) -> Option<PathBuf> {
    let (name, rest) = written.split_at(written.find_byte(b'/').unwrap_or(written.len()));
    let users = read(USERS[0].as_ref())?;
    let fields = users.lines().map(|line| line.split(|byte| *byte == b':').collect::<Vec<_>>());
    let home =
        fields.filter(|fields| fields.first() == Some(&name)).find_map(|fields| fields.get(5).copied())?;
    Some(Path::new(OsStr::from_bytes(home)).join(OsStr::from_bytes(rest.strip_prefix(b"/").unwrap_or(rest))))
}

fn read(path: &Path) -> Option<Vec<u8>> {
    // A pipe in the place of a file is not waited for.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(CWD, path, flags, Mode::empty()).ok()?;
    let is_file = FileType::from_raw_mode(fstat(&file).ok()?.st_mode) == FileType::RegularFile;
    let mut bytes = Vec::new();
    File::from(file).take(SETTINGS_BYTES).read_to_end(&mut bytes).ok().filter(|_| is_file)?;
    Some(bytes)
}

/// What stands there.
pub(super) fn stamp_at(path: &Path) -> Option<Stamp> {
    let found = std::fs::metadata(path).ok()?;
    let times = [found.mtime(), found.mtime_nsec(), found.ctime()].map(i128::from);
    let [modified, fraction, changed] = times;
    Some([found.dev().into(), found.ino().into(), found.size().into(), modified, fraction, changed])
}

/// A folder of which all may be read.
pub(super) fn is_zones(path: &Path) -> bool {
    ZONES.iter().any(|zones| path == Path::new(zones))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn settings_are_followed_to_what_they_name() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_owned();
        fs::write(
            home.join(".gitconfig"),
            "[include]\n\tpath = more\n[includeIf \"gitdir:~/x/\"]\n\tpath = ~/work/config\n[core]\n\tattributesFile = ~/attributes\n",
        )
        .unwrap();
        fs::create_dir(home.join("work")).unwrap();
        fs::write(
            home.join("work/config"),
            "[core]\n\texcludesFile = /rules\n[include]\n\tpath = ../.gitconfig\n",
        )
        .unwrap();
        let known = collect(Some(&home), None);
        let is_known = |path: &Path| known.iter().any(|(known, _)| known == path);
        for expected in
            [".gitconfig", "more", "work/config", "attributes", ".config/git/config", ".config/git/ignore"]
        {
            assert!(is_known(&home.join(expected)), "{expected}: {known:?}");
        }
        assert!(is_known(Path::new("/rules")), "{known:?}");
        assert!(!is_known(Path::new("/etc/passwd")), "{known:?}");
    }

    #[test]
    fn a_file_of_somebody_is_looked_for_in_their_home() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join(".gitconfig"),
            "[core]\n\texcludesFile = ~root/rules\n\tattributesFile = ~nobody-of-this-name/x\n",
        )
        .unwrap();
        let root = in_somebodys_home(b"root").unwrap();
        let known = collect(Some(folder.path()), None);
        let is_known = |path: &Path| known.iter().any(|(known, _)| known == path);
        assert!(root.is_absolute() && is_known(&root.join("rules")), "{known:?}");
        assert!(is_known(Path::new("/etc/passwd")), "{known:?}");
    }
}
