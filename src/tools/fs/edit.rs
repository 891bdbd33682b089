//! `fs_edit`: parts of a text file are replaced, all or none. Never guesses: a text that is not found, or found twice, is refused
//! with what was found instead, and no byte outside the edits changes.

use std::{ops::Range, sync::OnceLock};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    change::{Change, notes, tell_diff},
    house_ends::line_end,
    ladder::{self, Level, Place},
    line_ends::{LfView, with_ends},
    names::check_names_file,
    near_miss::near_misses,
    splice::{self, Splice},
    text_file::{NoText, TextFile},
    write::gone,
};
use crate::{
    config::Profile,
    ids::Etag,
    limits::{EDITS_MAX, POSITION_MAX, WRITE_BYTES},
    object::objects,
    policy::{ChangeOp, Hunk, Permit},
    tier::Tier,
    tools::{
        Annotations, Call, Code, Prepared, Reply, Tool, ToolError, ToolSpec, diff, secret_looking, unquoted,
    },
    workspace::{DoorError, Executable, WorkspacePath},
};

/// Lines around a place that a stale answer shows.
const EXCERPT_LINES: usize = 8;
/// Places that an ambiguous answer names.
const PLACES_NAMED: usize = 10;

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
    /// The etag that was read.
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

/// Where an edit changes something, in the text before.
#[derive(Debug)]
struct Spot {
    /// Which of the edits, from 0.
    edit: usize,
    /// Where its `old_text` begins.
    start: usize,
    /// What is not only repeated of it.
    change: Range<usize>,
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
        if !path.exists() {
            check_names_file(&params.path)?;
            return create(&params, path, call);
        }
        let before = call.workspace.read(&path, WRITE_BYTES)?;
        let file = TextFile::decode(&before).map_err(|error| no_text(&path, error))?;
        let view = LfView::new(&file.text);
        let stale = !params.base_etag.is_empty() && !Etag::of(&before).is_meant_by(&params.base_etag);
        let (splices, applied, spots) =
            plan(&params, &view, stale, &path).map_err(|error| unquoted(error, path.resolved(), call))?;
        let after_text = with_house_ends(splice::apply(&file.text, &splices), &file.text, &path, call);
        let after = file.encode(&after_text).map_err(|error| {
            ToolError::new(
                Code::EncodingUnsupported,
                format!("`{}` cannot hold this text: {error}", path.given()),
                "leave that character out",
            )
        })?;
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
        warnings.extend(nul(&params));
        let op = ChangeOp::Edit;
        let executable = Executable::Keep;
        let (rights, before) = (call.workspace.kept_rights(&path), Some(before));
        let change = Change {
            path,
            op,
            not_kept: call.not_kept(before.as_ref().map_or(0, Vec::len) as u64),
            before,
            rights,
            before_text: file.text,
            after,
            after_text,
            executable,
            etags: OnceLock::new(),
        };
        let secret = secret_looking(call, change.path.resolved());
        let mut prepared = prepared(change, (applied, spots), warnings);
        prepared.intent.raises.extend(secret);
        Ok(prepared)
    }

    fn narrow(&self, work: Work, hunks: &[String]) -> Result<Prepared<Work>, ToolError> {
        let applied = work.made_by(hunks);
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

impl Work {
    /// What becomes of each edit where only these hunks are made.
    fn made_by(&self, allowed: &[String]) -> Vec<Applied> {
        let hunks = self.change.shown().hunks;
        let ends = memchr::memchr_iter(b'\n', self.change.before_text.as_bytes());
        let starts: Vec<usize> = std::iter::once(0).chain(ends.map(|end| end + 1)).collect();
        let line_of =
            |at: usize| u32::try_from(starts.partition_point(|start| *start <= at)).unwrap_or(u32::MAX);
        let mut applied: Vec<Applied> =
            self.applied.iter().map(|applied| Applied { count: 0, line: 0, ..*applied }).collect();
        for Spot { edit, start, change } in &self.spots {
            let last = change.end.saturating_sub(1).max(change.start);
            if !is_within(&hunks, allowed, line_of(change.start), line_of(last)) {
                continue;
            }
            let (planned, made) = (&self.applied[*edit], &mut applied[*edit]);
            if made.count == 0 {
                made.line = if planned.count == 1 { planned.line } else { line_of(*start) };
            }
            made.count += 1;
        }
        applied
    }
}

/// Whether lines are changed by one of the hunks that are `allowed`. A diff may show a change of lines that repeat themselves at
/// another of them: then by the nearest.
fn is_within(hunks: &[Hunk], allowed: &[String], first: u32, last: u32) -> bool {
    let end = |hunk: &Hunk| hunk.old_start.saturating_add(hunk.old_lines);
    let is_allowed = |hunk: &Hunk| allowed.contains(&hunk.id);
    let (above, below) = hunks.split_at(hunks.partition_point(|hunk| end(hunk) < first));
    let mut touched = below.iter().take_while(|hunk| hunk.old_start <= last).peekable();
    if touched.peek().is_some() {
        return touched.any(is_allowed);
    }
    match (above.last(), below.first()) {
        (Some(one), Some(other)) if first - end(one) > other.old_start - last => is_allowed(other),
        (Some(one), _) | (None, Some(one)) => is_allowed(one),
        (None, None) => false,
    }
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
            "split them over several calls",
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
        path,
        op: ChangeOp::Create,
        before: None,
        rights: None,
        before_text: String::new(),
        after: text.clone().into_bytes(),
        after_text: text,
        executable: Executable::Keep,
        not_kept: None,
        etags: OnceLock::new(),
    };
    let warnings = nul(params).into_iter().collect();
    let applied = vec![Applied { level: Level::Exact, count: 1, line: 1 }];
    Ok(prepared(change, (applied, Vec::new()), warnings))
}

