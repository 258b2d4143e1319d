//! The features that a release counts in a dialogue, and those that its dialogues could have.

use std::collections::{BTreeMap, BTreeSet};

use ifs_base::minhash::Sketch;
use ifs_draw::ScriptTurn;
#[cfg(feature = "run")]
use ifs_model::table::{Cover, Move};
use ifs_model::table::{Feature, Group};
#[cfg(feature = "run")]
use ifs_plan::DialoguePlan;
use ifs_plan::Plan;
#[cfg(feature = "run")]
use ifs_predicate::evaluate::record_meets;

/// A feature by its name: `group length`, `pair of groups length + tone`.
pub type NamedFeature = (Feature, String);

/// The features of one dialogue.
#[derive(Clone, Debug, Default)]
pub struct Features {
    /// The turns on which each occurs; 1 for what is counted in dialogues.
    pub counts: BTreeMap<NamedFeature, u64>,
    pub sketch: Sketch,
}

impl Features {
    /// Adds a turn.
    pub fn add(&mut self, plan: &Plan, turn: &ScriptTurn) {
        self.sketch.add(&turn.ask);
        let groups: BTreeSet<&str> = turn
            .active_constraints
            .iter()
            .map(|active| group_of(plan, &active.constraint))
            .collect();
        let mut count = |feature: Feature, name: &str| {
            let known = self.counts.entry((feature, name.to_owned())).or_default();
            *known = if feature.by_dialogue() { 1 } else { *known + 1 };
        };
        turn.active_constraints
            .iter()
            .for_each(|active| count(Feature::Constraint, &active.constraint));
        for (at, group) in groups.iter().enumerate() {
            count(Feature::Group, group);
            for other in groups.iter().skip(at + 1) {
                count(Feature::Pair, &pair(group, other));
            }
        }
        turn.relations.iter().for_each(|related| count(Feature::Relation, related.kind.word()));
        count(Feature::Move, turn.transition.word());
        if !turn.topic.is_empty() {
            count(Feature::Topic, &turn.topic);
        }
        turn.style.iter().for_each(|style| count(Feature::Style, style));
    }
}

/// The group of a constraint.
pub fn group_of<'p>(plan: &'p Plan, constraint: &'p str) -> &'p str {
    let has = |group: &&Group| group.constraints.iter().any(|one| one.name == constraint);
    plan.model.groups.iter().find(has).map_or(constraint, |group| &group.name)
}

/// Two groups in their order.
pub fn pair(one: &str, other: &str) -> String {
    let (one, other) = if one <= other { (one, other) } else { (other, one) };
    format!("{one} + {other}")
}

/// The names of a feature that a dialogue could have, as far as its definition says.
#[cfg(feature = "run")]
pub fn possible(plan: &Plan, dialogue: DialoguePlan<'_>, feature: Feature) -> Vec<String> {
    let table = dialogue.table;
    let imposes: Vec<_> = table.all_imposes(&plan.model.flows).collect();
    let drawn: BTreeSet<&str> = imposes
        .iter()
        .filter(|impose| impose.draws())
        .flat_map(|impose| &impose.from)
        .chain(&table.groups)
        .map(String::as_str)
        .collect();
    let given = || imposes.iter().filter_map(|impose| impose.given.as_ref());
    match feature {
        Feature::Constraint => {
            let groups =
                plan.model.groups.iter().filter(|group| drawn.contains(group.name.as_str()));
            let all = groups.flat_map(|group| &group.constraints);
            let drawn = all.filter(|one| one.relation.is_none() && one.weight > 0);
            let mut names: Vec<String> = drawn.map(|one| one.name.clone()).collect();
            names.extend(given().map(|given| given.constraint.clone()));
            names.sort();
            names.dedup();
            names
        }
        Feature::Group => {
            let mut names: BTreeSet<&str> = drawn;
            names.extend(given().map(|given| group_of(plan, &given.constraint)));
            names.into_iter().map(str::to_owned).collect()
        }
        Feature::Pair => {
            let groups = possible(plan, dialogue, Feature::Group);
            pairs(&groups)
        }
        Feature::Move => match &table.topics {
            None => Vec::new(),
            Some(_) => Move::ALL.map(|to| to.word().to_owned()).to_vec(),
        },
        Feature::Relation => {
            let turns = table.written_turns(&plan.model.flows);
            let kinds = turns.iter().flat_map(|turn| &turn.relations);
            let words: BTreeSet<&str> = kinds.map(|relation| relation.kind.word()).collect();
            words.into_iter().map(str::to_owned).collect()
        }
        Feature::Style | Feature::Topic => {
            let from = if feature == Feature::Style { &table.style } else { &table.topic };
            let Some(from) = from else { return Vec::new() };
            let Some(bank) = plan.bank(&from.bank) else { return Vec::new() };
            let records = bank.keys.iter().zip(&bank.records);
            let open = records.filter(|(_, record)| {
                from.condition.as_ref().is_none_or(|condition| record_meets(condition, record))
            });
            open.map(|(key, _)| key.clone()).collect()
        }
    }
}

#[cfg(feature = "run")]
fn pairs(groups: &[String]) -> Vec<String> {
    let pairs = groups
        .iter()
        .enumerate()
        .flat_map(|(at, one)| groups[at + 1..].iter().map(move |other| pair(one, other)));
    pairs.collect()
}

/// The requirements of a `count_coverage` for a dialogue.
#[cfg(feature = "run")]
pub fn covered(plan: &Plan, dialogue: DialoguePlan<'_>, cover: &Cover) -> Vec<NamedFeature> {
    let names = match (cover.feature, cover.groups.is_empty()) {
        (Feature::Pair, false) => {
            let possible = possible(plan, dialogue, Feature::Group);
            let wanted: Vec<String> =
                cover.groups.iter().filter(|group| possible.contains(group)).cloned().collect();
            pairs(&wanted)
        }
        (feature, _) => possible(plan, dialogue, feature),
    };
    names.into_iter().map(|name| (cover.feature, name)).collect()
}
