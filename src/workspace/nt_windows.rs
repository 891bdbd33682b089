//! Windows' own calls on an open folder and one plain name: what `openat` and its kin are elsewhere.
//!
//! `NtCreateFile` opens relative to a handle, takes a name literally (no devices, no dropped dots, no `..`) and, as it is called
//! here, never follows a reparse point. A name with a separator or a stream in it is refused before the system sees it.
#![expect(unsafe_code, reason = "Windows opens relative to a handle only by calls that have no safe wrapper")]

use std::{
    ffi::{OsStr, OsString, c_void},
    fs::File,
    io, mem,
    os::windows::{
        ffi::{OsStrExt as _, OsStringExt as _},
        io::{AsRawHandle as _, BorrowedHandle, FromRawHandle as _},
    },
    path::PathBuf,
    ptr,
};

use windows_sys::{
    Wdk::{
        Foundation::OBJECT_ATTRIBUTES,
        Storage::FileSystem::{
            FILE_CREATE, FILE_DISPOSITION_DELETE, FILE_DISPOSITION_IGNORE_READONLY_ATTRIBUTE,
            FILE_DISPOSITION_POSIX_SEMANTICS, FILE_INFORMATION_CLASS, FILE_OPEN, FILE_OPEN_FOR_BACKUP_INTENT,
            FILE_OPEN_REPARSE_POINT, FILE_RENAME_IGNORE_READONLY_ATTRIBUTE, FILE_RENAME_POSIX_SEMANTICS,
            FILE_RENAME_REPLACE_IF_EXISTS, FILE_SYNCHRONOUS_IO_NONALERT, FileDispositionInformation,
            FileDispositionInformationEx, FileLinkInformation, FileRenameInformation,
            FileRenameInformationEx, NtCreateFile, NtSetInformationFile,
        },
    },
    Win32::{
        Foundation::{
            ERROR_INVALID_NAME, ERROR_NO_MORE_FILES, NTSTATUS, OBJ_CASE_INSENSITIVE, RtlNtStatusToDosError,
            STATUS_INVALID_INFO_CLASS, STATUS_INVALID_PARAMETER, STATUS_NOT_IMPLEMENTED,
            STATUS_NOT_SUPPORTED, UNICODE_STRING,
        },
        Security::{
            DACL_SECURITY_INFORMATION, GetKernelObjectSecurity, GetSecurityDescriptorControl,
            PROTECTED_DACL_SECURITY_INFORMATION, SE_DACL_PROTECTED, SetKernelObjectSecurity,
            UNPROTECTED_DACL_SECURITY_INFORMATION,
        },
        Storage::FileSystem::{
            BY_HANDLE_FILE_INFORMATION, FILE_ATTRIBUTE_REPARSE_POINT, FILE_ATTRIBUTE_TAG_INFO,
            FILE_BASIC_INFO, FILE_ID_BOTH_DIR_INFO, FILE_NAME_NORMALIZED, FILE_SHARE_DELETE, FILE_SHARE_READ,
            FILE_SHARE_WRITE, FILE_STANDARD_INFO, FileAttributeTagInfo, FileBasicInfo,
            FileIdBothDirectoryInfo, FileIdBothDirectoryRestartInfo, FileStandardInfo,
            GetFileInformationByHandle, GetFileInformationByHandleEx, GetFinalPathNameByHandleW,
            MAXIMUM_REPARSE_DATA_BUFFER_SIZE, SetFileInformationByHandle, VOLUME_NAME_DOS,
        },
        System::{IO::DeviceIoControl, IO::IO_STATUS_BLOCK, Ioctl::FSCTL_GET_REPARSE_POINT},
    },
};

use crate::text;

/// Whether something has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disposition {
    /// It is there.
    Open,
    /// It is not there, and is made.
    Create,
}

