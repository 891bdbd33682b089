//! The pure parts of editing and of pictures, for the fuzz targets; no part of the host that is shipped.

use std::ops::Range;

use super::{
    ladder,
    line_ends::LfView,
    patch::{self, Action},
    picture, splice,
};

pub use super::picture::{HANDED_BYTES, SIDE};

/// What is put in the place of a range.
type Splice = (Range<usize>, String);

/// What each file of a patch makes of `text`: its changes in order, and the text afterwards.
pub fn patched(patch: &str, text: &str) -> Vec<(Vec<Splice>, String)> {
    let view = LfView::new(text);
    let hunks = patch::parse(patch).unwrap_or_default().into_iter().filter_map(|file| match file.action {
        Action::Update { hunks, .. } | Action::Delete { hunks: Some(hunks) } => Some(hunks),
        Action::Add { .. } | Action::Delete { hunks: None } => None,
    });
    let placed = hunks.filter_map(|hunks| patch::place(&view, &hunks, &|| false).ok());
    placed
        .map(|placed| {
            let after = placed.apply(text);
            (
                placed.splices.into_iter().map(|splice| (splice.range, splice.text.to_string())).collect(),
                after,
            )
        })
        .collect()
}

/// Each place of `old` with what an edit puts there, and the text afterwards.
pub fn edited(text: &str, old: &str, new: &str, strict: bool) -> Vec<(Range<usize>, String, String)> {
    let view = LfView::new(text);
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    let Some((_, places)) = ladder::places(&view.text, &old, strict) else { return Vec::new() };
    let change = |place: ladder::Place| {
        let splice = splice::replace(&view, &place.range, place.part(&old), place.part(&new));
        let after = splice::apply(text, std::slice::from_ref(&splice));
        (splice.range, splice.text.to_string(), after)
    };
    places.into_iter().map(change).collect()
}

/// A picture as a model gets it.
#[derive(Debug)]
pub struct Shrunk {
    /// Its format.
    pub mime: String,
    /// Its file.
    pub data: Vec<u8>,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

/// The picture made smaller where it must be, or why it cannot be.
pub fn shrunk(bytes: &[u8], mime: &str) -> Result<Shrunk, String> {
    let format = picture::format(mime).ok_or("no format of pictures")?;
    let shown = picture::shrink(bytes, format)?;
    let (width, height) = shown.smaller.ok_or("it has no size")?;
    Ok(Shrunk { mime: shown.picture.mime, data: shown.picture.data, width, height })
}
