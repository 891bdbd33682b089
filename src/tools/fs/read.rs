//! `fs_read`: the text of a file, numbered, with its facts. Reads only regular files, and no more of them than asked.

use std::{fmt::Write as _, fs::File, io::Read as _, time::SystemTime};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    large::large,
    no_text, picture,
    seen::{self, Seen},
};
use crate::{
    config::Profile,
    limits::{BRIEF_BYTES, POSITION_MAX, READ_BYTES, READ_BYTES_MAX, READ_LINES, SCAN_BYTES, WRITE_BYTES},
    line_ends::LineEnds,
    policy::{Intent, Permit},
    text::{from_os, visible},
    tier::Tier,
    tools::{
        Call, Code, NextCall, Prepared, READS, Reply, Tool, ToolError, ToolSpec, Truncated, handles::Kept,
        secret_looking,
    },
    workspace::{DoorError, FileKind, Stat, WorkspacePath},
};

/// Lines that one call may ask for.
const LINES_MAX: u32 = 1_000_000;

/// What is read.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// A file, or a handle `out:…`.
    pub(super) path: String,
    /// From 1; negative counts from the end.
    #[serde(default = "one")]
    #[schemars(range(min = -100_000_000, max = POSITION_MAX))]
    pub(super) start_line: i64,
    /// Lines.
    #[serde(default = "lines")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub(super) limit: u32,
    /// Numbered.
    #[serde(default = "yes")]
    pub(super) line_numbers: bool,
    /// The indented block around this line.
    #[serde(default)]
    #[schemars(range(max = POSITION_MAX))]
    pub(super) around_line: u32,
    /// Bytes of text.
    #[serde(default = "bytes")]
    #[schemars(range(min = 1, max = 16_777_216))]
    pub(super) max_bytes: u32,
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
    pub(super) path: String,
    /// `text`, `image`, `pdf`, `binary`, or `dir-hint` for a folder.
    pub(super) kind: String,
    /// The type of what is no text.
    pub(super) mime: Option<String>,
    /// First line shown; 0 when none is.
    pub(super) start_line: u64,
    /// Last line shown.
    pub(super) end_line: u64,
    /// Lines of the file.
    pub(super) lines_total: u64,
    /// Bytes of the file.
    pub(super) size: u64,
    /// How it is written down.
    pub(super) encoding: String,
    /// It begins with a byte order mark.
    pub(super) bom: bool,
    /// Its line ends.
    pub(super) eol: LineEnds,
    /// Its last line has an end.
    pub(super) final_newline: bool,
    /// When it changed.
    pub(super) mtime: String,
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
    Kept(Kept),
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
            line says how to go on. fs_edit and fs_write take its etag.",
        profile: Profile::Read,
        tier: Tier::Auto,
        annotations: READS,
    };

    const PREPARES_BRIEFLY: bool = true;

    fn is_brief(&self, work: &Work, call: &Call) -> bool {
        let Source::File(path) = &work.source else { return false };
        if picture::is_named_so(&path.resolved().to_slashed()) {
            return false;
        }
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
        if !path.exists() {
            missing(&params.path, call)?;
        }
        let mut intent = Intent::read(format!("Read {}", path.resolved()));
        intent.raises.extend(secret_looking(call, path.resolved()));
        Ok(Prepared { intent, work: Work { params, source: Source::File(path) } })
    }

    fn run(&self, _permit: &Permit, work: Work, call: &Call) -> Result<Reply<Output>, ToolError> {
        let Work { params, source } = work;
        let path = match source {
            Source::File(path) => path,
            Source::Kept(kept) => {
                let seen = seen::kept(&kept, &params, &params.path, call)?;
                return Ok(answer(&params, params.path.clone(), SystemTime::now(), seen, call));
            }
        };
        if path.is_folder() {
            return Ok(folder(&path));
        }
        let (mut file, stat) = call.workspace.open_file_with_stat(&path)?;
        if stat.size > SCAN_BYTES {
            let size = stat.size;
            let too_large = DoorError::TooLarge { path: path.given().to_owned(), size, limit: SCAN_BYTES };
            let mut error = ToolError::from(too_large);
            "search_grep with this path finds lines in it; a command can cut a part out"
                .clone_into(&mut error.hint);
            return Err(error);
        }
        if stat.size > WRITE_BYTES {
            return match large(&mut file, &stat, &params, &path, call) {
                Err(error) if error.code == Code::BinaryFile => no_text::of_file(file, &stat, &path, call),
                seen => Ok(answer(&params, path.resolved().to_text(), stat.modified, seen?, call)),
            };
        }
        let bytes = whole(file, &stat, &path)?;
        if bytes.starts_with(b"%PDF-") {
            return no_text::of_bytes(bytes, &stat, &path, call);
        }
        match seen::held(&bytes, &params, path.given(), call) {
            Err(error) if error.code == Code::BinaryFile => no_text::of_bytes(bytes, &stat, &path, call),
            seen => Ok(answer(&params, path.resolved().to_text(), stat.modified, seen?, call)),
        }
    }
}

