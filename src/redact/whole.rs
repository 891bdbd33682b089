//! Where a text may be cut: whole answers are redacted behind the tools, and half of a secret is not known for one.

use std::{ops::Range, sync::OnceLock};

use super::{Redactor, again::Again, find::Span, gap::quote, keys::title_around};

/// Bytes on both sides of a cut that are looked at: the longest secret has 6 KiB.
const REACH: usize = 8 * 1024;
/// What stands in front of a secret, and tells that it is one.
const IN_FRONT: usize = 256;
/// What closes a secret, and may tell that it is one.
const BEHIND: usize = 96;
/// A piece of a long line with less is not worth its line.
const USEFUL: usize = 1000;
/// Looks until every secret is in or out; each takes something away, mostly one is enough.
const LOOKS: usize = 8;

/// The part of `shown` in which every secret of the text is one there, too: those that a cut would go through are left out, and those
/// that would no longer be known without what stands around them. By the built-in rules.
///
/// Where `shown` begins or ends with the text nothing is cut, and that end stays where it is.
pub fn whole(text: &str, shown: Range<usize>) -> Range<usize> {
    let moves = match (shown.start > 0, shown.end < text.len()) {
        (true, false) => Moves::Start,
        (false, true) => Moves::End,
        _ => Moves::Nearer,
    };
    Near::of(text, &shown).whole(shown, moves)
}

/// The same around a place of which a secret may not be left out: what it stands in is shown, too, which a placeholder replaces.
pub fn whole_around(text: &str, shown: Range<usize>, place: usize) -> Range<usize> {
    let near = Near::of(text, &shown);
    let Range { mut start, mut end } = shown;
    for span in near.spans.iter().filter(|span| (span.start..=span.end).contains(&place)) {
        start = start.min(text.floor_char_boundary(span.start.saturating_sub(IN_FRONT)));
        end = end.max(text.ceil_char_boundary((span.end + 1).min(text.len())));
    }
    near.whole(start..end, Moves::Nearer)
}

/// Where the secrets of a text are. By the built-in rules.
pub fn secrets_in(text: &str) -> Vec<Range<usize>> {
    spans(text, 0..text.len()).into_iter().map(|span| span.start..span.end).collect()
}

/// Where a long text may be cut into pieces. It is looked through once, and then only around each cut.
#[derive(Debug)]
pub struct Cuts<'t>(Near<'t>);

impl<'t> Cuts<'t> {
    /// Looks the text through.
    pub fn of(text: &'t str) -> Self {
        Self(Near { text, spans: spans(text, 0..text.len()) })
    }

    /// Where the piece ends that begins at `start` and should end at `end`: every secret of it is one in it, too, and what follows is
    /// known without it. A secret that would leave little of a piece is in it as a whole, however long: a text full of secrets is
    /// not cut in front of each.
    pub fn near(&self, start: usize, end: usize) -> usize {
        let end = self.not_in_title(start, end);
        let cut = self.behind(self.0.whole(start..end, Moves::End).end);
        if cut >= end || cut - start >= USEFUL { cut } else { self.behind(end) }
    }

    /// `end`, or one that goes through no line that tells of a key: half of it tells nothing.
    fn not_in_title(&self, start: usize, end: usize) -> usize {
        let text = self.0.text;
        match title_around(text, end) {
            Some(title) if title > start => title,
            // A piece that is only this line would be none.
            Some(_) => self.not_in_title(start, text.ceil_char_boundary((start + USEFUL).min(text.len()))),
            None => end,
        }
    }

