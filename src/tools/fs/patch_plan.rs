//! What a patch makes of one file: what is there, what comes of it, and how a person sees it. Reads only.

mod old;
mod placed;

use self::{
    old::{Old, existing, named},
    placed::placed,
};
use super::{
    house_ends::line_end,
    ladder::Level,
    line_ends::{majority, with_ends},
    names::{check_names_file, folders},
    patch::{Action, Doubt, FilePatch, PatchHunk, Placed},
    text_file::{NoText, TextFile, shown_hunks},
    unfit::{cannot_hold, no_text},
};
use crate::{
    change::Rights,
    ids::Etag,
    limits::WRITE_BYTES,
    line_ends::LineEndChange,
    policy::{ChangeOp, FileChange, Hunk, Node, PathChange},
    text::visible,
    tools::{Call, Code, ToolError, diff},
    workspace::{DoorError, Executable, Expected, Step, WorkspacePath},
};

/// One file, planned.
#[derive(Debug)]
pub struct FilePlan {
    /// Create, edit, rename or delete.
    pub op: ChangeOp,
    /// Whether it becomes executable.
    pub executable: Executable,
    /// The loosest level of its hunks.
    pub level: Level,
    /// Hunks that do not stand where their number says: their line in the patch, and in the file.
    pub moved: Vec<(usize, usize)>,
    /// Hunks whose place their header does not say for certain: their line in the patch, and in the file.
    pub doubted: Vec<(usize, usize, Doubt)>,
    /// The patch deletes it and adds it again.
    pub is_replaced: bool,
    old: Option<Old>,
    new: Option<New>,
    first_id: u32,
    /// None where the plan has no room for them.
    hunks: Vec<Hunk>,
    /// Lines that come and go.
    counts: (u32, u32),
    line_ends: Option<LineEndChange>,
}

#[derive(Debug)]
struct New {
    path: WorkspacePath,
    bytes: Vec<u8>,
    text: Option<String>,
}

/// Plans one file.
pub fn plan(patch: &FilePatch, call: &Call, room: &mut diff::PlanRoom) -> Result<FilePlan, ToolError> {
    let planned = match &patch.action {
        Action::Add { text, executable, exact } => added(patch, (text, *exact), *executable, call),
        Action::Delete { hunks } => deleted(patch, hunks.as_deref(), call),
        Action::Update { to, hunks, executable } => updated(patch, to.as_deref(), hunks, *executable, call),
    };
    finished(planned, patch, room)
}

/// Plans a file that the patch deletes and then adds again: it gets this content and stays otherwise what it is.
pub fn plan_replacement(
    delete: &FilePatch,
    add: &FilePatch,
    call: &Call,
    room: &mut diff::PlanRoom,
) -> Result<FilePlan, ToolError> {
    let (Action::Delete { hunks }, Action::Add { text, executable, exact }) = (&delete.action, &add.action)
    else {
        return Err(ToolError::internal("a replacement of other parts"));
    };
    finished(replaced(delete, hunks.as_deref(), (text, *exact), *executable, call), delete, room)
}

fn finished(
    planned: Result<FilePlan, ToolError>,
    patch: &FilePatch,
    room: &mut diff::PlanRoom,
) -> Result<FilePlan, ToolError> {
    let mut plan = planned.map_err(|mut error| {
        error.message = format!("{} (line {} of the patch); nothing was changed", error.message, patch.line);
        error
    })?;
    plan.number(room);
    Ok(plan)
}

fn added(
    patch: &FilePatch,
    (text, exact): (&str, bool),
    executable: bool,
    call: &Call,
) -> Result<FilePlan, ToolError> {
    let path = free(&patch.path, "update it instead, or delete it before in the same patch", call)?;
    let end = if exact { None } else { line_end(call, &path) };
    let text = end.map_or_else(|| text.to_owned(), |end| with_ends(text, end));
    let new = New { path, bytes: text.clone().into_bytes(), text: Some(text) };
    let executable = if executable { Executable::Set } else { Executable::Keep };
    Ok(FilePlan::new(ChangeOp::Create, executable, None, Some(new)))
}

fn deleted(patch: &FilePatch, hunks: Option<&[PatchHunk]>, call: &Call) -> Result<FilePlan, ToolError> {
    let mut old = named(&patch.path, call)?;
    // A diff says what it takes away: something else is not meant.
    if let Some(hunks) = hunks {
        old.show_mark(hunks);
        let is_all = match &old.text {
            Some(text) => placed(text, hunks, &old.path, call)?.0.is_empty(),
            None => old.bytes.is_empty(),
        };
        if !is_all {
            let message = format!("`{}` has more than the patch deletes", old.path.given());
            let hint = if hunks.is_empty() {
                "take its lines into the diff, each behind a `-`; or use fs_delete"
            } else {
                "read it again, then repeat the call"
            };
            return Err(ToolError::new(Code::Stale, message, hint));
        }
    }
    Ok(FilePlan::new(ChangeOp::Delete, Executable::Keep, Some(old), None))
}

