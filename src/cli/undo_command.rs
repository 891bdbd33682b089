//! `outrigger undo`: takes back what a turn or a call changed, or makes it again. Without a name it only shows what there is.

use std::path::Path;

use clap::Args;
use serde_json::json;

use super::{
    audit_command::tell_notices,
    report::{Exit, Report, Tone},
    serve, state_folder,
};
use crate::{
    cancel::Cancel,
    journal::{JournalError, TurnFilter, TurnRecord},
    server::{
        Host,
        undo::{self, Direction, UndoParams, UndoReport, UndoState},
    },
    text::visible,
};

/// Take back what a turn or a call changed, or make it again
#[derive(Debug, Args)]
pub struct UndoArgs {
    /// The turn, or the key of one call or of an undo that replaced something; without it the last turns are shown
    turn: Option<String>,
    /// The last turn that changed files; with --redo the one that was undone last
    #[arg(long, conflicts_with = "turn")]
    last: bool,
    /// Make it again instead
    #[arg(long)]
    redo: bool,
    /// Only say what would happen
    #[arg(long)]
    dry_run: bool,
    /// Put back what can be, and leave alone what has changed since
    #[arg(long)]
    skip_conflicts: bool,
    /// Put back all of it, also over what has changed since; that is kept, and the undo can be undone
    #[arg(long, conflicts_with = "skip_conflicts")]
    overwrite: bool,
    /// Only this path, relative to the workspace; may be given several times
    #[arg(long = "path", value_name = "PATH")]
    paths: Vec<String>,
    /// Only turns in this workspace
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
}

/// Turns that are shown.
const SHOWN: u32 = 20;

/// Does it.
pub fn run(args: &UndoArgs, config: Option<&Path>, report: &mut Report) -> Exit {
    let (config, law) = match super::load(config).0 {
        Ok(loaded) => loaded,
        Err(error) => {
            report.error("the configuration cannot be used", &error.render(false), "");
            return Exit::Problems;
        }
    };
    let host = serve::host(config, law, state_folder(), Cancel::new());
    let done = perform(args, &host, report);
    tell_notices(&host.journal, report);
    host.journal.leave();
    match done {
        Ok(exit) => exit,
        Err(error) => {
            report.error(
                "nothing was undone",
                &error.to_string(),
                "`outrigger undo` shows the turns there are",
            );
            Exit::Problems
        }
    }
}

fn perform(args: &UndoArgs, host: &Host, report: &mut Report) -> Result<Exit, undo::UndoError> {
    let filter = TurnFilter { session: None, workspace: args.workspace.as_deref(), limit: SHOWN };
    if let Some(id) = args.workspace.as_deref().filter(|id| !is_workspace(host, id)) {
        // One that was taken out of the configuration may have turns still.
        if host.journal.turns(&TurnFilter { limit: 1, ..filter })?.is_empty() {
            let reason = format!("there is no workspace `{}`", visible(id));
            report.error("nothing was looked for", &reason, "`outrigger workspace list` shows them");
            return Ok(Exit::Problems);
        }
    }
    let turn = match (&args.turn, args.last) {
        (Some(turn), _) => turn.clone(),
        (None, true) => match host.journal.last_turn(&filter, args.redo)? {
            Some(turn) => turn,
            None => return Ok(nothing(args, report)),
        },
        (None, false) => return Ok(list(host, &filter, report)?),
    };
    let direction = if args.redo { Direction::Redo } else { Direction::Undo };
    if let Some(path) = not_in_it(args, host, &turn)? {
        let reason = format!("`{}` has changed nothing at `{}`", visible(&turn), visible(path));
        report.error("nothing was undone", &reason, "`outrigger undo TURN --dry-run` names all of its files");
        return Ok(Exit::Problems);
    }
    let params = UndoParams {
        turn,
        dry_run: args.dry_run,
        skip_conflicts: args.skip_conflicts,
        overwrite: args.overwrite,
        paths: args.paths.clone(),
        ..UndoParams::default()
    };
    let outcome = run_undo(host, direction, &params)?;
    if outcome.state == UndoState::Nothing
        && let Some(unknown) = args.turn.as_deref()
        && !host.journal.knows_turn(&host.journal.meant_turn(unknown)?)?
    {
        let reason = format!("there is no turn and no call `{}`, or it is no longer kept", visible(unknown));
        report.error("nothing was undone", &reason, "`outrigger undo` shows the turns there are");
        return Ok(Exit::Problems);
    }
    Ok(tell(&outcome, args, report))
}

fn is_workspace(host: &Host, id: &str) -> bool {
    host.workspaces.iter().any(|workspace| workspace.id() == id)
}

fn run_undo(host: &Host, direction: Direction, params: &UndoParams) -> Result<UndoReport, undo::UndoError> {
    undo::run(&host.journal, direction, params, |id| {
        host.workspaces.iter().find(|workspace| workspace.id() == id).map(AsRef::as_ref)
    })
}

