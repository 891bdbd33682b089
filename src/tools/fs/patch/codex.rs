//! The grammar that begins with `*** Begin Patch`. Pure.

use super::{Action, FilePatch, Lines, Named, PatchError, PatchHunk, Side, settle_ends, unified::range};

pub(super) const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const DELETE: &str = "*** Delete File: ";
const UPDATE: &str = "*** Update File: ";
const MOVE: &str = "*** Move to: ";
const END_OF_FILE: &str = "*** End of File";

/// Reads the lines after `begin`.
pub(super) fn parse(lines: Lines<'_>, begin: usize) -> Result<Vec<FilePatch>, PatchError> {
    let mut reader = Reader { lines, at: begin + 1 };
    let mut patches = Vec::new();
    loop {
        let Some(line) = reader.peek() else {
            return Err(PatchError::new(lines.text.len(), format!("it ends without `{END}`")));
        };
        // Some writers put white space in front of the words, too.
        let (start, text) = (reader.number(), line.trim());
        reader.at += 1;
        let (path, action) = if text == END {
            reader.ends_there()?;
            return Ok(patches);
        } else if text.is_empty() {
            continue;
        } else if let Some(path) = text.strip_prefix(ADD) {
            (path, reader.added()?)
        } else if let Some(path) = text.strip_prefix(DELETE) {
            (path, Action::Delete { hunks: None })
        } else if let Some(path) = text.strip_prefix(UPDATE) {
            (path, reader.updated(start, path.trim())?)
        } else {
            let wanted = format!("`{ADD}`, `{DELETE}`, `{UPDATE}` or `{END}` was expected");
            return Err(PatchError::new(start, wanted));
        };
        let path = path.trim();
        if path.is_empty() {
            return Err(PatchError::new(start, "the path is missing"));
        }
        let is_new = matches!(action, Action::Add { .. });
        let named = line.trim_start().split_once(": ").map_or("", |(_, named)| named.trim_start());
        // Blanks behind a name may belong to it.
        let or = if named != path && !is_new { vec![Named::new(Side::New, named)] } else { Vec::new() };
        let path = path.to_owned();
        patches.push(FilePatch {
            path,
            or,
            compared: false,
            line: start,
            action,
            short: None,
            plain: None,
            if_empty: None,
        });
    }
}

