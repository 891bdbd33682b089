//! Why a file cannot be changed as text.

use super::text_file::{NoText, Unencodable};
use crate::{
    tools::{Code, ToolError},
    workspace::WorkspacePath,
};

/// It is no text; `done` is what was to be done with it.
pub(super) fn no_text(path: &WorkspacePath, done: &str, error: NoText) -> ToolError {
    let code = match error {
        NoText::Binary => Code::BinaryFile,
        NoText::Unknown => Code::EncodingUnsupported,
    };
    ToolError::new(code, format!("`{}` cannot be {done}: {error}", path.given()), "a command can change it")
}

/// Its encoding has no bytes for the new text.
pub(super) fn cannot_hold(path: &WorkspacePath, error: Unencodable) -> ToolError {
    let message = format!("`{}` cannot hold this text: {error}", path.given());
    ToolError::new(Code::EncodingUnsupported, message, "leave that character out, or write a new file")
}
