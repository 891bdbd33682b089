//! Patches of both grammars, or nearly: no text makes the reader fail otherwise than in words, and a patch that has a place changes
//! no byte outside of it.

use outrigger::tools::fs::fuzzed;

/// What the bytes of a run are read as.
pub type Input = (Vec<String>, String, bool);

/// One run.
pub fn run(input: Input) {
    let (lines, text, codex) = input;
    // Half of the inputs begin like a patch: the rest is up to the search.
    let head = if codex {
        "*** Begin Patch\n*** Update File: a\n@@\n"
    } else {
        "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n"
    };
    let tail = if codex { "\n*** End Patch\n" } else { "\n" };
    let patch = format!("{head}{}{tail}", lines.join("\n"));
    for patch in [patch.as_str(), &lines.join("\n")] {
        for (splices, after) in fuzzed::patched(patch, &text) {
            let mut expected = String::new();
            let mut done = 0;
            for (range, new) in &splices {
                assert!(range.start >= done && range.end <= text.len(), "{range:?} in {} bytes", text.len());
                expected.push_str(&text[done..range.start]);
                expected.push_str(new);
                done = range.end;
            }
            expected.push_str(&text[done..]);
            // What may differ is the end of the last line, which a patch can ask for.
            assert_eq!(expected.trim_end_matches(['\r', '\n']), after.trim_end_matches(['\r', '\n']));
        }
    }
}
