//! What only Unix knows about files: modes, owners, links. Asked by `files` and the doctor, never changes what it was not given.

use std::{
    fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::Path,
    time::SystemTime,
};

pub use crate::file_identity::is_same as is_same_file;

/// The permission bits.
pub fn mode_of(metadata: &Metadata) -> u32 {
    metadata.permissions().mode() & 0o7777
}

/// User and group.
#[expect(clippy::unnecessary_wraps, reason = "other systems have no such numbers")]
pub fn owner_of(metadata: &Metadata) -> Option<(u32, u32)> {
    Some((metadata.uid(), metadata.gid()))
}

/// Gives a file or link to its owner, where this user may.
pub fn set_owner(path: &Path, owner: Option<(u32, u32)>) -> io::Result<()> {
    let now = owner_of(&fs::symlink_metadata(path)?);
    match owner.filter(|owner| Some(*owner) != now) {
        Some((user, group)) => match std::os::unix::fs::lchown(path, Some(user), Some(group)) {
            // Only an administrator may, and the file comes back all the same.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
            given => given,
        },
        None => Ok(()),
    }
}

/// Sets when a link was changed last, and not what it leads to.
pub fn set_link_time(path: &Path, time: SystemTime) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_OMIT, utimensat};

    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let times = Timestamps {
        last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        last_modification: Timespec {
            tv_sec: i64::try_from(since.as_secs()).unwrap_or_default(),
            tv_nsec: since.subsec_nanos().into(),
        },
    };
    Ok(utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Whether this very user has made it.
pub fn is_mine(metadata: &Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Who holds the lock of a file, as far as the system tells.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "the installer has a door of its own")]
pub fn holder(path: &Path) -> Option<u32> {
    let inode = fs::metadata(path).ok()?.ino().to_string();
    let table = fs::read_to_string("/proc/locks").ok()?;
    // `1: FLOCK  ADVISORY  WRITE 4242 00:2f:1234 0 EOF`; those that wait have an arrow in front.
    table.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (_, found) = words.get(5)?.rsplit_once(':')?;
        (words.get(1) == Some(&"FLOCK") && found == inode).then(|| words.get(4)?.parse().ok()).flatten()
    })
}

/// Who holds the lock of a file: not told here.
#[cfg(not(target_os = "linux"))]
pub fn holder(_path: &Path) -> Option<u32> {
    None
}

/// Sets the permission bits, whatever the umask says.
pub fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(mode))
}

/// Makes one folder with exactly these permissions, whatever the umask says.
pub fn create_folder(path: &Path, mode: u32) -> io::Result<()> {
    DirBuilder::new().mode(mode).create(path)?;
    fs::set_permissions(path, Permissions::from_mode(mode))
}

/// What is made is for this user alone, whatever the umask says.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

/// How a person may change everything.
pub const AS_ADMINISTRATOR: &str = "run the same command with `sudo` in front of it";

/// Whether we may change everything.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Waits until a folder's names are on the disk.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "the installer has a door of its own")]
    File::open(folder)?.sync_all()
}

/// Makes a symbolic link.
pub fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// Whether this user could start the file; a disk mounted `noexec` says no.
pub fn may_execute(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// Whether anybody may start the file, as far as its permissions go.
pub fn has_execute_bit(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| mode_of(&metadata) & 0o111 != 0)
}

/// Whether whoever starts the file gets the rights of its owner or its group.
pub fn lends_rights(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| mode_of(&metadata) & 0o6000 != 0)
}

/// Adds and takes permission bits.
pub fn change_mode(path: &Path, add: u32, remove: u32) -> io::Result<()> {
    let mode = mode_of(&fs::metadata(path)?);
    fs::set_permissions(path, Permissions::from_mode((mode | add) & !remove))
}

/// Whether everybody may read the file.
pub fn is_readable_by_all(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| mode_of(&metadata) & 0o004 != 0)
}

/// Whether links led back to themselves.
pub fn is_circle(error: &io::Error) -> bool {
    rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::LOOP)
}

/// Whether this process, or the whole system, has run out of something: files, processes, memory.
pub fn is_exhausted(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let found = Errno::from_io_error(error);
    [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM].into_iter().any(|errno| found == Some(errno))
}

/// Whether this user may make files in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// They may.
    Open,
    /// Its permissions say no.
    Closed,
    /// Its disk says no, whoever asks.
    ReadOnlyDisk,
    /// A mark on it says no, whoever asks.
    Unchangeable,
}

/// What takes the mark away.
#[cfg(target_os = "macos")]
pub const CHANGEABLE: &str = "sudo chflags nouchg,noschg";
/// What takes the mark away.
#[cfg(not(target_os = "macos"))]
pub const CHANGEABLE: &str = "sudo chattr -i -a";

/// Whether this user may make files in a folder that is there.
pub fn access(folder: &Path) -> Access {
    match rustix::fs::access(folder, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK) {
        Ok(()) => Access::Open,
        Err(rustix::io::Errno::ROFS) => Access::ReadOnlyDisk,
        // Missing permissions are another error; but a system may also keep what is of its own with this one, as `/proc` does.
        Err(rustix::io::Errno::PERM) if is_marked(folder) => Access::Unchangeable,
        Err(_) => Access::Closed,
    }
}

