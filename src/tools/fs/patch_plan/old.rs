//! The file that a patch changes, as it is.

use super::{NoText, PatchHunk, TextFile};
use crate::{
    change::{Attributes, Rights, SET_ID},
    limits::WRITE_BYTES,
    tools::{Call, ToolError, handles::check_no_handle},
    workspace::WorkspacePath,
};

#[derive(Debug)]
pub struct Old {
    pub(super) path: WorkspacePath,
    pub(super) bytes: Vec<u8>,
    /// Not always known: a binary file can be deleted or moved too.
    pub(super) text: Option<String>,
    /// Its byte order mark is the first character of `text`.
    pub(super) is_marked: bool,
    pub(super) rights: Option<Rights>,
    pub(super) attributes: Attributes,
    /// Names it has.
    pub(super) links: u64,
    /// It runs as its owner.
    pub(super) is_set_id: bool,
}

/// What a diff of git shows in front of the first line of a file that begins with a byte order mark.
const MARK: char = '\u{feff}';

impl Old {
    /// Takes the byte order mark into the text, where these hunks have it in a first line; who read the file here has not seen it.
    pub(super) fn show_mark(&mut self, hunks: &[PatchHunk]) {
        let shows = |hunk: &PatchHunk| hunk.old.first().is_some_and(|line| line.starts_with(MARK));
        self.is_marked = self.bytes.starts_with(b"\xef\xbb\xbf") && hunks.iter().any(shows);
        if let Some(text) = self.text.as_mut().filter(|_| self.is_marked) {
            text.insert(0, MARK);
        }
    }

    /// The file, with the text that the hunks were placed in.
    pub(super) fn file(&self) -> Result<TextFile, NoText> {
        let mut file = TextFile::decode(&self.bytes)?;
        if self.is_marked {
            file.text.insert(0, MARK);
            file.bom = false;
        }
        Ok(file)
    }
}

/// A file that changes: a link leads to it.
pub(super) fn existing(path: &str, call: &Call) -> Result<Old, ToolError> {
    check_no_handle(path)?;
    read(call.workspace.resolve(path)?, call)
}

/// A file that loses its name: a link is none.
pub(super) fn named(path: &str, call: &Call) -> Result<Old, ToolError> {
    check_no_handle(path)?;
    let path = call.workspace.resolve_name(path)?;
    call.workspace.check_name(&path)?;
    read(path, call)
}

fn read(path: WorkspacePath, call: &Call) -> Result<Old, ToolError> {
    call.workspace.check_writable(&path)?;
    let rights = call.workspace.kept_rights(&path);
    let attributes = call.workspace.kept_attributes(&path);
    let (bytes, stat) = call.workspace.read_with_stat(&path, WRITE_BYTES)?;
    let text = TextFile::decode(&bytes).ok().map(|file| file.text);
    Ok(Old {
        path,
        bytes,
        text,
        is_marked: false,
        rights,
        attributes,
        links: stat.links,
        is_set_id: stat.mode & SET_ID != 0,
    })
}
