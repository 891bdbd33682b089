//! Who could have written the file: whoever can, decides what runs.

use std::{fs::Metadata, path::Path};

use crate::config::access::{Stranger, stranger};

/// What lets this user read it.
pub(super) fn opened(path: &Path) -> String {
    format!("give your account the right to read {}", path.display())
}

/// Whoever may change the folder may still not change the file in it, nor take it away.
pub(super) fn open_to_all(_folder: &Path, _metadata: &Metadata) -> Option<(String, String)> {
    None
}

/// The file belongs to the user, to the administrators or to the system, and nobody else may change it.
///
/// The error calls it `what` and comes with the command that mends it.
pub(super) fn check(what: &str, path: &Path, _metadata: &Metadata) -> Result<(), (String, String)> {
    let shown = path.display();
    match stranger(path) {
        Ok(None) => Ok(()),
        Ok(Some(Stranger::Owns(account))) => Err((
            format!("{what} belongs to another account ({account})"),
            format!("`takeown /f \"{shown}\"` makes it yours"),
        )),
        Ok(Some(Stranger::MayChange(account))) => Err((
            format!("others may change {what} ({account})"),
            format!("`icacls \"{shown}\" /inheritance:r /grant:r \"%USERNAME%:F\"` takes that from them"),
        )),
        Ok(Some(Stranger::Everyone)) => Err((
            format!("everybody may change {what}: it has no list of rights"),
            "keep it on a disk that has them (NTFS), in your own folder".to_owned(),
        )),
        Err(error) => Err((
            format!("it cannot be told who may change {what}: {error}"),
            "keep it in your own folder, on a disk with lists of rights (NTFS)".to_owned(),
        )),
    }
}
