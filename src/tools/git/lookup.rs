//! What is known of a commit's place in the history, from the commit-graph where there is one, so that most commits are never read.

use gix::{ObjectId, traverse::commit::Either};

use super::mended;

/// Finds commits.
pub(super) struct Lookup<'a> {
    reader: &'a gix::Repository,
    graph: Option<gix::commitgraph::Graph>,
    shallow: Vec<ObjectId>,
    buffer: Vec<u8>,
}

/// A commit's place.
pub(super) struct Found {
    /// The committer's, in seconds.
    pub(super) time: i64,
    pub(super) tree: ObjectId,
    pub(super) parents: Vec<ObjectId>,
    /// More than that of any commit behind it; `None` outside of the commit-graph, and no commit in it has one behind it that is not.
    pub(super) generation: Option<u32>,
}

impl<'a> Lookup<'a> {
    pub(super) fn new(reader: &'a gix::Repository) -> gix::Result<Self> {
        let shallow = reader.shallow_commits()?.map(|commits| commits.iter().copied().collect());
        Ok(Self {
            reader,
            graph: reader.commit_graph_if_enabled()?,
            shallow: shallow.unwrap_or_default(),
            buffer: Vec::new(),
        })
    }

    /// A shallow clone begins at this commit: what is before it is not there.
    pub(super) fn begins_at(&self, id: ObjectId) -> bool {
        self.shallow.contains(&id)
    }

    pub(super) fn find(&mut self, id: ObjectId) -> gix::Result<Found> {
        let found =
            gix::traverse::commit::find(self.graph.as_ref(), &self.reader.objects, &id, &mut self.buffer)?;
        let (Ok(time), tree) = (found.commit_time(), found.tree_id()?) else { return self.find_mended(id) };
        let generation = match &found {
            Either::CachedCommit(commit) => Some(commit.generation()),
            Either::CommitRefIter(_) => None,
        };
        let parents = match (found, &self.graph) {
            // A shallow clone has nothing behind these, whatever they say.
            _ if self.shallow.contains(&id) => Vec::new(),
            (Either::CommitRefIter(commit), _) => commit.parent_ids().collect(),
            (Either::CachedCommit(commit), Some(graph)) => commit
                .iter_parents()
                .map(|parent| Ok(graph.id_at(parent?).to_owned()))
                .collect::<gix::Result<_>>()?,
            (Either::CachedCommit(_), None) => Vec::new(),
        };
        Ok(Found { time, tree, parents, generation })
    }

    /// The same of a commit that the library cannot read as it is.
    fn find_mended(&self, id: ObjectId) -> gix::Result<Found> {
        let commit = self.reader.find_commit(id)?;
        let bytes = mended::mended(&commit.data);
        let commit = mended::decoded(&bytes)?;
        let is_cut = self.shallow.contains(&id);
        Ok(Found {
            time: commit.time().map_or(0, |time| time.seconds),
            tree: commit.tree(),
            parents: if is_cut { Vec::new() } else { commit.parents().collect() },
            generation: None,
        })
    }
}
