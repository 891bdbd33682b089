//! A machine of its own for each test: home folder, state folder, binary, and a terminal that remembers.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Mutex},
};

use outrigger::{
    cli::{
        doctor_command::{self, DoctorArgs},
        install_command::{self, InstallArgs},
        report::{Exit, Report},
        status_command::{self, StatusArgs},
        uninstall_command::{self, UninstallArgs},
        update_launcher_command::{self, UpdateLauncherArgs},
    },
    install::{Environment, Os, doctor::Limits, environment::Taken},
};

pub const MANIFEST: &str = "dev.outrigger.host.json";

pub struct Machine {
    folder: tempfile::TempDir,
    pub environment: Environment,
    pub limits: Limits,
    /// Whether `install` leaves the binary where it is.
    pub in_place: bool,
}

/// What a command said.
pub struct Said {
    pub exit: Exit,
    pub out: String,
    pub err: String,
}

impl Machine {
    /// A machine without browsers, with a binary that does nothing.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = fs::canonicalize(folder.path()).expect("canonical");
        let environment = Environment {
            os: Os::Linux,
            home: root.join("home"),
            config_home: root.join("home/.config"),
            state_dir: root.join("home/.local/state/outrigger"),
            record_home: root.join("home/.local/state/outrigger"),
            program_dir: root.join("home/.local/share/outrigger"),
            system_root: root.join("system"),
            is_root: false,
            processes: root.join("proc"),
            registry: None,
            search_path: vec![root.join("bin")],
            temporary: Vec::new(),
            binary: root.join("bin/outrigger"),
            // The one that the host of the tests names; it is not there.
            taken: Some(Taken {
                config: "/home/ada/.config/outrigger/config.toml".into(),
                state: root.join("home/.local/state/outrigger"),
            }),
            leading: Vec::new(),
        };
        fs::create_dir_all(root.join("bin")).expect("bin");
        fs::create_dir_all(&environment.home).expect("home");
        fs::create_dir_all(&environment.system_root).expect("system");
        copy("/bin/true", &environment.binary);
        Self { folder, environment, limits: Limits::default(), in_place: false }
    }

    /// The binary is a host with this behaviour.
    pub fn with_host(behaviour: &str) -> Self {
        let mut machine = Self::new();
        let bin = machine.root().join("bin");
        machine.environment.binary = bin.join(behaviour);
        // By another process, see `copy`.
        let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/fixtures/fake_host.py");
        let script = "sed 's/@VERSION@/'$2/ \"$0\" > \"$1\" && chmod 755 \"$1\"";
        let mut sed = Command::new("sh");
        sed.arg("-c")
            .arg(script)
            .arg(fixture)
            .arg(&machine.environment.binary)
            .arg(env!("CARGO_PKG_VERSION"));
        assert!(sed.status().expect("sh").success());
        // Its name says how it behaves, so manifests name it itself.
        machine.in_place = true;
        machine
    }

    /// A Windows machine, as far as its registry goes.
    pub fn windows() -> Self {
        let mut machine = Self::new();
        machine.environment.os = Os::Windows;
        let reg = machine.root().join("bin/reg");
        copy(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/fixtures/fake_reg.py"), &reg);
        machine.environment.registry = Some(reg);
        machine
    }

    /// What its registry says: default values by key, with `32:` in front of those of the 32-bit half.
    pub fn registry(&self) -> serde_json::Value {
        let text = fs::read(self.root().join("bin/registry.json")).unwrap_or_else(|_| b"{}".to_vec());
        serde_json::from_slice(&text).expect("JSON")
    }

    pub fn set_registry(&self, keys: &serde_json::Value) {
        fs::write(self.root().join("bin/registry.json"), keys.to_string()).expect("written");
    }

    pub fn root(&self) -> PathBuf {
        fs::canonicalize(self.folder.path()).expect("canonical")
    }

    /// Puts a program at a path of the machine.
    pub fn put(&self, program: &str, path: &str) {
        let to = self.root().join(path);
        fs::create_dir_all(to.parent().expect("parent")).expect("folder");
        copy(program, &to);
    }

    /// A path in the home folder.
    pub fn home(&self, path: &str) -> PathBuf {
        self.environment.home.join(path)
    }

    /// The manifest of Chrome.
    pub fn chrome(&self) -> PathBuf {
        self.home(".config/google-chrome/NativeMessagingHosts").join(MANIFEST)
    }

    /// The manifest of Firefox.
    pub fn firefox(&self) -> PathBuf {
        self.home(".mozilla/native-messaging-hosts").join(MANIFEST)
    }

    /// Makes browsers be there, as their first start would.
    pub fn has_browsers(&self, traces: &[&str]) {
        for trace in traces {
            fs::create_dir_all(self.home(trace)).expect("profile");
        }
    }

    pub fn install(&self, args: &str) -> Said {
        let args = if self.in_place { format!("{args} --in-place") } else { args.to_owned() };
        self.run(&args, |args, report| {
            install_command::install(&parse::<InstallArgs>(args), &self.environment, report)
        })
    }

    pub fn uninstall(&self, args: &str) -> Said {
        self.run(args, |args, report| {
            uninstall_command::uninstall(&parse::<UninstallArgs>(args), &self.environment, report)
        })
    }

    pub fn update_launcher(&self, args: &str) -> Said {
        self.run(args, |args, report| {
            update_launcher_command::run(&parse::<UpdateLauncherArgs>(args), &self.environment, report)
        })
    }

    pub fn status(&self, args: &str) -> Said {
        self.run(args, |args, report| {
            status_command::run(&parse::<StatusArgs>(args), &self.environment, report)
        })
    }

    pub fn doctor(&self, args: &str) -> Said {
        self.run(args, |args, report| {
            doctor_command::run(&parse::<DoctorArgs>(args), &self.environment, self.limits, report)
        })
    }

    /// `--json` among the arguments asks for JSON, as the global flag does.
    fn run(&self, args: &str, command: impl Fn(&[&str], &mut Report) -> Exit) -> Said {
        let args: Vec<&str> = args.split_whitespace().collect();
        let json = args.contains(&"--json");
        let args: Vec<&str> = args.into_iter().filter(|arg| *arg != "--json").collect();
        let (out, err) = (Memory::default(), Memory::default());
        let mut report = Report::plain(Box::new(out.clone()), Box::new(err.clone()), json);
        let exit = command(&args, &mut report);
        Said { exit, out: self.without_root(&out.text()), err: self.without_root(&err.text()) }
    }

    /// The temporary folder's own name and the release's number are nobody's business.
    fn without_root(&self, text: &str) -> String {
        text.replace(&*self.root().to_string_lossy(), "/m").replace(env!("CARGO_PKG_VERSION"), "VERSION")
    }

    /// Every path of the home folder and of the whole machine, with what is in it.
    pub fn everything(&self) -> Vec<(PathBuf, Option<Vec<u8>>)> {
        let mut found = Vec::new();
        collect(&self.environment.home, &mut found);
        collect(&self.environment.system_root, &mut found);
        found.sort();
        found
    }

    /// What manifests name.
    pub fn launcher(&self) -> PathBuf {
        self.home(".local/share/outrigger/bin/outrigger")
    }
}

