//! Behaviour, through the public types. One binary; each module names what it proves.
//!
//! - `world`: a workspace with files, and calls on it, for all the others
//! - `search`: what search_grep and search_glob find, against ripgrep and fd
//! - `git`: what the git tools see and write, against the git program; hostile repositories

mod search;
mod world;
