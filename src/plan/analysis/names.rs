//! What the names of a dialogue come to: what it binds by `let`, `param` and `over`, as far as the
//! plan fixes that.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::conflicts::cases::{Case, constant, values};
use super::length::names;
use crate::model::table::{Dialogue, Domain, Step};
use crate::plan::Plan;
use crate::predicate::tree::{Node, Tree};
use crate::predicate::value::Value;

/// More combinations of records and values than these are not gone through.
const MOST: usize = 4096;
/// More turns than these are not counted one by one.
const MOST_TURNS: u64 = 1_000_000;

/// The ways in which a dialogue's names may be bound, as far as `wanted` asks for them: one for
/// each record that it goes over and each value that a parameter may have.
fn ways(plan: &Plan, dialogue: &Dialogue, wanted: &BTreeSet<String>) -> Vec<Case> {
    let mut ways = vec![Case::default()];
    if let Some((from, name)) = &dialogue.over
        && wanted.contains(name)
        && plan.feed(from).is_none_or(|feed| feed.fresh.is_none())
        && let Some((_, records)) = plan.records(from)
        && (1..=MOST).contains(&records.len())
    {
        ways = records.iter().map(|record| Case::default().with(name, record.clone())).collect();
    }
    for step in &dialogue.steps {
        match step {
            Step::Let(name, tree) if wanted.contains(name) => {
                for way in &mut ways {
                    if let Some(value) = constant(tree, way) {
                        *way = std::mem::take(way).with(name, value);
                    }
                }
            }
            Step::Param(param) if wanted.contains(&param.name) => {
                let mut next = Vec::new();
                for way in &ways {
                    match values(&param.domain, way) {
                        Some(values) if ways.len() * values.len() <= MOST => {
                            next.extend(
                                values
                                    .into_iter()
                                    .map(|value| way.clone().with(&param.name, value)),
                            );
                        }
                        _ => next.push(way.clone()),
                    }
                }
                ways = next;
            }
            Step::Let(..) | Step::Param(_) | Step::For { .. } | Step::Turn(_) | Step::Flow => {}
        }
    }
    ways
}

/// What is asked for, and what that is computed from.
fn closed(dialogue: &Dialogue, mut wanted: BTreeSet<String>) -> BTreeSet<String> {
    for step in dialogue.steps.iter().rev() {
        if let Step::Let(name, tree) = step
            && wanted.contains(name)
        {
            names(tree, &mut wanted);
        }
    }
    wanted
}

