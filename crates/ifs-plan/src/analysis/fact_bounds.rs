//! The known bounds of the integers in conditions.

use std::collections::{BTreeMap, BTreeSet};

use crate::Plan;
use ifs_model::table::{Dialogue, Share};
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::turn_fact::TurnFact;

/// The minimum and maximum of each fact of a turn, with reasons.
#[derive(Clone, Debug)]
pub(super) struct FactBounds {
    facts: BTreeMap<TurnFact, FactRanges>,
    /// The dialogue's own names.
    names: BTreeMap<String, FactRanges>,
    /// The first fact is never more than the second.
    ordered: Vec<(TurnFact, TurnFact)>,
}

#[derive(Clone, Debug)]
struct FactRanges {
    low: i64,
    high: Option<i64>,
    /// The reason of the maximum.
    reason: String,
}

/// The integer facts, with their minimum.
const INTEGER_FACTS: [(TurnFact, i64); 11] = [
    (TurnFact::Age, 0),
    (TurnFact::Constraints, 0),
    (TurnFact::Given, 0),
    (TurnFact::Groups, 0),
    (TurnFact::Patience, 0),
    (TurnFact::Reply, 1),
    (TurnFact::Tokens, 0),
    (TurnFact::TopicTurns, 0),
    (TurnFact::Topics, 0),
    (TurnFact::Turn, 1),
    (TurnFact::Turns, 0),
];

impl FactBounds {
    /// Bounds that hold for every scenario.
    pub fn plain() -> FactBounds {
        let bounds = |low| FactRanges { low, high: None, reason: String::new() };
        FactBounds {
            facts: INTEGER_FACTS.iter().map(|(fact, low)| (*fact, bounds(*low))).collect(),
            names: BTreeMap::new(),
            ordered: Vec::new(),
        }
    }

    /// Bounds that hold for a dialogue of a plan.
    pub fn for_dialogue(plan: &Plan, dialogue: &Dialogue) -> FactBounds {
        let mut facts = FactBounds::plain();
        if let Some(patience) = dialogue.patience {
            facts.at_most(
                TurnFact::Patience,
                i64::from(patience),
                format!("`patience` is {patience} at most"),
            );
        }
        let topics = dialogue.topic.as_ref().and_then(|from| plan.bank(&from.bank));
        if let Some(bank) = topics {
            let size = count(bank.records.len());
            let words = if size == 1 { "1 record" } else { &format!("{size} records") };
            facts.at_most(TurnFact::Topics, size, format!("the bank `{}` has {words}", bank.name));
        }
        facts.topic_rules(dialogue, topics.map(|bank| bank.records.len()));
        facts.groups(plan, dialogue);
        facts.add_own_names(plan, dialogue);
        facts
    }

    /// Names of the dialogue, if its conditions use them.
    fn add_own_names(&mut self, plan: &Plan, dialogue: &Dialogue) {
        let rules = dialogue.topics.iter().flat_map(|topics| &topics.rules);
        let evolve = dialogue.evolve.iter().flat_map(|evolve| &evolve.rules.guards);
        let conditions = rules
            .filter_map(|rule| rule.guard.as_ref())
            .chain(evolve.map(|(guard, _)| guard))
            .chain(&dialogue.end)
            .chain(dialogue.topics.iter().filter_map(|rules| rules.until.as_ref()));
        for (name, low, high) in super::names::numbers(plan, dialogue, conditions) {
            let reason = match low == high {
                true => format!("`{name}` is {low}"),
                false => format!("`{name}` is from {low} to {high}"),
            };
            self.names.insert(name, FactRanges { low, high: Some(high), reason });
        }
    }

    fn topic_rules(&mut self, dialogue: &Dialogue, topics: Option<usize>) {
        let Some(rules) = &dialogue.topics else { return };
        let rules = &rules.rules;
        if rules.iter().all(|rule| rule.switch == Share(0)) {
            self.at_most(TurnFact::Topics, 1, "the flow never leaves its first topic".to_owned());
        }
        // With an unused topic, or one to return to, there is always another move.
        let always_leaves = topics.is_some_and(|topics| topics > 1)
            && rules.iter().all(|rule| {
                rule.switch == Share::ONE && rule.new > Share(0) && rule.backtrack > Share(0)
            });
        if always_leaves {
            let longest = rules.iter().map(|rule| rule.stay).max().unwrap_or(1).max(1);
            let reason = format!("the flow leaves each topic after {longest} turns at most");
            self.at_most(TurnFact::TopicTurns, i64::from(longest), reason);
        }
    }

    /// At most one constraint of each group is active at a time.
    fn groups(&mut self, plan: &Plan, dialogue: &Dialogue) {
        if dialogue.groups.is_empty() {
            return;
        }
        let mut all: BTreeSet<&str> = dialogue.groups.iter().map(String::as_str).collect();
        let own = all.len();
        let imposed = dialogue.all_imposes(&plan.model.flows).flat_map(|impose| &impose.from);
        all.extend(imposed.map(String::as_str));
        let words = |groups: usize| match groups {
            1 => "there is 1 group".to_owned(),
            groups => format!("there are {groups} groups"),
        };
        let reason = format!("{}, and one constraint of each at a time", words(all.len()));
        self.at_most(TurnFact::Constraints, count(all.len()), reason);
        self.at_most(TurnFact::Groups, count(own), format!("the dialogue draws from {own} groups"));
        if all.len() == own {
            self.ordered.push((TurnFact::Constraints, TurnFact::Groups));
        }
    }

    fn at_most(&mut self, fact: TurnFact, high: i64, reason: String) {
        if let Some(bounds) = self.facts.get_mut(&fact)
            && bounds.high.is_none_or(|have| high < have)
        {
            bounds.high = Some(high);
            bounds.reason = reason;
        }
    }

    pub fn fix(&mut self, fact: TurnFact, value: i64) {
        if let Some(bounds) = self.facts.get_mut(&fact) {
            bounds.low = value;
            bounds.high = Some(value);
        }
    }

    /// The minimum and maximum of a fact or a name.
    pub fn bounds(&self, tree: &Tree) -> Option<(i64, Option<i64>)> {
        let bounds = match &tree.node {
            Node::Fact(fact) => self.facts.get(fact),
            Node::Var(name) => self.names.get(name),
            _ => None,
        }?;
        Some((bounds.low, bounds.high))
    }

    pub fn ordered(&self) -> &[(TurnFact, TurnFact)] {
        &self.ordered
    }

    /// The facts with a maximum: the reason, and all bounds without that maximum.
    pub fn reasons(&self) -> Vec<(&str, FactBounds)> {
        let of_facts = self.facts.iter().filter(|(_, bounds)| bounds.high.is_some());
        let of_facts = of_facts.map(|(fact, bounds)| {
            let mut without = self.clone();
            without.facts.entry(*fact).and_modify(|bounds| bounds.high = None);
            without.ordered.retain(|(small, _)| small != fact);
            (bounds.reason.as_str(), without)
        });
        let of_names = self.names.iter().map(|(name, bounds)| {
            let mut without = self.clone();
            without.names.entry(name.clone()).and_modify(|bounds| bounds.high = None);
            (bounds.reason.as_str(), without)
        });
        of_facts.chain(of_names).collect()
    }

    /// The bounds without the minimum.
    pub fn without_least(&self) -> FactBounds {
        let mut without = self.clone();
        let all = without.facts.values_mut().chain(without.names.values_mut());
        all.for_each(|bounds| bounds.low = -(1 << 40));
        without
    }
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
