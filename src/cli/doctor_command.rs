//! `outrigger doctor`: what was proven, what is wrong, and how to mend it.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::{
    report::{Exit, Report, Tone},
    targets::{TargetArgs, refused},
};
use crate::{
    config,
    install::{
        Environment, Ids,
        check::{Check, Verdict},
        doctor::{
            self, BrowserDiagnosis, Diagnosis, Limits, browser_probe,
            mend::{self, Mended},
            redacted,
        },
        error::shown,
        installer,
    },
    process,
    text::counted,
};

/// Start outrigger as each browser would, and say what is wrong
#[derive(Args, Clone, Debug, Default)]
pub struct DoctorArgs {
    #[command(flatten)]
    targets: TargetArgs,
    /// Mend what outrigger can mend by itself, then look again
    #[arg(long)]
    fix: bool,
    /// Also start each browser itself, without a window and with a profile that is thrown away, and see it reach outrigger; takes some
    /// seconds
    #[arg(long)]
    in_browser: bool,
    /// Also write the findings to FILE, without your name, your folders and your workspaces
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// What was mended may show what was behind it.
const FIX_ROUNDS: usize = 3;
const SHOWN_WHEN_OK: &[&str] = &["config.valid", "workspace.available"];

/// The variable by which a doctor, or a host, has started us: a look within a look would have no end.
pub fn started_by() -> Option<&'static str> {
    [config::PROBE, config::RESOLVING].into_iter().find(|name| std::env::var_os(name).is_some())
}

/// `outrigger doctor`: 0 when all is well, 1 when there is a problem
pub fn run(args: &DoctorArgs, environment: &Environment, limits: Limits, report: &mut Report) -> Exit {
    let found =
        Ids::shipped().and_then(|ids| Ok((doctor::targets(environment, &args.targets.selection())?, ids)));
    let (mut targets, ids) = match found {
        Ok(found) => found,
        Err(error) => return refused("nothing was examined", &error, report),
    };
    let mut diagnosis = doctor::examine(environment, &ids, &targets, limits);
    let mut mended = Vec::new();
    for _ in 0..FIX_ROUNDS {
        // What was seen of programs that were stopped is nothing to be mended.
        let now = if args.fix && !process::is_stopped() {
            mend::mend(environment, &ids, &diagnosis)
        } else {
            Vec::new()
        };
        if now.is_empty() {
            break;
        }
        let done = now.iter().any(|mended| mended.error.is_none());
        mended.extend(now);
        // What was installed into is looked at as well.
        if let Ok(found) = doctor::targets(environment, &args.targets.selection()) {
            targets = found;
        }
        diagnosis = doctor::examine(environment, &ids, &targets, limits);
        if diagnosis.ok || !done {
            break;
        }
    }
    if args.in_browser && !process::is_stopped() {
        browser_probe::add(environment, &ids, &targets, &mut diagnosis);
    }
    if process::is_stopped() {
        if !report.is_json() {
            for mended in &mended {
                say_mended(mended, report);
            }
        }
        report.error("stopped", "nothing is said about what was not looked at to the end", "");
        return Exit::Problems;
    }
    if let Some(file) = &args.report
        && let Err(error) = installer::write_report(file, &redacted::text(environment, &diagnosis))
    {
        return refused("the report was not written", &error, report);
    }
    if report.is_json() {
        let mut answer = json!(diagnosis);
        if args.fix {
            answer["mended"] = json!(mended);
        }
        report.json(&answer);
    } else {
        for mended in &mended {
            say_mended(mended, report);
        }
        say(&diagnosis, report);
        if let Some(file) = &args.report {
            report.line(&format!("The report is in {}; it names neither you nor your folders.", shown(file)));
        }
    }
    if diagnosis.ok { Exit::Done } else { Exit::Problems }
}

fn say_mended(mended: &Mended, report: &mut Report) {
    match &mended.error {
        None => say_line(Tone::Good, &format!("{:<11}  {}  [{}]", "mended", mended.done, mended.id), report),
        Some(error) => {
            let line = format!("{:<11}  {}: {error}  [{}]", "not mended", mended.done, mended.id);
            say_line(Tone::Bad, &line, report);
        }
    }
}

