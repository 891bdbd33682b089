//! Submodules as the repository around them sees them: at another commit than it names, or with changes of their own.
//!
//! Each is looked into as a repository of the workspace, under the same rules; what cannot be looked into is said so, and never
//! called unchanged.

use std::{
    collections::HashMap,
    io::Read as _,
    time::{Duration, Instant},
};

use gix::{
    ObjectId,
    bstr::{BStr, BString, ByteSlice},
};

use super::{
    changes::{Changed, Changes, Entry, Untracked, Wanted, changes},
    renames::STATUS,
    shown,
    side::SUBMODULE,
    status,
};
use crate::{
    limits,
    relpath::RelPath,
    tools::{Call, ToolError},
    workspace::{
        repository::Repository,
        walk::{WalkKind, open_walked, stat_walked},
    },
};

/// Submodules that are looked into; each is a comparison of its own.
const LOOKED_INTO: usize = 100;
/// Submodules in submodules.
const DEPTH: usize = 4;

/// The largest `.gitmodules` that is read.
const RULES_BYTES: u64 = 1024 * 1024;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Submodules {
    /// They stand at another commit.
    pub(super) moved: Vec<Changed>,
    /// They stand at the commit that is named, and have changed, staged or untracked files.
    pub(super) changed_inside: Vec<Changed>,
    /// Whatever they are, it makes no difference.
    ignored: Vec<BString>,
    /// They may differ: path and reason.
    pub(super) unknown: Vec<(RelPath, String)>,
}

/// How far to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Only at which commit they stand.
    Commits,
    /// Also at their tracked files.
    Tracked,
    /// Also at all their files.
    Files,
}

/// What of a submodule makes no difference: its `ignore` in `.gitmodules`, or in the configuration, which counts more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ignore {
    All,
    Dirty,
    Untracked,
    #[default]
    Nothing,
}

/// The same for all submodules of a repository, by their paths.
#[derive(Debug, Default)]
struct Ignored {
    by_path: HashMap<BString, Ignore>,
    others: Ignore,
}

impl Ignored {
    fn read(call: &Call, repository: &Repository, reader: &gix::Repository) -> Self {
        let config = reader.config_snapshot();
        let others = config.string("diff.ignoreSubmodules").and_then(|word| Ignore::of(word.as_bstr()));
        let mut ignored = Self { others: others.unwrap_or_default(), ..Self::default() };
        let mut bytes = Vec::new();
        let rules = repository.in_workspace(".gitmodules".into());
        let file = rules.and_then(|path| open_walked(call.workspace.handle(), &path).ok());
        let read = file.is_some_and(|(file, _)| file.take(RULES_BYTES).read_to_end(&mut bytes).is_ok());
        let parsed = gix::config::File::from_bytes_no_includes(
            &bytes,
            gix::config::file::Metadata::default(),
            gix::config::file::init::Options::default(),
        );
        let parsed = parsed.ok();
        let Some(rules) = parsed.filter(|_| read) else { return ignored };
        for section in rules.sections() {
            let Some(name) = section
                .header()
                .subsection_name()
                .filter(|_| section.header().name().eq_ignore_ascii_case(b"submodule"))
            else {
                continue;
            };
            let configured = config.string(format!("submodule.{name}.ignore").as_str());
            let word = configured.or_else(|| section.value("ignore"));
            let ignore = word.and_then(|word| Ignore::of(word.as_bstr()));
            if let (Some(path), Some(ignore)) = (section.value("path"), ignore) {
                ignored.by_path.insert(path, ignore);
            }
        }
        ignored
    }

    fn of(&self, path: &BStr) -> Ignore {
        self.by_path.get(path).copied().unwrap_or(self.others)
    }
}

impl Ignore {
    fn of(word: &BStr) -> Option<Self> {
        Some(match word.as_bytes() {
            b"all" => Self::All,
            b"dirty" => Self::Dirty,
            b"untracked" => Self::Untracked,
            b"none" => Self::Nothing,
            _ => return None,
        })
    }
}

/// Looks into the submodules that the index of `repository` names; `compared` says whether there are any.
pub(super) fn submodules(
    call: &Call,
    repository: &Repository,
    compared: &Changes,
    look: Look,
) -> Result<Submodules, ToolError> {
    if !compared.has_submodules {
        return Ok(Submodules::default());
    }
    let deadline = Instant::now() + Duration::from_secs(limits::SEARCH_SECONDS);
    collect(call, (repository, &repository.reader()?), look, (deadline, DEPTH))
}

