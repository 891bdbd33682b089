//! The bytes that an undo needs and those that it would take away: kept by the journal, or standing in the workspace under a name that
//! goes. What is in neither place stays where it is, whatever is asked for: an undo that cannot be taken back is none.

use crate::{
    change::{Node, PathChange, is_below, is_same},
    ids::Etag,
    journal::{Image, Journal, JournalError},
    policy::PathClass,
    server::undo_plan::Step,
    workspace::{DoorError, Workspace, restore::Content},
};

/// Why nothing goes where something else stands than a moment ago.
pub(super) const CHANGED: &str = "it has changed meanwhile";

/// What is to be kept before a change.
#[derive(Debug, Default)]
pub struct Images {
    /// What the journal has room for.
    pub images: Vec<Image>,
    /// Why the bytes of a file could not be read, where there are any.
    pub unread: Option<DoorError>,
    /// Where something else stands by now than was seen.
    pub changed: Vec<String>,
}

/// The bytes that these changes are about to replace or remove, as far as the journal has room for them.
pub fn images<'c>(
    journal: &Journal,
    workspace: &Workspace,
    changes: impl IntoIterator<Item = &'c PathChange>,
) -> Result<Images, JournalError> {
    let Images { mut images, mut unread, mut changed } = Images::default();
    let mut room = journal.image_room();
    for change in changes {
        let Some(Node::File { etag, bytes, .. }) = &change.before else { continue };
        // Also where only the permissions change: somebody else may change the content later in the turn.
        if *bytes == 0 || *bytes > room || images.iter().any(|image| image.etag == *etag) {
            continue;
        }
        match workspace.content(&change.path, *bytes) {
            Ok(content) if Etag::of(&content) == *etag => {
                room -= *bytes;
                images.push(Image { etag: etag.clone(), content });
            }
            Err(error @ DoorError::Io { .. }) => unread = Some(error),
            // What is something else by now makes the call itself fail as stale; it needs no image.
            _ => changed.push(change.path.clone()),
        }
    }
    Ok(Images { images, unread, changed })
}

/// The file that the change puts somewhere, where its bytes are not there already.
fn comes(change: &PathChange) -> Option<(&Etag, u64)> {
    let Some(Node::File { etag, bytes, .. }) = &change.after else { return None };
    let there = matches!(&change.before, Some(Node::File { etag: there, .. }) if there == etag);
    (*bytes > 0 && !there).then_some((etag, *bytes))
}

/// The file whose bytes the change takes away.
fn goes(change: &PathChange) -> Option<(&Etag, u64)> {
    let Some(Node::File { etag, bytes, .. }) = &change.before else { return None };
    let stays = matches!(&change.after, Some(Node::File { etag: after, .. }) if after == etag);
    (*bytes > 0 && !stays).then_some((etag, *bytes))
}

/// The bytes that `to` needs stand where `from` takes them away: the way back of a move.
fn is_moved(from: &PathChange, to: &PathChange) -> bool {
    let same = matches!((goes(from), comes(to)), (Some((one, _)), Some((other, _))) if one == other);
    // What is in a folder goes before something else takes its place, and comes after it is a folder.
    let is_around = |folder: &PathChange, node: Option<&Node>, other: &PathChange| {
        matches!(node, Some(Node::Folder { .. })) && is_below(&other.path, &folder.path)
    };
    same && from.path != to.path
        && !is_around(from, from.after.as_ref(), to)
        && !is_around(to, to.before.as_ref(), from)
}

/// Whether the bytes that a change takes away stand where the same calls had put them or taken them from as well: the other half of a
/// move, made before. What other changes take away does not count.
fn stands_elsewhere<'c>(
    journal: &Journal,
    workspace: &Workspace,
    change: &PathChange,
    calls: &[String],
    others: impl Iterator<Item = &'c PathChange> + Clone,
) -> Result<bool, JournalError> {
    let Some((etag, _)) = goes(change) else { return Ok(false) };
    let is_it = |node: Option<&Node>| matches!(node, Some(Node::File { etag: there, .. }) if there == etag);
    let places = journal.changes_of(calls, workspace.id())?;
    Ok(places.iter().any(|place| {
        place.path != change.path
            && (is_it(place.before.as_ref()) || is_it(place.after.as_ref()))
            && !others.clone().any(|other| other.path == place.path && goes(other).is_some())
            && workspace.node(&place.path).is_ok_and(|now| is_it(now.as_ref()))
    }))
}

