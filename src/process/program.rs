//! Which file a program's name means, and the search path that decides it.

use std::{
    env::{join_paths, split_paths},
    ffi::{OsStr, OsString},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use super::ProcessError;
use crate::ids::{EtagHasher, sha256_hex};

#[cfg(unix)]
#[path = "program_unix.rs"]
mod system;
#[cfg(windows)]
#[path = "program_windows.rs"]
mod system;

/// The folders in which programs are found, absolute, in order, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SearchPath {
    folders: Vec<PathBuf>,
}

impl SearchPath {
    /// What the configuration puts in front, then the login shell's `PATH`, then the host's own, then the usual folders.
    ///
    /// Relative and empty entries mean the working folder, where tools write: they are left out.
    pub(super) fn new(configured: &[PathBuf], login: Option<&OsStr>, host: Option<&OsStr>) -> Self {
        let mut folders: Vec<PathBuf> = Vec::new();
        let written = [login, host].into_iter().flatten().flat_map(split_paths);
        let defaults = system::default_folders().into_iter();
        for folder in configured.iter().cloned().chain(written).chain(defaults) {
            // A name with the separator in it cannot be passed on in `PATH`.
            if folder.is_absolute() && join_paths([&folder]).is_ok() && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        Self { folders }
    }

    /// As `PATH` is written.
    pub(super) fn joined(&self) -> OsString {
        join_paths(&self.folders).unwrap_or_default()
    }

    /// The file that a program of ours finds by this name, wherever it lies.
    pub(super) fn first(&self, name: &str) -> Option<PathBuf> {
        self.folders.iter().map(|folder| folder.join(name)).find(|file| check(file).is_ok())
    }

    /// The program that `name` means: an absolute path as it is, a bare name by the first folder that has it. What lies
    /// inside one of `roots` is not found by name: an agent could have put it there.
    pub(super) fn resolve(&self, name: &str, roots: &[PathBuf]) -> Result<PathBuf, ProcessError> {
        let unusable = |reason| ProcessError::Unusable { program: name.to_owned(), reason };
        let path = Path::new(name);
        if path.is_absolute() {
            return match check(path) {
                Ok(()) => Ok(path.to_owned()),
                Err(Unfit::Missing) => {
                    Err(ProcessError::NotFound { program: name.to_owned(), searched: vec![path.to_owned()] })
                }
                Err(Unfit::NoFile) => Err(unusable("it is no regular file")),
                Err(Unfit::NotExecutable) => Err(unusable("it is not executable")),
            };
        }
        if name.is_empty() || name.contains(system::NOT_IN_NAMES) || name == "." || name == ".." {
            return Err(unusable("a program is a bare name or an absolute path"));
        }
        let mut inside = None;
        let spellings = system::spellings(name);
        let candidates =
            self.folders.iter().flat_map(|folder| spellings.iter().map(|spelling| folder.join(spelling)));
        for candidate in candidates {
            if check(&candidate).is_err() {
                continue;
            }
            if is_inside(&candidate, roots) {
                inside.get_or_insert(candidate);
            } else {
                return Ok(candidate);
            }
        }
        Err(match inside {
            Some(found) => ProcessError::InWorkspace { program: name.to_owned(), found },
            None => ProcessError::NotFound { program: name.to_owned(), searched: self.folders.clone() },
        })
    }
}

/// True for a program that may answer for a person: nobody else, and nothing that writes below `exposed`, could put another in its place.
pub(super) fn is_trusted(program: &Path, exposed: &[PathBuf]) -> bool {
    let is_theirs = |path: io::Result<PathBuf>| path.map_or(true, |path| system::is_of_others(&path));
    check(program).is_ok()
        && !is_inside(program, exposed)
        && !is_theirs(real(program))
        && !program.parent().is_none_or(|folder| is_theirs(real(folder)))
}

enum Unfit {
    Missing,
    NoFile,
    NotExecutable,
}

fn check(path: &Path) -> Result<(), Unfit> {
    let metadata = path.metadata().map_err(|_| Unfit::Missing)?;
    if !metadata.is_file() {
        return Err(Unfit::NoFile);
    }
    if system::is_executable(path) { Ok(()) } else { Err(Unfit::NotExecutable) }
}

/// True when the program, or the link that names it, lies below one of `roots`; also when that cannot be told.
pub(super) fn is_inside(program: &Path, roots: &[PathBuf]) -> bool {
    let Ok(target) = real(program) else { return true };
    let Some(Ok(folder)) = program.parent().map(real) else { return true };
    roots
        .iter()
        .filter_map(|root| real(root).ok())
        .any(|root| target.starts_with(&root) || folder.starts_with(&root))
}

/// So much of a program in a workspace is hashed: more than scripts and most programs have, and read in well under a second. When
/// it was changed counts for all of it.
const HASHED_BYTES: u64 = 64 * 1024 * 1024;

/// What lies at a program's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramFile {
    /// Where the links lead.
    pub real: PathBuf,
    /// Equal only while the same bytes lie there.
    pub state: String,
    /// What a script names as the program that reads it; where that is a script too, what reads that one, and so on.
    pub interpreters: Vec<PathBuf>,
}

