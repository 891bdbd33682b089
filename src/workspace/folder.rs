//! One folder of a walk: its entries in order, without what the law and the ignore rules leave out.
//!
//! Cheap questions come first: a name nobody wants is dropped before a rule is asked or a byte is allocated for it. Never follows
//! a link: the folder is opened below the root with links refused, and its entries are told by what they are themselves.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use cap_std::fs::Dir;

use super::{
    handle,
    ignore_rules::{IgnoreRules, RuleFiles, is_hidden},
    nofollow,
    walk::{LeftOut, WalkCounts, WalkEntry, WalkKind, WalkOptions, Wanted},
    walk_ahead::Slot,
};
use crate::{policy::PathRules, relpath::RelPath};

/// What decides which entries of a folder are seen; the same for all folders of a walk.
#[derive(Clone, Copy)]
pub(super) struct Lister<'a> {
    pub(super) root: &'a Dir,
    pub(super) law: &'a PathRules,
    pub(super) options: WalkOptions,
    pub(super) wanted: Option<&'a Wanted<'a>>,
}

/// A folder that can be listed.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    pub(super) path: PathBuf,
    /// Levels below the start; the start itself is 0.
    pub(super) depth: usize,
    /// The rules of the folders above it.
    pub(super) rules: IgnoreRules,
}

/// An entry that was let through.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) entry: WalkEntry,
    /// Wanted itself; else only what lies in it may be.
    pub(super) wanted: bool,
    /// To be walked as well.
    pub(super) inner: Option<Arc<Slot>>,
}

/// A folder that was listed.
#[derive(Debug, Default)]
pub(super) struct Listed {
    /// In the order of their names' bytes.
    pub(super) items: Vec<Item>,
    pub(super) counts: WalkCounts,
    /// The first entries that were left out by ignore rules or as hidden.
    pub(super) left_out: Vec<LeftOut>,
}

/// The names of a folder, one after the other in one piece of memory.
#[derive(Default)]
struct Names {
    bytes: Vec<u8>,
    entries: Vec<(usize, usize, WalkKind)>,
    rule_files: RuleFiles,
    /// There is a `.git`, which is never an entry of a walk.
    has_git: bool,
}

impl Names {
    fn read(folder: Dir) -> io::Result<Self> {
        let mut names = Self::default();
        handle::read_names(folder, |name, kind| {
            let name = handle::bytes_of(name);
            names.rule_files.note(name);
            if name == b".git" {
                names.has_git = true;
            } else {
                let start = names.bytes.len();
                names.bytes.extend_from_slice(name);
                names.entries.push((start, names.bytes.len(), WalkKind::of(kind)));
            }
            true
        })?;
        let bytes = &names.bytes;
        names.entries.sort_unstable_by(|left, right| bytes[left.0..left.1].cmp(&bytes[right.0..right.1]));
        Ok(names)
    }

    fn iter(&self) -> impl Iterator<Item = (&OsStr, WalkKind)> {
        self.entries.iter().map(|&(start, end, kind)| (handle::name_from(&self.bytes[start..end]), kind))
    }
}

impl Lister<'_> {
    /// Lists `folder`.
    pub(super) fn list(&self, folder: &Folder) -> io::Result<Listed> {
        let names = Names::read(nofollow::open_dir(self.root, &folder.path)?)?;
        let rules = folder.rules.enter(self.root, &folder.path, names.rule_files);
        let mut listed = Listed::default();
        listed.counts.git = u64::from(names.has_git);
        // Both are built up once and cut back after each name.
        let mut path = folder.path.clone();
        let mut slashed = RelPath::listed_unchecked(&folder.path).to_slashed();
        if !slashed.is_empty() {
            slashed.push('/');
        }
        let above = slashed.len();
        for (name, kind) in names.iter() {
            path.push(name);
            let wanted = self.wanted.is_none_or(|wanted| wanted(&path, kind));
            if wanted || kind == WalkKind::Dir {
                slashed.push_str(&name.to_string_lossy());
                if self.lets_through(&path, &slashed, kind, &rules, &mut listed) {
                    listed.items.push(self.item(&path, kind, wanted, folder, &rules));
                }
                slashed.truncate(above);
            }
            path.pop();
        }
        Ok(listed)
    }

    /// Asks the rules, then the law; counts what they leave out.
    fn lets_through(
        &self,
        path: &Path,
        slashed: &str,
        kind: WalkKind,
        rules: &IgnoreRules,
        listed: &mut Listed,
    ) -> bool {
        let skipped = if self.options.ignored {
            !self.options.hidden && is_hidden(path)
        } else {
            rules.skips(path, kind == WalkKind::Dir, !self.options.hidden)
        };
        if skipped {
            listed.counts.ignored += 1;
            if listed.left_out.len() < LeftOut::KEPT && !self.law.is_blocked_in_open_folder(slashed) {
                listed.left_out.push(LeftOut { path: path.to_path_buf(), is_dir: kind == WalkKind::Dir });
            }
            return false;
        }
        let blocked = self.law.is_blocked_in_open_folder(slashed);
        listed.counts.blocked += u64::from(blocked);
        !blocked
    }

    fn item(&self, path: &Path, kind: WalkKind, wanted: bool, folder: &Folder, rules: &IgnoreRules) -> Item {
        let depth = folder.depth + 1;
        let inner = (kind == WalkKind::Dir && depth < self.options.max_depth)
            .then(|| Slot::new(Folder { path: path.to_path_buf(), depth, rules: rules.clone() }));
        Item { entry: WalkEntry { path: RelPath::listed_unchecked(path), kind }, wanted, inner }
    }
}
