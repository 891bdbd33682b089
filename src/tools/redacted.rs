//! Placeholders of redacted secrets in what a model sends back: a secret must not be overwritten by the word that stood for it.

use serde_json::Value;

use super::{Code, ToolError};
use crate::{
    redact::{meant_placeholder, placeholder},
    text::visible,
};

/// Refuses arguments of a tool that carry a placeholder where it would be written or can match nothing. Keys are looked at loosely:
/// what a model nearly wrote is repaired later.
pub fn check(tool: &str, arguments: &Value) -> Result<(), ToolError> {
    match tool {
        "fs_write" | "fs_edit" => texts(arguments, "", &mut |key, text| {
            let place = || format!("`{key}`");
            if is_old(key) { check_old(place, text) } else { check_new(place, text) }
        }),
        "fs_apply_patch" => texts(arguments, "", &mut |_, patch| {
            patch.lines().try_for_each(|line| match line.as_bytes().first() {
                Some(b'+') => check_new(|| "a line that `patch` adds".to_owned(), line),
                _ => check_old(|| "a line of `patch`".to_owned(), line),
            })
        }),
        _ => Ok(()),
    }
}

/// Every text in the arguments with the key it stands under; new texts before old ones, so that the worse is said first.
fn texts(
    value: &Value,
    key: &str,
    found: &mut dyn FnMut(&str, &str) -> Result<(), ToolError>,
) -> Result<(), ToolError> {
    match value {
        Value::String(text) => {
            found(key, text)?;
            // Edits that are written as text are read as what they say, whose signs may be escaped.
            let inner =
                text.trim_start().starts_with(['[', '{']).then(|| serde_json::from_str::<Value>(text));
            match inner {
                Some(Ok(inner)) if inner.is_array() || inner.is_object() => texts(&inner, key, found),
                _ => Ok(()),
            }
        }
        Value::Array(items) => items.iter().try_for_each(|item| texts(item, key, found)),
        Value::Object(map) => {
            let (old, new): (Vec<_>, Vec<_>) = map.iter().partition(|(key, _)| is_old(key));
            new.into_iter().chain(old).try_for_each(|(key, item)| texts(item, key, found))
        }
        _ => Ok(()),
    }
}

/// `old_text` and what other tools call it.
fn is_old(key: &str) -> bool {
    key.starts_with("old") || key == "search"
}

/// Whatever was meant for a placeholder, however it is spelled.
fn check_new(place: impl Fn() -> String, text: &str) -> Result<(), ToolError> {
    let Some(found) = meant_placeholder(text) else { return Ok(()) };
    Err(ToolError::new(
        Code::InvalidArgs,
        format!(
            "{} contains the placeholder `{}`, which stands for a secret you were not shown",
            place(),
            visible(found)
        ),
        "nothing was changed; leave the lines with secrets as they are, or ask the user to change them",
    ))
}

/// A placeholder letter by letter; anything else may well be what the file says.
fn check_old(place: impl Fn() -> String, text: &str) -> Result<(), ToolError> {
    let Some(found) = placeholder(text) else { return Ok(()) };
    Err(ToolError::new(
        Code::NoMatch,
        format!(
            "{} contains the placeholder `{found}`: the file has a secret there, which is not this text",
            place()
        ),
        "choose text before or after the secret; a secret itself is changed by the user",
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_placeholder_is_neither_written_nor_matched() {
        let found = "\u{27e6}redacted:github_pat:1\u{27e7}";
        let code = |tool: &str, arguments: Value| check(tool, &arguments).map_err(|error| error.code);
        assert_eq!(code("fs_write", json!({"file_text": format!("a {found}")})), Err(Code::InvalidArgs));
        assert_eq!(
            code("fs_edit", json!({"edits": [{"old_text": "a", "new_text": found}]})),
            Err(Code::InvalidArgs)
        );
        assert_eq!(
            code("fs_edit", json!({"edits": [{"old_text": found, "new_text": "a"}]})),
            Err(Code::NoMatch)
        );
        let escaped = r#"[{"old_text": "a", "new_text": "\u27e6redacted:github_pat:1\u27e7"}]"#;
        assert_eq!(code("fs_edit", json!({"edits": escaped})), Err(Code::InvalidArgs));
        let patch = |mark: char| json!({"patch": format!("@@\n{mark}{found}\n")});
        assert_eq!(code("fs_apply_patch", patch('+')), Err(Code::InvalidArgs));
        assert_eq!(code("fs_apply_patch", patch('-')), Err(Code::NoMatch));
        assert_eq!(code("fs_apply_patch", patch(' ')), Err(Code::NoMatch));
        assert_eq!(code("fs_write", json!({"content": "redacted:github_pat:1"})), Ok(()));
        for nearly in [
            "\u{27e6}redacted:github-token:1\u{27e7}",
            "\u{27e6}REDACTED:github_pat:1\u{27e7}",
            "\u{27e6}redacted:github_pat\u{27e7}",
            "\u{27e6} redacted:github_pat:1 \u{27e7}",
            "\u{27e6}redacted",
        ] {
            let content = format!("\u{27e6}a\u{27e7} {nearly}\nb\n");
            assert_eq!(code("fs_write", json!({"content": content})), Err(Code::InvalidArgs), "{nearly}");
            assert_eq!(
                code("fs_apply_patch", json!({"patch": format!("@@\n+{nearly}\n")})),
                Err(Code::InvalidArgs)
            );
            // What a page says of placeholders can be taken out of it.
            assert_eq!(code("fs_edit", json!({"edits": [{"old_text": nearly, "new_text": "a"}]})), Ok(()));
        }
        for other in
            ["\u{27e6}", "\u{27e6}reda", "\u{27e6}redäcted:x:1\u{27e7}", "\u{27e6}unredacted:x:1\u{27e7}"]
        {
            assert_eq!(code("fs_write", json!({"content": other})), Ok(()), "{other}");
        }
        assert_eq!(code("fs_read", json!({"path": found})), Ok(()));
        assert_eq!(code("fs_edit", json!({"edits": "none"})), Ok(()));
    }
}
