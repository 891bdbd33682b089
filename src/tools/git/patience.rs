//! The object database as a blame sees it: it gives up when somebody asks or when it takes too long, and every history in it
//! ends with the same empty commit.
//!
//! The last is needed because gix loses the lines of a first commit while other lines of history are still waiting
//! (its walk only settles them when that commit is the last one). With an empty commit before it, the first commit adds its
//! lines as any other does; so does the last commit that a shallow clone has.
//!
//! Files have a mark behind their names, so that none is called like a folder, a link or a submodule that stood there before: for git
//! such a thing is no earlier version of the file, and gix takes it for one.

use std::{
    borrow::Cow,
    cell::RefCell,
    mem,
    sync::OnceLock,
    time::{Duration, Instant},
};

use gix::{
    ObjectId,
    bstr::{BStr, BString, ByteSlice},
    hash::oid,
    objs::{Data, Find, FindHeader, Header, Kind},
};

use super::mended;
use crate::{
    ids::new_ulid,
    limits,
    tools::{Call, Code, ToolError},
};

/// Behind the name of a file. No byte of a name is smaller than the first, so that the order of a folder's names stays as it is; the
/// others are of this process, so that nobody can write a history that has such names.
fn mark() -> &'static [u8] {
    static MARK: OnceLock<Vec<u8>> = OnceLock::new();
    MARK.get_or_init(|| {
        let own = new_ulid();
        [b"\x01", &own.as_bytes()[own.len() - 10..]].concat()
    })
}

/// The path of a file as a blame sees it.
pub(super) fn marked(path: &BStr) -> BString {
    let mut path = path.to_owned();
    path.extend_from_slice(mark());
    path
}

/// The path of a file as it is.
pub(super) fn unmarked(path: &BStr) -> &BStr {
    path.strip_suffix(mark()).unwrap_or(path).as_bstr()
}

/// Writes a tree whose files have marks to `marked`; what is no tree stays as it is.
fn with_marks(tree: &[u8], id_bytes: usize, marked: &mut Vec<u8>) {
    let (mark, mut rest) = (mark(), tree);
    marked.clear();
    // A name of a few letters is more than twice as long with its mark.
    marked.reserve(tree.len() * 3 / 2);
    while let Some(end) = rest.find_byte(0).filter(|end| rest.len() > end + id_bytes) {
        let (entry, after) = rest.split_at(end + 1 + id_bytes);
        marked.extend_from_slice(&entry[..end]);
        if entry.starts_with(b"100") {
            marked.extend_from_slice(mark);
        }
        marked.extend_from_slice(&entry[end..]);
        rest = after;
    }
    marked.extend_from_slice(rest);
}

/// Passes reads on until there is no point in going on.
pub(super) struct Patience<'a> {
    objects: &'a gix::OdbHandle,
    call: &'a Call,
    deadline: Instant,
    /// Commits whose parents are not there.
    shallow: Vec<ObjectId>,
    /// The id of the empty commit: one that nothing has.
    before_all: ObjectId,
    /// Room for the next tree, so that none is asked for each time.
    room: RefCell<Vec<u8>>,
}

impl<'a> Patience<'a> {
    pub(super) fn new(reader: &'a gix::Repository, call: &'a Call) -> gix::Result<Self> {
        let shallow = reader.shallow_commits()?.map(|commits| commits.iter().copied().collect());
        let deadline = Instant::now() + Duration::from_secs(limits::SEARCH_SECONDS);
        let shallow = shallow.unwrap_or_default();
        let before_all = ObjectId::from_bytes_or_panic(&[0xff; 20]);
        Ok(Self { objects: &reader.objects, call, deadline, shallow, before_all, room: RefCell::default() })
    }

    /// Why it gave up; `None` when it did not.
    pub(super) fn ended(&self) -> Option<ToolError> {
        if self.call.cancel.is_cancelled() {
            return Some(ToolError::cancelled("nothing was changed"));
        }
        (Instant::now() >= self.deadline).then(|| {
            ToolError::new(
                Code::Timeout,
                "the history is too long to be looked through in 30 seconds",
                "ask for fewer lines, or for a `rev` that is nearer",
            )
        })
    }

    fn check(&self) -> gix::Result<()> {
        match self.ended() {
            Some(error) => Err(gix::Error::from_error(error)),
            None => Ok(()),
        }
    }
}

