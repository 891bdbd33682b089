//! `ident`: `$Id$` in a stored file is `$Id: <hash> $` in the work tree, byte for byte as git writes it.
//!
//! gix leaves out the space, and leaves alone what was stored with an id in it. git has two ways
//! to read a file for it, which differ in what nobody writes (`$$Id$`): there it is one of them.

use gix::bstr::ByteSlice;

/// The content with its own id wherever a place is marked for it.
pub(super) fn with_id(content: Vec<u8>) -> Vec<u8> {
    if !content.contains_str("$Id") {
        return content;
    }
    let Ok(id) = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, &content) else {
        return content;
    };
    let id = format!("Id: {id} $");
    let (mut done, mut rest) = (Vec::with_capacity(content.len() + id.len()), content.as_slice());
    while let Some(dollar) = rest.find_byte(b'$') {
        let (before, after) = rest.split_at(dollar + 1);
        done.extend_from_slice(before);
        rest = after;
        if let Some(length) = mark(rest) {
            done.extend_from_slice(id.as_bytes());
            rest = &rest[length..];
        }
    }
    done.extend_from_slice(rest);
    done
}

/// How long a mark is that begins behind a `$`: `Id$`, or `Id:` with what once was put there and a `$` on the same line.
fn mark(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'I', b'd', b'$', ..] => Some(3),
        [b'I', b'd', b':', inner @ ..] => {
            let end = inner.find_byteset(b"$\n")?;
            (inner[end] == b'$' && !is_foreign(&inner[..end])).then_some(4 + end)
        }
        _ => None,
    }
}

/// Several words after a space: another system has put its own id there, which stays.
fn is_foreign(inner: &[u8]) -> bool {
    let Some(words) = inner.strip_prefix(b" ") else { return false };
    let words = words.split(|byte| *byte == 0).next().unwrap_or_default();
    let is_cut = words.len() + 1 < inner.len();
    let looked_at = if is_cut { words } else { &words[..words.len().saturating_sub(1)] };
    looked_at.iter().any(|byte| b" \t\r".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::mark;

    #[test]
    fn marks_are_known_by_their_ends() {
        for (rest, length) in [
            ("Id$ x", Some(3)),
            ("Id: 0123 $ x", Some(10)),
            ("Id: 0123$", Some(9)),
            ("Id:a b$", Some(7)),
            ("Id:$", Some(4)),
            ("Id: $", Some(5)),
            ("Id: a\t$", Some(7)),
            ("Id: a.c 1.2 $", None),
            ("Id: \0 $", Some(7)),
            ("Id: \0", None),
            ("Id: no\n$", None),
            ("Id: no end", None),
            ("Idx$", None),
            ("$Id$", None),
            ("Id", None),
        ] {
            assert_eq!(mark(rest.as_bytes()), length, "{rest}");
        }
    }
}
