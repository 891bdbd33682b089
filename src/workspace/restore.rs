//! What undo needs of the door: what stands at a path, links not followed, and putting back what stood there before.
//!
//! The paths come from the journal, so they are plain: no link is followed on the way to them, and none at their end.

use std::{
    collections::HashSet,
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, Read as _, Write as _},
    path::PathBuf,
};

use cap_std::fs::Dir;

use super::{
    DoorError, FileKind, Workspace,
    displace::{Named, changed, discard, refused, take_away, take_free, take_place},
    handle,
    node::{Held, attributes_at, held_at, node_at},
    nofollow,
    read::wrong_kind,
    temporary,
};
use crate::{
    change::{Attributes, Node, Owner, PathChange, SET_ID},
    ids::{Etag, EtagHasher},
    policy::{PathClass, Permit},
    relpath::RelPath,
    text,
};

/// The bytes of a file that is put somewhere.
#[derive(Debug)]
pub enum Content {
    /// These.
    Bytes(Vec<u8>),
    /// Those of another file, as long as they are these.
    Of(File, Etag),
}

impl Content {
    fn write_to(self, file: &mut File) -> io::Result<()> {
        let (mut other, etag) = match self {
            Self::Bytes(bytes) => return file.write_all(&bytes),
            Self::Of(other, etag) => (other, etag),
        };
        let mut hasher = EtagHasher::default();
        let mut piece = vec![0; 128 * 1024];
        loop {
            let count = other.read(&mut piece)?;
            if count == 0 {
                break;
            }
            hasher.update(&piece[..count]);
            file.write_all(&piece[..count])?;
        }
        if hasher.end() == etag { Ok(()) } else { Err(changed(None)) }
    }
}

/// A name in an open folder.
struct Place {
    folder: Dir,
    name: OsString,
}

impl Workspace {
    /// What stands at `path` now.
    pub fn node(&self, path: &str) -> Result<Option<Node>, DoorError> {
        let Some(place) = self.place(path, false)? else { return Ok(None) };
        place.node(path)
    }

    /// The same change, with the rights that something new has got from the system and from the folder around it.
    pub fn with_modes(&self, change: &PathChange) -> PathChange {
        let mut change = change.clone();
        if let (
            None,
            Some(
                Node::File { mode: mode @ None, owner, attributes, .. }
                | Node::Folder { mode: mode @ None, owner, attributes },
            ),
        ) = (&change.before, &mut change.after)
            && let Ok(Some(place)) = self.place(&change.path, false)
            && let Ok(stat) = handle::stat(&place.folder, &place.name)
            && matches!(stat.kind, FileKind::File | FileKind::Folder)
        {
            let rights = handle::rights(&stat);
            (*mode, *owner) = (Some(rights.mode), rights.owner);
            *attributes = attributes_at(&place.folder, &place.name, stat.kind);
        }
        change
    }

    /// The bytes of the regular file at `path`, at most `limit`.
    pub fn content(&self, path: &str, limit: u64) -> Result<Vec<u8>, DoorError> {
        let failed = |error| DoorError::io(path, error);
        let place = self.place(path, false)?.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        let file = handle::open_file(&place.folder, &place.name).map_err(failed)?;
        let stat = handle::stat_open(&file).map_err(failed)?;
        if stat.kind != FileKind::File {
            return Err(wrong_kind(path, stat.kind, "a regular file"));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(stat.size.min(limit)).unwrap_or(0) + 1);
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > limit {
            return Err(DoorError::TooLarge { path: path.to_owned(), size: bytes.len() as u64, limit });
        }
        Ok(bytes)
    }

    /// The bytes of the regular file at `path`, to be put somewhere else if they are still these then.
    pub fn content_to_copy(&self, path: &str, etag: &Etag) -> Result<Content, DoorError> {
        let failed = |error| DoorError::io(path, error);
        let place = self.place(path, false)?.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        let file = handle::open_file(&place.folder, &place.name).map_err(failed)?;
        match handle::stat_open(&file).map_err(failed)?.kind {
            FileKind::File => Ok(Content::Of(file, etag.clone())),
            other => Err(wrong_kind(path, other, "a regular file")),
        }
    }

