//! The steady-state share of each transition of a flow between topics.
//!
//! A run is the turns on a topic before it is left. The next move depends on the length of the run
//! so far, so runs are a Markov renewal process: the share of a transition is its expected number
//! in a run divided by the expected length of a run. The two ways of opening a run have the
//! stationary probabilities of their own chain.

use std::collections::BTreeSet;

use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;

use super::condition::possible;
use super::fact_bounds::FactBounds;
use crate::{EdgeKind, Graph, PlanNodeKind};
use ifs_predicate::print::print as condition;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;

pub(super) struct MoveShares {
    pub new: f64,
    pub stay: f64,
    pub backtrack: f64,
    /// The mean number of turns in a run; `None` if a run never ends.
    pub mean_run: Option<f64>,
}

const LENGTH_FACT: TurnFact = TurnFact::TopicTurns;

/// Returns `Err` with the names that the shares depend on in addition to the length of the run.
pub(super) fn shares(graph: &Graph) -> Result<MoveShares, Vec<String>> {
    let find = |kind| graph.node_indices().find(|at| graph[*at].kind == kind);
    let (Some(new), Some(stay), Some(back)) =
        (find(PlanNodeKind::New), find(PlanNodeKind::Stay), find(PlanNodeKind::Backtrack))
    else {
        return Err(Vec::new());
    };
    let lengths = lengths(graph)?;
    let from_new = run(graph, new, stay, &lengths)?;
    let from_back = run(graph, back, stay, &lengths)?;
    let (Some(from_new), Some(from_back)) = (from_new, from_back) else {
        return Ok(MoveShares { new: 0.0, stay: 1.0, backtrack: 0.0, mean_run: None });
    };
    let crossing = from_new.backtrack + from_back.new;
    let opened_new = if crossing > 0.0 { from_back.new / crossing } else { 1.0 };
    let opened_back = 1.0 - opened_new;
    let mean = opened_new * from_new.turns + opened_back * from_back.turns;
    Ok(MoveShares {
        new: opened_new / mean,
        stay: (mean - 1.0) / mean,
        backtrack: opened_back / mean,
        mean_run: Some(mean),
    })
}

/// A run by the move that opened it: its expected turns, and the shares of the moves that end it.
struct MoveRun {
    turns: f64,
    new: f64,
    backtrack: f64,
}

/// The shares of the next moves.
struct NextMoves {
    new: f64,
    stay: f64,
    backtrack: f64,
}

/// `None` if the run may never end.
fn run(
    graph: &Graph,
    opening: NodeIndex,
    stay: NodeIndex,
    lengths: &[i64],
) -> Result<Option<MoveRun>, Vec<String>> {
    let mut run = MoveRun { turns: 0.0, new: 0.0, backtrack: 0.0 };
    let mut alive = 1.0;
    for (at, length) in lengths.iter().enumerate() {
        let next = next_moves(graph, if *length == 1 { opening } else { stay }, *length)?;
        // The expected turns in this range, which all have the same shares.
        let (turns, left) = match lengths.get(at + 1) {
            Some(behind) => {
                let left = power(next.stay, behind - length);
                let turns = if next.stay < 1.0 {
                    (1.0 - left) / (1.0 - next.stay)
                } else {
                    (behind - length) as f64
                };
                (turns, left)
            }
            None if next.stay < 1.0 => (1.0 / (1.0 - next.stay), 0.0),
            None if alive > 0.0 => return Ok(None),
            None => (0.0, 0.0),
        };
        run.turns += alive * turns;
        run.new += alive * turns * next.new;
        run.backtrack += alive * turns * next.backtrack;
        alive *= left;
    }
    Ok(Some(run))
}

fn next_moves(graph: &Graph, from: NodeIndex, length: i64) -> Result<NextMoves, Vec<String>> {
    let mut facts = FactBounds::plain();
    facts.fix(LENGTH_FACT, length);
    let (mut new, mut stay, mut backtrack) = (0.0, 0.0, 0.0);
    for edge in graph.edges(from) {
        let EdgeKind::Control { weight, .. } = edge.weight().kind else { continue };
        if let Some(guard) = edge.weight().guard.as_ref().filter(|_| weight > 0) {
            if !possible(&facts, &[guard], &[]) {
                continue;
            }
            if possible(&facts, &[], &[guard]) {
                return Err(other_names(guard));
            }
        }
        let weight = weight as f64;
        match graph[edge.target()].kind {
            PlanNodeKind::New => new += weight,
            PlanNodeKind::Stay => stay += weight,
            PlanNodeKind::Backtrack => backtrack += weight,
            _ => {}
        }
    }
    let all = new + stay + backtrack;
    if all > 0.0 {
        Ok(NextMoves { new: new / all, stay: stay / all, backtrack: backtrack / all })
    } else {
        Ok(NextMoves { new: 0.0, stay: 1.0, backtrack: 0.0 })
    }
}

/// The lengths of a run at which the shares may change, ascending from 1.
fn lengths(graph: &Graph) -> Result<Vec<i64>, Vec<String>> {
    let mut lengths = BTreeSet::from([1, 2]);
    for edge in graph.edge_references() {
        // An edge that leaves the flow has no share.
        if matches!(edge.weight().kind, EdgeKind::Control { weight: 0, .. }) {
            continue;
        }
        if let Some(guard) = &edge.weight().guard {
            constants(guard, &mut lengths)?;
        }
    }
    Ok(lengths.into_iter().filter(|length| *length >= 1).collect())
}

fn constants(tree: &Tree, into: &mut BTreeSet<i64>) -> Result<(), Vec<String>> {
    match &tree.node {
        Node::Value(Value::Int(value)) => {
            into.extend([*value, value.saturating_add(1)]);
            Ok(())
        }
        // The shares may change between any two lengths.
        Node::Arithmetic(..) => Err(other_names(tree)),
        _ => tree.children().into_iter().try_for_each(|child| constants(child, into)),
    }
}

/// The names in a guard other than the length of the run; otherwise the guard itself.
fn other_names(guard: &Tree) -> Vec<String> {
    let mut read = Vec::new();
    super::names::names_and_facts_in(guard, &mut read);
    let others = read.into_iter().filter(|tree| tree.node != Node::Fact(LENGTH_FACT));
    let found: BTreeSet<String> = others.map(condition).collect();
    if found.is_empty() { vec![condition(guard)] } else { found.into_iter().collect() }
}

/// By repeated squaring, so that it is the same on every machine.
pub(super) fn power(base: f64, exponent: i64) -> f64 {
    let (mut result, mut base, mut exponent) = (1.0, base, exponent);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result *= base;
        }
        base *= base;
        exponent /= 2;
    }
    result
}
