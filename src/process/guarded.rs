//! What runs or decides later, before and after a command: hooks and configuration of git, and the protected files near the root.
//!
//! No sandbox can keep a command that may write in the workspace from writing there. That it did is told.

use std::{collections::BTreeMap, time::SystemTime};

use cap_std::fs::Dir;

use crate::{
    policy::{PathClass, PathRules},
    workspace::{FileKind, Workspace, look},
};

/// More names than that are no longer looked at; a root has dozens.
const NAMES_MAX: usize = 4000;
/// Folders in hidden folders of the root: `.github/workflows`.
const DEPTH: usize = 2;
/// Of git: what names programs.
const GIT_FILES: &[&str] = &["config", "config.worktree", "info/attributes"];

/// What cannot be the same after a change: the identity of the file, and when anything about it changed last.
type Print = ((u64, u64), SystemTime);

/// The guarded files of a workspace at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guarded {
    files: BTreeMap<String, Print>,
}

impl Guarded {
    /// As they are now.
    pub fn of(workspace: &Workspace) -> Self {
        let mut guarded = Self::default();
        let root = workspace.handle();
        for file in GIT_FILES {
            let path = format!(".git/{file}");
            let (parent, name) = path.rsplit_once('/').unwrap_or_default();
            if let Some(parent) = look::folder(root, parent) {
                guarded.look_in(&parent, path.clone(), name);
            }
        }
        let mut left = NAMES_MAX;
        if let Some(hooks) = look::folder(root, ".git/hooks") {
            for (name, _) in look::names(root, ".git/hooks", &mut left) {
                if !name.ends_with(".sample") {
                    guarded.look_in(&hooks, format!(".git/hooks/{name}"), &name);
                }
            }
        }
        guarded.walk(root, "", workspace.rules(), 0, &mut left);
        guarded
    }

    /// What was changed, made or removed since: paths, in order, each with what happened.
    pub fn changed_since(&self, before: &Self) -> Vec<String> {
        let mut changed = Vec::new();
        for (path, print) in &self.files {
            match before.files.get(path) {
                None => changed.push(format!("`{path}` (new)")),
                Some(old) if old != print => changed.push(format!("`{path}`")),
                Some(_) => {}
            }
        }
        let gone = before.files.keys().filter(|path| !self.files.contains_key(*path));
        changed.extend(gone.map(|path| format!("`{path}` (removed)")));
        changed
    }

    fn walk(&mut self, root: &Dir, prefix: &str, rules: &PathRules, depth: usize, left: &mut usize) {
        let Some(here) = look::folder(root, prefix) else { return };
        for (name, kind) in look::names(root, prefix, left) {
            let path = format!("{prefix}{name}");
            if kind == FileKind::Folder {
                let is_looked_into = depth < DEPTH && name != ".git" && (depth > 0 || name.starts_with('.'));
                if is_looked_into {
                    self.walk(root, &format!("{path}/"), rules, depth + 1, left);
                }
            } else if matches!(rules.why(&path), Some((PathClass::Protected, _))) {
                self.look_in(&here, path, &name);
            }
        }
    }

    fn look_in(&mut self, folder: &Dir, path: String, name: &str) {
        if let Some(stat) = look::stat(folder, name) {
            self.files.insert(path, (stat.identity, stat.changed));
        }
    }
}
