//! By which of its names each file of a patch is known here: what stands in the workspace tells, and two files are never taken for one.
//! Reads only.

use std::collections::BTreeSet;

use super::patch::{Action, FilePatch, Side, TWO_FILES, is_kept};
use crate::tools::{Call, Code, ToolError};

/// Of several readings of a name takes the one at which something stands. All files whose names begin with the same two folders lie in
/// one place; a new file, at whose names nothing stands, lies there too where two folders were compared.
pub(super) fn choose_names(patches: &mut [FilePatch], call: &Call) -> Result<(), ToolError> {
    let groups: BTreeSet<_> = patches.iter().filter_map(FilePatch::fronts).collect();
    for fronts in groups {
        let mut group: Vec<&mut FilePatch> =
            patches.iter_mut().filter(|patch| patch.fronts().as_ref() == Some(&fronts)).collect();
        let known: Vec<&FilePatch> =
            group.iter().map(|patch| &**patch).filter(|patch| !is_new(patch)).collect();
        for patch in &known {
            check_one(patch, &fronts, call)?;
        }
        let stands =
            |patch: &FilePatch, side: Side| patch.called(side).is_some_and(|path| is_taken(path, call));
        let sides = known.first().map(|patch| patch.or.iter().map(|named| named.side).collect::<Vec<_>>());
        let mut sides = sides.unwrap_or_default().into_iter();
        let side = sides.find(|side| known.iter().all(|patch| stands(patch, *side)));
        // Where no one place has all of them, a new file goes where git puts it, unless none of the others is there.
        let is_below =
            side.is_none() && !known.is_empty() && !known.iter().any(|patch| stands(patch, Side::Inner));
        for patch in &mut group {
            let side = side.or_else(|| (is_below && is_new(patch)).then_some(Side::New));
            // Somebody who writes two folders without a comparison of them may mean both: then it lies where the patch says.
            let side = side.map(|side| {
                if is_new(patch) && side == Side::Old && !is_of_old(patch, call) { Side::New } else { side }
            });
            if let Some(path) = side.and_then(|side| patch.called(side)).map(str::to_owned) {
                patch.path = path;
                patch.or.clear();
            }
        }
    }
    for patch in patches {
        let or = std::mem::take(&mut patch.or);
        if let Some(named) = or.into_iter().find(|named| !is_new(patch) && is_taken(&named.path, call)) {
            patch.path = named.path;
        }
    }
    Ok(())
}

fn is_new(patch: &FilePatch) -> bool {
    matches!(patch.action, Action::Add { .. })
}

/// A new file of a comparison lies in the old of the two folders, where there is no new one.
fn is_of_old(patch: &FilePatch, call: &Call) -> bool {
    let folder = patch.called(Side::New).and_then(|path| path.split_once('/')).map(|(folder, _)| folder);
    patch.compared && !folder.is_some_and(|folder| is_there(folder, call))
}

/// Both names are those of a file: which of them is meant, or that one becomes the other, nobody can say. A version that was put aside is
/// there to be compared with.
fn check_one(
    patch: &FilePatch,
    fronts: &(Option<String>, Option<String>),
    call: &Call,
) -> Result<(), ToolError> {
    let (Some(old), Some(new)) = (patch.called(Side::Old), patch.called(Side::New)) else { return Ok(()) };
    let bare = |front: &Option<String>| front.as_deref().unwrap_or_default().trim_end_matches('/').to_owned();
    if is_kept(&bare(&fronts.0), &bare(&fronts.1)) || !is_there(old, call) || !is_there(new, call) {
        return Ok(());
    }
    let message = format!(
        "the patch names two files, `{old}` and `{new}`, and both are there (line {} of the patch); nothing was changed",
        patch.line
    );
    Err(ToolError::new(Code::InvalidArgs, message, TWO_FILES))
}

/// Something stands at this name, or nobody may know: then it is refused as that.
fn is_taken(path: &str, call: &Call) -> bool {
    match call.workspace.resolve_name(path) {
        Ok(path) => path.exists(),
        Err(error) => ToolError::from(error).code == Code::BlockedPath,
    }
}

/// Something stands at this name that everybody may know of.
fn is_there(path: &str, call: &Call) -> bool {
    call.workspace.resolve_name(path).is_ok_and(|path| path.exists())
}
