//! What may be started from here: a host is started with all rights of whoever asks, so nothing is that another user could have put there,
//! or an agent, or a program that is only running.
//!
//! A browser would start it all the same; but it does so for the extension in it, and not because a folder said so.

use std::path::{Path, PathBuf};

use crate::{
    install::{
        check::Check,
        environment::Environment,
        error::shown,
        exposed::Exposed,
        files, launcher,
        permissions::{self, OtherWriter},
        target::{Presence, Target},
        way,
    },
    shell_words::quoted_path,
};

/// Why it is not started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// Another user could replace this, or what it leads to.
    OfAnother(PathBuf),
    /// An agent could.
    OfAgents(PathBuf),
    /// Nobody knows where agents write.
    Unknown,
    /// It is another program than ours, and nobody but a running browser names its folder.
    OnlyRunning,
}

/// What speaks against starting the program that a target's manifest names.
pub(super) fn doubt(
    environment: &Environment,
    exposed: &Exposed,
    target: &Target,
    manifest: &Path,
    program: &Path,
) -> Option<Doubt> {
    if let Some(step) = of_another(program).or_else(|| of_another(manifest)) {
        return Some(Doubt::OfAnother(step));
    }
    // It runs already, wherever it lies.
    if program == environment.binary {
        return None;
    }
    if exposed.holds(program) {
        return Some(Doubt::OfAgents(program.to_path_buf()));
    }
    // Whatever a manifest makes of it, it does what it always does.
    if is_outrigger(environment, program) {
        return None;
    }
    // What it is started with begins with the manifest's own name: a shell would run that.
    if exposed.holds(manifest) {
        return Some(Doubt::OfAgents(manifest.to_path_buf()));
    }
    if !exposed.is_known() {
        return Some(Doubt::Unknown);
    }
    (target.presence == Presence::Running).then_some(Doubt::OnlyRunning)
}

/// The first program of this name in `PATH` that may be started from here.
pub(super) fn find_program(environment: &Environment, name: &str) -> Option<PathBuf> {
    let exposed = Exposed::of(environment);
    environment.find_programs(name).find(|program| of_another(program).is_none() && !exposed.holds(program))
}

/// This very program, a copy of it, or one that the installer has put there and nobody has changed.
fn is_outrigger(environment: &Environment, program: &Path) -> bool {
    let Ok(real) = files::canonical(program) else { return false };
    files::canonical(&environment.binary)
        .is_ok_and(|binary| binary == real || files::same_contents(&binary, &real))
        || (launcher::is_copy(environment, &real) && !launcher::is_damaged(environment, &real))
}

/// The first step on the way to a file that another user may replace. Groups are told by `binary.folder` alone: systems give theirs to
/// administrators.
fn of_another(path: &Path) -> Option<PathBuf> {
    way::to(path).into_iter().find(|step| {
        match permissions::other_writer(step) {
            Ok(writer) => !matches!(writer, None | Some(OtherWriter::Group(_) | OtherWriter::Nobody)),
            // Windows has drives of which nothing is told.
            Err(_) => cfg!(unix),
        }
    })
}

impl Doubt {
    /// The check in the start's place.
    pub(super) fn check(&self, environment: &Environment, target: &Target, program: &Path) -> Check {
        let place = shown(program);
        let check = |reason: &str| {
            Check::not_checked("host.start", format!("`{place}` was not started, because {reason}"))
        };
        match self {
            Self::OfAnother(step) => {
                check("another user may replace it, or what names it").seen(shown(step)).advice(
                    "see `binary.folder`; what belongs to another user is looked at by that user's own doctor",
                )
            }
            Self::OfAgents(place) => check("agents may write there, and what they write is not started from here")
                .seen(shown(place))
                .fix(target.reinstall(environment)),
            Self::Unknown => {
                let advice = "mend the configuration first: `outrigger config check` says what is wrong with it";
                check("the configuration cannot be read, so nobody knows where agents may write")
                    .seen(place.clone())
                    .advice(advice)
            }
            Self::OnlyRunning => {
                let folder = target.folder.parent().unwrap_or(&target.folder);
                check("it is not this outrigger, and only a browser that runs names its folder")
                    .seen(shown(folder))
                    .fix(format!("{} doctor {}", target.command(environment), target.flags))
                    .advice(format!("that starts it, if {} is a browser's folder of yours", quoted_path(folder)))
            }
        }
    }
}
