//! The generated pages say what the program says. `UPDATE_DOCS=1 cargo test --test it docs::` writes them.

use std::{fmt::Write as _, fs, path::Path};

use outrigger::{
    config::{self, Config, Profile},
    policy::{Law, path_lists},
    tools::{Code, catalog, reply::plain_schema},
};
use serde_json::Value;

/// Compares a page with what it should be, or writes it.
fn check(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    let text = format!("{}\n", text.trim_end());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &text).unwrap();
        return;
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    let line = written.lines().zip(text.lines()).position(|(one, other)| one != other);
    assert!(
        written == text,
        "docs/{name} is not what the program says (line {}): run `UPDATE_DOCS=1 cargo test --test it docs::`",
        line.map_or_else(|| written.lines().count().min(text.lines().count()) + 1, |line| line + 1)
    );
}

fn words(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// For a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// The type of a property with its bounds.
fn kind(property: &Value) -> String {
    if let Some(value) = property.get("const") {
        return format!("`{value}`");
    }
    if let Some(words) = property["enum"].as_array() {
        return words
            .iter()
            .map(|word| format!("`{}`", word.as_str().unwrap_or_default()))
            .collect::<Vec<_>>()
            .join(", ");
    }
    for choices in ["oneOf", "anyOf"] {
        if let Some(choices) = property[choices].as_array() {
            let kinds: Vec<String> = choices.iter().map(kind).filter(|kind| kind != "`null`").collect();
            return kinds.join(", ").replace('"', "");
        }
    }
    let bounds = match (property.get("minimum"), property.get("maximum")) {
        (Some(least), Some(most)) => format!(" {least} to {most}"),
        (None, Some(most)) => format!(" up to {most}"),
        (Some(least), None) if least != 0 => format!(" from {least}"),
        _ => String::new(),
    };
    match words(&property["type"]) {
        "array" => format!("list of {}", kind(&property["items"])),
        "object" if property["additionalProperties"].is_object() => {
            format!("table of {}", kind(&property["additionalProperties"]))
        }
        "" => "any".to_owned(),
        name => format!("{name}{bounds}"),
    }
}

fn default(property: &Value) -> String {
    property.get("default").map_or_else(String::new, |value| format!("`{value}`"))
}

mod configuration {
    use super::*;

    fn properties(text: &mut String, schema: &Value) {
        text.push_str("\n| key | what may stand there | default | meaning |\n|---|---|---|---|\n");
        let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().map(words).collect();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let default = match default(property) {
                empty if empty.is_empty() && required.contains(&name.as_str()) => {
                    "has to be there".to_owned()
                }
                default => default,
            };
            let _ = writeln!(
                text,
                "| `{name}` | {} | {} | {} |",
                cell(&kind(property)),
                cell(&default),
                cell(words(&property["description"]))
            );
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let (Some(values), Some(meanings)) =
                (property["enum"].as_array(), property["enumDescriptions"].as_array())
            else {
                continue;
            };
            let _ = writeln!(text, "\n`{name}`:\n");
            for (value, meaning) in values.iter().zip(meanings) {
                let _ = writeln!(text, "- `{}`: {}", words(value), words(meaning));
            }
        }
    }

    #[test]
    fn the_page_is_the_schema() {
        let tools: Vec<&str> = catalog().iter().map(|tool| tool.spec().name).collect();
        let schema = config::schema(&tools);
        let mut text = String::from(
            "# Configuration\n\
             This page is made from the program (`outrigger config schema`); a test keeps it so.\n\n\
             The file is `config.toml` or `config.yaml` (the same model) in the platform's configuration folder: on Linux `~/.config/outrigger/`.\n\
             `--config FILE` or `OUTRIGGER_CONFIG` names another one.\n\
             The state (journal, log, trust) is in the platform's state folder, on Linux `~/.local/state/outrigger/`, or in `OUTRIGGER_STATE_DIR`.\n\n\
             | command | what it does |\n|---|---|\n\
             | `outrigger config check` | reads the file as the host would, examples of commands included |\n\
             | `outrigger config add-path DIR…` | lets commands' programs be found there, before all other folders (`path` in `[exec]`) |\n\
             | `outrigger config show` | shows every setting in force and its origin: a line of the file, a default, built in |\n\
             | `outrigger config schema` | prints a JSON Schema for editors |\n\
             | `outrigger config example` | prints a whole file with comments, every setting at its default |\n\n\
             ## How it is read\n\
             - There are no silent defaults: an unknown key, a wrong type, a duplicate id, a failing example, a YAML anchor is an error with file, line, column, reason and the nearest valid name.\n\
             - A file that others may write, or that belongs to somebody else than you or root, is refused; the error names the command that mends it.\n\
             - At the start, a host whose configuration cannot be used serves nothing but the error.\n\
             - **While it runs, the file is watched**, through renames and links.\n  \
               A good file is in force for the next call: law, workspaces, tools. Running calls keep the law they were judged by; a plan made under another law is asked again.\n  \
               A broken file changes nothing: the last good one stays in force, and the error is told (log, hello, `notifications/outrigger/changed`).\n  \
               `log.level` counts from the next start.\n\
             - In YAML, anchors, aliases, tags and a second document are refused, and unquoted `no`, `010` and the like are neither text nor value.\n\n\
             ## At the top\n",
        );
        let top = schema["properties"].as_object().unwrap();
        let is_table = |property: &Value| {
            property["properties"].is_object() || property["items"]["properties"].is_object()
        };
        let mut plain = schema.clone();
        plain["properties"].as_object_mut().unwrap().retain(|_, property| !is_table(property));
        properties(&mut text, &plain);
        for (name, property) in top.iter().filter(|(_, property)| is_table(property)) {
            let list = property["items"]["properties"].is_object();
            let heading = if list { format!("[[{name}]]") } else { format!("[{name}]") };
            let _ = writeln!(text, "\n## `{heading}`\n{}", words(&property["description"]));
            properties(&mut text, if list { &property["items"] } else { property });
        }
        text.push_str(
            "\n## `.outrigger.toml` in a workspace\n\
             A workspace may bring rules of its own, in the language of this file (the version may be left out).\n\
             The file is untrusted content, so it may only narrow, and does so at once, looked at before every call:\n\n\
             - `files.blocked` and `files.protected` add globs;\n\
             - `tools.tier` makes a tool ask more strictly; `tools.profile` offers fewer tools there;\n\
             - `exec.enabled = false` allows no command there.\n\n\
             What widens (`\"!glob\"`, a lower tier, a `[[command]]`) is ignored, and `workspace_info` says so, until the user runs `outrigger trust [DIR]`, which shows it, of a command all that its entry says, and asks.\n\
             Trust is bound to the SHA-256 of the file: one byte more, and it is another file. `outrigger trust --list` shows what is trusted, `--remove` takes it back.\n\
             Where its folder lies in another workspace, its `files` rules hold for calls in that one too; its tiers, its profile and `exec.enabled` are for calls in itself.\n\
             Everything else (`workspace`, `mcp`, `redact`, `journal`, `log`, `panel`, `extensions`, the rest of `exec`) is not a workspace's to say.\n\
             While the file cannot be used (broken, a link, larger than 256 KiB), nothing is open that it may close. What it said when it could last be used stays in force, what needed trust without it, and every change by calls in that workspace is asked one by one; a host that has not seen it in such a state, because it started later, opens nothing there but the file itself, and runs no command. `workspace_info` and each refusal name the place in the file and what is wrong with it.\n\
             The file itself is a protected path: a tool that changes it is asked one by one.\n\n\
             ## The built-in lists\n\
             They are held against the whole path, the folders that lead to the workspace among them: a workspace that is `~/.ssh`, or a link of that name, is \
             closed, and in one that is `.github` the workflows are asked for one by one. For a folder on the way a glob counts that is \
             written for folders (`…/**`), any glob where it is hidden. The globs of `[files]` begin at the workspace's own folder.\n\n\
             Blocked: never read, written, listed or matched, by any tool.\n\n",
        );
        let globs = |list: &[&str]| list.iter().map(|glob| format!("`{glob}`")).collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "{}\n", globs(path_lists::BLOCKED));
        let _ = writeln!(
            text,
            "Protected: readable; changing them is asked one by one.\n\n{}\n\n\
             Protected as well is what makes a folder of another name than `.git` a repository (`HEAD` beside `objects` and `refs`), and its `config` and `hooks`.\n",
            globs(path_lists::PROTECTED)
        );
        text.push_str("## The shipped commands\nAllowed unless `exec.defaults = false`; an entry with the same id replaces one.\n\n| id | runs | tier |\n|---|---|---|\n");
        for entry in Config::without_file().commands {
            let runs = [std::slice::from_ref(&entry.program), entry.args.as_slice()].concat().join(" ");
            let _ = writeln!(
                text,
                "| `{}` | {} (`{}`) | {} |",
                entry.id,
                cell(&entry.summary),
                cell(&runs),
                entry.tier.as_str()
            );
        }
        let _ = writeln!(text, "\n## A whole file\n```toml\n{}\n```", config::EXAMPLE.trim_end());
        check("configuration.md", &text);
    }
}

