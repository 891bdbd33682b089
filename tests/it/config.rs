//! The configuration: the same file in TOML and in YAML means the same, and what is wrong with it is said in the same words.

use std::{fmt::Write as _, path::Path};

use outrigger::{
    config::{self, Config, ConfigError, Language, Place, Source},
    policy::Law,
};

const TOOLS: &[&str] = &["fs_read", "fs_write", "exec_run"];

fn load(text: &str, language: Language) -> Result<Config, ConfigError> {
    let name = if language == Language::Toml { "config.toml" } else { "config.yaml" };
    let config = config::parse(Source { path: name.into(), text: text.into() }, language, TOOLS)?;
    Law::new(&config)?;
    Ok(config)
}

/// What a configuration means, without where it stands.
fn meaning(mut config: Config) -> String {
    config.path = None;
    config.source = None;
    config.places = config::Places::default();
    config.workspaces.iter_mut().for_each(|entry| entry.place = Place::default());
    config.commands.iter_mut().for_each(|entry| entry.place = Place::default());
    format!("{config:#?}")
}

const TOML: &str = r#"
version = 1
[[workspace]]
id = "app"
path = "ROOT"
read_only = true
[files]
blocked = ["secrets/**", "!*.pem"]
protected = ["deploy/**"]
[tools]
profile = "full"
tier = { fs_write = "individual", exec_run = "batch" }
[[command]]
id = "check"
program = "make"
args = ["check"]
summary = "Run the checks"
allow_flags = ["-j", "--jobs", "--dry-run"]
value_flags = ["-j", "--jobs"]
positional = "path_in_workspace"
argument_files = true
max_args = 10
env = { CI = "1", LEVEL = "010" }
env_pass = ["LANG"]
network = true
write_paths = ["/var/cache/check"]
timeout_ms = 600000
idle_timeout_ms = 1000
tier = "batch"
match = [["-j", "4"], []]
not_match = [["--file", "x"], ["../x"]]
[exec]
enabled = true
defaults = false
path = ["/opt/bin"]
sandbox = "required"
[git]
sync = true
allow_force = true
credentials = true
protocols = ["ssh", "file"]
[mcp]
approvals = "trust-client"
[redact]
enabled = false
patterns = ['acme_[0-9a-f]{32}']
[journal]
max_mib = 64
max_days = 3
[log]
level = "debug"
[panel]
add_workspace = "never"
[extensions]
allow = ["addon@example.org", "chrome-extension://abcdefghijklmnopabcdefghijklmnop/"]
"#;

const YAML: &str = r#"
version: 1
workspace:
  - id: app
    path: ROOT
    read_only: true
