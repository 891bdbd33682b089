//! `\A` and `\z`, and `^` and `$` that are asked to mean the same (`(?-m)`), in a search line by line: a line is all the text there is.
//!
//! The engine sees many lines at a time, with their ends, and would take them for those of the whole file.

use std::borrow::Cow;

use regex_syntax::ast::{
    AssertionKind, Ast, Flag, Flags, FlagsItemKind, GroupKind, parse::ParserBuilder, print::Printer,
};

/// The pattern with the ends of a line for those of the text. One that cannot be read is left to whoever compiles it.
pub(super) fn of_lines(pattern: &str) -> Cow<'_, str> {
    if !["\\A", "\\z", "(?"].iter().any(|sign| pattern.contains(sign)) {
        return Cow::Borrowed(pattern);
    }
    let Ok(mut ast) = ParserBuilder::new().octal(false).build().parse(pattern) else {
        return Cow::Borrowed(pattern);
    };
    let mut text = String::new();
    if rewrite(&mut ast) && Printer::new().print(&ast, &mut text).is_ok() {
        Cow::Owned(text)
    } else {
        Cow::Borrowed(pattern)
    }
}

/// True when something was changed. The parser bounds how deep it goes.
fn rewrite(ast: &mut Ast) -> bool {
    match ast {
        Ast::Assertion(assertion) => {
            assertion.kind = match assertion.kind {
                AssertionKind::StartText => AssertionKind::StartLine,
                AssertionKind::EndText => AssertionKind::EndLine,
                _ => return false,
            };
            true
        }
        Ast::Flags(set) => {
            let is_changed = always_lines(&mut set.flags);
            if set.flags.items.is_empty() {
                *ast = Ast::empty(set.span);
            }
            is_changed
        }
        Ast::Group(group) => {
            let is_changed = match &mut group.kind {
                GroupKind::NonCapturing(flags) => always_lines(flags),
                _ => false,
            };
            rewrite(&mut group.ast) | is_changed
        }
        Ast::Repetition(repetition) => rewrite(&mut repetition.ast),
        Ast::Concat(concat) => rewrite_all(&mut concat.asts),
        Ast::Alternation(alternation) => rewrite_all(&mut alternation.asts),
        _ => false,
    }
}

fn rewrite_all(asts: &mut [Ast]) -> bool {
    asts.iter_mut().fold(false, |is_changed, ast| rewrite(ast) | is_changed)
}

/// Takes `m` out, whether it is set or unset: it is set where the pattern begins.
fn always_lines(flags: &mut Flags) -> bool {
    let before = flags.items.len();
    flags.items.retain(|item| item.kind != FlagsItemKind::Flag(Flag::MultiLine));
    let is_changed = flags.items.len() < before;
    if flags.items.last().is_some_and(|item| item.kind.is_negation()) {
        flags.items.pop();
    }
    is_changed
}

#[cfg(test)]
mod tests {
    use super::of_lines;

    #[test]
    fn ends_of_the_text_become_ends_of_the_line() {
        for (pattern, expected) in [
            (r"foo\z", r"foo$"),
            (r"\Afoo|b\z{1}", r"^foo|b${1}"),
            (r"(?-m)^a$", r"^a$"),
            (r"(?i-m)a$", r"(?i)a$"),
            (r"(?m-i)a$", r"(?-i)a$"),
            (r"(?-m:a$)b", r"(?:a$)b"),
            (r"(?x) a \z # end", r"(?x)a$"),
            (r"\\z\x{41}(?P<n>\z)", r"\\z\x{41}(?P<n>$)"),
            (r"(?i)foo$", r"(?i)foo$"),
            (r"foo$", r"foo$"),
            (r"[\\Az", r"[\\Az"),
        ] {
            assert_eq!(of_lines(pattern), expected);
        }
    }
}
