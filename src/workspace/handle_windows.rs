//! System calls on an open folder and one plain name. Never follows a link, never takes a path of more than one name.
//!
//! A name that Windows made up for old programs (`PROGRA~1`) is refused where it leads to something: the law knows the real name
//! only. Permissions are lists here: a file that replaces another one gets its list; of the mode only "may be written" has a meaning.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io,
    os::windows::{
        ffi::OsStringExt as _,
        io::{AsHandle, BorrowedHandle},
    },
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use cap_std::fs::Dir;
use windows_sys::{
    Wdk::Storage::FileSystem::{FILE_DIRECTORY_FILE, FILE_NON_DIRECTORY_FILE},
    Win32::{
        Foundation::{ERROR_BAD_FILE_TYPE, ERROR_NOT_A_REPARSE_POINT, ERROR_STOPPED_ON_SYMLINK, FILETIME},
        Storage::FileSystem::{
            DELETE, FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_NORMAL, FILE_ATTRIBUTE_READONLY,
            FILE_ATTRIBUTE_REPARSE_POINT, FILE_GENERIC_READ, FILE_GENERIC_WRITE, FILE_LIST_DIRECTORY,
            FILE_READ_ATTRIBUTES, FILE_TRAVERSE, FILE_WRITE_ATTRIBUTES, READ_CONTROL, SYNCHRONIZE, WRITE_DAC,
        },
    },
};

use super::{
    FileKind, Stat,
    nt_windows::{self as nt, Disposition, Facts, Replace},
    reparse::{self, Meaning},
};
use crate::{
    change::{Attributes, Owner, Rights},
    text,
};

/// To stand in a folder, to list it, and to make things in it.
const FOLDER: u32 = FILE_LIST_DIRECTORY | FILE_TRAVERSE | FILE_READ_ATTRIBUTES | READ_CONTROL | SYNCHRONIZE;
/// To look at something.
const LOOK: u32 = FILE_READ_ATTRIBUTES | SYNCHRONIZE;
/// To give something another name, or to remove it.
const CHANGE: u32 = DELETE | LOOK;

/// Opens the root of a workspace: the only call with an absolute path.
pub(super) fn open_root(path: &Path) -> io::Result<Dir> {
    Dir::open_ambient_dir(path, cap_std::ambient_authority())
}

/// The root's own path, as people and programs write it.
pub(super) fn canonical_root(path: PathBuf) -> PathBuf {
    text::unmarked(path)
}

/// Wraps a handle of a folder.
pub(super) fn folder(file: impl Into<File>) -> Dir {
    Dir::from_std_file(file.into())
}

/// Opens a folder to stand in it. A link is an error, whatever it leads to.
pub(super) fn open_folder(parent: impl AsHandle, name: &OsStr) -> io::Result<Dir> {
    let file = open(parent.as_handle(), name, FOLDER, nt::SHARE_ALL, 0)?;
    let facts = nt::facts(file.as_handle())?;
    match kind(&facts) {
        FileKind::Folder => Ok(folder(file)),
        FileKind::Link => Err(stopped_at_link()),
        _ => Err(io::ErrorKind::NotADirectory.into()),
    }
}

/// Opens a folder to list it.
pub(super) fn open_folder_to_read(parent: impl AsHandle, name: &OsStr) -> io::Result<Dir> {
    open_folder(parent, name)
}

/// Opens a file to read it; a link is an error, and the caller looks at the type afterwards.
pub(super) fn open_file(parent: impl AsHandle, name: &OsStr) -> io::Result<File> {
    let file = open(parent.as_handle(), name, FILE_GENERIC_READ, nt::SHARE_ALL, 0)?;
    match kind(&nt::facts(file.as_handle())?) {
        FileKind::Link => Err(stopped_at_link()),
        FileKind::Socket => Err(io::Error::from_raw_os_error(ERROR_BAD_FILE_TYPE.cast_signed())),
        _ => Ok(file),
    }
}

/// Creates a file that must not exist. Who may do what with it comes from its folder, until [`copy_attributes`].
pub(super) fn create_file(parent: impl AsHandle, name: &OsStr, _mode: u32) -> io::Result<File> {
    let access = FILE_GENERIC_READ | FILE_GENERIC_WRITE | DELETE | WRITE_DAC;
    let (parent, options) = (parent.as_handle(), FILE_NON_DIRECTORY_FILE);
    nt::open_at(parent, name, access, nt::SHARE_ALL, Disposition::Create, options)
}

