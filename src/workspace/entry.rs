//! A name itself, not what it leads to: for what moves, removes or creates names. A link at the end of such a path is the link.

use std::{cmp::Ordering, path::Path, sync::Arc};

use super::{
    DoorError, FileKind, Workspace, WorkspacePath, handle,
    input::{self, Names, Part},
    resolve,
};
use crate::{
    change::{Attributes, Rights},
    policy::PathClass,
    relpath::RelPath,
    text,
};

/// Finds a path as it is meant: what looks like an escape is one where that is there, or where more of its folders are; a name that
/// itself looks like one is shown with its backslash escaped. A new name is taken as it stands, but where it spells bytes that no text
/// has: those could not be asked for otherwise.
pub(super) fn read_either(
    input: &str,
    find: impl Fn(&Path) -> Result<WorkspacePath, DoorError>,
) -> Result<WorkspacePath, DoorError> {
    let plain = || find(Path::new(input));
    let Some(raw) = text::unescape_bytes(input) else { return plain() };
    let Ok(meant) = find(Path::new(&raw)) else { return plain() };
    if meant.exists() {
        return Ok(meant);
    }
    let plain = plain()?;
    let missing = |path: &WorkspacePath| path.missing_folders.len();
    let is_meant = match missing(&meant).cmp(&missing(&plain)) {
        Ordering::Less => true,
        Ordering::Equal => raw.to_str().is_none(),
        Ordering::Greater => false,
    };
    Ok(if is_meant && !plain.exists() { meant } else { plain })
}

impl Workspace {
    /// Finds the name that `input` ends with. Its folder is resolved like any other path; the name is not followed.
    pub fn resolve_name(&self, input: &str) -> Result<WorkspacePath, DoorError> {
        read_either(input, |path| self.name_written(input, path))
    }

    fn name_written(&self, input: &str, path: &Path) -> Result<WorkspacePath, DoorError> {
        let mut parts = input::parse(input, path, &[&self.root, &self.written_root], Names::HERE)?;
        let given = text::visible(input).into_owned();
        // A path that ends with `..` names a folder, and no link.
        let Some(Part::Name(_)) = parts.last() else { return self.resolve(input) };
        let written = input::plain(&parts);
        let Some(Part::Name(name)) = parts.pop() else { return self.resolve(input) };
        let folder = resolve::resolve(&self.handle, &self.root, self.backend, parts, &given)?;
        let resolved = folder.resolved.join(&name);
        let class = self.class_of(&given, &resolved, written)?;
        folder.check_way()?;
        let (parent, missing_folders, kind) = match folder.kind {
            None => {
                let mut missing = folder.missing_folders;
                missing.push(folder.name);
                (folder.parent, missing, None)
            }
            Some(FileKind::Folder) => {
                let failed = |error| DoorError::io(&given, error);
                let parent = if folder.resolved.is_root() {
                    Arc::clone(&self.handle)
                } else {
                    Arc::new(handle::open_folder(&folder.parent, &folder.name).map_err(failed)?)
                };
                let kind = match handle::stat(&parent, &name) {
                    Ok(stat) => Some(stat.kind),
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
                    Err(error) => return Err(failed(error)),
                };
                (parent, Vec::new(), kind)
            }
            Some(other) => {
                let path = folder.resolved.to_string();
                return Err(DoorError::WrongType { path, found: other.described(), wanted: "a folder" });
            }
        };
        Ok(WorkspacePath { given, resolved, parent, name, missing_folders, kind, class })
    }

    /// The extended attributes of the file at `path`, for an undo of what takes it away.
    pub fn kept_attributes(&self, path: &WorkspacePath) -> Attributes {
        let file = path.is_file().then(|| handle::open_file(&path.parent, &path.name).ok()).flatten();
        file.map_or_else(Attributes::default, |file| handle::attributes(&file))
    }

    /// What a write through the door will keep of the rights of the file at `path`.
    pub fn kept_rights(&self, path: &WorkspacePath) -> Option<Rights> {
        // Below folders that are not there yet nothing is; the name may be taken in the last folder that is.
        let stat = path.exists().then(|| handle::stat(&path.parent, &path.name).ok()).flatten()?;
        (stat.kind == FileKind::File && handle::may_give(stat.group)).then(|| handle::rights(&stat))
    }

    /// What the law says of a name, as resolved and as written; a blocked one is an error.
    fn class_of(
        &self,
        given: &str,
        resolved: &RelPath,
        written: Option<RelPath>,
    ) -> Result<PathClass, DoorError> {
        let spellings = [Some(resolved.clone()), written];
        let mut strictest = PathClass::Open;
        for path in spellings.iter().flatten() {
            let slashed = path.to_slashed();
            match self.rules().why(&slashed) {
                Some((PathClass::Blocked, glob)) => {
                    let by = self.rules().blocker(&slashed);
                    return Err(DoorError::Blocked { path: given.to_owned(), glob: glob.to_owned(), by });
                }
                Some((class, _)) => strictest = strictest.max(class),
                None => {}
            }
        }
        Ok(strictest)
    }
}

impl WorkspacePath {
    /// The folders that have to be made for it, the outermost first.
    pub fn new_folders(&self) -> Vec<RelPath> {
        let mut folders: Vec<RelPath> = std::iter::successors(self.resolved.parent(), RelPath::parent)
            .take(self.missing_folders.len())
            .collect();
        folders.reverse();
        folders
    }
}