/// Who else may have it open.
pub(super) const SHARE_ALL: u32 = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
/// Nobody may rename or remove it meanwhile, nor what it lies in.
pub(super) const SHARE_PINNED: u32 = FILE_SHARE_READ | FILE_SHARE_WRITE;

/// Opens `name` in `parent`; `.` is the folder itself.
pub(super) fn open_at(
    parent: BorrowedHandle<'_>,
    name: &OsStr,
    access: u32,
    share: u32,
    disposition: Disposition,
    options: u32,
) -> io::Result<File> {
    let mut name = plain(name)?;
    let length = bytes_of(&name)?;
    let unicode = UNICODE_STRING { Length: length, MaximumLength: length, Buffer: name.as_mut_ptr() };
    let attributes = OBJECT_ATTRIBUTES {
        Length: mem::size_of::<OBJECT_ATTRIBUTES>() as u32,
        RootDirectory: parent.as_raw_handle(),
        ObjectName: &raw const unicode,
        Attributes: OBJ_CASE_INSENSITIVE,
        ..OBJECT_ATTRIBUTES::default()
    };
    let options =
        options | FILE_SYNCHRONOUS_IO_NONALERT | FILE_OPEN_REPARSE_POINT | FILE_OPEN_FOR_BACKUP_INTENT;
    let disposition = match disposition {
        Disposition::Open => FILE_OPEN,
        Disposition::Create => FILE_CREATE,
    };
    let mut handle = ptr::null_mut();
    let mut status_block = IO_STATUS_BLOCK::default();
    // SAFETY: every pointer leads to a value of this function that outlives the call; the handle in `attributes` is borrowed.
    let status = unsafe {
        NtCreateFile(
            &raw mut handle,
            access,
            &raw const attributes,
            &raw mut status_block,
            ptr::null(),
            0,
            share,
            disposition,
            options,
            ptr::null(),
            0,
        )
    };
    checked(status)?;
    // SAFETY: the call succeeded, so the handle is open and nobody else's.
    Ok(unsafe { File::from_raw_handle(handle) })
}

/// A name as the system takes it; nothing that could be more than one name, or a stream of one.
fn plain(name: &OsStr) -> io::Result<Vec<u16>> {
    if name == "." {
        return Ok(Vec::new());
    }
    let units: Vec<u16> = name.encode_wide().collect();
    let refused = |unit: &u16| [u16::from(b'\\'), u16::from(b'/'), u16::from(b':'), 0].contains(unit);
    if units.is_empty() || name == ".." || units.iter().any(refused) {
        return Err(io::Error::from_raw_os_error(ERROR_INVALID_NAME.cast_signed()));
    }
    Ok(units)
}

fn bytes_of(units: &[u16]) -> io::Result<u16> {
    u16::try_from(units.len() * 2).map_err(|_| io::Error::from_raw_os_error(ERROR_INVALID_NAME.cast_signed()))
}

fn checked(status: NTSTATUS) -> io::Result<()> {
    if status >= 0 {
        return Ok(());
    }
    // SAFETY: a function of a number.
    let code = unsafe { RtlNtStatusToDosError(status) };
    Err(io::Error::from_raw_os_error(code.cast_signed()))
}

/// What the system knows of an open file.
#[derive(Clone, Copy)]
pub(super) struct Facts {
    pub(super) general: BY_HANDLE_FILE_INFORMATION,
    /// When anything about it changed, in the system's own unit.
    pub(super) changed: i64,
    /// What kind of reparse point it is; 0 for none.
    pub(super) reparse_tag: u32,
    /// It is on its way out.
    pub(super) deleted: bool,
}

