//! Serves a connection: a browser's port, or a plain MCP client's stdio. Both are the same server over another framing.

use std::{
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    runtime::{Builder, Runtime},
    time,
};

use super::{
    errands::OwnErrands,
    means,
    reload::{Following, Loader},
    terminate::Terminate,
};
use crate::{
    cancel::Cancel,
    config::{Config, ConfigError},
    footprint::{self, Footprint},
    ids::new_ulid,
    install::{
        Environment, Scope, launcher,
        ownership::Record,
        repair::{self, Which},
    },
    journal::{self, Journal},
    logging,
    native::{
        Caller, Closed, Front, Wire, WireTransport,
        frame::{self, Framing},
        stdout::{Input, Output, RealStreams},
    },
    policy::Law,
    process::ProcessDoor,
    server::{
        ConfigState, Current, Express, Hello, Host, Server, hello::bye, host::own_files, settle::clean_up,
    },
    workspace::repository::settle_repositories,
};

/// What is served, to whom.
#[derive(Debug)]
pub struct Service {
    /// The configuration and the law made of it, or why there is none.
    pub config: Result<(Config, Law), ConfigError>,
    /// The file it came from, or where it would be.
    pub config_path: PathBuf,
    /// Where journal, log and temporary files live.
    pub state_folder: PathBuf,
    /// Of a host that is only tried: where they would live. It leaves manifests and repositories as they are.
    pub named_state: Option<PathBuf>,
    /// How the configuration is read again.
    pub(crate) loader: Loader,
    /// The browser that started us; `None` for a plain MCP client.
    pub caller: Option<Caller>,
    /// What a person's panel may ask for.
    pub(crate) errands: Arc<OwnErrands>,
}

/// How long running calls get to settle after the end of the input; a browser kills the host after two seconds, and the whole
/// exit has 200 ms.
const SETTLE: Duration = Duration::from_millis(120);

/// How long a peer may take to take the bye.
const LAST_WORD: Duration = Duration::from_millis(25);

/// How long a connection lives before the workspaces' repositories are looked at: the first answers come first, a person who types the
/// next command later. Where a mark says that a host was cut off, nothing is waited for.
const SETTLE_DELAY: Duration = Duration::from_millis(150);

/// How long a connection lives before the manifests are looked at: the first answers come first.
const MEND_DELAY: Duration = Duration::from_secs(1);

/// Hello and the gate of a broken configuration, then short reads.
struct Edge {
    hello: Hello,
    express: Express,
    footprint: Footprint,
}

impl Front for Edge {
    fn answer(&mut self, message: &Value) -> Option<String> {
        self.footprint.touch();
        match self.hello.answer(message) {
            Some(answer) => Some(answer.to_string()),
            None => self.express.answer(message),
        }
    }
}

/// What a stranger gets to hear beside the bye: nothing.
struct Silent;

impl Front for Silent {
    fn answer(&mut self, _: &Value) -> Option<String> {
        None
    }
}

enum Ending {
    Closed(Closed),
    Terminated,
    /// The configuration changed, and the caller is no longer in it.
    NotAllowed,
    ServiceEnded,
}

/// Serves until the other side is gone.
pub fn serve(service: Service) -> ExitCode {
    footprint::share_one_heap();
    // What read the configuration is most of the program so far, and nothing of what comes.
    footprint::give_back();
    let is_browser = service.caller.is_some();
    if let Some(missing) = means::missing() {
        return refuse(&missing, first_output(is_browser));
    }
    means::outlive_what_was_inherited();
    let streams = match RealStreams::take() {
        Ok(streams) => streams,
        Err(error) => {
            let reason = format!("its standard streams cannot be used: {error}");
            return refuse(&reason, first_output(is_browser));
        }
    };
    let level = service.config.as_ref().map(|(config, _)| config.log_level).unwrap_or_default();
    let _log = logging::start(&service.state_folder, level);
    let spare = streams.output_again().ok();
    let (runtime, input, output) = match reactor(streams) {
        Ok(ready) => ready,
        Err(reason) => {
            tracing::error!(reason, "cannot serve");
            return refuse(&reason, spare.filter(|_| is_browser));
        }
    };
    drop(spare);
    let code = runtime.block_on(connection(service, input, output));
    shut_down(runtime);
    code
}

/// What waits for the streams, and the streams as it takes them; or why there is none.
fn reactor(streams: RealStreams) -> Result<(Runtime, Input, Output), String> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        format!("the system gives it nothing to wait with ({error}): something forbids it, such as a filter of system calls, or `ulimit -n` is too low")
    })?;
    let inside = runtime.enter();
    let streams = streams.into_async();
    drop(inside);
    let (input, output) =
        streams.map_err(|error| format!("its standard streams cannot be waited for: {error}"))?;
    Ok((runtime, input, output))
}

/// Where a browser listens before its stream has moved away.
#[expect(clippy::disallowed_methods, reason = "there is no transport yet, and there will be none")]
fn first_output(is_browser: bool) -> Option<io::Stdout> {
    is_browser.then(io::stdout)
}

