//! What `search_grep` says to programs: where the matches are, and what was not searched. No text of any file stands here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{gathering::Found, hits::Line};
use crate::workspace::walk::WalkCounts;

/// What is returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    // No doc comments on the variants: the schema would become a union.
    #[default]
    #[serde(alias = "content")]
    Lines,
    #[serde(alias = "files_with_matches")]
    Files,
    Count,
}

/// What was found; the lines themselves are in the text.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Facts {
    /// Where the matches are, in path order; empty for `files` and `count`.
    pub matches: Vec<Match>,
    /// The matching files and how often they match; empty for `lines`.
    pub files: Vec<FileCount>,
    /// Files with a match, as far as was searched.
    pub files_matched: u64,
    /// Matches seen, as far as was searched.
    pub matches_seen: u64,
    /// All text was searched to its end, and everything found is shown or was passed over by `offset`.
    pub complete: bool,
    /// Files that were not searched, or not to their end.
    pub skipped: Skipped,
    /// Files that match and are ignored or hidden; counted when no others match, as far as was looked.
    pub ignored_matches: u64,
}

/// Where a match is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Match {
    /// The file.
    pub path: String,
    /// Its line, from 1.
    pub line: u64,
    /// The byte in that line as UTF-8, from 1.
    pub col: u64,
}

/// A matching file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileCount {
    /// The file.
    pub path: String,
    /// Matching lines; 1 for `files`, which stops at the first.
    pub count: u64,
}

/// Files that were not searched, or not to their end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Skipped {
    /// Binary: searched up to the first NUL.
    pub binary: u64,
    /// Too large.
    pub too_large: u64,
    /// Could not be read.
    pub unreadable: u64,
    /// Blocked by the configuration; folders count once.
    pub blocked: u64,
    /// Named as if they held a secret: searched only where `path` names one, after a person was asked.
    pub secret_looking: u64,
    /// Hidden or left out by ignore rules; folders count once.
    pub ignored: u64,
}

impl Skipped {
    /// No file was wanted, and then not searched.
    pub(super) fn are_none_of_files(&self) -> bool {
        self.too_large + self.unreadable + self.blocked + self.secret_looking == 0
    }
}

impl Facts {
    /// The facts of a search whose text is not made yet.
    pub(super) fn of(found: &Found, counts: WalkCounts, secret_looking: u64, output: Output) -> Self {
        let skipped = Skipped {
            binary: found.skipped.binary,
            too_large: found.skipped.too_large,
            unreadable: found.skipped.unreadable + counts.unreadable,
            blocked: counts.blocked,
            secret_looking,
            ignored: counts.ignored,
        };
        let (matches, files) = match output {
            Output::Lines => (places(found), Vec::new()),
            Output::Files | Output::Count => (Vec::new(), files(found)),
        };
        let matches_seen = found.matches;
        let complete = found.complete && !found.skipped.any_text() && counts.unreadable == 0;
        Self { matches, files, matches_seen, complete, skipped, ..Self::default() }
    }
}

/// Where the matches are.
fn places(found: &Found) -> Vec<Match> {
    let mut places = Vec::new();
    for (path, hits) in &found.files {
        let path = path.to_text();
        for line in &hits.lines {
            if let Line::Match { number, column, .. } = line {
                places.push(Match { path: path.clone(), line: *number, col: *column });
            }
        }
    }
    places
}

/// The matching files and how often they match.
fn files(found: &Found) -> Vec<FileCount> {
    found.files.iter().map(|(path, hits)| FileCount { path: path.to_text(), count: hits.matches }).collect()
}