mod tools {
    use super::*;

    /// What each code of a failure means.
    const CODES: &[(&str, &str)] = &[
        ("invalid_args", "an argument is missing, unknown or does not fit"),
        ("not_found", "there is no such file, folder or workspace; `candidates` names what is near"),
        ("wrong_type", "a folder where a file is needed, a link, a pipe, …"),
        ("outside_workspace", "the path, or the link it leads through, leaves the workspace"),
        ("blocked_path", "the configuration blocks it"),
        (
            "protected_path",
            "no tool writes there (`.git`, our own files), and no git tool takes a path in `.git`",
        ),
        ("permission_denied", "the system or the configuration forbids it"),
        ("too_large", "above a limit that the message names"),
        ("binary_file", "it is no text"),
        ("encoding_unsupported", "it cannot be decoded and encoded again to the same bytes"),
        ("stale", "the file is no longer what the etag says"),
        ("no_match", "`old_text` or a hunk is not in the file; `candidates` shows the nearest lines"),
        ("ambiguous_match", "it is there more than once"),
        ("no_change", "nothing would change"),
        ("already_exists", "the name is taken"),
        ("not_empty", "the folder has entries"),
        ("cross_device", "the two paths are not in one workspace or file system"),
        (
            "disk_full",
            "there is no space; nothing was changed, but by a `git_restore` that the message says did a part",
        ),
        ("not_a_repo", "no git repository contains the path"),
        ("bad_revision", "no such revision"),
        ("merge_in_progress", "the repository is in the middle of a merge, rebase or the like"),
        ("nothing_to_commit", "nothing is staged"),
        ("hook_failed", "a hook ended with an error; its output is in the message"),
        ("command_not_allowed", "no entry of the allowlist has this id"),
        ("argument_not_allowed", "the entry does not allow this argument"),
        ("spawn_failed", "the program could not be started"),
        ("timeout", "it took too long and was ended"),
        ("idle_timeout", "it said nothing for too long and was ended"),
        ("cancelled", "it was stopped; the message says what had been done"),
        ("approval_denied", "the user said no; the note may say why"),
        ("approval_stale", "what would happen changed while it was asked"),
        ("approval_unavailable", "it needs approval, and nobody can be asked"),
        ("outcome_unknown", "the host ended in the middle; look before repeating"),
        ("busy", "somebody else is at it; ask again"),
        ("unsupported_here", "this repository or system has something that is not supported"),
        ("internal", "a fault of ours; the log has more"),
    ];

