//! What the text behind the `@@` of a hunk says of its place. Pure.
//!
//! A whole line of the file is a name: the hunk stands below it. Everything else is a hint, which may choose between several places, and
//! never keeps a hunk from the one place where its lines stand.

use super::{
    PatchHunk,
    find::{PLACES_NAMED, PlaceError},
    lines::{Lines, Reading},
    section::BlockEnd,
};
use crate::tools::fs::indent::Shift;

/// What has to be told of a hunk that is where its header does not say for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Nothing above its place, the only one, is what stands behind its `@@`.
    Unnamed,
    /// Of so many places it is the first below the line that it names.
    First(usize),
    /// Of so many places it is the one that seems to belong to what that line begins.
    Within(usize),
}

/// What counts of a line that a header names: the first that is found decides.
const READINGS: [Reading; 3] = [Reading::Whole, Reading::WithoutBlanks, Reading::FoldedWithoutBlanks];

/// A text that is a part of more lines than this is a part of any.
const PARTS_MAX: usize = 1000;

/// So many lines of one header count, the last ones: models name two or three.
const NAMES_MAX: usize = 8;

/// Bytes that are searched for a part of a line in the time in which one line is looked at.
const PART_BYTES: usize = 1024;

/// Where one of the lines stands that a header names.
struct Standing<'l> {
    /// As a whole line, by each reading.
    whole: [&'l [usize]; 3],
    /// As a part of one, where it is no whole one.
    parts: Vec<usize>,
}

impl Standing<'_> {
    fn is_whole(&self) -> bool {
        self.whole.iter().any(|places| !places.is_empty())
    }

    fn is_nowhere(&self) -> bool {
        !self.is_whole() && self.parts.is_empty()
    }

    fn readings(&self) -> impl Iterator<Item = &[usize]> {
        self.whole.iter().copied().chain([self.parts.as_slice()])
    }

    /// Where it stands first from a line on.
    fn next(&self, from: usize) -> Option<usize> {
        self.readings().find_map(|places| behind(places, from).first().copied())
    }

    /// Where it stands from a line on, and once above that: two hunks may be below one line.
    fn around(&self, from: usize) -> &[usize] {
        let found = self.readings().find(|places| !behind(places, from).is_empty());
        let places = found.or_else(|| self.readings().find(|places| !places.is_empty())).unwrap_or_default();
        &places[places.partition_point(|at| *at < from).saturating_sub(1)..]
    }
}

/// What it takes to find the nearest of a line's places, in lines looked at.
const LOOKS: usize = 64;

/// The lines that a header names, each below the one before.
pub(super) struct Named<'l> {
    standing: Vec<Standing<'l>>,
    /// Each is a whole line of the file.
    is_name: bool,
    begin: usize,
}

impl Named<'_> {
    /// Where the first of them stands.
    fn heads(&self) -> &[usize] {
        self.standing.first().map(|first| first.around(self.begin)).unwrap_or_default()
    }

    /// Where the last of them stands that begin with this one. Further down it is no further up.
    fn last(&self, head: usize) -> Option<usize> {
        self.standing.iter().skip(1).try_fold(head, |above, next| next.next(above + 1))
    }

    /// The nearest of the last of them above a line.
    fn nearest(&self, line: usize) -> Option<usize> {
        let heads = self.heads();
        let above = heads.partition_point(|head| self.last(*head).is_some_and(|last| last < line));
        self.last(*heads.get(above.checked_sub(1)?)?)
    }
}

