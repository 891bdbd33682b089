//! What passes and what does not.

use std::{collections::BTreeMap, path::Path};

use super::*;
use crate::{
    config::{FileRules, Place, Positional},
    tier::Tier,
};

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
        value_flags: vec!["-p".to_owned()],
        positional: Positional::None,
        argument_files: false,
        max_args: 10,
        env: BTreeMap::new(),
        env_pass: Vec::new(),
        network: false,
        write_paths: Vec::new(),
        timeout_ms: 1,
        idle_timeout_ms: 1,
        tier: Tier::Individual,
        own_tier: true,
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
    assert_eq!(reason(&tool, &["-pcore"]), "-pcore: short flags are given one by one, their values apart");
    assert_eq!(
        reason(&tool, &["--nane=x"]),
        "--nane=x: the flag is not in `allow_flags` (did you mean `--name`?)"
    );
    assert_eq!(reason(&tool, &["core"]), "core: only flags are allowed (`positional = \"none\"`)");
    assert_eq!(reason(&tool, &["-p", "a", "b"]), "b: only flags are allowed (`positional = \"none\"`)");
}

#[test]
fn a_value_behind_an_equals_sign_is_no_other_flag() {
    let tool = entry(|entry| {
        entry.allow_flags = Some(["-p", "-q", "-j", "--name"].map(str::to_owned).into());
        entry.matches = vec![vec!["-j=auto".to_owned()]];
    });
    for args in
        [["-p=core"], ["-p=-1"], ["-q=4"], ["-j=core"], ["--name=--name"], ["--name=-1"], ["--name=-"]]
    {
        assert!(check(&tool, &args).is_ok(), "{args:?}");
    }
    assert_eq!(
        reason(&tool, &["-q=pcore"]),
        "-q=pcore: it could be read as several short flags, and `value_flags` does not list `-q`"
    );
    assert_eq!(
        reason(&tool, &["--name=--nam=x"]),
        "--name=--nam=x: what stands behind `=` could be read as a flag: the flag is not in `allow_flags` (did you mean `--name`?)"
    );
    for args in [["-p=--config"], ["--name=--name=--config"]] {
        assert!(check(&tool, &args).is_err(), "{args:?}");
    }
    let tool = entry(|entry| {
        (entry.allow_flags, entry.deny_flags) = (None, Some(vec!["-o".to_owned(), "--config".to_owned()]));
    });
    for args in [["-v=o"], ["--name=--config"], ["--name=-o"]] {
        assert!(check(&tool, &args).is_err(), "{args:?}");
    }
    assert!(check(&tool, &["--name=x"]).is_ok() && check(&tool, &["--name=-v"]).is_ok());
}

