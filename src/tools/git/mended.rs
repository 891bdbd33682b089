//! Commits whose author or committer is not written as git writes them: old imports have such. They are told all the same.

use std::borrow::Cow;

use gix::{bstr::ByteSlice as _, objs::CommitRef};

/// The bytes of a commit as the library can read them: who has no mail address or no date there has an empty one.
pub(super) fn mended(commit: &[u8]) -> Cow<'_, [u8]> {
    if CommitRef::from_bytes(commit, gix::hash::Kind::Sha1)
        .is_ok_and(|commit| [commit.author, commit.committer].into_iter().all(|person| has_time(person)))
    {
        return Cow::Borrowed(commit);
    }
    let end = commit.find(b"\n\n").map_or(commit.len(), |end| end + 1);
    let (headers, message) = commit.split_at(end);
    let mut bytes = Vec::with_capacity(commit.len() + 32);
    for line in headers.lines() {
        let person = [&b"author"[..], b"committer"]
            .into_iter()
            .find_map(|who| Some((who, line.strip_prefix(who)?.strip_prefix(b" ")?)));
        match person
            .filter(|(_, person)| !has_time(person) || gix::actor::SignatureRef::from_bytes(person).is_err())
        {
            Some((who, person)) => {
                let (name, rest) = person.split_at(person.find_byteset(b"<>").unwrap_or(person.len()));
                let mail = rest.strip_prefix(b"<").and_then(|rest| rest.split_once_str(">"));
                let mail =
                    mail.map(|(mail, _)| mail).filter(|mail| !mail.contains(&b'<')).unwrap_or_default();
                let when = person.rsplit_once_str(">").and_then(|(_, rest)| when(rest));
                let when = when.unwrap_or_else(|| "0 +0000".to_owned());
                bytes.extend_from_slice(
                    &[who, b" ", name.trim_ascii(), b" <", mail, b"> ", when.as_bytes()].concat(),
                );
            }
            None => bytes.extend_from_slice(line),
        }
        bytes.push(b'\n');
    }
    // Without a message there may be no end of the headers either.
    bytes.extend_from_slice(if message.is_empty() { b"\n" } else { message });
    Cow::Owned(bytes)
}

/// True for a time as git writes it.
fn has_time(person: &[u8]) -> bool {
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let rest = person.rsplit_once_str("> ").and_then(|(_, rest)| rest.split_once_str(" "));
    rest.is_some_and(|(seconds, zone)| match zone {
        [b'+' | b'-', zone @ ..] => is_number(seconds) && is_number(zone) && zone.len() == 4,
        _ => false,
    })
}

/// The seconds and the offset as git takes them: what stands behind the digits counts for nothing.
fn when(text: &[u8]) -> Option<String> {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let text = text.trim_ascii_start();
    let (seconds, rest) = text.split_at(digits(text));
    let (sign, rest) = rest.trim_ascii_start().split_first()?;
    let zone = &rest[..digits(rest)];
    let is_one = !seconds.is_empty() && b"+-".contains(sign) && !zone.is_empty();
    is_one.then(|| format!("{} {}{:0>4}", seconds.as_bstr(), char::from(*sign), zone.to_str_lossy()))
}

/// A commit of these bytes, which are [`mended`].
pub(super) fn decoded(commit: &[u8]) -> gix::Result<CommitRef<'_>> {
    CommitRef::from_bytes(commit, gix::hash::Kind::Sha1)
}

#[cfg(test)]
mod tests {
    use super::{decoded, mended};

    #[test]
    fn an_offset_is_read_as_git_reads_it() {
        for (written, seconds, offset) in [
            ("5 +0130", 5, 5400),
            ("5 +00:00", 5, 0),
            ("5 +1", 5, 60),
            ("5 -130 x", 5, -5400),
            ("5 +9999", 5, (99 * 60 + 99) * 60),
            ("5  +0130", 5, 5400),
            ("5 abc", 0, 0),
            ("5", 0, 0),
            ("x +0130", 0, 0),
        ] {
            let tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
            let who = format!("Ann <a@x> {written}");
            let commit = format!("tree {tree}\nauthor {who}\ncommitter {who}\n\nsaid\n");
            let mended = mended(commit.as_bytes());
            let commit = decoded(&mended).unwrap();
            let author = commit.author().unwrap();
            assert_eq!((author.name, author.email), ("Ann".into(), "a@x".into()), "{written}");
            let time = author.time().unwrap();
            assert_eq!((time.seconds, time.offset), (seconds, offset), "{written}");
            assert_eq!(commit.committer().unwrap().time().unwrap(), time);
        }
    }

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
