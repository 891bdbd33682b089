//! `fs_edit`: parts of a text file are replaced, all or none. Never guesses: a text that is not found, or found twice, is refused
//! with what was found instead, and no byte outside the edits changes.

mod partial;
mod places;

use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::{partial::Spot, places::plan};
use super::{
    change::{Change, notes, tell_diff},
    git_folder::git_folder,
    house_ends::line_end,
    ladder::Level,
    line_ends::{LfView, with_ends},
    names::{check_names_file, taken_literally},
    splice,
    text_file::TextFile,
    unfit::{cannot_hold, no_text},
    write::{gone, placeholder},
};
use crate::{
    change::Attributes,
    config::Profile,
    ids::Etag,
    limits::{EDITS_MAX, POSITION_MAX, WRITE_BYTES},
    object::objects,
    policy::{ChangeOp, Permit},
    tier::Tier,
    tools::{
        Annotations, Call, Code, Prepared, Reply, Tool, ToolError, ToolSpec, diff, learnt_from,
        secret_looking,
    },
    workspace::{DoorError, Executable, WorkspacePath},
};

/// The edits of one file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Relative to the workspace.
    path: String,
    /// Matched against the file as it is; no overlaps.
    #[schemars(length(min = 1, max = 64))]
    #[serde(deserialize_with = "objects")]
    edits: Vec<Edit>,
    /// The etag read.
    #[serde(default)]
    base_etag: String,
    /// Match white space exactly.
    #[serde(default)]
    strict: bool,
}

/// One replacement.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// What to replace.
    old_text: String,
    /// What takes its place.
    new_text: String,
    /// Replace every place.
    #[serde(default)]
    replace_all: bool,
    /// The place nearest to this line.
    #[serde(default)]
    #[schemars(range(max = POSITION_MAX))]
    near_line: u32,
    /// With empty `old_text`: `new_text` becomes lines from this line on.
    #[serde(default)]
    #[schemars(range(max = POSITION_MAX))]
    insert_at: u32,
}

/// The facts about the edited file; the diff stands in the text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Relative to the workspace, resolved.
    path: String,
    /// What became of each edit, in their order.
    edits: Vec<Applied>,
    /// Lines added.
    added: u32,
    /// Lines removed.
    removed: u32,
    /// The user can undo it.
    undo: bool,
}

/// What became of an edit.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Applied {
    /// How well `old_text` matched.
    #[serde(rename = "match")]
    level: Level,
    /// Places replaced.
    count: u32,
    /// The first of them, in the file before; 0 where there is none.
    line: u32,
}

/// A prepared edit.
#[derive(Debug)]
pub struct Work {
    change: Change,
    diff: String,
    applied: Vec<Applied>,
    spots: Vec<Spot>,
    counts: (u32, u32),
    warnings: Vec<String>,
}

/// The tool.
#[derive(Debug)]
pub struct FsEdit;

