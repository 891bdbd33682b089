//! A home folder with two browsers in it and the real binary: installed, broken, looked at, mended, taken out again.
//!
//! Permissions do not stop the administrator: as root everything here runs as another user. Disks of other kinds stand in a namespace
//! of mounts of their own, which ends with the test.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Output, Stdio},
};

use serde_json::Value;

use crate::machine::MANIFEST;

const BINARY: &str = env!("CARGO_BIN_EXE_outrigger");
/// Nobody: any number without an account.
pub const USER: u32 = 61_234;

/// No command takes so long, also under load; one that hangs is a failed test and not a silent one.
const PATIENCE: &str = "300";

/// A home folder with Chrome and Firefox in it.
pub struct Home {
    folder: tempfile::TempDir,
    is_root: bool,
    /// The home folder below the test's own.
    place: PathBuf,
    pub binary: PathBuf,
    pub variables: Vec<(&'static str, String)>,
    /// What every command is started through, after the rights are gone.
    pub through: Vec<String>,
    disks: Option<Disks>,
}

/// What a command said.
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Said {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err))
    }
}

/// Every path below a folder, with what it is.
pub type Tree = BTreeMap<PathBuf, String>;

impl Home {
    pub fn new() -> Self {
        Self::named("home")
    }

    /// The home folder has this name, or is this far away.
    pub fn named(place: impl Into<PathBuf>) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let is_root = rustix::process::geteuid().is_root();
        let mut home = Self {
            folder,
            is_root,
            place: place.into(),
            binary: BINARY.into(),
            variables: Vec::new(),
            through: Vec::new(),
            disks: None,
        };
        for profile in [".config/google-chrome/Default", ".mozilla/firefox/abc.default"] {
            fs::create_dir_all(home.path(profile)).expect("profile");
        }
        // As Chrome makes it.
        let private = fs::Permissions::from_mode(0o700);
        fs::set_permissions(home.path(".config/google-chrome"), private).expect("mode");
        home.give_to_user();
        // Where the build folder is closed to everybody else, a copy serves.
        if is_root && home.run(&["--version"]).code != Some(0) {
            let copy = home.folder.path().join("outrigger");
            fs::copy(BINARY, &copy).expect("copied");
            home.binary = copy;
        }
        home
    }

    #[expect(clippy::print_stderr, reason = "a test that is left out says so")]
    /// The same with mounts of its own, made by this script, in which `$1` is the test's folder; `None`, with the reason printed, where
    /// this machine refuses them.
    pub fn with_disks(script: &str) -> Option<Self> {
        let mut home = Self::new();
        match Disks::open(home.is_root) {
            Ok(disks) => home.disks = Some(disks),
            Err(reason) => {
                eprintln!("skipped: no mounts of one's own here: {reason}");
                return None;
            }
        }
        home.mount(script);
        Some(home)
    }

    /// Gives the home folder another name.
    pub fn move_to(&mut self, place: &str) {
        let old = self.path("");
        self.place = place.into();
        fs::rename(old, self.path("")).expect("moved");
    }

    /// Changes the mounts.
    pub fn mount(&self, script: &str) {
        let disks = self.disks.as_ref().expect("disks");
        disks.run(&self.root(), script).unwrap_or_else(|words| panic!("{script}: {words}"));
    }

    /// A path as the commands see it, from outside of their namespace.
    pub fn behind(&self, path: &Path) -> PathBuf {
        match &self.disks {
            Some(disks) => {
                Path::new("/proc").join(disks.pid()).join("root").join(path.strip_prefix("/").unwrap_or(path))
            }
            None => path.to_path_buf(),
        }
    }

    /// With a program of few bytes, for who starts it often.
    pub fn small() -> Self {
        let mut home = Self::new();
        let small = stripped();
        if home.binary == Path::new(BINARY) {
            home.binary = small;
        } else {
            fs::copy(small, &home.binary).expect("copied");
        }
        home
    }

    /// With a good link in both browsers; the manifests name the launcher.
    pub fn installed() -> Self {
        let home = Self::new();
        let said = home.run(&["install", "--browser", "chrome,firefox"]);
        assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
        home
    }

    pub fn root(&self) -> PathBuf {
        fs::canonicalize(self.folder.path()).expect("canonical")
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root().join(&self.place).join(path)
    }

    pub fn chrome(&self) -> PathBuf {
        self.path(".config/google-chrome/NativeMessagingHosts").join(MANIFEST)
    }

    pub fn firefox(&self) -> PathBuf {
        self.path(".mozilla/native-messaging-hosts").join(MANIFEST)
    }

    pub fn state(&self, path: &str) -> PathBuf {
        self.path(".local/state/outrigger").join(path)
    }

    pub fn program(&self, path: &str) -> PathBuf {
        self.path(".local/share/outrigger").join(path)
    }

    /// What a test has put there belongs to whoever runs the commands.
    pub fn give_to_user(&self) {
        if self.is_root {
            let owner = format!("{USER}:{USER}");
            let status = Command::new("chown").args(["-Rh", &owner]).arg(self.folder.path()).status();
            assert!(status.expect("chown").success());
        }
    }

    pub fn command(&self, program: &Path) -> Command {
        let user = USER.to_string();
        let as_user = ["setpriv", "--reuid", &user, "--regid", &user, "--clear-groups"];
        self.command_as(if self.is_root { &as_user } else { &[] }, program)
    }

    fn command_as(&self, who: &[&str], program: &Path) -> Command {
        let mut command = Command::new("timeout");
        command.args(["-k", "1", PATIENCE]);
        if let Some(disks) = &self.disks {
            command.args(["nsenter", "-t", &disks.pid(), "-m"]);
            command.args(if self.is_root { &[][..] } else { &["-U", "--preserve-credentials"] });
        }
        command.args(who).args(&self.through).arg(program);
        command.env_clear().env("HOME", self.path("")).env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/sh");
        command.envs(self.variables.iter().cloned()).stdin(Stdio::null()).current_dir("/");
        command
    }

    /// The binary, started by these words.
    pub fn command_through(&self, words: &[String]) -> Command {
        let mut command = self.command(Path::new(&words[0]));
        command.args(&words[1..]).arg(&self.binary);
        command
    }

    pub fn run(&self, args: &[&str]) -> Said {
        said(&self.command(&self.binary).args(args).output().expect("runs"))
    }

    /// The same as whoever runs the test.
    pub fn run_as_root(&self, args: &[&str]) -> Said {
        said(&self.command_as(&[], &self.binary).args(args).output().expect("runs"))
    }

    /// Runs what a person would paste into a shell. Where the test itself is the administrator, so is `sudo`.
    pub fn paste(&self, line: &str) -> Said {
        let shell = Path::new("/bin/sh");
        if !self.is_root || !line.starts_with("sudo ") {
            return said(&self.command(shell).args(["-c", line]).output().expect("sh"));
        }
        let line = line.replace("$(id -u)", &USER.to_string());
        let (first, rest) = line.split_once(" && ").unwrap_or((&line, ""));
        let first = first.trim_start_matches("sudo ");
        let done = said(&self.command_as(&[], shell).args(["-c", first]).output().expect("sh"));
        if done.code == Some(0) && !rest.is_empty() { self.paste(rest) } else { done }
    }

    /// As a browser does it that goes at once.
    pub fn start_host(&self) {
        let origin = &outrigger::native::caller::own_extensions()[0];
        let started = self.command(&self.binary).arg(origin).status();
        assert!(started.expect("starts").success());
    }

    pub fn doctor(&self, more: &[&str]) -> Value {
        let args = [&["doctor", "--json", "--browser", "chrome,firefox"], more].concat();
        self.run(&args).json()
    }

    pub fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        walk(&self.behind(&self.root()), &mut tree);
        tree
    }

    /// Opens what a test has closed, so that the folder can be thrown away.
    pub fn open_again(&self) {
        let _ = Command::new("chmod").args(["-R", "u+rwx"]).arg(self.folder.path()).status();
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if self.is_root && std::thread::panicking() {
            let _ = Command::new("chattr").args(["-R", "-i"]).arg(self.folder.path()).output();
        }
        self.open_again();
    }
}

