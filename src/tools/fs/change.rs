//! One file that a call is about to write: what a person sees of it, and the write itself.

use std::sync::OnceLock;

use super::{
    names::folders,
    text_file::{TextFile, shown_hunks},
};
use crate::{
    change::{Attributes, Rights},
    ids::Etag,
    limits::DIFF_TEXT_BYTES,
    policy::{ChangeOp, Effect, FileChange, Intent, PathChange, PathClass, Permit, Preview, Raise},
    tier::Tier,
    tools::{Call, Code, Reply, ToolError, diff},
    workspace::{Executable, Expected, WorkspacePath, Written},
};

/// A prepared write.
#[derive(Debug)]
pub struct Change {
    /// Where.
    pub path: WorkspacePath,
    /// Create, overwrite, append or edit.
    pub op: ChangeOp,
    /// The bytes now; `None` when there is no file.
    pub before: Option<Vec<u8>>,
    /// Its rights, when there is one and they will be kept.
    pub rights: Option<Rights>,
    /// Its extended attributes, which the new bytes leave alone.
    pub attributes: Attributes,
    /// The text now, for the diff.
    pub before_text: String,
    /// The bytes to write.
    pub after: Vec<u8>,
    /// Their text, for the diff.
    pub after_text: String,
    /// What happens to the permission to execute.
    pub executable: Executable,
    /// Why the bytes now cannot be kept; `None`: they can.
    pub not_kept: Option<Raise>,
    /// It makes, or changes, what git takes for a repository.
    pub git_folder: Option<Raise>,
    /// Of the bytes now and of those to write; made when they are asked for, once.
    pub etags: OnceLock<(Option<Etag>, Etag)>,
}

impl Change {
    /// Of the bytes now.
    fn before_etag(&self) -> Option<&Etag> {
        self.etags().0.as_ref()
    }

    /// Of the bytes to write.
    pub fn after_etag(&self) -> &Etag {
        &self.etags().1
    }

    fn etags(&self) -> &(Option<Etag>, Etag) {
        self.etags.get_or_init(|| (self.before.as_deref().map(Etag::of), Etag::of(&self.after)))
    }

    /// What a person sees of it.
    pub fn shown(&self) -> FileChange {
        let (hunks, (added, removed)) = diff::PlanRoom::default().hunks(&self.before_text, &self.after_text);
        let hunks = shown_hunks(hunks);
        FileChange {
            path: self.path.resolved().to_text(),
            op: self.op,
            from: None,
            entries: None,
            before_etag: self.before_etag().cloned(),
            after_etag: Some(self.after_etag().clone()),
            before_bytes: self.before.as_ref().map_or(0, |before| before.len() as u64),
            after_bytes: self.after.len() as u64,
            executable: self.executable == Executable::Set,
            mode: self.rights_after().map(|rights| Rights::octal(rights.mode)),
            mode_before: None,
            undoable: self.is_undoable(),
            added,
            removed,
            line_ends: diff::line_ends(&self.before_text, &self.after_text),
            hunks,
        }
    }

    /// Whether what the file was is kept.
    pub fn is_undoable(&self) -> bool {
        self.not_kept.is_none()
    }

    /// For the law: one file, and what makes it worth a question of its own.
    pub fn intent(&self, shown: FileChange, mut raises: Vec<Raise>) -> Intent {
        let path = self.path.resolved();
        if self.path.class() == PathClass::Protected {
            raises.push(Raise {
                tier: Tier::Individual,
                reason: format!("`{path}` is a protected path: other programs act on what it says"),
            });
        }
        raises.extend(self.git_folder.iter().chain(&self.not_kept).cloned());
        if self.executable == Executable::Set {
            raises.push(Raise { tier: Tier::Individual, reason: format!("`{path}` becomes executable") });
        }
        let verb = match self.op {
            ChangeOp::Create => "Create",
            ChangeOp::Overwrite => "Overwrite",
            ChangeOp::Append => "Append to",
            _ => "Edit",
        };
        Intent {
            effect: Effect::Write,
            raises,
            tier: None,
            changes: self.on_disk(&shown),
            summary: format!("{verb} {path} (+{} −{})", shown.added, shown.removed),
            preview: Some(Preview::Files { files: vec![shown] }),
        }
    }

    /// The same change with only these hunks. Encoding and every byte outside them stay as they are.
    pub fn only(self, hunks: &[String]) -> Result<Self, ToolError> {
        let unfit = |reason: String| {
            let message = format!("`{}` cannot be changed in part: {reason}", self.path.given());
            ToolError::new(Code::EncodingUnsupported, message, "allow or deny the whole change")
        };
        let before = self.before.as_deref().unwrap_or_default();
        let file = TextFile::decode(before).map_err(|error| unfit(error.to_string()))?;
        let after_text = diff::with_hunks(&self.before_text, &self.after_text, 1, hunks);
        let after = file.encode(&after_text).map_err(|error| unfit(error.to_string()))?;
        Ok(Self { after, after_text, etags: OnceLock::new(), ..self })
    }

    /// What undo and settling need to know of it.
    fn on_disk(&self, shown: &FileChange) -> Vec<PathChange> {
        let (before, after) = (self.rights, self.rights_after());
        let file = |rights: Option<Rights>, etag: Etag, bytes: u64| {
            Rights::file(rights, etag, bytes).with_attributes(self.attributes.clone())
        };
        let mut changes = folders(&self.path);
        changes.push(PathChange {
            path: shown.path.clone(),
            before: shown.before_etag.clone().map(|etag| file(before, etag, shown.before_bytes)),
            after: shown.after_etag.clone().map(|etag| file(after, etag, shown.after_bytes)),
            copied_from: None,
        });
        changes
    }

    fn rights_after(&self) -> Option<Rights> {
        self.rights.map(|rights| rights.of_new_bytes(self.executable == Executable::Set))
    }

    /// Writes it, if the file is still what it was.
    pub fn apply(&self, permit: &Permit, call: &Call) -> Result<Written, ToolError> {
        call.check_cancelled()?;
        let expected = self.before_etag().map_or(Expected::Missing, |etag| Expected::Etag(etag.clone()));
        Ok(call.workspace.replace(permit, &self.path, &expected, &self.after, self.executable)?)
    }
}

/// Adds the diff to an answer; all of it is kept where that is too long to be shown.
pub fn tell_diff<T>(reply: &mut Reply<T>, diff: String, call: &Call) {
    let shown = diff::cut(&diff, DIFF_TEXT_BYTES);
    reply.text.push_str(&shown);
    if diff.len() > DIFF_TEXT_BYTES {
        let total = diff.len() as u64;
        reply.keep_whole(call, diff, (shown.len() as u64).min(total), total);
    }
}

/// Other bytes never run as the owner of those before them.
pub const SET_ID_GONE: &str = "the file ran as its owner (set-id); that was for the old content, and is gone";

/// What the caller should know about a write beside its diff.
pub fn notes(written: &Written) -> Vec<String> {
    let mut notes = Vec::new();
    if written.other_names > 0 {
        notes.push(format!(
            "the file had {} other name(s) (hard links); they keep the old content",
            written.other_names
        ));
    }
    if written.set_id_gone {
        notes.push(SET_ID_GONE.to_owned());
    }
    notes
}
