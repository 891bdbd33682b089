//! What turns one list of lines into another, found as git finds it. Pure.
//!
//! The smallest difference of two large texts with little in common takes hours. Git gives up looking for it early, and so does this:
//! the time grows with the lines, whatever they hold. The same two texts always give the same answer, since a plan is bound to it.

use std::hash::Hash;

use gix::diff::blob::{Algorithm, Diff, InternedInput};
use similar::DiffOp;

/// The operations in order, equal parts included.
pub fn operations<T: AsRef<[u8]> + Eq + Hash + Copy + Default>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    operations_by(Algorithm::Myers, old, new)
}

/// The same by another of git's ways.
pub fn operations_by<T: AsRef<[u8]> + Eq + Hash + Copy + Default>(
    algorithm: Algorithm,
    old: &[T],
    new: &[T],
) -> Vec<DiffOp> {
    // A new file of a million lines needs no search.
    match (old.len(), new.len()) {
        (0, 0) => return Vec::new(),
        (0, new_len) => return vec![DiffOp::Insert { old_index: 0, new_index: 0, new_len }],
        (old_len, 0) => return vec![DiffOp::Delete { old_index: 0, old_len, new_index: 0 }],
        _ => {}
    }
    let mut input: InternedInput<T> = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let mut diff = Diff::compute(algorithm, &input);
    // Where a change could stand a line higher or lower as well, it stands where git puts it.
    diff.postprocess_lines(&input);
    let mut operations = Vec::new();
    let (mut old_index, mut new_index) = (0, 0);
    for hunk in diff.hunks() {
        let (old_start, old_end) = (hunk.before.start as usize, hunk.before.end as usize);
        let (new_start, new_end) = (hunk.after.start as usize, hunk.after.end as usize);
        if old_start > old_index {
            operations.push(DiffOp::Equal { old_index, new_index, len: old_start - old_index });
        }
        let (old_len, new_len) = (old_end - old_start, new_end - new_start);
        operations.push(match (old_len, new_len) {
            (_, 0) => DiffOp::Delete { old_index: old_start, old_len, new_index: new_start },
            (0, _) => DiffOp::Insert { old_index: old_start, new_index: new_start, new_len },
            _ => DiffOp::Replace { old_index: old_start, old_len, new_index: new_start, new_len },
        });
        (old_index, new_index) = (old_end, new_end);
    }
    if old_index < old.len() {
        operations.push(DiffOp::Equal { old_index, new_index, len: old.len() - old_index });
    }
    operations
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Carries the operations out on `old`.
    fn applied<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<&'t str> {
        let parts = operations(old, new).into_iter().map(|operation| match operation {
            DiffOp::Equal { old_index, len, .. } => &old[old_index..old_index + len],
            DiffOp::Delete { .. } => &[],
            DiffOp::Insert { new_index, new_len, .. } | DiffOp::Replace { new_index, new_len, .. } => {
                &new[new_index..new_index + new_len]
            }
        });
        parts.collect::<Vec<_>>().concat()
    }

    proptest! {
        #[test]
        fn the_operations_lead_from_one_to_the_other(
            old in proptest::collection::vec("[abc]{0,2}", 0..50),
            new in proptest::collection::vec("[abc]{0,2}", 0..50),
        ) {
            let (old, new): (Vec<&str>, Vec<&str>) =
                (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
            prop_assert_eq!(applied(&old, &new), new.clone());
            prop_assert_eq!(applied(&new, &old), old);
        }
    }

    #[test]
    fn half_a_million_lines_in_no_order_take_no_ages() {
        let lines = |seed: u64| {
            let mut state = seed;
            let mut line = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                ["a", "b", "c", "d", "e", "f", "g", "h"][(state >> 33) as usize % 8]
            };
            (0..250_000).map(|_| line()).collect::<Vec<_>>()
        };
        let (old, new) = (lines(1), lines(2));
        assert_eq!(applied(&old, &new), new);
    }
}
