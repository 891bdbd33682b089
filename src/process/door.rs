//! The door itself: what may be started through it, and how.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    sync::{OnceLock, mpsc::channel},
    thread,
    time::Duration,
};

use cap_std::fs::Dir;

use super::{
    ProcessError,
    bounds::Bounds,
    confinement::Confinement,
    ended::Ended,
    env, family, login_shell,
    output::Transcript,
    own::OwnProgram,
    program::{self, ProgramFile, SearchPath},
    run::{Launch, Started},
    sandbox::Sandboxing,
    system,
    temp::{self, PrivateTemp},
};
use crate::{
    cancel::Cancel,
    config::{ExecSettings, RESOLVING, Sandbox},
    policy::{AllowedCommand, Permit},
    workspace::Workspace,
};

/// Starts allowed commands and ends them.
#[derive(Debug)]
pub struct ProcessDoor {
    settings: ExecSettings,
    roots: Vec<PathBuf>,
    written: Vec<PathBuf>,
    temp: PathBuf,
    helper: PathBuf,
    own_files: Vec<PathBuf>,
    search_path: OnceLock<SearchPath>,
    /// Set once abandoned temporary folders were looked for.
    cleared_up: OnceLock<()>,
}

/// How a run is watched.
pub struct Watch<'a> {
    /// It is ended after so long.
    pub wall: Duration,
    /// It is ended after so long without output; `None`: never.
    pub idle: Option<Duration>,
    /// It is ended when somebody asks.
    pub cancel: &'a Cancel,
    /// How long it may clean up when somebody asks.
    pub cancel_grace: &'a dyn Fn() -> Duration,
    /// Takes the output.
    pub transcript: &'a Transcript,
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

/// A person who cancels is waiting: the answer has to come within 100 ms, the killing included.
pub const CANCEL_GRACE: Duration = Duration::from_millis(50);

/// A login shell that takes longer is waiting for somebody: nobody waits for it.
const LOGIN_SHELL_PATIENCE: Duration = Duration::from_secs(3);
/// It is asked to end only then.
const LOGIN_SHELL_BOUND: Duration = Duration::from_secs(15);
/// A person may think for a day; a dialog that nobody answers by then was forgotten.
const DIALOG_PATIENCE: Duration = Duration::from_hours(24);
/// A path, and what a toolkit says beside it.
const DIALOG_BYTES: usize = 64 * 1024;
/// What does nothing takes no longer, not even on a machine under load.
const TRIAL_PATIENCE: Duration = Duration::from_secs(4);
/// A version is shorter.
const TRIAL_BYTES: usize = 4096;
/// A `PATH` and what start-up files print are shorter.
const LOGIN_SHELL_BYTES: usize = 160 * 1024;

impl ProcessDoor {
    /// A door under these settings. Programs found by name never lie below `roots`, the workspaces; private temporary
    /// folders are made below `temp`.
    pub fn new(settings: ExecSettings, roots: Vec<PathBuf>, temp: PathBuf) -> Self {
        Self {
            settings,
            roots,
            written: Vec::new(),
            temp,
            helper: system::own_binary(),
            own_files: Vec::new(),
            search_path: OnceLock::new(),
            cleared_up: OnceLock::new(),
        }
    }

    /// The same with another binary as the helper: for tests, which are not the `outrigger` binary themselves.
    #[must_use]
    pub fn with_helper(mut self, helper: PathBuf) -> Self {
        self.helper = helper;
        self
    }

    /// The binary that is started again for what needs a process of its own.
    pub(super) fn helper(&self) -> &Path {
        &self.helper
    }

    /// The same with the folders beside the workspaces into which commands may write.
    #[must_use]
    pub fn with_written(mut self, written: Vec<PathBuf>) -> Self {
        self.written = written;
        self
    }

    /// Everything into which an agent or a command may write, as far as it is told: whoever answers there for the system, or for a
    /// person, is theirs.
    pub(super) fn open_folders(&self) -> Vec<PathBuf> {
        self.roots.iter().chain(&self.written).chain([&self.temp]).cloned().collect()
    }

    /// The same for a process that starts nothing but through this door: what a killed helper leaves falls to it, and is
    /// ended by it.
    #[must_use]
    pub fn adopting_orphans(self) -> Self {
        family::adopt_orphans();
        self
    }

