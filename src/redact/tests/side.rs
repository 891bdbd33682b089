//! Values that stand below their name in one side of a text and not in the text itself.

use super::*;

/// What a tool writes in front of a line, by its number.
type Front = fn(usize) -> String;

const FRONTS: [Front; 6] = [
    |_| String::new(),
    |number| format!("{number:>5}|"),
    |number| format!("{number:>6}\t"),
    |number| format!("{number}-"),
    |number| format!("a/f.patch{sign}{number}{sign}", sign = if number % 2 == 0 { ':' } else { '-' }),
    |number| format!("\u{1b}[36m{number}\u{1b}[m:"),
];

fn secret(seed: usize) -> String {
    format!("a{}4{}7", body(rules::Class::Alnum, 18, seed), body(rules::Class::Alnum, 18, seed + 9))
}

/// Nothing is left of the secrets that `@1`, `@2` and `@3` stand for, whatever stands in front of the lines.
fn check(lines: &[&str]) {
    let secrets = [secret(1), secret(4), secret(11)];
    for front in FRONTS {
        let mut text = String::new();
        for (at, line) in lines.iter().enumerate() {
            let line = secrets
                .iter()
                .zip(["@1", "@2", "@3"])
                .fold((*line).to_owned(), |line, (secret, place)| line.replace(place, secret));
            let _ = writeln!(text, "{}{line}", front(at + 8));
        }
        let shown = redact(&text);
        for (secret, place) in secrets.iter().zip(["@1", "@2", "@3"]) {
            assert!(!shown.contains(secret.as_str()), "{place}: {shown}");
        }
        assert_eq!(shown.lines().count(), text.lines().count());
        assert_eq!(shown.replace(OPENS, "").lines().next(), text.lines().next());
    }
}

/// Three ways in which a value stands below its name: the lines in front, the value, the lines behind.
const BELOW: [(&str, &str); 4] = [
    ("- name: API_TOKEN", "  value: \"@\""),
    ("token: |", "  @"),
    ("<key>API_TOKEN</key>", "<string>@</string>"),
    ("SECRET_KEY = (", "    \"@\""),
];

