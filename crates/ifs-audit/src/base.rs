//! Right answers of turns, and wrong ones.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::materials::asks_by_observation;
use ifs_draw::ScriptTurn;
use ifs_draw::proof::{TurnTopic, WitnessCache, required_parts, rules, rules_and_observations};
use ifs_judge::Exchange;
use ifs_parts::parts::witness::{WitnessPart, missed, witness_within};
use ifs_plan::Plan;
use ifs_predicate::witness::{Effort, Goal, SEARCH_STEPS, TextTopic};

/// Where a right answer is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BaseSource {
    /// The response of a model, on which everything held.
    Recorded,
    /// The golden answer of the scenario.
    Golden,
    /// A text that was constructed from the rules.
    Witness,
}

/// A right answer.
#[derive(Clone, Debug)]
pub struct BaseAnswer {
    pub text: String,
    pub source: BaseSource,
    /// Whether a person would write such a text: one that has words outside of comments.
    pub natural: bool,
}

impl BaseAnswer {
    pub(crate) fn new(text: String, source: BaseSource) -> BaseAnswer {
        let natural = source != BaseSource::Witness || is_natural(&text);
        BaseAnswer { text, source, natural }
    }

    /// Its text, if it is natural.
    pub(crate) fn natural_text(self) -> Option<String> {
        self.natural.then_some(self.text)
    }
}

/// Whether a constructed text has words, and none of it is in comments.
fn is_natural(text: &str) -> bool {
    let mut inside = false;
    let visible = text.chars().any(|letter| {
        match letter {
            '<' => inside = true,
            '>' => inside = false,
            _ => {}
        }
        !inside && letter.is_alphanumeric()
    });
    visible && !text.contains("<!--")
}

/// Makes right and wrong answers, and remembers them: texts by their rules, so that an answer does
/// not depend on those that were made before, and drawn dialogues.
#[derive(Debug, Default)]
pub struct Bases {
    right: WitnessCache,
    wrong: WitnessCache,
    pub(crate) scripts: Mutex<BTreeMap<ScriptKey, Arc<Vec<ScriptTurn>>>>,
    pub(crate) periods: Mutex<BTreeMap<(usize, String), Option<u64>>>,
}

/// A dialogue of a plan that stays where it is: the plan's address, the name, the seed, the index.
pub(crate) type ScriptKey = (usize, String, u64, u64);

impl Bases {
    /// The right answer to a turn: the golden one, if it satisfies the constraints that were drawn, or a
    /// text that satisfies all rules; else the golden one as it is. `None` if there is neither.
    pub fn right(
        &self,
        plan: &Plan,
        dialogue: &str,
        turn: &ScriptTurn,
        replies: &[String],
    ) -> Option<BaseAnswer> {
        let golden = turn.golden.clone().map(|text| BaseAnswer::new(text, BaseSource::Golden));
        let exchange = exchange(dialogue, turn, replies);
        let mut rules = rules(plan, &exchange.place());
        if asks_by_observation(turn) {
            rules = rules_and_observations(plan, &exchange.place());
        }
        if rules.is_empty() {
            return golden;
        }
        let goals: Vec<Goal<'_>> = rules.iter().map(|rule| rule.goal(true)).collect();
        let parts = required_parts(turn);
        if let Some(golden) = &golden
            && missed(&parts, &goals, &golden.text).is_empty()
        {
            return Some(golden.clone());
        }
        let topic = TurnTopic::from_turn(plan, dialogue, turn);
        let text = self.witness(&parts, &goals, &topic.text_topic());
        text.map(|text| BaseAnswer::new(text, BaseSource::Witness)).or(golden)
    }

    /// A text that satisfies all goals.
    pub(crate) fn witness(
        &self,
        parts: &[WitnessPart],
        goals: &[Goal<'_>],
        about: &TextTopic<'_>,
    ) -> Option<String> {
        self.right.text(parts, goals, about).ok()
    }

    /// Texts that violate the rules of a turn, one for each rule for which there is a text. They have
    /// nothing else to satisfy.
    pub fn wrong(
        &self,
        plan: &Plan,
        dialogue: &str,
        turn: &ScriptTurn,
        replies: &[String],
    ) -> Vec<String> {
        let exchange = exchange(dialogue, turn, replies);
        let parts = required_parts(turn);
        let topic = TurnTopic::from_turn(plan, dialogue, turn);
        // Nothing of the right answer.
        let about = TextTopic { said: None, ..topic.text_topic() };
        let mut texts: Vec<String> = Vec::new();
        for rule in rules(plan, &exchange.place()) {
            let goals = [rule.goal(false)];
            let built = || {
                let effort = (Effort::Built, &mut SEARCH_STEPS.clone());
                witness_within(&parts, &goals, &about, 0, effort)
            };
            let Ok(text) = self.wrong.seeded(&parts, &goals, &about, 0, built) else { continue };
            if !text.trim().is_empty() && !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    }
}

pub(crate) fn exchange<'a>(
    dialogue: &'a str,
    turn: &'a ScriptTurn,
    replies: &'a [String],
) -> Exchange<'a> {
    Exchange { dialogue, turn, answer: "", note: None, replies, extracted: &[] }
}

#[cfg(test)]
mod tests {
    use super::is_natural;

    #[test]
    fn a_natural_text_has_words_that_are_seen() {
        assert!(is_natural("<p>So.</p>") && is_natural("{\"a\": 1}") && is_natural("30"));
        assert!(!is_natural("<p></p>") && !is_natural("<!--a--><p>So.</p>") && !is_natural("---"));
    }
}
