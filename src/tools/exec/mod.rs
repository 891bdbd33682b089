//! Running allowed commands.

pub mod paths;
pub mod run;
pub mod supervise;

pub use run::ExecRun;
pub use supervise::{Ran, Ready};
