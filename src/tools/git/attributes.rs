//! What `.gitattributes` say about a path, as far as these tools need it.

use std::{collections::HashSet, fmt};

use encoding_rs::{Encoding, REPLACEMENT, UTF_16BE, UTF_16LE, WINDOWS_874, X_USER_DEFINED};
use gix::{
    attrs::StateRef,
    bstr::{BStr, BString, ByteSlice},
    index::entry::{Flags, Stat},
    worktree::{IndexPersistedOrInMemory, stack::state::attributes::Source},
};

use super::{
    between::entry_at,
    changes::Entry,
    headings::Language,
    ident::with_id,
    own_encoding::OwnEncoding,
    readable,
    rule_files::{self, ATTRIBUTES},
    side::{self, LINK},
};
use crate::{
    text::visible,
    tools::{Call, Code, ToolError},
    workspace::{
        repository::{
            ATTRIBUTES as RULES_NAME, Repository, RepositoryError, driver_has_headings, driver_is_binary,
            leads_in_circles,
        },
        walk::{WalkKind, stat_walked},
    },
};

/// The answers for one path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PathAttributes {
    /// What it would take to read or write the file, and is not here.
    pub(super) foreign: Option<Foreign>,
    /// It has an encoding of its own.
    pub(super) encoded: bool,
    /// That encoding, where gix has another idea of it than git.
    pub(super) own: Option<OwnEncoding>,
    /// `ident`: it holds its own id.
    pub(super) ident: bool,
    /// `diff` or `-diff`, or a driver that says so: a file is shown as text whatever is in it, or never.
    pub(super) as_text: Option<bool>,
    /// The language of a driver that git has built in: it tells which lines head a difference.
    pub(super) language: Option<Language>,
}

/// What stands between a file and what git stores of it, and does not work here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Foreign {
    /// A filter driver, which is a program.
    Filter(String),
    /// An encoding that only git knows.
    Encoding(String),
}

impl fmt::Display for Foreign {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Filter(name) => write!(formatter, "the filter `{name}` (LFS, git-crypt or the like)"),
            Self::Encoding(name) => write!(formatter, "the encoding `{name}` (`working-tree-encoding`)"),
        }
    }
}

/// What is to be said where so many paths may be unchanged.
pub(super) fn note_foreign(count: usize) -> Option<String> {
    (count > 0).then(|| {
        format!(
            "{count} changed paths have a `filter` attribute (LFS or the like), or an encoding that is not known here; they were compared \
             without it and may be unchanged"
        )
    })
}

fn shown(name: &BStr) -> String {
    visible(&name.to_str_lossy()).into_owned()
}

/// The name of an encoding that is not known here.
fn unknown(state: StateRef<'_>) -> Option<String> {
    match state {
        StateRef::Value(name) => {
            let known = Encoding::for_label(name.as_bstr());
            let is_other = known.is_none_or(|known| {
                // Other names of UTF-16 mean another thing to git: `UCS-2` keeps its mark. So does `TIS-620`, and the last two are
                // known to web pages alone.
                known == UTF_16LE
                    || known == UTF_16BE
                    || (known == WINDOWS_874 && !name.as_bstr().ends_with(b"874"))
                    || known == X_USER_DEFINED
                    || known == REPLACEMENT
            });
            (is_other && OwnEncoding::named(name.as_bstr()).is_none()).then(|| shown(name.as_bstr()))
        }
        StateRef::Set => Some("true".to_owned()),
        StateRef::Unset => Some("false".to_owned()),
        StateRef::Unspecified => None,
    }
}

/// The failure of a conversion: nearly always the content's.
fn not_converted(repository: &Repository, path: &BStr, error: &gix::Error) -> ToolError {
    if leads_in_circles(error) {
        return ToolError::new(
            Code::UnsupportedHere,
            format!("a link that leads to itself stands in the way to `{}`", visible(&path.to_str_lossy())),
            "remove the link, e.g. with fs_delete, then call again",
        );
    }
    match repository.broken(error) {
        RepositoryError::Broken { reason, .. } => not_as_set_up(path, &reason),
        other => other.into(),
    }
}