impl Said {
    /// Both streams and the exit, for snapshots.
    pub fn all(&self) -> String {
        format!("{}{}exit: {:?}", self.out, self.err, self.exit)
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).expect("one JSON document")
    }
}

fn collect(folder: &Path, found: &mut Vec<(PathBuf, Option<Vec<u8>>)>) {
    for entry in fs::read_dir(folder).expect("readable").flatten() {
        let path = entry.path();
        let kind = entry.file_type().expect("kind");
        if kind.is_symlink() {
            let to = fs::read_link(&path).expect("link");
            found.push((path, Some(to.into_os_string().into_encoded_bytes())));
        } else if kind.is_dir() {
            collect(&path, found);
            found.push((path, None));
        } else {
            let bytes = fs::read(&path).expect("readable");
            found.push((path, Some(bytes)));
        }
    }
}

/// By another process: were the file ever open for writing in this one, a child started meanwhile by another test would
/// hold it open, and starting it would fail as "text file busy".
fn copy(from: &str, to: &Path) {
    let status = Command::new("cp").args(["-p", from]).arg(to).status().expect("cp");
    assert!(status.success(), "cp {from}");
}

fn parse<A: clap::Args>(args: &[&str]) -> A {
    let command = A::augment_args(clap::Command::new("outrigger").no_binary_name(true));
    let matches = command.try_get_matches_from(args).expect("arguments");
    A::from_arg_matches(&matches).expect("arguments")
}

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("lock").clone()).expect("UTF-8")
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("lock").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
