//! "Did you mean": the nearest valid name for a wrong one.

/// The candidate nearest to `given`, if one is near enough to be meant.
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lowered = given.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&lowered, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= 0.8)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, candidate)| candidate)
}

/// The candidates near enough to be meant, nearest first, at most `limit`.
pub fn nearest_few<'a>(
    given: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Vec<&'a str> {
    let lowered = given.to_lowercase();
    let mut near: Vec<_> = candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&lowered, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= 0.8)
        .collect();
    near.sort_by(|left, right| right.0.total_cmp(&left.0));
    near.into_iter().take(limit).map(|(_, candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_the_nearest_and_only_when_near() {
        assert_eq!(nearest("pathh", ["path", "pattern"]), Some("path"));
        assert_eq!(nearest("blokced", ["blocked", "protected"]), Some("blocked"));
        assert_eq!(nearest("zzz", ["path", "pattern"]), None);
    }
}
