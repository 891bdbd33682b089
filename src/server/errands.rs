//! Errands of a person that the panel may run: the doctor, and which folders are workspaces.
//!
//! What they do is known to the entrance alone (it knows the installer and the configuration's file); it is handed in as
//! [`Errands`]. A folder becomes a workspace only after a dialog of the operating system: no script in a browser can add one.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{sync::OwnedMutexGuard, time};

use super::{
    Current, Host, control,
    thread::{self, Lost, MORE_THREADS},
};
use crate::{
    cancel::Cancel,
    config::AddWorkspace,
    process::{
        ProcessDoor,
        dialog::{self, Dialog, DialogError, Reply},
    },
    text,
};

/// How long a configuration that we wrote may take to be in force; it is then answered all the same.
const IN_FORCE: Duration = Duration::from_secs(3);
/// Between two looks whether it is.
const ROUND: Duration = Duration::from_millis(20);

/// What the entrance does for us.
pub trait Errands: fmt::Debug + Send + Sync {
    /// The doctor's findings, as `outrigger doctor --json` has them.
    fn examine(&self, browsers: &[String], report: bool) -> Result<Value, Refusal>;
    /// What [`Self::add_workspace`] would come to, with nothing written: the workspace that the folder is already, or a refusal.
    fn try_workspace(&self, folder: &Path, id: Option<&str>) -> Result<Option<Added>, Refusal>;
    /// Writes a workspace into the configuration.
    fn add_workspace(&self, folder: &Path, id: Option<&str>) -> Result<Added, Refusal>;
    /// Takes one out; false when there is none.
    fn remove_workspace(&self, id: &str) -> Result<bool, Refusal>;
    /// The command with which a person does the same in a terminal.
    fn remove_command(&self, id: &str) -> String;
    /// The command with which a person adds a workspace in a terminal; without a folder, `DIR` stands for it.
    fn add_command(&self, folder: Option<&Path>, id: Option<&str>) -> String;
}

/// A workspace that is in the configuration now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// Its id.
    pub id: String,
    /// It was there before.
    pub known: bool,
}

/// Why an errand was not run: the numbered error of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// A word for programs.
    pub reason: &'static str,
    /// The thing and the reason.
    pub message: String,
    /// What would work.
    pub hint: String,
    /// The command that does the same in a terminal.
    pub command: Option<String>,
}

impl Refusal {
    /// Without a command.
    pub fn new(reason: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { reason, message: message.into(), hint: hint.into(), command: None }
    }

    /// The same with the command.
    #[must_use]
    pub fn or_run(mut self, command: String) -> Self {
        self.command = Some(command);
        self
    }

    /// For the wire.
    pub fn data(&self) -> Value {
        let mut data = json!({"reason": self.reason, "hint": self.hint});
        if let Some(command) = &self.command {
            data["command"] = json!(command);
        }
        data
    }
}

/// How a request ends without a result.
#[derive(Debug)]
pub enum ErrandError {
    /// Parameters that do not fit.
    Params(String),
    /// Not done, and why.
    Refused(Refusal),
    /// Something of ours broke.
    Internal(String),
}

