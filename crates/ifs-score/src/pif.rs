//! How many of its instructions a response follows, and how reliably: the scores of MMMT-IF
//! (arXiv:2409.18216, section 3).
//!
//! The paper's instructions are active constraints. Here requirements and relations count as well.
//! Facts, which a right answer states, do not: the paper scores answers separately, and here
//! `points` does. If a turn has only facts, they count, so that runs of such scenarios can be
//! compared too. A turn without instructions has no term; in the paper it counts 1, as in
//! `PIF_as_released`.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::statistics::{RatioTerm, clusters};
use super::{
    CriterionKind, DialogueSource, Direction, Measurement, Metric, MetricUnit, Outcome,
    OutcomeTally, ScoredConstraint, ScoredDialogue, ScoredTurn,
};

pub(super) const PIF: Metric = Metric {
    name: "PIF",
    doc: "share of the instructions that a response follows, averaged over turns and then over \
          dialogues",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "MMMT-IF, section 3.1, PIF(D) = 1/M Σᵢ Σⱼ PIF(Xᵢⱼ, Yᵢⱼ) / Nᵢ, over the turns with instructions; facts count only if a turn has nothing else",
    on_request: true,
    part: |dialogue| mean_of_turns(dialogue, followed),
    whole: |terms, _| Measurement::ratio(terms, UNJUDGED),
};

pub(super) const PIF_AS_RELEASED: Metric = Metric {
    name: "PIF_as_released",
    doc: "PIF of constraints alone, in which a turn without any counts as 1",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "MMMT-IF, section 3.1, PIF(X, Y) = 1 where no instruction is given",
    on_request: true,
    part: |dialogue| mean_of_turns(dialogue, as_released),
    whole: |terms, _| Measurement::ratio(terms, UNJUDGED),
};

pub(super) const PIF_N_1: Metric = Metric {
    name: "PIF_N_1",
    doc: "turns on which at least one of N responses follows everything",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "MMMT-IF, section 3.2, PIF-N-K(D) with K = 1",
    on_request: true,
    part: |dialogue| consistent(dialogue, |_| 1),
    whole: most_responses_ratio,
};

pub(super) const PIF_N_N: Metric = Metric {
    name: "PIF_N_N",
    doc: "turns on which all N responses follow everything",
    unit: MetricUnit::Share,
    direction: Direction::HigherIsBetter,
    source: "MMMT-IF, section 3.2, PIF-N-K(D) with K = N",
    on_request: true,
    part: |dialogue| consistent(dialogue, |answers| answers),
    whole: most_responses_ratio,
};

/// An exact share, so that equal ones are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExactShare {
    pub held: u64,
    /// The denominator, at least 1.
    pub of: u64,
}

impl ExactShare {
    pub fn number(self) -> f64 {
        self.held as f64 / self.of as f64
    }

    /// Compares two shares exactly.
    #[must_use]
    pub fn compare(self, other: ExactShare) -> Ordering {
        let wide = u128::from;
        (wide(self.held) * wide(other.of)).cmp(&(wide(other.held) * wide(self.of)))
    }

    /// The mean of some shares, as an exact fraction as long as its terms fit into 31 bits, so that
    /// equal means are equal; otherwise the nearest multiple of 2⁻³⁰. `None` for no shares.
    #[must_use]
    pub fn mean(shares: &[ExactShare]) -> Option<ExactShare> {
        const MAX_DENOMINATOR: u128 = 1 << 31;
        let exact = |sum: Option<(u128, u128)>, share: &ExactShare| {
            let (held, of) = sum?;
            let (more, by) = (u128::from(share.held), u128::from(share.of));
            let added = held.checked_mul(by)?.checked_add(more.checked_mul(of)?)?;
            Some(reduced(added, of.checked_mul(by)?))
        };
        let number = shares.len() as u128;
        let sum = shares.iter().fold(Some((0, 1)), exact);
        let mean = sum.map(|(held, of)| reduced(held, of * number.max(1)));
        match mean.filter(|(_, of)| *of < MAX_DENOMINATOR) {
            _ if shares.is_empty() => None,
            Some((held, of)) => Some(ExactShare { held: held as u64, of: of as u64 }),
            None => {
                const ROUNDED_DENOMINATOR: u64 = 1 << 30;
                let mean = shares.iter().map(|share| share.number()).sum::<f64>() / number as f64;
                Some(ExactShare {
                    held: (mean * ROUNDED_DENOMINATOR as f64).round() as u64,
                    of: ROUNDED_DENOMINATOR,
                })
            }
        }
    }
}