impl Lines<'_> {
    /// The lines that the header of a hunk names, for a hunk that stands from `begin` on.
    pub(super) fn named(&self, hunk: &PatchHunk, begin: usize) -> Result<Named<'_>, PlaceError> {
        let anchors = &hunk.anchors[hunk.anchors.len().saturating_sub(NAMES_MAX)..];
        let standing: Vec<_> = anchors.iter().map(|anchor| self.anchor(anchor)).collect();
        let is_name = standing.iter().all(Standing::is_whole);
        // A line of the hunk itself that slipped there is not left out.
        let is_line = |(anchor, standing): &(&String, &Standing<'_>)| {
            anchor.starts_with(['+', '-']) && !standing.is_whole()
        };
        if let Some((anchor, _)) = anchors.iter().zip(&standing).find(is_line) {
            return Err(PlaceError::NoAnchor { line: hunk.line, anchor: anchor.clone() });
        }
        let standing = standing.into_iter().filter(|standing| !standing.is_nowhere()).collect();
        let mut named = Named { standing, is_name, begin };
        // Further down no line is further up: where the first has none below it, no other has one.
        if named.heads().first().is_none_or(|head| named.last(*head).is_none()) {
            if is_name && let Some(error) = self.broken(hunk) {
                return Err(error);
            }
            named.standing.clear();
        }
        Ok(named)
    }

    fn anchor(&self, anchor: &str) -> Standing<'_> {
        let whole = READINGS.map(|reading| self.standing(&reading.of(anchor), reading));
        let is_part = whole.iter().all(|places| places.is_empty());
        Standing { whole, parts: if is_part { self.lines_with(anchor) } else { Vec::new() } }
    }

    /// The lines that have this text as whole words.
    fn lines_with(&self, part: &str) -> Vec<usize> {
        let is_word = |sign: Option<char>| sign.is_some_and(|sign| sign.is_alphanumeric() || sign == '_');
        let splits = |before: Option<char>, after: Option<char>| is_word(before) && is_word(after);
        let (mut lines, mut hits) = (Vec::new(), 0);
        if part.is_empty() || !self.may_look(self.text.len() / PART_BYTES + 1) {
            return lines;
        }
        for at in memchr::memmem::find_iter(self.text.as_bytes(), part.as_bytes()) {
            let (before, behind) = (&self.text[..at], &self.text[at + part.len()..]);
            hits += 1;
            if hits > PARTS_MAX * PARTS_MAX.ilog2() as usize {
                return Vec::new();
            }
            if splits(before.chars().next_back(), part.chars().next())
                || splits(part.chars().next_back(), behind.chars().next())
            {
                continue;
            }
            let line = self.starts.partition_point(|start| *start <= at) - 1;
            if lines.last() != Some(&line) {
                lines.push(line);
            }
            if lines.len() > PARTS_MAX {
                return Vec::new();
            }
        }
        lines
    }

    /// The first of the lines that a header names which stands only above the one before it.
    fn broken(&self, hunk: &PatchHunk) -> Option<PlaceError> {
        let mut from = 0;
        for anchor in &hunk.anchors {
            match self.anchor(anchor).next(from) {
                Some(at) => from = at + 1,
                None => return Some(self.no_anchor(hunk, anchor, from)),
            }
        }
        None
    }

    /// A line that a header names stands nowhere from `from` on.
    fn no_anchor(&self, hunk: &PatchHunk, anchor: &str, from: usize) -> PlaceError {
        let standing = self.anchor(anchor);
        let above =
            standing.whole.iter().find_map(|places| places.iter().take_while(|at| **at < from).last());
        let (line, anchor) = (hunk.line, anchor.to_owned());
        match above {
            Some(at) => PlaceError::AnchorAbove { line, anchor, at: at + 1 },
            None => PlaceError::NoAnchor { line, anchor },
        }
    }

    /// Of the places of a hunk the one that its header means; none where all stand above what it names.
    pub(super) fn meant(
        &self,
        hunk: &PatchHunk,
        named: &Named<'_>,
        mut places: Vec<(usize, Shift)>,
    ) -> Result<Option<(usize, Shift, Option<Doubt>)>, PlaceError> {
        let is_below = |at: usize| named.nearest(at + hunk.old.len()).is_some();
        // Further down no place is less below.
        if !places.last().is_some_and(|(at, _)| !named.is_name || is_below(*at)) {
            return Ok(None);
        }
        if let [(at, _)] = places.as_slice() {
            let doubt = (!is_below(*at)).then_some(Doubt::Unnamed);
            return Ok(places.pop().map(|(at, shift)| (at, shift, doubt)));
        }
        let (within, is_sure) = self.within(hunk, named, &places);
        match within.as_slice() {
            [(index, head)] => {
                // The first of several names is the one that every reader takes.
                let is_first = named.heads().first().and_then(|first| named.last(*first)) == Some(*head);
                let doubt = (!(is_sure && is_first)).then_some(Doubt::Within(places.len()));
                let (at, shift) = places.swap_remove(*index);
                return Ok(Some((at, shift, doubt)));
            }
            [(_, one), (_, other)] if one != other => return Err(ambiguous(hunk, &places)),
            _ => {}
        }
        // Below a line above the last hunk, and below one like it further down.
        let is_either =
            within.first().is_some_and(|(_, head)| *head < named.begin) && named.heads().len() > 1;
        if !hunk.first_below || !named.is_name || is_either {
            return Err(ambiguous(hunk, &places));
        }
        let length = hunk.old.len();
        let first =
            |from: usize| places.get(places.partition_point(|(at, _)| at + length < from)).map(|(at, _)| *at);
        let first = below(hunk, named, first)?;
        let doubt = Doubt::First(places.len());
        match places.iter().position(|(at, _)| Some(*at) == first) {
            Some(index) => {
                let (at, shift) = places.swap_remove(index);
                Ok(Some((at, shift, Some(doubt))))
            }
            None => Ok(None),
        }
    }

    /// The places that belong to what begins at a line that the header names, each with that line; no more than two, and none where
    /// to know it would take too long. And whether all others certainly belong elsewhere.
    fn within(
        &self,
        hunk: &PatchHunk,
        named: &Named<'_>,
        places: &[(usize, Shift)],
    ) -> (Vec<(usize, usize)>, bool) {
        let length = hunk.old.len();
        // The places whose nearest line is further up.
        let above = |head: usize| places.partition_point(|(at, _)| at + length <= head);
        let (mut within, mut is_sure) = (Vec::new(), named.is_name);
        let mut heads = named.heads();
        while let Some(head) = heads.first().and_then(|head| named.last(*head)) {
            if !self.may_look(named.standing.len() * LOOKS) {
                return (Vec::new(), false);
            }
            heads = &heads[heads.partition_point(|other| named.last(*other) == Some(head))..];
            let next = heads.first().and_then(|other| named.last(*other));
            let own = above(head)..next.map_or(places.len(), above);
            if own.is_empty() {
                continue;
            }
            let block = BlockEnd::of(&self.each, head);
            if !self.may_look(block.looked_at) {
                return (Vec::new(), false);
            }
            for (index, (at, _)) in places[own.clone()].iter().enumerate() {
                // One of its own lines is the line that it names, or it is below it.
                if head < *at && !block.is_behind(*at) {
                    is_sure &= block.is_sure;
                    break;
                }
                within.push((own.start + index, head));
                if within.len() > 1 {
                    return (within, false);
                }
            }
        }
        (within, is_sure)
    }

    /// The lines of a hunk stand at `at`, and not where it may be.
    pub(super) fn out_of_order(&self, hunk: &PatchHunk, begin: usize, at: usize) -> PlaceError {
        let line = hunk.line;
        let all = match self.named(hunk, 0) {
            Ok(all) => all,
            Err(error) => return error,
        };
        let is_name = all.is_name && !hunk.anchors.is_empty();
        if is_name && all.nearest(at + hunk.old.len()).is_none() {
            return PlaceError::AboveAnchor { line, at: at + 1 };
        }
        if at >= begin {
            return PlaceError::NotFound { line, wanted: hunk.old.join("\n") };
        }
        match hunk.anchors.first().filter(|_| is_name) {
            Some(anchor) if self.anchor(anchor).next(begin).is_none() => self.no_anchor(hunk, anchor, begin),
            _ => PlaceError::Disorder { line, at: at + 1 },
        }
    }

    /// Right below the lines that a header names, for lines that only come.
    pub(super) fn right_below(&self, hunk: &PatchHunk, begin: usize) -> Result<Option<usize>, PlaceError> {
        let mut from = begin;
        for anchor in &hunk.anchors {
            match self.anchor(anchor).whole.iter().find_map(|places| behind(places, from).first()) {
                Some(at) => from = at + 1,
                None => return Err(self.no_anchor(hunk, anchor, from)),
            }
        }
        below(hunk, &self.named(hunk, begin)?, Some)
    }
}

