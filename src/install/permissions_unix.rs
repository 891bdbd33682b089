//! What only Unix knows about files: modes, owners, links. Asked by `files` and the doctor, never changes what it was not given.

use std::{
    fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::Path,
    time::SystemTime,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};

pub use crate::file_identity::is_same as is_same_file;

const LIST_OF_RIGHTS: &str = "system.posix_acl_access";
/// The most that Linux allows a value to have, and a list of names.
const ATTRIBUTE_BYTES: usize = 64 * 1024;
/// More than anybody gives one file by hand: what is kept has its place in a record that stays small.
const ATTRIBUTES: usize = 32;

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

/// The list of rights of a file, and the attributes that people give it, with their values in base64. A link has neither.
pub fn attributes_of(path: &Path) -> Vec<(String, String)> {
    let mut names = vec![0_u8; ATTRIBUTE_BYTES];
    let Ok(length) = rustix::fs::llistxattr(path, &mut names[..]) else { return Vec::new() };
    let names = names[..length].split(|byte| *byte == 0).filter_map(|name| std::str::from_utf8(name).ok());
    names
        .filter(|name| *name == LIST_OF_RIGHTS || name.starts_with("user."))
        .filter_map(|name| {
            let mut value = vec![0_u8; ATTRIBUTE_BYTES];
            let length = rustix::fs::lgetxattr(path, name, &mut value[..]).ok()?;
            Some((name.to_owned(), STANDARD.encode(&value[..length])))
        })
        .take(ATTRIBUTES)
        .collect()
}

/// Gives a file such attributes, as far as its disk has any.
pub fn set_attributes(file: &File, attributes: &[(String, String)]) {
    for (name, value) in attributes {
        if let Ok(value) = STANDARD.decode(value) {
            let _ = rustix::fs::fsetxattr(file, name.as_str(), &value, rustix::fs::XattrFlags::empty());
        }
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

/// An error where [`sync_folder`] would not get to the folder.
pub fn may_sync(folder: &Path) -> io::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "the installer has a door of its own")]
    File::open(folder).map(drop)
}

/// Waits until a folder's names are on the disk.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "the installer has a door of its own")]
    match File::open(folder)?.sync_all() {
        // Some disks, over a network or of a program, know this for files alone.
        Err(error) if [io::ErrorKind::InvalidInput, io::ErrorKind::Unsupported].contains(&error.kind()) => {
            Ok(())
        }
        synced => synced,
    }
}