/// A fraction in lowest terms.
fn reduced(above: u128, below: u128) -> (u128, u128) {
    let (mut one, mut other) = (above, below);
    while other > 0 {
        (one, other) = (other, one % other);
    }
    (above / one.max(1), below / one.max(1))
}

/// The instructions that PIF counts: everything except facts and `void`, or facts if there is
/// nothing else.
fn counted(constraints: &[Arc<ScoredConstraint>]) -> impl Iterator<Item = &Arc<ScoredConstraint>> {
    let is_instruction = |one: &Arc<ScoredConstraint>| {
        !matches!(one.kind, Some(CriterionKind::Fact | CriterionKind::Void))
    };
    let any = constraints.iter().any(is_instruction);
    constraints.iter().filter(move |one| !any || is_instruction(one))
}

fn tally(constraints: &[Arc<ScoredConstraint>]) -> OutcomeTally {
    let mut tally = OutcomeTally::default();
    counted(constraints).for_each(|one| tally.count(one.outcome));
    tally
}

/// The share of judged instructions that a response follows; `None` for an empty turn, and if an
/// unjudged instruction could be missed.
#[must_use]
pub fn followed(constraints: &[Arc<ScoredConstraint>]) -> Option<ExactShare> {
    let tally = tally(constraints);
    tally.is_decided().then(|| ExactShare { held: tally.held, of: tally.judged() })
}

/// The PIF of a response as the paper defines it: over constraints, and 1 without any.
fn as_released(constraints: &[Arc<ScoredConstraint>]) -> Option<ExactShare> {
    let mut tally = OutcomeTally::default();
    instructions(constraints).for_each(|one| tally.count(one.outcome));
    match (tally.judged(), tally.unjudged) {
        (0, 0) => Some(ExactShare { held: 1, of: 1 }),
        (of, _) => tally.is_decided().then_some(ExactShare { held: tally.held, of }),
    }
}

/// The constraints among the items of a response.
fn instructions(
    constraints: &[Arc<ScoredConstraint>],
) -> impl Iterator<Item = &Arc<ScoredConstraint>> {
    constraints.iter().filter(|one| one.kind.is_none())
}

/// A dialogue's mean over the turns that have a share.
fn mean_of_turns(
    dialogue: &ScoredDialogue,
    share: fn(&[Arc<ScoredConstraint>]) -> Option<ExactShare>,
) -> Option<RatioTerm> {
    let turns = dialogue.turns.iter().filter_map(|turn| share(&turn.constraints));
    let shares: Vec<f64> = turns.map(ExactShare::number).collect();
    super::statistics::mean(&shares).map(|mean| dialogue.term(mean))
}

const UNJUDGED: &str = "no turn was judged";

/// How many of a turn's responses follow everything, and the number of responses; `None` for an
/// empty turn, and if the result depends on something unjudged.
fn fully_followed(turn: &ScoredTurn) -> Option<(usize, usize)> {
    let mut count = 0;
    let answers = std::iter::once(&turn.constraints).chain(&turn.samples);
    for answer in answers {
        let tally = tally(answer);
        match (tally.held, tally.missed, tally.unjudged) {
            (0, 0, 0) => return None,
            (_, 0, 0) => count += 1,
            (_, 0, _) => return None,
            (_, _, _) => {}
        }
    }
    Some((count, 1 + turn.samples.len()))
}

/// The maximum number of responses to a turn: the paper's N.
fn most_answers(dialogue: &ScoredDialogue) -> usize {
    dialogue.turns.iter().map(|turn| 1 + turn.samples.len()).max().unwrap_or(0)
}

/// PIF-N-K over the turns with the most responses of a dialogue; the count is their number.
fn consistent(dialogue: &ScoredDialogue, wanted: fn(usize) -> usize) -> Option<RatioTerm> {
    let most = most_answers(dialogue);
    let term = |turn: &ScoredTurn| {
        let (perfect, _) = fully_followed(turn).filter(|(_, answers)| *answers == most)?;
        Some(if perfect >= wanted(most) { 1.0 } else { 0.0 })
    };
    let none = RatioTerm { below: 0.0, ..dialogue.term(0.0) };
    let part = dialogue.turns_part(term).unwrap_or(none);
    (most > 0).then_some(RatioTerm { count: most as u64, ..part })
}

