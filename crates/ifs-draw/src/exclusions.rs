//! The exclusions of the definition by constraint id, looked up once for all
//! scripts.

use std::collections::{BTreeMap, BTreeSet};

use super::state::{ActiveEntry, OtherConstraints};
use ifs_base::work::{self, Task};
use ifs_model::table;
use ifs_plan::{ConstraintId, Plan};
use ifs_predicate::value::Value;

#[derive(Default)]
pub(super) struct Exclusions {
    /// The constraints that each one names as excluded.
    excluded: BTreeMap<ConstraintId, BTreeSet<ConstraintId>>,
    masks: Vec<ExcludedParams>,
}

/// Parameters on two sides, with their constraints: no value occurs on both.
struct ExcludedParams {
    left: Vec<(ConstraintId, String)>,
    right: Vec<(ConstraintId, String)>,
}

impl Exclusions {
    pub fn new(plan: &Plan) -> Exclusions {
        let id = |name: &String| plan.constraint_id(name);
        let all = plan.groups_by_id().flat_map(|(group, _)| plan.members(group));
        let excluding = all.filter(|(_, constraint)| !constraint.excludes.is_empty());
        let excluded = excluding
            .map(|(of, constraint)| (of, constraint.excludes.iter().filter_map(id).collect()))
            .collect();
        let side = |side: &[(String, String)]| -> Vec<(ConstraintId, String)> {
            side.iter().filter_map(|(of, param)| Some((id(of)?, param.clone()))).collect()
        };
        let masks = plan.model.masks.iter().map(|table::Mask { left, right }| ExcludedParams {
            left: side(left),
            right: side(right),
        });
        Exclusions { excluded, masks: masks.collect() }
    }

    /// Whether one of two constraints names the other one as excluded.
    pub fn exclude(&self, one: ConstraintId, other: ConstraintId) -> bool {
        self.names(one, other) || self.names(other, one)
    }

    fn names(&self, one: ConstraintId, other: ConstraintId) -> bool {
        self.excluded.get(&one).is_some_and(|excluded| excluded.contains(&other))
    }

    /// The active constraint that excludes one, or that it excludes.
    pub fn find_excluding<'o>(
        &self,
        id: ConstraintId,
        others: OtherConstraints<'o>,
    ) -> Option<&'o ActiveEntry> {
        if self.excluded.is_empty() || !work::spend(Task::Draws, others.iter().count() as u64) {
            return None;
        }
        let by = others.iter().find(|other| self.names(other.id, id));
        by.or_else(|| others.iter().find(|other| self.names(id, other.id)))
    }

    /// The values that a parameter must not take because another parameter has them.
    pub fn masked(
        &self,
        id: ConstraintId,
        param: &str,
        others: OtherConstraints<'_>,
    ) -> Vec<Value> {
        let is = |side: &[(ConstraintId, String)]| {
            side.iter().any(|(of, name)| *of == id && name == param)
        };
        let mut values = Vec::new();
        for mask in &self.masks {
            let against = match (is(&mask.left), is(&mask.right)) {
                (true, _) => &mask.right,
                (_, true) => &mask.left,
                _ => continue,
            };
            for other in others.iter() {
                for (_, param) in against.iter().filter(|(of, _)| *of == other.id) {
                    if let Some(value) = other.active.arg(param) {
                        collect(value, &mut values);
                    }
                }
            }
        }
        values
    }
}

/// The single values in an argument.
fn collect(value: &Value, values: &mut Vec<Value>) {
    match value {
        Value::List(members) => members.iter().for_each(|member| collect(member, values)),
        Value::Record(_) => values.extend(value.field("value").cloned()),
        other => values.push(other.clone()),
    }
}
