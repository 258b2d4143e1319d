//! The number of turns of a dialogue: the maximum, and the expectation for a model that satisfies
//! each turn independently with some probability.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::toposort;
use petgraph::visit::{EdgeFiltered, EdgeRef};

use super::condition::possible;
use super::fact_bounds::FactBounds;
use super::names::names_and_facts_in;
use super::shares::power;
use crate::{DialoguePlan, EdgeKind, Graph, Plan, PlanNodeKind};
use ifs_model::table::{Dialogue, Flow, Share, Step};
use ifs_predicate::print::print;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;

pub(super) struct Length {
    pub most: Option<u64>,
    /// (probability of success on a turn, expected turns)
    pub expected: Vec<(f64, f64)>,
    /// Facts in addition to turns and patience that may end it.
    pub depends_on: Vec<String>,
}

const SUCCESS_RATES: [f64; 4] = [0.5, 0.7, 0.9, 0.95];
/// Up to this patience and number of turns, the expectation is computed turn by turn.
const MAX_PATIENCE: u64 = 10_000;
const MAX_STEPS: u64 = 10_000_000;

pub(super) fn length(plan: &Plan, dialogue: DialoguePlan<'_>) -> Length {
    let table = &*super::names::with_computed_names(dialogue.table);
    let facts = FactBounds::for_dialogue(plan, table);
    let bound = bound_of(plan, table, &facts);
    let lengths = lengths(&dialogue.turns())
        .or_else(|| table.topics.is_none().then(|| rounds(plan, table)).flatten());
    let longest = lengths.as_ref().and_then(|lengths| lengths.keys().next_back()).copied();
    let most = match (bound, longest) {
        (Some(bound), Some(longest)) => Some(bound.min(longest)),
        (bound, longest) => bound.or(longest),
    };

    let mut looks_at: Vec<&Tree> = Vec::new();
    let written = dialogue.table;
    let until = written.topics.as_ref().and_then(|rules| rules.until.as_ref());
    let branches = branches(&written.steps, &plan.model.flows, written);
    for condition in written.end.iter().chain(until).chain(branches) {
        names_and_facts_in(condition, &mut looks_at);
    }
    let counted = [TurnFact::Turn, TurnFact::Turns, TurnFact::Patience].map(Node::Fact);
    // A name with one value is treated like a number.
    let fixed = |tree: &Tree| facts.bounds(tree).is_some_and(|(low, high)| high == Some(low));
    looks_at.retain(|tree| !counted.contains(&tree.node) && !fixed(tree));
    let mut length = Length { most, expected: Vec::new(), depends_on: Vec::new() };
    if !looks_at.is_empty() {
        let looks_at: BTreeSet<String> = looks_at.into_iter().map(print).collect();
        length.depends_on = looks_at.into_iter().collect();
        return length;
    }
    let patience = table.patience.filter(|_| {
        let mut spent = facts.clone();
        spent.fix(TurnFact::Patience, 0);
        table.end.as_ref().is_some_and(|end| !possible(&spent, &[], &[end]))
    });
    let expected = |success| -> Option<f64> {
        match &lengths {
            // The number of iterations of a loop is unknown, so nothing more can be said.
            None if table.topics.is_none() => None,
            None => turns(success, patience, bound),
            Some(lengths) => lengths.iter().try_fold(0.0, |sum, (length, share)| {
                let most = bound.map_or(*length, |bound| bound.min(*length));
                Some(sum + share * turns(success, patience, Some(most))?)
            }),
        }
    };
    length.expected = SUCCESS_RATES
        .into_iter()
        .filter_map(|success| Some((success, expected(success)?)))
        .collect();
    length
}

/// The number of turns with repeated loops, with probabilities.
fn rounds(plan: &Plan, dialogue: &Dialogue) -> Option<BTreeMap<u64, f64>> {
    let own = super::names::turns(plan, dialogue)?;
    let of_flow = |(name, share): (&str, Share)| {
        let flow = plan.model.flows.iter().find(|flow| flow.name == name)?;
        Some((super::names::longest(&flow.steps)?, f64::from(share.0)))
    };
    let mut flows: Vec<(u64, f64)> = dialogue.weighed_flows().filter_map(of_flow).collect();
    if flows.is_empty() {
        flows.push((0, 1.0));
    }
    let whole = own.len() as f64 * flows.iter().map(|(_, share)| share).sum::<f64>();
    let mut lengths = BTreeMap::new();
    for turns in &own {
        for (flow, share) in flows.iter().filter(|(_, share)| *share > 0.0) {
            *lengths.entry(turns + flow).or_default() += share / whole;
        }
    }
    Some(lengths)
}

/// The conditions of the branches around turns.
fn branches<'p>(steps: &'p [Step], flows: &'p [Flow], dialogue: &Dialogue) -> Vec<&'p Tree> {
    fn all<'p>(steps: &'p [Step], into: &mut Vec<&'p Tree>) {
        for step in steps {
            match step {
                Step::When { condition, body, otherwise } => {
                    into.push(condition);
                    all(body, into);
                    all(otherwise, into);
                }
                Step::For { body, .. } => all(body, into),
                Step::Turn(_) | Step::Flow | Step::Let(..) | Step::Param(_) => {}
            }
        }
    }
    let mut found = Vec::new();
    all(steps, &mut found);
    let named = flows.iter().filter(|flow| dialogue.flows.contains(&flow.name));
    named.for_each(|flow| all(&flow.steps, &mut found));
    found
}

/// A larger number of turns is not considered a bound.
const MAX_TURNS: i64 = 1 << 31;