impl Tool for FsEdit {
    type Params = Params;
    type Output = Output;
    type Work = Work;
    const SPEC: ToolSpec = ToolSpec {
        name: "fs_edit",
        title: "Edit a file",
        description: "Replaces parts of a text file, all edits or none. old_text must stand in the file exactly once \
            (or set replace_all or near_line); copy it without line numbers. Line ends and encoding are kept.",
        profile: Profile::Core,
        tier: Tier::Batch,
        annotations: Annotations {
            read_only: false,
            destructive: true,
            idempotent: false,
            open_world: false,
        },
    };

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        check(&params)?;
        let path = call.workspace.resolve(&params.path)?;
        call.workspace.check_writable(&path)?;
        let resolved = path.resolved().clone();
        let mut prepared = if path.exists() {
            let before = call.workspace.read(&path, WRITE_BYTES)?;
            change(&params, path, before, call).map_err(|error| learnt_from(error, &resolved, call))?
        } else {
            check_names_file(&params.path)?;
            create(&params, path, call)?
        };
        prepared.intent.raises.extend(secret_looking(call, &resolved));
        Ok(prepared)
    }

    fn narrow(&self, work: Work, hunks: &[String]) -> Result<Prepared<Work>, ToolError> {
        let applied = partial::made_by(&work.change, (&work.applied, &work.spots), hunks);
        Ok(prepared(work.change.only(hunks)?, (applied, Vec::new()), work.warnings))
    }

    fn run(&self, permit: &Permit, work: Work, call: &Call) -> Result<Reply<Output>, ToolError> {
        let written = work.change.apply(permit, call)?;
        let path = work.change.path.resolved();
        let (added, removed) = work.counts;
        let verb = if written.created { "Created" } else { "Edited" };
        let text = format!("{verb} {path} (+{added} −{removed})\n");
        let made = || work.applied.iter().enumerate().filter(|(_, applied)| applied.count > 0);
        let loosest = made().map(|(_, applied)| applied.level).max().unwrap_or(Level::Exact);
        let mut warnings = work.warnings;
        for (index, applied) in made().filter(|(_, applied)| applied.level != Level::Exact) {
            let number = index + 1;
            let line = applied.line;
            let overlooked = applied.level.but_for();
            warnings.push(format!("edit {number} matched at line {line} but for {overlooked}"));
        }
        warnings.extend(notes(&written));
        let undo = work.change.is_undoable();
        let data = Output { path: path.to_text(), edits: work.applied, added, removed, undo };
        let mut reply = Reply::new(text, data);
        tell_diff(&mut reply, work.diff, call);
        reply.etag = Some(work.change.after_etag().as_str().to_owned());
        reply.matched = Some(loosest.as_str().to_owned());
        reply.warnings = warnings;
        Ok(reply)
    }
}

/// The edits of a file that is there.
fn change(
    params: &Params,
    path: WorkspacePath,
    before: Vec<u8>,
    call: &Call,
) -> Result<Prepared<Work>, ToolError> {
    let file = TextFile::decode(&before).map_err(|error| no_text(&path, "edited", error))?;
    let view = LfView::new(&file.text);
    let stale = !params.base_etag.is_empty() && !Etag::of(&before).is_meant_by(&params.base_etag);
    let (splices, applied, spots) = plan(params, &view, stale, &path, call)?;
    let after_text = with_house_ends(splice::apply(&file.text, &splices), &file.text, &path, call);
    let after = file.encode(&after_text).map_err(|error| cannot_hold(&path, error))?;
    if after.len() as u64 > WRITE_BYTES {
        return Err(grown(&path, after.len() as u64));
    }
    if after == before {
        return Err(no_change("the edits leave the file as it is"));
    }
    let mut warnings = Vec::new();
    if stale {
        warnings.push(
            "changed_since_read: the file is no longer the version of base_etag; every old_text still \
                           stood in it exactly once"
                .to_owned(),
        );
    }
    warnings.extend(odd(params));
    let op = ChangeOp::Edit;
    let executable = Executable::Keep;
    let (rights, attributes) = (call.workspace.kept_rights(&path), call.workspace.kept_attributes(&path));
    let before = Some(before);
    let change = Change {
        git_folder: git_folder(call, [path.resolved()]),
        path,
        op,
        not_kept: call.not_kept(before.as_ref().map_or(0, Vec::len) as u64),
        before,
        rights,
        attributes,
        before_text: file.text,
        after,
        after_text,
        executable,
        etags: OnceLock::new(),
    };
    Ok(prepared(change, (applied, spots), warnings))
}

/// A file that has no line end yet gets those that the house wants.
fn with_house_ends(text: String, before: &str, path: &WorkspacePath, call: &Call) -> String {
    if before.contains('\n') || !text.contains('\n') {
        return text;
    }
    match line_end(call, path) {
        Some(end) => with_ends(&text, end),
        None => text,
    }
}

