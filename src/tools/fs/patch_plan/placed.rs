//! Where the hunks of a patch stand in the text of their file.

use super::super::{
    line_ends::LfView,
    near_miss::near_lines,
    patch::{self, PLACES_NAMED, PatchHunk, PlaceError, Placed},
    text_file::without_strays,
};
use crate::{
    text::excerpt,
    tools::{Call, Code, ToolError},
    workspace::WorkspacePath,
};

/// Of a line that a hunk names, so much is shown.
const ANCHOR_BYTES: usize = 200;

/// The text with all hunks, and where they stand.
pub(super) fn placed(
    text: &str,
    hunks: &[PatchHunk],
    path: &WorkspacePath,
    call: &Call,
) -> Result<(String, Placed), ToolError> {
    let view = LfView::new(text);
    match patch::place(&view, hunks, &|| call.cancel.is_cancelled()) {
        Ok(placed) => Ok((placed.apply(text), placed)),
        Err(error) => Err(no_place(error, &view, path)),
    }
}

fn no_place(error: PlaceError, view: &LfView<'_>, path: &WorkspacePath) -> ToolError {
    match error {
        PlaceError::NotFound { line, wanted } => {
            let near: Vec<String> =
                near_lines(&without_strays(&view.text), &wanted).iter().map(ToString::to_string).collect();
            let hint = if near.is_empty() {
                "nothing in the file is like it; read the file again"
            } else {
                "compare with the candidates: context and removed lines must be copied from the file"
            };
            let message = format!("the hunk at line {line} has no place in `{}`", path.given());
            ToolError::new(Code::NoMatch, message, hint).with_candidates(near)
        }
        PlaceError::Disorder { line, at } => ToolError::new(
            Code::NoMatch,
            format!(
                "the hunk at line {line} has its place at line {at} of `{}`, not below the hunk before it",
                path.given()
            ),
            "put the hunks in the order of the file, and two that share lines into one",
        ),
        PlaceError::AnchorAbove { line, anchor, at } => ToolError::new(
            Code::NoMatch,
            format!(
                "the hunk at line {line} begins below `{}`, which stands at line {at} of `{}`, not below what stands in front of it in \
                 the patch",
                excerpt(&anchor, ANCHOR_BYTES),
                path.given()
            ),
            "put the hunks in the order of the file",
        ),
        PlaceError::NoAnchor { line, anchor } => {
            let near: Vec<String> =
                near_lines(&without_strays(&view.text), &anchor).iter().map(ToString::to_string).collect();
            let message = format!(
                "`{}` behind the `@@` of the hunk at line {line} is no whole line of `{}`",
                excerpt(&anchor, ANCHOR_BYTES),
                path.given()
            );
            let hint = "name the whole line as it stands in the file; each line of the hunk stands below its `@@`, behind a blank, a `-` or \
                        a `+`";
            ToolError::new(Code::NoMatch, message, hint).with_candidates(near)
        }
        PlaceError::AboveAnchor { line, at } => ToolError::new(
            Code::NoMatch,
            format!(
                "the lines of the hunk at line {line} stand at line {at} of `{}`, not below the line behind its `@@`",
                path.given()
            ),
            "name a line that stands above them, or none",
        ),
        PlaceError::Ambiguous { line, is_numbered, is_named, places } => {
            let named: Vec<String> =
                places.iter().take(PLACES_NAMED).map(|place| format!("line {place}")).collect();
            let or_more = if places.len() == PLACES_NAMED { " or more" } else { "" };
            let (path, count) = (path.given(), places.len());
            let message = format!("the hunk at line {line} fits into `{path}` at {count} places{or_more}");
            let hint = if is_numbered {
                "take in more of the lines around it, give its right line number, or name a line above it in place of the numbers"
            } else if is_named {
                "take in more of the lines around it, or name a whole line nearer above it behind `@@`"
            } else {
                "take in more of the lines around it, or name a line above it behind `@@`"
            };
            ToolError::new(Code::AmbiguousMatch, message, hint).with_candidates(named)
        }
        PlaceError::Overlap { line } => ToolError::new(
            Code::InvalidArgs,
            format!("the hunk at line {line} overlaps the one before it in `{}`", path.given()),
            "put both into one hunk",
        ),
        PlaceError::Endless { line } => ToolError::new(
            Code::TooLarge,
            format!("up to the hunk at line {line} too many lines of `{}` had to be compared", path.given()),
            "give each hunk its right line number and lines that stand in one place alone, or apply fewer hunks at a time",
        ),
        PlaceError::Stopped => ToolError::cancelled("nothing was changed"),
    }
}