/// Opens a file to change it where it stands; a link is an error.
pub(super) fn open_file_to_write(parent: impl AsHandle, name: &OsStr) -> io::Result<File> {
    let access = FILE_GENERIC_READ | FILE_GENERIC_WRITE;
    let file = open(parent.as_handle(), name, access, nt::SHARE_ALL, FILE_NON_DIRECTORY_FILE)?;
    match kind(&nt::facts(file.as_handle())?) {
        FileKind::Link => Err(stopped_at_link()),
        _ => Ok(file),
    }
}

/// Creates a folder.
pub(super) fn create_folder(parent: impl AsHandle, name: &OsStr) -> io::Result<()> {
    let (parent, options) = (parent.as_handle(), FILE_DIRECTORY_FILE);
    nt::open_at(parent, name, FOLDER, nt::SHARE_ALL, Disposition::Create, options).map(drop)
}

/// The same: who may do what with it comes from the folder around it.
pub(super) fn create_closed_folder(parent: impl AsHandle, name: &OsStr) -> io::Result<()> {
    create_folder(parent, name)
}

/// Creates a link; what it says is not looked at, but for whether it leads to a folder, which a link has to know here.
pub(super) fn create_link(parent: impl AsHandle, target: &Path, name: &OsStr) -> io::Result<()> {
    // Held so that nobody can move it: only then its path is the folder that is meant.
    let here = open(parent.as_handle(), ".".as_ref(), FOLDER, nt::SHARE_PINNED, 0)?;
    let folder = nt::path_of(here.as_handle())?;
    let link = folder.join(name);
    if folder.join(target).is_dir() {
        std::os::windows::fs::symlink_dir(target, link)
    } else {
        std::os::windows::fs::symlink_file(target, link)
    }
}

/// The target of a link; an error for anything else.
pub(super) fn read_link(parent: impl AsHandle, name: &OsStr) -> io::Result<PathBuf> {
    let file = open(parent.as_handle(), name, LOOK, nt::SHARE_ALL, 0)?;
    if kind(&nt::facts(file.as_handle())?) != FileKind::Link {
        return Err(io::Error::from_raw_os_error(ERROR_NOT_A_REPARSE_POINT.cast_signed()));
    }
    let data = nt::reparse_data(file.as_handle())?;
    // What cannot be understood leads nowhere that anybody may go.
    reparse::target(&data).ok_or_else(|| io::ErrorKind::Unsupported.into())
}

/// The same where a link was just seen: what is none any more was swapped, which is no fault of the name.
pub(super) fn read_seen_link(parent: impl AsHandle, name: &OsStr) -> io::Result<PathBuf> {
    read_link(parent, name).map_err(|error| match super::refusal::of(&error) {
        Some(super::refusal::Refusal::NoLink) => super::refusal::changing(),
        _ => error,
    })
}

/// What stands at a name.
pub(super) fn stat(parent: impl AsHandle, name: &OsStr) -> io::Result<Stat> {
    stat_open(open(parent.as_handle(), name, LOOK, nt::SHARE_ALL, 0)?)
}

/// What is open.
pub(super) fn stat_open(file: impl AsHandle) -> io::Result<Stat> {
    let facts = nt::facts(file.as_handle())?;
    let general = &facts.general;
    let kind = kind(&facts);
    let is_fixed = general.dwFileAttributes & FILE_ATTRIBUTE_READONLY != 0 && kind != FileKind::Folder;
    let long = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    Ok(Stat {
        kind,
        size: long(general.nFileSizeHigh, general.nFileSizeLow),
        mode: match kind {
            FileKind::Folder => 0o777,
            _ if is_fixed => 0o444,
            _ => 0o666,
        },
        links: if facts.deleted { 0 } else { u64::from(general.nNumberOfLinks) },
        user: 0,
        group: 0,
        modified: moment(filetime(general.ftLastWriteTime)),
        changed: moment(facts.changed.cast_unsigned()),
        identity: (
            u64::from(general.dwVolumeSerialNumber),
            long(general.nFileIndexHigh, general.nFileIndexLow),
        ),
    })
}

