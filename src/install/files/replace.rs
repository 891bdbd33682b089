//! Files that are put in the place of others: never half there, and what a write that was cut off left is found again.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};

use super::{SHARED, aside, entries, io_error, is_mine, settle, sync_folder_of};
use crate::{
    ids,
    install::{error::InstallError, permissions},
};

/// Writes a file so that it holds the old bytes or the new ones, at any instant.
pub fn write_atomic(path: &Path, bytes: &[u8], mode: u32) -> Result<(), InstallError> {
    write_stamped(path, bytes, mode, None)
}

/// The same of what has to be on the disk before anything else happens: an error where the disk does not say that it is.
pub fn write_lasting(path: &Path, bytes: &[u8], mode: u32) -> Result<(), InstallError> {
    write_stamped(path, bytes, mode, None)?;
    sync_folder_of(path).map_err(|source| io_error("cannot write", path, source))
}

/// The same, with the owner, the time and the attributes that another file had.
pub fn write_stamped(
    path: &Path,
    bytes: &[u8],
    mode: u32,
    stamp: Option<&Stamp>,
) -> Result<(), InstallError> {
    let temporary = temporary_beside(path);
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        file.write_all(bytes)?;
        if let Some(stamp) = stamp {
            permissions::set_owner(&temporary, stamp.owner)?;
        }
        if let Some(stamp) = stamp {
            permissions::set_attributes(&file, &stamp.attributes);
        }
        // After the owner, whose change takes bits away.
        permissions::set_mode(&file, mode)?;
        if let Some(stamp) = stamp {
            file.set_modified(stamp.modified())?;
        }
        file.sync_all()?;
        drop(file);
        put(&temporary, path)
    })();
    finish_replacing(path, &temporary, written)
}

/// Writes into what is there and is no file: a terminal, a pipe.
pub fn write_into(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.write_all(bytes)
}

/// Puts a symbolic link at `path`, in place of what is there.
pub fn link_atomic(path: &Path, to: &Path) -> Result<(), InstallError> {
    link_stamped(path, to, None)
}

/// The same, with the owner and the time that another link had.
pub fn link_stamped(path: &Path, to: &Path, stamp: Option<&Stamp>) -> Result<(), InstallError> {
    let temporary = temporary_beside(path);
    let linked = permissions::symlink(to, &temporary)
        .and_then(|()| match stamp {
            Some(stamp) => permissions::set_owner(&temporary, stamp.owner)
                .and_then(|()| permissions::set_link_time(&temporary, stamp.modified())),
            None => Ok(()),
        })
        .and_then(|()| put(&temporary, path));
    finish_replacing(path, &temporary, linked)
}

/// Whose a file was, when it was changed last and what was noted beside it: what its bytes and its mode do not tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// User and group, where there are such numbers.
    owner: Option<(u32, u32)>,
    /// Seconds and nanoseconds since 1970.
    modified: (u64, u32),
    /// Its list of rights and the attributes that people give, with their values in base64; records of older builds have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attributes: Vec<(String, String)>,
}

impl Stamp {
    /// That of what is at `path` now.
    pub fn of(path: &Path) -> Option<Self> {
        let metadata = fs::symlink_metadata(path).ok()?;
        let since = metadata.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let modified = (since.as_secs(), since.subsec_nanos());
        let attributes = permissions::attributes_of(path);
        Some(Self { owner: permissions::owner_of(&metadata), modified, attributes })
    }

    fn modified(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::new(self.modified.0, self.modified.1)
    }
}

/// Copies a file, so that it is whole or not there.
pub fn copy_file(from: &Path, to: &Path, mode: u32) -> Result<(), InstallError> {
    let temporary = temporary_beside(to);
    let copied = (|| {
        fs::copy(from, &temporary)?;
        permissions::set_mode(&File::open(&temporary)?, mode)?;
        fs::rename(&temporary, to)
    })();
    finish_replacing(to, &temporary, copied)
}

/// Copies a program, so that it is whole and on the disk or not there at all; the folder is new.
pub fn copy_program(from: &Path, folder: &Path, name: &str) -> Result<(), InstallError> {
    let parent = folder.parent().unwrap_or(folder);
    let fresh = parent.join(format!(".{}.new", ids::new_ulid()));
    let copied = (|| {
        permissions::create_folder(&fresh, SHARED)?;
        let to = fresh.join(name);
        fs::copy(from, &to)?;
        let file = File::open(&to)?;
        permissions::set_mode(&file, SHARED)?;
        file.sync_all()?;
        drop(file);
        if folder.is_dir() {
            // The program there was found to be something else: it goes, whatever runs of it goes on. What else is there stays.
            let old = folder.join(name);
            if fs::symlink_metadata(&old).is_ok_and(|metadata| metadata.is_dir()) {
                fs::rename(&old, aside(&old))?;
            }
            fs::rename(&to, &old)?;
            fs::remove_dir(&fresh)?;
            settle(&old);
            return Ok(());
        }
        fs::rename(&fresh, folder)?;
        settle(folder);
        Ok(())
    })();
    copied.map_err(|source| {
        let _ = fs::remove_dir_all(&fresh);
        io_error("cannot write", folder, source)
    })
}

/// What writes to a file of this name have left in the folder because they were cut off.
pub fn temporaries(folder: &Path, name: &str) -> Vec<PathBuf> {
    let is_one = |path: &PathBuf| {
        let found = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let middle = found.strip_prefix('.').and_then(|found| found.strip_suffix(".new"));
        let ulid = match name {
            "" => middle,
            name => middle.and_then(|middle| middle.strip_prefix(name)?.strip_prefix('.')),
        };
        ulid.is_some_and(|ulid| ulid.len() == 26 && ulid.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    entries(folder).into_iter().filter(is_one).collect()
}

/// Removes what writes to this file have left beside it because they were cut off; whoever calls keeps others from writing to it.
pub fn sweep(path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return;
    };
    for left in temporaries(folder, name).into_iter().filter(|left| !left.is_dir() && is_mine(left)) {
        let _ = fs::remove_file(left);
    }
}

/// A name that no browser reads: manifests end in `.json`.
pub fn temporary_beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.new", ids::new_ulid()));
    path.with_file_name(name)
}

/// Gives what is ready its name. After that nothing fails any more: whoever is told of an error finds the old file.
fn put(temporary: &Path, path: &Path) -> io::Result<()> {
    permissions::may_sync(path.parent().unwrap_or(path))?;
    fs::rename(temporary, path)?;
    settle(path);
    Ok(())
}

fn finish_replacing(path: &Path, temporary: &Path, result: io::Result<()>) -> Result<(), InstallError> {
    result.map_err(|source| {
        // After a failed rename the new file must not stay behind; when it was never made, there is nothing to remove.
        let _ = fs::remove_file(temporary);
        io_error("cannot write", path, source)
    })
}
