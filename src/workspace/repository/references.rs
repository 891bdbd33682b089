//! References, changed under a [`Holding`]: what git would write, in the file and in the log.
//!
//! A reference is changed only where it is what the caller has seen. Nothing is locked here and nothing takes its place: that is
//! the holding's.

use gix::bstr::{BString, ByteSlice, ByteVec as _};

use super::{Holding, Repository, RepositoryError, holding::PACKED};
use crate::{
    policy::Permit,
    text::{utf8_or_latin1, visible},
    workspace::nofollow,
};

/// What a log says of nothing.
const NOTHING: &str = "0000000000000000000000000000000000000000";
const HEAD: &[u8] = b"HEAD";

/// Where HEAD leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The reference that a commit moves: a branch, or HEAD itself where it is detached.
    pub reference: BString,
    /// What it names; `None` before the first commit.
    pub id: Option<git2::Oid>,
}

impl Branch {
    /// As git's log of HEAD calls it.
    fn shown(&self) -> BString {
        match (self.reference.strip_prefix(b"refs/heads/"), self.id) {
            (Some(name), _) => name.into(),
            (None, Some(id)) if self.reference == HEAD => id.to_string().into(),
            _ => self.reference.clone(),
        }
    }
}

impl Repository {
    /// Where HEAD leads now.
    pub fn head(&self, opened: &git2::Repository) -> Result<Branch, RepositoryError> {
        let read = || match opened.head() {
            Ok(reference) => Ok(Branch { reference: reference.name_bytes().into(), id: reference.target() }),
            Err(error) if error.code() == git2::ErrorCode::UnbornBranch => {
                let head = opened.find_reference("HEAD")?;
                let name = head.symbolic_target_bytes().unwrap_or_default();
                Ok(Branch { reference: name.into(), id: None })
            }
            Err(error) => Err(error),
        };
        read().map_err(|error| self.broken(&error))
    }

    /// References that are of no branch of the user are no more: all of them or none.
    pub fn remove_references(
        &self,
        permit: &Permit,
        opened: &git2::Repository,
        references: &[(String, git2::Oid)],
    ) -> Result<(), RepositoryError> {
        let names = references.iter().map(|(name, _)| name.as_bytes());
        let targets: Vec<&[u8]> = names.chain([PACKED]).collect();
        let mut holding = self.hold(permit, &targets)?;
        holding.remove_references(opened, references)?;
        holding.put()
    }

    /// What is being merged into HEAD.
    pub fn merge_heads(&self) -> Vec<git2::Oid> {
        let mut text = String::new();
        let git = nofollow::open_dir(&self.handle, self.places.git.as_path());
        if let Ok((file, _)) = git.and_then(|git| nofollow::open_file(&git, "MERGE_HEAD".as_ref())) {
            let _ = std::io::Read::read_to_string(&mut std::io::Read::take(file, 8 * 1024), &mut text);
        }
        text.lines().map_while(|line| git2::Oid::from_str(line.get(..40)?).ok()).collect()
    }

    /// The linked worktree that has a branch checked out, where one has.
    pub fn checked_out_elsewhere(&self, reference: &str) -> Option<String> {
        let worktrees = self.places.common.join("worktrees");
        let listed =
            nofollow::open_dir(&self.handle, worktrees.as_path()).and_then(|folder| folder.entries());
        let expected = format!("ref: {reference}");
        listed.ok()?.filter_map(|entry| Some(entry.ok()?.file_name())).find_map(|name| {
            let head = worktrees.join(&name).join("HEAD");
            let (file, _) = nofollow::open_file(&self.handle, head.as_path()).ok()?;
            let mut text = String::new();
            std::io::Read::read_to_string(&mut std::io::Read::take(file, 8 * 1024), &mut text).ok()?;
            (text.trim_end() == expected).then(|| visible(&name.to_string_lossy()).into_owned())
        })
    }
}

