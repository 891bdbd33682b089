//! Brings the host into browsers, takes it out again, and proves that the link works.
//!
//! [`browsers`] is the one table of browsers, [`manifest`] fills the templates of `manifests/`, [`installer`] writes and
//! restores, [`status`] looks, [`doctor`] starts the host as each browser would.
//!
//! Never here: a write to a file that is not our manifest or our own record of it; a word to the terminal (`cli` has the
//! words); the reading of the process's environment outside [`Environment::of_process`].

pub mod belongings;
pub mod binary_checks;
pub mod boxed;
pub mod browsers;
pub mod check;
pub mod doctor;
pub mod environment;
pub mod error;
pub mod extension_policy;
pub mod ids;
pub mod inspect;
pub mod installer;
pub mod keys;
pub mod launcher;
pub mod manifest;
pub mod ownership;
pub mod policy;
pub mod policy_files;
pub mod registry;
pub mod rehearsal;
pub mod repair;
pub mod running;
pub mod status;
pub mod target;
pub mod uninstaller;

mod exposed;
mod files;
mod for_all;
mod gecko_preferences;
mod library;
mod manifest_contents;
mod manifest_file;
mod obstacle;
#[cfg(unix)]
#[path = "permissions_unix.rs"]
mod permissions;
#[cfg(windows)]
#[path = "permissions_windows.rs"]
mod permissions;
mod record_folder;
mod record_keeper;
pub mod record_place;
mod rivals;
pub(crate) mod scratch;
mod state_names;
mod way;

pub use self::{
    browsers::{Browser, Family, Os, Scope},
    environment::Environment,
    error::InstallError,
    ids::{ExtensionId, Ids},
    target::{Selection, Target},
};