impl From<Refusal> for ErrandError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DoctorParams {
    #[serde(default)]
    browsers: Vec<String>,
    #[serde(default)]
    report: bool,
    #[serde(rename = "_meta", default)]
    _meta: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PickParams {
    #[serde(default)]
    start: Option<PathBuf>,
    #[serde(rename = "_meta", default)]
    _meta: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AddParams {
    path: PathBuf,
    #[serde(default)]
    id: Option<String>,
    #[serde(rename = "_meta", default)]
    _meta: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RemoveParams {
    id: String,
    #[serde(rename = "_meta", default)]
    _meta: Value,
}

/// True for a method that is answered here.
pub fn is_errand(method: &str) -> bool {
    matches!(
        method,
        "outrigger/doctor/run"
            | "outrigger/workspaces/pick"
            | "outrigger/workspaces/add"
            | "outrigger/workspaces/remove"
    )
}

/// Runs an errand; `cancel` closes a dialog.
pub async fn answer(
    current: &Arc<Current>,
    host: &Arc<Host>,
    method: &str,
    params: Value,
    cancel: Cancel,
) -> Result<Value, ErrandError> {
    let errands = current
        .errands()
        .ok_or_else(|| Refusal::new("not_allowed", "this host runs no errands", "use a terminal"))?;
    let misfit = |error: serde_json::Error| {
        ErrandError::Params(format!("the parameters of `{method}` do not fit: {error}"))
    };
    let mut result = match method {
        "outrigger/doctor/run" => {
            let params: DoctorParams = serde_json::from_value(params).map_err(misfit)?;
            blocking(move || errands.examine(&params.browsers, params.report)).await?
        }
        "outrigger/workspaces/remove" => {
            let params: RemoveParams = serde_json::from_value(params).map_err(misfit)?;
            for_peers_of_ours(host)?;
            remove(current, host, errands, params.id, cancel).await?
        }
        "outrigger/workspaces/add" => {
            let params: AddParams = serde_json::from_value(params).map_err(misfit)?;
            may_add(host, &*errands, Some(&params.path), params.id.as_deref())?;
            add(current, host, errands, Wish::Given { folder: params.path, id: params.id }, cancel).await?
        }
        _ => {
            let params: PickParams = serde_json::from_value(params).map_err(misfit)?;
            may_add(host, &*errands, None, None)?;
            add(current, host, errands, Wish::Any { start: params.start }, cancel).await?
        }
    };
    result["resultType"] = json!("complete");
    Ok(result)
}

fn for_peers_of_ours(host: &Host) -> Result<(), Refusal> {
    if host.said_hello() {
        return Ok(());
    }
    let hint = "use `outrigger workspace` in a terminal";
    Err(Refusal::new("not_allowed", "only a peer that said hello may change the list of workspaces", hint))
}

fn may_add(
    host: &Host,
    errands: &dyn Errands,
    folder: Option<&Path>,
    id: Option<&str>,
) -> Result<(), Refusal> {
    for_peers_of_ours(host)?;
    if host.config.add_workspace == AddWorkspace::Picker {
        return Ok(());
    }
    let message =
        "the configuration does not let the panel add workspaces (`[panel] add_workspace = \"never\"`)";
    Err(Refusal::new("not_allowed", message, "run the command in a terminal")
        .or_run(errands.add_command(folder, id)))
}

/// What is to become a workspace.
enum Wish {
    /// Whatever the person chooses.
    Any { start: Option<PathBuf> },
    /// This folder, if the person agrees.
    Given { folder: PathBuf, id: Option<String> },
}

async fn add(
    current: &Arc<Current>,
    host: &Host,
    errands: Arc<dyn Errands>,
    wish: Wish,
    cancel: Cancel,
) -> Result<Value, ErrandError> {
    let _one = only_dialog(current, &cancel).await?;
    let door = host.dialog_door();
    let added = blocking(move || {
        if let Wish::Given { folder, id } = &wish
            && let Some(known) = without_question(&*errands, folder, id.as_deref())?
        {
            return Ok(Some(known));
        }
        let Some((folder, id)) = chosen(&door, &*errands, wish, &cancel)? else { return Ok(None) };
        errands.add_workspace(&folder, id.as_deref()).map(Some)
    })
    .await?;
    let Some(added) = added else { return Ok(json!({"state": "cancelled"})) };
    let workspace = in_force(current, |workspaces| {
        workspaces.iter().find(|workspace| workspace["id"] == added.id.as_str()).cloned()
    })
    .await;
    let workspace = workspace.unwrap_or_else(|| json!({"id": added.id}));
    Ok(json!({"state": if added.known { "known" } else { "added" }, "workspace": workspace}))
}

/// What needs no person: the folder may not be a workspace, or is one already.
fn without_question(
    errands: &dyn Errands,
    folder: &Path,
    id: Option<&str>,
) -> Result<Option<Added>, Refusal> {
    if !folder.is_absolute() || !folder.is_dir() {
        let message = format!("`{}` is no folder", text::visible(&folder.to_string_lossy()));
        return Err(Refusal::new("no_folder", message, "give the absolute path of a folder"));
    }
    errands.try_workspace(folder, id)
}

/// What the person chose or agreed to; `None` when they did not.
fn chosen(
    door: &ProcessDoor,
    errands: &dyn Errands,
    wish: Wish,
    cancel: &Cancel,
) -> Result<Option<(PathBuf, Option<String>)>, Refusal> {
    match wish {
        Wish::Any { start } => {
            let start = start.filter(|start| start.is_absolute() && start.is_dir());
            let title = "Outrigger: choose a folder that the agent may work on";
            let dialog = Dialog::Folder { title, start: start.as_deref() };
            let reply = dialog::ask(door, dialog, cancel)
                .map_err(|error| not_asked(&error).or_run(errands.add_command(None, None)))?;
            Ok(match reply {
                Reply::Folder(folder) => Some((folder, None)),
                Reply::Yes | Reply::No => None,
            })
        }
        Wish::Given { folder, id } => {
            let question = format!(
                "Let the agent in your browser work on this folder?\n\n{}\n\nIt reads what is there, and changes files and runs commands as you approve.",
                text::visible(&folder.to_string_lossy())
            );
            let dialog = Dialog::Confirm { title: "Outrigger: a folder for the agent", text: &question };
            let reply = dialog::ask(door, dialog, cancel).map_err(|error| {
                not_asked(&error).or_run(errands.add_command(Some(&folder), id.as_deref()))
            })?;
            Ok((reply == Reply::Yes).then_some((folder, id)))
        }
    }
}

fn not_asked(error: &DialogError) -> Refusal {
    let reason = if error.is_impossible() { "no_dialog" } else { "dialog_failed" };
    Refusal::new(reason, format!("no dialog could be shown: {error}"), "run the command in a terminal")
}

/// Takes rights away, and asks nobody; but files that another workspace has as well stay in reach, and what this one closed there is
/// open: then the person is asked.
async fn remove(
    current: &Arc<Current>,
    host: &Host,
    errands: Arc<dyn Errands>,
    id: String,
    cancel: Cancel,
) -> Result<Value, ErrandError> {
    let _one = match host.shares_files_with(&id) {
        None => None,
        Some(other) => {
            let one = only_dialog(current, &cancel).await?;
            let (door, errands, id) = (host.dialog_door(), Arc::clone(&errands), id.clone());
            let other = other.to_owned();
            if !blocking(move || may_open(&door, &*errands, &id, &other, &cancel)).await? {
                return Ok(json!({"state": "cancelled"}));
            }
            Some(one)
        }
    };
    let wanted = id.clone();
    if !blocking(move || errands.remove_workspace(&wanted)).await? {
        let message = format!("there is no workspace `{}`", text::visible(&id));
        let hint = "`outrigger/workspaces/list` names them";
        return Err(Refusal::new("unknown_workspace", message, hint).into());
    }
    in_force(current, |workspaces| workspaces.iter().all(|known| known["id"] != id.as_str()).then_some(()))
        .await;
    Ok(json!({"state": "removed", "removed": id}))
}

/// Whether the person lets what `id` closes be open through the other workspace.
fn may_open(
    door: &ProcessDoor,
    errands: &dyn Errands,
    id: &str,
    other: &str,
    cancel: &Cancel,
) -> Result<bool, Refusal> {
    let question = format!(
        "Take the workspace \u{201c}{id}\u{201d} from the list?\n\nThe workspace \u{201c}{other}\u{201d} has files of it, too. The agent reaches them through that one, without the rules that \u{201c}{id}\u{201d} has for them now."
    );
    let dialog = Dialog::Confirm { title: "Outrigger: a workspace less", text: &question };
    let reply = dialog::ask(door, dialog, cancel)
        .map_err(|error| not_asked(&error).or_run(errands.remove_command(id)))?;
    Ok(reply == Reply::Yes)
}

async fn only_dialog(current: &Arc<Current>, cancel: &Cancel) -> Result<OwnedMutexGuard<()>, Refusal> {
    current.open_dialog(cancel).await.ok_or_else(|| {
        Refusal::new("busy", "a dialog of this connection is open already", "answer that one first")
    })
}

/// Waits until the list of workspaces says so.
async fn in_force<T>(current: &Current, look: impl Fn(&[Value]) -> Option<T>) -> Option<T> {
    let until = time::Instant::now() + IN_FORCE;
    loop {
        let listed = current.host().map(|host| control::workspaces(&host));
        let seen = listed.as_ref().and_then(|listed| look(listed["workspaces"].as_array()?));
        if seen.is_some() || time::Instant::now() > until {
            return seen;
        }
        time::sleep(ROUND).await;
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, ErrandError> {
    match thread::begin(work).await {
        Ok(done) => done.map_err(ErrandError::Refused),
        Err(Lost::NoThread) => Err(no_thread().into()),
        Err(broke) => Err(ErrandError::Internal(broke.to_string())),
    }
}

/// Nothing was begun: the system gives no thread for it.
pub(super) fn no_thread() -> Refusal {
    Refusal::new("busy", Lost::NoThread.to_string(), MORE_THREADS)
}
