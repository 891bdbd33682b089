//! Which paths are forbidden, blocked or protected: one matcher for every tool.
//!
//! Matched is the *resolved* path, relative to its root and separated by `/`, in every spelling a file system could take it for
//! (`path_names`). What lies in a folder that matches counts as matching. Pure: it never looks at a disk.

use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};

use super::{
    path_lists::{BLOCKED, ENV_TEMPLATES, PROGRAM_TEXT, PROTECTED, SECRET_LOOKING},
    path_names::{fold, spellings},
    wildcard::Wildcard,
};
use crate::{config::FileRules, hint::nearest};

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

/// The compiled globs.
#[derive(Clone, Debug)]
pub struct PathRules {
    blocked: Globs,
    protected: Globs,
    secret_looking: Globs,
    own: Vec<String>,
}

/// A glob that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{glob}` is no usable glob: {reason}")]
pub struct PathRulesError {
    /// The key of `[files]` it stands under.
    pub list: &'static str,
    /// Its position there, from 0.
    pub index: usize,
    /// As written.
    pub glob: String,
    /// Why.
    pub reason: String,
    /// What would work.
    pub hint: Option<String>,
}

/// What `why` says about anything in a git directory.
const GIT_GLOB: &str = ".git/**";

impl PathRules {
    /// Compiles the built-in lists and the administrator's.
    pub fn new(rules: &FileRules) -> Result<Self, PathRulesError> {
        let none = FileRules::default();
        Ok(Self {
            blocked: Globs::new("blocked", BLOCKED, &rules.blocked)?,
            protected: Globs::new("protected", PROTECTED, &rules.protected)?,
            secret_looking: Globs::new("secret-looking", SECRET_LOOKING, &none.blocked)?,
            own: Vec::new(),
        })
    }

    /// The same rules with files of our own that lie in this root: forbidden, like `.git`. `paths` are `/`-separated and relative.
    #[must_use]
    pub fn with_forbidden<P: AsRef<str>>(&self, paths: impl IntoIterator<Item = P>) -> Self {
        let mut rules = self.clone();
        for path in paths {
            let readings = spellings(path.as_ref().trim_matches('/'));
            rules
                .own
                .extend(readings.into_iter().map(std::borrow::Cow::into_owned).filter(|own| !own.is_empty()));
        }
        rules
    }

    /// What the law says about a resolved path, `/`-separated and relative to its root. Ancestors count.
    pub fn classify(&self, path: &str) -> PathClass {
        self.why(path).map_or(PathClass::Open, |(class, _)| class)
    }

    /// The verdict over `path` and the glob it comes from; `None` when the path is open.
    pub fn why(&self, path: &str) -> Option<(PathClass, &str)> {
        let readings = spellings(path);
        let blocked = readings.iter().find_map(|reading| self.blocked.matching(reading));
        let forbidden = || readings.iter().find_map(|reading| self.forbidding(reading));
        let protected = || readings.iter().find_map(|reading| self.protected.matching(reading));
        (blocked.map(|glob| (PathClass::Blocked, glob)))
            .or_else(|| forbidden().map(|glob| (PathClass::Forbidden, glob)))
            .or_else(|| protected().map(|glob| (PathClass::Protected, glob)))
    }

