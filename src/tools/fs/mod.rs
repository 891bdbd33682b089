//! Files: reading, listing, writing, editing.

mod apply_patch;
mod block;
mod change;
mod delete;
mod edit;
mod fold;
mod git_folder;
mod house_ends;
mod indent;
mod jpeg_scans;
mod ladder;
mod large;
pub(super) mod line_ends;
mod list;
mod mkdir;
pub(super) mod names;
mod near_miss;
mod nearest;
mod no_text;
mod patch;
mod patch_names;
mod patch_plan;
mod picture;
mod preview;
mod read;
mod relocate;
pub(super) mod script;
mod seen;
mod splice;
mod survey;
pub(crate) mod text_file;
mod tree;
mod unfit;
pub(super) mod utf8_check;
pub(super) mod window;
mod write;

pub use apply_patch::{FsApplyPatch, patched_paths};
pub use delete::FsDelete;
pub use edit::FsEdit;
pub use list::FsList;
pub use mkdir::FsMkdir;
pub use read::FsRead;
pub(super) use read::missing;
pub use relocate::FsMove;
pub use write::FsWrite;

/// What `fuzz/` sees of the pure parts; no release has it.
#[cfg(any(fuzzing, debug_assertions))]
pub mod fuzzed;
