//! A file that a unified diff calls by several names: all readings of them. Which is meant is told by what stands there. Pure.

use std::collections::BTreeSet;

use super::{Action, FilePatch, names::below};

/// A name that a file of a patch may be meant by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Where in the patch it stands.
    pub side: Side,
    /// Relative to the workspace.
    pub path: String,
}

/// Where in a patch a name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Behind `+++`.
    New,
    /// Behind `---`.
    Old,
    /// Behind the first folders of both, where these say only what was compared.
    Inner,
}

/// First folders of the old and the new name of one file, with whether they stand behind a prefix: git compares two folders as `a/old/f`
/// and `b/new/f`.
pub(super) type Folders = BTreeSet<(bool, String, String)>;

impl Named {
    pub(super) fn new(side: Side, path: impl Into<String>) -> Self {
        Self { side, path: path.into() }
    }
}

impl FilePatch {
    /// What stands in front of the old and the new name, where that may be no folder: files with the same lie in one place.
    pub fn fronts(&self) -> Option<(Option<String>, Option<String>)> {
        let path = |side: Side| self.or.iter().find(|named| named.side == side).map(|named| &named.path);
        let inner = path(Side::Inner)?;
        let front = |side: Side| Some(path(side)?.strip_suffix(inner.as_str())?.to_owned());
        Some((front(Side::Old), front(Side::New)))
    }

    /// The name that it has by this reading.
    pub fn called(&self, side: Side) -> Option<&str> {
        self.or.iter().find(|named| named.side == side).map(|named| named.path.as_str())
    }
}

/// What a file is called whose two names differ though nothing says that it gets another: by which of them it is known here, the
/// likelier first. `None` where they are names of two files.
pub(super) fn one_of(old: &str, new: &str) -> Option<Vec<Named>> {
    let both = |likely: Side| {
        let mut names = vec![Named::new(Side::New, new), Named::new(Side::Old, old)];
        names.sort_by_key(|named| named.side != likely);
        Some(names)
    };
    // One side alone has something in front.
    if old == below(new) {
        return Some(vec![Named::new(Side::Inner, old), Named::new(Side::New, new)]);
    }
    if below(old) == new {
        return Some(vec![Named::new(Side::Inner, new), Named::new(Side::Old, old)]);
    }
    // As with `a/` and `b/`, whatever the two are called; but what stands at a name as it is written is no other file.
    if below(old) == below(new) {
        let mut names = both(Side::New)?;
        names.push(Named::new(Side::Inner, below(new)));
        return Some(names);
    }
    if is_kept(old, new) || is_kept(old, below(new)) {
        return both(Side::New);
    }
    None
}

/// The first is a version of the second that was put aside.
pub fn is_kept(long: &str, short: &str) -> bool {
    const KEPT: [&str; 5] = [".orig", ".old", ".bak", ".rej", "~"];
    long.strip_prefix(short).is_some_and(|rest| KEPT.contains(&rest))
}

/// What is known of a file with one name alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lone {
    /// Its name stands behind a prefix.
    pub(super) behind: bool,
    /// A program that compares folders wrote it.
    pub(super) compared: bool,
}

/// A file with one name alone, of which nothing tells what stands in front of it: where the names of other files of the patch differ in
/// their first folders, these may be no folders here either.
pub(super) fn read_as_others(patch: &mut FilePatch, lone: Lone, pairs: &Folders) {
    let is_new = matches!(patch.action, Action::Add { .. });
    let (folder, inner) = patch.path.split_at(patch.path.find('/').map_or(0, |at| at + 1));
    if inner.is_empty() {
        return;
    }
    let is_its = |(also_behind, old, new): &&(bool, String, String)| {
        *also_behind == lone.behind && folder == if is_new { new } else { old }
    };
    let Some((_, old, new)) = pairs.iter().find(is_its) else { return };
    let inner = inner.to_owned();
    patch.or = vec![
        Named::new(Side::New, format!("{new}{inner}")),
        Named::new(Side::Old, format!("{old}{inner}")),
        Named::new(Side::Inner, inner.clone()),
    ];
    patch.compared = lone.compared || are_versions(old, new);
    patch.path = inner;
}

/// Two folders, one of which is called after the other: `p/` and `p.new/`.
fn are_versions(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim_end_matches('/'), other.trim_end_matches('/'));
    let is_after = |long: &str, short: &str| {
        long.strip_prefix(short).is_some_and(|rest| rest.starts_with(|sign: char| !sign.is_alphanumeric()))
    };
    is_after(one, other) || is_after(other, one)
}
