//! Texts full of what the rules look for: what takes the square of their length takes hours here.

use super::{
    super::{Cuts, rules},
    *,
};

/// All that the rules look for, each as it begins a secret and as a piece of a longer run of what it is made of.
pub(crate) fn beginnings() -> Vec<String> {
    let mut all: Vec<String> =
        rules::TOKENS.iter().flat_map(|token| [token.prefix, token.trigger]).map(str::to_owned).collect();
    all.extend(rules::CONTEXTS.iter().map(|(word, _, _)| (*word).to_owned()));
    all.extend(
        [
            "client-key-data",
            "client-key-data: ",
            "Private-Lines: 400\n",
            "Private-Lines: 400 ",
            "-----BEGIN ",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "Authorization: Bearer ",
            "Authorization: Basic ",
            "?sig=",
            "token=a1",
            "token.",
            "https://u:pa55word@h ",
            "eyJ.eyJ",
            "T3BlbkFJsk-",
            "password a1",
            "Authorization: Key ",
            "Authorization: a1",
            "api_key\\\"",
            "api_key=\\/",
            "api-key: %2B",
            "encryptionkey",
            "pwd \u{1b}[0m",
            "x:\\/\\/",
            "x:\\\\/\\\\/u:\\u0026",
            "<secret>a1",
            OPENS,
        ]
        .map(str::to_owned),
    );
    all.sort_unstable();
    all.dedup();
    all.iter().flat_map(|word| ["", "-", "a1.", "='"].map(|behind| format!("{word}{behind}"))).collect()
}

/// The longest tokens, whose beginnings each ask for thousands of bytes.
fn longest() -> Vec<String> {
    let tokens = rules::TOKENS.iter().filter(|token| token.max >= 1000);
    let mut all: Vec<String> = tokens.map(|token| format!("{}-", token.prefix)).collect();
    all.extend(["client-key-data", "Private-Lines: 400\n", "Private-Lines: 400 "].map(str::to_owned));
    assert!(all.len() >= 8);
    all
}

#[test]
fn what_the_rules_look_for_may_stand_there_any_number_of_times() {
    let redactor = Redactor::new(true, &[]);
    let sizes = [(beginnings(), 20_000), (longest(), 2 << 20)];
    for (unit, size) in sizes.iter().flat_map(|(units, size)| units.iter().map(move |unit| (unit, size))) {
        let text = unit.repeat(size / unit.len());
        let shown = redactor.begin().text(&text).into_owned();
        assert_eq!(shown.matches('\n').count(), text.matches('\n').count(), "{unit}");
        assert_eq!(placeholder(&text), None, "{unit}");
    }
    let text = OPENS.repeat(100_000);
    assert_eq!((placeholder(&text), redactor.begin().text(&text)), (None, Cow::Borrowed(text.as_str())));
}

#[test]
fn a_line_of_them_is_cut_into_pieces_of_use() {
    for (unit, size) in
        beginnings().iter().map(|unit| (unit, 8_000)).chain(longest().iter().map(|unit| (unit, 1 << 20)))
    {
        let text = unit.replace('\n', " ").repeat(size / unit.len());
        let (cuts, mut start, mut pieces) = (Cuts::of(&text), 0, 0);
        while text.len() - start > 2000 {
            let end = cuts.near(start, start + 2000);
            assert!(end - start >= 1000, "{unit}: {start}..{end}");
            (start, pieces) = (end, pieces + 1);
        }
        assert!(pieces > 0, "{unit}");
    }
}

#[test]
fn of_two_secrets_that_overlap_nothing_is_left() {
    let patterns = ["AAAA-.*-BBBB", "BBBB-[0-9]+"].map(str::to_owned);
    let redactor = Redactor::new(true, &patterns);
    let shown = redactor.begin().text("x AAAA-1-BBBB-2345 y").into_owned();
    assert_eq!(shown, "x \u{27e6}redacted:custom_1:1\u{27e7}\u{27e6}redacted:custom_2:1\u{27e7} y");
}

/// Each match looks at all that follows: unbounded, minutes.
#[test]
fn a_pattern_that_looks_to_the_end_at_each_match_takes_no_time() {
    for (pattern, unit) in
        [("a(.*b)?", "a"), ("x.*y|x", "x "), ("(?<secret>a)(.*Z)?", "a1"), ("^a|a(.*b)?", "12|aa")]
    {
        let redactor = Redactor::new(true, &[pattern.to_owned()]);
        let text = unit.repeat(120_000 / unit.len());
        let mut redaction = redactor.begin();
        let shown = redaction.text(&text);
        assert!(
            !shown.contains(['a', 'x']) || !unit.contains(['a', 'x']) || shown.contains("redacted"),
            "{pattern}"
        );
        assert!(redaction.count() >= 30_000, "{pattern} {}", redaction.count());
    }
    // However many there were, the next one is found: far away, and longer than what is looked at first.
    let redactor = Redactor::new(true, &["a|<[^>]*>".to_owned()]);
    let text =
        format!("{}{}<{}>{}a", "a".repeat(60_000), "-".repeat(5000), "x".repeat(3000), "-".repeat(700));
    let shown = redactor.begin().text(&text).into_owned();
    assert!(!shown.contains('x') && shown.matches('\u{27e6}').count() == 60_002, "{}", shown.len());
}