/// Looks at the file that would be started. One below `roots` is read whole, for whoever may write there may put other bytes into it.
/// `found` tells which file a bare name means for the program that `env` is.
pub(super) fn look_at(
    program: &Path,
    roots: &[PathBuf],
    found: &dyn Fn(&str) -> Option<PathBuf>,
) -> io::Result<ProgramFile> {
    let mut file = look_at_one(program, roots)?;
    let mut reads = interpreter(&file.real, found);
    while let Some(next) = reads.take().filter(|_| file.interpreters.len() < INTERPRETERS) {
        if let Ok(looked_at) = look_at_one(&next, roots) {
            file.state = sha256_hex(format!("{}\n{}", file.state, looked_at.state).as_bytes());
            reads = interpreter(&looked_at.real, found);
        }
        file.interpreters.push(next);
    }
    Ok(file)
}

/// So many scripts that read scripts do systems start, and some to spare: `env` starts a new row.
const INTERPRETERS: usize = 16;

/// What stands behind `#!`; `None` for what is no script, or cannot be read, which no interpreter could either.
fn interpreter(program: &Path, found: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let mut beginning = Vec::with_capacity(INTERPRETER_BYTES);
    system::open(program).ok()?.take(INTERPRETER_BYTES as u64).read_to_end(&mut beginning).ok()?;
    let line = beginning.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    let name = PathBuf::from(words.next()?);
    if name.file_name().is_some_and(|name| name == "env")
        && let Some(started) = started_by_env(words)
    {
        // It is searched for in all folders of the search path, those in a workspace too.
        let started = if started.contains('/') { Some(started.into()) } else { found(started) };
        return started.filter(|name| name.is_absolute()).or(Some(name));
    }
    Some(name).filter(|name| name.is_absolute())
}

/// The program that `env` starts with these words behind it.
fn started_by_env<'w>(words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let split = |word: &'w str| {
        let rest = word.strip_prefix("--split-string=").or_else(|| word.strip_prefix("-S"));
        rest.map_or(word, |rest| if rest.is_empty() { "-" } else { rest })
    };
    words.map(split).find(|word| !word.starts_with('-') && !word.contains('='))
}

/// So much of a script's first line do systems read.
const INTERPRETER_BYTES: usize = 256;

fn look_at_one(program: &Path, roots: &[PathBuf]) -> io::Result<ProgramFile> {
    let real = real(program)?;
    let mut state = format!("{}\n{}", real.display(), system::identity(&real.metadata()?));
    if is_inside(&real, roots) {
        let mut file = system::open(&real)?.take(HASHED_BYTES);
        let (mut hasher, mut piece) = (EtagHasher::default(), vec![0; 64 * 1024]);
        loop {
            let count = file.read(&mut piece)?;
            if count == 0 {
                break;
            }
            hasher.update(piece.get(..count).unwrap_or_default());
        }
        state.push_str(hasher.end().as_str());
    }
    Ok(ProgramFile { real, state: sha256_hex(state.as_bytes()), interpreters: Vec::new() })
}

