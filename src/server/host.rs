//! What all calls of one connection share, under one configuration. Another configuration makes another host of the same
//! connection ([`Host::under`]); calls that run keep the one they began with.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use crate::{
    cancel::Cancel,
    config::{Config, WorkspaceEntry, trust::TrustStore},
    footprint::{self, Footprint},
    hint::nearest,
    journal::{AuditRow, Journal, Queued},
    limits::ECHO_BYTES,
    policy::{Law, Nesting},
    process::ProcessDoor,
    redact::Redactor,
    relpath,
    server::{
        approval::Approvals,
        denied::DeniedCache,
        in_flight::InFlight,
        place::{Beside, Place, WorkspaceSlot, canonical},
        repeats::Repeats,
        request::Request,
        watches::Watches,
    },
    text,
    tools::{AnyTool, Code, Handles, ToolError, Unavailable, catalog, exec::Jobs},
    workspace::Workspace,
};

/// How often the journal is tidied at most, while there are calls at all.
const TIDY_SECONDS: u64 = 600;
/// How long after a call that is done: the next one may come at once.
const TIDY_DELAY: Duration = Duration::from_secs(10);
/// How long rows of the audit wait for others.
const NOTE_DELAY: Duration = Duration::from_secs(1);

/// What all calls of one connection share.
#[derive(Debug)]
pub struct Host {
    /// The configuration.
    pub config: Arc<Config>,
    /// Compiled.
    pub law: Arc<Law>,
    /// Every configured workspace, in order.
    pub slots: Vec<WorkspaceSlot>,
    /// Those that are not served, and whose rules count.
    pub beside: Vec<WorkspaceSlot>,
    /// Those that could be opened, under the administrator's rules alone: for what a user does (undo). A call takes its place.
    pub workspaces: Arc<Vec<Arc<Workspace>>>,
    /// The id of the workspace for calls that name none.
    pub default_workspace: Option<String>,
    /// What was started and finished.
    pub journal: Arc<Journal>,
    /// The door to programs.
    pub processes: Arc<ProcessDoor>,
    /// What was cut from answers.
    pub handles: Arc<Handles>,
    /// Commands in the background.
    pub jobs: Arc<Jobs>,
    /// Seals plans and knows which were used.
    pub approvals: Arc<Approvals>,
    /// Calls that fail again and again.
    pub repeats: Arc<Repeats>,
    /// Globs of users' rules, compiled.
    pub denied: Arc<DeniedCache>,
    /// What runs now.
    pub in_flight: Arc<InFlight>,
    /// Takes secrets out of results.
    pub redactor: Redactor,
    /// Notices quiet moments, and gives memory back in them.
    pub footprint: Footprint,
    /// What is watched for those who listen.
    pub watches: Watches,
    /// Cancelled when the connection ends.
    pub root: Cancel,
    trust: TrustStore,
    said_hello: Arc<AtomicBool>,
    opened: Instant,
    /// Seconds from `opened` to the last tidying; 0: never.
    tidied: Arc<AtomicU64>,
}

impl Host {
    /// Opens the workspaces of `config`; one that cannot be opened stays listed with its reason.
    pub fn new(
        config: Arc<Config>,
        law: Arc<Law>,
        default_workspace: Option<String>,
        journal: Journal,
        processes: ProcessDoor,
        root: Cancel,
    ) -> Self {
        let state_folder = journal.path().parent().map(Path::to_path_buf).unwrap_or_default();
        let (slots, beside) = slots(&config, &law, &journal, (&[], &[]));
        Self {
            workspaces: opened(&slots, &beside),
            slots,
            beside,
            redactor: Redactor::new(config.redact.enabled, &config.redact.patterns),
            config,
            law,
            default_workspace,
            journal: Arc::new(journal),
            processes: Arc::new(processes),
            handles: Arc::default(),
            jobs: Arc::new(Jobs::under(&root)),
            approvals: Arc::default(),
            repeats: Arc::default(),
            denied: Arc::default(),
            in_flight: Arc::default(),
            watches: Watches::default(),
            footprint: Footprint::default(),
            root,
            trust: TrustStore::new(&state_folder),
            said_hello: Arc::default(),
            opened: Instant::now(),
            tidied: Arc::default(),
        }
    }

