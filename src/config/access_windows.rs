//! Who besides this user may change a file, by its list of rights, and a folder that nobody else may look into.
//!
//! The system and the machine's administrators can change everything anyway: they are no strangers.
#![expect(unsafe_code, reason = "lists of rights have no safe wrapper")]

use std::{
    ffi::{OsString, c_void},
    fs::OpenOptions,
    io, mem,
    os::windows::{
        ffi::{OsStrExt as _, OsStringExt as _},
        fs::OpenOptionsExt as _,
        io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle},
    },
    path::Path,
    ptr,
};

use windows_sys::Win32::{
    Foundation::{GENERIC_ALL, GENERIC_WRITE, LocalFree},
    Security::{
        ACCESS_ALLOWED_ACE, ACE_HEADER, ACL,
        Authorization::{
            ConvertSidToStringSidW, ConvertStringSecurityDescriptorToSecurityDescriptorW,
            GetNamedSecurityInfoW, SDDL_REVISION_1, SE_FILE_OBJECT,
        },
        DACL_SECURITY_INFORMATION, GetAce, GetTokenInformation, OWNER_SECURITY_INFORMATION,
        PROTECTED_DACL_SECURITY_INFORMATION, PSECURITY_DESCRIPTOR, PSID, SetFileSecurityW, TOKEN_ELEVATION,
        TOKEN_INFORMATION_CLASS, TOKEN_QUERY, TOKEN_USER, TokenElevation, TokenUser,
    },
    Storage::FileSystem::{
        DELETE, FILE_ADD_FILE, FILE_APPEND_DATA, FILE_DELETE_CHILD, FILE_FLAG_BACKUP_SEMANTICS,
        FILE_READ_DATA, FILE_WRITE_ATTRIBUTES, FILE_WRITE_DATA, WRITE_DAC, WRITE_OWNER,
    },
    System::Threading::{GetCurrentProcess, OpenProcessToken},
};

/// With any of these a file can be changed, replaced or taken over.
const CHANGES: u32 = FILE_WRITE_DATA
    | FILE_APPEND_DATA
    | FILE_WRITE_ATTRIBUTES
    | FILE_DELETE_CHILD
    | DELETE
    | WRITE_DAC
    | WRITE_OWNER
    | GENERIC_WRITE
    | GENERIC_ALL;

/// The system, the administrators, the installer of Windows, and whoever owns the file.
const TRUSTED: [&str; 4] =
    ["S-1-5-18", "S-1-5-32-544", "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464", "S-1-3-4"];
/// A rule for what is made later; it gives nobody a right to this file.
const INHERIT_ONLY: u8 = 8;
const ALLOWED: u8 = 0;

/// Of those, what means something else for a folder: to make a folder in it takes nothing from anybody.
const NO_CHANGE_OF_A_FOLDER: u32 = FILE_APPEND_DATA;

/// What somebody else may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stranger {
    /// Owns it.
    Owns(String),
    /// May change it.
    MayChange(String),
    /// Everybody may: it has no list of rights.
    Everyone,
}

/// Who besides this user could change what is at `path`, if anybody.
pub(crate) fn stranger(path: &Path) -> io::Result<Option<Stranger>> {
    let changes = if path.is_dir() { CHANGES & !NO_CHANGE_OF_A_FOLDER } else { CHANGES };
    with_access(path, |owner, list| {
        let mine = own_name()?;
        let is_known = |name: &str| name == mine || TRUSTED.contains(&name);
        let owner = name_of(owner)?;
        if !is_known(&owner) {
            return Ok(Some(Stranger::Owns(owner)));
        }
        if list.is_null() {
            return Ok(Some(Stranger::Everyone));
        }
        for (name, rights) in rules(list)? {
            if rights & changes != 0 && !is_known(&name) {
                return Ok(Some(Stranger::MayChange(name)));
            }
        }
        Ok(None)
    })
}

/// True when somebody else has any right to what is at `path`.
pub(super) fn is_shared(path: &Path) -> io::Result<bool> {
    with_access(path, |_, list| {
        let mine = own_name()?;
        let is_known = |name: &str| name == mine || TRUSTED.contains(&name);
        Ok(list.is_null() || rules(list)?.iter().any(|(name, rights)| *rights != 0 && !is_known(name)))
    })
}

/// True when this process has the rights of an administrator.
pub(crate) fn is_elevated() -> bool {
    let mut elevation = TOKEN_ELEVATION::default();
    own_token().and_then(|token| ask(&token, TokenElevation, &mut elevation)).is_ok()
        && elevation.TokenIsElevated != 0
}

/// True when this user may read the file.
pub(crate) fn is_readable(path: &Path) -> bool {
    may_open(path, FILE_READ_DATA)
}

/// True when this user may make files in the folder; makes none.
pub(crate) fn may_add_to(folder: &Path) -> bool {
    may_open(folder, FILE_ADD_FILE)
}

#[expect(clippy::disallowed_methods, reason = "it is opened only to learn whether it may be")]
fn may_open(path: &Path, access: u32) -> bool {
    OpenOptions::new().access_mode(access).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path).is_ok()
}

