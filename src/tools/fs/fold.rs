//! Characters that look alike as one: what a model writes for what stands in a file. Pure.
//!
//! Dashes, quotes and spaces are folded, and each character is composed (NFC). What is folded is only ever compared, never written.

use unicode_normalization::{UnicodeNormalization as _, char::canonical_combining_class};

/// `line` folded.
pub fn folded(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    fold_into(line, &mut text, |_, _| {});
    text
}

/// Adds `line`, folded, to `text`; `at` learns where each character begins: in what is added, in `line`.
pub fn fold_into(line: &str, text: &mut String, mut at: impl FnMut(usize, usize)) {
    let begin = text.len();
    let mut rest = line.char_indices().peekable();
    while let Some((start, first)) = rest.next() {
        let mut end = start + first.len_utf8();
        while let Some((next, mark)) = rest.next_if(|&(_, character)| joins(character)) {
            end = next + mark.len_utf8();
        }
        at(text.len() - begin, start);
        line[start..end].nfc().for_each(|character| text.push(fold(character)));
    }
}

/// It belongs to the character before it.
fn joins(character: char) -> bool {
    // Vowels and finals of Hangul compose too, although each stands for itself.
    canonical_combining_class(character) != 0 || ('\u{1160}'..='\u{11ff}').contains(&character)
}

fn fold(character: char) -> char {
    match character {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => '-',
        '\u{2018}'..='\u{201b}' | '\u{2032}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' => '"',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn what_looks_alike_is_alike() {
        assert_eq!(folded("“a” – ‘b’\u{a0}c"), "\"a\" - 'b' c");
        assert_eq!(folded("e\u{301}"), "é");
        assert_eq!(folded("\u{1112}\u{1161}\u{11ab}"), "한");
        assert_eq!(folded("plain"), "plain");
    }
}