fn each(lines: &[&str]) {
    for (name, value) in BELOW {
        let lines: Vec<_> = lines
            .iter()
            .map(|line| {
                let value = |place: &str| value.replace('@', place);
                line.replace("NAME", name)
                    .replace("V1", &value("@1"))
                    .replace("V2", &value("@2"))
                    .replace("V3", &value("@3"))
            })
            .collect();
        check(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn both_sides_of_a_difference_are_read() {
    each(&["--- a/f", "+++ b/f", "@@ -1,3 +1,3 @@", " NAME", "-V1", "+V2", " x: 1"]);
    each(&["* commit 1f3a9c0b12", "|", "| @@ -1,3 +1,3 @@", "|  NAME", "| -V1", "| +V2", "|  x: 1"]);
    each(&["@@@ -1,3 -1,3 +1,3 @@@", "  NAME", "- V1", " -V2", "++V3"]);
    each(&[
        "\u{1b}[36m@@ -1 +1 @@\u{1b}[m",
        " NAME\u{1b}[m",
        "\u{1b}[31m-V1\u{1b}[m",
        "\u{1b}[32m+\u{1b}[m\u{1b}[32mV2\u{1b}[m",
    ]);
    each(&["1,2c1,2", "< NAME", "< V1", "---", "> NAME", "> V2"]);
    each(&[
        "*** f",
        "--- g",
        "***************",
        "*** 1,3 ****",
        "  NAME",
        "! V1",
        "--- 1,3 ----",
        "  NAME",
        "! V2",
    ]);
    check(&["@@ -1,3 +1,3 @@", "- name: API_TOKEN", "  value: [-\"@1\"-]{+\"@2\"+}"]);
}

#[test]
fn all_sides_of_a_merge_are_read() {
    each(&["x: 1", "NAME", "<<<<<<< HEAD", "V1", "=======", "V2", ">>>>>>> main", "y: 1"]);
    each(&["NAME", "<<<<<<< HEAD", "V1", "||||||| 1f3a9c0", "V2", "=======", "V3", ">>>>>>> main"]);
    each(&[
        "@@@ -1,3 -1,3 +1,7 @@@",
        "  NAME",
        "++<<<<<<< HEAD",
        " +V1",
        "++=======",
        "+ V2",
        "++>>>>>>> main",
    ]);
}

#[test]
fn the_file_of_a_blame_is_read() {
    let id = "1f3a9c0b121f3a9c0b121f3a9c0b121f3a9c0b12";
    each(&["1f3a9c0b12 2026-01-31 Ann: one", "   1|NAME", "2f3a9c0b12 2026-01-31 Ben: two", "   2|V1"]);
    each(&[
        "^1f3a9c0 (Ann (x) B 2026-01-31 10:00:00 +0100 1) NAME",
        "1f3a9c0b (Ben     2026-01-31 10:00:00 +0100 2) V1",
    ]);
    each(&["1f3a9c0b  1) NAME", "2f3a9c0b  2) V1"]);
    each(&[
        "1f3a9c0b\t(  Ann\t2026-01-31 10:00:00 +0100\t1)NAME",
        "1f3a9c0b\t(  Ben\t2026-01-31 10:00:00 +0100\t2)V1",
    ]);
    let fact = |number: usize| format!("{number}{} {number} {number}", &id[1..]);
    each(&[&fact(1), "author Ann", "filename f", "\tNAME", &fact(2), "author Ben", "filename f", "\tV1"]);
}

#[test]
fn a_text_that_a_search_found_is_read() {
    each(&["NAME", "V1", "x: 1"]);
}

#[test]
fn what_is_coloured_is_read_as_it_is_shown() {
    let secret = secret(2);
    for text in [
        "\u{1b}[01;31m\u{1b}[KAPI_TOKEN\u{1b}[m\u{1b}[K=@",
        "API_\u{1b}[01;31m\u{1b}[KTOKEN\u{1b}[m\u{1b}[K=@",
        "SECRET_KEY\u{1b}[39;49;00m = \u{1b}[33m\"\u{1b}[39;49;00m\u{1b}[33m@\u{1b}[39;49;00m\u{1b}[33m\"",
        "Authorization: Bearer \u{1b}[32m@\u{1b}[0m",
        "postgres://app:\u{1b}[32m@\u{1b}[0m@db",
        "\u{1b}]8;;x\u{1b}\\token\u{1b}]8;;\u{1b}\\=@",
        "\\u001b[34;1m\\\"password\\\"\\u001b[0m\\u001b[1;39m:\\u001b[0m \\u001b[0;32m\\\"@\\\"",
        "[01;31m[Kpassword[m[K: \"@\"",
        "^[[31mtoken^[[0m^[[2m=^[[m@",
    ] {
        let text = text.replacen('@', &secret, 1);
        let shown = redact(&text);
        assert!(!shown.contains(&secret) && shown.contains(OPENS), "{shown:?}");
    }
    // What is coloured in two parts is one.
    let (first, second) = secret.split_at(10);
    let shown = redact(&format!("API_TOKEN=\u{1b}[31m{first}\u{1b}[m{second}\n"));
    assert!(!shown.contains(first) && !shown.contains(second), "{shown:?}");
}

#[test]
fn what_only_looks_like_a_side_is_left_as_it_is() {
    for text in [
        "a\n@@ -1 +1 @@\n a\n+b\n",
        "- a\n- b",
        "x @@ -1\n<<<<<<< HEAD\n[-a\n=======\n",
        "<<<<<<<\n>>>>>>>\n=======\n|||||||",
        "12c12\n<\n---\n>\n\\ No newline at end of file\n@@ -\u{e9}\n@@@ -\n-\u{e9}\n",
        "\u{e9}:1:a\n\u{e9}:2:\u{e9}\n\u{e9}:3:[-\u{e9}-]{+\u{e9}+}\n",
    ] {
        assert_eq!(redact(text), text);
    }
    for unit in [
        "@@ -1\n",
        "<<<<<<< ",
        "[-",
        "[-a-]{+",
        "@@@ -\n--x\n",
        "\u{1b}]8",
        "\u{1b}[",
        "[1m",
        "a:1:",
        "1f3a9c0b12 (",
    ] {
        let text = format!("@@ -1\n+token=\n{}", unit.repeat(100_000 / unit.len()));
        assert_eq!(redact(&text).lines().count(), text.lines().count());
    }
}
