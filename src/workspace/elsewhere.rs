//! Looks for a missing name in the other folders of a workspace: a right name in a wrong folder is what is slipped on most.
//!
//! Shallow folders come first, what ignore rules or the law leave out is not looked into, and after a few thousand names it is over:
//! an error must not take longer than what it reports.

use std::{
    cmp::Reverse,
    collections::VecDeque,
    ffi::OsStr,
    time::{Duration, Instant},
};

use super::{
    FileKind, Workspace, handle,
    ignore_rules::{IgnoreRules, RuleFiles},
    nofollow, temporary,
};
use crate::relpath::RelPath;

/// Names that are looked at, of all folders together.
const LOOKED_AT: usize = 5000;

/// How long it may take: a tree may be full of ignore rules, and a disk slow.
const PATIENCE: Duration = Duration::from_millis(500);

/// Where the last name of `missing` stands, those places first whose folders are called most like its own.
pub(super) fn elsewhere(workspace: &Workspace, missing: &RelPath) -> Vec<RelPath> {
    let Some(name) = missing.file_name() else { return Vec::new() };
    let mut looking = Looking {
        workspace,
        name,
        folded: name.to_string_lossy().to_lowercase(),
        left: LOOKED_AT,
        places: Vec::new(),
    };
    let end = Instant::now() + PATIENCE;
    let rules = IgnoreRules::new(workspace.handle(), workspace.root());
    let mut folders = VecDeque::from([(RelPath::root(), rules)]);
    while let Some((folder, rules)) = folders.pop_front()
        && looking.left > 0
        && Instant::now() < end
    {
        looking.look_into(&folder, &rules, &mut folders);
    }
    let mut places = looking.places;
    // What is written just so is meant before what differs in its letters' case.
    places.sort_by_key(|place| {
        let is_same = place.file_name() == Some(name);
        Reverse((is_same, same_folders(place, missing)))
    });
    places
}

/// How many folders are called the same, from the name upwards and from the root downwards.
fn same_folders(one: &RelPath, other: &RelPath) -> usize {
    let [one, other] = [one, other].map(|path| path.parent().unwrap_or_default());
    let in_front = one.as_path().iter().zip(other.as_path());
    let behind = one.as_path().iter().rev().zip(other.as_path().iter().rev());
    let is_same = |(one, other): &(&OsStr, &OsStr)| one == other;
    in_front.take_while(is_same).count() + behind.take_while(is_same).count()
}

struct Looking<'a> {
    workspace: &'a Workspace,
    name: &'a OsStr,
    /// The name in small letters.
    folded: String,
    left: usize,
    places: Vec<RelPath>,
}

impl Looking<'_> {
    fn look_into(
        &mut self,
        folder: &RelPath,
        rules: &IgnoreRules,
        later: &mut VecDeque<(RelPath, IgnoreRules)>,
    ) {
        let root = self.workspace.handle();
        let Ok(open) = nofollow::open_dir(root, folder.as_path()) else { return };
        let (mut files, mut found) = (RuleFiles::default(), Vec::new());
        // What could be read before it failed is looked at as well.
        let _ = handle::read_names(open, |name, kind| {
            files.note(name.as_encoded_bytes());
            let is_name = name == self.name || name.to_string_lossy().to_lowercase() == self.folded;
            if (is_name || kind == FileKind::Folder) && name != ".git" && !temporary::is_one(name) {
                found.push((folder.join(name), kind == FileKind::Folder, is_name));
            }
            self.left = self.left.saturating_sub(1);
            self.left > 0
        });
        found.sort();
        let rules = rules.enter(root, folder.as_path(), files);
        for (path, is_folder, is_name) in found {
            // A hidden folder is looked into by nobody; a hidden name was asked for.
            if rules.skips(path.as_path(), is_folder, !is_name)
                || self.workspace.rules().is_blocked_in_open_folder(&path.to_slashed())
            {
                continue;
            }
            if is_folder {
                later.push_back((path.clone(), rules.clone()));
            }
            if is_name {
                self.places.push(path);
            }
        }
    }
}
