//! What stands in the way to a folder: a file, a link that leads nowhere, a folder that is closed to this user.
//!
//! Every command that it gives is about that one thing. It never makes a folder this user's own that stands in somebody else's:
//! with a wrong `HOME` that would be the system's.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    check::{Check, Mend},
    error::shown,
    files,
    permissions::{self, Access},
};
use crate::shell_words::{moved_aside, quoted_path};

/// The first thing on a path that keeps us from what is behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    path: PathBuf,
    kind: Kind,
}

/// Folders of the system: an administrator owns them, and still nothing in them is in the way.
const SYSTEM: &[&str] = &[
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys", "/usr", "/System",
    "/Library",
];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    File,
    DeadLink {
        to: PathBuf,
    },
    Circle,
    /// Ours, without the permission.
    Closed {
        is_ours: bool,
        is_in_ours: bool,
    },
    ReadOnlyDisk,
    Unchangeable,
    NotUnicode,
}

impl Obstacle {
    /// What keeps this user from making files in `folder`, or from making it.
    pub fn to_writing(folder: &Path) -> Option<Self> {
        Self::to_reaching(folder).or_else(|| {
            let there = folder.ancestors().find(|ancestor| files::is_there(ancestor))?;
            match permissions::access(there) {
                Access::Open => None,
                Access::ReadOnlyDisk => Some(Self { path: there.to_path_buf(), kind: Kind::ReadOnlyDisk }),
                Access::Unchangeable => Some(Self { path: there.to_path_buf(), kind: Kind::Unchangeable }),
                Access::Closed => Some(Self::closed(there)),
            }
        })
    }

    /// What keeps this user from putting another file where this one is, or would be.
    pub fn to_replacing(file: &Path) -> Option<Self> {
        if permissions::is_unchangeable(file) {
            return Some(Self { path: file.to_path_buf(), kind: Kind::Unchangeable });
        }
        Self::to_writing(file.parent().unwrap_or(file))
    }

    /// What keeps a path from being written down in a manifest or in our record.
    pub fn to_speaking_of(path: &Path) -> Option<Self> {
        path.to_str().is_none().then(|| Self { path: path.to_path_buf(), kind: Kind::NotUnicode })
    }

    /// What keeps this user from looking into `folder`; none where it is only not there.
    pub fn to_reaching(folder: &Path) -> Option<Self> {
        let mut ancestors: Vec<&Path> = folder.ancestors().collect();
        ancestors.reverse();
        let mut above = Path::new("/");
        for path in ancestors.into_iter().filter(|path| !path.as_os_str().is_empty()) {
            match fs::metadata(path) {
                Ok(metadata) if metadata.is_dir() => above = path,
                Ok(_) => return Some(Self { path: path.to_path_buf(), kind: Kind::File }),
                Err(error) => return Self::of_error(above, path, &error),
            }
        }
        (!permissions::may_enter(folder)).then(|| Self::closed(folder))
    }

    fn of_error(above: &Path, path: &Path, error: &io::Error) -> Option<Self> {
        let link = files::link_of(path);
        let kind = match (error.kind(), link) {
            _ if permissions::is_circle(error) => Kind::Circle,
            (io::ErrorKind::NotFound, Some(to)) => Kind::DeadLink { to },
            (io::ErrorKind::PermissionDenied, None) => return Some(Self::closed(above)),
            // What is behind the link is closed; the link itself is in nobody's way.
            (io::ErrorKind::PermissionDenied, Some(to)) => {
                return Self::to_reaching(&above.join(to)).or_else(|| Some(Self::closed(above)));
            }
            _ => return None,
        };
        Some(Self { path: path.to_path_buf(), kind })
    }

    fn closed(path: &Path) -> Self {
        let is_in_ours = path.parent().is_some_and(permissions::is_own);
        let is_ours = permissions::is_own(path);
        Self { path: path.to_path_buf(), kind: Kind::Closed { is_ours, is_in_ours } }
    }

    /// Whether it is permissions that are in the way.
    pub fn is_closed(&self) -> bool {
        matches!(self.kind, Kind::Closed { .. })
    }

    /// The thing and what it is.
    pub fn seen(&self) -> String {
        let place = shown(&self.path);
        match &self.kind {
            Kind::File => format!("a file where a folder belongs: {place}"),
            Kind::DeadLink { to } => format!("a link to `{}`, which is not there: {place}", shown(to)),
            Kind::Circle => format!("a link that leads back to itself: {place}"),
            Kind::Closed { is_ours: true, .. } => format!("closed by its own permissions: {place}"),
            Kind::Closed { is_ours: false, .. } if !permissions::may_enter(&self.path) => {
                format!("closed to this user: {place}")
            }
            Kind::Closed { is_ours: false, .. } => format!("not writable for this user: {place}"),
            Kind::ReadOnlyDisk => format!("on a disk that is mounted read-only: {place}"),
            Kind::NotUnicode => format!("a path that is not UTF-8, which no manifest can name: {place}"),
            Kind::Unchangeable => format!("marked as not to be changed by anybody: {place}"),
        }
    }

