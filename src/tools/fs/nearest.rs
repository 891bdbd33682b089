//! The entries that one page of a listing takes, of however many there are: those of the upper levels, by name. Pure.

use super::tree::is_after;
use crate::{limits::LISTING_BYTES, relpath::RelPath, workspace::walk::WalkKind};

/// Entries that come in path order and go in the order of a listing.
#[derive(Debug)]
pub(super) struct Nearest<'a> {
    /// Only what comes behind this one.
    cursor: Option<&'a RelPath>,
    limit: usize,
    levels: Vec<Vec<(RelPath, WalkKind)>>,
    /// Levels from this one on take no more: what is there already comes first.
    closed: usize,
    count: usize,
    bytes: usize,
    total: u64,
}

/// What a page is made of.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) entries: Vec<(RelPath, WalkKind)>,
    /// There are more behind them.
    pub(super) is_cut: bool,
    /// How many there are of all pages.
    pub(super) total: u64,
}

impl<'a> Nearest<'a> {
    pub(super) fn new(limit: usize, cursor: Option<&'a RelPath>) -> Self {
        Self { cursor, limit, levels: Vec::new(), closed: usize::MAX, count: 0, bytes: 0, total: 0 }
    }

    /// The next entry of the walk.
    pub(super) fn put(&mut self, path: RelPath, kind: WalkKind) {
        self.total += 1;
        let depth = path.depth();
        if self.cursor.is_some_and(|cursor| !is_after(&path, cursor)) || depth >= self.closed {
            return;
        }
        if self.levels.len() <= depth {
            self.levels.resize_with(depth + 1, Vec::new);
        }
        self.bytes += bytes(&path);
        self.count += 1;
        self.levels[depth].push((path, kind));
        while self.count > self.limit || (self.bytes > LISTING_BYTES && self.count > 1) {
            self.drop_last();
        }
    }

    fn drop_last(&mut self) {
        while let Some(mut level) = self.levels.pop() {
            if let Some((path, _)) = level.pop() {
                self.closed = self.levels.len();
                self.count -= 1;
                self.bytes -= bytes(&path);
                self.levels.push(level);
                return;
            }
        }
    }

    pub(super) fn page(self) -> Page {
        let entries = self.levels.into_iter().flatten().collect();
        Page { entries, is_cut: self.closed < usize::MAX, total: self.total }
    }
}

fn bytes(path: &RelPath) -> usize {
    path.as_path().as_os_str().len()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::from_plain(Path::new(text)).unwrap()
    }

    fn page(paths: &[RelPath], limit: usize, cursor: Option<&RelPath>) -> (Vec<RelPath>, bool) {
        let mut nearest = Nearest::new(limit, cursor);
        for path in paths {
            nearest.put(path.clone(), WalkKind::File);
        }
        let page = nearest.page();
        assert_eq!(page.total, paths.len() as u64);
        (page.entries.into_iter().map(|(path, _)| path).collect(), page.is_cut)
    }

    #[test]
    fn pages_are_those_of_a_listing_of_all() {
        let mut paths: Vec<RelPath> = (0..300)
            .map(|number| {
                path(&format!("{}{}/n{number}", ["", "a/", "b/c/", "d/e/f/"][number % 4], number % 7))
            })
            .collect();
        paths.sort();
        let mut all = paths.clone();
        all.sort_by_key(RelPath::depth);
        for limit in [1, 2, 7, 50, 299, 300, 1000] {
            let (mut paged, mut cursor) = (Vec::<RelPath>::new(), None);
            loop {
                let (entries, is_cut) = page(&paths, limit, cursor.as_ref());
                assert!(entries.len() <= limit);
                paged.extend(entries);
                if !is_cut {
                    break;
                }
                cursor = paged.last().cloned();
            }
            assert_eq!(paged, all, "{limit}");
        }
    }

    #[test]
    fn a_page_of_very_long_paths_has_fewer() {
        let long = "l".repeat(250) + "/";
        let paths: Vec<RelPath> =
            (10_000..13_000).map(|number| path(&format!("{}{number}", long.repeat(15)))).collect();
        let (entries, is_cut) = page(&paths, 100_000, None);
        assert!(is_cut && entries.len() > 2000, "{}", entries.len());
        assert_eq!(entries, paths[..entries.len()]);
    }
}
