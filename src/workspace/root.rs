//! A workspace root: opened once, everything relative to its handle.

use crate::relpath::RelPath;

/// A path that the door resolved; only the door makes one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WorkspacePath {
    resolved: RelPath,
}

impl WorkspacePath {
    /// Where it really leads, relative to the root.
    pub fn resolved(&self) -> &RelPath {
        &self.resolved
    }
}

/// One workspace.
#[derive(Debug)]
pub struct Workspace {
    id: String,
}

impl Workspace {
    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }
}
