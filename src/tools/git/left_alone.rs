//! Paths whose place in the work tree git was told to leave alone: marked `skip-worktree` or `assume-unchanged`, or outside of a
//! sparse checkout.
//!
//! What lies there differs from the index by intention and is shown by no comparison, so nobody would see it go. git knows many
//! rules for it; here such a path is never written, and what would write it is refused before anything is done.

use gix::{
    bstr::{BStr, BString, ByteSlice},
    glob::{Pattern, pattern::Case, wildmatch},
    index::entry::Flags,
    worktree::Index,
};

use super::shown;
use crate::{
    relpath::RelPath,
    text::counted,
    tools::{Call, Code, ToolError},
    workspace::{repository::Repository, walk::stat_walked},
};

/// What git was told.
pub(super) struct LeftAlone {
    index: Index,
    /// The rules of a sparse checkout; the last that fits counts.
    sparse: Option<Sparse>,
}

struct Sparse {
    rules: Vec<Pattern>,
    case: Case,
}

/// Why a path is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    Skipped,
    Assumed,
    Outside,
}

impl LeftAlone {
    pub(super) fn new(repository: &Repository, reader: &gix::Repository) -> Result<Self, ToolError> {
        let index = reader.index_or_empty().map_err(|error| repository.broken(&error))?;
        let settings = reader.config_snapshot();
        let is_sparse = settings.boolean("core.sparseCheckout") == Some(true);
        let fold = settings.boolean("core.ignoreCase") == Some(true);
        let rules = if is_sparse { repository.sparse_rules()? } else { None };
        let sparse = rules.map(|bytes| Sparse {
            rules: gix::ignore::parse(&bytes, false).map(|(pattern, _, _)| pattern).collect(),
            case: if fold { Case::Fold } else { Case::Sensitive },
        });
        Ok(Self { index, sparse })
    }

    /// An error that names the first of `paths` that is left alone.
    pub(super) fn refuse<'a>(
        &self,
        (call, repository): (&Call, &Repository),
        paths: impl IntoIterator<Item = &'a BString>,
    ) -> Result<(), ToolError> {
        let mut found = paths.into_iter().filter_map(|path| Some((path, self.why(path.as_bstr())?)));
        let Some((path, why)) = found.next() else { return Ok(()) };
        let more = found.count();
        let more = if more > 0 { format!(" (and {} more)", counted(more, "path")) } else { String::new() };
        // A blocked one is not named.
        let name = shown(repository, call, path.as_bstr())
            .map_or_else(|| "a path blocked by the configuration".to_owned(), |path| format!("`{path}`"));
        let (reason, instead) = match why {
            Why::Skipped => (
                "is marked `skip-worktree`",
                "take the mark off first: `git update-index --no-skip-worktree`",
            ),
            Why::Assumed => (
                "is marked `assume-unchanged`",
                "take the mark off first: `git update-index --no-assume-unchanged`",
            ),
            Why::Outside => {
                ("lies outside of the sparse checkout", "widen it first: `git sparse-checkout add`")
            }
        };
        Err(ToolError::new(
            Code::UnsupportedHere,
            format!("{name} {reason}{more}: what the work tree has there is left alone; nothing was changed"),
            format!("the user can do this with git itself in a terminal, or {instead}"),
        ))
    }

    /// Whether a sparse checkout leaves this path out, whatever the work tree has there.
    pub(super) fn is_outside(&self, path: &BStr) -> bool {
        self.sparse.as_ref().is_some_and(|sparse| !sparse.holds(path))
    }

    /// Whether the index has exactly this path.
    pub(super) fn knows(&self, path: &BStr) -> bool {
        self.index.entry_by_path(path).is_some()
    }

    fn why(&self, path: &BStr) -> Option<Why> {
        let Some(entry) = self.index.entry_by_path(path) else {
            return self.is_outside(path).then_some(Why::Outside);
        };
        if entry.flags.contains(Flags::SKIP_WORKTREE) {
            return Some(if self.sparse.is_some() { Why::Outside } else { Why::Skipped });
        }
        entry.flags.contains(Flags::ASSUME_VALID).then_some(Why::Assumed)
    }
}

/// Files that lie in the work tree though a sparse checkout leaves them out: git compares them all the same, and the library does not.
pub(super) fn present(call: &Call, repository: &Repository) -> Result<Vec<BString>, ToolError> {
    let reader = repository.reader()?;
    let settings = reader.config_snapshot();
    let is_on = |name: &str| settings.boolean(name) == Some(true);
    if !is_on("core.sparseCheckout") || is_on("sparse.expectFilesOutsideOfPatterns") {
        return Ok(Vec::new());
    }
    let index = reader.index_or_empty().map_err(|error| repository.broken(&error))?;
    let mut found = Vec::new();
    // Nothing is in a folder that is not there.
    let mut missing: Option<BString> = None;
    for entry in index.entries().iter().filter(|entry| entry.flags.contains(Flags::SKIP_WORKTREE)) {
        let git_path = entry.path(&index);
        if missing.as_ref().is_some_and(|folder| git_path.starts_with(folder)) {
            continue;
        }
        call.check_cancelled()?;
        let Some(path) = repository.in_workspace(git_path) else { continue };
        let stands = |path: &RelPath| matches!(stat_walked(call.workspace.handle(), path), Ok(Some(_)));
        if stands(&path) {
            found.push(git_path.to_owned());
            continue;
        }
        let folders = std::iter::successors(path.parent(), RelPath::parent);
        let gone = folders.take_while(|folder| !folder.is_root() && !stands(folder)).last();
        missing = gone.and_then(|folder| repository.in_repository(&folder)).map(|mut folder| {
            folder.push(b'/');
            folder.into()
        });
    }
    Ok(found)
}

impl Sparse {
    /// Whether a file is part of the checkout: by the last rule for it, or else for the nearest folder that has one.
    fn holds(&self, path: &BStr) -> bool {
        let mut here = path;
        loop {
            let name = here.rfind_byte(b'/').map(|slash| slash + 1);
            let is_folder = Some(here.len() < path.len());
            let mode = wildmatch::Mode::NO_MATCH_SLASH_LITERAL;
            let fits =
                |rule: &&Pattern| rule.matches_repo_relative_path(here, name, is_folder, self.case, mode);
            if let Some(rule) = self.rules.iter().rev().find(fits) {
                return !rule.is_negative();
            }
            let Some(name) = name else { return false };
            here = here[..name - 1].as_bstr();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Case, Sparse};

    #[test]
    fn the_last_rule_for_a_file_or_its_nearest_folder_counts() {
        let check = |rules: &str, inside: &[&str], outside: &[&str]| {
            let rules = gix::ignore::parse(rules.as_bytes(), false).map(|(rule, _, _)| rule).collect();
            let sparse = Sparse { rules, case: Case::Sensitive };
            for path in inside {
                assert!(sparse.holds((*path).into()), "{path}");
            }
            for path in outside {
                assert!(!sparse.holds((*path).into()), "{path}");
            }
        };
        check("/*\n!/*/\n/in/\n", &["top", "in/a", "in/b/c"], &["out/a", "out/in/a"]);
        check("/*\n!/*/\n/a/\n!/a/*/\n/a/b/\n", &["top", "a/x", "a/b/x", "a/b/c/x"], &["a/c/x", "c/x"]);
        check("in\n*.txt\n", &["in/a", "a/in/b", "x/y.txt"], &["top", "out/a"]);
        check("", &[], &["top", "a/b"]);
    }
}
