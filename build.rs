//! An unoptimised program has two hundred thousand addresses that are written anew at each start, as long as it may lie anywhere in
//! memory: two thirds of what a start costs, and the tests start it some ten thousand times. It gets a fixed place instead. What is
//! released may lie anywhere.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("PROFILE", "debug") && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg=-no-pie");
    }
}
