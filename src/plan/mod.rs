//! The plan: what a program comes to, ready to be drawn from.
//!
//! A graph for each dialogue (turns with their control edges, relation edges
//! beside them) and the tables of the model. It serialises to one canonical JSON
//! text; no places, comments or seeds are in it.

pub mod analysis;
mod build;
pub mod picture;
#[cfg(test)]
mod sample;

pub use build::build;

use std::collections::BTreeMap;

use petgraph::graph::DiGraph;
use serde::{Deserialize, Serialize};

use crate::model::table::{
    Bank, Benchmark, Constraint, Dialogue, Feed, Flow, Group, Mask, RelationKind, Release, Tag,
};
use crate::predicate::tree::Tree;
use crate::source::Span;

/// The version of the serialised form.
pub const VERSION: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    pub version: u32,
    pub edition: u32,
    pub benchmark: Benchmark,
    pub banks: Vec<Bank>,
    pub feeds: Vec<Feed>,
    pub tags: Vec<Tag>,
    pub groups: Vec<Group>,
    pub masks: Vec<Mask>,
    pub flows: Vec<Flow>,
    pub dialogues: Vec<DialoguePlan>,
    pub releases: Vec<Release>,
    /// Doc comments by the name of what they describe. Not part of the hash.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub docs: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DialoguePlan {
    #[serde(flatten)]
    pub table: Dialogue,
    pub graph: Graph,
}

/// Which turn may follow which.
pub type Graph = DiGraph<Node, Edge>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    pub name: String,
    pub kind: NodeKind,
    #[serde(skip)]
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// Before the first turn.
    Start,
    /// A turn that opens a topic.
    New,
    /// A turn that stays on its topic.
    Stay,
    /// A turn that goes back to an earlier topic.
    Backtrack,
    /// A turn written out in a flow or a dialogue.
    Turn,
    End,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    pub kind: EdgeKind,
    /// The edge may be taken only where this holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Tree>,
    #[serde(skip)]
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// What may come next. Among the edges of a node that may be taken, each has
    /// its weight's share.
    Control {
        weight: u64,
        /// The talk moves to another topic: where one way is closed (no unused
        /// topic, nothing to go back to) the other has its share too.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        switch: bool,
        /// `for q in chat.questions`: taken once for each member of a list.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        each: Option<String>,
    },
    /// From a turn to an earlier one that it refers to.
    Relation(RelationKind),
}

impl Plan {
    /// The canonical text: what is written to a file and, without docs, hashed.
    pub fn to_json(&self) -> String {
        // A plan holds only maps with text keys and finite numbers, so writing it
        // to memory does not fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    pub fn from_json(text: &str) -> Result<Plan, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The content hash (BLAKE3, hexadecimal): the same for two programs that
    /// differ only in comments, doc comments and layout.
    pub fn hash(&self) -> String {
        // Many small writes into the hasher would cost more than the text does.
        let text = serde_json::to_vec(&PlanWithoutDocs(self)).unwrap_or_default();
        blake3::hash(&text).to_hex().to_string()
    }

    pub fn dialogue(&self, name: &str) -> Option<&DialoguePlan> {
        self.dialogues.iter().find(|dialogue| dialogue.table.name == name)
    }

    pub fn bank(&self, name: &str) -> Option<&Bank> {
        self.banks.iter().find(|bank| bank.name == name)
    }

    pub fn constraint(&self, name: &str) -> Option<&Constraint> {
        self.groups.iter().flat_map(|group| &group.constraints).find(|known| known.name == name)
    }

    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.name == name)
    }
}

struct PlanWithoutDocs<'a>(&'a Plan);

impl Serialize for PlanWithoutDocs<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let plan = self.0;
        (
            (plan.version, plan.edition, &plan.benchmark, &plan.banks, &plan.feeds, &plan.tags),
            (&plan.groups, &plan.masks, &plan.flows, &plan.dialogues, &plan.releases),
        )
            .serialize(serializer)
    }
}
