//! `outrigger install`: words for what the installer did, target by target.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    report::{Exit, Report, Tone},
    targets::{TargetAnswer, TargetArgs, error_answer, exit_of, lossy, refused},
    update_launcher_command,
};
use crate::{
    install::{
        Environment, ExtensionId, Family, Ids, InstallError, Target,
        belongings::{Placed, Wanted},
        error::shown,
        installer::{self, Done, Outcome, Planned},
        launcher::{self, Placement},
        ownership::Record,
        rehearsal,
    },
    text,
};

/// Let browsers start this outrigger: writes one small manifest for each
#[derive(Args, Clone, Debug, Default)]
pub struct InstallArgs {
    #[command(flatten)]
    targets: TargetArgs,
    /// A further extension that may start outrigger, e.g. a build of your own
    #[arg(long, value_name = "ID")]
    extension_id: Vec<String>,
    /// Show the manifests instead of writing them
    #[arg(long, conflicts_with = "dry_run")]
    print: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Where outrigger is installed already, only bring that up to date: in no further browser unless it is named, and who may start
    /// it stays
    #[arg(long)]
    keep: bool,
    /// Also keep a copy of the extension that came along with this binary, for browsers to load
    #[arg(long)]
    with_extension: bool,
    /// Also put the command `outrigger` into ~/.local/bin
    #[arg(long)]
    with_command: bool,
    /// Let manifests name this very file instead of a launcher with a copy of it: for who builds outrigger
    #[arg(long)]
    in_place: bool,
}

impl InstallArgs {
    fn wanted(&self) -> Wanted {
        Wanted { extension: self.with_extension, command: self.with_command }
    }
}

/// `outrigger install`
pub fn install(args: &InstallArgs, environment: &Environment, report: &mut Report) -> Exit {
    match try_install(args, environment, report) {
        Ok(exit) => exit,
        Err(error) => refused("nothing was installed", &error, report),
    }
}

fn try_install(
    args: &InstallArgs,
    environment: &Environment,
    report: &mut Report,
) -> Result<Exit, InstallError> {
    let ids = Ids::shipped()?;
    let more = args.extension_id.iter().map(|id| ExtensionId::parse(id)).collect::<Result<Vec<_>, _>>()?;
    let scope = args.targets.scope.into();
    let selection = args.targets.selection();
    let only_updates = args.keep && !args.print && more.is_empty() && !selection.is_specific();
    let known = if only_updates { Record::read(environment, scope)?.manifests } else { Vec::new() };
    if !known.is_empty() && !args.dry_run {
        let exit = update_launcher_command::update(scope, environment, report)?;
        let placed = installer::place(environment, scope, args.wanted())?;
        return Ok(worse(exit, exit_of(say_placed(&placed, environment, report))));
    }
    let mut targets = selection.named_or_present(environment)?;
    if targets.is_empty() && known.is_empty() {
        return Err(InstallError::NoBrowser);
    }
    if !known.is_empty() {
        let is_known = |target: &Target| {
            let manifest = target.manifest(&ids.file_name());
            known.iter().any(|owned| owned.manifest == manifest)
        };
        targets.retain(is_known);
    }
    let placement = launcher::placement(environment, scope, args.in_place);
    let planned = installer::plan_each(placement.program(), &ids, targets, |target| {
        let kept = if args.keep { installer::allowed_now(environment, &ids, target) } else { Vec::new() };
        more.iter().cloned().chain(kept).collect()
    })?;
    if args.print {
        print_manifests(&planned, report);
        return Ok(Exit::Done);
    }
    let outcomes = if args.dry_run {
        rehearsal::install(environment, scope, &placement, planned)?
    } else {
        installer::install(environment, scope, &placement, planned)?
    };
    let placed = if args.dry_run {
        rehearsal::place(environment, scope, &placement, args.wanted())?
    } else {
        installer::place(environment, scope, args.wanted())?
    };
    let warning = match placement {
        Placement::InPlace(_) => environment.binary_may_vanish(),
        Placement::Launcher(_) => None,
    };
    let extension = loading(environment, &outcomes);
    if report.is_json() {
        let targets: Vec<TargetAnswer> =
            outcomes.iter().map(|outcome| install_answer(outcome, args.dry_run)).collect();
        report.json(&json!({
            "dry_run": args.dry_run,
            "program": lossy(placement.program()),
            "warning": warning,
            "targets": targets,
            "extension": extension,
            "command": placed.command.as_ref().and_then(|command| command.as_ref().ok()).map(|command| lossy(command)),
            "errors": placed.errors().map(error_answer).collect::<Vec<_>>(),
        }));
    } else {
        for outcome in &outcomes {
            say_installed(outcome, args.dry_run, report);
        }
        if let Some(why) = warning {
            let what = format!("browsers will start `{}`, but {why}", shown(&environment.binary));
            report.warning(&what, "copy the binary to a place where it can stay, and install from there");
        }
        say_further_extensions(&more, report);
        for way in extension.iter().filter(|_| !args.dry_run) {
            report.line(&format!("The extension for {}: {}", way.browsers.join(", "), way.how));
        }
        let proven = outcomes.iter().any(|outcome| outcome.result.is_ok()) && !args.dry_run;
        if proven {
            report.line(&format!(
                "No restart is needed. To see that the link works: {} doctor",
                environment.command()
            ));
        }
    }
    let is_placed = say_placed(&placed, environment, report);
    Ok(exit_of(is_placed && outcomes.iter().all(|outcome| outcome.result.is_ok())))
}

