//! Runs `targets/paths.rs` for libFuzzer.
#![no_main]

#[path = "../targets/paths.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|input: target::Input| target::run(input));
