//! Reads a manifest as the browser would and says everything that is wrong with it, without starting anything.
//!
//! The rules are the browsers' own, as measured: Firefox refuses a manifest with a sixth key, Chromium one whose origin
//! lacks the final slash. What this finds right can still fail; only the doctor's probe proves the link.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{
    binary_checks,
    browsers::{Family, Scope},
    check::{Check, Mend, Verdict},
    environment::{Environment, quoted},
    error::shown,
    files::{self, Existing},
    ids::{Ids, is_chromium_origin, is_firefox_id},
    keys, manifest,
    obstacle::Obstacle,
    permissions, policy, rivals,
    target::Target,
};
use crate::text;

/// How much of a foreign value is shown.
const SEEN_BYTES: usize = 200;

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
            && self
                .checks
                .iter()
                .all(|check| check.verdict != Verdict::Problem || check.id == "binary.folder")
    }
}

/// Inspects one target: the manifest that its browser takes, among all that are there.
pub fn inspect(environment: &Environment, ids: &Ids, target: &Target) -> Inspection {
    let policies = policy::of(environment, ids, target);
    let is_useless = policies.system_only && target.scope == Scope::User;
    let reinstall =
        if is_useless { policy::install_for_all(environment, target) } else { target.reinstall(environment) };
    let mend = (!is_useless).then_some(Mend::Reinstall);
    let inspector = Inspector { environment, ids, target, reinstall, mend };
    let (mut checks, places) = inspector.places(policies.system_only);
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
        inspector.absent(place)
    } else {
        let taken = found.remove(position);
        checks.extend(inspector.shadowed(&taken, &found, position));
        taken
    };
    if let Some(program) = &taken.program {
        taken.checks.extend(binary_checks::of(environment, &taken.manifest, program, &inspector.reinstall));
    }
    let mut all = checks;
    all.append(&mut taken.checks);
    all.extend(policies.checks);
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

struct Inspector<'a> {
    environment: &'a Environment,
    ids: &'a Ids,
    target: &'a Target,
    reinstall: String,
    /// None where only an administrator can mend it: installing for the user would help nobody.
    mend: Option<Mend>,
}