impl Find for Patience<'_> {
    fn try_find<'b>(&self, id: &oid, buffer: &'b mut Vec<u8>) -> gix::Result<Option<Data<'b>>> {
        self.check()?;
        if id == self.before_all {
            *buffer = before_all(id.kind());
            return Ok(Some(Data::new(buffer, Kind::Commit, id.kind())));
        }
        if id.is_empty_tree() {
            buffer.clear();
            return Ok(Some(Data::new(buffer, Kind::Tree, id.kind())));
        }
        let Some(found) = self.objects.try_find(id, buffer)? else { return Ok(None) };
        let (kind, hash) = (found.kind, found.object_hash);
        let is_cut = self.shallow.iter().any(|cut| *cut == id);
        let changed = if kind == Kind::Commit {
            let commit = mended::mended(found.data);
            if is_cut || !has_parents(&commit) {
                Some(with_parent(&commit, self.before_all))
            } else if let Cow::Owned(commit) = commit {
                Some(commit)
            } else {
                None
            }
        } else if kind == Kind::Tree {
            let mut room = self.room.borrow_mut();
            with_marks(found.data, hash.len_in_bytes(), &mut room);
            mem::swap(&mut *room, buffer);
            return Ok(Some(Data::new(buffer, kind, hash)));
        } else {
            None
        };
        // The place of the bytes in the buffer, so that they need not be looked up again.
        let (start, length) = (found.data.as_ptr() as usize, found.data.len());
        if let Some(changed) = changed {
            *buffer = changed;
            return Ok(Some(Data::new(buffer, kind, hash)));
        }
        let start = start.wrapping_sub(buffer.as_ptr() as usize);
        match start.checked_add(length).and_then(|end| buffer.get(start..end)) {
            Some(data) => Ok(Some(Data::new(data, kind, hash))),
            None => Ok(None),
        }
    }
}

fn has_parents(commit: &[u8]) -> bool {
    commit.split_str("\n").nth(1).is_some_and(|line| line.starts_with(b"parent "))
}

/// A commit that holds nothing, before everything.
fn before_all(kind: gix::hash::Kind) -> Vec<u8> {
    let tree = ObjectId::empty_tree(kind);
    format!("tree {tree}\nauthor n <n> 0 +0000\ncommitter n <n> 0 +0000\n\n").into_bytes()
}

/// A commit with this parent instead of its own.
fn with_parent(commit: &[u8], parent: ObjectId) -> Vec<u8> {
    let headers = commit.find(b"\n\n").unwrap_or(commit.len());
    let (headers, rest) = commit.split_at(headers);
    let mut lines: Vec<&[u8]> =
        headers.split_str("\n").filter(|line| !line.starts_with(b"parent ")).collect();
    let parent = format!("parent {parent}");
    lines.insert(lines.len().min(1), parent.as_bytes());
    [lines.join(&b'\n').as_slice(), rest].concat()
}

impl FindHeader for Patience<'_> {
    fn try_header(&self, id: &oid) -> gix::Result<Option<Header>> {
        self.check()?;
        if id.is_empty_tree() {
            return Ok(Some(Header { kind: Kind::Tree, size: 0 }));
        }
        FindHeader::try_header(self.objects, id)
    }
}

#[cfg(test)]
mod tests {
    use gix::ObjectId;

    use super::{has_parents, marked, unmarked, with_marks, with_parent};

    #[test]
    fn files_alone_are_marked() {
        let id = [7; 20];
        let entry = |mode: &str, name: &str| [mode.as_bytes(), b" ", name.as_bytes(), b"\0", &id].concat();
        let tree = |mark: &str| {
            let file = |mode, name: &str| entry(mode, &format!("{name}{mark}"));
            let all = [
                file("100644", "a"),
                entry("40000", "b"),
                entry("120000", "c"),
                entry("160000", "d"),
                file("100755", "e"),
            ];
            all.concat()
        };
        let mark = std::str::from_utf8(super::mark()).unwrap();
        let with_marks = |tree: &[u8]| {
            let mut marked = b"of before".to_vec();
            with_marks(tree, 20, &mut marked);
            marked
        };
        assert_eq!(with_marks(&tree("")), tree(mark));
        for cut in 0..tree("").len() {
            // Whatever it is, nothing is lost.
            assert!(with_marks(&tree("")[..cut]).len() >= cut);
        }
        assert_eq!(unmarked(marked("a/b".into()).as_ref()), "a/b");
    }

    #[test]
    fn a_first_commit_gets_a_parent_and_a_cut_one_another() {
        let parent = ObjectId::null(gix::hash::Kind::Sha1);
        for commit in
            ["tree t\nauthor a\n\nparent no\n", "tree t\nparent b\nparent c\nauthor a\n\nparent no\n"]
        {
            assert_eq!(has_parents(commit.as_bytes()), commit.contains("parent b"));
            let expected = format!("tree t\nparent {parent}\nauthor a\n\nparent no\n");
            assert_eq!(with_parent(commit.as_bytes(), parent), expected.as_bytes());
        }
    }
}
