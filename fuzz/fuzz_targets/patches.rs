//! Runs `targets/patches.rs` for libFuzzer.
#![no_main]

#[path = "../targets/patches.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|input: target::Input| target::run(input));