struct Reader<'a> {
    lines: Lines<'a>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.lines.text.get(self.at).copied()
    }

    /// The line, from 1, that is next.
    fn number(&self) -> usize {
        self.at + 1
    }

    /// Behind the end stands nothing, or what ends the text that a shell would hand over.
    fn ends_there(&self) -> Result<(), PatchError> {
        let rest = self.lines.text.get(self.at..).unwrap_or_default();
        let is_word = |line: &str| line.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        let ends = |line: &str| line == "```" || is_word(line);
        match rest.iter().position(|line| !ends(line.trim())) {
            None => Ok(()),
            Some(place) => {
                let reason = format!("something follows `{END}`; one patch has one beginning and one end");
                Err(PatchError::new(self.number() + place, reason))
            }
        }
    }

    /// The next line, unless another file or the end begins there.
    fn line_of_file(&mut self) -> Option<&'a str> {
        let line = self.peek()?;
        if at_word(line) || self.at_last_line() {
            return None;
        }
        self.at += 1;
        Some(line)
    }

    /// The end, with white space in front of it: a line of a hunk may read so as well, but not the last one.
    fn at_last_line(&self) -> bool {
        let mut rest = self.lines.text.iter().skip(self.at);
        rest.next().is_some_and(|line| line.trim() == END) && rest.all(|line| line.trim().is_empty())
    }

    fn added(&mut self) -> Result<Action, PatchError> {
        let (mut text, mut exact) = (String::new(), false);
        while let Some(line) = self.line_of_file() {
            // Each line of a new file has its sign, so this is none.
            if at_word(line.trim_start()) {
                self.at -= 1;
                break;
            }
            match line.strip_prefix('+') {
                Some(line) => {
                    let returns = self.lines.behind_sign(self.at - 1).returns;
                    exact |= returns;
                    text.push_str(line);
                    text.push_str(if returns { "\r\n" } else { "\n" });
                }
                // An empty line in front of the next file is no line of this one.
                None if line.trim().is_empty() && self.at_file_end() => {}
                None => return Err(PatchError::new(self.at, "each line of a new file begins with `+`")),
            }
        }
        Ok(Action::Add { text, executable: false, exact })
    }

    fn at_file_end(&self) -> bool {
        self.peek().is_none_or(|line| line.trim().is_empty() || line.starts_with("*** "))
    }

    /// From here on only empty lines stand in front of a word; `text` is where they end, which is looked for once.
    fn is_last_of_file(&self, text: &mut usize) -> bool {
        let lines = self.lines.text;
        if *text <= self.at {
            let next = (self.at..lines.len()).find(|&at| !lines[at].is_empty());
            *text = next.unwrap_or(lines.len());
        }
        // That the file ends there is said of the hunk above.
        let is_word = |line: &&str| line.starts_with("*** ") && line.trim_end() != END_OF_FILE;
        lines.get(*text).is_none_or(is_word)
    }

    fn updated(&mut self, start: usize, from: &str) -> Result<Action, PatchError> {
        let mut to = None;
        if let Some(path) = self.peek().and_then(|line| line.trim_end().strip_prefix(MOVE)) {
            to = Some(path.trim().to_owned()).filter(|path| !path.is_empty());
            if to.is_none() {
                return Err(PatchError::new(self.number(), "the path is missing"));
            }
            to = to.filter(|to| to != from);
            self.at += 1;
        }
        let mut hunks: Vec<PatchHunk> = Vec::new();
        let mut hunk = PatchHunk { line: self.number(), ..PatchHunk::default() };
        // Empty lines alone, without a sign, are no hunk: they separate the header from what stands around it.
        let (mut has_lines, mut text, mut numbers) = (false, 0, None);
        let mut close = |hunk: PatchHunk, has_lines: bool, numbers: Option<_>| {
            if has_lines {
                let hunk = PatchHunk { first_below: true, ..hunk };
                hunks.push(at_its_number(hunk, numbers)?);
            }
            Ok::<_, PatchError>(())
        };
        while let Some(line) = self.line_of_file() {
            let number = self.at;
            if line.trim_end() == END_OF_FILE {
                hunk.at_end = true;
                close(std::mem::take(&mut hunk), has_lines, numbers.take())?;
                (hunk.line, has_lines) = (number + 1, false);
            } else if let Some(anchor) = anchor(line) {
                let anchors = if has_lines { Vec::new() } else { std::mem::take(&mut hunk.anchors) };
                close(std::mem::take(&mut hunk), has_lines, numbers)?;
                (has_lines, numbers) = (false, range(line.trim_start_matches('@')));
                (hunk.line, hunk.anchors) = (number, anchors);
                hunk.anchors.extend(anchor);
            } else {
                let inner = self.lines.behind_sign(number - 1);
                match line.as_bytes().first() {
                    // Those in front of the next file separate it.
                    None if self.is_last_of_file(&mut text) => continue,
                    // Some writers leave out the space of an empty line.
                    None => hunk.take(inner, (true, true)),
                    Some(b' ') => hunk.take(inner, (true, true)),
                    Some(b'-') => hunk.take(inner, (true, false)),
                    Some(b'+') => hunk.take(inner, (false, true)),
                    _ => {
                        let reason = "a line of a hunk begins with ` `, `-` or `+`, a hunk with `@@`";
                        return Err(PatchError::new(number, reason));
                    }
                }
                has_lines |= !inner.is_bare;
            }
        }
        close(hunk, has_lines, numbers)?;
        settle_ends(&mut hunks);
        if hunks.is_empty() && to.is_none() {
            return Err(PatchError::new(start, "it has no hunk"));
        }
        Ok(Action::Update { to, hunks, executable: false })
    }
}

/// The hunk, whose header had these numbers: its lines tell where it stands. Where they only come, the numbers do.
fn at_its_number(
    hunk: PatchHunk,
    numbers: Option<((u32, u32), (u32, u32))>,
) -> Result<PatchHunk, PatchError> {
    let Some(((start, old), _)) = numbers else { return Ok(hunk) };
    if !hunk.old.is_empty() || !hunk.anchors.is_empty() || hunk.at_end {
        return Ok(hunk);
    }
    if old > 0 {
        return Err(PatchError::without_lines(hunk.line, old));
    }
    Ok(PatchHunk { start: Some(start), ..hunk })
}

/// Another file or the end begins with this line.
fn at_word(line: &str) -> bool {
    [END, ADD.trim_end(), DELETE.trim_end(), UPDATE.trim_end()].iter().any(|word| line.starts_with(word))
}

/// The lines, none or one, that a hunk's header names; `None` for a line that is no header.
fn anchor(line: &str) -> Option<Vec<String>> {
    let rest = line.strip_prefix("@@")?;
    let rest = rest.strip_suffix("@@").unwrap_or(rest);
    let rest = rest.strip_prefix(' ').unwrap_or(rest).trim_end();
    // Some writers put the numbers of a unified diff there, and what stands behind them is overlooked, unless it could be a line of the
    // hunk: of the file it is one then.
    let rest = if super::unified::is_range(rest) {
        let behind = rest.split_once("@@").map_or("", |(_, behind)| behind.trim());
        if behind.starts_with(['+', '-']) { behind } else { "" }
    } else {
        rest
    };
    Some((!rest.is_empty()).then(|| rest.to_owned()).into_iter().collect())
}
