//! Packs that were made to take time or memory: what is told as a chain of differences, and what claims to be enormous.

use gix::ObjectId;
use outrigger::tools::Code;
use serde_json::json;

use crate::git_bombs::{Bomb, stored};

const BLOB: u8 = 3;
const BY_OFFSET: u8 = 6;

fn digest(bytes: &[u8]) -> ObjectId {
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha1);
    hasher.update(bytes);
    hasher.try_finalize().unwrap()
}

/// A pack that is being written, without anything that would look at its sense.
struct Pack {
    bytes: Vec<u8>,
    entries: Vec<(ObjectId, u32)>,
}

impl Pack {
    fn new(count: u32) -> Self {
        Self { bytes: [b"PACK\0\0\0\x02".as_slice(), &count.to_be_bytes()].concat(), entries: Vec::new() }
    }

    /// An entry of this kind, which claims this size; returns where it stands.
    fn entry(&mut self, id: ObjectId, kind: u8, size: u64, base: Option<usize>, content: &[u8]) -> usize {
        let place = self.bytes.len();
        self.entries.push((id, u32::try_from(place).unwrap()));
        let (mut rest, mut byte) = (size >> 4, (kind << 4) | (size & 15) as u8);
        while rest > 0 {
            self.bytes.push(byte | 0x80);
            (byte, rest) = ((rest & 0x7f) as u8, rest >> 7);
        }
        self.bytes.push(byte);
        if let Some(base) = base {
            let mut distance = place - base;
            let mut back = vec![(distance & 0x7f) as u8];
            while distance >> 7 > 0 {
                distance = (distance >> 7) - 1;
                back.push(0x80 | (distance & 0x7f) as u8);
            }
            self.bytes.extend(back.iter().rev());
        }
        self.bytes.extend(stored(content));
        place
    }

    /// Puts it, with its index, into the repository.
    fn put(mut self, bomb: &Bomb) {
        let sum = digest(&self.bytes);
        self.bytes.extend(sum.as_bytes());
        self.entries.sort();
        let mut index = b"\xfftOc\0\0\0\x02".to_vec();
        for first in 0..=255_u8 {
            let count = self.entries.iter().filter(|(id, _)| id.as_bytes()[0] <= first).count();
            index.extend(u32::try_from(count).unwrap().to_be_bytes());
        }
        self.entries.iter().for_each(|(id, _)| index.extend(id.as_bytes()));
        index.extend(vec![0; 4 * self.entries.len()]);
        self.entries.iter().for_each(|(_, place)| index.extend(place.to_be_bytes()));
        index.extend(sum.as_bytes());
        let sum_of_index = digest(&index);
        index.extend(sum_of_index.as_bytes());
        bomb.world.write(&format!(".git/objects/pack/pack-{sum}.pack"), self.bytes);
        bomb.world.write(&format!(".git/objects/pack/pack-{sum}.idx"), index);
    }
}

