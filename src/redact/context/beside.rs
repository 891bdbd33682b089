//! A second value on the line of a first one: an old one in a comment, the other one of two, what it is changed to.

use crate::redact::{find::Span, gap::quote, literal::in_quotes, near::is_secret};

/// How far behind the first one it may begin.
const NEAR: usize = 64;
/// The longest one.
const LONGEST: usize = 256;
/// What stands between two values.
const SIGNS: &[&str] = &[":", "else ", "if ", "->", "=>", "||", "??", "or ", "replace ", "-]"];
/// What begins a comment.
const COMMENTS: &[&str] = &["#", "//", "-- ", "<!--", "/*"];

/// The one beside a value that ends at `end`.
pub(super) fn beside(bytes: &[u8], end: usize) -> Option<Span> {
    let rest = bytes.get(end..)?;
    let rest = rest.get(..NEAR + LONGEST).unwrap_or(rest);
    let line = rest.split(|byte| *byte == b'\n').next()?;
    let quotes = quote(line).unwrap_or_default();
    let signs = line.iter().skip(quotes).take(8).take_while(|byte| b" \t;,)/>".contains(byte)).count();
    let blanks = line.iter().skip(quotes).take(8).take_while(|byte| b" \t;,)".contains(byte)).count();
    let begins = |at: usize, words: &[&str]| {
        let behind = line.get(at..).unwrap_or_default();
        words.iter().any(|word| {
            behind.get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
        })
    };
    let at = quotes + blanks;
    if begins(at, COMMENTS) || begins(quotes + signs, COMMENTS) {
        return in_comment(line, end, at);
    }
    // `token: x:y` has one value.
    if !begins(at, SIGNS) || quotes == 0 && line.get(at) == Some(&b':') {
        return None;
    }
    let mut at = at;
    while at < NEAR {
        let here = line.get(at..).filter(|here| !here.is_empty())?;
        let Some(length) = quote(here) else {
            at += 1;
            continue;
        };
        let start = end + at + length;
        let value = in_quotes(bytes, start)?;
        if is_secret(&value.plain) {
            return Some(Span::new(start, value.end, "assigned_secret"));
        }
        at = value.end - end + bytes.get(value.end..).and_then(quote).unwrap_or(1);
    }
    None
}

/// The first word of a comment that is a secret.
fn in_comment(line: &[u8], end: usize, mut at: usize) -> Option<Span> {
    while at < NEAR {
        let here = line.get(at..).filter(|here| !here.is_empty())?;
        let word = here.split(u8::is_ascii_whitespace).next()?;
        let is_outer = |byte: &&u8| !byte.is_ascii_alphanumeric();
        let front = word.iter().take_while(is_outer).count();
        let back = word.iter().rev().take(word.len() - front).take_while(is_outer).count();
        let own = word.get(front..word.len() - back).unwrap_or_default();
        if own.is_ascii() && is_secret(own) {
            return Some(Span::new(end + at + front, end + at + front + own.len(), "assigned_secret"));
        }
        at += word.len() + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::redact::tests::redact;

    const ONE: &str = "a8Kd0sP3mQ7xZ1vB5nW9";
    const TWO: &str = "Zq4Lw9Xc2Vb7Nm1As6Df";

    #[test]
    fn a_name_may_have_two_values() {
        for text in [
            "- name: API_TOKEN\n  # value: \"@1\"\n  value: \"@2\"\n",
            "- name: API_TOKEN\n  value: \"@1\"\n  # value: \"@2\"\n",
            "{\n \"name\": \"API_TOKEN\",\n // \"value\": \"@1\",\n \"value\": \"@2\"\n}\n",
            "variable \"db_password\" {\n  # default = \"@1\"\n  default = \"@2\"\n}\n",
            "API_TOKEN=@1 # was @2\n",
            "api_token: \"@1\" # old: \"@2\"\n",
            "<add key=\"ApiKey\" value=\"@1\" /><!-- \"@2\" -->\n",
            "const apiKey = isProd ? '@1' : '@2';\n",
            "API_TOKEN = \"@1\" if PROD else \"@2\"\n",
            "  ~ password = \"@1\" -> \"@2\"\n",
            "ALTER USER a IDENTIFIED BY '@1' REPLACE '@2';\n",
            "API_KEYS = {\"prod\": \"@1\", \"dev\": \"@2\"}\n",
            "api_key:\n  prod: @1\n  dev: @2\n",
            "\"apiKey\": {\n  \"dev\": \"@1\",\n  \"prod\": \"@2\"\n}\n",
            "{\"password\": {\"old\": \"@1\", \"new\": \"@2\"}}\n",
            "kubectl create secret generic x --from-literal=password=@1 --from-literal=db=@2\n",
        ] {
            let shown = redact(&text.replace("@1", ONE).replace("@2", TWO));
            let is_gone = !shown.contains(ONE) && !shown.contains(TWO);
            assert!(is_gone && shown.matches('\u{27e6}').count() == 2, "{shown}");
        }
    }

    #[test]
    fn what_belongs_to_something_else_is_no_second_value() {
        for text in [
            "- name: API_TOKEN\n  value: \"@1\"\n- name: BUILD\n  value: \"@2\"\n",
            "{\"name\": \"API_TOKEN\", \"value\": \"@1\", \"commit\": \"@2\"}",
            "ParameterKey=Token,ParameterValue=@1 ParameterKey=Build,ParameterValue=@2",
            "<name>token</name><value>@1</value>\n<name>build</name><value>@2</value>",
            "token = \"@1\", \"@2\"",
            "\"token\": {\"a\": \"@1\", \"version\": \"1.0\", \"b\": \"@2\"}",
            "passwords:\n  secure: @2\n",
            "token: \"@1\" # see https://example.org/a/way/to/something2",
        ] {
            let shown = redact(&text.replace("@1", ONE).replace("@2", TWO));
            assert!(!text.contains("@2") || shown.contains(TWO), "{shown}");
            assert!(text.contains("@2") || shown.ends_with("something2"), "{shown}");
        }
    }
}