impl Holding {
    /// The branch that HEAD leads to, or HEAD itself, goes to another commit.
    pub fn move_head(
        &mut self,
        opened: &git2::Repository,
        from: &Branch,
        to: git2::Oid,
        (who, message): (&git2::Signature<'_>, &str),
    ) -> Result<(), RepositoryError> {
        if self.repository().head(opened)? != *from {
            return Err(self.moved(&from.reference));
        }
        if from.id.is_none() {
            self.is_free(opened, &from.reference)?;
        }
        let line = line(from.id, Some(to), who, message);
        self.set(opened, &from.reference, to, &line)?;
        if from.reference == HEAD { Ok(()) } else { self.log(opened, HEAD, &line) }
    }

    /// That a reference, whose lock is held, names this commit; `None` is one that does not exist.
    pub fn check_reference(
        &self,
        opened: &git2::Repository,
        name: &str,
        commit: Option<git2::Oid>,
    ) -> Result<(), RepositoryError> {
        let now = opened.find_reference(name).and_then(|reference| reference.peel_to_commit());
        if now.ok().map(|now| now.id()) == commit { Ok(()) } else { Err(self.moved(name.as_bytes())) }
    }

    /// A reference that HEAD does not lead to goes from one commit to another; `None` is one that does not exist.
    pub fn set_reference(
        &mut self,
        opened: &git2::Repository,
        name: &str,
        (from, to): (Option<git2::Oid>, git2::Oid),
        message: &str,
    ) -> Result<(), RepositoryError> {
        if opened.refname_to_id(name).ok() != from {
            return Err(self.moved(name.as_bytes()));
        }
        if from.is_none() {
            self.is_free(opened, name.as_bytes())?;
        }
        let who = self.repository().who(opened).map_err(|error| self.repository().broken(&error))?;
        self.set(opened, name.as_bytes(), to, &line(from, Some(to), &who, message))
    }

    /// References that HEAD does not lead to are no more, where they still name what the caller has seen.
    fn remove_references(
        &mut self,
        opened: &git2::Repository,
        references: &[(String, git2::Oid)],
    ) -> Result<(), RepositoryError> {
        for (name, from) in references {
            if opened.refname_to_id(name).ok() != Some(*from) {
                return Err(self.moved(name.as_bytes()));
            }
        }
        let names: Vec<&[u8]> = references.iter().map(|(name, _)| name.as_bytes()).collect();
        self.put_away(&names)
    }

    /// HEAD leads to another branch, which names `to` when the holding is put.
    pub fn point_head(
        &mut self,
        opened: &git2::Repository,
        from: &Branch,
        (branch, to): (&str, Option<git2::Oid>),
    ) -> Result<(), RepositoryError> {
        if self.repository().head(opened)? != *from {
            return Err(self.moved(HEAD));
        }
        self.put_content(HEAD, format!("ref: refs/heads/{branch}\n").as_bytes())?;
        if to.is_none() {
            return Ok(());
        }
        let who = self.repository().who(opened).map_err(|error| self.repository().broken(&error))?;
        let mut message = b"checkout: moving from ".to_vec();
        message.push_str(from.shown());
        message.push_str(format!(" to {branch}"));
        self.log(opened, HEAD, &line(from.id, to, &who, message))
    }

    fn set(
        &mut self,
        opened: &git2::Repository,
        name: &[u8],
        to: git2::Oid,
        line: &[u8],
    ) -> Result<(), RepositoryError> {
        self.put_content(name, format!("{to}\n").as_bytes())?;
        self.log(opened, name, line)
    }

    fn log(&mut self, opened: &git2::Repository, name: &[u8], line: &[u8]) -> Result<(), RepositoryError> {
        self.append_log(name, line, begins_logs(opened, name))
    }

    /// No reference is a folder of another.
    fn is_free(&self, opened: &git2::Repository, name: &[u8]) -> Result<(), RepositoryError> {
        let Ok(name) = std::str::from_utf8(name) else { return Ok(()) };
        let above = name.match_indices('/').any(|(end, _)| opened.find_reference(&name[..end]).is_ok());
        let below = opened.references_glob(&format!("{name}/*"));
        let below = below.is_ok_and(|mut references| references.next().is_some());
        if above || below { Err(self.moved(name.as_bytes())) } else { Ok(()) }
    }

    fn moved(&self, name: &[u8]) -> RepositoryError {
        let path = self.repository().folder().to_string();
        RepositoryError::Moved { path, reference: visible(&name.to_str_lossy()).into_owned() }
    }
}

/// Whether git would begin a log for the reference.
fn begins_logs(opened: &git2::Repository, name: &[u8]) -> bool {
    let written = opened.config().and_then(|config| config.get_string("core.logAllRefUpdates"));
    match written.as_deref() {
        Ok(always) if always.eq_ignore_ascii_case("always") => true,
        Ok(value) if !git2::Config::parse_bool(value).unwrap_or(true) => false,
        _ => {
            name == HEAD
                || ["refs/heads/", "refs/remotes/", "refs/notes/"]
                    .iter()
                    .any(|folder| name.starts_with(folder.as_bytes()))
        }
    }
}

impl Repository {
    /// Who changes a reference; one whom git does not know is called unknown, as git does it.
    pub fn who(&self, opened: &git2::Repository) -> Result<git2::Signature<'static>, git2::Error> {
        self.signature(opened, "committer").or_else(|_| git2::Signature::now("unknown", "unknown"))
    }

