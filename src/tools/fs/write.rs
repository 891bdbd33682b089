//! `fs_write`: a whole file, or more at its end. Never writes what it did not show, never half a file.

use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    change::{Change, notes, tell_diff},
    git_folder::git_folder,
    house_ends::line_end,
    line_ends::{majority, with_ends},
    names::{check_names_file, taken_literally},
    splice::line_count,
    text_file::TextFile,
    unfit::cannot_hold,
};
use crate::{
    config::Profile,
    ids::Etag,
    limits::WRITE_BYTES,
    policy::{ChangeOp, Permit, Raise},
    text::counted,
    tier::Tier,
    tools::{
        Annotations, Call, Code, Prepared, Reply, Tool, ToolError, ToolSpec, diff, learnt_from,
        secret_looking,
    },
    workspace::{DoorError, Executable, WorkspacePath},
};

/// Said of a file to which lines were added.
const LINE_ENDED: &str = "the last line of the file had no line end and was given one: what was added begins a line of its own; fs_edit can go on with a line";

/// What is written, and where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Missing folders are created.
    path: String,
    /// The text.
    content: String,
    #[serde(default)]
    #[schemars(extend("default" = "create"))]
    mode: WriteMode,
    /// The etag read; a changed file is refused.
    #[serde(default)]
    base_etag: String,
    /// auto: as the file has them.
    #[serde(default)]
    #[schemars(extend("default" = "auto"))]
    eol: Eol,
    /// Make it executable.
    #[serde(default)]
    executable: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum WriteMode {
    #[default]
    Create,
    Overwrite,
    Append,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Eol {
    #[default]
    Auto,
    Lf,
    Crlf,
}

/// The facts about the written file; the diff stands in the text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Relative to the workspace, resolved.
    path: String,
    /// There was no such file before.
    created: bool,
    /// Its size now.
    bytes: u64,
    /// Its lines now.
    lines: u32,
    /// The user can undo it.
    undo: bool,
}

/// A prepared write.
#[derive(Debug)]
pub struct Work {
    change: Change,
    diff: String,
    warnings: Vec<String>,
}

/// The tool.
#[derive(Debug)]
pub struct FsWrite;

impl Tool for FsWrite {
    type Params = Params;
    type Output = Output;
    type Work = Work;
    const SPEC: ToolSpec = ToolSpec {
        name: "fs_write",
        title: "Write a file",
        description: "Writes a whole text file (at most 8 MiB). create refuses an existing file, overwrite replaces \
            it (give base_etag), append adds lines. To change a file use fs_edit.",
        profile: Profile::Core,
        tier: Tier::Batch,
        annotations: Annotations {
            read_only: false,
            destructive: true,
            idempotent: false,
            open_world: false,
        },
    };

    fn prepare(&self, params: Params, call: &Call) -> Result<Prepared<Work>, ToolError> {
        check_names_file(&params.path)?;
        let path = call.workspace.resolve(&params.path)?;
        call.workspace.check_writable(&path)?;
        let before = read_before(&params, &path, call)?;
        let content = new_content(&params, before.as_deref(), &path, call);
        let (after, after_text, before_text) = match content {
            Err(error) if before.is_some() => Err(learnt_from(error, path.resolved(), call)),
            content => content,
        }?;
        let mut raises = Vec::new();
        if before.is_some() && params.mode == WriteMode::Overwrite && params.base_etag.is_empty() {
            raises.push(Raise {
                tier: Tier::Individual,
                reason: format!(
                    "`{}` is overwritten by a caller that did not say which version it read",
                    path.resolved()
                ),
            });
        }
        raises.extend(secret_looking(call, path.resolved()));
        let op = match (params.mode, &before) {
            (_, None) => ChangeOp::Create,
            (WriteMode::Append, _) => ChangeOp::Append,
            _ => ChangeOp::Overwrite,
        };
        let executable = if params.executable { Executable::Set } else { Executable::Keep };
        let (rights, attributes) = (call.workspace.kept_rights(&path), call.workspace.kept_attributes(&path));
        let change = Change {
            git_folder: git_folder(call, [path.resolved()]),
            path,
            op,
            not_kept: call.not_kept(before.as_ref().map_or(0, Vec::len) as u64),
            before,
            rights,
            attributes,
            before_text,
            after,
            after_text,
            executable,
            etags: OnceLock::new(),
        };
        let mut warnings: Vec<String> = placeholder("", &params.content).into_iter().collect();
        if params.content.contains('\0') {
            warnings.push("`content` has a NUL: other tools take the file for binary".to_owned());
        }
        if params.mode == WriteMode::Append && joins_lines(&change.before_text, &params.content) {
            warnings.push(LINE_ENDED.to_owned());
        }
        let was_text = change.before.as_deref().is_none_or(|before| TextFile::decode_lossy(before).is_some());
        if !was_text {
            warnings
                .push(format!("what `{}` was is no text, so no difference is shown", change.path.resolved()));
        }
        warnings.extend(no_workspace(&params.path, change.op, call));
        warnings.extend(taken_literally(&change.path).filter(|_| change.op == ChangeOp::Create));
        let mut prepared = prepared(change, raises, warnings);
        if !was_text {
            prepared.work.diff.clear();
        }
        Ok(prepared)
    }

