//! The allowlist: which programs may run with which arguments. Pure; what is on the disk is told to it.
//!
//! Two steps, because arguments that could be paths must be looked up by the door: [`Commands::check`] judges the flags and
//! names every piece of an argument that has to lie in the workspace; [`CheckedCommand::allow`] takes what the door found and
//! makes the [`AllowedCommand`], without which nothing is spawned.

use std::path::PathBuf;

use super::{
    allowed::AllowedCommand,
    arguments::{self, Piece},
    path_rules::{PathClass, PathRules},
};
use crate::{
    config::{CommandEntry, Config, starting_git},
    hint::nearest,
    limits::{EXEC_ARG_BYTES, EXEC_ARGS, NAME_SHOWN_BYTES},
    relpath::RelPath,
    text::{excerpt, prefix, visible},
};

/// The allowed commands, by id.
#[derive(Clone, Debug)]
pub struct Commands {
    entries: Vec<CommandEntry>,
    enabled: bool,
}

/// A command whose flags were judged; its paths are still to be looked up.
#[derive(Clone, Debug)]
pub struct CheckedCommand {
    entry: CommandEntry,
    args: Vec<String>,
    pieces: Vec<Piece>,
}

/// What the door found out about a piece of an argument, taken as a path from the working folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// It is there, or would be there if it existed.
    Inside(RelPath),
    /// It leads out of the workspace; why.
    Outside(String),
    /// The door found it blocked; the glob.
    Blocked(String),
    /// It cannot be a path at all.
    NotAPath,
}

/// Why a command may not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandRefusal {
    /// No such entry.
    #[error("`{id}` is not an allowed command")]
    Unknown {
        /// As given.
        id: String,
        /// The nearest one.
        nearest: Option<String>,
    },
    /// An argument is refused.
    #[error("the argument `{}` is not allowed for `{id}`: {reason}", visible(argument))]
    Argument {
        /// The command.
        id: String,
        /// As given.
        argument: String,
        /// Why, and where it can be said what would work.
        reason: String,
        /// Which arguments the command takes.
        rules: String,
    },
    /// More arguments than allowed.
    #[error("`{id}` takes at most {limit} arguments; {given} were given")]
    TooMany {
        /// The command.
        id: String,
        /// How many.
        given: usize,
        /// The limit.
        limit: usize,
    },
    /// The working folder is refused.
    #[error("`{id}` may not run in `{workdir}`: {reason}")]
    Workdir {
        /// The command.
        id: String,
        /// Relative to the workspace.
        workdir: String,
        /// Why.
        reason: String,
    },
    /// The working folder is that of a workspace in which nothing may change.
    #[error("`{id}` may not run in `{workdir}`: it lies in the read-only workspace `{workspace}`")]
    ReadOnly {
        /// The command.
        id: String,
        /// Relative to the workspace of the call.
        workdir: String,
        /// The read-only one.
        workspace: String,
    },
    /// The administrator turned commands off.
    #[error("commands are turned off by `exec.enabled = false`")]
    Disabled,
}

/// Of the rules of one command a hint has so much; the flags of a few are more.
const RULES_BYTES: usize = 1500;

impl CommandRefusal {
    /// What would work, where that depends on the command.
    pub fn way_out(&self) -> String {
        match self {
            Self::Argument { id, rules, .. } if rules.len() <= RULES_BYTES => format!("`{id}` takes {rules}"),
            Self::Argument { id, rules, .. } => format!(
                "`{id}` takes {}; `workspace_info` with `detail` shows all of it",
                excerpt(rules, RULES_BYTES)
            ),
            Self::TooMany { limit, .. } => {
                format!("give at most {limit}, in several calls where it needs more")
            }
            Self::Workdir { .. } => "give another `workdir` in the workspace".to_owned(),
            _ => String::new(),
        }
    }
}

impl Commands {
    /// The entries of the configuration.
    pub fn new(config: &Config) -> Self {
        Self { entries: config.commands.clone(), enabled: config.exec.enabled }
    }

    /// The entries a model may use.
    pub fn entries(&self) -> &[CommandEntry] {
        if self.enabled { &self.entries } else { &[] }
    }

    /// Judges what can be judged without the disk: the id, the flags, the number and size of the arguments.
    pub fn check(&self, id: &str, args: &[String]) -> Result<CheckedCommand, CommandRefusal> {
        if !self.enabled {
            return Err(CommandRefusal::Disabled);
        }
        let Some(entry) = self.entries.iter().find(|entry| entry.id == id) else {
            let near =
                nearest(prefix(id, NAME_SHOWN_BYTES), self.entries.iter().map(|entry| entry.id.as_str()));
            return Err(CommandRefusal::Unknown {
                id: excerpt(id, NAME_SHOWN_BYTES),
                nearest: near.map(ToOwned::to_owned),
            });
        };
        CheckedCommand::new(entry, args)
    }
}

