//! What the built-in lists and an administrator's globs say about paths, and that no spelling gets around them.

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
fn the_built_in_lists_know_where_a_root_lies() {
    use PathClass::{Blocked, Forbidden, Open, Protected};
    let rules = rules(&["secrets/**", "ada"], &["workflows"]);
    for (root, path, class) in [
        ("/home/ada/.ssh", "authorized_keys", Blocked),
        ("/home/ada/.ssh", "", Blocked),
        ("/home/ada/.GnuPG/x", "secring", Blocked),
        ("/home/ada/.config", "gcloud/x.db", Blocked),
        ("/home/ada/.config", "git/ignore", Open),
        ("/home/ada/.config/nvim", "init.lua", Open),
        ("/home/ada/.aws", "sso/cache.json", Blocked),
        ("/home/ada/.aws", "config", Open),
        ("/home/ada/.docker", "config.json", Blocked),
        ("/home/ada/.claude", "settings2.json", Protected),
        ("/w/app/.github", "actions/x/action.yml", Protected),
        ("/w/app/.github", "ISSUE_TEMPLATE/a.md", Open),
        ("/w/app/.git/hooks", "pre-commit", Forbidden),
        ("/w/app/.git/hooks", "", Forbidden),
        ("/w/.config/chromium/NativeMessagingHosts", "dev.outrigger.host.json", Forbidden),
        ("/w/.config/chromium/NativeMessagingHosts", "other.json", Protected),
        ("/w/agents.md", "src/main.rs", Open),
        // What was added begins at the root: neither a part of the way to it nor what lies on it counts.
        ("/w/secrets", "x", Open),
        ("/w/secrets", "secrets/x", Blocked),
    ] {
        let rules = rules.at([Path::new(root)]);
        assert_eq!(rules.classify(path), class, "{root} {path}");
        assert!(!rules.is_blocked_in_open_folder(path) || class == Blocked, "{root} {path}");
    }
    let taken_out = self::rules(&["!**/.ssh/**"], &["!**/.github/workflows/**"]);
    check(&taken_out.at([Path::new("/home/ada/.ssh")]), Open, &["config", ""]);
    check(&taken_out.at([Path::new("/home/ada/.ssh")]), Blocked, &["id_rsa"]);
    check(&taken_out.at([Path::new("/w/.github")]), Open, &["workflows/ci.yml"]);
    // A link counts by its own name as well as by where it leads, as one in a root does.
    let link = rules.at([Path::new("/disk/plain"), Path::new("/home/ada/.ssh")]);
    check(&link, Blocked, &["config", ""]);
    let home = rules.at([Path::new("/home/ada/.config")]);
    assert!(home.is_blocked_in_open_folder("gcloud") && !home.is_blocked_in_open_folder("gh"));
    assert_eq!(home.why("gh/hosts.yml"), Some((Blocked, "**/.config/gh/hosts.yml")));
    assert_eq!(home.blocker("gh/hosts.yml"), Blocker::Configuration);
    assert_eq!(home.blocked_by_wildcard("gclou?/x.db"), Some("**/.config/gcloud/**"));
}

#[test]
fn a_read_only_workspace_is_forbidden_by_its_name() {
    let rules = rules(&[], &[]).with_read_only([("kept", "Libs/Kept")]);
    for path in ["libs/kept", "Libs/Kept/a"] {
        assert_eq!(rules.classify(path), PathClass::Forbidden, "{path}");
        assert_eq!(rules.read_only_around(path), Some("kept"), "{path}");
    }
    assert_eq!((rules.read_only_around("libs"), rules.read_only_below("libs")), (None, Some("kept")));
    assert_eq!((rules.classify("libs/keptx"), rules.read_only_below("lib")), (PathClass::Open, None));
}