    fn narrow(&self, work: Work, hunks: &[String]) -> Result<Prepared<Work>, ToolError> {
        Ok(prepared(work.change.only(hunks)?, Vec::new(), work.warnings))
    }

    fn run(&self, permit: &Permit, work: Work, call: &Call) -> Result<Reply<Output>, ToolError> {
        let Work { change, diff: told, warnings } = work;
        let written = change.apply(permit, call)?;
        let path = change.path.resolved();
        let lines = line_count(&change.after_text);
        let verb = match change.op {
            ChangeOp::Create => "Created",
            ChangeOp::Append => "Appended to",
            _ => "Overwrote",
        };
        let text =
            format!("{verb} {path} ({}, {})", counted(lines, "line"), counted(change.after.len(), "byte"));
        let output = Output {
            path: path.to_text(),
            created: written.created,
            bytes: change.after.len() as u64,
            lines,
            undo: change.is_undoable(),
        };
        let mut reply = Reply::new(text, output);
        if !told.is_empty() {
            reply.text.push('\n');
            tell_diff(&mut reply, told, call);
        }
        reply.etag = Some(change.after_etag().as_str().to_owned());
        reply.warnings = warnings;
        reply.warnings.extend(notes(&written));
        let ends = diff::line_ends(&change.before_text, &change.after_text);
        reply.warnings.extend(ends.map(|ends| {
            format!("line ends are {} now, and were {}", ends.after.as_str(), ends.before.as_str())
        }));
        Ok(reply)
    }
}

fn prepared(change: Change, raises: Vec<Raise>, warnings: Vec<String>) -> Prepared<Work> {
    let shown = change.shown();
    // The caller wrote the whole of a new file itself: it is not told again.
    let is_told = change.op != ChangeOp::Create;
    let diff = if is_told { diff::diff_text(&shown.path, false, &shown.hunks) } else { String::new() };
    let intent = change.intent(shown, raises);
    Prepared { intent, work: Work { change, diff, warnings } }
}

/// The bytes that are there now, if the mode and the etag allow to go on.
fn read_before(params: &Params, path: &WorkspacePath, call: &Call) -> Result<Option<Vec<u8>>, ToolError> {
    if !path.exists() {
        if !params.base_etag.is_empty() {
            return Err(gone(path));
        }
        return Ok(None);
    }
    if params.mode == WriteMode::Create {
        let mut error = ToolError::from(DoorError::AlreadyExists { path: path.given().to_owned() });
        "read it, then use fs_edit, or mode overwrite with base_etag".clone_into(&mut error.hint);
        return Err(error);
    }
    let bytes = call.workspace.read(path, WRITE_BYTES).map_err(|error| beyond_writing(error, params.mode))?;
    if !params.base_etag.is_empty() && !Etag::of(&bytes).is_meant_by(&params.base_etag) {
        let stale = DoorError::Stale { path: path.given().to_owned() };
        return Err(learnt_from(stale.into(), path.resolved(), call));
    }
    Ok(Some(bytes))
}