/// May it be written, as far as its own mark says? Lists of rights are asked by the write itself.
pub(super) fn check_writable(parent: impl AsHandle, name: &OsStr) -> io::Result<()> {
    let writable = stat(parent, name)?.mode & 0o222 != 0;
    if writable { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}

/// May it be entered? Who has it open may.
pub(super) fn may_enter(_folder: &Dir) -> bool {
    true
}

/// Puts `from` in the place of `to`.
pub(super) fn rename(folder: impl AsHandle, from: &OsStr, to: &OsStr) -> io::Result<()> {
    let folder = folder.as_handle();
    let file = open(folder, from, CHANGE, nt::SHARE_ALL, 0)?;
    nt::rename(file.as_handle(), folder, to, Replace::Yes)
}

/// Gives a file a second name, which must be free.
pub(super) fn link_to(from: (&Dir, &OsStr), to: (&Dir, &OsStr)) -> io::Result<()> {
    let file = open(from.0.as_handle(), from.1, LOOK | FILE_WRITE_ATTRIBUTES, nt::SHARE_ALL, 0)?;
    nt::link(file.as_handle(), to.0.as_handle(), to.1)
}

/// Gives a name another place, whatever stands there.
pub(super) fn rename_to(from: (&Dir, &OsStr), to: (&Dir, &OsStr)) -> io::Result<()> {
    let file = open(from.0.as_handle(), from.1, CHANGE, nt::SHARE_ALL, 0)?;
    nt::rename(file.as_handle(), to.0.as_handle(), to.1, Replace::Yes)
}

/// Gives a name another place that must be free; the system looks and renames in one step.
pub(super) fn rename_if_free(from: (&Dir, &OsStr), to: (&Dir, &OsStr)) -> io::Result<()> {
    let file = open(from.0.as_handle(), from.1, CHANGE, nt::SHARE_ALL, 0)?;
    nt::rename(file.as_handle(), to.0.as_handle(), to.1, Replace::No)
}

/// Swaps two files by a third name: `other` is never without one.
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

/// A folder lies on another volume than the folder it is in.
pub(super) fn is_other_device(parent: &Dir, name: &OsStr) -> io::Result<bool> {
    Ok(stat(parent, name)?.identity.0 != stat(parent, ".".as_ref())?.identity.0)
}

/// Removes a file, or a link of whatever kind.
pub(super) fn remove_file(parent: impl AsHandle, name: &OsStr) -> io::Result<()> {
    let file = open(parent.as_handle(), name, CHANGE, nt::SHARE_ALL, 0)?;
    if kind(&nt::facts(file.as_handle())?) == FileKind::Folder {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    nt::remove(file.as_handle())
}

/// Removes an empty folder.
pub(super) fn remove_folder(parent: impl AsHandle, name: &OsStr) -> io::Result<()> {
    let file = open(parent.as_handle(), name, CHANGE, nt::SHARE_ALL, 0)?;
    if kind(&nt::facts(file.as_handle())?) != FileKind::Folder {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    nt::remove(file.as_handle())
}

/// Gives `each` the names in a folder, with what they are, until it says stop; in the order of the system.
pub(super) fn read_names(folder: Dir, mut each: impl FnMut(&OsStr, FileKind) -> bool) -> io::Result<()> {
    nt::list(folder.as_handle(), |entry| {
        // A server, or another system's files, may list what is no name here: it would be taken for several.
        if entry.name.iter().any(|unit| [u16::from(b'\\'), u16::from(b'/'), 0].contains(unit)) {
            return true;
        }
        let tag = if entry.attributes & FILE_ATTRIBUTE_REPARSE_POINT == 0 { 0 } else { entry.reparse_tag };
        each(&OsString::from_wide(entry.name), kind_by(entry.attributes, tag))
    })
}

/// A name as bytes that [`name_from`] leads back from.
pub(super) fn bytes_of(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

/// The name that [`bytes_of`] gave as these bytes.
#[expect(unsafe_code, reason = "std has no checked way back from its own bytes")]
pub(super) fn name_from(bytes: &[u8]) -> &OsStr {
    // SAFETY: called with nothing but whole names that `bytes_of` gave.
    unsafe { OsStr::from_encoded_bytes_unchecked(bytes) }
}

/// Lets a new file be written, or not, as another one may.
pub(super) fn set_mode(file: &File, _owner: Owner, mode: u32) -> io::Result<()> {
    let stat = stat_open(file)?;
    if stat.kind == FileKind::Folder || (stat.mode & 0o222 == 0) == (mode & 0o222 == 0) {
        return Ok(());
    }
    let attributes = if mode & 0o222 == 0 { FILE_ATTRIBUTE_READONLY } else { FILE_ATTRIBUTE_NORMAL };
    nt::set_attributes(file.as_handle(), attributes)
}

/// Files have no group here.
pub(super) fn may_give(_group: u32) -> bool {
    true
}

/// What a new file can get of what this one has.
pub(super) fn rights(stat: &Stat) -> Rights {
    Rights { mode: stat.mode, owner: None }
}

/// What a copy of a file can get.
pub(super) fn rights_of_copy(stat: &Stat) -> Rights {
    Rights { mode: stat.mode & 0o777, owner: None }
}

/// Gives a new file the list of rights of the one it replaces, best effort: some file systems have none.
pub(super) fn copy_attributes(from: &File, to: &File) {
    if let Err(error) = nt::copy_access(from.as_handle(), to.as_handle()) {
        tracing::warn!(%error, "a file's list of rights could not be kept");
    }
}

/// A copied folder has what the folder around it hands on.
pub(super) fn copy_list_of_rights(_from: &Dir, _to: &Dir) {}

/// What the folder hands on is all that something new has.
pub(super) fn remove_lists_of_rights(_from: impl AsHandle, _wanted: &Attributes) {}

/// None are told apart from the list of rights, which comes from the folder again.
pub(super) fn attributes(_of: impl AsHandle) -> Attributes {
    Attributes::default()
}

/// None are kept.
pub(super) fn set_attributes(_to: impl AsHandle, _attributes: &Attributes) {}

/// Not asked for: what is written here says itself when there is no room.
pub(super) fn room(_of: impl AsHandle) -> Option<u64> {
    None
}

/// There are none.
pub(super) fn remove_attributes<'n>(_from: impl AsHandle, _names: impl Iterator<Item = &'n str>) {}

/// NTFS writes its names down by itself; a folder that was opened to be read cannot be asked to.
pub(super) fn sync(_folder: &Dir) -> io::Result<()> {
    Ok(())
}

/// Waits until nobody else holds what is open, and holds it. For what is our own: any program may hold another file, for as long
/// as it likes.
pub(super) fn lock(file: &File) -> io::Result<()> {
    file.lock()
}

/// Holds what is open, if nobody else does (`WouldBlock`). A folder cannot be held.
pub(super) fn hold(file: &File) -> io::Result<()> {
    file.try_lock().map_err(io::Error::from)
}

/// Nothing takes the name of a file that is open.
pub(super) fn kept_open(_file: File) -> Option<File> {
    None
}

/// Holds a file that nobody holds. A folder cannot be held: one that is a day old is nobody's.
pub(super) fn try_lock(file: &File, kind: FileKind, age: Duration) -> io::Result<()> {
    const OLD: Duration = Duration::from_hours(24);
    match kind {
        FileKind::Folder if age > OLD => Ok(()),
        FileKind::Folder => Err(io::ErrorKind::WouldBlock.into()),
        _ => file.try_lock().map_err(io::Error::from),
    }
}

/// The path of an open folder, and a handle that keeps it, and what it lies in, from being moved while it is held.
pub(crate) fn pinned_path(folder: &Dir) -> io::Result<(PathBuf, File)> {
    let held = open(folder.as_handle(), ".".as_ref(), FOLDER, nt::SHARE_PINNED, 0)?;
    Ok((nt::path_of(held.as_handle())?, held))
}

/// Opens what is there; a name of Windows' own making is refused.
fn open(parent: BorrowedHandle<'_>, name: &OsStr, access: u32, share: u32, options: u32) -> io::Result<File> {
    let file = nt::open_at(parent, name, access, share, Disposition::Open, options)?;
    if name.as_encoded_bytes().contains(&b'~') && is_short(&file, name)? {
        let words = "it is the short form of a longer name; write the longer one";
        return Err(io::Error::new(io::ErrorKind::InvalidFilename, words));
    }
    Ok(file)
}

fn is_short(file: &File, name: &OsStr) -> io::Result<bool> {
    let path = nt::path_of(file.as_handle())?;
    let real = path.file_name().unwrap_or_default();
    Ok(real.to_string_lossy().to_lowercase() != name.to_string_lossy().to_lowercase())
}

fn kind(facts: &Facts) -> FileKind {
    kind_by(facts.general.dwFileAttributes, facts.reparse_tag)
}

fn kind_by(attributes: u32, tag: u32) -> FileKind {
    match reparse::meaning(tag) {
        Meaning::Link => FileKind::Link,
        Meaning::Socket => FileKind::Socket,
        Meaning::Foreign => FileKind::Other,
        Meaning::Plain if attributes & FILE_ATTRIBUTE_DIRECTORY != 0 => FileKind::Folder,
        Meaning::Plain => FileKind::File,
    }
}

fn stopped_at_link() -> io::Error {
    io::Error::from_raw_os_error(ERROR_STOPPED_ON_SYMLINK.cast_signed())
}

fn filetime(time: FILETIME) -> u64 {
    u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)
}

/// Windows counts tenths of microseconds since 1601.
fn moment(ticks: u64) -> SystemTime {
    const TO_UNIX: u64 = 11_644_473_600;
    let since = Duration::from_secs(ticks / 10_000_000) + Duration::from_nanos(ticks % 10_000_000 * 100);
    let unix = Duration::from_secs(TO_UNIX);
    match since.checked_sub(unix) {
        Some(after) => SystemTime::UNIX_EPOCH + after,
        None => SystemTime::UNIX_EPOCH.checked_sub(unix - since).unwrap_or(SystemTime::UNIX_EPOCH),
    }
}