    /// The first place from `cut` on behind which every secret is known without what stands in front.
    fn behind(&self, mut cut: usize) -> usize {
        let text = self.0.text;
        for _ in 0..LOOKS {
            let first = self.0.spans.partition_point(|span| span.end <= cut);
            let behind = self.0.spans.partition_point(|span| span.start < cut + REACH);
            let spans = self.0.spans.get(first..behind).unwrap_or_default();
            // What tells of a secret stands right in front of it, but for those of many lines or parts.
            // Of one that nothing tells of here only a half is worse than all of it.
            let may_lack = |span: &&Span| {
                let reach = if span.again { 0 } else { IN_FRONT };
                span.start < cut + reach || is_told_far_away(span)
            };
            let spans: Vec<_> = spans.iter().filter(may_lack).collect();
            let Some(last) = spans.last() else { break };
            let reach = if spans.iter().any(|span| is_told_far_away(span)) { REACH } else { IN_FRONT };
            // Each is looked at with what closes it: what is looked at ends somewhere, the text does not.
            let end = text.ceil_char_boundary((last.end.max(cut + reach) + BEHIND).min(text.len()));
            let known = Known::in_part(text, cut..end);
            let Some(lacking) = spans.iter().rfind(|span| !known.has(span)) else { break };
            // What closes a value belongs to what it is known by.
            let rest = text.as_bytes().get(lacking.end..).unwrap_or_default();
            let closes = quote(rest).unwrap_or(usize::from(matches!(rest.first(), Some(b'@' | b'<'))));
            cut = lacking.end + closes;
        }
        cut
    }
}

/// True for what is known by something that may stand a long way off.
fn is_told_far_away(span: &Span) -> bool {
    !span.again && matches!(&*span.id, "private_key" | "kubernetes_secret")
}

/// The secrets that are known in a part of a text alone.
struct Known(Vec<Span>);

impl Known {
    fn in_part(text: &str, part: Range<usize>) -> Self {
        Self(spans(text, part))
    }

    fn has(&self, span: &Span) -> bool {
        let next = self.0.partition_point(|own| own.start <= span.start);
        self.0.get(next.wrapping_sub(1)).is_some_and(|own| own.end >= span.end)
    }
}

/// Which end of what is shown gives way to a secret that would not be known in it.
#[derive(Clone, Copy, Debug)]
enum Moves {
    Start,
    End,
    /// The one that stands nearer to it.
    Nearer,
}

/// The secrets around a part of a text.
#[derive(Debug)]
struct Near<'t> {
    text: &'t str,
    spans: Vec<Span>,
}

impl<'t> Near<'t> {
    fn of(text: &'t str, shown: &Range<usize>) -> Self {
        let start = text.floor_char_boundary(shown.start.saturating_sub(REACH));
        let end = text.ceil_char_boundary((shown.end + REACH).min(text.len()));
        Self { text, spans: spans(text, start..end) }
    }

    fn whole(&self, shown: Range<usize>, moves: Moves) -> Range<usize> {
        let Range { mut start, mut end } = shown;
        end = title_around(self.text, end).filter(|title| *title > start).unwrap_or(end);
        let first = self.spans.partition_point(|span| span.end <= start);
        let behind = self.spans.partition_point(|span| span.start < end);
        let near = self.spans.get(first..behind).unwrap_or_default();
        for _ in 0..LOOKS {
            if start >= end || !near.iter().any(|span| span.start < end && span.end > start) {
                break;
            }
            let known = Known::in_part(self.text, start..end);
            let before = (start, end);
            for span in near {
                let is_whole = span.again && start <= span.start && span.end <= end;
                if span.start >= end || span.end <= start || is_whole || known.has(span) {
                    continue;
                }
                // What follows a cut off beginning stands nearer to it than to the end.
                let is_nearer =
                    span.start < start || (span.end <= end && span.start - start < end - span.end);
                match moves {
                    Moves::Nearer if is_nearer => start = span.end,
                    Moves::Start => start = span.end,
                    Moves::End | Moves::Nearer => end = span.start,
                }
            }
            if (start, end) == before {
                break;
            }
        }
        start..end.max(start)
    }
}