    /// Blocked, for a walk that came down through folders which it found not blocked: looks at no ancestor again.
    pub fn is_blocked_in_open_folder(&self, path: &str) -> bool {
        spellings(path).iter().any(|reading| self.blocked.matching_itself(reading).is_some())
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

    /// The blocked globs, for people.
    pub fn blocked_globs(&self) -> &[String] {
        &self.blocked.written
    }

    /// The protected globs, for people.
    pub fn protected_globs(&self) -> &[String] {
        &self.protected.written
    }

    fn forbidding(&self, path: &str) -> Option<&str> {
        if path.split('/').any(|name| name == ".git") {
            return Some(GIT_GLOB);
        }
        self.own.iter().find(|own| is_within(path, own)).map(String::as_str)
    }
}

/// `path` is `folder` or lies in it.
fn is_within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// One list, compiled: globs for one name, and globs for a path from the root.
#[derive(Clone, Debug)]
struct Globs {
    written: Vec<String>,
    names: GlobSet,
    names_written: Vec<usize>,
    paths: GlobSet,
    paths_written: Vec<usize>,
    /// Those that need no set, each with its place in `written`.
    name_wildcards: Vec<(Wildcard, usize)>,
    path_wildcards: Vec<(Wildcard, usize)>,
}

impl Globs {
    fn new(list: &'static str, built_in: &[&str], added: &[String]) -> Result<Self, PathRulesError> {
        let mut written: Vec<(usize, String)> = built_in.iter().map(|glob| (0, (*glob).to_owned())).collect();
        for (index, glob) in added.iter().enumerate() {
            match glob.strip_prefix('!') {
                Some(removed) => take_out(&mut written, removed, built_in)
                    .map_err(|(reason, hint)| failure(list, index, glob, reason, hint))?,
                None => written.push((index, glob.clone())),
            }
        }
        let (mut names, mut paths) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let (mut names_written, mut paths_written) = (Vec::new(), Vec::new());
        let (mut name_wildcards, mut path_wildcards) = (Vec::new(), Vec::new());
        for (position, (index, glob)) in written.iter().enumerate() {
            let fail = |(reason, hint)| failure(list, *index, glob, reason, hint);
            let shape = Shape::of(glob).map_err(fail)?;
            if let Some(wildcard) = Wildcard::of(&shape.glob) {
                let list = if shape.is_name { &mut name_wildcards } else { &mut path_wildcards };
                list.push((wildcard, position));
                continue;
            }
            let compiled = GlobBuilder::new(&shape.glob)
                // A name has no separators; saying so would cost the set its quick ways.
                .literal_separator(!shape.is_name)
                .backslash_escape(true)
                .build()
                .map_err(|error| {
                    fail((
                        error.kind().to_string(),
                        Some("`\\` in front of a special character makes it an ordinary one".to_owned()),
                    ))
                })?;
            let (set, origin) = if shape.is_name {
                (&mut names, &mut names_written)
            } else {
                (&mut paths, &mut paths_written)
            };
            set.add(compiled);
            origin.push(position);
        }
        let build = |set: GlobSetBuilder| {
            set.build()
                .map_err(|error| failure(list, 0, "(all globs together)", error.kind().to_string(), None))
        };
        Ok(Self {
            names: build(names)?,
            names_written,
            paths: build(paths)?,
            paths_written,
            name_wildcards,
            path_wildcards,
            written: written.into_iter().map(|(_, glob)| glob).collect(),
        })
    }

    /// The glob that matches `path` or a folder it lies in.
    fn matching(&self, path: &str) -> Option<&str> {
        path.split('/').find_map(|name| self.matching_name(name)).or_else(|| {
            let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
            ends.filter_map(|end| path.get(..end)).find_map(|ancestor| self.matching_path(ancestor))
        })
    }

    /// The glob that matches `path` itself.
    fn matching_itself(&self, path: &str) -> Option<&str> {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.matching_name(name).or_else(|| self.matching_path(path))
    }

    fn matching_name(&self, name: &str) -> Option<&str> {
        if name.is_empty() {
            return None;
        }
        if let Some(glob) = self.first_wildcard(&self.name_wildcards, name) {
            return Some(glob);
        }
        let candidate = Candidate::new(name);
        if !self.names.is_match_candidate(&candidate) {
            return None;
        }
        let matched = self.names.matches_candidate(&candidate);
        matched.into_iter().filter_map(|index| self.glob(&self.names_written, index)).find(|glob| {
            // A template of `.env` is only let through by the glob that would cover it by accident.
            *glob != ".env.*" || !ENV_TEMPLATES.contains(&name)
        })
    }

    fn matching_path(&self, path: &str) -> Option<&str> {
        if path.is_empty() {
            return None;
        }
        if let Some(glob) = self.first_wildcard(&self.path_wildcards, path) {
            return Some(glob);
        }
        let candidate = Candidate::new(path);
        if !self.paths.is_match_candidate(&candidate) {
            return None;
        }
        self.paths
            .matches_candidate(&candidate)
            .into_iter()
            .find_map(|index| self.glob(&self.paths_written, index))
    }

    fn first_wildcard(&self, wildcards: &[(Wildcard, usize)], text: &str) -> Option<&str> {
        let (_, position) = wildcards.iter().find(|(wildcard, _)| wildcard.matches(text))?;
        self.written.get(*position).map(String::as_str)
    }