fn replaced(
    delete: &FilePatch,
    hunks: Option<&[PatchHunk]>,
    (text, exact): (&str, bool),
    executable: bool,
    call: &Call,
) -> Result<FilePlan, ToolError> {
    let plan = deleted(delete, hunks, call)?;
    let Some(old) = plan.old else { return Err(ToolError::internal("a deletion of nothing")) };
    let path = old.path.clone();
    let file = old.file().unwrap_or_else(|_| TextFile::new(""));
    // The file keeps its mark; a second one would be a character of the text.
    let text = text.strip_prefix('\u{feff}').filter(|_| file.bom).unwrap_or(text);
    let end = if file.text.contains('\n') { Some(majority(&file.text)) } else { line_end(call, &path) };
    let end = end.filter(|_| !exact);
    let text = end.map_or_else(|| text.to_owned(), |end| with_ends(text, end));
    let bytes = file.encode(&text).map_err(|error| cannot_hold(&path, error))?;
    let new = New { path, bytes, text: Some(text) };
    let executable = if executable { Executable::Set } else { Executable::Keep };
    let plan = FilePlan::new(ChangeOp::Edit, executable, Some(old), Some(new));
    Ok(FilePlan { is_replaced: true, ..plan })
}

fn updated(
    patch: &FilePatch,
    to: Option<&str>,
    hunks: &[PatchHunk],
    executable: bool,
    call: &Call,
) -> Result<FilePlan, ToolError> {
    let executable = if executable { Executable::Set } else { Executable::Keep };
    let mut old = match (to, &patch.if_empty) {
        (Some(_), _) => named(&patch.path, call)?,
        (None, Some((text, exact))) if !call.workspace.resolve_name(&patch.path)?.exists() => {
            return added(patch, (text, *exact), executable == Executable::Set, call);
        }
        (None, _) => existing(&patch.path, call)?,
    };
    if patch.if_empty.is_some() && !old.bytes.is_empty() {
        let path = old.path.given().to_owned();
        let mut error = ToolError::from(DoorError::AlreadyExists { path });
        "`@@ -0,0` says that the file is empty: read it, then give lines of it in front of what changes, or behind"
            .clone_into(&mut error.hint);
        return Err(error);
    }
    let target = match to {
        Some(to) => free(to, "choose another name, or delete it first with a patch of its own", call)?,
        None => old.path.clone(),
    };
    if let Some(line) = patch.plain
        && old.rights.is_some_and(|rights| rights.mode & 0o111 != 0)
    {
        let path = old.path.given();
        let message = format!(
            "`{path}` may be executed, and line {line} of the patch takes that away, which no patch can"
        );
        return Err(ToolError::new(Code::InvalidArgs, message, "leave that line out; a command can do it"));
    }
    if hunks.is_empty() {
        let new = New { path: target, bytes: old.bytes.clone(), text: old.text.clone() };
        let op = if to.is_some() { ChangeOp::Rename } else { ChangeOp::Edit };
        return Ok(FilePlan::new(op, executable, Some(old), Some(new)));
    }
    old.show_mark(hunks);
    let file = old.file().map_err(|error| no_text(&old.path, "patched", error))?;
    let (text, Placed { level, moved, doubted, .. }) = placed(&file.text, hunks, &old.path, call)?;
    let bytes = file.encode(&text).map_err(|error| cannot_hold(&old.path, error))?;
    if bytes.len() as u64 > WRITE_BYTES {
        let (path, size) = (old.path.given().to_owned(), bytes.len() as u64);
        return Err(DoorError::TooLarge { path, size, limit: WRITE_BYTES }.into());
    }
    let op = if to.is_some() { ChangeOp::Rename } else { ChangeOp::Edit };
    let new = New { path: target, bytes, text: Some(text) };
    Ok(FilePlan { level, moved, doubted, ..FilePlan::new(op, executable, Some(old), Some(new)) })
}

/// A path at which nothing stands yet; else `instead` is the advice.
fn free(path: &str, instead: &str, call: &Call) -> Result<WorkspacePath, ToolError> {
    check_names_file(path)?;
    let path = call.workspace.resolve_name(path)?;
    call.workspace.check_name(&path)?;
    if path.exists() {
        let mut error = ToolError::from(DoorError::AlreadyExists { path: path.given().to_owned() });
        let instead = if path.is_folder() { "it is a folder: choose another name" } else { instead };
        instead.clone_into(&mut error.hint);
        return Err(error);
    }
    Ok(path)
}

