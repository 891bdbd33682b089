//! What of a comparison did not fit, in few names: where they are too many, whole folders in which nothing was shown.
//! Pure.

/// The paths that one call goes on with.
const NEXT_PATHS: usize = 20;

/// The names of what stands behind `shown`, and how many of `rest` they cover. `within` are the paths that the call named, if any: none
/// of what is named leads out of them.
pub(super) fn next_paths(shown: &[&str], rest: &[&str], within: &[String]) -> (Vec<String>, usize) {
    if rest.len() <= NEXT_PATHS {
        return (rest.iter().map(|path| (*path).to_owned()).collect(), rest.len());
    }
    in_folders(shown, rest, within)
}

fn in_folders(shown: &[&str], rest: &[&str], within: &[String]) -> (Vec<String>, usize) {
    let is_within = |folder: &str| within.is_empty() || within.iter().any(|named| lies_in(folder, named));
    let is_new = |folder: &str| !shown.iter().any(|path| lies_in(path, folder));
    let mut names: Vec<String> = Vec::new();
    let mut covered = 0;
    for path in rest {
        if names.iter().any(|name| lies_in(path, name)) {
            covered += 1;
            continue;
        }
        if names.len() == NEXT_PATHS {
            continue;
        }
        let folders = path.match_indices('/').map(|(end, _)| path.get(..end).unwrap_or_default());
        let whole = folders.into_iter().find(|folder| is_within(folder) && is_new(folder));
        names.push(whole.unwrap_or(path).to_owned());
        covered += 1;
    }
    (names, covered)
}

/// What is to be said where the next call does not lead to all of it.
pub(super) fn note(covered: usize, left_out: usize) -> Option<String> {
    (covered < left_out).then(|| {
        format!(
            "the next call shows {covered} of the {left_out} files left out: name the others with `paths`"
        )
    })
}

fn lies_in(path: &str, folder: &str) -> bool {
    folder == "." || super::lies_in(path.as_bytes(), folder.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(shown: &[&str], rest: &[&str], within: &[&str], names: &[&str], covered: usize) {
        let within: Vec<String> = within.iter().map(|path| (*path).to_owned()).collect();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(in_folders(shown, rest, &within), (names, covered));
    }

    #[test]
    fn folders_stand_for_what_is_in_them_where_nothing_of_it_was_shown() {
        let rest = ["a/b/2", "a/c/1", "a/c/2", "d/e/1", "d/f", "g"];
        check(&["a/b/1"], &rest, &[], &["a/b/2", "a/c", "d", "g"], 6);
        check(&["a/b/1"], &rest, &["."], &["a/b/2", "a/c", "d", "g"], 6);
        check(&[], &["d/e/1", "d/e/2"], &["d/e"], &["d/e"], 2);
        check(&[], &["d/e/1", "d/e/2"], &["d/e/1", "d/e/2"], &["d/e/1", "d/e/2"], 2);
        let many: Vec<String> = (0..30).map(|number| format!("f{number:02}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let (names, covered) = next_paths(&["a"], &many, &[]);
        assert_eq!((names.len(), covered), (NEXT_PATHS, NEXT_PATHS));
    }
}
