//! The possible values of a dialogue's names: its `let`, `param` and `over`, as far as the plan
//! determines them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::conflicts::cases::{KnownValues, constant, values};
use crate::Plan;
use ifs_base::work;
use ifs_model::table::{Dialogue, Domain, Step};
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;

/// The maximum number of combinations of records and values.
const MAX_BINDINGS: usize = 4096;
/// The maximum number of turns that are counted one by one.
const MAX_COUNTED_TURNS: u64 = 1_000_000;
/// The work of counting the turns of a dialogue.
const COUNT_STEPS: u64 = 2_000_000;

/// The possible bindings of the dialogue's names, as far as `wanted` requires them: one for each
/// record of `over` and each value of a parameter.
fn possible_bindings(
    plan: &Plan,
    dialogue: &Dialogue,
    wanted: &BTreeSet<String>,
) -> Vec<KnownValues> {
    let mut bindings = vec![KnownValues::default()];
    if let Some((from, name)) = &dialogue.over
        && wanted.contains(name)
        && plan.feed(from).is_none_or(|feed| feed.fresh.is_none())
        && let Some((_, records)) = plan.records(from)
        && (1..=MAX_BINDINGS).contains(&records.len())
    {
        bindings = records
            .iter()
            .map(|record| KnownValues::default().with(name, record.clone()))
            .collect();
    }
    for step in &dialogue.steps {
        match step {
            Step::Let(name, tree) if wanted.contains(name) => {
                for binding in &mut bindings {
                    if let Some(value) = constant(tree, binding) {
                        *binding = std::mem::take(binding).with(name, value);
                    }
                }
            }
            Step::Param(param) if wanted.contains(&param.name) => {
                let mut next = Vec::new();
                for binding in &bindings {
                    match values(&param.domain, binding) {
                        Some(values) if bindings.len() * values.len() <= MAX_BINDINGS => {
                            next.extend(
                                values
                                    .into_iter()
                                    .map(|value| binding.clone().with(&param.name, value)),
                            );
                        }
                        _ => next.push(binding.clone()),
                    }
                }
                bindings = next;
            }
            Step::Let(..)
            | Step::Param(_)
            | Step::For { .. }
            | Step::When { .. }
            | Step::Turn(_)
            | Step::Flow => {}
        }
    }
    bindings
}

/// The wanted names, and the names that they are computed from.
fn with_dependencies(dialogue: &Dialogue, mut wanted: BTreeSet<String>) -> BTreeSet<String> {
    for step in dialogue.steps.iter().rev() {
        if let Step::Let(name, tree) = step
            && wanted.contains(name)
        {
            names_in(tree, &mut wanted);
        }
    }
    wanted
}

/// The integer names of a dialogue that some conditions use, with their minimum and maximum.
pub(super) fn numbers<'t>(
    plan: &Plan,
    dialogue: &Dialogue,
    conditions: impl Iterator<Item = &'t Tree>,
) -> Vec<(String, i64, i64)> {
    let mut wanted = BTreeSet::new();
    conditions.for_each(|tree| names_in(tree, &mut wanted));
    let own: Vec<&str> = dialogue
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Let(name, _) => Some(name.as_str()),
            Step::Param(param) => Some(param.name.as_str()),
            Step::For { .. } | Step::When { .. } | Step::Turn(_) | Step::Flow => None,
        })
        .filter(|name| wanted.contains(*name))
        .collect();
    if own.is_empty() {
        return Vec::new();
    }
    let own: Vec<String> = own.into_iter().map(str::to_owned).collect();
    let bindings = possible_bindings(plan, dialogue, &with_dependencies(dialogue, wanted));
    let of = |name: &String| {
        let all: Option<Vec<i64>> = bindings
            .iter()
            .map(|binding| binding.known.iter().rev().find(|(known, _)| known == name)?.1.as_int())
            .collect();
        let ends = all.and_then(|all| Some((*all.iter().min()?, *all.iter().max()?)));
        // For a long range of numbers, the ends are enough.
        let (low, high) = ends.or_else(|| {
            dialogue.steps.iter().find_map(|step| match step {
                Step::Param(param) if param.name == *name => match &param.domain {
                    Domain::Int { low, high, .. } => {
                        let end = |tree| constant(tree, &KnownValues::default())?.as_int();
                        Some((end(low)?, end(high)?))
                    }
                    _ => None,
                },
                _ => None,
            })
        })?;
        Some((name.clone(), low, high))
    };
    own.iter().filter_map(of).collect()
}

/// The same dialogue with `end` and `until` comparing only names and numbers: expressions over the
/// dialogue's own names, as in `turns >= 2 * k`, also get names.
pub(super) fn with_computed_names(dialogue: &Dialogue) -> Cow<'_, Dialogue> {
    let own = dialogue.steps.iter().filter_map(|step| match step {
        Step::Let(name, _) => Some(name),
        Step::Param(param) => Some(&param.name),
        Step::For { .. } | Step::When { .. } | Step::Turn(_) | Step::Flow => None,
    });
    let own: BTreeSet<&String> = own.chain(dialogue.over.iter().map(|(_, name)| name)).collect();
    let mut computed: Vec<Tree> = Vec::new();
    let mut lift = |tree: &Tree| lift_computed(tree, &own, &mut computed);
    let end = dialogue.end.as_ref().map(&mut lift);
    let until = dialogue.topics.as_ref().and_then(|rules| rules.until.as_ref()).map(&mut lift);
    if computed.is_empty() {
        return Cow::Borrowed(dialogue);
    }
    let mut lifted = dialogue.clone();
    lifted.end = end;
    if let Some(rules) = &mut lifted.topics {
        rules.until = until;
    }
    let lets = computed.into_iter().enumerate();
    lifted.steps.extend(lets.map(|(at, tree)| Step::Let(computed_name(at), tree)));
    Cow::Owned(lifted)
}