/// The content of a file is not what the rules for it say.
fn not_as_set_up(path: &BStr, reason: &str) -> ToolError {
    ToolError::new(
        Code::EncodingUnsupported,
        format!("`{}` cannot be converted as git is set up for it: {reason}", visible(&path.to_str_lossy())),
        "give the file one kind of line ends, and the encoding that `.gitattributes` names for it; or the user changes that \
         rule or `core.safecrlf`",
    )
}

/// Looks attributes up; best in path order.
pub(super) struct Attributes<'a> {
    repository: &'a Repository,
    reader: &'a gix::Repository,
    stack: gix::AttributeStack<'a>,
    outcome: gix::attrs::search::Outcome,
}

impl<'a> Attributes<'a> {
    pub(super) fn new(repository: &'a Repository, reader: &'a gix::Repository) -> Result<Self, ToolError> {
        let index = reader.index_or_empty().map_err(|error| repository.broken(&error))?;
        Self::from(repository, reader, &index, Source::WorktreeThenIdMapping)
    }

    /// Without the rule files of the work tree, which may not be read: git then takes those of the index too.
    pub(super) fn by_index(
        repository: &'a Repository,
        reader: &'a gix::Repository,
    ) -> Result<Self, ToolError> {
        let index = reader.index_or_empty().map_err(|error| repository.broken(&error))?;
        Self::from(repository, reader, &index, Source::IdMapping)
    }

    /// Without the index, which takes longer to read than most commits: the rule files of the work tree alone, as for
    /// `git show`.
    pub(super) fn without_index(
        repository: &'a Repository,
        reader: &'a gix::Repository,
    ) -> Result<Self, ToolError> {
        let empty = gix::index::State::new(reader.object_hash());
        Self::from(repository, reader, &empty, Source::WorktreeThenIdMapping)
    }

    /// With the rule files of `index`, or of the work tree before those.
    fn from(
        repository: &'a Repository,
        reader: &'a gix::Repository,
        index: &gix::index::State,
        source: Source,
    ) -> Result<Self, ToolError> {
        if !matches!(source, Source::WorktreeThenIdMapping) {
            repository.check_all_stored_rules(reader, index)?;
        }
        let index = rule_files::readable(index);
        let stack = reader.attributes_only(&index, source).map_err(|error| repository.broken(&error))?;
        let outcome = stack.selected_attribute_matches(["filter", "diff", "ident", "working-tree-encoding"]);
        Ok(Self { repository, reader, stack, outcome })
    }

    /// The attributes of a path of the repository.
    pub(super) fn of(&mut self, path: &BStr) -> Result<PathAttributes, ToolError> {
        let platform = match self.stack.at_entry(path, None) {
            Ok(platform) => platform,
            // A link to itself stands where its folder was: nothing is there, and no rules either.
            Err(error) if leads_in_circles(&error) => return Ok(PathAttributes::default()),
            Err(error) => return Err(self.repository.broken(&error).into()),
        };
        self.outcome.reset();
        platform.matching_attributes(&mut self.outcome);
        let mut found = PathAttributes::default();
        for matched in self.outcome.iter_selected() {
            match (matched.assignment.name.as_str(), matched.assignment.state) {
                ("filter", StateRef::Value(name)) => {
                    found.foreign = Some(Foreign::Filter(shown(name.as_bstr())));
                }
                ("working-tree-encoding", state) => {
                    found.encoded = state != StateRef::Unspecified;
                    found.own = match state {
                        StateRef::Value(name) => OwnEncoding::named(name.as_bstr()),
                        _ => None,
                    };
                    found.foreign = found.foreign.or_else(|| unknown(state).map(Foreign::Encoding));
                }
                ("ident", StateRef::Set) => found.ident = true,
                ("diff", StateRef::Unset) => found.as_text = Some(false),
                ("diff", StateRef::Set) => found.as_text = Some(true),
                ("diff", StateRef::Value(driver)) => {
                    let driver = driver.as_bstr();
                    found.as_text = driver_is_binary(self.reader, driver).map(|is_binary| !is_binary);
                    let has_own = driver_has_headings(self.reader, driver);
                    found.language = if has_own { None } else { Language::named(driver) };
                }
                _ => {}
            }
        }
        Ok(found)
    }
}