impl FilePlan {
    fn new(op: ChangeOp, executable: Executable, old: Option<Old>, new: Option<New>) -> Self {
        let (level, moved, hunks) = (Level::Exact, Vec::new(), Vec::new());
        Self {
            op,
            executable,
            level,
            moved,
            doubted: Vec::new(),
            is_replaced: false,
            old,
            new,
            first_id: 0,
            hunks,
            counts: (0, 0),
            line_ends: None,
        }
    }

    /// Makes the hunks that a person sees; their ids run on over files.
    fn number(&mut self, room: &mut diff::PlanRoom) {
        self.first_id = room.next_id;
        if let Some((before, after)) = self.texts() {
            let (hunks, counts) = room.hunks(&before, &after);
            (self.hunks, self.counts) = (shown_hunks(hunks), counts);
            self.line_ends = diff::line_ends(&before, &after);
        }
    }

    /// Before and after, where both are text.
    fn texts(&self) -> Option<(String, String)> {
        let before = self.old.as_ref().map_or(Some(String::new()), |old| old.text.clone())?;
        let after = self.new.as_ref().map_or(Some(String::new()), |new| new.text.clone())?;
        Some((before, after))
    }

    /// For messages.
    pub fn name(&self) -> String {
        let path = self.old.as_ref().map(|old| &old.path).or(self.new.as_ref().map(|new| &new.path));
        format!("`{}`", path.map(|path| path.resolved().to_string()).unwrap_or_default())
    }

    /// All paths it touches.
    pub fn paths(&self) -> impl Iterator<Item = &WorkspacePath> {
        self.before().into_iter().chain(self.appears())
    }

    /// Where it is before; `None` for a new file.
    pub fn before(&self) -> Option<&WorkspacePath> {
        self.old.as_ref().map(|old| &old.path)
    }

    /// Where a file comes to be that was not there.
    pub fn appears(&self) -> Option<&WorkspacePath> {
        self.new.as_ref().filter(|_| self.op != ChangeOp::Edit).map(|new| &new.path)
    }

    /// Bytes that have to be kept so that it can be put back.
    pub fn kept_bytes(&self) -> u64 {
        self.old.as_ref().map_or(0, |old| old.bytes.len() as u64)
    }

    /// Other names of a file that is replaced: they keep the old bytes.
    pub fn other_names(&self) -> u64 {
        // A file that is only renamed stays the same one.
        let replaced = |old: &&Old| match self.op {
            ChangeOp::Edit => true,
            ChangeOp::Rename => self.new.as_ref().is_some_and(|new| new.bytes != old.bytes),
            _ => false,
        };
        let edited = self.old.as_ref().filter(replaced);
        edited.map_or(0, |old| old.links.saturating_sub(1))
    }

    /// It ran as its owner, and does no longer: that was for the old bytes.
    pub fn loses_set_id(&self) -> bool {
        self.new.is_some() && self.old.as_ref().is_some_and(|old| old.is_set_id)
    }

    /// The file is the same afterwards.
    pub fn changes_nothing(&self) -> bool {
        let (Some(old), Some(new)) = (&self.old, &self.new) else { return false };
        let gets_executable =
            self.executable == Executable::Set && old.rights.is_none_or(|rights| rights.mode & 0o111 == 0);
        self.op == ChangeOp::Edit && old.bytes == new.bytes && !gets_executable
    }

    /// What a person sees, where it can be kept.
    pub fn shown(&self) -> FileChange {
        let (added, removed) = self.counts;
        let path = self.new.as_ref().map(|new| &new.path).or(self.old.as_ref().map(|old| &old.path));
        let moved = self.old.as_ref().filter(|_| self.op == ChangeOp::Rename);
        FileChange {
            path: path.map(|path| path.resolved().to_text()).unwrap_or_default(),
            op: self.op,
            from: moved.map(|old| old.path.resolved().to_text()),
            entries: None,
            before_etag: self.old.as_ref().map(|old| Etag::of(&old.bytes)),
            after_etag: self.new.as_ref().map(|new| Etag::of(&new.bytes)),
            before_bytes: self.kept_bytes(),
            after_bytes: self.new.as_ref().map_or(0, |new| new.bytes.len() as u64),
            executable: self.executable == Executable::Set,
            mode: self.new.as_ref().and(self.rights_after()).map(|rights| Rights::octal(rights.mode)),
            mode_before: None,
            undoable: true,
            added,
            removed,
            line_ends: self.line_ends,
            hunks: self.hunks.clone(),
        }
    }

