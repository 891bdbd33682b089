//! `fs_read` of a file that is too large to be held: counted and hashed in one pass, the lines asked for read in a second one, be
//! they as long as they like and written down in whatever way.

use std::{
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
    sync::Arc,
};

use super::{
    read::Params,
    script::{self, fill},
    seen::{Seen, binary, budget, first_line},
    survey::{self, PIECE, Survey},
    text_file::Encoding,
    window::{Showing, Window},
};
use crate::{
    line_ends::LineEnds,
    tools::{Call, Code, ToolError},
    workspace::{DoorError, Stat, WorkspacePath},
};

/// A line with more bytes is shown in parts: it is cut anyway, and may be as long as the file.
const LINE_BYTES: usize = 64 * 1024;

/// What was found in the file.
pub(super) fn large(
    file: &mut File,
    stat: &Stat,
    params: &Params,
    path: &WorkspacePath,
    call: &Call,
) -> Result<Seen, ToolError> {
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
    let total = survey.lines();
    let first = first_line(params.start_line, total, path.given())?;
    let shown = Shown { file, survey: &survey, path, call };
    let (window, had_errors) = shown.from(first, params)?;
    let script = survey.script;
    Ok(Seen {
        window,
        first,
        end: total,
        total,
        size: survey.size,
        encoding: script.name(),
        bom: script.mark > 0 && script.encoding.is_some(),
        eol: LineEnds::from_counts(survey.ends, survey.crlf),
        final_newline: survey.final_newline,
        etag: survey.etag.clone(),
        warning: warning(script.encoding, had_errors),
    })
}

fn warning(encoding: Option<Encoding>, had_errors: bool) -> Option<String> {
    let name = match encoding {
        None => {
            let unknown = "its encoding is unknown: what could not be read is shown as \u{fffd}";
            return Some(unknown.to_owned());
        }
        Some(Encoding::NearlyUtf8) => "UTF-8".to_owned(),
        Some(encoding) if had_errors => encoding.name(),
        Some(_) => return None,
    };
    Some(format!("bytes that are no {name} are shown as {}", char::REPLACEMENT_CHARACTER))
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
        if std::mem::take(&mut first) && script::is_binary(bytes) {
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

/// The second pass.
struct Shown<'a> {
    file: &'a mut File,
    survey: &'a Survey,
    path: &'a WorkspacePath,
    call: &'a Call,
}

impl Shown<'_> {
    /// The lines from line `first` on, and whether any of their bytes stand for nothing.
    fn from(mut self, first: u64, params: &Params) -> Result<(Window, bool), ToolError> {
        let mut piece = vec![0; PIECE];
        let start = self.start_of(first, &mut piece)?;
        let mut left = self.seek(start)?;
        let mut showing = Showing::new(first, budget(params, params.limit as usize), PIECE);
        let mut decoder = self.survey.script.decoder();
        let mut text = String::new();
        loop {
            let filled = self.fill(&mut left, &mut piece)?;
            let is_last = filled < piece.len();
            decoder.decode(&piece[..filled], is_last, &mut text);
            let mut shown = 0;
            for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
                if !showing.line(&text[shown..end]) {
                    return Ok((showing.end(), decoder.had_errors()));
                }
                shown = end + 1;
            }
            text.drain(..shown);
            if is_last {
                if !text.is_empty() {
                    showing.line(&text);
                }
                return Ok((showing.end(), decoder.had_errors()));
            }
            // A `\r` may belong to the line's end, of which the rest is still to come.
            let part = text.trim_end_matches('\r').len();
            if part > LINE_BYTES {
                if !showing.part(&text[..part]) {
                    return Ok((showing.end(), decoder.had_errors()));
                }
                text.drain(..part);
            }
        }
    }

    /// Where a line begins.
    fn start_of(&mut self, line: u64, piece: &mut [u8]) -> Result<u64, ToolError> {
        let mark = self.survey.mark(line - 1);
        let (mut at, mut before) = (mark.at, line - 1 - mark.lines);
        let mut left = self.seek(at)?;
        while before > 0 {
            let filled = self.fill(&mut left, piece)?;
            let bytes = &piece[..filled];
            for end in self.survey.script.units.line_ends(bytes) {
                before -= 1;
                if before == 0 {
                    return Ok(at + end as u64);
                }
            }
            at += filled as u64;
            if filled < piece.len() {
                break;
            }
        }
        Ok(at)
    }

    /// How much of the file is left from there on. What was added meanwhile is not counted, and not shown.
    fn seek(&mut self, at: u64) -> Result<u64, ToolError> {
        self.file.seek(SeekFrom::Start(at)).map_err(|error| self.failed(error))?;
        Ok(self.survey.size.saturating_sub(at))
    }

    fn fill(&mut self, left: &mut u64, piece: &mut [u8]) -> Result<usize, ToolError> {
        self.call.check_cancelled()?;
        let filled = fill(&mut (&mut *self.file).take(*left), piece).map_err(|error| self.failed(error))?;
        *left -= filled as u64;
        Ok(filled)
    }

    fn failed(&self, error: std::io::Error) -> ToolError {
        DoorError::io(self.path.given(), error).into()
    }
}
