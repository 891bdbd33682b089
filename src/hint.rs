//! "Did you mean": the nearest valid name for a wrong one.

/// The candidate nearest to `given`, if one is near enough to be meant.
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (likeness(given, candidate), candidate))
        .filter(|(score, _)| *score >= NEAR)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, candidate)| candidate)
}

/// The candidates near enough to be meant, nearest first, at most `limit`.
pub fn nearest_few<'a>(
    given: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Vec<&'a str> {
    let mut near: Vec<_> = candidates
        .into_iter()
        .map(|candidate| (likeness(given, candidate), candidate))
        .filter(|(score, _)| *score >= NEAR)
        .collect();
    near.sort_by(|left, right| right.0.total_cmp(&left.0));
    near.into_iter().take(limit).map(|(_, candidate)| candidate).collect()
}

/// From here on a name may have been meant.
const NEAR: f64 = 0.8;

/// Longer names are not compared.
const NAME_BYTES: usize = 1024;

/// How alike two names are, 0 to 1, whatever their case.
fn likeness(given: &str, candidate: &str) -> f64 {
    // Comparing takes the product of both lengths; nobody mistypes a name into one that is so long.
    if given.len() > NAME_BYTES || candidate.len() > NAME_BYTES {
        return 0.0;
    }
    let (given, candidate) = (given.to_lowercase(), candidate.to_lowercase());
    let likeness = strsim::jaro_winkler(&given, &candidate);
    // Jaro does not see two letters swapped in a short name (`scr` for `src`).
    let one_slip = given.len() > 2 && strsim::osa_distance(&given, &candidate) == 1;
    if one_slip { likeness.max(NEAR) } else { likeness }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_the_nearest_and_only_when_near() {
        assert_eq!(nearest("scr", ["src", "tests"]), Some("src"));
        assert_eq!(nearest("pathh", ["path", "pattern"]), Some("path"));
        assert_eq!(nearest("blokced", ["blocked", "protected"]), Some("blocked"));
        assert_eq!(nearest("zzz", ["path", "pattern"]), None);
    }
}
