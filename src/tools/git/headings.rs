//! The line behind `@@` where `.gitattributes` name one of the languages that git knows (`*.py diff=python`).
//!
//! A line is taken as git takes it: none that `never` finds, else the first of `heads` that finds it, of which the first group is
//! shown where there is one. No pattern of a repository is used.

use std::sync::OnceLock;

use regex_automata::{meta, util::syntax};

/// Longer lines head nothing: what is found in them is looked at byte by byte.
const LINE_BYTES: usize = 16 * 1024;

/// A language that git knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Language(usize);

impl Language {
    /// The one that a driver of this name stands for.
    pub(super) fn named(driver: &[u8]) -> Option<Self> {
        LANGUAGES.iter().position(|rules| rules.name.as_bytes() == driver).map(Self)
    }

    /// What a line shows behind `@@`; `None` where it heads nothing.
    pub(super) fn heading(self, line: &[u8]) -> Option<&[u8]> {
        let line = line.strip_suffix(b"\n").map_or(line, |line| line.strip_suffix(b"\r").unwrap_or(line));
        let compiled = COMPILED[self.0].get_or_init(|| LANGUAGES[self.0].compiled());
        if line.len() > LINE_BYTES || compiled.never.iter().any(|pattern| pattern.is_match(line)) {
            return None;
        }
        let pattern = compiled.heads.iter().find(|pattern| pattern.is_match(line))?;
        let mut found = pattern.create_captures();
        pattern.captures(line, &mut found);
        let span = found.get_group(1).or_else(|| found.get_group(0))?;
        Some(&line[span.range()])
    }
}

struct Rules {
    name: &'static str,
    any_case: bool,
    never: &'static [&'static str],
    heads: &'static [&'static str],
}

#[derive(Debug)]
struct Compiled {
    never: Vec<meta::Regex>,
    heads: Vec<meta::Regex>,
}