/// The ratio over the dialogues that have turns with N responses.
fn most_responses_ratio(terms: &[RatioTerm], _: usize) -> Measurement {
    let most = terms.iter().map(|term| term.count).max().unwrap_or(0);
    let of_most = terms.iter().filter(|term| term.count == most && term.below > 0.0);
    let note = match most {
        0 | 1 => Some("with one response per turn; `sample N` requests more".to_owned()),
        most => Some(format!("N is {most}")),
    };
    Measurement::ratio(&of_most.copied().collect::<Vec<_>>(), UNJUDGED).with_note(note)
}

/// A mean PIF over a group of turns, with the 95 % interval of a Bernoulli variable with that mean:
/// the widest for values from 0 to 1 (section 5.1). Its number of observations is the number of
/// distinct dialogues, since turns of one dialogue and repeats of one text are correlated. With one
/// turn of each dialogue, it is the interval of the paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct PifMean {
    pub name: String,
    pub mean: f64,
    pub low: f64,
    pub high: f64,
    /// The number of terms of the mean.
    pub count: u64,
    /// The number of their distinct dialogues.
    #[serde(default)]
    pub distinct: u64,
}

impl PifMean {
    fn from_terms(name: String, terms: &[RatioTerm]) -> Option<PifMean> {
        let sum: f64 = terms.iter().map(|term| term.above).sum();
        let distinct = clusters(terms).len();
        if distinct == 0 {
            return None;
        }
        let mean = sum / terms.len() as f64;
        let half = 1.96 * (mean * (1.0 - mean) / distinct as f64).max(0.0).sqrt();
        let (low, high) = ((mean - half).max(0.0), (mean + half).min(1.0));
        let (count, distinct) = (terms.len() as u64, distinct as u64);
        Some(PifMean { name, mean, low, high, count, distinct })
    }
}

/// PIF on parts of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct Profile {
    /// By turn number.
    pub by_turn: Vec<PifMean>,
    /// By the number of instructions.
    pub by_given: Vec<PifMean>,
    /// By constraint, over the turns on which it is active, or by the name of a criterion.
    pub by_instruction: Vec<PifMean>,
    /// By constraint, the rate by turns since it was imposed: it shows when constraints are
    /// forgotten. A criterion belongs to one turn and has no age.
    pub by_age: Vec<PifMean>,
    /// PIF-N-K for each K from 1 to N.
    pub by_answers: Vec<PifMean>,
}

/// Computes PIF on the parts of a run.
#[must_use]
pub fn profile(dialogues: &impl DialogueSource) -> Profile {
    let (mut by_turn, mut by_given) = (Terms::<u32>::default(), Terms::<usize>::default());
    let (mut by_instruction, mut by_age) = (Terms::<String>::default(), Terms::<u32>::default());
    let mut by_answers = Terms::<usize>::default();
    // The terms of the turns with the most responses so far.
    let mut most = 0;
    for (at, dialogue) in (0..).zip(dialogues.each()) {
        let text = dialogue.text.or(Some(at));
        let term = |above: f64| RatioTerm { text, ..dialogue.term(above) };
        let truth = |holds: bool| term(if holds { 1.0 } else { 0.0 });
        if most_answers(&dialogue) > most {
            most = most_answers(&dialogue);
            by_answers = Terms::default();
        }
        for turn in &dialogue.turns {
            if let Some(share) = followed(&turn.constraints).map(ExactShare::number) {
                by_turn.add(turn.turn, term(share));
                by_given.add(counted(&turn.constraints).count(), term(share));
                for one in counted(&turn.constraints) {
                    by_instruction.add_named(&one.constraint, term(share));
                }
            }
            let judged = |one: &&Arc<ScoredConstraint>| one.outcome != Outcome::Unjudged;
            for one in instructions(&turn.constraints).filter(judged) {
                by_age.add(one.age, truth(one.outcome == Outcome::Held));
            }
            if let Some((perfect, answers)) = fully_followed(turn)
                && answers == most
            {
                (1..=most).for_each(|wanted| by_answers.add(wanted, truth(perfect >= wanted)));
            }
        }
    }
    Profile {
        by_turn: by_turn.points(),
        by_given: by_given.points(),
        by_instruction: by_instruction.points(),
        by_age: by_age.points(),
        by_answers: by_answers.points(),
    }
}

