//! The dialogues of a scorecard in little memory: about forty bytes a turn.
//!
//! A run of ten thousand dialogues has a million outcomes, but few different ones: the same
//! constraint, held, at the same age. Each different outcome and each different description of a
//! turn is stored once; a dialogue is a string of their numbers, which is read back one dialogue at
//! a time.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    CriterionKind, DecisionMethod, Ending, NoText, Outcome, ScoredConstraint, ScoredDialogue,
    ScoredTurn, TurnHash,
};
use ifs_model::table::Speaker;

/// Anything that gives scored dialogues one by one.
pub trait DialogueSource {
    fn each(&self) -> impl Iterator<Item = ScoredDialogue> + '_;

    /// The turns of all dialogues.
    fn turns(&self) -> impl Iterator<Item = ScoredTurn> + '_ {
        self.each().flat_map(|dialogue| dialogue.turns)
    }
}

impl DialogueSource for [ScoredDialogue] {
    fn each(&self) -> impl Iterator<Item = ScoredDialogue> + '_ {
        self.iter().cloned()
    }
}

impl DialogueSource for Vec<ScoredDialogue> {
    fn each(&self) -> impl Iterator<Item = ScoredDialogue> + '_ {
        self.iter().cloned()
    }
}

impl<const N: usize> DialogueSource for [ScoredDialogue; N] {
    fn each(&self) -> impl Iterator<Item = ScoredDialogue> + '_ {
        self.iter().cloned()
    }
}

/// Scored dialogues in a compact form.
#[derive(Clone, Debug, Default)]
pub struct Dialogues {
    heads: Vec<DialogueHead>,
    /// The turns of all dialogues, in order of arrival.
    bytes: Vec<u8>,
    turns: Interner<TurnKey, ScoredTurn>,
    outcomes: Interner<OutcomeKey, Arc<ScoredConstraint>>,
}

/// A dialogue without its turns.
#[derive(Clone, Debug)]
struct DialogueHead {
    dialogue: String,
    index: u64,
    seed: u64,
    ending: Ending,
    slice: Option<String>,
    reacts: bool,
    text: Option<u64>,
    turns: usize,
    /// Where its turns begin in `bytes`.
    at: usize,
}

/// Values that are stored once, by number.
#[derive(Clone, Debug)]
struct Interner<K, V> {
    numbers: HashMap<K, u64>,
    values: Vec<V>,
}

impl<K, V> Default for Interner<K, V> {
    fn default() -> Self {
        Self { numbers: HashMap::new(), values: Vec::new() }
    }
}

impl<K: Hash + Eq, V> Interner<K, V> {
    fn number(&mut self, key: K, value: impl FnOnce(&K) -> V) -> u64 {
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = self.values.len() as u64;
        self.values.push(value(&key));
        self.numbers.insert(key, number);
        number
    }

    fn get(&self, number: u64) -> Option<&V> {
        self.values.get(usize::try_from(number).ok()?)
    }
}

/// What turns of different dialogues have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct TurnKey {
    name: Option<String>,
    topic: Option<String>,
    transition: Option<String>,
    cut: u64,
    withheld: u64,
    without_stop_reason: u64,
    served: Vec<String>,
    reasoned: u64,
    unknown_reasoning: Vec<String>,
    unknown_blocks: Vec<String>,
    unjudged: Vec<String>,
    no_text: Option<NoText>,
    more_without_text: Vec<NoText>,
    slice: Option<String>,
    classes: Vec<String>,
    observations: Vec<(String, Option<bool>)>,
}

/// An outcome without its explanation. Numbers are compared by their bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OutcomeKey {
    constraint: String,
    group: String,
    outcome: Outcome,
    speaker: Speaker,
    loose: bool,
    age: u32,
    by: DecisionMethod,
    kind: Option<CriterionKind>,
    tags: Vec<String>,
    /// The weight, the points and the mark.
    numbers: [Option<u64>; 3],
}

