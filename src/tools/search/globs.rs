//! One glob, as a caller writes it: `*.rs` at any depth, `src/**/*.ts` from the searched folder or the workspace, `!*.min.js` for
//! everything else.

use std::path::Path;

use ignore::overrides::{Override, OverrideBuilder};

use super::pattern::check_length;
use crate::{
    relpath::RelPath,
    tools::{Code, ToolError},
};

/// A compiled glob.
#[derive(Clone, Debug)]
pub(super) struct Globs {
    set: Override,
    start: RelPath,
    names_hidden: bool,
}

impl Globs {
    /// Compiles `pattern`; relative to the folder `start`, or else to the workspace.
    pub(super) fn new(pattern: &str, start: &RelPath, ignore_case: bool) -> Result<Self, ToolError> {
        check_length("glob", pattern)?;
        let error = |reason: String| {
            // The engine repeats the glob before it says what is wrong.
            let why =
                reason.rsplit_once("': ").filter(|_| reason.len() > 2 * crate::limits::NAME_SHOWN_BYTES);
            let reason = why.map_or(reason.as_str(), |(_, why)| why);
            ToolError::new(
                Code::InvalidArgs,
                format!(
                    "`{}` is no usable glob: {reason}",
                    crate::text::excerpt(pattern, crate::limits::NAME_SHOWN_BYTES)
                ),
                "`*` stays within a name, `**` crosses folders, `{a,b}` and `[ab]` choose, `\\` escapes, a leading `!` excludes",
            )
        };
        if pattern.contains('\0') || pattern.contains('\n') {
            return Err(error("it contains a NUL or a line break".to_owned()));
        }
        let (excludes, rest) = pattern.strip_prefix('!').map_or(("", pattern), |rest| ("!", rest));
        // With a folder in front it is meant from there on, not in every folder.
        let here = rest.strip_prefix("./").map(|rest| format!("/{rest}"));
        let plain = format!("{excludes}{}", here.as_deref().unwrap_or(rest));
        if plain.trim_start_matches(['!', '/']).is_empty() {
            return Err(error("it is empty".to_owned()));
        }
        let mut builder = OverrideBuilder::new("");
        builder.case_insensitive(ignore_case).map_err(|reason| error(reason.to_string()))?;
        builder.add(&line(&plain)).map_err(|reason| error(reason.to_string()))?;
        let set = builder.build().map_err(|reason| error(reason.to_string()))?;
        let names_hidden = plain.split('/').any(|name| name.starts_with('.') && name.len() > 1);
        Ok(Self { set, start: start.clone(), names_hidden })
    }

    /// True when the glob itself names something hidden: then hidden entries are meant.
    pub(super) fn names_hidden(&self) -> bool {
        self.names_hidden
    }

    /// Does it let `path` (relative to the workspace) through? What lies in a folder that is left out is left out too.
    pub(super) fn lets_through(&self, path: &Path, is_dir: bool) -> bool {
        let Ok(from_start) = path.strip_prefix(self.start.as_path()) else { return false };
        let says = |path: &Path, is_dir: bool| {
            let matched = self.set.matched(path, is_dir);
            if self.is_excluding() { matched.is_ignore() } else { matched.is_whitelist() }
        };
        let names = |from_start: &Path, path: &Path, is_dir: bool| {
            says(from_start, is_dir) || (!self.start.is_root() && says(path, is_dir))
        };
        if !self.is_excluding() {
            return names(from_start, path, is_dir);
        }
        let both = from_start.ancestors().zip(path.ancestors());
        let mut beneath_start =
            both.take_while(|(from_start, _)| !from_start.as_os_str().is_empty()).enumerate();
        !beneath_start.any(|(up, (from_start, path))| names(from_start, path, is_dir || up > 0))
    }

    /// It says what is left out, not what is meant.
    fn is_excluding(&self) -> bool {
        self.set.num_whitelists() == 0
    }
}

