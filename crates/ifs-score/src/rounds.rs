//! Scores by round of feedback: usable responses, scores of abilities, and what was fixed and
//! broken (Meeseeks, arXiv:2504.21625, section 3.4).
//!
//! Round 1 is the first response. A turn without further rounds counts in later rounds with its
//! last outcome.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::breakdown::{BreakdownRow, tag_levels};
use super::statistics::{RatioTerm, mean};
use super::{
    CriterionKind, DialogueSource, Direction, Measurement, Metric, MetricUnit, Outcome,
    OutcomeTally, ScoredConstraint, ScoredDialogue, ScoredTurn,
};

pub(super) const UTILITY_RATE: Metric = Metric {
    name: "utility_rate",
    doc: "the share of turns on which everything held after the last round",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "Meeseeks, section 3.4, utility rate",
    on_request: true,
    part: |dialogue| dialogue.turns_part(|turn| usable(outcomes_after(turn, usize::MAX))),
    whole: |terms, _| Measurement::ratio(terms, UNDECIDED),
};

pub(super) const MEESEEKS_SCORE: Metric = Metric {
    name: "Meeseeks_score",
    doc: "the share that held for each tag of a turn, averaged over its tags and then over turns, after the \
          last round",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "Meeseeks, section 3.4, Meeseeks score",
    on_request: true,
    part: |dialogue| dialogue.turns_part(|turn| by_tag(outcomes_after(turn, usize::MAX))),
    whole: |terms, _| Measurement::ratio(terms, UNJUDGED),
};

/// The scores of a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct RoundScore {
    /// The round, from 1.
    pub round: u32,
    /// The number of turns with this round.
    pub asked: u64,
    pub utility_rate: Measurement,
    pub meeseeks_score: Measurement,
    /// Missed in the previous round, and held now.
    pub fixed: u64,
    /// Held in the previous round, and missed now.
    pub broken: u64,
    /// Missed in every round up to this one.
    pub never_fixed: u64,
    /// By tag and by each level above it, sorted by name.
    pub tags: Vec<BreakdownRow>,
}

/// One entry for each round; empty without feedback and tags.
pub(super) fn rounds(dialogues: &impl DialogueSource) -> Vec<RoundScore> {
    let (mut most, mut is_tagged) = (0, false);
    for turn in dialogues.turns() {
        most = most.max(turn.rounds.len() + 1);
        is_tagged |=
            turn.constraints.iter().any(|one| one.kind == Some(CriterionKind::Requirement));
    }
    if most <= 1 && !is_tagged {
        return Vec::new();
    }
    let mut rounds: Vec<RoundCounts> = (0..most).map(|_| RoundCounts::default()).collect();
    for dialogue in dialogues.each() {
        rounds.iter_mut().enumerate().for_each(|(round, counts)| counts.add(&dialogue, round));
    }
    (1..).zip(rounds).map(|(round, counts)| counts.score(round)).collect()
}

/// The counts of a round, dialogue by dialogue.
#[derive(Default)]
struct RoundCounts {
    asked: u64,
    usable: Vec<RatioTerm>,
    by_tag: Vec<RatioTerm>,
    fixed: u64,
    broken: u64,
    never_fixed: u64,
    tags: BTreeMap<String, OutcomeTally>,
}

impl RoundCounts {
    fn add(&mut self, dialogue: &ScoredDialogue, round: usize) {
        self.usable.extend(dialogue.turns_part(|turn| usable(outcomes_after(turn, round))));
        self.by_tag.extend(dialogue.turns_part(|turn| by_tag(outcomes_after(turn, round))));
        for turn in &dialogue.turns {
            self.asked += u64::from(turn.rounds.len() >= round);
            self.compare(turn, round);
            self.count_tags(turn, round);
        }
    }

    fn score(self, round: u32) -> RoundScore {
        RoundScore {
            round,
            asked: self.asked,
            utility_rate: Measurement::ratio(&self.usable, UNDECIDED),
            meeseeks_score: Measurement::ratio(&self.by_tag, UNJUDGED),
            fixed: self.fixed,
            broken: self.broken,
            never_fixed: self.never_fixed,
            tags: self
                .tags
                .into_iter()
                .map(|(name, tally)| BreakdownRow::from_tally(name, tally))
                .collect(),
        }
    }

    /// Counts what changed in one round of a turn.
    fn compare(&mut self, turn: &ScoredTurn, round: usize) {
        for (at, one) in outcomes_after(turn, round).iter().enumerate() {
            let before = |round: usize| outcomes_after(turn, round).get(at).map(|one| one.outcome);
            if one.outcome.is_missed() {
                let never = (0..round).all(|round| before(round).is_some_and(Outcome::is_missed));
                self.never_fixed += u64::from(never);
            }
            let Some(last) = round.checked_sub(1).and_then(before) else { continue };
            self.fixed += u64::from(last.is_missed() && one.outcome == Outcome::Held);
            self.broken += u64::from(last == Outcome::Held && one.outcome.is_missed());
        }
    }
    fn count_tags(&mut self, turn: &ScoredTurn, round: usize) {
        for one in outcomes_after(turn, round) {
            for level in tag_levels(&one.tags) {
                match self.tags.get_mut(level) {
                    Some(tally) => tally.count(one.outcome),
                    None => self.tags.entry(level.to_owned()).or_default().count(one.outcome),
                }
            }
        }
    }
}