fn number(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >> 7 > 0 {
        bytes.push(0x80 | (value & 0x7f) as u8);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A difference that takes the whole base and adds `more`; sizes as told.
fn difference(base: u64, result: u64, copied: u64, more: &[u8]) -> Vec<u8> {
    let mut bytes = [number(base), number(result)].concat();
    if copied > 0 {
        bytes.push(0b1111_0000);
        bytes.extend(&copied.to_le_bytes()[..3]);
    }
    if !more.is_empty() {
        bytes.push(more.len() as u8);
        bytes.extend(more);
    }
    bytes
}

/// A file that grows by a letter with each of so many differences, and is the next commit's.
fn chain(length: u64) -> Bomb {
    let bomb = Bomb::new();
    let mut pack = Pack::new(u32::try_from(length).unwrap() + 1);
    let mut content = b"start\n".to_vec();
    let id = |content: &[u8]| digest(&[format!("blob {}\0", content.len()).as_bytes(), content].concat());
    let mut place = pack.entry(id(&content), BLOB, content.len() as u64, None, &content);
    for _ in 0..length {
        let before = content.len() as u64;
        content.push(b'x');
        let step = difference(before, before + 1, before, b"x");
        place = pack.entry(id(&content), BY_OFFSET, step.len() as u64, Some(place), &step);
    }
    pack.put(&bomb);
    let blob = id(&content);
    bomb.commit_tree(&bomb.tree(&format!("100644 blob {blob}\ta.txt\n")));
    bomb
}

#[test]
fn a_long_chain_of_differences_is_followed_as_far_as_git_makes_them() {
    let bomb = chain(4095);
    let text = bomb.answer("git_show", json!({"rev": "HEAD", "path": "a.txt"}));
    assert!(text.contains("start") && text.contains("xxx"), "{text}");
    bomb.is_defused(&[Code::NoChange]);
}

#[test]
fn an_endless_chain_of_differences_is_not_followed() {
    let bomb = chain(20_000);
    let error = bomb.world.tool("git_show", json!({"rev": "HEAD", "path": "a.txt"})).unwrap_err();
    assert_eq!(error.code, Code::TooLarge, "{error:?}");
    assert!(error.message.contains("chain") && error.hint.contains("path"), "{error:?}");
    bomb.is_defused(&[Code::TooLarge, Code::NoChange]);
    // Everything else of the repository is there.
    assert!(bomb.answer("git_log", json!({})).contains("first"));
    assert!(bomb.answer("git_show", json!({"rev": "HEAD~1"})).contains("first"));
}

#[test]
fn sizes_that_a_pack_claims_are_not_believed() {
    for size in [300 << 20, 5 << 30, 10_u64.pow(15), u64::MAX] {
        for kind in ["whole", "difference", "base"] {
            let bomb = Bomb::new();
            let (base_id, id) = (digest(b"a base that is told"), digest(b"what stands on it"));
            let mut pack = Pack::new(2);
            let claimed = if kind == "base" { size } else { 10 };
            let base = pack.entry(base_id, BLOB, claimed, None, b"0123456789");
            match kind {
                "whole" => pack.entry(id, BLOB, size, None, b"short"),
                "difference" => {
                    let step = difference(10, size, 10, b"x");
                    pack.entry(id, BY_OFFSET, step.len() as u64, Some(base), &step)
                }
                _ => {
                    let step = difference(size, 11, 10, b"x");
                    pack.entry(id, BY_OFFSET, step.len() as u64, Some(base), &step)
                }
            };
            pack.put(&bomb);
            bomb.commit_tree(&bomb.tree(&format!("100644 blob {id}\ta.txt\n")));
            bomb.is_defused(&[Code::TooLarge, Code::NotARepo, Code::NoChange]);
            let error = bomb.world.tool("git_show", json!({"rev": "HEAD", "path": "a.txt"})).unwrap_err();
            assert!(matches!(error.code, Code::TooLarge | Code::NotARepo), "{kind} {size}: {error:?}");
            if size > u64::from(u32::MAX) && kind != "base" {
                assert_eq!(error.code, Code::TooLarge, "{kind} {size}: {error:?}");
            }
        }
    }
}

#[test]
fn a_pack_that_is_its_own_base_or_cut_off_is_told() {
    let bomb = Bomb::new();
    let id = digest(b"it stands on itself");
    let mut pack = Pack::new(1);
    let step = difference(10, 11, 10, b"x");
    let place = pack.bytes.len();
    pack.entry(id, BY_OFFSET, step.len() as u64, Some(place), &step);
    pack.bytes.truncate(pack.bytes.len() - 3);
    pack.put(&bomb);
    bomb.commit_tree(&bomb.tree(&format!("100644 blob {id}\ta.txt\n")));
    bomb.is_defused(&[Code::TooLarge, Code::NotARepo, Code::NoChange]);
}

#[test]
fn half_a_million_references_are_answered() {
    let bomb = Bomb::new();
    let head = bomb.world.git(&["rev-parse", "HEAD"]);
    let line = |number| format!("{} refs/tags/release-{number:09}\n", head.trim());
    let packed: String = (0..500_000).map(line).collect();
    bomb.world
        .write(".git/packed-refs", ["# pack-refs with: peeled fully-peeled sorted \n", &packed].concat());
    let status = bomb.answer("git_status", json!({"branches": true}));
    assert!(status.contains("branches: topic"), "{status}");
    assert!(bomb.answer("git_log", json!({"rev": "release-000499999"})).contains("first"));
    let error = bomb.world.tool("git_switch", json!({"branch": "topic/below", "create": true})).unwrap_err();
    assert_eq!(error.code, Code::AlreadyExists, "{error:?}");
    let error = bomb.world.tool("git_switch", json!({"branch": "tropic"})).unwrap_err();
    assert_eq!((error.code, error.candidates), (Code::BadRevision, vec!["topic".to_owned()]));
    bomb.world.write(".git/packed-refs", packed.repeat(3));
    let error = bomb.world.tool("git_commit", json!({"message": "m"})).unwrap_err();
    assert_eq!(error.code, Code::TooLarge, "{error:?}");
    assert!(error.message.contains("`.git/packed-refs` has"), "{error:?}");
    assert!(bomb.answer("git_log", json!({})).contains("first"));
}
