//! Runs `targets/redaction.rs` for libFuzzer.
#![no_main]

#[path = "../targets/redaction.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|input: target::Input| target::run(input));
