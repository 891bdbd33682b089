//! `outrigger uninstall`: words for what was taken out, target by target.

use std::path::Path;

use clap::Args;
use serde_json::{Value, json};

use super::{
    report::{Exit, Report, Tone},
    targets::{TargetAnswer, TargetArgs, error_answer, exit_of, lossy, refused},
};
use crate::{
    install::{
        Environment, Ids, Os,
        error::shown,
        record_place,
        uninstaller::{self, Extent, Removal, Undone, Uninstalled},
    },
    shell_words::quoted_path,
};

/// Take outrigger out of browsers; what was there before comes back
#[derive(Args, Clone, Debug, Default)]
pub struct UninstallArgs {
    #[command(flatten)]
    targets: TargetArgs,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Also throw away journal, audit and logs: no turn can be undone any more. Your configuration stays
    #[arg(long, conflicts_with = "dry_run")]
    purge: bool,
}

/// `outrigger uninstall`
pub fn uninstall(args: &UninstallArgs, environment: &Environment, report: &mut Report) -> Exit {
    let selection = args.targets.selection();
    let extent = match (args.dry_run, args.purge) {
        (true, _) => Extent::Rehearsal,
        (false, true) => Extent::AndState,
        (false, false) => Extent::Manifests,
    };
    let done = Ids::shipped().and_then(|ids| uninstaller::uninstall(environment, &ids, &selection, extent));
    let Uninstalled { removals, left, kept, rest } = match done {
        Ok(done) => done,
        Err(error) => return refused("nothing was uninstalled", &error, report),
    };
    if report.is_json() {
        let targets: Vec<TargetAnswer> =
            removals.iter().map(|removal| uninstall_answer(removal, args.dry_run)).collect();
        let left: Vec<Value> = left.iter().map(error_answer).collect();
        let kept = kept.map(|kept| lossy(&kept.folder));
        let rest: Vec<String> = rest.iter().map(|path| lossy(path)).collect();
        report.json(
            &json!({"dry_run": args.dry_run, "targets": targets, "left": left, "kept": kept, "not_ours": rest}),
        );
    } else {
        let is_of_others = |removal: &Removal| matches!(removal.result, Ok(Undone::LeftForeign));
        if removals.iter().all(is_of_others) && !removals.iter().any(is_elsewhere) && left.is_empty() {
            report.line("outrigger is in no browser: there is nothing to uninstall.");
        }
        for removal in &removals {
            say_uninstalled(environment, removal, args.dry_run, report);
        }
        for error in &left {
            report.error("something of outrigger's own stays", &error.to_string(), &error.help());
        }
        if let Some(kept) = &kept {
            let (place, command) = (shown(&kept.folder), command_for(environment, &kept.folder));
            report.line(&if kept.has_journal {
                format!("Journal and audit stay in {place}: turns can still be undone. To throw them away, too: {command} uninstall --purge")
            } else {
                format!("Which workspaces' own files you trust stays in {place}. To throw that away, too: {command} uninstall --purge")
            });
        }
        for path in &rest {
            report.line(&format!("Not outrigger's, or not only, and left as it is: {}", shown(path)));
        }
    }
    let clean = |removal: &Removal| match removal.result {
        Ok(Undone::Removed | Undone::Restored | Undone::NotInstalled) => true,
        // Where nothing is ours, there is nothing to do.
        Ok(Undone::LeftForeign) => !is_elsewhere(removal),
        Ok(Undone::LeftChanged) | Err(_) => false,
    };
    exit_of(left.is_empty() && removals.iter().all(clean))
}

/// Not of this installation, and of another one of outrigger, which takes it away when it is asked.
fn is_elsewhere(removal: &Removal) -> bool {
    matches!(removal.result, Ok(Undone::LeftForeign)) && record_place::chosen_of(&removal.manifest).is_some()
}

/// This binary, called so that it takes the state from this folder.
fn command_for(environment: &Environment, state: &Path) -> String {
    let command = environment.command();
    match state.parent().filter(|_| state != environment.state_dir && environment.os != Os::Windows) {
        Some(above) => format!("XDG_STATE_HOME={} {command}", quoted_path(above)),
        None => command,
    }
}

fn say_uninstalled(environment: &Environment, removal: &Removal, dry_run: bool, report: &mut Report) {
    let (name, place) = (&removal.target.name, shown(&removal.manifest));
    let left = |report: &mut Report, reason: &str| {
        let help = match record_place::chosen_of(&removal.manifest) {
            Some(folder) => format!(
                "it belongs to another installation, which goes by: OUTRIGGER_STATE_DIR={} {} uninstall",
                quoted_path(folder),
                environment.command()
            ),
            None => format!("if nobody needs it: rm {}", quoted_path(&removal.manifest)),
        };
        report.error(&format!("{name}: left as it is"), reason, &help);
    };
    let verb = match (&removal.result, dry_run) {
        (Err(error), _) => {
            report.error(&format!("{name}: not uninstalled"), &error.to_string(), &error.help());
            return;
        }
        (Ok(Undone::LeftChanged), _) => {
            return left(report, &format!("`{place}` has been changed since outrigger wrote it"));
        }
        (Ok(Undone::LeftForeign), _) if !is_elsewhere(removal) => {
            let remove = quoted_path(&removal.manifest);
            report.line(&format!(
                "{name}: left as it is: outrigger has no record of having written `{place}` (if nobody needs it: rm {remove})"
            ));
            return;
        }
        (Ok(Undone::LeftForeign), _) => {
            return left(report, &format!("outrigger has no record of having written `{place}`"));
        }
        (Ok(Undone::Removed), false) => "uninstalled",
        (Ok(Undone::Removed), true) => "would uninstall",
        (Ok(Undone::Restored), false) => "uninstalled; what was there before is back",
        (Ok(Undone::Restored), true) => "would uninstall, and bring back what was there before",
        (Ok(Undone::NotInstalled), _) => "not installed",
    };
    report.pieces(&[
        (Tone::Strong, name),
        (Tone::Plain, ": "),
        (Tone::Good, verb),
        (Tone::Faint, &format!("  {place}")),
    ]);
}

fn uninstall_answer(removal: &Removal, dry_run: bool) -> TargetAnswer {
    let result = match (&removal.result, dry_run) {
        (Ok(Undone::Removed), false) => "removed",
        (Ok(Undone::Removed), true) => "would_remove",
        (Ok(Undone::Restored), false) => "restored",
        (Ok(Undone::Restored), true) => "would_restore",
        (Ok(Undone::NotInstalled), _) => "not_installed",
        (Ok(Undone::LeftChanged), _) => "left_changed",
        (Ok(Undone::LeftForeign), _) => "left_foreign",
        (Err(_), _) => "failed",
    };
    let error = removal.result.as_ref().err().map(error_answer);
    let (browser, manifest) = (removal.target.id.clone(), removal.manifest.clone());
    TargetAnswer { browser, manifest, result, dropped_extensions: Vec::new(), error }
}
