//! What goes into the index: files of the work tree as git would store them, or what HEAD has.
//!
//! Everything is collected first, reading only; the same list is then tried in memory for the plan and applied for real.

use std::collections::{BTreeSet, HashMap};

use gix::{
    bstr::{BStr, BString, ByteSlice},
    index::entry::Flags,
};

use super::{
    between::entry_at,
    changes::{Changes, Untracked, Wanted, changes},
    left_alone::LeftAlone,
    libgit2, listed,
    renames::STATUS,
    rule_files, shown,
    side::{FileStat, SUBMODULE, Stored, WorkTree},
    staging::Staging,
    submodules::{Look, submodules},
    tree_move::oid,
};
use crate::{
    relpath::RelPath,
    tools::{Call, Code, ToolError},
    workspace::{
        DoorError, is_temporary_name,
        repository::{IGNORED, Repository},
        walk::{WalkKind, stat_walked},
    },
};

/// A folder, as git writes its mode in a tree.
const FOLDER: u32 = 0o040_000;
/// All contents of one call; they are held in memory.
const STAGE_BYTES: usize = 512 * 1024 * 1024;

/// A change of the index.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) path: RelPath,
    pub(super) git_path: BString,
    pub(super) to: To,
}

/// What an entry of the index becomes.
#[derive(Debug)]
pub(super) enum To {
    /// This content.
    Content(Box<Stored>),
    /// Gone.
    Nothing,
    /// What HEAD has, or gone where it has nothing.
    Head,
}

/// A path in the workspace, and git's name for it.
pub(super) type Named = (RelPath, Vec<u8>);

/// The repository of the first path, and all paths in it.
pub(super) fn find(call: &Call, paths: &[String]) -> Result<(Repository, Vec<Named>), ToolError> {
    let paths = paths.iter().map(|path| listed(call, path)).collect::<Result<Vec<_>, _>>()?;
    let repository = Repository::containing(&call.workspace, &paths.first().cloned().unwrap_or_default())?;
    repository.changeable()?;
    let mut found = Vec::new();
    for path in paths {
        let inside = repository.in_repository(&path).ok_or_else(|| other_repository(&repository, &path))?;
        let holding = Repository::containing(&call.workspace, &path)?;
        if holding.folder() != repository.folder() {
            // Said as of a call of its own: the repository around it may well know the path.
            holding.changeable()?;
            return Err(ToolError::new(
                Code::InvalidArgs,
                format!(
                    "`{path}` belongs to the repository at `{}`, and the first path to the one at `{}`",
                    holding.folder(),
                    repository.folder()
                ),
                "make one call for each repository",
            ));
        }
        found.push((path, inside));
    }
    Ok((repository, found))
}

/// What is to be said where the repository that was named is a part of another one.
pub(super) fn note_inner(call: &Call, repository: &Repository, paths: &[Named]) -> Option<String> {
    let folder = repository.folder();
    let around = Repository::containing(&call.workspace, &folder.parent()?).ok()?;
    let is_named = paths.iter().any(|(path, _)| path == folder);
    is_named.then(|| {
        format!(
            "`{folder}` is a repository of its own, and this was about what is in it; as a part of the repository at `{}`, the user can \
             stage it with git itself",
            around.folder()
        )
    })
}

/// The refusal of a path that belongs to another repository.
pub(super) fn other_repository(repository: &Repository, path: &RelPath) -> ToolError {
    ToolError::new(
        Code::InvalidArgs,
        format!("`{path}` is not in the repository at `{}`, where the first path is", repository.folder()),
        "make one call for each repository",
    )
}

