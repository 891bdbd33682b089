//! What a text that was not found may have meant: the places most like it, and where they first differ. Pure; only ever shown.

use std::collections::{BTreeMap, HashMap};

use crate::redact::secrets_in;

/// Places that are shown.
const PLACES: usize = 3;
/// Lines looked at: an error must not take longer than what it explains.
const LINES_MAX: usize = 50_000;
/// Times that one line of what was looked for is taken for a mark; what comes more often marks no place.
const TIMES_MAX: usize = 32;
/// Characters of a line that are shown or compared.
const LINE_CHARS: usize = 200;
/// How much of a single line has to be alike (Sørensen–Dice over pairs of characters).
const ALIKE: f64 = 0.6;

/// Shown instead of a line of a secret.
const PART_OF_SECRET: &str = "(a line of a secret)";

/// A place like the one that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearMiss {
    /// Where it begins, from 1.
    pub line: u32,
    /// The line of its first difference.
    pub differs_at: u32,
    /// The column of its first difference, in characters, from 1.
    pub column: u32,
    /// The file's line there.
    pub has: String,
    /// The line that was looked for.
    pub wanted: String,
}

impl std::fmt::Display for NearMiss {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "line {}: first difference at line {}, column {}: the file has {:?}, old_text has {:?}",
            self.line, self.differs_at, self.column, self.has, self.wanted
        )
    }
}

/// The places most like `old`, the best first.
pub fn near_misses(text: &str, old: &str) -> Vec<NearMiss> {
    near(text, old.strip_suffix('\n').unwrap_or(old), (false, old.ends_with('\n')), old.ends_with('\n'))
}

/// The same of lines that are whole, also the first and the last.
pub fn near_lines(text: &str, old: &str) -> Vec<NearMiss> {
    near(text, old, (true, true), false)
}

/// `whole`: the first line that is wanted begins there, the last one ends there. `ended`: what ends it is wanted, too.
fn near(text: &str, old: &str, whole: (bool, bool), ended: bool) -> Vec<NearMiss> {
    let lines: Vec<&str> = text.split('\n').take(LINES_MAX).collect();
    let wanted: Vec<&str> = old.split('\n').collect();
    let mut starts = by_equal_lines(&lines, &wanted);
    if starts.is_empty() {
        starts = by_like_line(&lines, &wanted);
    }
    let is_open = ended && lines.len() < LINES_MAX;
    let different = |start| {
        let open_end = || is_open.then(|| open_end(&lines, &wanted, start)).flatten();
        difference(&lines, &wanted, start, whole).or_else(open_end)
    };
    let mut near: Vec<NearMiss> = starts.into_iter().filter_map(different).take(PLACES).collect();
    hide_parts(text, &mut near);
    near
}

/// A line from the middle of a key would not be known for one, shown alone.
fn hide_parts(text: &str, near: &mut [NearMiss]) {
    if near.is_empty() {
        return;
    }
    let secrets = secrets_in(text);
    if secrets.is_empty() {
        return;
    }
    for near in near {
        let start = match (near.differs_at as usize).saturating_sub(1).checked_sub(1) {
            None => Some(0),
            Some(before) => memchr::memchr_iter(b'\n', text.as_bytes()).nth(before).map(|end| end + 1),
        };
        let Some(start) = start else { continue };
        let end = memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |end| start + end);
        let alone = secrets_in(&text[start..end]);
        let is_known = |from: usize, to: usize| {
            alone.iter().any(|own| start + own.start <= from && to <= start + own.end)
        };
        let mut in_line = secrets.iter().filter(|secret| secret.start < end && start < secret.end);
        if in_line.any(|secret| !is_known(secret.start.max(start), secret.end.min(end))) {
            PART_OF_SECRET.clone_into(&mut near.has);
        }
    }
}

/// Places that share whole lines but for their indentation, those with most first.
fn by_equal_lines(lines: &[&str], wanted: &[&str]) -> Vec<usize> {
    let mut positions: HashMap<&str, Vec<usize>> = HashMap::new();
    for (position, line) in wanted.iter().enumerate().filter(|(_, line)| line.trim().len() > 2) {
        let known = positions.entry(line.trim()).or_default();
        if known.len() < TIMES_MAX {
            known.push(position);
        }
    }
    let mut votes: BTreeMap<usize, u32> = BTreeMap::new();
    for (number, line) in lines.iter().enumerate() {
        for position in positions.get(line.trim()).into_iter().flatten() {
            if let Some(start) = number.checked_sub(*position) {
                *votes.entry(start).or_default() += 1;
            }
        }
    }
    let mut votes: Vec<_> = votes.into_iter().collect();
    votes.sort_by_key(|&(start, count)| (std::cmp::Reverse(count), start));
    votes.into_iter().map(|(start, _)| start).collect()
}

/// Places with a line like the longest one that was looked for.
fn by_like_line(lines: &[&str], wanted: &[&str]) -> Vec<usize> {
    let longest = wanted.iter().enumerate().max_by_key(|(_, line)| line.trim().len());
    let Some((position, longest)) = longest.filter(|(_, line)| line.trim().len() > 2) else {
        return Vec::new();
    };
    let longest = cut(longest.trim());
    let mut alike: Vec<(f64, usize)> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.trim().len() > 2)
        .map(|(number, line)| (strsim::sorensen_dice(cut(line.trim()), longest), number))
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    alike.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    alike.into_iter().filter_map(|(_, number)| number.checked_sub(position)).collect()
}

