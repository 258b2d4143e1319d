//! Comparison of runs: several models, or several variants, on the same turns.
//!
//! The quantity compared is the share of a turn's instructions that its first response follows
//! (constraints, requirements, facts, relations). It is an exact fraction, so equal shares are ties
//! without rounding errors. A turn without instructions is not compared.
//!
//! Turns are matched by what they are judged on, so that variants with the same questions after
//! more or fewer turns are compared question by question. Other turns are matched by number.
//!
//! Repeats of one text are one observation: on each turn of a text, the shares of its repeats are
//! averaged first. Turns of one dialogue are correlated, so the unit of every standard error and
//! test is the distinct dialogue.

mod bias;
mod correlation;
mod differences;
mod dominance;
mod equate;
mod log_rank;
mod marked;
mod mcnemar;
mod metric_comparison;
mod moved;
mod preferences;
mod randomization;
mod seeds;
mod side;
mod split;
mod wilcoxon;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

pub use bias::{AnswerMark, Bias, BiasRow, MarksError, bias, read_marks};
pub use correlation::{pearson, ranks, spearman};
pub use differences::{DifferenceKind, TurnDifference, differences};
pub use dominance::{DistributionStep, Dominance, distribution, dominates};
pub use equate::{Anchors, Equated, Estimate, anchors, equate};
pub use log_rank::{LogRank, SurvivalTime, log_rank};
pub use marked::{Marked, MarkedRuns, marked};
pub use mcnemar::{McNemar, PairedTurns, mcnemar};
pub use metric_comparison::{
    MetricComparison, MetricPair, MetricValue, SIGNIFICANCE_LEVEL, compare_metric,
};
pub use moved::{MoveVerdict, Moves, PartMove, moves};
pub use preferences::{Preference, preferences};
pub use randomization::{Pairing, RandomizationTest, holm, randomization};
pub use seeds::{Seeds, seeds};
pub use side::{ComparedDialogue, ComparedRun, DialogueKey};
pub use split::{
    BreakdownTable, ROUND_METRICS, SplitBy, SplitColumn, SplitRow, first_dialogues, split,
};
pub use wilcoxon::{Method, Wilcoxon, wilcoxon};

use crate::{ExactShare, ratio_error};

/// The comparison of several runs.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct RunComparison {
    pub sides: Vec<RunSummary>,
    pub pairs: Vec<RunPair>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct RunSummary {
    pub name: String,
    pub dialogues: usize,
    /// Distinct texts among the dialogues.
    pub distinct: usize,
    /// Turns with a share.
    pub turns: usize,
    /// Turns with instructions none of which was judged; they are left out.
    pub unjudged: usize,
    pub pif: Option<f64>,
    /// The empirical distribution of the share over all turns.
    pub distribution: Vec<DistributionStep>,
}

/// Two runs, on the turns that both have.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct RunPair {
    pub one: String,
    pub other: String,
    /// Turns of distinct dialogues that both runs have.
    pub turns: usize,
    /// The distinct dialogues of these turns.
    pub dialogues: usize,
    /// The mean difference of `one` minus `other`, turn by turn.
    pub difference: f64,
    /// The standard error of the difference, with the distinct dialogue as the unit; `None` with
    /// fewer than two.
    pub standard_error: Option<f64>,
    /// Distinct dialogues in which the first run followed more on average, as much, and less.
    pub wins: usize,
    pub ties: usize,
    pub losses: usize,
    /// The distinct dialogues that differ most, largest difference first.
    pub most: Vec<DialogueDifference>,
    /// The test on the mean shares of distinct dialogues.
    pub wilcoxon: Wilcoxon,
    /// The test on turns on which only one of the runs succeeds.
    pub mcnemar: McNemar,
    /// The test on when patience ran out; `None` if it never did while both were in play.
    pub log_rank: Option<LogRank>,
    /// First-order stochastic dominance over all turns.
    pub dominance: Dominance,
    /// The same for the turns of each number.
    pub by_turn: Vec<TurnDominance>,
    /// Turns and dialogues of only one run, which are left out.
    pub unmatched: Unmatched,
}