    /// Refuses paths at which nothing is put back.
    pub fn check_put(&self, path: &str) -> Result<(), DoorError> {
        if self.read_only() {
            return Err(DoorError::ReadOnly { workspace: self.closed_by().to_owned() });
        }
        match self.rules().classify(path) {
            PathClass::Open | PathClass::Protected => Ok(()),
            PathClass::Forbidden => Err(DoorError::forbidden(self.rules(), path, path)),
            PathClass::Blocked => {
                let reason = "it is blocked by now".to_owned();
                Err(DoorError::Forbidden { path: path.to_owned(), reason })
            }
        }
    }

    /// The same as [`Workspace::put_unsynced`], and on the disk once it is done.
    pub fn put(
        &self,
        permit: &Permit,
        change: &PathChange,
        content: Option<Content>,
    ) -> Result<(), DoorError> {
        self.put_unsynced(permit, change, content)?;
        self.sync_around([change.path.as_str()]);
        Ok(())
    }

    /// Writes down the folders that these paths lie in, each once, as far as they are there.
    pub fn sync_around<'p>(&self, paths: impl IntoIterator<Item = &'p str>) {
        let mut seen = HashSet::new();
        for path in paths {
            if seen.insert(path.rsplit_once('/').map(|(folder, _)| folder))
                && let Ok(Some(place)) = self.place(path, false)
            {
                let folder = handle::open_folder_to_read(&place.folder, ".".as_ref());
                let _ = folder.and_then(|folder| handle::sync(&folder));
            }
        }
    }

    /// Makes `change`: what stands there has to be its `before` (or already its `after`); `content` are the bytes of a file that
    /// it puts there. Bytes are on the disk before they have their name; the name itself is with [`Workspace::sync_around`].
    pub fn put_unsynced(
        &self,
        permit: &Permit,
        change: &PathChange,
        content: Option<Content>,
    ) -> Result<(), DoorError> {
        let path = change.path.as_str();
        if !permit.allows_write() {
            return Err(DoorError::NotPermitted { path: path.to_owned() });
        }
        self.check_put(path)?;
        let failed = |error| DoorError::io(path, error);
        let Some(place) = self.place(path, change.after.is_some())? else {
            return if change.after.is_none() { Ok(()) } else { Err(failed(io::ErrorKind::NotFound.into())) };
        };
        let now = place.node(path)?;
        if Node::same(now.as_ref(), change.after.as_ref()) {
            return Ok(());
        }
        if !Node::same(now.as_ref(), change.before.as_ref()) {
            return Err(DoorError::Stale { path: path.to_owned() });
        }
        match &change.after {
            None => place.remove(change.before.as_ref()),
            Some(Node::Folder { mode, owner, attributes }) => {
                place.put_folder((*mode, *owner), attributes, now.as_ref())
            }
            Some(Node::Link { target }) => place.put_link(&native(target), now.as_ref()),
            Some(Node::File { mode, owner, attributes, .. }) => {
                let content = content.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
                let none = Attributes::default();
                let brought = change.before.as_ref().map_or(&none, Node::attributes);
                place.put_file(content, (*mode, *owner), (attributes, brought), now.as_ref())
            }
        }
        .map_err(|error| refused(path, error))
    }

    /// What is in the folder at `path`, by its paths in the workspace.
    pub fn inside(&self, path: &str) -> Result<Vec<String>, DoorError> {
        let failed = |error| DoorError::io(path, error);
        let Some(place) = self.place(path, false)? else { return Ok(Vec::new()) };
        let folder = handle::open_folder_to_read(&place.folder, &place.name).map_err(failed)?;
        let names = temporary::names(&folder).map_err(failed)?;
        let own = names.iter().filter(|name| !temporary::is_one(name));
        Ok(own.map(|name| format!("{path}/{}", text::from_os(name))).collect())
    }

    /// Takes away what a process that died left beside these paths.
    pub fn sweep_beside<'p>(&self, paths: impl IntoIterator<Item = &'p str>, held: Option<&File>) {
        if self.read_only() {
            return;
        }
        let own = if held.is_none() { self.hold_writes(&|| true) } else { None };
        let sweep = if held.or(own.as_ref()).is_some() { temporary::sweep_alone } else { temporary::sweep };
        let mut seen = HashSet::new();
        for path in paths {
            let folder = path.rsplit_once('/').map(|(folder, _)| folder);
            if seen.insert(folder)
                && let Ok(Some(place)) = self.place(path, false)
            {
                sweep(&place.folder);
            }
        }
    }

    /// The folder of `path`, open, and the name in it; `None` when there is no such folder. With `create`, missing folders are made.
    fn place(&self, path: &str, create: bool) -> Result<Option<Place>, DoorError> {
        let failed = |error| DoorError::io(path, error);
        let Some(relative) = RelPath::from_plain(&native(path)).filter(|relative| !relative.is_root()) else {
            return Err(DoorError::InvalidPath {
                path: text::visible(path).into_owned(),
                reason: "it is no plain path".to_owned(),
            });
        };
        let (Some(parent), Some(name)) = (relative.parent(), relative.file_name()) else { return Ok(None) };
        let name = name.to_owned();
        match nofollow::open_dir(self.handle(), parent.as_path()) {
            Ok(folder) => Ok(Some(Place { folder, name })),
            Err(error) if error.kind() == io::ErrorKind::NotFound && create => {
                let mut folder = nofollow::open_dir(self.handle(), "".as_ref()).map_err(failed)?;
                for part in parent.as_path() {
                    folder = enter(&folder, part).map_err(failed)?;
                }
                Ok(Some(Place { folder, name }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            // Whether it is gone, or lies where the link leads or where the folder is now, cannot be told.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => Err(DoorError::WrongType {
                path: text::visible(path).into_owned(),
                found: "below a link or a file",
                wanted: "in a folder",
            }),
            Err(error) => Err(failed(error)),
        }
    }
}