/// What staging `paths` means. With `only_tracked`, a path git does not know yet is refused.
pub(super) fn collect(
    call: &Call,
    repository: &Repository,
    paths: &[Named],
    only_tracked: bool,
) -> Result<Staging, ToolError> {
    let untracked = if only_tracked { Untracked::No } else { Untracked::Files };
    // Against HEAD, what is staged already is a change as well.
    let staged = only_tracked.then_some(None);
    let mut found = changes(
        repository,
        Wanted { staged, unstaged: true, untracked, renames: STATUS, believes_index: false },
        call,
    )?;
    let reader = repository.reader()?;
    let failed = |error: gix::Error| ToolError::from(repository.broken(&error));
    let index = reader.index_or_empty().map_err(failed)?;
    let mut wanted: BTreeSet<BString> = BTreeSet::new();
    found.keep_closed_in(&paths.iter().map(|(_, inside)| inside.clone()).collect::<Vec<_>>());
    let mut staging = Staging { notes: found.notes(repository, call), ..Staging::default() };
    let left_alone = LeftAlone::new(repository, &reader)?;
    for (path, inside) in paths {
        let tracked = is_tracked(&index, inside) || is_staged(&found, inside);
        let kind =
            stat_walked(call.workspace.handle(), path).map_err(|source| DoorError::io(path, source))?;
        match kind {
            Some(WalkKind::File | WalkKind::Link) if tracked || !only_tracked => {
                // A commit takes no file that git does not know, be it in the place of a folder that it knows.
                let is_known = index.entry_range(inside.as_bstr()).is_some()
                    || self::staged(&found).any(|path| path == inside.as_bstr());
                if is_known || !only_tracked {
                    // No comparison shows it, so nobody would see what is meant.
                    left_alone.refuse((call, repository), [&inside.clone().into()])?;
                    wanted.insert(inside.clone().into());
                }
                // What git has in a folder of this name goes.
                let gone = found.unstaged.iter().map(|changed| &changed.path);
                wanted.extend(gone.filter(|path| super::lies_in(path, inside)).cloned());
                staged_in_folder(&found, &index, inside, &mut wanted);
            }
            Some(WalkKind::Other) => {
                return Err(DoorError::WrongType {
                    path: path.to_string(),
                    found: "no regular file",
                    wanted: "a file or folder",
                }
                .into());
            }
            _ if tracked || (kind == Some(WalkKind::Dir) && (!only_tracked || inside.is_empty())) => {
                if kind == Some(WalkKind::Dir) && !tracked {
                    refuse_ignored(repository, &reader, path, inside)?;
                }
                in_folder(&found, inside, &mut wanted, &mut staging, repository, call);
                staged_in_folder(&found, &index, inside, &mut wanted);
            }
            Some(_) => return Err(unknown(path, "stage it first with git_add")),
            None => return Err(DoorError::NotFound { path: path.to_string(), candidates: Vec::new() }.into()),
        }
    }
    // A commit takes what is tracked all the same, as with git.
    if !only_tracked {
        let outside: BTreeSet<BString> =
            wanted.extract_if(.., |path| left_alone.is_outside(path.as_bstr())).collect();
        let outside = outside.iter().filter_map(|path| shown(repository, call, path.as_bstr()));
        staging.outside = outside.map(|path| path.to_string()).collect();
    }
    staging.leave_over_blocked((call, repository), paths, &index, &mut wanted)?;
    read(call, repository, &reader, &index, &wanted, &mut staging)?;
    let mut inner = submodules(call, repository, &found, Look::Commits)?;
    inner.keep_in(&paths.iter().map(|(_, inside)| inside.clone()).collect::<Vec<_>>());
    let left = inner.moved.iter().filter_map(|moved| shown(repository, call, moved.path.as_bstr()));
    staging.submodules = left.map(|path| path.to_string()).collect();
    Ok(staging)
}

fn unknown(path: &RelPath, hint: &str) -> ToolError {
    ToolError::new(Code::NotFound, format!("`{path}` is not known to git"), hint)
}

/// The entry itself, in any stage, or anything below it.
pub(super) fn is_tracked(index: &gix::index::State, inside: &[u8]) -> bool {
    if inside.is_empty() {
        return !index.entries().is_empty();
    }
    let mut folder = inside.to_vec();
    folder.push(b'/');
    index.entry_range(inside.as_bstr()).is_some() || index.prefixed_entries(folder.as_bstr()).is_some()
}

