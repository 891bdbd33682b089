//! What belongs to a line of a file: the lines below it up to the next one of its rank. Pure; it only chooses between places that all
//! fit, and says no where it is not clear.

use std::cmp::Ordering;

/// Lines in which the first of a block is looked for: before it stand a comment or blank lines.
const LOOKED_AT: usize = 200;

/// Where a block ends.
#[derive(Clone, Copy)]
pub(super) struct BlockEnd {
    /// The first line that begins another one of its rank, or the end of the text.
    next: usize,
    /// That line closes the block, and is its own.
    closes: bool,
    /// It closes the block, or begins as its first line does: what stands below it certainly belongs elsewhere.
    pub(super) is_sure: bool,
    /// Lines that were looked at to know it.
    pub(super) looked_at: usize,
}

impl BlockEnd {
    /// Where what begins at `head` ends.
    pub(super) fn of(lines: &[&str], head: usize) -> Self {
        let Some(named) = lines.get(head) else {
            return Self { next: 0, closes: false, is_sure: false, looked_at: 0 };
        };
        let body = &lines[head + 1..];
        let depth = indent(named);
        let goes_on = |line: &&str| line.trim().is_empty() || is_part_of(line, named);
        // In a text without indentation the next line that begins alike is of the same rank.
        let first = body.iter().take(LOOKED_AT).find(|line| !goes_on(line));
        let is_flat = first.is_none_or(|line| indent(line) <= depth);
        let ends = |line: &&str| match indent(line).cmp(&depth) {
            Ordering::Less => true,
            Ordering::Equal => !is_flat || beginning(line) == beginning(named),
            Ordering::Greater => false,
        };
        let is_next = |line: &&str| !goes_on(line) && ends(line);
        let Some(at) = body.iter().position(is_next) else {
            return Self {
                next: lines.len(),
                closes: false,
                is_sure: true,
                looked_at: LOOKED_AT + body.len(),
            };
        };
        let line = body[at];
        // What closes it is its own last line.
        let closes = line.trim_start().starts_with(['}', ')', ']']);
        let is_sure = indent(line) == depth && (closes || beginning(line) == beginning(named));
        Self { next: head + 1 + at, closes, is_sure, looked_at: LOOKED_AT + at }
    }

    /// The line at `at`, below the head, belongs to the block.
    pub(super) fn is_behind(self, at: usize) -> bool {
        at < self.next || (at == self.next && self.closes)
    }
}

/// Blanks in front of a line.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// A line as far to the left as the one that begins it all, which begins nothing else: what goes on with that line, a comment, a label.
fn is_part_of(line: &str, named: &str) -> bool {
    let (line, named) = (line.trim(), named.trim());
    let opens = line.chars().all(|sign| "{([".contains(sign));
    let closes_list = line.starts_with(')') && !line.ends_with(';');
    let goes_on = line.starts_with(['}', ']']) && line.ends_with(['{', '(', '[', ':']);
    let is_comment =
        ["#", "//", "/*", "*", "--"].iter().any(|sign| line.starts_with(sign) && !named.starts_with(sign));
    let is_label = line.ends_with(':') && !named.ends_with(':') && !line.contains([' ', '(']);
    opens || closes_list || goes_on || is_comment || is_label || line == "where"
}

/// The first word of a line, or the signs in front of it.
fn beginning(line: &str) -> &str {
    let line = line.trim_start();
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    let first = line.starts_with(is_word);
    line.split(|sign: char| is_word(sign) != first || sign.is_whitespace()).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::BlockEnd;

    /// The line that begins with `>` belongs, or not, to the first one.
    #[track_caller]
    fn check(text: &str, expected: bool) {
        let lines: Vec<&str> = text.lines().map(|line| line.trim_start_matches('>')).collect();
        let at = text.lines().position(|line| line.starts_with('>')).unwrap();
        assert_eq!(BlockEnd::of(&lines, 0).is_behind(at), expected, "{text}");
    }

    #[test]
    fn a_block_ends_where_the_next_one_of_its_rank_begins() {
        check("def a():\n    x\n\n>    y\n", true);
        check("def a():\n    x\n\ndef b():\n>    y\n", false);
        check("  def a():\n    x\nclass B:\n>    y\n", false);
        check("class A:\n  def a():\n    x\n  def b():\n>    y\n", true);
        check("def a(\n    x,\n) -> int:\n>    y\n", true);
        check("def a():\n    x\n# note\n>    y\n", true);
        check("def a():\n    x\n>def b():\n", false);
    }

    #[test]
    fn brackets_and_labels_are_no_next_block() {
        check("int main(void)\n{\n\tx;\nout:\n>\ty;\n}\n", true);
        check("int main(void)\n{\n\tx;\n>}\n", true);
        check("int main(void)\n{\n\tx;\n}\n\nint f(void)\n{\n>\ty;\n}\n", false);
        check("fn a() {\n    if x {\n        y\n    } else {\n>        z\n", true);
        check("fn a()\nwhere\n    T: X,\n{\n>    z\n", true);
        check("fn a() {\n#[cfg(x)]\n    y();\n>    z();\n}\n", true);
        check("if x {\n    y\n} else {\n>    z\n}\n", true);
    }

    #[test]
    fn in_a_flat_text_the_next_line_that_begins_alike_is_the_next() {
        check("[a]\nx = 1\n>y = 2\n", true);
        check("[a]\nx = 1\n[b]\n>y = 2\n", false);
        check("## A\ntext\n### B\n>text\n", true);
        check("## A\ntext\n## B\n>text\n", false);
        check("import a\nimport b\n>x\n", false);
    }
}
