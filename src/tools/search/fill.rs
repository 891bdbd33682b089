//! The lines of an answer that there was no room for while many files were searched at once: those files are searched again, one
//! after the other, and only as far as the answer goes.

use super::{gathering::Found, hits::FileHits, room::Room, scan::Job, stop::Stop};
use crate::relpath::RelPath;

impl Job<'_> {
    /// Finds the lines that are lacking.
    pub(super) fn fill(&self, found: &mut Found, stop: &Stop) {
        let (mut before, mut bytes) = (found.passed, 0);
        for index in 0..found.files.len() {
            if bytes >= self.page_bytes {
                return found.end_before(index);
            }
            let (path, hits) = &mut found.files[index];
            let matches = hits.matches as usize;
            if hits.unkept {
                let skip = self.offset.saturating_sub(before);
                let Some(again) = self.again(path, skip, self.page_bytes - bytes, stop) else {
                    // Time is up, and what comes behind is not the beginning of the order any more.
                    found.files.truncate(index);
                    (found.enough, found.complete) = (false, false);
                    return;
                };
                *hits = again;
                if hits.cut {
                    return found.end_before(index + 1);
                }
            }
            bytes += hits.bytes;
            before += matches;
        }
    }

    /// Searches a file again; `None` where time is up. It may have changed, and not match any more.
    fn again(&self, path: &RelPath, skip: usize, most_bytes: usize, stop: &Stop) -> Option<FileHits> {
        let job = Self { offset: 0, skip, most_bytes, room: Room::endless(), ..self.clone() };
        let mut found = job.search_one(path.clone(), stop);
        // A file that has more than is wanted of it says that it is enough, and time is not up.
        let is_over = found.complete || found.enough;
        is_over.then(|| found.files.pop().map(|(_, hits)| hits).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use cap_std::{ambient_authority, fs::Dir};

    use super::*;
    use crate::{
        cancel::Cancel,
        tools::search::{
            answer::cut_lines,
            hits::{Line, Wanted},
            pattern::{Case, Pattern},
        },
    };

    /// However little room there is, page by page every match is found once, in the order of the files.
    #[test]
    fn pages_of_any_size_have_everything_once() {
        let temp = tempfile::tempdir().unwrap();
        let counts = [1, 0, 400, 3, 3, 0, 1, 900, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 300, 1];
        let names: Vec<String> = (0..counts.len()).map(|number| format!("f{number:02}")).collect();
        for (name, count) in names.iter().zip(counts) {
            std::fs::write(temp.path().join(name), "needle in a line\nx\ny\nz\n".repeat(count)).unwrap();
        }
        let lines = |(name, count): (&String, usize)| -> Vec<(String, u64)> {
            (0..count as u64).map(|index| (name.clone(), 4 * index + 1)).collect()
        };
        let all: Vec<(String, u64)> = names.iter().zip(counts).flat_map(lines).collect();
        let root = Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap();
        let text = "needle".to_owned();
        let pattern = Pattern { text, literal: false, case: Case::Smart, word: false, multiline: false };
        let matcher = pattern.matcher().unwrap();
        for (page_bytes, limit, context) in [
            (1 << 24, 10_000, 0),
            (100_000, 10_000, 1),
            (20_000, 10_000, 0),
            (20_000, 300, 2),
            (5_000, 10_000, 0),
            (1_500, 9, 1),
        ] {
            let (mut paged, mut offset) = (Vec::new(), 0);
            loop {
                let (job, stop) = (
                    Job {
                        root: &root,
                        pattern: &pattern,
                        matcher: &matcher,
                        is_plain: true,
                        wanted: Wanted::Lines(offset + limit + 1),
                        context,
                        kept: None,
                        largest: u64::MAX,
                        offset,
                        enough: offset + limit + 1,
                        skip: 0,
                        most_bytes: if offset == 0 { page_bytes } else { usize::MAX },
                        page_bytes,
                        room: Room::of_page(page_bytes),
                    },
                    || Stop::with_deadline(&Cancel::new(), Duration::from_mins(1)),
                );
                let mut files = names.iter().map(|name| RelPath::root().join(name));
                let mut found = job.search(&mut files, &stop());
                job.fill(&mut found, &stop());
                let shown = cut_lines(&mut found, &(offset..offset + limit), context as u64, page_bytes);
                let kept: usize = found.files.iter().map(|(_, hits)| hits.bytes).sum();
                for (path, hits) in &found.files {
                    for line in &hits.lines {
                        match line {
                            Line::Match { number, .. } => paged.push((path.to_string(), *number)),
                            other => assert!(context > 0, "{other:?}"),
                        }
                    }
                }
                assert!(kept <= 4 * page_bytes + 64 * 1024, "{kept} of {page_bytes}");
                assert!(shown > 0, "{page_bytes}, {limit}: nothing behind {offset}");
                offset += shown;
                if !found.enough {
                    assert!(found.complete);
                    break;
                }
            }
            assert_eq!(paged, all, "{page_bytes}, {limit}");
        }
    }
}