    /// The same connection under another configuration. What runs, what was asked and what is known of the past stays.
    #[must_use]
    pub fn under(&self, config: Config, law: Law) -> Self {
        let folders = |config: &Config| (config.roots(), config.write_paths());
        let processes = if config.exec == self.config.exec && folders(&config) == folders(&self.config) {
            Arc::clone(&self.processes)
        } else {
            let (roots, written) = folders(&config);
            Arc::new(self.processes.under(config.exec.clone(), roots, written))
        };
        let (slots, beside) = slots(&config, &law, &self.journal, (&self.slots, &self.beside));
        Self {
            workspaces: opened(&slots, &beside),
            slots,
            beside,
            redactor: Redactor::new(config.redact.enabled, &config.redact.patterns),
            processes,
            config: Arc::new(config),
            law: Arc::new(law),
            default_workspace: self.default_workspace.clone(),
            journal: Arc::clone(&self.journal),
            handles: Arc::clone(&self.handles),
            jobs: Arc::clone(&self.jobs),
            approvals: Arc::clone(&self.approvals),
            repeats: Arc::clone(&self.repeats),
            denied: Arc::clone(&self.denied),
            in_flight: Arc::clone(&self.in_flight),
            watches: self.watches.clone(),
            footprint: self.footprint.clone(),
            root: self.root.clone(),
            trust: self.trust.clone(),
            said_hello: Arc::clone(&self.said_hello),
            opened: self.opened,
            tidied: Arc::clone(&self.tidied),
        }
    }

    /// The same with the connection's own eye on memory.
    #[must_use]
    pub fn with_footprint(self, footprint: Footprint) -> Self {
        Self { footprint, ..self }
    }

    /// The same with the flag that hello sets.
    #[must_use]
    pub fn with_hello_flag(self, said_hello: Arc<AtomicBool>) -> Self {
        Self { said_hello, ..self }
    }

    /// The door for what answers for a person: what commands of a trusted workspace may write counts for it, too.
    pub(super) fn dialog_door(&self) -> ProcessDoor {
        let places =
            self.slots.iter().filter_map(|slot| slot.place(&self.config, &self.law, &self.trust).ok());
        let mut written = self.config.write_paths();
        for place in places {
            written.extend(place.law.commands().entries().iter().flat_map(|entry| entry.write_paths.clone()));
        }
        self.processes.under(self.config.exec.clone(), self.config.roots(), written)
    }

    /// True for a peer that knows our own notifications.
    pub fn said_hello(&self) -> bool {
        self.said_hello.load(Ordering::Acquire)
    }