files:
  blocked: ["secrets/**", "!*.pem"]
  protected:
    - deploy/**
tools:
  profile: full
  tier: {fs_write: individual, exec_run: batch}
command:
  - id: check
    program: make
    args: [check]
    summary: Run the checks
    allow_flags: [-j, --jobs, --dry-run]
    value_flags: [-j, --jobs]
    positional: path_in_workspace
    argument_files: true
    max_args: 10
    env: {CI: "1", LEVEL: "010"}
    env_pass: [LANG]
    network: true
    write_paths: [/var/cache/check]
    timeout_ms: 600000
    idle_timeout_ms: 1000
    tier: batch
    match: [[-j, "4"], []]
    not_match: [[--file, x], [../x]]
exec:
  enabled: true
  defaults: false
  path: [/opt/bin]
  sandbox: required
git: {sync: true, allow_force: true, credentials: true, protocols: [ssh, file]}
mcp:
  approvals: trust-client
redact:
  enabled: false
  patterns: ["acme_[0-9a-f]{32}"]
journal: {max_mib: 64, max_days: 3}
log: {level: debug}
panel: {add_workspace: never}
extensions:
  allow: ["addon@example.org", "chrome-extension://abcdefghijklmnopabcdefghijklmnop/"]
"#;

fn whole(language: Language, root: &Path) -> Config {
    let text = if language == Language::Toml { TOML } else { YAML };
    load(&text.replace("ROOT", root.to_str().unwrap()), language).unwrap()
}

#[test]
fn both_languages_mean_the_same() {
    let root = tempfile::tempdir().unwrap();
    let (toml, yaml) = (whole(Language::Toml, root.path()), whole(Language::Yaml, root.path()));
    assert_eq!(Law::new(&toml).unwrap().digest(), Law::new(&yaml).unwrap().digest());
    assert_eq!(toml.workspaces[0].place, Place { line: 4, column: 6 });
    assert_eq!(yaml.workspaces[0].place, Place { line: 4, column: 9 });
    assert_eq!(toml.commands.len(), 1);
    assert_eq!(meaning(toml), meaning(yaml));
}

#[test]
fn an_empty_model_is_the_same_as_none() {
    let none = Config::without_file();
    for (text, language) in [("version = 1\n", Language::Toml), ("version: 1\n", Language::Yaml)] {
        let mut config = load(text, language).unwrap();
        config.path = None;
        assert_eq!(meaning(config), meaning(none.clone()));
    }
    assert!(none.workspaces.is_empty() && none.commands.iter().any(|entry| entry.id == "node_test"));
}

/// Every key of the schema, dotted; entries of lists as if there were one.
fn keys(schema: &serde_json::Value, path: &str, found: &mut Vec<String>) {
    let items = &schema["items"];
    let table = if items["properties"].is_object() { items } else { schema };
    for (name, inner) in table["properties"].as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        if inner["properties"].is_object() || inner["items"]["properties"].is_object() {
            keys(inner, &path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn the_example_has_every_key_at_its_default() {
    let mut example = load(config::EXAMPLE, Language::Toml).unwrap();
    example.path = None;
    assert_eq!(meaning(example), meaning(Config::without_file()));
    // With every comment that is a setting taken as one, it still reads, and nothing is missing.
    let folder = tempfile::tempdir().unwrap();
    let whole: String = config::EXAMPLE
        .lines()
        .filter_map(|line| match line.strip_prefix('#') {
            Some(rest) if rest.starts_with([' ', '#']) => None,
            Some(rest) => Some(rest),
            None => Some(line),
        })
        .fold(String::new(), |text, line| text + line + "\n")
        .replace("~/src/app", folder.path().to_str().unwrap());
    let whole = whole.as_str();
    load(whole, Language::Toml).unwrap();
    let written: toml::Table = whole.parse().unwrap();
    let mut wanted = Vec::new();
    keys(&config::schema(TOOLS), "", &mut wanted);
    assert!(wanted.len() > 30, "{wanted:?}");
    for key in wanted.iter().filter(|key| *key != "command.deny_flags") {
        let found = key.split('.').try_fold(toml::Value::Table(written.clone()), |value, name| {
            let value = value.as_array().map_or(value.clone(), |list| list[0].clone());
            value.get(name).cloned()
        });
        assert!(found.is_some(), "the example lacks `{key}`");
    }
}

#[test]
fn what_is_shown_names_every_setting_and_its_origin() {
    let root = tempfile::tempdir().unwrap();
    let config = whole(Language::Yaml, root.path());
    let law = Law::new(&config).unwrap();
    let shown = config::show::settings(&config, law.paths().blocked_globs(), law.paths().protected_globs());
    let names: Vec<String> =
        shown.iter().map(|setting| setting.key.replace(".app.", ".").replace(".check.", ".")).collect();
    let mut wanted = Vec::new();
    keys(&config::schema(TOOLS), "", &mut wanted);
    for key in wanted.iter().filter(|key| *key != "command.deny_flags") {
        assert!(names.contains(key), "`{key}` is not shown");
    }
    let of = |key: &str| {
        let settings: Vec<_> = shown.iter().filter(|setting| setting.key == key).collect();
        serde_json::to_value(settings).unwrap()
    };
    assert_eq!(of("exec.sandbox")[0]["line"], 37);
    assert_eq!(of("exec.sandbox")[0]["origin"], "file");
    assert_eq!(of("command.check.deny_flags"), serde_json::json!([]));
    let blocked = of("files.blocked");
    let origin = |glob: &str| {
        blocked
            .as_array()
            .unwrap()
            .iter()
            .find(|item| item["value"][0] == glob)
            .map(|item| item["origin"].clone())
    };
    assert_eq!(origin("secrets/**"), Some("file".into()));
    assert_eq!(origin(".env"), Some("built_in".into()));
    assert_eq!(origin("!*.pem"), Some("file".into()));
    assert_eq!(origin("*.pem"), None);
}

/// Whatever the schema lets an editor write down, word by word, is what the file may say.
#[test]
fn the_schema_and_the_model_name_the_same_words() {
    fn words(schema: &serde_json::Value, path: &str, found: &mut Vec<(String, Vec<String>)>) {
        let list = |value: &serde_json::Value| {
            value.as_array().map(|words| words.iter().map(|word| word.as_str().unwrap().to_owned()).collect())
        };
        if let Some(words) = list(&schema["enum"]) {
            found.push((path.to_owned(), words));
        }
        for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
            words(inner, &format!("{path}.{name}"), found);
        }
        words_of_items(&schema["items"], path, found);
    }
    fn words_of_items(items: &serde_json::Value, path: &str, found: &mut Vec<(String, Vec<String>)>) {
        if items.is_object() {
            words(items, path, found);
        }
    }
    let mut found = Vec::new();
    words(&config::schema(TOOLS), "", &mut found);
    let names: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
    let known = [
        ".tools.profile",
        ".command.positional",
        ".command.tier",
        ".exec.sandbox",
        ".git.protocols",
        ".mcp.approvals",
        ".log.level",
        ".panel.add_workspace",
    ];
    assert_eq!(names, known);
    for (path, words) in found {
        let (table, key) = path[1..].split_once('.').unwrap();
        for word in words {
            let text = match table {
                "command" => {
                    format!("version = 1\n[[command]]\nid = \"a\"\nprogram = \"x\"\n{key} = \"{word}\"\n")
                }
                "git" => format!("version = 1\n[git]\n{key} = [\"{word}\"]\n"),
                _ => format!("version = 1\n[{table}]\n{key} = \"{word}\"\n"),
            };
            load(&text, Language::Toml).unwrap();
        }
    }
}

proptest::proptest! {
    #[test]
    fn both_languages_give_the_same_verdicts(
        args in proptest::collection::vec(
            proptest::sample::select(vec!["-j", "4", "--jobs=2", "--file", "--dry-run", "--", "-", "-jx", "a/b", "~", "", "é=/x"]), 0..6)
    ) {
        let root = tempfile::tempdir().unwrap();
        let args: Vec<String> = args.into_iter().map(ToOwned::to_owned).collect();
        let verdict = |language| {
            let law = Law::new(&whole(language, root.path())).unwrap();
            law.commands().check("check", &args).map(|checked| checked.path_arguments().map(ToOwned::to_owned).collect::<Vec<_>>())
        };
        proptest::prop_assert_eq!(verdict(Language::Toml), verdict(Language::Yaml));
    }
}

/// A name, and the same broken file in both languages.
const BROKEN: &[(&str, &str, &str)] = &[
    ("no version", "[files]\n", "files: {}\n"),
    ("empty file", "", ""),
    ("another version", "version = 2\n", "version: 2\n"),
    ("version as text", "version = \"1\"\n", "version: \"1\"\n"),
    ("unknown table", "version = 1\n[workspaces]\n", "version: 1\nworkspaces: {}\n"),
    ("unknown key", "version = 1\n[files]\nblokced = []\n", "version: 1\nfiles:\n  blokced: []\n"),
    ("nothing kept", "version = 1\n[journal]\nmax_mib = 0\n", "version: 1\njournal:\n  max_mib: 0\n"),
    (
        "broken pattern",
        "version = 1\n[redact]\npatterns = [\"a\", \"(b\"]\n",
        "version: 1\nredact:\n  patterns: [\"a\", \"(b\"]\n",
    ),
    (
        "pattern of nothing",
        "version = 1\n[redact]\npatterns = [\"a*\"]\n",
        "version: 1\nredact:\n  patterns: [\"a*\"]\n",
    ),
    (
        "unknown way to add",
        "version = 1\n[panel]\nadd_workspace = \"nevr\"\n",
        "version: 1\npanel:\n  add_workspace: nevr\n",
    ),
    ("missing key", "version = 1\n[[command]]\nid = \"a\"\n", "version: 1\ncommand:\n  - id: a\n"),
    ("wrong type", "version = 1\n[files]\nblocked = \"x\"\n", "version: 1\nfiles:\n  blocked: \"x\"\n"),
    (
        "number for text",
        "version = 1\n[[command]]\nid = 5\nprogram = \"x\"\n",
        "version: 1\ncommand:\n  - id: 5\n    program: x\n",
    ),
    (
        "text for a boolean",
        "version = 1\n[exec]\nenabled = \"no\"\n",
        "version: 1\nexec:\n  enabled: \"no\"\n",
    ),
    (
        "unknown value",
        "version = 1\n[exec]\nsandbox = \"best_effort\"\n",
        "version: 1\nexec:\n  sandbox: best_effort\n",
    ),
    (
        "negative number",
        "version = 1\n[[command]]\nid = \"a\"\nprogram = \"x\"\nmax_args = -1\n",
        "version: 1\ncommand:\n  - id: a\n    program: x\n    max_args: -1\n",
    ),
    (
        "number out of range",
        "version = 1\n[[command]]\nid = \"a\"\nprogram = \"x\"\nmax_args = 65\n",
        "version: 1\ncommand:\n  - id: a\n    program: x\n    max_args: 65\n",
    ),
    ("duplicate key", "version = 1\nversion = 1\n", "version: 1\nversion: 1\n"),
    (
        "duplicate id",
        "version = 1\n[[command]]\nid = \"a\"\nprogram = \"x\"\n[[command]]\nid = \"a\"\nprogram = \"x\"\n",
        "version: 1\ncommand:\n  - {id: a, program: x}\n  - {id: a, program: x}\n",
    ),
    (
        "bad id",
        "version = 1\n[[command]]\nid = \"A b\"\nprogram = \"x\"\n",
        "version: 1\ncommand:\n  - id: \"A b\"\n    program: x\n",
    ),
    (
        "git",
        "version = 1\n[[command]]\nid = \"a\"\nprogram = \"/usr/bin/git\"\n",
        "version: 1\ncommand:\n  - id: a\n    program: /usr/bin/git\n",
    ),
    (
        "git by another program",
        "version = 1\n[[command]]\nid = \"a\"\nprogram = \"env\"\nargs = [\"A=b\", \"git\"]\n",
        "version: 1\ncommand:\n  - id: a\n    program: env\n    args: [A=b, git]\n",
    ),
    (
        "NUL in a variable",
        "version = 1\n[[command]]\nid = \"a\"\nprogram = \"x\"\nenv = { A = \"\\u0000\" }\n",
        "version: 1\ncommand:\n  - id: a\n    program: x\n    env: {A: \"\\0\"}\n",
    ),
    (
        "variable with an equals sign",
        "version = 1\n[[command]]\nid = \"a\"\nprogram = \"x\"\nenv = { \"A=B\" = \"\" }\n",
        "version: 1\ncommand:\n  - id: a\n    program: x\n    env: {\"A=B\": \"\"}\n",
    ),
    (
        "a temporary folder of the entry's own",
        "version = 1\n[[command]]\nid = \"a\"\nprogram = \"x\"\nenv = { TMPDIR = \"/x\" }\n",
        "version: 1\ncommand:\n  - id: a\n    program: x\n    env: {TMPDIR: /x}\n",
    ),
    (
        "the host's temporary folder",
        "version = 1\n[[command]]\nid = \"a\"\nprogram = \"x\"\nenv_pass = [\"TMPDIR\"]\n",
        "version: 1\ncommand:\n  - id: a\n    program: x\n    env_pass: [TMPDIR]\n",
    ),
    (
        "NUL in an argument",
        "version = 1\n[[command]]\nid = \"a\"\nprogram = \"x\"\nargs = [\"\\u0000\"]\n",
        "version: 1\ncommand:\n  - id: a\n    program: x\n    args: [\"\\0\"]\n",
    ),
    (
        "relative program",
        "version = 1\n[[command]]\nid = \"a\"\nprogram = \"./x\"\n",
        "version: 1\ncommand:\n  - id: a\n    program: ./x\n",
    ),
    (
        "both flag lists",
        "version = 1\n[[command]]\nid = \"a\"\nprogram = \"x\"\nallow_flags = []\ndeny_flags = [\"-x\"]\n",
        "version: 1\ncommand:\n  - id: a\n    program: x\n    allow_flags: []\n    deny_flags: [\"-x\"]\n",
    ),
    (
        "relative folder",
        "version = 1\n[[workspace]]\nid = \"app\"\npath = \"src\"\n",
        "version: 1\nworkspace:\n  - id: app\n    path: src\n",
    ),
    (
        "missing folder",
        "version = 1\n[[workspace]]\nid = \"app\"\npath = \"/no/such\"\n",
        "version: 1\nworkspace:\n  - id: app\n    path: /no/such\n",
    ),
    (
        "root folder",
        "version = 1\n[[workspace]]\nid = \"app\"\npath = \"/\"\n",
        "version: 1\nworkspace:\n  - id: app\n    path: /\n",
    ),
    (
        "home folder",
        "version = 1\n[[workspace]]\nid = \"app\"\npath = \"~/\"\n",
        "version: 1\nworkspace:\n  - id: app\n    path: ~/\n",
    ),
    (
        "empty glob",
        "version = 1\n[files]\nblocked = [\"a\", \"\"]\n",
        "version: 1\nfiles:\n  blocked: [a, \"\"]\n",
    ),
    (
        "bad glob",
        "version = 1\n[files]\nprotected = [\"a[\"]\n",
        "version: 1\nfiles:\n  protected: [\"a[\"]\n",
    ),
    (
        "nothing to take out",
        "version = 1\n[files]\nblocked = [\"!*.pm\"]\n",
        "version: 1\nfiles:\n  blocked: [\"!*.pm\"]\n",
    ),
    (
        "unknown tool",
        "version = 1\n[tools.tier]\nfs_wirte = \"auto\"\n",
        "version: 1\ntools:\n  tier:\n    fs_wirte: auto\n",
    ),
    (
        "failing match",
        "version = 1\n[[command]]\nid = \"a\"\nprogram = \"x\"\nmatch = [[], [\"--fix\"]]\n",
        "version: 1\ncommand:\n  - id: a\n    program: x\n    match: [[], [--fix]]\n",
    ),
    (
        "failing not_match",
        "version = 1\n[[command]]\nid = \"a\"\nprogram = \"x\"\nallow_flags = [\"-q\"]\nnot_match = [[\"-q\"]]\n",
        "version: 1\ncommand:\n  - id: a\n    program: x\n    allow_flags: [-q]\n    not_match: [[-q]]\n",
    ),
    ("list for a table", "version = 1\nfiles = [[], []]\n", "version: 1\nfiles: [[], []]\n"),
    (
        "bad extension",
        "version = 1\n[extensions]\nallow = [\"*\"]\n",
        "version: 1\nextensions:\n  allow: [\"*\"]\n",
    ),
];

#[test]
fn without_value_flags_a_flag_takes_a_value_only_where_an_example_shows_it() {
    let entry = |positional: &str, rest: &str| {
        let toml = format!(
            "version = 1\n[[command]]\nid = \"a\"\nprogram = \"x\"\nallow_flags = [\"-p\", \"--lib\", \"--name\"]\npositional = \"{positional}\"\n\
             match = [[\"-p\", \"core\"], [\"--name=x\", \"--lib\"]]\n{rest}"
        );
        let yaml = format!(
            "version: 1\ncommand:\n  - id: a\n    program: x\n    allow_flags: [-p, --lib, --name]\n    positional: {positional}\n    \
             match: [[-p, core], [--name=x, --lib]]\n    {}",
            rest.replace(" = ", ": ")
        );
        [(toml, Language::Toml), (yaml, Language::Yaml)]
            .map(|(text, language)| load(&text, language).unwrap())
    };
    let refused = |config: &Config, args: &[&str]| {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        Law::new(config).unwrap().commands().check("a", &args).err().map(|refusal| refusal.to_string())
    };
    let (none, only) = ("none", "only flags are allowed (`positional = \"none\"`)");
    for config in entry(none, "") {
        assert_eq!(refused(&config, &["-p", "other", "--lib"]), None);
        for flag in ["--lib", "--name"] {
            let said = format!(
                "the argument `core` is not allowed for `a`: {only}, and `value_flags` does not list `{flag}`"
            );
            assert_eq!(refused(&config, &[flag, "core"]), Some(said));
        }
    }
    // What is written counts alone.
    for config in entry(none, "value_flags = [\"-p\", \"--name\"]\n") {
        assert_eq!(refused(&config, &["--name", "core", "-p", "core"]), None);
        assert!(refused(&config, &["--lib", "core"]).is_some());
    }
    // What stands behind a flag could be a word of its own: it is judged as one.
    for config in entry("path_in_workspace", "") {
        assert_eq!(refused(&config, &["-p", "src", "--lib", "src"]), None);
        for flag in ["-p", "--lib"] {
            let said = refused(&config, &[flag, "@more"]).unwrap();
            assert!(said.contains("it could be read as a file with more arguments"), "{said}");
            assert!(said.ends_with(&format!("and `value_flags` does not list `{flag}`")), "{said}");
        }
        let said = refused(&config, &["src", "@more"]).unwrap();
        assert!(!said.contains("value_flags"), "{said}");
    }
    for config in entry("path_in_workspace", "value_flags = [\"-p\"]\n") {
        assert_eq!(refused(&config, &["-p", "@more"]), None);
    }
    for config in entry("any", "") {
        assert_eq!(refused(&config, &["--lib", "@more"]), None);
    }
}

#[test]
fn the_same_mistake_gets_the_same_words_in_both_languages() {
    let mut shown = String::new();
    for (name, toml, yaml) in BROKEN {
        let in_toml = load(toml, Language::Toml).expect_err(name);
        let in_yaml = load(yaml, Language::Yaml).expect_err(name);
        assert_eq!((&in_toml.message, &in_toml.hint), (&in_yaml.message, &in_yaml.hint), "{name}");
        let _ = write!(shown, "## {name}\n{}\n{}\n\n", in_toml.render(false), in_yaml.render(false));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn yaml_that_means_something_else_than_it_shows_is_refused() {
    let mut shown = String::new();
    for text in [
        "version: 1\nfiles: &f\n  blocked: []\n",
        "version: 1\nfiles: {blocked: [&a x]}\n",
        "version: 1\nfiles: *f\n",
        "version: 1\nfiles:\n  blocked:\n    - *.key\n",
        "version: 1\nfiles:\n  blocked: [**/*.key]\n",
        "version: 1\nfiles: !x {}\n",
        "version: !!int 1\n",
        "version: 1\nlog:\n  <<: {level: info}\n",
        "version: 1\n---\nversion: 1\n",
        "version: 1\nexec:\n  enabled: no\n",
        "version: 1\nfiles:\n  blocked: no\n",
        "version: 1\nfiles:\n  blocked: [no]\n",
        "version: 1\nfiles:\n  blocked: [a, 010]\n",
        "version: 01\n",
        "version: 1\nfiles:\n",
        "version: 1\nfiles: {blocked: [a}\n",
        "version: 1\n  files: 1\n",
        "- version: 1\n",
    ] {
        let _ = write!(shown, "{}\n\n", load(text, Language::Yaml).expect_err(text).render(false));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn toml_that_cannot_be_read_says_where() {
    let mut shown = String::new();
    for text in
        ["version = \n", "version 1\n", "version = 1\n[files\n", "version = 1\n[[files]]\nblocked = []\n"]
    {
        let _ = write!(shown, "{}\n\n", load(text, Language::Toml).expect_err(text).render(false));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn deep_and_long_files_end_in_an_error() {
    let deep = format!("version: 1\nfiles: {}", "[".repeat(10_000));
    assert!(load(&deep, Language::Yaml).is_err());
    let deep = format!("version = 1\nfiles = {}", "[".repeat(10_000));
    assert!(load(&deep, Language::Toml).is_err());
}

#[cfg(unix)]
mod files {
    use std::{
        fs,
        os::unix::fs::{PermissionsExt as _, symlink},
        path::PathBuf,
    };

    use outrigger::config::{
        self,
        locate::{Hints, Located, locate_by},
        state_folder::make_private,
    };

    fn refused(path: &std::path::Path) -> String {
        config::load(path, &[]).unwrap_err().message
    }

    #[test]
    fn a_file_that_others_may_write_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        fs::write(&path, "version = 1\n").unwrap();
        for (mode, accepted) in [(0o600, true), (0o644, true), (0o664, false), (0o646, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(config::load(&path, &[]).is_ok(), accepted, "{mode:o}");
        }
        assert_eq!(refused(&path), "others may write the configuration file (mode 646)");
        let odd = folder.path().join("a 'b.toml");
        fs::rename(&path, &odd).unwrap();
        let hint = config::load(&odd, &[]).unwrap_err().hint.unwrap();
        let command = hint.split('`').nth(1).unwrap();
        // The command in the hint does what it says.
        assert!(std::process::Command::new("sh").args(["-c", command]).status().unwrap().success());
        config::load(&odd, &[]).unwrap();
    }

    #[test]
    fn what_is_no_usable_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let private = |name: &str, bytes: &[u8]| {
            fs::write(at(name), bytes).unwrap();
            fs::set_permissions(at(name), fs::Permissions::from_mode(0o600)).unwrap();
            refused(&at(name))
        };
        assert_eq!(refused(&at("missing.toml")), "the configuration file does not exist");
        assert_eq!(
            private("latin.toml", b"version = 1\n# \xe4\n"),
            "the configuration file is not UTF-8: the byte 0xe4 at line 2, column 3 is no character there"
        );
        let wide: Vec<u8> = "\u{feff}version = 1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(
            private("wide a.toml", &wide),
            "the configuration file is UTF-16, as some programs of Windows save text, and has to be UTF-8"
        );
        for name in ["latin.toml", "wide a.toml"] {
            let hint = config::load(&at(name), &[]).unwrap_err().hint.unwrap();
            let command = hint.split('`').nth(1).unwrap();
            // The command in the hint does what it says, and nobody else may write the file afterwards.
            let ran = std::process::Command::new("sh").args(["-c", &format!("umask 0; {command}")]).status();
            assert!(ran.unwrap().success(), "{command}");
            config::load(&at(name), &[]).unwrap();
        }
        assert_eq!(
            private("large.toml", &vec![b'#'; 1024 * 1024 + 1]),
            "the configuration file is larger than 1 MiB"
        );
        assert_eq!(
            private("config.json", b"{}"),
            "the name of a configuration ends in `.toml`, `.yaml` or `.yml`"
        );
        fs::create_dir(at("folder.toml")).unwrap();
        assert_eq!(refused(&at("folder.toml")), "the configuration is not a regular file");
    }

    #[test]
    fn the_file_is_found_in_order_and_never_guessed() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("outrigger");
        fs::create_dir(&own).unwrap();
        let mut hints = Hints { config_folder: Some(folder.path().to_owned()), ..Hints::default() };
        let found = |hints: &Hints| locate_by(hints).map_err(|error| error.message);
        let file = |path: PathBuf| Ok(Located { path, absent: false });
        assert_eq!(found(&hints), Ok(Located { path: own.join("config.toml"), absent: true }));
        // Whoever may take the file away decides what holds; a folder like `/tmp` lets nobody.
        let open = |mode| fs::set_permissions(&own, fs::Permissions::from_mode(mode)).unwrap();
        open(0o777);
        let refused = found(&hints).unwrap_err();
        assert!(refused.contains("can be changed by everyone (mode 777)"), "{refused}");
        open(0o1777);
        assert!(found(&hints).is_ok());
        open(0o755);
        fs::write(own.join("config.yml"), "version: 1\n").unwrap();
        assert_eq!(found(&hints), file(own.join("config.yml")));
        symlink("nowhere", own.join("config.toml")).unwrap();
        assert_eq!(
            found(&hints),
            Err("there are several configurations: `config.toml`, `config.yml`".to_owned())
        );
        hints.variable = Some("/v.toml".into());
        assert_eq!(found(&hints), file("/v.toml".into()));
        hints.explicit = Some("/e.toml".into());
        assert_eq!(found(&hints), file("/e.toml".into()));
    }

    #[test]
    fn a_workspace_is_judged_by_where_it_leads() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("/", &link).unwrap();
        fs::create_dir(folder.path().join("real")).unwrap();
        symlink("real", folder.path().join("alias")).unwrap();
        let load = |text: String| super::load(&text, config::Language::Toml).unwrap_err().message;
        let entry =
            |id: &str, path: &std::path::Path| format!("[[workspace]]\nid = \"{id}\"\npath = {path:?}\n");
        let message = load(format!("version = 1\n{}", entry("app", &link)));
        assert!(message.ends_with("is the root of the file system"), "{message}");
        let two =
            [entry("aa", &folder.path().join("real")), entry("bb", &folder.path().join("alias"))].concat();
        let message = load(format!("version = 1\n{two}"));
        assert!(message.ends_with("is the folder of the workspace `aa` already"), "{message}");
    }

    #[test]
    fn the_state_folder_is_the_users_alone() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("a/b");
        make_private(&state).unwrap();
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&state), 0o700);
        fs::set_permissions(&state, fs::Permissions::from_mode(0o755)).unwrap();
        make_private(&state).unwrap();
        assert_eq!(mode(&state), 0o700);
    }
}

