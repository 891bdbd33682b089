//! Rule files that are executable in the index or in a tree, as all files are where the file system knows no difference: git reads
//! them like others, and the library passes over them. It is given a copy in which they are plain.

use std::borrow::Cow;

use gix::{
    bstr::{BStr, BString, ByteSlice},
    index::{
        State,
        entry::{Flags, Mode},
    },
};

use super::encoded::UNSEEN;

/// The name of the files that say what becomes of others on their way in and out.
pub(super) const ATTRIBUTES: &[u8] = b".gitattributes";
/// The name of the files that say what is ignored.
const IGNORED: &[u8] = b".gitignore";

/// The index as the library has to see it to read its rule files.
pub(super) fn readable(index: &State) -> Cow<'_, State> {
    if executable(index).is_empty() {
        return Cow::Borrowed(index);
    }
    let mut copy = index.clone();
    make_readable(&mut copy);
    Cow::Owned(copy)
}

/// The same, in place.
pub(super) fn make_readable(index: &mut State) {
    for at in executable(index) {
        index.entries_mut()[at].mode = Mode::FILE;
    }
}

/// The executable files of attributes that a comparison looks at: in such a copy they would all seem to have changed.
pub(super) fn compared(index: &State) -> Vec<BString> {
    let entries = executable(index).into_iter().map(|at| &index.entries()[at]);
    entries
        .filter(|entry| entry.stage_raw() == 0 && !entry.flags.intersects(UNSEEN | Flags::INTENT_TO_ADD))
        .map(|entry| entry.path(index).to_owned())
        .collect()
}

/// Whether a path is called so.
pub(super) fn is_called(path: &BStr, name: &[u8]) -> bool {
    path.rsplit_str("/").next().is_some_and(|last| last.eq_ignore_ascii_case(name))
}

/// Where such entries are.
fn executable(index: &State) -> Vec<usize> {
    let is_one = |path: &BStr| is_called(path, ATTRIBUTES) || is_called(path, IGNORED);
    let entries = index.entries().iter().enumerate();
    let found = entries.filter(|(_, entry)| entry.mode == Mode::FILE_EXECUTABLE && is_one(entry.path(index)));
    found.map(|(at, _)| at).collect()
}
