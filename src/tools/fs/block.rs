//! The block around a line, seen by indentation alone: it works for every language a person indents. Pure.

use std::ops::Range;

/// The lines (from 0) of the smallest block that holds `line`: those indented as far, the line that opens it and the one that closes it.
pub fn around(lines: &[&str], line: usize) -> Range<usize> {
    let last = lines.len();
    // A blank line belongs to what follows it.
    let Some(anchor) = (line..last).find(|&at| !blank(lines[at])) else { return line.min(last)..last };
    let depth = indent(lines[anchor]);
    let within = |at: usize| blank(lines[at]) || indent(lines[at]) >= depth;
    let mut start = anchor;
    while start > 0 && depth > 0 && within(start - 1) {
        start -= 1;
    }
    let mut end = anchor + 1;
    while end < last && (if depth > 0 { within(end) } else { blank(lines[end]) || indent(lines[end]) > 0 }) {
        end += 1;
    }
    while end > anchor + 1 && blank(lines[end - 1]) {
        end -= 1;
    }
    if depth > 0 && start > 0 {
        start -= 1;
    }
    if end < last && closes(lines[end]) {
        end += 1;
    }
    start..end
}

fn blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// Columns in front of the text; a tab counts as four.
fn indent(line: &str) -> usize {
    let front = line.chars().take_while(|character| character.is_whitespace());
    front.map(|character| if character == '\t' { 4 } else { 1 }).sum()
}

fn closes(line: &str) -> bool {
    let text = line.trim();
    text.starts_with(['}', ')', ']']) || text.starts_with("end") || text.starts_with("</")
}

#[cfg(test)]
mod tests {
    use super::around;

    #[test]
    fn a_block_is_what_is_indented_as_far() {
        let text =
            "fn a() {\n    one();\n\n    if x {\n        two();\n    }\n}\n\nfn b() {\n    three();\n}";
        let lines: Vec<&str> = text.split('\n').collect();
        assert_eq!(around(&lines, 1), 0..7);
        assert_eq!(around(&lines, 4), 3..6);
        assert_eq!(around(&lines, 0), 0..7);
        assert_eq!(around(&lines, 9), 8..11);
        assert_eq!(around(&["a", "", ""], 1), 1..3);
    }
}