    /// The command that takes it out of the way.
    pub fn command(&self) -> Option<String> {
        let place = quoted_path(&self.path);
        match &self.kind {
            // What is the system's stays where it is, whoever asks.
            Kind::File | Kind::Circle if !self.is_of_this_user() => None,
            Kind::File | Kind::Circle => Some(moved_aside(&self.path)),
            Kind::DeadLink { to } => {
                let target = self.path.parent().unwrap_or(Path::new("/")).join(to);
                let may_be_made = Self::to_writing(&target).is_none();
                may_be_made.then(|| format!("mkdir -p {}", quoted_path(target)))
            }
            Kind::Closed { is_ours: true, .. } => Some(format!("chmod u+rwx {place}")),
            Kind::Closed { is_in_ours: true, .. } => Some(format!("sudo chown -R \"$(id -u)\" {place}")),
            Kind::Unchangeable => Some(format!("{} {place}", permissions::CHANGEABLE)),
            Kind::Closed { .. } | Kind::ReadOnlyDisk | Kind::NotUnicode => None,
        }
    }

    /// The command that lets everybody through a folder that is meant for everybody.
    pub fn opened_to_all(&self) -> String {
        let place = quoted_path(&self.path);
        match self.kind {
            Kind::Closed { .. } => format!("sudo chmod a+rx {place}"),
            _ => self.command().unwrap_or_else(|| format!("sudo {}", moved_aside(&self.path))),
        }
    }

    /// Whether it stands in a folder of this user's, and not of the system's.
    fn is_of_this_user(&self) -> bool {
        let is_systems = SYSTEM.iter().any(|folder| self.path.starts_with(folder));
        !is_systems && self.path.parent().is_some_and(files::is_mine)
    }

    /// What to do where no command of this user does it.
    pub fn advice(&self) -> String {
        let place = shown(&self.path);
        match &self.kind {
            Kind::ReadOnlyDisk => {
                format!(
                    "not possible while the disk of `{place}` is mounted read-only: nothing can be written there"
                )
            }
            Kind::File | Kind::Circle => {
                format!(
                    "not possible while `{place}` is there, which is not yours to move: name another folder"
                )
            }
            Kind::DeadLink { to } => {
                format!(
                    "not possible while `{}` is not there: mount the disk that it is on, or move the link away: {}",
                    shown(to),
                    moved_aside(&self.path)
                )
            }
            Kind::NotUnicode => {
                "not possible while the name of your home folder is not UTF-8: an administrator can rename it"
                    .to_owned()
            }
            _ => format!(
                "`{place}` belongs to somebody else: name a folder of your own, or set `HOME` to your own home folder; if this is yours, an \
                 administrator has to give it to you"
            ),
        }
    }

    /// What the doctor does about it by itself.
    pub fn mend(&self) -> Option<Mend> {
        let is_ours = matches!(self.kind, Kind::Closed { is_ours: true, .. });
        is_ours.then(|| Mend::AddMode(self.path.clone(), 0o700))
    }

    /// A check with what is in the way, and what takes it out of it.
    pub fn on(&self, check: Check) -> Check {
        let check = check.seen(self.seen());
        let check = match self.command() {
            Some(command) => check.fix(command),
            None => check.advice(self.advice()),
        };
        match self.mend() {
            Some(mend) => check.mended_by(mend),
            None => check,
        }
    }

    /// The same for a check that is about something else, whose mending this keeps from working.
    pub fn before(&self, mut check: Check) -> Check {
        let evidence =
            check.evidence.take().map_or_else(|| self.seen(), |seen| format!("{seen}; {}", self.seen()));
        check.evidence = Some(evidence);
        match (self.command(), check.fix.take()) {
            (Some(command), Some(fix)) => check.fix = Some(format!("{command} && {fix}")),
            (Some(command), None) => check.fix = Some(command),
            (None, _) => check.advice = Some(self.advice()),
        }
        check.mend = self.mend();
        check.fixable = check.mend.is_some();
        check
    }

    /// Both, for a sentence.
    pub fn help(&self) -> String {
        let way = self.command().map_or_else(|| self.advice(), |command| format!("`{command}` mends that"));
        format!("{}; {way}", self.seen())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::Obstacle;

    fn told(obstacle: Option<Obstacle>) -> (String, Option<String>) {
        obstacle.map(|obstacle| (obstacle.seen(), obstacle.command())).unwrap_or_default()
    }

    #[test]
    fn the_first_thing_in_the_way_is_named() {
        let folder = tempfile::tempdir().expect("folder");
        let root = fs::canonicalize(folder.path()).expect("canonical");
        let place = root.display();
        assert_eq!(Obstacle::to_writing(&root.join("a/b/c")), None);
        fs::write(root.join("file"), "").expect("file");
        symlink("gone", root.join("dead")).expect("link");
        symlink("circle", root.join("circle")).expect("link");
        assert_eq!(
            told(Obstacle::to_writing(&root.join("file/a"))),
            (
                format!("a file where a folder belongs: {place}/file"),
                Some(format!("mv {place}/file {place}/file.old"))
            )
        );
        assert_eq!(
            told(Obstacle::to_writing(&root.join("dead/a"))),
            (
                format!("a link to `gone`, which is not there: {place}/dead"),
                Some(format!("mkdir -p {place}/gone"))
            )
        );
        assert_eq!(
            told(Obstacle::to_reaching(&root.join("circle/a"))),
            (
                format!("a link that leads back to itself: {place}/circle"),
                Some(format!("mv {place}/circle {place}/circle.old"))
            )
        );
    }

    /// A wrong home folder leads here: the system's own folders stay the system's.
    #[test]
    fn nothing_of_the_system_is_given_to_the_user() {
        for folder in ["/", "/usr", "/root", "/proc/1"] {
            let closed = Obstacle::closed(folder.as_ref());
            let command = closed.command().unwrap_or_default();
            assert!(!command.contains("chown"), "{folder}: {command}");
        }
    }
}
