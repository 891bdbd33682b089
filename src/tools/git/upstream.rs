//! `@{upstream}` and `@{push}`: the branch that another one follows, and the one that it is pushed to, as the configuration says.
//!
//! The library knows these marks, but neither branches that follow one of the same repository, nor remotes of a repository that
//! it does not trust, which is every one here. Of a remote only the names of its branches are used; nothing is asked of it.

use std::borrow::Cow;

use gix::{
    Repository,
    bstr::ByteSlice,
    refs::FullName,
    refspec::{self, parse::Operation},
};

use super::refspecs::through;

const HEADS: &str = "refs/heads/";

/// The revision, with every such mark that means something put as the branch it stands for.
pub(super) fn named<'a>(reader: &Repository, revision: &'a str) -> Cow<'a, str> {
    type Find = fn(&Repository, &str) -> Option<FullName>;
    const MARKS: [(&str, Find); 3] = [("@{u}", upstream), ("@{upstream}", upstream), ("@{push}", pushed)];
    let mut named = itself(revision);
    for (mark, find) in MARKS {
        // No name of a reference has a mark in it, so this ends.
        while let Some(at) = named.to_ascii_lowercase().find(mark) {
            let start = named[..at].rfind("..").map_or(0, |at| at + 2);
            let start =
                start + named[start..at].len() - named[start..at].trim_start_matches(['^', '.']).len();
            let meant = branch(reader, &named[start..at]).and_then(|branch| find(reader, &branch));
            let meant = meant.filter(|name| matches!(reader.try_find_reference(name), Ok(Some(_))));
            let Some(meant) = meant.as_ref().and_then(|name| name.as_bstr().to_str().ok()) else { break };
            named = format!("{}{meant}{}", &named[..start], &named[at + mark.len()..]).into();
        }
    }
    named
}

/// `main@{0}` is `main`, whatever its log has last: a log can be shortened, and need not be kept at all.
fn itself(revision: &str) -> Cow<'_, str> {
    const MARK: &str = "@{0}";
    let mut named = Cow::Borrowed(revision);
    while let Some(at) = named.find(MARK) {
        let before = &named[..at];
        let is_bare = before.is_empty() || before.ends_with(['.', '^']);
        named = format!("{before}{}{}", if is_bare { "HEAD" } else { "" }, &named[at + MARK.len()..]).into();
    }
    named
}

/// The short name of the branch that is called so; nothing and `HEAD` stand for the current one.
fn branch(reader: &Repository, name: &str) -> Option<String> {
    let full = match name {
        "" | "@" | "HEAD" => reader.head_name().ok()??,
        name if name.starts_with("@{-") => reader.rev_parse(name).ok()?.first_reference()?.name.clone(),
        name => return Some(name.strip_prefix(HEADS).unwrap_or(name).to_owned()),
    };
    full.as_bstr().to_str().ok()?.strip_prefix(HEADS).map(str::to_owned)
}

fn upstream(reader: &Repository, branch: &str) -> Option<FullName> {
    let remote = value(reader, "branch", branch, "remote")?;
    // git merges several, and follows the first of them.
    let followed = values(reader, "branch", branch, "merge").into_iter().next()?;
    if remote == "." {
        return FullName::try_from(followed).ok();
    }
    tracking(reader, &remote, &followed)
}

fn pushed(reader: &Repository, branch: &str) -> Option<FullName> {
    let remote = value(reader, "branch", branch, "pushRemote")
        .or_else(|| text(reader, "remote.pushDefault"))
        .or_else(|| value(reader, "branch", branch, "remote"))
        .unwrap_or_else(|| "origin".to_owned());
    let full = format!("{HEADS}{branch}");
    let same = || tracking(reader, &remote, &full);
    let specs = values(reader, "remote", &remote, "push");
    if !specs.is_empty() {
        let there = matching(&specs, Operation::Push, &full)?;
        return tracking(reader, &remote, &there);
    }
    if reader.config_snapshot().boolean(format!("remote.{remote}.mirror").as_str()) == Some(true) {
        return same();
    }
    match text(reader, "push.default").as_deref() {
        Some("current" | "matching") => same(),
        Some("upstream" | "tracking") => upstream(reader, branch),
        // Only where the two are one.
        None | Some("simple") => {
            upstream(reader, branch).filter(|followed| same().as_ref() == Some(followed))
        }
        Some(_) => None,
    }
}

/// Where a branch of a remote is kept here.
fn tracking(reader: &Repository, remote: &str, there: &str) -> Option<FullName> {
    let here = matching(&values(reader, "remote", remote, "fetch"), Operation::Fetch, there)?;
    FullName::try_from(here).ok()
}

/// What the first of the refspecs that has `name` on its left has on its right. Those that leave names out do not matter to git here.
fn matching(specs: &[String], operation: Operation, name: &str) -> Option<String> {
    specs.iter().find_map(|spec| {
        refspec::parse(spec.as_bytes().as_bstr(), operation).ok()?;
        let (left, right) = spec.strip_prefix('+').unwrap_or(spec).split_once(':')?;
        through(left, right, name).filter(|right| !right.is_empty())
    })
}

fn text(reader: &Repository, key: &str) -> Option<String> {
    reader.config_snapshot().string(key)?.to_str().ok().map(str::to_owned)
}

fn value(reader: &Repository, section: &str, name: &str, key: &str) -> Option<String> {
    values(reader, section, name, key).pop()
}

fn values(reader: &Repository, section: &str, name: &str, key: &str) -> Vec<String> {
    let config = reader.config_snapshot();
    let found = config.plumbing().strings_by(section, Some(name.as_bytes().as_bstr()), key);
    found.into_iter().flatten().filter_map(|value| value.to_str().ok().map(str::to_owned)).collect()
}
