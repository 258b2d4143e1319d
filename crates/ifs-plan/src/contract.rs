//! The graph of a dialogue without its silent nodes: the possible successors of each turn.

use std::collections::BTreeMap;

use petgraph::graph::{EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;

use super::{EdgeKind, Graph, PlanNodeKind};
use ifs_model::table::{Binder, Dialogue};
use ifs_predicate::tree::{Node as TreeNode, Tree};
use ifs_predicate::value::Value;

/// `keeps` are silent nodes that stay.
pub(super) fn contract(
    graph: &Graph,
    dialogue: &Dialogue,
    keeps: impl Fn(PlanNodeKind) -> bool,
) -> Graph {
    let mut turns = Graph::new();
    let mut places: BTreeMap<NodeIndex, NodeIndex> = BTreeMap::new();
    let stays = |kind: PlanNodeKind| !kind.is_silent() || keeps(kind);
    for at in graph.node_indices().filter(|at| stays(graph[*at].kind)) {
        places.insert(at, turns.add_node(graph[at].clone()));
    }
    let always = always_visited(graph, dialogue);
    let walk = ContractWalk { graph, places: &places, always: &always };
    for (at, from) in &places {
        for edge in ordered_edges(graph, *at) {
            let Some((_, target)) = graph.edge_endpoints(edge) else { continue };
            match (&graph[edge].kind, places.get(&target)) {
                (_, Some(to)) => {
                    turns.add_edge(*from, *to, graph[edge].clone());
                }
                (EdgeKind::Control { .. }, None) => {
                    let mut found = Vec::new();
                    let path = SilentPath { each: None, weight: 1 };
                    walk.turns_after(*at, target, path, &mut vec![target], &mut found);
                    for (to, path) in found {
                        let mut edge = graph[edge].clone();
                        if let EdgeKind::Control { each, weight, .. } = &mut edge.kind {
                            *weight = weight.saturating_mul(path.weight);
                            *each = path.each.map(str::to_owned);
                        }
                        turns.add_edge(*from, to, edge);
                    }
                }
                (EdgeKind::Relation(_), None) => {}
            }
        }
    }
    turns
}

/// The edges of a node in the order in which they were added; petgraph returns the newest first.
pub fn ordered_edges(graph: &Graph, at: NodeIndex) -> Vec<EdgeIndex> {
    let mut edges: Vec<EdgeIndex> = graph.edges(at).map(|edge| edge.id()).collect();
    edges.sort();
    edges
}

struct ContractWalk<'a> {
    graph: &'a Graph,
    places: &'a BTreeMap<NodeIndex, NodeIndex>,
    /// Loops over a literal list that is not empty.
    always: &'a [NodeIndex],
}

/// A path to a turn over silent nodes.
#[derive(Clone, Copy)]
struct SilentPath<'a> {
    /// The loop that it enters.
    each: Option<&'a str>,
    /// The weight of its flow.
    weight: u64,
}

impl<'a> ContractWalk<'a> {
    /// The turns after a silent node, with the path to each.
    fn turns_after(
        &self,
        from: NodeIndex,
        silent: NodeIndex,
        path: SilentPath<'a>,
        seen: &mut Vec<NodeIndex>,
        found: &mut Vec<(NodeIndex, SilentPath<'a>)>,
    ) {
        let own = self.graph[silent].scope.last();
        let inside = own.is_some_and(|own| self.graph[from].scope.contains(own));
        let is_loop = self.graph[silent].kind == PlanNodeKind::Loop;
        for edge in ordered_edges(self.graph, silent) {
            let Some((_, target)) = self.graph.edge_endpoints(edge) else { continue };
            let EdgeKind::Control { each: enters, weight, .. } = &self.graph[edge].kind else {
                continue;
            };
            let passes = is_loop && enters.is_none();
            if passes && !inside && self.always.contains(&silent) {
                continue;
            }
            let drawn = self.graph[silent].kind == PlanNodeKind::Fork;
            let path = SilentPath {
                each: enters.as_deref().or(path.each),
                weight: if drawn { *weight } else { path.weight },
            };
            match self.places.get(&target) {
                Some(to) if found.iter().any(|(known, _)| known == to) => {}
                Some(to) => found.push((*to, path)),
                None if seen.contains(&target) => {}
                None => {
                    seen.push(target);
                    self.turns_after(from, target, path, seen, found);
                }
            }
        }
    }
}

fn always_visited(graph: &Graph, dialogue: &Dialogue) -> Vec<NodeIndex> {
    let binders = dialogue.binders();
    let runs = |at: &NodeIndex| {
        let own = graph[*at].scope.last().and_then(|own| binders.get(*own as usize));
        matches!(own, Some((_, Binder::Member(_, list))) if has_members(list))
    };
    let loops = graph.node_indices().filter(|at| graph[*at].kind == PlanNodeKind::Loop);
    loops.filter(runs).collect()
}

fn has_members(list: &Tree) -> bool {
    match &list.node {
        TreeNode::List(members) => !members.is_empty(),
        TreeNode::Value(Value::List(members)) => !members.is_empty(),
        _ => false,
    }
}