impl Dialogues {
    #[must_use]
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    pub fn push(&mut self, dialogue: ScoredDialogue) {
        let ScoredDialogue { dialogue, index, seed, turns, ending, slice, reacts, text } = dialogue;
        let (at, number) = (self.bytes.len(), turns.len());
        let head =
            DialogueHead { dialogue, index, seed, ending, slice, reacts, text, turns: number, at };
        self.heads.push(head);
        turns.into_iter().for_each(|turn| self.push_turn(turn));
    }

    fn push_turn(&mut self, turn: ScoredTurn) {
        let key = TurnKey {
            name: turn.name,
            topic: turn.topic,
            transition: turn.transition,
            cut: turn.cut,
            withheld: turn.withheld,
            without_stop_reason: turn.without_stop_reason,
            served: turn.served,
            reasoned: turn.reasoned,
            unknown_reasoning: turn.unknown_reasoning,
            unknown_blocks: turn.unknown_blocks,
            unjudged: turn.unjudged,
            no_text: turn.no_text,
            more_without_text: turn.more_without_text,
            slice: turn.slice,
            classes: turn.classes,
            observations: turn.observations,
        };
        let number = self.turns.number(key, |key| {
            let key = key.clone();
            ScoredTurn {
                name: key.name,
                topic: key.topic,
                transition: key.transition,
                cut: key.cut,
                withheld: key.withheld,
                without_stop_reason: key.without_stop_reason,
                served: key.served,
                reasoned: key.reasoned,
                unknown_reasoning: key.unknown_reasoning,
                unknown_blocks: key.unknown_blocks,
                unjudged: key.unjudged,
                no_text: key.no_text,
                more_without_text: key.more_without_text,
                slice: key.slice,
                classes: key.classes,
                observations: key.observations,
                ..ScoredTurn::default()
            }
        });
        write_number(&mut self.bytes, number);
        write_number(&mut self.bytes, u64::from(turn.turn));
        // A number that may be absent is one more, and 0 is none.
        for number in [turn.characters, turn.sent, turn.prompt_tokens] {
            write_number(&mut self.bytes, number.map_or(0, |number| number.saturating_add(1)));
        }
        write_number(&mut self.bytes, u64::from(turn.asked.is_some()));
        if let Some(TurnHash { messages, judged }) = turn.asked {
            self.bytes.extend(messages.to_le_bytes());
            self.bytes.extend(judged.to_le_bytes());
        }
        self.push_outcomes(turn.constraints);
        self.push_outcomes(turn.overruled);
        for responses in [turn.rounds, turn.samples] {
            write_number(&mut self.bytes, responses.len() as u64);
            responses.into_iter().for_each(|response| self.push_outcomes(response));
        }
    }

    fn push_outcomes(&mut self, outcomes: Vec<Arc<ScoredConstraint>>) {
        write_number(&mut self.bytes, outcomes.len() as u64);
        for outcome in outcomes.into_iter().map(Arc::unwrap_or_clone) {
            let key = OutcomeKey {
                constraint: outcome.constraint,
                group: outcome.group,
                outcome: outcome.outcome,
                speaker: outcome.speaker,
                loose: outcome.loose,
                age: outcome.age,
                by: outcome.by,
                kind: outcome.kind,
                tags: outcome.tags,
                numbers: [outcome.weight, outcome.points, outcome.mark]
                    .map(|number| number.map(f64::to_bits)),
            };
            let number = self.outcomes.number(key, |key| {
                let OutcomeKey { constraint, group, outcome, speaker, loose, .. } = key.clone();
                let OutcomeKey { age, by, kind, tags, numbers, .. } = key.clone();
                let [weight, points, mark] = numbers.map(|number| number.map(f64::from_bits));
                let why = None;
                Arc::new(ScoredConstraint {
                    constraint,
                    group,
                    outcome,
                    speaker,
                    loose,
                    age,
                    by,
                    why,
                    weight,
                    kind,
                    tags,
                    points,
                    mark,
                })
            });
            write_number(&mut self.bytes, number << 1 | u64::from(outcome.why.is_some()));
            if let Some(why) = outcome.why {
                write_number(&mut self.bytes, why.len() as u64);
                self.bytes.extend(why.as_bytes());
            }
        }
    }

