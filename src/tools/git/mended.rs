//! Commits whose author or committer is not written as git writes them: old imports have such. They are told all the same.

use std::borrow::Cow;

use gix::{bstr::ByteSlice as _, objs::CommitRef};

/// The bytes of a commit as the library can read them: who has no mail address or no date there has an empty one.
pub(super) fn mended(commit: &[u8]) -> Cow<'_, [u8]> {
    if CommitRef::from_bytes(commit, gix::hash::Kind::Sha1).is_ok() {
        return Cow::Borrowed(commit);
    }
    let end = commit.find(b"\n\n").map_or(commit.len(), |end| end + 1);
    let (headers, message) = commit.split_at(end);
    let mut bytes = Vec::with_capacity(commit.len() + 32);
    for line in headers.lines() {
        let person = [&b"author"[..], b"committer"]
            .into_iter()
            .find_map(|who| Some((who, line.strip_prefix(who)?.strip_prefix(b" ")?)));
        match person.filter(|(_, person)| gix::actor::SignatureRef::from_bytes(person).is_err()) {
            Some((who, person)) => {
                let name = person.split(|byte| b"<>".contains(byte)).next().unwrap_or_default();
                bytes.extend_from_slice(&[who, b" ", name.trim_ascii(), b" <> 0 +0000"].concat());
            }
            None => bytes.extend_from_slice(line),
        }
        bytes.push(b'\n');
    }
    // Without a message there may be no end of the headers either.
    bytes.extend_from_slice(if message.is_empty() { b"\n" } else { message });
    Cow::Owned(bytes)
}

/// A commit of these bytes, which are [`mended`].
pub(super) fn decoded(commit: &[u8]) -> gix::Result<CommitRef<'_>> {
    CommitRef::from_bytes(commit, gix::hash::Kind::Sha1)
}

#[cfg(test)]
mod tests {
    use super::{decoded, mended};

    #[test]
    fn who_is_not_written_as_git_does_it_is_read() {
        let tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let good = "Ann <a@x> 5 +0000";
        for (author, committer, name) in [
            (good, good, "Ann"),
            ("Ann 5 +0000", good, "Ann 5 +0000"),
            ("Ann <a@x 5", "", "Ann"),
            ("", good, ""),
        ] {
            let commit = format!("tree {tree}\nauthor {author}\ncommitter {committer}\n\nsaid\n\nauthor x\n");
            let mended = mended(commit.as_bytes());
            let commit = decoded(&mended).unwrap();
            assert_eq!(commit.author().unwrap().name, name, "{author}");
            assert_eq!(commit.message, "said\n\nauthor x\n");
        }
        let bare = format!("tree {tree}\nauthor {good}\ncommitter {good}\n");
        assert_eq!(decoded(&mended(bare.as_bytes())).unwrap().message, "");
    }
}
