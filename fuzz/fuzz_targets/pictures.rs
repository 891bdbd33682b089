//! Runs `targets/pictures.rs` for libFuzzer.
#![no_main]

#[path = "../targets/pictures.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|input: &[u8]| target::run(input));