fn collect(
    call: &Call,
    (repository, reader): (&Repository, &gix::Repository),
    look: Look,
    (deadline, depth): (Instant, usize),
) -> Result<Submodules, ToolError> {
    let index = reader.index_or_empty().map_err(|error| ToolError::from(repository.broken(&error)))?;
    // What is staged is looked at as it is.
    let ignored =
        if look == Look::Commits { Ignored::default() } else { Ignored::read(call, repository, reader) };
    let mut found = Submodules::default();
    let named =
        index.entries().iter().filter(|entry| entry.mode.bits() == SUBMODULE && entry.stage_raw() == 0);
    for (count, entry) in named.enumerate() {
        call.check_cancelled()?;
        let git_path = entry.path(&index);
        let Some(path) = shown(repository, call, git_path) else { continue };
        let ignore = ignored.of(git_path);
        if ignore == Ignore::All {
            found.ignored.push(git_path.to_owned());
            continue;
        }
        let root = call.workspace.handle();
        // What is gone or is no folder was seen without looking into it; without `.git` it is not checked out, which is no change.
        let is_folder = matches!(stat_walked(root, &path), Ok(Some(WalkKind::Dir)));
        if !is_folder || root.symlink_metadata(path.join(".git").as_path()).is_err() {
            continue;
        }
        let look = match ignore {
            Ignore::Untracked => Look::Tracked,
            Ignore::Nothing => look,
            Ignore::All | Ignore::Dirty => Look::Commits,
        };
        if count >= LOOKED_INTO || depth == 0 || Instant::now() >= deadline {
            found.unknown.push((path, "there are too many to look into all".to_owned()));
            continue;
        }
        let named = Entry { mode: SUBMODULE, id: entry.id };
        let of = |change, new| Changed {
            path: git_path.to_owned(),
            from: None,
            change,
            old: Some(named),
            new: Some(Entry { mode: SUBMODULE, id: new }),
        };
        match state(call, &path, entry.id, look, (deadline, depth)) {
            Ok(State::As) => {}
            Ok(State::At(commit)) => found.moved.push(of("modified", commit)),
            Ok(State::ChangedInside) => found.changed_inside.push(of("modified_inside", entry.id)),
            Ok(State::Unknown(reason)) => found.unknown.push((path, reason)),
            Err(error) => {
                call.check_cancelled()?;
                found.unknown.push((path, error.message));
            }
        }
    }
    Ok(found)
}

/// A submodule against the commit that is named.
enum State {
    As,
    At(ObjectId),
    ChangedInside,
    Unknown(String),
}

fn state(
    call: &Call,
    path: &RelPath,
    named: ObjectId,
    look: Look,
    (deadline, depth): (Instant, usize),
) -> Result<State, ToolError> {
    let repository = Repository::containing(&call.workspace, path)?;
    if repository.folder() != path {
        return Ok(State::Unknown("its `.git` is no repository".to_owned()));
    }
    let reader = repository.reader()?;
    let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
    if reader.head().map_err(broken)?.is_unborn() {
        return Ok(State::Unknown("it has no commit".to_owned()));
    }
    let commit = reader.head_id().map_err(broken)?.detach();
    if commit != named {
        return Ok(State::At(commit));
    }
    if look == Look::Commits {
        return Ok(State::As);
    }
    let hides = look != Look::Files || status::untracked(&reader) == Untracked::No;
    let untracked = if hides { Untracked::No } else { Untracked::Folders };
    let wanted =
        Wanted { staged: Some(None), unstaged: true, untracked, renames: STATUS, believes_index: true };
    let here = changes(&repository, wanted, call)?;
    let lists = [here.staged.is_empty(), here.unstaged.is_empty(), here.conflicted.is_empty()];
    if !here.untracked.is_empty() || lists.contains(&false) {
        return Ok(State::ChangedInside);
    }
    let below = collect(call, (&repository, &reader), look, (deadline, depth - 1))?;
    Ok(match below.unknown.into_iter().next() {
        _ if !below.moved.is_empty() || !below.changed_inside.is_empty() => State::ChangedInside,
        Some((path, reason)) => State::Unknown(format!("`{path}` in it: {reason}")),
        None => State::As,
    })
}

impl Submodules {
    /// One line for each that was not looked into.
    pub(super) fn notes(&self) -> Vec<String> {
        let line = |(path, reason): &(RelPath, String)| {
            format!("the submodule `{path}` was not looked into and may have changed: {reason}")
        };
        self.unknown.iter().map(line).collect()
    }

    /// Those at another commit; and what went is no loss where it makes no difference.
    pub(super) fn settle(&mut self, unstaged: &mut Vec<Changed>) {
        unstaged.retain(|changed| changed.change != "deleted" || !self.ignored.contains(&changed.path));
        unstaged.append(&mut self.moved);
    }

    /// Keeps those that lie in one of `folders` (or are one); nothing is left out when there are none.
    pub(super) fn keep_in(&mut self, folders: &[Vec<u8>]) {
        let is_wanted = |changed: &Changed| {
            folders.is_empty() || folders.iter().any(|folder| super::lies_in(changed.path.as_bytes(), folder))
        };
        self.moved.retain(is_wanted);
        self.changed_inside.retain(is_wanted);
    }
}