#[test]
fn our_own_manifest_is_forbidden_wherever_a_browser_looks_for_it() {
    let rules = rules(&[], &[]);
    let name =
        serde_json::from_str::<serde_json::Value>(include_str!("../../../manifests/ids.json")).unwrap();
    let name = name["host_name"].as_str().unwrap();
    let folders =
        [".config/chromium/NativeMessagingHosts", ".mozilla/native-messaging-hosts", "NativeMessagingHosts"];
    for folder in folders {
        check(
            &rules,
            PathClass::Forbidden,
            &[&format!("{folder}/{name}.json"), &format!("{folder}/{name}.JSON")],
        );
        check(&rules, PathClass::Protected, &[folder, &format!("{folder}/another.host.json")]);
    }
    check(&rules, PathClass::Open, &[&format!("manifests/{name}.json"), &format!("{name}.json")]);
}

#[test]
fn a_character_is_one_whatever_its_bytes() {
    let globs =
        ["s?cret.txt", "[éü]x.txt", "gehe?m/**", "[a-ÿ]z.txt", "[!b]w.txt", "[À-ß]v.txt", "{é,?b}y", "ß?.md"];
    let rules = rules(&globs, &["regel?.txt", "[ß]p.txt", "[日-本]q/[!a]"]);
    let blocked = [
        "sécret.txt",
        "se\u{301}cret.txt",
        "SÉCRET.txt",
        "s日cret.txt",
        "s\u{fffd}cret.txt",
        "secret.txt",
        "d/éx.txt",
        "Üx.txt",
        "u\u{308}x.txt",
        "geheïm",
        "geheïm/k",
        "geheim/k",
        "GEHEÏM/k",
        "üz.txt",
        "ßz.txt",
        "üw.txt",
        "aw.txt",
        "\u{fffd}w.txt",
        "Ðv.txt",
        "ßv.txt",
        "éy",
        "日by",
        "ẞé.md",
        "ssé.md",
        "sécret.txt.",
        "s\u{df}cret.txt:stream",
        "s\u{df}\u{200d}cret.txt",
    ];
    check(&rules, PathClass::Blocked, &blocked);
    check(&rules, PathClass::Protected, &["regelß.txt", "regel1.txt", "ßp.txt", "日q/é", "日q/é/x"]);
    let open = ["scret.txt", "séécret.txt", "ex.txt", "geheiim/k", "bw.txt", "öx.txt", "日q", "gehe/m/k"];
    check(&rules, PathClass::Open, &open);
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
    for path in
        ["config/secrets.yml", "my-Credentials.json", "prod.tfstate", ".npmrc", "passwords.txt", "prod.env"]
    {
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
            ['?', rest @ ..] => text.first().is_some_and(|first| *first != '/') && matches(rest, &text[1..]),
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
        globs in proptest::collection::vec("(/|[*][*]/)?[abABéÉ日?*]{1,2}(/[abé?*]{1,2}){0,2}(/|/[*][*])?", 1..4),
        path in "[abABxéÉ日]{1,2}(/[abxé日]{1,2}){0,3}",
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

/// Each glob is compiled and tried once, however often it is written; what takes one out takes out all of it.
#[test]
fn a_glob_that_is_written_again_says_nothing_new() {
    let many: Vec<&str> =
        ["*.secret", "s?cret", "deep/*.secret", "private/**", "[a-f]x", "*.pem"].repeat(2000);
    let rules = rules(&many, &many);
    for glob in &many[..6] {
        let written = rules.blocked_globs().iter().filter(|written| written == glob).count();
        assert_eq!(
            (written, rules.protected_globs().iter().filter(|written| written == glob).count()),
            (1, 1),
            "{glob}"
        );
    }
    check(&rules, PathClass::Blocked, &["a.secret", "secret", "deep/b.secret", "private/c", "bx"]);
    let taken_out = self::rules(&["*.secret", "!*.secret", "!*.pem", "*.other", "*.other"], &[]);
    check(&taken_out, PathClass::Open, &["a.secret", "a.pem"]);
    check(&taken_out, PathClass::Blocked, &["a.other"]);
}
