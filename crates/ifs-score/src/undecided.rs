//! Bounds for what could not be judged: the scores if all of it had been missed, and if all had held.

use std::sync::Arc;

use ifs_model::table::OwnMetric;

use super::{
    DialogueSource, MetricScore, Outcome, ScoredConstraint, ScoredDialogue, ScoredTurn,
    UndecidedBounds, scores,
};

/// Adds the bounds to metrics that they differ for.
pub(super) fn add_bounds(
    metrics: &mut [MetricScore],
    dialogues: &impl DialogueSource,
    own: &[OwnMetric],
) {
    let [all_missed, all_held] = [Outcome::Missed, Outcome::Held]
        .map(|outcome| scores(&SettledDialogues { dialogues, outcome }, own));
    for (metric, (missed, held)) in metrics.iter_mut().zip(all_missed.iter().zip(&all_held)) {
        let bounds = missed.measured.number().zip(held.measured.number());
        metric.undecided = bounds
            .filter(|(missed, held)| missed != held)
            .map(|(all_missed, all_held)| UndecidedBounds { all_missed, all_held });
    }
}

/// Dialogues in which everything that was not judged has one outcome.
struct SettledDialogues<'d, D> {
    dialogues: &'d D,
    outcome: Outcome,
}

impl<D: DialogueSource> DialogueSource for SettledDialogues<'_, D> {
    fn each(&self) -> impl Iterator<Item = ScoredDialogue> + '_ {
        self.dialogues.each().map(|mut dialogue| {
            dialogue.turns.iter_mut().for_each(|turn| settle(turn, self.outcome));
            dialogue
        })
    }
}

fn settle(turn: &mut ScoredTurn, outcome: Outcome) {
    // A response that the endpoint withheld leaves its turn undecided.
    if turn.no_text.as_ref().is_some_and(|why| !why.is_caused_by_model()) {
        turn.no_text = None;
    }
    let first = turn.constraints.iter_mut();
    let others = turn.rounds.iter_mut().chain(&mut turn.samples).flatten();
    for constraint in first.chain(others) {
        if constraint.outcome == Outcome::Unjudged {
            let settled = ScoredConstraint { outcome, ..ScoredConstraint::clone(constraint) };
            *constraint = Arc::new(settled);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::dialogues;
    use super::super::{NoText, ScoreOptions, score};
    use super::*;

    fn bounds(metrics: &[MetricScore], name: &str) -> Option<(f64, f64)> {
        let metric = metrics.iter().find(|metric| metric.name == name)?;
        metric.undecided.map(|bounds| (bounds.all_missed, bounds.all_held))
    }

    #[test]
    fn rates_have_bounds_where_turns_are_undecided() {
        // One success, one failure, two undecided turns: their own constraint, and one that held.
        let card = score(&dialogues(&["SF??"]), &ScoreOptions::default());
        assert_eq!(card.metric("ISR").and_then(|isr| isr.number()), Some(0.5));
        assert_eq!(bounds(&card.metrics, "ISR"), Some((0.25, 0.75)));
        let (missed, held) = bounds(&card.metrics, "CSR").unwrap_or_default();
        assert!(missed < 0.75 && held > 0.75, "{missed} to {held}");
        assert!(
            card.caveats
                .iter()
                .any(|caveat| caveat
                    .contains("ISR is 25.0 % if all were missed and 75.0 % if all held")),
            "{:?}",
            card.caveats
        );
    }

    #[test]
    fn judged_runs_have_no_bounds() {
        let card = score(&dialogues(&["SFS", "SS"]), &ScoreOptions::default());
        assert!(card.metrics.iter().all(|metric| metric.undecided.is_none()));
    }

    #[test]
    fn a_withheld_response_is_undecided() {
        let mut given = dialogues(&["S?"]);
        given[0].turns[1].no_text = Some(NoText::Blocked);
        let card = score(&given, &ScoreOptions::default());
        assert_eq!(bounds(&card.metrics, "ISR"), Some((0.5, 1.0)));
    }
}
