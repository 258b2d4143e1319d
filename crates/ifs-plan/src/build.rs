//! Builds the graph of each dialogue from a model. Cannot fail.

use std::sync::Arc;

use petgraph::graph::NodeIndex;

use super::{EdgeKind, Graph, Ids, Plan, PlanEdge, PlanNode, PlanNodeKind};
use ifs_base::source::Span;
use ifs_model::table::{Dialogue, Flow, Move, SemanticModel, Share, Step, TopicRules, Turn};
use ifs_predicate::print::print;
use ifs_predicate::tree::{CompareOp, Node as TreeNode, Tree};
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;

pub fn build(model: SemanticModel) -> Plan {
    let graphs = model.dialogues.iter().map(|table| graph(table, &model.flows)).collect();
    Plan { model, graphs, ids: Ids::default(), sources: Arc::default() }
}

pub(super) fn graph(dialogue: &Dialogue, flows: &[Flow]) -> Graph {
    let mut builder = GraphBuilder {
        graph: Graph::new(),
        dialogue,
        flows,
        turns: 0,
        binders: 0,
        scope: Vec::new(),
        named: Vec::new(),
    };
    let start = builder.node("start", PlanNodeKind::Start, dialogue.span);
    let open = builder.steps(vec![OpenEnd { from: start, edge: plain() }], &dialogue.steps, 0);
    builder.end(open);
    builder.graph
}

/// An open end, to which the next turn is connected.
struct OpenEnd {
    from: NodeIndex,
    edge: PlanEdge,
}

struct GraphBuilder<'a> {
    graph: Graph,
    dialogue: &'a Dialogue,
    flows: &'a [Flow],
    /// The number of written turns and binders so far; nodes refer to them by index.
    turns: u32,
    binders: u32,
    /// The bindings of the enclosing loops.
    scope: Vec<u32>,
    /// Earlier turns, by name.
    named: Vec<(String, NodeIndex)>,
}

