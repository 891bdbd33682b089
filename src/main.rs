//! `argv` in, exit code out; everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    outrigger::cli::run(std::env::args_os().collect())
}