    /// The tools this configuration offers.
    pub fn offered(&self) -> impl Iterator<Item = &'static dyn AnyTool> + use<> {
        let (profile, config) = (self.law.profile(), Arc::clone(&self.config));
        catalog()
            .iter()
            .copied()
            .filter(move |tool| tool.spec().profile <= profile && tool.is_offered(&config))
    }

    /// The tool of this name, if it is offered.
    pub fn tool(&self, name: &str) -> Option<&'static dyn AnyTool> {
        self.offered().find(|tool| tool.spec().name == name)
    }

    /// Why there is no tool of this name, and what would work.
    pub fn no_tool(&self, name: &str) -> (String, String) {
        let shown = text::prefix(name, ECHO_BYTES);
        if let Some(tool) = catalog().iter().find(|tool| tool.spec().name == name) {
            let key = if tool.is_offered(&self.config) { "tools.profile" } else { "git.sync" };
            return (
                format!("the tool `{shown}` is not offered"),
                format!("`{key}` in the configuration decides it"),
            );
        }
        let names: Vec<&str> = self.offered().map(|tool| tool.spec().name).collect();
        let hint = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it is one of {}", names.join(", ")),
        };
        (format!("there is no tool `{shown}`"), hint)
    }

    /// The slot of the workspace that a call without a name is for.
    pub fn default_slot(&self) -> Option<&WorkspaceSlot> {
        match &self.default_workspace {
            Some(id) => self.slots.iter().find(|slot| slot.entry.id == *id),
            None => self.slots.first(),
        }
    }

    /// The id of the workspace that a request is for; empty when there is none.
    pub fn workspace_id(&self, request: &Request) -> String {
        let default = || self.default_slot().map(|slot| slot.entry.id.clone());
        request.workspace.clone().or_else(default).unwrap_or_default()
    }

    /// Takes note of something that changed nothing; it is written within a second, with whatever else was noted.
    pub fn note(self: &Arc<Self>, row: AuditRow) {
        match self.journal.queue(row) {
            Queued::Waits => return,
            Queued::Many => return self.write_notes(),
            Queued::First => {}
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let host = Arc::clone(self);
        runtime.spawn(async move {
            tokio::time::sleep(NOTE_DELAY).await;
            let _ = tokio::task::spawn_blocking(move || host.write_notes()).await;
        });
    }

    /// The database is more of the program than a thousand reads need.
    fn write_notes(&self) {
        if let Err(error) = footprint::apart(|| self.journal.flush()) {
            tracing::error!(%error, "the audit cannot be written");
        }
    }

    /// Tidies the journal in a quiet moment, now and then.
    pub fn tidy_later(self: &Arc<Self>) {
        let seconds = self.opened.elapsed().as_secs() + 1;
        let last = self.tidied.load(Ordering::Relaxed);
        if (last > 0 && seconds - last < TIDY_SECONDS)
            || self.tidied.compare_exchange(last, seconds, Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let host = Arc::clone(self);
        runtime.spawn(async move {
            tokio::time::sleep(TIDY_DELAY).await;
            let _ = tokio::task::spawn_blocking(move || {
                if let Err(error) = footprint::apart(|| host.journal.tidy()) {
                    tracing::warn!(%error, "the journal could not be tidied");
                }
            })
            .await;
        });
    }

    /// The law for calls that name no workspace: what lists of tools and commands are made of.
    pub fn default_law(&self) -> Arc<Law> {
        self.place(None).map_or_else(|_| Arc::clone(&self.law), |place| place.law)
    }

    /// The folder of the workspace with this id.
    pub fn root_of(&self, id: &str) -> Option<&Path> {
        self.workspaces.iter().find(|workspace| workspace.id() == id).map(|workspace| workspace.root())
    }

    /// The workspace a call is for.
    pub fn workspace(&self, id: Option<&str>) -> Result<Arc<Workspace>, ToolError> {
        self.place(id).map(|place| place.workspace)
    }

    /// The workspace a call is for, and the law there.
    pub fn place(&self, id: Option<&str>) -> Result<Place, ToolError> {
        let slot = match id {
            Some(id) => self.slots.iter().find(|slot| slot.entry.id == id),
            None => self.default_slot(),
        };
        match (slot, id) {
            (Some(slot), _) => self.place_of(slot).map_err(|reason| {
                ToolError::new(
                    Code::NotFound,
                    reason,
                    "`outrigger workspace list` shows the workspaces and their state",
                )
            }),
            (None, Some(id)) => Err(ToolError::new(
                Code::NotFound,
                format!("there is no workspace `{id}`"),
                "workspace_info names the workspaces",
            )
            .with_candidates(self.slots.iter().map(|slot| slot.entry.id.clone()).collect())),
            (None, None) => Err(ToolError::new(
                Code::NotFound,
                "no workspace is configured",
                "the user can add one with `outrigger workspace add DIR`",
            )),
        }
    }

    /// Where a call is answered that only tells of workspaces, when the folder of its own, `id`, cannot be used.
    pub fn stand_in(&self, id: &str) -> Option<Place> {
        let own = self.slots.iter().find(|slot| slot.entry.id == id)?;
        let workspace = own.opened.as_ref().ok().or_else(|| self.workspaces.first())?;
        Some(Place { workspace: Arc::clone(workspace), law: Arc::clone(&self.law) })
    }

    /// The workspaces that cannot be used now, for a call for `own`.
    pub fn unavailable(&self, own: &str) -> Vec<Unavailable> {
        let unavailable = |slot: &WorkspaceSlot| {
            let reason = slot.standing().err()?;
            Some(Unavailable { entry: slot.entry.clone(), is_own: slot.entry.id == own, reason })
        };
        self.slots.iter().filter_map(unavailable).collect()
    }

    /// Every open workspace in the order of the configuration, each under its own law.
    pub fn places(&self) -> Vec<Place> {
        self.slots.iter().filter_map(|slot| self.place_of(slot).ok()).collect()
    }

    /// Those that are not served.
    pub fn places_beside(&self) -> Vec<Place> {
        self.beside.iter().filter_map(|slot| self.place_of(slot).ok()).collect()
    }

    /// The id of another served workspace that holds some of the files of the workspace `id`.
    pub fn shares_files_with(&self, id: &str) -> Option<&str> {
        let own = self.slots.iter().find(|slot| slot.entry.id == id)?;
        let mut others = self.slots.iter().filter(|other| other.entry.id != id);
        others.find(|other| nesting(&own.root, &other.root).is_some()).map(|other| other.entry.id.as_str())
    }

    /// What another workspace says of the files that both of them hold counts in both.
    fn place_of(&self, slot: &WorkspaceSlot) -> Result<Place, String> {
        let alone = |slot: &WorkspaceSlot| slot.place(&self.config, &self.law, &self.trust);
        let place = alone(slot)?;
        let root = place.workspace.root();
        let others = || self.slots.iter().chain(&self.beside).filter(|other| other.entry.id != slot.entry.id);
        let fixed: Vec<(&str, String)> = others()
            .flat_map(|other| other.stations.iter().map(|station| (other.entry.id.as_str(), station)))
            .filter_map(|(id, station)| Some((id, way(station.strip_prefix(root).ok()?)?)))
            .collect();
        let others: Vec<Beside> = others()
            .filter_map(|other| {
                Some(Beside::new(other, nesting(root, &other.root)?, alone(other), &self.law))
            })
            .collect();
        Ok(if others.is_empty() && fixed.is_empty() { place } else { place.beside(&others, &fixed) })
    }
}

/// Opens the workspaces of a configuration; where `earlier` has the same folder, writes stay in one order with its own.
fn slots(
    config: &Config,
    law: &Law,
    journal: &Journal,
    (earlier, earlier_beside): (&[WorkspaceSlot], &[WorkspaceSlot]),
) -> (Vec<WorkspaceSlot>, Vec<WorkspaceSlot>) {
    relpath::reserve(config.workspaces.iter().map(|entry| entry.id.clone()));
    let own = journal.path().parent().map(|state| own_files(config, state)).unwrap_or_default();
    let open = |entries: &[WorkspaceEntry], earlier: &[WorkspaceSlot]| {
        let open = |entry| WorkspaceSlot::open(entry, law, inside(&own, &entry.path), earlier);
        entries.iter().map(open).collect()
    };
    (open(&config.workspaces, earlier), open(&config.beside, earlier_beside))
}

/// How the folder of one workspace lies to that of another; `None`: they have nothing in common.
fn nesting(own: &Path, other: &Path) -> Option<Nesting> {
    match (other.strip_prefix(own), own.strip_prefix(other)) {
        (Ok(below), _) => way(below).map(Nesting::Holds),
        (_, Ok(above)) => way(above).map(Nesting::LiesIn),
        _ => None,
    }
}

fn way(path: &Path) -> Option<String> {
    relpath::RelPath::from_plain(path).map(|path| path.to_slashed())
}

/// The open ones. Of those that lie in them, the read-only ones are closed to an undo, too.
fn opened(slots: &[WorkspaceSlot], beside: &[WorkspaceSlot]) -> Arc<Vec<Arc<Workspace>>> {
    let closed: Vec<&WorkspaceSlot> =
        slots.iter().chain(beside).filter(|slot| slot.entry.read_only).collect();
    let closing = |workspace: Arc<Workspace>| {
        let inside: Vec<(&str, String)> = closed
            .iter()
            .filter(|other| other.entry.id != workspace.id())
            .filter_map(|other| match nesting(workspace.root(), &other.root)? {
                Nesting::Holds(way) => Some((other.entry.id.as_str(), way)),
                Nesting::LiesIn(_) => None,
            })
            .collect();
        if inside.is_empty() {
            return workspace;
        }
        let inside = inside.iter().map(|(id, way)| (*id, way.as_str()));
        Arc::new(workspace.beside(workspace.rules().with_read_only(inside)))
    };
    Arc::new(slots.iter().filter_map(|slot| slot.opened.as_ref().ok().cloned()).map(closing).collect())
}

/// Our own files: no tool may write them, wherever they lie, nor make one that the next start would take for its own.
pub(crate) fn own_files(config: &Config, state_folder: &Path) -> Vec<PathBuf> {
    let named = config.path.iter().cloned().chain(crate::config::own_folder());
    named.chain(crate::config::own_program()).chain([state_folder.to_path_buf()]).collect()
}

/// Those of `own` that lie in the folder, relative to it.
fn inside(own: &[PathBuf], folder: &Path) -> Vec<String> {
    own.iter()
        .flat_map(|path| {
            // As named, and as it really is: a rule must hold for both.
            let real = canonical(path);
            [Some(path.clone()), real]
        })
        .flatten()
        .filter_map(|path| {
            let below =
                |root: &Path| path.strip_prefix(root).map(|rest| rest.to_string_lossy().into_owned()).ok();
            below(folder).or_else(|| canonical(folder).and_then(|root| below(&root)))
        })
        .collect()
}