#[expect(
    clippy::disallowed_methods,
    reason = "programs lie outside of every workspace; nothing of them is opened here"
)]
fn real(path: &Path) -> io::Result<PathBuf> {
    std::fs::canonicalize(path).map(crate::text::unmarked)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make their own files")]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn program(folder: &Path, name: &str) -> PathBuf {
        std::fs::create_dir_all(folder).unwrap();
        let path = folder.join(name);
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        path
    }

    fn search(folders: &[&Path]) -> SearchPath {
        SearchPath { folders: folders.iter().map(|folder| folder.to_path_buf()).collect() }
    }

    #[test]
    fn only_absolute_folders_are_searched_and_each_once() {
        let search = SearchPath::new(
            &["/first".into(), "relative".into()],
            Some(OsStr::new("/login::.:bin:/first:/usr/bin")),
            Some(OsStr::new("/host:/login")),
        );
        assert_eq!(
            search.joined(),
            "/first:/login:/usr/bin:/host:/usr/local/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
        );
    }

    #[test]
    fn the_first_program_outside_of_every_workspace_wins() {
        let temp = tempfile::tempdir().unwrap();
        let (root, early, late) =
            (temp.path().join("root"), temp.path().join("early"), temp.path().join("late"));
        let planted = program(&root.join("bin"), "tool");
        std::fs::create_dir(&early).unwrap();
        symlink(&planted, early.join("tool")).unwrap();
        let right = program(&late, "tool");
        let roots = [root.clone()];
        assert_eq!(search(&[&root.join("bin"), &early, &late]).resolve("tool", &roots).unwrap(), right);
        let refused = search(&[&early]).resolve("tool", &roots).unwrap_err();
        assert!(matches!(refused, ProcessError::InWorkspace { .. }), "{refused}");
        // A link inside the workspace that leads out could be changed there, too.
        symlink(&right, root.join("bin/link")).unwrap();
        assert!(search(&[&root.join("bin")]).resolve("link", &roots).is_err());
    }

    #[test]
    fn what_is_no_program_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let plain = temp.path().join("plain");
        std::fs::write(&plain, "").unwrap();
        let search = search(&[temp.path()]);
        let error = |name: &str| search.resolve(name, &[]).unwrap_err().to_string();
        assert!(error(plain.to_str().unwrap()).contains("not executable"));
        assert!(error(temp.path().to_str().unwrap()).contains("no regular file"));
        assert!(error("/nowhere/at/all").contains("not found"));
        assert!(error("plain").contains("not found"));
        for name in ["", ".", "..", "./plain", "a/b"] {
            assert!(error(name).contains("bare name"), "{name}");
        }
    }

    #[test]
    fn what_reads_the_script_that_reads_a_script_is_looked_at_too() {
        let temp = tempfile::tempdir().unwrap();
        let deep = program(temp.path(), "deep");
        let middle = program(temp.path(), "middle");
        let outer = program(temp.path(), "outer");
        std::fs::write(&middle, format!("#!{}\n", deep.display())).unwrap();
        std::fs::write(&outer, format!("#!{}\n", middle.display())).unwrap();
        let look = || look_at(&outer, &[temp.path().to_owned()], &|_| None).unwrap();
        let before = look();
        assert_eq!(before.interpreters, [middle.clone(), deep.clone(), "/bin/sh".into()]);
        std::fs::write(&deep, "#!/bin/sh\necho other\n").unwrap();
        assert_ne!(look().state, before.state);
        // One that reads itself comes to an end.
        std::fs::write(&deep, format!("#!{}\n", middle.display())).unwrap();
        assert_eq!(look().interpreters.len(), INTERPRETERS);
    }

    #[test]
    fn what_env_starts_is_what_reads_the_script() {
        let temp = tempfile::tempdir().unwrap();
        let (inside, outside) = (temp.path().join("ws/bin"), temp.path().join("out"));
        let (mine, theirs) = (program(&inside, "mytool"), program(&outside, "python3"));
        let search = search(&[&inside, &outside]);
        let script = outside.join("script");
        for (line, expected) in [
            ("#!/usr/bin/env mytool", Some(mine.clone())),
            ("#! /usr/bin/env python3 -u", Some(theirs.clone())),
            ("#!/usr/bin/env -S A=b mytool -x", Some(mine.clone())),
            ("#!/usr/bin/env -S-i mytool", Some(mine.clone())),
            ("#!/usr/bin/env --split-string=mytool -x", Some(mine)),
            ("#!/usr/bin/env nowhere", Some(PathBuf::from("/usr/bin/env"))),
            ("#!/usr/bin/env", Some(PathBuf::from("/usr/bin/env"))),
            ("#!/usr/bin/python3", Some(PathBuf::from("/usr/bin/python3"))),
            ("no script", None),
        ] {
            std::fs::write(&script, format!("{line}\nbody\n")).unwrap();
            assert_eq!(interpreter(&script, &|name| search.first(name)), expected, "{line}");
        }
    }
}
