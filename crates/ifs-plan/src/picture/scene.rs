//! The contents of a picture before layout: marks, edges with reduced shares, relations, and boxes.

use std::collections::BTreeSet;

use petgraph::visit::EdgeRef;

use super::fold::fold;
use super::graph::{
    EdgeLabel, NO_LABEL, NodeShape, PictureEdge, PictureGraph, PictureNode, PictureRelation,
    YES_LABEL, percent,
};
use super::notes::{self, Notes, range_text, wrap};
use crate::{DialoguePlan, EdgeKind, Graph, Plan, PlanNodeKind};
use ifs_model::table::{ChangeRule, Turn};
use ifs_predicate::print::print as condition;
use ifs_predicate::tree::{Node, Tree};

pub(super) fn scene(plan: &Plan, dialogue: DialoguePlan<'_>) -> PictureGraph {
    let graph = &dialogue.turns_and_branches();
    let doc = plan.model.docs.get(&dialogue.table.name);
    let written = dialogue.table.written_turns(&plan.model.flows);
    let mut marks: Vec<PictureNode> = graph
        .node_weights()
        .map(|node| {
            let shape = match node.kind {
                PlanNodeKind::Start => NodeShape::Start,
                PlanNodeKind::End => NodeShape::End,
                PlanNodeKind::Turn => NodeShape::Turn,
                PlanNodeKind::When => NodeShape::Choice,
                _ => NodeShape::Kind,
            };
            let turns = node.turns.iter().filter_map(|turn| written.get(*turn as usize).copied());
            let turns: Vec<&Turn> = turns.collect();
            let given = !turns.is_empty() && turns.iter().all(|turn| turn.is_given());
            let shape = if given { NodeShape::Given } else { shape };
            let notes = Notes::from_turns(&turns);
            let flows = node.flow.iter().cloned().collect();
            let name = match node.kind {
                PlanNodeKind::When => format!("{}?", node.name),
                _ => node.name.clone(),
            };
            PictureNode { flows, notes, ..PictureNode::new(name, shape) }
        })
        .collect();
    let mut out: Vec<Vec<(usize, Vec<EdgeLabel>)>> =
        graph.node_indices().map(|at| outgoing_edges(graph, at)).collect();
    share_choices(&mut marks, &mut out);
    let edges = out
        .into_iter()
        .enumerate()
        .flat_map(|(from, outgoing)| {
            outgoing.into_iter().map(move |(to, labels)| PictureEdge { from, to, labels })
        })
        .collect();
    let mut reported = BTreeSet::new();
    let relations = graph
        .edge_references()
        .filter_map(|edge| match edge.weight().kind {
            EdgeKind::Relation(kind) => Some(PictureRelation {
                from: edge.source().index(),
                to: edge.target().index(),
                kind,
            }),
            EdgeKind::Control { .. } => None,
        })
        .filter(|relation| reported.insert((relation.from, relation.to, relation.kind.word())));
    let mut scene = PictureGraph {
        name: dialogue.table.name.clone(),
        doc: doc.map(|doc| first_sentence(doc)).unwrap_or_default(),
        marks,
        edges,
        relations: relations.collect(),
        boxes: boxes(dialogue),
    };
    fold(&mut scene);
    scene
}

