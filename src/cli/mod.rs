//! The entrances: who started us decides what we are. A browser's arguments start the host; a person's are a command line.

pub mod audit_command;
mod call_arguments;
pub mod call_command;
pub mod config_command;
pub mod demo_command;
pub mod doctor_command;
mod errands;
pub mod install_command;
pub mod mcp_command;
#[cfg(unix)]
#[path = "means_unix.rs"]
mod means;
#[cfg(windows)]
#[path = "means_windows.rs"]
mod means;
mod reload;
pub mod report;
pub mod serve;
mod shell;
pub mod status_command;
mod stopped;
pub mod targets;
#[cfg(unix)]
#[path = "terminate_unix.rs"]
mod terminate;
#[cfg(windows)]
#[path = "terminate_windows.rs"]
mod terminate;
pub mod trust_command;
pub mod undo_command;
pub mod uninstall_command;
pub mod update_launcher_command;
pub mod workspace_command;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use clap::{CommandFactory, Parser, Subcommand, error::ErrorKind};
use serde_json::json;

use self::{
    errands::OwnErrands,
    reload::{Loaded, Loader},
    report::{Exit, Report},
    serve::Service,
};
use crate::{
    config::{self, Config},
    hint::nearest,
    install::{Environment, InstallError},
    native::Caller,
    policy::Law,
    process,
    tools::catalog,
};

/// Workspace tools for an agent in the browser, with the user in charge
#[derive(Debug, Parser)]
#[command(
    name = "outrigger",
    version,
    after_help = "Exit codes: 0 done, 1 there were problems, 2 the command line is wrong, 3 not approved."
)]
struct Cli {
    /// The configuration file (default: `$OUTRIGGER_CONFIG`, or config.toml or config.yaml in the configuration folder)
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Answer with JSON
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the tools to an MCP client over stdio
    Mcp(mcp_command::McpArgs),
    /// Let browsers find this host
    Install(install_command::InstallArgs),
    /// Take back what `install` wrote
    Uninstall(uninstall_command::UninstallArgs),
    /// Let browsers start this version from now on
    UpdateLauncher(update_launcher_command::UpdateLauncherArgs),
    /// Show which browsers find this host
    Status(status_command::StatusArgs),
    /// Start the host as each browser would, and say what is wrong
    Doctor(doctor_command::DoctorArgs),
    /// Look at the configuration
    Config(config_command::ConfigArgs),
    /// The folders an agent may work on
    Workspace(workspace_command::WorkspaceArgs),
    // Without words of their own they are explained by those of their arguments, all of them.
    Call(call_command::CallArgs),
    Trust(trust_command::TrustArgs),
    /// Take back what a turn or a call changed, or make it again
    Undo(undo_command::UndoArgs),
    /// Show what was asked, who decided, and what came of it
    Audit(audit_command::AuditArgs),
    /// Show the main job in a folder that is thrown away afterwards
    Demo(demo_command::DemoArgs),
    /// Print completions for a shell
    Completions(shell::CompletionsArgs),
    /// Print the manual page, or write those of all commands into a folder
    Man(shell::ManArgs),
}

/// Does what the command line (the program first) says.
pub fn run(command_line: Vec<OsString>) -> ExitCode {
    means::with_room(move || run_here(command_line))
}

fn run_here(command_line: Vec<OsString>) -> ExitCode {
    means::keep_own_rights();
    let args = command_line.get(1..).unwrap_or_default();
    if args.first().is_some_and(|first| first == process::HELPER_ARGUMENT) {
        return process::run_helper();
    }
    if let Some(caller) = Caller::from_args(args) {
        return serve_browser(caller);
    }
    // Where the rest cannot be understood, this still says who reads the answer.
    let wants_json = args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--json");
    let cli = match Cli::try_parse_from(command_line) {
        Ok(cli) => cli,
        Err(error) => {
            if wants_json {
                return told_to_a_program(&error).into();
            }
            let is_lost = error.print().is_err_and(|error| error.kind() != std::io::ErrorKind::BrokenPipe);
            let exit = u8::try_from(error.exit_code()).unwrap_or(2);
            return ExitCode::from(if is_lost { exit.max(1) } else { exit });
        }
    };
    let mut report = Report::of_process(cli.json);
    let Some(command) = cli.command else {
        if report.is_json() {
            let commands = Cli::command();
            let commands: Vec<_> = commands
                .get_subcommands()
                .map(|command| json!({"name": command.get_name(), "about": command.get_about().map(ToString::to_string)}))
                .collect();
            report.json(&json!({"version": env!("CARGO_PKG_VERSION"), "commands": commands}));
        } else {
            report.line(&Cli::command().render_help().to_string());
        }
        return report.close(Exit::Done).into();
    };
    let config = cli.config.as_deref();
    let exit = match &command {
        Command::Mcp(args) => return mcp_command::run(args, config, &mut report),
        Command::Call(args) => call_command::run(args, config, &mut report),
        Command::Trust(args) => trust_command::run(args, config, &mut report),
        Command::Config(args) => config_command::run(args, config, &mut report),
        Command::Workspace(args) => workspace_command::run(args, config, &mut report),
        Command::Undo(args) => undo_command::run(args, config, &mut report),
        Command::Audit(args) => audit_command::run(args, &mut report),
        Command::Demo(args) => demo_command::run(args, &mut report),
        Command::Completions(args) => shell::completions(args, Cli::command(), &mut report),
        Command::Man(args) => shell::man(args, Cli::command(), &mut report),
        command => of_the_installer(command, &mut report),
    };
    report.close(exit).into()
}

