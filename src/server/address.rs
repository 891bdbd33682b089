//! `name:path`: a path in another workspace. The name counts only where it is a workspace's id; `./a:b` is always a file.

use serde_json::{Map, Value};

use crate::{
    server::{host::Host, request::Request},
    tools::{AnyReply, Code, ToolError, fs::patched_paths, repair::parameters_meant},
    workspace::split_name,
};

/// The parameters that hold paths.
const PATHS: &[&str] = &["path", "paths", "workdir"];
/// The tool that takes a path from one place to another, and its parameters: those of git tools that are called so are revisions.
const MOVES: (&str, &[&str]) = ("fs_move", &["from", "to"]);
/// The tool whose paths stand in a text, and the parameter.
const PATCHES: (&str, &str) = ("fs_apply_patch", "patch");
/// The tool that may bring something from another workspace, and the parameter that says so.
const BRINGS: (&str, &str) = (MOVES.0, "from");
/// The tool that shows a commit where no path is given.
const SHOWS: &str = "git_show";
/// Begins the name of what was kept of an answer: of no workspace.
const KEPT: &str = "out:";
/// Tools that answer with paths, which are those of the workspace that the call named.
const TELLERS: &[&str] = &[
    "fs_list",
    "search_grep",
    "search_glob",
    "fs_write",
    "fs_edit",
    "fs_apply_patch",
    "git_status",
    "git_diff",
    "git_log",
    "git_show",
];

/// Takes the names out of the paths of a request, and makes it one for the workspace they name.
pub fn apply(host: &Host, request: &mut Request) -> Result<(), ToolError> {
    let own = host.workspace_id(request);
    // Named or not, the same call of the same workspace is the same to its key.
    if !own.is_empty() {
        request.workspace = Some(own.clone());
    }
    let Value::Object(arguments) = &mut request.arguments else { return Ok(()) };
    let known = |id: &str| host.slots.iter().any(|slot| slot.entry.id == id);
    let mut named = Named::default();
    let mut source: Option<&mut String> = None;
    let paths = path_parameters(&request.tool);
    for (name, value) in arguments.iter_mut() {
        let mut meant = parameters_meant(name);
        if request.tool == PATCHES.0 && meant.any(|meant| meant == PATCHES.1) {
            // The tool takes the names out of the headers itself.
            for path in value.as_str().map(patched_paths).unwrap_or_default() {
                named.add(split_name(&path).map(|(id, _)| id).filter(|id| known(id)))?;
            }
            continue;
        }
        let brings = request.tool == BRINGS.0 && parameters_meant(name).any(|meant| meant == BRINGS.1);
        if brings {
            if let Value::String(text) = value {
                source = Some(text);
            }
            continue;
        }
        if !parameters_meant(name).any(|meant| paths.contains(&meant)) {
            continue;
        }
        let texts: Vec<&mut String> = match value {
            Value::String(text) => vec![text],
            Value::Array(items) => items
                .iter_mut()
                .filter_map(|item| if let Value::String(text) = item { Some(text) } else { None })
                .collect(),
            _ => Vec::new(),
        };
        for text in texts {
            let Some((id, rest)) = split_name(text).filter(|(id, _)| known(id)) else {
                named.add(None)?;
                continue;
            };
            named.add(Some(id))?;
            // There a folder is what was in it; the name alone picks the repository, as with the other git tools.
            let whole = if request.tool == SHOWS { "" } else { "." };
            *text = if rest.is_empty() { whole.to_owned() } else { rest.to_owned() };
        }
    }
    if let Some(source) = source {
        let from = split_name(source).filter(|(id, _)| known(id));
        let (from, rest) = from.map_or((own.as_str(), source.as_str()), |(id, rest)| (id, rest));
        // The tool brings it, or says why not: there a name is that of another workspace than the call's.
        let goes_to = named.id.as_deref().unwrap_or(&own);
        *source = match (from == goes_to, rest) {
            (true, "") => ".".to_owned(),
            // A file of this one whose own name begins like a workspace's.
            (true, rest) if split_name(rest).is_some_and(|(id, _)| known(id)) => format!("./{rest}"),
            (true, rest) => rest.to_owned(),
            (false, rest) => format!("{from}:{rest}"),
        };
    }
    let Named { id: Some(id), plain } = named else { return Ok(()) };
    // A path without a name is one of the call's own workspace.
    if plain && id != own {
        return Err(mixed(&id, &own));
    }
    request.named = Some(id.clone());
    request.workspace = Some(id);
    Ok(())
}

