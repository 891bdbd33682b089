//! The law: decides what may happen. Pure; it never touches a disk, a process or a clock.
//!
//! Tools describe what they are about to do as an [`Intent`]; [`judge()`] turns that into a [`Permit`], a [`Plan`] for a person,
//! or a [`Refusal`]. The doors take a `Permit`, and only this module makes one, so skipping the law does not compile.

pub mod allowed;
mod arguments;
mod by_character;
pub mod commands;
pub mod denied_paths;
mod examples;
mod expand;
pub mod intent;
pub mod judge;
pub mod law;
mod meant;
mod operators;
mod path_globs;
pub mod path_lists;
mod path_names;
pub mod path_rules;
pub mod plan;
mod whereabouts;
mod wildcard;

pub use allowed::AllowedCommand;
pub use arguments::rules_in_words;
pub use commands::{CheckedCommand, CommandRefusal, Commands, Resolution};
pub use denied_paths::{DeniedPaths, DeniedPathsError};
pub use intent::{ChangeOp, Effect, FileChange, Hunk, Intent, Node, PathChange, Preview, Raise};
pub use judge::{Answer, Decision, Permit, Question, Refusal, Verdict, judge};
pub use law::Law;
pub use path_names::fold;
pub use path_rules::{Blocker, Neighbour, Nesting, PathClass, PathRules};
pub use plan::Plan;
