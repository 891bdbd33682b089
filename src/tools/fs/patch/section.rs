//! What belongs to a line of a file: the lines below it up to the next one of its rank. Pure; it only chooses between places that all
//! fit, and says no where it is not clear.

use std::cmp::Ordering;

/// Lines in which the first of a block is looked for: before it stand a comment or blank lines.
const LOOKED_AT: usize = 200;

/// Signs that begin a text, and nothing ends it: after so many of them in one block none is looked for any more.
const UNCLOSED_MAX: usize = 4;

/// Where a block ends.
#[derive(Clone, Copy)]
pub(super) struct BlockEnd {
    /// The first line that begins another one of its rank, or the end of the text.
    next: usize,
    /// That line closes the block, and is its own.
    closes: bool,
    /// It begins as the first line of the block does, or begins a larger one: what stands below it certainly belongs elsewhere.
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
        let rank = rank(named);
        let goes_on = |line: &&str| line.trim().is_empty() || is_part_of(line, named);
        // In a text without indentation the next line that begins alike is of the same rank.
        let first = body.iter().take(LOOKED_AT).find(|line| !goes_on(line));
        let is_flat = first.is_none_or(|line| indent(line) <= depth);
        let is_next = |line: &&str| {
            !goes_on(line)
                && match indent(line).cmp(&depth) {
                    Ordering::Less => true,
                    Ordering::Equal if is_flat => {
                        beginning(line) == beginning(named) || (1..=rank).contains(&self::rank(line))
                    }
                    Ordering::Equal => true,
                    Ordering::Greater => false,
                }
        };
        let (mut at, mut unclosed, mut looked_at) = (0, 0, LOOKED_AT);
        while let Some(line) = body.get(at) {
            if is_next(line) {
                // What closes it is its own last line.
                let closes = line.trim_start().starts_with(['}', ')', ']']);
                let opens = line.trim_end().ends_with([':', '{', '('])
                    && line.trim_start().starts_with(char::is_alphabetic);
                let is_sure = match indent(line).cmp(&depth) {
                    Ordering::Less => opens,
                    _ => closes || beginning(line) == beginning(named) || rank > 0 && self::rank(line) > 0,
                };
                return Self { next: head + 1 + at, closes, is_sure, looked_at: looked_at + at };
            }
            at += 1;
            // Lines of a long text have no rank: they stand as far to the left as they like.
            if let Some(end) = text_end(line).filter(|_| unclosed < UNCLOSED_MAX) {
                if let Some(last) = body[at..].iter().position(|line| end.is_in(line)) {
                    at += last + 1;
                } else {
                    unclosed += 1;
                    looked_at += body.len() - at;
                }
            }
        }
        Self { next: lines.len(), closes: false, is_sure: true, looked_at: looked_at + at }
    }

    /// The line at `at`, below the head, belongs to the block.
    pub(super) fn is_behind(self, at: usize) -> bool {
        at < self.next || (at == self.next && self.closes)
    }
}

/// What ends a text over several lines.
enum TextEnd<'l> {
    /// These signs, somewhere.
    Signs(&'l str),
    /// This word, alone in its line.
    Word(&'l str),
}

impl TextEnd<'_> {
    fn is_in(&self, line: &str) -> bool {
        match self {
            Self::Signs(signs) => line.contains(signs),
            Self::Word(word) => line.trim() == *word,
        }
    }
}

/// The end of a text that begins in this line and does not end in it: Go's and JavaScript's, Python's, Rust's, a heredoc.
fn text_end(line: &str) -> Option<TextEnd<'_>> {
    for signs in ["\"\"\"", "'''", "`"] {
        if line.matches(signs).count() % 2 == 1 {
            return Some(TextEnd::Signs(signs));
        }
    }
    if let Some((_, rest)) = line.split_once("r#\"").filter(|(_, rest)| !rest.contains("\"#")) {
        // Behind further `#` the text ends at `"#` with as many: this much of it will do.
        return (!rest.is_empty() || line.ends_with("r#\"")).then_some(TextEnd::Signs("\"#"));
    }
    let (_, word) = line.split_once("<<")?;
    let word = word.strip_prefix(['-', '~']).unwrap_or(word);
    let word = word.trim_start_matches(['\'', '"']);
    let length = word.find(|sign: char| !sign.is_ascii_uppercase() && sign != '_').unwrap_or(word.len());
    (length > 1).then(|| TextEnd::Word(&word[..length]))
}

/// How far up a heading of Markdown stands: 1 is the first; 0 is no heading.
fn rank(line: &str) -> usize {
    let rest = line.trim_start_matches('#');
    if rest.starts_with(' ') { line.len() - rest.len() } else { 0 }
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
    // `else`, `rescue` and the like, and where members of a class are of another sort (`public slots:`, `#endif` is a comment above).
    let again = [
        "else", "elif", "elsif", "elseif", "except", "finally", "rescue", "ensure", "catch", "endif",
        "ifdef", "ifeq",
    ];
    let is_branch = again.contains(&beginning(line)) && !again.contains(&beginning(named));
    let is_sort =
        line.ends_with(':') && ["public", "protected", "private", "signals"].contains(&beginning(line));
    opens || closes_list || goes_on || is_comment || is_label || is_branch || is_sort || line == "where"
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
        check("## A\ntext\n# B\n>text\n", false);
    }

    #[test]
    fn a_long_text_at_the_margin_ends_nothing() {
        check("func a() {\n\tx := `\n[s]\n`\n>\ty()\n}\n", true);
        check("func a() {\n\tx := `\n[s]\n`\n}\nfunc b() {\n>\ty()\n}\n", false);
        check("    def a():\n        x(\"\"\"\nSELECT\n\"\"\")\n>        y\n", true);
        check("fn a() {\n    x(r#\"\nline\n\"#);\n>    y();\n}\n", true);
        check("a() {\n  cat <<-'EOF'\ntext\nEOF\n>  y\n}\n", true);
        check("a() {\n  x=$((1<<2))\n}\nb() {\n>  y\n}\n", false);
        // What never ends is no text.
        check("func a() {\n\t// don`t\n\tx()\n}\nfunc b() {\n>\ty()\n}\n", false);
        check("def a\n  x\nrescue\n>  y\nend\n", true);
        check("class A {\n  int x;\npublic slots:\n>  int y;\n};\n", true);
    }
}
