//! What an index says, in one word: two that say the same make the same commit.

use sha2::{Digest as _, Sha256};

use crate::ids::hex;

/// Names the whole content of an index: equal fingerprints, equal next commit. libgit2's own order depends on who opened it.
pub(super) fn fingerprint(index: &git2::Index) -> String {
    let mut entries: Vec<_> =
        index.iter().map(|entry| (entry.path, (entry.flags >> 12) & 3, entry.mode, entry.id)).collect();
    entries.sort_unstable();
    let mut hasher = Sha256::new();
    for (path, stage, mode, id) in entries {
        hasher.update(format!("{mode:o} {id} {stage} {}\0", path.len()));
        hasher.update(&path);
    }
    hex(&hasher.finalize()[..16])
}
