//! Where a call happens: a workspace, the law there, and what the workspace's own file of rules makes of it.
//!
//! The file is looked at before every call (one system call) and read again only when it changed. Broken, it narrows as far as
//! is sensible without knowing it: everything that changes something is asked one by one.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::stations::stations;
use crate::{
    config::{Config, ConfigError, Source, WorkspaceEntry, local, trust::TrustStore},
    ids::sha256_hex,
    policy::{Law, Neighbour, Nesting, PathRules},
    text::visible,
    tier::Tier,
    tools::catalog,
    workspace::{LOCAL_FILE, Stamp, Workspace},
};

/// Where a call happens.
#[derive(Clone, Debug)]
pub struct Place {
    /// The workspace, under its own rules.
    pub workspace: Arc<Workspace>,
    /// The law there.
    pub law: Arc<Law>,
}

impl Place {
    /// The same beside others that hold some of the same files: what one of them closes is closed in all. `fixed` is what paths of
    /// others lead through here, by their ids.
    pub(super) fn beside(&self, others: &[Beside], fixed: &[(&str, String)]) -> Self {
        let neighbours: Vec<Neighbour> = others.iter().map(|other| other.neighbour.clone()).collect();
        let read_only = others.iter().filter_map(Beside::read_only_inside);
        let laws: Vec<&str> = others.iter().filter_map(|other| other.law.as_deref()).collect();
        let fixed = fixed.iter().map(|(id, way)| (*id, way.as_str()));
        let rules = self.workspace.rules().with_read_only(read_only).with_fixed(fixed);
        let rules = rules.beside(neighbours.clone());
        Self {
            workspace: Arc::new(self.workspace.beside(rules)),
            law: Arc::new(self.law.beside(neighbours, &laws)),
        }
    }
}

/// Another workspace of the configuration that holds some of the same files.
#[derive(Clone, Debug)]
pub(super) struct Beside {
    neighbour: Neighbour,
    read_only: bool,
    /// The digest of the law there; none where there is no such folder now.
    law: Option<String>,
}

impl Beside {
    /// The workspace of `slot`, which lies so. One whose folder is gone or was replaced closes what it closed, all the same.
    pub(super) fn new(
        slot: &WorkspaceSlot,
        nesting: Nesting,
        place: Result<Place, String>,
        law: &Law,
    ) -> Self {
        let (rules, law) = match place {
            Ok(place) => (place.workspace.shared_rules(), Some(place.law.digest().to_owned())),
            Err(_) => (slot.last_rules(law), None),
        };
        let neighbour = Neighbour { id: slot.entry.id.clone(), nesting, rules };
        Self { neighbour, read_only: slot.entry.read_only, law }
    }

    /// Its id and the way to it, where nothing may change in it and it lies in the other.
    fn read_only_inside(&self) -> Option<(&str, &str)> {
        match &self.neighbour.nesting {
            Nesting::Holds(way) if self.read_only => Some((&self.neighbour.id, way)),
            _ => None,
        }
    }
}

/// A workspace of the configuration, opened or not.
#[derive(Debug)]
pub struct WorkspaceSlot {
    /// As configured.
    pub entry: WorkspaceEntry,
    /// The open root under the administrator's rules, or why there is none.
    pub opened: Result<Arc<Workspace>, String>,
    /// Where it lies, or would if it were there.
    pub(super) root: PathBuf,
    /// What its path leads through: links, and the folder itself.
    pub(super) stations: Vec<PathBuf>,
    /// Our own files that lie in it.
    own: Vec<String>,
    local: Mutex<Option<Known>>,
}

/// What was made of the file in one state.
#[derive(Debug)]
struct Known {
    stamp: Stamp,
    trust: Option<(u64, i64, i64)>,
    place: Place,
}

impl WorkspaceSlot {
    /// Opens it. `own` are our own files in it; `earlier` are the slots of the configuration before.
    pub(super) fn open(entry: &WorkspaceEntry, law: &Law, own: Vec<String>, earlier: &[Self]) -> Self {
        let rules = Arc::new(law.paths().with_forbidden(&own));
        let before = earlier.iter().find(|slot| slot.entry.path == entry.path);
        let opened = match (Workspace::open(entry, rules), before.map(|slot| &slot.opened)) {
            (Ok(workspace), Some(Ok(before))) => Ok(Arc::new(workspace.after(before))),
            (Ok(workspace), _) => Ok(Arc::new(workspace)),
            (Err(error), _) => Err(error.to_string()),
        };
        let root = match &opened {
            Ok(workspace) => workspace.root().to_path_buf(),
            Err(_) => canonical(&entry.path).unwrap_or_else(|| entry.path.clone()),
        };
        let stations = stations(&entry.path);
        Self { entry: entry.clone(), opened, root, stations, own, local: Mutex::default() }
    }

