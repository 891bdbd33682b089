//! What belongs to a user's own machine: who git takes the user for, and a repository with folders and files in it that the user may
//! not look at, as containers leave them: git passes over them, and so do we. What nothing goes without is named, and a repository of
//! another user is not used. As root, both run as another user, whom the permissions stop.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::{PermissionsExt as _, chown},
    path::Path,
};

use serde_json::{Value, json};

use crate::fresh_home::{Home, Said};

const SCRIPT: &str = "set -e; git init -q -b main; git config user.name A; git config user.email a@x; mkdir -p sub/deep top; echo a >sub/f; \
     echo b >sub/deep/g; echo c >top/h; echo d >plain; echo other >other; printf '*.o\\n' >.gitignore; git add -A; git commit -qm one; \
     echo changed >>other; echo new >fresh";

struct Place {
    home: Home,
}

impl Place {
    /// What `closes` has made cannot be looked at.
    fn new(closes: &str) -> Self {
        let home = Home::new();
        let workspace = home.path("work");
        fs::create_dir_all(&workspace).unwrap();
        fs::create_dir_all(home.path(".config/outrigger")).unwrap();
        let config = format!(
            "version = 1\n[tools]\nprofile = \"full\"\n[[workspace]]\nid = \"app\"\npath = {:?}\n",
            workspace.to_str().unwrap()
        );
        fs::write(home.path(".config/outrigger/config.toml"), config).unwrap();
        home.give_to_user();
        let place = Self { home };
        let made = place.sh(&format!("{SCRIPT}; {closes}"));
        assert_eq!(made.code, Some(0), "{}", made.err);
        place
    }

