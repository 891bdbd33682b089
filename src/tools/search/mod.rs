//! Searching: `search_grep` for contents, `search_glob` for names.
//!
//! Both see what ripgrep would see by default, in path order, and say what was left out. Neither can see a blocked path, follow a
//! link, or leave the workspace: walks and files are opened through the workspace door.

mod glob;
mod globs;
mod grep;
mod hits;
mod pattern;
mod render;
mod scan;
mod stop;

pub use glob::SearchGlob;
pub use grep::SearchGrep;