/// Asks for it.
pub(super) fn facts(file: BorrowedHandle<'_>) -> io::Result<Facts> {
    let mut general = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is borrowed, the structure is ours.
    if unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut general) } == 0 {
        return Err(io::Error::last_os_error());
    }
    let basic: FILE_BASIC_INFO = information(file, FileBasicInfo)?;
    let standard: FILE_STANDARD_INFO = information(file, FileStandardInfo)?;
    let tag: FILE_ATTRIBUTE_TAG_INFO = if general.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT == 0 {
        FILE_ATTRIBUTE_TAG_INFO::default()
    } else {
        information(file, FileAttributeTagInfo)?
    };
    Ok(Facts {
        general,
        changed: basic.ChangeTime,
        reparse_tag: tag.ReparseTag,
        deleted: standard.DeletePending,
    })
}

/// A structure of the system that is plain numbers.
///
/// Only the three that [`facts`] asks for are used with it.
fn information<T: Default>(file: BorrowedHandle<'_>, class: i32) -> io::Result<T> {
    let mut value = T::default();
    let length = mem::size_of::<T>() as u32;
    // SAFETY: the handle is borrowed, and the structure is ours and has the length that is told.
    let done = unsafe {
        GetFileInformationByHandleEx(file.as_raw_handle(), class, (&raw mut value).cast::<c_void>(), length)
    };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(value) }
}

/// Sets or takes the mark that a file may only be read.
pub(super) fn set_attributes(file: BorrowedHandle<'_>, attributes: u32) -> io::Result<()> {
    // Times of 0 are left as they are.
    let basic = FILE_BASIC_INFO { FileAttributes: attributes, ..FILE_BASIC_INFO::default() };
    // SAFETY: the handle is borrowed, and the structure is ours and has the length that is told.
    let done = unsafe {
        SetFileInformationByHandle(
            file.as_raw_handle(),
            FileBasicInfo,
            (&raw const basic).cast::<c_void>(),
            mem::size_of::<FILE_BASIC_INFO>() as u32,
        )
    };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// An entry of a folder.
pub(super) struct Listed<'a> {
    pub(super) name: &'a [u16],
    pub(super) attributes: u32,
    pub(super) reparse_tag: u32,
}

/// Gives `each` the entries of a folder, `.` and `..` left out, until it says stop.
pub(super) fn list(folder: BorrowedHandle<'_>, mut each: impl FnMut(&Listed<'_>) -> bool) -> io::Result<()> {
    // Of `u64`, so that it is aligned as the system's structure is.
    let mut buffer = vec![0_u64; 8 * 1024];
    let length = (buffer.len() * mem::size_of::<u64>()) as u32;
    let mut class = FileIdBothDirectoryRestartInfo;
    loop {
        // SAFETY: the handle is borrowed, and the buffer is ours and has the length that is told.
        let done = unsafe {
            GetFileInformationByHandleEx(
                folder.as_raw_handle(),
                class,
                buffer.as_mut_ptr().cast::<c_void>(),
                length,
            )
        };
        if done == 0 {
            let error = io::Error::last_os_error();
            let is_end = error.raw_os_error() == Some(ERROR_NO_MORE_FILES.cast_signed());
            return if is_end { Ok(()) } else { Err(error) };
        }
        class = FileIdBothDirectoryInfo;
        let mut entry = buffer.as_ptr().cast::<FILE_ID_BOTH_DIR_INFO>();
        loop {
            // SAFETY: the system has filled the buffer with a chain of such entries, each aligned, each with its name behind it.
            let (next, listed) = unsafe {
                let name = ptr::slice_from_raw_parts(
                    (&raw const (*entry).FileName).cast::<u16>(),
                    (*entry).FileNameLength as usize / 2,
                );
                let listed = Listed {
                    name: &*name,
                    attributes: (*entry).FileAttributes,
                    reparse_tag: (*entry).EaSize,
                };
                ((*entry).NextEntryOffset as usize, listed)
            };
            let dot = u16::from(b'.');
            if listed.name != [dot] && listed.name != [dot, dot] && !each(&listed) {
                return Ok(());
            }
            if next == 0 {
                break;
            }
            // SAFETY: the offset leads to the next entry in the same buffer.
            entry = unsafe { entry.byte_add(next) };
        }
    }
}

