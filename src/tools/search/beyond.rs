//! What a search that found nothing would find among the files that are ignored or hidden.
//!
//! "No matches" about a tree of which half was not looked at misleads. Only names are told, never lines; nothing blocked is
//! looked at, and the look is short.

use std::time::Duration;

use super::stop::Stop;
use crate::{
    relpath::RelPath,
    text::counted,
    tools::Call,
    workspace::walk::{LeftOut, Walk, WalkEntry, WalkKind, WalkOptions, Wanted},
};

/// How long is looked: an answer that there is nothing must not take long because of `node_modules`.
const TIME: Duration = Duration::from_millis(300);
/// Entries that are looked at.
const ENTRIES: usize = 20_000;
/// Matching files after which a content search stops looking.
pub(super) const ENOUGH: usize = 20;
/// Paths that are named.
const EXAMPLES: usize = 3;

/// The end of the look.
pub(super) fn stop(call: &Call) -> Stop {
    Stop::with_deadline(&call.cancel, TIME)
}

/// The wanted entries among those that a walk left out, and in the folders among them.
pub(super) fn entries(call: &Call, left_out: &[LeftOut], wanted: &Wanted<'_>, stop: &Stop) -> Vec<WalkEntry> {
    let workspace = &call.workspace;
    let options = WalkOptions { hidden: true, ignored: true, max_depth: usize::MAX };
    let until = || stop.is_due();
    let mut found = Vec::new();
    for left_out in left_out {
        let Some(path) = RelPath::from_plain(&left_out.path) else { continue };
        if stop.is_due() || found.len() >= ENTRIES {
            break;
        }
        let kind = if left_out.is_dir { WalkKind::Dir } else { WalkKind::File };
        if wanted(path.as_path(), kind) {
            found.push(WalkEntry { path: path.clone(), kind });
        }
        if left_out.is_dir {
            let room = ENTRIES.saturating_sub(found.len());
            let walk = Walk::new(workspace.handle(), workspace.root(), workspace.rules(), &path, options);
            found.extend(walk.into_iter().flat_map(|walk| walk.only(wanted).until(&until).take(room)));
        }
    }
    found
}

/// What would be found, as far as was looked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Beyond {
    /// Matching files (for a search of names: paths).
    pub(super) count: u64,
    /// One of them is not hidden, so that `include_ignored` would find it.
    any_ignored: bool,
    /// A hidden folder (or file) in which one is.
    hidden: Option<RelPath>,
    examples: Vec<RelPath>,
}

impl Beyond {
    /// Sums up what was found beyond a search of `start`.
    pub(super) fn of(start: &RelPath, paths: impl IntoIterator<Item = RelPath>) -> Self {
        let mut beyond = Self::default();
        for path in paths {
            beyond.count += 1;
            match hidden_part(start, &path) {
                Some(hidden) => _ = beyond.hidden.get_or_insert(hidden),
                None => beyond.any_ignored = true,
            }
            if beyond.examples.len() < EXAMPLES {
                beyond.examples.push(path);
            }
        }
        beyond
    }

    /// One sentence, and what to do about it; empty when there is nothing.
    pub(super) fn sentence(&self) -> String {
        if self.count == 0 {
            return String::new();
        }
        let mut examples: Vec<String> = self.examples.iter().map(ToString::to_string).collect();
        if self.count > examples.len() as u64 {
            examples.push("…".to_owned());
        }
        let mut ways = Vec::new();
        if self.any_ignored {
            ways.push("set include_ignored to see what ignore rules leave out".to_owned());
        }
        if let Some(hidden) = &self.hidden {
            ways.push(format!("give `{hidden}` as `path` to see what is hidden"));
        }
        let count = counted(self.count, "match");
        format!("{count} among ignored or hidden files ({}): {}", examples.join(", "), ways.join("; "))
    }
}

/// The path down to the first hidden name below `start`.
fn hidden_part(start: &RelPath, path: &RelPath) -> Option<RelPath> {
    let below = path.as_path().strip_prefix(start.as_path()).ok()?;
    let mut part = start.clone();
    for name in below.components() {
        part = part.join(name);
        if name.as_os_str().as_encoded_bytes().starts_with(b".") {
            return Some(part);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn beyond(start: &str, paths: &[&str]) -> String {
        let path = |path: &str| RelPath::from_plain(Path::new(path)).unwrap();
        Beyond::of(&path(start), paths.iter().map(|found| path(found))).sentence()
    }

    #[test]
    fn says_what_would_work() {
        assert_eq!(beyond("", &[]), "");
        assert_eq!(
            beyond("", &["build/out.txt"]),
            "1 match among ignored or hidden files (build/out.txt): set include_ignored to see what ignore rules leave out"
        );
        assert_eq!(
            beyond("a", &["a/.github/x/ci.yml", "a/b", "a/c", "a/.d"]),
            "4 matches among ignored or hidden files (a/.github/x/ci.yml, a/b, a/c, …): set include_ignored to see what \
             ignore rules leave out; give `a/.github` as `path` to see what is hidden"
        );
        assert_eq!(
            beyond(".github", &[".github/ci.yml"]),
            "1 match among ignored or hidden files (.github/ci.yml): set include_ignored to see what ignore rules leave out"
        );
    }
}
