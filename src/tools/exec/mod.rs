//! Running allowed commands.

pub mod paths;
pub mod run;

pub use run::ExecRun;
