//! The text that `fs_read` shows of what is held as a whole: a small file, or what was kept of an earlier answer.

use std::borrow::Cow;

use super::{
    block,
    read::Params,
    text_file::{Encoding, NoText, TextFile},
    window::{self, Budget, Window},
};
use crate::{
    ids::{Etag, hex},
    line_ends::{self, LineEnds},
    tools::{Call, Code, ToolError, handles::Kept},
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

/// The bytes of a file.
pub(super) fn held(bytes: &[u8], params: &Params, path: &str, call: &Call) -> Result<Seen, ToolError> {
    let (text, encoding, bom, warning) = match TextFile::plain(bytes) {
        Some(text) => (Cow::Borrowed(text), Encoding::Utf8.name(), false, None),
        None => decoded(bytes, path)?,
    };
    let seen = of_text((&text, false), Etag::of(bytes), params, path, call)?;
    Ok(Seen { size: bytes.len() as u64, encoding, bom, warning, ..seen })
}

/// What was kept of an earlier answer: text, whatever its beginning looks like.
pub(super) fn kept(kept: &Kept, params: &Params, path: &str, call: &Call) -> Result<Seen, ToolError> {
    let text = &*kept.text;
    of_text((text, kept.is_pieces), Etag::of(text.as_bytes()), params, path, call)
}

/// Pieces are shown as they are.
fn of_text(
    (text, is_pieces): (&str, bool),
    etag: Etag,
    params: &Params,
    path: &str,
    call: &Call,
) -> Result<Seen, ToolError> {
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
    let shown = &text[start_of(skipped, text)..];
    let lines = shown.split_inclusive('\n').take_while(|_| !call.cancel.is_cancelled());
    let budget = Budget { whole_lines: is_pieces, ..budget(params, count) };
    let window = window::show(lines, first, budget, shown.len());
    call.check_cancelled()?;
    Ok(Seen {
        window,
        first,
        end,
        total,
        size: text.len() as u64,
        encoding: Encoding::Utf8.name(),
        bom: false,
        eol: LineEnds::from_counts(lf, crlf),
        final_newline,
        etag,
        warning: None,
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

pub(super) fn budget(params: &Params, lines: usize) -> Budget {
    Budget { lines, bytes: params.max_bytes as usize, numbered: params.line_numbers, whole_lines: false }
}

/// The first line to show; a negative one counts from the end.
pub(super) fn first_line(start: i64, total: u64, path: &str) -> Result<u64, ToolError> {
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
pub(super) fn binary(path: &str, bytes: &[u8]) -> ToolError {
    let start = &bytes[..bytes.len().min(16)];
    ToolError::new(
        Code::BinaryFile,
        format!("`{path}` is no text; its first bytes are {}", hex(start)),
        "fs_list with detail shows its size; a command can look inside",
    )
}
