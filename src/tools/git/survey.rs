//! How much a tree expands to, before anything expands it.
//!
//! Folders may share their content: a hundred small objects can stand for more paths than fit into any memory, and one that names
//! itself for endlessly many. Here each object is read once, whatever it expands to.

use std::collections::HashMap;

use gix::{ObjectId, objs::TreeRefIter};

use super::limited::{self, PATH_BYTES};
use crate::{tools::ToolError, workspace::repository::Repository};

/// Paths of a tree that is read as a whole; the largest repositories people work in have half a million.
const PATHS: u64 = 2_000_000;
/// Bytes of all their names together.
const NAMES_BYTES: u64 = 256 * 1024 * 1024;

/// Gives the bytes of a tree; nothing for one that is not there.
pub(super) type ReadTree<'a> = dyn Fn(ObjectId) -> Result<Option<Vec<u8>>, ToolError> + 'a;

/// What a tree expands to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    paths: u64,
    names: u64,
    longest: u64,
}

/// A tree that is being counted.
struct Open {
    id: ObjectId,
    size: Size,
    /// Folders in it that are still to be counted, with the length of their name.
    folders: Vec<(ObjectId, u64)>,
}

/// An error when the tree `root` expands to more than can be handled, or cannot be read. `stop` says when to give up.
pub(super) fn check(
    repository: &Repository,
    root: ObjectId,
    read: &ReadTree<'_>,
    stop: &dyn Fn() -> Result<(), ToolError>,
) -> Result<(), ToolError> {
    let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
    // `None`: it is being counted.
    let mut known: HashMap<ObjectId, Option<Size>> = HashMap::new();
    let mut waiting = vec![open(root, read(root)?).map_err(broken)?];
    known.insert(root, None);
    while let Some(here) = waiting.last_mut() {
        let Some((folder, name)) = here.folders.last().copied() else {
            let Some(Open { id, size, .. }) = waiting.pop() else { break };
            size.check()?;
            known.insert(id, Some(size));
            continue;
        };
        match known.get(&folder) {
            Some(Some(size)) => {
                here.size.add(*size, name);
                here.folders.pop();
            }
            Some(None) => {
                return Err(repository.broken(&format!("the folder {folder} contains itself")).into());
            }
            None => {
                stop()?;
                if waiting.len() > PATH_BYTES / 2 {
                    return Err(limited::too_deep());
                }
                waiting.push(open(folder, read(folder)?).map_err(broken)?);
                known.insert(folder, None);
            }
        }
    }
    Ok(())
}

fn open(id: ObjectId, bytes: Option<Vec<u8>>) -> gix::Result<Open> {
    let (mut size, mut folders) = (Size::default(), Vec::new());
    for entry in TreeRefIter::from_bytes(&bytes.unwrap_or_default(), id.kind()) {
        let entry = entry?;
        let name = entry.filename.len() as u64;
        size.add(Size::default(), name);
        if entry.mode.is_tree() {
            folders.push((entry.oid.to_owned(), name));
        }
    }
    Ok(Open { id, size, folders })
}

impl Size {
    /// Takes in one entry: a file, or a folder with what it expands to.
    fn add(&mut self, inner: Self, name: u64) {
        self.paths = self.paths.saturating_add(inner.paths).saturating_add(u64::from(inner.paths == 0));
        let prefixes = inner.paths.saturating_mul(name + 1);
        self.names = self.names.saturating_add(inner.names).saturating_add(prefixes).saturating_add(name);
        let slash = u64::from(inner.longest > 0);
        self.longest = self.longest.max(name + slash + inner.longest);
    }

    fn check(self) -> Result<(), ToolError> {
        if self.longest > PATH_BYTES as u64 {
            return Err(limited::too_deep());
        }
        if self.paths > PATHS || self.names > NAMES_BYTES {
            return Err(limited::too_many(PATHS));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Size;

    #[test]
    fn folders_count_with_what_they_expand_to() {
        let mut inner = Size::default();
        inner.add(Size::default(), 3);
        inner.add(Size::default(), 5);
        assert_eq!(inner, Size { paths: 2, names: 8, longest: 5 });
        let mut outer = Size::default();
        // `dd/abc`, `dd/abcde`, and the name of the folder itself.
        outer.add(inner, 2);
        assert_eq!(outer, Size { paths: 2, names: 8 + 2 * 3 + 2, longest: 8 });
        let mut bomb = outer;
        for _ in 0..80 {
            let layer = bomb;
            (0..10).for_each(|_| bomb.add(layer, 1));
        }
        assert_eq!(bomb.paths, u64::MAX);
        assert!(bomb.check().is_err() && outer.check().is_ok());
    }
}
