//! Folders that git takes for a repository although they are not called `.git`: whoever runs git in one starts what its `config` and
//! `hooks` name. Only looks.

use std::collections::BTreeMap;

use crate::{
    policy::{Raise, fold},
    relpath::RelPath,
    tier::Tier,
    tools::Call,
    workspace::walk::{WalkKind, stat_walked},
};

/// What a call changes of one folder.
#[derive(Default)]
struct Touched {
    head: bool,
    /// Where objects or references are, or what says where they are: with a `HEAD` beside it the folder is a repository.
    store: bool,
}

/// A reason to ask one by one, where what stands at these paths is a part of such a folder, or makes one.
pub fn git_folder<'p>(call: &Call, paths: impl IntoIterator<Item = &'p RelPath>) -> Option<Raise> {
    let mut folders: BTreeMap<RelPath, Touched> = BTreeMap::new();
    for path in paths {
        for here in path.as_path().ancestors() {
            let Some(name) = here.file_name() else { continue };
            let is_last = here == path.as_path();
            // As git opens it on a system that takes case for nothing.
            let (head, store) = match fold(&name.to_string_lossy()).as_str() {
                "head" if is_last => (true, false),
                "objects" | "refs" => (false, true),
                "commondir" if is_last => (false, true),
                "config" | "config.worktree" if is_last => (false, false),
                "hooks" => (false, false),
                _ => continue,
            };
            let Some(folder) = RelPath::from_plain(here).and_then(|here| here.parent()) else { continue };
            let touched = folders.entry(folder).or_default();
            touched.head |= head;
            touched.store |= store;
        }
    }
    let kind = |path: RelPath| stat_walked(call.workspace.handle(), &path).ok().flatten();
    let is_file = |path: RelPath| matches!(kind(path), Some(WalkKind::File | WalkKind::Link));
    let is_repository = |(folder, touched): &(RelPath, Touched)| {
        let head = touched.head || is_file(folder.join("HEAD"));
        // Whoever changes something beside a `HEAD` may do the rest later; `HEAD` alone makes no repository.
        head && (!touched.head
            || touched.store
            || ["objects", "refs", "commondir"].iter().any(|name| kind(folder.join(name)).is_some()))
    };
    let (folder, _) = folders.into_iter().find(is_repository)?;
    let reason =
        format!("git takes `{folder}` for a repository, and starts what its `config` and `hooks` name");
    Some(Raise { tier: Tier::Individual, reason })
}
