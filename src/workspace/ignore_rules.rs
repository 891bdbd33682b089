//! Which entries of a walk are ignored, by the rules ripgrep and git share: `.rgignore`, `.ignore`, `.gitignore`,
//! `.git/info/exclude` and the user's global excludes.
//!
//! The precedence is that of the `ignore` crate; the files are read through the root's handle, so that no link, FIFO or file
//! above the root is ever opened. Ignore rules shape listings; they are no access list.

use std::{
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use cap_std::fs::Dir;
use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use super::nofollow;

/// The most that is read of one ignore file, and the rules of it that count: larger ones are no work of a person, and a glob that
/// is compiled takes kilobytes.
const IGNORE_FILE_BYTES: u64 = 1024 * 1024;
const IGNORE_FILE_RULES: usize = 10_000;

/// The rules that count in one folder: its own, and by way of `above` those of the folders it lies in.
///
/// A folder that adds none shares those of the folder above it, so that many threads can hold them at no cost.
#[derive(Clone, Debug)]
pub(super) struct IgnoreRules {
    nearest: Option<Arc<Level>>,
    global: Arc<Gitignore>,
    /// The root or a folder above it has a `.git`, or one on the way down: then `.gitignore` counts as it would for git.
    in_repository: bool,
}

/// The rules one folder adds; most folders add none.
#[derive(Debug, Default)]
struct Level {
    above: Option<Arc<Level>>,
    has_git: bool,
    ripgrep: Option<Gitignore>,
    plain: Option<Gitignore>,
    git: Option<Gitignore>,
    exclude: Option<Gitignore>,
}

/// Which rule files a folder holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RuleFiles {
    pub(super) ripgrep: bool,
    pub(super) plain: bool,
    pub(super) git: bool,
    pub(super) repository: bool,
}

impl RuleFiles {
    /// Notes an entry of the folder.
    pub(super) fn note(&mut self, name: &[u8]) {
        match name {
            b".rgignore" => self.ripgrep = true,
            b".ignore" => self.plain = true,
            b".gitignore" => self.git = true,
            b".git" | b".jj" => self.repository = true,
            _ => {}
        }
    }

    fn is_none(self) -> bool {
        !(self.ripgrep || self.plain || self.git || self.repository)
    }

    /// Looks for all of them, where the folder was not listed.
    pub(super) fn all() -> Self {
        Self { ripgrep: true, plain: true, git: true, repository: true }
    }
}

impl IgnoreRules {
    /// The user's global rules, and none from folders yet.
    pub(super) fn new(root_path: &Path) -> Self {
        let in_repository = root_path.ancestors().skip(1).any(|folder| folder.join(".git").exists());
        Self { nearest: None, global: Arc::new(users_rules()), in_repository }
    }

    /// The rules in `folder`, whose rule files are read where `files` says that there are any.
    #[must_use]
    pub(super) fn enter(&self, root: &Dir, folder: &Path, files: RuleFiles) -> Self {
        if files.is_none() {
            return self.clone();
        }
        let read = |present: bool, name: &str| {
            if present { read_rules(root, folder, &folder.join(name)) } else { None }
        };
        let has_git = files.repository
            && [".git", ".jj"].iter().any(|name| root.symlink_metadata(folder.join(name)).is_ok());
        let level = Level {
            above: self.nearest.clone(),
            has_git,
            ripgrep: read(files.ripgrep, ".rgignore"),
            plain: read(files.plain, ".ignore"),
            git: read(files.git, ".gitignore"),
            exclude: read(has_git, ".git/info/exclude"),
        };
        Self {
            nearest: Some(Arc::new(level)),
            global: Arc::clone(&self.global),
            in_repository: self.in_repository || has_git,
        }
    }

    /// True when the entry is left out: an ignore rule says so, or it is hidden and nothing asks for it.
    pub(super) fn skips(&self, path: &Path, is_dir: bool, skip_hidden: bool) -> bool {
        match self.matched(path, is_dir) {
            Match::Ignore(()) => true,
            Match::Whitelist(()) => false,
            Match::None => skip_hidden && is_hidden(path),
        }
    }

    /// The first rule that says something, the nearest folder first, the kinds in the order of their precedence.
    fn matched(&self, path: &Path, is_dir: bool) -> Match<()> {
        let mut saw_git = false;
        let (mut ripgrep, mut plain, mut git, mut exclude) =
            (Match::None, Match::None, Match::None, Match::None);
        let levels = std::iter::successors(self.nearest.as_deref(), |level| level.above.as_deref());
        for level in levels {
            let ask = |so_far: &mut Match<()>, rules: &Option<Gitignore>| {
                if let (Match::None, Some(rules)) = (&so_far, rules) {
                    *so_far = rules.matched(path, is_dir).map(|_| ());
                }
            };
            ask(&mut ripgrep, &level.ripgrep);
            ask(&mut plain, &level.plain);
            if self.in_repository && !saw_git {
                ask(&mut git, &level.git);
                ask(&mut exclude, &level.exclude);
            }
            saw_git |= level.has_git;
        }
        let global =
            if self.in_repository { self.global.matched(path, is_dir).map(|_| ()) } else { Match::None };
        ripgrep.or(plain).or(git).or(exclude).or(global)
    }
}

/// The user's global excludes.
///
/// The library looks for them in git's own settings, which it opens by name: on a pipe it would wait for ever, so there are none then.
fn users_rules() -> Gitignore {
    let home = std::env::home_dir();
    let variable = std::env::var_os("XDG_CONFIG_HOME").filter(|folder| !folder.is_empty());
    let folder = variable.map(PathBuf::from).or_else(|| home.as_ref().map(|home| home.join(".config")));
    let settings = [home.map(|home| home.join(".gitconfig")), folder.map(|folder| folder.join("git/config"))];
    let could_wait =
        |path: &PathBuf| path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
    if settings.iter().flatten().any(could_wait) {
        return Gitignore::empty();
    }
    GitignoreBuilder::new("").build_global().0
}

/// True for a name that begins with a dot.
pub(super) fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// The rules of one file; `None` when it is missing, empty, or no regular file.
fn read_rules(root: &Dir, folder: &Path, file: &Path) -> Option<Gitignore> {
    let (file, _) = nofollow::open_file(root, file).ok()?;
    let mut bytes = Vec::new();
    file.take(IGNORE_FILE_BYTES).read_to_end(&mut bytes).ok()?;
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    let mut builder = GitignoreBuilder::new(folder);
    let is_rule = |line: &&[u8]| !line.trim_ascii().is_empty() && !line.starts_with(b"#");
    for line in bytes.split(|byte| *byte == b'\n').filter(is_rule).take(IGNORE_FILE_RULES) {
        // Like ripgrep: what follows a line that is no UTF-8 does not count, and a broken glob is passed over.
        let Ok(line) = std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)) else { break };
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}
