//! Who could have written the file: whoever can, decides what runs.

use std::{
    fs::Metadata,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::Path,
};

use crate::shell_words::quoted_path;

/// The file belongs to the user or to root, and nobody else may write it.
///
/// The error calls it `what` and comes with the command that mends it.
pub(super) fn check(what: &str, path: &Path, metadata: &Metadata) -> Result<(), (String, String)> {
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o022 != 0 {
        return Err((
            format!("others may write {what} (mode {mode:03o})"),
            format!("`chmod go-w {}` takes that from them", quoted_path(path)),
        ));
    }
    let owner = metadata.uid();
    let user = rustix::process::geteuid().as_raw();
    if owner != user && owner != 0 {
        return Err((
            format!("{what} belongs to another user (uid {owner})"),
            format!("`sudo chown {user} {}` makes it yours", quoted_path(path)),
        ));
    }
    Ok(())
}

/// What lets this user read it.
pub(super) fn opened(path: &Path) -> String {
    let user = rustix::process::geteuid().as_raw();
    let place = quoted_path(path);
    match path.metadata() {
        Ok(metadata) if metadata.uid() != user => format!("`sudo chown {user} {place}` makes it yours"),
        // The file cannot even be looked at: the last folder on the way that can is the one that is closed.
        Err(_) if let Some(folder) = path.ancestors().skip(1).find(|folder| folder.metadata().is_ok()) => {
            format!("`chmod u+rx {}` opens the folder it is in", quoted_path(folder))
        }
        _ => format!("`chmod u+r {place}` lets you read it"),
    }
}

/// Who may write to the folder of a configuration can take it away: what held is then not known any more. In a folder such as `/tmp`
/// nobody takes away what is another's.
pub(super) fn open_to_all(folder: &Path, metadata: &Metadata) -> Option<(String, String)> {
    let mode = metadata.permissions().mode() & 0o7777;
    (mode & 0o1002 == 0o002).then(|| {
        (
            format!("can be changed by everyone (mode {mode:03o}), who could take the configuration away"),
            format!("`chmod o-w {}` takes that from them", quoted_path(folder)),
        )
    })
}
