//! `.git` files: where a submodule or a linked worktree has its git folder, read through the root's handle.
//!
//! Followed only into a `.git` folder of the same workspace, where git itself puts such folders and no tool writes, and only where
//! that folder names the work tree in return: no file that happens to be called `.git` gives a history other paths than its own.

use std::{
    io::{self, Read as _},
    path::{Component, Path, PathBuf},
};

use cap_std::fs::Dir;

use super::RepositoryError;
use crate::{relpath::RelPath, workspace::nofollow};

/// No path is longer, and these files hold one.
const POINTER_BYTES: u64 = 8 * 1024;

/// Where the parts of a repository are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Places {
    /// HEAD and the index.
    pub(super) git: RelPath,
    /// Objects, references and configuration; another folder for linked worktrees only.
    pub(super) common: RelPath,
}

/// Where the `.git` file of `folder` leads.
pub(super) fn follow(root: &Dir, root_path: &Path, folder: &RelPath) -> Result<Places, RepositoryError> {
    let refused =
        |reason: &str| RepositoryError::Linked { path: folder.to_string(), reason: reason.to_owned() };
    let closed = |place: &RelPath, error: &io::Error| {
        let is_closed = error.kind() == io::ErrorKind::PermissionDenied;
        let name = place.as_path().strip_prefix(folder.as_path()).unwrap_or(place.as_path());
        is_closed.then(|| RepositoryError::unreadable(folder, name, error))
    };
    let file = folder.join(".git");
    let odd = || refused("its `.git` is neither a folder nor a file that git made");
    let written = pointer(root, &file).map_err(|error| closed(&file, &error).unwrap_or_else(odd))?;
    let written = written.strip_prefix("gitdir:").ok_or_else(odd)?;
    let elsewhere = || refused("its `.git` file leads to no `.git` folder of this workspace");
    let git = inside(root_path, folder, written.trim()).ok_or_else(elsewhere)?;
    let is_in_git = git.as_path().components().any(|name| name.as_os_str() == ".git");
    if !is_in_git || git.file_name().is_some_and(|name| name == ".git") {
        return Err(elsewhere());
    }
    if let Err(error) = nofollow::open_dir(root, git.as_path()) {
        return Err(closed(&git, &error).unwrap_or_else(|| refused("its git folder is gone")));
    }
    let shared = git.join("commondir");
    let shared = match pointer(root, &shared) {
        Err(error) => {
            return closed(&shared, &error).map_or_else(|| Ok(Places { common: git.clone(), git }), Err);
        }
        Ok(written) => written,
    };
    let common = inside(root_path, &git, shared.trim()).ok_or_else(elsewhere)?;
    if git.parent().and_then(|worktrees| worktrees.parent()).as_ref() != Some(&common) {
        return Err(elsewhere());
    }
    let back = pointer(root, &git.join("gitdir")).ok();
    let back = back.and_then(|back| inside(root_path, &git, back.trim()));
    if back != Some(folder.join(".git")) {
        return Err(refused("its git folder belongs to another work tree"));
    }
    Ok(Places { git, common })
}

/// The git folder of the submodule or linked worktree in `folder`, if there is one that is followed.
pub(in crate::workspace) fn git_folder(root: &Dir, root_path: &Path, folder: &Path) -> Option<PathBuf> {
    let places = follow(root, root_path, &RelPath::from_plain(folder)?).ok()?;
    Some(places.git.as_path().to_path_buf())
}

/// The text of a small file.
fn pointer(root: &Dir, path: &RelPath) -> io::Result<String> {
    let (file, metadata) = nofollow::open_file(root, path.as_path())?;
    let mut text = String::new();
    if metadata.len() > POINTER_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    file.take(POINTER_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

/// What is written in a file of `folder`, as a path of the workspace; `None` where it leads out of it.
fn inside(root_path: &Path, folder: &RelPath, written: &str) -> Option<RelPath> {
    let whole = plain(&root_path.join(folder.as_path()).join(written));
    RelPath::from_plain(whole.strip_prefix(root_path).ok()?)
}

/// The path without `.` and `..`, by its words alone.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::inside;
    use crate::relpath::RelPath;

    #[test]
    fn only_paths_of_the_workspace_are_inside() {
        let folder = RelPath::from_plain(Path::new("a/b")).unwrap();
        let check = |written: &str, expected: Option<&str>| {
            let found = inside(Path::new("/ws"), &folder, written).map(|path| path.to_text());
            assert_eq!(found.as_deref(), expected, "{written}");
        };
        check("../.git/modules/b", Some("a/.git/modules/b"));
        check("../../.git/modules/a/b", Some(".git/modules/a/b"));
        check("/ws/.git/worktrees/b", Some(".git/worktrees/b"));
        check("../../../elsewhere/.git/modules/b", None);
        check("../../../ws/.git/modules/b", Some(".git/modules/b"));
        check("/wsx/.git", None);
        check("../../../../../../etc", None);
    }
}
