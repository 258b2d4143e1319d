//! What answers that know nothing are made of.

use std::collections::BTreeSet;

use super::base::BaseAnswer;
use super::course::Courses;
use ifs_draw::proof::{TurnTopic, required_parts, rules};
use ifs_draw::{CriterionKind, ScriptTurn};
use ifs_forms::Tongue;
use ifs_model::table::DecidedBy;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;
use ifs_predicate::witness::Goal;

use super::base::{BaseSource, exchange};

/// Dialogues after this one whose answers may be another record's.
const NEIGHBOURS: u64 = 24;
/// A longer list is not one of names.
const MAX_ROSTER: usize = 200;

/// The right answer to the same turn of another dialogue, under the same constraints and about
/// another record; for a turn without a name, to the same turn about another topic.
pub fn other_answer(courses: &Courses<'_>, index: u64, position: usize) -> Option<String> {
    let turns = courses.script(index).ok()?;
    let turn = turns.get(position)?;
    if turn.name.is_empty() {
        return of_other_topic(courses, turn);
    }
    let place = turns[..position].iter().filter(|one| one.name == turn.name).count();
    let base = courses.bases().right(courses.plan, courses.dialogue, turn, &[])?;
    let period = courses.period().ok()?;
    let around = period.map_or(NEIGHBOURS, |period| NEIGHBOURS.min(period.saturating_sub(1)));
    for step in 1..=around {
        let Ok(turns) = courses.script(index + step) else { continue };
        let same = turns.iter().filter(|one| one.name == turn.name).nth(place);
        let Some(same) = same.filter(|same| constraints(same) == constraints(turn)) else {
            continue;
        };
        let answer = courses.bases().right(courses.plan, courses.dialogue, same, &[]);
        if let Some(answer) = answer.filter(|answer| evened(&answer.text) != evened(&base.text)) {
            return Some(answer.text);
        }
    }
    of_other_topic(courses, turn)
}

/// The names of the constraints that are active, and what else is checked.
fn constraints(turn: &ScriptTurn) -> Vec<String> {
    let mut names: Vec<String> =
        turn.active_constraints.iter().map(|active| active.key()).collect();
    names.sort_unstable();
    names
}

/// A text about another topic that satisfies the rules of the same turn about that topic.
fn of_other_topic(courses: &Courses<'_>, turn: &ScriptTurn) -> Option<String> {
    let plan = courses.plan;
    let table = &plan.dialogue(courses.dialogue)?.table;
    let bank = plan.bank(&table.topic.as_ref()?.bank)?;
    let at = bank.keys.iter().position(|key| *key == turn.topic)?;
    let other = bank.keys.get((at + 1) % bank.keys.len()).filter(|key| **key != turn.topic)?;
    let changed = ScriptTurn { topic: other.clone(), golden: None, ..turn.clone() };
    let exchange = exchange(courses.dialogue, &changed, &[]);
    let rules = rules(plan, &exchange.place());
    let goals: Vec<Goal<'_>> = rules.iter().map(|rule| rule.goal(true)).collect();
    let about = TurnTopic::from_turn(plan, courses.dialogue, &changed);
    let about = about.text_topic();
    let text = courses.bases().witness(&required_parts(&changed), &goals, &about)?;
    BaseAnswer::new(text, BaseSource::Witness).natural_text()
}

/// Lists of texts in the facts of a turn that have something of the right answer: the names among
/// which its names are.
pub fn rosters(turn: &ScriptTurn, base: &BaseAnswer) -> Vec<Vec<String>> {
    let mut rosters: BTreeSet<Vec<String>> = BTreeSet::new();
    each_value(turn, &mut |value| {
        let Value::List(members) = value else { return };
        if !(2..=MAX_ROSTER).contains(&members.len()) {
            return;
        }
        let names: Option<Vec<&str>> = members.iter().map(Value::as_str).collect();
        let Some(names) = names else { return };
        let fits = |name: &&str| !name.is_empty() && name.chars().count() <= 60;
        if names.iter().all(fits) && names.iter().any(|name| base.text.contains(name)) {
            rosters.insert(names.into_iter().map(str::to_owned).collect());
        }
    });
    rosters.into_iter().collect()
}

