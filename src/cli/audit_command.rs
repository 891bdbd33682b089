//! `outrigger audit`: shows, filters, exports and verifies what the journal says of who asked for what.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::{
    report::{Exit, Report, Tone},
    state_folder,
};
use crate::{
    journal::{AuditEntry, AuditFilter, Decided, Journal, JournalError, Moment, Trouble},
    text::{counted, prefix, visible},
};

/// Show what was asked, who decided, and what came of it
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// Check that no row was changed or taken out, and show the hash of the last one
    #[arg(long)]
    verify: bool,
    /// How the rows are written
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// At most this many rows, the last ones; 0: all
    #[arg(long, default_value_t = 50)]
    limit: usize,
    /// From this moment on: `2026-11-20` or `2026-11-20T08:00`, UTC
    #[arg(long)]
    since: Option<Moment>,
    /// Before this moment
    #[arg(long)]
    until: Option<Moment>,
    /// Of this tool
    #[arg(long)]
    tool: Option<String>,
    /// In this workspace
    #[arg(long)]
    workspace: Option<String>,
    /// Of this session
    #[arg(long)]
    session: Option<String>,
    /// Of this turn
    #[arg(long)]
    turn: Option<String>,
    /// With this decision
    #[arg(long, value_enum)]
    decision: Option<Decided>,
    /// That named or changed a path containing this
    #[arg(long)]
    path: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// One JSON object a line, complete
    Jsonl,
    /// For spreadsheets
    Csv,
}

/// Does it.
pub fn run(args: &AuditArgs, report: &mut Report) -> Exit {
    let journal = Journal::new(state_folder());
    let noted = if journal.path().exists() { journal.note_cut_off() } else { Ok(()) };
    let done = match noted {
        Err(error) if error.trouble() == Trouble::Damaged => Err(error),
        // Who may not write may read all the same.
        _ if args.verify => verify(&journal, report),
        _ => show(args, &journal, report),
    };
    tell_notices(&journal, report);
    done.unwrap_or_else(|error| {
        report.error(
            "the audit cannot be read",
            &error.to_string(),
            "`outrigger doctor` names what is wrong",
        );
        Exit::Problems
    })
}

fn verify(journal: &Journal, report: &mut Report) -> Result<Exit, JournalError> {
    let mut state = journal.verify_audit()?;
    let aside: Vec<String> =
        journal.kept_aside().iter().map(|path| visible(&path.to_string_lossy()).into_owned()).collect();
    // Whose rows were lost a moment ago is not told that none is missing.
    if let (None, Some(damaged)) = (&state.broken, journal.take_notices().pop()) {
        state.broken = Some((1, damaged));
    }
    let exit = if state.broken.is_some() { Exit::Problems } else { Exit::Done };
    if report.is_json() {
        report.json(
            &json!({"ok": state.broken.is_none(), "rows": state.rows, "left": state.left, "head": state.head,
            "kept_aside": aside,
            "broken": state.broken.as_ref().map(|(seq, reason)| json!({"seq": seq, "reason": reason}))}),
        );
        return Ok(exit);
    }
    match &state.broken {
        None => {
            report.line(&format!("{} rows, none changed or missing.", state.rows));
            if state.left > 0 {
                report.line(&format!(
                    "{} before them, too old to be kept, are gone.",
                    counted(state.left, "row")
                ));
            }
            report.line(&format!("The last one's hash is {}", state.head));
            report.line("Keep it elsewhere: with it, rows cut off at the end are noticed too.");
        }
        Some((seq, reason)) => {
            let reason = format!("row {seq}: {reason}");
            report.error(
                "the audit was changed",
                &reason,
                &format!("the {} rows before it are as they were written", state.rows),
            );
        }
    }
    for path in aside {
        let what = format!("an earlier journal was damaged and is kept as `{path}`");
        report.warning(&what, "what it says of calls was not checked, and is not shown");
    }
    Ok(exit)
}

/// What happened to the journal while it was read.
pub(super) fn tell_notices(journal: &Journal, report: &mut Report) {
    for notice in journal.take_notices() {
        report.warning(&visible(&notice), "");
    }
}