    /// Orders the dialogues by index, so that the order of arrival does not matter.
    pub(super) fn sort(&mut self) {
        self.heads
            .sort_by(|a, b| (a.index, &a.dialogue, a.seed).cmp(&(b.index, &b.dialogue, b.seed)));
    }

    /// The number of each dialogue's text; `None` if it is unknown.
    pub(super) fn texts(&mut self) -> impl Iterator<Item = &mut Option<u64>> {
        self.heads.iter_mut().map(|head| &mut head.text)
    }

    /// The same dialogues, whose texts will be numbered among those of other runs.
    #[must_use]
    pub fn without_texts(mut self) -> Dialogues {
        self.texts().for_each(|text| *text = None);
        self
    }

    fn read(&self, head: &DialogueHead) -> ScoredDialogue {
        let mut bytes = PackedNumbers(self.bytes.get(head.at..).unwrap_or_default());
        ScoredDialogue {
            dialogue: head.dialogue.clone(),
            index: head.index,
            seed: head.seed,
            turns: (0..head.turns).map(|_| self.read_turn(&mut bytes)).collect(),
            ending: head.ending.clone(),
            slice: head.slice.clone(),
            reacts: head.reacts,
            text: head.text,
        }
    }

    fn read_turn(&self, bytes: &mut PackedNumbers<'_>) -> ScoredTurn {
        let common = self.turns.get(bytes.number()).cloned().unwrap_or_default();
        let turn = u32::try_from(bytes.number()).unwrap_or(u32::MAX);
        let [characters, sent, prompt_tokens] =
            [(); 3].map(|()| bytes.number()).map(|one| one.checked_sub(1));
        let asked = (bytes.number() == 1)
            .then(|| TurnHash { messages: bytes.word(), judged: bytes.word() });
        let (constraints, overruled) = (self.read_outcomes(bytes), self.read_outcomes(bytes));
        let mut responses = || {
            let number = bytes.number();
            (0..number).map(|_| self.read_outcomes(bytes)).collect()
        };
        let (rounds, samples) = (responses(), responses());
        ScoredTurn {
            turn,
            characters,
            sent,
            prompt_tokens,
            asked,
            constraints,
            overruled,
            rounds,
            samples,
            ..common
        }
    }

    fn read_outcomes(&self, bytes: &mut PackedNumbers<'_>) -> Vec<Arc<ScoredConstraint>> {
        let number = bytes.number();
        let one = |_| {
            let number = bytes.number();
            let outcome = self.outcomes.get(number >> 1)?;
            if number & 1 == 0 {
                return Some(Arc::clone(outcome));
            }
            let length = bytes.number();
            let why = Some(String::from_utf8_lossy(bytes.take(length)).into_owned());
            Some(Arc::new(ScoredConstraint { why, ..ScoredConstraint::clone(outcome) }))
        };
        (0..number).filter_map(one).collect()
    }
}

impl DialogueSource for Dialogues {
    fn each(&self) -> impl Iterator<Item = ScoredDialogue> + '_ {
        self.heads.iter().map(|head| self.read(head))
    }
}

impl Extend<ScoredDialogue> for Dialogues {
    fn extend<I: IntoIterator<Item = ScoredDialogue>>(&mut self, dialogues: I) {
        dialogues.into_iter().for_each(|dialogue| self.push(dialogue));
    }
}

impl FromIterator<ScoredDialogue> for Dialogues {
    fn from_iter<I: IntoIterator<Item = ScoredDialogue>>(dialogues: I) -> Self {
        let mut found = Dialogues::default();
        found.extend(dialogues);
        found
    }
}

impl From<Vec<ScoredDialogue>> for Dialogues {
    fn from(dialogues: Vec<ScoredDialogue>) -> Self {
        dialogues.into_iter().collect()
    }
}

impl PartialEq for Dialogues {
    fn eq(&self, other: &Self) -> bool {
        self.each().eq(other.each())
    }
}