/// What is wrong with the edits whatever the file says.
fn check(params: &Params) -> Result<(), ToolError> {
    let invalid = |message: String, hint: &str| Err(ToolError::new(Code::InvalidArgs, message, hint));
    if params.edits.is_empty() || params.edits.len() > EDITS_MAX {
        return invalid(
            format!("`edits` has {} entries; 1 to {EDITS_MAX} are allowed", params.edits.len()),
            if params.edits.is_empty() {
                "each entry has `old_text` and `new_text`"
            } else {
                "split them over several calls"
            },
        );
    }
    for (index, edit) in params.edits.iter().enumerate() {
        let number = index + 1;
        for (name, line) in [("near_line", edit.near_line), ("insert_at", edit.insert_at)] {
            if line > POSITION_MAX {
                let place = format!("edits[{index}].{name}");
                return Err(ToolError::out_of_range(&place, line, (0, POSITION_MAX)));
            }
        }
        if edit.insert_at > 0 && !edit.old_text.is_empty() {
            return invalid(
                format!("edit {number} has both `old_text` and `insert_at`"),
                "give old_text to replace something, or insert_at to insert lines",
            );
        }
        if !edit.old_text.is_empty() && lf(&edit.old_text) == lf(&edit.new_text) {
            return Err(no_change(&format!("edit {number} has the same `old_text` and `new_text`")));
        }
    }
    Ok(())
}

/// A missing file: one edit without `old_text` creates it.
fn create(params: &Params, path: WorkspacePath, call: &Call) -> Result<Prepared<Work>, ToolError> {
    let [Edit { old_text, new_text, insert_at: 0 | 1, .. }] = params.edits.as_slice() else {
        return Err(not_found(&path, call));
    };
    if !old_text.is_empty() {
        return Err(not_found(&path, call));
    }
    if !params.base_etag.is_empty() {
        return Err(gone(&path));
    }
    let text = line_end(call, &path).map_or_else(|| new_text.clone(), |end| with_ends(new_text, end));
    if text.len() as u64 > WRITE_BYTES {
        return Err(grown(&path, text.len() as u64));
    }
    let change = Change {
        git_folder: git_folder(call, [path.resolved()]),
        path,
        op: ChangeOp::Create,
        before: None,
        rights: None,
        attributes: Attributes::default(),
        before_text: String::new(),
        after: text.clone().into_bytes(),
        after_text: text,
        executable: Executable::Keep,
        not_kept: None,
        etags: OnceLock::new(),
    };
    let warnings = odd(params).chain(taken_literally(&change.path)).collect();
    let applied = vec![Applied { level: Level::Exact, count: 1, line: 1 }];
    Ok(prepared(change, (applied, Vec::new()), warnings))
}

/// As of `fs_write`: it may be meant, and is worth a word.
fn odd(params: &Params) -> impl Iterator<Item = String> {
    let with_nul = params.edits.iter().position(|edit| edit.new_text.contains('\0'));
    let nul = with_nul
        .map(|at| format!("`new_text` of edit {} has a NUL: other tools take the file for binary", at + 1));
    let left_out = params.edits.iter().enumerate().filter_map(|(at, edit)| {
        let of = format!(" of `new_text` of edit {}", at + 1);
        // What was there before stands for nothing that goes.
        placeholder(&of, &edit.new_text).filter(|_| placeholder("", &edit.old_text).is_none())
    });
    nul.into_iter().chain(left_out.take(1))
}

fn prepared(
    change: Change,
    (applied, spots): (Vec<Applied>, Vec<Spot>),
    warnings: Vec<String>,
) -> Prepared<Work> {
    let shown = change.shown();
    let diff = diff::diff_text(&shown.path, change.op == ChangeOp::Create, &shown.hunks);
    let counts = (shown.added, shown.removed);
    let intent = change.intent(shown, Vec::new());
    Prepared { intent, work: Work { change, diff, applied, spots, counts, warnings } }
}

/// What a file would become that no tool could change any more.
fn grown(path: &WorkspacePath, size: u64) -> ToolError {
    ToolError::new(
        Code::TooLarge,
        format!(
            "`{}` would have {size} bytes or more; the limit is {WRITE_BYTES}; nothing was changed",
            path.given()
        ),
        "put less into it, or the rest into another file",
    )
}

fn not_found(path: &WorkspacePath, call: &Call) -> ToolError {
    match call.workspace.stat(path) {
        Err(error) => error.into(),
        Ok(_) => DoorError::Stale { path: path.given().to_owned() }.into(),
    }
}

fn no_change(message: &str) -> ToolError {
    ToolError::new(Code::NoChange, message, "nothing has to be written")
}

fn lf(text: &str) -> String {
    with_ends(text, "\n")
}