fn difference(lines: &[&str], wanted: &[&str], start: usize, whole: (bool, bool)) -> Option<NearMiss> {
    let last = wanted.len() - 1;
    for (position, wanted_line) in wanted.iter().enumerate() {
        let has = lines.get(start + position).copied().unwrap_or_default();
        // A text may begin and end in the middle of a line.
        let fits = has == *wanted_line
            || (position == 0 && last > 0 && !whole.0 && has.ends_with(wanted_line))
            || (position == last && last > 0 && !whole.1 && has.starts_with(wanted_line));
        if fits {
            continue;
        }
        let common = has.chars().zip(wanted_line.chars()).take_while(|(has, wanted)| has == wanted).count();
        let number = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
        return Some(NearMiss {
            line: number(start),
            differs_at: number(start + position),
            column: number(common),
            has: window(has, common),
            wanted: window(wanted_line, common),
        });
    }
    None
}

/// All lines are there, but the last of them is the file's last, which has no line end.
fn open_end(lines: &[&str], wanted: &[&str], start: usize) -> Option<NearMiss> {
    let (at, line) = (start + wanted.len(), *wanted.last()?);
    let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    (at == lines.len()).then(|| NearMiss {
        line: number(start + 1),
        differs_at: number(at),
        column: number(line.chars().count() + 1),
        has: window(line, line.chars().count()),
        wanted: format!("{}\n", window(line, line.chars().count())),
    })
}

/// The characters around a column: where the lines differ has to be seen.
fn window(line: &str, column: usize) -> String {
    let skipped = if column < LINE_CHARS { 0 } else { column - LINE_CHARS / 2 };
    let rest = line.char_indices().nth(skipped).map_or("", |(start, _)| &line[start..]);
    let start = line.len() - rest.len();
    let shown = &line[crate::redact::whole(line, start..start + cut(rest).len())];
    let (front, back) =
        (if skipped > 0 { "…" } else { "" }, if cut(rest).len() < rest.len() { "…" } else { "" });
    format!("{front}{shown}{back}")
}

fn cut(line: &str) -> &str {
    line.char_indices().nth(LINE_CHARS).map_or(line, |(end, _)| &line[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, old: &str) -> Vec<String> {
        near_misses(text, old).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_first_difference_is_named() {
        assert_eq!(
            shown("fn a() {\n\tone();\n\ttwo();\n}\n", "fn a() {\n    one();\n"),
            [
                r#"line 1: first difference at line 2, column 1: the file has "\tone();", old_text has "    one();""#
            ]
        );
    }

    #[test]
    fn a_last_line_without_its_end_is_a_difference() {
        assert_eq!(
            shown("a();\nb();\nc();\n", "a();\nb()\n"),
            [r#"line 1: first difference at line 2, column 4: the file has "b();", old_text has "b()""#]
        );
        assert_eq!(shown("a();\nb();\nc();\n", "a();\nb()"), [""; 0]);
    }

    #[test]
    fn a_line_that_comes_again_and_again_costs_no_more_than_others() {
        let (text, old) = ("same line\n".repeat(40_000), "same line\n".repeat(10_000) + "another");
        assert_eq!(near_misses(&text, &old).len(), PLACES);
    }

    #[test]
    fn a_difference_far_to_the_right_is_shown() {
        let line = |end: &str| format!("{}{end}", "a".repeat(5000));
        let shown = shown(&format!("first\n{}\n", line("X tail")), &format!("first\n{}", line("Y tail")));
        let front = "a".repeat(LINE_CHARS / 2);
        let expected = format!(
            "line 1: first difference at line 2, column 5001: the file has \"…{front}X tail\", old_text has \"…{front}Y tail\""
        );
        assert_eq!(shown, [expected]);
    }

    #[test]
    fn a_like_line_is_found() {
        assert_eq!(
            shown("let total = price * count;\n", "let total = price + count;"),
            [
                r#"line 1: first difference at line 1, column 19: the file has "let total = price * count;", old_text has "let total = price + count;""#
            ]
        );
    }

    #[test]
    fn a_line_end_that_the_file_does_not_have_is_shown() {
        let text = "alpha line\nbeta line";
        let expected = r#"line 2: first difference at line 2, column 10: the file has "beta line", old_text has "beta line\n""#;
        assert_eq!(shown(text, "beta line\n"), [expected]);
        let expected = r#"line 1: first difference at line 2, column 10: the file has "beta line", old_text has "beta line\n""#;
        assert_eq!(shown(text, "alpha line\nbeta line\n"), [expected]);
        let expected = r#"line 1: first difference at line 3, column 1: the file has "", old_text has "\n""#;
        assert_eq!(shown("alpha line\nbeta line\n", "alpha line\nbeta line\n\n"), [expected]);
    }

    #[test]
    fn at_most_three_places_the_best_first() {
        let text = "same();\nx\nsame();\ny\nsame();\nother();\nsame();\n";
        let found = near_misses(text, "same();\nother()\n");
        assert_eq!(found.len(), 3);
        assert!(shown("nothing of the kind\n", "zzzz").is_empty());
    }
}
