//! Parallel flows of the same shape, drawn once; and flows that need a picture of their own.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::{
    EdgeLabel, NodeShape, PictureEdge, PictureGraph, PictureNode, PictureRelation, percent,
};

/// Turns one after another, between two marks that other flows share.
#[derive(Clone)]
struct Chain {
    marks: Vec<usize>,
    from: usize,
    to: usize,
    entry: Vec<EdgeLabel>,
    /// The properties that make two chains equal: ends, conditions, length and relations.
    shape: String,
}

/// A flow with a picture of its own.
pub(super) struct FlowPicture {
    pub title: String,
    pub scene: PictureGraph,
}

/// Chains between common marks, in the order of the graph.
fn chains(scene: &PictureGraph) -> Vec<Chain> {
    let edges = |at: usize| scene.edges.iter().filter(move |edge| edge.from == at);
    let into = |at: usize| scene.edges.iter().filter(move |edge| edge.to == at);
    let is_turn = |at: usize| matches!(scene.marks[at].shape, NodeShape::Turn | NodeShape::Given);
    let mut chains = Vec::new();
    for head in (0..scene.marks.len()).filter(|at| is_turn(*at)) {
        let entries: Vec<&PictureEdge> = into(head).collect();
        let [entry] = entries[..] else { continue };
        if edges(entry.from).count() < 2 {
            continue;
        }
        let mut marks = vec![head];
        let mut labels = Vec::new();
        let to = loop {
            let last = marks[marks.len() - 1];
            let next: Vec<&PictureEdge> = edges(last).collect();
            let [edge] = next[..] else { break None };
            labels.push(conditions(&edge.labels));
            let inside = is_turn(edge.to) && into(edge.to).count() == 1;
            if !inside || marks.contains(&edge.to) {
                break Some(edge.to);
            }
            marks.push(edge.to);
        };
        let Some(to) = to.filter(|to| !marks.contains(to)) else { continue };
        let place = |at: usize| marks.iter().position(|mark| *mark == at);
        let touching = scene
            .relations
            .iter()
            .map(|line| (place(line.from), place(line.to), line.kind.word()))
            .filter(|(from, to, _)| from.is_some() || to.is_some());
        let relations: BTreeSet<_> = touching.collect();
        if relations.iter().any(|(from, to, _)| from.is_none() || to.is_none()) {
            continue;
        }
        let entered = conditions(&entry.labels);
        let shape =
            format!("{} {to} {entered:?} {labels:?} {relations:?} {}", entry.from, marks.len());
        let (from, entry) = (entry.from, entry.labels.clone());
        chains.push(Chain { marks, from, to, entry, shape });
    }
    chains
}

fn conditions(labels: &[EdgeLabel]) -> Vec<&str> {
    labels.iter().map(|label| label.condition.as_str()).collect()
}

/// Draws parallel chains of the same shape once: `44 × task`.
pub(super) fn fold(scene: &mut PictureGraph) {
    let mut same: BTreeMap<String, Vec<Chain>> = BTreeMap::new();
    for chain in chains(scene) {
        same.entry(chain.shape.clone()).or_default().push(chain);
    }
    let mut gone = BTreeSet::new();
    for chains in same.into_values().filter(|chains| chains.len() > 1) {
        let count = chains.len();
        for place in 0..chains[0].marks.len() {
            let all: Vec<PictureNode> =
                chains.iter().map(|chain| scene.marks[chain.marks[place]].clone()).collect();
            let kept = &mut scene.marks[chains[0].marks[place]];
            let one = all.iter().all(|mark| mark.name == kept.name);
            kept.name = match one {
                true => format!("{count} × {}", kept.name),
                false => format!("{count} turns"),
            };
            kept.flows = all.iter().flat_map(|mark| mark.flows.clone()).collect();
            for mark in &all[1..] {
                kept.notes.add(&mark.notes);
            }
        }
        let entry = merge_labels(&chains);
        let (from, head) = (chains[0].from, chains[0].marks[0]);
        for edge in scene.edges.iter_mut().filter(|edge| edge.from == from && edge.to == head) {
            edge.labels.clone_from(&entry);
        }
        gone.extend(chains[1..].iter().flat_map(|chain| chain.marks.iter().copied()));
    }
    remove(scene, &gone);
    // A choice that is the only way needs no share.
    for at in 0..scene.marks.len() {
        let mut edges: Vec<&mut PictureEdge> =
            scene.edges.iter_mut().filter(|edge| edge.from == at).collect();
        if let [edge] = &mut edges[..] {
            edge.labels.retain(|label| !label.condition.is_empty());
        }
    }
}

