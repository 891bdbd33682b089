//! Whether a path with wildcards means a name of the lists: `.en?` is `.env` to a program that reads globs.
//!
//! A glob that covers many files may cover such a one, as a folder does. It means it where it spells out more than half of its name,
//! and leaves so little open that hardly anything else is left. Pure; it never looks at a disk.

/// One character of a glob's name, or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Char(char),
    /// Any one, as of a class: which ones are in it makes little difference.
    One,
    /// Any number of them.
    Many,
}

/// True where `path` has a wildcard, and could be a path that `glob` matches, and says so by more than its folders. `glob` is a name
/// for any depth or a path from the root, both folded; what lies in a folder that matches counts as matching.
pub(super) fn means(path: &str, glob: &str, is_name: bool) -> bool {
    let names: Vec<Vec<Token>> = path.split('/').map(tokens).collect();
    let wanted: Vec<Vec<Token>> = glob.trim_start_matches("**/").split('/').map(tokens).collect();
    let has_its_place = !is_name && !glob.starts_with("**/");
    let places = if has_its_place { 1 } else { names.len() };
    names.windows(wanted.len()).take(places).any(|names| {
        let mut pairs = names.iter().zip(&wanted).rev();
        pairs.next().is_some_and(|(name, wanted)| is_spelled_out(name, wanted))
            && pairs.all(|(name, wanted)| common(name, wanted).is_some())
    })
}

fn tokens(name: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = name.chars();
    while let Some(mark) = rest.next() {
        tokens.push(match mark {
            '*' if tokens.last() == Some(&Token::Many) => continue,
            '*' => Token::Many,
            '?' => Token::One,
            '[' => match class(rest.as_str()) {
                Some(behind) => {
                    rest = behind.chars();
                    Token::One
                }
                None => Token::Char(mark),
            },
            _ => Token::Char(mark),
        });
    }
    tokens
}

/// What stands behind a class of which this is the inside. A `]` in front is one of its members, and so is `[:alpha:]`.
fn class(inside: &str) -> Option<&str> {
    let members = inside.trim_start_matches(['!', '^']);
    let members = members.strip_prefix(']').unwrap_or(members);
    let mut rest = members;
    loop {
        let end = rest.find([']', '['])?;
        let behind = &rest[end..];
        rest = match behind.strip_prefix("[:") {
            Some(named) => named.split_once(":]").map_or(named, |(_, behind)| behind),
            None if behind.starts_with(']') => return Some(&behind[1..]),
            None => &behind[1..],
        };
    }
}

/// More than half of what `wanted` spells out is spelled out in `name`, too.
fn is_spelled_out(name: &[Token], wanted: &[Token]) -> bool {
    let letters = wanted.iter().filter(|token| matches!(token, Token::Char(_))).count();
    common(name, wanted).is_some_and(|common| 2 * common > letters)
}

/// How many characters both spell out, of the text that both match and that has the most of them; `None` where there is no such text.
fn common(left: &[Token], right: &[Token]) -> Option<usize> {
    // Row by row: what the rests of both can have in common.
    let mut below: Vec<Option<usize>> = vec![None; right.len() + 1];
    for at in (0..=left.len()).rev() {
        let mut row: Vec<Option<usize>> = vec![None; right.len() + 1];
        for other in (0..=right.len()).rev() {
            let next = |from: &[Option<usize>], at: usize| from.get(at).copied().flatten();
            row[other] = match (left.get(at), right.get(other)) {
                (None, None) => Some(0),
                (Some(Token::Many), Some(_)) => next(&below, other).max(next(&row, other + 1)),
                (Some(_), Some(Token::Many)) => next(&row, other + 1).max(next(&below, other)),
                (Some(Token::Many), None) => next(&below, other),
                (None, Some(Token::Many)) => next(&row, other + 1),
                (Some(Token::Char(one)), Some(Token::Char(same))) if one == same => {
                    next(&below, other + 1).map(|more| more + 1)
                }
                (Some(Token::Char(_)), Some(Token::Char(_))) | (Some(_), None) | (None, Some(_)) => None,
                (Some(_), Some(_)) => next(&below, other + 1),
            };
        }
        below = row;
    }
    below.first().copied().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wildcard_means_what_it_nearly_spells_out() {
        for (path, glob, is_name) in [
            (".en?", ".env", true),
            ("src/.en[u-w]", ".env", true),
            (".en[[:lower:]]", ".env", true),
            (".env*", ".env", true),
            ("**/*env", ".env", true),
            ("?env", ".env", true),
            (".en?.local", ".env.*", true),
            ("*.pe?", "*.pem", true),
            ("id_r??", "id_rsa*", true),
            ("secre?s/a.txt", "secrets", true),
            (".aw?/credentials", "**/.aws/credentials", false),
            ("home/.aws/cred*ls", "**/.aws/credentials", false),
            ("deploy/pro?.json", "deploy/prod.json", false),
        ] {
            assert!(means(path, glob, is_name), "{path} {glob}");
        }
        for (path, glob, is_name) in [
            ("*", ".env", true),
            ("**/*", ".env", true),
            (".*", ".env", true),
            (".*rc", ".netrc", true),
            ("????", ".env", true),
            ("src/**/*.ts", ".env.*", true),
            ("**/*.json", "credentials.tfrc.json", true),
            ("**/*.json", "**/.docker/config.json", false),
            ("src/*.test.*", ".env.*", true),
            ("a/deploy/pro?.json", "deploy/prod.json", false),
            ("[a", ".env", true),
            ("*.[jt]s", "*.key", true),
        ] {
            assert!(!means(path, glob, is_name), "{path} {glob}");
        }
    }

    #[test]
    fn a_class_ends_where_it_ends() {
        assert_eq!(tokens("[]a]b"), [Token::One, Token::Char('b')]);
        assert_eq!(tokens("[!]]"), [Token::One]);
        assert_eq!(tokens("[[:digit:]x]"), [Token::One]);
        assert_eq!(tokens("[a**"), [Token::Char('['), Token::Char('a'), Token::Many]);
    }
}
