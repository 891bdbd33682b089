//! Runs `targets/edits.rs` for libFuzzer.
#![no_main]

#[path = "../targets/edits.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|input: target::Input| target::run(input));
