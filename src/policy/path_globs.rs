//! One list of globs, compiled: what a glob of the lists and of the configuration means, and which of them matches a path.
//!
//! Never decides what a match means; that is `path_rules`' affair. Pure.

use std::collections::HashSet;

use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};
use unicode_normalization::UnicodeNormalization;

use super::{
    by_character::{ByCharacter, counts_characters},
    meant,
    path_lists::ENV_TEMPLATES,
    path_names::fold,
    wildcard::Wildcard,
};
use crate::hint::nearest;

/// A glob that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{glob}` is no usable glob: {reason}")]
pub struct PathRulesError {
    /// The key of `[files]` it stands under.
    pub list: &'static str,
    /// Its position there, from 0.
    pub index: usize,
    /// As written.
    pub glob: String,
    /// Why.
    pub reason: String,
    /// What would work.
    pub hint: Option<String>,
}

/// One list, compiled: globs for one name, and globs for a path from the root.
#[derive(Clone, Debug)]
pub(super) struct Globs {
    pub(super) written: Vec<String>,
    /// How many of those are built in; they stand in front.
    built_in: usize,
    names: GlobSet,
    names_written: Vec<usize>,
    paths: GlobSet,
    paths_written: Vec<usize>,
    /// Those that need no set, each with its place in `written`.
    name_wildcards: Vec<(Wildcard, usize)>,
    path_wildcards: Vec<(Wildcard, usize)>,
    /// Those with a `?` or a class, which a set would take for bytes.
    names_by_character: ByCharacter,
    paths_by_character: ByCharacter,
}

impl Globs {
    /// Compiles a list: what is built in, and what was added or taken out (`!`).
    pub(super) fn new(
        list: &'static str,
        built_in: &[&str],
        added: &[String],
    ) -> Result<Self, PathRulesError> {
        let mut written: Vec<(Option<usize>, String)> =
            built_in.iter().map(|glob| (None, (*glob).to_owned())).collect();
        for (index, glob) in added.iter().enumerate() {
            match glob.strip_prefix('!') {
                Some(removed) => take_out(&mut written, removed, built_in)
                    .map_err(|(reason, hint)| failure(list, index, glob, reason, hint))?,
                None => written.push((Some(index), glob.clone())),
            }
        }
        // One that is written twice says nothing new, and would be compiled and tried twice.
        let mut seen = HashSet::new();
        written.retain(|(_, glob)| seen.insert(glob.clone()));
        let (mut names, mut paths) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let (mut names_written, mut paths_written) = (Vec::new(), Vec::new());
        let (mut name_wildcards, mut path_wildcards) = (Vec::new(), Vec::new());
        let (mut name_patterns, mut path_patterns) = (Vec::new(), Vec::new());
        for (position, (index, glob)) in written.iter().enumerate() {
            let fail = |(reason, hint)| failure(list, index.unwrap_or_default(), glob, reason, hint);
            let shape = Shape::of(glob).map_err(fail)?;
            if let Some(wildcard) = Wildcard::of(&shape.glob) {
                let list = if shape.is_name { &mut name_wildcards } else { &mut path_wildcards };
                list.push((wildcard, position));
                continue;
            }
            if counts_characters(&shape.glob) {
                let patterns = shape.both_spellings(glob).map_err(fail)?;
                let list = if shape.is_name { &mut name_patterns } else { &mut path_patterns };
                list.extend(patterns.into_iter().map(|pattern| (pattern, position)));
                continue;
            }
            let compiled = shape.compiled().map_err(fail)?;
            let (set, origin) = if shape.is_name {
                (&mut names, &mut names_written)
            } else {
                (&mut paths, &mut paths_written)
            };
            set.add(compiled);
            origin.push(position);
        }
        let too_much = |reason: String| failure(list, 0, "(all globs together)", reason, None);
        let build = |set: GlobSetBuilder| set.build().map_err(|error| too_much(error.kind().to_string()));
        let by_character = |patterns| ByCharacter::new(patterns).map_err(|error| too_much(error.to_string()));
        Ok(Self {
            names: build(names)?,
            names_written,
            paths: build(paths)?,
            paths_written,
            name_wildcards,
            path_wildcards,
            names_by_character: by_character(name_patterns)?,
            paths_by_character: by_character(path_patterns)?,
            built_in: written.iter().filter(|(index, _)| index.is_none()).count(),
            written: written.into_iter().map(|(_, glob)| glob).collect(),
        })
    }

