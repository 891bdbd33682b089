//! Opens files and folders below a root handle without following any link on the way.
//!
//! For walks and for what git stages: a path that was seen as a plain path must be opened as one. A link swapped in between, even
//! one that stays inside, is an error here, because what the law judged was the plain path. Never used for paths a caller typed:
//! those go through the door, which follows links that stay inside.

use std::{fs::File, io, path::Path};

use cap_std::fs::Dir;

/// Opens a regular file for reading. Devices, FIFOs and sockets are refused before they can block.
pub(super) fn open_file(root: &Dir, path: &Path) -> io::Result<(File, std::fs::Metadata)> {
    let file = platform::open(root, path, Kind::File)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no regular file"));
    }
    Ok((file, metadata))
}

/// Opens a folder to list it; the empty path is the root itself.
pub(super) fn open_dir(root: &Dir, path: &Path) -> io::Result<Dir> {
    open_folder(root, path, Kind::Listed)
}

/// Opens a folder to look at what its names stand for: for that, nobody needs the right to list it.
pub(super) fn stand_in(root: &Dir, path: &Path) -> io::Result<Dir> {
    open_folder(root, path, Kind::Stand)
}

fn open_folder(root: &Dir, path: &Path, kind: Kind) -> io::Result<Dir> {
    // The root's own handle may have been opened only to stand in it; `.` is a handle that can be listed.
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    Ok(Dir::from_std_file(platform::open(root, path, kind)?))
}

/// What is opened, and what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A file, to read it.
    File,
    /// A folder, to list it.
    Listed,
    /// A folder, to stand in it.
    Stand,
}

#[cfg(target_os = "linux")]
mod platform {
    //! One system call: the kernel refuses links and anything above the root.

    use std::{fs::File, io, path::Path};

