//! Small truths about text shown to people and models.

use std::borrow::Cow;

/// The longest prefix of `text` that has at most `limit` bytes and ends between characters.
pub fn prefix(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

/// True for characters that can hide or reorder what a person reads: controls (but for tab and newline), zero-width, bidi.
pub fn is_deceptive(character: char) -> bool {
    matches!(character,
        '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// `text` with deceptive characters, newlines included, written as escapes: for names and one-line messages.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|character| is_deceptive(character) || character == '\n' || character == '\t') {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            character if is_deceptive(character) => shown.extend(character.escape_unicode()),
            character => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::{prefix, visible};

    #[test]
    fn prefix_ends_between_characters() {
        assert_eq!(prefix("aé", 2), "a");
        assert_eq!(prefix("aé", 3), "aé");
        assert_eq!(prefix("aé", 99), "aé");
    }

    #[test]
    fn deceptive_characters_are_shown() {
        assert_eq!(visible("a\u{202e}b\n"), "a\\u{202e}b\\n");
        assert_eq!(visible("plain"), "plain");
    }
}