/// The names of a dialogue that are integers, among those that some conditions ask for: the
/// least and the greatest that each can be.
pub(super) fn numbers<'t>(
    plan: &Plan,
    dialogue: &Dialogue,
    conditions: impl Iterator<Item = &'t Tree>,
) -> Vec<(String, i64, i64)> {
    let mut wanted = BTreeSet::new();
    conditions.for_each(|tree| names(tree, &mut wanted));
    let own: Vec<&str> = dialogue
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Let(name, _) => Some(name.as_str()),
            Step::Param(param) => Some(param.name.as_str()),
            Step::For { .. } | Step::Turn(_) | Step::Flow => None,
        })
        .filter(|name| wanted.contains(*name))
        .collect();
    if own.is_empty() {
        return Vec::new();
    }
    let own: Vec<String> = own.into_iter().map(str::to_owned).collect();
    let ways = ways(plan, dialogue, &closed(dialogue, wanted));
    let of = |name: &String| {
        let all: Option<Vec<i64>> = ways
            .iter()
            .map(|way| way.known.iter().rev().find(|(known, _)| known == name)?.1.as_int())
            .collect();
        let ends = all.and_then(|all| Some((*all.iter().min()?, *all.iter().max()?)));
        // Of a long range of numbers the ends are enough.
        let (low, high) = ends.or_else(|| {
            dialogue.steps.iter().find_map(|step| match step {
                Step::Param(param) if param.name == *name => match &param.domain {
                    Domain::Int { low, high, .. } => {
                        let end = |tree| constant(tree, &Case::default())?.as_int();
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

/// The same dialogue where its `end` and `until` compare names and numbers alone: what they compute
/// from the dialogue's own names, as in `turns >= 2 * k`, has a name too.
pub(super) fn lifted(dialogue: &Dialogue) -> Cow<'_, Dialogue> {
    let own = dialogue.steps.iter().filter_map(|step| match step {
        Step::Let(name, _) => Some(name),
        Step::Param(param) => Some(&param.name),
        Step::For { .. } | Step::Turn(_) | Step::Flow => None,
    });
    let own: BTreeSet<&String> = own.chain(dialogue.over.iter().map(|(_, name)| name)).collect();
    let mut computed: Vec<Tree> = Vec::new();
    let mut lift = |tree: &Tree| lift(tree, &own, &mut computed);
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

/// No author can write it.
fn computed_name(at: usize) -> String {
    format!("computed {at}")
}

fn lift(tree: &Tree, own: &BTreeSet<&String>, computed: &mut Vec<Tree>) -> Tree {
    if !matches!(tree.node, Node::Compare(..)) {
        return tree.map_children(&mut |child| lift(child, own, computed));
    }
    tree.map_children(&mut |side| {
        let mut asked = BTreeSet::new();
        names(side, &mut asked);
        let plain = matches!(side.node, Node::Var(_) | Node::Value(_));
        if plain || asked.is_empty() || !asked.iter().all(|name| own.contains(name)) {
            return side.clone();
        }
        computed.push(side.clone());
        Tree::new(Node::Var(computed_name(computed.len() - 1)), side.span)
    })
}

/// How many turns the steps of a dialogue have, for each way to bind its names; nothing where a
/// loop goes through a list that the plan does not fix.
pub(super) fn turns(plan: &Plan, dialogue: &Dialogue) -> Option<Vec<u64>> {
    turns_of(plan, dialogue, &dialogue.steps)
}

/// How many turns follow the flow of topics at most.
pub(super) fn turns_behind(plan: &Plan, dialogue: &Dialogue) -> Option<u64> {
    let flow = dialogue.steps.iter().position(|step| matches!(step, Step::Flow));
    let behind = flow.and_then(|at| dialogue.steps.get(at + 1..)).unwrap_or_default();
    turns_of(plan, dialogue, behind)?.into_iter().max()
}

fn turns_of(plan: &Plan, dialogue: &Dialogue, steps: &[Step]) -> Option<Vec<u64>> {
    let mut wanted = BTreeSet::new();
    lists(steps, &mut wanted);
    let ways = ways(plan, dialogue, &closed(dialogue, wanted));
    ways.into_iter().map(|way| count(steps, way)).collect()
}

fn lists(steps: &[Step], wanted: &mut BTreeSet<String>) {
    for step in steps {
        match step {
            Step::For { list, body, .. } => {
                names(list, wanted);
                lists(body, wanted);
            }
            // What a loop computes may be what an inner one goes through.
            Step::Let(_, tree) => names(tree, wanted),
            Step::Param(_) | Step::Turn(_) | Step::Flow => {}
        }
    }
}

fn count(steps: &[Step], mut way: Case) -> Option<u64> {
    let mut turns = 0u64;
    for step in steps {
        match step {
            Step::Turn(_) => turns += 1,
            // The turns of named flows are added where the flows are known.
            Step::Param(_) | Step::Flow => {}
            Step::Let(name, tree) => {
                if way.known.iter().all(|(known, _)| known != name)
                    && let Some(value) = constant(tree, &way)
                {
                    way = way.with(name, value);
                }
            }
            Step::For { name, list, body } => {
                let Value::List(members) = constant(list, &way)? else { return None };
                if body.iter().all(|step| matches!(step, Step::Turn(_))) {
                    turns = turns.saturating_add((members.len() * body.len()) as u64);
                    continue;
                }
                for member in members.iter() {
                    let inner = way.clone().with(name, member.clone());
                    turns = turns.saturating_add(count(body, inner)?);
                }
            }
        }
        if turns > MOST_TURNS {
            return None;
        }
    }
    Some(turns)
}