/// The parameters of a tool that hold paths.
pub(super) fn path_parameters(tool: &str) -> &'static [&'static str] {
    if tool == MOVES.0 { MOVES.1 } else { PATHS }
}

/// What the paths of a call say.
#[derive(Default)]
struct Named {
    id: Option<String>,
    /// There is one without a name.
    plain: bool,
}

impl Named {
    fn add(&mut self, id: Option<&str>) -> Result<(), ToolError> {
        let Some(id) = id else {
            self.plain = true;
            return Ok(());
        };
        if let Some(before) = self.id.as_deref().filter(|before| *before != id) {
            return Err(mixed(before, id));
        }
        self.id = Some(id.to_owned());
        Ok(())
    }
}

/// An answer as it is true where the call came from: the call that goes on names the workspace, too.
pub fn name_back(mut reply: AnyReply, request: &Request) -> AnyReply {
    let Some(id) = request.named.as_deref() else { return reply };
    if let Some(next) = reply.truncated.as_mut().and_then(|truncated| truncated.next.as_mut())
        && let Some(arguments) = next.args.as_object()
    {
        let (plain, named) = (next.args.to_string(), Value::Object(with_name(&next.tool, arguments, id)));
        if let Some(at) = reply.text.rfind(&plain) {
            reply.text.replace_range(at..at + plain.len(), &named.to_string());
        }
        next.args = named;
    }
    if TELLERS.contains(&request.tool.as_str()) {
        reply.warnings.push(the_paths_of(id));
    }
    reply
}

/// The same for an error: it names paths as they are called there.
pub fn name_back_in(error: ToolError, request: &Request) -> ToolError {
    let Some(id) = request.named.as_deref() else { return error };
    let mut error = error.in_workspace(id);
    if !error.candidates.is_empty() {
        error.hint = format!("{}; {}", error.hint, the_paths_of(id));
    }
    error
}

fn the_paths_of(id: &str) -> String {
    format!("the paths are those of the workspace `{id}`: write `{id}:` before them")
}

fn with_name(tool: &str, arguments: &Map<String, Value>, id: &str) -> Map<String, Value> {
    let named = |text: &str| match text {
        "" | "." => format!("{id}:"),
        kept if kept.starts_with(KEPT) => kept.to_owned(),
        path => format!("{id}:{path}"),
    };
    let paths = path_parameters(tool);
    let mut arguments = arguments.clone();
    let mut any = false;
    for (_, value) in arguments.iter_mut().filter(|(name, _)| paths.contains(&name.as_str())) {
        any = true;
        match value {
            Value::String(text) => *text = named(text),
            Value::Array(items) if items.is_empty() => items.push(Value::String(named(""))),
            Value::Array(items) => {
                for item in items {
                    if let Value::String(text) = item {
                        *text = named(text);
                    }
                }
            }
            _ => {}
        }
    }
    if !any {
        arguments.insert("path".to_owned(), Value::String(named("")));
    }
    arguments
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
    use serde_json::json;

    use super::*;

    #[test]
    fn the_call_that_goes_on_names_the_workspace() {
        let check = |given: Value, expected: Value| {
            let given = given.as_object().unwrap();
            assert_eq!(Value::Object(with_name("git_diff", given, "two")), expected);
        };
        check(json!({"path": "log", "start_line": 3}), json!({"path": "two:log", "start_line": 3}));
        check(json!({"path": "", "rev": "x"}), json!({"path": "two:", "rev": "x"}));
        check(json!({"paths": ["a", "b"]}), json!({"paths": ["two:a", "two:b"]}));
        check(json!({"paths": []}), json!({"paths": ["two:"]}));
        check(json!({"rev": "x"}), json!({"rev": "x", "path": "two:"}));
        check(json!({"path": "out:1"}), json!({"path": "out:1"}));
        check(
            json!({"from": "HEAD~1", "to": "HEAD", "paths": ["a"]}),
            json!({"from": "HEAD~1", "to": "HEAD", "paths": ["two:a"]}),
        );
    }
}
