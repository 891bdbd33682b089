//! How large files of rules may be: `.gitattributes`, `.gitignore`, `.gitmodules` and those in the git folder.
//!
//! The libraries read them whole, once for each of their threads, and hold those of all folders above a file at once. A file of zeros
//! costs whoever made it nothing, and a rule of two bytes is a hundred in memory. git passes over those of more than 100 MiB; here they
//! are refused, since an answer that goes by other rules than git's is wrong. So is a pipe, which may have no end.

use std::{convert::Infallible, io::Read as _};

use gix::{
    ObjectId,
    bstr::{BStr, ByteSlice as _},
    index::State,
};

use super::{
    Repository, RepositoryError, nofollow,
    rules_above::{Chain, TooMuch, folders},
};
use crate::{relpath::RelPath, text::visible};

/// What says how files come and go.
pub const ATTRIBUTES: &str = ".gitattributes";
/// What says which files do not count.
pub const IGNORED: &str = ".gitignore";
/// What says where other repositories lie.
const MODULES: &str = ".gitmodules";

/// Files up to this size are not looked into: people write smaller ones.
pub(super) const PLAIN_BYTES: u64 = 1024 * 1024;
/// The most, in one file and in those of folders in each other: lists of every file that lies elsewhere (LFS) are the longest that tools
/// write, at 100 bytes a line.
pub(super) const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// The most words: what fits into a file that is not looked into.
pub(super) const WORDS: usize = 512 * 1024;
/// How often it is asked whether to go on.
const ASKED: usize = 1024;

impl Repository {
    /// Those that count for the whole repository.
    pub(super) fn check_own_rules(&self) -> Result<(), RepositoryError> {
        for name in [ATTRIBUTES, IGNORED, MODULES] {
            if let Some((path, size)) = self.rules_in(&self.folder, name)? {
                self.check_rules(&path, size)?;
            }
        }
        for name in ["info/exclude", "info/attributes"] {
            let path = self.places.common.join(name);
            if let Ok(metadata) = self.handle.symlink_metadata(path.as_path()) {
                self.check_rules(&path, metadata.len())?;
            }
        }
        Ok(())
    }

    /// The one of this name in a folder of the work tree, and its size.
    fn rules_in(&self, folder: &RelPath, name: &str) -> Result<Option<(RelPath, u64)>, RepositoryError> {
        let path = folder.join(name);
        let Ok(inside) = path.as_path().strip_prefix(self.folder.as_path()) else { return Ok(None) };
        // Only looked at, by the name by which the library opens it.
        match self.workdir.join(inside).symlink_metadata() {
            Ok(metadata) if metadata.is_file() => Ok(Some((path, metadata.len()))),
            // What is read through a pipe may have no end, and git waits on it as well.
            Ok(metadata) if !metadata.is_dir() && !metadata.is_symlink() => {
                Err(self.unsupported(&format!("a pipe or a device for its rules (`{path}`)")))
            }
            _ => Ok(None),
        }
    }

    /// Whether there is anything of this name in a folder, with `/`: of thousands nearly none has, and this is all they cost.
    fn has_beside(&self, folder: &[u8], name: &str) -> bool {
        let inside = gix::path::from_bstr(folder.as_bstr());
        // A name that the system cannot have is told by who comes to it.
        inside.is_ok_and(|inside| self.workdir.join(inside).join(name).symlink_metadata().is_ok())
    }

    /// Those of this name in the folders above a path of the work tree.
    pub fn check_rules_above(&self, path: &RelPath, name: &'static str) -> Result<(), RepositoryError> {
        let folder = path.parent().and_then(|folder| self.in_repository(&folder));
        folder.map_or(Ok(()), |folder| RulesAbove::new(self, name).enter(&folder))
    }

    /// One that is so large.
    pub fn check_rules(&self, path: &RelPath, size: u64) -> Result<(), RepositoryError> {
        let mut alone = Chain::new();
        alone.push(b"", Some((path, size)));
        let Ok(found) = alone.check(|path| Ok::<_, Infallible>(self.words_of(path)));
        found.map_or(Ok(()), |found| Err(self.refused(&path.to_string(), found, false)))
    }

    /// What cannot be read is no work for the library either.
    fn words_of(&self, path: &RelPath) -> usize {
        let Ok((file, _)) = nofollow::open_file(&self.handle, path.as_path()) else { return 0 };
        let mut bytes = Vec::new();
        if file.take(MOST_BYTES).read_to_end(&mut bytes).is_ok() { words(&bytes) } else { 0 }
    }

