//! One spelling for every way a file system lets a name be written, so that no list is got around by spelling.
//!
//! Never used to open anything: what is opened is a handle; this is only what rules are compared with.

use std::{borrow::Cow, collections::HashMap, sync::LazyLock};

use unicode_normalization::UnicodeNormalization;

use super::path_lists::{BLOCKED, PROTECTED};
use crate::text::is_deceptive;

/// The spellings of a `/`-separated path that rules are matched against, the plainest last.
///
/// A folding file system opens the same file under many names, and which of them is the real one depends on the system: `a:b`
/// is a stream of `a` on Windows and a file of its own elsewhere. All readings are matched and the strictest verdict wins.
pub fn spellings(path: &str) -> Vec<Cow<'_, str>> {
    if is_plain(path) {
        return vec![Cow::Borrowed(path)];
    }
    if path.is_ascii() && is_plain(&path.to_ascii_lowercase()) {
        return vec![Cow::Owned(path.to_ascii_lowercase())];
    }
    let mut found: Vec<Cow<'_, str>> = Vec::with_capacity(3);
    let mut take = |reading: String| {
        if !found.iter().any(|known| *known == reading) {
            found.push(Cow::Owned(reading));
        }
    };
    if folds_to_more(path) {
        // For a glob that counts characters, `ß` is one and not `ss`.
        for reading in [each(path, compose), each(path, bare), each(path, |name| bare(cut_stream(name)))] {
            take(reading);
        }
    }
    for reading in [each(path, fold), each(path, tidy), each(path, |name| tidy(cut_stream(name)))] {
        take(reading);
    }
    found
}

/// Composed and folded: what a glob is brought to before it is compiled.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    // By way of the upper case: that is what joins `ſ` with `s`, `ß` with `ss` and a ligature with its letters.
    let upper = text.nfc().flat_map(char::to_lowercase).flat_map(char::to_uppercase);
    upper.flat_map(char::to_lowercase).nfc().collect()
}

fn compose(name: &str) -> String {
    name.nfc().collect()
}

/// Folding changes how many characters there are.
fn folds_to_more(path: &str) -> bool {
    !path.is_ascii() && path.nfc().count() != fold(path).chars().count()
}

fn each(path: &str, spell: impl Fn(&str) -> String) -> String {
    path.split('/').map(spell).collect::<Vec<_>>().join("/")
}

/// Nothing here that any of the readings would change: the common case, without an allocation.
fn is_plain(path: &str) -> bool {
    let mut previous = b'/';
    for byte in path.bytes() {
        let plain =
            matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'/' | b'+' | b'@' | b'=' | b',');
        if !plain || (byte == b'/' && previous == b'.') {
            return false;
        }
        previous = byte;
    }
    previous != b'.'
}

/// Without the marks that some file systems ignore, without the ending that Windows drops, short names written out.
fn tidy(name: &str) -> String {
    long_name(trim(&fold(&kept(name))))
}

/// The same, not folded.
fn bare(name: &str) -> String {
    trim(&compose(&kept(name))).to_owned()
}

fn kept(name: &str) -> String {
    name.chars().filter(|&character| !is_ignored(character)).collect()
}

fn trim(name: &str) -> &str {
    name.trim_end_matches(['.', ' ', '\t', '\n'])
}

/// The file of which `name` is a stream.
fn cut_stream(name: &str) -> &str {
    name.split(':').next().unwrap_or(name)
}

/// The long name of what Windows lists in eight characters and three: `.git` is also `git~1`, `credentials` also `creden~1`.
fn long_name(name: &str) -> String {
    let Some((stem, rest)) = name.split_once('~') else { return name.to_owned() };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, ending) = rest.split_at(digits);
    if number.is_empty() || !(ending.is_empty() || ending.starts_with('.')) {
        return name.to_owned();
    }
    if let Some(long) = LISTED.get(&(stem.to_owned(), ending.to_owned())) {
        return (*long).to_owned();
    }
    // `.env.local` is `env~1.loc`.
    if stem == "env" { format!(".env{ending}") } else { name.to_owned() }
}

/// The names that the built-in lists and git spell out, by their short forms; of two with the same one, the stricter list's.
static LISTED: LazyLock<HashMap<(String, String), &str>> = LazyLock::new(|| {
    let names = [".git"].into_iter().chain(BLOCKED.iter().chain(PROTECTED).flat_map(|glob| glob.split('/')));
    let plain = names.filter(|name| !name.is_empty() && !name.contains('*'));
    let mut listed = HashMap::new();
    for name in plain {
        listed.entry(short_form(name)).or_insert(name);
    }
    listed
});

/// What stands in front of the `~1` of a name's short form, and its ending with the dot.
fn short_form(name: &str) -> (String, String) {
    let bare = name.trim_start_matches('.');
    let (stem, ending) = bare.rsplit_once('.').unwrap_or((bare, ""));
    let stem: String = stem.chars().filter(|character| !matches!(character, '.' | ' ')).take(6).collect();
    let ending: String = ending.chars().take(3).collect();
    (stem, if ending.is_empty() { ending } else { format!(".{ending}") })
}

/// Characters that a folding file system leaves out when it compares names (Unicode's default-ignorable ones), and controls.
fn is_ignored(character: char) -> bool {
    is_deceptive(character)
        || matches!(character,
            '\u{34f}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0080}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(path: &str) -> String {
        spellings(path).pop().unwrap().into_owned()
    }

    #[test]
    fn every_way_to_write_a_name_is_read() {
        for (written, plain) in [
            ("src/main.rs", "src/main.rs"),
            ("SRC/Main.RS", "src/main.rs"),
            (".GIT", ".git"),
            (".git.", ".git"),
            (".git . .", ".git"),
            (".git::$INDEX_ALLOCATION/config", ".git/config"),
            (".g\u{200c}it", ".git"),
            (".git\u{feff}", ".git"),
            (".g\u{e0101}it", ".git"),
            ("git~1", ".git"),
            ("GIT~12/config", ".git/config"),
            ("gitmod~1", ".gitmodules"),
            ("env~1.loc", ".env.loc"),
            ("secret\u{17f}", "secrets"),
            ("\u{212a}ey", "key"),
            ("cafe\u{301}", "caf\u{e9}"),
            ("AWS~1/CREDEN~1", ".aws/credentials"),
            ("ssh~1", ".ssh"),
            ("git-cr~1", ".git-credentials"),
            ("gitatt~2", ".gitattributes"),
            ("packag~1.jso", "package.json"),
            ("terra~1.tfs", "terra~1.tfs"),
            ("backup~1", "backup~1"),
            ("git~x", "git~x"),
        ] {
            assert_eq!(last(written), plain, "{written:?}");
        }
    }

    #[test]
    fn both_readings_of_a_colon_are_kept() {
        assert_eq!(spellings("a:b.pem"), ["a:b.pem", "a"]);
        assert_eq!(spellings("notes."), ["notes.", "notes"]);
    }

    #[test]
    fn a_plain_path_is_not_copied() {
        assert!(matches!(spellings("src/lib.rs")[..], [Cow::Borrowed("src/lib.rs")]));
    }
}
