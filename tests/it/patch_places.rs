//! Where the lines and files of a patch go that tells little of it: by names, by numbers, by empty lines; and how long that takes.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::{
    patch_prose::{Files, patched},
    world::World,
};

const NAMES: &str = "--- a/x\n+++ b/x\n";

fn codex(lines: &str) -> String {
    format!("*** Begin Patch\n*** Update File: x\n{lines}*** End Patch\n")
}

fn one(text: &str) -> Files {
    [("x".to_owned(), text.to_owned())].into()
}

/// What becomes of the file `x`.
#[track_caller]
fn made(before: &str, patch: &str) -> String {
    match patched(&one(before), patch) {
        Ok(files) => files["x"].clone(),
        Err(error) => panic!("{error}\n{patch}"),
    }
}

#[test]
fn lines_that_come_in_many_places_take_no_time() {
    let begun = Instant::now();
    let lines: Vec<String> = (0..40_000).map(|line| format!("{line}\n")).collect();
    let come: String = lines.iter().map(|line| format!(" {line}+y\n")).collect();
    let after: String = lines.iter().map(|line| format!("{line}y\n")).collect();
    assert!(made(&lines.concat(), &codex(&format!("@@\n{come}"))) == after);
    // Below, in front of and behind a line as long as a file, in a text with two line ends.
    let long = "x".repeat(2 << 20);
    for (line, front, back, end) in [
        (2, "a\r\n", "", "\r\n"),
        (2, "a\r\n", "\n", "\n"),
        (0, "", "\r\nz\n", "\r\n"),
        (1, "", "\r\nz\n", "\r\n"),
    ] {
        let text = format!("{front}{long}{back}");
        let hunks: String = (1..=10_000).map(|new| format!("@@ -{line},0 +{new} @@\n+{new}\n")).collect();
        let come: String = (1..=10_000).map(|new| format!("{new}{end}")).collect();
        let after = match (line, back) {
            (2, "") => format!("{text}{end}{}", come.trim_end()),
            (2, _) => format!("{text}{come}"),
            (0, _) => format!("{come}{text}"),
            _ => format!("{long}\r\n{come}z\n"),
        };
        assert!(made(&text, &format!("{NAMES}{hunks}")) == after, "{line} {back:?}");
    }
    // The same in one line of a text that is edited.
    let world = World::new();
    world.write("x", format!("a\r\n{}", "x,".repeat(50_000)));
    let edits = json!([{"old_text": ",", "new_text": ",\n", "replace_all": true}]);
    world.tool("fs_edit", json!({"path": "x", "edits": edits})).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}
