//! The allowlist: which programs may run with which arguments. Pure; what is on the disk is told to it.
//!
//! Two steps, because arguments that could be paths must be looked up by the door: [`Commands::check`] judges the flags and
//! names every piece of an argument that has to lie in the workspace; [`CheckedCommand::allow`] takes what the door found and
//! makes the [`AllowedCommand`], without which nothing is spawned.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    arguments::{self, Piece},
    path_rules::{PathClass, PathRules},
};
use crate::{
    config::{CommandEntry, Config},
    hint::nearest,
    limits::{EXEC_ARG_BYTES, EXEC_ARGS},
    relpath::RelPath,
    text::visible,
    tier::Tier,
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

/// A command whose arguments were judged; only [`CheckedCommand::allow`] makes one, and only such a one can be spawned.
#[derive(Clone, Debug)]
pub struct AllowedCommand {
    entry: CommandEntry,
    program: PathBuf,
    args: Vec<String>,
    workdir: RelPath,
}

impl AllowedCommand {
    /// The allowlist entry.
    pub fn entry(&self) -> &CommandEntry {
        &self.entry
    }

    /// The program, absolute.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// All arguments, the fixed ones first.
    pub fn args(&self) -> &[String] {
        &self.args
    }

    /// The working folder, resolved.
    pub fn workdir(&self) -> &RelPath {
        &self.workdir
    }

    /// Set beyond the base environment.
    pub fn environment(&self) -> &BTreeMap<String, String> {
        &self.entry.env
    }

    /// The entry's tier.
    pub fn tier(&self) -> Tier {
        self.entry.tier
    }
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
    /// The administrator turned commands off.
    #[error("commands are turned off by `exec.enabled = false`")]
    Disabled,
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
            let near = nearest(id, self.entries.iter().map(|entry| entry.id.as_str()));
            return Err(CommandRefusal::Unknown {
                id: visible(id).into_owned(),
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

    /// The command that may be spawned: `resolved` is what the door found about each of [`Self::path_arguments`], in order.
    pub fn allow(
        self,
        rules: &PathRules,
        program: PathBuf,
        workdir: RelPath,
        resolved: &[Resolution],
    ) -> Result<AllowedCommand, CommandRefusal> {
        self.judge_workdir(rules, &workdir)?;
        self.judge_paths(rules, resolved)?;
        let args = self.entry.args.iter().chain(&self.args).cloned().collect();
        Ok(AllowedCommand { entry: self.entry, program, args, workdir })
    }

    fn judge_workdir(&self, rules: &PathRules, workdir: &RelPath) -> Result<(), CommandRefusal> {
        let why = match rules.why(&workdir.to_slashed()) {
            Some((PathClass::Blocked, glob)) => format!("it is blocked by `{glob}`"),
            Some((PathClass::Forbidden, glob)) => format!("no tool works in `{glob}`"),
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
                Some(Resolution::Inside(path)) => match rules.why(&path.to_slashed()) {
                    Some((PathClass::Blocked, glob)) => format!("`{path}` is blocked by `{glob}`"),
                    _ => continue,
                },
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
            return Err(CommandRefusal::Argument { id: self.entry.id.clone(), argument, reason });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{FileRules, Place, Positional};

    fn entry(change: impl FnOnce(&mut CommandEntry)) -> CommandEntry {
        let mut entry = CommandEntry {
            id: "tool".to_owned(),
            program: "tool".to_owned(),
            args: vec!["run".to_owned()],
            summary: "Run it".to_owned(),
            allow_flags: Some(vec![
                "-p".to_owned(),
                "--name".to_owned(),
                "-xv".to_owned(),
                "--mode=fast".to_owned(),
            ]),
            deny_flags: None,
            positional: Positional::None,
            max_args: 10,
            env: BTreeMap::new(),
            env_pass: Vec::new(),
            network: false,
            write_paths: Vec::new(),
            timeout_ms: 1,
            idle_timeout_ms: 1,
            tier: Tier::Individual,
            matches: Vec::new(),
            not_matches: Vec::new(),
            shipped: false,
            place: Place::default(),
        };
        change(&mut entry);
        entry
    }

    fn check(entry: &CommandEntry, args: &[&str]) -> Result<CheckedCommand, CommandRefusal> {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        CheckedCommand::new(entry, &args)
    }

    fn reason(entry: &CommandEntry, args: &[&str]) -> String {
        match check(entry, args) {
            Err(CommandRefusal::Argument { argument, reason, .. }) => format!("{argument}: {reason}"),
            other => panic!("{args:?}: {other:?}"),
        }
    }

    #[test]
    fn listed_flags_pass_as_exact_tokens_only() {
        let tool = entry(|_| {});
        for args in [&[][..], &["-p", "core"], &["-p=core"], &["--name=x"], &["-xv"], &["--mode=fast"]] {
            assert!(check(&tool, args).is_ok(), "{args:?}");
        }
        for args in [
            &["-pcore"][..],
            &["-px"],
            &["--nam=x"],
            &["--Name"],
            &["--mode"],
            &["--mode=slow"],
            &["-v"],
            &["--"],
        ] {
            assert!(check(&tool, args).is_err(), "{args:?}");
        }
        assert_eq!(
            reason(&tool, &["-pcore"]),
            "-pcore: short flags are given one by one, their values apart"
        );
        assert_eq!(
            reason(&tool, &["--nane=x"]),
            "--nane=x: the flag is not in `allow_flags` (did you mean `--name`?)"
        );
        assert_eq!(reason(&tool, &["core"]), "core: only flags are allowed (`positional = \"none\"`)");
        assert_eq!(reason(&tool, &["-p", "a", "b"]), "b: only flags are allowed (`positional = \"none\"`)");
    }

    #[test]
    fn without_lists_no_flag_passes() {
        let tool = entry(|entry| entry.allow_flags = None);
        assert_eq!(reason(&tool, &["-v"]), "-v: it takes no flags");
    }

    #[test]
    fn a_denied_flag_is_denied_in_every_spelling() {
        let tool = entry(|entry| {
            entry.allow_flags = None;
            entry.deny_flags = Some(vec!["-o".to_owned(), "--config".to_owned(), "-exec".to_owned()]);
            entry.positional = Positional::Any;
        });
        for args in [
            &["-o", "x"][..],
            &["-o=x"],
            &["-ox"],
            &["-vo"],
            &["--config=x"],
            &["--conf", "x"],
            &["--CONFIG"],
            &["-config"],
            &["--exec=sh"],
            &["--", "--config"],
            &["-vx"],
        ] {
            assert!(check(&tool, args).is_err(), "{args:?}");
        }
        for args in [&["-v"][..], &["--verbose", "x"], &["--", "x"], &["-O"], &["--output=x"]] {
            assert!(check(&tool, args).is_ok(), "{args:?}");
        }
    }

    #[test]
    fn limits_hold() {
        let tool = entry(|entry| entry.max_args = 1000);
        let many = vec!["-p"; EXEC_ARGS + 1];
        assert!(matches!(check(&tool, &many), Err(CommandRefusal::TooMany { given: 65, limit: 64, .. })));
        let long = format!("--name={}", "x".repeat(EXEC_ARG_BYTES));
        assert!(check(&tool, &[&long]).is_err());
        assert!(check(&tool, &["--name=a\0b"]).is_err());
    }

    #[test]
    fn every_piece_that_could_be_a_path_is_looked_up() {
        let tool = entry(|entry| entry.positional = Positional::Any);
        let pieces = |args: &[&str]| {
            check(&tool, args).unwrap().path_arguments().map(ToOwned::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(pieces(&["-p", "core"]), ["core"]);
        assert_eq!(pieces(&["--name=a/b"]), ["a/b"]);
        assert_eq!(pieces(&["@/etc/passwd"]), ["@/etc/passwd", "/etc/passwd"]);
        assert_eq!(pieces(&["a.py::b"]), ["a.py::b", "a.py", "b"]);
        assert_eq!(pieces(&["--name=x=/etc,../y"]), ["x=/etc,../y", "x", "/etc", "../y"]);
        assert_eq!(pieces(&["-p"]), Vec::<String>::new());
        assert!(reason(&tool, &["~/x"]).contains("home folder"));
        assert!(reason(&tool, &["--name=~root/x"]).contains("home folder"));
    }

    #[test]
    fn what_the_door_found_decides() {
        let rules = PathRules::new(&FileRules::default()).unwrap();
        let tool = entry(|entry| entry.positional = Positional::PathInWorkspace);
        let allow = |workdir: &str, resolved: &[Resolution]| {
            let workdir = RelPath::from_plain(Path::new(workdir)).unwrap();
            check(&tool, &["src"]).unwrap().allow(&rules, "/bin/tool".into(), workdir, resolved)
        };
        let inside = |path: &str| Resolution::Inside(RelPath::from_plain(Path::new(path)).unwrap());
        let allowed = allow("app", &[inside("app/src")]).unwrap();
        assert_eq!(
            (allowed.args().join(" "), allowed.program()),
            ("run src".to_owned(), Path::new("/bin/tool"))
        );
        let refused = [
            allow("app", &[inside("app/.env")]),
            allow("app", &[inside("keys/id_rsa/x")]),
            allow("app", &[Resolution::Outside("it is a link".to_owned())]),
            allow("app", &[Resolution::Blocked("*.pem".to_owned())]),
            allow("app", &[Resolution::NotAPath]),
            allow("app", &[]),
            allow(".git", &[inside("app/src")]),
            allow(".ssh", &[inside("app/src")]),
        ];
        for (index, verdict) in refused.into_iter().enumerate() {
            assert!(verdict.is_err(), "{index}");
        }
    }

    #[test]
    fn unknown_and_disabled_commands_say_so() {
        let mut config = Config::without_file();
        let unknown = Commands::new(&config).check("cargo_tests", &[]).unwrap_err();
        let nearest = Some("cargo_test".to_owned());
        assert_eq!(unknown, CommandRefusal::Unknown { id: "cargo_tests".to_owned(), nearest });
        config.exec.enabled = false;
        assert_eq!(Commands::new(&config).check("cargo_test", &[]).unwrap_err(), CommandRefusal::Disabled);
        assert!(Commands::new(&config).entries().is_empty());
    }
}
