//! What a reparse point of Windows says: where a symbolic link or a junction leads. Pure: bytes in, a path out.

use std::path::PathBuf;

use crate::text;

/// A symbolic link.
const SYMLINK: u32 = 0xa000_000c;
/// A junction, or another disk's place in the tree.
const MOUNT_POINT: u32 = 0xa000_0003;
/// Set in the tag of everything that stands for another name.
const NAME_SURROGATE: u32 = 0x2000_0000;
/// A socket among files.
const SOCKET: u32 = 0x8000_0023;

/// What a tag means to a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// It is what its attributes say.
    Plain,
    /// It stands for another name.
    Link,
    /// A socket.
    Socket,
    /// Something that a filter of the system would have to make a file of.
    Foreign,
}

/// What `tag` means; 0 is none. Files that a cloud keeps show no tag to programs that do not ask for it.
pub(super) fn meaning(tag: u32) -> Meaning {
    match tag {
        0 => Meaning::Plain,
        SOCKET => Meaning::Socket,
        tag if tag & NAME_SURROGATE != 0 => Meaning::Link,
        _ => Meaning::Foreign,
    }
}

/// Where a link leads, as it is written: relative for a relative one. `None` for what is none, or cannot be read.
pub(super) fn target(data: &[u8]) -> Option<PathBuf> {
    let number = |at: usize| Some(u16::from_le_bytes(data.get(at..at + 2)?.try_into().ok()?));
    let tag = u32::from_le_bytes(data.get(..4)?.try_into().ok()?);
    // Behind the tag, a length and a reserved number: where the name that counts stands, then, for symbolic links, flags.
    let (offset, length) = (usize::from(number(8)?), usize::from(number(10)?));
    let names = match tag {
        SYMLINK => 20,
        MOUNT_POINT => 16,
        _ => return None,
    };
    let bytes = data.get(names + offset..names + offset + length)?;
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    let written = String::from_utf16(&units).ok()?;
    // The kernel's own way to begin an absolute path.
    let path = written.strip_prefix(r"\??\").map_or(written.clone(), |rest| format!(r"\\?\{rest}"));
    Some(text::without_mark(&path).into_owned().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(tag: u32, target: &str, names: usize) -> Vec<u8> {
        let units: Vec<u8> = target.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let length = u16::try_from(units.len()).unwrap();
        let mut data = tag.to_le_bytes().to_vec();
        data.extend([0; 4]);
        // The name that counts stands behind one of four bytes that people are shown.
        for number in [4, length, 0, 4] {
            data.extend(number.to_le_bytes());
        }
        data.resize(names, 0);
        data.extend([b'x', 0, b'y', 0]);
        data.extend(units);
        data
    }

    #[test]
    fn links_and_junctions_say_where_they_lead() {
        let check = |tag, written: &str, names, expected: &str| {
            assert_eq!(target(&data(tag, written, names)), Some(PathBuf::from(expected)), "{written}");
        };
        check(SYMLINK, r"..\other", 20, r"..\other");
        check(SYMLINK, r"\??\C:\Users\ada", 20, r"C:\Users\ada");
        check(MOUNT_POINT, r"\??\D:\data", 16, r"D:\data");
        check(MOUNT_POINT, r"\??\UNC\server\share", 16, r"\\server\share");
        check(MOUNT_POINT, r"\??\Volume{1}\", 16, r"\\?\Volume{1}\");
    }

    #[test]
    fn what_is_torn_or_unknown_leads_nowhere() {
        let whole = data(SYMLINK, r"..\other", 20);
        for length in 0..whole.len() {
            assert_eq!(target(&whole[..length]), None, "{length}");
        }
        assert_eq!(target(&data(0xa000_001d, "x", 16)), None);
    }

    #[test]
    fn what_stands_for_another_name_is_a_link() {
        assert_eq!(
            [0, SYMLINK, MOUNT_POINT, 0xa000_001d].map(meaning),
            [Meaning::Plain, Meaning::Link, Meaning::Link, Meaning::Link]
        );
        assert_eq!(
            [SOCKET, 0x8000_0013, 0x9000_001a].map(meaning),
            [Meaning::Socket, Meaning::Foreign, Meaning::Foreign]
        );
    }
}