/// A list or a table in the place of a text is told what to write, and a folder of the system is none for work.
#[test]
fn what_is_refused_says_what_would_work() {
    let fault = |text: &str| load(text, Language::Toml).unwrap_err();
    let hint = |text: &str| fault(text).hint.unwrap_or_default();
    assert!(hint("version = 1\n[tools]\nprofile = [\"core\"]\n").contains("\"core\""));
    assert!(hint("version = 1\n[[workspace]]\nid = \"app\"\npath = []\n").contains("in quotes"));
    for folder in ["/etc/ssl", "/usr/share/doc", "/dev/pts"] {
        if Path::new(folder).is_dir() {
            let fault = fault(&format!("version = 1\n[[workspace]]\nid = \"app\"\npath = \"{folder}\"\n"));
            assert!(fault.message.contains("a folder of the system itself"), "{folder}: {}", fault.message);
            // A path is named once.
            assert_eq!(fault.message.matches(folder).count(), 1, "{}", fault.message);
        }
    }
    // What begins so is no text in YAML.
    for glob in ["{a,b}.txt", "[ab].txt", "%x", "@x"] {
        let text = format!("version: 1\nfiles:\n  blocked:\n    - {glob}\n");
        let hint = load(&text, Language::Yaml).unwrap_err().hint.unwrap_or_default();
        assert!(hint.contains("in quotes"), "{glob}: {hint}");
    }
}

