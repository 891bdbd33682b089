//! One place that a patch changes. Pure.

/// One place that changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchHunk {
    /// Where in the patch it begins, from 1.
    pub line: usize,
    /// What stands behind its `@@`: lines above it, each below the one before, or hints at them.
    pub anchors: Vec<String>,
    /// Of several places below those lines the first is meant: its grammar says so.
    pub first_below: bool,
    /// The line, from 1, at which it stood when the patch was made.
    pub start: Option<u32>,
    /// What is there, without line ends.
    pub old: Vec<String>,
    /// What takes its place.
    pub new: Vec<String>,
    /// It ends where the file ends.
    pub at_end: bool,
    /// The last line has no line end: before, after.
    pub unended: (bool, bool),
    /// Which lines end with `\r\n`, before and after, where the patch says that some line of its file does; else empty.
    pub returns: (Vec<bool>, Vec<bool>),
    /// So many lines at its beginning and at its end are empty and without a sign: each is a line of the file, or only separates the
    /// hunk from what stands around it.
    pub bare: (usize, usize),
}

impl PatchHunk {
    /// The patch says how the lines of this file end.
    pub fn is_exact(&self) -> bool {
        !self.returns.0.is_empty() || !self.returns.1.is_empty()
    }

    /// The same without some or all of the empty lines that may only separate it, those with most of them first.
    pub(super) fn without_separators(&self) -> impl Iterator<Item = Self> {
        let (front, back) = self.bare;
        // Somebody who leaves out the blank of an empty line and puts one more behind the hunk has one too many.
        let gone = |count: usize| [0, 1, count].into_iter().filter(move |gone| *gone <= count);
        let mut tried = vec![(0, 0)];
        for pair in gone(front).flat_map(|front| gone(back).map(move |back| (front, back))) {
            if !tried.contains(&pair) {
                tried.push(pair);
            }
        }
        tried.into_iter().skip(1).filter_map(move |(front, back)| self.without(front, back))
    }

    /// The same without so many of its first and last lines, which only repeat what is there.
    fn without(&self, front: usize, back: usize) -> Option<Self> {
        fn inner<T: Clone>(lines: &[T], front: usize, back: usize) -> Vec<T> {
            lines.get(front..lines.len().saturating_sub(back)).unwrap_or_default().to_vec()
        }
        let lines = |lines: &[String]| inner(lines, front, back);
        let returns = |returns: &[bool]| inner(returns, front, back);
        let part = Self {
            line: self.line,
            anchors: self.anchors.clone(),
            first_below: self.first_below,
            // Whether the number counts the lines that are left out nobody can tell.
            start: self.start.filter(|_| front == 0),
            old: lines(&self.old),
            new: lines(&self.new),
            at_end: self.at_end,
            unended: self.unended,
            returns: (returns(&self.returns.0), returns(&self.returns.1)),
            bare: (0, 0),
        };
        // Without any line of the file its place is told by a line above it, or by nothing.
        (!part.old.is_empty() || !(part.anchors.is_empty() || part.new.is_empty())).then_some(part)
    }

    /// `\ No newline at end of file` speaks of the line above it.
    pub(super) fn end_at(&mut self, above: &str) {
        self.bare = (0, 0);
        let sides = match above.as_bytes().first() {
            Some(b'-') => (true, false),
            Some(b'+') => (false, true),
            _ => (true, true),
        };
        if sides.0 {
            self.unended.0 = true;
            keep_return(&mut self.old, &mut self.returns.0);
        }
        if sides.1 {
            self.unended.1 = true;
            keep_return(&mut self.new, &mut self.returns.1);
        }
    }

    pub(super) fn take(&mut self, line: Line<'_>, sides: (bool, bool)) {
        let is_first = self.bare.0 == self.old.len() && self.bare.0 == self.new.len();
        match (line.is_bare, is_first) {
            (true, true) => self.bare.0 += 1,
            (true, false) => self.bare.1 += 1,
            (false, _) => self.bare.1 = 0,
        }
        if sides.0 {
            self.old.push(line.rest.to_owned());
            self.returns.0.push(line.returns);
        }
        if sides.1 {
            self.new.push(line.rest.to_owned());
            self.returns.1.push(line.returns);
        }
    }
}

/// A line of a hunk behind its sign.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) rest: &'a str,
    /// A `\r` stands at its end, and belongs to the file.
    pub(super) returns: bool,
    /// It is empty and has no sign.
    pub(super) is_bare: bool,
}
/// A `\r` at the end of a line that has no end is one of its characters.
fn keep_return(lines: &mut [String], returns: &mut [bool]) {
    if let (Some(line), Some(returns @ true)) = (lines.last_mut(), returns.last_mut()) {
        line.push('\r');
        *returns = false;
    }
}

/// What a file has that is made of these.
pub(super) fn new_text(hunks: &[PatchHunk]) -> String {
    let end = |hunk: &PatchHunk, index: usize| {
        if hunk.returns.1.get(index) == Some(&true) { "\r\n" } else { "\n" }
    };
    let lines = hunks
        .iter()
        .flat_map(|hunk| hunk.new.iter().enumerate().map(move |(index, line)| (line, end(hunk, index))));
    let text = lines.fold(String::new(), |text, (line, end)| text + line + end);
    let cut = hunks.last().is_some_and(|hunk| hunk.unended.1);
    if cut { text.strip_suffix('\n').unwrap_or(&text).to_owned() } else { text }
}
