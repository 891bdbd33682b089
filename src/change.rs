//! What a call changes on disk, path by path: what the journal keeps, what undo puts back, by what an interrupted call is settled.

use std::{
    borrow::Cow,
    collections::{
        BTreeMap, HashMap,
        hash_map::Entry::{Occupied, Vacant},
    },
    ffi::OsStr,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

use crate::{ids::Etag, text::unescape_bytes};

/// One path that a call changes.
///
/// All names a call touches are listed: a move is two changes, a deleted folder one for each thing in it, the folder itself last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathChange {
    /// Relative to the workspace, resolved, as [`RelPath::to_text`](crate::relpath::RelPath::to_text) writes it.
    pub path: String,
    /// What is there before; `None`: nothing.
    pub before: Option<Node>,
    /// What is there afterwards; `None`: nothing.
    pub after: Option<Node>,
    /// The path whose bytes these are, where it is a copy within the workspace: as long as they stand there, they are not gone for good
    /// with the copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copied_from: Option<String>,
}

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Node {
    /// A regular file.
    File {
        /// Of its bytes.
        etag: Etag,
        /// Its size.
        bytes: u64,
        /// Its permission bits; `None` where they are not known or not changed. A set-id bit is only named where its owner is.
        mode: Option<u32>,
        /// Whose it is; `None` where that is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        owner: Option<Owner>,
        /// Its extended attributes, as far as they are known.
        #[serde(default, skip_serializing_if = "Attributes::is_empty")]
        attributes: Attributes,
    },
    /// A symbolic link.
    Link {
        /// What it says, as [`RelPath::to_text`](crate::relpath::RelPath::to_text) writes names.
        target: String,
    },
    /// A folder.
    Folder {
        /// Its permission bits; `None` where they are not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<u32>,
        /// Whose it is; `None` where that is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        owner: Option<Owner>,
        /// Its extended attributes, as far as they are known.
        #[serde(default, skip_serializing_if = "Attributes::is_empty")]
        attributes: Attributes,
    },
}

/// Extended attributes that say nothing about privileges, lists of rights among them: by name, the values in Base64.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Attributes(BTreeMap<String, String>);

impl Attributes {
    /// There are none, or none are known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds one; a name that is no text is none of those.
    pub fn insert(&mut self, name: &[u8], value: &[u8]) {
        if let Ok(name) = std::str::from_utf8(name) {
            self.0.insert(name.to_owned(), STANDARD.encode(value));
        }
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// There is one of this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Those that are not the same in `other`.
    #[must_use]
    pub fn beyond(&self, other: &Self) -> Self {
        let differs = |(name, value): &(&String, &String)| other.0.get(*name) != Some(*value);
        Self(self.0.iter().filter(differs).map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Vec<u8>)> {
        self.0.iter().filter_map(|(name, value)| Some((name.as_str(), STANDARD.decode(value).ok()?)))
    }
}

/// Whose something is, in the numbers of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The user.
    pub user: u32,
    /// The group.
    pub group: u32,
}

/// Whose a file is and who may do what with it, as far as a new file in its place can have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rights {
    /// Its permission bits.
    pub mode: u32,
    /// Whose it is; `None` where that is not known.
    pub owner: Option<Owner>,
}

/// The bits that let a file run as its owner or its group, whoever starts it. They vouch for its bytes: other bytes never get them.
pub const SET_ID: u32 = 0o6000;

impl Rights {
    /// What new bytes in its place have; with `executable`, whoever may read them may run them.
    #[must_use]
    pub fn of_new_bytes(self, executable: bool) -> Self {
        let mode = if executable { self.mode | ((self.mode & 0o444) >> 2) } else { self.mode };
        Self { mode: mode & !SET_ID, ..self }
    }

    /// As a person reads it: `0644`.
    pub fn octal(mode: u32) -> String {
        format!("{:04o}", mode & 0o7777)
    }

    /// A file with these rights.
    pub fn file(rights: Option<Self>, etag: Etag, bytes: u64) -> Node {
        Node::File {
            etag,
            bytes,
            mode: rights.map(|rights| rights.mode),
            owner: rights.and_then(|rights| rights.owner),
            attributes: Attributes::default(),
        }
    }
}

impl PathChange {
    /// The same change the other way.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { before: self.after.clone(), after: self.before.clone(), ..self.clone() }
    }
}

impl Node {
    /// A folder of which nothing more is known.
    pub fn folder() -> Self {
        Self::Folder { mode: None, owner: None, attributes: Attributes::default() }
    }