/// Where the bytes of a copy stand all the same: in the file that it was made of.
fn original<'c>(
    workspace: &Workspace,
    change: &'c PathChange,
    file: Option<(&Etag, u64)>,
) -> Option<&'c str> {
    let (path, (etag, _)) = (change.copied_from.as_deref()?, file?);
    let is_there =
        || matches!(workspace.node(path), Ok(Some(Node::File { etag: there, .. })) if there == *etag);
    (workspace.rules().classify(path) != PathClass::Blocked && is_there()).then_some(path)
}

/// What is to come back and is nowhere to be had does not, and nothing goes that could never come back. What somebody saved a moment
/// ago is in the way of its own path alone.
pub(in crate::server) fn hold_fast(
    journal: &Journal,
    workspace: &Workspace,
    Images { images, changed, .. }: &Images,
    (calls, steps): (&[String], &mut Vec<Step>),
) -> Result<(), JournalError> {
    let mut needs = vec![false; steps.len()];
    let mut leaves = vec![false; steps.len()];
    for (at, step) in steps.iter().enumerate() {
        // What the other steps leave alone.
        let stays = |path: &str| {
            !steps.iter().any(|other| is_same(&other.change.path, path) && goes(&other.change).is_some())
        };
        let has_original =
            |file: Option<(&Etag, u64)>| original(workspace, &step.change, file).is_some_and(stays);
        let (comes, goes) = (comes(&step.change), goes(&step.change));
        needs[at] = !kept(journal, &[], comes)? && !has_original(comes);
        let others = steps.iter().map(|step| &step.change);
        leaves[at] = !kept(journal, images, goes)?
            && !has_original(goes)
            && !stands_elsewhere(journal, workspace, &step.change, calls, others)?;
    }
    for (step, leaves) in steps.iter_mut().zip(&mut leaves) {
        if *leaves && changed.contains(&step.change.path) {
            step.conflict.get_or_insert_with(|| CHANGED.to_owned());
            *leaves = false;
        }
    }
    // One that stays may have been what another one waits for.
    loop {
        let mut settled = true;
        for at in 0..steps.len() {
            let step = &steps[at];
            if step.hopeless || !(needs[at] || leaves[at]) {
                continue;
            }
            // Of two that wait for each other's bytes none could be first.
            let others = |waiting: bool| {
                let free = steps.iter().zip(&needs).filter(move |(_, needs)| waiting || !**needs);
                free.map(|(other, _)| other).filter(|other| other.conflict.is_none())
            };
            let why = if needs[at] && !others(false).any(|other| is_moved(&other.change, &step.change)) {
                let bytes = comes(&step.change).map_or(0, |(_, bytes)| bytes);
                let since = step.conflict.as_ref().map(|why| format!("{why}, and ")).unwrap_or_default();
                Some(format!("{since}its {bytes} bytes of then are no longer kept"))
            } else if leaves[at]
                && (needs[at] || !others(true).any(|other| is_moved(&step.change, &other.change)))
            {
                let bytes = goes(&step.change).map_or(0, |(_, bytes)| bytes);
                let since = step.conflict.as_ref().map(|why| format!("{why}, and ")).unwrap_or_default();
                Some(format!("{since}its {bytes} bytes are too many to be kept: they would be gone for good"))
            } else {
                None
            };
            if why.is_some() {
                let step = &mut steps[at];
                (step.conflict, step.hopeless) = (why, true);
                settled = false;
            }
        }
        if settled {
            let order = order(steps, &needs, &leaves);
            let mut places: Vec<Option<Step>> = steps.drain(..).map(Some).collect();
            steps.extend(order.into_iter().filter_map(|at| places[at].take()));
            return Ok(());
        }
    }
}

/// What comes from another place is there before that place gets something else.
fn order(steps: &[Step], needs: &[bool], leaves: &[bool]) -> Vec<usize> {
    let is_folder = |node: &Option<Node>| matches!(node, Some(Node::Folder { .. }));
    let paths = |which: &dyn Fn(usize, &PathChange) -> bool| -> Vec<String> {
        let steps = steps.iter().map(|step| &step.change).enumerate();
        steps.filter(|(at, change)| which(*at, change)).map(|(_, change)| change.path.clone()).collect()
    };
    // Folders in the place of bytes that something else needs first, and files in that of a folder which has to be empty first.
    let late = paths(&|at, change| leaves[at] && is_folder(&change.after));
    let hollow = paths(&|at, change| needs[at] && is_folder(&change.before));
    let is_at =
        |places: &[String], path: &str| places.iter().any(|place| place == path || is_below(path, place));
    let mut order: Vec<usize> = (0..steps.len()).collect();
    order.sort_by_key(|&at| {
        let change = &steps[at].change;
        let is_late = is_at(&late, &change.path);
        match (is_folder(&change.after), needs[at], is_at(&hollow, &change.path)) {
            (true, ..) if !is_late => 0,
            (_, true, false) if !is_late => 1,
            (true, ..) => 2,
            (_, true, false) => 3,
            (_, false, true) => 4,
            (_, true, true) => 5,
            (_, false, false) => 6,
        }
    });
    order
}