/// The paths that differ between HEAD and the index.
fn staged(found: &Changes) -> impl Iterator<Item = &BString> {
    found.staged.iter().flat_map(|changed| [Some(&changed.path), changed.from.as_ref()]).flatten()
}

fn is_staged(found: &Changes, inside: &[u8]) -> bool {
    staged(found).any(|path| super::lies_in(path, inside))
}

/// What is staged below a path, but for what the work tree was told not to have.
fn staged_in_folder(
    found: &Changes,
    index: &gix::index::State,
    inside: &[u8],
    wanted: &mut BTreeSet<BString>,
) {
    let is_skipped = |path: &BString| {
        let entry = index.entry_by_path(path.as_bstr());
        entry.is_some_and(|entry| entry.flags.contains(Flags::SKIP_WORKTREE))
    };
    let below = staged(found).filter(|path| super::lies_in(path, inside) && !is_skipped(path));
    wanted.extend(below.cloned());
}

/// A whole ignored folder is never meant; a single ignored file may be.
fn refuse_ignored(
    repository: &Repository,
    reader: &gix::Repository,
    path: &RelPath,
    inside: &[u8],
) -> Result<(), ToolError> {
    if inside.is_empty() {
        return Ok(());
    }
    let failed = |error: gix::Error| ToolError::from(repository.broken(&error));
    repository.check_rules_above(path, IGNORED)?;
    let index = reader.index_or_empty().map_err(failed)?;
    let source = gix::worktree::stack::state::ignore::Source::WorktreeThenIdMappingIfNotSkipped;
    let mut excludes = reader.excludes(&rule_files::readable(&index), None, source).map_err(failed)?;
    let mode = Some(gix::index::entry::Mode::DIR);
    let ignored =
        excludes.at_entry(inside.as_bstr(), mode).map_err(|error| repository.broken(&error))?.is_excluded();
    if ignored {
        return Err(ToolError::new(
            Code::InvalidArgs,
            format!("`{path}` is ignored by .gitignore"),
            "name the files in it that are meant, one by one",
        ));
    }
    Ok(())
}

fn in_folder(
    found: &Changes,
    folder: &[u8],
    wanted: &mut BTreeSet<BString>,
    staging: &mut Staging,
    repository: &Repository,
    call: &Call,
) {
    let mut take = |path: &BString| {
        if !super::lies_in(path, folder) {
            return;
        }
        if shown(repository, call, path.as_bstr()).is_some() {
            wanted.insert(path.clone());
        } else {
            staging.blocked += 1;
        }
    };
    found.unstaged.iter().for_each(|changed| take(&changed.path));
    found.conflicted.iter().for_each(|(path, _)| take(path));
    for (path, is_repository) in &found.untracked {
        if *is_repository {
            let plain = path.trim_end_with(|character| character == '/').as_bstr();
            if super::lies_in(plain, folder) {
                staging.repositories.extend(shown(repository, call, plain).map(|path| path.to_string()));
            }
        } else if !path.ends_with(b"/") && !is_own(path.as_bstr()) {
            take(path);
        }
    }
}

/// It is what a write under way is built in, or what one that was killed left: nobody means that by a folder's name.
fn is_own(path: &BStr) -> bool {
    path.split_str("/").any(|part| is_temporary_name(&part.to_os_str_lossy()))
}