    fn yes(value: bool) -> &'static str {
        if value { "yes" } else { "no" }
    }

    fn parameters(text: &mut String, schema: &Value) {
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        if properties.is_empty() {
            text.push_str("\nNo parameters.\n");
            return;
        }
        let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().map(words).collect();
        text.push_str("\n| parameter | type | default | meaning |\n|---|---|---|---|\n");
        for (name, property) in &properties {
            let default =
                if required.contains(&name.as_str()) { "required".to_owned() } else { default(property) };
            let _ = writeln!(
                text,
                "| `{name}` | {} | {} | {} |",
                cell(&kind(property)),
                cell(&default),
                cell(words(&property["description"]))
            );
            let items = property["items"]["properties"].as_object();
            let needed: Vec<&str> =
                property["items"]["required"].as_array().into_iter().flatten().map(words).collect();
            for (inner, property) in items.into_iter().flatten() {
                let default = if needed.contains(&inner.as_str()) {
                    "required".to_owned()
                } else {
                    super::default(property)
                };
                let _ = writeln!(
                    text,
                    "| `{name}[].{inner}` | {} | {} | {} |",
                    cell(&kind(property)),
                    cell(&default),
                    cell(words(&property["description"]))
                );
            }
        }
    }

    fn output(text: &mut String, schema: &Value) {
        text.push_str("\n| in `data` | type | meaning |\n|---|---|---|\n");
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let _ = writeln!(
                text,
                "| `{name}` | {} | {} |",
                cell(&kind(property)),
                cell(words(&property["description"]))
            );
            let inner = match property["items"]["properties"].as_object() {
                Some(items) => Some((format!("{name}[]"), items)),
                None => property["properties"].as_object().map(|fields| (name.clone(), fields)),
            };
            if let Some((prefix, fields)) = inner {
                for (field, property) in fields {
                    let _ = writeln!(
                        text,
                        "| `{prefix}.{field}` | {} | {} |",
                        cell(&kind(property)),
                        cell(words(&property["description"]))
                    );
                }
            }
        }
    }

    #[test]
    fn the_page_is_the_catalog() {
        let law = Law::new(&Config::without_file()).unwrap();
        let mut text = String::from(
            "# Tools\n\
             This page is made from the program's catalog; a test keeps it so.\n\n\
             Every tool is offered over MCP, and from a shell by `outrigger call TOOL key=value …`.\n\
             Paths are relative to the workspace, with `/`; `name:path` names another workspace; an absolute path counts inside the root alone.\n\n\
             **Profile**: the smallest one that offers the tool (`[tools] profile`).\n\
             **Tier**: `auto` runs at once, `batch` is asked once for a group, `individual` each time. Arguments can raise it, never lower it; the configuration sets it.\n\
             **Hints** are MCP's: reads only, may destroy, may be repeated, reaches beyond the workspace.\n\n\
             | tool | profile | tier | reads only | may destroy | may be repeated | beyond |\n|---|---|---|---|---|---|---|\n",
        );
        for tool in catalog() {
            let spec = tool.spec();
            let profile = match spec.profile {
                Profile::Read => "read",
                Profile::Core => "core",
                Profile::Full => "full",
            };
            let hints = spec.annotations;
            let _ = writeln!(
                text,
                "| [`{name}`](#{name}) | {profile} | {} | {} | {} | {} | {} |",
                spec.tier.as_str(),
                yes(hints.read_only),
                yes(hints.destructive),
                yes(hints.idempotent),
                yes(hints.open_world),
                name = spec.name,
            );
        }
        text.push_str(
            "\n## What a tool answers\n\
             `content[0].text` is what a model reads. `structuredContent` has the facts, in one shape for all:\n\n\
             | field | when | meaning |\n|---|---|---|\n\
             | `ok` | always | whether it worked |\n\
             | `data` | it worked | the facts of the tool, below |\n\
             | `etag` | about one file | identifies its raw bytes, for `base_etag`; texts show its first 12 digits, which are enough there |\n\
             | `truncated` | something was left out | `shown`, `total`, `unit`, and `next {tool, args}`: the call that shows more |\n\
             | `handle` | something long was left out | `out:<id>`: `fs_read` and `search_grep` take it as a path, for the connection's life |\n\
             | `warnings` | it worked | what should be known beside it, among it how many secrets became placeholders |\n\
             | `match` | an edit | how exactly it matched |\n\
             | `code`, `message`, `hint`, `retryable`, `candidates` | it failed | why, and what would work |\n\
             | `effective_tier`, `duration_ms` | always | how it was judged, how long it took |\n\n\
             **Secrets** (tokens, private keys, passwords in addresses, and the patterns of `[redact]`) are shown as `⟦redacted:<kind>:<number>⟧`, one that stands in an answer more than once by the same number, also where nothing tells of it.\n\
             A placeholder in new content is refused, in `old_text` it is `no_match`: it stands for text that was not shown.\n\n\
             **Repositories**: a git tool works on the repository that holds its `path`, or the first of its `paths`; without them, the one at the workspace's root.\n\
             `git_show` with a repository's folder as `path` (`sub`, or `name:` of another workspace) shows the commit of that repository; `sub/.` and `name:.` are what was in the folder.\n\
             A link in a repository is a path of it, as for git; a link that lies in none is followed, where it stays in the workspace.\n\
             A submodule or a linked worktree (its `.git` is a file) is read where its git folder lies in a `.git` folder of the same workspace.\n\
             `git_add`, `git_commit`, `git_restore`, `git_switch` and `git_sync` answer `unsupported_here` there, and all of them where the git folder lies outside: the user can do that with git itself, or make the folder that holds both the workspace.\n\
             A repository that belongs to another user is `permission_denied` before this user allows it, as git refuses it: `git config --global --add safe.directory FOLDER`.\n\
             `git_sync` pushes to a remote of this machine (`file`) only where that lies in the workspace: the git program is confined as commands are (`[exec] sandbox`). It fetches from any.\n\n\
             **Ignore rules** are those that git and ripgrep go by (`.gitignore`, `.ignore`, `.rgignore`, `.git/info/exclude`, the user's own).\n\
             In a workspace that is a folder of a repository, those of the folders above count as well, up to the one with the `.git`, unless they leave out the workspace itself or the repository is another user's; nothing else is read there.\n\n\
             ## Codes of failures\n| code | meaning |\n|---|---|\n",
        );
        let schema = Value::Object(plain_schema::<Code>());
        for code in schema["enum"].as_array().unwrap().iter().map(words) {
            let meaning = CODES.iter().find(|(known, _)| *known == code);
            let (_, meaning) =
                meaning.unwrap_or_else(|| panic!("`{code}` is not explained in tests/it/docs.rs"));
            let _ = writeln!(text, "| `{code}` | {meaning} |");
        }
        for tool in catalog() {
            let spec = tool.spec();
            let _ = writeln!(text, "\n## {}\n{}", spec.name, spec.description);
            parameters(&mut text, &Value::Object(tool.input_schema(&law)));
            output(&mut text, &Value::Object(tool.data_schema()));
        }
        check("tools.md", &text);
    }
}

