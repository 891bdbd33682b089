//! What a caller writes for git: revisions, ranges, dates, paths. Whatever it is, the answer is a result or words; never a fault of
//! the host, never something from a blocked file, and the repository stays as it was.

#[path = "../support/world.rs"]
mod world;

use arbitrary::Arbitrary;
use outrigger::tools::Code;
use serde_json::json;

#[derive(Arbitrary, Debug)]
pub struct Words {
    tool: u8,
    pieces: Vec<(u8, String)>,
    path: Vec<(u8, String)>,
}

const REVISIONS: &[&str] = &[
    "HEAD", "main", "^", "~", "@", "{", "}", "..", "...", ":", "/", "-", "1", "first", "^{/", ":/", "@{",
    "tag", " ",
];
const PATHS: &[&str] =
    &["a.txt", "d", "/", "..", ".", ".env", ":", "*", "(", ")", "!", "top", ".git", "\\", "~", "place:"];

fn joined(pieces: &[(u8, String)], known: &[&str]) -> String {
    let piece = |(index, text): &(u8, String)| match known.get(usize::from(*index) % (known.len() + 3)) {
        Some(known) => (*known).to_owned(),
        None => text.clone(),
    };
    pieces.iter().take(8).map(piece).collect()
}

/// What the bytes of a run are read as.
pub type Input = Words;

/// One run.
pub fn run(words: Input) {
    let world = world::repository();
    let (rev, path) = (joined(&words.pieces, REVISIONS), joined(&words.path, PATHS));
    let (tool, arguments) = match words.tool % 8 {
        0 => ("git_show", json!({"rev": rev})),
        1 => ("git_show", json!({"rev": rev, "path": path})),
        2 => ("git_log", json!({"rev": rev, "path": path, "limit": 3})),
        3 => ("git_diff", json!({"from": rev})),
        4 => ("git_diff", json!({"paths": [path]})),
        5 => ("git_blame", json!({"path": path, "rev": rev})),
        6 => ("git_log", json!({"since": rev, "author": path, "limit": 3})),
        _ => ("git_status", json!({"path": path})),
    };
    match world.read(tool, arguments.clone()) {
        Ok(text) => assert!(!text.contains("BLOCKED"), "{tool} {arguments}: {text}"),
        Err(error) => assert_ne!(error.code, Code::Internal, "{tool} {arguments}: {error}"),
    }
}