/// A path that was asked for and that the turn has nothing to do with, neither to be undone nor to be made again: a slip of the
/// pen must not look like success.
fn not_in_it<'a>(args: &'a UndoArgs, host: &Host, turn: &str) -> Result<Option<&'a str>, undo::UndoError> {
    if args.paths.is_empty() || !host.journal.knows_turn(&host.journal.meant_turn(turn)?)? {
        return Ok(None);
    }
    for path in &args.paths {
        let paths = vec![path.clone()];
        let look = UndoParams { turn: turn.to_owned(), dry_run: true, paths, ..UndoParams::default() };
        let mut is_in_it = false;
        for direction in [Direction::Undo, Direction::Redo] {
            is_in_it |= run_undo(host, direction, &look)?.state != UndoState::Nothing;
        }
        if !is_in_it {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

fn nothing(args: &UndoArgs, report: &mut Report) -> Exit {
    let word = if args.redo { "redo" } else { "undo" };
    if report.is_json() {
        report.json(&json!({"state": "nothing", "files": []}));
    } else {
        report.line(&format!("There is nothing to {word}."));
    }
    Exit::Done
}

fn list(host: &Host, filter: &TurnFilter<'_>, report: &mut Report) -> Result<Exit, JournalError> {
    let turns = host.journal.turns(filter)?;
    if report.is_json() {
        report.json(&json!({"turns": turns}));
        return Ok(Exit::Done);
    }
    if turns.is_empty() {
        report.line("No turn has changed anything yet.");
        return Ok(Exit::Done);
    }
    let heading = ["turn", "when", "workspace", "state", "files"];
    let mut rows = vec![heading.map(|word| (Tone::Strong, word.to_owned())).to_vec()];
    rows.extend(turns.iter().map(row));
    report.table(&rows);
    report.line("");
    report.line("`outrigger undo TURN` takes one back; `--dry-run` says before what would happen.");
    Ok(Exit::Done)
}

fn row(turn: &TurnRecord) -> Vec<(Tone, String)> {
    let state = match (turn.calls, turn.undone + turn.partly_undone) {
        (0, _) => (Tone::Faint, "commands only"),
        (calls, _) if calls == turn.undone => (Tone::Faint, "undone"),
        (_, 0) => (Tone::Plain, "done"),
        _ => (Tone::Caution, "partly undone"),
    };
    let mut files: Vec<String> = turn.paths.iter().take(3).map(|path| visible(path).into_owned()).collect();
    if turn.paths.len() > files.len() {
        files.push(format!("and {} more", turn.paths.len() - files.len()));
    }
    vec![
        (Tone::Plain, visible(&turn.turn).into_owned()),
        (Tone::Faint, turn.started_at.chars().take(19).collect()),
        (Tone::Plain, turn.workspace.clone()),
        (state.0, state.1.to_owned()),
        (Tone::Plain, files.join(", ")),
    ]
}

fn tell(outcome: &UndoReport, args: &UndoArgs, report: &mut Report) -> Exit {
    // The rest of the turn is no problem where only some of it was asked for.
    let is_asked = !args.paths.is_empty();
    let all_done = !outcome.files.is_empty() && outcome.files.iter().all(|file| file.done);
    let exit = match outcome.state {
        UndoState::Conflict => Exit::Problems,
        UndoState::Partly if !(is_asked && all_done) => Exit::Problems,
        _ => Exit::Done,
    };
    if report.is_json() {
        report.json(outcome);
        return exit;
    }
    for file in &outcome.files {
        let (tone, word) = match (&file.conflict, file.done) {
            (_, true) if file.stays => (Tone::Faint, "stays"),
            (_, true) => (Tone::Good, "done"),
            (Some(_), false) => (Tone::Bad, "not done"),
            (None, false) => (Tone::Faint, "would"),
        };
        let in_it = file.stays.then(|| "something else is in it".to_owned());
        let why = file.conflict.clone().or(in_it).map(|why| format!(": {why}")).unwrap_or_default();
        let path = visible(&file.path);
        report.pieces(&[
            (tone, &format!("{word:8}")),
            (Tone::Plain, &format!(" {} {path}{why}", file.action.word())),
        ]);
    }
    let again = if args.redo { "" } else { "; `--redo` makes it again" };
    match outcome.state {
        UndoState::Nothing => return nothing(args, report),
        UndoState::Conflict if outcome.call.is_some() => report.error(
            "nothing was changed",
            "none of it could be put back, for the reasons above",
            "do away with what is in the way, then ask again",
        ),
        UndoState::Conflict => report.error(
            "nothing was changed",
            "some files stand in the way, for the reasons above",
            "`--skip-conflicts` leaves those alone, `--overwrite` puts back over what has changed since",
        ),
        UndoState::DryRun => report.line("Nothing was changed (--dry-run)."),
        UndoState::Partly if exit == Exit::Done => {
            report.line(&format!("What was named is put back; the rest of the turn stays as it is{again}."));
        }
        UndoState::Partly if outcome.files.iter().any(|file| file.done && !file.stays) => {
            report.line("A part was put back.");
        }
        UndoState::Partly => report.line("Nothing could be put back."),
        UndoState::Done if outcome.note.is_some() => report.line(&format!("All files are put back{again}.")),
        UndoState::Done => report.line(&format!("All of it is put back{again}.")),
    }
    if let Some(note) = &outcome.note {
        report.line(&format!("Note: {note}."));
    }
    if let Some(key) = outcome.call.as_ref().filter(|_| outcome.files.iter().any(|file| file.replaced)) {
        report.line(&format!("What was replaced is kept; `outrigger undo {key}` brings it back."));
    }
    exit
}
