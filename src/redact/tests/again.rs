//! What was known for a secret at one place is one at all places of a result.

use std::fmt::Write as _;

use super::{
    super::{secrets_in, whole, whole_around},
    *,
};

fn random(seed: usize) -> String {
    format!("{}4{}7", body(rules::Class::Alnum, 18, seed), body(rules::Class::Alnum, 18, seed + 9))
}

#[test]
fn a_secret_is_one_where_nothing_tells_of_it() {
    let secrets =
        [random(1), body(rules::Class::Hex, 32, 5), "a8Kd-0sP3!mQ7xZ1vB5".into(), "x7Kd0sP3mQ2w".into()];
    for secret in &secrets {
        for text in [
            "+ API_TOKEN=@\n+ docker login ghcr.io -u x -p @\n",
            "+ API_KEY=\"@\"\n+ curl -s 'https://x/hook/@/run'\n",
            "MYSQL_PASSWORD=@\nmysql -uroot -p@ db\n",
            "-API_TOKEN=@\n+GH_T=@\n",
            "TOKEN = \"@\"\nclient.login(\"@\")\n",
            "client.login(\"@\")\nTOKEN = \"@\"\n",
            "api_token: \"@\"\n\"x\\n@\\n\" \u{1b}[1m@\u{1b}[0m\n",
            "password=@\nAccess denied for '@'\n",
        ] {
            let text = text.replace('@', secret);
            let shown = redact(&text);
            if !shown.contains(OPENS) {
                // The shortest are known behind some names only.
                assert!(secret.len() < 20, "{text}");
                continue;
            }
            let numbered = format!(":1{CLOSES}");
            assert!(!shown.contains(secret.as_str()), "{shown}");
            assert_eq!(shown.matches(&numbered).count(), text.matches(secret.as_str()).count(), "{shown}");
        }
    }
}

#[test]
fn a_part_of_a_word_is_none_and_neither_is_a_word() {
    let secret = random(3);
    let text = format!("token={secret}\nx{secret} {secret}x -{secret}2 ab-p{secret} {}\n", &secret[..30]);
    let shown = redact(&text);
    assert_eq!(shown.lines().nth(1), text.lines().nth(1));
    for (text, wanted) in [
        ("password: \"correct-horse-battery\"\ncorrect-horse-battery", "correct-horse-battery"),
        ("password: \"hunter2hunter2\"\nhunter2hunter2", "hunter2hunter2"),
        ("password=Administrator1\nAdministrator1", "Administrator1"),
    ] {
        assert!(redact(text).ends_with(wanted), "{text}");
    }
}

#[test]
fn all_texts_of_a_result_know_it_and_no_other_result_does() {
    let (secret, redactor) = (random(5), Redactor::new(true, &[]));
    let mut redaction = redactor.begin();
    let shown = redaction.text(&format!("api_token=\"{secret}\"")).into_owned();
    assert!(shown.ends_with(":1\u{27e7}\""), "{shown}");
    assert_eq!(
        redaction.text(&format!("failed: {secret}")),
        format!("failed: {OPENS}assigned_secret:1{CLOSES}")
    );
    assert_eq!(redaction.count(), 2);
    let text = format!("failed: {secret}");
    assert_eq!(redactor.begin().text(&text), text);
    // What stands in front of what is shown tells of it, too.
    let (front, behind) = (format!("api_token=\"{secret}\"\n"), format!("failed: {secret}\n"));
    let shown = redactor.begin().behind(&format!("{front}{behind}"), front.len()).into_owned();
    assert_eq!(shown, format!("failed: {OPENS}assigned_secret:1{CLOSES}\n"));
}

#[test]
fn half_of_one_is_never_shown() {
    let secret = random(7);
    let text = format!(
        "{} api_key: \"{secret}\" {} {secret} {}",
        "w ".repeat(90),
        "w ".repeat(300),
        "z ".repeat(90)
    );
    let at = text.rfind(&secret).unwrap();
    assert_eq!(secrets_in(&text).len(), 2);
    for cut in at - 2..=at + secret.len() + 2 {
        for shown in [0..cut, cut..text.len()] {
            let part = &text[whole(&text, shown.clone())];
            let has_half =
                secret.as_bytes().windows(8).any(|half| part.contains(std::str::from_utf8(half).unwrap()));
            assert!(!has_half || part.contains(&secret), "{shown:?} {part}");
        }
    }
    let around = whole_around(&text, at + 10..at + 20, at + 12);
    assert!(text[around].contains(&secret));
    let long = text.repeat(12);
    let (cuts, mut start) = (Cuts::of(&long), 0);
    while start < long.len() {
        let end = cuts.near(start, (start + 2000).min(long.len()));
        assert!(end > start);
        let piece = redact(&long[start..end]).replace(&secret, "");
        let mut halves = secret.as_bytes().windows(8).map(|half| std::str::from_utf8(half).unwrap());
        assert!(!halves.any(|half| piece.contains(half)), "{piece}");
        start = end;
    }
}

#[test]
fn thousands_of_them_take_no_time() {
    let secret =
        |at: usize| format!("{}{}x{at}", body(rules::Class::Alnum, 24, 2), body(rules::Class::Alnum, 9, at));
    let mut text = String::new();
    for at in 0..4000 {
        let _ = writeln!(text, "token{at}=\"{}\" {}", secret(at), secret(at + 7));
    }
    let lines = text.lines().count();
    assert_eq!(redact(&text).lines().count(), lines);
    // One that begins as all do, at each place of a text.
    let unit = format!("{} ", body(rules::Class::Alnum, 24, 2));
    let _ = write!(text, "\napi_key=\"{}\"\n", unit.trim().repeat(100));
    text.push_str(&unit.repeat(8000));
    assert!(redact(&text).contains(OPENS));
}
