//! Unified diffs, as git and diff write them and as models nearly do. Pure.

use super::{Action, FilePatch, Lines, PatchError, PatchHunk, Short, settle_ends};

/// So many lines nobody miscounts who sends the whole of a hunk.
const MISSING: u64 = 4;

/// Reads all files of a diff; text before and between them is overlooked, as git does.
pub(super) fn parse(all: Lines<'_>) -> Result<Vec<FilePatch>, PatchError> {
    let lines = all.text;
    let mut reader = Reader { all, lines, at: 0, short: None };
    let mut patches = Vec::new();
    while reader.at < lines.len() {
        if begins(lines, reader.at) {
            patches.push(reader.file()?);
            reader.short = None;
        } else {
            reader.at += 1;
        }
    }
    Ok(patches)
}

/// Where in these lines the first file of a diff begins.
pub(super) fn begin(lines: &[&str]) -> Option<usize> {
    (0..lines.len()).find(|&at| begins(lines, at))
}

fn begins(lines: &[&str], at: usize) -> bool {
    lines[at].starts_with("diff --git ") || are_names(lines, at)
}

fn are_names(lines: &[&str], at: usize) -> bool {
    let line = |at: usize| lines.get(at).copied().unwrap_or_default();
    line(at).starts_with("--- ") && line(at + 1).starts_with("+++ ")
}

/// `-1,2 +3,4`, with or without what stands around it.
pub(super) fn is_range(text: &str) -> bool {
    range(text).is_some()
}

/// What git says of a file in front of its hunks.
#[derive(Default)]
struct Header {
    old: Option<String>,
    new: Option<String>,
    /// Git wrote it.
    is_git: bool,
    /// What stands in front of both names, where the first line tells.
    prefixes: Option<Prefixes>,
    renamed: bool,
    added: bool,
    deleted: bool,
    was_executable: bool,
    executable: bool,
}

struct Reader<'a> {
    all: Lines<'a>,
    lines: &'a [&'a str],
    at: usize,
    /// Of the hunk that was read last, with which the patch ends.
    short: Option<Short>,
}

