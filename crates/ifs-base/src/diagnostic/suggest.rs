//! "Did you mean": finds the most similar name.

use crate::work::{self, Task};

/// Pairs of letters that are compared in one step.
const STEP_CELLS: u64 = 8;
/// The steps for the suggestions of one command. The first mistakes have theirs; of thousands, nobody reads more.
const MAX_STEPS: u64 = 2_000_000;

/// The candidate that is similar enough to be meant: at most a third of its letters differ
/// (insertions, deletions, replacements, transpositions). Among equally similar ones, the first in
/// alphabetical order.
pub fn closest<'a>(
    written: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    /// Longer words than this are not compared: they are not typing mistakes.
    const MAX_WORD_CHARACTERS: usize = 64;

    let written: Vec<char> = written.chars().take(MAX_WORD_CHARACTERS + 1).collect();
    if written.len() > MAX_WORD_CHARACTERS || work::spent_on(Task::Names) > MAX_STEPS {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        // A suggestion is a help, and a scenario without one is not refused for it.
        if !work::spend(Task::Names, 1) {
            return None;
        }
        let letters: Vec<char> = candidate.chars().collect();
        let allowed = written.len().max(letters.len()).div_ceil(3);
        if letters.len() > MAX_WORD_CHARACTERS || written.len().abs_diff(letters.len()) > allowed {
            continue;
        }
        work::spend(Task::Names, (written.len() * letters.len()) as u64 / STEP_CELLS);
        let far = distance(&written, &letters);
        if far <= allowed && best.is_none_or(|best| (far, candidate) < best) {
            best = Some((far, candidate));
        }
    }
    best.map(|(_, name)| name)
}

/// Optimal string alignment distance.
fn distance(left: &[char], right: &[char]) -> usize {
    let width = right.len() + 1;
    let mut rows = vec![0usize; (left.len() + 1) * width];
    for (column, cost) in rows.iter_mut().take(width).enumerate() {
        *cost = column;
    }
    for row in 1..=left.len() {
        rows[row * width] = row;
        for column in 1..width {
            let same = left[row - 1] == right[column - 1];
            let mut cost = (rows[(row - 1) * width + column] + 1)
                .min(rows[row * width + column - 1] + 1)
                .min(rows[(row - 1) * width + column - 1] + usize::from(!same));
            let swapped = row > 1
                && column > 1
                && left[row - 1] == right[column - 2]
                && left[row - 2] == right[column - 1];
            if swapped {
                cost = cost.min(rows[(row - 2) * width + column - 2] + 1);
            }
            rows[row * width + column] = cost;
        }
    }
    rows[rows.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn finds_the_nearest() {
        let names = ["word", "sentence", "paragraph"];
        assert_eq!(closest("wrod", names), Some("word"));
        assert_eq!(closest("sentense", names), Some("sentence"));
        assert_eq!(closest("heading", names), None);
        assert_eq!(closest("", names), None);
    }
}
