//! `pass` as the name of a password: `DB_PASS`, `dbPass`, `SMTP_PASS_PROD`, and not what has passed or through what something goes.

use super::{LOOKED_AT, NAME, is_constant, is_name, is_path, password, reads_as_words};
use crate::redact::{
    find::Span,
    gap::Gap,
    random::{has_few_words, is_half_words},
    rules::Class,
    runs::Runs,
};

/// Whose password it is, where nothing else parts the two words: `smtpPass`, `PGPASS`.
const OF_WHOM: &[&str] = &[
    "db", "user", "smtp", "mail", "sql", "root", "admin", "ssh", "ftp", "redis", "pg", "postgres", "mongo",
    "ldap", "imap", "http", "proxy", "auth", "login", "key", "store", "master", "vault", "service", "api",
    "client", "remote", "wifi", "vpn", "mqtt", "rabbit", "jdbc", "account", "basic",
];
/// For what it is, behind the word.
const FOR_WHAT: &[&str] = &[
    "prod",
    "production",
    "dev",
    "test",
    "stage",
    "staging",
    "live",
    "local",
    "qa",
    "main",
    "root",
    "admin",
    "user",
    "db",
    "old",
    "new",
    "ro",
    "rw",
];

/// The same of `pass`, where it does not tell that something has passed, or through what something goes.
pub(in crate::redact) fn passed(text: &str, hit: usize, after: usize, runs: &mut Runs<'_>) -> Option<Span> {
    let bytes = text.as_bytes();
    if says_passed(bytes, hit, after) {
        return None;
    }
    if !is_whole_name(bytes, hit, after) {
        return None;
    }
    let found = password(text, after, runs)?;
    let value = bytes.get(found.start..found.end.min(found.start + LOOKED_AT))?;
    let is_place = value.contains(&b'/') && is_half_words(value);
    let is_named = is_name(value) && !has_few_words(value);
    // `shadowPass = "Shadow_Map_2048"` is a way to draw it.
    let first = value.split(|byte| *byte == b'_').next().unwrap_or_default();
    let is_word = first.len() >= 3
        && first.len() < value.len()
        && first.iter().all(u8::is_ascii_alphabetic)
        && first.iter().skip(1).all(u8::is_ascii_lowercase);
    let is_asset = is_word && !is_owned(bytes, hit);
    if is_constant(value) || is_path(value) || is_place || is_named || is_asset || reads_as_words(value) {
        runs.beside.clear();
        return None;
    }
    Some(found)
}

/// True for `"Action": "pass"`, `--- PASS: TestX`, `PASS x.test.ts`, and not for the name of something whose value follows.
fn says_passed(bytes: &[u8], hit: usize, after: usize) -> bool {
    let (Some(before), Some(name)) = (bytes.get(..hit), bytes.get(hit..after)) else { return false };
    let rest = bytes.get(after..).unwrap_or_default();
    let name_end = after + rest.iter().take(NAME).take_while(|byte| Class::Word.has(**byte)).count();
    let gap = Gap::behind(bytes, name_end);
    let signs = bytes.get(name_end..gap.end).unwrap_or_default();
    if memchr::memmem::find(signs, b"alue").is_some() {
        return false;
    }
    let front = match before {
        [front @ .., b'"' | b'\''] => front.trim_ascii_end(),
        _ => &[],
    };
    if front.ends_with(b":") {
        return true;
    }
    let is_alone = name_end == after && !before.last().is_some_and(|byte| Class::Word.has(*byte));
    let blanks = before.iter().rev().take(NAME).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let is_field = blanks > 0 && matches!(before.get(..hit - blanks), Some([] | [.., b'\n' | b'|']));
    let is_given = signs.contains(&b'=') || gap.assigns && (gap.quoted || is_field);
    is_alone && name == b"PASS" && !is_given
}

/// True where the name is that word, a word of whose it is in front of it, and behind it at most a number or what it is for.
fn is_whole_name(bytes: &[u8], hit: usize, after: usize) -> bool {
    let before = bytes.get(..hit).unwrap_or_default();
    // `oraclePass`, `newPass`.
    let is_joined =
        matches!(bytes.get(hit..hit + 2), Some(b"Pa")) && before.last().is_some_and(u8::is_ascii_lowercase);
    if !is_joined && !is_owned(bytes, hit) {
        return false;
    }
    let rest = bytes.get(after..).unwrap_or_default();
    let length = rest.iter().take(NAME).take_while(|byte| Class::Word.has(**byte)).count();
    let behind = rest.get(..length).unwrap_or_default();
    let word = behind.strip_prefix(b"_").unwrap_or(behind);
    length < rest.len()
        && (word.iter().all(u8::is_ascii_digit)
            || word.len() < behind.len()
                && FOR_WHAT.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes())))
}

/// True where the word stands alone, or somebody in front of it.
fn is_owned(bytes: &[u8], hit: usize) -> bool {
    let before = bytes.get(..hit).unwrap_or_default();
    let ends = |word: &&str| {
        before
            .len()
            .checked_sub(word.len())
            .is_some_and(|at| before[at..].eq_ignore_ascii_case(word.as_bytes()))
    };
    before.last().is_none_or(|byte| !byte.is_ascii_alphanumeric()) || OF_WHOM.iter().any(ends)
}

#[cfg(test)]
mod tests {
    use crate::redact::tests::redact;

    #[test]
    fn whose_and_for_what_it_is_may_be_said() {
        let secret = "Zk7vQ2xLp9Rt4Wm8Ns3Bd6Yh1Cf5Gj0E";
        for name in [
            "dbPass",
            "$dbPass",
            "smtpPass",
            "userPass",
            "keyPass",
            "PGPASS",
            "SSHPASS",
            "dbpass",
            "DB_PASS_PROD",
            "DB_PASS2",
            "db_pass_1",
            "pass_prod",
            "MAIL_PASS",
            "PASS1",
            "PASS_PROD",
            "oraclePass",
            "newPass",
        ] {
            for text in ["@ = \"#\"", "@=#\n", "@: #\n", "{\"@\": \"#\"}", "const @ = '#';"] {
                let text = text.replace('@', name);
                let shown = text.replace('#', "\u{27e6}redacted:assigned_secret:1\u{27e7}");
                assert_eq!(redact(&text.replace('#', secret)), shown, "{text}");
            }
        }
        for name in ["first_pass_of", "bypass", "compass", "pass_through", "passed"] {
            let text = format!("{name} = \"{secret}\"");
            assert_eq!(redact(&text), text);
        }
    }
}
