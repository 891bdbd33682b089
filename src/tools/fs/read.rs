//! `fs_read`: the text of a file, numbered, with its facts. Reads only regular files, and no more of them than asked.

use std::{
    borrow::Cow,
    fmt::Write as _,
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
    sync::Arc,
    time::SystemTime,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    block,
    line_ends::{self, LineEnds},
    preview::preview,
    survey::{self, MARK_LINES, PIECE, Survey},
    text_file::{Encoding, NoText, TextFile},
    window::{self, Budget, Window},
};
use crate::{
    config::Profile,
    ids::{Etag, hex},
    limits::{BRIEF_BYTES, READ_BYTES, READ_BYTES_MAX, READ_LINES, SCAN_BYTES, WRITE_BYTES},
    policy::{Intent, Permit, Raise},
    tier::Tier,
    tools::{Call, Code, NextCall, Prepared, READS, Reply, Tool, ToolError, ToolSpec, Truncated},
    workspace::{DoorError, FileKind, Stat, WorkspacePath},
};

/// What is read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// A file, or a handle `out:…`.
    path: String,
    /// From 1; negative counts from the end.
    #[serde(default = "one")]
    start_line: i64,
    /// Lines.
    #[serde(default = "lines")]
    #[schemars(range(min = 1, max = 1_000_000))]
    limit: u32,
    /// `  12|` before each line.
    #[serde(default = "yes")]
    line_numbers: bool,
    /// Show the indented block around this line; 0: no.
    #[serde(default)]
    around_line: u32,
    /// Bytes of text.
    #[serde(default = "bytes")]
    #[schemars(range(min = 1, max = 16_777_216))]
    max_bytes: u32,
}

fn one() -> i64 {
    1
}

fn lines() -> u32 {
    READ_LINES
}

fn yes() -> bool {
    true
}

fn bytes() -> u32 {
    READ_BYTES
}

/// The facts about a file; its text stands in the answer's text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Relative to the workspace, resolved.
    path: String,
    /// `text`, `image`, `pdf`, `binary`, or `dir-hint` for a folder.
    kind: String,
    /// The type of what is no text.
    mime: Option<String>,
    /// First line shown; 0 when none is.
    start_line: u64,
    /// Last line shown.
    end_line: u64,
    /// Lines of the file.
    lines_total: u64,
    /// Bytes of the file.
    size: u64,
    /// How it is written down.
    encoding: String,
    /// It begins with a byte order mark.
    bom: bool,
    /// Its line ends.
    eol: LineEnds,
    /// Its last line has an end.
    final_newline: bool,
    /// When it changed.
    mtime: String,
}

/// A resolved read.
#[derive(Debug)]
pub struct Work {
    params: Params,
    source: Source,
}

#[derive(Debug)]
enum Source {
    File(WorkspacePath),
    /// What was cut from an earlier answer.
    Kept(Arc<str>),
}

/// The tool.
#[derive(Debug)]
pub struct FsRead;

impl Tool for FsRead {
    type Params = Params;
    type Output = Output;
    type Work = Work;
    const SPEC: ToolSpec = ToolSpec {
        name: "fs_read",
        title: "Read a file",
        description: "Reads a text file as numbered lines (`  12|code`), 2000 lines and 48 KiB at most; the last \
            line says how to go on. The etag goes into fs_edit and fs_write.",
        profile: Profile::Read,
        tier: Tier::Auto,
        annotations: READS,
    };

    const PREPARES_BRIEFLY: bool = true;

