//! By device and inode.

use std::{
    fs::{self, File, Metadata},
    os::unix::fs::MetadataExt as _,
    path::Path,
};

/// True when `path`, a link itself for a link, is the file or folder that is open.
pub fn is_same(file: &File, path: &Path) -> bool {
    let identity = |metadata: Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => identity(open) == identity(named),
        _ => false,
    }
}