struct Terms<K>(BTreeMap<K, Vec<RatioTerm>>);

impl<K> Default for Terms<K> {
    fn default() -> Terms<K> {
        Terms(BTreeMap::new())
    }
}

impl Terms<String> {
    /// Copies the name only if it is new.
    fn add_named(&mut self, name: &str, term: RatioTerm) {
        match self.0.get_mut(name) {
            Some(terms) => terms.push(term),
            None => self.add(name.to_owned(), term),
        }
    }
}

impl<K: Ord + ToString> Terms<K> {
    fn add(&mut self, key: K, term: RatioTerm) {
        self.0.entry(key).or_default().push(term);
    }

    fn points(self) -> Vec<PifMean> {
        self.0
            .into_iter()
            .filter_map(|(key, terms)| PifMean::from_terms(key.to_string(), &terms))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DecisionMethod, Ending};
    use super::*;
    use ifs_model::table::Speaker;

    /// `hm?` are held, missed and unjudged; the first letter is the oldest.
    fn answer(marks: &str) -> Vec<Arc<ScoredConstraint>> {
        let count = marks.len() as u32;
        let one = |(at, mark): (usize, char)| ScoredConstraint {
            speaker: Speaker::User,
            loose: false,
            constraint: format!("c{at}"),
            group: format!("c{at}"),
            outcome: match mark {
                'h' => Outcome::Held,
                'm' => Outcome::Missed,
                _ => Outcome::Unjudged,
            },
            age: count - 1 - at as u32,
            by: DecisionMethod::Rule,
            why: None,
            mark: None,
            weight: None,
            kind: None,
            tags: Vec::new(),
            points: None,
        };
        marks.chars().enumerate().map(one).map(Arc::new).collect()
    }

    fn dialogue(turns: &[&[&str]]) -> ScoredDialogue {
        let turn = |(at, answers): (usize, &&[&str])| ScoredTurn {
            turn: at as u32 + 1,
            constraints: answer(answers[0]),
            samples: answers[1..].iter().map(|marks| answer(marks)).collect(),
            ..ScoredTurn::default()
        };
        ScoredDialogue {
            dialogue: "album".to_owned(),
            index: 0,
            seed: 1,
            turns: turns.iter().enumerate().map(turn).collect(),
            ending: Ending::Script,
            slice: None,
            reacts: false,
            text: None,
        }
    }

    fn number(metric: Metric, dialogues: &[ScoredDialogue]) -> Option<f64> {
        metric.compute(dialogues).number()
    }

    /// Every chat has the same weight, independent of its length. A turn without instructions has no
    /// term; in the paper it counts 1.
    #[test]
    fn a_mean_of_means() {
        let chats = [dialogue(&[&[""], &["hm"]]), dialogue(&[&["m"]])];
        assert_eq!(number(PIF, &chats), Some((0.5 + 0.0) / 2.0));
        assert_eq!(number(PIF_AS_RELEASED, &chats), Some((0.75 + 0.0) / 2.0));
        assert_eq!(number(PIF, &[dialogue(&[&["?"]])]), None);
        // An unjudged instruction may be missed, so the share of an undecided turn would be too
        // high.
        assert_eq!(followed(&answer("hh?")), None);
        assert_eq!(followed(&answer("hm?")), Some(ExactShare { held: 1, of: 2 }));
        assert_eq!(number(PIF_N_N, &chats), Some(0.0));
    }

    /// A right answer is not an instruction: it counts only if there is nothing else.
    #[test]
    fn facts_are_scored_separately() {
        let mut chat = dialogue(&[&["hm"], &["h"]]);
        Arc::make_mut(&mut chat.turns[0].constraints[1]).kind = Some(CriterionKind::Fact);
        assert_eq!(number(PIF, &[chat.clone()]), Some(1.0));
        assert_eq!(number(PIF_N_N, &[chat.clone()]), Some(1.0));
        assert_eq!(profile(&[chat.clone()]).by_given.len(), 1);
        Arc::make_mut(&mut chat.turns[0].constraints[0]).kind = Some(CriterionKind::Void);
        assert_eq!(number(PIF, &[chat]), Some(0.75));
    }

