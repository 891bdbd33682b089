//! What is left of a call when a person allowed a part of its plan. Never more than was allowed.

use std::collections::BTreeSet;

use crate::{
    policy::{Answer, FileChange, Hunk, Preview},
    text::visible,
    tools::{AnyPrepared, Code, ToolError},
};

/// The call with the allowed hunks alone, and what its result has to say of the others.
pub fn chosen(
    prepared: AnyPrepared,
    answer: Option<&Answer>,
) -> Result<(AnyPrepared, Vec<String>), ToolError> {
    let Some(answer) = answer else { return Ok((prepared, Vec::new())) };
    let mut told: Vec<String> = answer.note.iter().map(|note| format!("the user says: {note}")).collect();
    let Some(allowed) = &answer.hunks else { return Ok((prepared, told)) };
    let shown = hunks(&prepared);
    let known: BTreeSet<&str> = shown.iter().map(|(_, hunk)| hunk.id.as_str()).collect();
    if let Some(stranger) = allowed.iter().find(|id| !known.contains(id.as_str())) {
        let (message, hint) = if known.is_empty() {
            let message = "this plan is allowed or denied as a whole; nothing was changed".to_owned();
            (message, "answer it without `hunks`".to_owned())
        } else {
            let known: Vec<&str> = known.into_iter().collect();
            let message = format!("the plan has no hunk `{}`; nothing was changed", visible(stranger));
            (message, format!("its hunks are {}", known.join(", ")))
        };
        return Err(ToolError::new(Code::InvalidArgs, message, hint));
    }
    let left_out = shown.iter().filter(|(_, hunk)| !allowed.contains(&hunk.id));
    let mut refused: Vec<String> = left_out
        .map(|(file, hunk)| format!("{} at line {}", visible(&file.path), first_changed(hunk)))
        .collect();
    // What has no hunks was not among those that were named.
    let whole = files(&prepared).iter().filter(|file| file.hunks.is_empty());
    let whole: Vec<String> = whole.map(|file| format!("{} as a whole", visible(&file.path))).collect();
    let count = shown.len() + whole.len();
    refused.extend(whole);
    if refused.is_empty() {
        return Ok((prepared, told));
    }
    told.push(format!(
        "the user allowed {} of {} changes; not made: {}",
        count - refused.len(),
        count,
        refused.join("; ")
    ));
    Ok((prepared.narrow(allowed)?, told))
}

/// The first line that it changes, as the file is before.
fn first_changed(hunk: &Hunk) -> u32 {
    let above = hunk.lines.iter().take_while(|line| line.starts_with(' ')).count();
    hunk.old_start.saturating_add(u32::try_from(above).unwrap_or(u32::MAX)).max(1)
}

fn hunks(prepared: &AnyPrepared) -> Vec<(&FileChange, &Hunk)> {
    files(prepared).iter().flat_map(|file| file.hunks.iter().map(move |hunk| (file, hunk))).collect()
}

fn files(prepared: &AnyPrepared) -> &[FileChange] {
    match &prepared.intent.preview {
        Some(Preview::Files { files }) => files,
        _ => &[],
    }
}
