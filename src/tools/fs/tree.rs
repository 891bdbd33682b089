//! Entries of a folder and below, in the order of a listing, and as a tree for reading. Pure.

use std::fmt::Write as _;

use crate::{relpath::RelPath, text::visible};

/// True when `path` comes after the entry that a cursor names. Levels first, names second: what lies nearest comes first, so that a cut
/// listing still shows the whole of the upper levels.
pub fn is_after(path: &RelPath, cursor: &RelPath) -> bool {
    (path.depth(), path.as_path()) > (cursor.depth(), cursor.as_path())
}

/// A line of the tree.
#[derive(Clone, Debug)]
pub struct Line {
    /// Relative to the workspace.
    pub path: RelPath,
    /// Shown behind the name: `/`, ` -> target`, a size.
    pub suffix: String,
}

/// The tree as text.
#[derive(Debug)]
pub struct Rendered {
    /// All lines.
    pub text: String,
    /// The bytes of each, in the order they were given in.
    lengths: Vec<usize>,
}

impl Rendered {
    /// How many of the first entries fit into so many bytes. What a line says depends on nothing that comes after it in a listing.
    pub fn fitting(&self, bytes: usize) -> usize {
        let mut room = bytes;
        let fits = |length: &&usize| {
            let left = room.checked_sub(**length);
            room = left.unwrap_or_default();
            left.is_some()
        };
        self.lengths.iter().take_while(fits).count()
    }
}

/// The entries below `start`, children under their folder, indented by two. A folder that is not among them is written in front.
pub fn render(start: &RelPath, lines: &[Line]) -> Rendered {
    let mut ordered: Vec<(usize, &Line)> = lines.iter().enumerate().collect();
    ordered.sort_by_cached_key(|(_, line)| line.path.order());
    let mut open: Vec<RelPath> = Vec::new();
    let mut text = String::new();
    let mut lengths = vec![0; lines.len()];
    for (index, line) in ordered {
        let before = text.len();
        while open.last().is_some_and(|folder| !line.path.as_path().starts_with(folder.as_path())) {
            open.pop();
        }
        let above = open.last().unwrap_or(start);
        let name = line.path.as_path().strip_prefix(above.as_path()).unwrap_or(line.path.as_path());
        // Below a folder a name is a name; one that is a path by itself may have to be told from a workspace's.
        let whole = above.is_root();
        let name = RelPath::from_plain(name)
            .map_or_else(String::new, |name| if whole { name.to_text() } else { name.to_names() });
        let indent = "  ".repeat(open.len());
        let _ = writeln!(text, "{indent}{}{}", visible(&name), line.suffix);
        open.push(line.path.clone());
        lengths[index] = text.len() - before;
    }
    Rendered { text, lengths }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::from_plain(Path::new(text)).unwrap()
    }

    #[test]
    fn upper_levels_come_first() {
        let paths = [path("b"), path("c"), path("b/x"), path("a/z/y")];
        assert!(paths.is_sorted_by(|before, path| is_after(path, before)));
        assert!(!is_after(&path("b"), &path("b")));
    }

    #[test]
    fn a_tree_is_indented_by_folder() {
        let line = |text: &str, suffix: &str| Line { path: path(text), suffix: suffix.to_owned() };
        let lines = [line("s/a", "/"), line("s/a/x\ny", ""), line("s/b/deep/z", ""), line("s/ab", "")];
        let tree = render(&path("s"), &lines);
        assert_eq!(tree.text, "a/\n  x\\ny\nab\nb/deep/z\n");
        assert_eq!([2, 3, 9, 100].map(|bytes| tree.fitting(bytes)), [0, 1, 1, 4]);
    }
}