    /// The same with these extended attributes; a link has none.
    #[must_use]
    pub fn with_attributes(mut self, found: Attributes) -> Self {
        if let Self::File { attributes, .. } | Self::Folder { attributes, .. } = &mut self {
            *attributes = found;
        }
        self
    }

    /// Its extended attributes, as far as they are known; a link has none.
    pub fn attributes(&self) -> &Attributes {
        static NONE: Attributes = Attributes(BTreeMap::new());
        match self {
            Self::File { attributes, .. } | Self::Folder { attributes, .. } => attributes,
            Self::Link { .. } => &NONE,
        }
    }

    /// Its permissions as a person reads them, where they are known.
    pub fn octal_mode(&self) -> Option<String> {
        match self {
            Self::File { mode, .. } | Self::Folder { mode, .. } => mode.map(Rights::octal),
            Self::Link { .. } => None,
        }
    }

    /// The same thing, as far as both are known: a mode that one side does not know says nothing, and whose it is never does.
    pub fn matches(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File { etag, mode, .. }, Self::File { etag: other_etag, mode: other_mode, .. }) => {
                etag == other_etag
                    && match (mode, other_mode) {
                        (Some(mode), Some(other)) => mode == other,
                        _ => true,
                    }
            }
            (Self::Folder { mode, .. }, Self::Folder { mode: other, .. }) => {
                mode.is_none() || other.is_none() || mode == other
            }
            (one, other) => one == other,
        }
    }

    /// The same thing but for its permissions.
    pub fn holds_the_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File { etag, .. }, Self::File { etag: other, .. }) => etag == other,
            (Self::Folder { .. }, Self::Folder { .. }) => true,
            (one, other) => one == other,
        }
    }

    /// The same thing where nothing counts as a thing.
    pub fn same(one: Option<&Self>, other: Option<&Self>) -> bool {
        match (one, other) {
            (Some(one), Some(other)) => one.matches(other),
            (None, None) => true,
            _ => false,
        }
    }
}

/// Whether the path lies in this folder, at any depth.
pub fn is_below(path: &str, folder: &str) -> bool {
    let (path, folder) = (name_of(path), name_of(folder));
    path.as_encoded_bytes().strip_prefix(folder.as_encoded_bytes()).is_some_and(|rest| rest.starts_with(b"/"))
}

/// Whether both lead to the same place: a backslash in a name is written in two ways, by what else is in the path, and what would
/// name another workspace begins with `./`.
pub fn is_same(one: &str, other: &str) -> bool {
    one == other || name_of(one) == name_of(other)
}

/// The path as the system has it: the same for whatever leads to the same place.
pub fn name_of(path: &str) -> Cow<'_, OsStr> {
    let path = path.strip_prefix("./").unwrap_or(path);
    let escaped = if path.contains('\\') { unescape_bytes(path) } else { None };
    escaped.map_or_else(|| Cow::Borrowed(OsStr::new(path)), Cow::Owned)
}

/// Several changes of the same paths as one: for each path what was there first, and what is there last. What ends as it began is
/// only named, in `unchanged`. `gaps` are the paths that something else changed in between.
pub fn joined(changes: impl IntoIterator<Item = PathChange>) -> Joined {
    let mut joined = Joined::default();
    let mut places: HashMap<String, usize> = HashMap::new();
    for change in changes {
        match places.entry(change.path.clone()) {
            Vacant(place) => {
                place.insert(joined.changes.len());
                joined.changes.push(change);
            }
            Occupied(place) => {
                let known = &mut joined.changes[*place.get()];
                let after = with_what_stays(known.after.as_ref(), &change);
                if Node::same(known.after.as_ref(), change.before.as_ref()) {
                    learn_attributes(known, change.before);
                } else if !joined.gaps.contains(&known.path) {
                    joined.gaps.push(known.path.clone());
                }
                known.after = after;
            }
        }
    }
    let Joined { changes, unchanged, .. } = &mut joined;
    changes.retain(|change| {
        let is_change = !Node::same(change.before.as_ref(), change.after.as_ref());
        if !is_change {
            unchanged.push(change.path.clone());
        }
        is_change
    });
    joined
}

/// New bytes in a file leave its extended attributes alone: what somebody else has set between two calls is none of what they changed.
/// Where nothing was seen, there may be some all the same.
fn learn_attributes(known: &mut PathChange, seen: Option<Node>) {
    let (Some(first), Some(last), Some(seen)) = (&mut known.before, &known.after, seen) else { return };
    let is_file = |node: &Node| matches!(node, Node::File { .. });
    let unchanged = first.attributes() == last.attributes();
    if unchanged
        && !seen.attributes().is_empty()
        && is_file(last)
        && let (Node::File { attributes, .. }, Node::File { attributes: found, .. }) = (first, seen)
    {
        *attributes = found;
    }
}

