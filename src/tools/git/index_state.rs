//! What an index says, in one word: two that say the same make the same commit.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use super::stage::is_announced;
use crate::ids::hex;

/// The paths that it has.
pub(super) fn names(index: &git2::Index) -> BTreeSet<Vec<u8>> {
    index.iter().map(|entry| entry.path).collect()
}

/// Names the whole content of an index: equal fingerprints, equal next commit. libgit2's own order depends on who opened it.
pub(super) fn fingerprint(index: &git2::Index) -> String {
    let known = |entry: git2::IndexEntry| {
        let is_announced = is_announced(&entry);
        (entry.path, (entry.flags >> 12) & 3, entry.mode, entry.id, is_announced)
    };
    let mut entries: Vec<_> = index.iter().map(known).collect();
    entries.sort_unstable();
    let mut hasher = Sha256::new();
    for (path, stage, mode, id, is_announced) in entries {
        // What is only announced has the id of an empty file, and is not committed as one.
        let announced = if is_announced { "announced " } else { "" };
        hasher.update(format!("{mode:o} {id} {stage} {announced}{}\0", path.len()));
        hasher.update(&path);
    }
    hex(&hasher.finalize()[..16])
}