    use cap_std::fs::Dir;
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};

    use super::Kind;
    use crate::workspace::kernel;

    pub(super) fn open(root: &Dir, path: &Path, kind: Kind) -> io::Result<File> {
        let how = match kind {
            Kind::File => OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY,
            Kind::Listed => OFlags::RDONLY | OFlags::DIRECTORY,
            Kind::Stand => kernel::STAND | OFlags::DIRECTORY,
        };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        // EAGAIN means that something was renamed meanwhile; a few tries are enough, or somebody is playing games.
        for _ in 0..8 {
            let flags = how | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            match openat2(root, path, flags, Mode::empty(), resolve) {
                Ok(descriptor) => return Ok(File::from(descriptor)),
                Err(rustix::io::Errno::AGAIN) => {}
                // Kernels before 5.6 and some sandboxes have no `openat2`; and no call takes a path of more than 4096 bytes, which
                // folders that were entered one by one may well have.
                Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM | rustix::io::Errno::NAMETOOLONG) => {
                    return super::by_component::open(root, path, kind);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(rustix::io::Errno::AGAIN.into())
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    pub(super) use super::by_component::open;
}

mod by_component {
    //! The portable way: one name at a time, each opened without following a link, relative to the handle of the folder before it.

    use std::{
        fs::File,
        io,
        path::{Component, Path},
    };

    use cap_std::fs::Dir;

    use super::Kind;
    use crate::workspace::handle;

    pub(super) fn open(root: &Dir, path: &Path, kind: Kind) -> io::Result<File> {
        let mut names = path.components().peekable();
        let mut here = root.try_clone()?;
        while let Some(component) = names.next() {
            let name = match component {
                Component::Normal(name) => name,
                Component::CurDir if kind != Kind::File => {
                    return Ok(last(&here, component.as_os_str(), kind)?.into_std_file());
                }
                _ => return Err(io::Error::from(io::ErrorKind::InvalidInput)),
            };
            if names.peek().is_some() {
                here = handle::open_folder(&here, name)?;
            } else if kind == Kind::File {
                return handle::open_file(&here, name);
            } else {
                here = last(&here, name, kind)?;
            }
        }
        Ok(here.into_std_file())
    }

    fn last(parent: &Dir, name: &std::ffi::OsStr, kind: Kind) -> io::Result<Dir> {
        if kind == Kind::Stand {
            handle::open_folder(parent, name)
        } else {
            handle::open_folder_to_read(parent, name)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        io::Read as _,
        path::Path,
        sync::atomic::{AtomicBool, Ordering},
    };

    use cap_std::{ambient_authority, fs::Dir};
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    use super::Kind;

    type Open = fn(&Dir, &Path, Kind) -> std::io::Result<fs::File>;
    const WAYS: [Open; 2] = [super::platform::open, super::by_component::open];

    #[test]
    fn both_ways_refuse_links_and_agree() {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path();
        fs::create_dir_all(base.join("root/a/b")).unwrap();
        fs::write(base.join("outside"), "secret").unwrap();
        fs::write(base.join("root/a/b/file"), "text").unwrap();
        std::os::unix::fs::symlink("../outside", base.join("root/out")).unwrap();
        std::os::unix::fs::symlink("a/b", base.join("root/inside")).unwrap();
        std::os::unix::fs::symlink("file", base.join("root/a/b/link")).unwrap();
        let root = Dir::open_ambient_dir(base.join("root"), ambient_authority()).unwrap();
        for open in WAYS {
            assert!(open(&root, Path::new("a/b/file"), Kind::File).is_ok());
            for kind in [Kind::Listed, Kind::Stand] {
                assert!(open(&root, Path::new("a/b"), kind).is_ok());
                assert!(open(&root, Path::new("."), kind).is_ok());
            }
            for path in
                ["out", "inside/file", "../outside", "missing", "a/b/link", "a/b/file/x", "/etc/hostname"]
            {
                assert!(open(&root, Path::new(path), Kind::File).is_err(), "{path} was opened");
            }
            for path in ["inside", "a/b/file", "..", "a/b/link"] {
                for kind in [Kind::Listed, Kind::Stand] {
                    assert!(open(&root, Path::new(path), kind).is_err(), "{path} was opened");
                }
            }
        }
    }

    #[test]
    fn what_is_swapped_for_a_link_meanwhile_is_not_followed() {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path();
        fs::create_dir_all(base.join("root/a/b")).unwrap();
        fs::create_dir(base.join("out")).unwrap();
        for (path, text) in
            [("root/a/b/file", "inside"), ("root/blocked", "blocked"), ("out/file", "outside")]
        {
            fs::write(base.join(path), text).unwrap();
        }
        std::os::unix::fs::symlink("../../out", base.join("root/a/l")).unwrap();
        std::os::unix::fs::symlink("../../blocked", base.join("root/a/b/trap")).unwrap();
        let root = Dir::open_ambient_dir(base.join("root"), ambient_authority()).unwrap();
        for (one, other) in [("root/a/b", "root/a/l"), ("root/a/b/file", "root/a/b/trap")] {
            let stop = AtomicBool::new(false);
            let [mut opened, mut refused] = [0, 0];
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        renameat_with(CWD, base.join(one), CWD, base.join(other), RenameFlags::EXCHANGE)
                            .unwrap();
                    }
                });
                let mut wrong = Vec::new();
                // A machine of two busy cores may take a while to let both run at once.
                for round in 0..4_000_000 {
                    if round >= 4000 && opened > 0 && refused > 0 {
                        break;
                    }
                    let Ok(mut file) = WAYS[round % 2](&root, Path::new("a/b/file"), Kind::File) else {
                        refused += 1;
                        continue;
                    };
                    let mut text = String::new();
                    file.read_to_string(&mut text).unwrap();
                    if text != "inside" {
                        wrong.push(text);
                    }
                    opened += 1;
                }
                stop.store(true, Ordering::Relaxed);
                assert_eq!(wrong, [""; 0], "{one}");
            });
            assert!(opened > 0 && refused > 0, "no race: {opened} {refused}");
            // Both places as they were, whichever way round they stand now.
            if base.join(one).is_symlink() {
                renameat_with(CWD, base.join(one), CWD, base.join(other), RenameFlags::EXCHANGE).unwrap();
            }
        }
    }
}