impl CheckedCommand {
    /// Judges `args` by the rules of `entry`.
    pub(super) fn new(entry: &CommandEntry, args: &[String]) -> Result<Self, CommandRefusal> {
        let limit = entry.max_args.min(EXEC_ARGS);
        if args.len() > limit {
            return Err(CommandRefusal::TooMany { id: entry.id.clone(), given: args.len(), limit });
        }
        let refuse = |argument: &String, reason: String| CommandRefusal::Argument {
            id: entry.id.clone(),
            argument: crate::text::prefix(argument, 200).to_owned(),
            reason,
            rules: arguments::rules_in_words(entry),
        };
        for argument in args {
            if argument.len() > EXEC_ARG_BYTES {
                let reason = format!("it has {} bytes; the limit is {EXEC_ARG_BYTES}", argument.len());
                return Err(refuse(argument, reason));
            }
            if argument.contains('\0') {
                return Err(refuse(argument, "it contains a NUL character".to_owned()));
            }
        }
        if let Some(argument) = starting_git(&entry.program, entry.args.iter().chain(args)) {
            return Err(refuse(
                argument,
                "git has tools of its own, whose names begin with `git_`".to_owned(),
            ));
        }
        let pieces = arguments::judge(entry, args).map_err(|fault| refuse(fault.argument, fault.reason))?;
        Ok(Self { entry: entry.clone(), args: args.to_vec(), pieces })
    }

    /// The allowlist entry.
    pub fn entry(&self) -> &CommandEntry {
        &self.entry
    }

    /// Every piece of an argument that a program could take for a path, in order: the door resolves each from the working folder.
    pub fn path_arguments(&self) -> impl ExactSizeIterator<Item = &str> {
        self.pieces.iter().map(|piece| piece.text.as_str())
    }

    /// Its arguments may be looked up from any folder above its working folder: it runs in that of its package.json.
    pub fn may_run_above(&self) -> bool {
        arguments::may_run_above(&self.entry)
    }

    /// Judges the folder and the paths, before it is looked whether there is such a program: what is forbidden is told first, and
    /// the same on every machine. `resolved` is what the door found about each of [`Self::path_arguments`], in order.
    pub fn judge(
        &self,
        rules: &PathRules,
        workdir: &RelPath,
        resolved: &[Resolution],
    ) -> Result<(), CommandRefusal> {
        self.judge_workdir(rules, workdir)?;
        self.judge_paths(rules, resolved)
    }

    /// The command that may be spawned: `resolved` is what the door found about each of [`Self::path_arguments`], in order.
    pub fn allow(
        self,
        rules: &PathRules,
        program: PathBuf,
        workdir: RelPath,
        resolved: &[Resolution],
    ) -> Result<AllowedCommand, CommandRefusal> {
        self.judge(rules, &workdir, resolved)?;
        let args = self.entry.args.iter().chain(&self.args).cloned().collect();
        Ok(AllowedCommand::new(self.entry, program, args, workdir))
    }

    fn judge_workdir(&self, rules: &PathRules, workdir: &RelPath) -> Result<(), CommandRefusal> {
        let slashed = workdir.to_slashed();
        let why = match rules.why(&slashed) {
            Some((PathClass::Blocked, rule)) => format!("it is {}", rules.blocker(&slashed).because(rule)),
            Some((PathClass::Forbidden, glob)) => match rules.read_only_around(&slashed) {
                Some(workspace) => {
                    let (id, workspace) = (self.entry.id.clone(), workspace.to_owned());
                    return Err(CommandRefusal::ReadOnly { id, workdir: workdir.to_string(), workspace });
                }
                None => format!("no tool works in `{glob}`"),
            },
            _ => return Ok(()),
        };
        let id = self.entry.id.clone();
        Err(CommandRefusal::Workdir { id, workdir: workdir.to_string(), reason: why })
    }

    pub(super) fn judge_paths(
        &self,
        rules: &PathRules,
        resolved: &[Resolution],
    ) -> Result<(), CommandRefusal> {
        for (index, piece) in self.pieces.iter().enumerate() {
            let reason = match resolved.get(index) {
                Some(Resolution::Inside(path)) => {
                    let slashed = path.to_slashed();
                    match (rules.why(&slashed), rules.blocked_by_wildcard(&slashed)) {
                        (Some((PathClass::Blocked, rule)), _) => {
                            format!("`{path}` is {}", rules.blocker(&slashed).because(rule))
                        }
                        (_, Some(glob)) => format!("its wildcards could name what `{glob}` blocks"),
                        _ => continue,
                    }
                }
                Some(Resolution::Blocked(glob)) => {
                    format!("`{}` is blocked by `{}`", visible(&piece.text), visible(glob))
                }
                Some(Resolution::NotAPath) if !piece.must_be_path => continue,
                Some(Resolution::NotAPath) => "it has to be a path in the workspace".to_owned(),
                Some(Resolution::Outside(why)) => {
                    format!("`{}` is outside the workspace: {why}", visible(&piece.text))
                }
                // Doubt means deny.
                None => "it was not looked up".to_owned(),
            };
            let argument = self.args.get(piece.argument).cloned().unwrap_or_default();
            let (id, rules) = (self.entry.id.clone(), arguments::rules_in_words(&self.entry));
            return Err(CommandRefusal::Argument { id, argument, reason, rules });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
