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
mod open_hosts;
mod patience;
pub mod probe;
mod proof;
pub mod redacted;
mod start_checks;
mod trust;
mod variable_checks;

use std::{
    ffi::OsString,
    io,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    thread,
};

use serde::Serialize;

pub use self::probe::Limits;
use self::{
    host_checks::{Link, Way},
    probe::Transcript,
};
use super::{
    boxed::{self, BoxedBrowser},
    browsers::{self, Family, Scope},
    check::{self, Check, Mend, Verdict},
    environment::Environment,
    error::InstallError,
    exposed::Exposed,
    files,
    ids::Ids,
    inspect::{self, Inspection},
    installer,
    ownership::{Owned, Record},
    running::{self, Profile},
    target::{self, Presence, Selection, Target},
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
    /// Target by target, those that only a browser in a sandbox reads among them: what can be mended.
    #[serde(skip)]
    pub examined: Vec<(Target, Vec<Check>)>,
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

/// The targets to examine: the named ones; else every browser that is there, every folder that we wrote to, and every folder that a
/// browser runs with and finds a manifest for.
pub fn targets(environment: &Environment, selection: &Selection) -> Result<Vec<Target>, InstallError> {
    // The hosts that are started would keep what is theirs where the user could not.
    environment.refuse_home_of_another(selection.scope)?;
    let mut targets = selection.named_or_present(environment)?;
    if selection.is_empty() {
        // One that cannot be read is a finding of its own, and no reason to look at nothing.
        let manifests = Record::read(environment, selection.scope).map(|record| record.manifests);
        let manifests = manifests.unwrap_or_default();
        let recorded = manifests.iter().map(Owned::to_target).filter(|target| target.presence.is_there());
        recorded.for_each(|owned| target::push_new(&mut targets, owned));
        let file_name = Ids::shipped()?.file_name();
        // Who runs a browser with another home folder has others of everything.
        let is_meant = |profile: &&Profile| !profile.is_elsewhere && profile.is_of_this_home;
        for profile in running::profiles(environment).iter().filter(is_meant) {
            let Ok(target) = Target::of_folder(environment, &profile.folder, profile.family) else {
                continue;
            };
            let target = running::completed(environment, target);
            if profile.folder.is_absolute()
                && target.folders().any(|folder| files::is_there(&folder.join(&file_name)))
            {
                target::push_new(&mut targets, Target { presence: Presence::Running, ..target });
            }
        }
    }
    let boxed = boxed::found(environment);
    let in_its_box = |target: Target| match box_of(environment, &boxed, &target) {
        Some(browser) => Target { presence: Presence::Boxed(browser.clone()), ..target },
        None => running::completed(environment, target),
    };
    Ok(targets.into_iter().map(in_its_box).collect())
}

/// The sandbox in which a browser of the table is, where it is nowhere else.
fn box_of<'a>(
    environment: &Environment,
    boxed: &'a [BoxedBrowser],
    target: &Target,
) -> Option<&'a BoxedBrowser> {
    let own = boxed.iter().find(|boxed| boxed.id == target.id)?;
    let browser = browsers::find(&target.id)?;
    let mut programs = browser.programs.iter().flat_map(|name| environment.find_programs(name)).peekable();
    let presence = match target.presence {
        // By our own record; that we wrote there is no sign of the browser.
        Presence::Given | Presence::Running => {
            Target::of_browser(browser, environment, target.scope)?.presence
        }
        _ => target.presence.clone(),
    };
    let is_nowhere_else = match presence {
        Presence::Absent => true,
        // What it left before it came into the box is no sign of it outside.
        Presence::Folder(_) => {
            target.also.is_empty() && programs.peek().is_some() && programs.all(|path| boxed::is_door(&path))
        }
        _ => false,
    };
    is_nowhere_else.then_some(own)
}

impl BrowserDiagnosis {
    /// The link was exercised and works; something else may be wrong.
    pub fn reaches(&self) -> bool {
        let is_proven = |id: &str| self.checks.iter().any(|check| check.id == id && check.is_fine());
        self.ok || (is_proven("host.hello") && is_proven("host.exit") && self.is_free())
    }

    /// There is a host, and it was not started because it is not to be trusted.
    fn is_doubted(&self) -> bool {
        let is_doubt = |check: &Check| {
            check.id == "host.start" && check.verdict == Verdict::NotChecked && check.evidence.is_some()
        };
        self.checks.iter().any(is_doubt)
    }

    /// Nothing is known that keeps the browser from starting the host.
    fn is_free(&self) -> bool {
        let stops = |check: &Check| {
            let starts = inspect::WORKS.contains(&check.id) && check.id != "policy.extension";
            check.verdict == Verdict::Problem && !starts
        };
        !self.checks.iter().any(stops)
    }
}

