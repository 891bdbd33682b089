//! Which file that came is one that went: git's own way, step by step, for nothing else finds the pairs that a user's `git` shows.
//!
//! Equal files first, then those that alone bear a name, then each with each; of all pairs that are at least half alike the
//! likest counts.

use std::collections::HashMap;

use gix::{
    bstr::{BStr, ByteSlice},
    objs::{Find, FindHeader},
};

use super::{
    changes::{Changed, Entry},
    side::{LINK, SUBMODULE},
    similarity::{SCORE, Spans, is_text},
};

/// Files that are compared with each other, on each side: git's own number. A repository may ask for fewer.
pub(super) const FILES: usize = 1000;
/// As alike as a pair must be.
const LEAST: u64 = SCORE / 2;
/// As alike as two files must be that alone bear their name.
const LEAST_OF_ONE_NAME: u64 = LEAST + SCORE / 4;
/// For each file that came so many are remembered.
const CANDIDATES: usize = 4;
/// A larger file is compared by its id alone.
const FILE_BYTES: u64 = 64 * 1024 * 1024;
/// All that is read, remembered and compared for it. Where it would be more, equal files and equal names have to do.
const ALL_BYTES: u64 = 1024 * 1024 * 1024;
const ALL_PIECES: usize = 16 * 1024 * 1024;
const ALL_STEPS: usize = 4_000_000_000;
/// Equal files that are looked at for one that came.
const EQUAL: usize = 100;

/// The sections of the configuration that say whether a status looks for renames, the first that says something.
pub(super) const STATUS: &[&str] = &["status", "diff"];
/// The same for a difference.
pub(super) const DIFF: &[&str] = &["diff"];

/// How renames are looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Renames {
    /// Files on each side.
    pub(super) limit: usize,
    /// Only equal files are paired.
    pub(super) is_exact: bool,
}

impl Renames {
    /// As these sections say it, the first that says something; `None` where they are not looked for.
    pub(super) fn configured(reader: &gix::Repository, sections: &[&str]) -> Option<Self> {
        let config = reader.config_snapshot();
        let is_on = sections.iter().find_map(|section| config.boolean(&format!("{section}.renames")));
        let limit = sections.iter().find_map(|section| config.integer(&format!("{section}.renameLimit")));
        let limit = limit.and_then(|limit| usize::try_from(limit).ok()).filter(|limit| *limit > 0);
        (is_on != Some(false)).then(|| Self { limit: limit.unwrap_or(FILES).min(FILES), is_exact: false })
    }
}

/// A file that went or came.
#[derive(Clone, Copy, Debug)]
struct Side<'a> {
    /// Its place in the list.
    at: usize,
    path: &'a BStr,
    entry: Entry,
}

impl Side<'_> {
    /// The last of its names.
    fn name(&self) -> &[u8] {
        self.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
    }

    fn is_regular(&self) -> bool {
        !matches!(self.entry.mode, LINK | SUBMODULE)
    }
}

/// The places in `list` of each file that came and the one that it was, by what the list says that both sides hold. `list` is in
/// path order. `check` fails when it takes too long.
pub(super) fn pairs(
    objects: &(impl Find + FindHeader),
    list: &[Changed],
    how: Renames,
    check: &dyn Fn() -> gix::Result<()>,
) -> gix::Result<Vec<(usize, usize)>> {
    let (mut gone, mut came) = (Vec::new(), Vec::new());
    for (at, changed) in list.iter().enumerate() {
        let path = changed.path.as_bstr();
        match (changed.change, changed.old, changed.new) {
            ("deleted", Some(entry), None) => gone.push(Side { at, path, entry }),
            ("added", None, Some(entry)) => came.push(Side { at, path, entry }),
            _ => {}
        }
    }
    let mut search =
        Search { objects, check, read: 0, held: 0, steps: 0, known: HashMap::new(), found: Vec::new() };
    search.equal(&mut gone, &mut came);
    if !how.is_exact {
        search.of_one_name(&mut gone, &mut came)?;
        if !gone.is_empty() && gone.len() * came.len() <= how.limit * how.limit {
            search.alike(&gone, &came)?;
        }
    }
    Ok(search.found)
}