/// The glob as a line of a `.gitignore`, where a `#` in front begins a comment and white space at the end is none of the glob's.
fn line(glob: &str) -> String {
    let comment = if glob.starts_with('#') { "\\" } else { "" };
    match glob.char_indices().next_back() {
        Some((end, last)) if last.is_whitespace() => {
            let start = &glob[..end];
            let escapes = start.len() - start.trim_end_matches('\\').len();
            let start = if escapes % 2 == 1 { &start[..end - 1] } else { start };
            format!("{comment}{start}{{{last}}}")
        }
        _ => format!("{comment}{glob}"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Globs;
    use crate::relpath::RelPath;

    fn lets(pattern: &str, start: &str, path: &str) -> bool {
        let start = RelPath::from_plain(Path::new(start)).unwrap();
        Globs::new(pattern, &start, false).unwrap().lets_through(Path::new(path), false)
    }

    #[test]
    fn globs_mean_what_models_write() {
        assert!(lets("*.rs", "", "src/a.rs"));
        assert!(lets("**/*.rs", "", "a.rs"));
        assert!(lets("src/**/*.ts", "", "src/a.ts"));
        assert!(lets("src/**/*.ts", "src", "src/x/a.ts"));
        assert!(!lets("src/*.ts", "", "src/x/a.ts"));
        assert!(lets("*.{js,ts}", "", "x/a.js"));
        assert!(lets("!*.min.js", "", "a.js"));
        assert!(!lets("!*.min.js", "", "a.min.js"));
        assert!(lets("./a.rs", "", "a.rs"));
        assert!(lets("./a.rs", "src", "src/a.rs"));
        assert!(!lets("./a.rs", "", "src/a.rs"));
        assert!(!lets("!./d/*", "", "d/a.js"));
        assert!(lets("!./d/*", "", "x/d/a.js"));
    }

    #[test]
    fn what_lies_in_a_folder_that_is_left_out_is_left_out_too() {
        for (glob, start) in [
            ("!node_modules", ""),
            ("!node_modules/", ""),
            ("!node_modules", "web"),
            ("!web/node_modules", "web"),
            ("!web/node_modules/**", "web"),
            ("!x", "web"),
        ] {
            assert!(!lets(glob, start, "web/node_modules/x/a.js"), "{glob}");
            assert!(lets(glob, start, "web/node_modules.js"), "{glob}");
        }
        // A folder that was named is meant.
        assert!(lets("!web", "web", "web/a.js"));
        assert!(lets("!a.js/", "", "a.js"));
    }

    #[test]
    fn a_glob_is_no_line_of_an_ignore_file() {
        for (pattern, lets_through, keeps_out) in [
            ("#hash", "#hash", "hash"),
            ("#*", "sub/#x", "x"),
            ("./#x#", "#x#", "sub/#x#"),
            ("!#x", "x", "#x"),
            (r"\#x", "#x", r"\#x"),
            (r"\!x", "!x", "x"),
            ("tr ", "tr ", "tr"),
            ("tr  ", "tr  ", "tr "),
            (r"tr\ ", "tr ", "tr"),
            (r"tr\\ ", r"tr\ ", r"tr\"),
            ("tr\t", "tr\t", "tr"),
            ("tr\u{a0}", "tr\u{a0}", "tr"),
            ("!tr ", "tr", "tr "),
            ("# ", "# ", "#"),
            (" ", " ", "x"),
            ("{a,b }", "b ", "b"),
        ] {
            assert!(lets(pattern, "", lets_through), "{pattern:?}");
            assert!(!lets(pattern, "", keeps_out), "{pattern:?}");
        }
    }

    #[test]
    fn broken_globs_are_refused() {
        for pattern in ["{a", "[z-a]", "", "!", "./", "/", "a\0b", "a{b,{c"] {
            assert!(Globs::new(pattern, &RelPath::root(), false).is_err(), "{pattern:?}");
        }
    }
}