/// A dialogue in two runs; of repeats of a text the first.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct DialogueDifference {
    pub dialogue: String,
    pub index: u64,
    /// The mean difference of the first run minus the second, turn by turn.
    pub difference: f64,
    /// Turns that both have.
    pub turns: usize,
}

/// How many dialogues are listed as those that differ most.
const MAX_LISTED_DIALOGUES: usize = 5;

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct TurnDominance {
    pub turn: u32,
    pub count: usize,
    pub difference: f64,
    pub dominance: Dominance,
}

/// Turns and dialogues of only one of two runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Unmatched {
    /// Indexes of dialogues that only the first run has, and only the second.
    pub only_one: Vec<u64>,
    pub only_other: Vec<u64>,
    /// Turns with a share in only the first run, and only the second, in dialogues that both have:
    /// the other run's dialogue ended earlier, or the turn was not judged there.
    pub turns_one: usize,
    pub turns_other: usize,
    /// Turns of both runs with this number whose messages so far differ, because the responses led
    /// the dialogues to other turns.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub parted: usize,
}

/// Compares every two of several runs.
#[must_use]
pub fn compare(sides: &[ComparedRun]) -> RunComparison {
    let mut pairs = Vec::new();
    for (at, one) in sides.iter().enumerate() {
        pairs.extend(sides[at + 1..].iter().map(|other| pair(one, other)));
    }
    RunComparison { sides: sides.iter().map(summary).collect(), pairs }
}

fn summary(side: &ComparedRun) -> RunSummary {
    let texts: BTreeSet<u64> = side.dialogues.values().map(|held| held.text).collect();
    let shares: Vec<ExactShare> =
        side.dialogues.values().flat_map(|held| held.shares()).map(|(_, share)| share).collect();
    RunSummary {
        name: side.name.clone(),
        dialogues: side.dialogues.len(),
        distinct: texts.len(),
        turns: shares.len(),
        unjudged: side.dialogues.values().map(ComparedDialogue::unjudged).sum(),
        pif: pif(side),
        distribution: distribution(&shares),
    }
}

fn pif(side: &ComparedRun) -> Option<f64> {
    side.metrics.iter().find(|score| score.name == "PIF")?.measured.number()
}

fn pair(one: &ComparedRun, other: &ComparedRun) -> RunPair {
    let texts = number_texts(one, other);
    let matched = matched(one, other, &texts);
    let mut by_turn: BTreeMap<u32, Vec<(ExactShare, ExactShare)>> = BTreeMap::new();
    let mut by_text: BTreeMap<u64, Vec<(ExactShare, ExactShare)>> = BTreeMap::new();
    for ((text, turn), shares) in &matched {
        by_turn.entry(*turn).or_default().push(*shares);
        by_text.entry(*text).or_default().push(*shares);
    }
    let most = most_different_dialogues(&texts, &by_text);
    let all: Vec<(ExactShare, ExactShare)> = matched.into_values().collect();
    let clusters: Vec<(f64, f64)> =
        by_text.values().map(|turns| (total_difference(turns), turns.len() as f64)).collect();
    let means: Vec<(ExactShare, ExactShare)> =
        by_text.values().filter_map(|turns| mean(turns)).collect();
    let count = |wanted: Ordering| {
        means.iter().filter(|(mine, theirs)| mine.compare(*theirs) == wanted).count()
    };
    let by_turn = by_turn.iter().map(|(turn, pairs)| TurnDominance {
        turn: *turn,
        count: pairs.len(),
        difference: difference(pairs),
        dominance: dominates(pairs),
    });
    RunPair {
        one: one.name.clone(),
        other: other.name.clone(),
        turns: all.len(),
        dialogues: by_text.len(),
        difference: difference(&all),
        standard_error: ratio_error(&clusters),
        wins: count(Ordering::Greater),
        ties: count(Ordering::Equal),
        losses: count(Ordering::Less),
        most,
        wilcoxon: wilcoxon(&means),
        mcnemar: mcnemar(&successes(one, other, &texts)),
        log_rank: log_rank(&survival_times(one, &texts), &survival_times(other, &texts)),
        dominance: dominates(&all),
        by_turn: by_turn.collect(),
        unmatched: unmatched(one, other),
    }
}