/// The path of what is open, as the system spells it, without the mark of a literal path where it has one.
pub(super) fn path_of(file: BorrowedHandle<'_>) -> io::Result<PathBuf> {
    let mut buffer = vec![0_u16; 1024];
    loop {
        // SAFETY: the handle is borrowed, and the buffer is ours and has the length that is told.
        let length = unsafe {
            GetFinalPathNameByHandleW(
                file.as_raw_handle(),
                buffer.as_mut_ptr(),
                buffer.len() as u32,
                FILE_NAME_NORMALIZED | VOLUME_NAME_DOS,
            )
        } as usize;
        if length == 0 {
            return Err(io::Error::last_os_error());
        }
        if length < buffer.len() {
            return Ok(text::unmarked(PathBuf::from(OsString::from_wide(&buffer[..length]))));
        }
        buffer.resize(length + 1, 0);
    }
}

/// What a reparse point says, as bytes; an error for anything that is none.
pub(super) fn reparse_data(file: BorrowedHandle<'_>) -> io::Result<Vec<u8>> {
    let mut buffer = vec![0_u8; MAXIMUM_REPARSE_DATA_BUFFER_SIZE as usize];
    let mut length = 0_u32;
    // SAFETY: the handle is borrowed, and the buffer is ours and has the length that is told.
    let done = unsafe {
        DeviceIoControl(
            file.as_raw_handle(),
            FSCTL_GET_REPARSE_POINT,
            ptr::null(),
            0,
            buffer.as_mut_ptr().cast::<c_void>(),
            buffer.len() as u32,
            &raw mut length,
            ptr::null_mut(),
        )
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    buffer.truncate(length as usize);
    Ok(buffer)
}

/// Whether what stands at the new name goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Replace {
    /// It goes.
    Yes,
    /// The name has to be free.
    No,
}

/// Gives an open file, opened with the right to remove it, another name in `folder`.
pub(super) fn rename(
    file: BorrowedHandle<'_>,
    folder: BorrowedHandle<'_>,
    name: &OsStr,
    replace: Replace,
) -> io::Result<()> {
    let mut flags = FILE_RENAME_POSIX_SEMANTICS | FILE_RENAME_IGNORE_READONLY_ATTRIBUTE;
    if replace == Replace::Yes {
        flags |= FILE_RENAME_REPLACE_IF_EXISTS;
    }
    let status = set_name(file, folder, name, flags, FileRenameInformationEx)?;
    if is_unknown(status) {
        let status = set_name(file, folder, name, u32::from(replace == Replace::Yes), FileRenameInformation)?;
        return checked(status);
    }
    checked(status)
}

/// Gives an open file one more name in `folder`.
pub(super) fn link(file: BorrowedHandle<'_>, folder: BorrowedHandle<'_>, name: &OsStr) -> io::Result<()> {
    checked(set_name(file, folder, name, 0, FileLinkInformation)?)
}

/// Older systems, other file systems and Wine know only the older question.
fn is_unknown(status: NTSTATUS) -> bool {
    [STATUS_INVALID_INFO_CLASS, STATUS_INVALID_PARAMETER, STATUS_NOT_IMPLEMENTED, STATUS_NOT_SUPPORTED]
        .contains(&status)
}

