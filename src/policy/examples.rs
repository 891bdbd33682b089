//! The examples of an allowlist entry: what its author believed is tested before anything depends on it.

use super::{
    commands::{CheckedCommand, CommandRefusal, Resolution},
    path_rules::PathRules,
};
use crate::{
    config::{CommandEntry, Config, ConfigError},
    relpath::RelPath,
    text::visible,
};

/// Every `match` must pass and every `not_match` must be refused.
pub(super) fn test(config: &Config, entry: &CommandEntry, rules: &PathRules) -> Result<(), ConfigError> {
    let places = config.places.examples.get(&entry.id);
    for (index, args) in entry.matches.iter().enumerate() {
        if let Err(refusal) = judge(entry, args, rules) {
            let message =
                format!("the `match` example {} of `{}` is refused: {refusal}", shown(args), entry.id);
            let hint = "change the rules of the command, or move the example to `not_match`";
            return Err(config.error(
                places.and_then(|places| places.matches.get(index)),
                message,
                Some(hint.to_owned()),
            ));
        }
    }
    for (index, args) in entry.not_matches.iter().enumerate() {
        if judge(entry, args, rules).is_ok() {
            let message = format!("the `not_match` example {} of `{}` is allowed", shown(args), entry.id);
            let hint = "take the flag out of `allow_flags`, or move the example to `match`";
            return Err(config.error(
                places.and_then(|places| places.not_matches.get(index)),
                message,
                Some(hint.to_owned()),
            ));
        }
    }
    Ok(())
}

fn judge(entry: &CommandEntry, args: &[String], rules: &PathRules) -> Result<(), CommandRefusal> {
    let checked = CheckedCommand::new(entry, args)?;
    let resolved: Vec<Resolution> = checked.path_arguments().map(lexical).collect();
    checked.judge_paths(rules, &resolved)
}

/// What the text of a path says by itself: an example has no workspace, and so no links.
fn lexical(text: &str) -> Resolution {
    let outside = |why: &str| Resolution::Outside(why.to_owned());
    if text.starts_with(['/', '\\']) || text.as_bytes().get(1) == Some(&b':') {
        return outside("it is an absolute path");
    }
    let mut names: Vec<&str> = Vec::new();
    for name in text.split(['/', '\\']) {
        match name {
            ".." if names.pop().is_none() => return outside("`..` leads above the workspace"),
            "" | "." | ".." => {}
            name => names.push(name),
        }
    }
    match RelPath::from_plain(&names.iter().collect::<std::path::PathBuf>()) {
        Some(path) => Resolution::Inside(path),
        None => Resolution::NotAPath,
    }
}

