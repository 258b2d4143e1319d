//! The checks that may be active at the same time.

use std::collections::BTreeSet;

use super::cases::{KnownValues, constant};
use super::{CheckMemo, JointChecks, PossibleCheck};
use crate::model::table::{
    DecidedBy, Dialogue, Impose, ImposedConstraint, Scope, Speaker, Step, Turn, TurnPart,
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
        let mut walk = Walk { plan, table, bank, lets, pools: Vec::new() };
        walk.steps(&table.steps, vec![drawn.clone()]);
        pools.append(&mut walk.pools);
        pools.push(pool(plan, bank, &drawn, (&[], walk.lets)));
    }
    pools
}

/// With more flows than this, the constraints of each may be active after any of them.
const WAYS: usize = 8;

/// The turns of a dialogue in their order. Constraints that were imposed for the dialogue are active
/// on later turns; those of one side of a branch, or of one of several flows, are never active on
/// the turns of another.
struct Walk<'p> {
    plan: &'p Plan,
    table: &'p Dialogue,
    bank: Option<&'p str>,
    lets: KnownValues,
    pools: Vec<JointChecks<'p>>,
}

impl<'p> Walk<'p> {
    /// The constraints that may be active afterwards, for each path to these steps.
    fn steps(
        &mut self,
        steps: &'p [Step],
        mut ways: Vec<PossibleConstraints<'p>>,
    ) -> Vec<PossibleConstraints<'p>> {
        for step in steps {
            ways = match step {
                Step::Turn(turn) => self.turn(turn, ways),
                Step::For { body, by: None, .. } => self.steps(body, ways),
                // Constraints imposed in them end with them.
                Step::For { body, by: Some(_), .. } => {
                    self.steps(body, ways.clone());
                    ways
                }
                Step::When { body, otherwise, .. } => {
                    self.steps(body, ways.clone());
                    self.steps(otherwise, ways.clone());
                    ways
                }
                Step::Flow => self.flow(ways),
                Step::Let(..) | Step::Param(_) => ways,
            };
        }
        ways
    }

    fn flow(&mut self, ways: Vec<PossibleConstraints<'p>>) -> Vec<PossibleConstraints<'p>> {
        let flows = &self.plan.model.flows;
        let mut after = Vec::new();
        for name in &self.table.flows {
            let Some(flow) = flows.iter().find(|flow| flow.name == *name) else { continue };
            after.extend(self.steps(&flow.steps, ways.clone()));
        }
        // Turns of moves between topics come in any order.
        let moves = self.table.topics.iter().flat_map(|rules| &rules.turns);
        let mut moved = ways;
        for (_, turn) in moves {
            moved = self.turn(turn, moved);
        }
        match after.is_empty() {
            true => moved,
            false => joined(after),
        }
    }

    fn turn(
        &mut self,
        turn: &'p Turn,
        mut ways: Vec<PossibleConstraints<'p>>,
    ) -> Vec<PossibleConstraints<'p>> {
        let at_turn = turn.body.iter().filter_map(|part| match part {
            TurnPart::Let(name, value) => Some((name.as_str(), value)),
            _ => None,
        });
        let lets = with_lets(self.plan, self.lets.clone(), at_turn);
        for lasting in &mut ways {
            let mut here = lasting.clone();
            for impose in turn.imposes() {
                add(&mut here, self.table, impose);
                if impose.scope != Scope::Turn {
                    add(lasting, self.table, impose);
                }
            }
            self.pools.push(pool(self.plan, self.bank, &here, (&[turn], lets.clone())));
        }
        ways
    }
}