    /// The same with the names of our own files, so that a plan can tell when a command could change them.
    #[must_use]
    pub fn with_own_files(mut self, own_files: Vec<PathBuf>) -> Self {
        self.own_files = own_files;
        self
    }

    /// Those of our own files that a command held like this could change.
    pub fn exposed<'s>(&'s self, confinement: &Confinement) -> impl Iterator<Item = &'s Path> {
        self.own_files.iter().map(PathBuf::as_path).filter(|path| confinement.lets_change(path))
    }

    /// A door of the same host under other settings, with other workspaces and other folders beside them.
    #[must_use]
    pub fn under(&self, settings: ExecSettings, roots: Vec<PathBuf>, written: Vec<PathBuf>) -> Self {
        Self {
            settings,
            roots,
            written,
            temp: self.temp.clone(),
            helper: self.helper.clone(),
            own_files: self.own_files.clone(),
            search_path: OnceLock::new(),
            cleared_up: OnceLock::new(),
        }
    }

    /// The program that an entry of the allowlist means, absolute.
    pub fn resolve_program(&self, name: &str) -> Result<PathBuf, ProcessError> {
        self.search_path().resolve(name, &self.roots)
    }

    /// True when the program, or a link that names it, lies where tools can change it.
    pub fn is_in_workspace(&self, program: &Path) -> bool {
        program::is_inside(program, &self.roots)
    }

    /// What lies at a program's name now: what a plan is bound to.
    pub fn look_at(&self, program: &Path) -> Result<ProgramFile, ProcessError> {
        program::look_at(program, &self.roots, &|name| self.search_path().first(name))
            .map_err(|source| ProcessError::Unseen { program: program.display().to_string(), source })
    }

    /// What confines commands here; an error where the configuration requires more than there is.
    pub fn sandboxing(&self) -> Result<Sandboxing, ProcessError> {
        Sandboxing::under(self.settings.sandbox)
    }

    /// What confines this command in this workspace; an error where the configuration requires more than there is.
    pub fn confinement(
        &self,
        command: &AllowedCommand,
        workspace: &Workspace,
    ) -> Result<Confinement, ProcessError> {
        Confinement::new(self.settings.sandbox, command.entry(), workspace)
    }

    /// Starts an allowed command in an open folder, held to what its plan told. Dropped unattended, it ends.
    pub fn start(
        &self,
        permit: &Permit,
        command: &AllowedCommand,
        confinement: &Confinement,
        workdir: &Dir,
    ) -> Result<Started, ProcessError> {
        if !permit.allows_execute() {
            return Err(ProcessError::NotPermitted { program: command.program().display().to_string() });
        }
        let path = self.search_path().joined();
        self.launch(Launch {
            program: command.program(),
            args: command.args().iter().map(OsString::from).collect(),
            env: env::of_command(command.entry(), &path, |name| std::env::var_os(name)),
            workdir,
            bounds: confinement.bounds().cloned(),
            hang_up: false,
        })
    }

    fn launch(&self, launch: Launch<'_>) -> Result<Started, ProcessError> {
        self.cleared_up.get_or_init(|| temp::clear_up(&self.temp));
        Started::launch(&self.helper, launch, PrivateTemp::create(&self.temp)?)
    }

    fn search_path(&self) -> &SearchPath {
        self.search_path.get_or_init(|| {
            let host = std::env::var_os("PATH");
            // Below a shell that is asked nobody asks again: its start-up files would start us without end.
            let is_asked = std::env::var_os(RESOLVING).is_some();
            let Some(shell) = login_shell::of_user().filter(|_| !is_asked) else {
                return SearchPath::new(&self.settings.path, None, host.as_deref());
            };
            // What a person adds for their terminal often stands in a file that only a shell with a person reads; there
            // it may also start something else, or wait.
            let login = [true, false].into_iter().find_map(|interactive| {
                let own = OwnProgram::LoginShell { shell: &shell, interactive };
                self.ask(own).unwrap_or_else(|error| {
                    tracing::warn!(shell = %shell.display(), %error, "the login shell could not be asked");
                    None
                })
            });
            if login.is_none() {
                tracing::warn!(shell = %shell.display(), "the login shell's PATH is not known");
            }
            SearchPath::new(&self.settings.path, login.as_deref(), host.as_deref())
        })
    }

    /// Shows a dialog and waits for the person; how it ended, and all that it printed.
    pub(super) fn show(&self, own: OwnProgram<'_>, cancel: &Cancel) -> Result<(Ended, String), ProcessError> {
        let root = open_root().map_err(|source| ProcessError::Helper { source })?;
        // The desktop is found by a dozen variables, each desktop's own; what a script calls is found where a desktop finds it, for a
        // folder of our `PATH` may be one that agents write.
        let desktop = family::desktop_environment();
        let is_kept =
            |name: &OsStr| !env::is_temporary(name) && desktop.iter().all(|(poor, _)| name != *poor);
        let poor = desktop.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let started = self.launch(Launch {
            program: own.path(),
            args: own.args(),
            env: std::env::vars_os().filter(|(name, _)| is_kept(name)).chain(poor).collect(),
            workdir: &root,
            bounds: None,
            hang_up: false,
        })?;
        let transcript = Transcript::new(DIALOG_BYTES);
        let outcome = started.attend(&mut Watch {
            wall: DIALOG_PATIENCE,
            idle: None,
            cancel,
            cancel_grace: &|| Duration::ZERO,
            transcript: &transcript,
            on_news: &mut |_| {},
        })?;
        Ok((outcome.ended, transcript.whole().text))
    }

    /// Starts a program that does nothing as commands are started, held as tightly as they can be; what would hold them, in a word.
    pub fn try_one(&self) -> Result<&'static str, ProcessError> {
        let has = self.sandboxing()?;
        let bounds = Bounds {
            files: has.files,
            closes_network: has.network,
            guards_processes: has.network,
            writable: Vec::new(),
        };
        let root = open_root().map_err(|source| ProcessError::Helper { source })?;
        let own = OwnProgram::Trial { path: &self.helper };
        let started = self.launch(Launch {
            program: own.path(),
            args: own.args(),
            env: env::of_login_shell(|name| std::env::var_os(name)),
            workdir: &root,
            bounds: (self.settings.sandbox != Sandbox::Off).then_some(bounds),
            hang_up: false,
        })?;
        let outcome = started.attend(&mut Watch {
            wall: TRIAL_PATIENCE,
            idle: None,
            cancel: &Cancel::new(),
            cancel_grace: &|| CANCEL_GRACE,
            transcript: &Transcript::new(TRIAL_BYTES),
            on_news: &mut |_| {},
        })?;
        match outcome.ended {
            Ended::Exited(0) => Ok(has.kind(has.network)),
            ended => Err(ProcessError::Trial { ended }),
        }
    }

    /// Asks a login shell and reads the `PATH` that it prints. One that takes too long is not waited for, but may come to its end:
    /// start-up files take locks, and who is killed leaves them.
    fn ask(&self, own: OwnProgram<'_>) -> Result<Option<OsString>, ProcessError> {
        let root = open_root().map_err(|source| ProcessError::Helper { source })?;
        let started = self.launch(Launch {
            program: own.path(),
            args: own.args(),
            env: env::of_login_shell(|name| std::env::var_os(name)),
            workdir: &root,
            bounds: None,
            hang_up: true,
        })?;
        let (told, answer) = channel();
        let attend = move || {
            let transcript = Transcript::new(LOGIN_SHELL_BYTES);
            let attended = started.attend(&mut Watch {
                wall: LOGIN_SHELL_BOUND,
                idle: None,
                cancel: &Cancel::new(),
                cancel_grace: &|| CANCEL_GRACE,
                transcript: &transcript,
                on_news: &mut |_| {},
            });
            let _ = told.send(attended.map(|_| login_shell::path_in(&transcript.whole().text)));
        };
        let thread = thread::Builder::new().name("login-shell".to_owned()).spawn(attend);
        thread.map_err(|source| ProcessError::Helper { source })?;
        answer.recv_timeout(LOGIN_SHELL_PATIENCE).unwrap_or_else(|_| {
            tracing::warn!(shell = %own.path().display(), "the login shell took too long to say its PATH");
            Ok(None)
        })
    }
}

/// Outside of any test or host there is no configuration: nothing is in front of the path, and the system's folder is used.
impl Default for ProcessDoor {
    fn default() -> Self {
        Self::new(ExecSettings::default(), Vec::new(), std::env::temp_dir().join("outrigger"))
    }
}

/// Our own programs start in `/`, which belongs to no workspace.
fn open_root() -> io::Result<Dir> {
    Dir::open_ambient_dir(std::path::MAIN_SEPARATOR_STR, cap_std::ambient_authority())
}