impl Reader<'_> {
    fn at_names(&self) -> bool {
        are_names(self.lines, self.at)
    }

    fn file(&mut self) -> Result<FilePatch, PatchError> {
        let line = self.at + 1;
        let mut header = Header::default();
        if let Some(names) = self.lines[self.at].strip_prefix("diff --git ") {
            header.is_git = true;
            if let Some((prefixes, name)) = git_names(names) {
                (header.old, header.new) = (Some(name.clone()), Some(name));
                header.prefixes = Some(prefixes);
            }
            self.at += 1;
            while let Some(text) = self.lines.get(self.at).filter(|_| !self.at_names()) {
                if !self.header_line(text, &mut header)? {
                    break;
                }
                self.at += 1;
            }
        }
        if self.at_names() {
            self.names(&mut header)?;
        }
        let mut hunks = Vec::new();
        while let Some(line) = self.lines.get(self.at).filter(|line| line.starts_with("@@")) {
            if line.starts_with("@@@ -") {
                let reason =
                    "this is the combined diff of a merge, which has no one file that it starts from";
                let hint =
                    "make a diff against one parent: `git diff HEAD^1 HEAD` shows what the merge brought";
                return Err(PatchError { line: self.at + 1, reason: reason.to_owned(), hint });
            }
            hunks.push(self.hunk()?);
        }
        let patch = finish(header, hunks, line)?;
        Ok(FilePatch { short: self.short, ..patch })
    }

    /// False when the line is no part of the header.
    fn header_line(&self, text: &str, header: &mut Header) -> Result<bool, PatchError> {
        let refused = |reason: &str| Err(PatchError::impossible(self.at + 1, reason));
        if let Some(mode) = text.strip_prefix("new file mode ").or_else(|| text.strip_prefix("new mode ")) {
            header.added |= text.starts_with("new file");
            match mode.trim() {
                "100644" | "100664" if header.was_executable => {
                    return refused(
                        "the permission to execute cannot be taken away by a patch; a command can do it",
                    );
                }
                "100644" | "100664" => {}
                "100755" => header.executable = true,
                "120000" => return refused("a symbolic link cannot be made by a patch"),
                _ => return refused("only files with mode 100644 or 100755 can be made"),
            }
        } else if let Some(mode) = text.strip_prefix("old mode ") {
            header.was_executable = mode.trim() == "100755";
        } else if text.starts_with("deleted file mode ") {
            header.deleted = true;
        } else if let Some(path) = text.strip_prefix("rename from ") {
            (header.old, header.renamed) = (Some(unquoted(path)), true);
        } else if let Some(path) = text.strip_prefix("rename to ") {
            (header.new, header.renamed) = (Some(unquoted(path)), true);
        } else if text.starts_with("copy from ") || text.starts_with("copy to ") {
            return refused("a copy cannot be made by a patch; use fs_move with copy=true, then patch it");
        } else if text.starts_with("Binary files ") || text.starts_with("GIT binary patch") {
            return refused("a binary file cannot be patched");
        } else {
            return Ok(["index ", "similarity index ", "dissimilarity index "]
                .iter()
                .any(|word| text.starts_with(word)));
        }
        Ok(true)
    }

    fn names(&mut self, header: &mut Header) -> Result<(), PatchError> {
        let name = |at: usize| file_name(self.lines[at].get(4..).unwrap_or_default(), header.is_git);
        let (old, new) = (name(self.at), name(self.at + 1));
        self.at += 2;
        header.added |= old == "/dev/null";
        header.deleted |= new == "/dev/null";
        if header.added && header.deleted {
            return Err(PatchError::new(self.at, "both names are /dev/null"));
        }
        if header.renamed {
            return Ok(());
        }
        // Prefixes go only where both sides have them. Where there is but one side, the first line tells: in a diff without
        // prefixes `b/x` lies in a folder `b`.
        let one_sided = header.added || header.deleted;
        let prefixed = match header.prefixes {
            Some(Prefixes::None) if one_sided => false,
            Some(Prefixes::Of(one, other)) => {
                (header.added || old.starts_with(one)) && (header.deleted || new.starts_with(other))
            }
            _ if one_sided => {
                (header.added || old.starts_with("a/")) && (header.deleted || new.starts_with("b/"))
            }
            _ => (old.starts_with("a/") && new.starts_with("b/")) || prefixes_of(&old, &new).is_some(),
        };
        let plain = |name: String| if prefixed { name.get(2..).unwrap_or_default().to_owned() } else { name };
        header.old = (!header.added).then(|| plain(old));
        header.new = (!header.deleted).then(|| plain(new));
        Ok(())
    }

    fn hunk(&mut self) -> Result<PatchHunk, PatchError> {
        let (line, header) = (self.at + 1, self.lines[self.at]);
        self.at += 1;
        let numbers = range(header.trim_start_matches('@'));
        let start = numbers.map(|((start, _), _)| start);
        let begin = self.at;
        if let Some(((_, old), (_, new))) = numbers
            && let Some(hunk) = self.counted(old, new)
        {
            return Ok(PatchHunk { line, start, ..hunk });
        }
        // Numbers that do not fit are common; the lines themselves say where the hunk ends.
        self.at = begin;
        let hunk = self.uncounted()?;
        let is_last = self.lines[self.at..].iter().all(|line| line.trim().is_empty());
        if let Some(((_, old), (_, new))) = numbers.filter(|_| is_last) {
            self.short = short(line, (old, new), &hunk)?;
        }
        Ok(PatchHunk { line, start, ..hunk })
    }

    /// A hunk of so many lines; `None` if it has others.
    fn counted(&mut self, mut old: u32, mut new: u32) -> Option<PatchHunk> {
        let mut hunk = PatchHunk::default();
        while old > 0 || new > 0 {
            let line = self.lines.get(self.at)?;
            self.at += 1;
            // What stands behind the last line end is no line.
            if line.is_empty() && self.at == self.lines.len() {
                return None;
            }
            match line.as_bytes().first() {
                Some(b'\\') => unended(&mut hunk, self.lines[self.at - 2]),
                Some(b'-') => old = old.checked_sub(1)?,
                Some(b'+') => new = new.checked_sub(1)?,
                Some(b' ') | None => (old, new) = (old.checked_sub(1)?, new.checked_sub(1)?),
                _ => return None,
            }
            take(&mut hunk, self.all, self.at - 1);
        }
        if self.lines.get(self.at).is_some_and(|line| line.starts_with('\\')) {
            unended(&mut hunk, self.lines[self.at - 1]);
            take(&mut hunk, self.all, self.at);
            self.at += 1;
        }
        let next = self.lines.get(self.at).copied().unwrap_or_default();
        let goes_on = next.starts_with([' ', '+', '-']) && !self.at_names() && next != "-- ";
        (!goes_on).then_some(hunk)
    }

    fn uncounted(&mut self) -> Result<PatchHunk, PatchError> {
        let mut hunk = PatchHunk::default();
        while let Some(&line) = self.lines.get(self.at) {
            let rest_is_empty = || self.lines[self.at..].iter().all(|line| line.trim().is_empty());
            let ends = line.starts_with("@@") || line.starts_with("diff --git ") || self.at_names();
            if ends || line == "-- " || (line.is_empty() && rest_is_empty()) || line.starts_with("```") {
                break;
            }
            if !(line.is_empty() || line.starts_with([' ', '+', '-', '\\'])) {
                return Err(PatchError::new(self.at + 1, "a line of a hunk begins with ` `, `-` or `+`"));
            }
            if line.starts_with('\\') && self.at > 0 {
                unended(&mut hunk, self.lines[self.at - 1]);
            }
            take(&mut hunk, self.all, self.at);
            self.at += 1;
        }
        Ok(hunk)
    }
}

