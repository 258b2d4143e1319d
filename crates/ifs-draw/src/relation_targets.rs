//! What each node of the graph relates its turn to, looked up once for all scripts.

use petgraph::graph::NodeIndex;

use ifs_model::table::{Relation, RelationKind, TOPIC, Turn};
use ifs_plan::{Graph, PlanNode, PlanNodeKind};

/// What the statements of a node of the graph relate its turn to.
pub(super) struct RelationTargets {
    pub kind: RelationKind,
    pub to: Vec<RelationTarget>,
}

pub(super) enum RelationTarget {
    /// The last turn on the current topic.
    Topic,
    /// The last turn at one of these nodes: those of the turns with a name.
    Turns(Vec<u32>),
}

/// The relations of each node, by its index. Names of turns are looked up here, once for all scripts.
pub(super) fn relations_by_node(graph: &Graph, turns: &[&Turn]) -> Vec<Vec<RelationTargets>> {
    let nodes = graph.node_indices();
    let named = |name: &String| -> Vec<u32> {
        let is = |at: &NodeIndex| graph[*at].kind == PlanNodeKind::Turn && graph[*at].name == *name;
        nodes.clone().filter(is).map(|at| at.index() as u32).collect()
    };
    let of = |node: &PlanNode| {
        let target = |name: &String| match node.kind {
            PlanNodeKind::Turn => RelationTarget::Turns(named(name)),
            _ if name == TOPIC => RelationTarget::Topic,
            _ => RelationTarget::Turns(named(name)),
        };
        let written = node.turns.iter().filter_map(|turn| turns.get(*turn as usize));
        let all = written.flat_map(|turn| &turn.relations);
        all.map(|Relation { kind, to, .. }| RelationTargets {
            kind: *kind,
            to: to.iter().map(target).collect(),
        })
        .collect()
    };
    nodes.clone().map(|at| of(&graph[at])).collect()
}
