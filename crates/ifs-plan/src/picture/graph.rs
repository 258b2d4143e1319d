//! What a picture shows, before layout: nodes, edges with reduced shares, relations and boxes.

use super::notes::Notes;
use ifs_model::table::RelationKind;

pub(super) struct PictureGraph {
    pub name: String,
    pub doc: String,
    pub marks: Vec<PictureNode>,
    pub edges: Vec<PictureEdge>,
    pub relations: Vec<PictureRelation>,
    /// The title and rows of each box next to the picture.
    pub boxes: Vec<(String, Vec<String>)>,
}

#[derive(Clone)]
pub(super) struct PictureNode {
    pub name: String,
    pub shape: NodeShape,
    /// The flows that it belongs to.
    pub flows: Vec<String>,
    pub notes: Notes,
}

impl PictureNode {
    pub fn new(name: String, shape: NodeShape) -> PictureNode {
        PictureNode { name, shape, flows: Vec::new(), notes: Notes::default() }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeShape {
    Start,
    End,
    Turn,
    /// A turn whose response is given.
    Given,
    /// A kind of turn, which may occur many times.
    Kind,
    /// A random choice of the next node. Several nodes may share their outgoing edges.
    Choice,
}

pub(super) struct PictureEdge {
    pub from: usize,
    pub to: usize,
    /// For each alternative, its share and its condition.
    pub labels: Vec<EdgeLabel>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EdgeLabel {
    pub share: String,
    pub condition: String,
    /// The share as a part of all alternatives.
    pub weight: u64,
    pub all: u64,
}

pub(super) struct PictureRelation {
    pub from: usize,
    pub to: usize,
    pub kind: RelationKind,
}

/// The labels of the sides of a branch.
pub(super) const YES_LABEL: &str = "yes";

pub(super) const NO_LABEL: &str = "no";

/// A share with at most one decimal.
pub(super) fn percent(weight: u64, all: u64) -> String {
    let tenths = (u128::from(weight) * 2000 + u128::from(all)) / (u128::from(all) * 2);
    match tenths % 10 {
        0 => format!("{} %", tenths / 10),
        decimal => format!("{}.{decimal} %", tenths / 10),
    }
}