/// Examines all targets, as many at a time as there are processors: they do not make one another late.
pub fn examine(environment: &Environment, ids: &Ids, targets: &[Target], limits: Limits) -> Diagnosis {
    let inspected = side_by_side(targets, |target| inspect::inspect(environment, ids, target));
    let exposed = Exposed::of(environment);
    let plans: Vec<Plan> = targets
        .iter()
        .zip(&inspected)
        .map(|(target, inspection)| match inspection {
            Some(inspection) => Plan::of(environment, ids, &exposed, target, inspection),
            None => Plan::Nothing,
        })
        .collect();
    let mut starts: Vec<&Start> = Vec::new();
    for plan in &plans {
        starts.extend(plan.start().filter(|start| !starts.contains(start)));
    }
    let programs: Vec<PathBuf> =
        inspected.iter().flatten().filter_map(|found| found.program.clone()).collect();
    // What is started the same way answers the same way.
    let transcripts = side_by_side(&starts, |(program, arguments)| probe::probe(program, arguments, limits));
    let examined: Vec<BrowserDiagnosis> = targets
        .iter()
        .zip(inspected)
        .zip(&plans)
        .map(|((target, inspection), plan)| {
            let Some(mut inspection) = inspection else { return broken(target, ids) };
            let transcript = match plan {
                Plan::Start(start) => {
                    let known = starts.iter().position(|known| *known == start);
                    let Some(transcript) = known.and_then(|known| transcripts.get(known)?.as_ref()) else {
                        return broken(target, ids);
                    };
                    Some(transcript)
                }
                Plan::Doubted(check) => {
                    inspection.checks.push(check.clone());
                    None
                }
                Plan::Nothing => None,
            };
            judged(environment, ids, target, inspection, transcript)
        })
        .collect();
    let answered = transcripts.iter().flatten().find(|transcript| transcript.hello.is_ok());
    let boxed = boxed::found(environment);
    let command = environment.command();
    let mut general = Vec::new();
    if targets.is_empty() && boxed.is_empty() {
        let check = Check::problem("browser.any", "no browser was found on this machine");
        general.push(check.fix(format!("{command} install --all")));
    }
    general.extend(config_checks::of(answered, environment));
    general.extend(machine_checks::of(environment, ids, targets, &programs));
    let with_checks = targets.iter().zip(&examined);
    let mut browsers: Vec<BrowserDiagnosis> = with_checks
        .clone()
        .filter(|(target, _)| !target.is_boxed())
        .map(|(_, diagnosis)| diagnosis.clone())
        .collect();
    browsers.extend(boxed.iter().map(|browser| {
        let inside: Vec<&BrowserDiagnosis> = with_checks
            .clone()
            .filter(|(target, _)| reads(browser, target))
            .map(|(_, found)| found)
            .collect();
        examine_boxed(environment, ids, browser, &inside)
    }));
    let ok = !browsers.is_empty()
        && browsers.iter().all(|browser| browser.ok)
        && general.iter().all(|check| check.verdict != Verdict::Problem);
    let examined = targets.iter().cloned().zip(examined.into_iter().map(|found| found.checks)).collect();
    Diagnosis { version: env!("CARGO_PKG_VERSION"), ok, browsers, general, examined }
}

/// A program, and what a browser puts behind its name.
type Start = (PathBuf, Vec<OsString>);

/// What is done about a target.
enum Plan {
    /// This is started, as the browser would.
    Start(Start),
    /// The browser would start it, and we do not.
    Doubted(Check),
    /// Something is known that keeps the browser from starting it.
    Nothing,
}

impl Plan {
    fn of(
        environment: &Environment,
        ids: &Ids,
        exposed: &Exposed,
        target: &Target,
        inspection: &Inspection,
    ) -> Self {
        let Some(program) = &inspection.program else { return Self::Nothing };
        match trust::doubt(environment, exposed, target, &inspection.manifest, program) {
            // What leads nowhere is told already, and is nobody's: no doubt is needed about what cannot be started.
            _ if leads_nowhere(program) => Self::Nothing,
            Some(doubt) => Self::Doubted(doubt.check(environment, target, program)),
            None if inspection.is_startable() => {
                let arguments = browser_arguments(ids, target.family, &inspection.manifest);
                Self::Start((program.clone(), arguments))
            }
            None => Self::Nothing,
        }
    }

    fn start(&self) -> Option<&Start> {
        if let Self::Start(start) = self { Some(start) } else { None }
    }
}

