//! The edit ladder: what it finds is there, lies on whole characters, and an edit changes no byte outside of it.

use outrigger::tools::fs::fuzzed;

/// What the bytes of a run are read as.
pub type Input = (String, String, String, bool, Option<(u16, u16)>);

/// One run.
pub fn run(input: Input) {
    let (text, old, new, strict, piece) = input;
    // Often a piece of the text itself, so that something is found.
    let old = match piece {
        Some((from, length)) => {
            let from = usize::from(from) % (text.len() + 1);
            let end = (from + usize::from(length)).min(text.len());
            text.get(from..end).map_or(old, str::to_owned)
        }
        None => old,
    };
    if old.is_empty() {
        return;
    }
    for (range, put, after) in fuzzed::edited(&text, &old, &new, strict) {
        assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
        assert_eq!(after, format!("{}{put}{}", &text[..range.start], &text[range.end..]));
    }
}