/// A name that no author can write.
fn computed_name(at: usize) -> String {
    format!("computed {at}")
}

fn lift_computed(tree: &Tree, own: &BTreeSet<&String>, computed: &mut Vec<Tree>) -> Tree {
    if !matches!(tree.node, Node::Compare(..)) {
        return tree.map_children(&mut |child| lift_computed(child, own, computed));
    }
    tree.map_children(&mut |side| {
        let mut asked = Vec::new();
        names_and_facts_in(side, &mut asked);
        let plain = matches!(side.node, Node::Var(_) | Node::Fact(_) | Node::Value(_));
        let is_own = |tree: &&Tree| matches!(&tree.node, Node::Var(name) if own.contains(name));
        if plain || asked.is_empty() || !asked.iter().all(is_own) {
            return side.clone();
        }
        computed.push(side.clone());
        Tree::new(Node::Var(computed_name(computed.len() - 1)), side.span)
    })
}

/// The number of turns in the steps of a dialogue, for each binding of its names; empty if a loop
/// iterates over a list that the plan does not determine.
pub(super) fn turns(plan: &Plan, dialogue: &Dialogue) -> Option<Vec<u64>> {
    turns_of(plan, dialogue, &dialogue.steps)
}

/// The maximum number of turns after the flow of topics.
pub(super) fn turns_after_flow(plan: &Plan, dialogue: &Dialogue) -> Option<u64> {
    let flow = dialogue.steps.iter().position(|step| matches!(step, Step::Flow));
    let behind = flow.and_then(|at| dialogue.steps.get(at + 1..)).unwrap_or_default();
    turns_of(plan, dialogue, behind)?.into_iter().max()
}

fn turns_of(plan: &Plan, dialogue: &Dialogue, steps: &[Step]) -> Option<Vec<u64>> {
    let mut wanted = BTreeSet::new();
    lists(steps, &mut wanted);
    let bindings = possible_bindings(plan, dialogue, &with_dependencies(dialogue, wanted));
    let counted = || bindings.into_iter().map(|binding| count(steps, binding)).collect();
    work::within(COUNT_STEPS, counted).0
}

/// The maximum number of turns in the steps of a named flow.
pub(super) fn longest(steps: &[Step]) -> Option<u64> {
    work::within(COUNT_STEPS, || count(steps, KnownValues::default())).0
}

fn lists(steps: &[Step], wanted: &mut BTreeSet<String>) {
    for step in steps {
        match step {
            Step::For { list, body, .. } => {
                names_in(list, wanted);
                lists(body, wanted);
            }
            Step::When { body, otherwise, .. } => {
                lists(body, wanted);
                lists(otherwise, wanted);
            }
            // A loop's `let` may be the list of an inner loop.
            Step::Let(_, tree) => names_in(tree, wanted),
            Step::Param(_) | Step::Turn(_) | Step::Flow => {}
        }
    }
}

fn count(steps: &[Step], mut binding: KnownValues) -> Option<u64> {
    let mut turns = 0u64;
    for step in steps {
        match step {
            Step::Turn(_) => turns += 1,
            // The turns of named flows are added where the flows are known.
            Step::Param(_) | Step::Flow => {}
            // The longer side is the bound.
            Step::When { body, otherwise, .. } => {
                let sides = [count(body, binding.clone())?, count(otherwise, binding.clone())?];
                turns = turns.saturating_add(sides[0].max(sides[1]));
            }
            Step::Let(name, tree) => {
                if binding.known.iter().all(|(known, _)| known != name)
                    && let Some(value) = constant(tree, &binding)
                {
                    binding = binding.with(name, value);
                }
            }
            Step::For { name, list, body, .. } => {
                let Value::List(members) = constant(list, &binding)? else { return None };
                if body.iter().all(|step| matches!(step, Step::Turn(_))) {
                    turns = turns.saturating_add((members.len() * body.len()) as u64);
                    continue;
                }
                for member in members.iter() {
                    let inner = binding.clone().with(name, member.clone());
                    turns = turns.saturating_add(count(body, inner)?);
                }
            }
        }
        if turns > MAX_COUNTED_TURNS || work::is_exhausted() {
            return None;
        }
    }
    Some(turns)
}

/// The names and the facts in a condition.
pub(super) fn names_and_facts_in<'t>(tree: &'t Tree, into: &mut Vec<&'t Tree>) {
    if matches!(tree.node, Node::Var(_) | Node::Fact(_)) {
        into.push(tree);
    }
    tree.children().into_iter().for_each(|child| names_and_facts_in(child, into));
}

/// The names in a condition.
pub(super) fn names_in(tree: &Tree, into: &mut BTreeSet<String>) {
    if let Node::Var(name) = &tree.node {
        into.insert(name.clone());
    }
    tree.children().into_iter().for_each(|child| names_in(child, into));
}