/// The label of several chains: the sum of their shares.
fn merge_labels(chains: &[Chain]) -> Vec<EdgeLabel> {
    let mut entry = chains[0].entry.clone();
    for (at, label) in entry.iter_mut().enumerate().filter(|(_, label)| !label.share.is_empty()) {
        let weights = chains.iter().filter_map(|chain| chain.entry.get(at));
        label.weight = weights.map(|label| label.weight).fold(0, u64::saturating_add);
        label.share = percent(label.weight, label.all.max(1));
    }
    entry
}

/// Moves the chains of the widest choice into pictures of their own.
pub(super) fn split(scene: &mut PictureGraph) -> Vec<FlowPicture> {
    let mut parallel: BTreeMap<(usize, usize), Vec<Chain>> = BTreeMap::new();
    for chain in chains(scene) {
        parallel.entry((chain.from, chain.to)).or_default().push(chain);
    }
    let widest = parallel.into_iter().max_by_key(|(_, chains)| chains.len());
    let Some(((from, to), chains)) = widest.filter(|(_, chains)| chains.len() > 2) else {
        return Vec::new();
    };
    let panels = chains.iter().map(|chain| panel(scene, chain)).collect();
    let flows: usize = chains.iter().map(|it| scene.marks[it.marks[0]].flows.len().max(1)).sum();
    let mut mark = PictureNode::new(format!("one of {flows} flows"), NodeShape::Choice);
    mark.flows = Vec::new();
    let choice = scene.marks.len();
    scene.marks.push(mark);
    let labels = Vec::new();
    scene.edges.push(PictureEdge { from, to: choice, labels: labels.clone() });
    scene.edges.push(PictureEdge { from: choice, to, labels });
    remove(scene, &chains.iter().flat_map(|chain| chain.marks.iter().copied()).collect());
    panels
}

fn panel(scene: &PictureGraph, chain: &Chain) -> FlowPicture {
    let flows = &scene.marks[chain.marks[0]].flows;
    let name = match &flows[..] {
        [] => String::new(),
        [one] => one.clone(),
        [one, rest @ ..] => format!("{one} and {} more", rest.len()),
    };
    let share = chain.entry.first().map_or("", |label| &label.share);
    let title = [name.as_str(), share].into_iter().filter(|part| !part.is_empty());
    let title = title.collect::<Vec<_>>().join(" · ");
    let place = |at: usize| chain.marks.iter().position(|mark| *mark == at);
    let edges = scene.edges.iter().filter_map(|edge| {
        Some(PictureEdge {
            from: place(edge.from)?,
            to: place(edge.to)?,
            labels: edge.labels.clone(),
        })
    });
    let relations = scene.relations.iter().filter_map(|line| {
        Some(PictureRelation { from: place(line.from)?, to: place(line.to)?, kind: line.kind })
    });
    let scene = PictureGraph {
        name: String::new(),
        doc: String::new(),
        marks: chain.marks.iter().map(|at| scene.marks[*at].clone()).collect(),
        edges: edges.collect(),
        relations: relations.collect(),
        boxes: Vec::new(),
    };
    FlowPicture { title, scene }
}

/// Removes marks with everything that begins or ends at them.
fn remove(scene: &mut PictureGraph, gone: &BTreeSet<usize>) {
    let place = |at: usize| at - gone.range(..at).count();
    let stays = |from: usize, to: usize| !gone.contains(&from) && !gone.contains(&to);
    scene.edges.retain(|edge| stays(edge.from, edge.to));
    scene.relations.retain(|line| stays(line.from, line.to));
    for edge in &mut scene.edges {
        (edge.from, edge.to) = (place(edge.from), place(edge.to));
    }
    for line in &mut scene.relations {
        (line.from, line.to) = (place(line.from), place(line.to));
    }
    let mut at = 0;
    scene.marks.retain(|_| {
        at += 1;
        !gone.contains(&(at - 1))
    });
}
