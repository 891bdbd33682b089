//! `/usr/lib` or `/usr/lib64`: which of them a browser of Firefox's family looks into is compiled into it, and it looks into no other.
//!
//! Builds of Fedora, openSUSE and their like have `/usr/lib64`; Mozilla's own and Debian's have `/usr/lib`, wherever they run.

use std::path::PathBuf;

use super::{
    browsers::{Browser, Family, Os},
    environment::Environment,
    files,
};

const LIB: &str = "/usr/lib/";
const LIB64: &str = "/usr/lib64";

/// The folders for everybody into which a build of this browser may look: manifests go into each.
pub(super) fn possible(environment: &Environment, browser: &Browser) -> Vec<PathBuf> {
    let mut folders = as_written(environment, browser);
    if has_lib64(environment) {
        folders.extend(in_lib64(environment, browser));
    }
    folders
}

/// The folders for everybody into which the build that is here looks, in its order.
pub(super) fn read(environment: &Environment, browser: &Browser) -> Vec<PathBuf> {
    let folder = environment.system_path(LIB64);
    let mut names = browser.programs.iter().chain([&browser.id]);
    if has_lib64(environment) && names.any(|name| folder.join(name).is_dir()) {
        let instead = in_lib64(environment, browser);
        if !instead.is_empty() {
            return instead;
        }
    }
    as_written(environment, browser)
}

fn as_written(environment: &Environment, browser: &Browser) -> Vec<PathBuf> {
    system(environment, browser).iter().map(|path| environment.system_path(path)).collect()
}

fn in_lib64(environment: &Environment, browser: &Browser) -> Vec<PathBuf> {
    let rest = |path: &&'static str| path.strip_prefix(LIB).filter(|_| browser.family == Family::Firefox);
    let rests = system(environment, browser).iter().filter_map(rest);
    rests.map(|rest| environment.system_path(LIB64).join(rest)).collect()
}

fn system(environment: &Environment, browser: &Browser) -> &'static [&'static str] {
    browser.place(environment.os).map_or(&[], |place| place.system)
}

/// True on a system whose own programs have their libraries there; elsewhere the folder holds the loader alone, or is a link.
fn has_lib64(environment: &Environment) -> bool {
    let folder = environment.system_path(LIB64);
    let holds = |name: &str| files::is_there(&folder.join(name));
    environment.os == Os::Linux
        && files::link_of(&folder).is_none()
        && (holds("libc.so.6") || holds("mozilla"))
}
