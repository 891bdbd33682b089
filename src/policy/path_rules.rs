//! Which paths are forbidden, blocked or protected: one matcher for every tool.
//!
//! Matched is the *resolved* path, relative to its root and separated by `/`, in every spelling a file system could take it for
//! (`path_names`). What lies in a folder that matches counts as matching. The built-in lists know the folders that lead to the root,
//! too (`whereabouts`). Pure: it never looks at a disk.

use std::{
    borrow::Cow,
    fmt,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

pub use super::path_globs::PathRulesError;
use super::{
    denied_paths::DeniedPaths,
    path_globs::Globs,
    path_lists::{BLOCKED, ENV_TEMPLATES, LOCAL_FILE, PROGRAM_TEXT, PROTECTED, SECRET_LOOKING},
    path_names::spellings,
    whereabouts::{Whereabouts, ways},
};
use crate::config::FileRules;

/// What the law says about a path; ordered, the strictest wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathClass {
    /// Nothing special.
    Open,
    /// Readable; changing it is individual.
    Protected,
    /// Readable; never changed by a tool.
    Forbidden,
    /// Never read, changed, listed or matched.
    Blocked,
}

/// Whose word blocks a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocker {
    /// The built-in lists, the administrator's or the workspace's own.
    Configuration,
    /// A rule of the user, which came with the call.
    User,
    /// A workspace's own file, of which nobody knows what it says.
    Unusable,
}

impl Blocker {
    /// What a blocked path is, for a sentence; `rule` is what [`PathRules::why`] says.
    pub fn because(self, rule: &str) -> String {
        match self {
            Self::Unusable => format!("closed, since {rule}"),
            Self::Configuration | Self::User => format!("blocked by `{rule}`"),
        }
    }
}

impl fmt::Display for Blocker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Configuration => "the configuration",
            Self::User => "a rule of the user",
            Self::Unusable => "a workspace's own file that cannot be used",
        })
    }
}

/// The compiled globs.
#[derive(Clone, Debug)]
pub struct PathRules {
    blocked: Arc<Globs>,
    protected: Arc<Globs>,
    secret_looking: Arc<Globs>,
    place: Arc<RootPlace>,
    /// Why the root's own file of rules cannot be used.
    closed: Option<Arc<str>>,
    own: Vec<String>,
    read_only: Vec<InnerRoot>,
    fixed: Vec<InnerRoot>,
    denied: Option<Arc<Denied>>,
    neighbours: Vec<Neighbour>,
}

/// What the law says of the root itself, by where it lies. Nothing, where that is not known.
#[derive(Clone, Debug, Default)]
struct RootPlace {
    blocked: Whereabouts,
    protected: Whereabouts,
    is_in_git: bool,
    /// A file of the name that browsers look for is our manifest here.
    holds_manifests: bool,
}

/// A workspace that lies in this root.
#[derive(Clone, Debug)]
struct InnerRoot {
    id: String,
    /// The way to it, in every spelling.
    ways: Vec<String>,
}

impl InnerRoot {
    fn new((id, way): (&str, &str)) -> Self {
        Self { id: id.to_owned(), ways: spellings(way).into_iter().map(Cow::into_owned).collect() }
    }

    fn holds(&self, path: &str) -> Option<&str> {
        self.ways.iter().find(|way| is_within(path, way)).map(String::as_str)
    }

    fn lies_in(&self, folder: &str) -> bool {
        self.ways.iter().any(|way| folder.is_empty() || is_within(way, folder))
    }

    /// The same for a folder in whatever spelling.
    fn is_below(&self, folder: &str) -> bool {
        spellings(folder).iter().any(|folder| self.lies_in(folder))
    }
}

/// What one call may not reach, and whether it came across any of it.
#[derive(Debug)]
struct Denied {
    paths: Arc<DeniedPaths>,
    met: AtomicBool,
}

impl Denied {
    fn new(paths: Arc<DeniedPaths>) -> Arc<Self> {
        Arc::new(Self { paths, met: AtomicBool::new(false) })
    }
}

/// The rules of another root that holds some of the same files: they hold for those, too.
#[derive(Clone, Debug)]
pub struct Neighbour {
    /// Its workspace's id.
    pub id: String,
    /// Where it lies.
    pub nesting: Nesting,
    /// Its own rules.
    pub rules: Arc<PathRules>,
}