/// The values in the facts of a turn that its right answer has.
pub fn expected(turn: &ScriptTurn, base: &BaseAnswer) -> Vec<String> {
    let mut values: BTreeSet<String> = BTreeSet::new();
    each_value(turn, &mut |value| {
        let text = match value {
            Value::Int(_) | Value::Float(_) => value.to_string(),
            Value::Text(text) => text.to_string(),
            Value::Nothing | Value::Bool(_) | Value::List(_) | Value::Record(_) => return,
        };
        if has_value(&base.text, &text) {
            values.insert(text);
        }
    });
    values.into_iter().collect()
}

/// Whether a turn without facts demands what its message does not say: values of its right answer.
pub fn demands_values(turn: &ScriptTurn, base: &BaseAnswer) -> bool {
    base.source != BaseSource::Witness
        && expected(turn, base).iter().any(|value| !has_value(&turn.ask, value))
}

/// Whether a text has a value as a word.
fn has_value(text: &str, value: &str) -> bool {
    let value = value.trim();
    if value.is_empty() {
        return false;
    }
    let is_part =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphanumeric());
    text.match_indices(value).any(|(at, found)| {
        let first = found.chars().next().is_some_and(|letter| letter.is_ascii_alphanumeric());
        let last = found.chars().next_back().is_some_and(|letter| letter.is_ascii_alphanumeric());
        !(first && is_part(text[..at].chars().next_back())
            || last && is_part(text[at + found.len()..].chars().next()))
    })
}

/// Whether an answer says what the right answer says: every value that its facts expect.
pub fn says_the_same(answer: &str, base: &BaseAnswer, expected: &[String]) -> bool {
    evened(answer) == evened(&base.text)
        || (!expected.is_empty() && expected.iter().all(|value| has_value(answer, value)))
}

/// The letters and digits of a text, in small letters.
fn evened(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether only observations say what a turn asks for: a metric counts them.
pub fn asks_by_observation(turn: &ScriptTurn) -> bool {
    turn.active_constraints.is_empty()
        && !turn.criteria.is_empty()
        && turn.criteria.iter().all(|one| one.kind == CriterionKind::Observation)
}

/// Whether a turn asks for something that is right or wrong.
pub fn has_fact(turn: &ScriptTurn) -> bool {
    asks_by_observation(turn) || turn.criteria.iter().any(|one| one.kind == CriterionKind::Fact)
}

/// Calls a function with each value in the facts of a turn; without facts, in its requirements, and
/// without those in its observations.
fn each_value(turn: &ScriptTurn, visit: &mut dyn FnMut(&Value)) {
    fn walk(tree: &Tree, visit: &mut dyn FnMut(&Value)) {
        if let Node::Value(value) = &tree.node {
            visit(value);
            if let Value::List(members) = value {
                members.iter().take(MAX_ROSTER).for_each(&mut *visit);
            }
            return;
        }
        if let Node::Applied(applied) = &tree.node {
            applied.arguments.iter().for_each(|(_, tree)| walk(tree, visit));
            return;
        }
        tree.children().into_iter().for_each(|child| walk(child, visit));
    }
    let kinds = [CriterionKind::Fact, CriterionKind::Requirement, CriterionKind::Observation];
    let has = |kind: &CriterionKind| turn.criteria.iter().any(|one| one.kind == *kind);
    let Some(kind) = kinds.into_iter().find(has) else { return };
    for criterion in turn.criteria.iter().filter(|one| one.kind == kind) {
        if let DecidedBy::Rule(tree) = &criterion.by {
            walk(tree, visit);
        }
    }
}

/// The language in which an answer is framed: its own, that of the message, or English.
pub fn spoken(turn: &ScriptTurn, text: &str) -> Tongue {
    Tongue::of_text(text)
        .filter(|_| {
            text.split_whitespace().count() > 6 || text.chars().any(|letter| letter > '\u{400}')
        })
        .or_else(|| Tongue::of_text(&turn.ask))
        .or_else(|| Tongue::of_text(text))
        .unwrap_or(Tongue::English)
}

#[cfg(test)]
mod tests {
    use super::{evened, has_value};

    #[test]
    fn values_are_words() {
        assert!(has_value("Gulls 101, Cranes 99", "101") && has_value("得了2分", "2"));
        assert!(!has_value("Gulls 101", "10") && !has_value("Seagulls", "gulls"));
        assert_eq!(evened("**A:** b"), "ab");
    }
}