    /// Those that are stored, and read where the work tree has none.
    fn check_stored_rules<'a>(
        &self,
        reader: &gix::Repository,
        stored: impl Iterator<Item = (&'a BStr, ObjectId)>,
    ) -> Result<(), RepositoryError> {
        let split = |path: &'a BStr| {
            path.rfind_byte(b'/')
                .map_or((b"".as_slice(), path.as_bytes()), |end| (&path[..end], &path[end + 1..]))
        };
        // Those of each name count by themselves; a folder stands in front of what is in it.
        let mut found: Vec<_> = stored
            .map(|(path, id)| {
                let (folder, name) = split(path);
                (name.to_ascii_lowercase(), folder, path, id)
            })
            .collect();
        found.sort_by(|left, right| {
            left.0.cmp(&right.0).then_with(|| left.1.split_str("/").cmp(right.1.split_str("/")))
        });
        let mut chain = Chain::new();
        let mut last = Vec::new();
        for (name, folder, path, id) in found {
            if name != last {
                (chain, last) = (Chain::new(), name);
            }
            // What is not there, or damaged, is told by who needs it.
            let Ok(Some(header)) = reader.try_find_header(id) else { continue };
            chain.leave(folder);
            chain.push(folder, Some((id, header.size())));
            let Ok(too_much) = chain.check(|id| {
                Ok::<_, Infallible>(
                    reader.try_find_object(*id).ok().flatten().map_or(0, |object| words(&object.data)),
                )
            });
            if let Some(too_much) = too_much {
                return Err(self.refused(&visible(&path.to_str_lossy()), too_much, chain.has_several()));
            }
        }
        Ok(())
    }

    /// All of an index that are read from the store.
    pub fn check_all_stored_rules(
        &self,
        reader: &gix::Repository,
        index: &State,
    ) -> Result<(), RepositoryError> {
        let entries = index.entries().iter().map(|entry| (entry.path(index), entry.id));
        self.check_stored_rules(reader, entries.filter(|(path, _)| is_rules(path)))
    }

    /// All that say something of the files of an index: those of the work tree, and of the store where that has none.
    pub fn check_rules_for(
        &self,
        reader: &gix::Repository,
        index: &State,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), RepositoryError> {
        let mut above = RulesAbove::new(self, ATTRIBUTES);
        let mut missing = Vec::new();
        let mut last = None;
        for (count, entry) in index.entries().iter().enumerate() {
            if count.is_multiple_of(ASKED) && stop() {
                return Ok(());
            }
            let path = entry.path(index);
            let folder = path.rfind_byte(b'/').map_or(b"".as_slice(), |end| &path[..end]);
            if last != Some(folder) {
                above.enter(folder)?;
                last = Some(folder);
            }
            let is_missing = || {
                let here = gix::path::from_bstr(path).map(|path| self.workdir.join(path).symlink_metadata());
                matches!(here, Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound)
            };
            if is_rules(path) && is_missing() {
                missing.push((path, entry.id));
            }
        }
        self.check_stored_rules(reader, missing.into_iter())
    }

    fn refused(&self, path: &str, too_much: TooMuch, together: bool) -> RepositoryError {
        let (has, together, what) = if together {
            (" and those in the folders above it have", " together", "them")
        } else {
            (" has", "", "it")
        };
        let reason = match too_much {
            TooMuch::Bytes(size) => format!(
                "`{path}`{has} {} MiB{together}, and rules are read up to {}: shorten {what}",
                size >> 20,
                MOST_BYTES >> 20
            ),
            TooMuch::Words => {
                format!("`{path}`{has} more than {WORDS} words of rules{together}: shorten {what}")
            }
        };
        RepositoryError::TooLarge { path: self.folder.to_string(), reason }
    }
}

/// The files of one name in a folder of the work tree and in all above it, as somebody walks from folder to folder.
#[derive(Debug)]
pub struct RulesAbove<'a> {
    repository: &'a Repository,
    name: &'static str,
    chain: Chain<RelPath>,
}

impl<'a> RulesAbove<'a> {
    /// Nobody is anywhere yet.
    pub fn new(repository: &'a Repository, name: &'static str) -> Self {
        Self { repository, name, chain: Chain::new() }
    }

    /// Comes to a folder of the repository, with `/`. Whatever was looked at on the way to the last one is not looked at again.
    pub fn enter(&mut self, folder: &[u8]) -> Result<(), RepositoryError> {
        let repository = self.repository;
        self.chain.leave(folder);
        for above in folders(folder).skip(self.chain.depth()) {
            let found = if repository.has_beside(above, self.name) {
                let place = if above.is_empty() {
                    Some(repository.folder.clone())
                } else {
                    repository.in_workspace(above.as_bstr())
                };
                place.map(|place| repository.rules_in(&place, self.name)).transpose()?.flatten()
            } else {
                None
            };
            let path = found.as_ref().map(|(path, _)| path.to_string());
            self.chain.push(above, found);
            let Some(path) = path else { continue };
            let Ok(too_much) = self.chain.check(|path| Ok::<_, Infallible>(repository.words_of(path)));
            if let Some(too_much) = too_much {
                return Err(repository.refused(&path, too_much, self.chain.has_several()));
            }
        }
        Ok(())
    }
}

fn is_rules(path: &BStr) -> bool {
    let name = path.rfind_byte(b'/').map_or(path.as_bytes(), |end| &path[end + 1..]);
    path == MODULES || [ATTRIBUTES, IGNORED].iter().any(|rules| name.eq_ignore_ascii_case(rules.as_bytes()))
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
    fn words_are_counted() {
        for (text, count) in [("", 0), (" \n", 0), ("a", 1), ("a b\n", 2), (" a\n\nb ", 2)] {
            assert_eq!(words(text.as_bytes()), count, "{text:?}");
        }
        assert!(words(&b"a\n".repeat(usize::try_from(PLAIN_BYTES).unwrap() / 2)) <= WORDS);
    }
}
