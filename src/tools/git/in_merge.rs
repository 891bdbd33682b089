//! What a merge that is in progress would be committed as, for the sake of one file: a commit that is in memory alone.

use gix::{
    ObjectId,
    bstr::ByteSlice,
    objs::{
        Kind, Tree, Write as _,
        tree::{Entry, EntryKind, EntryMode},
    },
};

/// The commit, with all of `heads` as its parents: the tree of the first, but for the content of the file at `path`.
/// `reader` keeps what is written in memory from now on.
pub(super) fn commit(
    reader: &mut gix::Repository,
    heads: &[ObjectId],
    (path, bytes): (&[u8], &[u8]),
) -> gix::Result<ObjectId> {
    reader.objects.enable_object_memory();
    let tree = match heads.first() {
        Some(head) => Some(reader.find_commit(*head)?.tree_id()?.detach()),
        None => None,
    };
    let blob = reader.objects.write_buf(Kind::Blob, bytes)?;
    let tree = with_file(reader, tree, path, blob)?;
    let parents: Vec<String> = heads.iter().map(|head| format!("parent {head}\n")).collect();
    let parents = parents.concat();
    let who = "n <n> 0 +0000";
    let commit = format!("tree {tree}\n{parents}author {who}\ncommitter {who}\n\n");
    reader.objects.write_buf(Kind::Commit, commit.as_bytes())
}

fn with_file(
    reader: &gix::Repository,
    tree: Option<ObjectId>,
    path: &[u8],
    blob: ObjectId,
) -> gix::Result<ObjectId> {
    let mut entries: Vec<Entry> = match tree {
        Some(tree) => reader.find_tree(tree)?.decode()?.entries.iter().map(|entry| (*entry).into()).collect(),
        None => Vec::new(),
    };
    let (name, below) = match path.split_once_str("/") {
        Some((name, below)) => (name, Some(below)),
        None => (path, None),
    };
    let place = entries.iter().position(|entry| entry.filename == name);
    let before = place.map(|place| entries.swap_remove(place));
    let (mode, oid): (EntryMode, _) = match below {
        Some(below) => {
            let before = before.filter(|before| before.mode.is_tree()).map(|before| before.oid);
            (EntryKind::Tree.into(), with_file(reader, before, below, blob)?)
        }
        None => (EntryKind::Blob.into(), blob),
    };
    entries.push(Entry { mode, filename: name.into(), oid });
    entries.sort();
    let mut bytes = Vec::new();
    gix::objs::WriteTo::write_to(&Tree { entries }, &mut bytes).map_err(gix::Error::from_error)?;
    reader.objects.write_buf(Kind::Tree, &bytes)
}
