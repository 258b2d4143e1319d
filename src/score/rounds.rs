//! Scores by round of feedback: usable responses, scores of abilities, and what was fixed and
//! broken (Meeseeks, arXiv:2504.21625, section 3.4).
//!
//! Round 1 is the first response. A turn without further rounds counts in later rounds with its
//! last outcome.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::breakdown::Row;
use super::statistics::{RatioTerm, mean};
use super::{
    CriterionKind, Direction, Measured, Metric, Outcome, ScoredConstraint, ScoredDialogue,
    ScoredTurn, Tally, Unit,
};

pub(super) const UTILITY_RATE: Metric = Metric {
    name: "utility_rate",
    doc: "the share of turns on which everything held after the last round",
    unit: Unit::Share,
    direction: Direction::HigherIsBetter,
    source: "Meeseeks, section 3.4, utility rate",
    on_request: true,
    compute: |dialogues| utility_rate(dialogues, usize::MAX),
};

pub(super) const MEESEEKS_SCORE: Metric = Metric {
    name: "Meeseeks_score",
    doc: "the share that held for each tag of a turn, averaged over its tags and then over turns, after the \
          last round",
    unit: Unit::Share,
    direction: Direction::HigherIsBetter,
    source: "Meeseeks, section 3.4, Meeseeks score",
    on_request: true,
    compute: |dialogues| meeseeks_score(dialogues, usize::MAX),
};

/// The scores of a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub struct RoundScore {
    /// The round, from 1.
    pub round: u32,
    /// The number of turns with this round.
    pub asked: u64,
    pub utility_rate: Measured,
    pub meeseeks_score: Measured,
    /// Missed in the previous round, and held now.
    pub fixed: u64,
    /// Held in the previous round, and missed now.
    pub broken: u64,
    /// Missed in every round up to this one.
    pub never_fixed: u64,
    /// By tag and by each level above it, sorted by name.
    pub tags: Vec<Row>,
}

/// One entry for each round; empty without feedback and tags.
pub(super) fn rounds(dialogues: &[ScoredDialogue]) -> Vec<RoundScore> {
    let all = || dialogues.iter().flat_map(|dialogue| &dialogue.turns);
    let most = all().map(|turn| turn.rounds.len() + 1).max().unwrap_or(0);
    let is_required = |one: &ScoredConstraint| one.kind == Some(CriterionKind::Requirement);
    if most <= 1 && !all().any(|turn| turn.constraints.iter().any(is_required)) {
        return Vec::new();
    }
    (0..most)
        .map(|round| {
            let mut score = RoundScore {
                round: round as u32 + 1,
                asked: all().filter(|turn| turn.rounds.len() >= round).count() as u64,
                utility_rate: utility_rate(dialogues, round),
                meeseeks_score: meeseeks_score(dialogues, round),
                fixed: 0,
                broken: 0,
                never_fixed: 0,
                tags: tags(dialogues, round),
            };
            all().for_each(|turn| score.compare(turn, round));
            score
        })
        .collect()
}

impl RoundScore {
    /// Counts what changed in one round of a turn.
    fn compare(&mut self, turn: &ScoredTurn, round: usize) {
        for (at, one) in after(turn, round).iter().enumerate() {
            let before = |round: usize| after(turn, round).get(at).map(|one| one.outcome);
            if one.outcome.is_missed() {
                let never = (0..round).all(|round| before(round).is_some_and(Outcome::is_missed));
                self.never_fixed += u64::from(never);
            }
            let Some(last) = round.checked_sub(1).and_then(before) else { continue };
            self.fixed += u64::from(last.is_missed() && one.outcome == Outcome::Held);
            self.broken += u64::from(last == Outcome::Held && one.outcome.is_missed());
        }
    }
}

/// The outcomes of a turn after a round, counted from 0.
fn after(turn: &ScoredTurn, round: usize) -> &[ScoredConstraint] {
    let last = turn.rounds.len().min(round);
    last.checked_sub(1).and_then(|at| turn.rounds.get(at)).unwrap_or(&turn.constraints)
}

/// A turn is usable if everything held. A turn with something unjudged and nothing missed has no
/// term, and neither has an empty one.
fn utility_rate(dialogues: &[ScoredDialogue], round: usize) -> Measured {
    let term = |turn: &ScoredTurn| {
        let tally = Tally::of(after(turn, round));
        tally.is_decided().then_some(if tally.missed == 0 { 1.0 } else { 0.0 })
    };
    Measured::ratio(&parts(dialogues, term), "no turn could be decided")
}

/// The mean over the tags of a turn, of the mean over the items with the tag. Items without a tag
/// count under a tag of their own.
fn meeseeks_score(dialogues: &[ScoredDialogue], round: usize) -> Measured {
    let term = |turn: &ScoredTurn| {
        let all = after(turn, round);
        let tally = Tally::of(all);
        if !tally.is_decided() {
            return None;
        }
        // Without tags there is only one kind: most benchmarks have such turns.
        if all.iter().all(|one| one.tags.is_empty()) {
            return tally.rate();
        }
        let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
        for one in all {
            let tags = one.tags.iter().map(String::as_str);
            let untagged = one.tags.is_empty().then_some("");
            tags.chain(untagged).for_each(|tag| tallies.entry(tag).or_default().count(one.outcome));
        }
        let rates: Vec<f64> = tallies.values().filter_map(|tally| tally.rate()).collect();
        mean(&rates)
    };
    Measured::ratio(&parts(dialogues, term), "nothing was judged")
}

fn parts(
    dialogues: &[ScoredDialogue],
    term: impl Fn(&ScoredTurn) -> Option<f64>,
) -> Vec<RatioTerm> {
    dialogues.iter().filter_map(|dialogue| dialogue.turns_part(&term)).collect()
}

/// `a.b.c` counts under `a.b.c`, `a.b` and `a`; once each, even with several tags below it.
fn tags(dialogues: &[ScoredDialogue], round: usize) -> Vec<Row> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for turn in dialogues.iter().flat_map(|dialogue| &dialogue.turns) {
        for one in after(turn, round) {
            let levels = one.tags.iter().flat_map(|tag| {
                let cuts = tag.match_indices('.').map(|(at, _)| at).chain([tag.len()]);
                cuts.filter_map(|cut| tag.get(..cut)).collect::<Vec<_>>()
            });
            let levels: std::collections::BTreeSet<&str> = levels.collect();
            levels
                .into_iter()
                .for_each(|level| tallies.entry(level).or_default().count(one.outcome));
        }
    }
    let row = |(name, tally): (&&str, &Tally)| Row {
        name: (*name).to_owned(),
        held: tally.held,
        missed: tally.missed,
        unjudged: tally.unjudged,
        rate: tally.rate(),
    };
    tallies.iter().map(row).collect()
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
        item.turns[0].constraints = first.to_vec();
        item.turns[0].rounds = later.iter().map(|round| round.to_vec()).collect();
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
    fn rounds_fix_and_break() {
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
        assert_eq!(meeseeks_score(&[], 0).number(), None);
    }

    #[test]
    fn what_is_not_judged_has_no_term() {
        let open = item(&[&[required(Held, &["x"]), required(Unjudged, &["y"])]]);
        let scores = rounds(&[open]);
        assert_eq!(scores[0].utility_rate.number(), None);
        assert_eq!(scores[0].meeseeks_score.number(), None);
        assert_eq!(rounds(&[dialogue("SF")]), []);
    }
}
