//! Which entries of a walk are ignored, by the rules ripgrep and git share: `.rgignore`, `.ignore`, `.gitignore`,
//! `.git/info/exclude` and the user's global excludes.
//!
//! The precedence is that of the `ignore` crate; the files are read through handles, so that no link and no FIFO is ever opened. Above
//! the root only [`ignored_above`](super::ignored_above) reads. Ignore rules shape listings; they are no access list.

use std::{
    io::Read,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use cap_std::fs::Dir;
use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

use super::{
    ignored_above::{Above, above},
    nofollow,
};

/// The most that is read of one ignore file, and the rules of it that count: larger ones are no work of a person, and a glob that
/// is compiled takes kilobytes.
const IGNORE_FILE_BYTES: u64 = 1024 * 1024;
const IGNORE_FILE_RULES: usize = 10_000;
/// What the rules of one walk may take at once: those of some five thousand packages side by side, each with a file of its own. One
/// that finds no room counts as if it were not there, and the answer says so.
const RULES_BYTES: usize = 128 * 1024 * 1024;
/// What a rule takes that is a name or an ending, as measured; one that has to be an expression, and each byte of it; and a file with any.
const PLAIN_RULE: usize = 512;
const EXPRESSION: usize = 1024;
const OF_EXPRESSION: usize = 160;
const RULE_FILE: usize = 6 * 1024;

/// The rules that count in one folder: its own, and by way of `above` those of the folders it lies in.
///
/// A folder that adds none shares those of the folder above it, so that many threads can hold them at no cost.
#[derive(Clone, Debug)]
pub(super) struct IgnoreRules {
    nearest: Option<Arc<Level>>,
    shared: Arc<Shared>,
    /// The root or a folder above it has a `.git`, or one on the way down: then `.gitignore` counts as it would for git.
    in_repository: bool,
    /// Those of the repository that the root is a folder of.
    around: Option<Arc<Above>>,
}

/// The rules one folder adds; most folders add none.
#[derive(Debug)]
struct Level {
    above: Option<Arc<Level>>,
    has_git: bool,
    ripgrep: Option<Rules>,
    plain: Option<Rules>,
    git: Option<Rules>,
    exclude: Option<Rules>,
}

/// What all rules of one walk share.
#[derive(Debug)]
pub(super) struct Shared {
    /// The user's global rules.
    global: Gitignore,
    /// What the rules take that are in use.
    held: AtomicUsize,
    /// Files that there was no room for.
    lacking: AtomicU64,
}

impl Shared {
    /// How many files of rules there was no room for.
    pub(super) fn lacking(&self) -> u64 {
        self.lacking.load(Ordering::Relaxed)
    }
}

/// The rules of one file, and the room they take.
#[derive(Debug)]
struct Rules {
    compiled: Gitignore,
    bytes: usize,
    shared: Arc<Shared>,
}

impl Drop for Rules {
    fn drop(&mut self) {
        self.shared.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
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
    /// The user's global rules and those above the root, and none from folders yet.
    pub(super) fn new(root: &Dir, root_path: &Path) -> Self {
        let in_repository = root_path.ancestors().skip(1).any(|folder| folder.join(".git").exists());
        let (held, lacking) = (AtomicUsize::new(0), AtomicU64::new(0));
        let shared = Arc::new(Shared { global: users_rules(), held, lacking });
        let mut rules = Self { nearest: None, shared, in_repository, around: None };
        if in_repository {
            rules.around = above(root, root_path, &rules).map(Arc::new);
        }
        rules
    }

    /// What all rules of this walk share.
    pub(super) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    /// The rules in `folder`, whose rule files are read where `files` says that there are any.
    #[must_use]
    pub(super) fn enter(&self, root: &Dir, folder: &Path, files: RuleFiles) -> Self {
        self.enter_as(root, folder, folder, files)
    }

    /// The same where the paths that are asked about call the folder `known_as`.
    #[must_use]
    pub(super) fn enter_as(&self, root: &Dir, folder: &Path, known_as: &Path, files: RuleFiles) -> Self {
        if files.is_none() {
            return self.clone();
        }
        let read = |present: bool, name: &str| {
            if present { read_rules(root, known_as, &folder.join(name), &self.shared) } else { None }
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
            shared: Arc::clone(&self.shared),
            in_repository: self.in_repository || has_git,
            around: self.around.clone(),
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
        let mut said = Said::default();
        self.ask(path, is_dir, &mut said);
        if let Some(around) = &self.around {
            around.rules.ask(&around.way.join(path), is_dir, &mut said);
        }
        let global = if self.in_repository {
            self.shared.global.matched(path, is_dir).map(|_| ())
        } else {
            Match::None
        };
        said.ripgrep.or(said.plain).or(said.git).or(said.exclude).or(global)
    }

    /// Asks the folders, the nearest first, each kind as long as none has said anything.
    fn ask(&self, path: &Path, is_dir: bool, said: &mut Said) {
        let levels = std::iter::successors(self.nearest.as_deref(), |level| level.above.as_deref());
        for level in levels {
            let ask = |so_far: &mut Match<()>, rules: &Option<Rules>| {
                if let (Match::None, Some(rules)) = (&so_far, rules) {
                    *so_far = rules.compiled.matched(path, is_dir).map(|_| ());
                }
            };
            ask(&mut said.ripgrep, &level.ripgrep);
            ask(&mut said.plain, &level.plain);
            if self.in_repository && !said.saw_git {
                ask(&mut said.git, &level.git);
                ask(&mut said.exclude, &level.exclude);
            }
            said.saw_git |= level.has_git;
        }
    }
}

/// What the rules of each kind say of a path, from the nearest folder on.
struct Said {
    ripgrep: Match<()>,
    plain: Match<()>,
    git: Match<()>,
    exclude: Match<()>,
    /// A repository begins there: what git says above it does not count.
    saw_git: bool,
}

impl Default for Said {
    fn default() -> Self {
        let (ripgrep, plain, git, exclude) = (Match::None, Match::None, Match::None, Match::None);
        Self { ripgrep, plain, git, exclude, saw_git: false }
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

/// The rules of one file; `None` when it is missing, empty, or no regular file, or there is no room for them.
fn read_rules(root: &Dir, folder: &Path, file: &Path, shared: &Arc<Shared>) -> Option<Rules> {
    let (file, _) = nofollow::open_file(root, file).ok()?;
    let mut text = Vec::new();
    file.take(IGNORE_FILE_BYTES).read_to_end(&mut text).ok()?;
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&text);
    let (mut lines, mut bytes) = (Vec::new(), RULE_FILE);
    let is_rule = |line: &&[u8]| !line.trim_ascii().is_empty() && !line.starts_with(b"#");
    for line in text.split(|byte| *byte == b'\n').filter(is_rule).take(IGNORE_FILE_RULES) {
        // Like ripgrep: what follows a line that is no UTF-8 does not count, and a broken glob is passed over.
        let Ok(line) = std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)) else { break };
        bytes += if is_expression(line) { EXPRESSION + OF_EXPRESSION * line.len() } else { PLAIN_RULE };
        lines.push(line);
    }
    let is_full = shared.held.fetch_add(bytes, Ordering::Relaxed) + bytes > RULES_BYTES;
    let mut rules = Rules { compiled: Gitignore::empty(), bytes, shared: Arc::clone(shared) };
    if is_full {
        shared.lacking.fetch_add(1, Ordering::Relaxed);
        return None;
    }
    let mut builder = GitignoreBuilder::new(folder);
    for line in lines {
        let _ = builder.add_line(None, line);
    }
    rules.compiled = builder.build().ok()?;
    (!rules.compiled.is_empty()).then_some(rules)
}

/// Whether a rule is more than a name, a path, or `*` and an ending: then it is compiled to an expression.
fn is_expression(line: &str) -> bool {
    let rule = line.trim_start_matches(['!', '/']);
    rule.strip_prefix('*').unwrap_or(rule).contains(['*', '?', '[', '{'])
}

#[cfg(test)]
mod tests {
    use cap_std::ambient_authority;

    use super::*;

    #[test]
    fn rules_count_as_long_as_there_is_room_for_them() {
        let temp = tempfile::tempdir().unwrap();
        for name in ["a", "b"] {
            std::fs::create_dir(temp.path().join(name)).unwrap();
            std::fs::write(temp.path().join(name).join(".ignore"), "*.log\nx[0-9]*y\n").unwrap();
        }
        let root = Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap();
        let rules = IgnoreRules::new(&root, temp.path());
        let enter = |name: &str| rules.enter(&root, Path::new(name), RuleFiles::all());
        let skips = |rules: &IgnoreRules, path: &str| rules.skips(Path::new(path), false, false);
        let one = enter("a");
        let held = rules.shared.held.load(Ordering::Relaxed);
        assert!(skips(&one, "a/x.log") && skips(&one, "a/x7y") && held > EXPRESSION, "{held}");
        rules.shared.held.store(RULES_BYTES - held / 2, Ordering::Relaxed);
        let other = enter("b");
        assert!(!skips(&other, "b/x.log") && skips(&one, "a/x.log"));
        assert_eq!(rules.shared().lacking(), 1);
        // What a walk is done with is room again.
        drop(one);
        assert!(skips(&enter("b"), "b/x.log"));
        assert_eq!(rules.shared.held.load(Ordering::Relaxed), RULES_BYTES - held / 2 - held);
    }

    #[test]
    fn names_and_endings_are_no_expressions() {
        for (rule, is_one) in [
            ("node_modules/", false),
            ("*.log", false),
            ("!/build", false),
            ("a*b", true),
            ("**/x", true),
            ("[ab]", true),
            ("x?", true),
        ] {
            assert_eq!(is_expression(rule), is_one, "{rule}");
        }
    }
}
