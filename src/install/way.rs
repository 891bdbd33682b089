//! The way to a file, link by link: whoever may write to a folder in which one of its names stands decides where it ends.

use std::{
    collections::{HashSet, VecDeque},
    ffi::OsString,
    path::{Component, Path, PathBuf},
};

use super::files;

/// Systems give up after so many.
const LINKS: usize = 40;

/// Everything that is passed, the file first and the root last: folders, links, and what those lead through.
pub fn to(path: &Path) -> Vec<PathBuf> {
    let mut here = PathBuf::new();
    let mut way = Vec::new();
    let mut passed = HashSet::new();
    let mut rest: VecDeque<OsString> = parts(path).collect();
    let mut links = 0;
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            here.pop();
            continue;
        }
        let next = here.join(&part);
        if passed.insert(next.clone()) {
            way.push(next.clone());
        }
        match files::link_of(&next).filter(|_| links < LINKS) {
            Some(to) => {
                links += 1;
                // What is absolute begins again at the root, by itself: joining it replaces all before it.
                parts(&to).rev().for_each(|part| rest.push_front(part));
            }
            None => here = next,
        }
    }
    way.reverse();
    way
}

/// True for a path through `/proc`: there every process finds something else.
pub fn is_of_a_process(path: &Path) -> bool {
    to(path).iter().any(|step| step.starts_with("/proc"))
}

fn parts(path: &Path) -> impl DoubleEndedIterator<Item = OsString> {
    let meant = path.components().filter(|part| !matches!(part, Component::CurDir));
    meant.map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>().into_iter()
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn every_link_is_on_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(root.join("far/away")).unwrap();
        fs::create_dir(root.join("between")).unwrap();
        fs::write(root.join("far/away/file"), "").unwrap();
        symlink("../far", root.join("between/link")).unwrap();
        symlink(root.join("between/link/away"), root.join("near")).unwrap();
        let way = to(&root.join("near/./file"));
        let below: Vec<_> = way.iter().filter_map(|path| path.strip_prefix(&root).ok()?.to_str()).collect();
        assert_eq!(below, ["far/away/file", "far/away", "far", "between/link", "between", "near", ""]);
        assert_eq!(way.last().unwrap(), Path::new("/"));
        symlink("circle", root.join("circle")).unwrap();
        assert!(to(&root.join("circle")).contains(&root.join("circle")));
    }
}