impl Inspector<'_> {
    fn problem(&self, id: &'static str, message: impl Into<String>) -> Check {
        self.mended(Check::problem(id, message))
    }

    /// With what mends it: the manifest is installed again.
    fn mended(&self, check: Check) -> Check {
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
        let folders = std::iter::once(&self.target.folder).chain(&self.target.further);
        let skipped = usize::from(system_only && self.target.scope == Scope::User);
        (Vec::new(), folders.skip(skipped).map(|folder| folder.join(&file_name)).collect())
    }

    /// Whether other manifests of ours are hidden by the one that is taken, or were passed over for it.
    fn shadowed(&self, taken: &Inspection, others: &[Inspection], position: usize) -> Option<Check> {
        const ID: &str = "manifest.shadowed";
        let list = |inspections: &[&Inspection]| {
            inspections.iter().map(|other| shown(&other.manifest)).collect::<Vec<_>>().join(", ")
        };
        let place = shown(&taken.manifest);
        let good: Vec<&Inspection> = others.iter().filter(|other| other.is_good()).collect();
        if !taken.is_good() && !good.is_empty() {
            let message = "a broken manifest hides a good one: the browser takes the first that it finds";
            return Some(self.problem(ID, message).seen(format!("{place} hides {}", list(&good))));
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
        let Some(object) = self.read(&mut inspection) else { return inspection };
        let missing = self.missing_keys(&object);
        if missing.is_empty() {
            self.check_values(&object, &mut inspection.checks);
            inspection.program = self.check_path(&object, &mut inspection.checks);
        } else {
            let check = self.other_family(&object).unwrap_or_else(|| self.keys_are_missing(&missing));
            inspection.checks.push(check);
        }
        inspection
    }

    /// None at all; whether one could be put there decides what mends it.
    fn absent(&self, manifest: PathBuf) -> Inspection {
        let place = shown(&manifest);
        let check = self
            .problem("manifest.present", "there is no manifest of outrigger, so the browser cannot start it")
            .seen(format!("missing: {place}"));
        let folder = manifest.parent().unwrap_or(&manifest);
        let obstacle = (self.target.scope == Scope::User && self.mend.is_some())
            .then(|| Obstacle::to_writing(folder))
            .flatten();
        let check = match obstacle {
            None => check,
            Some(obstacle) => self.cleared(
                Check::problem(
                    "manifest.present",
                    "there is no manifest of outrigger, and none can be written to the browser's folder",
                ),
                &obstacle,
            ),
        };
        Inspection { manifest, checks: vec![check], program: None }
    }

    /// With what takes the obstacle out of the way and then installs.
    fn cleared(&self, check: Check, obstacle: &Obstacle) -> Check {
        let check = check.seen(obstacle.seen());
        let check = match obstacle.command() {
            Some(command) => check.fix(format!("{command} && {}", self.reinstall)),
            None => check.advice(obstacle.advice()),
        };
        match obstacle.mend() {
            Some(mend) => check.mended_by(mend),
            None => check,
        }
    }

    /// The manifest's object, if there is one.
    fn read(&self, inspection: &mut Inspection) -> Option<Map<String, Value>> {
        let Inspection { manifest, checks, .. } = inspection;
        let place = shown(manifest);
        checks.push(Check::ok("manifest.present", format!("the manifest is {place}")));
        let bytes = match files::read_through(manifest) {
            Ok(bytes) => bytes,
            Err(error) => {
                checks.push(self.unreadable(manifest, &error));
                return None;
            }
        };
        if self.is_for_all(manifest) && !permissions::is_readable_by_all(manifest) {
            let message = "the manifest is for everybody, and only its owner may read it";
            let fix = format!("sudo chmod a+r {}", quoted(&manifest.to_string_lossy()));
            checks.push(Check::problem("manifest.readable", message).seen(place).fix(fix));
            return None;
        }
        checks.push(Check::ok("manifest.readable", "the manifest can be read"));
        match serde_json::from_slice::<Map<String, Value>>(manifest::without_mark(&bytes)) {
            Ok(object) => {
                checks.push(Check::ok("manifest.json", "the manifest is a JSON object"));
                Some(object)
            }
            Err(error) => {
                let check = self
                    .problem("manifest.json", "the manifest is not a JSON object, so the browser ignores it");
                checks.push(check.seen(format!("{place}: {error}")));
                None
            }
        }
    }

    /// True for a manifest of the whole machine.
    fn is_for_all(&self, manifest: &Path) -> bool {
        let folder = manifest.parent();
        self.target.scope == Scope::System
            || self.target.further.iter().any(|further| Some(&**further) == folder)
    }

    fn unreadable(&self, manifest: &Path, error: &super::InstallError) -> Check {
        let message = "the manifest cannot be read, so the browser ignores it";
        let check = Check::problem("manifest.readable", message).seen(error.to_string());
        let place = quoted(&manifest.to_string_lossy());
        let sudo = if self.is_for_all(manifest) { "sudo " } else { "" };
        match error {
            // Something is there and yet not found: a link that leads nowhere, which installing replaces.
            error if error.is_not_found() => self.mended(check),
            super::InstallError::NotAFile { .. } => check.fix(format!(
                "{sudo}mv {place} {} && {}",
                quoted(&format!("{}.old", manifest.to_string_lossy())),
                self.reinstall
            )),
            error if error.is_denied() => {
                match Obstacle::to_reaching(manifest.parent().unwrap_or(manifest)) {
                    Some(obstacle) => self.cleared(check, &obstacle),
                    None if permissions::is_own(manifest) => check
                        .fix(format!("chmod a+r {place}"))
                        .mended_by(Mend::AddMode(manifest.to_path_buf(), 0o444)),
                    None => check.fix(format!("sudo chmod a+r {place}")),
                }
            }
            error if error.is_circle() => {
                match Obstacle::to_reaching(manifest.parent().unwrap_or(manifest)) {
                    Some(obstacle) => self.cleared(check, &obstacle),
                    None => self.mended(check),
                }
            }
            error => check.advice(error.help()),
        }
    }

    fn check_values(&self, object: &Map<String, Value>, checks: &mut Vec<Check>) {
        checks.push(self.keys(object));
        checks.push(match object.get("name").and_then(Value::as_str) {
            Some(name) if name == self.ids.host_name => {
                Check::ok("manifest.name", "`name` is the file's name")
            }
            _ => self
                .problem("manifest.name", format!("`name` must be `{}`, like the file", self.ids.host_name))
                .seen(value_of(object, "name")),
        });
        checks.push(match object.get("description").and_then(Value::as_str) {
            Some(description) if !description.is_empty() => {
                Check::ok("manifest.description", "`description` is there")
            }
            _ => self
                .problem("manifest.description", "`description` must be a text that is not empty")
                .seen(value_of(object, "description")),
        });
        checks.push(match object.get("type").and_then(Value::as_str) {
            Some("stdio") => Check::ok("manifest.type", "`type` is `stdio`"),
            _ => self.problem("manifest.type", "`type` must be `stdio`").seen(value_of(object, "type")),
        });
        checks.push(self.allowed(object));
    }

    fn expected_keys(&self) -> [&'static str; 5] {
        ["name", "description", "path", "type", manifest::allowed_key(self.target.family)]
    }

    fn missing_keys(&self, object: &Map<String, Value>) -> Vec<&'static str> {
        self.expected_keys().into_iter().filter(|key| !object.contains_key(*key)).collect()
    }

    fn keys_are_missing(&self, missing: &[&str]) -> Check {
        let message = "keys are missing, so the browser refuses the manifest";
        self.problem("manifest.keys", message).seen(format!("missing: {}", listed(missing)))
    }

    /// The folder is a link to one of the other family, whose manifests are there.
    fn other_family(&self, object: &Map<String, Value>) -> Option<Check> {
        let other = match self.target.family {
            Family::Chromium => Family::Firefox,
            Family::Firefox => Family::Chromium,
        };
        let to = files::link_of(&self.target.folder)
            .filter(|_| object.contains_key(manifest::allowed_key(other)))?;
        let message = "the folder of manifests is another browser's, and one file cannot serve both";
        let place = quoted(&self.target.folder.to_string_lossy());
        let old = quoted(&format!("{}.old", self.target.folder.to_string_lossy()));
        let check = Check::problem("manifest.keys", message).seen(format!(
            "{} is a link to {}",
            shown(&self.target.folder),
            shown(&to)
        ));
        Some(check.fix(format!("mv {place} {old} && {}", self.reinstall)))
    }

    /// No key beside the five of the family: Firefox refuses the file for it.
    fn keys(&self, object: &Map<String, Value>) -> Check {
        let expected = self.expected_keys();
        let further: Vec<&str> =
            object.keys().map(String::as_str).filter(|key| !expected.contains(key)).collect();
        if further.is_empty() {
            return Check::ok("manifest.keys", "exactly the five keys of its family");
        }
        let seen = format!("further: {}", listed(&further));
        match self.target.family {
            Family::Firefox => {
                let message = "Firefox refuses a manifest that has any key beside its five";
                self.problem("manifest.keys", message).seen(seen)
            }
            Family::Chromium => {
                let message = "keys that the browser does not know; it ignores them";
                self.mended(Check::warning("manifest.keys", message).seen(seen))
            }
        }
    }

    fn allowed(&self, object: &Map<String, Value>) -> Check {
        const ID: &str = "manifest.allowed";
        let key = manifest::allowed_key(self.target.family);
        let Some(entries) = object.get(key).and_then(Value::as_array) else {
            return self
                .problem(ID, format!("`{key}` must be a list of extensions"))
                .seen(value_of(object, key));
        };
        let well_formed = |entry: &Value| {
            entry.as_str().is_some_and(|text| match self.target.family {
                Family::Chromium => is_chromium_origin(text),
                Family::Firefox => is_firefox_id(text),
            })
        };
        if let Some(wrong) = entries.iter().find(|entry| !well_formed(entry)) {
            let message = match self.target.family {
                Family::Chromium => {
                    "one wrong entry makes the browser refuse the whole manifest: `chrome-extension://`, 32 letters from a \
                     to p, and a final slash are needed, without wildcards"
                }
                Family::Firefox => {
                    "one wrong entry makes Firefox refuse the whole manifest: it takes add-on ids only"
                }
            };
            return self.problem(ID, message).seen(visible(&wrong.to_string()));
        }
        let own = self.ids.extension(self.target.family).to_string();
        if !entries.iter().any(|entry| entry.as_str() == Some(&own)) {
            let message = format!(
                "outrigger's own extension, `{own}`, is not in `{key}`, so it may not start the host"
            );
            return self.problem(ID, message).seen(value_of(object, key));
        }
        Check::ok(ID, format!("`{key}` lists outrigger's extension"))
    }

    /// The program that the browser would start.
    fn check_path(&self, object: &Map<String, Value>, checks: &mut Vec<Check>) -> Option<PathBuf> {
        let path =
            object.get("path").and_then(Value::as_str).map(Path::new).filter(|path| path.is_absolute());
        checks.push(if path.is_some() {
            Check::ok("manifest.path", "`path` is absolute")
        } else {
            self.problem("manifest.path", "`path` must be an absolute path").seen(value_of(object, "path"))
        });
        path.map(Path::to_path_buf)
    }
}

fn listed(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("`{}`", visible(key))).collect::<Vec<_>>().join(", ")
}

/// A value as it stands in the manifest.
fn value_of(object: &Map<String, Value>, key: &str) -> String {
    match object.get(key) {
        Some(value) => visible(&format!("{key}: {value}")),
        None => format!("{key} is missing"),
    }
}

/// Foreign text for people: harmless and short.
fn visible(foreign: &str) -> String {
    let cut = text::prefix(foreign, SEEN_BYTES);
    let more = if cut.len() < foreign.len() { "…" } else { "" };
    format!("{}{more}", text::visible(cut))
}
