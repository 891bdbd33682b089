//! Globs whose only special character is `*`: matched without a regular expression.
//!
//! A set of globs compiles an automaton for each `a*b`, which costs a starting host more than everything else together.

/// A glob of literal pieces with `*` between them, folder by folder.
#[derive(Clone, Debug)]
pub(super) struct Wildcard {
    /// The pieces of each name; between two of them is a `*`.
    names: Vec<Vec<String>>,
}

impl Wildcard {
    /// The same for any glob of literals and `*`, also one that a set could match.
    pub(super) fn any(glob: &str) -> Self {
        Self { names: glob.split('/').map(|name| name.split('*').map(str::to_owned).collect()).collect() }
    }

    /// The glob as a wildcard; `None` when it has other special characters, `**` among them, or no `*` inside a name.
    ///
    /// Literals, `a*` and `*a` are left to the set, which is faster with many of them.
    pub(super) fn of(glob: &str) -> Option<Self> {
        if glob.contains(['?', '[', ']', '{', '}', '!', '\\']) || glob.contains("**") {
            return None;
        }
        let Self { names } = Self::any(glob);
        let simple = |pieces: &Vec<String>| match pieces.as_slice() {
            [_] => true,
            [before, after] => before.is_empty() || after.is_empty(),
            _ => false,
        };
        let left_to_the_set = if names.len() == 1 { names.iter().all(simple) } else { !glob.contains('*') };
        (!left_to_the_set).then_some(Self { names })
    }

    /// True when all of `path` matches.
    pub(super) fn matches(&self, path: &str) -> bool {
        let mut names = path.split('/');
        self.takes(&mut names) && names.next().is_none()
    }

    /// True when `path` matches, or lies in a folder that does.
    pub(super) fn begins(&self, path: &str) -> bool {
        self.takes(&mut path.split('/'))
    }

    fn takes<'p>(&self, names: &mut impl Iterator<Item = &'p str>) -> bool {
        self.names.iter().all(|pieces| names.next().is_some_and(|name| matches_name(pieces, name)))
    }
}

/// The first piece begins the name, the last ends it, the others follow one another between them.
pub(super) fn matches_name<S: AsRef<str>>(pieces: &[S], name: &str) -> bool {
    let [first, between @ .., last] = pieces else {
        return pieces.first().is_some_and(|only| only.as_ref() == name);
    };
    let Some(rest) = name.strip_prefix(first.as_ref()) else { return false };
    let Some(mut rest) = rest.strip_suffix(last.as_ref()) else { return false };
    for piece in between {
        let Some(position) = rest.find(piece.as_ref()) else { return false };
        rest = &rest[position + piece.as_ref().len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use globset::GlobBuilder;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_stars_inside_are_taken() {
        for glob in ["a", "a*", "*a", "*.pem", "a/b", "**/a*b", "a?*b", "[a]*b", "{a,b}*c", "a**b"] {
            assert!(Wildcard::of(glob).is_none(), "{glob}");
        }
        for glob in ["a*b", "*a*", "a/*", "*/b", "a/b*c/*"] {
            assert!(Wildcard::of(glob).is_some(), "{glob}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn agrees_with_globset(glob in "[aé日*]{1,4}(/[aé*]{1,4}){0,2}", path in "[aé日]{1,5}(/[aé]{1,5}){0,2}") {
            if let Some(wildcard) = Wildcard::of(&glob) {
                let expected = GlobBuilder::new(&glob).literal_separator(true).build().unwrap().compile_matcher().is_match(&path);
                prop_assert_eq!(wildcard.matches(&path), expected, "{} {}", glob, path);
            }
        }
    }
}
