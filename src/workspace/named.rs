//! `name:path`: how a path says that it lies in another workspace. Pure.

/// An id of two characters or more, and the path behind it. One letter is a drive; `./a:b` is always a file.
pub fn split_name(text: &str) -> Option<(&str, &str)> {
    let (id, rest) = text.split_once(':')?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (id.len() >= 2 && id.bytes().all(plain)).then_some((id, rest))
}

#[cfg(test)]
mod tests {
    use super::split_name;

    #[test]
    fn only_what_can_be_an_id_is_one() {
        assert_eq!(split_name("app:src/a.rs"), Some(("app", "src/a.rs")));
        assert_eq!(split_name("app:"), Some(("app", "")));
        for path in ["C:/x", "./a:b", "a/b:c", "a b:c", "plain", ":x", ""] {
            assert_eq!(split_name(path), None, "{path}");
        }
    }
}
