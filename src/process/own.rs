//! The programs that we start on our own account: a closed list, through the same door as everything else.
//!
//! Nothing a model or a page says can add to it. What is started here is ended here: dropping an [`OwnChild`] kills its
//! whole process group, and [`stop_own`] kills those of all.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    io::{self, Read},
    path::Path,
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use super::{ProcessError, family, login_shell};
use crate::config;

/// Asks a process that we did not start, and that nothing runs below, to leave; says whether it is gone.
///
/// `is_meant` is asked when the number is bound to what has it now: nothing else is signalled.
pub fn ask_to_leave(pid: u32, is_meant: impl Fn() -> bool, patience: Duration) -> bool {
    family::ask_to_leave(pid, is_meant, patience)
}

/// What runs, by number.
static RUNNING: Mutex<Running> = Mutex::new(Running { groups: BTreeMap::new(), stopped: false });

#[derive(Debug)]
struct Running {
    groups: BTreeMap<u32, Arc<family::Group>>,
    stopped: bool,
}

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all that runs here, and starts nothing more: whoever waits for one of them goes on at once.
pub fn stop_own() {
    let mut running = running();
    running.stopped = true;
    // Who is listed was not waited for: its number belongs to nobody else.
    running.groups.values().for_each(|group| group.kill());
}

/// True after [`stop_own`]: what came of programs since then says nothing about them.
pub fn is_stopped() -> bool {
    running().stopped
}

/// How often a child is looked at while we wait for its end: short against every limit, long against the cost of looking.
const POLL: Duration = Duration::from_millis(5);
/// No answer of the system is longer.
const ANSWER_BYTES: u64 = 256 * 1024;

/// Where a browser is given two more descriptors: no call of the standard library passes on any but the first three.
const SHELL: &str = "/bin/sh";
/// Becomes the browser, with what were input and output as 3 and 4.
const AS_3_AND_4: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#;
/// Variables that would lead a browser past the home folder that it is given.
const ELSEWHERE: &[&str] = &[
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "CHROME_CONFIG_HOME",
    "MOZ_CRASHREPORTER_DATA_DIRECTORY",
    "XRE_PROFILE_PATH",
    "OUTRIGGER_CONFIG",
    "OUTRIGGER_STATE_DIR",
];

/// One of our own programs.
#[derive(Clone, Copy, Debug)]
pub enum OwnProgram<'a> {
    /// The host that a browser's manifest names, started as that browser would: in the program's own folder, with this
    /// environment but a poor `PATH`, its three streams as pipes.
    HostProbe {
        /// The manifest's `path`.
        path: &'a Path,
        /// What the browser adds.
        args: &'a [OsString],
        /// What it uses in the state folder's place: a host that is only tried leaves nothing there.
        state: Option<&'a Path>,
    },
    /// A program of the system that is asked one question: the registry, Flatpak's store of permissions.
    SystemQuery {
        /// Absolute.
        path: &'a Path,
        /// The question.
        args: &'a [OsString],
    },
    /// A browser without a window, which the doctor asks whether it reaches the host: in a home folder that is thrown away, its three
    /// streams as pipes. Where there is a shell, a conversation with the browser goes over input and output as its descriptors 3 and 4.
    Browser {
        /// Absolute.
        path: &'a Path,
        /// Flags.
        args: &'a [OsString],
        /// The folder that stands for the user's.
        home: &'a Path,
        /// Input and output become 3 and 4.
        piped: bool,
    },
    /// A dialog of the desktop, see [`super::dialog`]: under the helper, with our own environment and our words as arguments.
    Dialog {
        /// Absolute.
        path: &'a Path,
        /// What it shows.
        args: &'a [OsString],
    },
    /// The user's login shell, asked for its `PATH`: in `/`, under the helper, with an environment of our own.
    LoginShell {
        /// Absolute.
        shell: &'a Path,
        /// Also reads what it reads for a person who types.
        interactive: bool,
    },
    /// Our own binary, asked for its version: what does nothing is started as commands are, to see whether one can be.
    Trial {
        /// Absolute.
        path: &'a Path,
    },
}