fn say(diagnosis: &Diagnosis, report: &mut Report) {
    for browser in &diagnosis.browsers {
        say_browser(browser, report);
    }
    // Of what is right about the machine a person wants to know the configuration; `--json` has all of it.
    let told = |check: &&Check| check.verdict != Verdict::Ok || SHOWN_WHEN_OK.contains(&check.id);
    for check in diagnosis.general.iter().filter(told) {
        say_check("", check, report);
    }
    let good = diagnosis.browsers.iter().filter(|browser| browser.reaches()).count();
    let all = diagnosis.browsers.len();
    let (tone, verdict) = match (diagnosis.ok, good == all) {
        (true, _) => match warnings(diagnosis) {
            0 => (Tone::Good, format!("All is well: {}.", reached(good, all))),
            count => {
                let words =
                    format!("It works: {}; {} to look at.", reached(good, all), counted(count, "warning"));
                (Tone::Good, words)
            }
        },
        (false, true) if all > 0 => {
            (Tone::Bad, format!("There is a problem, although {}.", reached(good, all)))
        }
        (false, _) => (Tone::Bad, format!("There is a problem: {}.", reached(good, all))),
    };
    report.pieces(&[(tone, &verdict)]);
}

fn warnings(diagnosis: &Diagnosis) -> usize {
    let of_browsers = diagnosis.browsers.iter().flat_map(|browser| &browser.checks);
    of_browsers.chain(&diagnosis.general).filter(|check| check.verdict == Verdict::Warning).count()
}

fn reached(good: usize, all: usize) -> String {
    match (good, all) {
        (_, 0) => "no browser was examined".to_owned(),
        (1, 1) => "the browser reaches outrigger".to_owned(),
        (0, 1) => "the browser does not reach outrigger".to_owned(),
        (good, all) => format!("{good} of {all} browsers reach outrigger"),
    }
}

fn say_browser(browser: &BrowserDiagnosis, report: &mut Report) {
    if browser.ok {
        let proven = format!(
            "ok           {}: started as the browser would start it; answered a hello, version {}; left when told",
            browser.name,
            env!("CARGO_PKG_VERSION")
        );
        say_line(Tone::Good, &proven, report);
    }
    let (missed, made): (Vec<&Check>, Vec<&Check>) =
        browser.checks.iter().partition(|check| check.verdict == Verdict::NotChecked);
    for check in made.iter().filter(|check| check.verdict != Verdict::Ok) {
        say_check(&browser.name, check, report);
    }
    // Who asked for it wants to know what came of it, and why nothing did.
    let probed = browser_probe::of(browser);
    if let Some(check) = probed {
        say_check(&browser.name, check, report);
    }
    let (told, missed): (Vec<&Check>, Vec<&Check>) = missed
        .into_iter()
        .filter(|check| probed.is_none_or(|probed| probed.id != check.id))
        .partition(|check| check.evidence.is_some());
    // What there is to see of one that could not be made is no secret.
    for check in told {
        say_check(&browser.name, check, report);
    }
    if !missed.is_empty() {
        let line = format!("not checked  {}: {}", browser.name, what_was_missed(&missed));
        say_line(Tone::Faint, &line, report);
    }
}

/// A few by name; many by number, `--json` has them all.
fn what_was_missed(missed: &[&Check]) -> String {
    if missed.len() > 4 {
        return format!("{} further checks, the start of the host among them", missed.len());
    }
    missed.iter().map(|check| check.id).collect::<Vec<_>>().join(", ")
}

fn say_check(name: &str, check: &Check, report: &mut Report) {
    let (tone, word) = match check.verdict {
        Verdict::Ok => (Tone::Good, "ok"),
        Verdict::Warning => (Tone::Caution, "warning"),
        Verdict::Problem => (Tone::Bad, "problem"),
        Verdict::NotChecked => (Tone::Faint, "not checked"),
    };
    let colon = if name.is_empty() { "" } else { ": " };
    say_line(tone, &format!("{word:<11}  {name}{colon}{}  [{}]", check.message, check.id), report);
    if let Some(evidence) = &check.evidence {
        report.pieces(&[(Tone::Faint, "               seen: "), (Tone::Plain, evidence)]);
    }
    if let Some(fix) = &check.fix {
        report.pieces(&[(Tone::Faint, "               fix:  "), (Tone::Strong, fix)]);
    }
    if let Some(advice) = &check.advice {
        report.pieces(&[(Tone::Faint, "               help: "), (Tone::Plain, advice)]);
    }
}

/// A line whose first word, 13 characters wide, has a colour.
fn say_line(tone: Tone, line: &str, report: &mut Report) {
    let (word, rest) = line.split_at(line.len().min(13));
    report.pieces(&[(tone, word), (Tone::Plain, rest)]);
}