/// The patch ends with this hunk, which says that it has so many lines. One that has far fewer was cut off: half of a change is another one.
fn short(line: usize, (old, new): (u32, u32), hunk: &PatchHunk) -> Result<Option<Short>, PatchError> {
    let (has_old, has_new) = (hunk.old.len() as u64, hunk.new.len() as u64);
    let (said, found) = (u64::from(old) + u64::from(new), has_old + has_new);
    if has_old > old.into() || has_new > new.into() || found >= said {
        return Ok(None);
    }
    if said - found >= MISSING && found * 4 < said * 3 {
        return Err(PatchError {
            line,
            reason: format!(
                "the patch was cut off: its last hunk says `-{old} +{new}` lines and has `-{has_old} +{has_new}`"
            ),
            hint: "send all of it, or the right numbers; a large change can be made by several patches",
        });
    }
    Ok(Some(Short { line, said, found }))
}

fn take(hunk: &mut PatchHunk, all: Lines<'_>, at: usize) {
    let line = all.behind_sign(at);
    match all.text[at].as_bytes().first() {
        Some(b'\\') => {}
        Some(b'-') => hunk.take(line, (true, false)),
        Some(b'+') => hunk.take(line, (false, true)),
        _ => hunk.take(line, (true, true)),
    }
}

/// `\ No newline at end of file` speaks of the line above it.
fn unended(hunk: &mut PatchHunk, above: &str) {
    let sides = match above.as_bytes().first() {
        Some(b'-') => (true, false),
        Some(b'+') => (false, true),
        _ => (true, true),
    };
    if sides.0 {
        hunk.unended.0 = true;
        keep_return(&mut hunk.old, &mut hunk.returns.0);
    }
    if sides.1 {
        hunk.unended.1 = true;
        keep_return(&mut hunk.new, &mut hunk.returns.1);
    }
}

/// A `\r` at the end of a line that has no end is one of its characters.
fn keep_return(lines: &mut [String], returns: &mut [bool]) {
    if let (Some(line), Some(returns @ true)) = (lines.last_mut(), returns.last_mut()) {
        line.push('\r');
        *returns = false;
    }
}

fn finish(header: Header, mut hunks: Vec<PatchHunk>, line: usize) -> Result<FilePatch, PatchError> {
    let missing = || PatchError::new(line, "the path is missing");
    let Header { old, new, renamed, added, deleted, executable, .. } = header;
    let exact = settle_ends(&mut hunks);
    if added {
        let end = |hunk: &PatchHunk, index: usize| {
            if hunk.returns.1.get(index) == Some(&true) { "\r\n" } else { "\n" }
        };
        let lines = hunks
            .iter()
            .flat_map(|hunk| hunk.new.iter().enumerate().map(move |(index, line)| (line, end(hunk, index))));
        let text = lines.fold(String::new(), |text, (line, end)| text + line + end);
        let cut = hunks.last().is_some_and(|hunk| hunk.unended.1);
        let text = if cut { text.strip_suffix('\n').unwrap_or(&text).to_owned() } else { text };
        let path = new.filter(|path| !path.is_empty()).ok_or_else(missing)?;
        return Ok(FilePatch {
            path,
            with_blanks: None,
            line,
            action: Action::Add { text, executable, exact },
            short: None,
        });
    }
    let path = old.clone().filter(|path| !path.is_empty()).ok_or_else(missing)?;
    if deleted {
        return Ok(FilePatch {
            path,
            with_blanks: None,
            line,
            action: Action::Delete { hunks: Some(hunks) },
            short: None,
        });
    }
    let new = new.filter(|path| !path.is_empty()).ok_or_else(missing)?;
    let to = (new != path && (renamed || old.is_some())).then_some(new);
    if hunks.is_empty() && to.is_none() && !executable {
        return Err(PatchError::new(line, "it has no hunk"));
    }
    let action = Action::Update { to, hunks, executable };
    Ok(FilePatch { path, with_blanks: None, line, action, short: None })
}

/// Start and count, before and after.
fn range(text: &str) -> Option<((u32, u32), (u32, u32))> {
    let mut words = text.split_whitespace();
    let side = |word: Option<&str>, sign: char| {
        let word = word?.strip_prefix(sign)?;
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    Some((side(words.next(), '-')?, side(words.next(), '+')?))
}

/// What git puts in front of both names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prefixes {
    /// Nothing (`--no-prefix`).
    None,
    /// `a/` and `b/`, or by what is compared (`diff.mnemonicPrefix`).
    Of(&'static str, &'static str),
}

