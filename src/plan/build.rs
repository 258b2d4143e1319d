//! From a model to a plan: the graph of each dialogue. Cannot fail.

use petgraph::graph::NodeIndex;

use super::{DialoguePlan, Edge, EdgeKind, Graph, Node, NodeKind, Plan, VERSION};
use crate::model::table::{Dialogue, Flow, Model, Share, Step, TopicRules, Turn};
use crate::predicate::tree::{CompareOp, Node as TreeNode, Tree};
use crate::predicate::value::Value;
use crate::source::Span;

pub fn build(model: Model) -> Plan {
    let dialogues = model
        .dialogues
        .into_iter()
        .map(|table| DialoguePlan { graph: graph(&table, &model.flows), table })
        .collect();
    Plan {
        version: VERSION,
        edition: model.edition,
        benchmark: model.benchmark,
        banks: model.banks,
        pictures: model.pictures,
        scenes: model.scenes,
        feeds: model.feeds,
        tags: model.tags,
        groups: model.groups,
        masks: model.masks,
        flows: model.flows,
        dialogues,
        releases: model.releases,
        sources: std::sync::Arc::default(),
        docs: model.docs,
    }
}

pub(super) fn graph(dialogue: &Dialogue, flows: &[Flow]) -> Graph {
    let mut graph = Graph::new();
    let start = node(&mut graph, "start", NodeKind::Start, dialogue.span);
    let mut open = vec![start];
    if let Some(rules) = &dialogue.topics {
        topic_flow(&mut graph, start, rules, dialogue);
        return graph;
    }
    let drawn: Vec<&Flow> = dialogue
        .flows
        .iter()
        .filter_map(|name| flows.iter().find(|flow| flow.name == *name))
        .collect();
    if !drawn.is_empty() {
        open = drawn
            .iter()
            .flat_map(|flow| sequence(&mut graph, &[start], flow.turns.iter(), flow.span))
            .collect();
    }
    open = steps(&mut graph, open, &dialogue.steps, None);
    let end = node(&mut graph, "end", NodeKind::End, dialogue.span);
    for last in open {
        graph.add_edge(last, end, control(1, None, dialogue.span));
    }
    graph
}

fn node(graph: &mut Graph, name: &str, kind: NodeKind, span: Span) -> NodeIndex {
    graph.add_node(Node { name: name.to_owned(), kind, span })
}

fn control(weight: u64, guard: Option<Tree>, span: Span) -> Edge {
    Edge { kind: EdgeKind::Control { weight, switch: false, each: None }, guard, span }
}

/// Turns one after the other; gives the last, to which the next may be joined.
fn sequence<'a>(
    graph: &mut Graph,
    before: &[NodeIndex],
    turns: impl Iterator<Item = &'a Turn>,
    span: Span,
) -> Vec<NodeIndex> {
    let mut open = before.to_vec();
    let mut known: Vec<(&str, NodeIndex)> = Vec::new();
    for turn in turns {
        let at = node(graph, &turn.name, NodeKind::Turn, turn.span);
        for last in open.drain(..) {
            graph.add_edge(last, at, control(1, None, span));
        }
        known.push((&turn.name, at));
        open.push(at);
        relate(graph, turn, at, &known);
    }
    open
}

fn relate(graph: &mut Graph, turn: &Turn, at: NodeIndex, known: &[(&str, NodeIndex)]) {
    for relation in &turn.relations {
        for to in &relation.to {
            let target = known.iter().rev().find(|(name, _)| name == to);
            if let Some((_, target)) = target {
                let kind = EdgeKind::Relation(relation.kind);
                graph.add_edge(at, *target, Edge { kind, guard: None, span: relation.span });
            }
        }
    }
}