impl OwnProgram<'_> {
    /// The program.
    pub fn path(&self) -> &Path {
        match self {
            Self::Browser { piped: true, .. } => Path::new(SHELL),
            Self::HostProbe { path, .. }
            | Self::Dialog { path, .. }
            | Self::SystemQuery { path, .. }
            | Self::Trial { path }
            | Self::Browser { path, .. } => path,
            Self::LoginShell { shell, .. } => shell,
        }
    }

    /// Its arguments.
    pub fn args(&self) -> Vec<OsString> {
        match self {
            Self::HostProbe { args, .. } | Self::Dialog { args, .. } | Self::SystemQuery { args, .. } => {
                args.to_vec()
            }
            Self::Browser { path, args, piped, .. } => {
                let words = [OsString::from("-c"), AS_3_AND_4.into(), path.into()];
                words.into_iter().filter(|_| *piped).chain(args.iter().cloned()).collect()
            }
            Self::LoginShell { shell, interactive } => login_shell::arguments(shell, *interactive),
            Self::Trial { .. } => vec!["--version".into()],
        }
    }

    /// Starts it for a conversation by pipes, with the environment that we have, in its own folder.
    pub fn spawn(self) -> Result<OwnChild, ProcessError> {
        let path = self.path();
        let mut command = new_command(path);
        command.args(self.args()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = path.parent() {
            command.current_dir(folder);
        }
        match self {
            Self::HostProbe { state, .. } => {
                // What only this terminal has says nothing of a host that a browser starts.
                if cfg!(unix) {
                    command.env_clear().envs(std::env::vars_os().filter(|(name, _)| is_of_session(name)));
                }
                command.envs(family::desktop_environment().iter().copied());
                // Also without a folder: a look within a look would have no end.
                command.env(config::PROBE, state.unwrap_or(Path::new("")));
            }
            Self::Browser { home, .. } => {
                command.current_dir(home).env("HOME", home);
                for name in ELSEWHERE {
                    command.env_remove(name);
                }
                // What a script calls is not looked for where agents may write.
                command.envs(family::desktop_environment().iter().copied());
            }
            Self::SystemQuery { .. } => {
                command.envs(family::desktop_environment().iter().copied());
            }
            _ => {}
        }
        // Held meanwhile: what starts as all is stopped is stopped, too.
        let mut running = running();
        if running.stopped {
            return Err(ProcessError::Stopped);
        }
        let (child, group) = family::spawn_own(&mut command)
            .map_err(|source| ProcessError::Spawn { program: path.to_string_lossy().into_owned(), source })?;
        let group = Arc::new(group);
        running.groups.insert(child.id(), Arc::clone(&group));
        Ok(OwnChild { child, group })
    }
}

/// Variables that a desktop gives to all programs, and our own.
fn is_of_session(name: &OsStr) -> bool {
    const NAMES: &[&str] = &[
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TMPDIR",
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "XAUTHORITY",
    ];
    const STARTS: &[&str] = &["LC_", "XDG_", "DBUS_", "OUTRIGGER_"];
    name.to_str()
        .is_some_and(|name| NAMES.contains(&name) || STARTS.iter().any(|start| name.starts_with(start)))
}

impl OwnProgram<'_> {
    /// Starts it and waits for its end and all it says, at most so long.
    pub fn ask(self, limit: Duration) -> Result<Asked, ProcessError> {
        let mut child = self.spawn()?;
        drop(child.take_stdin());
        let (printed, words) = (collected(child.take_stdout()), collected(child.take_stderr()));
        let ending = child.wait_for(limit);
        // Ends whatever it left behind, so that both streams end.
        drop(child);
        let text = |words: mpsc::Receiver<Vec<u8>>| {
            let bytes = words.recv_timeout(limit).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Ok(Asked { ending, printed: text(printed), words: text(words) })
    }
}

/// What a program said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// `None`: it took too long, and was killed.
    pub ending: Option<Ending>,
    /// What it printed.
    pub printed: String,
    /// What it said on its error output.
    pub words: String,
}

impl Asked {
    /// True when it ended as programs end that did what they should.
    pub fn is_success(&self) -> bool {
        self.ending == Some(Ending::Exit(0))
    }
}

/// Reads to the end in a thread of its own, so that nobody blocks; of what is longer than an answer only the beginning.
fn collected(stream: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    // Without a thread there is nothing that it said.
    let _ = thread::Builder::new().spawn(move || {
        let Some(mut stream) = stream else { return };
        let mut bytes = Vec::new();
        let _ = stream.by_ref().take(ANSWER_BYTES).read_to_end(&mut bytes);
        let _ = io::copy(&mut stream, &mut io::sink());
        let _ = sender.send(bytes);
    });
    receiver
}

/// A program of ours that runs; killed with its group when dropped.
#[derive(Debug)]
pub struct OwnChild {
    child: Child,
    group: Arc<family::Group>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With this status.
    Exit(i32),
    /// By this signal.
    Signal(i32),
}

impl OwnChild {
    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its input; `None` the second time.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// Its output; `None` the second time.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Its error output; `None` the second time.
    pub fn take_stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// Waits until it has ended, at most this long; `None` when it still runs.
    pub fn wait_for(&self, limit: Duration) -> Option<Ending> {
        let started = Instant::now();
        loop {
            let ending = family::ending(&self.child);
            if ending.is_some() || started.elapsed() >= limit {
                return ending;
            }
            thread::sleep(POLL);
        }
    }
}

impl Drop for OwnChild {
    fn drop(&mut self) {
        running().groups.remove(&self.child.id());
        self.group.kill();
        family::wait_for_own(&mut self.child);
    }
}

#[expect(clippy::disallowed_methods, reason = "this module is the door for our own programs")]
fn new_command(path: &Path) -> Command {
    Command::new(path)
}