    /// The built-in globs that were not taken out.
    pub(super) fn built_in(&self) -> impl Iterator<Item = &str> {
        self.written.iter().take(self.built_in).map(String::as_str)
    }

    /// The glob that matches `path` or a folder it lies in.
    pub(super) fn matching(&self, path: &str) -> Option<&str> {
        path.split('/').find_map(|name| self.matching_name(name)).or_else(|| {
            let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
            ends.filter_map(|end| path.get(..end)).find_map(|ancestor| self.matching_path(ancestor))
        })
    }

    /// The glob that matches `path` itself.
    pub(super) fn matching_itself(&self, path: &str) -> Option<&str> {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.matching_name(name).or_else(|| self.matching_path(path))
    }

    /// The glob that a path with wildcards could be written for, which matches no such path as it stands.
    pub(super) fn meant_by(&self, path: &str) -> Option<&str> {
        let is_meant = |glob: &&String| {
            Shape::of(glob).is_ok_and(|shape| meant::means(path, &shape.glob, shape.is_name))
        };
        self.written.iter().find(is_meant).map(String::as_str)
    }

    fn matching_name(&self, name: &str) -> Option<&str> {
        if name.is_empty() {
            return None;
        }
        if let Some(glob) = self.first_wildcard(&self.name_wildcards, name) {
            return Some(glob);
        }
        if let Some(position) = self.names_by_character.matching(name) {
            return self.written.get(position).map(String::as_str);
        }
        let candidate = Candidate::new(name);
        if !self.names.is_match_candidate(&candidate) {
            return None;
        }
        let matched = self.names.matches_candidate(&candidate);
        matched.into_iter().filter_map(|index| self.glob(&self.names_written, index)).find(|glob| {
            // A template of `.env` is only let through by the glob that would cover it by accident.
            *glob != ".env.*" || !ENV_TEMPLATES.contains(&name)
        })
    }

    fn matching_path(&self, path: &str) -> Option<&str> {
        if path.is_empty() {
            return None;
        }
        if let Some(glob) = self.first_wildcard(&self.path_wildcards, path) {
            return Some(glob);
        }
        if let Some(position) = self.paths_by_character.matching(path) {
            return self.written.get(position).map(String::as_str);
        }
        let candidate = Candidate::new(path);
        if !self.paths.is_match_candidate(&candidate) {
            return None;
        }
        self.paths
            .matches_candidate(&candidate)
            .into_iter()
            .find_map(|index| self.glob(&self.paths_written, index))
    }

    fn first_wildcard(&self, wildcards: &[(Wildcard, usize)], text: &str) -> Option<&str> {
        let (_, position) = wildcards.iter().find(|(wildcard, _)| wildcard.matches(text))?;
        self.written.get(*position).map(String::as_str)
    }

    fn glob(&self, origin: &[usize], index: usize) -> Option<&str> {
        origin.get(index).and_then(|&position| self.written.get(position)).map(String::as_str)
    }
}

/// A reason, and what would work.
pub(super) type Trouble = (String, Option<String>);

fn failure(
    list: &'static str,
    index: usize,
    glob: &str,
    reason: String,
    hint: Option<String>,
) -> PathRulesError {
    PathRulesError { list, index, glob: glob.to_owned(), reason, hint }
}

/// `!glob` takes a built-in out. One that is not there would be a wish that silently does nothing.
fn take_out(
    written: &mut Vec<(Option<usize>, String)>,
    removed: &str,
    built_in: &[&str],
) -> Result<(), Trouble> {
    let before = written.len();
    written.retain(|(_, glob)| fold(glob) != fold(removed));
    if written.len() < before {
        return Ok(());
    }
    let hint = match nearest(removed, built_in.iter().copied()) {
        Some(near) => format!("did you mean `!{near}`?"),
        None => "`!` takes out a built-in glob exactly as it is listed".to_owned(),
    };
    Err((format!("there is no built-in glob `{removed}` to take out"), Some(hint)))
}