/// A namespace of mounts, held open by a shell that makes them.
struct Disks {
    shell: RefCell<Child>,
    answers: RefCell<BufReader<ChildStdout>>,
}

impl Disks {
    fn open(is_root: bool) -> Result<Self, String> {
        let mut command = Command::new("unshare");
        command.args(["--mount", "--propagation", "private"]);
        if !is_root {
            command.args(["--map-current-user", "--keep-caps"]);
        }
        let shell = command
            .arg("/bin/sh")
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut shell = shell.map_err(|error| error.to_string())?;
        let answers = BufReader::new(shell.stdout.take().expect("stdout"));
        let disks = Self { shell: RefCell::new(shell), answers: RefCell::new(answers) };
        // What some machines refuse is the mount and not the namespace.
        disks.run(Path::new("/mnt"), "mount -t tmpfs none \"$1\"; umount \"$1\"").map(|()| disks)
    }

    fn pid(&self) -> String {
        self.shell.borrow().id().to_string()
    }

    pub fn run(&self, root: &Path, script: &str) -> Result<(), String> {
        let root = root.to_str().expect("text");
        let line = format!("said=$(set -e; set -- '{root}'; {{ {script}; }} 2>&1); echo \"$?\" $said\n");
        let mut shell = self.shell.borrow_mut();
        shell.stdin.as_mut().expect("stdin").write_all(line.as_bytes()).map_err(|error| error.to_string())?;
        let mut answer = String::new();
        self.answers.borrow_mut().read_line(&mut answer).map_err(|error| error.to_string())?;
        match answer.trim_end().split_once(' ').unwrap_or((answer.trim_end(), "")) {
            ("0", _) => Ok(()),
            ("", _) => Err("the shell could not be started".to_owned()),
            (_, words) => Err(words.to_owned()),
        }
    }
}

