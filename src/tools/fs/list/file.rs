//! What `fs_list` says of a file: what it is, never its text.

use std::fmt::Write as _;

use super::{FileFacts, Output};
use crate::{
    ids::Etag,
    limits::WRITE_BYTES,
    line_ends::LineEnds,
    text::counted,
    tools::{
        Call, Code, Reply, ToolError,
        fs::{read::time, splice::line_count, text_file::TextFile},
    },
    workspace::{Stat, WorkspacePath},
};

/// A file: what it is, without its text.
pub(super) fn of(path: &WorkspacePath, call: &Call) -> Result<Reply<Output>, ToolError> {
    let stat = call.workspace.stat(path)?;
    // What is in it could be guessed by a hash of it, or by how many lines it has.
    let is_secret = call.workspace.rules().looks_secret(&path.resolved().to_slashed());
    let secret = "it is named as if it held a secret; fs_read asks the user";
    let (bytes, unread) = if is_secret {
        (None, Some(secret.to_owned()))
    } else {
        match read_whole(path, stat, call) {
            // What it is may be known of a file that may not be read.
            Err(error) if error.code == Code::PermissionDenied => (None, Some(error.message)),
            read => (read?, None),
        }
    };
    let etag = bytes.as_deref().map(Etag::of);
    let decoded = bytes.as_deref().and_then(|bytes| TextFile::decode(bytes).ok());
    let decoded = decoded.as_ref();
    let facts = FileFacts {
        kind: stat.kind.as_str().to_owned(),
        size: stat.size,
        mtime: time(stat.modified),
        mode: format!("{:04o}", stat.mode),
        encoding: decoded.map(|file| file.encoding.name()),
        eol: decoded.map(|file| LineEnds::of(&file.text)),
        lines: decoded.map(|file| line_count(&file.text)),
    };
    let mut text = format!(
        "{}: {}, {}, {}",
        path.resolved(),
        stat.kind.described(),
        counted(stat.size, "byte"),
        facts.mtime
    );
    if let (Some(lines), Some(encoding), Some(eol)) = (facts.lines, &facts.encoding, facts.eol) {
        let _ = write!(text, ", {}, {encoding}, line ends {}", counted(lines, "line"), eol.as_str());
    }
    if let Some(etag) = &etag {
        let _ = write!(text, ", etag {}", etag.short());
    }
    text.push('\n');
    let output = Output {
        path: path.resolved().to_text(),
        entries: Vec::new(),
        ignored_count: 0,
        blocked_count: 0,
        unreadable_count: 0,
        cursor: None,
        file: Some(facts),
    };
    let mut reply = Reply::new(text, output);
    reply.etag = etag.map(|etag| etag.as_str().to_owned());
    reply.warnings.extend(unread);
    Ok(reply)
}

/// The bytes of a file that is not too large.
fn read_whole(path: &WorkspacePath, stat: Stat, call: &Call) -> Result<Option<Vec<u8>>, ToolError> {
    if !path.is_file() || stat.size > WRITE_BYTES {
        return Ok(None);
    }
    Ok(Some(call.workspace.read(path, WRITE_BYTES)?))
}