    /// The `author` or `committer` of what is made now, who may be configured apart from the user. gix knows files that are taken in
    /// for some remotes alone (`hasconfig`), which libgit2 passes over.
    pub fn signature(
        &self,
        opened: &git2::Repository,
        role: &str,
    ) -> Result<git2::Signature<'static>, git2::Error> {
        let config = opened.config()?.snapshot()?;
        let reader = self.reader().ok();
        let setting = |key: &str| -> Result<String, git2::Error> {
            let known = reader.as_ref().and_then(|reader| reader.config_snapshot().string(key));
            known.map_or_else(
                || Ok(utf8_or_latin1(config.get_bytes(key)?)),
                |value| Ok(utf8_or_latin1(&value)),
            )
        };
        let own = |key: &str| setting(&format!("{role}.{key}")).ok().filter(|value| !value.is_empty());
        let is_users = |user: &git2::Signature<'_>| {
            let is = |key: &str, bytes: &[u8]| setting(key).is_ok_and(|value| value.as_bytes() == bytes);
            is("user.name", user.name_bytes()) && is("user.email", user.email_bytes())
        };
        if own("name").is_none()
            && own("email").is_none()
            && let Ok(user) = opened.signature()
            && ![user.name_bytes(), user.email_bytes()].concat().contains(&b'\n')
            && is_users(&user)
        {
            return Ok(user);
        }
        let text = |key: &str| -> Result<String, git2::Error> {
            let text = own(key).map_or_else(|| setting(&format!("user.{key}")), Ok)?;
            // What would end the name, the address or the line: git leaves it out, libgit2 refuses one and writes the other.
            Ok(text.replace(['\n', '<', '>'], ""))
        };
        git2::Signature::now(&text("name")?, &text("email")?)
    }
}

/// A line of a log, as git writes it: runs of spaces in the message are one.
fn line(
    from: Option<git2::Oid>,
    to: Option<git2::Oid>,
    who: &git2::Signature<'_>,
    message: impl AsRef<[u8]>,
) -> Vec<u8> {
    let id = |id: Option<git2::Oid>| id.map_or_else(|| NOTHING.to_owned(), |id| id.to_string());
    let mut line = format!("{} {} ", id(from), id(to)).into_bytes();
    line.push_str(who.name_bytes());
    line.push_str(b" <");
    line.push_str(who.email_bytes());
    let minutes = who.when().offset_minutes();
    let (hours, rest) = (minutes.abs() / 60, minutes.abs() % 60);
    line.push_str(format!("> {} {}{hours:02}{rest:02}", who.when().seconds(), who.when().sign()));
    let words = message.as_ref().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let words: Vec<&[u8]> = words.collect();
    if !words.is_empty() {
        line.push(b'\t');
        line.push_str(words.join(&b' '));
    }
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_log_is_gits() {
        let at = git2::Time::new(1_700_000_000, -90);
        let who = git2::Signature::new("Ann  B", "ann@example.org", &at).unwrap();
        let id = git2::Oid::from_str("1234567890123456789012345678901234567890").unwrap();
        let text = String::from_utf8(line(None, Some(id), &who, " commit:  a\tb \n")).unwrap();
        let ids = format!("{NOTHING} 1234567890123456789012345678901234567890");
        assert_eq!(text, format!("{ids} Ann  B <ann@example.org> 1700000000 -0130\tcommit: a b\n"));
        let text = String::from_utf8(line(Some(id), None, &who, "")).unwrap();
        assert!(text.ends_with("-0130\n") && text.contains(NOTHING), "{text}");
    }

    #[test]
    fn a_branch_is_called_as_git_calls_it() {
        let id = git2::Oid::from_str("1234567890123456789012345678901234567890").ok();
        for (reference, id, shown) in [
            ("refs/heads/a/b", None, "a/b"),
            ("refs/heads/a", id, "a"),
            ("HEAD", id, "1234567890123456789012345678901234567890"),
        ] {
            assert_eq!(Branch { reference: reference.into(), id }.shown(), shown);
        }
    }
}