/// Says why nothing is served, with neither thread nor reactor: there may be none. In a browser's log, and to the extension.
fn refuse(reason: &str, browser: Option<impl io::Write>) -> ExitCode {
    let _ = writeln!(io::stderr(), "outrigger cannot serve: {reason}");
    if let Some(mut output) = browser {
        let goodbye = bye(6, "internal", reason).to_string().into_bytes();
        let _ = output.write_all(&frame::encode(Framing::Length, goodbye)).and_then(|()| output.flush());
    }
    ExitCode::FAILURE
}

/// Does not wait for threads that still work: the process ends, and with it what they do.
fn shut_down(runtime: Runtime) {
    runtime.shutdown_background();
}

async fn connection(service: Service, input: Input, output: Output) -> ExitCode {
    let Service { config, config_path, state_folder, named_state, loader, caller, errands } = service;
    let framing = if caller.is_some() { Framing::Length } else { Framing::Line };
    let root = Cancel::new();
    let instance_id = new_ulid();
    let stranger = match (&caller, &config) {
        (Some(caller), Ok((config, _))) => !caller.is_allowed(&config.extensions_allow),
        (Some(caller), Err(_)) => !caller.is_allowed(&[]),
        (None, _) => false,
    };
    let is_broken = config.is_err();
    let path = config_path.to_string_lossy().into_owned();
    let said: Arc<AtomicBool> = Arc::default();
    let footprint = Footprint::default();
    let new_host = |config: Config, law: Law| {
        host(config, law, state_folder.clone(), root.clone())
            .with_hello_flag(Arc::clone(&said))
            .with_footprint(footprint.clone())
    };
    let mut seen = (None, config_path);
    let current = match config {
        Ok((config, law)) => {
            seen.0 = config.source.as_ref().map(|source| Arc::clone(&source.text));
            Current::new(Some(Arc::new(new_host(config, law))), ConfigState::usable(path))
        }
        Err(error) => Current::new(None, ConfigState::Broken { path, error: words(&error) }),
    };
    let current = Arc::new(current.with_errands(errands));
    let described = caller.as_ref().map(|caller| json!(caller));
    tracing::info!(instance_id, caller = ?caller, version = env!("CARGO_PKG_VERSION"), "serving");
    if stranger {
        let (_, wire) = WireTransport::start(input, output, framing, Silent, root);
        wire.send_and_flush(&not_allowed(caller.as_ref(), is_broken)).await;
        return ExitCode::FAILURE;
    }
    let state = named_state.as_ref().unwrap_or(&state_folder).to_string_lossy().into_owned();
    let hello = Hello::new(Arc::clone(&current), described, instance_id, state, Arc::clone(&said));
    let edge = Edge { hello, express: Express::new(Arc::clone(&current)), footprint: footprint.clone() };
    // The start is over, and with it most of what the program is.
    footprint::give_back();
    let (transport, wire) = WireTransport::start(input, output, framing, edge, root.clone());
    let is_tried = named_state.is_some();
    if caller.is_some() && !is_tried {
        tokio::spawn(mend_manifests());
    }
    if !is_tried {
        tokio::spawn(settle_workspaces(Arc::clone(&current)));
    }
    let following = Following {
        current: &current,
        loader,
        caller: caller.as_ref(),
        wire: &wire,
        seen,
        first: &new_host,
        said_hello: &|| said.load(Ordering::Acquire),
    };
    let ending = tokio::select! {
        ending = run(Arc::clone(&current), transport, &wire) => ending,
        () = following.run() => Ending::NotAllowed,
        () = footprint.keep_small() => Ending::ServiceEnded,
    };
    root.cancel();
    end(ending, current.host().as_deref(), caller.as_ref(), &wire, &said, framing).await
}

/// What a host that ended too soon left in a folder or a repository: the latter keeps a person's own git from going on.
async fn settle_workspaces(current: Arc<Current>) {
    if !current.host().is_some_and(|host| host.journal.is_marked()) {
        time::sleep(SETTLE_DELAY).await;
    }
    let Some(host) = current.host() else { return };
    let settle = move || {
        clean_up(&host);
        host.workspaces.iter().for_each(|workspace| settle_repositories(workspace));
    };
    if let Err(error) = tokio::task::spawn_blocking(settle).await {
        tracing::debug!(%error, "repositories were not looked at");
    }
}

/// Another browser may still name a version that has gone: once the connection is up, ours are made to name one that is there.
async fn mend_manifests() {
    time::sleep(MEND_DELAY).await;
    let mend = || {
        let environment = Environment::of_process()?;
        let program = match Record::read(&environment, Scope::User)? {
            record if record.has_launcher => launcher::path(&environment),
            _ => environment.binary.clone(),
        };
        repair::repair(&environment, Scope::User, &program, Which::Broken)
    };
    match tokio::task::spawn_blocking(mend).await {
        Ok(Ok(mended)) => mended.iter().for_each(|mended| {
            tracing::info!(browser = mended.name, result = ?mended.result, "a manifest names this program now");
        }),
        Ok(Err(error)) => tracing::debug!(%error, "manifests were not looked at"),
        Err(error) => tracing::debug!(%error, "manifests were not looked at"),
    }
}

