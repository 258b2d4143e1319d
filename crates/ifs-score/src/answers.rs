//! Scores of responses on parts of a run: points, PIF and length, by class of turn and by turn
//! number.
//!
//! The right answer and the instructions are scored separately: a response may follow every
//! instruction and be wrong (MMMT-IF, arXiv:2409.18216, appendix C).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::points::points;
use super::{DialogueSource, ExactShare, ScoredTurn, followed};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct AnswerScores {
    /// By the turn's `class`, sorted by name; a turn with two classes is in both.
    pub by_class: Vec<AnswerRow>,
    /// By the number of the turn.
    pub by_turn: Vec<AnswerRow>,
    /// Characters of responses.
    pub response: Option<Spread>,
    /// Characters of all messages that are sent to a model for a turn.
    pub sent: Option<Spread>,
    /// Turns by PIF and points, from the highest PIF and points down.
    pub joint: Vec<JointCount>,
}

/// A group of turns. Means are over turns that have a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct AnswerRow {
    pub name: String,
    pub turns: u64,
    pub pif: Option<f64>,
    pub points: Option<f64>,
    /// Characters of the response.
    pub characters: Option<f64>,
}

/// The distribution of some lengths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct Spread {
    pub count: u64,
    pub mean: f64,
    pub least: u64,
    /// The lower quartile, the median and the upper quartile: the sorted length at that position,
    /// rounded down.
    pub lower: u64,
    pub median: u64,
    pub upper: u64,
    pub most: u64,
}

/// Turns with the same PIF and the same points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct JointCount {
    pub pif: f64,
    pub points: f64,
    pub turns: u64,
}

impl AnswerScores {
    /// Turns that follow every instruction and state every fact, among those for which both are
    /// known.
    #[must_use]
    pub fn right_and_followed(&self) -> (u64, u64) {
        let both = self.joint.iter().filter(|one| one.pif == 1.0 && one.points == 1.0);
        (both.map(|one| one.turns).sum(), self.joint.iter().map(|one| one.turns).sum())
    }
}

/// The answers of a run.
#[must_use]
pub fn answers(dialogues: &impl DialogueSource) -> AnswerScores {
    let mut by_class: BTreeMap<String, AnswerSums> = BTreeMap::new();
    let mut by_turn: BTreeMap<u32, AnswerSums> = BTreeMap::new();
    let (mut response, mut sent) = (Vec::new(), Vec::new());
    let mut joint: BTreeMap<(Fraction, Fraction), u64> = BTreeMap::new();
    for turn in dialogues.turns() {
        for class in &turn.classes {
            by_class.entry(class.clone()).or_default().add(&turn);
        }
        by_turn.entry(turn.turn).or_default().add(&turn);
        response.extend(turn.characters);
        sent.extend(turn.sent);
        if let (Some(pif), Some(points)) = (pif(&turn), points(&turn)) {
            *joint.entry((Fraction::from_share(pif), Fraction::from_share(points))).or_default() +=
                1;
        }
    }
    let joint = joint.into_iter().rev().map(|((pif, points), turns)| JointCount {
        pif: pif.number(),
        points: points.number(),
        turns,
    });
    AnswerScores {
        by_class: rows(by_class),
        by_turn: rows(by_turn),
        response: Spread::from_lengths(response),
        sent: Spread::from_lengths(sent),
        joint: joint.collect(),
    }
}

fn pif(turn: &ScoredTurn) -> Option<f64> {
    followed(&turn.constraints).map(ExactShare::number)
}

fn rows<K: ToString>(parts: BTreeMap<K, AnswerSums>) -> Vec<AnswerRow> {
    parts.into_iter().map(|(key, sums)| sums.row(key.to_string())).collect()
}

/// A share in millionths, so that shares can be ordered and equal ones have the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fraction(u64);

impl Fraction {
    const PARTS_PER_ONE: f64 = 1e6;

    fn from_share(share: f64) -> Fraction {
        Fraction((share * Fraction::PARTS_PER_ONE).round() as u64)
    }