    fn is_brief(&self, work: &Work, call: &Call) -> bool {
        let Source::File(path) = &work.source else { return false };
        let stat = call.workspace.stat(path);
        stat.is_ok_and(|stat| stat.kind == FileKind::File && stat.size <= BRIEF_BYTES)
    }

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        check(&params)?;
        if let Some(kept) = call.handles.find(&params.path) {
            let intent = Intent::read(format!("Read {}", params.path));
            return Ok(Prepared { intent, work: Work { params, source: Source::Kept(kept?) } });
        }
        let path = call.workspace.resolve(&params.path)?;
        let mut intent = Intent::read(format!("Read {}", path.resolved()));
        if call.workspace.rules().looks_secret(&path.resolved().to_slashed()) {
            let reason = format!("`{}` is named as if it held a secret", path.resolved());
            intent.raises.push(Raise { tier: Tier::Individual, reason });
        }
        Ok(Prepared { intent, work: Work { params, source: Source::File(path) } })
    }

    fn run(&self, _permit: &Permit, work: Work, call: &Call) -> Result<Reply<Output>, ToolError> {
        let Work { params, source } = work;
        let path = match source {
            Source::File(path) => path,
            Source::Kept(kept) => {
                let seen = held(kept.as_bytes(), &params, &params.path)?;
                return Ok(answer(&params, params.path.clone(), SystemTime::now(), seen));
            }
        };
        if path.is_folder() {
            return Ok(folder(&path));
        }
        let (mut file, stat) = call.workspace.open_file_with_stat(&path)?;
        if stat.size > SCAN_BYTES {
            let size = stat.size;
            return Err(DoorError::TooLarge { path: path.given().to_owned(), size, limit: SCAN_BYTES }.into());
        }
        if stat.size > WRITE_BYTES {
            return match large(&mut file, &stat, &params, &path, call) {
                Err(error) if error.code == Code::BinaryFile => {
                    let bytes = beginning(&mut file).map_err(|error| DoorError::io(path.given(), error))?;
                    Ok(no_text(&path, &stat, &bytes, None))
                }
                seen => Ok(answer(&params, path.resolved().to_text(), stat.modified, seen?)),
            };
        }
        let bytes = whole(file, &stat, &path)?;
        match held(&bytes, &params, path.given()) {
            Err(error) if error.code == Code::BinaryFile => {
                Ok(no_text(&path, &stat, &bytes, Some(Etag::of(&bytes))))
            }
            seen => Ok(answer(&params, path.resolved().to_text(), stat.modified, seen?)),
        }
    }
}

/// A folder is listed, not read.
fn folder(path: &WorkspacePath) -> Reply<Output> {
    let name = path.resolved().to_text();
    let args = json!({"path": name});
    let text = format!("{name} is a folder; fs_list {args} shows what is in it\n");
    let output = Output { kind: "dir-hint".to_owned(), ..Output::without_text(name) };
    let mut reply = Reply::new(text, output);
    let next = Some(NextCall { tool: "fs_list".to_owned(), args });
    reply.truncated = Some(Truncated { shown: 0, total: 1, unit: "folders".to_owned(), next });
    reply
}

fn no_text(path: &WorkspacePath, stat: &Stat, bytes: &[u8], etag: Option<Etag>) -> Reply<Output> {
    let name = path.resolved().to_text();
    let preview = preview(&path.resolved().to_string(), bytes, stat.size);
    let output = Output {
        kind: preview.kind.to_owned(),
        mime: Some(preview.mime.to_owned()),
        size: stat.size,
        mtime: time(stat.modified),
        ..Output::without_text(name)
    };
    let mut reply = Reply::new(preview.text, output);
    reply.picture = preview.picture;
    reply.etag = etag.map(|etag| etag.as_str().to_owned());
    reply
}

impl Output {
    fn without_text(path: String) -> Self {
        Self {
            path,
            kind: String::new(),
            mime: None,
            start_line: 0,
            end_line: 0,
            lines_total: 0,
            size: 0,
            encoding: "binary".to_owned(),
            bom: false,
            eol: LineEnds::None,
            final_newline: false,
            mtime: String::new(),
        }
    }
}

fn beginning(file: &mut File) -> std::io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = vec![0; 4096];
    let read = file.read(&mut bytes)?;
    bytes.truncate(read);
    Ok(bytes)
}

fn check(params: &Params) -> Result<(), ToolError> {
    let invalid =
        |message: &str| Err(ToolError::new(Code::InvalidArgs, message, "see the tool's input schema"));
    if params.start_line == 0 {
        return invalid("`start_line` is 0; lines count from 1, or from the end with -1");
    }
    if params.limit == 0 {
        return invalid("`limit` is 0; at least one line is read");
    }
    if params.max_bytes == 0 || params.max_bytes > READ_BYTES_MAX {
        return invalid("`max_bytes` may be 1 to 16777216");
    }
    Ok(())
}

/// What was found in the file.
struct Seen {
    window: Window,
    /// The first line shown, from 1.
    first: u64,
    total: u64,
    size: u64,
    encoding: String,
    bom: bool,
    eol: LineEnds,
    final_newline: bool,
    etag: Etag,
    warning: Option<String>,
}

/// A file that is held as a whole.
fn whole(file: File, stat: &Stat, path: &WorkspacePath) -> Result<Vec<u8>, ToolError> {
    let mut bytes = Vec::with_capacity(usize::try_from(stat.size).unwrap_or(0) + 1);
    file.take(SCAN_BYTES).read_to_end(&mut bytes).map_err(|error| DoorError::io(path.given(), error))?;
    Ok(bytes)
}

