//! Turns what the probe saw into checks.

use std::path::Path;

use serde_json::Value;

use super::{
    probe::{Fault, Transcript},
    seen,
    start_checks::{self, ended_by},
};
use crate::{
    install::{
        check::{Check, Mend},
        environment::Environment,
        error::shown,
        files,
        target::Target,
    },
    process::Ending,
};

/// What to do about a host of this very version that misbehaves.
pub const OUR_FAULT: &str = "please report it, with the file that `outrigger doctor --report FILE` writes";

/// What mends a host that misbehaves.
#[derive(Clone, Debug)]
pub enum Way {
    /// This command, which makes the manifest name another one.
    Reinstall(String),
    /// Nothing that a person can do: it is this very version.
    Report,
}

impl Way {
    pub(super) fn of(&self, check: Check) -> Check {
        match self {
            Self::Reinstall(command) => check.fix(command.as_str()).mended_by(Mend::Reinstall),
            Self::Report => check.advice(OUR_FAULT),
        }
    }
}

/// One link that was exercised: what was seen, and whose it is.
#[derive(Debug)]
pub struct Link<'a> {
    /// What the probe saw.
    pub transcript: &'a Transcript,
    /// The manifest's `path`.
    pub program: &'a Path,
    /// The browser.
    pub target: &'a Target,
    /// The machine.
    pub environment: &'a Environment,
    /// What mends the host.
    pub mend: Way,
}

impl Link<'_> {
    /// `host.start`, `host.hello`, `host.version`, `host.folders`, `host.echo`, `host.exit`, as far as it went.
    pub fn checks(&self) -> Vec<Check> {
        let Self { transcript, mend, .. } = self;
        let answer = match &transcript.hello {
            Ok(answer) => answer,
            Err(Fault::Start(error)) => return vec![start_checks::failed(self, error)],
            Err(fault) => return self.no_answer(fault),
        };
        let place = shown(self.program);
        let started =
            Check::ok("host.start", format!("`{place}` starts as {} would start it", self.target.name));
        let result = &answer["result"];
        if !result.is_object() {
            return vec![started, refused(&answer["error"], mend)];
        }
        if result["protocol"]["chosen"] != 1 {
            let check =
                Check::problem("host.hello", "the host chose a version of the protocol that was not offered");
            return vec![started, mend.of(check.seen(seen(&result["protocol"].to_string())))];
        }
        vec![started, Check::ok("host.hello", "the host answers a hello"), version(result, mend)]
            .into_iter()
            .chain(self.folders(result))
            .chain(transcript.echo.as_ref().map(|echo| large(echo, mend)))
            // After a fault of the wire nobody read on, and how the host left says nothing.
            .chain((!matches!(transcript.echo, Some(Err(_)))).then(|| exit(transcript, mend)))
            .collect()
    }

    /// The host's own words decide what is said; its error output is the evidence.
    fn no_answer(&self, fault: &Fault) -> Vec<Check> {
        let place = shown(self.program);
        let started = Check::ok("host.start", format!("`{place}` can be started"));
        let message = match fault {
            Fault::Silent { limit } => {
                format!(
                    "`{place}` does not answer a hello within {} s; the browser would wait for ever",
                    limit.as_secs_f32()
                )
            }
            Fault::Stray { .. } => format!(
                "`{place}` writes text to its output; the browser reads it as a length and closes the port"
            ),
            Fault::Oversize { .. } => {
                format!("`{place}` writes a frame that is too long; the browser closes the port")
            }
            Fault::Closed | Fault::Torn { .. } => format!("`{place}` ends before it has answered a hello"),
            Fault::Bye { .. } => format!("`{place}` refuses to serve, and says why"),
            _ => {
                format!("`{place}` does not answer a hello as the protocol says")
            }
        };
        let check =
            Check::problem("host.hello", message).seen(seen(&last_words(fault, self.transcript).join("; ")));
        // Its own words say what helps; another copy of the same would say them again.
        let check = match (fault, &self.mend) {
            (Fault::Bye { .. }, Way::Report) => check.advice("do what it says, then look again"),
            (_, mend) => mend.of(check),
        };
        vec![started, check]
    }

    /// A host that was led elsewhere works, and knows nothing of what this person configures, trusts and undoes.
    fn folders(&self, result: &Value) -> Option<Check> {
        let ours = self.environment.taken.as_ref()?;
        let differs = |what: &str, ours: &Path| {
            let theirs = Path::new(result[what]["path"].as_str()?);
            // A host tells a name as it can be shown.
            let same = theirs == Path::new(&*ours.to_string_lossy())
                || files::canonical(theirs).is_ok_and(|theirs| files::canonical(ours).ok() == Some(theirs));
            (!same).then(|| format!("{what}: {} instead of {}", seen(&theirs.to_string_lossy()), shown(ours)))
        };
        let differing: Vec<String> =
            [differs("config", &ours.config), differs("state", &ours.state)].into_iter().flatten().collect();
        if differing.is_empty() {
            return None;
        }
        let message = "the host that the browser starts is led to other folders than this outrigger: what you configure here does not reach it";
        let check = Check::problem("host.folders", message).seen(differing.join("; "));
        Some(check.fix(self.target.reinstall(self.environment)).mended_by(Mend::Reinstall))
    }
}