/// `list` with these pairs as renames; where an element has its change is told by `changed`.
pub(super) fn paired<T>(
    mut list: Vec<T>,
    pairs: &[(usize, usize)],
    changed: impl Fn(&mut T) -> &mut Changed,
) -> Vec<T> {
    let mut went = vec![false; list.len()];
    for (to, from) in pairs {
        let Changed { path, old, .. } = changed(&mut list[*from]).clone();
        let target = changed(&mut list[*to]);
        (target.from, target.old, target.change) = (Some(path), old, "renamed");
        went[*from] = true;
    }
    list.into_iter().zip(went).filter(|(_, went)| !went).map(|(each, _)| each).collect()
}

/// A file that went and one that came, by their places among what is left, and how alike they are.
#[derive(Clone, Copy, Debug)]
struct Pair {
    from: usize,
    to: usize,
    score: u64,
    same_name: bool,
}

impl Pair {
    fn rank(&self) -> (u64, bool) {
        (self.score, self.same_name)
    }
}

/// What is known of a file's content.
#[derive(Debug)]
struct Content {
    size: u64,
    /// `None` before it was read, or where it is not.
    spans: Option<Spans>,
}

struct Search<'a, O> {
    objects: &'a O,
    check: &'a dyn Fn() -> gix::Result<()>,
    /// Bytes that were read.
    read: u64,
    /// Pieces that are remembered, and those that were compared.
    held: usize,
    steps: usize,
    known: HashMap<gix::ObjectId, Content>,
    found: Vec<(usize, usize)>,
}

