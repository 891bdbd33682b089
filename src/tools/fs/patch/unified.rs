//! Unified diffs, as git and diff write them and as models nearly do. Pure.

use super::{
    Action, FilePatch, Lines, PatchError, PatchHunk, Short,
    header::Header,
    hunk::new_text,
    named::{Folders, Lone, Named, Side, one_of, read_as_others},
    names::{Prefixes, compares, file_name, git_names, has_prefix, is_epoch, parted, prefixes_of, undotted},
    prose::{self, is_filling, is_lone_rule, is_own_signature, is_signature},
    settle_ends,
};
use crate::text::visible;

/// So many lines nobody miscounts who sends the whole of a hunk.
const MISSING: u64 = 4;

/// What works where a file has two names.
pub const TWO_FILES: &str =
    "for another name put `rename from` and `rename to` in front of them; else name one file twice";

/// Reads all files of a diff; text before and between them is overlooked, as git does, but for what could be a part of it, which is an
/// error: a part of a patch is another patch.
pub(super) fn parse(all: Lines<'_>) -> Result<Vec<FilePatch>, PatchError> {
    let lines = all.text;
    let mut reader = Reader { all, lines, at: 0, short: None, lone: None, folders: Folders::new() };
    let (mut patches, mut lone, mut above) = (Vec::new(), Vec::new(), None);
    loop {
        let next = (reader.at..lines.len()).find(|&at| begins(lines, at)).unwrap_or(lines.len());
        prose::check(lines, reader.at..next, above)?;
        if next == lines.len() {
            break;
        }
        (reader.at, reader.short, reader.lone, above) = (next, None, None, Some(next));
        patches.push(reader.file()?);
        lone.push(reader.lone);
    }
    for (patch, lone) in patches.iter_mut().zip(lone) {
        if let Some(lone) = lone {
            read_as_others(patch, lone, &reader.folders);
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

/// A line that names a file, or a line of one: behind a hunk that is complete it is no line of that.
fn is_named(line: &str) -> bool {
    let name = line.strip_prefix("--- ").or_else(|| line.strip_prefix("+++ "));
    name.is_some_and(|name| !name.trim().is_empty())
}

/// The same behind lines that are as many as were counted, where a count may be short: a comment of SQL, Lua or Haskell that goes reads
/// like a name, and stands in the file, or the patch is refused; what comes is looked for nowhere.
fn ends_counted(line: &str) -> bool {
    let name = line.get(4..).map(|name| file_name(name, false)).unwrap_or_default();
    let name = name.trim();
    let is_path = !name.contains(char::is_whitespace)
        && name.contains(char::is_alphanumeric)
        && (name.contains('/') || name.trim_end_matches('.').contains('.'));
    let is_code = name.contains(['(', ')', '{', '}', ';', '=']);
    begins_a_file(line) || (is_named(line) && (is_path || (line.starts_with('+') && !is_code)))
}

/// A line that names a file as only a diff does, also where the other one, which belongs to it, is missing.
fn begins_a_file(line: &str) -> bool {
    is_named(line) && line.get(4..).is_some_and(|name| has_prefix(name) || name.trim_end() == "/dev/null")
}

/// `@@ -1,2 +3,4 @@`.
pub(super) fn is_hunk(line: &str) -> bool {
    line.starts_with("@@ -") && range(line.trim_start_matches('@')).is_some()
}

/// What stands in place of the numbers: a line of the file below which the hunk belongs, or a hint, and perhaps one more behind the second
/// `@@`. Behind numbers it only shows what is near, cut to a length.
fn anchors(header: &str) -> Vec<String> {
    let is_other = |text: &&str| ["-", "+", "...", "…"].iter().any(|sign| text.starts_with(sign));
    let parts = header.trim_start_matches('@').split("@@").map(str::trim);
    parts.take_while(|text| !is_other(text)).filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

/// Behind the numbers of a hunk, or in their place, stands a line with a sign. Where the numbers fit it is the one above the hunk, as
/// git shows it.
fn has_line(header: &str) -> bool {
    let is_signed = |text: &str| text.trim_start().starts_with(['+', '-']);
    let mut parts = header.splitn(3, "@@").skip(1);
    match (parts.next(), parts.next()) {
        (_, Some(behind)) => is_signed(behind),
        (Some(inner), None) => is_signed(inner) && !is_range(inner),
        (None, None) => false,
    }
}

/// `-1,2 +3,4`, with or without what stands around it.
pub(super) fn is_range(text: &str) -> bool {
    range(text).is_some()
}

struct Reader<'a> {
    all: Lines<'a>,
    lines: &'a [&'a str],
    at: usize,
    /// Of the hunk that was read last, with which the patch ends.
    short: Option<Short>,
    /// The file that was read last has one name alone, and nothing tells what stands in front of it.
    lone: Option<Lone>,
    /// The first folders of the old and the new names of files that are one but for them.
    folders: Folders,
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
                if !header.read(text, self.at + 1)? {
                    break;
                }
                self.at += 1;
            }
        }
        // An empty file has no other names than those of the first line.
        let has_prefixes = matches!(header.prefixes, Some(Prefixes::Of(..)));
        self.lone = (has_prefixes && (header.added || header.deleted))
            .then_some(Lone { behind: true, compared: false });
        let begins = (self.at..self.lines.len()).find(|&at| !is_filling(self.lines[at]));
        if let Some(at) = begins.filter(|&at| are_names(self.lines, at)) {
            self.at = at;
            self.names(&mut header)?;
        } else if header.is_git
            && let Some(at) = begins
            && let Some(name) = self.lines[at].strip_prefix("+++ ").map(|name| file_name(name, true))
            && header.has_new_name(&name)
        {
            // The first line has told the name, and this one alone says nothing else.
            self.at = at + 1;
        }
        let mut hunks: Vec<PatchHunk> = Vec::new();
        while self.next_hunk() {
            if self.lines[self.at].starts_with("@@@ -") {
                return Err(prose::of_a_merge(self.at + 1));
            }
            let hunk = self.hunk(&header)?;
            if header.added {
                self.only_come(hunk.line, &hunk)?;
            }
            if header.added && hunk.start.is_some() && !hunks.is_empty() {
                let hint = "make one hunk of it, `@@ -0,0 +1,COUNT @@` with all lines of the file";
                return Err(PatchError {
                    line: hunk.line,
                    reason: "a new file has one hunk".to_owned(),
                    hint,
                });
            }
            hunks.push(hunk);
        }
        if hunks.is_empty() && header.added {
            hunks.extend(self.bare_lines()?);
        }
        header.check(&hunks, line)?;
        let plain = header.plain;
        let patch = finish(header, hunks, line)?;
        Ok(FilePatch { short: self.short, plain, ..patch })
    }

    /// Goes to the next hunk of this file, if there is one.
    fn next_hunk(&mut self) -> bool {
        let next = (self.at..self.lines.len()).find(|&at| !is_filling(self.lines[at]));
        let next = next.filter(|&at| self.lines[at].starts_with("@@"));
        self.at = next.unwrap_or(self.at);
        next.is_some()
    }

    /// The lines of a new file, up to here, all come. Some writers leave out the sign of an empty one, and count it.
    fn only_come(&self, from: usize, hunk: &PatchHunk) -> Result<(), PatchError> {
        let numbers = range(self.lines[from - 1].trim_start_matches('@'));
        let is_counted = numbers.is_some_and(|(_, (_, new))| u64::from(new) == hunk.new.len() as u64);
        let comes = |line: &&str| line.starts_with(['+', '\\']) || (is_counted && line.is_empty());
        match self.lines[from..self.at].iter().position(|line| !comes(line)) {
            None => Ok(()),
            Some(place) => Err(PatchError::new(from + place + 1, "each line of a new file begins with `+`")),
        }
    }

    /// The lines of a new file without a line that says how many they are.
    fn bare_lines(&mut self) -> Result<Option<PatchHunk>, PatchError> {
        let first = (self.at..self.lines.len()).find(|&at| !self.lines[at].trim().is_empty());
        let Some(at) = first.filter(|&at| self.lines[at].starts_with('+') && !begins(self.lines, at)) else {
            return Ok(None);
        };
        self.at = at;
        let hunk = self.uncounted(true)?;
        self.only_come(at, &hunk)?;
        Ok(Some(PatchHunk { line: at + 1, ..hunk }))
    }

    fn names(&mut self, header: &mut Header) -> Result<(), PatchError> {
        let text = |at: usize| self.lines[at].get(4..).unwrap_or_default();
        let (is_git, at) = (header.is_git, self.at);
        let (old, new) = (file_name(text(at), is_git), file_name(text(at + 1), is_git));
        header.epoch = (!is_git && is_epoch(text(at)), !is_git && is_epoch(text(at + 1)));
        self.at += 2;
        header.check_names(&old, &new, at + 1)?;
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
        let fits = |(one, other): &(&str, &str)| {
            (header.added || old.starts_with(one)) && (header.deleted || new.starts_with(other))
        };
        let usual = || Some(("a/", "b/")).filter(fits);
        let prefixes = match &header.prefixes {
            Some(Prefixes::None) if one_sided => None,
            Some(Prefixes::Of(one, other)) => Some((one.as_str(), other.as_str())).filter(fits),
            _ if one_sided => usual(),
            _ => usual().or_else(|| prefixes_of(&old, &new)),
        };
        let behind = prefixes.is_some();
        let compared = !is_git && compares(self.lines, at);
        self.lone = (one_sided && (behind || header.prefixes.is_none())).then_some(Lone { behind, compared });
        let (one, other) = prefixes.unwrap_or_default();
        let plain = |name: &str, prefix: &str| undotted(name.strip_prefix(prefix).unwrap_or(name)).to_owned();
        let (old, new) = (plain(&old, one), plain(&new, other));
        if let Some((one, other, _)) = parted(&old, &new).filter(|_| !one_sided) {
            self.folders.insert((behind, one.to_owned(), other.to_owned()));
        }
        header.old = (!header.added).then_some(old);
        header.new = (!header.deleted).then_some(new);
        Ok(())
    }

    fn hunk(&mut self, of: &Header) -> Result<PatchHunk, PatchError> {
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
        if has_line(header) {
            let reason = "a line of the hunk stands behind its `@@`".to_owned();
            return Err(PatchError { line, reason, hint: "write `@@`, and below it each line of the hunk" });
        }
        let anchors = if of.added || of.deleted { Vec::new() } else { anchors(header) };
        // Numbers that do not fit are common; the lines themselves say where the hunk ends.
        self.at = begin;
        let hunk = self.uncounted(of.added || of.deleted)?;
        if !(of.added || of.epoch.0) && hunk.old.is_empty() && !hunk.new.is_empty() {
            check_place(line, header, numbers)?;
        }
        let is_last = self.lines[self.at..].iter().all(|line| line.trim().is_empty());
        if let Some(((_, old), (_, new))) = numbers.filter(|_| is_last) {
            self.short = short(line, (old, new), &hunk)?;
        }
        Ok(PatchHunk { line, anchors, start, ..hunk })
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
                Some(b'\\') => hunk.end_at(self.lines[self.at - 2]),
                Some(b'-') => old = old.checked_sub(1)?,
                Some(b'+') => new = new.checked_sub(1)?,
                Some(b' ') | None => (old, new) = (old.checked_sub(1)?, new.checked_sub(1)?),
                _ => return None,
            }
            take(&mut hunk, self.all, self.at - 1);
        }
        if self.lines.get(self.at).is_some_and(|line| line.starts_with('\\')) {
            hunk.end_at(self.lines[self.at - 1]);
            take(&mut hunk, self.all, self.at);
            self.at += 1;
        }
        // Also behind blank lines, which may be lines of the file.
        let next = (self.at..self.lines.len()).find(|&at| !self.lines[at].is_empty());
        let goes_on = next.is_some_and(|at| {
            let line = self.lines[at];
            line.starts_with([' ', '+', '-'])
                && !ends_counted(line)
                && !are_names(self.lines, at)
                && !is_signature(self.lines, at)
                && !is_own_signature(self.lines, at)
                && !is_lone_rule(self.lines, at)
        });
        (!goes_on).then_some(hunk)
    }

    /// A hunk up to what cannot be a line of it. Where it has the whole of a file, empty lines behind it are none of it.
    fn uncounted(&mut self, is_whole: bool) -> Result<PatchHunk, PatchError> {
        let mut hunk = PatchHunk::default();
        let mut text = self.at;
        while let Some(&line) = self.lines.get(self.at) {
            // Of many empty lines the end is looked for once.
            if line.is_empty() && text <= self.at {
                let next = (self.at..self.lines.len()).find(|&at| !self.lines[at].trim().is_empty());
                text = next.unwrap_or(self.lines.len());
            }
            let ends = ["@@", "diff --git "].iter().any(|word| line.starts_with(word))
                || self.at_names()
                || begins_a_file(line);
            if ends
                || is_signature(self.lines, self.at)
                || (line.is_empty() && text == self.lines.len())
                || line.starts_with("```")
            {
                break;
            }
            if !(line.is_empty() || line.starts_with([' ', '+', '-', '\\'])) {
                return Err(PatchError::new(self.at + 1, "a line of a hunk begins with ` `, `-` or `+`"));
            }
            if line.starts_with('\\') && self.at > 0 {
                hunk.end_at(self.lines[self.at - 1]);
            }
            take(&mut hunk, self.all, self.at);
            self.at += 1;
        }
        while is_whole && self.lines[self.at - 1].is_empty() {
            self.at -= 1;
            for side in [&mut hunk.old, &mut hunk.new] {
                side.pop();
            }
            for side in [&mut hunk.returns.0, &mut hunk.returns.1] {
                side.pop();
            }
        }
        if is_whole {
            hunk.bare = (0, 0);
        }
        Ok(hunk)
    }
}

