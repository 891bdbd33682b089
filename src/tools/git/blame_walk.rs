//! Which commit each line of a file comes from, found as git finds it: commits one after the other, the youngest first, and each gives
//! what it did not bring itself to its parents, in their order.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, HashSet},
    rc::Rc,
};

use gix::{
    ObjectId,
    bstr::{BStr, BString, ByteSlice},
    objs::{CommitRefIter, FindExt as _},
};

use super::{
    between::plain,
    blame_lines::{Numbers, Same, Version},
    changes::Entry,
    limited::Limited,
    mended::mended,
    renames::{FILES, Renames, pairs},
};
use crate::tools::ToolError;

/// Versions that wait for their turn are kept for so many bytes; others are read again.
const KEPT_BYTES: usize = 64 * 1024 * 1024;

/// Lines that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lines {
    /// The first of them in the file that is asked about, from 0.
    pub(super) line: u32,
    /// The same one where they were looked for last.
    pub(super) at: u32,
    pub(super) count: u32,
}

/// Where lines come from.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) lines: Lines,
    /// `None`: the work tree.
    pub(super) commit: Option<ObjectId>,
    /// The name of the file there.
    pub(super) path: BString,
}

/// Where to begin.
#[derive(Clone, Copy, Debug)]
pub(super) enum Start<'a> {
    Commit(ObjectId),
    /// The file of the work tree, with what it would be committed on top of.
    WorkTree {
        bytes: &'a [u8],
        parents: &'a [ObjectId],
    },
}

/// Where a file stands in a commit.
#[derive(Clone, Debug, Default)]
struct Place {
    /// The folders that lead to it, from the root; empty for the work tree.
    trees: Vec<ObjectId>,
    blob: Option<ObjectId>,
}

/// What a path leads to.
enum Found {
    File(Place),
    /// Nothing, or a folder.
    Nothing,
    /// A link or a submodule: no earlier version of a file, and its name is taken.
    Other,
}

/// A file in a commit, and the lines of it that nobody has answered for yet.
#[derive(Debug)]
struct Origin {
    path: BString,
    place: Place,
    version: Option<Rc<Version>>,
    lines: Vec<Lines>,
}

/// A commit, as far as it counts here.
#[derive(Clone, Debug)]
struct Commit {
    id: ObjectId,
    tree: ObjectId,
    parents: Vec<ObjectId>,
    time: i64,
}

/// A file that an earlier commit has instead.
struct Earlier {
    commit: usize,
    path: BString,
    place: Place,
}

/// The search.
pub(super) struct Blame<'a> {
    reader: &'a gix::Repository,
    limits: &'a Limited<'a>,
    /// Commits whose parents are not there.
    shallow: HashSet<ObjectId>,
    /// The name that a file of the work tree has in a commit, where only the index knows that it was renamed.
    before_index: &'a dyn Fn(ObjectId) -> Result<Option<BString>, ToolError>,
    numbers: Numbers,
    /// By time; of the same time the one that came first.
    waiting: BinaryHeap<(i64, Reverse<u64>, ObjectId)>,
    /// How many ever waited.
    came: u64,
    open: HashMap<ObjectId, (Commit, Vec<Origin>)>,
    /// Bytes of the versions in `open`.
    kept: usize,
    found: Vec<Source>,
    buffer: Vec<u8>,
}

/// Why it ended early.
pub(super) enum Ended {
    Broken(gix::Error),
    Refused(ToolError),
}

impl From<gix::Error> for Ended {
    fn from(error: gix::Error) -> Self {
        Self::Broken(error)
    }
}

impl<'a> Blame<'a> {
    pub(super) fn new(
        reader: &'a gix::Repository,
        limits: &'a Limited<'a>,
        before_index: &'a dyn Fn(ObjectId) -> Result<Option<BString>, ToolError>,
    ) -> gix::Result<Self> {
        let shallow = reader.shallow_commits()?.map(|commits| commits.iter().copied().collect());
        Ok(Self {
            reader,
            limits,
            shallow: shallow.unwrap_or_default(),
            before_index,
            numbers: Numbers::default(),
            waiting: BinaryHeap::new(),
            came: 0,
            open: HashMap::new(),
            kept: 0,
            found: Vec::new(),
            buffer: Vec::new(),
        })
    }

