//! Pictures: whatever a file says it is, what is handed on can be opened and is as small as models take it, and what cannot be is told.

use outrigger::tools::fs::fuzzed;

const FORMATS: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// One run: which format, and the file.
pub fn run(input: &[u8]) {
    let Some((format, bytes)) = input.split_first() else { return };
    let mime = FORMATS[usize::from(*format) % FORMATS.len()];
    match fuzzed::shrunk(bytes, mime) {
        Ok(shrunk) => {
            assert!(shrunk.data.len() <= fuzzed::HANDED_BYTES);
            assert!(shrunk.width.max(shrunk.height) <= fuzzed::SIDE && shrunk.width.min(shrunk.height) > 0);
            let again = fuzzed::shrunk(&shrunk.data, &shrunk.mime).expect("what was made can be opened");
            assert_eq!((again.width, again.height), (shrunk.width, shrunk.height));
        }
        Err(why) => assert!(!why.is_empty()),
    }
}