/// Turns bytes of the work tree into what git stores: line ends, `ident`, encodings. Filter drivers are not part of it.
pub(super) struct ToGit<'a> {
    repository: &'a Repository,
    pipeline: gix::filter::Pipeline<'a>,
    index: IndexPersistedOrInMemory,
}

impl<'a> ToGit<'a> {
    pub(super) fn new(repository: &'a Repository, reader: &'a gix::Repository) -> Result<Self, ToolError> {
        Self::from(repository, reader, Source::WorktreeThenIdMapping)
    }

    /// As [`Attributes::by_index`].
    pub(super) fn by_index(
        repository: &'a Repository,
        reader: &'a gix::Repository,
    ) -> Result<Self, ToolError> {
        Self::from(repository, reader, Source::IdMapping)
    }

    fn from(
        repository: &'a Repository,
        reader: &'a gix::Repository,
        source: Source,
    ) -> Result<Self, ToolError> {
        let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
        let index = IndexPersistedOrInMemory::from(reader.index_or_empty().map_err(broken)?);
        let stack = reader.attributes_only(&rule_files::readable(&index), source).map_err(broken)?;
        let pipeline = gix::filter::Pipeline::new(reader, stack.detach()).map_err(broken)?;
        Ok(Self { repository, pipeline, index })
    }

    /// The bytes git would store for `path`, which may have an encoding that gix has another idea of; `None`: these.
    pub(super) fn convert(
        &mut self,
        path: &BStr,
        bytes: &[u8],
        own: Option<OwnEncoding>,
    ) -> Result<Option<Vec<u8>>, ToolError> {
        use gix::filter::plumbing::pipeline::convert::ToGitOutcome;
        let bytes = match own {
            Some(own) => own.readable(bytes).map_err(|reason| not_as_set_up(path, reason))?,
            None => bytes.into(),
        };
        let failed = |error: gix::Error| not_converted(self.repository, path, &error);
        let place = gix::path::from_bstr(path).map_err(|error| self.repository.broken(&error))?;
        let outcome = self.pipeline.convert_to_git(&*bytes, &place, &self.index).map_err(failed)?;
        match outcome {
            ToGitOutcome::Unchanged(_) => Ok(None),
            ToGitOutcome::Buffer(converted) => {
                let converted = converted.to_vec();
                Ok(Some(match own {
                    Some(own) => own.stored(converted),
                    None => converted,
                }))
            }
            ToGitOutcome::Process(_) => Err(ToolError::internal("a filter driver was about to run")),
        }
    }
}

/// Turns what git stores into bytes of the work tree. A path that a filter driver would have to make is refused.
pub(super) struct ToWorkTree<'a> {
    repository: &'a Repository,
    pipeline: gix::filter::Pipeline<'a>,
    attributes: Attributes<'a>,
    has_links: bool,
    /// Rule files of the work tree count that no comparison has looked at: they may be a pipe, or beyond measure.
    looks_above: bool,
    unseen: Option<Unseen<'a>>,
}

/// Where a rule file goes with its branch, those of the work tree are not looked at: one that git does not know would stay, and count.
struct Unseen<'a> {
    call: &'a Call,
    /// Rule files of the index and of what comes.
    known: HashSet<BString>,
    /// Folders that have no other.
    looked: HashSet<BString>,
}

