//! Points of facts.

use super::{CriterionKind, Direction, Measurement, Metric, MetricUnit, Outcome, ScoredTurn};

pub(super) const POINTS: Metric = Metric {
    name: "points",
    doc: "the share of points for the facts that a response states; 0 if the response is void",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "MARS-Bench, appendix E, checklists",
    on_request: true,
    part: |dialogue| dialogue.turns_part(points),
    whole: |terms, _| Measurement::ratio(terms, "no turn has facts that were judged"),
};

/// The share of points that a turn's first response has. `None` for a turn without facts, and for
/// one with an unjudged fact or voiding condition.
#[must_use]
pub fn points(turn: &ScoredTurn) -> Option<f64> {
    let of = |kind: CriterionKind| turn.constraints.iter().filter(move |it| it.kind == Some(kind));
    let facts = || of(CriterionKind::Fact);
    let whole: f64 = facts().filter_map(|fact| fact.points).sum();
    if whole <= 0.0 {
        return None;
    }
    // One voiding condition is enough.
    if of(CriterionKind::Void).any(|void| void.outcome.is_missed()) {
        return Some(0.0);
    }
    let open = facts().chain(of(CriterionKind::Void)).any(|it| it.outcome == Outcome::Unjudged);
    let held = facts().filter(|fact| fact.outcome == Outcome::Held);
    // Starts from a positive zero: the sum of an empty iterator is minus zero.
    (!open).then(|| held.filter_map(|fact| fact.points).fold(0.0, |sum, one| sum + one) / whole)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::testing::{constraint, dialogue};
    use super::super::{ScoredConstraint, ScoredTurn};
    use super::*;

    fn turn(facts: &[(f64, Outcome)], voids: &[Outcome]) -> ScoredTurn {
        let one = |kind, points, outcome| ScoredConstraint {
            kind: Some(kind),
            points,
            ..constraint("fact", outcome)
        };
        let facts =
            facts.iter().map(|(worth, outcome)| one(CriterionKind::Fact, Some(*worth), *outcome));
        let voids = voids.iter().map(|outcome| one(CriterionKind::Void, None, *outcome));
        ScoredTurn {
            constraints: facts.chain(voids).map(Arc::new).collect(),
            ..ScoredTurn::default()
        }
    }

    #[test]
    fn voids_take_all_points() {
        use Outcome::{Blocked, Held, Missed, Unjudged};
        for (facts, voids, wanted) in [
            (&[(0.5, Held), (0.5, Missed)][..], &[][..], Some(0.5)),
            (&[(0.8, Held), (0.2, Blocked)], &[Held], Some(0.8)),
            (&[(0.5, Held), (0.5, Held)], &[Held, Missed], Some(0.0)),
            (&[(0.5, Unjudged), (0.5, Held)], &[Missed], Some(0.0)),
            (&[(0.5, Unjudged), (0.5, Held)], &[Held], None),
            (&[(1.0, Held)], &[Unjudged], None),
            (&[], &[Held], None),
            // Points that do not sum to one are divided by their sum.
            (&[(1.0, Held), (3.0, Missed)], &[], Some(0.25)),
            (&[(1.0, Missed)], &[], Some(0.0)),
        ] {
            let found = points(&turn(facts, voids));
            assert_eq!(found, wanted, "{facts:?} {voids:?}");
            assert!(found.is_none_or(f64::is_sign_positive), "{facts:?} {voids:?}");
        }
    }

    #[test]
    fn a_mean_over_turns() {
        use Outcome::{Held, Missed};
        let mut one = dialogue("S");
        one.turns = vec![turn(&[(1.0, Held)], &[]), turn(&[(1.0, Held)], &[Missed])];
        let mut other = dialogue("E");
        other.turns.push(turn(&[(0.5, Held), (0.5, Held)], &[Held]));
        let measured = POINTS.compute(&[one, other]);
        assert_eq!((measured.numerator, measured.denominator), (2.0, 3.0));
        assert_eq!(POINTS.compute(&[dialogue("SF")]).number(), None);
    }
}
