//! What a model is told about the place it works in.

mod info;

pub use info::WorkspaceInfo;
