//! What one comparison of commits may cost: paths, bytes of their names, time. A cancel is heard between any two objects.
//!
//! What a repository says is never believed: a few small objects may stand for more paths than fit into any memory.

use std::{
    cell::Cell,
    collections::VecDeque,
    time::{Duration, Instant},
};

use gix::{
    bstr::{BStr, BString, ByteSlice, ByteVec},
    diff::tree::{
        Visit,
        recorder::Change,
        visit::{self, Action},
    },
    hash::oid,
    objs::{Data, Find, FindHeader, Header},
};

use crate::{
    limits,
    tools::{Call, Code, ToolError},
};

/// The longest path: more bytes than any system takes.
pub(super) const PATH_BYTES: usize = 4096;
/// Changed paths of one comparison; more than the largest repositories have files.
const CHANGES: usize = 500_000;
/// Bytes of all their names together.
const NAMES_BYTES: usize = 64 * 1024 * 1024;

/// The refusal of a tree with a path that no system takes.
pub(super) fn too_deep() -> ToolError {
    ToolError::new(
        Code::TooLarge,
        format!("a commit has a path of more than {PATH_BYTES} bytes"),
        "no system has such files; ask for single files by their path",
    )
}

/// The refusal of what expands to more than so many paths.
pub(super) fn too_many(limit: u64) -> ToolError {
    ToolError::new(
        Code::TooLarge,
        format!("there are more than {limit} paths, or their names are too long together"),
        "folders that hold each other many times expand to that; git_show with `path` shows single files and folders",
    )
}

/// The object database, and why reading it came to an end.
pub(super) struct Limited<'a> {
    objects: &'a gix::OdbHandle,
    call: &'a Call,
    deadline: Instant,
    ended: Cell<Option<Ended>>,
}

/// Why a comparison was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Cancelled,
    Late,
    Deep,
    Many,
}

impl<'a> Limited<'a> {
    pub(super) fn new(reader: &'a gix::Repository, call: &'a Call) -> Self {
        let deadline = Instant::now() + Duration::from_secs(limits::SEARCH_SECONDS);
        Self { objects: &reader.objects, call, deadline, ended: Cell::new(None) }
    }

    /// The reason in words; `None` when it did not come to an end.
    pub(super) fn error(&self) -> Option<ToolError> {
        self.ended.get().map(|ended| match ended {
            Ended::Cancelled => ToolError::cancelled("nothing was changed"),
            Ended::Late => ToolError::new(
                Code::Timeout,
                format!("comparing took longer than {} seconds", limits::SEARCH_SECONDS),
                "ask for commits that are nearer to each other, or for single files by their path",
            ),
            Ended::Deep => too_deep(),
            Ended::Many => too_many(CHANGES as u64),
        })
    }

    fn look(&self) -> Option<Ended> {
        if self.call.cancel.is_cancelled() {
            return Some(Ended::Cancelled);
        }
        (Instant::now() >= self.deadline).then_some(Ended::Late)
    }

    /// Fails when it was cancelled, or takes too long.
    pub(super) fn check(&self) -> gix::Result<()> {
        match self.look() {
            Some(ended) => {
                self.ended.set(Some(ended));
                Err(gix::Error::from_error(std::io::Error::other("given up")))
            }
            None => Ok(()),
        }
    }
}

impl Find for Limited<'_> {
    fn try_find<'b>(&self, id: &oid, buffer: &'b mut Vec<u8>) -> gix::Result<Option<Data<'b>>> {
        self.check()?;
        self.objects.try_find(id, buffer)
    }
}

impl FindHeader for Limited<'_> {
    fn try_header(&self, id: &oid) -> gix::Result<Option<Header>> {
        self.check()?;
        FindHeader::try_header(self.objects, id)
    }
}

/// Collects the changes of a comparison as far as they are not too many.
pub(super) struct Recorder<'a> {
    limits: &'a Limited<'a>,
    waiting: VecDeque<BString>,
    path: BString,
    names: usize,
    seen: usize,
    pub(super) records: Vec<Change>,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(limits: &'a Limited<'a>) -> Self {
        Self {
            limits,
            waiting: VecDeque::new(),
            path: BString::default(),
            names: 0,
            seen: 0,
            records: Vec::new(),
        }
    }

    fn push(&mut self, name: &BStr) {
        if name.is_empty() {
            return;
        }
        if !self.path.is_empty() {
            self.path.push(b'/');
        }
        self.path.push_str(name);
    }

    fn pop(&mut self) {
        let end = self.path.rfind_byte(b'/').unwrap_or(0);
        self.path.truncate(end);
    }
}

impl Visit for Recorder<'_> {
    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.path = self.waiting.pop_front().unwrap_or_default();
    }

    fn push_back_tracked_path_component(&mut self, component: &BStr) {
        self.push(component);
        self.waiting.push_back(self.path.clone());
    }

    fn push_path_component(&mut self, component: &BStr) {
        self.push(component);
    }

    fn pop_path_component(&mut self) {
        self.pop();
    }

    fn visit(&mut self, change: visit::Change) -> Action {
        self.seen += 1;
        self.names += self.path.len();
        let ended = if self.path.len() > PATH_BYTES {
            Some(Ended::Deep)
        } else if self.seen > CHANGES || self.names > NAMES_BYTES {
            Some(Ended::Many)
        } else if self.seen.is_multiple_of(1024) {
            self.limits.look()
        } else {
            None
        };
        if ended.is_some() {
            self.limits.ended.set(ended);
            return Action::Break(());
        }
        let path = self.path.clone();
        self.records.push(match change {
            visit::Change::Addition { entry_mode, oid, relation } => {
                Change::Addition { entry_mode, oid, path, relation }
            }
            visit::Change::Deletion { entry_mode, oid, relation } => {
                Change::Deletion { entry_mode, oid, path, relation }
            }
            visit::Change::Modification { previous_entry_mode, previous_oid, entry_mode, oid } => {
                Change::Modification { previous_entry_mode, previous_oid, entry_mode, oid, path }
            }
        });
        Action::Continue(())
    }
}
