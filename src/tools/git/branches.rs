//! Local branches by their names, read by gix: libgit2 reads all references that there are for any question about one.

use gix::bstr::ByteSlice;

use crate::{hint::nearest_few, tools::ToolError, workspace::repository::Repository};

const HEADS: &str = "refs/heads/";
/// Names that a wrong one is compared with, of each kind.
const COMPARED: usize = 5000;

/// The names of at most so many local branches, in order.
pub(super) fn names(
    repository: &Repository,
    reader: &gix::Repository,
    most: usize,
) -> Result<Vec<String>, ToolError> {
    starting_with(repository, reader, "", most)
}

/// Names of branches and tags that are nearly `name`.
pub(super) fn near(reader: &gix::Repository, name: &str) -> Vec<String> {
    let Ok(platform) = reader.references() else { return Vec::new() };
    let mut names = Vec::new();
    for found in [platform.local_branches(), platform.tags()] {
        let Ok(found) = found else { continue };
        let found = found.filter_map(Result::ok).take(COMPARED);
        names.extend(found.map(|reference| reference.name().shorten().to_str_lossy().into_owned()));
    }
    let near = nearest_few(name, names.iter().map(String::as_str), 3);
    near.into_iter().map(str::to_owned).collect()
}

/// True when there is a local branch of this name.
pub(super) fn exists(reader: &gix::Repository, name: &str) -> bool {
    matches!(reader.try_find_reference(&format!("{HEADS}{name}")), Ok(Some(_)))
}

/// A branch beside which one called `name` cannot be, since each is kept as a file: one would be a folder of the other.
pub(super) fn in_the_way(
    repository: &Repository,
    reader: &gix::Repository,
    name: &str,
) -> Result<Option<String>, ToolError> {
    let above = name.match_indices('/').map(|(at, _)| &name[..at]).find(|above| exists(reader, above));
    match above {
        Some(above) => Ok(Some(above.to_owned())),
        None => Ok(starting_with(repository, reader, &format!("{name}/"), 1)?.pop()),
    }
}

fn starting_with(
    repository: &Repository,
    reader: &gix::Repository,
    start: &str,
    most: usize,
) -> Result<Vec<String>, ToolError> {
    let broken = |error: gix::Error| ToolError::from(repository.broken(&error));
    let platform = reader.references().map_err(broken)?;
    let found = platform.prefixed(format!("{HEADS}{start}").as_str()).map_err(broken)?;
    let names = found.filter_map(Result::ok).filter_map(|reference| {
        let name = reference.name().as_bstr().strip_prefix(HEADS.as_bytes())?;
        Some(name.to_str_lossy().into_owned())
    });
    let mut names: Vec<String> = names.take(most).collect();
    names.sort();
    Ok(names)
}
