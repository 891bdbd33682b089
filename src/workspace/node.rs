//! What stands at a name of an open folder, as the journal knows it.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read as _},
};

use cap_std::fs::Dir;

use super::{DoorError, FileKind, Stat, displace::is_still, handle, read::wrong_kind, temporary};
use crate::{
    change::{Attributes, Node, Rights},
    ids::{Etag, EtagHasher},
    limits::NODE_BYTES,
    text,
};

/// What stands at a name, and of a file what holds it. What was looked at stands there still when this returns, however long the look
/// took.
pub(super) fn held_at(
    folder: &Dir,
    name: &OsStr,
    path: &str,
) -> Result<(Option<Node>, Option<Held>), DoorError> {
    let failed = |error| DoorError::io(path, error);
    let stale = || DoorError::Stale { path: path.to_owned() };
    let seen = match handle::stat(folder, name) {
        Ok(stat) => stat,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((None, None)),
        Err(error) => return Err(failed(error)),
    };
    if seen.kind != FileKind::File {
        return Ok((node_at(folder, name, path)?, Some(Held { seen, _file: None })));
    }
    let file = handle::open_file(folder, name).map_err(failed)?;
    let seen = handle::stat_open(&file).map_err(failed)?;
    if !temporary::hold_named(folder, name, &file, &seen) {
        return Err(stale());
    }
    let node = file_node(file.try_clone().map_err(failed)?, path)?;
    if !handle::stat(folder, name).is_ok_and(|now| is_still(&now, &seen)) {
        return Err(stale());
    }
    Ok((Some(node), Some(Held { seen, _file: handle::kept_open(file) })))
}

/// What was looked at: a file is held as long as this lives.
pub(super) struct Held {
    pub(super) seen: Stat,
    _file: Option<File>,
}

impl Held {
    /// An open folder, which nobody else takes away meanwhile.
    pub(super) fn folder(seen: Stat, folder: Dir) -> Self {
        let folder = folder.into_std_file();
        temporary::hold(&folder);
        Self { seen, _file: handle::kept_open(folder) }
    }
}

/// What stands at a name of an open folder.
pub(super) fn node_at(folder: &Dir, name: &OsStr, path: &str) -> Result<Option<Node>, DoorError> {
    let failed = |error| DoorError::io(path, error);
    let stat = match handle::stat(folder, name) {
        Ok(stat) => stat,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    match stat.kind {
        FileKind::Folder => {
            let Rights { mode, owner } = handle::rights(&stat);
            let attributes = attributes_at(folder, name, stat.kind);
            Ok(Some(Node::Folder { mode: Some(mode), owner, attributes }))
        }
        FileKind::Link => {
            let target = handle::read_seen_link(folder, name).map_err(failed)?;
            Ok(Some(Node::Link { target: text::from_os(target.as_os_str()).into_owned() }))
        }
        FileKind::File => {
            let file = handle::open_file(folder, name).map_err(failed)?;
            file_node(file, path).map(Some)
        }
        other => Err(wrong_kind(path, other, "a file, a folder or a link")),
    }
}

fn file_node(file: File, path: &str) -> Result<Node, DoorError> {
    let failed = |error| DoorError::io(path, error);
    let stat = handle::stat_open(&file).map_err(failed)?;
    if stat.kind != FileKind::File {
        return Err(wrong_kind(path, stat.kind, "a regular file"));
    }
    if stat.size > NODE_BYTES {
        return Err(DoorError::TooLarge { path: path.to_owned(), size: stat.size, limit: NODE_BYTES });
    }
    let attributes = handle::attributes(&file);
    let (etag, bytes) = hashed(file, &|| false).map_err(failed)?;
    Ok(Rights::file(Some(handle::rights(&stat)), etag, bytes).with_attributes(attributes))
}

/// The extended attributes of a file or folder; none where it may not be opened.
pub(super) fn attributes_at(folder: &Dir, name: &OsStr, kind: FileKind) -> Attributes {
    let found = match kind {
        FileKind::Folder => {
            handle::open_folder_to_read(folder, name).map(|folder| handle::attributes(&folder))
        }
        _ => handle::open_file(folder, name).map(|file| handle::attributes(&file)),
    };
    found.unwrap_or_default()
}

/// The hash and the length of a file; an error once `stop` says so.
pub(super) fn hashed(mut file: File, stop: &dyn Fn() -> bool) -> io::Result<(Etag, u64)> {
    let mut hasher = EtagHasher::default();
    let mut piece = vec![0; 128 * 1024];
    let mut bytes = 0_u64;
    loop {
        if stop() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let count = file.read(&mut piece)?;
        if count == 0 {
            return Ok((hasher.end(), bytes));
        }
        hasher.update(&piece[..count]);
        bytes += count as u64;
    }
}
