//! Paths of a configuration: absolute or below the home folder, and never so wide that they free an agent of all limits.

use std::path::{Component, Path, PathBuf};

use super::{
    document::Fault,
    folders::Kind,
    resolve::{Surroundings, fault},
    written::Written,
};

/// An absolute path, or one below the home folder.
pub(super) fn absolute(written: &Written<String>, around: &Surroundings<'_>) -> Result<PathBuf, Fault> {
    let text = &written.value;
    let hint = "write an absolute path, or one that begins with `~/`";
    if text.is_empty() {
        return Err(fault(written, "the path is empty".to_owned(), hint));
    }
    if text.contains('\0') {
        return Err(fault(written, "the path contains a NUL character".to_owned(), hint));
    }
    let path = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            let Some(home) = around.folders.home() else {
                return Err(fault(
                    written,
                    "the home folder is not known".to_owned(),
                    "write an absolute path",
                ));
            };
            home.join(rest.trim_start_matches('/'))
        }
        Some(_) => return Err(fault(written, format!("`{text}` names the home of another user"), hint)),
        None => PathBuf::from(text),
    };
    if !path.is_absolute() {
        return Err(fault(written, format!("`{text}` is a relative path"), hint));
    }
    if path.components().any(|component| component == Component::ParentDir) {
        return Err(fault(written, format!("`{text}` contains `..`"), "write the path it leads to"));
    }
    Ok(path)
}

/// The folder of the workspace `id` as the system knows it; refused are files, what is not there, the root of the file system, the
/// home folder, the system's own folders and git's.
pub(super) fn workspace_folder(
    id: &str,
    written: &Written<String>,
    path: &Path,
    around: &Surroundings<'_>,
) -> Result<PathBuf, Fault> {
    let text = &written.value;
    // The command stands in front: the doctor gives it as what mends this.
    let refused = |message: String, otherwise: &str| {
        let hint = format!("`outrigger workspace remove {id}` takes it from the list; or {otherwise}");
        Err(fault(written, message, &hint))
    };
    let folder = match around.folders.kind(path) {
        Kind::Folder(real) => real,
        Kind::Other => return refused(format!("`{text}` is not a folder"), "name the folder it is in"),
        Kind::Missing => {
            return refused(format!("`{text}` does not exist"), "create it, or correct the path");
        }
        Kind::Unreadable(why) => {
            return refused(format!("`{text}` cannot be looked at: {why}"), "check its permissions");
        }
    };
    let otherwise = "name the folder of one project";
    if folder.parent().is_none() {
        return refused(format!("`{text}` is the root of the file system"), otherwise);
    }
    let home = around.folders.home();
    if home.as_deref().is_some_and(|home| home == folder) {
        return refused(format!("`{text}` is the home folder itself"), otherwise);
    }
    if home.as_deref().is_some_and(|home| home.starts_with(&folder)) {
        return refused(format!("`{text}` contains the home folder"), otherwise);
    }
    // Whoever writes there decides what is trusted and what can be undone.
    if let Some(own) = around.folders.own().into_iter().find(|own| folder.starts_with(own)) {
        let lies = if own == folder { "is" } else { "lies in" };
        let message = format!("`{text}` {lies} `{}`, a folder of outrigger itself", own.display());
        return refused(message, otherwise);
    }
    // Hooks that git runs, settings that it obeys: no tool writes there, by whatever way.
    let is_git = |above: &&Path| above.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git"));
    if let Some(git) = folder.ancestors().find(is_git) {
        let which = if git == path { String::new() } else { format!(" `{}`,", git.display()) };
        let lies = if git == folder { "is" } else { "lies in" };
        let message = format!("`{text}` {lies}{which} a folder of git's own, in which no tool works");
        return refused(message, "name the project's folder around it");
    }
    if is_of_system(&folder) {
        let leads =
            if folder == path { "is".to_owned() } else { format!("leads to `{}`,", folder.display()) };
        let message = format!("`{text}` {leads} a folder of the system itself");
        return refused(message, otherwise);
    }
    Ok(folder)
}

/// Folders of the system, which hold more than any project: these themselves, and all of those that end with a slash.
const OF_SYSTEM: &[&str] = if cfg!(windows) {
    &["program files", "program files (x86)", "programdata", "users", "windows/"]
} else if cfg!(target_os = "macos") {
    &[
        "applications",
        "bin/",
        "cores",
        "dev/",
        "etc/",
        "library",
        "private",
        "private/etc/",
        "private/var",
        "sbin/",
        "system/",
        "users",
        "usr",
        "usr/bin/",
        "usr/lib/",
        "usr/libexec/",
        "usr/local",
        "usr/sbin/",
        "usr/share/",
        "var",
        "volumes",
    ]
} else {
    &[
        "bin/",
        "boot/",
        "dev/",
        "etc/",
        "home",
        "lib/",
        "lib32/",
        "lib64/",
        "proc/",
        "root",
        "run",
        "sbin/",
        "sys/",
        "usr",
        "usr/bin/",
        "usr/include/",
        "usr/lib/",
        "usr/lib64/",
        "usr/libexec/",
        "usr/local",
        "usr/local/bin/",
        "usr/local/lib",
        "usr/sbin/",
        "usr/share/",
        "var",
        "var/lib",
        "var/log",
    ]
};

/// Whether it is one of these, or lies in one that is theirs as a whole.
fn is_of_system(folder: &Path) -> bool {
    let parts: Vec<String> = folder
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy().to_ascii_lowercase()),
            _ => None,
        })
        .collect();
    let path = parts.join("/");
    // Memory that everybody may write to, and no device.
    if path.starts_with("dev/shm/") {
        return false;
    }
    OF_SYSTEM.iter().any(|place| match place.strip_suffix('/') {
        Some(whole) => path == whole || path.starts_with(place),
        None => path == *place,
    })
}

/// A folder that a command may write beside the workspace: never one that would free it of all limits.
pub(super) fn write_path(written: &Written<String>, around: &Surroundings<'_>) -> Result<PathBuf, Fault> {
    let path = absolute(written, around)?;
    let real = match around.folders.kind(&path) {
        Kind::Folder(real) => real,
        _ => path.clone(),
    };
    let home = around.folders.home();
    if real.parent().is_none() || home.is_some_and(|home| home.starts_with(&real)) {
        let message = format!("`{}` contains the whole home folder", written.value);
        return Err(fault(written, message, "name the folder that the command needs"));
    }
    Ok(path)
}