/// Every defence of the threat model names a test or a module that there is.
#[test]
fn the_threat_model_names_tests_that_there_are() {
    fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push((path.to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("tests"), &mut files);
    sources(&root.join("src"), &mut files);
    let page = fs::read_to_string(root.join("docs/threat-model.md")).unwrap();
    let is_name = |text: &str| {
        text.contains("::")
            && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_:*".contains(c))
    };
    let names: Vec<&str> = page.split('`').skip(1).step_by(2).filter(|text| is_name(text)).collect();
    assert!(names.len() > 30, "{names:?}");
    for name in names {
        let (module, last) = name.rsplit_once("::").unwrap();
        let modules: Vec<&str> = module.split("::").collect();
        let prefix = last.trim_end_matches('*');
        let found = files.iter().any(|(path, text)| {
            // The inner ones may be written inside the file of the outer one.
            let is_there = modules.iter().any(|module| path.contains(&format!("/{module}")));
            let is_module = path.ends_with(&format!("/{last}.rs"))
                || path.contains(&format!("/{last}/"))
                || text.contains(&format!("mod {last} {{"));
            is_there && (is_module || text.contains(&format!("fn {prefix}")))
        });
        assert!(found, "docs/threat-model.md names `{name}`, which is nowhere");
    }
}
