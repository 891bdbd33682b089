//! Runs `targets/git_words.rs` for libFuzzer.
#![no_main]

#[path = "../targets/git_words.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|input: target::Input| target::run(input));
