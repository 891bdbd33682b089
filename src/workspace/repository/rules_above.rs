//! Files of rules in folders that lie in each other.
//!
//! The libraries hold those of a folder and of all above it at once, so what they may come to is what they come to together: a
//! thousand that are small each are more than one that is refused.

use super::rules::{MOST_BYTES, PLAIN_BYTES, WORDS};

/// The folders around a place, each in the one before it, and their files of rules.
#[derive(Debug)]
pub(super) struct Chain<File> {
    /// The innermost of them.
    at: Vec<u8>,
    levels: Vec<Level<File>>,
}

#[derive(Debug)]
struct Level<File> {
    /// Where its path ends in the innermost one's.
    end: usize,
    file: Option<File>,
    /// Together with those above it.
    bytes: u64,
    /// The same, once they were counted.
    words: Option<usize>,
}

/// What is too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TooMuch {
    Bytes(u64),
    Words,
}

impl<File> Chain<File> {
    pub(super) fn new() -> Self {
        Self { at: Vec::new(), levels: Vec::new() }
    }

    /// Comes to a folder: those that it does not lie in are left.
    pub(super) fn leave(&mut self, folder: &[u8]) {
        while self.levels.last().is_some_and(|level| !holds(&self.at[..level.end], folder)) {
            self.levels.pop();
        }
    }

    /// How deep the innermost folder lies; none is 0, and the first of all is 1.
    pub(super) fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Goes into a folder of the innermost one.
    pub(super) fn push(&mut self, folder: &[u8], file: Option<(File, u64)>) {
        let above = self.levels.last();
        let (end, bytes) = above.map_or((0, 0), |level| (level.end, level.bytes));
        self.at.truncate(end);
        self.at.extend_from_slice(folder.get(end..).unwrap_or_default());
        let size = file.as_ref().map_or(0, |(_, size)| *size);
        let (file, bytes) = (file.map(|(file, _)| file), bytes.saturating_add(size));
        self.levels.push(Level { end: folder.len(), file, bytes, words: None });
    }

    /// Whether all of them together are too much; each is counted once at most, as long as nobody leaves it.
    pub(super) fn check<Error>(
        &mut self,
        mut words: impl FnMut(&File) -> Result<usize, Error>,
    ) -> Result<Option<TooMuch>, Error> {
        let bytes = self.levels.last().map_or(0, |level| level.bytes);
        if bytes <= PLAIN_BYTES {
            return Ok(None);
        }
        if bytes > MOST_BYTES {
            return Ok(Some(TooMuch::Bytes(bytes)));
        }
        let known = self.levels.iter().rposition(|level| level.words.is_some());
        let mut sum = known.and_then(|at| self.levels[at].words).unwrap_or_default();
        for level in self.levels.iter_mut().skip(known.map_or(0, |at| at + 1)) {
            sum += level.file.as_ref().map(&mut words).transpose()?.unwrap_or_default();
            level.words = Some(sum);
        }
        Ok((sum > WORDS).then_some(TooMuch::Words))
    }

    /// Whether there is more than one file.
    pub(super) fn has_several(&self) -> bool {
        self.levels.iter().filter(|level| level.file.is_some()).nth(1).is_some()
    }
}

/// A folder and all above it, the first of all at the beginning.
pub(super) fn folders(folder: &[u8]) -> impl Iterator<Item = &[u8]> {
    let first = Some(b"".as_slice());
    let ends = memchr::memchr_iter(b'/', folder).chain((!folder.is_empty()).then_some(folder.len()));
    first.into_iter().chain(ends.map(|end| &folder[..end]))
}

/// `below` is the folder, or lies in it.
fn holds(folder: &[u8], below: &[u8]) -> bool {
    below
        .strip_prefix(folder)
        .is_some_and(|rest| folder.is_empty() || rest.is_empty() || rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn each_folder_is_come_to_once() {
        let above: Vec<&[u8]> = folders(b"a/bc/d").collect();
        assert_eq!(above, [b"".as_slice(), b"a", b"a/bc", b"a/bc/d"]);
        assert_eq!(folders(b"").collect::<Vec<_>>(), [b""]);
        assert!(holds(b"a", b"a/b") && holds(b"a", b"a") && holds(b"", b"a") && holds(b"", b""));
        assert!(!holds(b"a", b"ab") && !holds(b"a/b", b"a"));
    }

    #[test]
    fn files_of_folders_in_each_other_count_together() {
        let mut asked = Vec::new();
        let mut come_to = |chain: &mut Chain<&'static str>, folder: &str, name, size, words: usize| {
            chain.leave(folder.as_bytes());
            chain.push(folder.as_bytes(), Some((name, size)));
            let found = chain.check(|file| {
                asked.push(*file);
                Ok::<_, Infallible>(words)
            });
            found.unwrap()
        };
        let mut chain = Chain::new();
        assert_eq!(come_to(&mut chain, "", "root", PLAIN_BYTES, 9), None);
        assert_eq!(come_to(&mut chain, "a", "a", 1, WORDS / 2), None);
        // Its neighbour is beside it, not in it.
        assert_eq!(come_to(&mut chain, "ab", "ab", MOST_BYTES - PLAIN_BYTES, 1), None);
        assert!(chain.has_several());
        assert_eq!(come_to(&mut chain, "ab/c", "ab/c", 1, 1), Some(TooMuch::Bytes(MOST_BYTES + 1)));
        assert_eq!(come_to(&mut chain, "b", "b", 1, 1), None);
        assert_eq!(come_to(&mut chain, "b/c", "b/c", 1, WORDS), Some(TooMuch::Words));
        assert_eq!(asked, ["root", "a", "ab", "b", "b/c"], "each is counted once");
    }
}
