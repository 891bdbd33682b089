//! Objects that were unpacked, kept for a while; and an end to chains that are too long.
//!
//! An object in a pack may be told as a difference from another one, and that again from another. git makes no chains above 4 095; a
//! longer one was made to take time, and nothing else can stop it once it is being followed.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use gix::{
    objs::Kind,
    odb::pack::cache::{DecodeEntry, lru::MemoryCappedHashmap},
};

/// Objects in a pack stand on others; those are kept for so many bytes, so that a walk through history does not unpack the same
/// ones again and again. It fills only as far as it is used, and lives as long as the call.
const KEPT_BYTES: usize = 16 * 1024 * 1024;
/// The longest chain that is followed: git's own limit, and some.
const CHAIN: u32 = 5000;

/// The cache of one thread.
pub(super) struct PackCache {
    kept: MemoryCappedHashmap,
    /// Differences that were followed since the last object was there.
    followed: u32,
    gave_up: Arc<AtomicBool>,
}

impl PackCache {
    /// `gave_up` is set when a chain was not followed to its end.
    pub(super) fn new(gave_up: Arc<AtomicBool>) -> Self {
        Self { kept: MemoryCappedHashmap::new(KEPT_BYTES), followed: 0, gave_up }
    }
}

impl DecodeEntry for PackCache {
    fn put(&mut self, pack: u32, offset: u64, data: &[u8], kind: Kind, compressed_size: usize) {
        self.followed = 0;
        self.kept.put(pack, offset, data, kind, compressed_size);
    }

    fn get(&mut self, pack: u32, offset: u64, out: &mut Vec<u8>) -> Option<(Kind, usize)> {
        let found = self.kept.get(pack, offset, out);
        self.followed = if found.is_some() { 0 } else { self.followed + 1 };
        if self.followed <= CHAIN {
            return found;
        }
        // There is no way to say that it is enough. What ends the chain here fits to nothing that was told of it.
        self.followed = 0;
        self.gave_up.store(true, Ordering::Relaxed);
        out.clear();
        Some((Kind::Blob, 0))
    }
}