impl Serialize for Dialogues {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.each())
    }
}

impl<'de> Deserialize<'de> for Dialogues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<ScoredDialogue>::deserialize(deserializer).map(Dialogues::from)
    }
}

/// Writes a number in groups of seven bits, the lowest first.
fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// INVARIANT: written by [`put`] and read in the same order.
struct PackedNumbers<'b>(&'b [u8]);

impl<'b> PackedNumbers<'b> {
    fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        while let Some((byte, rest)) = self.0.split_first() {
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
            shift += 7;
        }
        number
    }

    fn word(&mut self) -> u64 {
        let mut word = [0; 8];
        let found = self.take(8);
        word[..found.len()].copy_from_slice(found);
        u64::from_le_bytes(word)
    }

    fn take(&mut self, length: u64) -> &'b [u8] {
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(self.0.len());
        let (found, rest) = self.0.split_at(length);
        self.0 = rest;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{constraint, dialogue, dialogues};
    use super::*;

    /// Every field, with values that need several bytes.
    fn rich() -> ScoredDialogue {
        let mut rich = dialogue("SF");
        let one = ScoredConstraint {
            age: 1_000,
            speaker: Speaker::System,
            loose: true,
            weight: Some(0.1),
            kind: Some(CriterionKind::Fact),
            tags: vec!["a.b".to_owned(), "茶".to_owned()],
            points: Some(-0.0),
            mark: Some(4.5),
            why: Some("found 12\nof \u{1f375}".repeat(40)),
            ..constraint("length", Outcome::Unextracted)
        };
        rich.turns[1] = ScoredTurn {
            turn: 300,
            name: Some("lead".to_owned()),
            topic: Some(String::new()),
            transition: Some("stay".to_owned()),
            asked: Some(TurnHash { messages: u64::MAX, judged: 7 }),
            cut: 2,
            withheld: 1,
            without_stop_reason: 4,
            served: vec!["m-1".to_owned(), "m-2".to_owned()],
            no_text: Some(NoText::Endpoint("odd".to_owned())),
            more_without_text: vec![NoText::Blank],
            reasoned: 3,
            unknown_reasoning: vec!["<pondering>".to_owned()],
            unknown_blocks: vec!["<plan>".to_owned()],
            unjudged: vec!["no judge was asked".to_owned()],
            observations: vec![("gave".to_owned(), Some(true)), ("read".to_owned(), None)],
            slice: Some("late".to_owned()),
            classes: vec!["sum".to_owned()],
            characters: Some(0),
            sent: Some(1 << 40),
            prompt_tokens: Some(0),
            constraints: vec![Arc::new(one.clone()), Arc::new(one.clone())],
            overruled: vec![Arc::new(one.clone())],
            rounds: vec![Vec::new(), vec![Arc::new(one.clone())]],
            samples: vec![vec![Arc::new(one)]],
        };
        rich.slice = Some("story".to_owned());
        rich.ending = Ending::Failed("no route".to_owned());
        rich.text = Some(3);
        rich
    }

    #[test]
    fn packed_dialogues_round_trip() {
        let given = [dialogues(&["SFM?E", "", "S"]), vec![rich(), rich()]].concat();
        let packed = Dialogues::from(given.clone());
        assert_eq!(packed.each().collect::<Vec<_>>(), given);
        assert_eq!((packed.len(), packed.turns().count()), (5, 10));
    }

    /// A thousand dialogues of thirty turns with two outcomes each.
    #[test]
    fn turns_are_compact() {
        let mut one = dialogue(&"SSSSF".repeat(6));
        for turn in &mut one.turns {
            turn.asked = Some(TurnHash { messages: u64::MAX, judged: u64::MAX });
            turn.topic = Some("a topic with a long name".to_owned());
        }
        let packed: Dialogues = std::iter::repeat_n(one, 1_000).collect();
        assert!(packed.bytes.len() < 1_000 * 30 * 40, "{}", packed.bytes.len());
        assert!(packed.outcomes.values.len() <= 4 && packed.turns.values.len() == 1);
    }
}