impl<O: Find + FindHeader> Search<'_, O> {
    /// Pairs what is equal; of several the one that has the same name, else the first.
    fn equal(&mut self, gone: &mut Vec<Side<'_>>, came: &mut Vec<Side<'_>>) {
        let mut by_id: HashMap<gix::ObjectId, Vec<usize>> = HashMap::new();
        for (index, side) in gone.iter().enumerate() {
            by_id.entry(side.entry.id).or_default().push(index);
        }
        let mut used = vec![false; gone.len()];
        came.retain(|target| {
            let fits = |source: &Side<'_>| {
                (source.is_regular() && target.is_regular()) || source.entry.mode == target.entry.mode
            };
            let equal = by_id.get(&target.entry.id).into_iter().flatten().copied();
            let free: Vec<usize> =
                equal.filter(|index| fits(&gone[*index]) && !used[*index]).take(EQUAL).collect();
            let named = free.iter().find(|index| gone[**index].name() == target.name());
            let Some(source) = named.or(free.first()) else { return true };
            used[*source] = true;
            self.found.push((target.at, gone[*source].at));
            false
        });
        forget(gone, &used);
    }

    /// Pairs what alone bears a name on each side.
    fn of_one_name(&mut self, gone: &mut Vec<Side<'_>>, came: &mut Vec<Side<'_>>) -> gix::Result<()> {
        let (sources, targets) = (alone(gone), alone(came));
        let (mut used, mut met) = (vec![false; gone.len()], vec![false; came.len()]);
        for (index, source) in gone.iter().enumerate() {
            let name = source.name();
            let (Some(Some(_)), Some(Some(target))) = (sources.get(name), targets.get(name)) else {
                continue;
            };
            if self.score(source, &came[*target])? >= LEAST_OF_ONE_NAME {
                (used[index], met[*target]) = (true, true);
                self.found.push((came[*target].at, source.at));
            }
        }
        forget(gone, &used);
        forget(came, &met);
        Ok(())
    }

    /// Pairs the likest of all.
    fn alike(&mut self, gone: &[Side<'_>], came: &[Side<'_>]) -> gix::Result<()> {
        let mut pairs = Vec::new();
        for (to, target) in came.iter().enumerate() {
            (self.check)()?;
            let mut best: [Option<Pair>; CANDIDATES] = [None; CANDIDATES];
            for (from, source) in gone.iter().enumerate() {
                let score = self.score(source, target)?;
                let pair = Pair { from, to, score, same_name: source.name() == target.name() };
                keep(&mut best, pair);
                if self.is_spent() {
                    return Ok(());
                }
            }
            pairs.extend(best.into_iter().flatten().filter(|pair| pair.score >= LEAST));
        }
        // What is equally alike stays in its order.
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.rank()));
        let (mut used, mut met) = (vec![false; gone.len()], vec![false; came.len()]);
        for Pair { from, to, .. } in pairs {
            if !used[from] && !met[to] {
                (used[from], met[to]) = (true, true);
                self.found.push((came[to].at, gone[from].at));
            }
        }
        Ok(())
    }

    /// How alike they are; zero for what cannot be half alike by its size alone.
    fn score(&mut self, source: &Side<'_>, target: &Side<'_>) -> gix::Result<u64> {
        if !source.is_regular() || !target.is_regular() {
            return Ok(0);
        }
        let (old, new) = (self.size(source)?, self.size(target)?);
        let (larger, smaller) = (old.max(new), old.min(new));
        if larger > FILE_BYTES || larger * (SCORE - LEAST) < (larger - smaller) * SCORE {
            return Ok(0);
        }
        self.read(source.entry.id)?;
        self.read(target.entry.id)?;
        let spans = |side: &Side<'_>| self.known.get(&side.entry.id).and_then(|known| known.spans.as_ref());
        let (Some(old), Some(new)) = (spans(source), spans(target)) else { return Ok(0) };
        self.steps += old.count() + new.count();
        Ok(old.score(new))
    }

    fn is_spent(&self) -> bool {
        self.read > ALL_BYTES || self.held > ALL_PIECES || self.steps > ALL_STEPS
    }

    fn size(&mut self, side: &Side<'_>) -> gix::Result<u64> {
        let id = side.entry.id;
        if let Some(known) = self.known.get(&id) {
            return Ok(known.size);
        }
        let size = self.objects.try_header(&id)?.map_or(0, |header| header.size);
        self.known.insert(id, Content { size, spans: None });
        Ok(size)
    }

    fn read(&mut self, id: gix::ObjectId) -> gix::Result<()> {
        if self.is_spent() || self.known.get(&id).is_none_or(|known| known.spans.is_some()) {
            return Ok(());
        }
        let mut buffer = Vec::new();
        if let Some(object) = self.objects.try_find(&id, &mut buffer)? {
            let (size, spans) = (object.data.len() as u64, Spans::of(object.data, is_text(object.data)));
            self.read += size;
            self.held += spans.count();
            self.known.insert(id, Content { size, spans: Some(spans) });
        }
        Ok(())
    }
}

/// Puts the pair in the place of the worst one, where it is better.
fn keep(best: &mut [Option<Pair>; CANDIDATES], pair: Pair) {
    let mut worst = 0;
    for index in 1..CANDIDATES {
        let is_worse = match (&best[index], &best[worst]) {
            (None, Some(_)) => true,
            (Some(this), Some(other)) => this.rank() < other.rank(),
            (_, None) => false,
        };
        if is_worse {
            worst = index;
        }
    }
    if best[worst].is_none_or(|other| other.rank() < pair.rank()) {
        best[worst] = Some(pair);
    }
}

/// Each name with the place of the one that bears it; `None` for several.
fn alone<'a>(sides: &[Side<'a>]) -> HashMap<&'a [u8], Option<usize>> {
    let mut found: HashMap<&[u8], Option<usize>> = HashMap::new();
    for (index, side) in sides.iter().enumerate() {
        let name = side.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        found.entry(name).and_modify(|place| *place = None).or_insert(Some(index));
    }
    found
}

fn forget(sides: &mut Vec<Side<'_>>, gone: &[bool]) {
    let mut gone = gone.iter();
    sides.retain(|_| gone.next() == Some(&false));
}
