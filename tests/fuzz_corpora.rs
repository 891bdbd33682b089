//! Every input that a fuzz target is known by runs through it once: the targets compile with everything else, and what one of them
//! found stays found. `fuzz/` looks for more.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::format_push_string,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what runs for libFuzzer ends by a panic, and makes files of its own"
)]

use std::path::Path;

use arbitrary::{Arbitrary, Unstructured};

#[path = "../fuzz/targets/arguments.rs"]
mod arguments;
#[path = "../fuzz/targets/chunks.rs"]
mod chunks;
#[path = "../fuzz/targets/config_text.rs"]
mod config_text;
#[path = "../fuzz/targets/edits.rs"]
mod edits;
#[path = "../fuzz/targets/frames.rs"]
mod frames;
#[path = "../fuzz/targets/git_words.rs"]
mod git_words;
#[path = "../fuzz/targets/patches.rs"]
mod patches;
#[path = "../fuzz/targets/paths.rs"]
mod paths;
#[path = "../fuzz/targets/pictures.rs"]
mod pictures;
#[path = "../fuzz/targets/redaction.rs"]
mod redaction;

/// Runs what lies in the corpus of `name`, read as libFuzzer's glue reads it.
fn run_all<'a, Input: Arbitrary<'a>>(name: &str, inputs: &'a [Vec<u8>], run: fn(Input)) {
    assert!(!inputs.is_empty(), "fuzz/corpus/{name} is empty");
    for input in inputs {
        // What is too short for the type is no input.
        if let Ok(input) = Input::arbitrary_take_rest(Unstructured::new(input)) {
            run(input);
        }
    }
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

#[test]
fn arguments_hold() {
    run_all("arguments", &corpus("arguments"), arguments::run);
}

#[test]
fn chunks_hold() {
    run_all("chunks", &corpus("chunks"), chunks::run);
}

#[test]
fn config_text_hold() {
    run_all("config_text", &corpus("config_text"), config_text::run);
}

#[test]
fn edits_hold() {
    run_all("edits", &corpus("edits"), edits::run);
}

#[test]
fn frames_hold() {
    run_all("frames", &corpus("frames"), frames::run);
}

#[test]
fn git_words_hold() {
    run_all("git_words", &corpus("git_words"), git_words::run);
}

#[test]
fn patches_hold() {
    run_all("patches", &corpus("patches"), patches::run);
}

#[test]
fn paths_hold() {
    run_all("paths", &corpus("paths"), paths::run);
}

#[test]
fn pictures_hold() {
    run_all("pictures", &corpus("pictures"), pictures::run);
}

#[test]
fn redaction_hold() {
    run_all("redaction", &corpus("redaction"), redaction::run);
}