/// Lines come, and nothing else: where they do the header has to tell, and no more than it can.
fn check_place(
    line: usize,
    header: &str,
    numbers: Option<((u32, u32), (u32, u32))>,
) -> Result<(), PatchError> {
    match numbers {
        Some(((_, 0), _)) => Ok(()),
        Some(((_, old), _)) => Err(PatchError::without_lines(line, old)),
        None if header.trim_matches(['@', ' ', '\t']).is_empty() => Ok(()),
        None => Err(PatchError {
            line,
            reason: "neither a number nor a line of the file tells where the lines of this hunk belong"
                .to_owned(),
            hint: "write lines of the file around them, each behind a blank, or the numbers of the lines",
        }),
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

fn finish(header: Header, mut hunks: Vec<PatchHunk>, line: usize) -> Result<FilePatch, PatchError> {
    let missing = || PatchError::new(line, "the path is missing");
    let Header { old, new, renamed, executable, epoch, is_git, .. } = header;
    let added = header.added || (epoch.0 && hunks.iter().all(|hunk| hunk.old.is_empty()));
    let deleted = header.deleted || (epoch.1 && !added && hunks.iter().all(|hunk| hunk.new.is_empty()));
    let exact = settle_ends(&mut hunks);
    let of = |path: String, or: Vec<Named>, action: Action| FilePatch {
        path,
        or,
        compared: epoch.0,
        line,
        action,
        short: None,
        plain: None,
        if_empty: None,
    };
    let (old, new) = (old.filter(|path| !path.is_empty()), new.filter(|path| !path.is_empty()));
    if renamed {
        let (path, to) = old.zip(new).ok_or_else(missing)?;
        let to = (to != path).then_some(to);
        if hunks.is_empty() && to.is_none() && !executable {
            return Err(PatchError::new(line, "it has no hunk"));
        }
        return Ok(of(path, Vec::new(), Action::Update { to, hunks, executable }));
    }
    let (path, names) = match (old, new) {
        (Some(old), Some(new)) if old != new => {
            let names = one_of(&old, &new).ok_or_else(|| PatchError {
                line,
                reason: format!("it names two files, `{}` and `{}`", visible(&old), visible(&new)),
                hint: TWO_FILES,
            })?;
            let inner = names.iter().find(|named| named.side == Side::Inner).or(names.first());
            (inner.map(|named| named.path.clone()).ok_or_else(missing)?, names)
        }
        (_, Some(name)) if added => (name, Vec::new()),
        (Some(name), _) | (None, Some(name)) => (name, Vec::new()),
        (None, None) => return Err(missing()),
    };
    if added {
        return Ok(of(path, names, Action::Add { text: new_text(&hunks), executable, exact }));
    }
    if deleted {
        return Ok(of(path, names, Action::Delete { hunks: Some(hunks) }));
    }
    if hunks.is_empty() && !executable {
        return Err(PatchError::new(line, "it has no hunk"));
    }
    // In front of the first line git names the file as well, by `diff --git`.
    let says_empty = |hunk: &PatchHunk| hunk.start == Some(0) && hunk.old.is_empty() && !hunk.new.is_empty();
    let if_empty = match hunks.as_slice() {
        [only] if !is_git && says_empty(only) => Some((new_text(&hunks), exact)),
        _ => None,
    };
    Ok(FilePatch { if_empty, ..of(path, names, Action::Update { to: None, hunks, executable }) })
}

/// Start and count, before and after.
pub(super) fn range(text: &str) -> Option<((u32, u32), (u32, u32))> {
    let mut words = text.split_whitespace();
    let side = |word: Option<&str>, sign: char| {
        let word = word?.strip_prefix(sign)?;
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    Some((side(words.next(), '-')?, side(words.next(), '+')?))
}
