//! System calls on an open folder and one plain name. Never follows a link, never takes a path of more than one name.

use std::{
    ffi::OsStr,
    fs::File,
    io,
    os::fd::AsFd,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use cap_std::fs::Dir;
use rustix::{
    fs::{Access, AtFlags, FileType, FlockOperation, Gid, Mode, OFlags, Uid},
    process::{getegid, geteuid, getgroups},
};

use super::{
    FileKind, Stat, kernel,
    refusal::{self, Refusal},
};
use crate::{
    change::{Attributes, Owner, Rights, SET_ID},
    limits,
};

/// Opens the root of a workspace: the only call with an absolute path.
pub(super) fn open_root(path: &Path) -> io::Result<Dir> {
    let flags = kernel::STAND | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(folder(rustix::fs::open(path, flags, Mode::empty())?))
}

/// The root's own path, as people and programs write it.
pub(super) fn canonical_root(path: PathBuf) -> PathBuf {
    path
}

/// Wraps a descriptor of a folder.
pub(super) fn folder(descriptor: impl Into<File>) -> Dir {
    Dir::from_std_file(descriptor.into())
}

/// Opens a folder to stand in it. A link is `ENOTDIR` or `ELOOP`.
pub(super) fn open_folder(parent: impl AsFd, name: &OsStr) -> io::Result<Dir> {
    let flags = kernel::STAND | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(folder(rustix::fs::openat(parent, name, flags, Mode::empty())?))
}

/// Opens a folder to list or to sync it.
pub(super) fn open_folder_to_read(parent: impl AsFd, name: &OsStr) -> io::Result<Dir> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(folder(rustix::fs::openat(parent, name, flags, Mode::empty())?))
}

/// Opens a file to read it. Does not block on a FIFO and takes no terminal; the caller looks at the type afterwards.
pub(super) fn open_file(parent: impl AsFd, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(parent, name, flags, Mode::empty())?.into())
}

/// Creates a file that must not exist, readable by nobody else until its mode is set.
pub(super) fn create_file(parent: impl AsFd, name: &OsStr, mode: u32) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(parent, name, flags, Mode::from_raw_mode(mode as _))?.into())
}

/// Opens a file to change it where it stands; nothing is followed or waited for.
pub(super) fn open_file_to_write(parent: impl AsFd, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(parent, name, flags, Mode::empty())?.into())
}

/// Creates a folder.
pub(super) fn create_folder(parent: impl AsFd, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::mkdirat(parent, name, Mode::from_raw_mode(0o777))?)
}

/// The same, closed to everybody else.
pub(super) fn create_closed_folder(parent: impl AsFd, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::mkdirat(parent, name, Mode::RWXU)?)
}

/// Creates a link; what it says is not looked at.
pub(super) fn create_link(parent: impl AsFd, target: &Path, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::symlinkat(target, parent, name)?)
}

/// The target of a link; `EINVAL` for anything else.
pub(super) fn read_link(parent: impl AsFd, name: &OsStr) -> io::Result<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    let target = rustix::fs::readlinkat(parent, name, Vec::new())?;
    Ok(std::ffi::OsString::from_vec(target.into_bytes()).into())
}

/// The same where a link was just seen: what is none any more was swapped, which is no fault of the name.
pub(super) fn read_seen_link(parent: impl AsFd, name: &OsStr) -> io::Result<PathBuf> {
    read_link(parent, name).map_err(|error| match refusal::of(&error) {
        Some(Refusal::NoLink) => refusal::changing(),
        _ => error,
    })
}

/// What stands at a name.
pub(super) fn stat(parent: impl AsFd, name: &OsStr) -> io::Result<Stat> {
    Ok(Stat::from_system(&rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?))
}

/// What is open.
pub(super) fn stat_open(file: impl AsFd) -> io::Result<Stat> {
    Ok(Stat::from_system(&rustix::fs::fstat(file)?))
}