/// As of `fs_write`: it may be meant, and is worth a word.
fn nul(params: &Params) -> Option<String> {
    let at = params.edits.iter().position(|edit| edit.new_text.contains('\0'))?;
    Some(format!("`new_text` of edit {} has a NUL: other tools take the file for binary", at + 1))
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

/// The changes, what becomes of each edit, and where.
type Planned = (Vec<Splice>, Vec<Applied>, Vec<Spot>);

/// Finds every edit in the file as it is. Nothing is decided by trying: a place is unambiguous or refused.
fn plan(params: &Params, view: &LfView<'_>, stale: bool, path: &WorkspacePath) -> Result<Planned, ToolError> {
    let mut splices = Vec::new();
    let mut applied = Vec::new();
    let mut spots = Vec::new();
    let mut taken: Vec<(usize, Range<usize>)> = Vec::new();
    let mut room = MADE_BYTES;
    for (index, edit) in params.edits.iter().enumerate() {
        let found = find(edit, index + 1, view, params.strict, path, &mut room);
        let found = match found {
            // What was read is not what is there: only what is beyond doubt is applied to it.
            Ok(found) if stale && !found.is_beyond_doubt(edit) => Err(stale_error(edit, view, path)),
            Err(_) if stale => Err(stale_error(edit, view, path)),
            found => found,
        }?;
        for (place, splice) in found.places {
            let (start, change) = (view.original_offset(place.start), splice.range.clone());
            spots.push(Spot { edit: index, start, change });
            taken.push((index + 1, place));
            splices.push(splice);
        }
        applied.push(found.applied);
    }
    taken.sort_by_key(|(_, place)| (place.start, place.end));
    for pair in taken.windows(2) {
        let [(first, one), (second, other)] = pair else { continue };
        if other.start < one.end {
            return Err(ToolError::new(
                Code::InvalidArgs,
                format!("edits {first} and {second} overlap at line {}", view.line_of(other.start)),
                "put them into one edit; all edits are matched against the file as it is",
            ));
        }
    }
    Ok((splices, applied, spots))
}

/// New text that the edits of one call may come to, before it is known what it takes in the file's own encoding: at most twice as
/// much as the file may have then. Short words in many places are enough for more than any memory holds.
const MADE_BYTES: u64 = 2 * WRITE_BYTES;

/// Where an edit applies.
struct Found {
    /// In the view, each with its change of the original.
    places: Vec<(Range<usize>, Splice)>,
    applied: Applied,
    /// Places there were to choose from.
    candidates: usize,
}

impl Found {
    fn is_beyond_doubt(&self, edit: &Edit) -> bool {
        self.applied.level == Level::Exact && self.candidates == 1 && !edit.old_text.is_empty()
    }
}

fn find(
    edit: &Edit,
    number: usize,
    view: &LfView<'_>,
    strict: bool,
    path: &WorkspacePath,
    room: &mut u64,
) -> Result<Found, ToolError> {
    let (old, new) = (lf(&edit.old_text), lf(&edit.new_text));
    if old.is_empty() {
        return insertion(edit, number, view, &new);
    }
    let Some((level, mut places)) = ladder::places(&view.text, &old, strict) else {
        return Err(no_match(number, &old, view, path));
    };
    let candidates = places.len();
    if candidates > 1 && !edit.replace_all {
        places = vec![chosen(edit, number, &places, view)?];
    } else if edit.replace_all {
        // Of two places that overlap only the first can be replaced, as a search for all would.
        let mut end = 0;
        places.retain(|place| {
            let is_free = place.range.start >= end;
            if is_free {
                end = place.range.end;
            }
            is_free
        });
    }
    let made = (places.len() as u64).saturating_mul(new.len() as u64);
    *room = room.checked_sub(made).ok_or_else(|| grown(path, made))?;
    let applied = Applied {
        level,
        count: u32::try_from(places.len()).unwrap_or(u32::MAX),
        line: places.first().map_or(0, |place| view.line_of(place.range.start)),
    };
    let splices = places.into_iter().map(|Place { range, shift }| {
        let (old, new) = (shift.apply(&old)?, shift.apply(&new)?);
        let splice = splice::replace(view, &range, &old, &new);
        Some((range, splice))
    });
    let Some(places) = splices.collect() else {
        return Err(ToolError::new(
            Code::NoMatch,
            format!(
                "`old_text` of edit {number} matches but for its indentation, and `new_text` has less of it"
            ),
            "write both with the indentation of the file",
        ));
    };
    Ok(Found { places, applied, candidates })
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

fn insertion(edit: &Edit, number: usize, view: &LfView<'_>, new: &str) -> Result<Found, ToolError> {
    if edit.insert_at == 0 {
        return Err(ToolError::new(
            Code::InvalidArgs,
            format!("edit {number} has an empty `old_text`, and the file exists"),
            "give the text to replace, or insert_at with the line before which to insert",
        ));
    }
    if new.is_empty() {
        return Err(no_change(&format!("edit {number} inserts nothing")));
    }
    let Some((at, splice)) = splice::insert(view, edit.insert_at, new) else {
        let lines = splice::line_count(&view.text);
        return Err(ToolError::new(
            Code::InvalidArgs,
            format!("edit {number} inserts at line {}, but the file has {lines} lines", edit.insert_at),
            format!("insert_at may be 1 to {}", lines + 1),
        ));
    };
    let applied = Applied { level: Level::Exact, count: 1, line: edit.insert_at };
    Ok(Found { places: vec![(at..at, splice)], applied, candidates: 1 })
}

/// Of several places the one that `near_line` means.
fn chosen(edit: &Edit, number: usize, places: &[Place], view: &LfView<'_>) -> Result<Place, ToolError> {
    let lines = view.lines_of(places.iter().map(|place| place.range.start));
    let distance = |line: &u32| line.abs_diff(edit.near_line);
    let nearest = lines.iter().map(distance).min().unwrap_or(0);
    let mut near = (0..places.len()).filter(|&index| distance(&lines[index]) == nearest);
    if edit.near_line > 0
        && let (Some(only), None) = (near.next(), near.next())
    {
        return Ok(places[only].clone());
    }
    let named: Vec<String> = lines.iter().take(PLACES_NAMED).map(u32::to_string).collect();
    let more = if lines.len() > PLACES_NAMED { ", …" } else { "" };
    Err(ToolError::new(
        Code::AmbiguousMatch,
        format!(
            "`old_text` of edit {number} stands in the file {} times, at lines {}{more}",
            places.len(),
            named.join(", ")
        ),
        "take in more of the lines around it, or set near_line, or replace_all to change every place",
    )
    .with_candidates(named.iter().map(|line| format!("line {line}")).collect()))
}

fn no_match(number: usize, old: &str, view: &LfView<'_>, path: &WorkspacePath) -> ToolError {
    let near: Vec<String> = near_misses(&view.text, old).iter().map(ToString::to_string).collect();
    let hint = if near.is_empty() {
        "nothing in the file is like it; read the file again"
    } else {
        "compare with the candidates: the text must be copied from the file, without line numbers"
    };
    let message = format!("`old_text` of edit {number} is not in `{}`; nothing was changed", path.given());
    ToolError::new(Code::NoMatch, message, hint).with_candidates(near)
}

fn stale_error(edit: &Edit, view: &LfView<'_>, path: &WorkspacePath) -> ToolError {
    let old = lf(&edit.old_text);
    let line = ladder::places(&view.text, &old, false)
        .and_then(|(_, places)| places.first().map(|place| view.line_of(place.range.start)))
        .filter(|_| !old.is_empty())
        .or_else(|| near_misses(&view.text, &old).first().map(|near| near.line))
        .unwrap_or(edit.insert_at.max(1));
    let mut error = ToolError::from(DoorError::Stale { path: path.given().to_owned() });
    error.hint = format!("it is now, from line {}:\n{}", excerpt(view, line).0, excerpt(view, line).1);
    error
}

/// The lines around `line`, numbered, and the number of the first.
fn excerpt(view: &LfView<'_>, line: u32) -> (usize, String) {
    let first = (line as usize).saturating_sub(EXCERPT_LINES / 2).max(1);
    let lines = view.text.lines().enumerate().skip(first - 1).take(EXCERPT_LINES);
    let shown: Vec<String> =
        lines.map(|(index, line)| format!("{:>4}|{}", index + 1, crate::text::prefix(line, 200))).collect();
    (first, shown.join("\n"))
}

fn not_found(path: &WorkspacePath, call: &Call) -> ToolError {
    match call.workspace.stat(path) {
        Err(error) => error.into(),
        Ok(_) => DoorError::Stale { path: path.given().to_owned() }.into(),
    }
}

fn no_text(path: &WorkspacePath, error: NoText) -> ToolError {
    let code = match error {
        NoText::Binary => Code::BinaryFile,
        NoText::Unknown => Code::EncodingUnsupported,
    };
    ToolError::new(code, format!("`{}` cannot be edited: {error}", path.given()), "a command can change it")
}

fn no_change(message: &str) -> ToolError {
    ToolError::new(Code::NoChange, message, "nothing has to be written")
}

fn lf(text: &str) -> String {
    with_ends(text, "\n")
}