/// True for what is not there, and for links that end in nothing or in each other.
fn leads_nowhere(program: &Path) -> bool {
    files::canonical(program).is_err_and(|error| error.kind() != io::ErrorKind::PermissionDenied)
}

/// Does the same with all of them, as many at a time as there are processors; `None` for one at which we failed.
fn side_by_side<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<Option<R>> {
    let at_once = thread::available_parallelism().map_or(1, usize::from);
    let work = &work;
    let group = |group: &[T]| -> Vec<Option<R>> {
        thread::scope(|scope| {
            let started = group.iter().map(|one| {
                // Where there is no thread to be had, it is done in this one.
                let thread = thread::Builder::new().spawn_scoped(scope, move || work(one));
                thread.map_err(|_| panic::catch_unwind(AssertUnwindSafe(|| work(one))).ok())
            });
            let started: Vec<_> = started.collect();
            started.into_iter().map(|one| one.map_or_else(|done| done, |thread| thread.join().ok())).collect()
        })
    };
    all.chunks(at_once).flat_map(group).collect()
}

/// True for a place that this browser reads from within its sandbox.
fn reads(browser: &BoxedBrowser, target: &Target) -> bool {
    target.is_boxed() && (target.id == browser.id || browser.read_through_portal().contains(&&*target.id))
}

/// One in a sandbox: there is no link that could be exercised from here. What is in the places that it reads is right as far as files go.
fn examine_boxed(
    environment: &Environment,
    ids: &Ids,
    browser: &BoxedBrowser,
    inside: &[&BrowserDiagnosis],
) -> BrowserDiagnosis {
    let mut checks = boxed_checks::of(environment, ids, browser);
    // One place that is right is enough.
    let enough = inside.iter().any(|place| place.ok);
    for place in inside {
        for check in &place.checks {
            let counts = check.verdict == Verdict::Warning || check.verdict == Verdict::Problem;
            checks.push(if counts && place.ok == enough {
                check.clone()
            } else {
                let message = format!("as far as files go, for {}: {}", place.name, check.message);
                Check::not_checked(check.id, message)
            });
        }
    }
    BrowserDiagnosis {
        browser: format!("{}:{}", browser.kind(), browser.package_name()),
        name: format!("{} ({})", browser.name, browser.kind()),
        manifest: PathBuf::new(),
        ok: false,
        checks,
    }
}

fn judged(
    environment: &Environment,
    ids: &Ids,
    target: &Target,
    inspection: Inspection,
    transcript: Option<&Transcript>,
) -> BrowserDiagnosis {
    let mut checks = inspection.checks;
    if let (Some(program), Some(transcript)) = (&inspection.program, transcript) {
        let same = checks.iter().any(|check| check.id == "binary.same" && check.verdict == Verdict::Ok);
        // Where the manifest already names this binary, installing again would mend nothing.
        let mend = if same { Way::Report } else { Way::Reinstall(target.reinstall(environment)) };
        let link = Link { transcript, program, target, environment, mend };
        checks.extend(link.checks());
    }
    // Installing again mends nothing while something stands in its way.
    let blocked = |check: &Check| check.mend == Some(Mend::Reinstall);
    if checks.iter().any(blocked)
        && let Some(obstacle) = installer::obstacle(environment, target, &target.manifest(&ids.file_name()))
    {
        let cleared = |check: Check| if blocked(&check) { obstacle.before(check) } else { check };
        checks = checks.into_iter().map(cleared).collect();
    }
    // Nor while its record cannot be used, which is told where all browsers are meant.
    if target.scope == Scope::User
        && checks.iter().any(blocked)
        && let Some(Check { fix: Some(first), mend: None, .. }) = machine_checks::record(environment)
    {
        for check in checks.iter_mut().filter(|check| blocked(check)) {
            check.fix = check.fix.take().map(|fix| format!("{first} && {fix}"));
            (check.mend, check.fixable) = (None, false);
        }
    }
    check::complete(&mut checks);
    let ok = checks.iter().all(Check::is_fine);
    BrowserDiagnosis {
        browser: target.id.clone(),
        name: target.full_name(),
        manifest: inspection.manifest,
        ok,
        checks,
    }
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
fn broken(target: &Target, ids: &Ids) -> BrowserDiagnosis {
    let mut checks =
        vec![Check::problem("host.start", "bug: the doctor itself failed here; please report it")];
    check::complete(&mut checks);
    BrowserDiagnosis {
        browser: target.id.clone(),
        name: target.name.clone(),
        manifest: target.manifest(&ids.file_name()),
        ok: false,
        checks,
    }
}

/// Words of a host or a browser, which may be anything: harmless and short.
fn seen(words: &str) -> String {
    text::excerpt(words, SEEN_BYTES)
}
