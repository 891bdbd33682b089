//! The integration tests, in one binary. Table of contents:
//!
//! - `support`: the real binary over real frames, and worlds to run it in
//! - `wire`: hello, MCP over frames, rubbish, bye, the end
//! - `calls`: plans and answers, exactly once by key, cancel, another life
//! - `world`: a workspace with files, and calls on it without a server, for the modules below
//! - `install`: manifests: what is written, restored, left alone, and said about it
//! - `doctor`: hosts that each do one thing wrong, and the real one
//! - `machine`: a home folder, a binary and a terminal of its own, for the two above
//! - `search`: what `search_grep` and `search_glob` find, against ripgrep and fd
//! - `git`: what the git tools see and write, against the git program
//! - `hostile_git`: repositories that try to run something or to reach outside
//! - `process`: the door to programs: what a command gets, and that nothing of it stays
//! - `exec_run`: the tool: arguments, paths, the plan, words for every end
#![expect(clippy::disallowed_methods, reason = "tests make their own folders and start the real binary")]

mod calls;
mod exec_run;
mod git;
mod hostile_git;
mod process;
mod doctor;
mod install;
mod machine;
mod search;
mod support;
mod wire;
mod world;