/// How one root lies in another; the path between them, `/`-separated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nesting {
    /// The other lies below this one.
    Holds(String),
    /// This one lies below the other.
    LiesIn(String),
}

impl Neighbour {
    /// The same file as the other root names it, in every spelling; none where it has no such file.
    fn names(&self, path: &str) -> Vec<String> {
        match &self.nesting {
            Nesting::LiesIn(way) => vec![format!("{way}/{path}")],
            Nesting::Holds(way) => {
                let ways = spellings(way);
                let below = |reading: Cow<'_, str>| {
                    let rest =
                        ways.iter().find_map(|way| reading.strip_prefix(way.as_ref())?.strip_prefix('/'));
                    rest.map(str::to_owned)
                };
                spellings(path).into_iter().filter_map(below).collect()
            }
        }
    }

    fn why(&self, path: &str) -> Option<(PathClass, &str)> {
        self.names(path).iter().filter_map(|name| self.rules.why(name)).max_by_key(|(class, _)| *class)
    }
}

/// What `why` says about anything in a git directory.
const GIT_GLOB: &str = ".git/**";
const MANIFEST_GLOB: &str = "**/dev.outrigger.host.json";
const MANIFEST: &str = "dev.outrigger.host.json";

impl PathRules {
    /// Compiles the built-in lists and the administrator's.
    pub fn new(rules: &FileRules) -> Result<Self, PathRulesError> {
        let none = FileRules::default();
        Ok(Self {
            blocked: Arc::new(Globs::new("blocked", BLOCKED, &rules.blocked)?),
            protected: Arc::new(Globs::new("protected", PROTECTED, &rules.protected)?),
            secret_looking: Arc::new(Globs::new("secret-looking", SECRET_LOOKING, &none.blocked)?),
            place: Arc::default(),
            closed: None,
            own: Vec::new(),
            read_only: Vec::new(),
            fixed: Vec::new(),
            denied: None,
            neighbours: Vec::new(),
        })
    }

