//! What an argument stands for beside what is written: `{a,b}/x` is `a/x` and `b/x` to a program that reads globs (prettier, node,
//! eslint), `.\./x` and `.[.]/x` are `../x` to it, and `file:%2e%2e/x` is to one that reads addresses (pip).
//!
//! It is no glob matcher. It only tells which paths could be named, so it errs on the side of more: every kind of quoting is read
//! both ways, and braces around a single word are also read as if they were not there.

/// The words that `text` stands for; none where it stands for itself alone. `None` when they are more than `limit`, nested
/// without end, or a range whose members cannot be told.
pub(super) fn words(text: &str, limit: usize) -> Option<Vec<String>> {
    let Some(decoded) = decoded(text) else { return words_as_written(text, limit) };
    let mut words = words_as_written(text, limit)?;
    words.extend(words_as_written(&decoded, limit)?);
    words.push(decoded);
    Some(words)
}

fn words_as_written(text: &str, limit: usize) -> Option<Vec<String>> {
    if !text.contains(|mark| matches!(mark, '{' | '[') || QUOTES.contains(&mark)) {
        return Some(Vec::new());
    }
    let mut open = vec![text.to_owned()];
    let mut words: Vec<String> = Vec::new();
    let mut found = 0;
    // Equal words are counted, too, else `{a,a}{a,a}…` would be expanded for ever.
    for _ in 0..STEPS_PER_WORD * limit {
        let Some(word) = open.pop() else { return Some(words) };
        if let Some((before, inside, behind)) = innermost(&word) {
            if !inside.contains(',') && is_range(inside)? {
                // Letters or digits, which lead nowhere whichever it is.
                open.push(format!("{before}0{behind}"));
            }
            open.extend(inside.split(',').map(|choice| format!("{before}{choice}{behind}")));
            continue;
        }
        found += 1;
        if found > limit {
            return None;
        }
        let plain = plain(&word);
        for word in [plain, word] {
            if !words.contains(&word) {
                words.push(word);
            }
        }
    }
    open.is_empty().then_some(words)
}

/// A word of an argument that somebody wrote has fewer braces around it.
const STEPS_PER_WORD: usize = 4;

/// Marks that a program takes away.
const QUOTES: [char; 4] = ['\\', '"', '\'', '`'];

/// The word without quoting; a class of one character is another way to quote it.
fn plain(word: &str) -> String {
    let word: String = word.chars().filter(|mark| !QUOTES.contains(mark)).collect();
    let mut plain = String::with_capacity(word.len());
    let mut rest = word.chars();
    while let Some(mark) = rest.next() {
        let mut ahead = rest.clone();
        if let ('[', Some(only), Some(']')) = (mark, ahead.next(), ahead.next()) {
            plain.push(only);
            rest = ahead;
        } else {
            plain.push(mark);
        }
    }
    plain
}

/// The text with its `%2e` as the characters they stand for; `None` where there are none.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        let byte =
            code.filter(|code| !code.starts_with('+')).and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    (bytes.len() < text.len()).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// A pair of braces without another one in it, and what is around it.
fn innermost(word: &str) -> Option<(&str, &str, &str)> {
    let mut from = None;
    for (at, mark) in word.char_indices() {
        match (mark, from) {
            ('{', _) => from = Some(at),
            ('}', Some(start)) => {
                return Some((word.get(..start)?, word.get(start + 1..at)?, word.get(at + 1..)?));
            }
            _ => {}
        }
    }
    None
}

/// Whether it is `a..c` or `1..9..2`; `None` for one that could have a dot or a slash among its members (`+..0`).
fn is_range(inside: &str) -> Option<bool> {
    let ends: Vec<&str> = inside.split("..").collect();
    if !(2..=3).contains(&ends.len()) || ends.iter().any(|end| end.is_empty()) {
        return Some(false);
    }
    let is_plain = |end: &&str| {
        let end = end.strip_prefix('-').filter(|rest| !rest.is_empty()).unwrap_or(end);
        end.chars().all(|mark| mark.is_ascii_alphanumeric())
    };
    let is_mark = |end: &&str| end.chars().count() == 1 && !is_plain(end);
    if ends.iter().any(is_mark) { None } else { Some(ends.iter().all(is_plain)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        words(text, 8).map_or_else(
            || "too many".to_owned(),
            |mut words| {
                words.sort();
                words.join(" ")
            },
        )
    }

    #[test]
    fn every_choice_is_a_word() {
        assert_eq!(of("src/a.ts"), "");
        assert_eq!(of("src/{a,b}/x"), "src/a/x src/b/x");
        assert_eq!(of("{a,{b,c}d}"), "a bd cd");
        assert_eq!(of("{.,}./x"), "../x ./x");
        assert_eq!(of("x{,.}{,.}/y"), "x../y x./y x/y");
        assert_eq!(of("{..}/x"), "../x");
        assert_eq!(of("{a"), "{a");
        assert_eq!(of("a}{b"), "a}{b");
        assert_eq!(of("{\"..\",a}/x"), "\"..\"/x ../x a/x");
    }

    #[test]
    fn what_is_quoted_or_encoded_stands_for_itself() {
        assert_eq!(of(r".\./x"), r"../x .\./x");
        assert_eq!(of(".[.]/[.][.]/x"), "../../x .[.]/[.][.]/x");
        assert_eq!(of(r"[\.]./x"), r"../x [\.]./x");
        assert_eq!(of("test[ab].py"), "test[ab].py");
        assert_eq!(of("file:.%65nv"), "file:.env");
        assert_eq!(of("%2E%2e%2fx"), "../x");
        assert_eq!(of("%7b.,%7d./x"), "../x ./x {.,}./x");
        for text in ["100%", "%zz", "%+1", "%"] {
            assert_eq!(of(text), "", "{text}");
        }
    }

    #[test]
    fn a_range_has_to_be_one_that_leads_nowhere() {
        assert_eq!(of("t{1..9}.js"), "t0.js t1..9.js");
        assert_eq!(of("spreads {...props}"), "spreads ...props");
        for text in ["{+..0}", "{-../}x", "{a,{+..0}}"] {
            assert_eq!(of(text), "too many", "{text}");
        }
    }

    #[test]
    fn what_would_never_end_is_too_many() {
        for text in
            ["{a,b}".repeat(400), "{a,a}".repeat(400), "{a}".repeat(400), "{a,b,c,d,e,f,g,h,i}".to_owned()]
        {
            assert_eq!(of(&text), "too many", "{text}");
        }
        assert_eq!(of(&"{".repeat(4000)), "{".repeat(4000));
    }
}
