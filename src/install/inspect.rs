//! Reads a manifest as the browser would and says everything that is wrong with it, without starting anything.
//!
//! The rules are the browsers' own, as measured: Firefox refuses a manifest with a sixth key, Chromium one whose origin
//! lacks the final slash. What this finds right can still fail; only the doctor's probe proves the link.

use std::path::{Path, PathBuf};

use super::{
    binary_checks,
    browsers::{self, Family, Os, Scope},
    check::{Check, Mend, Verdict},
    environment::Environment,
    error::shown,
    files::{self, Existing},
    gecko_preferences,
    ids::Ids,
    keys, manifest_contents, manifest_file, policy, rivals,
    target::Target,
};

/// Problems with which the browser starts the host all the same.
pub(super) const WORKS: &[&str] = &["binary.folder", "policy.extension", rivals::RIVAL, HIDDEN];
const HIDDEN: &str = "manifest.hidden";

/// What was found.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// The manifest that the browser takes, or would take.
    pub manifest: PathBuf,
    /// The checks that could be made, in order.
    pub checks: Vec<Check>,
    /// The manifest's `path`, as it is written there.
    pub program: Option<PathBuf>,
}

impl Inspection {
    /// The first check with this verdict whose id begins so.
    pub fn first(&self, verdict: Verdict, prefix: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.verdict == verdict && check.id.starts_with(prefix))
    }

    /// True when the browser would not refuse the manifest.
    fn is_good(&self) -> bool {
        self.first(Verdict::Problem, "manifest.").is_none()
    }

    /// True when nothing is known that would keep the browser from starting the host.
    pub fn is_startable(&self) -> bool {
        self.program.is_some()
            && self.checks.iter().all(|check| check.verdict != Verdict::Problem || WORKS.contains(&check.id))
    }
}

/// Inspects one target: the manifest that its browser takes, among all that are there.
pub fn inspect(environment: &Environment, ids: &Ids, target: &Target) -> Inspection {
    let policies = policy::of(environment, ids, target);
    let system_only = policies.system_only.is_some();
    let useful = policies.system_only.filter(|_| target.scope == Scope::User);
    let mend = useful.is_none().then_some(Mend::Reinstall);
    let reinstall = useful.unwrap_or_else(|| target.reinstall(environment));
    let inspector = Inspector { environment, ids, target, reinstall, mend };
    let (mut checks, places) = inspector.places(system_only);
    let mut found: Vec<Inspection> = places
        .iter()
        .filter(|place| !is_absent(place))
        .map(|place| inspector.examine(place.clone()))
        .collect();
    // Chromium takes the first that is there; Firefox the first that it likes.
    let position = match target.family {
        Family::Chromium => 0,
        Family::Firefox => found.iter().position(Inspection::is_good).unwrap_or(0),
    };
    let mut taken = if found.is_empty() {
        let place = places.into_iter().next().unwrap_or_else(|| target.manifest(&ids.file_name()));
        manifest_file::absent(&inspector, place)
    } else {
        let taken = found.remove(position);
        checks.extend(inspector.shadowed(&taken, &found, position));
        taken
    };
    if !system_only {
        checks.extend(inspector.hidden(&taken));
    }
    if let Some(program) = &taken.program {
        taken.checks.extend(binary_checks::of(&inspector, &taken.manifest, program));
    }
    let mut all = checks;
    all.append(&mut taken.checks);
    all.extend(policies.checks);
    all.extend(gecko_preferences::of_profiles(environment, target));
    all.extend(rivals::rivals(ids, target));
    all.extend(rivals::misplaced(environment, ids, target));
    Inspection { checks: all, ..taken }
}

/// What cannot be looked at is there; examining it says why not.
fn is_absent(place: &Path) -> bool {
    match files::look(place) {
        Ok(existing) => existing == Existing::Absent,
        Err(error) => error.is_not_folder(),
    }
}

/// True when both start the same program, or a copy of it.
fn starts_the_same(one: &Inspection, other: &Inspection) -> bool {
    match (&one.program, &other.program) {
        (Some(one), Some(other)) => one == other || files::same_contents(one, other),
        _ => false,
    }
}

/// Whose manifests are looked at, and what mends them.
pub(super) struct Inspector<'a> {
    pub(super) environment: &'a Environment,
    pub(super) ids: &'a Ids,
    pub(super) target: &'a Target,
    pub(super) reinstall: String,
    /// None where only an administrator can mend it: installing for the user would help nobody.
    pub(super) mend: Option<Mend>,
}

