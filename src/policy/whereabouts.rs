//! What the built-in lists say of the place where a root lies: `~/.ssh` is closed as a workspace, too, and so is `gh/hosts.yml` in one
//! that is `~/.config`.
//!
//! The globs that an administrator or a workspace adds begin at the workspace's own folder, and say nothing here. Pure.

use std::path::{Component, Path};

use super::{
    meant,
    path_globs::Shape,
    path_lists::ENV_TEMPLATES,
    path_names::spellings,
    wildcard::{Wildcard, matches_name},
};

/// What one list says of a root.
#[derive(Clone, Debug, Default)]
pub(super) struct Whereabouts {
    /// The glob that matches the root's own folder, or one around it: everything in the root lies in what it names.
    all: Option<String>,
    /// What is left of globs whose first folders are those that the root lies in.
    rests: Vec<Rest>,
}

#[derive(Clone, Debug)]
struct Rest {
    /// From the root.
    glob: String,
    wildcard: Wildcard,
    /// As it is listed.
    whole: String,
}

/// The folders that lead to a root, in every spelling.
pub(super) fn ways(root: &Path) -> Vec<String> {
    let names = root.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    let way = names.collect::<Vec<_>>().join("/");
    spellings(&way).into_iter().map(std::borrow::Cow::into_owned).collect()
}

impl Whereabouts {
    /// What `globs`, built-in ones, say of a root that these ways lead to.
    pub(super) fn new<'g>(globs: impl Iterator<Item = &'g str>, ways: &[String]) -> Self {
        let ways: Vec<Vec<&str>> =
            ways.iter().filter(|way| !way.is_empty()).map(|way| way.split('/').collect()).collect();
        let mut found = Self::default();
        for glob in globs {
            let Ok(shape) = Shape::of(glob) else { continue };
            let names: Vec<Vec<&str>> = shape
                .glob
                .trim_start_matches("**/")
                .split('/')
                .map(|name| name.split('*').collect())
                .collect();
            for way in &ways {
                if found.all.is_none() && leads_through(way, glob, &names) {
                    found.all = Some(glob.to_owned());
                }
                found.rests.extend(rests(way, glob, &names));
            }
        }
        found
    }

    /// The glob that matches a path in the root, or a folder it lies in.
    pub(super) fn matching(&self, path: &str) -> Option<&str> {
        let rest = || self.rests.iter().find(|rest| rest.wildcard.begins(path));
        self.all.as_deref().or_else(|| rest().map(|rest| rest.whole.as_str()))
    }

    /// The glob that a path with wildcards could be written for.
    pub(super) fn meant_by(&self, path: &str) -> Option<&str> {
        let is_meant = |rest: &&Rest| meant::means(path, &rest.glob, false);
        self.rests.iter().find(is_meant).map(|rest| rest.whole.as_str())
    }
}

/// A folder on the way is one that the glob names. `agents.md` and `*.key` are written for files, and a project may well lie in a
/// folder of such a name: only a hidden folder is taken for what they mean.
fn leads_through(way: &[&str], glob: &str, names: &[Vec<&str>]) -> bool {
    let is_of_folders = glob.ends_with("/**");
    way.windows(names.len()).any(|folders| {
        let last = folders.last().copied().unwrap_or_default();
        (is_of_folders || last.starts_with('.'))
            && fits(names, folders)
            && !(glob == ".env.*" && ENV_TEMPLATES.contains(&last))
    })
}

/// What is left of the glob behind the last folders of the way.
fn rests(way: &[&str], glob: &str, names: &[Vec<&str>]) -> Vec<Rest> {
    let cuts = 1..names.len().min(way.len() + 1);
    let behind = cuts.filter_map(|cut| {
        let ((first, rest), last) = (names.split_at_checked(cut)?, way.get(way.len() - cut..)?);
        let rest = fits(first, last).then(|| rest.iter().map(|name| name.join("*")).collect::<Vec<_>>())?;
        let rest = rest.join("/");
        Some(Rest { wildcard: Wildcard::any(&rest), glob: rest, whole: glob.to_owned() })
    });
    behind.collect()
}

fn fits(names: &[Vec<&str>], folders: &[&str]) -> bool {
    names.iter().zip(folders).all(|(pieces, folder)| matches_name(pieces, folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::path_lists::{BLOCKED, PROTECTED};

    fn at(list: &[&'static str], root: &str) -> Whereabouts {
        Whereabouts::new(list.iter().copied(), &ways(Path::new(root)))
    }

    /// Nothing else is understood here: a built-in glob with more in it would not be held against the place of a root.
    #[test]
    fn every_built_in_glob_is_of_names_with_stars_and_begins_anywhere() {
        for glob in BLOCKED.iter().chain(PROTECTED) {
            let shape = Shape::of(glob).unwrap();
            let bare = shape.glob.trim_start_matches("**/");
            assert!(!bare.contains(['?', '[', ']', '{', '}', '!', '\\']) && !bare.contains("**"), "{glob}");
            assert!(shape.is_name || shape.glob.starts_with("**/"), "{glob}");
        }
    }

    #[test]
    fn a_folder_that_is_named_closes_what_is_in_it() {
        for (root, glob) in [
            ("/home/ada/.ssh", "**/.ssh/**"),
            ("/home/ada/.SSH/old", "**/.ssh/**"),
            ("/home/ada/.config/gcloud/x", "**/.config/gcloud/**"),
            ("/w/app/.env", ".env"),
        ] {
            assert_eq!(at(BLOCKED, root).matching("any/file"), Some(glob), "{root}");
            assert_eq!(at(BLOCKED, root).matching(""), Some(glob), "{root}");
        }
        assert_eq!(at(PROTECTED, "/w/.clinerules").matching("x.md"), Some("**/.clinerules*"));
        for root in
            ["/", "/home/ada/ssh", "/w/agents.md", "/w/id_rsa-tool", "/w/my.key/src", "/w/.env.example"]
        {
            assert_eq!(at(BLOCKED, root).matching("x"), None, "{root}");
            assert_eq!(at(PROTECTED, root).matching("x"), None, "{root}");
        }
    }

    #[test]
    fn what_is_left_of_a_glob_holds_from_the_root() {
        let settings = at(BLOCKED, "/home/ada/.config");
        assert_eq!(settings.matching("gh/hosts.yml"), Some("**/.config/gh/hosts.yml"));
        assert_eq!(settings.matching("gcloud/a/b.db"), Some("**/.config/gcloud/**"));
        assert_eq!(settings.matching("gcloud"), Some("**/.config/gcloud/**"));
        assert_eq!(settings.meant_by("gclou?"), Some("**/.config/gcloud/**"));
        for open in ["gh", "gh/config.yml", "nvim/init.lua", "x/gcloud", "gcloud2"] {
            assert_eq!(settings.matching(open), None, "{open}");
        }
        assert_eq!(
            at(BLOCKED, "/home/ada/.config/gh").matching("hosts.yml"),
            Some("**/.config/gh/hosts.yml")
        );
        assert_eq!(at(BLOCKED, "/home/ada/.config/nvim").matching("gh/hosts.yml"), None);
        let github = at(PROTECTED, "/w/app/.github");
        assert_eq!(github.matching("workflows/ci.yml"), Some("**/.github/workflows/**"));
        assert_eq!(github.matching("ISSUE_TEMPLATE.md"), None);
        assert_eq!(at(PROTECTED, "/home/ada/.cargo").matching("config.toml"), Some("**/.cargo/config*"));
    }
}