/// What a change leaves: where new bytes were written, with those attributes that were known of the file before.
fn with_what_stays(left: Option<&Node>, change: &PathChange) -> Option<Node> {
    let says_nothing =
        |node: &Option<Node>| matches!(node, Some(Node::File { attributes, .. }) if attributes.is_empty());
    let after = change.after.clone();
    match left {
        Some(Node::File { attributes, .. }) if says_nothing(&change.before) && says_nothing(&after) => {
            after.map(|after| after.with_attributes(attributes.clone()))
        }
        _ => after,
    }
}

/// What [`joined`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joined {
    /// In the order of their first change.
    pub changes: Vec<PathChange>,
    /// Paths that something else changed in between.
    pub gaps: Vec<String>,
    /// Paths at which the last change left what the first one found.
    pub unchanged: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(content: &str) -> Node {
        Node::File {
            etag: Etag::of(content.as_bytes()),
            bytes: content.len() as u64,
            mode: None,
            owner: None,
            attributes: Attributes::default(),
        }
    }

    fn change(path: &str, before: impl Into<Option<Node>>, after: impl Into<Option<Node>>) -> PathChange {
        PathChange { path: path.into(), before: before.into(), after: after.into(), copied_from: None }
    }

    #[test]
    fn what_lies_in_a_folder_does_not_depend_on_how_its_name_is_written() {
        assert!(is_below("a/b/c", "a/b") && is_below("a/b/c", "a"));
        assert!(!is_below("a/bc", "a/b") && !is_below("a/b", "a/b"));
        assert!(!is_same("a/b", "a/c") && is_same("a", "a"));
        assert!(is_same("./app:q", "app:q") && is_below("./app:q/r", "app:q"));
        // Beside a name that is no UTF-8 each backslash of the path is written as an escape.
        #[cfg(unix)]
        {
            let [folder, inside] = [&b"back\\slash"[..], b"back\\slash/odd\xff"].map(|name| {
                crate::text::from_os(std::os::unix::ffi::OsStrExt::from_bytes(name)).into_owned()
            });
            assert!(!inside.starts_with(&folder));
            assert!(is_below(&inside, &folder) && is_same(&inside[..inside.find('/').unwrap()], &folder));
        }
    }

    #[test]
    fn changes_of_one_path_join_and_what_comes_back_is_none() {
        let joined = joined([
            change("a", None, file("1")),
            change("b", file("x"), file("y")),
            change("a", file("1"), file("2")),
            change("b", file("y"), file("x")),
            change("c", file("1"), file("2")),
            change("c", file("3"), None),
        ]);
        assert_eq!(joined.changes, [change("a", None, file("2")), change("c", file("1"), None)]);
        assert_eq!(joined.gaps, ["c"]);
        assert_eq!(joined.unchanged, ["b"]);
    }

    #[test]
    fn what_is_removed_in_the_end_had_its_attributes_in_the_beginning() {
        let mut tagged = Attributes::default();
        tagged.insert(b"user.tag", b"T");
        let with = |content: &str| file(content).with_attributes(tagged.clone());
        let written_and_removed =
            joined([change("a", file("1"), file("2")), change("a", with("2"), None)]).changes;
        assert_eq!(written_and_removed[0].before.as_ref().unwrap().attributes(), &tagged);
        // What another file brought with it is no part of what stood there.
        let replaced = joined([change("a", file("1"), with("2")), change("a", with("2"), None)]).changes;
        assert!(replaced[0].before.as_ref().unwrap().attributes().is_empty());
    }

    #[test]
    fn what_is_written_after_its_attributes_were_seen_has_them_still() {
        let mut tagged = Attributes::default();
        tagged.insert(b"user.tag", b"T");
        let with = |content: &str| file(content).with_attributes(tagged.clone());
        let after = |changes: Vec<PathChange>| joined(changes).changes[0].after.clone().unwrap();
        let patched = || change("a", with("1"), with("2"));
        let written =
            after(vec![patched(), change("a", file("2"), file("3")), change("a", file("3"), file("4"))]);
        assert_eq!(written, with("4"));
        let replaced = after(vec![patched(), change("a", with("2"), file("3"))]);
        assert_eq!(replaced, file("3"));
        let made_again = after(vec![patched(), change("a", with("2"), None), change("a", None, file("3"))]);
        assert_eq!(made_again, file("3"));
    }
}
