//! What a caller wrote as a path, taken apart. Pure: decides on the string alone, before any system call sees it.

use std::{
    ffi::OsString,
    path::{Component, Path},
};

use super::DoorError;
use crate::{
    relpath::RelPath,
    text::{prefix, visible},
};

/// No file system we serve takes longer paths.
pub(crate) const PATH_BYTES: usize = 4096;
/// The longest name of ext4, XFS, Btrfs, APFS and NTFS.
pub(crate) const NAME_BYTES: usize = 255;

/// Whose rules for names count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// Anything but `/` and NUL is a name.
    Unix,
    /// Devices, streams and trailing dots are no names either.
    Windows,
}

impl Names {
    /// The rules of this system.
    pub(super) const HERE: Self = if cfg!(windows) { Self::Windows } else { Self::Unix };
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// `..`
    Up,
    /// A plain name.
    Name(OsString),
}

/// Takes `path`, which a caller wrote as `input`, apart. An absolute one is accepted when it lies below one of `roots`, which
/// are cut off.
pub(super) fn parse(input: &str, path: &Path, roots: &[&Path], names: Names) -> Result<Vec<Part>, DoorError> {
    let refuse = |reason: &str| DoorError::InvalidPath {
        path: visible(prefix(input, 200)).into_owned(),
        reason: reason.to_owned(),
    };
    if input.is_empty() {
        return Err(refuse("it is empty; `.` is the workspace itself"));
    }
    if input.contains('\0') {
        return Err(refuse("it contains a NUL character"));
    }
    if input.len() > PATH_BYTES {
        return Err(refuse("it is longer than 4096 bytes"));
    }
    if names == Names::Windows {
        windows_prefix(input).map_err(refuse)?;
    }
    let relative = if path.has_root() {
        roots.iter().find_map(|root| below(path, root, names)).ok_or_else(|| DoorError::Outside {
            path: visible(input).into_owned(),
            reason: "an absolute path has to begin with the workspace's folder".to_owned(),
        })?
    } else {
        path
    };
    let parts = parts(relative).ok_or_else(|| refuse("it begins with a drive or a device"))?;
    for part in &parts {
        let Part::Name(name) = part else { continue };
        if name.len() > NAME_BYTES {
            return Err(refuse("a name in it is longer than 255 bytes"));
        }
        if names == Names::Windows {
            windows_name(&name.to_string_lossy()).map_err(refuse)?;
        }
    }
    Ok(parts)
}

/// The rest of an absolute path below `root`; on Windows names differ by more than their case.
fn below<'p>(path: &'p Path, root: &Path, names: Names) -> Option<&'p Path> {
    if names == Names::Unix {
        return path.strip_prefix(root).ok();
    }
    let folded = |part: Component<'_>| part.as_os_str().to_string_lossy().to_lowercase();
    let mut parts = path.components();
    let is_below =
        root.components().all(|wanted| parts.next().is_some_and(|part| folded(part) == folded(wanted)));
    if is_below { Some(parts.as_path()) } else { None }
}

/// The steps of a relative path; `None` if it is not relative.
pub(super) fn parts(path: &Path) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => parts.push(Part::Up),
            Component::Normal(name) => parts.push(Part::Name(name.to_owned())),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts)
}

/// The path as written, if it goes only down.
pub(super) fn plain(parts: &[Part]) -> Option<RelPath> {
    parts.iter().try_fold(RelPath::root(), |path, part| match part {
        Part::Up => None,
        Part::Name(name) => Some(path.join(name)),
    })
}

/// Device and UNC prefixes: touching one can already send the user's credentials to a server.
fn windows_prefix(input: &str) -> Result<(), &'static str> {
    let slashed = input.replace('\\', "/");
    if slashed.starts_with("//") || slashed.starts_with("/??/") {
        return Err("device and network paths are not accepted");
    }
    Ok(())
}

/// Names that Windows takes for something else than a file of that name.
fn windows_name(name: &str) -> Result<(), &'static str> {
    if name.contains(':') {
        return Err("a `:` would name a stream or a drive");
    }
    if name.ends_with(['.', ' ']) {
        return Err("Windows drops a dot or a space at the end of a name");
    }
    if name.chars().any(|character| character < ' ' || "<>\"|?*".contains(character)) {
        return Err("it contains a character that Windows allows in no name");
    }
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_uppercase();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix).is_some_and(|rest| {
            matches!(rest, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
        })
    };
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || numbered("COM")
        || numbered("LPT")
    {
        return Err("it is the name of a device");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(input: &str, flavor: Names) -> Result<Vec<String>, String> {
        parse(input, Path::new(input), &[Path::new("/srv/app")], flavor)
            .map(|parts| {
                parts
                    .into_iter()
                    .map(|part| match part {
                        Part::Up => "..".to_owned(),
                        Part::Name(name) => name.to_string_lossy().into_owned(),
                    })
                    .collect()
            })
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_path_is_its_steps() {
        assert_eq!(names("./a//b/../c/", Names::Unix).unwrap(), ["a", "b", "..", "c"]);
        assert_eq!(names("/srv/app/x", Names::Unix).unwrap(), ["x"]);
        assert_eq!(names("/srv/app", Names::Unix).unwrap(), [""; 0]);
        assert_eq!(names("..foo", Names::Unix).unwrap(), ["..foo"]);
    }

    #[test]
    fn roots_are_compared_by_component() {
        assert!(names("/srv/application", Names::Unix).unwrap_err().contains("outside the workspace"));
        assert!(names("/etc/passwd", Names::Unix).is_err());
        assert_eq!(names("/SRV/App/x/Y", Names::Windows).unwrap(), ["x", "Y"]);
        assert!(names("/srv/application", Names::Windows).unwrap_err().contains("outside the workspace"));
        assert!(names("/SRV/App/x", Names::Unix).is_err());
    }

    #[test]
    fn unusable_strings_are_refused() {
        for input in ["", "a\0b", &"x/".repeat(3000), &"y".repeat(256)] {
            assert!(names(input, Names::Unix).is_err(), "{input:?}");
        }
    }

    #[test]
    fn odd_names_are_names_on_unix_only() {
        for input in [
            "con",
            "aux.txt",
            "COM1",
            "com¹.log",
            "LPT9",
            "a:b",
            "file.txt:stream",
            "trailing.",
            "space ",
            "a?b",
            "nul .txt",
            "\\\\server\\share",
            "\\\\?\\C:\\x",
            "\\??\\x",
        ] {
            assert!(names(input, Names::Unix).is_ok(), "{input:?}");
            assert!(names(input, Names::Windows).is_err(), "{input:?}");
        }
        assert!(names("console/com10/nullable", Names::Windows).is_ok());
    }
}
