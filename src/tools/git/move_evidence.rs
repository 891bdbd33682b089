//! What tells whether the work tree went to another commit when its host died before it could say so.
//!
//! The files alone do not: they are written first, and HEAD and the index follow in one step. HEAD is asked.

use gix::ObjectId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    tools::{Call, ToolError},
    workspace::repository::Branch,
};

/// A move that is about to be made.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct MoveEvidence {
    /// The repository.
    folder: String,
    from: Place,
    to: Place,
    /// The files that change.
    pub(super) files: Vec<String>,
    /// The branch is made with it.
    pub(super) is_new: bool,
}

/// Where HEAD leads, and what is named there.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    reference: String,
    id: Option<String>,
}

/// Where HEAD is, seen from a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stands {
    There,
    AsBefore,
    Elsewhere,
}

impl Place {
    fn of(branch: &Branch) -> Self {
        Self { reference: branch.reference.to_string(), id: branch.id.map(|id| id.to_string()) }
    }
}

impl MoveEvidence {
    pub(super) fn new(folder: String, from: &Branch, to: &Branch, files: Vec<String>, is_new: bool) -> Self {
        Self { folder, from: Place::of(from), to: Place::of(to), files, is_new }
    }

    pub(super) fn to_value(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    pub(super) fn from_value(value: Value) -> Result<Self, ToolError> {
        serde_json::from_value(value).map_err(ToolError::internal)
    }

    pub(super) fn stands(&self, call: &Call) -> Result<Stands, ToolError> {
        let repository = super::at(call, &self.folder)?;
        let now = Place::of(&repository.head(&repository.scratch()?)?);
        Ok(if now == self.to {
            Stands::There
        } else if now == self.from {
            Stands::AsBefore
        } else {
            Stands::Elsewhere
        })
    }

    /// The branch that is gone to.
    pub(super) fn branch(&self) -> &str {
        self.to.reference.strip_prefix("refs/heads/").unwrap_or(&self.to.reference)
    }

    /// The commit that is gone to.
    pub(super) fn to(&self) -> Option<ObjectId> {
        commit(&self.to)
    }

    /// The commit that is left.
    pub(super) fn from(&self) -> Option<ObjectId> {
        commit(&self.from)
    }
}

fn commit(place: &Place) -> Option<ObjectId> {
    ObjectId::from_hex(place.id.as_deref()?.as_bytes()).ok()
}