/// May this process write to it, by the user's own permissions and by the file system's? If not, why.
pub(super) fn check_writable(parent: impl AsFd, name: &OsStr) -> io::Result<()> {
    // Without `AT_SYMLINK_NOFOLLOW`, which few kernels know here: the answer only ever refuses, it opens nothing.
    let asked = rustix::fs::accessat(parent, name, Access::WRITE_OK, AtFlags::EACCESS);
    asked.map_err(|error| match error {
        rustix::io::Errno::ACCESS | rustix::io::Errno::PERM | rustix::io::Errno::TXTBSY => {
            io::ErrorKind::PermissionDenied.into()
        }
        // Another program may have taken it away a moment ago.
        _ => error.into(),
    })
}

/// May this process stand in the folder, and reach what is in it?
pub(super) fn may_enter(folder: &Dir) -> bool {
    rustix::fs::accessat(folder, ".", Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}

/// Puts `from` in the place of `to`.
pub(super) fn rename(folder: impl AsFd, from: &OsStr, to: &OsStr) -> io::Result<()> {
    let folder = folder.as_fd();
    Ok(rustix::fs::renameat(folder, from, folder, to)?)
}

/// Gives a file a second name, which must be free.
pub(super) fn link_to(from: (&Dir, &OsStr), to: (&Dir, &OsStr)) -> io::Result<()> {
    Ok(rustix::fs::linkat(from.0, from.1, to.0, to.1, AtFlags::empty())?)
}

/// Gives a name another place, whatever stands there.
pub(super) fn rename_to(from: (&Dir, &OsStr), to: (&Dir, &OsStr)) -> io::Result<()> {
    Ok(rustix::fs::renameat(from.0, from.1, to.0, to.1)?)
}

/// The way POSIX has to give a name another place that must be free. A folder cannot be linked, so it is looked for first: what
/// comes there in between can only be lost if it is an empty folder.
pub(super) fn rename_if_free(from: (&Dir, &OsStr), to: (&Dir, &OsStr)) -> io::Result<()> {
    if stat(from.0, from.1)?.kind == FileKind::Folder {
        return match stat(to.0, to.1) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => rename_to(from, to),
            Err(error) => Err(error),
        };
    }
    rustix::fs::linkat(from.0, from.1, to.0, to.1, AtFlags::empty())?;
    remove_file(from.0, from.1)
}

/// The way POSIX has to swap two files: `other` is never without one.
pub(super) fn swap_by_link(one: (&Dir, &OsStr), other: (&Dir, &OsStr)) -> io::Result<()> {
    let kept = super::temporary::name();
    link_to(other, (other.0, &kept))?;
    match rename_to(one, other) {
        Ok(()) => rename_to((other.0, &kept), one),
        Err(error) => {
            let _ = remove_file(other.0, &kept);
            Err(error)
        }
    }
}

/// A folder lies on another device than the folder it is in.
pub(super) fn is_other_device(parent: &Dir, name: &OsStr) -> io::Result<bool> {
    Ok(stat(parent, name)?.identity.0 != stat(parent, ".".as_ref())?.identity.0)
}

/// Removes a file.
pub(super) fn remove_file(parent: impl AsFd, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(parent, name, AtFlags::empty())?)
}

/// Removes an empty folder.
pub(super) fn remove_folder(parent: impl AsFd, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR)?)
}

/// The kind the system gave.
fn kind_of(file_type: FileType) -> FileKind {
    match file_type {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Folder,
        FileType::Symlink => FileKind::Link,
        FileType::Fifo => FileKind::Fifo,
        FileType::Socket => FileKind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => FileKind::Device,
        FileType::Unknown => FileKind::Other,
    }
}

