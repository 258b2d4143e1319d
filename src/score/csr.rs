//! Constraint satisfaction rate.

use super::statistics::ratio_error;
use super::{Direction, Measured, Metric, ScoredDialogue, ScoredTurn, Unit, Value};

pub(super) const CSR: Metric = Metric {
    name: "CSR",
    doc: "how much of a turn's constraints held, averaged over turns",
    unit: Unit::Share,
    direction: Direction::HigherIsBetter,
    source: "EvolIF, appendix A.1, CSR",
    on_request: false,
    compute,
};

/// Undecided turns and turns without constraints have no term; an unjudged constraint beside a miss is
/// left out of its turn's share.
fn compute(dialogues: &[ScoredDialogue]) -> Measured {
    let parts: Vec<(f64, f64)> = dialogues
        .iter()
        .map(|dialogue| {
            let terms: Vec<f64> =
                dialogue.turns.iter().filter_map(ScoredTurn::share_held).collect();
            (terms.iter().sum(), terms.len() as f64)
        })
        .filter(|part: &(f64, f64)| part.1 > 0.0)
        .collect();
    ratio(&parts, "no turn has a constraint that was judged")
}

/// A ratio of sums over dialogues; the denominators count turns.
pub(super) fn ratio(parts: &[(f64, f64)], why_none: &str) -> Measured {
    let numerator: f64 = parts.iter().map(|part| part.0).sum();
    let denominator: f64 = parts.iter().map(|part| part.1).sum();
    if denominator == 0.0 {
        return Measured::undefined(why_none);
    }
    Measured {
        value: Value::Number(numerator / denominator),
        numerator,
        denominator,
        count: denominator as u64,
        standard_error: ratio_error(parts),
        note: None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::dialogues;
    use super::*;

    #[test]
    fn is_a_mean_over_turns_not_over_dialogues() {
        // 1, 1/2, 1 and 1/2: 3 of 4.
        let measured = compute(&dialogues(&["SFS", "F"]));
        assert_eq!(measured.number(), Some(0.75));
        assert_eq!((measured.numerator, measured.count), (3.0, 4));
    }

    #[test]
    fn leaves_out_what_is_not_known() {
        // M: the missed one counts, the unread one does not, so 0 of 1. ? and E have no term.
        let measured = compute(&dialogues(&["S?ME"]));
        assert_eq!(measured.number(), Some(0.5));
        assert_eq!(measured.count, 2);
        assert_eq!(compute(&dialogues(&["??E", ""])).number(), None);
    }
}
