//! Runs `targets/frames.rs` for libFuzzer.
#![no_main]

#[path = "../targets/frames.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|input: target::Input| target::run(input));
