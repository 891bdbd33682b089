//! Where the edits of a call apply, in the file as it is. Nothing is decided by trying: a place is beyond doubt, or refused with what
//! was found instead. Pure.

use std::{ops::Range, sync::Arc};

use super::{Applied, Edit, Params, grown, lf, no_change, partial::Spot};
use crate::{
    limits::WRITE_BYTES,
    tools::{
        Call, Code, ToolError,
        fs::{
            indent::Shift,
            ladder::{self, Ladder, Level, Place},
            line_ends::LfView,
            near_miss::near_misses,
            splice::{self, Splice},
            text_file::without_strays,
        },
    },
    workspace::{DoorError, WorkspacePath},
};

/// Lines around a place that a stale answer shows.
const EXCERPT_LINES: usize = 8;
/// Places that an ambiguous answer names.
const PLACES_NAMED: usize = 10;

/// The changes, what becomes of each edit, and where.
pub(super) type Planned = (Vec<Splice>, Vec<Applied>, Vec<Spot>);

/// Finds every edit in the file as it is. Nothing is decided by trying: a place is unambiguous or refused.
pub(super) fn plan(
    params: &Params,
    view: &LfView<'_>,
    stale: bool,
    path: &WorkspacePath,
    call: &Call,
) -> Result<Planned, ToolError> {
    let ladder = Ladder::new(&view.text);
    let mut splices = Vec::new();
    let mut applied = Vec::new();
    let mut spots = Vec::new();
    // A file may have millions of places: what is kept of each is small.
    let mut taken: Vec<(u32, Range<u32>)> = Vec::new();
    let mut room = MADE_BYTES;
    for (index, edit) in params.edits.iter().enumerate() {
        call.check_cancelled()?;
        let found = find(edit, index + 1, (view, &ladder), params.strict, path, &mut room);
        let found = match found {
            // What was read is not what is there: only what is beyond doubt is applied to it.
            Ok(found) if stale && !found.is_beyond_doubt(edit) => Err(stale_error(edit, view, path)),
            Err(_) if stale => Err(stale_error(edit, view, path)),
            found => found,
        }?;
        let Found { places, words, mut inserted, applied: made, .. } = found;
        splices.reserve(places.len());
        spots.reserve(places.len());
        taken.reserve(places.len());
        let mut last: Arc<str> = Arc::default();
        for place in places {
            let mut splice = match inserted.take() {
                Some(splice) => splice,
                None => replaced(&place, &words, view).ok_or_else(|| unshifted(index + 1))?,
            };
            if splice.text == last {
                splice.text = Arc::clone(&last);
            }
            last = Arc::clone(&splice.text);
            let start = view.original_offset(place.range.start);
            let changed = small(splice.range.start)..small(splice.range.end);
            spots.push(Spot { edit: small(index), start: small(start), changed });
            taken.push((small(index + 1), small(place.range.start)..small(place.range.end)));
            splices.push(splice);
        }
        applied.push(made);
    }
    taken.sort_unstable_by_key(|(edit, place)| (place.start, place.end, *edit));
    for pair in taken.windows(2) {
        let [(first, one), (second, other)] = pair else { continue };
        if other.start < one.end {
            return Err(ToolError::new(
                Code::InvalidArgs,
                format!("edits {first} and {second} overlap at line {}", view.line_of(other.start as usize)),
                "put them into one edit; all edits are matched against the file as it is",
            ));
        }
    }
    Ok((splices, applied, spots))
}

/// New text that the edits of one call may come to, before it is known what it takes in the file's own encoding: at most twice as
/// much as the file may have then. Short words in many places are enough for more than any memory holds.
const MADE_BYTES: u64 = 2 * WRITE_BYTES;

/// A position in a text: files that are edited are far smaller than 4 GiB.
fn small(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

/// Where an edit applies.
struct Found {
    /// In the view.
    places: Vec<Place>,
    /// What stands there and what takes its place, but for indentation.
    words: (String, String),
    /// What is inserted at the only place.
    inserted: Option<Splice>,
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
    (view, ladder): (&LfView<'_>, &Ladder<'_>),
    strict: bool,
    path: &WorkspacePath,
    room: &mut u64,
) -> Result<Found, ToolError> {
    let (old, new) = (lf(&edit.old_text), lf(&edit.new_text));
    if old.is_empty() {
        return insertion(edit, number, view, &new);
    }
    let Some((level, mut places)) = ladder.places(&old, strict) else {
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
    Ok(Found { places, words: (old, new), inserted: None, applied, candidates })
}

/// The change at one of the places; `None` where the new text has not the indentation that would go.
fn replaced(place: &Place, (old, new): &(String, String), view: &LfView<'_>) -> Option<Splice> {
    let Place { range, shift, .. } = place;
    let (old, new) = (place.part(old), place.part(new));
    if *shift == Shift::None {
        return Some(splice::replace(view, range, old, new));
    }
    Some(splice::replace(view, range, &shift.apply(old)?, &shift.apply(new)?))
}

fn unshifted(number: usize) -> ToolError {
    ToolError::new(
        Code::NoMatch,
        format!("`old_text` of edit {number} matches but for its indentation, and `new_text` has less of it"),
        "write both with the indentation of the file",
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
    let places = vec![Place { range: at..at, shift: Shift::None, is_unended: false }];
    Ok(Found {
        places,
        words: (String::new(), String::new()),
        inserted: Some(splice),
        applied,
        candidates: 1,
    })
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
    let mut candidates: Vec<String> = named.iter().map(|line| format!("line {line}")).collect();
    candidates.dedup();
    let more = if lines.len() > PLACES_NAMED { ", …" } else { "" };
    Err(ToolError::new(
        Code::AmbiguousMatch,
        format!(
            "`old_text` of edit {number} stands in the file {} times, at lines {}{more}",
            places.len(),
            named.join(", ")
        ),
        match edit.near_line {
            0 => "take in more of the lines around it, or set near_line, or replace_all to change every place",
            _ => {
                "near_line is as near to one place as to another: take in more of the lines around it, or set \
                 replace_all to change every place"
            }
        },
    )
    .with_candidates(candidates))
}

fn no_match(number: usize, old: &str, view: &LfView<'_>, path: &WorkspacePath) -> ToolError {
    let near: Vec<String> =
        near_misses(&without_strays(&view.text), old).iter().map(ToString::to_string).collect();
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

/// As much of a line as is shown.
fn beginning(line: &str) -> &str {
    let shown = crate::text::prefix(line, 200).len();
    if shown < line.len() { &line[..crate::redact::whole(line, 0..shown).end] } else { line }
}

/// The lines around `line`, numbered, and the number of the first.
fn excerpt(view: &LfView<'_>, line: u32) -> (usize, String) {
    let first = (line as usize).saturating_sub(EXCERPT_LINES / 2).max(1);
    let lines = view.text.lines().enumerate().skip(first - 1).take(EXCERPT_LINES);
    let shown: Vec<String> =
        lines.map(|(index, line)| format!("{:>4}|{}", index + 1, beginning(line))).collect();
    (first, without_strays(&shown.join("\n")).into_owned())
}