impl Unseen<'_> {
    /// An error where a rule file counts for `path` that was not looked at.
    fn check(&mut self, repository: &Repository, path: &BStr) -> Result<(), ToolError> {
        let mut folder = path.rfind_byte(b'/').map_or(&b""[..], |end| &path[..end]);
        while self.looked.insert(folder.into()) {
            let rules =
                if folder.is_empty() { ATTRIBUTES.into() } else { [folder, b"/", ATTRIBUTES].concat() };
            let place = repository.in_workspace(rules.as_bstr());
            if !self.known.contains(rules.as_bstr())
                && let Some(place) = place
                && matches!(stat_walked(self.call.workspace.handle(), &place), Ok(Some(WalkKind::File)))
            {
                return Err(ToolError::new(
                    Code::UnsupportedHere,
                    format!(
                        "`{place}` is not tracked and would count, while another one goes: that is not supported here"
                    ),
                    "commit it or move it away first; or the user does this with git itself",
                ));
            }
            folder = folder.rfind_byte(b'/').map_or(&b""[..], |end| &folder[..end]);
        }
        Ok(())
    }
}

/// Whose rule files say what becomes of a file on its way into the work tree.
#[derive(Clone, Debug)]
pub(super) enum Rules {
    /// Those of a tree, all of which comes.
    Tree(gix::ObjectId),
    /// Those of the work tree, where these come first, as for git. In a folder that has none, that of the index counts.
    WorkTree(Vec<(BString, Entry)>),
}

impl Default for Rules {
    fn default() -> Self {
        Self::WorkTree(Vec::new())
    }
}

impl<'a> ToWorkTree<'a> {
    pub(super) fn new(
        call: &'a Call,
        repository: &'a Repository,
        reader: &'a gix::Repository,
        rules: &Rules,
    ) -> Result<Self, ToolError> {
        let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
        let mut unseen = None;
        let (index, source) = match rules {
            Rules::Tree(tree) => {
                readable::stored_tree(call, repository, reader, *tree)?;
                let mut known = gix::index::State::from(reader.index_from_tree(tree).map_err(broken)?);
                // One that is not known to git stays where it is, and counts, as for git; one that goes with its branch counts for
                // nothing.
                let old = reader.index_or_empty().map_err(broken)?;
                let is_rules = |path: &BStr| path.rsplit_str("/").next() == Some(ATTRIBUTES);
                let head = reader.head_tree_id_or_empty().map_err(broken)?.detach();
                let (mut one_goes, mut staged) = (false, Vec::new());
                for entry in old.entries() {
                    let path = entry.path(&old);
                    if !is_rules(path) || known.entry_by_path(path).is_some() {
                        continue;
                    }
                    if entry_at(reader, head, path).map_err(broken)?.is_some() {
                        one_goes = true;
                    } else if !entry.flags.contains(Flags::INTENT_TO_ADD) {
                        staged.push((path.to_owned(), entry.id, entry.mode));
                    }
                }
                if one_goes {
                    let of_index = old.entries().iter().map(|entry| entry.path(&old).to_owned());
                    let rules = of_index.filter(|path| is_rules(path.as_bstr())).collect();
                    unseen = Some(Unseen { call, known: rules, looked: HashSet::new() });
                    // What is staged and in no commit yet stays as well.
                    for (path, id, mode) in staged {
                        known.dangerously_push_entry(
                            Stat::default(),
                            id,
                            Flags::empty(),
                            mode,
                            path.as_bstr(),
                        );
                    }
                    known.sort_entries();
                }
                if let Some(unseen) = &mut unseen {
                    let rules = known.entries().iter().map(|entry| entry.path(&known).to_owned());
                    unseen.known.extend(rules.filter(|path| is_rules(path.as_bstr())));
                }
                rule_files::make_readable(&mut known);
                (known, if one_goes { Source::IdMapping } else { Source::IdMappingThenWorktree })
            }
            Rules::WorkTree(files) => {
                let index = reader.index_or_empty().map_err(broken)?;
                let mut known = gix::index::State::new(reader.object_hash());
                let mut put = |path: &BStr, id| {
                    let (stat, flags) = (Stat::default(), Flags::empty());
                    known.dangerously_push_entry(stat, id, flags, gix::index::entry::Mode::FILE, path);
                };
                for (path, entry) in files {
                    put(path.as_bstr(), entry.id);
                }
                for entry in index.entries() {
                    let path = entry.path(&index);
                    let is_rules = path.rsplit_str("/").next() == Some(ATTRIBUTES);
                    let is_missing = || {
                        let path = repository.in_workspace(path);
                        path.is_some_and(|path| {
                            matches!(stat_walked(call.workspace.handle(), &path), Ok(None))
                        })
                    };
                    if is_rules && !files.iter().any(|(comes, _)| comes == path) && is_missing() {
                        put(path, entry.id);
                    }
                }
                known.sort_entries();
                (known, Source::IdMappingThenWorktree)
            }
        };
        let stack = reader.attributes_only(&index, source).map_err(broken)?;
        let pipeline = gix::filter::Pipeline::new(reader, stack.detach()).map_err(broken)?;
        let attributes = Attributes::from(repository, reader, &index, source)?;
        let has_links = side::has_links(reader);
        let looks_above = matches!((rules, source), (Rules::Tree(_), Source::IdMappingThenWorktree));
        Ok(Self { repository, pipeline, attributes, has_links, looks_above, unseen })
    }