/// The name of `diff --git a/x b/x`, and what stands in front of it: for a file whose content does not change it stands nowhere else.
fn git_names(text: &str) -> Option<(Prefixes, String)> {
    let (old, new) = if text.starts_with('"') {
        let (old, rest) = quoted(text)?;
        (old, unquoted(rest.strip_prefix(' ')?))
    } else {
        // Both names are equally long then, so the middle is where the text is cut.
        let middle = text.len() / 2;
        let is_cut = text.as_bytes().get(middle) == Some(&b' ');
        let (old, new) = (text.get(..middle)?, text.get(middle + 1..).filter(|_| is_cut)?);
        (old.to_owned(), new.to_owned())
    };
    if old == new {
        return Some((Prefixes::None, old));
    }
    let (one, other) = prefixes_of(&old, &new)?;
    Some((Prefixes::Of(one, other), old.get(2..)?.to_owned()))
}

/// The prefixes of two names that are one but for them. No diff of git gives a file another folder in this way: it says `rename`.
fn prefixes_of(old: &str, new: &str) -> Option<(&'static str, &'static str)> {
    /// Index, work tree, commit, object; and the two sides of a comparison outside of a repository.
    const PREFIXES: [&str; 8] = ["a/", "b/", "i/", "w/", "c/", "o/", "1/", "2/"];
    let cut = |name: &str| PREFIXES.into_iter().find(|prefix| name.starts_with(prefix));
    let (one, other) = (cut(old)?, cut(new)?);
    (one != other && old.get(2..)? == new.get(2..)?).then_some((one, other))
}

/// The name behind `--- ` or `+++ `. A blank at its end is its own: git puts a TAB behind a name with blanks, diff a time.
fn file_name(text: &str, is_git: bool) -> String {
    if let Some((name, _)) = quoted(text) {
        return name;
    }
    let named = if is_git { text } else { without_time(text).unwrap_or(text) };
    let name = named.split(['\t', '\r']).next().unwrap_or_default();
    if name.trim_end() == "/dev/null" { name.trim_end() } else { name }.to_owned()
}

/// What stands in front of a date, a time and perhaps a zone; after a TAB, or after blanks that somebody made of it.
fn without_time(text: &str) -> Option<&str> {
    let made_of = |word: &str, signs: &str| {
        word.starts_with(|first: char| first.is_ascii_digit())
            && word.chars().all(|sign| sign.is_ascii_digit() || signs.contains(sign))
    };
    let is_zone = |word: &str| word.strip_prefix(['+', '-']).is_some_and(|zone| made_of(zone, ":"));
    let (mut rest, mut word) = last_word(text)?;
    if is_zone(word) {
        (rest, word) = last_word(rest.trim_end_matches(' '))?;
    }
    if !(word.contains(':') && made_of(word, ":.")) {
        return None;
    }
    let dated = rest.trim_end_matches(' ');
    (rest, word) = last_word(dated)?;
    if !(word.contains('-') && made_of(word, "-")) {
        return None;
    }
    let is_tab = dated.as_bytes().get(rest.len()) == Some(&b'\t');
    Some(if is_tab { rest } else { rest.trim_end_matches(' ') })
}

/// What stands in front of the last word, but for one blank, and that word.
fn last_word(text: &str) -> Option<(&str, &str)> {
    let at = text.rfind([' ', '\t'])?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// A name as git writes it: in quotes, with escapes, if there is something odd in it.
fn unquoted(text: &str) -> String {
    quoted(text).map_or_else(|| text.to_owned(), |(name, _)| name)
}

/// The name that stands in quotes here, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes().enumerate().peekable();
    while let Some((at, byte)) = rest.next() {
        if byte == b'"' {
            return Some((shown(bytes), inner.get(at + 1..)?));
        }
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()?.1 {
            b'a' => 0x07,
            b'b' => 0x08,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 0x0b,
            b'f' => 0x0c,
            b'r' => b'\r',
            first @ b'0'..=b'7' => {
                let mut value = u32::from(first - b'0');
                for _ in 0..2 {
                    if let Some((_, digit)) = rest.next_if(|(_, byte)| (b'0'..=b'7').contains(byte)) {
                        value = value * 8 + u32::from(digit - b'0');
                    }
                }
                u8::try_from(value & 0xff).unwrap_or_default()
            }
            other => other,
        });
    }
    None
}

/// A name as text, with what is none written as `\xff`.
fn shown(name: Vec<u8>) -> String {
    match String::from_utf8(name) {
        Ok(text) => text,
        Err(error) => error.into_bytes().utf8_chunks().fold(String::new(), |mut text, chunk| {
            use std::fmt::Write as _;
            text.push_str(chunk.valid());
            for byte in chunk.invalid() {
                let _ = write!(text, "\\x{byte:02x}");
            }
            text
        }),
    }
}