    fn sh(&self, script: &str) -> Said {
        let mut command = self.home.command(Path::new("/bin/sh"));
        command.args(["-c", &format!("cd \"$0\"; {script}")]).arg(self.home.path("work"));
        let output = command.output().unwrap();
        Said {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn call(&self, tool: &str, arguments: &[&str]) -> Value {
        let before = ["call", "--json", "--yes=individual", "--workspace", "app", tool];
        self.home.run(&[&before, arguments].concat()).json()
    }

    /// What git's status says: two letters and the path.
    fn porcelain(&self) -> BTreeSet<(String, String)> {
        let said = self.sh("git status --porcelain");
        assert_eq!(said.code, Some(0), "{}", said.err);
        said.out.lines().map(|line| (line[..2].to_owned(), line[3..].to_owned())).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.home.open_again();
    }
}

/// The same of ours.
fn letters(status: &Value) -> BTreeSet<(String, String)> {
    let list = |name: &str, letters: fn(&str) -> &'static str| {
        let entries = status["data"][name].as_array().unwrap_or_else(|| panic!("{status:#}"));
        entries
            .iter()
            .map(|entry| {
                (
                    letters(entry["change"].as_str().unwrap()).to_owned(),
                    entry["path"].as_str().unwrap().to_owned(),
                )
            })
            .collect::<Vec<_>>()
    };
    let unstaged = list("unstaged", |change| if change == "deleted" { " D" } else { " M" });
    unstaged.into_iter().chain(list("untracked", |_| "??")).collect()
}

/// What is closed, and the folder that is named for it.
const CLOSED: [(&str, &str); 9] = [
    ("mkdir pgdata; echo x >pgdata/x; chmod 0 pgdata", "pgdata"),
    ("mkdir top/pgdata; echo x >top/pgdata/x; chmod 0 top/pgdata", "top/pgdata"),
    ("mkdir -p un/pgdata; echo x >un/y; chmod 0 un/pgdata", "un/pgdata"),
    ("mkdir -p un/pgdata; chmod 0 un/pgdata", "un/pgdata"),
    ("chmod 0 sub", "sub"),
    ("chmod 644 sub", "sub"),
    ("chmod 311 sub", "sub"),
    ("chmod 0 sub/deep; echo more >>sub/f", "sub/deep"),
    ("echo 'pgdata/' >>.gitignore; git commit -qm ignored -- .gitignore; mkdir pgdata; chmod 0 pgdata", ""),
];

#[test]
fn a_folder_that_is_closed_is_passed_over_as_by_git() {
    for (closes, folder) in CLOSED {
        let place = Place::new(closes);
        let status = place.call("git_status", &[]);
        assert_eq!(letters(&status), place.porcelain(), "{closes}: {status:#}");
        let named = if folder.is_empty() { Value::Null } else { json!([folder]) };
        assert_eq!(status["data"]["not_looked_into"], named, "{closes}: {status:#}");
        assert_eq!(status["warnings"].to_string().contains(&format!("`{folder}`")), !folder.is_empty());
        let diff = place.call("git_diff", &[]);
        assert_eq!(diff["ok"], true, "{closes}: {diff:#}");
        assert!(diff["data"]["files"].to_string().contains("other"), "{closes}: {diff:#}");
        // Of one file nothing is said that does not concern it.
        let added = place.call("git_add", &["paths=[\"other\"]"]);
        assert_eq!((&added["ok"], &added["data"]["staged"]), (&json!(true), &json!(["other"])), "{added:#}");
        assert_eq!(added["warnings"].as_array().map_or(0, Vec::len), 0, "{closes}: {added:#}");
        let all = place.call("git_add", &["paths=[\".\"]"]);
        assert_eq!(all["ok"], true, "{closes}: {all:#}");
        let ours =
            place.sh("git ls-files -s; git reset -q; git add . 2>/dev/null; git ls-files -s >../theirs").out;
        assert_eq!(ours, fs::read_to_string(place.home.path("theirs")).unwrap(), "{closes}");
        place.sh("git reset -q");
        let restored = place.call("git_restore", &["paths=[\"other\"]"]);
        assert_eq!(restored["data"]["restored"], json!(["other"]), "{closes}: {restored:#}");
    }
}

#[test]
fn a_file_that_may_not_be_read_is_named_and_stops_nothing_else() {
    let (untracked, tracked) =
        ("echo x >secret; chmod 0 secret", "sleep 1.1; echo changed! >plain; chmod 0 plain");
    for (closes, path) in [(untracked, "secret"), (tracked, "plain")] {
        let place = Place::new(closes);
        let status = place.call("git_status", &[]);
        assert_eq!(letters(&status), place.porcelain(), "{closes}: {status:#}");
        let diff = place.call("git_diff", &[]);
        assert!(diff["data"]["files"].to_string().contains("other"), "{closes}: {diff:#}");
        if path == "plain" {
            assert!(diff.to_string().contains("this user may not read it"), "{diff:#}");
        }
        let added = place.call("git_add", &["paths=[\"other\"]"]);
        assert_eq!(added["data"]["staged"], json!(["other"]), "{closes}: {added:#}");
        let all = place.call("git_add", &["paths=[\".\"]"]);
        assert_eq!(all["code"], "permission_denied", "{all:#}");
        assert!(all["message"].as_str().unwrap().contains(path), "{all:#}");
    }
}

#[test]
fn rules_that_may_not_be_read_are_named() {
    for (rules, tool) in
        [(".gitignore", "git_status"), (".git/info/exclude", "git_status"), (".gitattributes", "git_restore")]
    {
        let place = Place::new(&format!("echo '*.x' >{rules}; chmod 0 {rules}"));
        let arguments: &[&str] = if tool == "git_restore" { &["paths=[\"other\"]"] } else { &[] };
        let said = place.call(tool, arguments);
        assert_eq!(said["code"], "permission_denied", "{said:#}");
        assert!(said["message"].as_str().unwrap().contains(rules), "{said:#}");
    }
    // In a folder, the folder is passed over.
    let place = Place::new("echo '*.x' >sub/.gitignore; chmod 0 sub/.gitignore");
    let status = place.call("git_status", &[]);
    assert_eq!(status["data"]["not_looked_into"], json!(["sub"]), "{status:#}");
}

#[test]
fn files_whose_attributes_may_not_be_read_are_compared_by_those_of_the_index() {
    let place = Place::new(
        "printf '*.txt text eol=crlf\\n' >.gitattributes; printf 'a\\r\\n' | tee a.txt b.txt >sub/c.txt; git add .gitattributes a.txt b.txt \
         sub; git commit -qm rules; printf 'b\\r\\n' >b.txt; touch -d '2 days ago' plain a.txt b.txt sub/*.txt sub/f top/h; chmod +x top/h; \
         chmod 0 .gitattributes",
    );
    let status = place.call("git_status", &[]);
    assert_eq!(letters(&status), place.porcelain(), "{status:#}");
    assert!(!letters(&status).iter().any(|(_, path)| path == "a.txt"), "{status:#}");
    let diff = place.call("git_diff", &[]);
    let named = diff["data"]["files"].as_array().unwrap().iter();
    let named = named.map(|file| file["path"].as_str().unwrap().to_owned() + "\n").collect::<String>();
    assert_eq!(named, place.sh("git diff --name-only 2>/dev/null").out, "{diff:#}");
}

/// Calls that read, and calls that change something.
const READ: [(&str, &[&str]); 5] = [
    ("git_status", &[]),
    ("git_diff", &[]),
    ("git_log", &[]),
    ("git_show", &["rev=HEAD"]),
    ("git_blame", &["path=other"]),
];
const CHANGED: [(&str, &[&str]); 4] = [
    ("git_add", &["paths=[\"other\"]"]),
    ("git_commit", &["message=m", "paths=[\"other\"]"]),
    ("git_restore", &["paths=[\"other\"]"]),
    ("git_switch", &["branch=fresh", "create=true"]),
];

#[test]
fn a_part_of_the_git_folder_that_may_not_be_read_is_named() {
    for part in ["", "/HEAD", "/config", "/info", "/objects", "/refs", "/refs/heads"] {
        let place = Place::new(&format!("chmod 0 .git{part}"));
        for (tool, arguments) in READ.iter().chain(&CHANGED) {
            let said = place.call(tool, arguments);
            assert_eq!(said["code"], "permission_denied", "{part}: {said:#}");
            let message = said["message"].as_str().unwrap();
            assert!(message.contains(&format!("`.git{part}`")), "{part}: {said:#}");
        }
    }
    let place = Place::new("chmod 0 .git/index");
    for (tool, arguments) in [READ[0], READ[1], CHANGED[0], CHANGED[1]] {
        let said = place.call(tool, arguments);
        assert_eq!(said["code"], "permission_denied", "{said:#}");
        assert!(said["message"].as_str().unwrap().contains("`.git/index`"), "{said:#}");
    }
    for closes in ["chmod 0 .git/refs/heads/main", "git pack-refs --all; chmod 0 .git/packed-refs"] {
        let place = Place::new(closes);
        for (tool, arguments) in READ.iter().chain(&CHANGED) {
            let said = place.call(tool, arguments);
            assert_eq!(said["code"], "permission_denied", "{closes}: {said:#}");
            assert!(said["message"].as_str().unwrap().contains(".git"), "{closes}: {said:#}");
        }
    }
    // One in a folder is passed by for the one around it, as by git.
    let place = Place::new("git init -q sub; chmod 0 sub/.git");
    let log = place.call("git_log", &["path=sub"]);
    assert_eq!(log["data"]["commits"][0]["subject"], "one", "{log:#}");
    assert_eq!(place.sh("cd sub; git log --format=%s").out, "one\n");
}

#[test]
fn a_git_folder_elsewhere_that_may_not_be_read_is_named() {
    let made = "git init -q in; (cd in; git config user.name A; git config user.email a@x; git commit -q --allow-empty -m in); \
                git -c protocol.file.allow=always submodule --quiet add ./in module 2>/dev/null; git worktree add -q tree;";
    for (closed, path, named) in [
        ("module/.git", "module", "`.git`"),
        (".git/modules/module", "module", "`.git/modules/module`"),
        (".git/modules/module/config", "module", "`.git/config`"),
        ("tree/.git", "tree", "`.git`"),
        (".git/worktrees/tree/commondir", "tree", "`.git/worktrees/tree/commondir`"),
    ] {
        let place = Place::new(made);
        assert_eq!(place.call("git_log", &[&format!("path={path}")])["ok"], true, "{closed}");
        place.sh(&format!("chmod 0 {closed}"));
        let said = place.call("git_log", &[&format!("path={path}")]);
        assert_eq!(said["code"], "permission_denied", "{closed}: {said:#}");
        assert!(said["message"].as_str().unwrap().contains(named), "{closed}: {said:#}");
    }
}

#[test]
fn a_repository_of_another_user_is_used_where_git_uses_it() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only the administrator can give a folder to somebody else");
        return;
    }
    for theirs in ["work", "work/.git"] {
        let place = Place::new("true");
        let work = place.home.path("work");
        chown(place.home.path(theirs), Some(0), Some(0)).unwrap();
        let state = |place: &Place| {
            let git = "git -c safe.directory=* ";
            place.sh(&format!("{git} log --format=%s; {git} branch; {git} ls-files -s; cat other")).out
        };
        let before = state(&place);
        assert!(before.starts_with("one\n"), "{before}");
        let mut hint = String::new();
        for (tool, arguments) in READ.iter().chain(&CHANGED) {
            assert_ne!(place.sh("git log").code, Some(0));
            let said = place.call(tool, arguments);
            assert_eq!(said["code"], "permission_denied", "{tool}: {said:#}");
            assert!(
                said["message"].as_str().unwrap().contains("belongs to another user"),
                "{tool}: {said:#}"
            );
            said["hint"].as_str().unwrap().clone_into(&mut hint);
        }
        assert_eq!(state(&place), before);
        // Nothing of the repository itself allows it.
        place.sh("git -c safe.directory=* config safe.directory '*'");
        assert_eq!(place.call("git_log", &[])["code"], "permission_denied");
        // What the hint says is what helps.
        let allow = format!("git config --global --add safe.directory {}", work.display());
        assert!(hint.contains(&format!("`{allow}`")), "{hint}");
        assert_eq!(place.sh(&allow).code, Some(0));
        assert_eq!(place.sh("git log").code, Some(0));
        for (tool, arguments) in &READ {
            let said = place.call(tool, arguments);
            assert_eq!(said["ok"], true, "{tool}: {said:#}");
        }
    }
    // Whatever the folder is called, the command is one for it.
    let place = Place::new("git init -q \"it's\"");
    chown(place.home.path("work/it's"), Some(0), Some(0)).unwrap();
    let said = place.call("git_status", &["path=it's"]);
    assert!(said["hint"].as_str().unwrap().contains(r"/work/it'\''s'`"), "{said:#}");
}