/// Steps as written. A loop's body is entered once for each member of its list,
/// and passed by when there is none.
fn steps(
    graph: &mut Graph,
    mut open: Vec<NodeIndex>,
    steps: &[Step],
    each: Option<&str>,
) -> Vec<NodeIndex> {
    // A loop is entered from what stands before it; what follows within it is not
    // entered again.
    let before = open.clone();
    for step in steps {
        match step {
            Step::Turn(turn) => {
                let at = node(graph, &turn.name, NodeKind::Turn, turn.span);
                for last in open.drain(..) {
                    let mut edge = control(1, None, turn.span);
                    if let (EdgeKind::Control { each: label, .. }, Some(each)) =
                        (&mut edge.kind, each)
                        && before.contains(&last)
                    {
                        *label = Some(each.to_owned());
                    }
                    graph.add_edge(last, at, edge);
                }
                let known: Vec<(String, NodeIndex)> = graph
                    .node_indices()
                    .map(|index| (graph[index].name.clone(), index))
                    .filter(|(_, index)| *index != at && graph[*index].kind == NodeKind::Turn)
                    .collect();
                let known: Vec<(&str, NodeIndex)> =
                    known.iter().map(|(name, index)| (name.as_str(), *index)).collect();
                relate(graph, turn, at, &known);
                open.push(at);
            }
            Step::For { name, list, body } => {
                let label = name.clone();
                let before = open.clone();
                let first = graph.node_count();
                let last = self::steps(graph, open, body, Some(&label));
                if let Some(first) = graph.node_indices().nth(first) {
                    for last in &last {
                        let kind = EdgeKind::Control {
                            weight: 1,
                            switch: false,
                            each: Some(label.clone()),
                        };
                        graph.add_edge(*last, first, Edge { kind, guard: None, span: list.span });
                    }
                }
                open = if surely_runs(list) { Vec::new() } else { before };
                open.extend(
                    last.into_iter().filter(|index| !open.contains(index)).collect::<Vec<_>>(),
                );
            }
            Step::Let(..) | Step::Param(_) => {}
        }
    }
    open
}

/// Whether a list is written out with something in it.
fn surely_runs(list: &Tree) -> bool {
    match &list.node {
        TreeNode::List(members) => !members.is_empty(),
        TreeNode::Value(Value::List(members)) => !members.is_empty(),
        _ => false,
    }
}

/// The three kinds of turn of a talk that moves between topics, and the ways
/// between them: on a topic until it may be left, then by the shares declared.
fn topic_flow(graph: &mut Graph, start: NodeIndex, rules: &TopicRules, dialogue: &Dialogue) {
    let span = dialogue.span;
    let new = node(graph, "new", NodeKind::New, span);
    let stay = node(graph, "stay", NodeKind::Stay, span);
    let back = node(graph, "backtrack", NodeKind::Backtrack, span);
    graph.add_edge(start, new, control(1, None, span));
    for from in [new, stay, back] {
        let mut earlier: Vec<Tree> = Vec::new();
        for rule in &rules.rules {
            let mut conditions: Vec<Tree> = earlier
                .iter()
                .map(|guard| Tree::made(TreeNode::Not(Box::new(guard.clone()))))
                .collect();
            conditions.extend(rule.guard.clone());
            earlier.extend(rule.guard.clone());
            let rest = Share::WHOLE.0 - rule.switch.0;
            if rule.stay > 1 {
                let guard = all(&conditions, Some(turns_on_topic(CompareOp::Less, rule.stay)));
                graph.add_edge(from, stay, control(1, guard, rule.span));
            }
            let may_leave =
                (rule.stay > 1).then(|| turns_on_topic(CompareOp::MoreEqual, rule.stay));
            let guard = all(&conditions, may_leave);
            let scale = u64::from(Share::WHOLE.0);
            let mut way = |to, weight: u64, switch| {
                if weight > 0 {
                    let kind = EdgeKind::Control { weight, switch, each: None };
                    graph.add_edge(from, to, Edge { kind, guard: guard.clone(), span: rule.span });
                }
            };
            way(stay, u64::from(rest) * scale, false);
            way(new, u64::from(rule.switch.0) * u64::from(rule.new.0), true);
            way(back, u64::from(rule.switch.0) * u64::from(rule.backtrack.0), true);
        }
    }
    if let Some(end) = &dialogue.end {
        let at = node(graph, "end", NodeKind::End, dialogue.end_span);
        for from in [new, stay, back] {
            graph.add_edge(from, at, control(0, Some(end.clone()), end.span));
        }
    }
}

fn turns_on_topic(op: CompareOp, turns: u32) -> Tree {
    Tree::made(TreeNode::Compare(
        op,
        Box::new(Tree::made(TreeNode::Var("topic_turns".to_owned()))),
        Box::new(Tree::made(TreeNode::Value(Value::Int(i64::from(turns))))),
    ))
}

fn all(conditions: &[Tree], more: Option<Tree>) -> Option<Tree> {
    let mut parts: Vec<Tree> = conditions.to_vec();
    parts.extend(more);
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(Tree::made(TreeNode::And(parts))),
    }
}