    /// The same rules in a root that lies there: what the built-in lists say of its folder, and of those around it, counts. `places` are
    /// the canonical one and the one that it was written as: a link that is called `.ssh` is that folder, wherever it leads.
    #[must_use]
    pub fn at<'p>(&self, places: impl IntoIterator<Item = &'p Path>) -> Self {
        let mut ways: Vec<String> = places.into_iter().flat_map(ways).collect();
        ways.sort_unstable();
        ways.dedup();
        let place = RootPlace {
            blocked: Whereabouts::new(self.blocked.built_in(), &ways),
            protected: Whereabouts::new(self.protected.built_in(), &ways),
            is_in_git: ways.iter().any(|way| is_in_git(way)),
            holds_manifests: ways.iter().any(|way| is_own_manifest(&format!("{way}/{MANIFEST}"))),
        };
        Self { place: Arc::new(place), ..self.clone() }
    }

    /// The same rules with files of our own that lie in this root: forbidden, like `.git`. `paths` are `/`-separated and relative.
    #[must_use]
    pub fn with_forbidden<P: AsRef<str>>(&self, paths: impl IntoIterator<Item = P>) -> Self {
        let mut rules = self.clone();
        for path in paths {
            let readings = spellings(path.as_ref().trim_matches('/'));
            rules.own.extend(readings.into_iter().map(Cow::into_owned).filter(|own| !own.is_empty()));
        }
        rules
    }

    /// The same rules in a root whose own file of rules cannot be used, for this `reason`, and was not known before: what it blocks could
    /// be anything, so everything is blocked but the file, which has to be mended.
    #[must_use]
    pub fn closed(&self, reason: &str) -> Self {
        Self { closed: Some(reason.into()), ..self.clone() }
    }

    /// The same rules with workspaces in which nothing may change, by their id and the way to them: forbidden, like files of our own.
    #[must_use]
    pub fn with_read_only<'a>(&self, workspaces: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut rules = self.clone();
        rules.read_only.extend(workspaces.into_iter().map(InnerRoot::new));
        rules
    }

    /// The same rules with what the paths of other workspaces lead through, by their id and the way to it: their folders, and links to
    /// them. It stays where it is.
    #[must_use]
    pub fn with_fixed<'a>(&self, ways: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut rules = self.clone();
        rules.fixed.extend(ways.into_iter().map(InnerRoot::new));
        rules
    }

    /// The read-only workspace that `path` lies in.
    pub fn read_only_around(&self, path: &str) -> Option<&str> {
        let is_around =
            |root: &&InnerRoot| spellings(path).iter().any(|reading| root.holds(reading).is_some());
        self.read_only.iter().find(is_around).map(|root| root.id.as_str())
    }

    /// A read-only workspace that lies in the folder `path`: moving or deleting the folder would change it.
    pub fn read_only_below(&self, path: &str) -> Option<&str> {
        self.read_only.iter().find(|root| root.is_below(path)).map(|root| root.id.as_str())
    }

    /// A workspace whose path leads through `path` or something in it.
    pub fn leads_through(&self, path: &str) -> Option<&str> {
        self.fixed.iter().find(|root| root.is_below(path)).map(|root| root.id.as_str())
    }

    /// The ids of the other roots whose rules count here.
    pub fn neighbours(&self) -> impl Iterator<Item = &str> {
        self.neighbours.iter().map(|neighbour| neighbour.id.as_str())
    }

    /// The same rules, and what a user denies to one call: here, and in other roots that hold some of the same files.
    #[must_use]
    pub fn denying(&self, own: Option<Arc<DeniedPaths>>, theirs: &[(String, Arc<DeniedPaths>)]) -> Self {
        let mut rules = self.clone();
        rules.denied = own.map(Denied::new);
        for neighbour in &mut rules.neighbours {
            if let Some((_, paths)) = theirs.iter().find(|(id, _)| *id == neighbour.id) {
                neighbour.rules = Arc::new(neighbour.rules.denying(Some(Arc::clone(paths)), &[]));
            }
        }
        rules
    }

    /// Whose word blocks `path`, where it is blocked.
    pub fn blocker(&self, path: &str) -> Blocker {
        if self.closing(path).is_some() {
            return Blocker::Unusable;
        }
        let by_lists = spellings(path).iter().any(|reading| self.blocking(reading).is_some());
        let theirs = |neighbour: &Neighbour| {
            let blocker = |name: &String| {
                let is_blocked = neighbour.rules.classify(name) == PathClass::Blocked;
                is_blocked.then(|| neighbour.rules.blocker(name))
            };
            neighbour.names(path).iter().filter_map(blocker).collect::<Vec<_>>()
        };
        let theirs: Vec<Blocker> = self.neighbours.iter().flat_map(theirs).collect();
        let is_denied = self.denied_by(path).is_some() || theirs.contains(&Blocker::User);
        if by_lists || theirs.contains(&Blocker::Configuration) {
            Blocker::Configuration
        } else if theirs.contains(&Blocker::Unusable) {
            Blocker::Unusable
        } else if !is_denied {
            Blocker::Configuration
        } else {
            Blocker::User
        }
    }

    /// A rule of the user has kept something from the call.
    pub fn has_denied(&self) -> bool {
        self.denied.as_ref().is_some_and(|denied| denied.met.load(Ordering::Relaxed))
            || self.neighbours.iter().any(|neighbour| neighbour.rules.has_denied())
    }

    fn closing(&self, path: &str) -> Option<&str> {
        self.closed.as_deref().filter(|_| path != LOCAL_FILE)
    }

    fn denied_by(&self, path: &str) -> Option<&str> {
        let denied = self.denied.as_ref()?;
        let glob = denied.paths.matching(path)?;
        denied.met.store(true, Ordering::Relaxed);
        Some(glob)
    }

    /// The same rules beside those of other roots that hold some of the same files: the strictest wins.
    #[must_use]
    pub fn beside(&self, neighbours: Vec<Neighbour>) -> Self {
        Self { neighbours, ..self.clone() }
    }

    /// What the law says about a resolved path, `/`-separated and relative to its root. Ancestors count.
    pub fn classify(&self, path: &str) -> PathClass {
        self.why(path).map_or(PathClass::Open, |(class, _)| class)
    }

    /// The verdict over `path` and the glob it comes from; `None` when the path is open.
    pub fn why(&self, path: &str) -> Option<(PathClass, &str)> {
        let readings = spellings(path);
        let listed = || readings.iter().find_map(|reading| self.blocking(reading));
        let blocked = self.closing(path).or_else(listed);
        let forbidden = || readings.iter().find_map(|reading| self.forbidding(reading));
        let protected = || {
            let protecting =
                |path| self.protected.matching(path).or_else(|| self.place.protected.matching(path));
            readings.iter().find_map(|reading| protecting(reading))
        };
        let own = (blocked.or_else(|| self.denied_by(path)).map(|glob| (PathClass::Blocked, glob)))
            .or_else(|| forbidden().map(|glob| (PathClass::Forbidden, glob)))
            .or_else(|| protected().map(|glob| (PathClass::Protected, glob)));
        let theirs = self.neighbours.iter().filter_map(|neighbour| neighbour.why(path));
        theirs.chain(own).max_by_key(|(class, _)| *class)
    }

    /// The blocked glob that an argument with wildcards could be meant for, by a program that reads globs.
    pub fn blocked_by_wildcard(&self, path: &str) -> Option<&str> {
        if !path.contains(['*', '?', '[']) {
            return None;
        }
        let meant = |path| self.blocked.meant_by(path).or_else(|| self.place.blocked.meant_by(path));
        spellings(path).iter().find_map(|reading| meant(reading))
    }

    fn blocking(&self, path: &str) -> Option<&str> {
        self.blocked.matching(path).or_else(|| self.place.blocked.matching(path))
    }

    /// Blocked, for a walk that came down through folders which it found not blocked: looks at no ancestor again.
    pub fn is_blocked_in_open_folder(&self, path: &str) -> bool {
        let theirs =
            |neighbour: &Neighbour| neighbour.why(path).is_some_and(|(class, _)| class == PathClass::Blocked);
        let listed = |path: &str| {
            self.blocked.matching_itself(path).is_some() || self.place.blocked.matching(path).is_some()
        };
        self.closing(path).is_some()
            || spellings(path).iter().any(|reading| listed(reading))
            || self.denied_by(path).is_some()
            || self.neighbours.iter().any(theirs)
    }

    /// A file of our own lies in the folder `path`: moving or deleting the folder would change it.
    pub fn holds_own_files(&self, path: &str) -> bool {
        spellings(path)
            .iter()
            .any(|folder| self.own.iter().any(|own| folder.is_empty() || is_within(own, folder)))
    }

    /// Not blocked, but named as if it held a secret: reading it is individual.
    pub fn looks_secret(&self, path: &str) -> bool {
        spellings(path).iter().any(|reading| {
            let name = reading.rsplit('/').next().unwrap_or_default();
            let ending = name.rsplit_once('.').map(|(_, ending)| ending);
            !ending.is_some_and(|ending| PROGRAM_TEXT.contains(&ending))
                && !ENV_TEMPLATES.contains(&name)
                && self.secret_looking.matching_itself(name).is_some()
        })
    }

    /// The same by its last name alone; quick for what a tree mostly holds.
    pub fn is_secret_name(&self, path: &std::path::Path) -> bool {
        let ending = path.extension().and_then(std::ffi::OsStr::to_str);
        if ending.is_some_and(|ending| PROGRAM_TEXT.contains(&ending)) {
            return false;
        }
        path.file_name().is_some_and(|name| self.looks_secret(&name.to_string_lossy()))
    }

    /// The blocked globs, for people.
    pub fn blocked_globs(&self) -> &[String] {
        &self.blocked.written
    }

    /// The protected globs, for people.
    pub fn protected_globs(&self) -> &[String] {
        &self.protected.written
    }

    fn forbidding(&self, path: &str) -> Option<&str> {
        if self.place.is_in_git || is_in_git(path) {
            return Some(GIT_GLOB);
        }
        if is_own_manifest(path) || (self.place.holds_manifests && path == MANIFEST) {
            return Some(MANIFEST_GLOB);
        }
        let own = self.own.iter().find(|own| is_within(path, own)).map(String::as_str);
        own.or_else(|| self.read_only.iter().find_map(|root| root.holds(path)))
    }
}

fn is_in_git(path: &str) -> bool {
    path.split('/').any(|name| name == ".git")
}

/// A browser's word for what to start when our extension asks: whoever writes there decides it.
fn is_own_manifest(path: &str) -> bool {
    let Some((folder, name)) = path.rsplit_once('/') else { return false };
    let folder = folder.rsplit('/').next().unwrap_or_default();
    name == MANIFEST && matches!(folder, "nativemessaginghosts" | "native-messaging-hosts")
}

/// `path` is `folder` or lies in it.
fn is_within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests;
