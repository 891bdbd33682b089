//! Running allowed commands.

pub mod answer;
pub mod jobs;
pub mod kill;
pub mod output;
pub mod paths;
pub mod run;
pub mod supervise;

pub use answer::told_again;
pub use jobs::Jobs;
pub use kill::ExecKill;
pub use output::ExecOutput;
pub use run::ExecRun;
pub use supervise::{Ran, Ready};