    /// Requirements and relations count like constraints.
    #[test]
    fn pif_includes_criteria() {
        let mut chat = dialogue(&[&["hm"], &["h"]]);
        Arc::make_mut(&mut chat.turns[0].constraints[1]).kind = Some(CriterionKind::Requirement);
        assert_eq!(number(PIF, &[chat.clone()]), Some(0.75));
        assert_eq!(number(PIF_AS_RELEASED, &[chat.clone()]), Some(1.0));
        assert_eq!(number(PIF_N_1, &[chat.clone()]), Some(0.5));
        // A criterion has no age.
        assert_eq!(profile(&[chat]).by_age.iter().map(|point| point.count).sum::<u64>(), 2);
    }

    #[test]
    fn means_of_shares_are_exact() {
        let share = |held, of| ExactShare { held, of };
        assert_eq!(ExactShare::mean(&[share(1, 3), share(2, 4), share(1, 6)]), Some(share(1, 3)));
        assert_eq!(ExactShare::mean(&[share(0, 7), share(0, 5)]), Some(share(0, 1)));
        assert_eq!(ExactShare::mean(&[]), None);
        // The product of thirteen primes does not fit into 31 bits.
        let primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41];
        let near = ExactShare::mean(&primes.map(|prime| share(1, prime))).unwrap();
        let wanted = primes.map(|prime| 1.0 / prime as f64).iter().sum::<f64>() / 13.0;
        assert!((near.number() - wanted).abs() < 1e-9);
    }

    #[test]
    fn at_least_k_of_n() {
        let chats = [dialogue(&[&["h", "h", "h"], &["hm", "hh", "mm"], &["m", "m", "m"]])];
        assert_eq!(number(PIF_N_1, &chats), Some(2.0 / 3.0));
        assert_eq!(number(PIF_N_N, &chats), Some(1.0 / 3.0));
        let by_answers = profile(&chats).by_answers;
        let means: Vec<f64> = by_answers.iter().map(|point| point.mean).collect();
        assert_eq!(means, [2.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]);
        // A sample that could not be judged decides nothing.
        assert_eq!(number(PIF_N_N, &[dialogue(&[&["h", "?"]])]), None);
    }

    #[test]
    fn miss_locations() {
        let profile = profile(&[dialogue(&[&["h"], &["mh"], &["mhh"]])]);
        let of = |points: &[PifMean]| -> Vec<(String, f64, u64)> {
            points.iter().map(|point| (point.name.clone(), point.mean, point.count)).collect()
        };
        assert_eq!(of(&profile.by_turn)[1], ("2".to_owned(), 0.5, 1));
        assert_eq!(of(&profile.by_given)[2], ("3".to_owned(), 2.0 / 3.0, 1));
        assert_eq!(of(&profile.by_age)[0], ("0".to_owned(), 1.0, 3));
        assert_eq!(of(&profile.by_age)[1], ("1".to_owned(), 0.5, 2));
        assert_eq!(of(&profile.by_age)[2], ("2".to_owned(), 0.0, 1));
        assert_eq!(of(&profile.by_instruction)[2], ("c2".to_owned(), 2.0 / 3.0, 1));
    }

    #[test]
    fn the_interval_of_the_paper() {
        let term =
            |text: u64, above: f64| RatioTerm { text: Some(text), above, below: 1.0, count: 0 };
        let terms = [term(0, 1.0), term(1, 0.0), term(2, 1.0), term(3, 0.0)];
        let point = PifMean::from_terms(String::new(), &terms).unwrap();
        assert!((point.high - 0.99).abs() < 1e-12 && (point.low - 0.01).abs() < 1e-12);
        // Two texts, twice each, are two observations.
        let repeated = terms.map(|term| RatioTerm { text: term.text.map(|text| text % 2), ..term });
        let wider = PifMean::from_terms(String::new(), &repeated).unwrap();
        assert_eq!((wider.mean, wider.low, wider.high, wider.distinct), (0.5, 0.0, 1.0, 2));
    }
}
