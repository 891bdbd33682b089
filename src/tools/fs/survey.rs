//! One pass over a file that is too large to be held: its lines counted, its bytes hashed.
//!
//! The last few are remembered: a large file is read page by page, and the second page should cost no more than its lines. A file
//! is taken for the same only where the system's figures are the same, and were old enough at the pass that a change after it
//! must have changed them. Never remembered: contents.

use std::{
    collections::VecDeque,
    fs::File,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use super::{
    script::{Script, Units, fill},
    utf8_check::Utf8Check,
};
use crate::{
    ids::{Etag, EtagHasher},
    workspace::Stat,
};

/// Bytes read at once.
pub(super) const PIECE: usize = 256 * 1024;
/// How many lines lie between two marks at most.
const MARK_LINES: u64 = 1000;
/// And how many bytes, where lines are not longer than that: no more is read in vain to come to a line.
const MARK_BYTES: u64 = 1024 * 1024;
/// Surveys remembered: the large files that one conversation is about.
const REMEMBERED: usize = 4;
/// How old the last change has to be: file systems keep times in steps of up to two seconds.
const OLD: Duration = Duration::from_secs(2);

/// Where a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Lines in front of it.
    pub(super) lines: u64,
    /// Its first byte.
    pub(super) at: u64,
}

/// What is known of a file after one pass.
#[derive(Debug)]
pub(super) struct Survey {
    /// The first line, and others at some distance from each other.
    marks: Vec<Mark>,
    pub(super) script: Script,
    pub(super) ends: u64,
    pub(super) crlf: u64,
    pub(super) size: u64,
    /// The last line has an end.
    pub(super) final_newline: bool,
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
        let (mut hasher, mut utf8) = (EtagHasher::default(), Utf8Check::default());
        let (mut ends, mut crlf, mut size, mut last_end) = (0, 0, 0, 0);
        let mut piece = vec![0; PIECE];
        let mut filled = fill(file, &mut piece).map_err(&failed)?;
        let beginning = piece[..filled.min(4)].to_vec();
        let (units, byte_order_mark) = Units::of(&beginning);
        let mut last_mark = Mark { lines: 0, at: byte_order_mark as u64 };
        let mut marks = vec![last_mark];
        // As long as the longest unit.
        let mut before = [0_u8; 4];
        while filled > 0 {
            let bytes = &piece[..filled];
            look(bytes)?;
            hasher.update(bytes);
            if units == Units::One {
                utf8.look(bytes);
            }
            for end in units.line_ends(bytes) {
                ends += 1;
                crlf += u64::from(units.has_return(bytes, end, &before));
                last_end = size + end as u64;
                if ends - last_mark.lines >= MARK_LINES || last_end - last_mark.at >= MARK_BYTES {
                    last_mark = Mark { lines: ends, at: last_end };
                    marks.push(last_mark);
                }
            }
            if let Some(last) = bytes.last_chunk() {
                before = *last;
            }
            size += filled as u64;
            filled = fill(file, &mut piece).map_err(&failed)?;
        }
        utf8.end();
        let script = Script::of(file, &beginning, utf8.wrong_at()).map_err(&failed)?;
        let final_newline = size > 0 && last_end == size;
        Ok(Self { marks, script, ends, crlf, size, final_newline, etag: hasher.end() })
    }

    /// How many lines it has.
    pub(super) fn lines(&self) -> u64 {
        let has_text = self.size > self.script.mark as u64;
        self.ends + u64::from(has_text && !self.final_newline)
    }

    /// The nearest mark that has at most `lines` lines in front of it.
    pub(super) fn mark(&self, lines: u64) -> Mark {
        let behind = self.marks.partition_point(|mark| mark.lines <= lines);
        self.marks[behind.saturating_sub(1)]
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
        assert_eq!((survey.ends, survey.crlf, survey.final_newline), (lines, lines, false));
        assert_eq!((survey.size, &survey.etag), (content.len() as u64, &Etag::of(&content)));
        assert_eq!(survey.marks.len() as u64, lines / MARK_LINES + 1);
        assert_eq!(survey.marks[1], Mark { lines: MARK_LINES, at: MARK_LINES * 4 });
        assert_eq!(survey.mark(MARK_LINES - 1), survey.marks[0]);
        assert_eq!(survey.mark(MARK_LINES + 1), survey.marks[1]);
    }

    #[test]
    fn marks_lie_close_in_bytes_too() {
        let content = format!("{}\n", "x".repeat(700 * 1024)).repeat(5);
        let marks = survey(content.as_bytes()).marks.iter().map(|mark| mark.lines).collect::<Vec<_>>();
        assert_eq!(marks, [0, 2, 4]);
    }

    #[test]
    fn lines_of_any_script_are_counted_across_pieces() {
        let text = format!("{}\r\n上 second\r\nlast", "é".repeat(PIECE / 2 - 2));
        let utf16 = |unit: fn(u16) -> [u8; 2]| {
            let units = std::iter::once(0xfeff).chain(text.encode_utf16());
            units.flat_map(unit).collect::<Vec<_>>()
        };
        let utf32 = text.chars().flat_map(|character| u32::from(character).to_le_bytes());
        let utf32 = [b"\xff\xfe\0\0".to_vec(), utf32.collect()].concat();
        let utf8 = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        for content in [utf16(u16::to_le_bytes), utf16(u16::to_be_bytes), utf32, utf8] {
            let survey = survey(&content);
            assert_eq!((survey.ends, survey.crlf, survey.lines()), (2, 2, 3), "{:?}", survey.script);
            assert_eq!(survey.size, content.len() as u64);
        }
        assert_eq!(survey(b"\xef\xbb\xbf").lines(), 0);
        // A byte too many is a character that is none.
        assert_eq!(survey(b"\xff\xfea\0\n\0b").lines(), 2);
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
