//! The ignore rules of the folders above a workspace that is a folder *of* a repository: a package of a large one, say.
//!
//! Who works in such a folder sees what git and ripgrep see there, and the rules that leave `node_modules` out stand at the top of the
//! repository. They are all that is read above the root: of what they say nothing is shown, they only shape listings. Read are those
//! from the folder that has the `.git` down, through handles, so that no link and no FIFO is opened; nothing higher, and nothing of
//! a repository that another user has put there.

use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

use super::{
    handle,
    ignore_rules::{IgnoreRules, RuleFiles},
};

/// The rules, and where the workspace lies as they see it.
#[derive(Debug)]
pub(super) struct Above {
    pub(super) rules: IgnoreRules,
    /// From the top of the repository to the root of the workspace.
    pub(super) way: PathBuf,
}

/// The rules above `root`, which is called `root_path`; `none` has none of any folder yet.
pub(super) fn above(root: &Dir, root_path: &Path, none: &IgnoreRules) -> Option<Above> {
    // A repository of its own asks nobody.
    if [".git", ".jj"].iter().any(|name| root.symlink_metadata(name).is_ok()) {
        return None;
    }
    let top = root_path.ancestors().skip(1).find(|folder| folder.join(".git").exists())?;
    if !is_ours(root, top) {
        return None;
    }
    let way = root_path.strip_prefix(top).ok()?.to_path_buf();
    let mut folders: Vec<&Path> = way.ancestors().skip(1).collect();
    folders.reverse();
    let mut rules = none.clone();
    for folder in folders {
        if is_left_out(&rules, folder) {
            return None;
        }
        let open = handle::open_root(&top.join(folder)).ok()?;
        rules = rules.enter_as(&open, Path::new(""), folder, RuleFiles::all());
    }
    // Rules that leave the workspace itself out would leave out all of it, and it is no part of that repository.
    (!is_left_out(&rules, &way)).then_some(Above { rules, way })
}

fn is_left_out(rules: &IgnoreRules, folder: &Path) -> bool {
    !folder.as_os_str().is_empty() && rules.skips(folder, true, false)
}

/// The repository belongs to this user, or to whoever the workspace belongs to: in a folder that all may write to, such as `/tmp`,
/// anybody can put one.
fn is_ours(root: &Dir, top: &Path) -> bool {
    let git = top.join(".git");
    let user = |folder: &Dir, name: &str| handle::stat(folder, name.as_ref()).map(|stat| stat.user);
    let is_theirs = || {
        let git = handle::open_root(top).and_then(|top| user(&top, ".git"));
        matches!((git, user(root, ".")), (Ok(git), Ok(root)) if git == root)
    };
    gix::sec::identity::is_path_owned_by_current_user(&git).unwrap_or(false) || cfg!(unix) && is_theirs()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `rules` at the top of a repository leave out of `pkg/app` in it.
    fn left_out(rules: &[(&str, &str)], paths: &[&str]) -> Vec<String> {
        let temp = tempfile::tempdir().unwrap();
        let root_path = temp.path().canonicalize().unwrap().join("mono/pkg/app");
        std::fs::create_dir_all(root_path.join("src")).unwrap();
        for (path, text) in rules {
            let path = temp.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let root = handle::open_root(&root_path).unwrap();
        let rules = IgnoreRules::new(&root, &root_path).enter(&root, Path::new(""), RuleFiles::all());
        let skipped = paths
            .iter()
            .filter(|path| rules.skips(Path::new(path.trim_end_matches('/')), path.ends_with('/'), false));
        skipped.map(|path| (*path).to_owned()).collect()
    }

    const PATHS: [&str; 6] = ["dist/", "src/", "e.log", "src/e.log", "src/a.rs", "keep.log"];

    #[test]
    fn rules_of_the_repository_around_count() {
        let git = ("mono/.git/HEAD", "");
        let check = |rules: &[(&str, &str)], expected: &[&str]| {
            assert_eq!(left_out(&[&[git], rules].concat(), &PATHS), expected, "{rules:?}");
        };
        check(&[("mono/.gitignore", "dist/\n*.log\n")], &["dist/", "e.log", "src/e.log", "keep.log"]);
        check(&[("mono/.gitignore", "/pkg/app/dist/\n/e.log\n")], &["dist/"]);
        check(&[("mono/pkg/.gitignore", "app/src/*.log\n")], &["src/e.log"]);
        check(&[("mono/.git/info/exclude", "dist\n")], &["dist/"]);
        check(&[("mono/.ignore", "*.rs\n")], &["src/a.rs"]);
        // The nearest one decides.
        check(
            &[("mono/.gitignore", "*.log\n"), ("mono/pkg/.gitignore", "!keep.log\n")],
            &["e.log", "src/e.log"],
        );
        check(&[("mono/.gitignore", "*.log\n"), ("mono/pkg/app/.gitignore", "!*.log\n")], &[]);
        // What is above the repository is nobody's affair.
        check(&[(".gitignore", "*\n"), (".ignore", "*\n")], &[]);
        // A repository that has no use for this folder: one of dot files in a home folder, or around a folder of results.
        for rules in ["*\n", "/pkg\n", "app/\n", "/*\n!/.bashrc\n"] {
            check(&[("mono/.gitignore", rules)], &[]);
        }
        // One of its own in it.
        check(&[("mono/.gitignore", "*.log\n"), ("mono/pkg/app/.git/HEAD", "")], &[]);
    }

    #[test]
    fn without_a_repository_nothing_above_counts() {
        assert_eq!(left_out(&[("mono/.gitignore", "*.log\n"), ("mono/.ignore", "*.log\n")], &PATHS), [""; 0]);
    }
}