/// The minimum number of turns after which a dialogue has certainly ended, by its `end`, or by the
/// `until` of its flow of topics and the steps after it.
pub(super) fn bound_of(plan: &Plan, dialogue: &Dialogue, facts: &FactBounds) -> Option<u64> {
    let end = dialogue.end.as_ref();
    let ended = end.and_then(|end| minimum_turns(facts, end));
    let until = dialogue.topics.as_ref().and_then(|rules| rules.until.as_ref());
    let left = until.and_then(|until| {
        let either = end.into_iter().chain([until]).cloned().collect();
        let left = minimum_turns(facts, &Tree::new(Node::Or(either), until.span))?;
        // The steps before the flow, and one turn of it.
        let all = super::names::turns(plan, dialogue)?.into_iter().max()?;
        let behind = super::names::turns_after_flow(plan, dialogue)?;
        Some(left.max(all.saturating_sub(behind) + 1) + behind)
    });
    [ended, left].into_iter().flatten().min()
}

/// The minimum number of turns after which a condition certainly holds.
fn minimum_turns(facts: &FactBounds, end: &Tree) -> Option<u64> {
    let mut candidates = BTreeSet::new();
    constants(end, &mut candidates);
    let mut asked = Vec::new();
    names_and_facts_in(end, &mut asked);
    for (low, high) in asked.into_iter().filter_map(|tree| facts.bounds(tree)) {
        let ends = [Some(low), high].into_iter().flatten();
        candidates.extend(ends.flat_map(|end| [end.saturating_sub(1), end, end.saturating_add(1)]));
    }
    let over = |turns: i64| {
        let mut then = facts.clone();
        then.fix(TurnFact::Turn, turns);
        then.fix(TurnFact::Turns, turns);
        !possible(&then, &[], &[end])
    };
    let sure = candidates
        .into_iter()
        .filter(|turns| (1..=MAX_TURNS).contains(turns))
        .find(|turns| over(*turns));
    let sure = sure.or_else(|| {
        // The bound is a sum or a product of literals.
        let mut high = std::iter::successors(Some(1), |turns| Some(turns * 2))
            .take_while(|turns| *turns <= MAX_TURNS)
            .find(|turns| over(*turns))?;
        let mut low = high / 2;
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if over(middle) { high = middle } else { low = middle }
        }
        Some(high)
    });
    u64::try_from(sure?).ok()
}

fn constants(tree: &Tree, into: &mut BTreeSet<i64>) {
    if let Node::Value(Value::Int(value)) = &tree.node {
        into.extend([value.saturating_sub(1), *value, value.saturating_add(1)]);
    }
    tree.children().into_iter().for_each(|child| constants(child, into));
}

/// The number of turns of a path through the graph, with probabilities; `None` if there is a loop.
fn lengths(graph: &Graph) -> Option<BTreeMap<u64, f64>> {
    let control =
        EdgeFiltered::from_fn(graph, |edge| matches!(edge.weight().kind, EdgeKind::Control { .. }));
    let order = toposort(&control, None).ok()?;
    let mut lengths: Vec<BTreeMap<u64, f64>> = vec![BTreeMap::new(); graph.node_count()];
    let mut all = None;
    for at in order {
        let node = &graph[at];
        let own = std::mem::take(&mut lengths[at.index()]);
        let own = match node.kind {
            PlanNodeKind::Start => BTreeMap::from([(0, 1.0)]),
            PlanNodeKind::End => {
                all = Some(own);
                continue;
            }
            _ => own.into_iter().map(|(length, share)| (length + 1, share)).collect(),
        };
        let next: Vec<(usize, f64)> = graph
            .edges(at)
            .filter_map(|edge| match edge.weight().kind {
                EdgeKind::Control { weight, .. } => Some((edge.target().index(), weight as f64)),
                EdgeKind::Relation(_) => None,
            })
            .collect();
        let weights: f64 = next.iter().map(|(_, weight)| weight).sum();
        for (target, weight) in next.into_iter().filter(|(_, weight)| *weight > 0.0) {
            for (length, share) in &own {
                *lengths[target].entry(*length).or_default() += share * weight / weights;
            }
        }
    }
    all.filter(|all| !all.is_empty())
}

/// Expected turns: a success restores patience, a failure takes one off, and the dialogue ends
/// without patience or at the bound. `None` if it need not end.
fn turns(success: f64, patience: Option<u32>, most: Option<u64>) -> Option<f64> {
    let failure = 1.0 - success;
    let Some(patience) = patience.map(u64::from).filter(|patience| *patience > 0) else {
        return most.map(|most| most as f64);
    };
    if let Some(most) = most.filter(|most| *most <= patience) {
        return Some(most as f64);
    }
    let Some(most) = most.filter(|most| most.saturating_mul(patience) <= MAX_STEPS) else {
        // The expected waiting time for this many consecutive failures.
        let run = power(failure, i64::try_from(patience).ok()?);
        let wait = (1.0 - run) / (success * run);
        return (patience <= MAX_PATIENCE && wait.is_finite())
            .then(|| most.map_or(wait, |most| wait.min(most as f64)));
    };
    // The probability of each remaining patience before the current turn; full patience is last.
    let mut left = vec![0.0; usize::try_from(patience).ok()?];
    *left.last_mut()? = 1.0;
    let mut expected = 0.0;
    for _ in 0..most {
        let alive: f64 = left.iter().sum();
        expected += alive;
        left.rotate_left(1);
        for share in &mut left {
            *share *= failure;
        }
        // The first state has no patience left; its place is reused for successes.
        *left.last_mut()? = alive * success;
    }
    Some(expected)
}
