//! The door itself: what may be started through it, and how.

use std::{
    ffi::OsString,
    fs::File,
    io,
    os::fd::AsFd,
    path::{Path, PathBuf},
    sync::OnceLock,
    time::Duration,
};

use super::{
    ProcessError, env,
    program::{self, SearchPath},
    run_unix::{Ended, Launch, Outcome, run},
    temp::PrivateTemp,
};
use crate::{
    cancel::Cancel,
    config::{ExecSettings, Sandbox},
    limits::EXEC_TEXT_BYTES,
    policy::{AllowedCommand, Permit},
};

/// Starts allowed commands and ends them.
#[derive(Debug)]
pub struct ProcessDoor {
    settings: ExecSettings,
    roots: Vec<PathBuf>,
    temp: PathBuf,
    helper: PathBuf,
    search_path: OnceLock<SearchPath>,
}

/// How a run is watched.
pub struct Watch<'a> {
    /// It is ended after so long.
    pub wall: Duration,
    /// It is ended after so long without output; `None`: never.
    pub idle: Option<Duration>,
    /// It is ended when somebody asks.
    pub cancel: &'a Cancel,
    /// How much text of the output is kept.
    pub keep_bytes: usize,
    /// Takes what happens meanwhile.
    pub on_news: &'a mut dyn FnMut(News<'_>),
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Watch")
            .field("wall", &self.wall)
            .field("idle", &self.idle)
            .finish_non_exhaustive()
    }
}

/// What happens while a program runs.
#[derive(Clone, Copy, Debug)]
pub enum News<'a> {
    /// It wrote something, escape sequences and all.
    Output(&'a [u8]),
    /// It has been running for so long.
    Alive(Duration),
}

/// What keeps a command in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confinement {
    /// One word.
    pub kind: &'static str,
    /// What that means for a person who decides.
    pub description: &'static str,
    /// Whether the network is closed to a command that has no right to it.
    pub closes_network: bool,
}

/// Programs of our own, for which nobody is asked.
#[derive(Clone, Copy, Debug)]
enum OwnProgram<'a> {
    /// The user's login shell, asked for its `PATH`.
    LoginShell(&'a Path),
}

/// A login shell that takes longer is waiting for somebody.
const LOGIN_SHELL_PATIENCE: Duration = Duration::from_secs(2);

/// The binary that runs, even when its file was replaced meanwhile: host and helper are always of one version.
const OWN_BINARY: &str = "/proc/self/exe";

impl ProcessDoor {
    /// A door under these settings. Programs found by name never lie below `roots`, the workspaces; private temporary
    /// folders are made below `temp`.
    pub fn new(settings: ExecSettings, roots: Vec<PathBuf>, temp: PathBuf) -> Self {
        Self { settings, roots, temp, helper: OWN_BINARY.into(), search_path: OnceLock::new() }
    }

    /// The same with another binary as the helper: for tests, which are not the `outrigger` binary themselves.
    #[must_use]
    pub fn with_helper(mut self, helper: PathBuf) -> Self {
        self.helper = helper;
        self
    }

    /// The program that an entry of the allowlist means, absolute.
    pub fn resolve_program(&self, name: &str) -> Result<PathBuf, ProcessError> {
        self.search_path().resolve(name, &self.roots)
    }

    /// True when the program, or a link that names it, lies where tools can change it.
    pub fn is_in_workspace(&self, program: &Path) -> bool {
        program::is_inside(program, &self.roots)
    }

    /// What confines a command; an error where the configuration requires more.
    pub fn confinement(&self) -> Result<Confinement, ProcessError> {
        match self.settings.sandbox {
            Sandbox::Required => Err(ProcessError::SandboxRequired),
            Sandbox::BestEffort | Sandbox::Off => Ok(Confinement {
                kind: "none",
                description: "none: the command runs with all rights of your account; \
                    it can read and change any file you can, and use the network",
                closes_network: false,
            }),
        }
    }

    /// Runs an allowed command in an open folder, to its end. Blocks; never call it from an async task.
    pub fn spawn(
        &self,
        permit: &Permit,
        command: &AllowedCommand,
        workdir: impl AsFd,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, ProcessError> {
        if !permit.allows_execute() {
            return Err(ProcessError::NotPermitted { program: command.program().display().to_string() });
        }
        self.confinement()?;
        let path = self.search_path().joined();
        self.run(
            Launch {
                program: command.program(),
                args: command.args().iter().map(OsString::from).collect(),
                env: env::of_command(command.entry(), &path, |name| std::env::var_os(name)),
                workdir: workdir.as_fd(),
            },
            watch,
        )
    }

    fn run(&self, launch: Launch<'_>, watch: &mut Watch<'_>) -> Result<Outcome, ProcessError> {
        let temp = PrivateTemp::create(&self.temp)?;
        run(&self.helper, launch, &temp, watch)
    }

    fn search_path(&self) -> &SearchPath {
        self.search_path.get_or_init(|| {
            let shell = std::env::var_os("SHELL").map(PathBuf::from).filter(|shell| shell.is_absolute());
            let shell = shell.unwrap_or_else(|| "/bin/sh".into());
            let login = self.ask(OwnProgram::LoginShell(&shell)).unwrap_or_else(|error| {
                tracing::warn!(shell = %shell.display(), %error, "the login shell's PATH is not known");
                None
            });
            SearchPath::new(&self.settings.path, login.as_deref(), std::env::var_os("PATH").as_deref())
        })
    }

    /// Runs a program of our own and reads its answer.
    fn ask(&self, own: OwnProgram<'_>) -> Result<Option<OsString>, ProcessError> {
        let OwnProgram::LoginShell(shell) = own;
        let root = open_root().map_err(|source| ProcessError::Helper { source })?;
        let outcome = self.run(
            Launch {
                program: shell,
                args: vec!["-l".into(), "-c".into(), program::login_shell_script().into()],
                env: env::of_login_shell(|name| std::env::var_os(name)),
                workdir: root.as_fd(),
            },
            &mut Watch {
                wall: LOGIN_SHELL_PATIENCE,
                idle: None,
                cancel: &Cancel::new(),
                keep_bytes: EXEC_TEXT_BYTES * 5,
                on_news: &mut |_| {},
            },
        )?;
        if outcome.ended == Ended::Timeout {
            tracing::warn!(shell = %shell.display(), "the login shell took too long to say its PATH");
        }
        Ok(program::path_in(&outcome.output.to_text()))
    }
}

/// Outside of any test or host there is no configuration: nothing is in front of the path, and the system's folder is used.
impl Default for ProcessDoor {
    fn default() -> Self {
        Self::new(ExecSettings::default(), Vec::new(), std::env::temp_dir().join("outrigger"))
    }
}

#[expect(clippy::disallowed_methods, reason = "the login shell starts in `/`, which belongs to no workspace")]
fn open_root() -> io::Result<File> {
    File::open("/")
}
