//! Looks at a `.git` folder through the root's handle, before any library opens it.
//!
//! Refuses everything by which a repository could reach outside the workspace or block, and what this version would do wrong.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
};

use cap_std::fs::{Dir, Metadata};
use gix::bstr::ByteSlice;

use super::{RepositoryError, leftovers, linked, mark::is_missing};
use crate::{
    relpath::RelPath,
    text::visible,
    workspace::{FileKind, handle, nofollow},
};

/// Entries of a `.git` folder that are looked at; a repository with more loose objects wants `git gc`.
const ENTRIES: usize = 400_000;
/// The largest configuration that is read.
const CONFIG_BYTES: u64 = 1024 * 1024;
/// The largest list of commits where a shallow clone ends: 400 000 of them.
const SHALLOW_BYTES: u64 = 16 * 1024 * 1024;
/// The largest file of one reference: the libraries read it whole, and git writes less than a path and an id into it.
const REFERENCE_BYTES: u64 = 64 * 1024;
/// Never read by us: hooks are looked at by name, the others belong to submodules, other work trees and LFS.
const NOT_READ: &[&str] = &["hooks", "modules", "worktrees", "lfs", "annex"];

/// Every file and folder in the git folder is a real one, and none of them names a place outside. With `shares` it is a linked
/// worktree's, which names the folder that it shares; [`linked::follow`] has looked at that. True when something of ours lies in it.
pub(super) fn layout(
    root: &Dir,
    folder: &RelPath,
    git: &RelPath,
    shares: bool,
) -> Result<bool, RepositoryError> {
    let unsupported =
        |what: &str| RepositoryError::Unsupported { path: folder.to_string(), what: what.to_owned() };
    let outside = |reason: String| RepositoryError::Outside { path: folder.to_string(), reason };
    let mut waiting = vec![git.as_path().to_path_buf()];
    let (mut seen, mut shared, mut has_ours) = (0, Vec::new(), false);
    while let Some(here) = waiting.pop() {
        let inside = here.strip_prefix(git.as_path()).unwrap_or(&here).to_path_buf();
        let unreadable = |error: std::io::Error| {
            RepositoryError::unreadable(folder, &Path::new(".git").join(&inside), &error)
        };
        let mut references = Vec::new();
        let mut look = |name: &OsStr, kind: FileKind| -> Result<(), RepositoryError> {
            seen += 1;
            if seen > ENTRIES {
                return Err(unsupported("more than 400000 loose files (`git gc` packs them)"));
            }
            let path = inside.join(name);
            has_ours |= inside.as_os_str().is_empty() && leftovers::is_ours(name);
            if inside.as_os_str().is_empty() && NOT_READ.iter().any(|known| name == *known) {
                return Ok(());
            }
            match kind {
                FileKind::Folder => waiting.push(here.join(name)),
                FileKind::File if is_reference(&path) => references.push(name.to_owned()),
                FileKind::File => {}
                _ => {
                    let shown = visible(&path.to_string_lossy()).into_owned();
                    return Err(outside(format!("`.git/{shown}` is a link or no regular file")));
                }
            }
            if let Some(id) = path.to_str().and_then(|name| name.strip_prefix("sharedindex.")) {
                shared.extend(gix::ObjectId::from_hex(id.as_bytes()));
            }
            let is_followed =
                shares && [Path::new("commondir"), Path::new("gitdir")].contains(&path.as_path());
            match telling(&path).filter(|_| !is_followed) {
                Some((refusal, true)) => Err(outside(refusal.to_owned())),
                Some((refusal, false)) => Err(unsupported(refusal)),
                None => Ok(()),
            }
        };
        let mut refusal = None;
        let listed = nofollow::open_dir(root, &here).and_then(|folder| {
            let beside = may_hold_references(&inside).then(|| folder.try_clone()).transpose()?;
            handle::read_names(folder, |name, kind| {
                refusal = look(name, kind).err();
                refusal.is_none()
            })?;
            Ok(beside)
        });
        if let Some(refusal) = refusal {
            return Err(refusal);
        }
        // git removes a folder that has become empty, and we remove what an exchange has left.
        if !inside.as_os_str().is_empty() && is_missing(&listed) {
            continue;
        }
        let Some(beside) = listed.map_err(unreadable)? else { continue };
        let is_large =
            |name: &&OsString| handle::stat(&beside, name).is_ok_and(|stat| stat.size > REFERENCE_BYTES);
        if let Some(name) = references.iter().find(is_large) {
            let shown = visible(&inside.join(name).to_string_lossy()).into_owned();
            let reason = format!("`.git/{shown}` is no reference: it has more than {REFERENCE_BYTES} bytes");
            return Err(RepositoryError::TooLarge { path: folder.to_string(), reason });
        }
    }
    if !shared.is_empty() && is_split(root, git, &shared) {
        return Err(unsupported("a split index"));
    }
    Ok(has_ours)
}