/// What came of the extension and the command; true when both are where they belong.
fn say_placed(placed: &Placed, environment: &Environment, report: &mut Report) -> bool {
    if !report.is_json() {
        for error in placed.errors() {
            report.error("not put into its place", &error.to_string(), &error.help());
        }
        if let Some(Ok(command)) = &placed.command
            && let Some(folder) = command.parent()
            && !environment.search_path.iter().any(|known| known == folder)
        {
            report.line(&format!("To type `outrigger` in a terminal, add {} to your PATH.", shown(folder)));
        }
    }
    placed.errors().next().is_none()
}

fn worse(one: Exit, other: Exit) -> Exit {
    if one == Exit::Done { other } else { one }
}

fn print_manifests(planned: &[Planned], report: &mut Report) {
    if report.is_json() {
        let manifests: Vec<Value> = planned
            .iter()
            .map(|planned| json!({"browser": planned.target.id, "manifest": lossy(&planned.manifest), "content": planned.content}))
            .collect();
        report.json(&json!({"manifests": manifests}));
        return;
    }
    for planned in planned {
        report.pieces(&[(Tone::Faint, &format!("# {}: {}", planned.target.name, shown(&planned.manifest)))]);
        report.line(planned.content.trim_end());
    }
}

fn say_installed(outcome: &Outcome, dry_run: bool, report: &mut Report) {
    let (name, place) = (&outcome.target.full_name(), shown(&outcome.manifest));
    let done = match &outcome.result {
        Ok(done) => done,
        Err(error) => {
            report.error(&format!("{name}: not installed"), &error.to_string(), &error.help());
            return;
        }
    };
    let verb = match (done, dry_run) {
        (Done::Installed, false) => "installed",
        (Done::Installed, true) => "would install",
        (Done::Updated { .. }, false) => "updated",
        (Done::Updated { .. }, true) => "would update",
        (Done::Unchanged, _) => "already installed",
        (Done::Replaced, false) => "replaced another manifest (uninstall brings it back)",
        (Done::Replaced, true) => "would replace another manifest (uninstall would bring it back)",
    };
    report.pieces(&[
        (Tone::Strong, name),
        (Tone::Plain, ": "),
        (Tone::Good, verb),
        (Tone::Faint, &format!("  {place}")),
    ]);
    if let Done::Updated { dropped } = done {
        for id in dropped {
            let help = format!("to keep it, add `--extension-id {id}`");
            report.warning(&format!("{name}: the extension `{id}` may no longer start outrigger"), &help);
        }
    }
}

/// How the extension gets into some browsers.
#[derive(Debug, Serialize)]
struct Loading {
    family: Family,
    browsers: Vec<String>,
    /// Where it came along with the binary, if it did.
    #[serde(serialize_with = "text::lossy_option")]
    path: Option<PathBuf>,
    how: String,
}

/// One way for each family that was installed into, and who signs what.
fn loading(environment: &Environment, outcomes: &[Outcome]) -> Vec<Loading> {
    let builds = environment.extension_builds();
    let way = |family: Family| {
        let installed =
            outcomes.iter().filter(|outcome| outcome.result.is_ok() && outcome.target.family == family);
        let browsers: Vec<String> = installed.map(|outcome| outcome.target.full_name()).collect();
        let (name, steps, signed) = match family {
            Family::Chromium => (
                "chrome",
                "chrome://extensions, Developer mode, Load unpacked",
                "signed by nobody; in a store by the store",
            ),
            Family::Firefox => (
                "firefox/manifest.json",
                "about:debugging, This Firefox, Load Temporary Add-on",
                "until the browser is closed; for good it must be signed by Mozilla",
            ),
        };
        let path = builds.as_ref().map(|folder| folder.join(name)).filter(|path| path.exists());
        let place = match &path {
            Some(path) => shown(path),
            None => {
                format!("`extension/{name}` of an archive or package: it did not come along with this binary")
            }
        };
        let how = format!("{steps}, {place} ({signed}; a signed one can be installed by policy)");
        (!browsers.is_empty()).then_some(Loading { family, browsers, path, how })
    };
    [Family::Chromium, Family::Firefox].into_iter().filter_map(way).collect()
}

/// The manifest opens the browser's gate; the host has one of its own.
fn say_further_extensions(more: &[ExtensionId], report: &mut Report) {
    if more.is_empty() {
        return;
    }
    let entries: Vec<String> = more.iter().map(|id| format!("\"{id}\"")).collect();
    report.warning(
        "the browser now lets these extensions start outrigger; outrigger itself asks its configuration",
        &format!("add to the configuration: [extensions] allow = [{}]", entries.join(", ")),
    );
}

fn install_answer(outcome: &Outcome, dry_run: bool) -> TargetAnswer {
    let result = match (&outcome.result, dry_run) {
        (Ok(Done::Installed), false) => "installed",
        (Ok(Done::Installed), true) => "would_install",
        (Ok(Done::Updated { .. }), false) => "updated",
        (Ok(Done::Updated { .. }), true) => "would_update",
        (Ok(Done::Unchanged), _) => "unchanged",
        (Ok(Done::Replaced), false) => "replaced",
        (Ok(Done::Replaced), true) => "would_replace",
        (Err(_), _) => "failed",
    };
    let dropped_extensions = match &outcome.result {
        Ok(Done::Updated { dropped }) => dropped.clone(),
        _ => Vec::new(),
    };
    let error = outcome.result.as_ref().err().map(error_answer);
    TargetAnswer {
        browser: outcome.target.id.clone(),
        manifest: outcome.manifest.clone(),
        result,
        dropped_extensions,
        error,
    }
}
