//! Takes terminal escape sequences out of output that a model will read. Pure; knows no terminal.

/// Remembers, from piece to piece, whether it is inside a sequence.
#[derive(Debug, Default)]
pub(super) struct EscapeFilter {
    state: State,
    /// Characters of a string sequence swallowed so far.
    swallowed: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// Behind ESC.
    Escape,
    /// Behind ESC and an intermediate character, as in `ESC ( B`.
    Intermediate,
    /// Inside `CSI … final`.
    Control,
    /// Inside `OSC`, `DCS`, `PM`, `APC` or `SOS`, until BEL or ST.
    String,
    /// Behind an ESC inside a string.
    StringEscape,
}

/// A title or a link is shorter. Without a limit, one stray byte in front of a binary dump would hide all the rest.
const STRING_MAX: usize = 4096;

const ESC: char = '\u{1b}';

impl EscapeFilter {
    /// Adds to `text` what of `piece` is no escape sequence.
    pub(super) fn push(&mut self, piece: &str, text: &mut String) {
        if self.state == State::Text && !piece.contains([ESC, '\u{9b}', '\u{9d}', '\u{90}']) {
            text.push_str(piece);
            return;
        }
        for character in piece.chars() {
            self.state = self.next(character, text);
        }
    }

    fn next(&mut self, character: char, text: &mut String) -> State {
        match (self.state, character) {
            // ESC begins anew wherever it comes; inside a string it may be half of its end.
            (State::String, ESC) => State::StringEscape,
            (_, ESC) => State::Escape,
            (State::Text, _) => self.text(character, text),
            (State::Escape, '[') => State::Control,
            (State::Escape, ']' | 'P' | 'X' | '^' | '_') => self.string(),
            (State::Escape | State::Intermediate, '\u{20}'..='\u{2f}') => State::Intermediate,
            (State::Escape | State::Intermediate, '\u{30}'..='\u{7e}') => State::Text,
            (State::Control, '\u{20}'..='\u{3f}') => State::Control,
            (State::Control, '\u{40}'..='\u{7e}') => State::Text,
            (State::StringEscape, '\\') | (State::String, '\u{7}' | '\u{9c}') => State::Text,
            // A line end, or too much of it: that was no sequence after all.
            (State::String | State::StringEscape, '\n') => self.text(character, text),
            (State::String | State::StringEscape, _) if self.swallowed >= STRING_MAX => {
                self.text(character, text)
            }
            (State::String | State::StringEscape, _) => {
                self.swallowed += 1;
                State::String
            }
            // Torn: the character belongs to the text.
            (State::Escape | State::Intermediate | State::Control, _) => self.text(character, text),
        }
    }

    fn text(&mut self, character: char, text: &mut String) -> State {
        match character {
            '\u{9b}' => State::Control,
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => self.string(),
            character => {
                text.push(character);
                State::Text
            }
        }
    }

    fn string(&mut self) -> State {
        self.swallowed = 0;
        State::String
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(input: &str, expected: &str) {
        let mut whole = String::new();
        EscapeFilter::default().push(input, &mut whole);
        assert_eq!(whole, expected, "{input:?} in one piece");
        let (mut filter, mut pieces) = (EscapeFilter::default(), String::new());
        for character in input.chars() {
            filter.push(character.encode_utf8(&mut [0; 4]), &mut pieces);
        }
        assert_eq!(pieces, expected, "{input:?} in many pieces");
    }

    #[test]
    fn sequences_go_and_text_stays() {
        check("plain\ttext\r\n", "plain\ttext\r\n");
        check("\u{1b}[1;31mred\u{1b}[0m", "red");
        check("\u{1b}]0;title\u{7}a", "a");
        check("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link");
        check("\u{1b}(Ba\u{1b}=b\u{1b}Mc", "abc");
        check("\u{9b}31mé", "é");
        check("\u{1b}[2K\u{1b}[1Gé", "é");
    }

    #[test]
    fn a_torn_sequence_does_not_hide_what_follows() {
        check("\u{1b}[31\nnext", "\nnext");
        check("\u{1b}]title\nnext", "\nnext");
        check(&format!("\u{1b}]{}end", "x".repeat(STRING_MAX)), "end");
        check("\u{1b}[\u{1b}[31mx", "x");
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(input in "[\u{1b}\\[\\]0-9;a-zé\n\u{7}]{0,60}", cut in 0usize..60) {
            let cut = input.floor_char_boundary(cut.min(input.len()));
            let (mut whole, mut pieces) = (String::new(), String::new());
            EscapeFilter::default().push(&input, &mut whole);
            let mut filter = EscapeFilter::default();
            filter.push(&input[..cut], &mut pieces);
            filter.push(&input[cut..], &mut pieces);
            prop_assert_eq!(whole, pieces);
        }
    }
}