/// Whether files with one reference each lie in this folder of the git folder.
fn may_hold_references(inside: &Path) -> bool {
    inside.as_os_str().is_empty() || inside.starts_with("refs")
}

/// A file with one reference. That of what was fetched has many, and is read only where it is asked for.
fn is_reference(path: &Path) -> bool {
    path.starts_with("refs")
        || (path.parent().is_some_and(|parent| parent.as_os_str().is_empty())
            && path.to_str().is_some_and(|name| name.ends_with("HEAD") && name != "FETCH_HEAD"))
}

/// True when the index stands on one of these shared ones. git leaves them lying for weeks after it has put the parts together.
fn is_split(root: &Dir, git: &RelPath, shared: &[gix::ObjectId]) -> bool {
    let Ok((mut file, _)) = nofollow::open_file(root, git.join("index").as_path()) else { return false };
    let mut bytes = Vec::new();
    if std::io::Read::read_to_end(&mut file, &mut bytes).is_err() {
        return true;
    }
    shared.iter().any(|id| {
        let places = memchr::memmem::find_iter(&bytes, id.as_bytes());
        places.into_iter().any(|place| place >= 8 && bytes[place - 8..].starts_with(b"link"))
    })
}

/// Files whose presence alone says that something is not supported, or (`true`) lies elsewhere.
fn telling(path: &Path) -> Option<(&'static str, bool)> {
    let text = path.to_string_lossy();
    match text.as_ref() {
        "objects/info/alternates" | "objects/info/http-alternates" => {
            Some(("it borrows objects (`objects/info/alternates`)", true))
        }
        "commondir" | "gitdir" => Some(("it shares another repository's folder (`commondir`)", true)),
        "reftable" => Some(("reftable references", false)),
        name if name.starts_with("objects/pack/") && name.ends_with(".promisor") => {
            Some(("a partial clone (a promisor remote)", false))
        }
        _ => None,
    }
}

/// Its own configuration names no other work tree, includes no other file, and asks for nothing unknown.
pub(super) fn settings(
    root: &Dir,
    folder: &RelPath,
    git: &RelPath,
    places: (&Path, &Path),
) -> Result<(), RepositoryError> {
    for name in ["config", "config.worktree"] {
        let path = git.join(name);
        let unreadable = |error: std::io::Error| {
            RepositoryError::unreadable(folder, &Path::new(".git").join(name), &error)
        };
        let (file, metadata) = match nofollow::open_file(root, path.as_path()) {
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                return Err(unreadable(error));
            }
            Err(_) => continue,
            Ok(opened) => opened,
        };
        let broken = |reason: String| RepositoryError::Broken {
            path: folder.to_string(),
            reason: format!("`.git/{name}`: {reason}"),
        };
        if metadata.len() > CONFIG_BYTES {
            return Err(broken("it is larger than 1 MiB".to_owned()));
        }
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::Read::take(file, CONFIG_BYTES), &mut bytes)
            .map_err(unreadable)?;
        check_config(&bytes, folder, places)?.map_err(broken)?;
    }
    Ok(())
}

/// Where a shallow clone ends is a list of commits: gix takes for granted that it can be read whenever it walks the history.
pub(super) fn shallow(root: &Dir, folder: &RelPath, common: &RelPath) -> Result<(), RepositoryError> {
    let broken = |reason: String| RepositoryError::Broken {
        path: folder.to_string(),
        reason: format!("`.git/shallow`: {reason}"),
    };
    let unreadable =
        |error: std::io::Error| RepositoryError::unreadable(folder, Path::new(".git/shallow"), &error);
    let (file, metadata) = match nofollow::open_file(root, common.join("shallow").as_path()) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(unreadable)?,
    };
    if metadata.len() > SHALLOW_BYTES {
        return Err(broken("it is larger than 16 MiB".to_owned()));
    }
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(file, SHALLOW_BYTES), &mut bytes)
        .map_err(unreadable)?;
    match bytes.lines().position(|line| gix::ObjectId::from_hex(line).is_err()) {
        Some(line) => Err(broken(format!("line {} is no id of a commit", line + 1))),
        None => Ok(()),
    }
}

