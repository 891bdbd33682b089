//! Takes a folder of ours away, with all that a command left in it, however deep its folders lie in each other.
//!
//! What calls itself for each level ends with its stack, and what holds a handle for each ends with its descriptors: a command could
//! end the host with either. So a folder that is not empty is moved up into the folder of ours first, and its turn comes later.
//! Names are only looked at through handles, and no link is followed: what a command left running may still change them.

use std::{
    ffi::CStr,
    io,
    os::fd::{AsFd, OwnedFd},
    path::Path,
};

use rustix::{
    fs::{
        AtFlags, CWD, Dir, FileType, Mode, OFlags, chmodat, fchmod, fstat, openat, renameat, rmdir, statat,
        unlinkat,
    },
    io::Errno,
    path::Arg,
};

use crate::ids::new_ulid;

/// Removes the folder and what is in it. What cannot be removed stays, with the folders above it; the first reason is told.
pub(super) fn remove_tree(path: &Path) -> io::Result<()> {
    let mut removal = Removal { root: open(CWD, path)?, mark: new_ulid(), moved: 0, fault: None };
    removal.empty(None)?;
    let mut next = 0;
    while next < removal.moved {
        let name = removal.name(next);
        if let Err(error) = removal.empty(Some(&name)) {
            removal.note(error);
        }
        next += 1;
    }
    match (rmdir(path), removal.fault) {
        (Ok(()), _) => Ok(()),
        (Err(_), Some(fault)) => Err(fault.into()),
        (Err(error), None) => Err(error.into()),
    }
}

struct Removal {
    /// The folder of ours.
    root: OwnedFd,
    /// No other name in it begins like this.
    mark: String,
    /// How many folders were moved up.
    moved: u64,
    fault: Option<Errno>,
}

impl Removal {
    /// The name of a folder that was moved up.
    fn name(&self, number: u64) -> String {
        format!("{}-{number}", self.mark)
    }

    fn note(&mut self, error: Errno) {
        if error != Errno::NOENT {
            self.fault.get_or_insert(error);
        }
    }

    /// Empties the folder of this name in the folder of ours, and removes it; without a name that one itself, which stays.
    fn empty(&mut self, name: Option<&str>) -> Result<(), Errno> {
        let folder = match name {
            Some(name) => open(&self.root, name)?,
            None => open(&self.root, ".")?,
        };
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let inside = entry.file_name();
            // Those have their own turn.
            let is_ours = name.is_none() && inside.to_bytes().starts_with(self.mark.as_bytes());
            if [c".", c".."].contains(&inside) || is_ours {
                continue;
            }
            if let Err(error) = self.take_out(&folder, inside, entry.file_type()) {
                self.note(error);
            }
        }
        name.map_or(Ok(()), |name| unlinkat(&self.root, name, AtFlags::REMOVEDIR))
    }

    /// Removes a file or an empty folder, and moves another one up.
    fn take_out(&mut self, folder: &OwnedFd, name: &CStr, kind: FileType) -> Result<(), Errno> {
        let kind = match kind {
            FileType::Unknown => kind_of(folder, name)?,
            known => known,
        };
        if kind != FileType::Directory {
            return unlinkat(folder, name, AtFlags::empty());
        }
        match unlinkat(folder, name, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY | Errno::EXIST) => {}
            done => return done,
        }
        let up = self.name(self.moved);
        let moved = match renameat(folder, name, &self.root, &up) {
            Err(Errno::ACCESS) => {
                // Its `..` changes, so it has to be open itself.
                open(folder, name)?;
                renameat(folder, name, &self.root, &up)
            }
            moved => moved,
        };
        self.moved += u64::from(moved.is_ok());
        moved
    }
}

/// The folder, opened so that it can be read and changed: a command may close folders of its own, and is over by now.
fn open<P: Arg + Copy>(above: impl AsFd, name: P) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = match openat(&above, name, flags, Mode::empty()) {
        Err(Errno::ACCESS) if kind_of(&above, name)? == FileType::Directory => {
            chmodat(&above, name, Mode::RWXU, AtFlags::empty())?;
            openat(&above, name, flags, Mode::empty())?
        }
        opened => opened?,
    };
    if !Mode::from_raw_mode(fstat(&folder)?.st_mode).contains(Mode::RWXU) {
        fchmod(&folder, Mode::RWXU)?;
    }
    Ok(folder)
}

fn kind_of<P: Arg>(above: impl AsFd, name: P) -> Result<FileType, Errno> {
    Ok(FileType::from_raw_mode(statat(above, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode))
}
