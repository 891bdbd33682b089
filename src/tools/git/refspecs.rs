//! What is fetched from a remote, and under which names it is remembered: `remote.<name>.fetch`.

use std::fmt;

use gix::{bstr::ByteSlice, refspec::parse::Operation};

/// Where fetched references may be kept. Nothing else is changed by a fetch, least of all a branch of the user.
const KEPT: &[&str] = &["refs/remotes/", "refs/notes/", "refs/tags/"];

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refspec {
    is_forced: bool,
    /// Leaves out what another one would take.
    is_negative: bool,
    source: String,
    place: String,
}

impl Refspec {
    /// As it is configured; `None` for one that git does not know, or by which nothing would be kept that may be.
    pub(super) fn parse(text: &str) -> Option<Self> {
        gix::refspec::parse(text.as_bytes().as_bstr(), Operation::Fetch).ok()?;
        if let Some(source) = text.strip_prefix('^') {
            let source = source.to_owned();
            return Some(Self { is_forced: false, is_negative: true, source, place: String::new() });
        }
        let (is_forced, rest) = text.strip_prefix('+').map_or((false, text), |rest| (true, rest));
        let (source, place) = rest.split_once(':')?;
        let may_be_kept = KEPT.iter().any(|kept| place.starts_with(kept)) && !source.is_empty();
        let (source, place) = (source.to_owned(), place.to_owned());
        may_be_kept.then_some(Self { is_forced, is_negative: false, source, place })
    }

    /// What git writes for a new remote.
    pub(super) fn usual(remote: &str) -> Self {
        let (source, place) = ("refs/heads/*".to_owned(), format!("refs/remotes/{remote}/*"));
        Self { is_forced: true, is_negative: false, source, place }
    }

    /// The one of a single branch, by the first of `all` that takes it; else by the usual one.
    pub(super) fn of_branch(all: &[Self], remote: &str, branch: &str) -> Self {
        let source = format!("refs/heads/{branch}");
        let is_left_out =
            all.iter().any(|one| one.is_negative && through(&one.source, "", &source).is_some());
        let places = all.iter().filter(|one| one.place.starts_with("refs/remotes/") && !is_left_out);
        let mut places = places.filter_map(|one| {
            let written = if one.source == branch { &source } else { &one.source };
            Some((one.is_forced, through(written, &one.place, &source)?))
        });
        let (is_forced, place) =
            places.next().unwrap_or_else(|| (true, format!("refs/remotes/{remote}/{branch}")));
        Self { is_forced, is_negative: false, source, place }
    }

    /// True when a reference of this name is one that it keeps.
    pub(super) fn keeps(&self, name: &str) -> bool {
        !self.is_negative && through(&self.place, "", name).is_some()
    }

    /// What is kept under this name.
    pub(super) fn source_of(&self, name: &str) -> Option<String> {
        if self.is_negative { None } else { through(&self.place, &self.source, name) }
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }
}

impl fmt::Display for Refspec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, place, .. } = self;
        match (self.is_negative, self.is_forced) {
            (true, _) => write!(formatter, "^{source}"),
            (false, true) => write!(formatter, "+{source}:{place}"),
            (false, false) => write!(formatter, "{source}:{place}"),
        }
    }
}

/// Where a name of the left pattern is by the right one.
pub(super) fn through(from: &str, to: &str, name: &str) -> Option<String> {
    match from.split_once('*') {
        None => (from == name).then(|| to.to_owned()),
        Some((front, back)) => {
            let middle = name.strip_prefix(front)?.strip_suffix(back)?;
            Some(to.replacen('*', middle, 1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Refspec;

    #[test]
    fn a_branch_is_kept_where_the_configuration_says() {
        let all = |texts: &[&str]| texts.iter().filter_map(|text| Refspec::parse(text)).collect::<Vec<_>>();
        for (texts, branch, expected) in [
            (&[][..], "a/b", "+refs/heads/a/b:refs/remotes/o/a/b"),
            (&["refs/heads/*:refs/remotes/x/*"], "a/b", "refs/heads/a/b:refs/remotes/x/a/b"),
            (&["+refs/heads/a:refs/remotes/x/c"], "a", "+refs/heads/a:refs/remotes/x/c"),
            (&["+a:refs/remotes/x/c"], "a", "+refs/heads/a:refs/remotes/x/c"),
            (&["+refs/heads/a:refs/remotes/x/a"], "b", "+refs/heads/b:refs/remotes/o/b"),
            (&["+refs/heads/*:refs/tags/*"], "b", "+refs/heads/b:refs/remotes/o/b"),
            (&["+refs/heads/r*t:refs/remotes/x/*"], "root", "+refs/heads/root:refs/remotes/x/oo"),
            (&["+refs/heads/*:refs/remotes/x/*", "^refs/heads/b"], "b", "+refs/heads/b:refs/remotes/o/b"),
        ] {
            assert_eq!(Refspec::of_branch(&all(texts), "o", branch).to_string(), expected, "{texts:?}");
        }
    }

    #[test]
    fn what_would_change_a_branch_is_none() {
        for text in ["+refs/*:refs/*", "+refs/heads/*:refs/heads/*", "refs/heads/a", "a:b", ":", "+a*:b", ""]
        {
            assert_eq!(Refspec::parse(text), None, "{text}");
        }
        for text in ["+refs/pull/*/head:refs/remotes/o/pr/*", "refs/notes/*:refs/notes/*", "^refs/heads/x/*"]
        {
            assert_eq!(Refspec::parse(text).unwrap().to_string(), text);
        }
    }
}
