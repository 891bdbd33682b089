//! Proves the link: reads what the browser would read, starts what it would start, and talks to it.
//!
//! A browser counts as right only when its host was started with its own arguments, answered a hello, and left when its
//! input was closed. What was not exercised is called not checked, never ok.

pub mod host_checks;
pub mod probe;

use std::{ffi::OsString, path::PathBuf, thread};

use serde::Serialize;

pub use self::probe::Limits;
use self::probe::Transcript;
use super::{
    browsers::Family,
    check::{self, Check, Verdict},
    environment::Environment,
    error::InstallError,
    ids::Ids,
    inspect,
    ownership::{Owned, Record},
    target::{self, Selection, Target},
};

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
        let record = Record::read(environment)?;
        let recorded =
            record.manifests.iter().map(Owned::to_target).filter(|target| target.presence.is_there());
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
    let command = environment.command();
    let mut general = Vec::new();
    if targets.is_empty() {
        let check = Check::problem("browser.any", "no browser was found on this machine");
        general.push(check.fix(format!("{command} install --all")));
    }
    let answered = examined
        .iter()
        .filter_map(|(_, transcript)| transcript.as_ref())
        .find(|transcript| transcript.hello.is_ok());
    general.extend(host_checks::configuration(answered, &command));
    let browsers: Vec<BrowserDiagnosis> = examined.into_iter().map(|(diagnosis, _)| diagnosis).collect();
    let ok = !browsers.is_empty()
        && browsers.iter().all(|browser| browser.ok)
        && general.iter().all(|check| check.verdict != Verdict::Problem);
    Diagnosis { version: env!("CARGO_PKG_VERSION"), ok, browsers, general }
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
        let reinstall = format!("{} install {}", environment.command(), target.flags);
        let same = checks.iter().any(|check| check.id == "binary.same" && check.verdict == Verdict::Ok);
        // Where the manifest already names this binary, installing again would mend nothing.
        let mend = if same { host_checks::OUR_FAULT } else { reinstall.as_str() };
        checks.extend(host_checks::link(&transcript, &program, target, mend));
        transcript
    });
    check::complete(&mut checks);
    let ok = checks.iter().all(|check| matches!(check.verdict, Verdict::Ok | Verdict::Warning));
    let diagnosis = BrowserDiagnosis {
        browser: target.id.clone(),
        name: target.name.clone(),
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
