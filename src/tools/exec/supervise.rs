//! One command from plan to end, for `exec_run` and for the hooks and the network of the git tools.
//!
//! What [`Ready::preview`] shows is what [`Ready::start`] starts: program, arguments, folder, bounds.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use cap_std::fs::Dir;

use crate::{
    config::Sandbox,
    limits::EXEC_STORED_BYTES,
    policy::{AllowedCommand, Permit, Preview, Raise},
    process::{
        CANCEL_GRACE, Confinement, Ended, Guarded, News, Outcome, ProcessError, ProgramFile, Started,
        Transcript, Watch,
    },
    text::visible,
    tier::Tier,
    tools::{Call, Sink, ToolError},
};

/// Progress while output flows; more often than a person reads helps nobody.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// The signal for a system call that is not let through: those of another architecture.
const SIGSYS: i32 = 31;

/// A command that may be started as soon as there is a permit.
#[derive(Debug)]
pub struct Ready {
    command: AllowedCommand,
    folder: Arc<Dir>,
    confinement: Confinement,
    file: ProgramFile,
    wall: Duration,
}

/// A command that has ended.
#[derive(Debug)]
pub struct Ran {
    /// How.
    pub outcome: Outcome,
    /// What it wrote.
    pub transcript: Arc<Transcript>,
    /// What it changed of the files that run or decide later, each in words.
    pub touched: Vec<String>,
}

impl Ran {
    /// What a model and a person should know about how it left the world.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.outcome.survivors > 0 {
            warnings.push(format!("{} processes that it started could not be ended", self.outcome.survivors));
        }
        if self.outcome.ended == Ended::Signaled(SIGSYS) {
            let why = "a program of 32 bits cannot be held by the sandbox, and is ended by it";
            warnings.push(why.to_owned());
        }
        if !self.touched.is_empty() {
            warnings.push(format!("it changed what runs or decides later: {}", self.touched.join(", ")));
        }
        warnings
    }

    /// It exited with code 0.
    pub fn succeeded(&self) -> bool {
        self.outcome.ended == Ended::Exited(0)
    }
}

impl Ready {
    /// In the folder that the command names.
    pub fn new(call: &Call, command: AllowedCommand) -> Result<Self, ToolError> {
        let folder = call.workspace.resolve_listed(command.workdir())?;
        let folder = call.workspace.open_folder(&folder)?;
        let wall = Duration::from_millis(command.entry().timeout_ms);
        Self::in_folder(call, command, folder, wall)
    }

    /// In a folder that is open already, for at most `wall`.
    pub fn in_folder(
        call: &Call,
        command: AllowedCommand,
        folder: Arc<Dir>,
        wall: Duration,
    ) -> Result<Self, ToolError> {
        let confinement = call.processes.confinement(&command, &call.workspace)?;
        let file = call.processes.look_at(command.program())?;
        Ok(Self { command, folder, confinement, file, wall })
    }

    /// The command.
    pub fn command(&self) -> &AllowedCommand {
        &self.command
    }

    /// The program itself, behind all links.
    pub fn real_program(&self) -> &Path {
        &self.file.real
    }

    /// What keeps it in its place.
    pub fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// When it is ended.
    pub fn wall(&self) -> Duration {
        self.wall
    }

    /// What a person sees before they decide.
    pub fn preview(&self) -> Preview {
        let entry = self.command.entry();
        let mut environment: BTreeMap<String, String> = self.command.environment().clone();
        let is_set = |name: &&String| std::env::var_os(name).is_some();
        for name in entry.env_pass.iter().filter(is_set) {
            // The name is what was decided about; the value may be a secret.
            environment.entry(name.clone()).or_insert_with(|| "(passed on from the host)".to_owned());
        }
        Preview::Command {
            command: entry.id.clone(),
            program: self.command.program().display().to_string(),
            program_real: (self.file.real != self.command.program())
                .then(|| self.file.real.display().to_string()),
            program_state: self.file.state.clone(),
            args: self.command.args().to_vec(),
            workdir: self.command.workdir().to_string(),
            environment,
            network: self.confinement.has_network(),
            sandbox: self.confinement.description().to_owned(),
            timeout_ms: self.wall.as_millis() as u64,
            can_read_blocked: true,
        }
    }

