//! Proves the link: reads what the browser would read, starts what it would start, and talks to it.
//!
//! A browser counts as right only when its host was started with its own arguments, answered a hello, and left when its
//! input was closed. What was not exercised is called not checked, never ok.

mod boxed_checks;
pub mod browser_probe;
mod command_checks;
mod config_checks;
mod devtools;
pub mod host_checks;
mod machine_checks;
mod marionette;
pub mod mend;
mod patience;
pub mod probe;
mod proof;
pub mod redacted;
mod start_checks;

use std::{ffi::OsString, path::PathBuf, thread};

use serde::Serialize;

pub use self::probe::Limits;
use self::{
    host_checks::{Link, Way},
    probe::Transcript,
};
use super::{
    boxed::{self, BoxedBrowser},
    browsers::Family,
    check::{self, Check, Mend, Verdict},
    environment::Environment,
    error::InstallError,
    ids::Ids,
    inspect, installer,
    ownership::{Owned, Record},
    target::{self, Selection, Target},
};
use crate::text;

/// How much of a host's words is shown.
const SEEN_BYTES: usize = 300;

/// Everything that was found.
#[derive(Clone, Debug, Serialize)]
pub struct Diagnosis {
    /// Ours.
    pub version: &'static str,
    /// No problem anywhere, and at least one link exercised.
    pub ok: bool,
    /// Browser by browser.
    pub browsers: Vec<BrowserDiagnosis>,
    /// What concerns all of them.
    pub general: Vec<Check>,
}

/// What was found about one browser.
#[derive(Clone, Debug, Serialize)]
pub struct BrowserDiagnosis {
    /// The target's id.
    pub browser: String,
    /// For people.
    pub name: String,
    /// The manifest's place.
    #[serde(serialize_with = "text::lossy")]
    pub manifest: PathBuf,
    /// The link was exercised, and nothing is wrong.
    pub ok: bool,
    /// In the order of [`check::BROWSER_CHECKS`].
    pub checks: Vec<Check>,
}

/// The targets to examine: the named ones; else every browser that is there and every folder that we wrote to.
pub fn targets(environment: &Environment, selection: &Selection) -> Result<Vec<Target>, InstallError> {
    let mut targets = selection.named_or_present(environment)?;
    if selection.is_empty() {
        // One that cannot be read is a finding of its own, and no reason to look at nothing.
        let manifests = Record::read(environment, selection.scope).map(|record| record.manifests);
        let manifests = manifests.unwrap_or_default();
        let recorded = manifests.iter().map(Owned::to_target).filter(|target| target.presence.is_there());
        recorded.for_each(|owned| target::push_new(&mut targets, owned));
    }
    Ok(targets)
}

/// Examines all targets, side by side: a host that does not answer costs its limit once.
pub fn examine(environment: &Environment, ids: &Ids, targets: &[Target], limits: Limits) -> Diagnosis {
    let examined: Vec<(BrowserDiagnosis, Option<Transcript>)> = thread::scope(|scope| {
        let running: Vec<_> = targets
            .iter()
            .map(|target| scope.spawn(move || examine_one(environment, ids, target, limits)))
            .collect();
        running
            .into_iter()
            .zip(targets)
            .map(|(thread, target)| thread.join().unwrap_or_else(|_| broken(target, ids)))
            .collect()
    });
    let boxed: Vec<BrowserDiagnosis> =
        boxed::found(environment).iter().map(|browser| examine_boxed(environment, ids, browser)).collect();
    let command = environment.command();
    let mut general = Vec::new();
    if targets.is_empty() && boxed.is_empty() {
        let check = Check::problem("browser.any", "no browser was found on this machine");
        general.push(check.fix(format!("{command} install --all")));
    }
    let answered = examined
        .iter()
        .filter_map(|(_, transcript)| transcript.as_ref())
        .find(|transcript| transcript.hello.is_ok());
    general.extend(config_checks::of(answered, &command));
    general.extend(machine_checks::of(environment, ids, targets));
    let browsers: Vec<BrowserDiagnosis> =
        examined.into_iter().map(|(diagnosis, _)| diagnosis).chain(boxed).collect();
    let ok = !browsers.is_empty()
        && browsers.iter().all(|browser| browser.ok)
        && general.iter().all(|check| check.verdict != Verdict::Problem);
    Diagnosis { version: env!("CARGO_PKG_VERSION"), ok, browsers, general }
}

/// One in a sandbox: there is no link that could be exercised from here.
fn examine_boxed(environment: &Environment, ids: &Ids, browser: &BoxedBrowser) -> BrowserDiagnosis {
    BrowserDiagnosis {
        browser: format!("{}:{}", browser.kind(), browser.package_name()),
        name: format!("{} ({})", browser.name, browser.kind()),
        manifest: PathBuf::new(),
        ok: false,
        checks: boxed_checks::of(environment, ids, browser),
    }
}

fn examine_one(
    environment: &Environment,
    ids: &Ids,
    target: &Target,
    limits: Limits,
) -> (BrowserDiagnosis, Option<Transcript>) {
    let inspection = inspect::inspect(environment, ids, target);
    let startable = inspection.is_startable();
    let mut checks = inspection.checks;
    let program = inspection.program.filter(|_| startable);
    let transcript = program.map(|program| {
        let arguments = browser_arguments(ids, target.family, &inspection.manifest);
        let transcript = probe::probe(&program, &arguments, limits);
        let same = checks.iter().any(|check| check.id == "binary.same" && check.verdict == Verdict::Ok);
        // Where the manifest already names this binary, installing again would mend nothing.
        let mend = if same { Way::Report } else { Way::Reinstall(target.reinstall(environment)) };
        let link = Link { transcript: &transcript, program: &program, target, environment, mend };
        checks.extend(link.checks());
        transcript
    });
    // Installing again mends nothing while something stands in its way.
    let blocked = |check: &Check| check.mend == Some(Mend::Reinstall);
    if checks.iter().any(blocked)
        && let Some(obstacle) = installer::obstacle(environment, target, &target.manifest(&ids.file_name()))
    {
        let cleared = |check: Check| if blocked(&check) { obstacle.before(check) } else { check };
        checks = checks.into_iter().map(cleared).collect();
    }
    check::complete(&mut checks);
    let ok = checks.iter().all(Check::is_fine);
    let diagnosis = BrowserDiagnosis {
        browser: target.id.clone(),
        name: target.full_name(),
        manifest: inspection.manifest,
        ok,
        checks,
    };
    (diagnosis, transcript)
}

/// What the browser puts behind the program's name.
fn browser_arguments(ids: &Ids, family: Family, manifest: &std::path::Path) -> Vec<OsString> {
    let extension = ids.extension(family).to_string().into();
    match family {
        Family::Chromium => vec![extension],
        Family::Firefox => vec![manifest.into(), extension],
    }
}

/// A panic of ours while examining: nothing was checked, and that is said.
fn broken(target: &Target, ids: &Ids) -> (BrowserDiagnosis, Option<Transcript>) {
    let mut checks =
        vec![Check::problem("host.start", "bug: the doctor itself failed here; please report it")];
    check::complete(&mut checks);
    let manifest = target.manifest(&ids.file_name());
    (
        BrowserDiagnosis {
            browser: target.id.clone(),
            name: target.name.clone(),
            manifest,
            ok: false,
            checks,
        },
        None,
    )
}

/// Words of a host or a browser, which may be anything: harmless and short.
fn seen(words: &str) -> String {
    text::excerpt(words, SEEN_BYTES)
}