    /// The rules that its files were last seen under.
    fn last_rules(&self, law: &Law) -> Arc<PathRules> {
        let known = self.local.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = known.as_ref().map(|known| known.place.workspace.shared_rules());
        rules.unwrap_or_else(|| Arc::new(law.paths().with_forbidden(&self.own)))
    }

    /// The open root, or why it cannot be used now.
    pub fn standing(&self) -> Result<&Arc<Workspace>, String> {
        let workspace = self.opened.as_ref().map_err(Clone::clone)?;
        if !workspace.is_in_place() {
            return Err(format!(
                "the folder of the workspace `{}`, `{}`, is gone, or a different one stands there now: outrigger has to be \
                 started again when the right one is there",
                self.entry.id,
                visible(&workspace.root().to_string_lossy())
            ));
        }
        Ok(workspace)
    }

    /// The place as it is now, or why there is none.
    pub(super) fn place(&self, config: &Config, law: &Arc<Law>, trust: &TrustStore) -> Result<Place, String> {
        let workspace = self.standing()?;
        let stamp = workspace.local_stamp();
        if stamp.is_missing() {
            *self.local.lock().unwrap_or_else(PoisonError::into_inner) = None;
            return Ok(Place { workspace: Arc::clone(workspace), law: Arc::clone(law) });
        }
        let trust_stamp = trust.stamp();
        let mut known = self.local.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.as_ref()
            && known.stamp == stamp
            && known.trust == trust_stamp
        {
            return Ok(known.place.clone());
        }
        let place = self.localized(workspace, config, law, trust);
        *known = Some(Known { stamp, trust: trust_stamp, place: place.clone() });
        Ok(place)
    }

    fn localized(&self, workspace: &Arc<Workspace>, config: &Config, law: &Law, trust: &TrustStore) -> Place {
        let (law, notes) = match read(workspace, config, trust) {
            Ok(Some((law, notes))) => (law, notes),
            // Gone in this very instant; the next call looks again.
            Ok(None) => (strictest(law), Vec::new()),
            Err(reason) => {
                tracing::warn!(workspace = self.entry.id, reason, "a workspace's own rules cannot be used");
                let note = format!(
                    "{LOCAL_FILE} cannot be used ({reason}): until it is mended or removed, every change is asked one by one"
                );
                (strictest(law), vec![note])
            }
        };
        let law = Arc::new(law);
        let rules = Arc::new(law.paths().with_forbidden(&self.own));
        Place { workspace: Arc::new(workspace.under(rules, notes.into())), law }
    }
}

fn read(
    workspace: &Workspace,
    config: &Config,
    trust: &TrustStore,
) -> Result<Option<(Law, Vec<String>)>, String> {
    let Some(bytes) = workspace.read_local().map_err(|error| error.to_string())? else { return Ok(None) };
    let sha256 = sha256_hex(&bytes);
    let trusted = trust.trusts(workspace.root(), &sha256);
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let source = Source { path: LOCAL_FILE.into(), text: text.into() };
    let tools: Vec<(&str, Tier)> =
        catalog().iter().map(|tool| (tool.spec().name, tool.spec().tier)).collect();
    let words = |error: ConfigError| {
        let place = if error.line > 0 { format!("line {}: ", error.line) } else { String::new() };
        format!("{place}{}", visible(&error.message))
    };
    let localized = local::localize(&source, config, trusted, &tools).map_err(words)?;
    let law = Law::new(&localized.config).map_err(words)?;
    let notes = localized.ignored.iter().map(|what| format!("{LOCAL_FILE}: {}", visible(what))).collect();
    Ok(Some((law, notes)))
}

/// The administrator's law, every change asked one by one.
fn strictest(law: &Law) -> Law {
    let changing = catalog().iter().filter(|tool| !tool.spec().annotations.read_only);
    law.asking_each_time(changing.map(|tool| tool.spec().name))
}

/// Where it really is, or would be once it is made.
#[expect(clippy::disallowed_methods, reason = "only names are compared; nothing is opened by the result")]
pub(super) fn canonical(path: &Path) -> Option<PathBuf> {
    let real = std::fs::canonicalize(path).ok().map(crate::text::unmarked);
    real.or_else(|| Some(canonical(path.parent()?)?.join(path.file_name()?)))
}