/// Gives `each` the names in a folder, with what they are, until it says stop; in the order of the system.
pub(super) fn read_names(folder: Dir, mut each: impl FnMut(&OsStr, FileKind) -> bool) -> io::Result<()> {
    let mut folder = rustix::fs::Dir::new(folder.into_std_file())?;
    while let Some(entry) = folder.next() {
        let entry = entry?;
        let name = name_from(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        let kind = match kind_of(entry.file_type()) {
            // Some file systems leave the type to a second question.
            FileKind::Other => stat(folder.fd()?, name).map_or(FileKind::Other, |stat| stat.kind),
            kind => kind,
        };
        if !each(name, kind) {
            break;
        }
    }
    Ok(())
}

/// A name as bytes that [`name_from`] leads back from.
pub(super) fn bytes_of(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

/// The name that a folder lists as these bytes.
pub(super) fn name_from(bytes: &[u8]) -> &OsStr {
    use std::os::unix::ffi::OsStrExt as _;
    OsStr::from_bytes(bytes)
}

/// Gives something new owner, group and mode. Whose it is is best effort: where the group cannot be kept it gets no more than others,
/// and a set-id bit stands for nobody but who it stood for.
pub(super) fn set_mode(file: &File, owner: Owner, mode: u32) -> io::Result<()> {
    let mut now = stat_open(file)?;
    if (now.user, now.group) != (owner.user, owner.group) {
        let (user, group) = (Uid::from_raw(owner.user), Gid::from_raw(owner.group));
        // Only the superuser gives files away.
        if now.user != owner.user && geteuid().is_root() {
            let _ = rustix::fs::fchown(file, Some(user), None);
        }
        let _ = rustix::fs::fchown(file, None, Some(group));
        now = stat_open(file)?;
    }
    let mut mode = mode;
    if now.group != owner.group {
        mode &= !0o2070 | ((mode & 0o007) << 3);
    }
    if now.user != owner.user {
        mode &= if now.kind == FileKind::File { !SET_ID } else { !0o4000 };
    }
    if now.mode == mode {
        return Ok(());
    }
    let set = |mode: u32| rustix::fs::fchmod(file, Mode::from_raw_mode(mode as _));
    // Some systems refuse a file the bits that say nothing there.
    set(mode).or_else(|error| if mode & 0o7000 == 0 { Err(error) } else { set(mode & 0o777) })?;
    Ok(())
}

/// May this process give its files to that group?
pub(super) fn may_give(group: u32) -> bool {
    let group = Gid::from_raw(group);
    geteuid().is_root() || getegid() == group || getgroups().is_ok_and(|groups| groups.contains(&group))
}

/// What something new can get of what this has. A set-id bit is only kept where its owner can be.
pub(super) fn rights(stat: &Stat) -> Rights {
    let user = geteuid();
    let can_give = (user.is_root() || user.as_raw() == stat.user) && may_give(stat.group);
    let is_file = stat.kind == FileKind::File;
    let mode = if can_give || !is_file { stat.mode } else { stat.mode & !SET_ID };
    Rights { mode, owner: Some(stat.owner()) }
}

/// What a copy of a file can get: it is its maker's, and nothing runs as its owner.
pub(super) fn rights_of_copy(stat: &Stat) -> Rights {
    let owner = Owner { user: geteuid().as_raw(), group: stat.group };
    Rights { mode: stat.mode & 0o777, owner: Some(owner) }
}

/// Copies extended attributes that say nothing about privileges, best effort: some file systems have none. The list of rights that
/// the folder around it has handed on to the new file goes: the old one may have none.
pub(super) fn copy_attributes(from: &File, to: &File) {
    remove_lists_of_rights(to, &Attributes::default());
    for name in attribute_names(from) {
        if let Some(value) = attribute(from, &name, limits::SCAN_BYTES) {
            let _ = rustix::fs::fsetxattr(to, &*name, &value, rustix::fs::XattrFlags::empty());
        }
    }
}

/// The same for the list of rights alone, of a folder: what it hands on in its turn stays as it is.
pub(super) fn copy_list_of_rights(from: &Dir, to: &Dir) {
    let _ = rustix::fs::fremovexattr(to, kernel::LIST_OF_RIGHTS);
    if let Some(list) = attribute(from, kernel::LIST_OF_RIGHTS, limits::ATTRIBUTE_BYTES) {
        let _ = rustix::fs::fsetxattr(to, kernel::LIST_OF_RIGHTS, &list, rustix::fs::XattrFlags::empty());
    }
}

/// Takes away the lists of rights that a folder hands on to something new in it, but for those that it is to have; best effort.
pub(super) fn remove_lists_of_rights(from: impl AsFd, wanted: &Attributes) {
    remove_attributes(from, kernel::LISTS_HANDED_ON.iter().copied().filter(|name| !wanted.has(name)));
}

/// The same attributes for the journal, but for those that are too large for it.
pub(super) fn attributes(of: impl AsFd) -> Attributes {
    let mut attributes = Attributes::default();
    for name in attribute_names(&of) {
        if let Some(value) = attribute(&of, &name, limits::ATTRIBUTE_BYTES) {
            attributes.insert(&name, &value);
        }
    }
    attributes
}

/// Gives something attributes that the journal has kept, best effort; the list of rights last, as above.
pub(super) fn set_attributes(to: impl AsFd, attributes: &Attributes) {
    let is_list = |name: &str| name.as_bytes() == kernel::LIST_OF_RIGHTS;
    let kept = || attributes.iter().filter(|(name, _)| kernel::says_no_privilege(name.as_bytes()));
    let lists = kept().filter(|(name, _)| is_list(name));
    for (name, value) in kept().filter(|(name, _)| !is_list(name)).chain(lists) {
        let _ = rustix::fs::fsetxattr(&to, name, &value, rustix::fs::XattrFlags::empty());
    }
}

/// Bytes that may still be written where this lies, as far as the system tells.
pub(super) fn room(of: impl AsFd) -> Option<u64> {
    let disk = rustix::fs::fstatvfs(of).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Takes attributes of these names away, best effort.
pub(super) fn remove_attributes<'n>(from: impl AsFd, names: impl Iterator<Item = &'n str>) {
    for name in names.filter(|name| kernel::says_no_privilege(name.as_bytes())) {
        let _ = rustix::fs::fremovexattr(&from, name);
    }
}

fn attribute_names(of: impl AsFd) -> Vec<Vec<u8>> {
    let mut names = vec![0_u8; 64 * 1024];
    let Ok(length) = rustix::fs::flistxattr(of, &mut names[..]) else { return Vec::new() };
    let names = names[..length].split(|byte| *byte == 0);
    let mut names: Vec<_> =
        names.filter(|name| kernel::says_no_privilege(name)).map(<[u8]>::to_vec).collect();
    // It comes last: where it takes our own right to write, nothing else can follow.
    names.sort_by_key(|name| *name == kernel::LIST_OF_RIGHTS);
    names
}

/// The whole of an extended attribute. One that grows meanwhile is none: half of it could mean anything. On macOS it can be as large
/// as a file, and more than a file may have is not read.
fn attribute(file: impl AsFd, name: &[u8], most: u64) -> Option<Vec<u8>> {
    let length = rustix::fs::fgetxattr_query(&file, name).ok()?;
    if length as u64 > most {
        return None;
    }
    let mut value = vec![0; length + 1];
    let read = rustix::fs::fgetxattr(file, name, &mut value[..]).ok()?;
    value.truncate(read);
    (read <= length).then_some(value)
}

/// Waits until nobody else holds what is open, and holds it, as far as the file system knows locks. For what is our own: any
/// program may hold another file, for as long as it likes.
pub(super) fn lock(file: &File) -> io::Result<()> {
    Ok(rustix::fs::flock(file, FlockOperation::LockExclusive)?)
}

/// Holds what is open, if nobody else does (`WouldBlock`), as far as the file system knows locks.
pub(super) fn hold(file: &File) -> io::Result<()> {
    Ok(rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive)?)
}

/// Holds what nobody holds.
pub(super) fn try_lock(file: &File, _kind: FileKind, _age: Duration) -> io::Result<()> {
    hold(file)
}

/// What may stay open while something else takes its name.
#[expect(clippy::unnecessary_wraps, reason = "other systems keep none")]
pub(super) fn kept_open(file: File) -> Option<File> {
    Some(file)
}

/// Waits until a folder's names are on the disk.
pub(super) fn sync(folder: &Dir) -> io::Result<()> {
    Ok(rustix::fs::fsync(folder)?)
}

impl Stat {
    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_sign_loss,
        clippy::cast_lossless,
        reason = "the fields have other types on other systems"
    )]
    fn from_system(stat: &rustix::fs::Stat) -> Self {
        Self {
            kind: kind_of(FileType::from_raw_mode(stat.st_mode)),
            size: stat.st_size as u64,
            mode: stat.st_mode as u32 & 0o7777,
            links: stat.st_nlink as u64,
            user: stat.st_uid,
            group: stat.st_gid,
            modified: moment(stat.st_mtime as i64, stat.st_mtime_nsec as u64),
            changed: moment(stat.st_ctime as i64, stat.st_ctime_nsec as u64),
            identity: (stat.st_dev as u64, stat.st_ino as u64),
        }
    }
}