/// The bytes to write, their text and the text before. Encoding, byte order mark and line ends of an existing file are kept.
fn new_content(
    params: &Params,
    before: Option<&[u8]>,
    path: &WorkspacePath,
    call: &Call,
) -> Result<(Vec<u8>, String, String), ToolError> {
    let old = before.map(TextFile::decode);
    if params.mode == WriteMode::Append && matches!(old, Some(Err(_))) {
        return Err(ToolError::new(
            Code::EncodingUnsupported,
            format!("`{}` cannot be appended to: it is no text in a known encoding", path.given()),
            "a command can write it",
        ));
    }
    // Hunks that are allowed one by one are put into the text as it is in the file.
    let before_text = match &old {
        Some(Ok(file)) => file.text.clone(),
        _ => before.and_then(TextFile::decode_lossy).unwrap_or_default(),
    };
    let file = old.and_then(Result::ok).unwrap_or_else(|| TextFile::new(""));
    // The file keeps its mark; a second one would be a character of the text.
    let given = params.content.strip_prefix('\u{feff}').filter(|_| file.bom).unwrap_or(&params.content);
    let end = match params.eol {
        Eol::Lf => Some("\n"),
        Eol::Crlf => Some("\r\n"),
        Eol::Auto if file.text.contains('\n') => Some(majority(&file.text)),
        Eol::Auto => line_end(call, path),
    };
    let content = end.map_or_else(|| given.to_owned(), |end| with_ends(given, end));
    let text = match params.mode {
        WriteMode::Append if joins_lines(&file.text, given) => {
            let end = end.unwrap_or(if content.contains("\r\n") { "\r\n" } else { "\n" });
            format!("{}{end}{content}", file.text)
        }
        WriteMode::Append => format!("{}{content}", file.text),
        _ => content,
    };
    let bytes = file.encode(&text).map_err(|error| cannot_hold(path, error))?;
    if bytes.len() as u64 > WRITE_BYTES {
        let (path, size) = (path.given().to_owned(), bytes.len() as u64);
        return Err(beyond_writing(DoorError::TooLarge { path, size, limit: WRITE_BYTES }, params.mode));
    }
    if before == Some(bytes.as_slice()) && !params.executable {
        let path = path.given();
        // The text that was given may have other line ends.
        return Err(if params.mode == WriteMode::Append || text == given {
            let hint = "nothing has to be written";
            ToolError::new(Code::NoChange, format!("`{path}` already has exactly this content"), hint)
        } else {
            let message =
                format!("`{path}` already has this content, with its own line ends, which are kept");
            ToolError::new(Code::NoChange, message, "`eol` lf or crlf changes them")
        });
    }
    Ok((bytes, text, before_text))
}

/// The last line of the file has no end, and what is added begins with none: put together they would be one line.
fn joins_lines(before: &str, added: &str) -> bool {
    !before.is_empty()
        && !added.is_empty()
        && !before.ends_with(['\n', '\r'])
        && !added.starts_with(['\n', '\r'])
}

/// A file is larger than what is written, before or afterwards.
fn beyond_writing(error: DoorError, mode: WriteMode) -> ToolError {
    let is_size = matches!(error, DoorError::TooLarge { .. });
    let mut error = ToolError::from(error);
    if is_size {
        let hint = match mode {
            WriteMode::Append => "a command can append to it",
            WriteMode::Create => "write it in parts, to several files, or have a command write it",
            WriteMode::Overwrite => {
                "a command can write it; fs_delete and then mode create replaces a large file by a small one"
            }
        };
        hint.clone_into(&mut error.hint);
    }
    error
}

/// A version was read, and there is no file any more.
pub(super) fn gone(path: &WorkspacePath) -> ToolError {
    ToolError::new(
        Code::Stale,
        format!("`{}` does not exist any more", path.given()),
        "leave base_etag out to create it anew",
    )
}

/// A new file whose name looks as if it were to lie in a workspace that there is not.
fn no_workspace(path: &str, op: ChangeOp, call: &Call) -> Option<String> {
    let (id, _) = path.split_once(':').filter(|_| op == ChangeOp::Create)?;
    let is_word =
        id.len() > 1 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let known: Vec<&str> = call.workspaces.iter().map(|workspace| workspace.id()).collect();
    let is_meant = is_word && !known.contains(&id);
    is_meant.then(|| {
        format!("`{id}` is no workspace (there are: {}): it is a part of the file's name", known.join(", "))
    })
}

/// A warning about a line that stands for code that was left out; `of` says which text it is.
pub(super) fn placeholder(of: &str, content: &str) -> Option<String> {
    const WORDS: &[&str] =
        &["existing", "rest of", "remain", "unchanged", "previous", "same as before", "omitted"];
    let is_one = |line: &&str| {
        let line = line.trim().trim_matches(|character: char| "/*#<!->;{}()[] ".contains(character));
        let elided =
            line.starts_with("...") || line.starts_with('…') || line.ends_with("...") || line.ends_with('…');
        let lowered = line.to_lowercase();
        elided && line.chars().count() < 80 && WORDS.iter().any(|word| lowered.contains(word))
    };
    let (number, line) = content.lines().enumerate().find(|(_, line)| is_one(line))?;
    Some(format!(
        "line {}{of} (`{}`) looks like a placeholder for code that was left out; it is in the file as it stands",
        number + 1,
        crate::text::visible(line.trim())
    ))
}

#[cfg(test)]
mod tests {
    use super::placeholder;

    #[test]
    fn placeholders_are_noticed_and_code_is_not() {
        for line in
            ["// ... existing code ...", "# rest of the file unchanged…", "<!-- ... remaining items -->"]
        {
            assert!(placeholder("", &format!("a\n{line}\n")).is_some(), "{line}");
        }
        for line in ["f(...existing);", "let rest = [...a];", "// the rest of it", "wait..."] {
            assert!(placeholder("", line).is_none(), "{line}");
        }
    }
}