impl Inspector<'_> {
    pub(super) fn problem(&self, id: &'static str, message: impl Into<String>) -> Check {
        self.mended(Check::problem(id, message))
    }

    /// With what mends it: the manifest is installed again.
    pub(super) fn mended(&self, check: Check) -> Check {
        let check = check.fix(self.reinstall.as_str());
        match &self.mend {
            Some(mend) => check.mended_by(mend.clone()),
            None => check,
        }
    }

    /// Where the browser looks, in its order; on Windows as the registry says, with what is wrong about that.
    fn places(&self, system_only: bool) -> (Vec<Check>, Vec<PathBuf>) {
        let file_name = self.ids.file_name();
        if !self.target.registry_keys.is_empty() {
            let keys: Vec<String> = self
                .target
                .registry_keys
                .iter()
                .map(|key| format!("{key}\\{}", self.ids.host_name))
                .collect();
            return keys::places(self.environment, &keys, self.target.scope, &self.reinstall);
        }
        let of_user = if self.target.scope == Scope::User { 1 + self.target.next.len() } else { 0 };
        let skipped = if system_only { of_user } else { 0 };
        (Vec::new(), self.target.folders().skip(skipped).map(|folder| folder.join(&file_name)).collect())
    }

    /// Whether other manifests of ours are hidden by the one that is taken, or were passed over for it.
    fn shadowed(&self, taken: &Inspection, others: &[Inspection], position: usize) -> Option<Check> {
        const ID: &str = "manifest.shadowed";
        let list = |inspections: &[&Inspection]| {
            inspections.iter().map(|other| told(other)).collect::<Vec<_>>().join(", ")
        };
        let place = told(taken);
        let good: Vec<&Inspection> = others.iter().filter(|other| other.is_good()).collect();
        if !taken.is_good() && !good.is_empty() {
            let message = "a broken manifest hides a good one: the browser takes the first that it finds";
            return Some(self.problem(ID, message).seen(format!("{} hides {}", told(taken), list(&good))));
        }
        if position > 0 {
            let passed: Vec<&Inspection> = others[..position].iter().collect();
            let message = "the browser passes over a broken manifest and takes another one";
            let check = Check::warning(ID, message).seen(format!("{place} instead of {}", list(&passed)));
            return Some(self.mended(check));
        }
        let differing: Vec<&Inspection> =
            good.into_iter().filter(|other| !starts_the_same(taken, other)).collect();
        if differing.is_empty() {
            return None;
        }
        let message = "another manifest of outrigger, which names another program, is hidden by the one that the browser takes";
        let advice = "to have the other one: uninstall the one that hides it";
        Some(Check::warning(ID, message).seen(format!("{place} hides {}", list(&differing))).advice(advice))
    }

    /// Everything about one manifest, as if it were the only one.
    fn examine(&self, manifest: PathBuf) -> Inspection {
        let mut inspection = Inspection { manifest, checks: Vec::new(), program: None };
        if let Some(object) = manifest_file::read(self, &mut inspection) {
            inspection.program = manifest_contents::check(self, &object, &mut inspection.checks);
        }
        inspection
    }

    /// A manifest for everybody, of which somebody's own browser sees nothing: it looks into their home folder first.
    fn hidden(&self, taken: &Inspection) -> Option<Check> {
        if self.target.scope != Scope::System || self.environment.os == Os::Windows {
            return None;
        }
        let own = Target::of_browser(browsers::find(&self.target.id)?, self.environment, Scope::User)?;
        let manifest = own.manifest(&self.ids.file_name());
        // Where there is nothing to be hidden, that is the fault.
        if is_absent(&manifest) || is_absent(&taken.manifest) {
            return None;
        }
        let mine =
            Inspector { target: &own, reinstall: own.reinstall(self.environment), mend: None, ..*self };
        let hiding = mine.examine(manifest);
        // Firefox passes over what it does not like.
        let is_passed_over = self.target.family == Family::Firefox && !hiding.is_good();
        if is_passed_over || starts_the_same(&hiding, taken) {
            return None;
        }
        let message = "the browser of this user does not get this far: a manifest in the home folder comes first, and names another program";
        let check = Check::problem(HIDDEN, message);
        Some(
            check
                .seen(format!("{} hides {}", told(&hiding), told(taken)))
                .fix(own.reinstall(self.environment)),
        )
    }
}

/// A manifest, and what it starts.
fn told(inspection: &Inspection) -> String {
    let place = shown(&inspection.manifest);
    match &inspection.program {
        Some(program) => format!("{place} (which starts {})", shown(program)),
        None => place,
    }
}