#[test]
fn what_is_closed_is_open_again_for_the_owner() {
    // The machinery above stops nobody by itself.
    let place = Place::new("chmod 0 sub");
    fs::set_permissions(place.home.path("work/sub"), fs::Permissions::from_mode(0o755)).unwrap();
    let status = place.call("git_status", &[]);
    assert_eq!(status["data"]["not_looked_into"], Value::Null, "{status:#}");
}

#[test]
fn the_user_is_who_git_takes_the_user_for() {
    let at_work = "https://work.example/app.git";
    for url in [at_work, "https://other.example/app.git"] {
        let place = Place::new("git config --unset user.name; git config --unset user.email");
        let include = format!(
            "[user]\nname = Home\nemail = h@h\n[includeIf \"hasconfig:remote.*.url:{at_work}\"]\npath = work.inc\n"
        );
        fs::write(place.home.path(".gitconfig"), include).unwrap();
        fs::write(place.home.path("work.inc"), "[user]\nname = Work\nemail = w@w\n").unwrap();
        place.home.give_to_user();
        place.sh(&format!("git remote add origin {url}"));
        let done = place.call("git_commit", &["message=second", "paths=[\"other\"]"]);
        assert_eq!(done["ok"], true, "{done:#}");
        let said = place.sh("git log -1 --format='%an <%ae> %cn <%ce>'; git var GIT_AUTHOR_IDENT").out;
        let (ours, theirs) = said.split_once('\n').unwrap();
        assert!(theirs.starts_with(ours.split_at(ours.len() / 2).0.trim()), "{said}");
        assert_eq!(ours.contains("Work <w@w> Work <w@w>"), url == at_work, "{said}");
    }
}
