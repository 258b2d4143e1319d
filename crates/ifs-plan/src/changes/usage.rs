//! The dialogues that a part of a definition affects.

use std::collections::{BTreeMap, BTreeSet};

use super::items;
use super::notation::NotationItem;
use crate::Plan;
use crate::canonical::{Definition, PartKind};
use ifs_predicate::value::Value;

/// Whether a text is in a value.
fn has_text(value: &Value, text: &str) -> bool {
    match value {
        Value::Text(found) => **found == *text,
        Value::List(members) => members.iter().any(|member| has_text(member, text)),
        Value::Record(fields) => fields.iter().any(|(_, field)| has_text(field, text)),
        _ => false,
    }
}

/// For each part, the dialogues that refer to it directly or indirectly, before or after.
pub(super) struct PartUsage {
    reached: BTreeMap<(PartKind, String), BTreeSet<String>>,
    /// All dialogues of either side.
    dialogues: BTreeSet<String>,
}

impl PartUsage {
    pub fn between(before: &Definition, after: &Definition) -> PartUsage {
        let mut usage = PartUsage { reached: BTreeMap::new(), dialogues: BTreeSet::new() };
        for definition in [before, after] {
            usage.add(&items(definition));
        }
        usage
    }

    /// A split affects the dialogues that it holds something out of.
    pub fn add_splits(&mut self, plan: &Plan) {
        for split in &plan.model.splits {
            for table in &plan.model.dialogues {
                if table.variants.iter().any(|(variant, _)| variant == split) {
                    let reached = self.reached.entry((PartKind::Split, split.clone())).or_default();
                    reached.insert(table.name.clone());
                }
            }
        }
    }

    /// A picture affects the dialogues of the banks whose records name it.
    pub fn add_pictures(&mut self, plan: &Plan) {
        for picture in plan.model.pictures.keys() {
            let banks = plan
                .model
                .banks
                .iter()
                .filter(|bank| bank.records.iter().any(|record| has_text(record, picture)));
            for bank in banks {
                let dialogues = self.dialogues(PartKind::Bank, &[&bank.name]);
                let key = (PartKind::Picture, picture.to_string());
                self.reached.entry(key).or_default().extend(dialogues);
            }
        }
    }

    /// A name in a text counts as a use. So a part may wrongly count as used, but never as unused.
    fn add(&mut self, parts: &[(PartKind, String, NotationItem)]) {
        let named: Vec<_> = parts
            .iter()
            .filter(|(kind, name, _)| !name.is_empty() && *kind != PartKind::Release)
            .collect();
        for (_, dialogue, _) in parts.iter().filter(|part| part.0 == PartKind::Dialogue) {
            self.dialogues.insert(dialogue.clone());
            let mut open: Vec<(PartKind, &str)> = vec![(PartKind::Dialogue, dialogue)];
            let mut seen: BTreeSet<(PartKind, &str)> = open.iter().copied().collect();
            while let Some((kind, name)) = open.pop() {
                let Some((_, _, item)) = named.iter().find(|part| part.0 == kind && part.1 == name)
                else {
                    continue;
                };
                for (kind, name, _) in &named {
                    if *kind == PartKind::Dialogue || seen.contains(&(*kind, name)) {
                        continue;
                    }
                    // The members of a group are referred to by the group's name.
                    let group = name.rsplit_once('.').map_or(name.as_str(), |(group, _)| group);
                    let by_group = *kind == PartKind::Constraint && item.mentions(group);
                    if item.mentions(name) || by_group {
                        seen.insert((*kind, name));
                        open.push((*kind, name));
                    }
                }
            }
            for (kind, name) in seen {
                self.reached.entry((kind, name.to_owned())).or_default().insert(dialogue.clone());
            }
        }
    }

    pub fn dialogues(&self, kind: PartKind, names: &[&str]) -> BTreeSet<String> {
        match kind {
            PartKind::Dialogue => names.iter().map(|name| (*name).to_owned()).collect(),
            PartKind::Plan | PartKind::Mask | PartKind::Tags => self.dialogues.clone(),
            PartKind::Benchmark | PartKind::Release => BTreeSet::new(),
            _ => names
                .iter()
                .filter_map(|name| self.reached.get(&(kind, (*name).to_owned())))
                .flatten()
                .cloned()
                .collect(),
        }
    }
}
