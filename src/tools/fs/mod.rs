//! Files: reading, listing, writing, editing.

pub mod ladder;
pub mod line_ends;
pub mod near_miss;
pub mod splice;
pub mod text_file;