/// The dialogues that differ most, without those that do not differ.
fn most_different_dialogues(
    texts: &BTreeMap<&DialogueKey, u64>,
    by_text: &BTreeMap<u64, Vec<(ExactShare, ExactShare)>>,
) -> Vec<DialogueDifference> {
    let places = distinct_dialogues(texts).filter_map(|place| {
        let turns = by_text.get(texts.get(place)?)?;
        let (dialogue, index) = place.clone();
        let difference = difference(turns);
        Some(DialogueDifference { dialogue, index, difference, turns: turns.len() })
    });
    let mut all: Vec<DialogueDifference> = places.filter(|it| it.difference != 0.0).collect();
    // Equal ones stay in the order of the run.
    all.sort_by(|one, other| other.difference.abs().total_cmp(&one.difference.abs()));
    all.truncate(MAX_LISTED_DIALOGUES);
    all
}

/// A number for each dialogue that both runs have; dialogues with the same text in either run share
/// a number.
fn number_texts<'s>(one: &'s ComparedRun, other: &ComparedRun) -> BTreeMap<&'s DialogueKey, u64> {
    // The numbers of texts in the first and the second run: where two meet, both become the
    // smaller.
    let mut numbers: BTreeMap<(bool, u64), u64> = BTreeMap::new();
    let both = || {
        one.dialogues.iter().filter_map(|(place, held)| {
            Some((place, (true, held.text), (false, other.dialogues.get(place)?.text)))
        })
    };
    for (next, (_, mine, theirs)) in (0..).zip(both()) {
        let found = [mine, theirs].map(|text| numbers.get(&text).copied().unwrap_or(next));
        let number = found[0].min(found[1]);
        numbers.values_mut().filter(|it| found.contains(it)).for_each(|it| *it = number);
        numbers.extend([(mine, number), (theirs, number)]);
    }
    both().map(|(place, mine, _)| (place, numbers.get(&mine).copied().unwrap_or(0))).collect()
}

/// The shares of both runs on each turn of each text; means over repeats.
fn matched(
    one: &ComparedRun,
    other: &ComparedRun,
    texts: &BTreeMap<&DialogueKey, u64>,
) -> BTreeMap<(u64, u32), (ExactShare, ExactShare)> {
    let mut found: BTreeMap<(u64, u32), Vec<(ExactShare, ExactShare)>> = BTreeMap::new();
    for (place, text) in texts {
        let (Some(mine), Some(theirs)) = (one.dialogues.get(*place), other.dialogues.get(*place))
        else {
            continue;
        };
        for (turn, share, other) in mine.match_turns(theirs) {
            found.entry((*text, turn)).or_default().push((share, other));
        }
    }
    found.into_iter().filter_map(|(at, repeats)| Some((at, mean(&repeats)?))).collect()
}

/// The successes on each turn that is decided in both runs, by distinct dialogue: of repeats of a text
/// the first.
fn successes(
    one: &ComparedRun,
    other: &ComparedRun,
    texts: &BTreeMap<&DialogueKey, u64>,
) -> Vec<PairedTurns> {
    let pairs = distinct_dialogues(texts).filter_map(|place| {
        let (mine, theirs) = (one.dialogues.get(place)?, other.dialogues.get(place)?);
        let mut turns = PairedTurns::default();
        for (first, second) in mine.successes_beside(theirs) {
            turns.add(first, second);
        }
        Some(turns)
    });
    pairs.collect()
}

/// How long each distinct dialogue that both runs have lasted in one of them.
fn survival_times(side: &ComparedRun, texts: &BTreeMap<&DialogueKey, u64>) -> Vec<SurvivalTime> {
    distinct_dialogues(texts).filter_map(|place| Some(side.dialogues.get(place)?.life)).collect()
}