impl GraphBuilder<'_> {
    fn node(&mut self, name: &str, kind: PlanNodeKind, span: Span) -> NodeIndex {
        let (name, scope) = (name.to_owned(), self.scope.clone());
        self.graph.add_node(PlanNode { name, kind, turns: Vec::new(), flow: None, scope, span })
    }

    fn join(&mut self, open: Vec<OpenEnd>, to: NodeIndex) {
        for OpenEnd { from, edge } in open {
            self.graph.add_edge(from, to, edge);
        }
    }

    fn steps(&mut self, mut open: Vec<OpenEnd>, steps: &[Step], depth: usize) -> Vec<OpenEnd> {
        for step in steps {
            match step {
                Step::Turn(turn) => open = self.turn(open, turn, None, 0),
                Step::Flow => {
                    open = match &self.dialogue.topics {
                        Some(rules) => self.moves(open, rules),
                        None => self.add_alternatives(open),
                    }
                }
                // Bindings outside of loops hold for the complete dialogue.
                Step::Let(..) | Step::Param(_) => {
                    if depth > 0 {
                        self.scope.push(self.binders);
                    }
                    self.binders += 1;
                }
                Step::For { name, list, by, body } => {
                    let outside = self.scope.len();
                    self.scope.push(self.binders);
                    self.binders += 1;
                    let at = self.node(name, PlanNodeKind::Loop, list.span);
                    self.join(open, at);
                    let mut edge = plain();
                    if let EdgeKind::Control { each, .. } = &mut edge.kind {
                        *each = Some(name.clone());
                    }
                    edge.guard.clone_from(by);
                    let last = self.steps(vec![OpenEnd { from: at, edge }], body, depth + 1);
                    self.join(last, at);
                    self.scope.truncate(outside);
                    open = vec![OpenEnd { from: at, edge: plain() }];
                }
                Step::When { condition, body, otherwise } => {
                    let outside = self.scope.clone();
                    let (then, other) = self.branch(open, condition);
                    let mut last = self.steps(vec![then], body, depth + 1);
                    self.scope.clone_from(&outside);
                    last.extend(self.steps(vec![other], otherwise, depth + 1));
                    self.scope = outside;
                    open = self.join_sides(last, condition);
                }
            }
        }
        open
    }

    /// The two sides of a branch: the first is taken if its condition holds.
    fn branch(&mut self, open: Vec<OpenEnd>, condition: &Tree) -> (OpenEnd, OpenEnd) {
        let at = self.node(&print(condition), PlanNodeKind::When, condition.span);
        self.join(open, at);
        let guard = Some(condition.clone());
        let then = OpenEnd { from: at, edge: PlanEdge { guard, span: condition.span, ..plain() } };
        (then, OpenEnd { from: at, edge: plain() })
    }

    /// The place where the sides of a branch meet again.
    fn join_sides(&mut self, sides: Vec<OpenEnd>, condition: &Tree) -> Vec<OpenEnd> {
        let at = self.node("join", PlanNodeKind::Join, condition.span);
        self.join(sides, at);
        vec![OpenEnd { from: at, edge: plain() }]
    }

    /// `known` has the turns that it may relate to.
    fn turn(
        &mut self,
        open: Vec<OpenEnd>,
        turn: &Turn,
        flow: Option<&Flow>,
        known: usize,
    ) -> Vec<OpenEnd> {
        let at = self.node(&turn.name, PlanNodeKind::Turn, turn.span);
        self.graph[at].turns = vec![self.turns];
        self.graph[at].flow = flow.map(|flow| flow.name.clone());
        self.turns += 1;
        self.join(open, at);
        self.relate(at, turn, known);
        self.named.push((turn.name.clone(), at));
        vec![OpenEnd { from: at, edge: plain() }]
    }

    fn relate(&mut self, at: NodeIndex, turn: &Turn, known: usize) {
        for relation in &turn.relations {
            for to in &relation.to {
                let earlier = self.named.get(known..).unwrap_or(&[]);
                let target = earlier.iter().rev().find(|(name, _)| name == to);
                if let Some((_, target)) = target {
                    let kind = EdgeKind::Relation(relation.kind);
                    let edge = PlanEdge { kind, guard: None, span: relation.span };
                    self.graph.add_edge(at, *target, edge);
                }
            }
        }
    }

    /// Adds alternatives for named flows; one of them is drawn.
    fn add_alternatives(&mut self, open: Vec<OpenEnd>) -> Vec<OpenEnd> {
        let fork = self.node("flow", PlanNodeKind::Fork, self.dialogue.span);
        self.join(open, fork);
        let mut ends = Vec::new();
        for (name, share) in self.dialogue.weighed_flows() {
            let Some(flow) = self.flows.iter().find(|flow| flow.name == name) else { continue };
            let at = self.node(&flow.name, PlanNodeKind::Flow, flow.span);
            let kind = EdgeKind::Control { weight: u64::from(share.0), switch: false, each: None };
            self.graph.add_edge(fork, at, PlanEdge { kind, ..plain() });
            let known = self.named.len();
            let open = vec![OpenEnd { from: at, edge: plain() }];
            ends.extend(self.flow_steps(open, &flow.steps, flow, known));
        }
        ends
    }

    fn flow_steps(
        &mut self,
        mut open: Vec<OpenEnd>,
        steps: &[Step],
        flow: &Flow,
        known: usize,
    ) -> Vec<OpenEnd> {
        for step in steps {
            match step {
                Step::Turn(turn) => open = self.turn(open, turn, Some(flow), known),
                Step::When { condition, body, otherwise } => {
                    let (then, other) = self.branch(open, condition);
                    let mut last = self.flow_steps(vec![then], body, flow, known);
                    last.extend(self.flow_steps(vec![other], otherwise, flow, known));
                    open = self.join_sides(last, condition);
                }
                // A named flow has nothing else.
                Step::Flow | Step::Let(..) | Step::Param(_) | Step::For { .. } => {}
            }
        }
        open
    }

    /// Adds the three kinds of turns of a dialogue that moves between topics, and the edges between
    /// them: a topic is kept until it may be left, then the declared shares apply.
    fn moves(&mut self, open: Vec<OpenEnd>, rules: &TopicRules) -> Vec<OpenEnd> {
        let span = self.dialogue.span;
        let new = self.node("new", PlanNodeKind::New, span);
        let stay = self.node("stay", PlanNodeKind::Stay, span);
        let back = self.node("backtrack", PlanNodeKind::Backtrack, span);
        self.join(open, new);
        for (to, at) in [(Move::New, new), (Move::Stay, stay), (Move::Backtrack, back)] {
            for (place, turn) in rules.turns_for(to) {
                self.graph[at].turns.push(self.turns + place as u32);
                self.relate(at, turn, 0);
            }
        }
        self.turns += rules.turns.len() as u32;
        for from in [new, stay, back] {
            let mut earlier: Vec<Tree> = Vec::new();
            for rule in &rules.rules {
                let mut conditions: Vec<Tree> = earlier
                    .iter()
                    .map(|guard| Tree::without_place(TreeNode::Not(Box::new(guard.clone()))))
                    .collect();
                conditions.extend(rule.guard.clone());
                earlier.extend(rule.guard.clone());
                let rest = Share::ONE.0 - rule.switch.0;
                if rule.stay > 1 {
                    let guard = all(&conditions, Some(turns_on_topic(CompareOp::Less, rule.stay)));
                    let edge = PlanEdge { guard, span: rule.span, ..plain() };
                    self.graph.add_edge(from, stay, edge);
                }
                let may_leave =
                    (rule.stay > 1).then(|| turns_on_topic(CompareOp::MoreEqual, rule.stay));
                let guard = all(&conditions, may_leave);
                let scale = u64::from(Share::ONE.0);
                let mut add_move = |to, weight: u64, switch| {
                    if weight > 0 {
                        let kind = EdgeKind::Control { weight, switch, each: None };
                        let edge = PlanEdge { kind, guard: guard.clone(), span: rule.span };
                        self.graph.add_edge(from, to, edge);
                    }
                };
                add_move(stay, u64::from(rest) * scale, false);
                add_move(new, u64::from(rule.switch.0) * u64::from(rule.new.0), true);
                add_move(back, u64::from(rule.switch.0) * u64::from(rule.backtrack.0), true);
            }
        }
        let Some(until) = &rules.until else { return Vec::new() };
        let end = |from| OpenEnd { from, edge: edge_on_condition(until) };
        [new, stay, back].map(end).into()
    }

    /// Connects open ends to the end, and adds the edges of the dialogue's `end`.
    fn end(&mut self, open: Vec<OpenEnd>) {
        let condition = self.dialogue.end.as_ref();
        if open.is_empty() && condition.is_none() {
            return;
        }
        let speaks = |node: &PlanNode| node.kind != PlanNodeKind::Start && !node.kind.is_silent();
        let speaking: Vec<NodeIndex> =
            self.graph.node_indices().filter(|at| speaks(&self.graph[*at])).collect();
        let at = self.node("end", PlanNodeKind::End, self.dialogue.end_span);
        for from in speaking {
            if let Some(condition) = condition {
                self.graph.add_edge(from, at, edge_on_condition(condition));
            }
        }
        self.join(open, at);
    }
}

/// An unconditional edge.
fn plain() -> PlanEdge {
    let kind = EdgeKind::Control { weight: 1, switch: false, each: None };
    PlanEdge { kind, guard: None, span: Span::default() }
}

/// An edge that is taken as soon as a condition holds.
fn edge_on_condition(condition: &Tree) -> PlanEdge {
    let kind = EdgeKind::Control { weight: 0, switch: false, each: None };
    PlanEdge { kind, guard: Some(condition.clone()), span: condition.span }
}

fn turns_on_topic(op: CompareOp, turns: u32) -> Tree {
    Tree::without_place(TreeNode::Compare(
        op,
        Box::new(Tree::without_place(TreeNode::Fact(TurnFact::TopicTurns))),
        Box::new(Tree::without_place(TreeNode::Value(Value::Int(i64::from(turns))))),
    ))
}

fn all(conditions: &[Tree], more: Option<Tree>) -> Option<Tree> {
    let mut parts: Vec<Tree> = conditions.to_vec();
    parts.extend(more);
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(Tree::without_place(TreeNode::And(parts))),
    }
}