fn moment(seconds: i64, nanoseconds: u64) -> SystemTime {
    let from_epoch = Duration::from_secs(seconds.unsigned_abs());
    let base = if seconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(from_epoch)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(from_epoch)
    };
    base.and_then(|base| base.checked_add(Duration::from_nanos(nanoseconds)))
        .unwrap_or(SystemTime::UNIX_EPOCH)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::fs::XattrFlags;

    use super::*;

    const NOTE: &str = "user.outrigger";
    /// As whom the test goes on where root runs it: root may write what nobody may.
    const NOBODY: u32 = 65534;

    #[test]
    fn a_name_that_was_taken_away_meanwhile_is_not_forbidden() {
        let temp = tempfile::tempdir().unwrap();
        let folder = Dir::open_ambient_dir(temp.path(), cap_std::ambient_authority()).unwrap();
        let error = check_writable(&folder, "gone".as_ref()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_list_of_rights_that_takes_our_own_right_to_write_takes_no_other_attribute_along() {
        let (from, to) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
        // Owner and mask may write, user 4242 may, others read.
        let mut list = 2_u32.to_le_bytes().to_vec();
        for (tag, rights, number) in
            [(1_u16, 6_u16, u32::MAX), (2, 6, 4242), (4, 4, u32::MAX), (16, 6, u32::MAX), (32, 4, u32::MAX)]
        {
            list.extend([tag.to_le_bytes(), rights.to_le_bytes()].concat());
            list.extend(number.to_le_bytes());
        }
        let name = kernel::LIST_OF_RIGHTS;
        let set = rustix::fs::fsetxattr(&from, name, &list, XattrFlags::empty())
            .and_then(|()| rustix::fs::fsetxattr(&from, NOTE, b"kept", XattrFlags::empty()));
        if let Err(error) = set {
            eprintln!("skipped: no lists of rights or no extended attributes here: {error}");
            return;
        }
        rustix::fs::fchmod(&from, Mode::from_raw_mode(0o444)).unwrap();
        let (is_root, nobody) = (geteuid().is_root(), Uid::from_raw(NOBODY));
        if is_root && [&from, &to].iter().any(|file| rustix::fs::fchown(file, Some(nobody), None).is_err()) {
            eprintln!("skipped: files cannot be given to anybody here");
            return;
        }
        std::thread::scope(|scope| {
            scope.spawn(|| {
                if is_root {
                    rustix::thread::set_thread_res_uid(nobody, nobody, nobody).unwrap();
                }
                copy_attributes(&from, &to);
            });
        });
        assert_eq!(attribute(&to, NOTE.as_bytes(), 64).as_deref(), Some(b"kept".as_slice()));
        assert_eq!(attribute(&to, name, 64), attribute(&from, name, 64));
    }
}