/// Whether a mark on this very file keeps everybody from replacing it.
pub fn is_unchangeable(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_symlink())
        && rustix::fs::access(path, rustix::fs::Access::WRITE_OK) == Err(rustix::io::Errno::PERM)
        && is_marked(path)
}

#[cfg(target_os = "linux")]
fn is_marked(path: &Path) -> bool {
    use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};

    let marks = StatxAttributes::IMMUTABLE | StatxAttributes::APPEND;
    statx(CWD, path, AtFlags::empty(), StatxFlags::BASIC_STATS)
        .is_ok_and(|found| found.stx_attributes.intersects(marks))
}

#[cfg(not(target_os = "linux"))]
fn is_marked(_path: &Path) -> bool {
    true
}

/// Whether this user may go through a folder that is there.
pub fn may_enter(folder: &Path) -> bool {
    rustix::fs::access(folder, rustix::fs::Access::EXEC_OK).is_ok()
}

/// Whether this user may see the names in a folder.
pub fn may_list(folder: &Path) -> bool {
    rustix::fs::access(folder, rustix::fs::Access::READ_OK).is_ok()
}

/// Whether it belongs to this user, and not because they are the administrator, to whom the whole system does.
pub fn is_own(path: &Path) -> bool {
    let user = rustix::process::geteuid();
    !user.is_root() && fs::metadata(path).is_ok_and(|metadata| metadata.uid() == user.as_raw())
}

/// What it is, when it is neither file, folder nor link.
pub fn special_kind(metadata: &Metadata) -> &'static str {
    let kind = metadata.file_type();
    if kind.is_fifo() {
        "a named pipe, not a file"
    } else if kind.is_socket() {
        "a socket, not a file"
    } else {
        "a device, not a file"
    }
}

/// Who besides this user could replace what is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherWriter {
    /// Every user of the machine.
    Everyone,
    /// The members of a group that is not this user's own.
    Group(u32),
    /// Another user, who owns it.
    Owner(u32),
    /// Another user, whom its list of rights names.
    Listed(u32),
}

impl OtherWriter {
    /// The command that takes their right from them, and the permission bits to take where we can do it ourselves; `None` where only
    /// moving the file helps.
    pub fn narrowed(self, place: &str) -> Option<(String, Option<u32>)> {
        match self {
            OtherWriter::Everyone => Some((format!("chmod o-w {place}"), Some(0o002))),
            // With a list, the bits of the group are the most that anybody on it gets.
            OtherWriter::Group(_) | OtherWriter::Listed(_) => {
                Some((format!("chmod g-w {place}"), Some(0o020)))
            }
            OtherWriter::Owner(_) => None,
        }
    }
}

/// The widest right that others have over `path` (links followed), if any.
pub fn other_writer(path: &Path) -> io::Result<Option<OtherWriter>> {
    let metadata = fs::metadata(path)?;
    let mode = mode_of(&metadata);
    // In a sticky folder (like `/tmp`) others can add files but not replace ours.
    let sticky_folder = metadata.is_dir() && mode & 0o1000 != 0;
    if mode & 0o002 != 0 && !sticky_folder {
        return Ok(Some(OtherWriter::Everyone));
    }
    let user = rustix::process::geteuid().as_raw();
    // 65534 is how a user namespace shows owners that it has no name for: nothing can be said about them.
    if ![0, user, 65534].contains(&metadata.uid()) {
        return Ok(Some(OtherWriter::Owner(metadata.uid())));
    }
    let group = rustix::process::getegid().as_raw();
    if mode & 0o020 != 0 && !sticky_folder && ![0, group, 65534].contains(&metadata.gid()) {
        return Ok(Some(OtherWriter::Group(metadata.gid())));
    }
    Ok(if mode & 0o020 != 0 && !sticky_folder { listed_writer(path, user, group) } else { None })
}

/// The first stranger whom the list of rights lets write, where there is one.
#[cfg(target_os = "linux")]
fn listed_writer(path: &Path, user: u32, group: u32) -> Option<OtherWriter> {
    /// Tags of the kernel's entries, and its bit for writing.
    const USER: u16 = 2;
    const GROUP: u16 = 8;
    const WRITE: u16 = 2;
    let mut list = [0_u8; 4096];
    let length = rustix::fs::getxattr(path, "system.posix_acl_access", &mut list).ok()?;
    // A version, then entries of tag, rights and id.
    list.get(4..length)?.chunks_exact(8).find_map(|entry| {
        let word = |at: usize| Some(u16::from_le_bytes([*entry.get(at)?, *entry.get(at + 1)?]));
        let id = u32::from(word(4)?) | (u32::from(word(6)?) << 16);
        match (word(0)?, word(2)? & WRITE != 0) {
            (USER, true) if ![0, user].contains(&id) => Some(OtherWriter::Listed(id)),
            (GROUP, true) if ![0, group].contains(&id) => Some(OtherWriter::Group(id)),
            _ => None,
        }
    })
}

/// Lists of other systems are not read.
#[cfg(not(target_os = "linux"))]
fn listed_writer(_: &Path, _: u32, _: u32) -> Option<OtherWriter> {
    None
}
