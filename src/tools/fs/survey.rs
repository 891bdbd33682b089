//! One pass over a file that is too large to be held: its lines counted, its bytes hashed.
//!
//! The last few are remembered: a large file is read page by page, and the second page should cost no more than its lines. A file
//! is taken for the same only where the system's figures are the same, and were old enough at the pass that a change after it
//! must have changed them. Never remembered: contents.

use std::{
    collections::VecDeque,
    fs::File,
    io::Read as _,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use crate::{
    ids::{Etag, EtagHasher},
    workspace::Stat,
};

/// Bytes read at once.
pub(super) const PIECE: usize = 256 * 1024;
/// How many lines lie between two marks.
pub(super) const MARK_LINES: u64 = 1000;
/// Surveys remembered: the large files that one conversation is about.
const REMEMBERED: usize = 4;
/// How old the last change has to be: file systems keep times in steps of up to two seconds.
const OLD: Duration = Duration::from_secs(2);

/// What is known of a file after one pass.
#[derive(Debug)]
pub(super) struct Survey {
    /// Where every thousandth line begins.
    pub(super) marks: Vec<u64>,
    pub(super) ends: u64,
    pub(super) crlf: u64,
    pub(super) size: u64,
    pub(super) last: u8,
    pub(super) etag: Etag,
}

static SURVEYS: Mutex<VecDeque<(Stat, Arc<Survey>)>> = Mutex::new(VecDeque::new());

/// The survey of a file that is known to be what it was.
pub(super) fn remembered(stat: &Stat) -> Option<Arc<Survey>> {
    let surveys = SURVEYS.lock().unwrap_or_else(PoisonError::into_inner);
    surveys.iter().find(|(known, _)| known == stat).map(|(_, survey)| Arc::clone(survey))
}

/// Remembers the survey of a file that was and still is `stat`.
pub(super) fn remember(stat: &Stat, survey: &Arc<Survey>) {
    let changed = stat.modified.max(stat.changed);
    if SystemTime::now().duration_since(changed).is_ok_and(|age| age > OLD) && stat.size == survey.size {
        let mut surveys = SURVEYS.lock().unwrap_or_else(PoisonError::into_inner);
        surveys.truncate(REMEMBERED - 1);
        surveys.push_front((*stat, Arc::clone(survey)));
    }
}

impl Survey {
    /// Reads the file to its end; `look` sees each piece first and may end it.
    pub(super) fn of<E>(
        file: &mut File,
        failed: impl Fn(std::io::Error) -> E,
        mut look: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut hasher = EtagHasher::default();
        let (mut marks, mut ends, mut crlf, mut size, mut last) = (vec![0], 0, 0, 0, 0);
        let mut piece = vec![0; PIECE];
        loop {
            let read = file.read(&mut piece).map_err(&failed)?;
            let bytes = &piece[..read];
            look(bytes)?;
            let Some(&end) = bytes.last() else { break };
            hasher.update(bytes);
            for at in memchr::memchr_iter(b'\n', bytes) {
                ends += 1;
                crlf += u64::from(if at > 0 { bytes[at - 1] } else { last } == b'\r');
                if ends % MARK_LINES == 0 {
                    marks.push(size + at as u64 + 1);
                }
            }
            last = end;
            size += read as u64;
        }
        Ok(Self { marks, ends, crlf, size, last, etag: hasher.end() })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, Write as _};

    use super::*;
    use crate::workspace::FileKind;

    fn survey(content: &[u8]) -> Survey {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        file.rewind().unwrap();
        Survey::of(&mut file, |error| error, |_| Ok(())).unwrap()
    }

    #[test]
    fn lines_are_counted_across_pieces() {
        let mut content = "ab\r\n".repeat(PIECE / 4 - 1).into_bytes();
        // The next line's end stands on both sides of a piece's.
        content.extend_from_slice(b"abc\r\nlast");
        let survey = survey(&content);
        let lines = (PIECE / 4) as u64;
        assert_eq!((survey.ends, survey.crlf, survey.last), (lines, lines, b't'));
        assert_eq!((survey.size, survey.etag), (content.len() as u64, Etag::of(&content)));
        assert_eq!(survey.marks.len() as u64, lines / MARK_LINES + 1);
        assert_eq!(survey.marks[1], MARK_LINES * 4);
    }

    #[test]
    fn only_what_cannot_have_changed_is_remembered() {
        let now = SystemTime::now();
        let stat = |inode: u64, size: u64, modified: u64, changed: u64| Stat {
            kind: FileKind::File,
            size,
            mode: 0o644,
            links: 1,
            user: 0,
            group: 0,
            modified: now - Duration::from_secs(modified),
            changed: now - Duration::from_secs(changed),
            identity: (u64::MAX, inode),
        };
        let survey = Arc::new(survey(b"four"));
        let known = stat(1, 4, 100, 100);
        remember(&known, &survey);
        assert!(remembered(&known).is_some());
        for other in [stat(2, 4, 100, 100), stat(1, 5, 100, 100), stat(1, 4, 99, 100), stat(1, 4, 100, 99)] {
            assert!(remembered(&other).is_none(), "{other:?}");
        }
        for young in [stat(3, 4, 0, 100), stat(4, 4, 100, 1), stat(5, 9, 100, 100)] {
            remember(&young, &survey);
            assert!(remembered(&young).is_none(), "{young:?}");
        }
    }
}