#[test]
fn braces_stand_for_every_path_they_could_name() {
    let tool = entry(|entry| entry.positional = Positional::Any);
    let pieces = |args: &[&str]| {
        check(&tool, args).unwrap().path_arguments().map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    let found = pieces(&["--name={.,}./{b,c}"]);
    for path in ["../b", "../c", "./b"] {
        assert!(found.iter().any(|piece| piece == path), "{path}: {found:?}");
    }
    assert!(reason(&tool, &["{~/x,a}"]).contains("home folder"));
    assert!(reason(&tool, &[&"{a,b}".repeat(9)]).contains("more than 64 words"));
}

#[test]
fn pieces_of_all_arguments_are_bounded_together() {
    let tool = entry(|entry| entry.positional = Positional::Any);
    let prose = |salt: usize| (0..600).map(|word| format!("{salt}w{word}")).collect::<Vec<_>>().join(" ");
    let few: Vec<String> = (0..5).map(prose).collect();
    assert!(check(&tool, &few.iter().map(String::as_str).collect::<Vec<_>>()).is_ok());
    let many: Vec<String> = (0..8).map(prose).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(reason(&tool, &many).contains("more than 4096 paths"));
    // Equal ones are no more paths, but are read.
    let equal = format!("{}\"{}", "{a,b}".repeat(6), "x,".repeat(2000));
    assert!(check(&tool, &[&equal]).is_ok());
    assert!(reason(&tool, &[&*equal; 8]).contains("more than 4096 paths"));
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
fn a_flag_takes_the_argument_behind_it_only_where_it_is_said() {
    let tool = entry(|_| {});
    assert!(check(&tool, &["-p", "core", "--name=x", "-xv"]).is_ok());
    let none = "b: only flags are allowed (`positional = \"none\"`)";
    for args in [&["-p=a", "b"][..], &["-p", "a", "b"]] {
        assert_eq!(reason(&tool, args), none, "{args:?}");
    }
    for (args, flag) in [(&["-xv", "b"][..], "-xv"), (&["--name", "b"], "--name")] {
        assert_eq!(reason(&tool, args), format!("{none}, and `value_flags` does not list `{flag}`"));
    }
}

#[test]
fn a_flag_that_takes_no_value_shields_no_word() {
    let paths = |value_flags: &[&str]| {
        entry(|entry| {
            (entry.allow_flags, entry.deny_flags) = (None, Some(vec!["--config".to_owned()]));
            entry.positional = Positional::PathInWorkspace;
            entry.value_flags = value_flags.iter().map(ToString::to_string).collect();
        })
    };
    let words = [
        ("-", "it stands for standard input, which is closed"),
        ("", "it is empty"),
        ("@more", "it could be read as a file"),
    ];
    for (word, why) in words {
        for flag in ["-v", "--unheard-of"] {
            assert!(
                reason(&paths(&[]), &[flag, word]).starts_with(&format!("{word}: {why}")),
                "{flag} {word}"
            );
            assert!(check(&paths(&[flag]), &[flag, word]).is_ok(), "{flag} {word}");
        }
    }
    assert!(check(&paths(&[]), &["-v", "src"]).is_ok());
}

#[test]
fn a_file_with_more_arguments_is_refused_wherever_a_program_reads_it() {
    let said = "@x: it could be read as a file with more arguments; `./@x` is only a path";
    let with = |program: &str, args: &[&str], positional| {
        entry(|entry| {
            program.clone_into(&mut entry.program);
            entry.args = args.iter().map(ToString::to_string).collect();
            entry.positional = positional;
        })
    };
    for (program, args) in [
        ("dotnet", &["test"][..]),
        ("/usr/bin/x86_64-linux-gnu-gcc-12", &[]),
        ("clang-format", &[]),
        ("javac.exe", &[]),
        ("ld", &[]),
        ("npx", &["--no-install", "tsc"]),
        ("python3", &["-m", "pytest"]),
    ] {
        let tool = with(program, args, Positional::Any);
        for args in [&["@x"][..], &["-xv", "@x"], &["-p", "@x"], &["a", "@x"]] {
            assert_eq!(reason(&tool, args), said, "{program} {args:?}");
        }
        assert!(check(&tool, &["./@x"]).is_ok() && check(&tool, &["--name=@x"]).is_ok(), "{program}");
        let tool = CommandEntry { argument_files: true, ..tool };
        assert!(check(&tool, &["@x"]).is_ok(), "{program}");
    }
    // A name of a package, to a program that reads no such file.
    assert!(check(&with("npm", &["install"], Positional::Any), &["@types/node"]).is_ok());
    let paths = with("tool", &[], Positional::PathInWorkspace);
    assert_eq!(reason(&paths, &["@x"]), said);
    assert!(check(&CommandEntry { argument_files: true, ..paths }, &["@x"]).is_ok());
}

#[test]
fn what_starts_another_program_does_not_start_git() {
    let env = entry(|entry| {
        "/usr/bin/env".clone_into(&mut entry.program);
        entry.args.clear();
        entry.positional = Positional::Any;
    });
    for args in [&["git", "push"][..], &["A=b", "git"], &["--name=git status"], &["-p", "/usr/bin/git"]] {
        assert!(reason(&env, args).contains("git has tools of its own"), "{args:?}");
    }
    assert!(check(&env, &["node", "x"]).is_ok());
    // Where the fixed arguments end in the flag, the script is the caller's.
    let shell = entry(|entry| {
        (entry.program, entry.args) = ("sh".to_owned(), vec!["-c".to_owned()]);
        entry.positional = Positional::Any;
    });
    assert!(reason(&shell, &["cd x; git log"]).contains("git has tools of its own"));
    assert!(check(&shell, &["ls .git"]).is_ok());
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
    assert_eq!(pieces(&["a,b,a"]), ["a,b,a", "a", "b"]);
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
    assert_eq!((allowed.args().join(" "), allowed.program()), ("run src".to_owned(), Path::new("/bin/tool")));
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
fn a_folder_of_a_read_only_workspace_is_named_as_such() {
    let rules = PathRules::new(&FileRules::default()).unwrap().with_read_only([("kept", "libs/kept")]);
    let judged = |workdir: &str| {
        let workdir = RelPath::from_plain(Path::new(workdir)).unwrap();
        check(&entry(|_| {}), &[]).unwrap().judge(&rules, &workdir, &[])
    };
    for workdir in ["libs/kept", "libs/kept/src"] {
        let refusal = judged(workdir).unwrap_err();
        let said = format!("`tool` may not run in `{workdir}`: it lies in the read-only workspace `kept`");
        assert_eq!(refusal.to_string(), said);
        assert!(matches!(refusal, CommandRefusal::ReadOnly { workspace, .. } if workspace == "kept"));
    }
    assert!(judged("libs").is_ok());
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

/// A program would take the words of a shell for names; what searches or has a language of its own may mean them.
#[test]
fn words_of_a_shell_are_refused_where_no_program_means_them() {
    let with = |program: &str, args: &[&str], change: fn(&mut CommandEntry)| {
        entry(|entry| {
            entry.program = program.to_owned();
            entry.args = args.iter().map(ToString::to_string).collect();
            (entry.allow_flags, entry.deny_flags) = (None, Some(Vec::new()));
            entry.positional = Positional::Any;
            change(entry);
        })
    };
    let tests = with("cargo", &["test"], |_| {});
    for (args, told) in [
        (&["2>&1"][..], "2>&1: no shell reads it; what the command writes comes back as it is"),
        (&["name", "|", "head"], "|: no shell reads it; what the command writes"),
        (&["--quiet", "|", "tail"], "|: no shell reads it"),
        (&["--", "2>/dev/null"], "2>/dev/null: no shell reads it"),
        (&["name", "&&", "echo"], "&&: no shell reads it; one call runs one command"),
        (&["name", "&"], "&: no shell reads it; leave this out; `background`"),
        (&["<", "in.txt"], "<: no shell reads it; standard input is closed"),
    ] {
        assert!(reason(&tests, args).starts_with(told), "{}", reason(&tests, args));
    }
    for args in [&["a|b"][..], &["a && b"], &["-k", "a > b"], &["=>"], &["-p", "|"]] {
        check(&tests, args).unwrap_or_else(|error| panic!("{args:?}: {error}"));
    }
    for (program, args) in [
        ("grep", &[][..]),
        ("sh", &["-c"]),
        ("find", &[]),
        ("npx", &["rg"]),
        ("tr.exe", &[]),
        ("/usr/bin/jq", &[]),
    ] {
        let tool = with(program, args, |_| {});
        for word in ["|", ";", "2>&1", "&&"] {
            check(&tool, &[word]).unwrap_or_else(|error| panic!("{program} {word}: {error}"));
        }
    }
    // Of the administrator's own: what an example shows, and what may be the value of a flag that nobody lists with one.
    let shown = with("mine", &[], |entry| entry.matches = vec![vec!["|".to_owned()]]);
    check(&shown, &["|"]).unwrap();
    let unlisted = with("mine", &[], |entry| entry.value_flags.clear());
    check(&unlisted, &["-F", "|"]).unwrap();
    assert!(reason(&unlisted, &["|"]).starts_with("|: no shell"));
}

#[test]
fn a_refused_argument_comes_with_what_would_do() {
    let refusal = check(&entry(|_| {}), &["--nme"]).unwrap_err();
    assert_eq!(
        refusal.way_out(),
        "`tool` takes at most 10 arguments: only the flags -p --name -xv --mode=fast; nothing else"
    );
    let many =
        entry(|entry| entry.allow_flags = Some((0..999).map(|number| format!("--f{number}")).collect()));
    let told = check(&many, &["--g"]).unwrap_err().way_out();
    assert!(told.len() < 2000 && told.ends_with("`workspace_info` with `detail` shows all of it"), "{told}");
}