/// The outcomes of a turn after a round, counted from 0.
fn outcomes_after(turn: &ScoredTurn, round: usize) -> &[Arc<ScoredConstraint>] {
    let last = turn.rounds.len().min(round);
    last.checked_sub(1).and_then(|at| turn.rounds.get(at)).unwrap_or(&turn.constraints)
}

const UNDECIDED: &str = "no turn could be decided";
const UNJUDGED: &str = "nothing was judged";

/// A turn is usable if everything held. A turn with something unjudged and nothing missed has no
/// term, and neither has an empty one.
fn usable(outcomes: &[Arc<ScoredConstraint>]) -> Option<f64> {
    let tally = OutcomeTally::from_constraints(outcomes);
    tally.is_decided().then_some(if tally.missed == 0 { 1.0 } else { 0.0 })
}

/// The mean over the tags of a turn, of the mean over the items with the tag. Items without a tag
/// count under a tag of their own.
fn by_tag(all: &[Arc<ScoredConstraint>]) -> Option<f64> {
    let tally = OutcomeTally::from_constraints(all);
    if !tally.is_decided() {
        return None;
    }
    // Without tags there is only one kind: most benchmarks have such turns.
    if all.iter().all(|one| one.tags.is_empty()) {
        return tally.rate();
    }
    let mut tallies: BTreeMap<&str, OutcomeTally> = BTreeMap::new();
    for one in all {
        let tags = one.tags.iter().map(String::as_str);
        let untagged = one.tags.is_empty().then_some("");
        tags.chain(untagged).for_each(|tag| tallies.entry(tag).or_default().count(one.outcome));
    }
    let rates: Vec<f64> = tallies.values().filter_map(|tally| tally.rate()).collect();
    mean(&rates)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{constraint, dialogue};
    use super::*;

    fn required(outcome: Outcome, tags: &[&str]) -> ScoredConstraint {
        ScoredConstraint {
            kind: Some(CriterionKind::Requirement),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..constraint("requirement", outcome)
        }
    }

    /// A dialogue of one turn with the outcomes of its rounds.
    fn item(rounds: &[&[ScoredConstraint]]) -> ScoredDialogue {
        let mut item = dialogue("S");
        let (first, later) = rounds.split_first().unwrap();
        let shared = |given: &[ScoredConstraint]| given.iter().cloned().map(Arc::new).collect();
        item.turns[0].constraints = shared(first);
        item.turns[0].rounds = later.iter().map(|round| shared(round)).collect();
        item
    }

    use Outcome::{Blocked, Held, Missed, Unextracted, Unjudged};

    #[test]
    fn by_the_equations_of_the_paper() {
        // exact: 1 of 2; theme: 1 of 1; keywords: 0 of 1. (1/2 + 1 + 0) / 3.
        let one = item(&[&[
            required(Held, &["a.content.exact"]),
            required(Blocked, &["a.content.exact", "a.content.keywords"]),
            required(Held, &["a.theme"]),
        ]]);
        let two = item(&[&[required(Held, &["a.theme"])]]);
        let scores = rounds(&[one, two]);
        assert_eq!(scores.len(), 1);
        assert_eq!(scores[0].meeseeks_score.number(), Some((0.5 + 1.0) / 2.0));
        assert_eq!(scores[0].utility_rate.number(), Some(0.5));
        let tags: Vec<(&str, u64, u64)> =
            scores[0].tags.iter().map(|row| (row.name.as_str(), row.held, row.missed)).collect();
        assert_eq!(
            tags,
            [
                ("a", 3, 1),
                ("a.content", 1, 1),
                ("a.content.exact", 1, 1),
                ("a.content.keywords", 0, 1),
                ("a.theme", 2, 0)
            ]
        );
    }

    #[test]
    fn rounds_count_fixed_and_broken() {
        let one = item(&[
            &[required(Missed, &["x"]), required(Held, &["y"]), required(Unextracted, &["z"])],
            &[required(Held, &["x"]), required(Missed, &["y"]), required(Missed, &["z"])],
            &[required(Held, &["x"]), required(Held, &["y"]), required(Missed, &["z"])],
        ]);
        let two = item(&[&[required(Held, &["x"])]]);
        let scores = rounds(&[one, two]);
        let counts: Vec<(u64, u64, u64, u64)> = scores
            .iter()
            .map(|score| (score.asked, score.fixed, score.broken, score.never_fixed))
            .collect();
        assert_eq!(counts, [(2, 0, 0, 2), (1, 1, 1, 1), (1, 1, 0, 1)]);
        let utility: Vec<_> = scores.iter().map(|score| score.utility_rate.number()).collect();
        assert_eq!(utility, [Some(0.5), Some(0.5), Some(0.5)]);
        let meeseeks: Vec<_> = scores.iter().map(|score| score.meeseeks_score.number()).collect();
        let third = 1.0 / 3.0;
        assert_eq!(
            meeseeks,
            [Some((third + 1.0) / 2.0), Some((third + 1.0) / 2.0), Some((2.0 / 3.0 + 1.0) / 2.0)]
        );
        assert_eq!(MEESEEKS_SCORE.compute(&[]).number(), None);
    }

    #[test]
    fn unjudged_items_have_no_term() {
        let open = item(&[&[required(Held, &["x"]), required(Unjudged, &["y"])]]);
        let scores = rounds(&[open]);
        assert_eq!(scores[0].utility_rate.number(), None);
        assert_eq!(scores[0].meeseeks_score.number(), None);
        assert_eq!(rounds(&[dialogue("SF")]), []);
    }
}