/// Reads every file that is wanted, as git would store it.
fn read(
    call: &Call,
    repository: &Repository,
    reader: &gix::Repository,
    index: &gix::index::State,
    wanted: &BTreeSet<BString>,
    staging: &mut Staging,
) -> Result<(), ToolError> {
    let strict = repository.strict(reader)?;
    let mut work_tree = WorkTree::to_store(call, repository, &strict)?;
    let mut total = 0;
    for git_path in wanted {
        call.check_cancelled()?;
        let Some(path) = shown(repository, call, git_path.as_bstr()) else {
            staging.blocked += 1;
            continue;
        };
        let old = index.entry_by_path(git_path.as_bstr()).map(|entry| entry.mode.bits());
        // One that went, or whose place a file took, is staged like anything else.
        if old == Some(SUBMODULE)
            && matches!(stat_walked(call.workspace.handle(), &path), Err(_) | Ok(Some(WalkKind::Dir)))
        {
            return Err(unsupported(&path, "a submodule"));
        }
        if let Some(foreign) = work_tree.foreign(&path, git_path.as_bstr())? {
            return Err(unsupported(&path, &foreign.to_string()));
        }
        let stored = work_tree.stored(&path, git_path.as_bstr(), old)?;
        total += stored.as_ref().map_or(0, |stored| stored.bytes.len());
        if total > STAGE_BYTES {
            return Err(ToolError::new(
                Code::TooLarge,
                "the files are larger than 512 MiB together",
                "stage them in several calls",
            ));
        }
        let to = stored.map_or(To::Nothing, |stored| To::Content(Box::new(stored)));
        staging.items.push(Item { path, git_path: git_path.clone(), to });
    }
    Ok(())
}

fn unsupported(path: &RelPath, what: &str) -> ToolError {
    ToolError::new(
        Code::UnsupportedHere,
        format!("`{path}` uses {what}, which is not supported here"),
        "the user can stage it with git itself; leave it out of `paths`",
    )
}

/// What unstaging `paths` means. A path that neither the index nor HEAD has is refused.
pub(super) fn collect_unstaging(
    call: &Call,
    repository: &Repository,
    paths: &[Named],
) -> Result<Staging, ToolError> {
    let wanted = Wanted {
        staged: Some(None),
        unstaged: false,
        untracked: Untracked::No,
        renames: STATUS,
        believes_index: false,
    };
    let found = changes(repository, wanted, call)?;
    let mut staging = Staging::default();
    let mut names: BTreeSet<BString> = BTreeSet::new();
    let reader = repository.reader()?;
    let index =
        reader.index_or_empty().map_err(|error: gix::Error| ToolError::from(repository.broken(&error)))?;
    let is_known = |inside: &[u8]| is_tracked(&index, inside) || is_staged(&found, inside);
    if let Some((path, _)) = paths.iter().find(|(_, inside)| !inside.is_empty() && !is_known(inside)) {
        return Err(unknown(path, "git_status names what is staged"));
    }
    let announced = index.entries().iter().filter(|entry| entry.flags.contains(Flags::INTENT_TO_ADD));
    let announced: Vec<BString> = announced.map(|entry| entry.path(&index).to_owned()).collect();
    for path in self::staged(&found).chain(found.conflicted.iter().map(|(path, _)| path)).chain(&announced) {
        if paths.iter().any(|(_, folder)| super::lies_in(path, folder)) {
            names.insert(path.clone());
        }
    }
    for git_path in names {
        match shown(repository, call, git_path.as_bstr()) {
            Some(path) => staging.items.push(Item { path, git_path, to: To::Head }),
            None => staging.blocked += 1,
        }
    }
    Ok(staging)
}

