//! The bytes on one side of a difference: an object of the repository, or a file of the work tree as git would store it.
//!
//! Files come through the workspace's handle, never by path, and links are read as links.

use std::io::Read;

use gix::bstr::{BStr, ByteSlice};

use super::{
    add::changed_meanwhile,
    attributes::{Attributes, Foreign, ToGit},
    changes::Entry,
};
use crate::{
    relpath::RelPath,
    tools::{Call, Code, ToolError},
    workspace::{
        DoorError,
        repository::{ATTRIBUTES, Repository},
        walk::{WalkKind, open_walked, read_walked_link, stat_walked},
    },
};

/// The largest file that is diffed or staged.
pub(super) const FILE_BYTES: u64 = 256 * 1024 * 1024;
/// A link, as git writes its mode.
pub(super) const LINK: u32 = 0o120_000;
/// Another repository's commit.
pub(super) const SUBMODULE: u32 = 0o160_000;
pub(super) const PLAIN: u32 = 0o100_644;
pub(super) const EXECUTABLE: u32 = 0o100_755;

/// A file of the work tree as git would store it.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) bytes: Vec<u8>,
    pub(super) mode: u32,
    pub(super) stat: FileStat,
}

/// What the index remembers of a file, so that it need not be read again.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FileStat {
    pub(super) changed: (i64, i64),
    pub(super) modified: (i64, i64),
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) user: u32,
    pub(super) group: u32,
    pub(super) size: u64,
}

/// Reads files of the work tree.
pub(super) struct WorkTree<'a> {
    call: &'a Call,
    repository: &'a Repository,
    attributes: Attributes<'a>,
    to_git: ToGit<'a>,
    executable_counts: bool,
    has_links: bool,
    stores: bool,
    /// The rule files of the work tree may not be read.
    by_index: bool,
}

impl<'a> WorkTree<'a> {
    /// To look at them. What cannot be converted is as it is, as for git, which only warns then.
    pub(super) fn new(
        call: &'a Call,
        repository: &'a Repository,
        reader: &'a gix::Repository,
    ) -> Result<Self, ToolError> {
        let executable_counts =
            cfg!(unix) && reader.config_snapshot().boolean("core.fileMode").unwrap_or(true);
        Ok(Self {
            call,
            repository,
            attributes: Attributes::new(repository, reader)?,
            to_git: ToGit::new(repository, reader)?,
            executable_counts,
            has_links: has_links(reader),
            stores: false,
            by_index: false,
        })
    }

    /// To store them: what cannot be converted is refused. `strict` is [`Repository::strict`].
    pub(super) fn to_store(
        call: &'a Call,
        repository: &'a Repository,
        strict: &'a gix::Repository,
    ) -> Result<Self, ToolError> {
        Ok(Self { stores: true, ..Self::new(call, repository, strict)? })
    }

    /// To look at those whose rule files may not be read.
    pub(super) fn by_index(
        call: &'a Call,
        repository: &'a Repository,
        reader: &'a gix::Repository,
    ) -> Result<Self, ToolError> {
        Ok(Self {
            attributes: Attributes::by_index(repository, reader)?,
            to_git: ToGit::by_index(repository, reader)?,
            by_index: true,
            ..Self::new(call, repository, reader)?
        })
    }

    /// What it would take to read `path`, and is not here. A link is read as it is, whatever the rules say of its name.
    pub(super) fn foreign(&mut self, path: &RelPath, git_path: &BStr) -> Result<Option<Foreign>, ToolError> {
        check_rule_files(self.call, self.repository, path)?;
        let foreign = self.attributes.of(git_path)?.foreign;
        let is_link = || matches!(stat_walked(self.call.workspace.handle(), path), Ok(Some(WalkKind::Link)));
        Ok(foreign.filter(|_| !is_link()))
    }

    /// The file at `path` as git would store it; `None` when there is no file or link.
    pub(super) fn stored(
        &mut self,
        path: &RelPath,
        git_path: &BStr,
        old_mode: Option<u32>,
    ) -> Result<Option<Stored>, ToolError> {
        let root = self.call.workspace.handle();
        let failed = |source| ToolError::from(DoorError::io(path, source));
        match stat_walked(root, path).map_err(failed)? {
            Some(WalkKind::Link) => {
                let (target, metadata) = read_walked_link(root, path).map_err(failed)?;
                let bytes = target.into_os_string().into_encoded_bytes();
                Ok(Some(Stored { bytes, mode: LINK, stat: stat_of_link(&metadata) }))
            }
            Some(WalkKind::File) => {
                if !self.by_index {
                    check_rule_files(self.call, self.repository, path)?;
                }
                let (file, metadata) = open_walked(root, path).map_err(failed)?;
                if metadata.len() > FILE_BYTES {
                    let size = metadata.len();
                    return Err(
                        DoorError::TooLarge { path: path.to_string(), size, limit: FILE_BYTES }.into()
                    );
                }
                let mut bytes = Vec::new();
                file.take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
                if old_mode == Some(LINK) && !self.has_links {
                    return Ok(Some(Stored { bytes, mode: LINK, stat: stat_of(&metadata) }));
                }
                let attributes = self.attributes.of(git_path)?;
                // It was a link when that was asked.
                if self.stores && attributes.foreign.is_some() {
                    return Err(changed_meanwhile());
                }
                match self.to_git.convert(git_path, &bytes, attributes.own) {
                    Ok(converted) => bytes = converted.unwrap_or(bytes),
                    Err(_) if !self.stores => {}
                    Err(error) => return Err(error),
                }
                let mode = self.mode(&metadata, old_mode);
                Ok(Some(Stored { bytes, mode, stat: stat_of(&metadata) }))
            }
            _ => Ok(None),
        }
    }

