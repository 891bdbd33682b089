//! `name:path`: a path in another workspace. The name counts only where it is a workspace's id; `./a:b` is always a file.

use serde_json::Value;

use crate::{
    server::{host::Host, request::Request},
    tools::{Code, ToolError},
};

/// The parameters that hold paths.
const PATHS: &[&str] = &["path", "paths", "from", "to", "workdir"];

/// Takes the names out of the paths of a request, and makes it one for the workspace they name.
pub fn apply(host: &Host, request: &mut Request) -> Result<(), ToolError> {
    let Value::Object(arguments) = &mut request.arguments else { return Ok(()) };
    let known = |id: &str| host.slots.iter().any(|slot| slot.entry.id == id);
    let mut named: Option<String> = None;
    let mut plain = false;
    for (_, value) in arguments.iter_mut().filter(|(name, _)| PATHS.contains(&name.as_str())) {
        let texts: Vec<&mut String> = match value {
            Value::String(text) => vec![text],
            Value::Array(items) => items
                .iter_mut()
                .filter_map(|item| if let Value::String(text) = item { Some(text) } else { None })
                .collect(),
            _ => Vec::new(),
        };
        for text in texts {
            let Some((id, rest)) = split(text).filter(|(id, _)| known(id)) else {
                plain = true;
                continue;
            };
            if named.as_deref().is_some_and(|named| named != id) {
                return Err(mixed(named.as_deref().unwrap_or_default(), id));
            }
            named = Some(id.to_owned());
            *text = if rest.is_empty() { ".".to_owned() } else { rest.to_owned() };
        }
    }
    let Some(named) = named else { return Ok(()) };
    let own = host.workspace_id(request);
    // A path without a name is one of the call's own workspace.
    if plain && named != own {
        return Err(mixed(&named, &own));
    }
    request.workspace = Some(named);
    Ok(())
}

/// An id of two characters or more, and the path behind it. One letter is a drive.
fn split(text: &str) -> Option<(&str, &str)> {
    let (id, rest) = text.split_once(':')?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (id.len() >= 2 && id.bytes().all(plain)).then_some((id, rest))
}

fn mixed(one: &str, other: &str) -> ToolError {
    ToolError::new(
        Code::CrossDevice,
        format!("the call names paths of two workspaces, `{one}` and `{other}`; nothing was done"),
        "one call works in one workspace: read in the one, write in the other",
    )
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn only_what_can_be_an_id_is_one() {
        assert_eq!(split("app:src/a.rs"), Some(("app", "src/a.rs")));
        assert_eq!(split("app:"), Some(("app", "")));
        for path in ["C:/x", "./a:b", "a/b:c", "a b:c", "plain", ":x", ""] {
            assert_eq!(split(path), None, "{path}");
        }
    }
}