fn spans(text: &str, part: Range<usize>) -> Vec<Span> {
    static RULES: OnceLock<Redactor> = OnceLock::new();
    let start = part.start;
    let mut spans = RULES
        .get_or_init(|| Redactor::new(true, &[]))
        .spans(text.get(part).unwrap_or_default(), &mut Again::default());
    for span in &mut spans {
        (span.start, span.end) = (span.start + start, span.end + start);
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            rules::Class,
            tests::{body, redact},
        },
        *,
    };

    #[test]
    fn no_cut_goes_through_a_secret_or_takes_its_context() {
        let jwt =
            format!("eyJhbGciOiJSUzI1NiJ9.eyJ{}.{}", body(Class::Alnum, 1200, 3), body(Class::Alnum, 43, 5));
        let random = body(Class::Alnum, 40, 7);
        for secret in [
            format!("id={jwt} "),
            format!("-H 'Authorization: Bearer {random}' "),
            format!("postgres://app:{random}@db "),
            format!("api_key: \"{random}\" "),
        ] {
            let text = format!("{}{secret}{}", "w ".repeat(300), "z ".repeat(300));
            let secret = if secret.contains("eyJ") { &jwt } else { &random };
            for cut in (0..=text.len()).step_by(7) {
                for shown in [0..cut, cut..text.len()] {
                    let fits = whole(&text, shown.clone());
                    assert!(fits.start >= shown.start && fits.end <= shown.end);
                    let part = redact(&text[fits]);
                    let mut pieces = secret.as_bytes().windows(8).step_by(3);
                    let is_shown = |piece| part.contains(std::str::from_utf8(piece).unwrap());
                    assert!(!pieces.any(is_shown), "{part}");
                }
            }
            let place = text.find(secret.as_str()).unwrap() + 20;
            let around = whole_around(&text, place - 10..place + 10, place);
            assert!(redact(&text[around.clone()]).contains("\u{27e6}redacted:"), "{}", &text[around]);
        }
        assert_eq!(whole("nothing to see", 3..9), 3..9);
    }

    #[test]
    fn every_secret_of_a_long_line_is_known_in_the_piece_it_stands_in() {
        let random = body(Class::Alnum, 40, 7);
        let key = [2, 3, 4, 5].map(|seed| body(Class::Alnum, 64, seed)).join("\\n");
        for secret in [
            format!("token ghp_{} ", &random[..36]),
            format!("api_key: \"{random}\", "),
            format!("Authorization: Bearer {random}{random}{random} "),
            format!("postgres://app:{random}@db "),
            format!("client-key-data: {} ", random.repeat(70)),
            format!("\\\"api_key\\\": \\\"{random}\\\", "),
            format!("\\u0022api_key\\u0022:\\u0022{random}\\u0022, "),
            format!("Authorization: ApiKey {random}, "),
            format!("<password>{random}</password> "),
            format!("set(\"X-Api-Key\", \"{random}\") "),
            format!("postgres:\\/\\/app:{random}@db "),
            format!("\"-----BEGIN PRIVATE KEY-----\\n{key}\\n-----END PRIVATE KEY-----\\n\" "),
        ] {
            for front in (1000..2200).step_by(107) {
                for count in [1, 3, 40] {
                    let text =
                        format!("{}{}{}", "w ".repeat(front / 2), secret.repeat(count), "z ".repeat(2000));
                    let (cuts, mut start) = (Cuts::of(&text), 0);
                    while start < text.len() {
                        let end = (start + 2000).min(text.len());
                        let end = cuts.near(start, end);
                        let piece = redact(&text[start..end]);
                        let left = random.as_bytes().windows(10).chain(key.as_bytes().windows(10)).step_by(3);
                        let left = left.map(|left| std::str::from_utf8(left).unwrap());
                        let left: Vec<_> = left.filter(|left| piece.contains(left)).collect();
                        assert!(left.is_empty(), "{front} {count} {left:?} {piece}");
                        start = end;
                    }
                }
            }
        }
    }

    #[test]
    fn a_secret_that_ends_a_long_line_is_known_in_the_piece_it_stands_in() {
        let random = body(Class::Alnum, 44, 7);
        for secret in [
            format!("Authorization: Bearer {random}"),
            format!("login --password {random}"),
            format!("\"api_key\": \"{random}\""),
            format!("\\\"api_key\\\": \\\"{random}\\\""),
            format!("client-key-data: {}", random.repeat(200)),
        ] {
            for behind in ["", "}", "\\n", ", and so on"] {
                for front in (1840..2010).step_by(7) {
                    let text = format!("{}{secret}{behind}", "w".repeat(front));
                    // A piece that takes a secret in is read in pieces, too.
                    let (mut lines, mut shown) = (vec![text.as_str()], String::new());
                    while let Some(line) = lines.pop() {
                        let (cuts, mut start) = (Cuts::of(line), 0);
                        while line.len() - start > 2000 {
                            let end = cuts.near(start, start + 2000);
                            if start == 0 && end == line.len() {
                                break;
                            }
                            lines.push(&line[start..end]);
                            start = end;
                        }
                        shown += &redact(&line[start..]);
                        shown.push('\n');
                    }
                    let has = |left: &[u8]| shown.contains(std::str::from_utf8(left).unwrap());
                    assert!(!random.as_bytes().windows(10).any(has), "{front} {behind:?} {shown}");
                }
            }
        }
    }

    #[test]
    fn a_part_that_begins_or_ends_with_the_text_gives_way_at_its_other_end() {
        let random = body(Class::Alnum, 40, 7);
        let (front, back) = (format!("//app:{random}@db"), format!("Bearer {random}"));
        let text = format!("https:{front} {}{back}", "w ".repeat(300));
        let at = text.find(&random).unwrap();
        for cut in at..=at + random.len() {
            let part = whole(&text, 0..cut);
            assert_eq!(part.start, 0);
            assert!(part.end <= at, "{}", &text[part]);
        }
        let at = text.rfind(&random).unwrap();
        for cut in at..at + random.len() {
            let part = whole(&text, cut..text.len());
            assert_eq!(part, at + random.len()..text.len(), "{}", &text[part.clone()]);
        }
    }

    #[test]
    fn no_cut_goes_through_the_line_that_tells_of_a_key() {
        let key = [2, 3, 4, 5].map(|seed| body(Class::Alnum, 64, seed));
        let windows = key.iter().flat_map(|line| line.as_bytes().windows(16));
        let windows: Vec<&str> = windows.map(|window| std::str::from_utf8(window).unwrap()).collect();
        let clear = |text: &str| windows.iter().filter(|window| text.contains(*window)).count();
        for kind in ["", "RSA ", "ENCRYPTED "] {
            let title = format!("-----BEGIN {kind}PRIVATE KEY-----");
            let secret =
                format!("\"key\":\"{title}\\n{}\\n-----END {kind}PRIVATE KEY-----\\n\"", key.join("\\n"));
            for front in [7, 1500] {
                let text = format!("{}{secret},{}", "z".repeat(front), "w ".repeat(1500));
                let cuts = Cuts::of(&text);
                let opens = front..front + title.len() + 12;
                let closes = front + secret.len() - title.len() - 8..front + secret.len();
                for first in opens.chain(closes).filter(|first| *first > 0) {
                    let (mut start, mut end, mut pieces) = (0, first, String::new());
                    while start < text.len() {
                        let cut = cuts.near(start, end.min(text.len()));
                        assert!(cut > start, "{front} {first}");
                        pieces.push_str(&text[start..cut]);
                        pieces.push('\n');
                        (start, end) = (cut, cut + 2000);
                    }
                    let shown = redact(&pieces);
                    assert_eq!(clear(&shown), 0, "{front} {first} {shown}");
                    let part = whole(&text, 0..first);
                    assert_eq!(clear(&redact(&text[part])), 0, "{front} {first}");
                }
            }
            // The rest of the title was not shown.
            for cut in 1..title.len() {
                let closes = format!("-----END {kind}PRIVATE KEY-----");
                let text = format!("{} … (+9 characters)\n{}\n{closes}\n", &title[..cut], key.join("\n"));
                assert_eq!(clear(&redact(&text)), 0, "{text}");
            }
        }
    }
}
