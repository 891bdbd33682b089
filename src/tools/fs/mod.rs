//! Files: reading, listing, writing, editing.

mod block;
mod change;
mod edit;
mod ladder;
pub(super) mod line_ends;
mod list;
mod near_miss;
mod read;
mod splice;
pub(super) mod text_file;
mod tree;
pub(super) mod window;
mod write;

pub use edit::FsEdit;
pub use list::FsList;
pub use read::FsRead;
pub use write::FsWrite;