/// The first place of each text.
fn distinct_dialogues<'p>(
    texts: &BTreeMap<&'p DialogueKey, u64>,
) -> impl Iterator<Item = &'p DialogueKey> {
    let mut seen = BTreeSet::new();
    texts.iter().filter(move |(_, text)| seen.insert(**text)).map(|(place, _)| *place)
}

fn mean(pairs: &[(ExactShare, ExactShare)]) -> Option<(ExactShare, ExactShare)> {
    let side = |side: fn(&(ExactShare, ExactShare)) -> ExactShare| -> Vec<ExactShare> {
        pairs.iter().map(side).collect()
    };
    Some((ExactShare::mean(&side(|pair| pair.0))?, ExactShare::mean(&side(|pair| pair.1))?))
}

fn unmatched(one: &ComparedRun, other: &ComparedRun) -> Unmatched {
    let only = |this: &ComparedRun, that: &ComparedRun| -> Vec<u64> {
        let lacks = |place: &&DialogueKey| !that.dialogues.contains_key(*place);
        this.dialogues.keys().filter(lacks).map(|(_, index)| *index).collect()
    };
    let turns = |this: &ComparedRun, that: &ComparedRun| {
        let of = |(place, held): (&DialogueKey, &ComparedDialogue)| {
            let Some(theirs) = that.dialogues.get(place) else { return 0 };
            held.shares().count() - held.match_turns(theirs).len()
        };
        this.dialogues.iter().map(of).sum()
    };
    let parted = one.dialogues.iter().filter_map(|(place, held)| {
        let theirs = other.dialogues.get(place)?;
        Some(held.shares().filter(|(turn, _)| held.had_other_messages(theirs, *turn)).count())
    });
    Unmatched {
        parted: parted.sum(),
        only_one: only(one, other),
        only_other: only(other, one),
        turns_one: turns(one, other),
        turns_other: turns(other, one),
    }
}

fn total_difference(pairs: &[(ExactShare, ExactShare)]) -> f64 {
    pairs.iter().map(|(mine, theirs)| mine.number() - theirs.number()).sum()
}

