//! The text that `fs_read` shows: a small file is held as a whole, a large one only passed through, whatever it holds.

use std::{
    borrow::Cow,
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
    sync::Arc,
};

use super::{
    block,
    read::Params,
    survey::{self, MARK_LINES, PIECE, Survey},
    text_file::{Encoding, NoText, TextFile},
    window::{self, Budget, Window},
};
use crate::{
    ids::{Etag, hex},
    limits::READ_BYTES_MAX,
    line_ends::{self, LineEnds},
    tools::{Call, Code, ToolError},
    workspace::{DoorError, Stat, WorkspacePath},
};

/// What was found in the file.
pub(super) struct Seen {
    pub(super) window: Window,
    /// The first line shown, from 1.
    pub(super) first: u64,
    /// The last line of what was asked for: of the block, or of the file.
    pub(super) end: u64,
    pub(super) total: u64,
    pub(super) size: u64,
    pub(super) encoding: String,
    pub(super) bom: bool,
    pub(super) eol: LineEnds,
    pub(super) final_newline: bool,
    pub(super) etag: Etag,
    pub(super) warning: Option<String>,
}

/// Bytes that are held as a whole.
pub(super) fn held(bytes: &[u8], params: &Params, path: &str) -> Result<Seen, ToolError> {
    let (text, encoding, bom, warning) = match TextFile::plain(bytes) {
        Some(text) => (Cow::Borrowed(text), Encoding::Utf8.name(), false, None),
        None => decoded(bytes, path)?,
    };
    let (lf, crlf) = line_ends::counts(text.as_bytes());
    let final_newline = text.ends_with('\n');
    let total = lf + u64::from(!text.is_empty() && !final_newline);
    let (skipped, count, end) = if params.around_line > 0 {
        past_end(u64::from(params.around_line), total, path)?;
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let block = block::around(&lines, params.around_line as usize - 1);
        (block.start, block.len().min(params.limit as usize), block.end as u64)
    } else {
        let first = first_line(params.start_line, total, path)?;
        (usize::try_from(first - 1).unwrap_or(usize::MAX), params.limit as usize, total)
    };
    let first = skipped as u64 + 1;
    let shown = &text[start_of(skipped, &text)..];
    let window = window::show(shown.split_inclusive('\n'), first, budget(params, count), shown.len());
    Ok(Seen {
        window,
        first,
        end,
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
        Ok(file) => {
            let (encoding, bom) = (file.encoding, file.bom);
            let warning = "bytes that are no UTF-8 are shown as \u{fffd}; fs_edit keeps them where they are";
            let warning = (encoding == Encoding::NearlyUtf8).then(|| warning.to_owned());
            Ok((Cow::Owned(file.into_shown()), encoding.name(), bom, warning))
        }
        Err(NoText::Unknown) => {
            let warning = "its encoding is unknown: what could not be read is shown as \u{fffd}, and fs_edit refuses it";
            let text = TextFile::as_far_as_known(bytes);
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
pub(super) fn large(
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
        end: total,
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