    /// Where the file system's executable bit means nothing, the index decides.
    fn mode(&self, metadata: &std::fs::Metadata, old_mode: Option<u32>) -> u32 {
        let executable =
            if self.executable_counts { is_executable(metadata) } else { old_mode == Some(EXECUTABLE) };
        if executable { EXECUTABLE } else { PLAIN }
    }
}

/// Where links are not to be had (`core.symlinks`), a file stands in the place of each, with the target as its content.
pub(super) fn has_links(reader: &gix::Repository) -> bool {
    reader.config_snapshot().boolean("core.symlinks").unwrap_or(true)
}

/// A link whose text would tell what is blocked.
pub(super) fn leads_to_blocked(call: &Call, path: &RelPath, mode: u32, bytes: &[u8]) -> bool {
    let target = || gix::path::from_bstr(bytes.as_bstr()).ok();
    mode == LINK
        && target().is_none_or(|target| call.workspace.link_saying(path, target.into_owned()).blocked)
}

/// What the index remembers of a file or link that was just written; nothing where it cannot be looked at.
pub(super) fn stat_at(call: &Call, path: &RelPath) -> FileStat {
    let root = call.workspace.handle();
    match stat_walked(root, path) {
        Ok(Some(WalkKind::File)) => open_walked(root, path).map(|(_, metadata)| stat_of(&metadata)),
        Ok(Some(WalkKind::Link)) => read_walked_link(root, path).map(|(_, metadata)| stat_of_link(&metadata)),
        _ => Ok(FileStat::default()),
    }
    .unwrap_or_default()
}

/// A FIFO in the place of `.gitattributes` would block whoever reads it, and one that is too large take all memory.
pub(super) fn check_rule_files(
    call: &Call,
    repository: &Repository,
    path: &RelPath,
) -> Result<(), ToolError> {
    let root = call.workspace.handle();
    for folder in path.as_path().ancestors().skip(1) {
        let Some(rules) = RelPath::from_plain(&folder.join(".gitattributes")) else { continue };
        match stat_walked(root, &rules) {
            Ok(Some(WalkKind::Other | WalkKind::Link)) => {
                return Err(ToolError::new(
                    Code::UnsupportedHere,
                    format!("`{rules}` is a link or no regular file"),
                    "make it a regular file, or remove it",
                ));
            }
            Ok(Some(WalkKind::File)) => {
                if let Err(error) = open_walked(root, &rules)
                    && error.kind() == std::io::ErrorKind::PermissionDenied
                {
                    return Err(DoorError::io(&rules, error).into());
                }
            }
            _ => {}
        }
        if folder == repository.folder().as_path() {
            break;
        }
    }
    Ok(repository.check_rules_above(path, ATTRIBUTES)?)
}

/// The bytes of an object; a submodule's is what git shows for it.
pub(super) fn object(
    repository: &Repository,
    reader: &gix::Repository,
    entry: Entry,
) -> Result<Vec<u8>, ToolError> {
    if entry.mode == SUBMODULE {
        return Ok(format!("Subproject commit {}\n", entry.id).into_bytes());
    }
    let failed = |error: gix::Error| ToolError::from(repository.broken(&error));
    let header = reader.find_header(entry.id).map_err(failed)?;
    if header.size() > FILE_BYTES {
        let path = entry.id.to_string();
        return Err(DoorError::TooLarge { path, size: header.size(), limit: FILE_BYTES }.into());
    }
    Ok(reader.find_object(entry.id).map_err(failed)?.detach().data)
}

#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_metadata: &std::fs::Metadata) -> bool {
    false
}

#[cfg(unix)]
fn stat_of(metadata: &std::fs::Metadata) -> FileStat {
    use std::os::unix::fs::MetadataExt as _;
    FileStat {
        changed: (metadata.ctime(), metadata.ctime_nsec()),
        modified: (metadata.mtime(), metadata.mtime_nsec()),
        device: metadata.dev(),
        inode: metadata.ino(),
        user: metadata.uid(),
        group: metadata.gid(),
        size: metadata.len(),
    }
}

#[cfg(unix)]
pub(super) fn stat_of_link(metadata: &cap_std::fs::Metadata) -> FileStat {
    use cap_std::fs::MetadataExt as _;
    FileStat {
        changed: (metadata.ctime(), metadata.ctime_nsec()),
        modified: (metadata.mtime(), metadata.mtime_nsec()),
        device: metadata.dev(),
        inode: metadata.ino(),
        user: metadata.uid(),
        group: metadata.gid(),
        size: metadata.len(),
    }
}

/// Without numbers git looks at the file again, which is slower and right.
#[cfg(not(unix))]
fn stat_of(_metadata: &std::fs::Metadata) -> FileStat {
    FileStat::default()
}

#[cfg(not(unix))]
pub(super) fn stat_of_link(_metadata: &cap_std::fs::Metadata) -> FileStat {
    FileStat::default()
}