fn difference(pairs: &[(ExactShare, ExactShare)]) -> f64 {
    if pairs.is_empty() { 0.0 } else { total_difference(pairs) / pairs.len() as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ScoreOptions, ScoredDialogue, score, testing};

    /// A run of dialogues, each with its text and turns.
    fn side(name: &str, dialogues: &[(u64, &str)]) -> ComparedRun {
        let of = |(index, (text, letters)): (u64, &(u64, &str))| ScoredDialogue {
            dialogue: "talk".to_owned(),
            index,
            text: Some(*text),
            ..testing::dialogue(letters)
        };
        let dialogues: Vec<ScoredDialogue> = (0..).zip(dialogues).map(of).collect();
        let card = score(&dialogues, &ScoreOptions::default());
        ComparedRun::new(name.to_owned(), &card)
    }

    fn two(one: &[(u64, &str)], other: &[(u64, &str)]) -> RunPair {
        pair(&side("one", one), &side("other", other))
    }

    #[test]
    fn the_dialogues_that_differ_most_come_first() {
        let found = two(
            &[(0, "SS"), (1, "SF"), (2, "SS"), (3, "FF"), (0, "SS")],
            &[(0, "SS"), (1, "SS"), (2, "FF"), (3, "FS"), (0, "SS")],
        );
        let most: Vec<(u64, f64)> = found.most.iter().map(|it| (it.index, it.difference)).collect();
        // A turn with a miss follows half of its constraints.
        assert_eq!(most, [(2, 0.5), (1, -0.25), (3, -0.25)]);
        assert_eq!((found.wins, found.ties, found.losses), (1, 1, 2));
    }

    /// Thirty dialogues that are two texts fifteen times each are two observations, so no one-sided
    /// test can give less than 1 in 4.
    #[test]
    fn repeats_are_one_observation() {
        let good: Vec<(u64, &str)> = (0..30).map(|at| (at % 2, "SS")).collect();
        let bad: Vec<(u64, &str)> = (0..30).map(|at| (at % 2, "FF")).collect();
        let found = two(&good, &bad);
        assert_eq!((found.dialogues, found.turns), (2, 4));
        assert_eq!((found.difference, found.standard_error), (0.5, Some(0.0)));
        assert_eq!((found.wilcoxon.differing, found.wilcoxon.first_larger), (2, 0.25));
        assert_eq!(found.dominance, Dominance::First);
        // The same as if each text had been run once.
        let once = two(&good[..2], &bad[..2]);
        assert_eq!(found.wilcoxon, once.wilcoxon);
        assert_eq!(found.standard_error, once.standard_error);
    }

    /// Repeats are averaged, so their number has no weight.
    #[test]
    fn repeats_are_averaged() {
        let found = two(&[(0, "S"), (0, "F"), (2, "S")], &[(0, "F"), (0, "F"), (2, "S")]);
        assert_eq!((found.dialogues, found.turns), (2, 2));
        assert_eq!(found.difference, 0.125);
    }

    /// The turns of a dialogue are one pair of the test, by their mean.
    #[test]
    fn a_dialogue_is_one_pair() {
        let found = two(&[(0, "SSSS"), (1, "SFSF")], &[(0, "FFFF"), (1, "FSFS")]);
        assert_eq!((found.turns, found.dialogues), (8, 2));
        assert_eq!(found.wilcoxon.differing, 1, "the second dialogue has equal means");
    }

    /// The same questions after three turns and after one turn, in another order.
    #[test]
    fn questions_are_compared_wherever_they_are_asked() {
        let held = |name: &str, turns: &[(char, u64)]| {
            let letters: String = turns.iter().map(|(letter, _)| *letter).collect();
            let dialogue = "talk".to_owned();
            let mut one = ScoredDialogue { dialogue, text: Some(0), ..testing::dialogue(&letters) };
            for (turn, (_, judged)) in one.turns.iter_mut().zip(turns) {
                turn.asked = Some(crate::TurnHash { messages: 0, judged: *judged });
            }
            ComparedRun::new(name.to_owned(), &score(&[one], &ScoreOptions::default()))
        };
        let many = held("many", &[('E', 0), ('E', 0), ('E', 0), ('S', 7), ('F', 8), ('F', 7)]);
        let one = held("one", &[('E', 0), ('S', 8), ('S', 7), ('S', 7)]);
        let found = pair(&many, &one);
        // The first question 7 is matched with the first, the second with the second, 8 with 8.
        let turns: Vec<(u32, f64)> =
            found.by_turn.iter().map(|turn| (turn.turn, turn.difference)).collect();
        assert_eq!(turns, [(4, 0.0), (5, -0.5), (6, -0.5)]);
        assert_eq!(found.unmatched, Unmatched::default());
        // Turns that are judged on something else are matched by number.
        let other = held("other", &[('E', 0), ('F', 9), ('F', 9), ('F', 9)]);
        assert_eq!(pair(&one, &other).turns, 3);
    }

    #[test]
    fn unmatched_turns_are_listed() {
        let found = two(&[(0, "SSS"), (1, "S"), (2, "S")], &[(0, "SE"), (1, "S")]);
        assert_eq!((found.turns, found.dialogues), (2, 2));
        let wanted = Unmatched { only_one: vec![2], turns_one: 2, ..Unmatched::default() };
        assert_eq!(found.unmatched, wanted);
    }

    #[test]
    fn repeats_in_one_run_are_one_text_in_both() {
        let found = two(
            &[(0, "S"), (1, "S"), (2, "S"), (3, "S")],
            &[(0, "S"), (0, "F"), (2, "S"), (2, "F")],
        );
        assert_eq!(found.dialogues, 2);
        assert_eq!(found.difference, 0.25);
    }
}
