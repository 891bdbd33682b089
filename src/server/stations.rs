//! Which links a path leads through. Whoever moves one of them leads the path elsewhere.

use std::path::{Component, Path, PathBuf};

/// More than any system follows.
const LINKS: usize = 64;

/// The links on the way that `path` names, in their order, and where it ends.
pub(super) fn stations(path: &Path) -> Vec<PathBuf> {
    let mut stations = Vec::new();
    let (mut here, mut rest) = (PathBuf::new(), path.to_path_buf());
    loop {
        let mut parts = rest.components();
        let Some(part) = parts.next() else { break };
        let after = parts.as_path().to_path_buf();
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                here.pop();
            }
            Component::Prefix(_) | Component::RootDir => here.push(part),
            Component::Normal(name) => {
                let next = here.join(name);
                match std::fs::read_link(&next).map(crate::text::unmarked) {
                    Ok(target) if stations.len() < LINKS => {
                        stations.push(next);
                        if target.is_absolute() {
                            here = PathBuf::new();
                        }
                        rest = target.join(after);
                        continue;
                    }
                    _ => here = next,
                }
            }
        }
        rest = after;
    }
    stations.push(here);
    stations
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::stations;

    #[test]
    fn each_link_is_named_where_it_stands() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(root.join("real/deep")).unwrap();
        symlink("two", root.join("one")).unwrap();
        symlink(root.join("real"), root.join("two")).unwrap();
        symlink("../one/deep", root.join("real/back")).unwrap();
        symlink("round", root.join("round")).unwrap();
        let found = |path: &str| -> Vec<String> {
            let below =
                |path: &std::path::PathBuf| path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            stations(&root.join(path)).iter().map(below).collect()
        };
        assert_eq!(found("real/deep"), ["real/deep"]);
        assert_eq!(found("one/deep"), ["one", "two", "real/deep"]);
        assert_eq!(found("two/back/gone"), ["two", "real/back", "one", "two", "real/deep/gone"]);
        assert_eq!(found("round/x").last().unwrap(), "round/x");
    }
}