impl Place {
    fn node(&self, path: &str) -> Result<Option<Node>, DoorError> {
        node_at(&self.folder, &self.name, path)
    }

    fn remove(&self, before: Option<&Node>) -> io::Result<()> {
        if let Some(Node::Folder { .. }) = before {
            return self.remove_folder();
        }
        take_away(self.named(), &self.still(before)?.seen)
    }

    fn named(&self) -> Named<'_> {
        (&self.folder, &self.name)
    }

    /// Looks once more, right before what stands here goes: what was looked at first may have become another while the new bytes were
    /// written. A file is held as long as what is returned lives.
    fn still(&self, seen: Option<&Node>) -> io::Result<Held> {
        match held_at(&self.folder, &self.name, "") {
            Ok((now, Some(held))) if Node::same(now.as_ref(), seen) => Ok(held),
            Err(DoorError::Io { source, .. }) => Err(source),
            _ => Err(changed(None)),
        }
    }

    fn put_file(
        &self,
        content: Content,
        (mode, owner): (Option<u32>, Option<Owner>),
        (attributes, brought): (&Attributes, &Attributes),
        now: Option<&Node>,
    ) -> io::Result<()> {
        let replaces = matches!(now, Some(Node::File { .. }));
        // Nobody else may read it before it has its own mode.
        let create_mode = if mode.is_some() || replaces { 0o600 } else { 0o666 };
        let (temporary, mut file) = temporary::create_file(&self.folder, create_mode)?;
        let put = || -> io::Result<()> {
            content.write_to(&mut file)?;
            // A link has nothing that its file should have.
            let old = if replaces { handle::open_file(&self.folder, &self.name).ok() } else { None };
            match &old {
                Some(old) => handle::copy_attributes(old, &file),
                // Of what was looked at its lists of rights are known; anything else has what the folder hands on.
                None if owner.is_some() => handle::remove_lists_of_rights(&file, attributes),
                None => {}
            }
            // What another file had that took this one's place goes with it; what the calls left alone is as somebody else has made it.
            handle::remove_attributes(&file, brought.names().filter(|name| !attributes.has(name)));
            let none = Attributes::default();
            handle::set_attributes(&file, &attributes.beyond(if old.is_some() { brought } else { &none }));
            let old_stat = old.as_ref().map(handle::stat_open).transpose()?;
            // Whose the file is that stands here counts only where nothing is known of this one.
            let kept = old_stat.filter(|_| mode.is_none());
            if let Some(mode) = mode.or(kept.map(|stat| stat.mode & !SET_ID)) {
                // Of nobody in particular, nothing runs as its owner.
                let mode = if owner.is_some() { mode } else { mode & !SET_ID };
                let owner = owner.or(kept.map(|stat| stat.owner()));
                let owner = owner.map_or_else(|| Ok(handle::stat_open(&file)?.owner()), io::Result::Ok)?;
                handle::set_mode(&file, owner, mode)?;
            }
            // Some systems put nothing in the place of a file that is open.
            drop(old);
            file.sync_all()
        };
        put().inspect_err(|_| drop(handle::remove_file(&self.folder, &temporary)))?;
        self.take_name(&temporary, now)
    }

    fn remove_folder(&self) -> io::Result<()> {
        if let Ok(inside) = handle::open_folder_to_read(&self.folder, &self.name) {
            temporary::sweep(&inside);
        }
        handle::remove_folder(&self.folder, &self.name)
    }

    fn put_folder(
        &self,
        rights: (Option<u32>, Option<Owner>),
        attributes: &Attributes,
        now: Option<&Node>,
    ) -> io::Result<()> {
        let set_mode = |folder: Dir| {
            if rights.1.is_some() {
                handle::remove_lists_of_rights(&folder, attributes);
            }
            handle::set_attributes(&folder, attributes);
            set_folder_mode(folder, rights)
        };
        if matches!(now, Some(Node::Folder { .. })) {
            return set_mode(handle::open_folder_to_read(&self.folder, &self.name)?);
        }
        // It has its rights as soon as it has its name.
        let (temporary, folder, _held) = temporary::create_folder(&self.folder)?;
        set_mode(folder).inspect_err(|_| drop(handle::remove_folder(&self.folder, &temporary)))?;
        self.take_name(&temporary, now)
    }

    fn put_link(&self, target: &std::path::Path, now: Option<&Node>) -> io::Result<()> {
        let temporary = temporary::name();
        handle::create_link(&self.folder, target, &temporary)?;
        self.take_name(&temporary, now)
    }

    /// What was built under a temporary name, which it has left when this returns, stands here, and what was looked at first is gone.
    fn take_name(&self, temporary: &OsStr, now: Option<&Node>) -> io::Result<()> {
        let new = (&self.folder, temporary);
        if now.is_none() {
            return take_free(new, self.named());
        }
        let seen = if matches!(now, Some(Node::Folder { .. })) { self.hollow() } else { self.still(now) };
        match seen {
            Ok(held) => take_place(new, self.named(), &held.seen),
            Err(error) => {
                discard(new);
                Err(error)
            }
        }
    }

    /// The folder that stands here, with nothing in it.
    fn hollow(&self) -> io::Result<Held> {
        let inside = handle::open_folder_to_read(&self.folder, &self.name)?;
        temporary::sweep(&inside);
        if !temporary::names(&inside)?.is_empty() {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        Ok(Held::folder(handle::stat(&inside, ".".as_ref())?, inside))
    }
}

fn set_folder_mode(folder: Dir, (mode, owner): (Option<u32>, Option<Owner>)) -> io::Result<()> {
    let Some(mode) = mode else { return Ok(()) };
    let folder = folder.into_std_file();
    let owner = owner.map_or_else(|| Ok(handle::stat_open(&folder)?.owner()), io::Result::Ok)?;
    handle::set_mode(&folder, owner, mode)
}

/// Goes into a folder, making it where it is missing: who may do what with it is not known, so nobody else may enter it.
fn enter(folder: &Dir, name: &OsStr) -> io::Result<Dir> {
    match handle::create_closed_folder(folder, name) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    handle::open_folder_to_read(folder, name)
}

/// A path as the system knows it, of its text in the journal.
fn native(path: &str) -> PathBuf {
    text::unescape_bytes(path).map_or_else(|| PathBuf::from(path), PathBuf::from)
}