/// The host of one connection, or of one command of a person.
pub(crate) fn host(config: Config, law: Law, state_folder: PathBuf, root: Cancel) -> Host {
    let own = own_files(&config, &state_folder);
    let processes = ProcessDoor::new(config.exec.clone(), config.roots(), state_folder.join("tmp"))
        .with_written(config.write_paths())
        .with_own_files(own)
        .adopting_orphans();
    let limits = journal::Limits {
        image_bytes: config.journal.max_mib.saturating_mul(1024 * 1024),
        days: u32::try_from(config.journal.max_days).unwrap_or(u32::MAX),
    };
    let journal = Journal::new(state_folder).with_limits(limits);
    Host::new(Arc::new(config), Arc::new(law), None, journal, processes, root)
}

/// What an extension hears that is not on the list, or whose list cannot be read. Not what stands in the configuration, or where.
fn not_allowed(caller: Option<&Caller>, is_broken: bool) -> Value {
    let name = caller.map(|caller| caller.extension.as_str()).unwrap_or_default();
    let why = if is_broken {
        "the configuration, whose `[extensions] allow` could let it in, cannot be used: `outrigger config check` says why"
    } else {
        "`[extensions] allow` in the configuration lets it in"
    };
    let message = format!("the extension `{name}` may not use this host; {why}");
    bye(5, "caller_not_allowed", &message)
}

async fn run(current: Arc<Current>, transport: WireTransport, wire: &Wire) -> Ending {
    let Ok(mut terminate) = Terminate::listen() else { return Ending::ServiceEnded };
    let served = async {
        // Behind a broken configuration nothing is served; hello and its gate answer everything.
        let host = current.first_host().await;
        let (aside, room) = (transport.aside(), transport.room());
        Server::new(current, host).with_aside(aside).with_room(room).serve_over(transport).await;
    };
    tokio::select! {
        closed = wire.closed() => Ending::Closed(closed),
        _ = terminate.asked() => Ending::Terminated,
        () = served => {
            // The service ends by itself at the end of the input, too; that is then what is told.
            match time::timeout(Duration::from_millis(20), wire.closed()).await {
                Ok(closed) => Ending::Closed(closed),
                Err(_) => Ending::ServiceEnded,
            }
        }
    }
}

/// The last steps: settle what runs, say bye, go.
async fn end(
    ending: Ending,
    host: Option<&Host>,
    caller: Option<&Caller>,
    wire: &Wire,
    said: &AtomicBool,
    framing: Framing,
) -> ExitCode {
    if let Some(host) = host {
        settle(host).await;
    }
    let (code, goodbye) = match &ending {
        Ending::Closed(Closed::Clean) => {
            // Whoever closes its side may still read; a peer that never said hello knows no such word.
            let goodbye = || bye(1, "end_of_input", "the input ended");
            (ExitCode::SUCCESS, said.load(Ordering::Acquire).then(goodbye))
        }
        Ending::Closed(Closed::Broken(error)) => {
            let (code, reason) = match error {
                crate::native::frame::FrameError::Torn { .. } => (2, "torn_frame"),
                crate::native::frame::FrameError::TooLong { .. }
                | crate::native::frame::FrameError::LongLine { .. } => (3, "frame_too_long"),
            };
            (ExitCode::FAILURE, Some(bye(code, reason, &error.to_string())))
        }
        Ending::Closed(Closed::Failed(error)) => (ExitCode::FAILURE, Some(bye(6, "internal", error))),
        Ending::Terminated => (ExitCode::SUCCESS, Some(bye(4, "terminated", "the host was told to stop"))),
        Ending::NotAllowed => (ExitCode::FAILURE, Some(not_allowed(caller, false))),
        Ending::ServiceEnded => {
            (ExitCode::FAILURE, Some(bye(6, "internal", "the service ended; see the log")))
        }
    };
    if let Some(goodbye) = goodbye {
        tracing::info!(%goodbye, "ending");
        if framing == Framing::Length {
            // A browser that no longer reads must not keep us.
            let _ = time::timeout(LAST_WORD, wire.send_and_flush(&goodbye)).await;
        }
    }
    code
}

async fn settle(host: &Host) {
    let patience = time::Instant::now() + SETTLE;
    while !host.in_flight.is_empty() && time::Instant::now() < patience {
        time::sleep(Duration::from_millis(4)).await;
    }
    if let Err(error) = host.journal.flush() {
        tracing::error!(%error, "the audit cannot be written");
    }
    if host.in_flight.is_empty() {
        host.journal.leave();
        return;
    }
    if let Err(error) = host.journal.settle_own(|call| host.end_of_connection(call)) {
        tracing::error!(%error, "running calls could not be settled");
    }
}

pub(super) fn words(error: &ConfigError) -> Value {
    json!({
        "message": error.message,
        "file": error.file.to_string_lossy(),
        "line": error.line,
        "column": error.column,
        "hint": error.hint,
    })
}