impl Drop for Disks {
    fn drop(&mut self) {
        let mut shell = self.shell.borrow_mut();
        let _ = shell.kill();
        let _ = shell.wait();
    }
}

fn said(output: &Output) -> Said {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(![Some(124), Some(137)].contains(&output.status.code()), "it hangs: {output:?}");
    Said { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

pub fn walk(folder: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path()) {
        let metadata = fs::symlink_metadata(&entry).expect("there");
        let content = if metadata.is_file() {
            format!("{} bytes", metadata.len())
        } else if metadata.is_symlink() {
            fs::read_link(&entry).expect("link").display().to_string()
        } else {
            String::new()
        };
        tree.insert(entry.clone(), format!("{:o} {} {content}", metadata.mode(), metadata.uid()));
        if metadata.is_dir() {
            walk(&entry, tree);
        }
    }
}

/// All that is not right, the browsers' and the machine's.
pub fn findings(diagnosis: &Value) -> Vec<Value> {
    let browsers = diagnosis["browsers"].as_array().expect("list").iter().map(|browser| &browser["checks"]);
    browsers
        .chain([&diagnosis["general"]])
        .flat_map(|checks| checks.as_array().expect("list"))
        .filter(|check| check["verdict"] == "problem" || check["verdict"] == "warning")
        .cloned()
        .collect()
}

/// The first finding with this id: with evidence, and a way out.
pub fn named(fault: &str, diagnosis: &Value, id: &str, seen: &str) -> Value {
    let found = findings(diagnosis);
    let finding = found.iter().find(|check| check["id"] == id);
    let finding = finding.unwrap_or_else(|| panic!("{fault}: no {id} in {found:#?}"));
    let evidence = finding["evidence"].as_str().unwrap_or_default();
    assert!(evidence.contains(seen), "{fault}: {seen} in {finding:#}");
    assert!(finding["fix"].is_string() || finding["advice"].is_string(), "{fault}: {finding:#}");
    if finding["verdict"] == "problem" {
        assert_eq!(diagnosis["ok"], false, "{fault}");
    }
    finding.clone()
}

/// How a fault ends.
pub enum Way {
    /// `doctor --fix` mends it.
    Fix,
    /// The command that the doctor gives mends it.
    Paste,
    /// The same, and nobody can give what was broken to its user.
    Sealed,
}

/// Installs, breaks one thing, sees it named, mends it, uninstalls: nothing is left, nothing is taken.
pub fn judge(fault: &str, id: &str, seen: &str, way: &Way, seed: impl Fn(&Home)) {
    judge_in(&Home::new(), fault, id, seen, way, seed);
}

/// The same in a home of its own kind.
pub fn judge_in(home: &Home, fault: &str, id: &str, seen: &str, way: &Way, seed: impl Fn(&Home)) {
    let before = home.tree();
    let said = home.run(&["install", "--browser", "chrome,firefox"]);
    assert_eq!(said.code, Some(0), "{fault}: {}{}", said.out, said.err);
    seed(home);
    if !matches!(way, Way::Sealed) {
        home.give_to_user();
    }
    let finding = named(fault, &home.doctor(&[]), id, seen);
    match way {
        Way::Fix => {
            let after = home.doctor(&["--fix"]);
            assert_eq!(after["ok"], true, "{fault}: {:#?}", findings(&after));
        }
        Way::Paste | Way::Sealed => {
            let fix = finding["fix"].as_str().unwrap_or_else(|| panic!("{fault}: {finding:#}"));
            let pasted = home.paste(fix);
            assert_eq!(pasted.code, Some(0), "{fault}: {fix}: {}{}", pasted.out, pasted.err);
            let after = home.doctor(&[]);
            assert_eq!(after["ok"], true, "{fault}: {fix}: {:#?}", findings(&after));
        }
    }
    // What a command moved aside is the person's own to throw away.
    for path in home.tree().into_keys().filter(|path| path.extension().is_some_and(|end| end == "old")) {
        if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }.expect("removed");
    }
    let said = home.run(&["uninstall"]);
    assert_eq!(said.code, Some(0), "{fault}: {}{}", said.out, said.err);
    let mut after = home.tree();
    if seen == "installed.json" {
        // Which folders were made nobody knows without the record: what is left of them is empty.
        after.retain(|path, _| before.contains_key(path) || !path.is_dir());
    }
    assert_eq!(after, before, "{fault}");
}