/// Bytes that are held as a whole.
fn held(bytes: &[u8], params: &Params, path: &str) -> Result<Seen, ToolError> {
    let (text, encoding, bom, warning) = match TextFile::plain(bytes) {
        Some(text) => (Cow::Borrowed(text), Encoding::Utf8.name(), false, None),
        None => decoded(bytes, path)?,
    };
    let (lf, crlf) = line_ends::counts(text.as_bytes());
    let final_newline = text.ends_with('\n');
    let total = lf + u64::from(!text.is_empty() && !final_newline);
    let (skipped, count) = if params.around_line > 0 {
        past_end(u64::from(params.around_line), total, path)?;
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let block = block::around(&lines, params.around_line as usize - 1);
        (block.start, block.len().min(params.limit as usize))
    } else {
        let first = first_line(params.start_line, total, path)?;
        (usize::try_from(first - 1).unwrap_or(usize::MAX), params.limit as usize)
    };
    let first = skipped as u64 + 1;
    let shown = &text[start_of(skipped, &text)..];
    let window = window::show(shown.split_inclusive('\n'), first, budget(params, count), shown.len());
    Ok(Seen {
        window,
        first,
        total,
        size: bytes.len() as u64,
        encoding,
        bom,
        eol: LineEnds::from_counts(lf, crlf),
        final_newline,
        etag: Etag::of(bytes),
        warning,
    })
}

/// Bytes that do not stand for themselves: the text, its encoding, whether it has a byte order mark, and what to warn of.
fn decoded(bytes: &[u8], path: &str) -> Result<(Cow<'static, str>, String, bool, Option<String>), ToolError> {
    match TextFile::decode(bytes) {
        Ok(file) => Ok((Cow::Owned(file.text), file.encoding.name(), file.bom, None)),
        Err(NoText::Unknown) => {
            let warning = "its encoding is unknown: what could not be read is shown as \u{fffd}, and fs_edit refuses it";
            let text = String::from_utf8_lossy(bytes).into_owned();
            Ok((Cow::Owned(text), "unknown".to_owned(), false, Some(warning.to_owned())))
        }
        Err(NoText::Binary) => Err(binary(path, bytes)),
    }
}

/// Where the line begins that has so many others in front of it.
fn start_of(skipped: usize, text: &str) -> usize {
    match skipped.checked_sub(1) {
        None => 0,
        Some(last) => memchr::memchr_iter(b'\n', text.as_bytes()).nth(last).map_or(text.len(), |end| end + 1),
    }
}

/// A file that is only passed through: counted and hashed in one pass, the lines asked for read in a second one.
fn large(
    file: &mut File,
    stat: &Stat,
    params: &Params,
    path: &WorkspacePath,
    call: &Call,
) -> Result<Seen, ToolError> {
    let failed = |error| ToolError::from(DoorError::io(path.given(), error));
    if params.around_line > 0 {
        return Err(ToolError::new(
            Code::TooLarge,
            format!("`{}` is larger than 8 MiB: no block is looked for in it", path.given()),
            "use start_line and limit",
        ));
    }
    let survey = match survey::remembered(stat) {
        Some(survey) => survey,
        None => surveyed(file, stat, path, call)?,
    };
    let Survey { marks, ends, crlf, size, last, etag } = &*survey;
    let total = ends + u64::from(*size > 0 && *last != b'\n');
    let first = first_line(params.start_line, total, path.given())?;
    let mark = marks[usize::try_from((first - 1) / MARK_LINES).unwrap_or(0).min(marks.len() - 1)];
    file.seek(SeekFrom::Start(mark)).map_err(failed)?;
    let wanted = ((first - 1) % MARK_LINES) + u64::from(params.limit);
    let bytes = lines_from(file, wanted, params.max_bytes as usize).map_err(failed)?;
    let text = String::from_utf8_lossy(&bytes);
    let skipped = usize::try_from((first - 1) % MARK_LINES).unwrap_or(0);
    let lines = text.split_inclusive('\n').skip(skipped);
    Ok(Seen {
        window: window::show(lines, first, budget(params, params.limit as usize), text.len()),
        first,
        total,
        size: *size,
        encoding: "utf-8".to_owned(),
        bom: false,
        eol: LineEnds::from_counts(*ends, *crlf),
        final_newline: *last == b'\n',
        etag: etag.clone(),
        warning: None,
    })
}

/// Counts and hashes; remembered where nobody has changed the file meanwhile.
fn surveyed(
    file: &mut File,
    stat: &Stat,
    path: &WorkspacePath,
    call: &Call,
) -> Result<Arc<Survey>, ToolError> {
    let failed = |error| ToolError::from(DoorError::io(path.given(), error));
    let mut first = true;
    let survey = Survey::of(file, failed, |bytes| {
        call.check_cancelled()?;
        if std::mem::take(&mut first) && TextFile::decode_lossy(&bytes[..bytes.len().min(8000)]).is_none() {
            return Err(binary(path.given(), bytes));
        }
        Ok(())
    })?;
    let survey = Arc::new(survey);
    if call.workspace.stat(path).is_ok_and(|now| now == *stat) {
        survey::remember(stat, &survey);
    }
    Ok(survey)
}

