//! Where a call happens: a workspace, the law there, and what the workspace's own file of rules makes of it.
//!
//! The file is looked at before every call (one system call) and read again only when it changed. While it cannot be used, nothing is
//! open that it may close: what it last said stays in force, and everything that changes something is asked one by one; where that is
//! not known, nothing but the file itself is open.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
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
    local: Mutex<Local>,
}

/// What is known of the workspace's own file.
#[derive(Debug, Default)]
struct Local {
    known: Option<Known>,
    /// What it said when it could last be used; nothing once it was gone.
    usable: Option<Arc<str>>,
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
        // Another configuration does not make it forget what the file of the same folder last said.
        let same = before.filter(|before| before.root == root);
        let usable = same.and_then(|before| before.local().usable.clone());
        let local = Mutex::new(Local { known: None, usable });
        Self { entry: entry.clone(), opened, root, stations, own, local }
    }

    /// The rules that its files were last seen under.
    fn last_rules(&self, law: &Law) -> Arc<PathRules> {
        let local = self.local();
        let rules = local.known.as_ref().map(|known| known.place.workspace.shared_rules());
        rules.unwrap_or_else(|| {
            Arc::new(law.paths().at([self.root.as_path(), &self.entry.path]).with_forbidden(&self.own))
        })
    }

    fn local(&self) -> MutexGuard<'_, Local> {
        self.local.lock().unwrap_or_else(PoisonError::into_inner)
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
        let mut local = self.local();
        if stamp.is_missing() {
            *local = Local::default();
            return Ok(Place { workspace: Arc::clone(workspace), law: Arc::clone(law) });
        }
        let trust_stamp = trust.stamp();
        if let Some(known) = local.known.as_ref()
            && known.stamp == stamp
            && known.trust == trust_stamp
        {
            return Ok(known.place.clone());
        }
        let (law, notes) = self.localized(workspace, config, law, trust, &mut local.usable)?;
        let rules =
            Arc::new(law.paths().at([self.root.as_path(), &self.entry.path]).with_forbidden(&self.own));
        let place = Place { workspace: Arc::new(workspace.under(rules, notes.into())), law: Arc::new(law) };
        local.known = Some(Known { stamp, trust: trust_stamp, place: place.clone() });
        Ok(place)
    }

    /// The law, and what should be known about the file.
    fn localized(
        &self,
        workspace: &Workspace,
        config: &Config,
        law: &Law,
        trust: &TrustStore,
        usable: &mut Option<Arc<str>>,
    ) -> Result<(Law, Vec<String>), String> {
        let reason = match read(workspace) {
            // Gone in this very instant; the next call looks again.
            Ok(None) => return Ok((strictest(law), Vec::new())),
            Ok(Some(text)) => {
                let trusted = trust.trusts(workspace.root(), &sha256_hex(text.as_bytes()));
                match under(config, &text, trusted) {
                    Ok(found) => {
                        *usable = Some(text);
                        return Ok(found);
                    }
                    Err(reason) => reason,
                }
            }
            Err(reason) => reason,
        };
        tracing::warn!(workspace = self.entry.id, reason, "a workspace's own rules cannot be used");
        let until = "until it is mended or removed";
        // Trust was given to the bytes, and those are others by now.
        if let Some((law, _)) = usable.as_deref().and_then(|text| under(config, text, false).ok()) {
            let note = format!(
                "{LOCAL_FILE} cannot be used ({reason}): {until}, what it said before stays in force, and every change is asked one by one"
            );
            return Ok((strictest(&law), vec![note]));
        }
        let why = format!("`{LOCAL_FILE}` of the workspace `{}` cannot be used ({reason})", self.entry.id);
        let note = format!(
            "{LOCAL_FILE} cannot be used ({reason}): it could block anything, so nothing but the file itself is open, and no command runs, \
             {until}"
        );
        let closed = Law::closed(config, &why).map_err(|error| error.message)?;
        Ok((strictest(&closed), vec![note]))
    }
}

/// What the file says now.
fn read(workspace: &Workspace) -> Result<Option<Arc<str>>, String> {
    let Some(bytes) = workspace.read_local().map_err(|error| error.to_string())? else { return Ok(None) };
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    Ok(Some(text.into()))
}

/// The law that the text makes of the configuration, and what should be known about it.
fn under(config: &Config, text: &str, trusted: bool) -> Result<(Law, Vec<String>), String> {
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
    Ok((law, notes))
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
