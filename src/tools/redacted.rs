//! Placeholders of redacted secrets in what a model sends back: a secret must not be overwritten by the word that stood for it.

use serde_json::Value;

use super::{Code, ToolError};
use crate::redact::placeholder;

/// Refuses arguments of a tool that carry a placeholder where it would be written or can match nothing.
pub fn check(tool: &str, arguments: &Value) -> Result<(), ToolError> {
    let text = |value: &Value| value.as_str().and_then(placeholder).map(str::to_owned);
    match tool {
        "fs_write" => text(&arguments["content"]).map_or(Ok(()), |found| Err(in_new("`content`", &found))),
        "fs_edit" => {
            let edits = arguments["edits"].as_array().into_iter().flatten().enumerate();
            edits.into_iter().try_for_each(|(index, edit)| {
                let place = |key: &str| format!("`edits[{index}].{key}`");
                match (text(&edit["new_text"]), text(&edit["old_text"])) {
                    (Some(found), _) => Err(in_new(&place("new_text"), &found)),
                    (None, Some(found)) => Err(in_old(&place("old_text"), &found)),
                    (None, None) => Ok(()),
                }
            })
        }
        "fs_apply_patch" => {
            let lines = arguments["patch"].as_str().into_iter().flat_map(str::lines);
            lines.into_iter().try_for_each(|line| match (line.as_bytes().first(), placeholder(line)) {
                (_, None) => Ok(()),
                (Some(b'+'), Some(found)) => Err(in_new("a line that `patch` adds", found)),
                (_, Some(found)) => Err(in_old("a line of `patch`", found)),
            })
        }
        _ => Ok(()),
    }
}

fn in_new(place: &str, found: &str) -> ToolError {
    ToolError::new(
        Code::InvalidArgs,
        format!("{place} contains the placeholder `{found}`, which stands for a secret you were not shown"),
        "nothing was changed; leave the lines with secrets as they are, or ask the user to change them",
    )
}

fn in_old(place: &str, found: &str) -> ToolError {
    ToolError::new(
        Code::NoMatch,
        format!(
            "{place} contains the placeholder `{found}`: the file has a secret there, which is not this text"
        ),
        "choose text before or after the secret; a secret itself is changed by the user",
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_placeholder_is_neither_written_nor_matched() {
        let found = "\u{27e6}redacted:github_pat:1\u{27e7}";
        let code = |tool: &str, arguments: Value| check(tool, &arguments).map_err(|error| error.code);
        assert_eq!(code("fs_write", json!({"content": format!("a {found}")})), Err(Code::InvalidArgs));
        assert_eq!(
            code("fs_edit", json!({"edits": [{"old_text": "a", "new_text": found}]})),
            Err(Code::InvalidArgs)
        );
        assert_eq!(
            code("fs_edit", json!({"edits": [{"old_text": found, "new_text": "a"}]})),
            Err(Code::NoMatch)
        );
        let patch = |mark: char| json!({"patch": format!("@@\n{mark}{found}\n")});
        assert_eq!(code("fs_apply_patch", patch('+')), Err(Code::InvalidArgs));
        assert_eq!(code("fs_apply_patch", patch('-')), Err(Code::NoMatch));
        assert_eq!(code("fs_apply_patch", patch(' ')), Err(Code::NoMatch));
        assert_eq!(code("fs_write", json!({"content": "redacted:github_pat:1"})), Ok(()));
        assert_eq!(code("fs_read", json!({"path": found})), Ok(()));
        assert_eq!(code("fs_edit", json!({"edits": "none"})), Ok(()));
    }
}