    fn rights_after(&self) -> Option<Rights> {
        let rights = self.old.as_ref().and_then(|old| old.rights)?;
        Some(rights.of_new_bytes(self.executable == Executable::Set))
    }

    /// What the journal keeps.
    pub fn changes(&self) -> Vec<PathChange> {
        let rights = self.old.as_ref().and_then(|old| old.rights);
        // What it is edited or renamed to keeps them.
        let kept = self.old.as_ref().map(|old| old.attributes.clone()).unwrap_or_default();
        let before = self.old.as_ref().map(|old| file(&old.bytes, rights).with_attributes(kept.clone()));
        let after =
            self.new.as_ref().map(|new| file(&new.bytes, self.rights_after()).with_attributes(kept.clone()));
        let mut changes = Vec::new();
        if let Some(new) = &self.new {
            changes.extend(folders(&new.path));
            let replaces = if self.op == ChangeOp::Edit { before.clone() } else { None };
            changes.push(PathChange {
                path: new.path.resolved().to_text(),
                before: replaces,
                after,
                copied_from: None,
            });
        }
        if let Some(old) = self.old.as_ref().filter(|_| self.op != ChangeOp::Edit) {
            changes.push(PathChange {
                path: old.path.resolved().to_text(),
                before,
                after: None,
                copied_from: None,
            });
        }
        changes
    }

    /// What the door has to do.
    pub fn steps(&self) -> Vec<Step<'_>> {
        let etag = || self.old.as_ref().map(|old| Etag::of(&old.bytes));
        let mut steps = Vec::new();
        if let Some(new) = self.new.as_ref().filter(|_| !self.changes_nothing()) {
            let edits = self.op == ChangeOp::Edit;
            steps.push(Step::Write {
                path: &new.path,
                expected: etag().filter(|_| edits).map_or(Expected::Missing, Expected::Etag),
                bytes: &new.bytes,
                executable: self.executable,
                like: self.old.as_ref().filter(|_| !edits).map(|old| &old.path),
            });
        }
        if let (Some(old), Some(etag)) = (self.old.as_ref().filter(|_| self.op != ChangeOp::Edit), etag()) {
            steps.push(Step::Remove { path: &old.path, etag });
        }
        steps
    }

    /// The same with these hunks alone; `None` when nothing of it is left.
    pub fn only(self, allowed: &[String]) -> Result<Option<Self>, ToolError> {
        let mine = self.hunks.iter().filter(|hunk| allowed.contains(&hunk.id)).count();
        if mine == 0 {
            return Ok(None);
        }
        if mine == self.hunks.len() {
            return Ok(Some(self));
        }
        let whole = |what: &str| {
            let message = format!("{} is {what} as a whole or not at all", self.name());
            ToolError::new(Code::InvalidArgs, message, "allow all of its hunks or none")
        };
        let (Some(old), Some(new)) = (&self.old, &self.new) else {
            return Err(whole(if self.old.is_some() { "deleted" } else { "created" }));
        };
        let Some((before, after)) = self.texts() else { return Err(whole("changed")) };
        let text = diff::with_hunks(&before, &after, self.first_id, allowed);
        let encoded = old.file().ok().and_then(|file| file.encode(&text).ok());
        let bytes = encoded.ok_or_else(|| whole("changed"))?;
        let hunks: Vec<Hunk> = self.hunks.iter().filter(|hunk| allowed.contains(&hunk.id)).cloned().collect();
        let line_ends = diff::line_ends(&before, &text);
        let new = New { path: new.path.clone(), bytes, text: Some(text) };
        let counts = diff::counts(&hunks);
        // Which of them stood elsewhere, or not for certain, is no longer known: that was told when it was asked.
        let (moved, doubted) = (Vec::new(), Vec::new());
        Ok(Some(Self { new: Some(new), hunks, counts, line_ends, moved, doubted, ..self }))
    }

    /// One line for the model.
    pub fn line(&self) -> String {
        let shown = self.shown();
        let path = visible(&shown.path);
        let mode = if self.executable == Executable::Set { ", executable" } else { "" };
        let counts = format!("+{} -{}{mode}", shown.added, shown.removed);
        match (self.op, &shown.from) {
            (ChangeOp::Create, _) => format!("A {path} {counts}"),
            (ChangeOp::Delete, _) => format!("D {path}"),
            (_, Some(from)) => format!("R {} -> {path} {counts}", visible(from)),
            _ => format!("M {path} {counts}"),
        }
    }
}

fn file(bytes: &[u8], rights: Option<Rights>) -> Node {
    Rights::file(rights, Etag::of(bytes), bytes.len() as u64)
}
