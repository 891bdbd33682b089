//! How large files of rules may be: `.gitattributes`, `.gitignore`, `.gitmodules` and those in the git folder.
//!
//! The libraries read them whole, once for each of their threads. A file of zeros costs whoever made it nothing, and a rule of two
//! bytes is a hundred in memory. git passes over those of more than 100 MiB; here they are refused, since an answer that goes by other
//! rules than git's is wrong.

use std::io::Read as _;

use gix::{
    ObjectId,
    bstr::{BStr, ByteSlice as _},
    index::State,
};

use super::{Repository, RepositoryError, nofollow};
use crate::{relpath::RelPath, text::visible};

/// What says how files come and go.
pub const ATTRIBUTES: &str = ".gitattributes";
/// What says which files do not count.
pub const IGNORED: &str = ".gitignore";
/// What says where other repositories lie.
const MODULES: &str = ".gitmodules";

/// Files up to this size are not looked into: people write smaller ones.
const PLAIN_BYTES: u64 = 1024 * 1024;
/// The largest file: lists of every file that lies elsewhere (LFS) are the longest that tools write, at 100 bytes a line.
const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// The most words in one: what fits into a file that is not looked into.
const WORDS: usize = 512 * 1024;
/// How often it is asked whether to go on.
const ASKED: usize = 1024;

impl Repository {
    /// Those that count for the whole repository.
    pub(super) fn check_own_rules(&self) -> Result<(), RepositoryError> {
        for name in [ATTRIBUTES, IGNORED, MODULES] {
            self.check_rules_in(&self.folder, name)?;
        }
        for name in ["info/exclude", "info/attributes"] {
            let path = self.places.common.join(name);
            if let Ok(metadata) = self.handle.symlink_metadata(path.as_path()) {
                self.check_rules(&path, metadata.len())?;
            }
        }
        Ok(())
    }

    /// The one of this name in a folder of the work tree, if there is one.
    pub fn check_rules_in(&self, folder: &RelPath, name: &str) -> Result<(), RepositoryError> {
        let path = folder.join(name);
        let Ok(inside) = path.as_path().strip_prefix(self.folder.as_path()) else { return Ok(()) };
        // Only looked at, by the name by which the library opens it.
        match self.workdir.join(inside).symlink_metadata() {
            Ok(metadata) if metadata.is_file() => self.check_rules(&path, metadata.len()),
            _ => Ok(()),
        }
    }

    /// The same for each folder above a path of the work tree.
    pub fn check_rules_above(&self, path: &RelPath, name: &str) -> Result<(), RepositoryError> {
        let mut above = path.parent();
        while let Some(folder) = above.filter(|folder| *folder != self.folder) {
            self.check_rules_in(&folder, name)?;
            above = folder.parent();
        }
        self.check_rules_in(&self.folder, name)
    }

    /// One that is so large.
    pub fn check_rules(&self, path: &RelPath, size: u64) -> Result<(), RepositoryError> {
        if size <= PLAIN_BYTES {
            return Ok(());
        }
        self.refuse_large(&path.to_string(), size)?;
        // What cannot be read is no work for the library either.
        let Ok((file, _)) = nofollow::open_file(&self.handle, path.as_path()) else { return Ok(()) };
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(|error| self.broken(&error))?;
        self.refuse_many(&path.to_string(), &bytes)
    }

    /// One that is stored, and read where the work tree has none.
    fn check_stored_rules(
        &self,
        reader: &gix::Repository,
        path: &BStr,
        id: ObjectId,
    ) -> Result<(), RepositoryError> {
        // What is not there, or damaged, is told by who needs it.
        let Ok(Some(header)) = reader.try_find_header(id) else { return Ok(()) };
        if header.size() <= PLAIN_BYTES {
            return Ok(());
        }
        let path = visible(&path.to_str_lossy()).into_owned();
        self.refuse_large(&path, header.size())?;
        let Ok(Some(object)) = reader.try_find_object(id) else { return Ok(()) };
        self.refuse_many(&path, &object.data)
    }

