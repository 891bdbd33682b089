//! The binary: argv to an entrance, and nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything else: the helper must be alone in its process.
    if std::env::args_os().nth(1).is_some_and(|argument| argument == outrigger::process::HELPER_ARGUMENT) {
        return outrigger::process::run_helper();
    }
    ExitCode::SUCCESS
}