    fn glob(&self, origin: &[usize], index: usize) -> Option<&str> {
        origin.get(index).and_then(|&position| self.written.get(position)).map(String::as_str)
    }
}

/// A reason, and what would work.
type Trouble = (String, Option<String>);

fn failure(
    list: &'static str,
    index: usize,
    glob: &str,
    reason: String,
    hint: Option<String>,
) -> PathRulesError {
    PathRulesError { list, index, glob: glob.to_owned(), reason, hint }
}

/// `!glob` takes a built-in out. One that is not there would be a wish that silently does nothing.
fn take_out(written: &mut Vec<(usize, String)>, removed: &str, built_in: &[&str]) -> Result<(), Trouble> {
    let before = written.len();
    written.retain(|(_, glob)| fold(glob) != fold(removed));
    if written.len() < before {
        return Ok(());
    }
    let hint = match nearest(removed, built_in.iter().copied()) {
        Some(near) => format!("did you mean `!{near}`?"),
        None => "`!` takes out a built-in glob exactly as it is listed".to_owned(),
    };
    Err((format!("there is no built-in glob `{removed}` to take out"), Some(hint)))
}

/// What a glob means.
struct Shape {
    glob: String,
    is_name: bool,
}

impl Shape {
    fn of(written: &str) -> Result<Self, Trouble> {
        if written.trim().is_empty() {
            return Err(("it is empty".to_owned(), Some("`**` matches everything".to_owned())));
        }
        check_backslashes(written)?;
        let folded = fold(written);
        let bare = folded.trim_end_matches('/');
        // As in a `.gitignore`: only a `/` inside anchors a glob; `dir/` is a name at any depth, `dir/**` and `/dir` are not.
        let is_name = !bare.trim_start_matches("**/").contains('/');
        // `dir/**` means the folder and what is in it, which is what matching `dir` means here.
        let mut rest = bare;
        while let Some(shorter) = rest.strip_suffix("/**") {
            rest = shorter.trim_end_matches('/');
        }
        while let Some(shorter) = rest.strip_prefix("./").or_else(|| rest.strip_prefix('/')) {
            rest = shorter;
        }
        if rest.is_empty() {
            return Err((
                "it names the whole workspace".to_owned(),
                Some("`**` matches everything".to_owned()),
            ));
        }
        if rest.split('/').any(|name| name == ".." || name == ".") {
            return Err(("`.` and `..` never occur in a resolved path".to_owned(), None));
        }
        if rest.contains("//") {
            return Err(("two `/` in a row never occur in a path".to_owned(), None));
        }
        // `**/name/**` is a name again; so is anything else that has lost its `/`, unless it was anchored by it.
        let name = rest.trim_start_matches("**/");
        let is_name = is_name || (bare.starts_with("**/") && !name.contains('/'));
        Ok(Self { glob: if is_name { name } else { rest }.to_owned(), is_name })
    }
}

/// A `\` is an escape here; as a separator it would make a rule that never matches.
fn check_backslashes(written: &str) -> Result<(), Trouble> {
    let mut characters = written.chars();
    while let Some(character) = characters.next() {
        if character == '\\' && !characters.next().is_some_and(|next| "*?[]{}!,\\-^".contains(next)) {
            let hint = Some(format!("write `{}`", written.replace('\\', "/")));
            return Err(("folders are separated by `/`".to_owned(), hint));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(blocked: &[&str], protected: &[&str]) -> PathRules {
        let owned = |globs: &[&str]| globs.iter().map(ToString::to_string).collect();
        PathRules::new(&FileRules { blocked: owned(blocked), protected: owned(protected) }).unwrap()
    }

    fn check(rules: &PathRules, expected: PathClass, paths: &[&str]) {
        for path in paths {
            assert_eq!(rules.classify(path), expected, "{path:?}");
        }
    }

    #[test]
    fn secrets_are_blocked_at_any_depth_and_in_any_spelling() {
        let blocked = [
            ".env",
            "app/.env",
            ".env.local",
            ".ENV",
            ".env.",
            ".env ",
            ".env::$DATA",
            ".e\u{200b}nv",
            "env~1",
            "server.pem",
            "keys/Server.PEM",
            "a:b.pem",
            "id_rsa",
            "id_ed25519.bak",
            "deploy/.aws/credentials",
            ".AWS/Credentials",
            ".ssh",
            ".ssh/config",
            "x/.git-credentials",
            ".git/server.key",
            ".env/inner/file",
        ];
        check(&rules(&[], &[]), PathClass::Blocked, &blocked);
    }

    #[test]
    fn templates_and_ordinary_files_are_open() {
        let open = [
            ".env.example",
            "app/.env.sample",
            ".ENV.Template",
            "src/main.rs",
            "README.md",
            "",
            "environment",
            "credentials",
            ".github/ISSUE_TEMPLATE.md",
            "gitignore",
            ".gitignore",
            "src/hooks/use-git.ts",
            "monkey",
        ];
        check(&rules(&[], &[]), PathClass::Open, &open);
        check(&rules(&[".env.example"], &[]), PathClass::Blocked, &[".env.example", "a/.env.EXAMPLE"]);
    }

    #[test]
    fn git_is_forbidden_at_any_depth_and_in_any_spelling() {
        let forbidden = [
            ".git",
            ".git/config",
            "vendor/lib/.git/hooks/pre-commit",
            ".GIT/config",
            ".git./config",
            ".git /config",
            "git~1/config",
            ".git::$INDEX_ALLOCATION/config",
            ".g\u{200c}it/config",
            ".gi\u{feff}t",
        ];
        check(&rules(&[], &[]), PathClass::Forbidden, &forbidden);
    }

    #[test]
    fn what_runs_later_is_protected() {
        let protected = [
            "package.json",
            "Package.JSON",
            "web/package.json",
            "Makefile",
            "AGENTS.md",
            "sub/CLAUDE.md",
            ".github/workflows",
            ".github/workflows/ci.yml",
            "nested/.github/workflows/ci.yml",
            ".vscode/tasks.json",
            ".husky/pre-commit",
            ".cargo/config.toml",
            "build.rs",
            "tests/conftest.py",
            ".gitattributes",
            "gitmod~1",
            ".bashrc",
            ".bash_profile",
        ];
        check(&rules(&[], &[]), PathClass::Protected, &protected);
    }

    #[test]
    fn the_administrator_adds_and_takes_out() {
        let rules =
            rules(&["secrets/**", "!*.pem", "data/*.csv", "/top", "Grüße/"], &["deploy/**", "!package.json"]);
        check(
            &rules,
            PathClass::Blocked,
            &[
                "secrets",
                "secrets/a/b",
                "SECRETS/a",
                "data/x.csv",
                "data/x.csv/y",
                "top",
                "top/x",
                "gru\u{308}ẞe/x",
            ],
        );
        check(
            &rules,
            PathClass::Open,
            &["x/secrets", "cert.pem", "data/a/x.csv", "a/top", "package.json", "secrets2"],
        );
        check(&rules, PathClass::Protected, &["deploy", "deploy/prod.yml"]);
    }

    #[test]
    fn own_files_are_forbidden_and_found_in_their_folders() {
        let rules = rules(&[], &[]).with_forbidden(["tools/Outrigger/config.toml", "state/"]);
        let own = ["tools/outrigger/config.toml", "TOOLS/Outrigger/config.toml", "state", "state/journal.db"];
        check(&rules, PathClass::Forbidden, &own);
        check(&rules, PathClass::Open, &["tools/outrigger", "statement", "tools"]);
        for folder in ["", "tools", "Tools/outrigger", "state"] {
            assert!(rules.holds_own_files(folder), "{folder:?}");
        }
        assert!(!rules.holds_own_files("src") && !rules.holds_own_files("too"));
    }

    #[test]
    fn why_names_the_glob() {
        let rules = rules(&["secrets/**"], &[]);
        assert_eq!(rules.why("secrets/x"), Some((PathClass::Blocked, "secrets/**")));
        assert_eq!(rules.why("a/.ENV.local"), Some((PathClass::Blocked, ".env.*")));
        assert_eq!(rules.why("a/.git/config"), Some((PathClass::Forbidden, ".git/**")));
        assert_eq!(rules.why("src"), None);
    }

    #[test]
    fn unusable_globs_say_why() {
        let fail = |glob: &str| {
            let rules = FileRules { blocked: vec!["ok".to_owned(), glob.to_owned()], ..FileRules::default() };
            let error = PathRules::new(&rules).unwrap_err();
            assert_eq!((error.list, error.index), ("blocked", 1));
            format!("{error}; {}", error.hint.clone().unwrap_or_default())
        };
        assert_eq!(fail(""), "`` is no usable glob: it is empty; `**` matches everything");
        assert_eq!(
            fail("secrets\\x"),
            "`secrets\\x` is no usable glob: folders are separated by `/`; write `secrets/x`"
        );
        assert_eq!(
            fail("!*.pm"),
            "`!*.pm` is no usable glob: there is no built-in glob `*.pm` to take out; did you mean `!*.pem`?"
        );
        assert!(fail("a[").contains("unclosed character class"), "{}", fail("a["));
        assert!(fail("../x").contains("never occur"));
        assert!(fail("/").contains("whole workspace"));
    }

    #[test]
    fn names_that_look_secret() {
        let rules = rules(&[], &[]);
        for path in [
            "config/secrets.yml",
            "my-Credentials.json",
            "prod.tfstate",
            ".npmrc",
            "passwords.txt",
            "prod.env",
        ] {
            assert!(rules.looks_secret(path), "{path}");
        }
        for path in
            ["src/secrets.rs", "token.go", "docs/passwords.md", "src/main.rs", "package.json", "secret/x.txt"]
        {
            assert!(!rules.looks_secret(path), "{path}");
        }
    }

    #[test]
    fn a_walk_gets_the_same_verdicts() {
        let rules = rules(&["secrets/**", "a/*/c"], &[]);
        for path in ["secrets", "x/.env", "a/b/c", ".aws/credentials", "x/.SSH"] {
            assert!(rules.is_blocked_in_open_folder(path), "{path}");
        }
        assert!(!rules.is_blocked_in_open_folder("a/b") && !rules.is_blocked_in_open_folder("src/lib.rs"));
    }

    /// The same question, answered the slow way: every spelling, every ancestor, every glob, character by character.
    fn naive(globs: &[String], path: &str) -> bool {
        fn matches(glob: &[char], text: &[char]) -> bool {
            match glob {
                [] => text.is_empty(),
                ['*', '*', '/', rest @ ..] => {
                    matches(rest, text)
                        || (0..text.len()).any(|end| text[end] == '/' && matches(rest, &text[end + 1..]))
                }
                ['*', rest @ ..] => (0..=text.len())
                    .take_while(|&end| !text[..end].contains(&'/'))
                    .any(|end| matches(rest, &text[end..])),
                ['?', rest @ ..] => {
                    text.first().is_some_and(|first| *first != '/') && matches(rest, &text[1..])
                }
                [first, rest @ ..] => text.first() == Some(first) && matches(rest, &text[1..]),
            }
        }
        let path = path.to_lowercase();
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        let ancestors: Vec<&str> = ends.map(|end| &path[..end]).collect();
        globs.iter().any(|glob| {
            let glob = glob.to_lowercase();
            let anywhere = !glob.trim_end_matches('/').contains('/');
            let trimmed = glob.trim_end_matches('/').trim_end_matches("/**").trim_start_matches('/');
            let pattern: Vec<char> =
                if anywhere { format!("**/{trimmed}") } else { trimmed.to_owned() }.chars().collect();
            ancestors.iter().any(|ancestor| matches(&pattern, &ancestor.chars().collect::<Vec<_>>()))
        })
    }

    static BUILT_IN: std::sync::LazyLock<PathRules> =
        std::sync::LazyLock::new(|| PathRules::new(&FileRules::default()).unwrap());

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(200))]

        #[test]
        fn agrees_with_a_naive_matcher(
            globs in proptest::collection::vec("(/|[*][*]/)?[abAB?*]{1,2}(/[ab*]{1,2}){0,2}(/|/[*][*])?", 1..4),
            path in "[abABx]{1,2}(/[abx]{1,2}){0,3}",
        ) {
            // `**` inside a name and one that stands alone mean other things to other matchers.
            let plain = |glob: &String| {
                let inner = glob.trim_start_matches("**/").trim_end_matches("/**");
                !inner.contains("**") && !inner.trim_matches('/').is_empty()
            };
            let globs: Vec<String> = globs.into_iter().filter(plain).collect();
            let rules = PathRules::new(&FileRules { blocked: globs.clone(), ..FileRules::default() }).unwrap();
            if BUILT_IN.classify(&path) == PathClass::Open {
                let expected = if naive(&globs, &path) { PathClass::Blocked } else { PathClass::Open };
                proptest::prop_assert_eq!(rules.classify(&path), expected, "{:?} {:?}", globs, path);
            }
        }

        #[test]
        fn no_spelling_opens_what_is_closed(
            path in proptest::sample::select(vec![".git/config", "a/.git", ".env", "k/id_rsa", ".aws/credentials", "package.json"]),
            place in 0_usize..16,
            trick in 0_usize..5,
        ) {
            let rules = &*BUILT_IN;
            let mut written: Vec<char> = path.chars().collect();
            let place = place % written.len();
            match trick {
                0 => written[place] = written[place].to_ascii_uppercase(),
                1 => written.insert(place, '\u{200d}'),
                2 => written.push('.'),
                3 => written.extend(" . ".chars()),
                _ => written.extend("::$DATA".chars()),
            }
            let written: String = written.into_iter().collect();
            proptest::prop_assert!(rules.classify(&written) >= rules.classify(path), "{written:?}");
        }

        #[test]
        fn any_text_gets_a_verdict_and_what_is_in_a_folder_shares_its_fate(path in ".{0,20}", name in "[a-z]{1,5}") {
            let rules = &*BUILT_IN;
            let class = rules.classify(&path);
            if !path.is_empty() {
                let inner = format!("{path}/{name}");
                proptest::prop_assert!(rules.classify(&inner) >= class);
            }
        }
    }
}
