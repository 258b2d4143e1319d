//! The known bounds of the integers in conditions.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::table::{Dialogue, Share, Step};
use crate::plan::Plan;

/// The minimum and maximum of each fact of a turn, with reasons.
#[derive(Clone, Debug)]
pub(super) struct FactBounds {
    known: BTreeMap<String, Fact>,
    /// The first fact is never more than the second.
    ordered: Vec<(&'static str, &'static str)>,
}

#[derive(Clone, Debug)]
struct Fact {
    low: i64,
    high: Option<i64>,
    /// The reason of the maximum.
    reason: String,
}

/// The integer facts, with their minimum.
const NUMBERS: [(&str, i64); 11] = [
    ("age", 0),
    ("constraints", 0),
    ("given", 0),
    ("groups", 0),
    ("patience", 0),
    ("reply", 1),
    ("tokens", 0),
    ("topic_turns", 0),
    ("topics", 0),
    ("turn", 1),
    ("turns", 0),
];

impl FactBounds {
    /// Bounds that hold for every scenario.
    pub fn plain() -> FactBounds {
        let known = NUMBERS
            .iter()
            .map(|(name, low)| {
                let reason = String::new();
                ((*name).to_owned(), Fact { low: *low, high: None, reason })
            })
            .collect();
        FactBounds { known, ordered: Vec::new() }
    }

    /// Bounds that hold for a dialogue of a plan.
    pub fn of(plan: &Plan, dialogue: &Dialogue) -> FactBounds {
        let mut facts = FactBounds::plain();
        if let Some(patience) = dialogue.patience {
            facts.at_most(
                "patience",
                i64::from(patience),
                format!("`patience` is {patience} at most"),
            );
        }
        let topics = dialogue.topic.as_ref().and_then(|from| plan.bank(&from.bank));
        if let Some(bank) = topics {
            let size = count(bank.records.len());
            let words = if size == 1 { "1 record" } else { &format!("{size} records") };
            facts.at_most("topics", size, format!("the bank `{}` has {words}", bank.name));
        }
        facts.topic_rules(dialogue, topics.map(|bank| bank.records.len()));
        facts.groups(plan, dialogue);
        let mut hidden = Vec::new();
        names(&dialogue.steps, &mut hidden);
        facts.hide(hidden.iter().map(String::as_str));
        facts.own(plan, dialogue);
        facts
    }

    /// Names of the dialogue, if its conditions use them.
    fn own(&mut self, plan: &Plan, dialogue: &Dialogue) {
        let rules = dialogue.topics.iter().flat_map(|topics| &topics.rules);
        let evolve = dialogue.evolve.iter().flat_map(|evolve| &evolve.ways.guards);
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
            self.known.insert(name, Fact { low, high: Some(high), reason });
        }
    }

    fn topic_rules(&mut self, dialogue: &Dialogue, topics: Option<usize>) {
        let Some(rules) = &dialogue.topics else { return };
        let rules = &rules.rules;
        if rules.iter().all(|rule| rule.switch == Share(0)) {
            self.at_most("topics", 1, "the flow never leaves its first topic".to_owned());
        }
        // With an unused topic, or one to return to, there is always another move.
        let always_leaves = topics.is_some_and(|topics| topics > 1)
            && rules.iter().all(|rule| {
                rule.switch == Share::WHOLE && rule.new > Share(0) && rule.backtrack > Share(0)
            });
        if always_leaves {
            let longest = rules.iter().map(|rule| rule.stay).max().unwrap_or(1).max(1);
            let reason = format!("the flow leaves each topic after {longest} turns at most");
            self.at_most("topic_turns", i64::from(longest), reason);
        }
    }

    /// At most one constraint of each group is active at a time.
    fn groups(&mut self, plan: &Plan, dialogue: &Dialogue) {
        if dialogue.groups.is_empty() {
            return;
        }
        let mut all: BTreeSet<&str> = dialogue.groups.iter().map(String::as_str).collect();
        let own = all.len();
        let imposed = dialogue.all_imposes(&plan.flows).flat_map(|impose| &impose.from);
        all.extend(imposed.map(String::as_str));
        let words = |groups: usize| match groups {
            1 => "there is 1 group".to_owned(),
            groups => format!("there are {groups} groups"),
        };
        let reason = format!("{}, and one constraint of each at a time", words(all.len()));
        self.at_most("constraints", count(all.len()), reason);
        self.at_most("groups", count(own), format!("the dialogue draws from {own} groups"));
        if all.len() == own {
            self.ordered.push(("constraints", "groups"));
        }
    }

    fn at_most(&mut self, name: &str, high: i64, reason: String) {
        if let Some(fact) = self.known.get_mut(name)
            && fact.high.is_none_or(|have| high < have)
        {
            fact.high = Some(high);
            fact.reason = reason;
        }
    }

    pub fn fix(&mut self, name: &str, value: i64) {
        if let Some(fact) = self.known.get_mut(name) {
            fact.low = value;
            fact.high = Some(value);
        }
    }

    /// Names that have another meaning here.
    pub fn hide<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        for name in names {
            self.known.remove(name);
        }
    }

    pub fn bounds(&self, name: &str) -> Option<(i64, Option<i64>)> {
        self.known.get(name).map(|fact| (fact.low, fact.high))
    }

    pub fn ordered(&self) -> &[(&'static str, &'static str)] {
        &self.ordered
    }

    /// The facts with a maximum: the reason, and all bounds without that maximum.
    pub fn reasons(&self) -> Vec<(&str, FactBounds)> {
        let bounded = self.known.iter().filter(|(_, fact)| fact.high.is_some());
        bounded
            .map(|(name, fact)| {
                let mut without = self.clone();
                if let Some(fact) = without.known.get_mut(name) {
                    fact.high = None;
                }
                without.ordered.retain(|(small, _)| small != name);
                (fact.reason.as_str(), without)
            })
            .collect()
    }

    /// The bounds without the minimum.
    pub fn without_least(&self) -> FactBounds {
        let mut without = self.clone();
        without.known.values_mut().for_each(|fact| fact.low = -(1 << 40));
        without
    }
}

fn names(steps: &[Step], into: &mut Vec<String>) {
    for step in steps {
        match step {
            Step::Let(name, _) => into.push(name.clone()),
            Step::Param(param) => into.push(param.name.clone()),
            Step::For { name, body, .. } => {
                into.push(name.clone());
                names(body, into);
            }
            Step::Turn(_) | Step::Flow => {}
        }
    }
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
