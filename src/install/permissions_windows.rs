//! What Windows knows about files instead of modes: lists of rights. Asked by `files` and the doctor.
//!
//! New files take their folder's list, which in a user's own folders is the user's alone; nothing here widens one.

use std::{
    ffi::OsStr,
    fs::{self, File, Metadata, OpenOptions},
    io,
    path::Path,
    time::SystemTime,
};

use crate::config::access::{self as acl, Stranger};

pub use crate::file_identity::is_same as is_same_file;

/// Every file has the same: who may do what stands elsewhere.
const MODE: u32 = 0o644;

/// The permission bits.
pub fn mode_of(_metadata: &Metadata) -> u32 {
    MODE
}

/// Owners are no numbers here.
pub fn owner_of(_metadata: &Metadata) -> Option<(u32, u32)> {
    None
}

/// Gives nothing: what is made here is this user's.
pub fn set_owner(_path: &Path, _owner: Option<(u32, u32)>) -> io::Result<()> {
    Ok(())
}

/// None: what a file has there beside its bytes is not kept.
pub fn attributes_of(_path: &Path) -> Vec<(String, String)> {
    Vec::new()
}

/// Sets nothing, as nothing was kept.
pub fn set_attributes(_file: &File, _attributes: &[(String, String)]) {}

/// Sets nothing: a link has the time of its making.
pub fn set_link_time(_path: &Path, _time: SystemTime) -> io::Result<()> {
    Ok(())
}

/// Whether this very user has made it: in their own folders nobody else does.
pub fn is_mine(_metadata: &Metadata) -> bool {
    true
}

/// Who holds the lock of a file: not told here.
pub fn holder(_path: &Path) -> Option<u32> {
    None
}

/// Sets nothing: the folder's list counts.
pub fn set_mode(_file: &File, _mode: u32) -> io::Result<()> {
    Ok(())
}

/// Makes one folder.
pub fn create_folder(path: &Path, _mode: u32) -> io::Result<()> {
    fs::DirBuilder::new().create(path)
}

/// Sets nothing: the folder's list counts.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// How a person may change everything.
pub const AS_ADMINISTRATOR: &str = "run the same command in a terminal that was started as administrator";

/// Whether we may change everything: whether an administrator has started us as one.
pub fn is_root() -> bool {
    acl::is_elevated()
}

/// No disk is like that.
pub fn is_without_programs(_path: &Path) -> bool {
    false
}

/// Nothing is asked of folders.
pub fn may_sync(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// NTFS writes its names down by itself.
pub fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes a symbolic link, which most users here may not.
pub fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, link)
}

/// Whether this user could start the file, by its ending.
pub fn may_execute(path: &Path) -> bool {
    has_execute_bit(path)
}

/// Whether anybody may start the file, by its ending.
pub fn has_execute_bit(path: &Path) -> bool {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    ["exe", "com", "bat", "cmd"].iter().any(|known| known.eq_ignore_ascii_case(ending))
}

/// Whether whoever starts the file gets the rights of somebody else: files here have no such mark.
pub fn lends_rights(_path: &Path) -> bool {
    false
}

/// There are no bits to change; `icacls` changes lists.
pub fn change_mode(_path: &Path, _add: u32, _remove: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether this user may read the file: whom else its list lets read is the folder's affair.
pub fn is_readable_by_all(path: &Path) -> bool {
    acl::is_readable(path)
}

/// Who gets what from a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Its group.
    #[expect(dead_code, reason = "a file here has no group whose rights count")]
    Group,
    /// Its owner alone.
    Owner,
}

/// Lists of rights are the folder's affair.
pub fn reach(_path: &Path, _rights: u32) -> Option<Reach> {
    None
}

/// Whether links led back to themselves; not told apart here.
pub fn is_circle(_error: &io::Error) -> bool {
    false
}

/// Whether this process, or the whole system, has run out of something; not told apart here.
pub fn is_exhausted(_error: &io::Error) -> bool {
    false
}

/// Whether this user may make files in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// They may.
    Open,
    /// Its list says no.
    Closed,
    /// Its disk says no, whoever asks.
    #[expect(dead_code, reason = "not told apart here")]
    ReadOnlyDisk,
    /// A mark on it says no, whoever asks.
    #[expect(dead_code, reason = "not told apart here")]
    Unchangeable,
}

/// What takes the mark away.
pub const CHANGEABLE: &str = "attrib -r";

/// Whether a mark keeps everybody from replacing a file; not told apart here.
pub fn is_unchangeable(_path: &Path) -> bool {
    false
}

/// Whether this user may make files in a folder that is there.
pub fn access(folder: &Path) -> Access {
    if acl::may_add_to(folder) { Access::Open } else { Access::Closed }
}

/// Whether this user may go through a folder: on Windows everybody may.
pub fn may_enter(_folder: &Path) -> bool {
    true
}

/// Whether this user may see the names in a folder.
pub fn may_list(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok()
}

/// Whether it belongs to this user; there are no bits to change, so nothing follows from it.
pub fn is_own(_path: &Path) -> bool {
    false
}

/// What it is, when it is neither file, folder nor link.
pub fn special_kind(_metadata: &Metadata) -> &'static str {
    "no regular file"
}

/// Who besides this user could replace what is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OtherWriter {
    /// Every user of the machine.
    Everyone,
    /// An account that is not this user's own, or a group of them.
    Group(String),
    /// Another account, which owns it.
    Owner(String),
    /// Not told apart here.
    #[expect(dead_code, reason = "whoever is on a list is a group")]
    Listed(String),
    /// No disk here shows owners that it does not know.
    #[expect(dead_code, reason = "accounts have names, or numbers of their own")]
    Nobody,
}

impl OtherWriter {
    /// The command that takes their right from them; `None` where only moving the file helps. No list is changed by us.
    pub fn narrowed(&self, place: &str) -> Option<(String, Option<u32>)> {
        let account = match self {
            OtherWriter::Everyone => "Everyone",
            OtherWriter::Group(account) | OtherWriter::Listed(account) => account,
            OtherWriter::Owner(_) | OtherWriter::Nobody => return None,
        };
        let account = if account.starts_with("S-") { format!("*{account}") } else { account.to_owned() };
        Some((format!("icacls {place} /inheritance:d /remove:g {account}"), None))
    }
}

/// The widest right that others have over `path` (links followed), if any.
pub fn other_writer(path: &Path) -> io::Result<Option<OtherWriter>> {
    Ok(acl::stranger(path)?.map(|stranger| match stranger {
        Stranger::Everyone => OtherWriter::Everyone,
        Stranger::MayChange(account) if EVERYONE.contains(&account.as_str()) => OtherWriter::Everyone,
        Stranger::MayChange(account) => OtherWriter::Group(account),
        Stranger::Owns(account) => OtherWriter::Owner(account),
    }))
}

/// Everybody, whoever has logged in, and the users of the machine.
const EVERYONE: [&str; 3] = ["S-1-1-0", "S-1-5-11", "S-1-5-32-545"];
