//! Improvements and regressions between two runs: the share held on each part, or a metric on
//! each slice, tested over the dialogues that both have.

use std::collections::BTreeMap;

use serde::Serialize;

use super::metric_comparison::SIGNIFICANCE_LEVEL;
use super::randomization::{Pairing, RandomizationTest, holm, randomization};
use super::{ComparedRun, SplitBy, number_texts};
use crate::{ComparedMetric, Direction};

/// The parts of two runs.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Moves {
    pub one: String,
    pub other: String,
    /// The most significant changes first.
    pub parts: Vec<PartMove>,
}

/// A part of two runs on the dialogues that both have.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct PartMove {
    pub part: String,
    pub first: f64,
    pub second: f64,
    /// Distinct dialogues with the part.
    pub dialogues: usize,
    #[serde(flatten)]
    pub tested: RandomizationTest,
    /// The p-value after Holm's correction over all parts of all pairs.
    pub adjusted_p: f64,
    pub verdict: MoveVerdict,
}

/// What the test says of the second run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MoveVerdict {
    Improved,
    Regressed,
    /// The test finds no difference.
    Unclear,
}

impl MoveVerdict {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            MoveVerdict::Improved => "improved",
            MoveVerdict::Regressed => "regressed",
            MoveVerdict::Unclear => "–",
        }
    }
}

/// Every two runs by parts, with one correction over all tests. Rounds are of one dialogue and are
/// not tested.
#[must_use]
pub fn moves(sides: &[ComparedRun], by: SplitBy, metric: &ComparedMetric) -> Vec<Moves> {
    let mut found: Vec<Moves> = Vec::new();
    for (at, one) in sides.iter().enumerate() {
        for other in &sides[at + 1..] {
            let parts: Vec<PartMove> = pairings(one, other, by, metric)
                .into_iter()
                .filter_map(|(part, pairings)| part_move(part, &pairings))
                .collect();
            if !parts.is_empty() {
                found.push(Moves { one: one.name.clone(), other: other.name.clone(), parts });
            }
        }
    }
    let all = || found.iter().flat_map(|moves| &moves.parts);
    let adjusted = holm(&all().map(|part| part.tested.p).collect::<Vec<f64>>());
    let parts = found.iter_mut().flat_map(|moves| &mut moves.parts);
    for (part, adjusted) in parts.zip(adjusted) {
        part.adjusted_p = adjusted;
        let higher = part.second > part.first;
        let better = !by.has_metric() || metric.direction == Direction::HigherIsBetter;
        part.verdict = match adjusted < SIGNIFICANCE_LEVEL {
            true if higher == better => MoveVerdict::Improved,
            true => MoveVerdict::Regressed,
            false => MoveVerdict::Unclear,
        };
    }
    for moves in &mut found {
        moves.parts.sort_by(|a, b| a.adjusted_p.total_cmp(&b.adjusted_p));
    }
    found
}

fn part_move(part: String, pairings: &[Pairing]) -> Option<PartMove> {
    let sum = |of: fn(&Pairing) -> (f64, f64)| {
        let sum = pairings.iter().map(of).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        sum.0 / sum.1
    };
    let tested = randomization(pairings)?;
    Some(PartMove {
        part,
        first: sum(|pairing| pairing.one),
        second: sum(|pairing| pairing.other),
        dialogues: pairings.len(),
        tested,
        adjusted_p: 1.0,
        verdict: MoveVerdict::Unclear,
    })
}

/// The sums of each part over the dialogues that both runs have, repeats together.
fn pairings(
    one: &ComparedRun,
    other: &ComparedRun,
    by: SplitBy,
    metric: &ComparedMetric,
) -> BTreeMap<String, Vec<Pairing>> {
    let places = [one, other].map(|side| side.place(&metric.name));
    let summed = |side: &ComparedRun, at: Option<usize>| at.is_some_and(|at| side.is_summed(at));
    let is_tested = by != SplitBy::Slice || summed(one, places[0]) && summed(other, places[1]);
    let mut found: BTreeMap<String, BTreeMap<u64, Pairing>> = BTreeMap::new();
    for (place, text) in number_texts(one, other).into_iter().filter(|_| is_tested) {
        for (side, at, is_first) in [(one, places[0], true), (other, places[1], false)] {
            let Some(held) = side.dialogues.get(place) else { continue };
            for (part, term) in held.parts(by, at.unwrap_or_default()) {
                let pairing = found.entry(part.to_owned()).or_default().entry(text).or_default();
                let sum = if is_first { &mut pairing.one } else { &mut pairing.other };
                *sum = (sum.0 + term.0, sum.1 + term.1);
            }
        }
    }
    found.into_iter().map(|(part, texts)| (part, texts.into_values().collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ScoreOptions, ScoredDialogue, score, testing};

    fn side(name: &str, letters: &[String]) -> ComparedRun {
        let of = |(index, letters): (u64, &String)| ScoredDialogue {
            dialogue: "talk".to_owned(),
            index,
            slice: Some(if index % 2 == 0 { "even" } else { "odd" }.to_owned()),
            ..testing::dialogue(letters)
        };
        let dialogues: Vec<ScoredDialogue> = (0..).zip(letters).map(of).collect();
        ComparedRun::new(name.to_owned(), &score(&dialogues, &ScoreOptions::default()))
    }

    fn found(by: SplitBy) -> Vec<(String, f64, f64, MoveVerdict)> {
        // A failing turn misses `format` and holds `length`. The second run fails on odd dialogues.
        let good: Vec<String> = (0..24).map(|_| "SSSS".to_owned()).collect();
        let bad: Vec<String> =
            (0..24).map(|at| if at % 2 == 0 { "SSSS" } else { "SFSF" }.to_owned()).collect();
        let sides = [side("one", &good), side("other", &bad)];
        let isr = crate::Metric::named("ISR").map(ComparedMetric::from).unwrap();
        let moves = moves(&sides, by, &isr);
        let parts = moves.into_iter().flat_map(|moves| moves.parts);
        parts.map(|it| (it.part, it.first, it.second, it.verdict)).collect()
    }

    #[test]
    fn planted_differences_are_found_and_others_are_not() {
        let unclear =
            |part: &str, share: f64| (part.to_owned(), share, share, MoveVerdict::Unclear);
        let worse = |part: &str, share: f64| (part.to_owned(), 1.0, share, MoveVerdict::Regressed);
        assert_eq!(found(SplitBy::Group), [worse("format", 0.75), unclear("length", 1.0)]);
        let by_turn = [worse("2", 0.75), worse("4", 0.75), unclear("1", 1.0), unclear("3", 1.0)];
        assert_eq!(found(SplitBy::Turn), by_turn);
        // The metric on each slice.
        assert_eq!(found(SplitBy::Slice), [worse("odd", 0.5), unclear("even", 1.0)]);
        assert!(found(SplitBy::Round).is_empty() && found(SplitBy::Tag).is_empty());
    }
}
