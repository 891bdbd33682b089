//! Paths relative to a workspace, as parsed and as resolved. No I/O here.

use std::{
    fmt,
    path::{Component, MAIN_SEPARATOR, Path, PathBuf},
    sync::{PoisonError, RwLock},
};

use crate::text::{from_os, visible};

/// `name:path`, how a path says that it lies in another workspace: an id of two characters or more, and the path behind it. One
/// letter is a drive; `./a:b` is always a file.
pub fn split_name(text: &str) -> Option<(&str, &str)> {
    let (id, rest) = text.split_once(':')?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (id.len() >= 2 && id.bytes().all(plain)).then_some((id, rest))
}

/// The ids of this process's workspaces: a path that begins with one of them and `:` is a path in that workspace.
static WORKSPACES: RwLock<Vec<String>> = RwLock::new(Vec::new());

/// From now on, a file whose own name begins like a path in one of these workspaces is written `./name`.
pub fn reserve(ids: impl Iterator<Item = String>) {
    *WORKSPACES.write().unwrap_or_else(PoisonError::into_inner) = ids.collect();
}

fn names_a_workspace(text: &str) -> bool {
    let known = |id: &str| {
        WORKSPACES.read().unwrap_or_else(PoisonError::into_inner).iter().any(|workspace| workspace == id)
    };
    split_name(text).is_some_and(|(id, _)| known(id))
}

/// A path below a workspace root: plain names only, no `..`, no `.`, no root. Empty means the root itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelPath(PathBuf);

impl RelPath {
    /// The root itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// Accepts a path made of plain names only; `None` for anything with `..`, a root or a prefix.
    pub fn from_plain(path: &Path) -> Option<Self> {
        let mut plain = PathBuf::new();
        for component in path.components() {
            match component {
                Component::Normal(name) => plain.push(name),
                Component::CurDir => {}
                _ => return None,
            }
        }
        Some(Self(plain))
    }

    /// A path that was put together from names the system has listed, which are plain.
    pub(crate) fn listed_unchecked(path: &Path) -> Self {
        Self(path.to_path_buf())
    }

    /// The path, relative.
    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// True for the root itself.
    pub fn is_root(&self) -> bool {
        self.0.as_os_str().is_empty()
    }

    /// How many names it has.
    pub fn depth(&self) -> usize {
        if MAIN_SEPARATOR == '/' && !self.is_root() {
            return 1 + memchr::memchr_iter(b'/', self.0.as_os_str().as_encoded_bytes()).count();
        }
        self.0.components().count()
    }

    /// Bytes that are in the same order as paths are: name by name, a folder before what is in it.
    pub fn order(&self) -> Vec<u8> {
        let mut bytes = self.0.as_os_str().as_encoded_bytes().to_vec();
        // No name has a NUL, which comes before everything that one may have.
        bytes.iter_mut().filter(|byte| char::from(**byte) == MAIN_SEPARATOR).for_each(|byte| *byte = 0);
        bytes
    }

    /// This path with one more name. `name` must be one plain name.
    #[must_use]
    pub fn join(&self, name: impl AsRef<Path>) -> Self {
        Self(self.0.join(name))
    }

    /// The folder this is in; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        self.0.parent().map(|parent| Self(parent.to_path_buf()))
    }

    /// The last name; `None` for the root.
    pub fn file_name(&self) -> Option<&std::ffi::OsStr> {
        self.0.file_name()
    }

    /// The names, lossily decoded, joined by `/`: what rules are matched against and what people read.
    pub fn to_slashed(&self) -> String {
        if MAIN_SEPARATOR == '/' {
            return self.0.to_string_lossy().into_owned();
        }
        let mut text = String::new();
        for component in self.0.components() {
            if !text.is_empty() {
                text.push('/');
            }
            text.push_str(&component.as_os_str().to_string_lossy());
        }
        text
    }
}

impl RelPath {
    /// The names joined by `/`, as a caller can give them back: what is not UTF-8 is written `\xNN`; the root is `.`; what would name another
    /// workspace begins with `./`.
    pub fn to_text(&self) -> String {
        if self.is_root() {
            return ".".to_owned();
        }
        let text = self.to_names();
        if names_a_workspace(&text) { format!("./{text}") } else { text }
    }

    /// The same without anything in front: what stands below a folder that is known.
    pub fn to_names(&self) -> String {
        if MAIN_SEPARATOR == '/' {
            return from_os(self.0.as_os_str()).into_owned();
        }
        let names: Vec<_> = self.0.components().map(|name| from_os(name.as_os_str())).collect();
        names.join("/")
    }
}

/// Shown with `/`, deceptive characters escaped; the root as `.`.
impl fmt::Display for RelPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&visible(&self.to_text()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_accepted() {
        assert_eq!(RelPath::from_plain(Path::new("a/./b")).map(|path| path.to_slashed()), Some("a/b".into()));
        assert_eq!(RelPath::from_plain(Path::new("../a")), None);
        assert_eq!(RelPath::from_plain(Path::new("/a")), None);
        assert_eq!(RelPath::root().to_string(), ".");
    }

    #[test]
    fn order_and_depth_are_those_of_paths() {
        let texts = ["", "a", "a/b", "a/b/c", "a-b", "a.b/c", "a b", "b", "ä/x", "a/-"];
        let paths = texts.map(|text| RelPath::from_plain(Path::new(text)).unwrap());
        for left in &paths {
            assert_eq!(left.depth(), left.as_path().components().count(), "{left}");
            for right in &paths {
                assert_eq!(left.order().cmp(&right.order()), left.cmp(right), "{left} {right}");
            }
        }
    }

    #[test]
    fn only_what_can_be_an_id_is_one() {
        assert_eq!(split_name("app:src/a.rs"), Some(("app", "src/a.rs")));
        assert_eq!(split_name("app:"), Some(("app", "")));
        for path in ["C:/x", "./a:b", "a/b:c", "a b:c", "plain", ":x", ""] {
            assert_eq!(split_name(path), None, "{path}");
        }
    }
}
