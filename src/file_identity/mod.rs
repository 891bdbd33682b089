//! Whether a path still names the file that is open, and whether that is as it was. Looks, and changes nothing.

#[cfg(unix)]
#[path = "identity_unix.rs"]
mod system;
#[cfg(windows)]
#[path = "identity_windows.rs"]
mod system;

pub use system::{FileState, is_same, state};

#[cfg(test)]
mod tests {
    use std::fs;

    use super::is_same;

    #[test]
    fn another_file_under_the_same_name_is_another_file() {
        let folder = tempfile::tempdir().unwrap();
        let (path, moved) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&path, "one").unwrap();
        let file = fs::File::open(&path).unwrap();
        assert!(is_same(&file, &path));
        fs::rename(&path, &moved).unwrap();
        assert!(!is_same(&file, &path) && is_same(&file, &moved));
        fs::write(&path, "one").unwrap();
        assert!(!is_same(&file, &path));
    }
}
