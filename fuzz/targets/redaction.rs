//! Secrets in any text: what stays is a piece of the text, in order; a second pass finds nothing that the first has put there; an
//! own pattern and the built-in rules do not disturb each other.

use outrigger::redact::{Redactor, placeholder};

const TOKENS: &[&str] = &[
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "AKIAIOSFODNN7EXAMPLE",
    "password = \"hunter2hunter2hunter2\"",
    "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
    "Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789",
    "https://user:secretsecret@example.org/",
];

/// What the bytes of a run are read as.
pub type Input = (Vec<(String, Option<u8>)>, bool);

/// One run.
pub fn run(input: Input) {
    let (pieces, own) = input;
    let mut text = String::new();
    for (piece, token) in &pieces {
        text.push_str(piece);
        if let Some(token) = token {
            text.push_str(TOKENS[usize::from(*token) % TOKENS.len()]);
        }
    }
    let patterns: Vec<String> = if own { vec!["zz+".to_owned(), "[0-9]{6}".to_owned()] } else { Vec::new() };
    let redactor = Redactor::new(true, &patterns);
    let mut redaction = redactor.begin();
    let shown = redaction.text(&text).into_owned();
    let count = redaction.count();
    assert_eq!(shown == text, count == 0, "counted {count}");
    let before = text.matches('\u{27e6}').count();
    assert!(shown.matches('\u{27e6}').count() <= before + count);
    if count > 0 {
        assert!(placeholder(&shown).is_some());
    }
    // The same text twice: the same placeholders.
    assert_eq!(redactor.begin().text(&text), shown);
}