fn shown(args: &[String]) -> String {
    let quoted: Vec<String> = args.iter().map(|arg| format!("\"{}\"", visible(arg))).collect();
    format!("[{}]", quoted.join(", "))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::config::FileRules;

    /// What nobody may hand to any shipped command, in the spellings that programs understand.
    const HOSTILE: &[&[&str]] = &[
        // Out of the workspace.
        &["/etc/passwd"],
        &["//etc/passwd"],
        &["../x"],
        &["a/../../x"],
        &["./../x"],
        &["..\\x"],
        &["C:\\Windows\\x"],
        &["C:x"],
        &["\\\\server\\share"],
        &["~/x"],
        &["~root/x"],
        &["file:///etc/passwd"],
        &["@/etc/passwd"],
        &["a,/etc/passwd"],
        &["x=/etc/passwd"],
        &["a:b:/etc/passwd"],
        &["\"/etc/passwd\""],
        &["a /etc/passwd"],
        &["a\t/etc/passwd"],
        &["a\n/etc/passwd"],
        &["-v=/etc/passwd"],
        &["--verbose=../x"],
        &["--verbose", "/etc/passwd"],
        &["--", "/etc/passwd"],
        &["--", "--config", "/etc/passwd"],
        // As choices, which whoever reads globs puts together.
        &["{/etc,a}/passwd"],
        &["{../x,a}/y"],
        &["{.,}./x"],
        &["a/{b,..}/../../x"],
        &["{{a,~},b}/x"],
        &["{+..0}etc"],
        &["{\\.\\.,a}/x"],
        // Quoted and encoded.
        &[".\\./x"],
        &["[.][.]/x"],
        &[".[.]/x"],
        &["%2e%2e/x"],
        &["%2E./x"],
        &["%7e/x"],
        &["file:%2fetc%2fpasswd"],
        // Secrets inside it.
        &[".env"],
        &["./.env"],
        &["config/id_rsa"],
        &["x=.env"],
        &[".e{nv,x}"],
        &["{a,b}.p{em,y}"],
        &[".en\\v"],
        &[".[e]nv"],
        &["file:.%65nv"],
        &["src/.en?"],
        &["**/.en[v]"],
        &["*.pe?"],
        &["a.pem"],
        // Code and configuration by name.
        &["--config=x"],
        &["--config", "x"],
        &["--CONFIG=x"],
        &["--conf=x"],
        &["-config", "x"],
        &["--rcfile=x"],
        &["--plugin=x"],
        &["--plugins=x"],
        &["--require=x"],
        &["--import=x"],
        &["--loader=x"],
        &["--eval=x"],
        &["--exec=sh"],
        &["-exec", "sh"],
        &["-exec=sh"],
        &["-toolexec=sh"],
        &["--toolexec", "sh"],
        &["--rulesdir=x"],
        &["--resolve-plugins-relative-to=x"],
        &["--parser=x"],
        &["--rootdir=x"],
        &["--basetemp=x"],
        &["--confcutdir=x"],
        &["--manifest-path=x"],
        &["--python-executable=x"],
        &["--script-shell=x"],
        &["--node-options=x"],
        &["--inspect"],
        &["--inspect-brk=0.0.0.0:1"],
        &["-Zunstable-options"],
        &["-Clinker=x"],
        &["-modfile=x"],
        &["-overlay=x"],
        &["-ldflags=x"],
        &["-vettool=x"],
        &["--settings=x"],
        &["-p:X=y"],
        &["--registry=x"],
        &["--index-url=x"],
        &["--global"],
        // Elsewhere.
        &["--output=x"],
        &["--output-file=x"],
        &["--out-dir=x"],
        &["--target-dir=x"],
        &["--cache-dir=x"],
        &["--cwd=x"],
        &["--prefix=x"],
        &["--dir=x"],
        &["-C", "x"],
        &["-Cx"],
        &["-C=x"],
        &["--directory=x"],
        &["--cpuprofile=x"],
        &["-cpuprofile=x"],
        // Flags behind a flag, as programs read them that take a cluster of letters or a word apart.
        &["-x=pplugin"],
        &["-x=cx.ini"],
        &["-q=oaddopts=x"],
        &["-s=p"],
        &["-s=--script-shell", "x.sh"],
        &["--silent=--script-shell", "x.sh"],
        &["--silent=--registry=x"],
        &["--silent=--global"],
        &["--ignore-scripts=--global"],
        &["--if-present=-C"],
        &["--quiet=--config"],
        &["--silent=--silent=--global"],
        // More arguments, which nobody has judged.
        &["@args.rsp"],
        &["--", "@args.rsp"],
        &["-v", "@args.rsp"],
        &["-q", "@args.rsp"],
        &["-s", "@args.rsp"],
        &["-x", "@args.rsp"],
        &["--quiet", "@args.rsp"],
        &["--silent", "@args.rsp"],
        &["--no-build", "@args.rsp"],
        &["--args-file=x"],
        &["--argfile", "x"],
        &["--flagfile=x"],
        &["-@", "x"],
        // A list that grows for ever.
        &["a\0b"],
    ];

    fn shipped() -> (Vec<CommandEntry>, PathRules) {
        (Config::without_file().commands, PathRules::new(&FileRules::default()).unwrap())
    }

    fn judge_all(args: &[&str], entry: &CommandEntry, rules: &PathRules) -> Result<(), CommandRefusal> {
        judge(entry, &args.iter().map(ToString::to_string).collect::<Vec<_>>(), rules)
    }

    #[test]
    fn no_shipped_command_takes_a_hostile_argument() {
        let (entries, rules) = shipped();
        for entry in &entries {
            for args in HOSTILE {
                let verdict = judge_all(args, entry, &rules);
                assert!(verdict.is_err(), "`{}` takes {args:?}", entry.id);
            }
        }
    }

    #[test]
    fn too_much_is_refused() {
        let (entries, rules) = shipped();
        for entry in &entries {
            assert!(judge_all(&["a"; 65], entry, &rules).is_err(), "{}", entry.id);
            assert!(judge_all(&["a".repeat(4097).as_str()], entry, &rules).is_err(), "{}", entry.id);
        }
    }

    /// True when any reading of `text` leads out: a second opinion, simpler and stricter than the rules.
    fn leads_out(text: &str) -> bool {
        text.split(|character: char| "=:,;@\"' \t\n".contains(character)).any(|part| {
            let mut depth = 0_i32;
            part.starts_with(['/', '\\', '~'])
                || part.split(['/', '\\']).any(|name| {
                    depth += match name {
                        ".." => -1,
                        "" | "." => 0,
                        _ => 1,
                    };
                    depth < 0
                })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn what_passes_leads_nowhere_else(
            args in proptest::collection::vec(
                proptest::collection::vec(
                    prop_oneof![
                        Just("/"), Just(".."), Just("."), Just("a"), Just("="), Just(":"), Just("@"), Just("~"), Just("\\"),
                        Just(","), Just(" "), Just("-"), Just("--"), Just("-p"), Just("--features"), Just("-k"), Just("etc"),
                        Just("--test-name-pattern"), Just("-run"), Just("--message-format"),
                    ],
                    1..6,
                ).prop_map(|pieces| pieces.concat()),
                1..4,
            ),
        ) {
            let (entries, rules) = shipped();
            for entry in &entries {
                if judge(entry, &args, &rules).is_ok() {
                    for argument in &args {
                        // The name of a flag that is listed is no path.
                        let value = match argument.strip_prefix('-') {
                            Some(flag) => flag.split_once('=').map_or("", |(_, value)| value),
                            None => argument,
                        };
                        prop_assert!(!leads_out(value), "`{}` takes {args:?}", entry.id);
                    }
                }
            }
        }
    }
}
