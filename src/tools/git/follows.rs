//! Which branch a new one follows, as git decides it (`branch.autoSetupMerge`): that of a remote, where it starts at one.

use gix::bstr::ByteSlice;

use super::{libgit2, refspecs::Refspec, remote::values};
use crate::{
    text::visible,
    tools::{Code, ToolError},
    workspace::repository::{Repository, Upstream},
};

/// References that lead to each other.
const LED: usize = 5;
const HEADS: &str = "refs/heads/";

/// What the new `branch` that starts at `base` is to follow.
pub(super) fn follows(
    repository: &Repository,
    (reader, opened): (&gix::Repository, &git2::Repository),
    (branch, base): (&str, &str),
) -> Result<Option<Upstream>, ToolError> {
    let config = opened.config().and_then(|mut config| config.snapshot());
    let config = config.map_err(|error| libgit2(repository, &error))?;
    let mode = config.get_string("branch.autoSetupMerge").unwrap_or_default();
    let mode = mode.as_str();
    let named = matches!(mode, "always" | "inherit" | "simple");
    if !named && matches!(config.get_bool("branch.autoSetupMerge"), Ok(false)) {
        return Ok(None);
    }
    let Some(start) = reference(reader, if base.is_empty() { "HEAD" } else { base }) else { return Ok(None) };
    if mode == "inherit" {
        return Ok(start.strip_prefix(HEADS).and_then(|start| {
            let value = |key: &str| values(&config, &format!("branch.{start}.{key}")).pop();
            let (remote, merge) = (value("remote")?, value("merge")?);
            let rebases = rebases(&config, remote != ".");
            Some(Upstream { remote, merge, rebases })
        }));
    }
    let remotes = opened.remotes().map_err(|error| libgit2(repository, &error))?;
    let mut found = remotes.iter().filter_map(|remote| {
        let remote = remote.ok().flatten()?;
        let refspecs = values(&config, &format!("remote.{remote}.fetch"));
        let merge = refspecs.iter().find_map(|text| Refspec::parse(text)?.source_of(&start))?;
        Some(Upstream { remote: remote.to_owned(), merge, rebases: rebases(&config, true) })
    });
    match (found.next(), found.next()) {
        (Some(upstream), None) => {
            let is_named_alike = upstream.merge.strip_prefix(HEADS) == Some(branch);
            Ok(Some(upstream).filter(|_| mode != "simple" || is_named_alike))
        }
        (Some(_), Some(_)) => Err(ToolError::new(
            Code::InvalidArgs,
            format!("more than one remote keeps `{}`, so which one to follow is not known", visible(&start)),
            "give the commit's id as `base`; the new branch then follows none",
        )),
        (None, _) if mode == "always" && start.starts_with(HEADS) => {
            Ok(Some(Upstream { remote: ".".to_owned(), merge: start, rebases: rebases(&config, false) }))
        }
        (None, _) => Ok(None),
    }
}

/// The reference that a name stands for, at the end of those that lead to others.
fn reference(reader: &gix::Repository, name: &str) -> Option<String> {
    let mut found = reader.try_find_reference(name).ok()??;
    for _ in 0..LED {
        match found.follow() {
            Some(next) => found = next.ok()?,
            None => return Some(found.name().as_bstr().to_str().ok()?.to_owned()),
        }
    }
    None
}

fn rebases(config: &git2::Config, of_remote: bool) -> bool {
    match config.get_string("branch.autoSetupRebase").as_deref() {
        Ok("always") => true,
        Ok("local") => !of_remote,
        Ok("remote") => of_remote,
        _ => false,
    }
}
