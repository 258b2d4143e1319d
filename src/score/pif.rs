//! How many of the instructions in force an answer follows, and how surely: MMMT-IF's scores
//! (arXiv:2409.18216, section 3). An instruction is a constraint; criteria of a turn are none.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    Direction, Measured, Metric, Outcome, ScoredConstraint, ScoredDialogue, ScoredTurn, Tally, Unit,
};

pub(super) const PIF: Metric = Metric {
    name: "PIF",
    doc: "share of the instructions in force that an answer follows; 1 where there are none",
    unit: Unit::Share,
    direction: Direction::HigherIsBetter,
    source: "MMMT-IF, section 3.1, PIF(D) = 1/M Σᵢ Σⱼ PIF(Xᵢⱼ, Yᵢⱼ) / Nᵢ",
    on_request: true,
    compute: |dialogues| {
        let means: Vec<f64> = dialogues.iter().filter_map(dialogue_mean).collect();
        Measured::mean_of(&means, "no turn was judged")
    },
};

pub(super) const PIF_N_1: Metric = Metric {
    name: "PIF_N_1",
    doc: "turns on which at least one of N answers follows every instruction",
    unit: Unit::Share,
    direction: Direction::HigherIsBetter,
    source: "MMMT-IF, section 3.2, PIF-N-K(D) with K = 1",
    on_request: true,
    compute: |dialogues| consistent(dialogues, |_| 1),
};

pub(super) const PIF_N_N: Metric = Metric {
    name: "PIF_N_N",
    doc: "turns on which all N answers follow every instruction",
    unit: Unit::Share,
    direction: Direction::HigherIsBetter,
    source: "MMMT-IF, section 3.2, PIF-N-K(D) with K = N",
    on_request: true,
    compute: |dialogues| consistent(dialogues, |answers| answers),
};

/// A share as it is, so that equal ones are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    pub held: u64,
    /// At least 1.
    pub of: u64,
}

impl Share {
    pub fn number(self) -> f64 {
        self.held as f64 / self.of as f64
    }
}

/// The PIF of an answer: of the instructions that were judged; `None` when none of those given was.
#[must_use]
pub fn pif(constraints: &[ScoredConstraint]) -> Option<Share> {
    let mut tally = Tally::default();
    instructions(constraints).for_each(|one| tally.count(one.outcome));
    match (tally.judged(), tally.unjudged) {
        (0, 0) => Some(Share { held: 1, of: 1 }),
        (0, _) => None,
        (of, _) => Some(Share { held: tally.held, of }),
    }
}

fn instructions(constraints: &[ScoredConstraint]) -> impl Iterator<Item = &ScoredConstraint> {
    constraints.iter().filter(|one| one.kind.is_none())
}

fn dialogue_mean(dialogue: &ScoredDialogue) -> Option<f64> {
    let turns = dialogue.turns.iter().filter_map(|turn| pif(&turn.constraints));
    super::statistics::mean(&turns.map(Share::number).collect::<Vec<_>>())
}

/// How many of a turn's answers follow every instruction, and how many answers there are; `None`
/// when that hangs on something that was not judged.
fn perfect(turn: &ScoredTurn) -> Option<(usize, usize)> {
    let mut count = 0;
    let answers = std::iter::once(&turn.constraints).chain(&turn.samples);
    for answer in answers {
        let outcomes = || instructions(answer).map(|one| one.outcome);
        match (outcomes().any(Outcome::is_missed), outcomes().any(|it| it == Outcome::Unjudged)) {
            (true, _) => {}
            (false, true) => return None,
            (false, false) => count += 1,
        }
    }
    Some((count, 1 + turn.samples.len()))
}

/// The most answers that any turn has: the paper's N.
fn answers(dialogues: &[ScoredDialogue]) -> usize {
    let turns = dialogues.iter().flat_map(|dialogue| &dialogue.turns);
    turns.map(|turn| 1 + turn.samples.len()).max().unwrap_or(0)
}

/// PIF-N-K over all turns that have N answers.
fn consistent(dialogues: &[ScoredDialogue], wanted: fn(usize) -> usize) -> Measured {
    let most = answers(dialogues);
    let terms: Vec<f64> = dialogues
        .iter()
        .flat_map(|dialogue| &dialogue.turns)
        .filter_map(perfect)
        .filter(|(_, answers)| *answers == most)
        .map(|(perfect, _)| if perfect >= wanted(most) { 1.0 } else { 0.0 })
        .collect();
    let note = match most {
        0 | 1 => Some("of one answer a turn; `sample N` takes more".to_owned()),
        most => Some(format!("N is {most}")),
    };
    // Turns of one dialogue resemble each other, so no error is given for a mean over turns.
    let mut measured = Measured::mean_of(&terms, "no turn was judged");
    measured.standard_error = None;
    measured.with_note(note)
}

/// A mean PIF where something is the same, with the interval of 95 % that a Bernoulli variable of that
/// mean would have: the widest there is for values from 0 to 1 (section 5.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Point {
    pub name: String,
    pub mean: f64,
    pub low: f64,
    pub high: f64,
    /// Terms of the mean.
    pub count: u64,
}