pub fn close(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o000)).expect("mode");
}

pub fn pipe(path: &Path) {
    let _ = fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

pub fn edit(path: &Path, change: impl Fn(&mut Value)) {
    let mut manifest: Value = serde_json::from_slice(&fs::read(path).expect("there")).expect("JSON");
    change(&mut manifest);
    fs::write(path, manifest.to_string()).expect("written");
}

/// Replaces the launcher by a script; `REAL` is the binary.
pub fn wrap(home: &Home, text: &str) {
    let launcher = home.program("bin/outrigger");
    fs::remove_file(&launcher).expect("removed");
    // By another process: one that is being started elsewhere must not hold the file open for writing.
    let text = text.replace("REAL", home.binary.to_str().expect("text"));
    let write = Command::new("sh")
        .args(["-c", "printf %s \"$2\" >\"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(&launcher)
        .arg(text)
        .status();
    assert!(write.expect("sh").success());
}

impl Home {
    /// The tree as a root sees it, or as far as it is open.
    pub fn tree_of_closed(&self) -> Tree {
        let mut tree = Tree::new();
        walk(&self.path(""), &mut tree);
        tree
    }
}

/// The program without symbols: made once a build, in the build's own folder.
fn stripped() -> PathBuf {
    let built = fs::metadata(BINARY).expect("built");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stripped");
    let name = format!("outrigger-{}-{}", built.mtime(), built.mtime_nsec());
    let program = folder.join(&name).join("outrigger");
    if program.exists() {
        return program;
    }
    fs::create_dir_all(&folder).expect("folder");
    let mine = tempfile::tempdir_in(&folder).expect("folder");
    let mut strip = Command::new("sh");
    strip.args([
        "-c",
        "strip -o \"$2\" \"$1\" || cp \"$1\" \"$2\"; chmod 755 \"$2\" \"${2%/*}\"",
        "sh",
        BINARY,
    ]);
    assert!(strip.arg(mine.path().join("outrigger")).status().expect("sh").success());
    // Whoever is first has made it for all; what an older build left goes.
    if fs::rename(mine.path(), folder.join(&name)).is_ok() {
        for other in fs::read_dir(&folder).expect("listed").flatten() {
            let is_old = other
                .metadata()
                .and_then(|about| about.modified())
                .is_ok_and(|at| at.elapsed().is_ok_and(|age| age > std::time::Duration::from_hours(24)));
            if is_old && other.file_name() != *name {
                let _ = fs::remove_dir_all(other.path());
            }
        }
    }
    program
}
