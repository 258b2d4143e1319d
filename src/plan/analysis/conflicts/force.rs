//! The checks that may be active at the same time.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::cases::{KnownValues, constant};
use super::{JointChecks, PossibleCheck};
use crate::model::table::{
    DecidedBy, Dialogue, Impose, ImposedConstraint, Scope, Step, Turn, TurnPart,
};
use crate::plan::Plan;
use crate::predicate::tree::Tree;

/// For each dialogue the constraints that it draws, and for each of its turns the requirements. For
/// groups that no dialogue draws from, nothing is known: others may use some of them.
pub(super) fn pools(plan: &Plan) -> Vec<JointChecks<'_>> {
    let mut pools = Vec::new();
    for dialogue in plan.dialogues() {
        let table = dialogue.table;
        let bank = table.topic.as_ref().map(|from| from.bank.as_str());
        let drawn = drawn(table);
        let in_dialogue = table.steps.iter().filter_map(|step| match step {
            Step::Let(name, value) => Some((name.as_str(), value)),
            _ => None,
        });
        let lets = with_lets(plan, KnownValues::default(), in_dialogue);
        // Constraints that were imposed for the dialogue are active on later turns.
        let mut lasting = drawn.clone();
        for turn in table.written_turns(&plan.model.flows) {
            let mut here = lasting.clone();
            for impose in turn.imposes() {
                add(&mut here, impose);
                if impose.scope != Scope::Turn {
                    add(&mut lasting, impose);
                }
            }
            let at_turn = turn.body.iter().filter_map(|part| match part {
                TurnPart::Let(name, value) => Some((name.as_str(), value)),
                _ => None,
            });
            let lets = with_lets(plan, lets.clone(), at_turn);
            pools.push(pool(plan, bank, &here, (&[turn], lets)));
        }
        pools.push(pool(plan, bank, &drawn, (&[], lets)));
    }
    pools
}

/// The known names, and those of these `let`s that have the same value in every dialogue.
fn with_lets<'t>(
    plan: &Plan,
    known: KnownValues,
    lets: impl Iterator<Item = (&'t str, &'t Tree)>,
) -> KnownValues {
    // In a constraint, its own parameter hides the name.
    let is_param = |name: &str| {
        let constraints = plan.model.groups.iter().flat_map(|group| &group.constraints);
        constraints.flat_map(|one| &one.params).any(|param| param.name == name)
    };
    lets.fold(known, |known, (name, value)| match constant(value, &known) {
        Some(value) if !is_param(name) => known.with(name, value),
        _ => known,
    })
}

/// The constraints that may be active.
#[derive(Clone, Default)]
struct PossibleConstraints<'p> {
    /// Groups, and whether each of them always has an active constraint.
    groups: BTreeSet<(&'p str, bool)>,
    /// Constraints that are imposed by name, and whether they certainly are.
    given: Vec<(&'p ImposedConstraint, bool)>,
}

fn drawn(dialogue: &Dialogue) -> PossibleConstraints<'_> {
    let start = constant(&dialogue.start, &KnownValues::default()).and_then(|start| start.as_int());
    let all = start.is_some_and(|start| start >= dialogue.groups.len() as i64);
    let groups = dialogue.groups.iter().map(|group| (group.as_str(), all)).collect();
    let mut drawn = PossibleConstraints { groups, given: Vec::new() };
    for impose in &dialogue.imposes {
        add(&mut drawn, impose);
    }
    drawn
}

fn add<'p>(drawn: &mut PossibleConstraints<'p>, impose: &'p Impose) {
    if let Some(given) = &impose.given {
        let surely = impose.probability.is_none() && impose.applies.is_none();
        drawn.given.push((given, surely));
        return;
    }
    // Which of them are active together is known for each record (`preview::clash`).
    if impose.called.is_some() {
        return;
    }
    let low = constant(&impose.low, &KnownValues::default()).and_then(|low| low.as_int());
    let all = low.is_some_and(|low| low >= impose.from.len() as i64)
        && impose.probability.is_none()
        && impose.applies.is_none();
    drawn.groups.extend(impose.from.iter().map(|group| (group.as_str(), all)));
}

fn pool<'p>(
    plan: &'p Plan,
    bank: Option<&'p str>,
    drawn: &PossibleConstraints<'p>,
    (turns, lets): (&[&'p Turn], KnownValues),
) -> JointChecks<'p> {
    let mut checks = Vec::new();
    for group in &plan.model.groups {
        for (given, surely) in &drawn.given {
            let named = group.constraints.iter().find(|known| known.name == given.constraint);
            checks.extend(named.and_then(|constraint| {
                PossibleCheck::from_constraint(
                    constraint,
                    &group.name,
                    &given.params,
                    checks.len(),
                    *surely,
                )
            }));
        }
        let here = drawn.groups.iter().filter(|(name, _)| *name == group.name);
        let Some(always) = here.map(|(_, always)| *always).max() else { continue };
        for constraint in &group.constraints {
            let always = always && group.constraints.len() == 1;
            let params = &constraint.params;
            checks.extend(PossibleCheck::from_constraint(
                constraint,
                &group.name,
                params,
                checks.len(),
                always,
            ));
        }
    }
    for turn in turns {
        required(&turn.body, &mut checks);
    }
    JointChecks { plan, bank, checks, lets }
}

fn required<'p>(parts: &'p [TurnPart], checks: &mut Vec<PossibleCheck<'p>>) {
    for part in parts {
        match part {
            TurnPart::Require { name, by: DecidedBy::Rule(tree), .. } => {
                checks.push(PossibleCheck {
                    id: checks.len(),
                    name,
                    group: None,
                    tree,
                    applies: None,
                    params: &[],
                    excludes: &[],
                    library: None,
                    always: true,
                    cases: OnceCell::new(),
                    first: OnceCell::new(),
                    denied: OnceCell::new(),
                    total: OnceCell::new(),
                    by_reply: OnceCell::new(),
                    by_topic: OnceCell::new(),
                })
            }
            TurnPart::For { body, .. } => required(body, checks),
            TurnPart::Require { by: DecidedBy::Judge(_), .. }
            | TurnPart::Observe { .. }
            | TurnPart::Ask(_)
            | TurnPart::Show(_)
            | TurnPart::Let(..)
            | TurnPart::Param(_)
            | TurnPart::Part { .. }
            | TurnPart::Impose(_)
            | TurnPart::Answer(_)
            | TurnPart::Reply(_)
            | TurnPart::Class(_)
            | TurnPart::Expect { .. }
            | TurnPart::Void(..) => {}
        }
    }
}