    /// Reasons to ask each time.
    pub fn raises(&self, call: &Call) -> Vec<Raise> {
        let mut reasons = Vec::new();
        let program = self.command.program();
        if call.processes.is_in_workspace(program) {
            let program = program.display();
            reasons.push(format!("the program `{program}` lies in a workspace, where it can be changed"));
        }
        for interpreter in &self.file.interpreters {
            if !call.processes.is_in_workspace(interpreter) {
                continue;
            }
            let interpreter = interpreter.display();
            reasons.push(format!(
                "what runs its program, `{interpreter}`, lies in a workspace, where it can be changed"
            ));
        }
        if call.workspace.read_only() && !self.confinement.confines_files() {
            reasons.push(
                "the workspace is read-only, but nothing keeps a command from writing to it".to_owned(),
            );
        }
        for other in call.workspaces.iter().chain(call.beside.iter()).filter(|other| other.read_only()) {
            let root = other.root();
            if root != call.workspace.root() && self.confinement.lets_change(root) {
                reasons.push(format!("it could change the workspace `{}`, which is read-only", other.id()));
            }
        }
        if call.config.exec.sandbox != Sandbox::Off && !self.confinement.confines_files() {
            // An administrator who turned it off knows; one whose system is too old may not.
            reasons.push("nothing on this system keeps it from changing other files".to_owned());
        }
        if self.confinement.confines_files() {
            let exposed = call.processes.exposed(&self.confinement);
            reasons.extend(exposed.map(|path| {
                format!("it could change `{}`, a file of outrigger's own", visible(&path.to_string_lossy()))
            }));
        }
        if self.command.entry().shipped && self.command.entry().network {
            reasons.push("it fetches from the network what may then run".to_owned());
        }
        reasons.into_iter().map(|reason| Raise { tier: Tier::Individual, reason }).collect()
    }

    /// Starts it.
    pub fn start(&self, permit: &Permit, call: &Call) -> Result<Started, ProcessError> {
        call.processes.start(permit, &self.command, &self.confinement, &self.folder)
    }

    /// Runs it to its end, telling what it writes meanwhile.
    pub fn run(&self, permit: &Permit, call: &Call) -> Result<Ran, ToolError> {
        call.check_cancelled()?;
        let entry = self.command.entry();
        let before = Guarded::of(&call.workspace);
        let started = self.start(permit, call)?;
        let transcript = Arc::new(Transcript::new(EXEC_STORED_BYTES));
        let mut teller = Teller::new(&entry.id, &*call.sink);
        let outcome = started.attend(&mut Watch {
            wall: self.wall,
            idle: (entry.idle_timeout_ms > 0).then(|| Duration::from_millis(entry.idle_timeout_ms)),
            cancel: &call.cancel,
            cancel_grace: &|| CANCEL_GRACE,
            transcript: &transcript,
            on_news: &mut |news| teller.hear(news),
        })?;
        let touched = Guarded::of(&call.workspace).changed_since(&before);
        Ok(Ran { outcome, transcript, touched })
    }
}

/// Passes on what a command says.
pub(super) struct Teller<'a> {
    id: &'a str,
    sink: &'a dyn Sink,
    began: Instant,
    told: Instant,
    written: u64,
}

impl<'a> Teller<'a> {
    pub(super) fn new(id: &'a str, sink: &'a dyn Sink) -> Self {
        let now = Instant::now();
        Self { id, sink, began: now, told: now, written: 0 }
    }

    pub(super) fn hear(&mut self, news: News<'_>) {
        let due = match news {
            News::Output(bytes) => {
                self.sink.output(bytes);
                self.written += bytes.len() as u64;
                self.told.elapsed() >= PROGRESS_INTERVAL
            }
            News::Alive(_) => true,
        };
        if due {
            self.told = Instant::now();
            let runs = self.began.elapsed();
            let message = format!(
                "{} has been running for {}; {} bytes of output",
                self.id,
                in_words(runs),
                self.written
            );
            self.sink.progress(runs.as_millis() as u64, None, &message);
        }
    }
}

/// `340 ms`, `12.3 s`.
pub(super) fn in_words(duration: Duration) -> String {
    let millis = duration.as_millis();
    if millis < 1000 { format!("{millis} ms") } else { format!("{:.1} s", duration.as_secs_f64()) }
}
