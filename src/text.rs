//! Small truths about text shown to people and models.

use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
    fmt,
    path::{Path, PathBuf},
};

use serde::Serializer;

/// The longest prefix of `text` that has at most `limit` bytes and ends between characters.
pub fn prefix(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

/// A text as git takes one that should be UTF-8: bytes that are none are Latin-1.
pub fn utf8_or_latin1(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().copied().map(char::from));
    }
    text
}

/// A path for programs: JSON holds no bytes that are not UTF-8.
pub fn lossy<P: AsRef<Path>, S: Serializer>(path: &P, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.as_ref().to_string_lossy())
}

/// The same for one that may be missing.
pub fn lossy_option<P: AsRef<Path>, S: Serializer>(
    path: &Option<P>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => lossy(path, serializer),
        None => serializer.serialize_none(),
    }
}

/// True for characters that can hide or reorder what a person reads: controls (but for tab and newline), zero-width, bidi.
pub fn is_deceptive(character: char) -> bool {
    matches!(character,
        '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}'
        | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// `text` with deceptive characters, newlines included, written as escapes: for names and one-line messages.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|character| is_deceptive(character) || character == '\n' || character == '\t') {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            character if is_deceptive(character) => shown.extend(character.escape_unicode()),
            character => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

/// Characters at which a text may be cut: a word may be a secret that is known by its form, and half of one is not known.
pub const BREAKS: &[char] =
    &[' ', '\t', '\n', ',', ';', '{', '}', '(', ')', '[', ']', '<', '>', '"', '\'', '`', '&', '|'];

/// The same by byte: they are all ASCII, and lines of many megabytes are looked through for them.
const IS_BREAK: [bool; 256] = {
    let mut table = [false; 256];
    let mut at = 0;
    while at < BREAKS.len() {
        table[BREAKS[at] as usize] = true;
        at += 1;
    }
    table
};

/// Where the last of [`BREAKS`] stands.
pub fn last_break(text: &str) -> Option<usize> {
    text.bytes().rposition(|byte| IS_BREAK[usize::from(byte)])
}

/// Where the word begins that a cut at `end` would go through. What has more bytes than `longest` is no word.
pub fn before_word(text: &str, end: usize, longest: usize) -> usize {
    if text[end..].starts_with(BREAKS) {
        return end;
    }
    let start = text[..end].rfind(BREAKS).map(|at| at + 1);
    start.filter(|start| end - start <= longest).unwrap_or(end)
}

/// Where the word ends that a cut at `start` would go through.
pub fn behind_word(text: &str, start: usize, longest: usize) -> usize {
    if text[..start].ends_with(BREAKS) {
        return start;
    }
    let length = text[start..].find(BREAKS).filter(|length| *length <= longest);
    start + length.unwrap_or_default()
}

/// What stands in the place of the other side's answer where it cannot be read. Who asked takes that for a no.
pub const UNREADABLE: &str = "the answer cannot be read";

/// Foreign words for one line: harmless, and not longer than this.
pub fn excerpt(words: &str, limit: usize) -> String {
    let cut = prefix(words, limit);
    let more = if cut.len() < words.len() { "…" } else { "" };
    format!("{}{more}", visible(cut))
}

/// A path of Windows without the mark that it is to be taken literally, where it means the same without it.
pub fn without_mark(path: &str) -> Cow<'_, str> {
    let Some(rest) = path.strip_prefix(r"\\?\") else { return Cow::Borrowed(path) };
    if let Some(share) = rest.strip_prefix(r"UNC\") {
        return Cow::Owned(format!(r"\\{share}"));
    }
    // `C:` is a drive; anything else has no other name.
    match rest.as_bytes() {
        [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic() => Cow::Borrowed(rest),
        _ => Cow::Borrowed(path),
    }
}

/// The same for a path that the system gave; one that is no text is left as it is. Elsewhere than on Windows there is no such mark.
pub fn unmarked(path: PathBuf) -> PathBuf {
    if !cfg!(windows) {
        return path;
    }
    match path.to_str().map(without_mark) {
        Some(Cow::Borrowed(text)) if text.len() < path.as_os_str().len() => PathBuf::from(text),
        Some(Cow::Owned(text)) => PathBuf::from(text),
        _ => path,
    }
}

/// How a backslash is written in a name that has escapes, or letters that look like one.
const BACKSLASH: &str = "\\x5c";

/// A name of the system as text that leads back to it: what is not UTF-8 is written `\xNN`.
pub fn from_os(name: &OsStr) -> Cow<'_, str> {
    use std::fmt::Write as _;
    if let Some(text) = name.to_str() {
        // A name that looks like an escape would lead to another file.
        return match unescape_bytes(text) {
            None => Cow::Borrowed(text),
            Some(_) => Cow::Owned(text.replace('\\', BACKSLASH)),
        };
    }
    let mut shown = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        shown.push_str(&chunk.valid().replace('\\', BACKSLASH));
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    Cow::Owned(shown)
}

/// The name that [`from_os`] and [`visible`] would show as `text`; `None` when they change nothing in it.
#[cfg(unix)]
pub fn unescape_bytes(text: &str) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt as _;
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let after = &rest[at + 1..];
        let length = unescape(after, &mut bytes).unwrap_or_else(|| {
            bytes.push(b'\\');
            0
        });
        rest = &after[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    (bytes != text.as_bytes()).then(|| OsString::from_vec(bytes))
}

/// Adds what the escape after a `\` stands for; its length, or `None` when it is none of ours.
#[cfg(unix)]
fn unescape(escape: &str, bytes: &mut Vec<u8>) -> Option<usize> {
    match escape.as_bytes().first()? {
        b'n' => bytes.push(b'\n'),
        b't' => bytes.push(b'\t'),
        b'r' => bytes.push(b'\r'),
        b'x' => {
            let byte = u8::from_str_radix(escape.get(1..3)?, 16)
                .ok()
                .filter(|byte| *byte >= 0x80 || *byte == b'\\')?;
            bytes.push(byte);
            return Some(3);
        }
        b'u' => {
            let digits = escape.strip_prefix("u{")?.split_once('}')?.0;
            let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            let character =
                Some(character).filter(|character| is_deceptive(*character) && *character != '\0')?;
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            return Some(digits.len() + 3);
        }
        _ => return None,
    }
    Some(1)
}

/// Names are always text here.
#[cfg(not(unix))]
pub fn unescape_bytes(_text: &str) -> Option<OsString> {
    None
}

/// `1 file`, `2 files`; also of things that end in `ch` and `y`.
pub fn counted<Count: fmt::Display + PartialEq + From<u8>>(count: Count, thing: &str) -> String {
    match thing.strip_suffix('y') {
        _ if count == Count::from(1) => format!("{count} {thing}"),
        Some(stem) => format!("{count} {stem}ies"),
        None if thing.ends_with("ch") => format!("{count} {thing}es"),
        None => format!("{count} {thing}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, from_os, prefix, visible, without_mark};

    #[test]
    fn one_of_a_thing_is_no_plural() {
        let texts = [(1, "file"), (0, "file"), (2, "match"), (1, "entry"), (3, "entry")]
            .map(|(count, thing)| counted(count, thing));
        assert_eq!(texts, ["1 file", "0 files", "2 matches", "1 entry", "3 entries"]);
    }

    #[test]
    fn a_literal_path_of_windows_loses_its_mark_where_it_can() {
        assert_eq!(without_mark(r"\\?\C:\Users\ada"), r"C:\Users\ada");
        assert_eq!(without_mark(r"\\?\UNC\server\share"), r"\\server\share");
        for same in [r"\\?\Volume{1}\x", r"C:\Users", "/home", r"\\?\C:"] {
            assert_eq!(without_mark(same), same);
        }
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text_survive_a_round_trip() {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

        use super::unescape_bytes;
        let name = OsStr::from_bytes(b"a\xff\xfe-\xc3\xa9.txt");
        let shown = from_os(name);
        assert_eq!(shown, "a\\xff\\xfe-é.txt");
        assert_eq!(unescape_bytes(&shown).as_deref(), Some(name));
        for bytes in
            [&b"n\\xff"[..], b"n\\xff\xff", b"a\\nb", b"\\x5c", b"\\x5cn\xfe", b"\\\\xff", b"\\u{202e}"]
        {
            let name = OsStr::from_bytes(bytes);
            let shown = visible(&from_os(name)).into_owned();
            assert_eq!(unescape_bytes(&shown).as_deref(), Some(name), "{shown}");
        }
        assert_eq!(from_os(OsStr::new(r"C:\plain\q")), r"C:\plain\q");
        assert_eq!(unescape_bytes("plain \\x41 \\xz \\u{41} \\u{0} \\q \\"), None);
        for name in ["new\nline", "tab\t\r", "bidi\u{202e}exe", "\u{1}"] {
            assert_eq!(unescape_bytes(&visible(name)).as_deref(), Some(OsStr::new(name)), "{name:?}");
        }
    }

    #[test]
    fn prefix_ends_between_characters() {
        assert_eq!(prefix("aé", 2), "a");
        assert_eq!(prefix("aé", 3), "aé");
        assert_eq!(prefix("aé", 99), "aé");
    }

    #[test]
    fn deceptive_characters_are_shown() {
        assert_eq!(visible("a\u{202e}b\n"), "a\\u{202e}b\\n");
        assert_eq!(visible("plain"), "plain");
    }
}
