//! What git makes of a message before it commits it: `commit.cleanup`.

use super::libgit2;
use crate::{
    text::visible,
    tools::{Code, ToolError},
    workspace::repository::Repository,
};

/// The message as it is committed. Nobody edits it on the way, which git tells by default from one that was.
pub(super) fn cleaned(
    repository: &Repository,
    opened: &git2::Repository,
    message: &str,
) -> Result<String, ToolError> {
    let failed = |error: git2::Error| libgit2(repository, &error);
    let config = opened.config().and_then(|mut config| config.snapshot()).map_err(failed)?;
    let value = |key: &str| config.get_string(key).ok().filter(|value| !value.is_empty());
    let mode = value("commit.cleanup");
    let text = match mode.as_deref() {
        None | Some("default" | "whitespace" | "scissors") => message.to_owned(),
        Some("verbatim") => {
            let end = if message.ends_with('\n') { "" } else { "\n" };
            return Ok(format!("{message}{end}"));
        }
        Some("strip") => {
            let mark = value("core.commentString").or_else(|| value("core.commentChar"));
            let mark = mark.unwrap_or_else(|| "#".to_owned());
            // git takes one then that no line begins with.
            let keeps = |line: &&str| mark == "auto" || !line.starts_with(&mark);
            message.split_inclusive('\n').filter(keeps).collect()
        }
        Some(mode) => {
            return Err(ToolError::new(
                Code::InvalidArgs,
                format!("`commit.cleanup` is `{}`, which git does not know", visible(mode)),
                "the user can set it to `whitespace` or `strip`, or leave it out",
            ));
        }
    };
    let message = git2::message_prettify(text, None).map_err(failed)?;
    let message = String::from_utf8_lossy(message.as_bytes()).into_owned();
    let says_nothing = |line: &str| line.is_empty() || line.starts_with("Signed-off-by: ");
    if !message.is_empty() && message.lines().all(says_nothing) {
        return Err(ToolError::new(
            Code::InvalidArgs,
            "git_commit: the message only says who signed it off",
            "say in one line what changed and why",
        ));
    }
    Ok(message)
}