/// A submodule's git folder says whose it is. Called after [`settings`]: what it says is then right.
pub(super) fn names_work_tree(
    root: &Dir,
    folder: &RelPath,
    git: &RelPath,
    (git_dir, workdir): (&Path, &Path),
) -> Result<(), RepositoryError> {
    let read = || -> Option<bool> {
        let (file, _) = nofollow::open_file(root, git.join("config").as_path()).ok()?;
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::Read::take(file, CONFIG_BYTES), &mut bytes).ok()?;
        let metadata = gix::config::file::Metadata::from(gix::config::Source::Local);
        let options = gix::config::file::init::Options::default();
        let config = gix::config::File::from_bytes_no_includes(&bytes, metadata, options).ok()?;
        let written = config.string("core.worktree")?;
        Some(is_here(&written.to_str_lossy(), git_dir, workdir))
    };
    if read() == Some(true) {
        return Ok(());
    }
    let reason = "its git folder belongs to another work tree".to_owned();
    Err(RepositoryError::Linked { path: folder.to_string(), reason })
}

type Checked = Result<Result<(), String>, RepositoryError>;

/// The inner error is a file that cannot be parsed.
fn check_config(bytes: &[u8], folder: &RelPath, (git_dir, workdir): (&Path, &Path)) -> Checked {
    let unsupported =
        |what: &str| Err(RepositoryError::Unsupported { path: folder.to_string(), what: what.to_owned() });
    let metadata = gix::config::file::Metadata::from(gix::config::Source::Local);
    let config = match gix::config::File::from_bytes_no_includes(
        bytes,
        metadata,
        gix::config::file::init::Options::default(),
    ) {
        Ok(config) => config,
        Err(error) => return Ok(Err(visible(&error.to_string()).into_owned())),
    };
    for section in config.sections() {
        let value = |key: &str| section.value(key).map(|value| value.to_str_lossy().to_ascii_lowercase());
        match section.header().name().to_str_lossy().to_ascii_lowercase().as_str() {
            "include" | "includeif" => return unsupported("a configuration that includes other files"),
            "core" => {
                let written = section.value("worktree");
                if written.is_some_and(|path| !is_here(&path.to_str_lossy(), git_dir, workdir)) {
                    let reason = "`core.worktree` names another folder".to_owned();
                    return Err(RepositoryError::Outside { path: folder.to_string(), reason });
                }
                if value("bare").is_some_and(|bare| matches!(bare.as_str(), "true" | "yes" | "on" | "1")) {
                    return unsupported("no work tree (it is bare)");
                }
            }
            "extensions" => {
                if value("objectformat").is_some_and(|format| format != "sha1") {
                    return unsupported("SHA-256 objects");
                }
                if value("refstorage").is_some_and(|storage| storage != "files") {
                    return unsupported("reftable references");
                }
                if value("partialclone").is_some() {
                    return unsupported("a partial clone (a promisor remote)");
                }
            }
            "remote" if value("promisor").is_some_and(|promisor| promisor != "false") => {
                return unsupported("a partial clone (a promisor remote)");
            }
            _ => {}
        }
    }
    Ok(Ok(()))
}

/// `core.worktree` may say what is the case anyway.
fn is_here(written: &str, git_dir: &Path, workdir: &Path) -> bool {
    linked::plain(&git_dir.join(written)).components().eq(workdir.components())
}

/// The same file, by the system's own numbers.
#[cfg(unix)]
pub(super) fn same(left: &Metadata, right: &Metadata) -> bool {
    use cap_std::fs::MetadataExt as _;
    (left.dev(), left.ino()) == (right.dev(), right.ino())
}

/// Windows has no numbers that are cheap to get; the checks on names have to do.
#[cfg(not(unix))]
pub(super) fn same(left: &Metadata, right: &Metadata) -> bool {
    left.is_dir() && right.is_dir()
}