/// The first place below the lines that the header names; `first` gives the first place from a line on. Of several places of the first
/// of those lines none is meant more than another: below each it has to be the same.
fn below(
    hunk: &PatchHunk,
    named: &Named<'_>,
    first: impl Fn(usize) -> Option<usize>,
) -> Result<Option<usize>, PlaceError> {
    let heads = named.heads();
    let mut heads = match behind(heads, named.begin) {
        [] => heads,
        heads => heads,
    };
    let place = |head: &usize| first(named.last(*head)? + 1);
    let mut places = Vec::new();
    // Further down no place is further up, so those with the same one stand together.
    while let Some(found) = heads.first().and_then(place)
        && places.len() < PLACES_NAMED
    {
        places.push(found);
        heads = &heads[heads.partition_point(|head| place(head) == Some(found))..];
    }
    if places.len() > 1 {
        let places = places.iter().map(|at| at + 1).collect();
        return Err(PlaceError::Ambiguous { line: hunk.line, is_numbered: false, is_named: true, places });
    }
    Ok(places.pop())
}

fn ambiguous(hunk: &PatchHunk, places: &[(usize, Shift)]) -> PlaceError {
    let places = places.iter().map(|(at, _)| at + 1).collect();
    PlaceError::Ambiguous { line: hunk.line, is_numbered: false, is_named: true, places }
}

/// The places from a line on.
fn behind(places: &[usize], from: usize) -> &[usize] {
    &places[places.partition_point(|at| *at < from)..]
}

#[cfg(test)]
mod tests;
