//! The pure parts of editing, for the fuzz targets; no part of the host that is shipped.

use std::ops::Range;

use super::{
    ladder,
    line_ends::LfView,
    patch::{self, Action},
    splice,
};

/// What is put in the place of a range.
type Splice = (Range<usize>, String);

/// What each file of a patch makes of `text`: its changes in order, and the text afterwards.
pub fn patched(patch: &str, text: &str) -> Vec<(Vec<Splice>, String)> {
    let view = LfView::new(text);
    let hunks = patch::parse(patch).unwrap_or_default().into_iter().filter_map(|file| match file.action {
        Action::Update { hunks, .. } | Action::Delete { hunks } => Some(hunks),
        Action::Add { .. } => None,
    });
    let placed = hunks.filter_map(|hunks| patch::place(&view, &hunks).ok());
    placed
        .map(|placed| {
            let after = placed.apply(text);
            (placed.splices.into_iter().map(|splice| (splice.range, splice.text)).collect(), after)
        })
        .collect()
}

/// Each place of `old` with what an edit puts there, and the text afterwards.
pub fn edited(text: &str, old: &str, new: &str, strict: bool) -> Vec<(Range<usize>, String, String)> {
    let view = LfView::new(text);
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    let Some((_, places)) = ladder::places(&view.text, &old, strict) else { return Vec::new() };
    let change = |place: ladder::Place| {
        let splice = splice::replace(&view, &place.range, &old, &new);
        let after = splice::apply(text, std::slice::from_ref(&splice));
        (splice.range, splice.text, after)
    };
    places.into_iter().map(change).collect()
}
