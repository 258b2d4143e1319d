//! Constraints that exclude one another for some values of their parameters. This is not a mistake,
//! since such values are not drawn together, but useful to know.

use std::collections::BTreeSet;

use serde::Serialize;

use super::active;
use super::cases::{KnownValues, cases};
use crate::Plan;
use ifs_predicate::bound::{AnalysedCheck, conflict_between};

/// The maximum number of combinations of a pair.
const MAX_COMBINATIONS: usize = 2000;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartialConflict {
    pub constraints: [String; 2],
    /// Combinations of values that exclude one another, and the number of combinations tried.
    pub excluded: usize,
    pub of: usize,
    /// The first such combination, as arguments of each constraint.
    pub example: [String; 2],
}

/// The pairs of a plan with such values, as far as the plan determines them.
pub fn partial(plan: &Plan) -> Vec<PartialConflict> {
    let mut found = Vec::new();
    let mut done = BTreeSet::new();
    for pool in active::pools(plan) {
        for (at, one) in pool.checks.iter().enumerate() {
            for other in &pool.checks[at + 1..] {
                let apart = one.group.is_some() && one.group == other.group;
                if apart || !done.insert((one.name, other.name)) {
                    continue;
                }
                let read = |check: &super::PossibleCheck<'_>| -> Vec<(KnownValues, AnalysedCheck)> {
                    let cases = cases(check.params, &KnownValues::default());
                    let read = |case: KnownValues| {
                        let reading = AnalysedCheck::new((check.tree, &case), check.id);
                        (case, reading)
                    };
                    cases.into_iter().map(read).collect()
                };
                found.extend(compare_cases(one.name, &read(one), other.name, &read(other)));
            }
        }
    }
    found
}

fn compare_cases(
    one: &str,
    firsts: &[(KnownValues, AnalysedCheck)],
    other: &str,
    seconds: &[(KnownValues, AnalysedCheck)],
) -> Option<PartialConflict> {
    let (mut excluded, mut of, mut example) = (0, 0, None);
    'all: for (case, first) in firsts {
        for (against, second) in seconds {
            if of >= MAX_COMBINATIONS {
                break 'all;
            }
            of += 1;
            let apart = first.may_exclude(second) && conflict_between(&[first, second]).is_some();
            if apart {
                excluded += 1;
                example.get_or_insert_with(|| [arguments_text(case), arguments_text(against)]);
            }
        }
    }
    let example = example.filter(|_| excluded < of)?;
    Some(PartialConflict { constraints: [one.to_owned(), other.to_owned()], excluded, of, example })
}

fn arguments_text(case: &KnownValues) -> String {
    let args: Vec<String> =
        case.known.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    args.join(", ")
}