/// What a glob means.
pub(super) struct Shape {
    pub(super) glob: String,
    pub(super) is_name: bool,
}

impl Shape {
    pub(super) fn of(written: &str) -> Result<Self, Trouble> {
        Self::spelled(written, &fold(written))
    }

    fn compiled(&self) -> Result<globset::Glob, Trouble> {
        let mut builder = GlobBuilder::new(&self.glob);
        // A name has no separators; saying so would cost the set its quick ways.
        builder.literal_separator(!self.is_name).backslash_escape(true);
        builder.build().map_err(|error| {
            let hint = "`\\` in front of a special character makes it an ordinary one";
            (error.kind().to_string(), Some(hint.to_owned()))
        })
    }

    /// The globs as `written` and folded: a `?` for `ß` fits the one spelling, `ss` for `ß` the other. Folding may leave no class
    /// of one (`[À-ß]`).
    fn both_spellings(&self, written: &str) -> Result<Vec<globset::Glob>, Trouble> {
        let composed: String = written.nfc().collect();
        match (Self::spelled(written, &composed)?.compiled(), self.compiled()) {
            (Ok(composed), folded) => Ok([composed].into_iter().chain(folded).collect()),
            (Err(trouble), folded) => folded.map(|folded| vec![folded]).map_err(|_| trouble),
        }
    }

    /// What `written` means, in one spelling of it.
    fn spelled(written: &str, folded: &str) -> Result<Self, Trouble> {
        if written.trim().is_empty() {
            return Err(("it is empty".to_owned(), Some("`**` matches everything".to_owned())));
        }
        check_backslashes(written)?;
        let bare = folded.trim_end_matches('/');
        // As in a `.gitignore`: only a `/` inside anchors a glob; `dir/` is a name at any depth, `dir/**` and `/dir` are not.
        let is_name = !bare.trim_start_matches("**/").contains('/');
        // `dir/**` means the folder and what is in it, which is what matching `dir` means here.
        let mut rest = bare;
        while let Some(shorter) = rest.strip_suffix("/**") {
            rest = shorter.trim_end_matches('/');
        }
        while let Some(shorter) = rest.strip_prefix("./").or_else(|| rest.strip_prefix('/')) {
            rest = shorter;
        }
        if rest.is_empty() {
            return Err((
                "it names the whole workspace".to_owned(),
                Some("`**` matches everything".to_owned()),
            ));
        }
        if rest.split('/').any(|name| name == ".." || name == ".") {
            return Err((
                "`.` and `..` never occur in a resolved path".to_owned(),
                Some("write the path from the workspace's own folder, as `secrets/**`".to_owned()),
            ));
        }
        if rest.starts_with("~/") {
            return Err((
                "`~` is no home folder here: a glob begins at the workspace's own folder".to_owned(),
                Some(format!("write `{}`, or `[~]/` for a folder of that name", &rest[1..])),
            ));
        }
        if rest.as_bytes().get(1..3) == Some(b":/") {
            return Err((
                "no path in a workspace begins with a drive".to_owned(),
                Some("write the path from the workspace's own folder, as `/secrets/**`".to_owned()),
            ));
        }
        if rest.contains("//") {
            return Err((
                "two `/` in a row never occur in a path".to_owned(),
                Some("`/` stands between two folders, and `**` for any number of them".to_owned()),
            ));
        }
        // `**/name/**` is a name again; so is anything else that has lost its `/`, unless it was anchored by it.
        let name = rest.trim_start_matches("**/");
        let is_name = is_name || (bare.starts_with("**/") && !name.contains('/'));
        Ok(Self { glob: if is_name { name } else { rest }.to_owned(), is_name })
    }
}

/// A `\` is an escape here; as a separator it would make a rule that never matches.
fn check_backslashes(written: &str) -> Result<(), Trouble> {
    let mut characters = written.chars();
    while let Some(character) = characters.next() {
        if character == '\\' && !characters.next().is_some_and(|next| "*?[]{}!,\\-^".contains(next)) {
            let hint = Some(format!("write `{}`", written.replace('\\', "/")));
            return Err(("folders are separated by `/`".to_owned(), hint));
        }
    }
    Ok(())
}
