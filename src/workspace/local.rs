//! The file of rules that a workspace brings along (`.outrigger.toml`): read through the root's handle, never through a link.
//!
//! Its content is untrusted: this door only hands over bytes and says when they may have changed. What it may mean is
//! `config::local`'s affair.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
    sync::Arc,
    time::SystemTime,
};

use super::{FileKind, Stat, Workspace, handle, nofollow};
pub use crate::policy::path_lists::LOCAL_FILE;
use crate::policy::{DeniedPaths, PathRules};

/// A file of rules that is larger is none.
const LOCAL_BYTES: u64 = 256 * 1024;

/// Tells one state of the file from another; equal stamps mean the same bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp(Option<[u128; 6]>);

impl Stamp {
    /// There is no such file.
    pub fn is_missing(self) -> bool {
        self.0.is_none()
    }

    fn of(stat: &Stat) -> Self {
        let since = |moment: SystemTime| {
            moment.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos())
        };
        let (device, number) = stat.identity;
        // The time of the last status change cannot be set back by whoever writes the file.
        Self(Some([
            device.into(),
            number.into(),
            stat.size.into(),
            // The kind as well: what becomes a link is no longer the file it was.
            (u128::from(stat.mode) << 8) | stat.kind as u128,
            since(stat.modified),
            since(stat.changed),
        ]))
    }
}

impl Workspace {
    /// What state the workspace's file of rules is in: one system call.
    pub fn local_stamp(&self) -> Stamp {
        match handle::stat(&**self.handle(), LOCAL_FILE.as_ref()) {
            Ok(stat) => Stamp::of(&stat),
            Err(_) => Stamp::default(),
        }
    }

    /// The bytes of the workspace's file of rules; `None` when there is none. A link, a folder or a pipe is an error.
    pub fn read_local(&self) -> io::Result<Option<Vec<u8>>> {
        let file: File = match nofollow::open_file(self.handle(), Path::new(LOCAL_FILE)) {
            Ok((file, _)) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.why_not_local(error)),
        };
        let mut bytes = Vec::new();
        file.take(LOCAL_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LOCAL_BYTES {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 256 KiB"));
        }
        Ok(Some(bytes))
    }

    /// Of a link the system says "too many levels of symbolic links", where one is one too many.
    fn why_not_local(&self, error: io::Error) -> io::Error {
        match handle::stat(&**self.handle(), LOCAL_FILE.as_ref()) {
            Ok(stat) if stat.kind == FileKind::Link => {
                io::Error::new(io::ErrorKind::InvalidInput, "it is a symbolic link, which is not followed")
            }
            _ => error,
        }
    }

    /// What should be known about the file, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The same open root, beside others that hold some of the same files.
    #[must_use]
    pub fn beside(&self, rules: PathRules) -> Self {
        self.under(Arc::new(rules), Arc::clone(&self.notes))
    }

    /// The same open root under other rules: one handle, one order of writes.
    #[must_use]
    pub fn under(&self, rules: Arc<PathRules>, notes: Arc<[String]>) -> Self {
        Self {
            id: self.id.clone(),
            root: self.root.clone(),
            written_root: self.written_root.clone(),
            handle: Arc::clone(&self.handle),
            read_only: self.read_only,
            closed_by: self.closed_by.clone(),
            rules,
            backend: self.backend,
            writes: Arc::clone(&self.writes),
            notes,
        }
    }

    /// The same for one call, with what its user's rules deny it.
    #[must_use]
    pub fn denying(&self, own: Option<Arc<DeniedPaths>>, theirs: &[(String, Arc<DeniedPaths>)]) -> Self {
        self.under(Arc::new(self.rules.denying(own, theirs)), Arc::clone(&self.notes))
    }

    /// The same, its writes in one order with those of `earlier`, which was opened for the same folder.
    #[must_use]
    pub fn after(mut self, earlier: &Self) -> Self {
        if self.root == earlier.root {
            self.writes = Arc::clone(&earlier.writes);
        }
        self
    }
}