/// Makes a symbolic link.
pub fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// Whether this user could start the file; a disk mounted `noexec` says no.
pub fn may_execute(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// Whether the file lies on a disk from which nothing is started.
#[cfg(target_os = "linux")]
pub fn is_without_programs(path: &Path) -> bool {
    rustix::fs::statvfs(path).is_ok_and(|disk| disk.f_flag.contains(rustix::fs::StatVfsMountFlags::NOEXEC))
}

/// The same, as macOS tells it.
#[cfg(not(target_os = "linux"))]
pub fn is_without_programs(path: &Path) -> bool {
    /// `MNT_NOEXEC` of `<sys/mount.h>`.
    const NOEXEC: u32 = 4;
    rustix::fs::statfs(path).is_ok_and(|disk| disk.f_flags & NOEXEC != 0)
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

/// Who gets what from a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Its group, and with a list of rights perhaps others.
    Group,
    /// Its owner alone.
    Owner,
}

/// Who has these rights (1 to enter or start, 4 to read), where it is not everybody; `None` too for what is not there.
pub fn reach(path: &Path, rights: u32) -> Option<Reach> {
    let mode = mode_of(&fs::metadata(path).ok()?);
    let has = |shift: u32| (mode >> shift) & rights == rights;
    (!has(0)).then(|| if has(3) { Reach::Group } else { Reach::Owner })
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
    use rustix::fs::Access as Wanted;

    // Who may not list it could not wait for its names to reach the disk, nor find what a run that was cut off has left.
    let needed = Wanted::READ_OK | Wanted::WRITE_OK | Wanted::EXEC_OK;
    match rustix::fs::access(folder, needed) {
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
    /// `nobody`, under which name a disk may show whom it does not know.
    Nobody,
    /// Another user, whom its list of rights names.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux' lists are read"))]
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
            OtherWriter::Owner(_) | OtherWriter::Nobody => None,
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
    let is_nobody = |id: u32| id == NOBODY && is_namespace();
    if ![0, user].contains(&metadata.uid()) && !is_nobody(metadata.uid()) {
        return Ok(Some(match metadata.uid() {
            NOBODY => OtherWriter::Nobody,
            owner => OtherWriter::Owner(owner),
        }));
    }
    if mode & 0o020 == 0 || sticky_folder {
        return Ok(None);
    }
    let group = rustix::process::getegid().as_raw();
    let own = metadata.gid() == group && is_private(user, group);
    if metadata.gid() != 0 && !own && !is_nobody(metadata.gid()) {
        return Ok(Some(OtherWriter::Group(metadata.gid())));
    }
    Ok(listed_writer(path, user, group))
}

/// How a user namespace shows owners that it has no name for: nothing can be said about them there.
const NOBODY: u32 = 65_534;

/// True in a namespace that does not know all users by their own numbers.
fn is_namespace() -> bool {
    let map = list("/proc/self/uid_map");
    map.is_some_and(|map| map.split_whitespace().collect::<Vec<_>>() != ["0", "0", "4294967295"])
}

/// True when nobody but this user is in their group. A group on no list of this machine is its user's own where it has their number, as
/// systems make them.
fn is_private(user: u32, group: u32) -> bool {
    let lists = [list("/etc/passwd"), list("/etc/group")].map(Option::unwrap_or_default);
    is_private_by(&lists[0], &lists[1], user, group)
}

fn is_private_by(passwd: &str, groups: &str, user: u32, group: u32) -> bool {
    let fields = |list: &str| {
        list.lines().map(|line| line.split(':').map(str::to_owned).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let number = |line: &Vec<String>, at: usize| line.get(at).and_then(|field| field.parse::<u32>().ok());
    let users = fields(passwd);
    let is_of_another =
        users.iter().any(|line| number(line, 3) == Some(group) && number(line, 2) != Some(user));
    let own_names: Vec<&String> =
        users.iter().filter(|line| number(line, 2) == Some(user)).filter_map(|line| line.first()).collect();
    let Some(line) = fields(groups).into_iter().find(|line| number(line, 2) == Some(group)) else {
        return !is_of_another && group == user;
    };
    let members = line.get(3).map(String::as_str).unwrap_or_default();
    let strangers = members.split(',').filter(|name| !name.is_empty());
    let has_strangers = strangers.into_iter().any(|name| own_names.iter().all(|own| *own != name));
    let is_named_so = group == user || line.first().is_some_and(|name| own_names.contains(&name));
    !is_of_another && !has_strangers && (is_named_so || !members.is_empty())
}

/// A list of the system.
fn list(path: &str) -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "the installer has a door of its own")]
    fs::read_to_string(path).ok()
}

/// The first stranger whom the list of rights lets write, where there is one.
#[cfg(target_os = "linux")]
fn listed_writer(path: &Path, user: u32, group: u32) -> Option<OtherWriter> {
    /// Tags of the kernel's entries, and its bit for writing.
    const USER: u16 = 2;
    const GROUP: u16 = 8;
    const WRITE: u16 = 2;
    let mut list = [0_u8; 4096];
    let length = rustix::fs::getxattr(path, LIST_OF_RIGHTS, &mut list).ok()?;
    // A version, then entries of tag, rights and id.
    list.get(4..length)?.chunks_exact(8).find_map(|entry| {
        let word = |at: usize| Some(u16::from_le_bytes([*entry.get(at)?, *entry.get(at + 1)?]));
        let id = u32::from(word(4)?) | (u32::from(word(6)?) << 16);
        match (word(0)?, word(2)? & WRITE != 0) {
            (USER, true) if ![0, user].contains(&id) => Some(OtherWriter::Listed(id)),
            (GROUP, true) if id != 0 && !(id == group && is_private(user, group)) => {
                Some(OtherWriter::Group(id))
            }
            _ => None,
        }
    })
}

/// Lists of other systems are not read.
#[cfg(not(target_os = "linux"))]
fn listed_writer(_: &Path, _: u32, _: u32) -> Option<OtherWriter> {
    None
}

#[cfg(test)]
mod tests {
    use super::is_private_by;

    #[test]
    fn a_group_is_ones_own_where_nobody_else_is_in_it() {
        let passwd = "root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\nbob:x:1001:100::/home/bob:/bin/sh\n";
        let groups = "root:x:0:\nada:x:1000:\nusers:x:100:\nteam:x:1000:ada,bob\nalone:x:70:ada\n";
        assert!(is_private_by(passwd, groups, 1000, 1000));
        assert!(is_private_by(passwd, groups, 1000, 70));
        // Somebody else's first group; one with a member; one that nobody is told of.
        assert!(!is_private_by(passwd, groups, 1000, 100));
        assert!(!is_private_by(passwd, "ada:x:1000:bob\n", 1000, 1000));
        assert!(!is_private_by(passwd, groups, 1000, 513));
        assert!(!is_private_by("ada:x:1000:100::/:\n", "users:x:100:\n", 1000, 100));
        // In a container nobody is on a list.
        assert!(is_private_by("", "", 1000, 1000));
    }
}
