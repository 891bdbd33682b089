//! The only place that writes to a person's terminal, and the only one that words errors there.
//!
//! Colours only where a terminal is and `NO_COLOR` is not; with `--json` one JSON document on the standard output and
//! nothing else. Never used while the standard output belongs to a protocol.

use std::{
    env,
    io::{self, IsTerminal as _, Write},
    process::ExitCode,
};

use serde::Serialize;
use serde_json::json;

/// How a command ended, for the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// What was asked is done, and all is well.
    Done,
    /// Something failed, or a problem was found.
    Problems,
    /// The command line could not be understood.
    Usage,
    /// What needs approval got none.
    NotApproved,
    /// Somebody stopped it, by a signal of this number.
    Stopped(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => Self::SUCCESS,
            Exit::Problems => Self::from(1),
            Exit::Usage => Self::from(2),
            Exit::NotApproved => Self::from(3),
            // As a shell tells it.
            Exit::Stopped(signal) => Self::from(128 | signal),
        }
    }
}

/// What a word means, shown as a colour where there are colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Just text.
    Plain,
    /// All is well.
    Good,
    /// To be looked at.
    Caution,
    /// Wrong.
    Bad,
    /// Beside the point.
    Faint,
    /// A heading.
    Strong,
}

impl Tone {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Good => "\x1b[32m",
            Self::Caution => "\x1b[33m",
            Self::Bad => "\x1b[31m",
            Self::Faint => "\x1b[2m",
            Self::Strong => "\x1b[1m",
        }
    }
}

/// Where words go.
pub struct Report {
    out: Stream,
    err: Stream,
    json: bool,
}

struct Stream {
    writer: Box<dyn Write + Send>,
    colours: bool,
    /// Why not all of it was written.
    failed: Option<io::Error>,
}

impl Report {
    /// To the process's own streams.
    pub fn of_process(json: bool) -> Self {
        let plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the one place that writes to a person's terminal"
        )]
        let out = io::stdout();
        let err = io::stderr();
        Self {
            out: Stream::new(out.is_terminal() && !plain, Box::new(out)),
            err: Stream::new(err.is_terminal() && !plain, Box::new(err)),
            json,
        }
    }

    /// To any two writers, without colours.
    pub fn plain(out: Box<dyn Write + Send>, err: Box<dyn Write + Send>, json: bool) -> Self {
        Self { out: Stream::new(false, out), err: Stream::new(false, err), json }
    }

    /// The end of the answer: one that was not written whole, on a full disk say, is not done, whatever it says.
    pub fn close(&mut self, exit: Exit) -> Exit {
        self.out.note(Ok(()));
        let Some(error) = self.out.failed.take() else { return exit };
        self.json = false;
        self.error("the answer could not be written", &error.to_string(), "");
        if exit == Exit::Done { Exit::Problems } else { exit }
    }

    /// True when a program reads the output.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// True when errors are shown with colours.
    pub fn has_colours(&self) -> bool {
        self.err.colours
    }

    /// One line of the answer.
    pub fn line(&mut self, line: &str) {
        self.out.line(&[(Tone::Plain, line)]);
    }

    /// One line of the answer, in pieces.
    pub fn pieces(&mut self, pieces: &[(Tone, &str)]) {
        self.out.line(pieces);
    }

    /// A table: the first row is its heading, every column but the last as wide as its longest cell.
    pub fn table(&mut self, rows: &[Vec<(Tone, String)>]) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            rows.iter()
                .filter_map(|row| row.get(column))
                .map(|(_, cell)| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in rows {
            let last = row.len().saturating_sub(1);
            let cells: Vec<(Tone, String)> = row
                .iter()
                .enumerate()
                .map(|(column, (tone, cell))| {
                    let gap = if column == last { 0 } else { widths[column] + 2 - cell.chars().count() };
                    (*tone, format!("{cell}{}", " ".repeat(gap)))
                })
                .collect();
            let pieces: Vec<(Tone, &str)> = cells.iter().map(|(tone, cell)| (*tone, cell.as_str())).collect();
            self.out.line(&pieces);
        }
    }

    /// The whole answer for a program.
    pub fn json(&mut self, answer: &impl Serialize) {
        let text = serde_json::to_string_pretty(answer)
            .unwrap_or_else(|error| json!({"error": {"message": error.to_string()}}).to_string());
        self.out.line(&[(Tone::Plain, &text)]);
    }

    /// What failed, why, and what to do; `reason` and `help` may be empty.
    pub fn error(&mut self, what: &str, reason: &str, help: &str) {
        if self.json {
            self.json(&json!({"error": {"message": what, "reason": reason, "help": help}}));
            return;
        }
        self.err.line(&[(Tone::Bad, "error"), (Tone::Plain, ": "), (Tone::Plain, what)]);
        self.err.details(reason, help);
    }

    /// What a person reads before they answer; the answer for a program is not disturbed.
    pub fn notice(&mut self, text: &str) {
        self.err.line(&[(Tone::Plain, text.trim_end())]);
    }

    /// What works but should be known. A program finds it in the answer.
    pub fn warning(&mut self, what: &str, help: &str) {
        if !self.json {
            self.err.line(&[(Tone::Caution, "warning"), (Tone::Plain, ": "), (Tone::Plain, what)]);
            self.err.details("", help);
        }
    }
}

impl Stream {
    fn new(colours: bool, writer: Box<dyn Write + Send>) -> Self {
        Self { writer, colours, failed: None }
    }

    /// Remembers the first failure. A reader that has gone away (`| head`) is no error of ours.
    fn note(&mut self, written: io::Result<()>) {
        let done = written.and_then(|()| self.writer.flush());
        self.failed = self
            .failed
            .take()
            .or_else(|| done.err().filter(|error| error.kind() != io::ErrorKind::BrokenPipe));
    }

    fn line(&mut self, pieces: &[(Tone, &str)]) {
        let mut line = String::new();
        for (tone, text) in pieces {
            if self.colours && *tone != Tone::Plain {
                line.push_str(tone.code());
                line.push_str(text);
                line.push_str("\x1b[0m");
            } else {
                line.push_str(text);
            }
        }
        let line = if self.colours { line.as_str() } else { line.trim_end() };
        let written = writeln!(self.writer, "{line}");
        self.note(written);
    }

    fn details(&mut self, reason: &str, help: &str) {
        for line in reason.lines() {
            self.line(&[(Tone::Plain, "  "), (Tone::Plain, line)]);
        }
        if !help.is_empty() {
            self.line(&[
                (Tone::Plain, "  "),
                (Tone::Strong, "help"),
                (Tone::Plain, ": "),
                (Tone::Plain, help),
            ]);
        }
    }
}

impl std::fmt::Debug for Report {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Report").field("json", &self.json).finish_non_exhaustive()
    }
}