/// The outgoing edges of a node, with edges to the same node merged.
fn outgoing_edges(graph: &Graph, from: petgraph::graph::NodeIndex) -> Vec<(usize, Vec<EdgeLabel>)> {
    // petgraph gives the newest first.
    let mut edges: Vec<_> = graph.edges(from).collect();
    edges.sort_by_key(|edge| edge.id());
    let mut merged: Vec<(usize, Vec<EdgeLabel>)> = Vec::new();
    let targets: BTreeSet<usize> = edges
        .iter()
        .filter(|edge| {
            matches!(edge.weight().kind, EdgeKind::Control { weight: 1.., each: None, .. })
        })
        .map(|edge| edge.target().index())
        .collect();
    let shared = targets.len() > 1;
    for edge in &edges {
        let EdgeKind::Control { weight, each, .. } = &edge.weight().kind else { continue };
        let guard = edge.weight().guard.as_ref();
        let all: u64 = edges
            .iter()
            .filter(|other| other.weight().guard.as_ref() == guard)
            .filter_map(|other| match &other.weight().kind {
                // A loop is entered or skipped by its list, without a draw.
                EdgeKind::Control { weight, each: None, .. } => Some(*weight),
                EdgeKind::Control { each: Some(_), .. } | EdgeKind::Relation(_) => None,
            })
            .fold(0, u64::saturating_add);
        let share = match each {
            // The only edge is labelled if other conditions have several.
            None if *weight > 0 && (*weight < all || shared) => percent(*weight, all),
            // A flow that is never drawn.
            None if *weight == 0 && guard.is_none() => percent(0, 1),
            None | Some(_) => String::new(),
        };
        let mut condition = guard.map(|guard| condition(&plainer(guard))).unwrap_or_default();
        if let Some(each) = each {
            let chosen = if condition.is_empty() { condition } else { format!(" by {condition}") };
            condition = format!("each {each}{chosen}");
        }
        // The sides of a branch, whose mark has the condition.
        let share = if graph[from].kind == PlanNodeKind::When {
            condition = if guard.is_some() { YES_LABEL } else { NO_LABEL }.to_owned();
            String::new()
        } else {
            share
        };
        let to = edge.target().index();
        let at = merged.iter().position(|(have, _)| *have == to).unwrap_or_else(|| {
            merged.push((to, Vec::new()));
            merged.len() - 1
        });
        let label = EdgeLabel { share, condition, weight: *weight, all };
        let bare = label.share.is_empty() && label.condition.is_empty();
        if let Some((_, labels)) = merged.get_mut(at).filter(|_| !bare)
            && !labels.contains(&label)
        {
            labels.push(label);
        }
    }
    merged
}

/// Kinds of turn with the same outgoing edges share one choice, from which the edges are drawn
/// once.
fn share_choices(marks: &mut Vec<PictureNode>, out: &mut Vec<Vec<(usize, Vec<EdgeLabel>)>>) {
    for at in 0..marks.len() {
        let edges = out[at].clone();
        if edges.len() < 2 || marks[at].shape != NodeShape::Kind {
            continue;
        }
        let same: Vec<usize> = (at..out.len()).filter(|other| out[*other] == edges).collect();
        if same.len() < 2 {
            continue;
        }
        let choice = marks.len();
        marks.push(PictureNode::new("next turn".to_owned(), NodeShape::Choice));
        out.push(edges);
        for from in same {
            out[from] = vec![(choice, Vec::new())];
        }
    }
}

/// `turn >= 3` instead of `not turn < 3`, which generated guards often contain.
fn plainer(tree: &Tree) -> Tree {
    let node = match &tree.node {
        Node::And(parts) => Node::And(parts.iter().map(plainer).collect()),
        Node::Or(parts) => Node::Or(parts.iter().map(plainer).collect()),
        Node::Not(of) => match &of.node {
            Node::Compare(op, left, right) => {
                Node::Compare(op.opposite(), left.clone(), right.clone())
            }
            _ => return tree.clone(),
        },
        _ => return tree.clone(),
    };
    Tree::without_place(node)
}

fn first_sentence(doc: &str) -> String {
    let paragraph = doc.trim().split("\n\n").next().unwrap_or_default();
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn boxes(dialogue: DialoguePlan<'_>) -> Vec<(String, Vec<String>)> {
    let mut boxes = Vec::new();
    let table = dialogue.table;
    if !table.groups.is_empty() {
        let title = match table.groups.len() {
            1 => "constraints from 1 group".to_owned(),
            count => format!("constraints from {count} groups"),
        };
        boxes.push((title, wrap(&table.groups.join(", "), MAX_ROW_CHARACTERS)));
    }
    if let Some(evolve) = &table.evolve {
        let amount = range_text(&evolve.low, &evolve.high);
        let mut rows = vec![shares(&evolve.rules.changes)];
        for (guard, changes) in &evolve.rules.guards {
            rows.extend(wrap(&format!("when {}:", condition(guard)), MAX_ROW_CHARACTERS));
            rows.push(format!("    {}", shares(changes)));
        }
        boxes.push((format!("evolve {amount} per turn"), rows));
    }
    boxes.extend(notes::boxes(table, MAX_ROW_CHARACTERS));
    boxes
}

const MAX_ROW_CHARACTERS: usize = 34;

fn shares(changes: &[ChangeRule]) -> String {
    let all: Vec<String> = changes
        .iter()
        .map(|way| format!("{} {}", way.change.word(), way.share.to_string().replace('%', " %")))
        .collect();
    all.join(", ")
}
