//! The line end that a project wants in a new file, as its `.editorconfig` and `.gitattributes` say. Reads only.

use globset::GlobBuilder;

use crate::{
    relpath::RelPath,
    tools::Call,
    workspace::{Workspace, WorkspacePath},
};

/// Larger ones are no such file.
const RULES_BYTES: u64 = 64 * 1024;

/// What the nearest file with an opinion says; `.editorconfig` comes first. `None`: nobody says anything.
pub fn line_end(call: &Call, path: &WorkspacePath) -> Option<&'static str> {
    let file = path.resolved();
    // In folders that are still to be made nobody says anything.
    let folders = || std::iter::successors(file.parent(), RelPath::parent).skip(path.new_folders().len());
    for folder in folders() {
        let Some(text) = read(&call.workspace, &folder, ".editorconfig") else { continue };
        let (end, is_root) = in_editorconfig(&text, &below(file, &folder));
        if end.is_some() {
            return end;
        }
        if is_root {
            break;
        }
    }
    let said = |folder: RelPath| {
        in_gitattributes(&read(&call.workspace, &folder, ".gitattributes")?, &below(file, &folder))
    };
    folders().find_map(said)
}

fn read(workspace: &Workspace, folder: &RelPath, name: &str) -> Option<String> {
    let path = workspace.resolve_listed(&folder.join(name)).ok().filter(WorkspacePath::is_file)?;
    String::from_utf8(workspace.read(&path, RULES_BYTES).ok()?).ok()
}

fn below(file: &RelPath, folder: &RelPath) -> String {
    let rest = file.as_path().strip_prefix(folder.as_path()).unwrap_or(file.as_path());
    RelPath::from_plain(rest).unwrap_or_default().to_slashed()
}

/// What one `.editorconfig` says of `path`, and whether those above it count no more.
fn in_editorconfig(text: &str, path: &str) -> (Option<&'static str>, bool) {
    let (mut end, mut is_root, mut applies, mut in_section) = (None, false, false, false);
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';'])) {
        if let Some(glob) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            (in_section, applies) = (true, matches(glob, path));
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let value = value.trim().to_ascii_lowercase();
        match key.trim().to_ascii_lowercase().as_str() {
            "root" if !in_section => is_root = value == "true",
            "end_of_line" if applies => end = named(&value).or(end.filter(|_| value != "unset")),
            _ => {}
        }
    }
    (end, is_root)
}

/// What one `.gitattributes` says of `path`; the last line that speaks of it counts.
fn in_gitattributes(text: &str, path: &str) -> Option<&'static str> {
    let mut end = None;
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '[', '!'])) {
        let mut words = line.split_whitespace();
        if !words.next().is_some_and(|glob| matches(glob, path)) {
            continue;
        }
        for word in words {
            match word {
                "-text" | "binary" | "-eol" | "!eol" => end = None,
                _ => end = word.strip_prefix("eol=").and_then(named).or(end),
            }
        }
    }
    end
}

fn named(word: &str) -> Option<&'static str> {
    match word {
        "lf" => Some("\n"),
        "crlf" => Some("\r\n"),
        _ => None,
    }
}

/// A glob without a slash means a name at any depth.
fn matches(glob: &str, path: &str) -> bool {
    let inner = glob.strip_prefix('/').unwrap_or(glob);
    let glob = if glob.contains('/') { inner.to_owned() } else { format!("**/{glob}") };
    let built = GlobBuilder::new(&glob).literal_separator(true).backslash_escape(true).build();
    built.is_ok_and(|glob| glob.compile_matcher().is_match(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editorconfig_is_read_as_editors_do() {
        let text = "root = true\n[*]\nend_of_line = lf\n# no\n[*.{bat,cmd}]\nend_of_line = CRLF\n[/src/**.txt]\nend_of_line = crlf\n";
        assert_eq!(in_editorconfig(text, "a.rs"), (Some("\n"), true));
        assert_eq!(in_editorconfig(text, "deep/er/a.bat"), (Some("\r\n"), true));
        assert_eq!(in_editorconfig(text, "src/a.txt"), (Some("\r\n"), true));
        assert_eq!(in_editorconfig("[*.py]\nindent_size = 4\n", "a.py"), (None, false));
        assert_eq!(in_editorconfig("[{\nend_of_line = lf", "a"), (None, false));
    }

    #[test]
    fn gitattributes_are_read_as_git_does() {
        let text = "* text=auto\n*.bat eol=crlf\n/top.txt eol=crlf\n*.png binary\n# *.rs eol=crlf\n";
        assert_eq!(in_gitattributes(text, "a/b.bat"), Some("\r\n"));
        assert_eq!(in_gitattributes(text, "top.txt"), Some("\r\n"));
        assert_eq!(in_gitattributes(text, "a/top.txt"), None);
        assert_eq!(in_gitattributes(text, "a.rs"), None);
        assert_eq!(in_gitattributes("* eol=crlf\n*.sh -text\n", "a.sh"), None);
    }
}