fn kept(journal: &Journal, images: &[Image], file: Option<(&Etag, u64)>) -> Result<bool, JournalError> {
    let Some((etag, _)) = file else { return Ok(true) };
    Ok(images.iter().any(|image| image.etag == *etag) || journal.has_image(etag)?)
}

/// The bytes of a file that is put back: those that were kept, those that stand there, where only its permissions change, or those of
/// the file that is on its way back, or of which it is a copy.
pub(in crate::server) fn content_of(
    journal: &Journal,
    workspace: &Workspace,
    change: &PathChange,
    changes: &[&PathChange],
) -> Result<Option<Content>, JournalError> {
    let Some(Node::File { etag, bytes, .. }) = &change.after else { return Ok(None) };
    if *bytes == 0 {
        return Ok(Some(Content::Bytes(Vec::new())));
    }
    if let Some(kept) = journal.image(etag)? {
        return Ok(Some(Content::Bytes(kept)));
    }
    let moved = changes.iter().filter(|from| is_moved(from, change)).map(|from| from.path.as_str());
    let copied = original(workspace, change, comes(change));
    let mut places = moved.chain(copied).chain([change.path.as_str()]);
    Ok(places.find_map(|path| workspace.content_to_copy(path, etag).ok()))
}

/// Whether the change would take away bytes that stand nowhere else and are not kept.
pub(in crate::server) fn is_last_of_them(
    journal: &Journal,
    workspace: &Workspace,
    change: &PathChange,
    (calls, changes): (&[String], &[&PathChange]),
) -> Result<bool, JournalError> {
    if kept(journal, &[], goes(change))? || original(workspace, change, goes(change)).is_some() {
        return Ok(false);
    }
    let mut moved = changes.iter().filter(|to| is_moved(change, to));
    if moved.any(|to| workspace.node(&to.path).is_ok_and(|now| Node::same(now.as_ref(), to.after.as_ref()))) {
        return Ok(false);
    }
    Ok(!stands_elsewhere(journal, workspace, change, calls, changes.iter().copied())?)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        config::{Config, Place, WorkspaceEntry},
        policy::Law,
    };

    #[test]
    fn what_was_saved_a_moment_ago_is_in_the_way_of_its_own_path_alone() {
        let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = root.path().canonicalize().unwrap();
        let entry = WorkspaceEntry {
            id: "ws".into(),
            path: root.clone(),
            read_only: false,
            closed_by: None,
            place: Place::default(),
        };
        let law = Law::new(&Config::default()).unwrap();
        let workspace = Workspace::open(&entry, Arc::new(law.paths().clone())).unwrap();
        let journal = Journal::new(state.path().to_path_buf());
        let mut steps = Vec::new();
        for name in ["saved", "grown", "same"] {
            std::fs::write(root.join(name), "then\n").unwrap();
            let before = workspace.node(name).unwrap();
            let change = PathChange { path: name.to_owned(), before, after: None, copied_from: None };
            steps.push(Step { change, conflict: None, hopeless: false, foreign: false });
        }
        std::fs::write(root.join("saved"), "now!\n").unwrap();
        std::fs::write(root.join("grown"), "then\nand more\n").unwrap();
        let found = images(&journal, &workspace, steps.iter().take(2).map(|step| &step.change)).unwrap();
        assert_eq!(
            (found.images.len(), found.changed.as_slice()),
            (0, &["saved", "grown"].map(str::to_owned)[..])
        );
        hold_fast(&journal, &workspace, &found, (&[], &mut steps)).unwrap();
        let told = |name: &str| {
            let step = steps.iter().find(|step| step.change.path == name).unwrap();
            (step.conflict.as_deref(), step.hopeless)
        };
        assert_eq!(told("saved"), (Some(CHANGED), false));
        assert_eq!(told("grown"), (Some(CHANGED), false));
        // What was not kept for another reason stays.
        let why = "its 5 bytes are too many to be kept: they would be gone for good";
        assert_eq!(told("same"), (Some(why), true));
    }
}
