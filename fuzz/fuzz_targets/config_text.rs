//! Runs `targets/config_text.rs` for libFuzzer.
#![no_main]

#[path = "../targets/config_text.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|input: target::Input| target::run(input));