/// Takes every right to the folder `path` from everybody but this user, the system and the administrators.
pub(super) fn make_private(path: &Path) -> io::Result<()> {
    let rights = format!("D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;{})", own_name()?);
    let rights = wide(rights.as_ref());
    let mut descriptor: PSECURITY_DESCRIPTOR = ptr::null_mut();
    // SAFETY: the text ends with a zero; what the call allocates is freed below.
    let made = unsafe {
        ConvertStringSecurityDescriptorToSecurityDescriptorW(
            rights.as_ptr(),
            SDDL_REVISION_1,
            &raw mut descriptor,
            ptr::null_mut(),
        )
    };
    if made == 0 {
        return Err(io::Error::last_os_error());
    }
    let descriptor = Allocated(descriptor);
    let path = wide(path.as_os_str());
    let what = DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION;
    // SAFETY: the path ends with a zero, the descriptor was made a moment ago.
    let done = unsafe { SetFileSecurityW(path.as_ptr(), what, descriptor.0) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// What the system has allocated for us.
struct Allocated(*mut c_void);

impl Drop for Allocated {
    fn drop(&mut self) {
        // SAFETY: it was allocated by the system for whoever asked, and nobody has freed it.
        unsafe { LocalFree(self.0) };
    }
}

fn wide(text: &std::ffi::OsStr) -> Vec<u16> {
    text.encode_wide().chain([0]).collect()
}

/// Gives `look` the owner and the list of rights of what is at `path`; both are gone afterwards.
fn with_access<T>(path: &Path, look: impl FnOnce(PSID, *const ACL) -> io::Result<T>) -> io::Result<T> {
    let path = wide(path.as_os_str());
    let (mut owner, mut list, mut descriptor) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    // SAFETY: the path ends with a zero; owner and list point into the descriptor, which is freed after they were looked at.
    let code = unsafe {
        GetNamedSecurityInfoW(
            path.as_ptr(),
            SE_FILE_OBJECT,
            OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
            &raw mut owner,
            ptr::null_mut(),
            &raw mut list,
            ptr::null_mut(),
            &raw mut descriptor,
        )
    };
    if code != 0 {
        return Err(io::Error::from_raw_os_error(code.cast_signed()));
    }
    let _descriptor = Allocated(descriptor);
    look(owner, list)
}

/// Who gets which rights by the rules of a list, those that take rights away left out.
fn rules(list: *const ACL) -> io::Result<Vec<(String, u32)>> {
    let mut rules = Vec::new();
    // SAFETY: the list is the one that the system has just given; every rule in it says its own length.
    unsafe {
        for index in 0..u32::from((*list).AceCount) {
            let mut rule: *mut c_void = ptr::null_mut();
            if GetAce(list, index, &raw mut rule) == 0 {
                return Err(io::Error::last_os_error());
            }
            let head = rule.cast::<ACE_HEADER>().read();
            // Rules of other kinds have conditions, or name objects, which files are not.
            if head.AceType != ALLOWED || head.AceFlags & INHERIT_ONLY != 0 {
                continue;
            }
            let rule = rule.cast::<ACCESS_ALLOWED_ACE>();
            rules.push((name_of((&raw mut (*rule).SidStart).cast())?, (*rule).Mask));
        }
    }
    Ok(rules)
}

/// The name by which Windows tells accounts apart: `S-1-5-…`.
fn name_of(account: PSID) -> io::Result<String> {
    let mut text: *mut u16 = ptr::null_mut();
    // SAFETY: the account is one that the system has just given; what the call allocates is freed below.
    if unsafe { ConvertSidToStringSidW(account, &raw mut text) } == 0 {
        return Err(io::Error::last_os_error());
    }
    let text = Allocated(text.cast());
    let start = text.0.cast::<u16>();
    // SAFETY: the text ends with a zero.
    let units = unsafe {
        let mut length = 0;
        while *start.add(length) != 0 {
            length += 1;
        }
        std::slice::from_raw_parts(start, length)
    };
    Ok(OsString::from_wide(units).to_string_lossy().into_owned())
}

fn own_name() -> io::Result<String> {
    // An account's name has at most 68 bytes.
    let mut buffer = [0_u64; 32];
    ask(&own_token()?, TokenUser, &mut buffer)?;
    // SAFETY: the system has filled the buffer, which is aligned for it, with this structure.
    name_of(unsafe { buffer.as_ptr().cast::<TOKEN_USER>().read() }.User.Sid)
}

fn own_token() -> io::Result<OwnedHandle> {
    let mut token = ptr::null_mut();
    // SAFETY: the process's own handle needs no closing; the token is ours.
    if unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is open and ours.
    Ok(unsafe { OwnedHandle::from_raw_handle(token) })
}

/// Fills `answer`, plain numbers of the shape that belongs to `what`.
fn ask<T>(token: &OwnedHandle, what: TOKEN_INFORMATION_CLASS, answer: &mut T) -> io::Result<()> {
    let (length, mut needed) = (mem::size_of::<T>() as u32, 0);
    // SAFETY: the handle is open, the answer is ours and has the length that is told.
    let done = unsafe {
        GetTokenInformation(
            token.as_raw_handle(),
            what,
            ptr::from_mut(answer).cast::<c_void>(),
            length,
            &raw mut needed,
        )
    };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