/// How it ended, and what it said at the end.
fn last_words(fault: &Fault, transcript: &Transcript) -> Vec<String> {
    let mut evidence = vec![fault.to_string()];
    match transcript.ending {
        Some(Ending::Exit(0)) | None => {}
        Some(Ending::Exit(code)) => evidence.push(format!("exit status {code}")),
        Some(Ending::Signal(signal)) => evidence.push(ended_by(signal)),
    }
    let words: Vec<&str> = transcript.stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if !words.is_empty() {
        evidence.push(format!("its last words: {}", words[words.len().saturating_sub(3)..].join(" | ")));
    }
    evidence
}

fn refused(error: &Value, mend: &Way) -> Check {
    let words = error["message"].as_str().unwrap_or("an answer with neither result nor error");
    let message = if error["code"] == -32050 {
        "the host speaks another version of the protocol than this outrigger"
    } else {
        "the host answers a hello with an error"
    };
    mend.of(Check::problem("host.hello", message).seen(seen(words)))
}

fn version(result: &Value, mend: &Way) -> Check {
    let ours = env!("CARGO_PKG_VERSION");
    match result["host"]["version"].as_str() {
        Some(version) if version == ours => {
            Check::ok("host.version", format!("its version is {ours}, as ours"))
        }
        Some(version) => mend.of(Check::problem(
            "host.version",
            format!("the browser starts another version of outrigger than this one, {ours}"),
        )
        .seen(seen(version))),
        None => mend.of(Check::problem("host.version", "the host does not say its version")),
    }
}

/// Large messages, both ways.
fn large(echo: &Result<(), Fault>, mend: &Way) -> Check {
    const ID: &str = "host.echo";
    match echo {
        Ok(()) => Check::ok(ID, "large messages come back as they were sent, in one frame and in chunks"),
        Err(fault) => {
            let message = match fault {
                Fault::Oversize { .. } => {
                    "the host writes a frame that is too long, at which the browser closes the port"
                }
                Fault::Stray { .. } => "the host writes text to its output; the browser closes the port",
                _ => "a large message does not come back as it was sent",
            };
            mend.of(Check::problem(ID, message).seen(seen(&fault.to_string())))
        }
    }
}

fn exit(transcript: &Transcript, mend: &Way) -> Check {
    const ID: &str = "host.exit";
    let limit = transcript.limits.exit.as_secs_f32();
    let wrong = match transcript.ending {
        None => Check::problem(
            ID,
            format!("the host does not leave within {limit} s after the browser closes the port"),
        )
        .seen("it was killed, as a browser would do"),
        Some(_) if transcript.output_held => {
            let message = "a program that the host started keeps its output open, so the extension never sees the port close";
            Check::problem(ID, message).seen("the host has ended, and its output has not")
        }
        Some(Ending::Exit(0)) => match &transcript.late {
            None => return Check::ok(ID, "it leaves when the port closes"),
            Some(fault) => Check::problem(
                ID,
                "the host writes text to its output after its answers; during a session the browser closes the port",
            )
            .seen(seen(&fault.to_string())),
        },
        Some(Ending::Exit(code)) => {
            Check::problem(ID, "the host fails when the port closes").seen(format!("exit status {code}"))
        }
        Some(Ending::Signal(signal)) => {
            Check::problem(ID, "the host crashes when the port closes").seen(ended_by(signal))
        }
    };
    mend.of(wrong)
}
