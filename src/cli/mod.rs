//! The entrances: who started us decides what we are. A browser's arguments start the host; a person's are a command line.

pub mod audit_command;
pub mod config_command;
pub mod doctor_command;
pub mod install_command;
pub mod mcp_command;
mod reload;
pub mod report;
pub mod serve;
pub mod status_command;
pub mod undo_command;
pub mod workspace_command;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{CommandFactory, Parser, Subcommand};

use self::{
    reload::{Loaded, Loader},
    report::{Exit, Report},
    serve::Service,
};
use crate::{
    config,
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
    after_help = "Exit codes: 0 done, 1 there were problems, 2 the command line is wrong."
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
    Uninstall(install_command::UninstallArgs),
    /// Show which browsers find this host
    Status(status_command::StatusArgs),
    /// Start the host as each browser would, and say what is wrong
    Doctor(doctor_command::DoctorArgs),
    /// Look at the configuration
    Config(config_command::ConfigArgs),
    /// The folders an agent may work on
    Workspace(workspace_command::WorkspaceArgs),
    /// Take back what a turn or a call changed, or make it again
    Undo(undo_command::UndoArgs),
    /// Show what was asked, who decided, and what came of it
    Audit(audit_command::AuditArgs),
}

/// Does what the command line (the program first) says.
pub fn run(command_line: Vec<OsString>) -> ExitCode {
    let args = command_line.get(1..).unwrap_or_default();
    if args.first().is_some_and(|first| first == process::HELPER_ARGUMENT) {
        return process::run_helper();
    }
    if let Some(caller) = Caller::from_args(args) {
        return serve_browser(caller);
    }
    let cli = match Cli::try_parse_from(command_line) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let mut report = Report::of_process(cli.json);
    let Some(command) = cli.command else {
        report.line(&Cli::command().render_help().to_string());
        return ExitCode::SUCCESS;
    };
    if let Command::Mcp(args) = &command {
        return mcp_command::run(args, cli.config.as_deref(), &mut report);
    }
    let exit = match Environment::of_process() {
        Ok(environment) => dispatch(&command, cli.config.as_deref(), &environment, &mut report),
        Err(error) => failed(&error, &mut report),
    };
    exit.into()
}

fn dispatch(
    command: &Command,
    config: Option<&Path>,
    environment: &Environment,
    report: &mut Report,
) -> Exit {
    match command {
        Command::Install(args) => install_command::install(args, environment, report),
        Command::Uninstall(args) => install_command::uninstall(args, environment, report),
        Command::Status(args) => status_command::run(args, environment, report),
        Command::Doctor(args) => {
            doctor_command::run(args, environment, crate::install::doctor::Limits::default(), report)
        }
        Command::Config(args) => config_command::run(args, config, report),
        Command::Workspace(args) => workspace_command::run(args, config, report),
        Command::Undo(args) => undo_command::run(args, config, report),
        Command::Audit(args) => audit_command::run(args, report),
        // Served before the environment of the installer is looked at.
        Command::Mcp(_) => Exit::Done,
    }
}

fn failed(error: &InstallError, report: &mut Report) -> Exit {
    report.error("outrigger cannot start", &error.to_string(), &error.help());
    Exit::Problems
}

fn serve_browser(caller: Caller) -> ExitCode {
    let loader = Loader::new(config::locate::candidates(None), || load(None));
    let (config, config_path) = loader.load();
    serve::serve(Service { config, config_path, state_folder: state_folder(), loader, caller: Some(caller) })
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

/// The state folder; where there is none to be had, calls that change something say so when they come.
pub(crate) fn state_folder() -> PathBuf {
    config::state_folder().unwrap_or_else(|error| error.file)
}