    /// Where `count` lines from `first` on come from, in their order.
    pub(super) fn run(
        mut self,
        (path, start): (&BStr, Start<'_>),
        (first, count): (u32, u32),
    ) -> Result<Vec<Source>, Ended> {
        let lines = vec![Lines { line: first, at: first, count }];
        let mut origin = Origin { path: path.to_owned(), place: Place::default(), version: None, lines };
        match start {
            Start::Commit(id) => {
                let commit = self.commit(id)?;
                if let Found::File(place) = self.look(commit.tree, path, &origin.place)? {
                    origin.place = place;
                }
                self.wait(commit, origin);
            }
            Start::WorkTree { bytes, parents } => {
                let kind = gix::objs::Kind::Blob;
                let blob = gix::objs::compute_hash(gix::hash::Kind::Sha1, kind, bytes);
                origin.place.blob = Some(blob.map_err(gix::Error::from_error)?);
                origin.version = Some(Rc::new(self.numbers.version(bytes.to_vec(), None)));
                let parents = parents.iter().map(|id| self.commit(*id)).collect::<gix::Result<Vec<_>>>()?;
                self.pass_on((None, &parents), origin)?;
            }
        }
        while let Some((_, _, id)) = self.waiting.pop() {
            let Some((commit, origins)) = self.open.remove(&id) else { continue };
            let parents =
                commit.parents.iter().map(|id| self.commit(*id)).collect::<gix::Result<Vec<_>>>()?;
            let sizes = origins.iter().filter_map(|origin| origin.version.as_ref());
            self.kept -= sizes.map(|version| version.size()).sum::<usize>();
            for origin in origins {
                self.pass_on((Some(&commit), &parents), origin)?;
            }
        }
        self.found.sort_by_key(|source| source.lines.line);
        Ok(self.found)
    }

    /// Gives lines of a file to the commits before it; what is left comes from here. `commit` is `None` for the work tree.
    fn pass_on(
        &mut self,
        (commit, parents): (Option<&Commit>, &[Commit]),
        mut origin: Origin,
    ) -> Result<(), Ended> {
        self.limits.check()?;
        self.numbers.tidy();
        let mut earlier: Vec<Option<Earlier>> = Vec::new();
        earlier.resize_with(parents.len(), || None);
        let mut lacks = vec![false; parents.len()];
        for by_content in [false, true] {
            for (index, parent) in parents.iter().enumerate() {
                let found = if by_content {
                    if !lacks[index] {
                        continue;
                    }
                    self.renamed((commit, parent), &origin.path)?
                } else {
                    match self.look(parent.tree, origin.path.as_bstr(), &origin.place)? {
                        Found::File(place) => Some((origin.path.clone(), place)),
                        Found::Other => None,
                        Found::Nothing => {
                            lacks[index] = true;
                            None
                        }
                    }
                };
                let Some((path, place)) = found else { continue };
                if place.blob == origin.place.blob {
                    self.wait(parent.clone(), Origin { path, place, ..origin });
                    return Ok(());
                }
                // What another parent has as well would give nothing more.
                let is_new = earlier.iter().flatten().all(|other| other.place.blob != place.blob);
                earlier[index] = is_new.then_some(Earlier { commit: index, path, place });
            }
        }
        for Earlier { commit, path, place } in earlier.into_iter().flatten() {
            let new = self.version(&origin.place, origin.version.as_ref(), None)?;
            let old = self.version(&place, None, Some(&new))?;
            let same = self.numbers.same(&old, &new);
            origin.version = Some(new);
            let (passed, kept) = divided(&origin.lines, &same);
            if !passed.is_empty() {
                self.wait(parents[commit].clone(), Origin { path, place, version: Some(old), lines: passed });
            }
            origin.lines = kept;
            if origin.lines.is_empty() {
                return Ok(());
            }
        }
        let Origin { path, lines, .. } = origin;
        let id = commit.map(|commit| commit.id);
        self.found.extend(lines.into_iter().map(|lines| Source { lines, commit: id, path: path.clone() }));
        Ok(())
    }

    /// Lets a commit be asked for these lines in its turn.
    fn wait(&mut self, commit: Commit, mut origin: Origin) {
        let id = commit.id;
        let size = origin.version.as_ref().map_or(0, |version| version.size());
        if self.kept + size > KEPT_BYTES {
            origin.version = None;
        }
        let (_, origins) = self.open.entry(id).or_insert_with(|| {
            self.came += 1;
            self.waiting.push((commit.time, Reverse(self.came), id));
            (commit, Vec::new())
        });
        if let Some(other) = origins.iter_mut().find(|other| other.path == origin.path) {
            other.lines.extend(origin.lines);
            if other.version.is_none() && origin.version.is_some() {
                other.version = origin.version;
                self.kept += size;
            }
        } else {
            self.kept += origin.version.as_ref().map_or(0, |_| size);
            origins.push(origin);
        }
    }

    /// Reads a commit: those whose parents are not there have none.
    fn commit(&mut self, id: ObjectId) -> gix::Result<Commit> {
        if let Some((commit, _)) = self.open.get(&id) {
            return Ok(commit.clone());
        }
        let data = self.reader.objects.find(&id, &mut self.buffer)?;
        let bytes = mended(data.data);
        let commit = || CommitRefIter::from_bytes(&bytes, id.kind());
        let parents = if self.shallow.contains(&id) { Vec::new() } else { commit().parent_ids().collect() };
        Ok(Commit { id, tree: commit().tree_id()?, parents, time: commit().committer()?.seconds() })
    }

    /// What `path` leads to below `tree`. Where a folder on the way is that of `like`, all below it is as well.
    fn look(&mut self, mut tree: ObjectId, path: &BStr, like: &Place) -> gix::Result<Found> {
        let mut trees = Vec::with_capacity(like.trees.len());
        let mut names = path.split(|byte| *byte == b'/').peekable();
        while let Some(name) = names.next() {
            if like.trees.get(trees.len()) == Some(&tree) {
                trees.extend_from_slice(&like.trees[trees.len()..]);
                return Ok(Found::File(Place { trees, blob: like.blob }));
            }
            trees.push(tree);
            let data = self.reader.objects.find(&tree, &mut self.buffer)?;
            let found = entry(data.data, name);
            match (found.map(|found| (kind(found.mode), found.id)), names.peek()) {
                (Some((FILE, id)), None) => return Ok(Found::File(Place { trees, blob: Some(id) })),
                (Some((FOLDER, id)), Some(_)) => tree = id,
                (None | Some((FOLDER, _)), None) | (_, Some(_)) => return Ok(Found::Nothing),
                (Some(_), None) => return Ok(Found::Other),
            }
        }
        Ok(Found::Nothing)
    }

    /// The file that `parent` has instead of the one at `path`, which is not there, by their content.
    fn renamed(
        &mut self,
        (commit, parent): (Option<&Commit>, &Commit),
        path: &BString,
    ) -> Result<Option<(BString, Place)>, Ended> {
        let from = match commit {
            None => (self.before_index)(parent.id).map_err(Ended::Refused)?,
            Some(commit) => {
                let (old, new) = (self.reader.find_tree(parent.tree)?, self.reader.find_tree(commit.tree)?);
                let mut list = plain(self.limits, &old, &new)?;
                list.retain(|changed| changed.change == "deleted" || changed.path == *path);
                list.sort_by(|left, right| left.path.cmp(&right.path));
                let how = Renames { limit: FILES, is_exact: false };
                let found = pairs(self.limits, &list, how, &|| self.limits.check())?;
                found.first().map(|(_, from)| list[*from].path.clone())
            }
        };
        let Some(from) = from else { return Ok(None) };
        match self.look(parent.tree, from.as_bstr(), &Place::default())? {
            Found::File(place) => Ok(Some((from, place))),
            Found::Nothing | Found::Other => Ok(None),
        }
    }

    fn version(
        &mut self,
        place: &Place,
        known: Option<&Rc<Version>>,
        like: Option<&Version>,
    ) -> Result<Rc<Version>, Ended> {
        if let Some(known) = known {
            return Ok(self.numbers.renewed(known));
        }
        let mut bytes = Vec::new();
        if let Some(blob) = place.blob {
            self.reader.objects.find_blob(&blob, &mut bytes)?;
        }
        Ok(Rc::new(self.numbers.version(bytes, like)))
    }
}

const FILE: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;

/// What something is, by its mode.
fn kind(mode: u32) -> u32 {
    mode & 0o170_000
}

/// The entry of this name in the bytes of a tree.
fn entry(tree: &[u8], name: &[u8]) -> Option<Entry> {
    const ID: usize = 20;
    let mut rest = tree;
    loop {
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let (mode, after) = rest.split_at(space);
        let end = after.find_byte(0)?;
        let id = after.get(end + 1..=end + ID)?;
        if &after[1..end] == name {
            let mode = std::str::from_utf8(mode).ok().and_then(|mode| u32::from_str_radix(mode, 8).ok())?;
            return Some(Entry { mode, id: ObjectId::from_bytes_or_panic(id) });
        }
        rest = &after[end + 1 + ID..];
    }
}

/// The lines that are also in an earlier version, at their places there, and the others.
fn divided(lines: &[Lines], same: &[Same]) -> (Vec<Lines>, Vec<Lines>) {
    let (mut passed, mut kept) = (Vec::new(), Vec::new());
    for lines in lines {
        let (mut at, end) = (lines.at, lines.at + lines.count);
        let part =
            |from: u32, to: u32, at: u32| Lines { line: lines.line + from - lines.at, at, count: to - from };
        let first = same.partition_point(|same| same.new + same.count <= at);
        for same in same[first..].iter().take_while(|same| same.new < end) {
            let (from, to) = (same.new.max(at), (same.new + same.count).min(end));
            if from > at {
                kept.push(part(at, from, at));
            }
            passed.push(part(from, to, same.old + from - same.new));
            at = to;
        }
        if at < end {
            kept.push(part(at, end, at));
        }
    }
    (passed, kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_divided_where_versions_differ() {
        let lines = |line, at, count| Lines { line, at, count };
        let same = [Same { old: 0, new: 2, count: 3 }, Same { old: 9, new: 8, count: 4 }];
        let (passed, kept) = divided(&[lines(100, 0, 10), lines(50, 3, 1), lines(70, 20, 2)], &same);
        assert_eq!(passed, [lines(102, 0, 3), lines(108, 9, 2), lines(50, 1, 1)]);
        assert_eq!(kept, [lines(100, 0, 2), lines(105, 5, 3), lines(70, 20, 2)]);
    }

    #[test]
    fn an_entry_is_found_by_its_whole_name() {
        let id = [b' '; 20];
        let one = |mode: &str, name: &str| [mode.as_bytes(), b" ", name.as_bytes(), b"\0", &id].concat();
        let tree = [one("100644", "x 100644 b"), one("40000", "a"), one("100755", "b")].concat();
        assert_eq!(entry(&tree, b"b").map(|entry| entry.mode), Some(0o100_755));
        assert_eq!(entry(&tree, b"a").map(|entry| entry.mode), Some(0o040_000));
        assert!(entry(&tree, b"c").is_none());
        for cut in 0..tree.len() {
            let _ = entry(&tree[..cut], b"b");
        }
    }
}
