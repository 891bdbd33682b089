//! A text as it reads where lines between are left out: the new side of a difference, the file of a blame. There a value may stand
//! below its name, though something else stands between them here.

use memchr::memmem;

use super::find::Span;

/// How a part of a difference begins.
const PART: &str = "@@ -";
/// The shortest name of a commit in front of the lines that it wrote.
const COMMIT: usize = 7;

/// The text without those lines.
pub(super) struct Side {
    pub text: String,
    /// Where its pieces begin, there and here.
    pieces: Vec<(usize, usize)>,
}

impl Side {
    /// Nothing where no line would be left out.
    pub(super) fn of(text: &str) -> Option<Self> {
        let has_parts = memmem::find(text.as_bytes(), PART.as_bytes()).is_some();
        let is_blame = text.split('\n').take(2).any(is_commit);
        if !has_parts && !is_blame {
            return None;
        }
        let mut side = Self { text: String::new(), pieces: Vec::new() };
        let (mut at, mut in_part, mut left_out) = (0, false, true);
        for line in text.split_inclusive('\n') {
            in_part =
                line.starts_with(PART) || in_part && line.starts_with([' ', '+', '-', '\\', '\n', '\r']);
            let is_left_out = in_part && line.starts_with('-') || is_blame && is_commit(line);
            if !is_left_out {
                if left_out {
                    side.pieces.push((side.text.len(), at));
                }
                side.text.push_str(line);
            }
            left_out = is_left_out;
            at += line.len();
        }
        (side.text.len() < text.len()).then_some(side)
    }

    /// The same span in the whole text.
    pub(super) fn back(&self, span: Span) -> Option<Span> {
        let piece = self.pieces.partition_point(|(own, _)| *own <= span.start).checked_sub(1)?;
        let (own, here) = self.pieces.get(piece)?;
        let ends = self.pieces.get(piece + 1).is_none_or(|(next, _)| span.end <= *next);
        ends.then(|| Span { start: span.start - own + here, end: span.end - own + here, ..span })
    }
}

/// `1f3a9c0b12 2026-01-31 Ann: what was done`.
fn is_commit(line: &str) -> bool {
    let bytes = line.as_bytes();
    let id = bytes.iter().take(40).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let day = bytes.get(id..id + 12).unwrap_or_default();
    let is_day = day.iter().zip(b" 0000-00-00 ").all(|(byte, wanted)| match wanted {
        b'0' => byte.is_ascii_digit(),
        _ => byte == wanted,
    });
    id >= COMMIT && day.len() == 12 && is_day || line.starts_with("not committed yet")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::Redactor;

    #[test]
    fn a_value_is_known_by_a_name_that_stands_above_what_it_replaced() {
        let (old, new) = ("a8Kd0sP3mQ7xZ1vB5nW9a8Kd0sP3", "Zq4Lw9Xc2Vb7Nm1As6Df3Gh8Jk5T");
        let text = |lines: &[String]| lines.join("\n");
        let diff = text(&[
            "--- a/x.yaml".into(),
            "+++ b/x.yaml".into(),
            "@@ -1,2 +1,2 @@".into(),
            " - name: API_TOKEN".into(),
            format!("-  value: \"{old}\""),
            format!("+  value: \"{new}\""),
            String::new(),
        ]);
        let blame = text(&[
            "1f3a9c0b12 2026-01-31 Ann: one".into(),
            "   1|- name: API_TOKEN".into(),
            "2f3a9c0b12 2026-01-31 Ben: two".into(),
            format!("   2|  value: \"{new}\""),
        ]);
        let redactor = Redactor::new(true, &[]);
        for text in [&diff, &blame] {
            let mut redaction = redactor.begin();
            let shown = redaction.text(text);
            assert!(!shown.contains(old) && !shown.contains(new), "{shown}");
            assert_eq!(shown.lines().count(), text.lines().count());
        }
        assert!(Side::of("a\n@@ -1 +1 @@\n a\n+b\n").is_none() && Side::of("- a\n- b").is_none());
    }
}
