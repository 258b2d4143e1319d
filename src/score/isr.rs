//! Instruction satisfaction rate.

use super::csr::ratio;
use super::{Direction, Measured, Metric, ScoredDialogue, Unit};

pub(super) const ISR: Metric = Metric {
    name: "ISR",
    doc: "turns on which every constraint held, of all turns",
    unit: Unit::Share,
    direction: Direction::HigherIsBetter,
    source: "EvolIF, appendix A.1, ISR",
    on_request: false,
    compute,
};

/// Undecided turns are in neither count.
fn compute(dialogues: &[ScoredDialogue]) -> Measured {
    let parts: Vec<(f64, f64)> = dialogues
        .iter()
        .map(|dialogue| (dialogue.successes() as f64, dialogue.decided().len() as f64))
        .filter(|part| part.1 > 0.0)
        .collect();
    ratio(&parts, "no turn was decided")
}

#[cfg(test)]
mod tests {
    use super::super::testing::dialogues;
    use super::*;

    #[test]
    fn counts_turns() {
        // S F S E succeed three times in four; F not at all; ? is in neither count.
        let measured = compute(&dialogues(&["SFS?E", "F"]));
        assert_eq!(measured.number(), Some(0.6));
        assert_eq!((measured.numerator, measured.denominator), (3.0, 5.0));
        assert_eq!(compute(&dialogues(&["FFF"])).number(), Some(0.0));
        assert_eq!(compute(&dialogues(&["?"])).number(), None);
    }
}
