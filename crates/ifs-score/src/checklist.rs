//! Scores of checklists: the share of judged items that held, unweighted and weighted. Each is
//! computed once by the paper's equations and once as in the released program; the two differ for
//! turns without items or without verdicts, and in the mean that the weighted score is.

use super::statistics::RatioTerm;
use super::{
    Direction, Measurement, Metric, MetricUnit, Outcome, OutcomeTally, ScoredDialogue, ScoredTurn,
};

pub(super) const DRFR: Metric = Metric {
    name: "DRFR",
    doc: "the share of all judged constraints and criteria that held",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "StructFlowBench, section 3.5, DRFR = Σ r'ᵢⱼ / Σ mᵢ",
    on_request: true,
    part: |dialogue| pooled(dialogue, |_| Some(1.0)),
    whole: |terms, _| Measurement::ratio(terms, "no turn has a constraint that was judged"),
};

pub(super) const WCSR: Metric = Metric {
    name: "WCSR",
    doc: "the share of constraints and criteria that held, each counted with its declared weight",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "StructFlowBench, section 3.5, WCSR = Σ wⱼsⱼ / Σ wⱼ over all constraints",
    on_request: true,
    part: |dialogue| pooled(dialogue, |weight| weight),
    whole: |terms, _| Measurement::ratio(terms, "no constraint that was judged has a weight"),
};

pub(super) const CSR_AS_RELEASED: Metric = Metric {
    name: "CSR_as_released",
    doc: "CSR in which a turn of which nothing was judged counts as 0",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "StructFlowBench, released score.py",
    on_request: true,
    part: |dialogue| {
        over_turns(dialogue, |turn| {
            OutcomeTally::from_constraints(&turn.constraints).rate().unwrap_or(0.0)
        })
    },
    whole: mean_over_turns,
};

pub(super) const ISR_AS_RELEASED: Metric = Metric {
    name: "ISR_as_released",
    doc: "ISR in which every turn without a miss counts as 1",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "StructFlowBench, released score.py",
    on_request: true,
    part: |dialogue| {
        over_turns(dialogue, |turn| {
            match OutcomeTally::from_constraints(&turn.constraints).missed {
                0 => 1.0,
                _ => 0.0,
            }
        })
    },
    whole: mean_over_turns,
};

pub(super) const WCSR_AS_RELEASED: Metric = Metric {
    name: "WCSR_as_released",
    doc: "the weighted share of a turn's constraints that held, averaged over turns",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "StructFlowBench, released score.py",
    on_request: true,
    part: |dialogue| {
        over_turns(dialogue, |turn| match weighed(turn, |weight| weight) {
            (_, 0.0) => 0.0,
            (held, all) => held / all,
        })
    },
    whole: mean_over_turns,
};

/// A turn's weight that held, and its total weight, over judged constraints with a weight.
fn weighed(turn: &ScoredTurn, counts: fn(Option<f64>) -> Option<f64>) -> (f64, f64) {
    let (mut held, mut all) = (0.0, 0.0);
    for constraint in &turn.constraints {
        let Some(weight) = counts(constraint.weight) else { continue };
        match constraint.outcome {
            Outcome::Held => {
                held += weight;
                all += weight;
            }
            Outcome::Missed | Outcome::Unextracted | Outcome::Blocked => all += weight,
            Outcome::Unjudged => {}
        }
    }
    (held, all)
}

/// The number of items that held, and of judged items, for each dialogue with any.
fn pooled(dialogue: &ScoredDialogue, counts: fn(Option<f64>) -> Option<f64>) -> Option<RatioTerm> {
    let turns = dialogue.turns.iter().map(|turn| weighed(turn, counts));
    let (held, all) = turns.fold((0.0, 0.0), |sum, turn| (sum.0 + turn.0, sum.1 + turn.1));
    Some(dialogue.part(held, all)).filter(|part| part.below > 0.0)
}

fn over_turns(dialogue: &ScoredDialogue, term: fn(&ScoredTurn) -> f64) -> Option<RatioTerm> {
    dialogue.turns_part(|turn| Some(term(turn)))
}

fn mean_over_turns(terms: &[RatioTerm], _: usize) -> Measurement {
    Measurement::ratio(terms, "no dialogue has a turn")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{constraint, dialogue, dialogues};
    use super::super::{Outcome, ScoredConstraint};
    use super::*;

    fn number(metric: &Metric, dialogues: &[ScoredDialogue]) -> Option<f64> {
        metric.compute(dialogues).number()
    }

    /// Turns of constraints, each with its outcome and its weight.
    fn weighted(turns: &[&[(Outcome, Option<f64>)]]) -> ScoredDialogue {
        let mut dialogue = dialogue(&"E".repeat(turns.len()));
        for (turn, given) in dialogue.turns.iter_mut().zip(turns) {
            let one = |(outcome, weight): &(Outcome, Option<f64>)| ScoredConstraint {
                weight: *weight,
                ..constraint("content", *outcome)
            };
            turn.constraints = given.iter().map(one).map(Into::into).collect();
        }
        dialogue
    }

    #[test]
    fn pools_all_that_was_judged() {
        // S 2 of 2, F 1 of 2, ? 1 of 1, M 0 of 1, E nothing: 4 of 6.
        assert_eq!(number(&DRFR, &dialogues(&["SF", "?ME"])), Some(4.0 / 6.0));
        assert_eq!(number(&DRFR, &dialogues(&["E", ""])), None);
    }

    #[test]
    fn weights_count_as_declared_and_not_at_all_without_one() {
        use Outcome::{Held, Missed};
        let given = [weighted(&[
            &[(Held, Some(1.0)), (Missed, Some(2.0))],
            &[(Held, Some(1.0)), (Missed, None)],
            &[(Held, Some(2.0)), (Held, Some(2.0))],
        ])];
        // 1 + 1 + 4 of 3 + 1 + 4; and (1/3 + 1 + 1) / 3.
        assert_eq!(number(&WCSR, &given), Some(6.0 / 8.0));
        assert_eq!(number(&WCSR_AS_RELEASED, &given), Some((1.0 / 3.0 + 1.0 + 1.0) / 3.0));
        let bare = [weighted(&[&[(Held, None)]])];
        assert_eq!(number(&WCSR, &bare), None);
        assert_eq!(number(&WCSR_AS_RELEASED, &bare), Some(0.0));
    }

    #[test]
    fn released_scores_of_empty_turns() {
        // S, ? and E: 1, 1 of the one judged, and 0 for E; no miss anywhere.
        let given = dialogues(&["S?E"]);
        assert_eq!(number(&CSR_AS_RELEASED, &given), Some(2.0 / 3.0));
        assert_eq!(number(&ISR_AS_RELEASED, &given), Some(1.0));
        assert_eq!(number(&ISR_AS_RELEASED, &dialogues(&["SM"])), Some(0.5));
        assert_eq!(number(&CSR_AS_RELEASED, &dialogues(&[""])), None);
    }
}