impl Point {
    fn of(name: String, terms: &[f64]) -> Option<Point> {
        let mean = super::statistics::mean(terms)?;
        let half = 1.96 * (mean * (1.0 - mean) / terms.len() as f64).max(0.0).sqrt();
        let (low, high) = ((mean - half).max(0.0), (mean + half).min(1.0));
        Some(Point { name, mean, low, high, count: terms.len() as u64 })
    }
}

/// What PIF is on parts of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Profile {
    /// By the number of the turn.
    pub by_turn: Vec<Point>,
    /// By how many instructions are in force.
    pub by_given: Vec<Point>,
    /// On the turns on which an instruction is in force.
    pub by_instruction: Vec<Point>,
    /// How often an instruction is followed, by the turns since it was given: where in the talk those
    /// stand that are forgotten.
    pub by_age: Vec<Point>,
    /// PIF-N-K for each K from 1 to N.
    pub by_answers: Vec<Point>,
}

/// The parts of a run.
#[must_use]
pub fn profile(dialogues: &[ScoredDialogue]) -> Profile {
    let (mut by_turn, mut by_given) = (Terms::<u32>::default(), Terms::<usize>::default());
    let (mut by_instruction, mut by_age) = (Terms::<&str>::default(), Terms::<u32>::default());
    let mut by_answers = Terms::<usize>::default();
    let most = answers(dialogues);
    for turn in dialogues.iter().flat_map(|dialogue| &dialogue.turns) {
        if let Some(share) = pif(&turn.constraints).map(Share::number) {
            by_turn.add(turn.turn, share);
            by_given.add(instructions(&turn.constraints).count(), share);
            for one in instructions(&turn.constraints) {
                by_instruction.add(&one.constraint, share);
            }
        }
        for one in instructions(&turn.constraints).filter(|it| it.outcome != Outcome::Unjudged) {
            by_age.add(one.age, if one.outcome == Outcome::Held { 1.0 } else { 0.0 });
        }
        if let Some((perfect, answers)) = perfect(turn)
            && answers == most
        {
            for wanted in 1..=most {
                by_answers.add(wanted, if perfect >= wanted { 1.0 } else { 0.0 });
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

struct Terms<K>(BTreeMap<K, Vec<f64>>);

impl<K> Default for Terms<K> {
    fn default() -> Terms<K> {
        Terms(BTreeMap::new())
    }
}

impl<K: Ord + ToString> Terms<K> {
    fn add(&mut self, key: K, term: f64) {
        self.0.entry(key).or_default().push(term);
    }

    fn points(self) -> Vec<Point> {
        self.0.into_iter().filter_map(|(key, terms)| Point::of(key.to_string(), &terms)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Ending, Reading};
    use super::*;

    /// `hm?` is held, missed and unjudged; the first letter is the oldest.
    fn answer(marks: &str) -> Vec<ScoredConstraint> {
        let count = marks.len() as u32;
        let one = |(at, mark): (usize, char)| ScoredConstraint {
            constraint: format!("c{at}"),
            group: format!("c{at}"),
            outcome: match mark {
                'h' => Outcome::Held,
                'm' => Outcome::Missed,
                _ => Outcome::Unjudged,
            },
            age: count - 1 - at as u32,
            by: Reading::Rule,
            why: None,
            mark: None,
            weight: None,
            kind: None,
            tags: Vec::new(),
            points: None,
        };
        marks.chars().enumerate().map(one).collect()
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
        }
    }

    fn number(metric: Metric, dialogues: &[ScoredDialogue]) -> Option<f64> {
        (metric.compute)(dialogues).number()
    }

    /// A chat counts as one whatever its length, and a turn without instructions as 1.
    #[test]
    fn a_mean_of_means() {
        let chats = [dialogue(&[&[""], &["hm"]]), dialogue(&[&["m"]])];
        assert_eq!(number(PIF, &chats), Some((0.75 + 0.0) / 2.0));
        assert_eq!(number(PIF, &[dialogue(&[&["?"]])]), None);
        assert_eq!(pif(&answer("hh?")), Some(Share { held: 2, of: 2 }));
    }

    #[test]
    fn at_least_k_of_n() {
        let chats = [dialogue(&[&["h", "h", "h"], &["hm", "hh", "mm"], &["m", "m", "m"]])];
        assert_eq!(number(PIF_N_1, &chats), Some(2.0 / 3.0));
        assert_eq!(number(PIF_N_N, &chats), Some(1.0 / 3.0));
        let by_answers = profile(&chats).by_answers;
        let means: Vec<f64> = by_answers.iter().map(|point| point.mean).collect();
        assert_eq!(means, [2.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]);
        // A sample that nobody could judge decides nothing.
        assert_eq!(number(PIF_N_N, &[dialogue(&[&["h", "?"]])]), None);
    }

    #[test]
    fn where_it_is_missed() {
        let profile = profile(&[dialogue(&[&["h"], &["mh"], &["mhh"]])]);
        let of = |points: &[Point]| -> Vec<(String, f64, u64)> {
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
        let point = Point::of(String::new(), &[1.0, 0.0, 1.0, 0.0]).unwrap();
        assert!((point.high - 0.99).abs() < 1e-12 && (point.low - 0.01).abs() < 1e-12);
    }
}