impl Rules {
    const fn new(name: &'static str, never: &'static [&'static str], heads: &'static [&'static str]) -> Self {
        Self { name, any_case: false, never, heads }
    }

    const fn any_case(self) -> Self {
        Self { any_case: true, ..self }
    }

    fn compiled(&self) -> Compiled {
        let bytes = syntax::Config::new().unicode(false).utf8(false).case_insensitive(self.any_case);
        let all = |patterns: &[&str]| {
            patterns
                .iter()
                .filter_map(|pattern| meta::Regex::builder().syntax(bytes).build(pattern).ok())
                .collect()
        };
        Compiled { never: all(self.never), heads: all(self.heads) }
    }
}

static COMPILED: [OnceLock<Compiled>; LANGUAGES.len()] = [const { OnceLock::new() }; LANGUAGES.len()];

/// Each with what git 2.47 knows of it.
static LANGUAGES: [Rules; 25] = [
    Rules::new(
        "ada",
        &[r"^(?:.*[ \t])?(?:is[ \t]+new|renames|is[ \t]+separate)(?:[ \t].*)?$", r"^[ \t]*with[ \t]"],
        &[r"^[ \t]*((?:procedure|function|package|protected|task)[ \t].*)"],
    )
    .any_case(),
    Rules::new(
        "bash",
        &[],
        &[concat!(
            r"^[ \t]*([a-zA-Z_]\w*[ \t]*\([ \t]*\)",
            r"|function[ \t]+[a-zA-Z_]\w*(?:[ \t]*\([ \t]*\)|[ \t])[ \t]*(?:\{|\(\(?|\[\[))"
        )],
    ),
    Rules::new("bibtex", &[], &[r#"(@[a-zA-Z]+[ \t]*\{?[ \t]*[^ \t"@',\\#}{~%]*)"#]),
    // No labels, and no `public:`.
    Rules::new("cpp", &[r"^[ \t]*[A-Za-z_]\w*:\s*(?:$|/[/*])"], &[r"^(?:::\s*)?[A-Za-z_].*"]),
    Rules::new(
        "csharp",
        &[concat!(
            r"(?:^|[ \t])(?:do|while|for|foreach|if|else|new|default|return|switch|case|throw|catch|using|lock|fixed)",
            r"(?:[ \t(]|$)"
        )],
        &[
            // Two words or more, then parameters: a method. Without parameters: a property.
            concat!(
                r"^[ \t]*((?:[\]\[a-zA-Z0-9@_.](?:<[\]\[a-zA-Z0-9@_, \t<>]+>)?)+",
                r"(?:[ \t]+(?:[\]\[a-zA-Z0-9@_.](?:<[\]\[a-zA-Z0-9@_, \t<>]+>)?)+)+[ \t]*\([^;]*)$"
            ),
            concat!(
                r"^[ \t]*((?:[\]\[a-zA-Z0-9@_.](?:<[\]\[a-zA-Z0-9@_, \t<>]+>)?)+",
                r"(?:[ \t]+(?:[\]\[a-zA-Z0-9@_.](?:<[\]\[a-zA-Z0-9@_, \t<>]+>)?)+)+[^;=:,()]*)$"
            ),
            concat!(
                r"^[ \t]*((?:(?:static|public|internal|private|protected|new|unsafe|sealed|abstract|partial)[ \t]+)*",
                r"(?:class|enum|interface|struct|record)[ \t].*)"
            ),
            r"^[ \t]*(namespace[ \t].*)",
        ],
    ),
    Rules::new("css", &[r"[:;]\s*$"], &[r"^[:\[@.#]?[_a-z0-9].*"]).any_case(),
    Rules::new("dts", &[";", "="], &[r"^[ \t]*((?:/[ \t]*\{|&?[a-zA-Z_]).*)"]),
    Rules::new("elixir", &[], &[r"^[ \t]*((?:def(?:macro|module|impl|protocol|p)?|test)[ \t].*)"]),
    Rules::new(
        "fortran",
        &[r"^(?:[C*]|[ \t]*!)", r"^[ \t]*MODULE[ \t]+PROCEDURE[ \t]"],
        &[concat!(
            r"^[ \t]*((?:(?:END[ \t]+)?(?:PROGRAM|MODULE|BLOCK[ \t]+DATA)",
            r#"|(?:END[ \t]+)?(?:[^!'" \t]+[ \t]+)*(?:SUBROUTINE|FUNCTION))[ \t]+[A-Z].*)"#
        )],
    )
    .any_case(),
    Rules::new("fountain", &[], &[r"^(?:\.[^.]|(?:int|ext|est|int\.?/ext|i/e)[. ]).*"]).any_case(),
    Rules::new(
        "golang",
        &[],
        &[r"^[ \t]*(func.*)", r"^[ \t]*(type[ \t].*(?:struct|interface)[ \t]*(?:\{[ \t]*)?)"],
    ),
    Rules::new("html", &[], &[r"^[ \t]*(<[Hh][1-6](?:[ \t].*)?>.*)"]),
    Rules::new(
        "java",
        &[r"^[ \t]*(?:catch|do|for|if|instanceof|new|return|switch|throw|while)"],
        &[
            r"^[ \t]*((?:[a-z-]+[ \t]+)*(?:class|enum|interface|record)[ \t].*)",
            r"^[ \t]*((?:[A-Za-z_<>&\]\[][?&<>.,A-Za-z_0-9\]\[]*[ \t]+)+[A-Za-z_]\w*[ \t]*\([^;]*)$",
        ],
    ),
    Rules::new("kotlin", &[], &[r"^[ \t]*((?:[a-z]+[ \t]+)*(?:fun|class|interface)[ \t].*)"]),
    Rules::new("markdown", &[], &[r"^ {0,3}#{1,6}[ \t].*"]),
    Rules::new("matlab", &[], &[r"^\s*((?:classdef|function)\s.*)", r"^(?:%%%?|##)\s.*"]),
    Rules::new(
        "objc",
        &[r"^[ \t]*(?:do|for|if|else|return|switch|while)"],
        &[
            r"^[ \t]*([-+][ \t]*\([ \t]*[A-Za-z_][A-Za-z_0-9* \t]*\)[ \t]*[A-Za-z_].*)",
            r"^[ \t]*((?:[A-Za-z_]\w*[ \t]+)+[A-Za-z_]\w*[ \t]*\([^;]*)$",
            r"^@(?:implementation|interface|protocol)[ \t].*",
        ],
    ),
    Rules::new(
        "pascal",
        &[],
        &[
            concat!(
                r"^(?:(?:class[ \t]+)?(?:procedure|function)|constructor|destructor|interface|implementation",
                r"|initialization|finalization).*"
            ),
            r"^.*=[ \t]*(?:class|record).*",
        ],
    ),
    // Git shows the prototype alone where a `sub` has one, and of `BEGIN {` the word.
    Rules::new(
        "perl",
        &[],
        &[
            r"^package .*",
            r"^sub [a-zA-Z0-9_':]+[ \t]*(\([^)]*\)[ \t]*)?(?::[^;#]*)?(?:\{[ \t]*)?(?:#.*)?$",
            r"^(BEGIN|END|INIT|CHECK|UNITCHECK|AUTOLOAD|DESTROY)[ \t]*(?:\{[ \t]*)?(?:#.*)?$",
            r"^=head[0-9] .*",
        ],
    ),
    Rules::new(
        "php",
        &[],
        &[
            r"^[ \t]*((?:(?:public|protected|private|static|abstract|final)[ \t]+)*function.*)",
            r"^[ \t]*((?:(?:(?:final|abstract)[ \t]+)?class|enum|interface|trait).*)",
        ],
    ),
    Rules::new("python", &[], &[r"^[ \t]*((?:class|(?:async[ \t]+)?def)[ \t].*)"]),
    Rules::new("ruby", &[], &[r"^[ \t]*((?:class|module|def)[ \t].*)"]),
    Rules::new(
        "rust",
        &[],
        &[concat!(
            r#"^[ \t]*((?:pub(?:\([^)\\]+\))?[ \t]+)?(?:(?:async|const|unsafe|extern[ \t]+"[^"]+")[ \t]+)?"#,
            r"(?:struct|enum|union|mod|trait|fn|impl|macro_rules!)[< \t][^;]*)$"
        )],
    ),
    Rules::new(
        "scheme",
        &[],
        &[concat!(
            r"^[ \t]*(\((?:(?:define|def(?:struct|syntax|class|method|rules|record|proto|alias)?)[-*/ \t]",
            r"|(?:library|module|struct|class)[*+ \t]).*)"
        )],
    ),
    Rules::new("tex", &[], &[r"^\\(?:(?:sub)*section|chapter|part)\*?\{.*"]),
];