    fn number(self) -> f64 {
        self.0 as f64 / Fraction::PARTS_PER_ONE
    }
}

#[derive(Default)]
struct AnswerSums {
    turns: u64,
    pif: Mean,
    points: Mean,
    characters: Mean,
}

impl AnswerSums {
    fn add(&mut self, turn: &ScoredTurn) {
        self.turns += 1;
        self.pif.add(pif(turn));
        self.points.add(points(turn));
        self.characters.add(turn.characters.map(|characters| characters as f64));
    }

    fn row(self, name: String) -> AnswerRow {
        let AnswerSums { turns, pif, points, characters } = self;
        let (pif, points) = (pif.value(), points.value());
        AnswerRow { name, turns, pif, points, characters: characters.value() }
    }
}

#[derive(Default)]
struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    fn add(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.sum += value;
            self.count += 1;
        }
    }

    fn value(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

impl Spread {
    fn from_lengths(mut lengths: Vec<u64>) -> Option<Spread> {
        lengths.sort_unstable();
        let (least, most) = (*lengths.first()?, *lengths.last()?);
        let at = |quarters: usize| lengths[(lengths.len() - 1) * quarters / 4];
        let count = lengths.len() as u64;
        let mean = lengths.iter().sum::<u64>() as f64 / count as f64;
        Some(Spread { count, mean, least, lower: at(1), median: at(2), upper: at(3), most })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::dialogue;
    use super::super::{CriterionKind, Outcome, ScoredConstraint};
    use super::*;

    fn turn(classes: &[&str], outcomes: &[Outcome], characters: u64) -> ScoredTurn {
        let plain = &dialogue("S").turns[0].constraints[0];
        // The last criterion is the fact; the others are instructions.
        let last = outcomes.len() - 1;
        let one = |(at, outcome): (usize, &Outcome)| ScoredConstraint {
            outcome: *outcome,
            kind: (at == last).then_some(CriterionKind::Fact),
            points: (at == last).then_some(1.0),
            ..ScoredConstraint::clone(plain)
        };
        ScoredTurn {
            turn: 1,
            classes: classes.iter().map(|class| (*class).to_owned()).collect(),
            characters: Some(characters),
            sent: Some(10 * characters),
            constraints: outcomes.iter().enumerate().map(one).map(Into::into).collect(),
            ..ScoredTurn::default()
        }
    }

    #[test]
    fn right_answers_and_instructions_are_separate() {
        use Outcome::{Held, Missed};
        let mut chat = dialogue("S");
        chat.turns = vec![
            turn(&["counting", "shelf"], &[Held, Held, Missed], 10),
            turn(&["counting"], &[Held, Missed, Held], 20),
            turn(&["relation", "shelf"], &[Held, Held, Held], 60),
        ];
        let found = answers(&[chat]);
        let row = |name: &str, turns, pif, points, characters| AnswerRow {
            name: name.to_owned(),
            turns,
            pif: Some(pif),
            points: Some(points),
            characters: Some(characters),
        };
        assert_eq!(
            found.by_class,
            [
                row("counting", 2, 0.75, 0.5, 15.0),
                row("relation", 1, 1.0, 1.0, 60.0),
                row("shelf", 2, 1.0, 0.5, 35.0),
            ]
        );
        assert_eq!(found.by_turn.len(), 1);
        let cells: Vec<_> =
            found.joint.iter().map(|one| (one.pif, one.points, one.turns)).collect();
        assert_eq!(cells, [(1.0, 1.0, 1), (1.0, 0.0, 1), (0.5, 1.0, 1)]);
        assert_eq!(found.right_and_followed(), (1, 3));
    }

    #[test]
    fn lengths_by_hand() {
        let spread = Spread::from_lengths(vec![9, 1, 5, 3, 7]).unwrap();
        let parts = (spread.least, spread.lower, spread.median, spread.upper, spread.most);
        assert_eq!((spread.count, spread.mean, parts), (5, 5.0, (1, 3, 5, 7, 9)));
        assert_eq!(Spread::from_lengths(Vec::new()), None);
    }
}