/// Changes `index` as the items say, and tells of each whether that was a change. Objects are written to `opened`; the index itself is
/// not written.
pub(super) fn apply(
    call: &Call,
    repository: &Repository,
    opened: &git2::Repository,
    index: &mut git2::Index,
    items: &[Item],
) -> Result<Vec<bool>, ToolError> {
    let failed = |error: git2::Error| libgit2(repository, &error);
    // Read by gix, which knows what stands for another object (`git replace`).
    let reader = repository.history()?;
    let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
    let head = if items.iter().any(|item| matches!(item.to, To::Head)) {
        super::readable::head(call, repository, &reader, opened)?;
        Some(reader.head_tree_id_or_empty().map_err(broken)?.detach())
    } else {
        None
    };
    let spelled = spellings(opened, index);
    let mut changed = Vec::with_capacity(items.len());
    for item in items {
        let place =
            gix::path::from_bstr(item.git_path.as_bstr()).map_err(|error| repository.broken(&error))?;
        match &item.to {
            To::Content(stored) => {
                let id = opened
                    .blob(&stored.bytes)
                    .map_err(|error| repository.not_written(&error, stored.bytes.len()))?;
                changed.push(!index.get_path(&place, 0).is_some_and(|known| {
                    (known.id, known.mode) == (id, stored.mode)
                        && known.path == item.git_path.as_slice()
                        && !is_announced(&known)
                }));
                // Staging a path is how a conflict in it is resolved.
                if (1..=3).any(|stage| index.get_path(&place, stage).is_some()) {
                    index.conflict_remove(&place).map_err(failed)?;
                }
                if let Some(other) = spelled.get(&item.git_path.to_ascii_lowercase())
                    && *other != item.git_path
                {
                    let other =
                        gix::path::from_bstr(other.as_bstr()).map_err(|error| repository.broken(&error))?;
                    index.remove_path(&other).map_err(failed)?;
                }
                index.add(&entry(item.git_path.as_bstr(), id, stored.mode, stored.stat)).map_err(failed)?;
            }
            To::Nothing => {
                changed.push((0..=3).any(|stage| index.get_path(&place, stage).is_some()));
                index.remove_path(&place).map_err(failed)?;
            }
            To::Head => {
                changed.push(true);
                let before = match head {
                    Some(tree) => entry_at(&reader, tree, &item.git_path).map_err(broken)?,
                    None => None,
                };
                // A folder in HEAD: its files are items of their own.
                let before = before.filter(|before| before.mode != FOLDER);
                let left_alone = index.get_path(&place, 0).is_some_and(|entry| is_skipped(&entry));
                index.remove_path(&place).map_err(failed)?;
                if let Some(before) = before {
                    let unknown = FileStat::default();
                    let mut back = entry(item.git_path.as_bstr(), oid(before.id), before.mode, unknown);
                    if left_alone {
                        back.flags |= git2::IndexEntryFlag::EXTENDED.bits();
                        back.flags_extended |= git2::IndexEntryExtendedFlag::SKIP_WORKTREE.bits();
                    }
                    index.add(&back).map_err(failed)?;
                }
            }
        }
    }
    Ok(changed)
}

/// How the index spells its paths, by their small letters, where the file system makes no difference: another spelling is the same file.
fn spellings(opened: &git2::Repository, index: &git2::Index) -> HashMap<Vec<u8>, BString> {
    let folds = opened.config().and_then(|config| config.get_bool("core.ignoreCase")).unwrap_or(false);
    let entries = folds.then(|| index.iter()).into_iter().flatten();
    entries.map(|entry| (entry.path.to_ascii_lowercase(), entry.path.into())).collect()
}

/// An entry of the index; where numbers are missing or too large, git looks at the file again.
pub(super) fn entry(path: &BStr, id: git2::Oid, mode: u32, stat: FileStat) -> git2::IndexEntry {
    let time = |(seconds, nanoseconds): (i64, i64)| {
        git2::IndexTime::new(i32::try_from(seconds).unwrap_or(0), u32::try_from(nanoseconds).unwrap_or(0))
    };
    git2::IndexEntry {
        ctime: time(stat.changed),
        mtime: time(stat.modified),
        dev: stat.device as u32,
        ino: stat.inode as u32,
        mode,
        uid: stat.user,
        gid: stat.group,
        file_size: stat.size as u32,
        id,
        flags: 0,
        flags_extended: 0,
        path: path.to_vec(),
    }
}

/// Only announced by `git add -N`: it has no content in the index yet.
pub(super) fn is_announced(entry: &git2::IndexEntry) -> bool {
    git2::IndexEntryExtendedFlag::from_bits_truncate(entry.flags_extended).is_intent_to_add()
}

/// Marked `skip-worktree`: what stands in its place is left alone.
fn is_skipped(entry: &git2::IndexEntry) -> bool {
    git2::IndexEntryExtendedFlag::from_bits_truncate(entry.flags_extended).is_skip_worktree()
}
