//! Names and mail addresses of people as `.mailmap` puts them right, as git shows and matches them.
//!
//! Only the file at the root of the work tree counts: what a configuration names may lie anywhere.

use std::{borrow::Cow, collections::HashMap, io::Read as _};

use super::shown;
use crate::{
    tools::Call,
    workspace::{repository::Repository, walk::open_walked},
};

/// The file.
const NAME: &str = ".mailmap";
/// No project has so many people.
const FILE_BYTES: u64 = 4 * 1024 * 1024;

/// What is known of people, by their old address.
#[derive(Clone, Debug, Default)]
pub(super) struct Mailmap {
    people: HashMap<String, Person>,
}

/// One address.
#[derive(Clone, Debug, Default)]
struct Person {
    now: Identity,
    /// Where the old name counts, too.
    by_name: HashMap<String, Identity>,
}

/// What stands in the place of the old; `None` where that stays.
#[derive(Clone, Debug, Default)]
struct Identity {
    name: Option<String>,
    email: Option<String>,
}

impl Mailmap {
    /// The one of the work tree; empty where there is none, where it is a link, or where the configuration blocks it.
    pub(super) fn read(call: &Call, repository: &Repository) -> Self {
        let mut bytes = Vec::new();
        let file = shown(repository, call, NAME.into())
            .and_then(|path| open_walked(call.workspace.handle(), &path).ok())
            .filter(|(_, metadata)| metadata.is_file() && metadata.len() <= FILE_BYTES);
        let Some((file, _)) = file else { return Self::default() };
        if file.take(FILE_BYTES).read_to_end(&mut bytes).is_err() {
            return Self::default();
        }
        Self::parse(&String::from_utf8_lossy(&bytes))
    }

    /// The same for what lists commits, where `log.mailmap` may turn it off.
    pub(super) fn of_log(call: &Call, repository: &Repository, reader: &gix::Repository) -> Self {
        match reader.config_snapshot().boolean("log.mailmap") {
            Some(false) => Self::default(),
            _ => Self::read(call, repository),
        }
    }

    fn parse(text: &str) -> Self {
        let mut mailmap = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((name, email, rest)) = identity(line).filter(|(_, email, _)| !email.is_empty()) else {
                continue;
            };
            let (new, old_name, old_email) = match identity(rest) {
                Some((old_name, old_email, _)) => ((name, Some(email)), old_name, old_email),
                None => ((name, None), None, email),
            };
            let person = mailmap.people.entry(old_email.to_lowercase()).or_default();
            let identity = match old_name {
                Some(old_name) => person.by_name.entry(old_name.to_lowercase()).or_default(),
                None => &mut person.now,
            };
            identity.name = new.0.map(str::to_owned).or(identity.name.take());
            identity.email = new.1.map(str::to_owned).or(identity.email.take());
        }
        mailmap
    }

    /// Who this is now.
    pub(super) fn now<'a>(&'a self, name: Cow<'a, str>, email: Cow<'a, str>) -> (Cow<'a, str>, Cow<'a, str>) {
        if self.people.is_empty() {
            return (name, email);
        }
        let Some(person) = self.people.get(&email.to_lowercase()) else { return (name, email) };
        let identity = person.by_name.get(&name.to_lowercase()).unwrap_or(&person.now);
        (
            identity.name.as_deref().map_or(name, Cow::Borrowed),
            identity.email.as_deref().map_or(email, Cow::Borrowed),
        )
    }
}

/// `Name <address>`, and what stands behind it.
fn identity(text: &str) -> Option<(Option<&str>, &str, &str)> {
    let (name, rest) = text.split_once('<')?;
    let (email, rest) = rest.split_once('>')?;
    let name = name.trim_ascii();
    Some(((!name.is_empty()).then_some(name), email, rest))
}

#[cfg(test)]
mod tests {
    use super::Mailmap;

    fn check(mailmap: &str, (name, email): (&str, &str), expected: (&str, &str)) {
        let mailmap = Mailmap::parse(mailmap);
        let (name, email) = mailmap.now(name.into(), email.into());
        assert_eq!((&*name, &*email), expected);
    }

    #[test]
    fn people_are_who_they_are_now() {
        check("Ann <ann@x>", ("A", "ANN@x"), ("Ann", "ANN@x"));
        check("<new@x> <ann@x>", ("A", "ann@x"), ("A", "new@x"));
        check("Ann <new@x> <ann@x> # why", ("A", "ann@x"), ("Ann", "new@x"));
        check("Ann <new@x> a <ann@x>\nBob <ann@x>", ("A", "ann@x"), ("Ann", "new@x"));
        check("Ann <new@x> a <ann@x>\nBob <ann@x>", ("C", "ann@x"), ("Bob", "ann@x"));
        check("# Ann <ann@x>\n  # Ann <ann@x\nAnn ann@x\n<>", ("A", "ann@x"), ("A", "ann@x"));
        check("Ann <ann@x>\n<new@x> <ann@x>", ("A", "ann@x"), ("Ann", "new@x"));
    }
}