/// The structures for renaming and linking have one shape: flags, a folder's handle, a length, a name.
fn set_name(
    file: BorrowedHandle<'_>,
    folder: BorrowedHandle<'_>,
    name: &OsStr,
    flags: u32,
    class: FILE_INFORMATION_CLASS,
) -> io::Result<NTSTATUS> {
    #[repr(C)]
    struct Head {
        flags: u32,
        folder: *mut c_void,
        name_bytes: u32,
    }
    let name = plain(name)?;
    let start = mem::offset_of!(Head, name_bytes) + mem::size_of::<u32>();
    let total = (start + name.len() * 2).max(mem::size_of::<Head>() + 2);
    let mut buffer = vec![0_u64; total.div_ceil(mem::size_of::<u64>())];
    let head = Head { flags, folder: folder.as_raw_handle(), name_bytes: u32::from(bytes_of(&name)?) };
    let at = buffer.as_mut_ptr().cast::<u8>();
    // SAFETY: the buffer is aligned for the head and long enough for it and the name behind it.
    unsafe {
        at.cast::<Head>().write(head);
        ptr::copy_nonoverlapping(name.as_ptr().cast::<u8>(), at.add(start), name.len() * 2);
    }
    let mut status_block = IO_STATUS_BLOCK::default();
    // SAFETY: both handles are borrowed, and the buffer has at least the length that is told.
    Ok(unsafe {
        NtSetInformationFile(
            file.as_raw_handle(),
            &raw mut status_block,
            buffer.as_ptr().cast::<c_void>(),
            total as u32,
            class,
        )
    })
}

/// Removes what is open, opened with the right to do so; its name is free at once where the system knows how.
pub(super) fn remove(file: BorrowedHandle<'_>) -> io::Result<()> {
    let flags: u32 = FILE_DISPOSITION_DELETE
        | FILE_DISPOSITION_POSIX_SEMANTICS
        | FILE_DISPOSITION_IGNORE_READONLY_ATTRIBUTE;
    let status = dispose(file, flags, FileDispositionInformationEx);
    if is_unknown(status) {
        return checked(dispose(file, 1_u8, FileDispositionInformation));
    }
    checked(status)
}

fn dispose<T: Copy>(file: BorrowedHandle<'_>, value: T, class: FILE_INFORMATION_CLASS) -> NTSTATUS {
    let mut status_block = IO_STATUS_BLOCK::default();
    // SAFETY: the handle is borrowed, and the value is ours and has the length that is told.
    unsafe {
        NtSetInformationFile(
            file.as_raw_handle(),
            &raw mut status_block,
            (&raw const value).cast::<c_void>(),
            mem::size_of::<T>() as u32,
            class,
        )
    }
}

/// Gives `to` the list of who may do what that `from` has.
pub(super) fn copy_access(from: BorrowedHandle<'_>, to: BorrowedHandle<'_>) -> io::Result<()> {
    let mut descriptor = vec![0_u64; 128];
    loop {
        let mut needed = 0_u32;
        // SAFETY: the handle is borrowed, and the buffer is ours, aligned, and has the length that is told.
        let done = unsafe {
            GetKernelObjectSecurity(
                from.as_raw_handle(),
                DACL_SECURITY_INFORMATION,
                descriptor.as_mut_ptr().cast::<c_void>(),
                (descriptor.len() * mem::size_of::<u64>()) as u32,
                &raw mut needed,
            )
        };
        let room = descriptor.len() * mem::size_of::<u64>();
        match (done, needed as usize > room) {
            (0, true) => descriptor.resize((needed as usize).div_ceil(mem::size_of::<u64>()), 0),
            (0, false) => return Err(io::Error::last_os_error()),
            _ => break,
        }
    }
    let descriptor = descriptor.as_mut_ptr().cast::<c_void>();
    let (mut control, mut revision) = (0, 0);
    // SAFETY: the descriptor is the one that the system has just filled in; the handle is borrowed.
    let done = unsafe {
        if GetSecurityDescriptorControl(descriptor, &raw mut control, &raw mut revision) == 0 {
            0
        } else {
            // One that takes nothing over from its folder goes on taking nothing over.
            let inherits = if control & SE_DACL_PROTECTED == 0 {
                UNPROTECTED_DACL_SECURITY_INFORMATION
            } else {
                PROTECTED_DACL_SECURITY_INFORMATION
            };
            SetKernelObjectSecurity(to.as_raw_handle(), DACL_SECURITY_INFORMATION | inherits, descriptor)
        }
    };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