/// A command line that makes no sense, or asks for words of the command line itself, told to a program.
fn told_to_a_program(error: &clap::Error) -> Exit {
    let text = error.render().to_string();
    if !error.use_stderr() {
        let mut report = Report::of_process(true);
        report.json(&match error.kind() {
            ErrorKind::DisplayVersion => json!({"version": env!("CARGO_PKG_VERSION")}),
            _ => json!({"help": text}),
        });
        return report.close(Exit::Done);
    }
    let (what, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let help: Vec<&str> = rest.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    Report::of_process(true).error(what.trim_start_matches("error: "), "", &help.join("; "));
    Exit::Usage
}

/// Commands that look at browsers and home folders.
fn of_the_installer(command: &Command, report: &mut Report) -> Exit {
    means::outlive_what_was_inherited();
    match Environment::of_process() {
        Ok(environment) => dispatch(command, &environment, report),
        Err(error) => failed(&error, report),
    }
}

fn dispatch(command: &Command, environment: &Environment, report: &mut Report) -> Exit {
    match command {
        Command::Install(args) => install_command::install(args, environment, report),
        Command::Uninstall(args) => uninstall_command::uninstall(args, environment, report),
        Command::UpdateLauncher(args) => update_launcher_command::run(args, environment, report),
        Command::Status(args) => status_command::run(args, environment, report),
        Command::Doctor(_) if let Some(name) = doctor_command::started_by() => {
            let reason = match name {
                config::PROBE => {
                    "a program that browsers are to start, or one that it starts, runs `outrigger doctor` in the host's place"
                }
                _ => {
                    "start-up files of the login shell run `outrigger doctor`, and the shell was asked for its PATH"
                }
            };
            report.error(
                "the doctor looks at nothing from within a look of its own",
                reason,
                "take it out of there",
            );
            Exit::Problems
        }
        Command::Doctor(args) => stopped::heeding(|| {
            doctor_command::run(args, environment, crate::install::doctor::Limits::default(), report)
        }),
        // None of the installer's.
        _ => Exit::Usage,
    }
}

fn failed(error: &InstallError, report: &mut Report) -> Exit {
    report.error("outrigger cannot start", &error.to_string(), &error.help());
    Exit::Problems
}

fn serve_browser(caller: Caller) -> ExitCode {
    let loader = Loader::new(config::locate::candidates(None), || load(None));
    let (config, config_path) = loader.load();
    let probe = config::probe_folder();
    serve::serve(Service {
        config,
        config_path,
        named_state: probe.as_ref().and_then(|_| config::state_path().ok()),
        state_folder: probe.unwrap_or_else(state_folder),
        loader,
        caller: Some(caller),
        errands: Arc::new(OwnErrands { explicit: None }),
    })
}

/// The configuration and its law, and the file they came from (or would come from).
pub(crate) fn load(explicit: Option<&Path>) -> Loaded {
    let names: Vec<&str> = catalog().iter().map(|tool| tool.spec().name).collect();
    let path = match config::locate(explicit) {
        Ok(located) => located.path,
        Err(error) => return (Err(error.clone()), error.file),
    };
    let loaded = config::find(explicit, &names).and_then(|config| {
        let law = Law::new(&config)?;
        Ok((config, law))
    });
    (loaded, path)
}

/// The id of the workspace that a person named by its id or by a folder, or that they are in; `None` for the default one.
pub(crate) fn workspace_named(config: &Config, name: Option<&str>) -> Result<Option<String>, String> {
    if let Some(entry) = config.workspaces.iter().find(|entry| Some(entry.id.as_str()) == name) {
        return Ok(Some(entry.id.clone()));
    }
    let folder = canonical(Path::new(name.unwrap_or(".")));
    let holds = |root: &Path| folder.as_ref().is_some_and(|folder| folder.starts_with(root));
    // The innermost one: a workspace may lie in another.
    let found = config
        .workspaces
        .iter()
        .filter_map(|entry| Some((canonical(&entry.path)?, entry)))
        .filter(|(root, _)| holds(root))
        .max_by_key(|(root, _)| root.components().count())
        .map(|(_, entry)| entry.id.clone());
    match (found, name) {
        (None, Some(name)) => {
            let near = nearest(name, config.workspaces.iter().map(|workspace| workspace.id.as_str()));
            let near = near.map(|id| format!("; did you mean `{id}`?")).unwrap_or_default();
            Err(format!("`{name}` is neither the id nor the folder of a configured workspace{near}"))
        }
        (found, _) => Ok(found),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "compares folders that a person named; nothing is opened by the result"
)]
pub(crate) fn canonical(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok().map(crate::text::unmarked)
}

/// The state folder; where there is none to be had, calls that change something say so when they come.
pub(crate) fn state_folder() -> PathBuf {
    config::state_folder().unwrap_or_else(|error| error.file)
}