    /// Whether the work tree has a link where git stores this.
    pub(super) fn is_link(&self, entry: Entry) -> bool {
        entry.mode == LINK && self.has_links
    }

    /// The bytes that the file at `path` has.
    pub(super) fn convert(
        &mut self,
        path: &BStr,
        entry: Entry,
        bytes: Vec<u8>,
    ) -> Result<Vec<u8>, ToolError> {
        use gix::filter::plumbing::pipeline::convert::{ToWorktreeOutcome, to_worktree};
        if entry.mode == LINK {
            return Ok(bytes);
        }
        if self.looks_above
            && let Some(path) = self.repository.in_workspace(path)
        {
            self.repository.check_rules_above(&path, RULES_NAME)?;
        }
        if let Some(unseen) = &mut self.unseen {
            unseen.check(self.repository, path)?;
        }
        let attributes = self.attributes.of(path)?;
        if let Some(foreign) = attributes.foreign {
            return Err(ToolError::new(
                Code::UnsupportedHere,
                format!("`{}` uses {foreign}, which is not supported here", visible(&path.to_str_lossy())),
                "the user can do this with git itself; leave it out here",
            ));
        }
        let failed = |error: gix::Error| not_converted(self.repository, path, &error);
        let options = to_worktree::Options {
            unknown_encoding: to_worktree::UnknownEncoding::Fail,
            ..to_worktree::Options::default()
        };
        let wrong = |reason: &'static str| not_as_set_up(path, reason);
        let bytes = if attributes.ident { with_id(bytes) } else { bytes };
        let bytes = match attributes.own {
            Some(own) => own.writable(bytes).map_err(wrong)?,
            None => bytes,
        };
        let converted = match self.pipeline.convert_to_worktree(&bytes, path, options).map_err(failed)? {
            ToWorktreeOutcome::Unchanged(_) => None,
            ToWorktreeOutcome::Buffer(converted) => Some(converted.to_vec()),
            ToWorktreeOutcome::Process(_) => {
                return Err(ToolError::internal("a filter driver was about to run"));
            }
        };
        let bytes = converted.unwrap_or(bytes);
        match attributes.own {
            Some(own) => own.written(bytes).map_err(wrong),
            None => Ok(bytes),
        }
    }
}