/// What is not there, where more can be said than that.
pub(in crate::tools) fn missing(path: &str, call: &Call) -> Result<(), ToolError> {
    if path.starts_with("out:") {
        return Err(ToolError::new(
            Code::NotFound,
            format!("`{}` is no file and no handle", crate::text::visible(path)),
            "a handle is `out:` and 26 letters and digits; take it from the answer that was cut",
        ));
    }
    refuse_dangling(path, call)
}

/// The refusal of a link to what is not there.
pub(super) fn refuse_dangling(path: &str, call: &Call) -> Result<(), ToolError> {
    let name = call.workspace.resolve_name(path)?;
    if name.kind() == Some(FileKind::Link) {
        let link = call.workspace.read_link(name.resolved()).ok().filter(|link| !link.blocked);
        let target = link.map_or_else(
            || "a place".to_owned(),
            |link| format!("`{}`", visible(&from_os(link.target.as_os_str()))),
        );
        return Err(ToolError::new(
            Code::NotFound,
            format!("`{}` is a link to {target}, which does not exist", name.given()),
            "fs_list of the folder it is in shows where links lead",
        ));
    }
    Ok(())
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

impl Output {
    pub(super) fn without_text(path: String) -> Self {
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

/// A file that is held as a whole.
pub(super) fn whole(file: File, stat: &Stat, path: &WorkspacePath) -> Result<Vec<u8>, ToolError> {
    let mut bytes = Vec::with_capacity(usize::try_from(stat.size).unwrap_or(0) + 1);
    file.take(SCAN_BYTES).read_to_end(&mut bytes).map_err(|error| DoorError::io(path.given(), error))?;
    Ok(bytes)
}

fn check(params: &Params) -> Result<(), ToolError> {
    if params.start_line == 0 {
        return Err(ToolError::new(
            Code::InvalidArgs,
            "`start_line` is 0; lines count from 1, or from the end with -1",
            "the first line is 1",
        ));
    }
    let most = i64::from(POSITION_MAX);
    if params.start_line.unsigned_abs() > most.unsigned_abs() {
        return Err(ToolError::out_of_range("start_line", params.start_line, (-most, most)));
    }
    if params.around_line > POSITION_MAX {
        return Err(ToolError::out_of_range("around_line", params.around_line, (0, POSITION_MAX)));
    }
    if !(1..=LINES_MAX).contains(&params.limit) {
        return Err(ToolError::out_of_range("limit", params.limit, (1, LINES_MAX)));
    }
    if !(1..=READ_BYTES_MAX).contains(&params.max_bytes) {
        return Err(ToolError::out_of_range("max_bytes", params.max_bytes, (1, READ_BYTES_MAX)));
    }
    Ok(())
}

fn answer(params: &Params, path: String, modified: SystemTime, seen: Seen, call: &Call) -> Reply<Output> {
    let shown = seen.window.lines as u64;
    let last = (seen.first + shown).saturating_sub(1);
    let mut text = seen.window.text;
    let is_kept = call.handles.find(&path).is_some();
    let etag = if is_kept { String::new() } else { format!("; etag {}", seen.etag.short()) };
    let in_block = params.around_line > 0;
    // Shown, the last line looks like all the others.
    let open = if last == seen.total && !seen.final_newline && !is_kept {
        ", the last without a line end"
    } else {
        ""
    };
    // Of a block the rest is shown, of a file what comes next.
    let next = (last < seen.end).then(|| {
        let rest = u32::try_from(seen.end - last).unwrap_or(u32::MAX);
        let limit = if in_block { rest } else { params.limit };
        next_call(&Params { limit, ..params.clone() }, last + 1)
    });
    if seen.total == 0 {
        let _ = writeln!(text, "(the file is empty{etag})");
    } else if let Some(next) = &next {
        let (first, total) = (seen.first, seen.total);
        let _ = writeln!(text, "(lines {first}-{last} of {total}{etag}; next: fs_read {})", next.args);
    } else if params.line_numbers {
        let _ = writeln!(text, "(lines {}-{last} of {}{open}{etag})", seen.first, seen.total);
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
    if next.is_some() {
        reply.truncated = Some(Truncated { shown, total: seen.total, unit: "lines".to_owned(), next });
    }
    reply.warnings.extend(seen.warning);
    if seen.window.cut > 0 {
        let kept = reply.keep_long_lines(call, seen.window.pieces, seen.window.lacking);
        let cut = seen.window.cut;
        reply.warnings.push(format!("{cut} line(s) are longer than 2000 characters and were cut{kept}"));
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