/// At most `wanted` lines from here on, and not much more than `bytes` beyond the first thousand.
fn lines_from(file: &mut File, wanted: u64, bytes: usize) -> std::io::Result<Vec<u8>> {
    let mut held = Vec::new();
    let mut piece = vec![0; PIECE];
    let mut ends = 0;
    let mut until = usize::MAX;
    while ends < wanted && held.len() < until {
        let read = file.read(&mut piece)?;
        if read == 0 {
            break;
        }
        ends += line_ends::counts(&piece[..read]).0;
        held.extend_from_slice(&piece[..read]);
        if ends >= 1000 && until == usize::MAX {
            until = held.len() + bytes + PIECE;
        }
        // One line of many megabytes is cut anyway.
        if held.len() > (READ_BYTES_MAX as usize) * 2 {
            break;
        }
    }
    Ok(held)
}

fn budget(params: &Params, lines: usize) -> Budget {
    Budget { lines, bytes: params.max_bytes as usize, numbered: params.line_numbers }
}

/// The first line to show; a negative one counts from the end.
fn first_line(start: i64, total: u64, path: &str) -> Result<u64, ToolError> {
    if start < 0 {
        return Ok(total.saturating_sub(start.unsigned_abs()) + 1);
    }
    let start = start.unsigned_abs();
    if start > 1 {
        past_end(start, total, path)?;
    }
    Ok(start)
}

fn past_end(line: u64, total: u64, path: &str) -> Result<(), ToolError> {
    if line <= total {
        return Ok(());
    }
    Err(ToolError::new(
        Code::InvalidArgs,
        format!("`{path}` has {total} lines; there is no line {line}"),
        "start_line -100 shows the last 100 lines",
    ))
}

/// What is no text, where text alone is kept.
fn binary(path: &str, bytes: &[u8]) -> ToolError {
    let start = &bytes[..bytes.len().min(16)];
    ToolError::new(
        Code::BinaryFile,
        format!("`{path}` is no text; its first bytes are {}", hex(start)),
        "fs_list with detail shows its size; a command can look inside",
    )
}

fn answer(params: &Params, path: String, modified: SystemTime, seen: Seen) -> Reply<Output> {
    let shown = seen.window.lines as u64;
    let last = (seen.first + shown).saturating_sub(1);
    let mut text = seen.window.text;
    let next = (last < seen.total && params.around_line == 0).then(|| next_call(params, last + 1));
    if seen.size == 0 {
        text.push_str("(the file is empty)\n");
    } else if let Some(next) = &next {
        let (first, total) = (seen.first, seen.total);
        let _ = writeln!(text, "(lines {first}-{last} of {total}; next: fs_read {})", next.args);
    } else if params.line_numbers {
        let _ = writeln!(text, "(lines {}-{last} of {})", seen.first, seen.total);
    }
    let output = Output {
        path,
        kind: "text".to_owned(),
        mime: None,
        start_line: if shown == 0 { 0 } else { seen.first },
        end_line: if shown == 0 { 0 } else { last },
        lines_total: seen.total,
        size: seen.size,
        encoding: seen.encoding,
        bom: seen.bom,
        eol: seen.eol,
        final_newline: seen.final_newline,
        mtime: time(modified),
    };
    let mut reply = Reply::new(text, output);
    reply.etag = Some(seen.etag.as_str().to_owned());
    if shown < seen.total {
        reply.truncated = Some(Truncated { shown, total: seen.total, unit: "lines".to_owned(), next });
    }
    reply.warnings.extend(seen.warning);
    if seen.window.cut > 0 {
        reply
            .warnings
            .push(format!("{} line(s) are longer than 2000 characters and were cut", seen.window.cut));
    }
    reply
}

/// The call that goes on where this one stopped.
fn next_call(params: &Params, line: u64) -> NextCall {
    let mut args = json!({"path": params.path, "start_line": line});
    if params.limit != READ_LINES {
        args["limit"] = Value::from(params.limit);
    }
    if params.max_bytes != READ_BYTES {
        args["max_bytes"] = Value::from(params.max_bytes);
    }
    if !params.line_numbers {
        args["line_numbers"] = Value::from(false);
    }
    NextCall { tool: "fs_read".to_owned(), args }
}

/// RFC 3339, to the second.
pub(super) fn time(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time)
        .and_then(|time| time.round(jiff::Unit::Second))
        .map(|time| time.to_string())
        .unwrap_or_default()
}
