//! Lines that differ by one common indentation, and the way from one to the other. Pure.

/// What has to be done to the lines of a caller so that they stand as the lines of the file do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Shift {
    /// Nothing.
    #[default]
    None,
    /// This comes in front of each.
    Add(String),
    /// This goes in front of each.
    Remove(String),
}

impl Shift {
    /// The shift from `old` to `has`, line by line; `None` if there is no single one. White space at line ends is overlooked.
    pub fn between<'a>(
        old: impl Iterator<Item = &'a str>,
        has: impl Iterator<Item = &'a str>,
    ) -> Option<Self> {
        let mut shift: Option<Self> = None;
        for (old, has) in old.zip(has) {
            let (old, has) = (trim(old), trim(has));
            if old.trim_start_matches(WHITE) != has.trim_start_matches(WHITE) {
                return None;
            }
            // An empty line has no indentation to compare.
            if old.is_empty() || has.is_empty() {
                continue;
            }
            let here = if let Some(more) = has.strip_suffix(old) {
                Self::Add(more.to_owned())
            } else {
                Self::Remove(old.strip_suffix(has)?.to_owned())
            };
            match &shift {
                None => shift = Some(here),
                Some(known) if *known == here => {}
                Some(_) => return None,
            }
        }
        match shift? {
            Self::Add(more) if more.is_empty() => Some(Self::None),
            shift => Some(shift),
        }
    }

    /// `text`, whose lines end with `\n`, shifted; `None` if a line has not the indentation that would go.
    pub fn apply(&self, text: &str) -> Option<String> {
        let lines = text.split('\n').map(|line| match self {
            _ if trim(line).is_empty() => Some(line.to_owned()),
            Self::None => Some(line.to_owned()),
            Self::Add(more) => Some(format!("{more}{line}")),
            Self::Remove(less) => line.strip_prefix(less.as_str()).map(str::to_owned),
        });
        Some(lines.collect::<Option<Vec<String>>>()?.join("\n"))
    }
}

const WHITE: [char; 2] = [' ', '\t'];

fn trim(line: &str) -> &str {
    line.trim_end_matches(WHITE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(old: &str, has: &str) -> Option<Shift> {
        Shift::between(old.split('\n'), has.split('\n'))
    }

    #[test]
    fn one_indentation_for_all_lines_or_none() {
        assert_eq!(between("a\n  b\n\nc", "\ta\n\t  b\n\n\tc"), Some(Shift::Add("\t".into())));
        assert_eq!(between("    a\n      b", "a\n  b  "), Some(Shift::Remove("    ".into())));
        assert_eq!(between("a\n  b", "  a\n  b"), None);
        assert_eq!(between("  a", "\ta"), None);
        assert_eq!(between("a", "a"), Some(Shift::None));
        assert_eq!(between("", ""), None);
    }

    #[test]
    fn what_is_shifted_keeps_its_own_indentation() {
        assert_eq!(Shift::Add("\t".into()).apply("a\n  b\n\n").unwrap(), "\ta\n\t  b\n\n");
        assert_eq!(Shift::Remove("  ".into()).apply("  a\n    b").unwrap(), "a\n  b");
        assert_eq!(Shift::Remove("  ".into()).apply("  a\nb"), None);
    }
}