fn show(args: &AuditArgs, journal: &Journal, report: &mut Report) -> Result<Exit, JournalError> {
    let filter = AuditFilter {
        session: args.session.clone(),
        turn: args.turn.clone(),
        workspace: args.workspace.clone(),
        tool: args.tool.clone(),
        decision: args.decision,
        since: args.since.clone(),
        until: args.until.clone(),
        path: args.path.clone(),
    };
    let mut rows = std::collections::VecDeque::new();
    journal.audit(0, |entry| {
        if filter.takes(&entry.row) {
            rows.push_back(entry);
            if args.limit > 0 && rows.len() > args.limit {
                rows.pop_front();
            }
        }
        true
    })?;
    if report.is_json() {
        report.json(&json!({"rows": rows}));
        return Ok(Exit::Done);
    }
    match args.format {
        Format::Jsonl => {
            for entry in &rows {
                report.line(&json!(entry).to_string());
            }
        }
        Format::Csv => {
            report.line(&COLUMNS.join(","));
            for entry in &rows {
                report.line(&csv(entry));
            }
        }
        Format::Table if rows.is_empty() => report.line("No such row."),
        Format::Table => {
            let heading = ["when", "workspace", "tool", "decision", "outcome", "what"];
            let mut table = vec![heading.map(|word| (Tone::Strong, word.to_owned())).to_vec()];
            table.extend(rows.iter().map(line));
            report.table(&table);
        }
    }
    Ok(Exit::Done)
}

fn line(entry: &AuditEntry) -> Vec<(Tone, String)> {
    let row = &entry.row;
    let text = |field: &str| visible(row[field].as_str().unwrap_or_default()).into_owned();
    let tool = if text("tool").is_empty() { text("kind") } else { text("tool") };
    let by = match text("by") {
        by if by.is_empty() => String::new(),
        by => format!(" by {by}"),
    };
    // A command that ran to its end and failed is no failed call, and a person wants to see it all the same.
    let outcome = match (text("outcome"), row["exit_code"].as_i64(), text("signal")) {
        (outcome, Some(code), _) if outcome == "ok" && code != 0 => format!("exit {code}"),
        (outcome, _, signal) if outcome == "ok" && !signal.is_empty() => signal,
        (outcome, ..) => outcome,
    };
    let tone = if outcome == "ok" { Tone::Good } else { Tone::Caution };
    let (paths, left) = paths(row);
    let mut what: Vec<String> = paths.into_iter().map(|path| visible(path).into_owned()).collect();
    what.extend((left > 0).then(|| format!("and {left} more")));
    let named = ["command", "job", "action", "branch"].map(text).into_iter().filter(|word| !word.is_empty());
    what.extend(named);
    what.extend(row["commit"].as_str().map(|id| visible(prefix(id, 12)).into_owned()));
    let moved = row["refs"].as_array().into_iter().flatten().filter_map(|moved| moved["name"].as_str());
    what.extend(moved.map(|name| visible(name).into_owned()));
    what.extend(row["program"].as_str().map(|program| visible(program).into_owned()));
    vec![
        (Tone::Faint, text("at").chars().take(19).collect()),
        (Tone::Plain, text("workspace")),
        (Tone::Plain, tool),
        (Tone::Plain, format!("{}{by}", text("decision"))),
        (tone, outcome),
        (Tone::Plain, what.join(", ")),
    ]
}

/// So many paths of a call are shown where the row has them from its changes, as it names them itself.
const PATHS_SHOWN: usize = 50;

/// The paths of a call, as far as they are shown, and how many more there are: those that its arguments name, or, where a patch does,
/// those that it changed.
fn paths(row: &Value) -> (Vec<&str>, u64) {
    let items = |field: &str| row[field].as_array().map(Vec::as_slice).unwrap_or_default();
    let named: Vec<&str> = items("paths").iter().filter_map(Value::as_str).collect();
    if !named.is_empty() {
        return (named, row["paths_left"].as_u64().unwrap_or_default());
    }
    let changed: Vec<&str> = items("changes").iter().filter_map(|change| change["path"].as_str()).collect();
    let left = changed.len().saturating_sub(PATHS_SHOWN) as u64;
    (changed.into_iter().take(PATHS_SHOWN).collect(), left)
}

const COLUMNS: &[&str] = &[
    "seq",
    "at",
    "kind",
    "workspace",
    "session",
    "turn",
    "call",
    "tool",
    "tier",
    "decision",
    "by",
    "outcome",
    "duration_ms",
    "paths",
    "program",
    "command",
    "exit_code",
    "signal",
    "branch",
    "commit",
    "hash",
];

fn csv(entry: &AuditEntry) -> String {
    let whole = json!(entry);
    let cell = |column: &&str| {
        let text = match &whole[*column] {
            _ if *column == "paths" => paths(&whole).0.join(" "),
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
            other => other.to_string(),
        };
        // A cell that begins like a formula would be one in a spreadsheet.
        let text = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text };
        if text.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text
        }
    };
    COLUMNS.iter().map(cell).collect::<Vec<_>>().join(",")
}
