//! Runs `targets/arguments.rs` for libFuzzer.
#![no_main]

#[path = "../targets/arguments.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|input: target::Input| target::run(input));