    /// All of an index that are read from the store.
    pub fn check_all_stored_rules(
        &self,
        reader: &gix::Repository,
        index: &State,
    ) -> Result<(), RepositoryError> {
        for entry in index.entries() {
            let path = entry.path(index);
            if is_rules(path) {
                self.check_stored_rules(reader, path, entry.id)?;
            }
        }
        Ok(())
    }

    /// All that say something of the files of an index: those of the work tree, and of the store where that has none.
    pub fn check_rules_for(
        &self,
        reader: &gix::Repository,
        index: &State,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), RepositoryError> {
        let mut last: &[u8] = b"";
        for (count, entry) in index.entries().iter().enumerate() {
            if count.is_multiple_of(ASKED) && stop() {
                return Ok(());
            }
            let path = entry.path(index);
            let folder = path.rfind_byte(b'/').map_or(b"".as_slice(), |end| &path[..end]);
            if folder != last {
                for above in folders(folder).filter(|above| !holds(above, last)) {
                    if let Some(above) = self.in_workspace(above.as_bstr()) {
                        self.check_rules_in(&above, ATTRIBUTES)?;
                    }
                }
                last = folder;
            }
            let is_missing = || {
                let here = gix::path::from_bstr(path).map(|path| self.workdir.join(path).symlink_metadata());
                matches!(here, Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound)
            };
            if is_rules(path) && is_missing() {
                self.check_stored_rules(reader, path, entry.id)?;
            }
        }
        Ok(())
    }

    fn refuse_large(&self, path: &str, size: u64) -> Result<(), RepositoryError> {
        if size <= MOST_BYTES {
            return Ok(());
        }
        let reason = format!(
            "`{path}` has {} MiB, and rules are read up to {}: shorten it",
            size >> 20,
            MOST_BYTES >> 20
        );
        Err(RepositoryError::TooLarge { path: self.folder.to_string(), reason })
    }

    fn refuse_many(&self, path: &str, bytes: &[u8]) -> Result<(), RepositoryError> {
        if words(bytes) <= WORDS {
            return Ok(());
        }
        let reason = format!("`{path}` has more than {WORDS} words of rules: shorten it");
        Err(RepositoryError::TooLarge { path: self.folder.to_string(), reason })
    }
}

fn is_rules(path: &BStr) -> bool {
    let name = path.rfind_byte(b'/').map_or(path.as_bytes(), |end| &path[end + 1..]);
    path == MODULES || [ATTRIBUTES, IGNORED].iter().any(|rules| name.eq_ignore_ascii_case(rules.as_bytes()))
}

/// A folder and all above it but the first.
fn folders(folder: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = memchr::memchr_iter(b'/', folder).chain((!folder.is_empty()).then_some(folder.len()));
    ends.map(|end| &folder[..end])
}

/// `below` is the folder, or lies in it.
fn holds(folder: &[u8], below: &[u8]) -> bool {
    below.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

fn words(bytes: &[u8]) -> usize {
    let starts =
        bytes.windows(2).filter(|pair| pair[0].is_ascii_whitespace() && !pair[1].is_ascii_whitespace());
    starts.count() + usize::from(bytes.first().is_some_and(|first| !first.is_ascii_whitespace()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_folder_is_looked_at_once() {
        let above: Vec<&[u8]> = folders(b"a/bc/d").collect();
        assert_eq!(above, [b"a".as_slice(), b"a/bc", b"a/bc/d"]);
        assert_eq!(folders(b"").count(), 0);
        assert!(holds(b"a", b"a/b") && holds(b"a", b"a") && !holds(b"a", b"ab") && !holds(b"a/b", b"a"));
    }

    #[test]
    fn words_are_counted() {
        for (text, count) in [("", 0), (" \n", 0), ("a", 1), ("a b\n", 2), (" a\n\nb ", 2)] {
            assert_eq!(words(text.as_bytes()), count, "{text:?}");
        }
        assert!(words(&b"a\n".repeat(usize::try_from(PLAIN_BYTES).unwrap() / 2)) <= WORDS);
    }
}