/// The ways that differ, or one for all of them if they are many.
fn joined(mut ways: Vec<PossibleConstraints<'_>>) -> Vec<PossibleConstraints<'_>> {
    let mut differing: Vec<PossibleConstraints<'_>> = Vec::new();
    for way in ways.drain(..) {
        if !differing.iter().any(|known| known.is(&way)) {
            differing.push(way);
        }
    }
    if differing.len() <= WAYS {
        return differing;
    }
    let mut one = PossibleConstraints::default();
    for way in &differing {
        for (given, said, surely) in &way.given {
            if one.given.iter().any(|(known, by, _)| std::ptr::eq(*known, *given) && by == said) {
                continue;
            }
            let everywhere = |way: &PossibleConstraints<'_>| {
                way.given.iter().any(|(known, by, surely)| {
                    std::ptr::eq(*known, *given) && by == said && *surely
                })
            };
            one.given.push((given, *said, *surely && differing.iter().all(everywhere)));
        }
        for group in &way.groups {
            let everywhere = differing.iter().all(|way| way.groups.contains(group));
            let (name, by, against, all) = *group;
            one.groups.insert((name, by, against, all && everywhere));
        }
    }
    vec![one]
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

/// Who says a constraint, and against whom.
type Said = (Speaker, Option<Speaker>);

/// The constraints that may be active.
#[derive(Clone, Default)]
struct PossibleConstraints<'p> {
    /// Groups, who says a constraint of them and against whom, and whether one is always active.
    groups: BTreeSet<(&'p str, Speaker, Option<Speaker>, bool)>,
    /// Constraints that are imposed by name, and whether they certainly are.
    given: Vec<(&'p ImposedConstraint, Said, bool)>,
}

impl PossibleConstraints<'_> {
    fn is(&self, other: &PossibleConstraints<'_>) -> bool {
        let (one, two) = (&self.given, &other.given);
        self.groups == other.groups
            && one.len() == two.len()
            && one.iter().zip(two).all(|(one, two)| std::ptr::eq(one.0, two.0) && one.1 == two.1)
    }
}

fn drawn(dialogue: &Dialogue) -> PossibleConstraints<'_> {
    let start = constant(&dialogue.start, &KnownValues::default()).and_then(|start| start.as_int());
    let all = start.is_some_and(|start| start >= dialogue.groups.len() as i64);
    let groups = dialogue.groups.iter();
    let groups = groups.map(|group| (group.as_str(), Speaker::User, None, all)).collect();
    let mut drawn = PossibleConstraints { groups, given: Vec::new() };
    for impose in dialogue.own_imposes() {
        add(&mut drawn, dialogue, impose);
    }
    drawn
}

fn add<'p>(drawn: &mut PossibleConstraints<'p>, dialogue: &'p Dialogue, impose: &'p Impose) {
    let against = impose.against.as_ref().map(|against| against.speaker);
    if let Some(given) = &impose.given {
        let surely = impose.probability.is_none() && impose.applies.is_none();
        drawn.given.push((given, (impose.by, against), surely));
        return;
    }
    // Which of them are active together is known for each record (`preview::clash`).
    if impose.called.is_some() {
        return;
    }
    let low = constant(&impose.low, &KnownValues::default()).and_then(|low| low.as_int());
    // Without groups of its own it draws from those of the dialogue.
    let from = if impose.from.is_empty() { &dialogue.groups } else { &impose.from };
    let all = low.is_some_and(|low| low >= from.len() as i64)
        && impose.probability.is_none()
        && impose.applies.is_none();
    let of = |group: &'p String| (group.as_str(), impose.by, against, all);
    drawn.groups.extend(from.iter().map(of));
}

fn pool<'p>(
    plan: &'p Plan,
    bank: Option<&'p str>,
    drawn: &PossibleConstraints<'p>,
    (turns, lets): (&[&'p Turn], KnownValues),
) -> JointChecks<'p> {
    let mut checks = Vec::new();
    for group in &plan.model.groups {
        for (given, (speaker, against), surely) in &drawn.given {
            let named = group.constraints.iter().find(|known| known.name == given.constraint);
            checks.extend(named.and_then(|constraint| {
                let check = PossibleCheck::from_constraint(
                    constraint,
                    &group.name,
                    &given.params,
                    checks.len(),
                    *surely,
                )?;
                Some(PossibleCheck {
                    speaker: *speaker,
                    against: against.iter().copied().collect(),
                    ..check
                })
            }));
        }
        for speaker in Speaker::ALL {
            let here = drawn.groups.iter();
            let here = here.filter(|(name, by, ..)| *name == group.name && *by == speaker);
            let Some(always) = here.clone().map(|(.., always)| *always).max() else { continue };
            let against: Vec<Speaker> = here.filter_map(|(_, _, against, _)| *against).collect();
            for constraint in &group.constraints {
                let always = always && group.constraints.len() == 1;
                let params = &constraint.params;
                let check = PossibleCheck::from_constraint(
                    constraint,
                    &group.name,
                    params,
                    checks.len(),
                    always,
                );
                let against = against.clone();
                checks.extend(check.map(|check| PossibleCheck { speaker, against, ..check }));
            }
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
                    speaker: Speaker::User,
                    against: Vec::new(),
                    group: None,
                    tree,
                    applies: None,
                    params: &[],
                    excludes: &[],
                    library: None,
                    always: true,
                    memo: CheckMemo::default(),
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
