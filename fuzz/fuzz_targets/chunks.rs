//! Runs `targets/chunks.rs` for libFuzzer.
#![no_main]

#[path = "../targets/chunks.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|input: target::Input| target::run(input));