/// Git runs what lies in its hooks and obeys its settings: no workspace begins there, also behind a link; what is only named so may.
#[test]
fn a_folder_of_gits_is_no_workspace() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().canonicalize().unwrap().join(path);
    for path in ["app/.git/hooks", "app/.GIT", "app/.github", "app.git"] {
        std::fs::create_dir_all(at(path)).unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(at("app/.git/hooks"), at("link")).unwrap();
    let config = |path: &str| {
        load(&format!("version = 1\n[[workspace]]\nid = \"app\"\npath = {:?}\n", at(path)), Language::Toml)
    };
    for path in ["app/.git", "app/.git/hooks", "link"] {
        if at(path).exists() {
            let fault = config(path).unwrap_err();
            assert!(fault.message.contains("a folder of git's own"), "{path}: {}", fault.message);
            let hint = fault.hint.unwrap_or_default();
            assert!(hint.contains("workspace remove app") && hint.contains("around it"), "{hint}");
        }
    }
    assert!(config("app/.github").is_ok() && config("app.git").is_ok());
}

#[test]
fn a_byte_that_is_no_text_has_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    std::fs::write(&file, b"version = 1\n# \xc3\xa9\xff\n").unwrap();
    let fault = config::load(&file, TOOLS).unwrap_err();
    assert_eq!((fault.line, fault.column), (2, 4), "{fault}");
}
