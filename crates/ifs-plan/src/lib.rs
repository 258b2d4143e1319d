//! The plan: a compiled scenario.
//!
//! A graph for each dialogue (turns with their control edges, relation edges
//! beside them) and the tables of the model. It serialises to JSON, without places,
//! comments or seeds; `canonical` has its hash.

pub mod analysis;
mod build;
pub mod canonical;
pub mod changes;
mod contract;
pub mod lock;
pub mod picture;
#[cfg(test)]
mod sample;

pub use build::build;
pub use contract::ordered_edges;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use petgraph::graph::DiGraph;
use serde::{Deserialize, Serialize};

use ifs_base::source::{Sources, Span};
use ifs_model::table::{
    Bank, Constraint, Dialogue, DrawFrom, Feed, Group, RelationKind, SemanticModel,
};
use ifs_predicate::tree::Tree;
use ifs_predicate::value::Value;

/// The version of the serialised format.
pub const VERSION: u32 = 2;

/// A group by its position in `Plan::groups`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GroupId(u32);

/// A constraint by its group and its position in it. Drawing uses ids; names are for files,
/// messages and the keys of random streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ConstraintId {
    pub group: GroupId,
    at: u32,
}

/// The ids of groups and constraints by name: from the groups, when the first is looked up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ids(OnceLock<(BTreeMap<String, GroupId>, BTreeMap<String, ConstraintId>)>);

impl Ids {
    fn index(
        &self,
        groups: &[Group],
    ) -> &(BTreeMap<String, GroupId>, BTreeMap<String, ConstraintId>) {
        self.0.get_or_init(|| {
            let named = (0..).map(GroupId).zip(groups);
            let constraints = named.clone().flat_map(|(group, of)| {
                let of = (0..).zip(&of.constraints);
                of.map(move |(at, constraint)| {
                    (constraint.name.clone(), ConstraintId { group, at })
                })
            });
            (named.map(|(id, group)| (group.name.clone(), id)).collect(), constraints.collect())
        })
    }
}

/// A compiled scenario. Its tables are its definition; everything else follows from them.
#[derive(Clone, Debug)]
pub struct Plan {
    pub model: SemanticModel,
    /// The graphs of the dialogues, in their order.
    pub graphs: Vec<Graph>,
    pub(crate) ids: Ids,
    /// The texts that its spans refer to, for errors that only drawing finds.
    pub sources: Arc<Sources>,
}

/// A plan as JSON: its tables.
#[derive(Serialize)]
struct StoredPlan<'p> {
    version: u32,
    #[serde(flatten)]
    model: &'p SemanticModel,
}

/// A dialogue and its graph.
#[derive(Clone, Copy, Debug)]
pub struct DialoguePlan<'p> {
    pub table: &'p Dialogue,
    pub graph: &'p Graph,
}

/// The graph of a dialogue: its turns, the silent nodes between them, and their edges.
pub type Graph = DiGraph<PlanNode, PlanEdge>;

impl DialoguePlan<'_> {
    /// The successors of each turn: the graph without silent nodes.
    pub fn turns(&self) -> Graph {
        contract::contract(self.graph, self.table, |_| false)
    }

    /// The same with the heads of branches, for pictures.
    fn turns_and_branches(&self) -> Graph {
        contract::contract(self.graph, self.table, |kind| kind == PlanNodeKind::When)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanNode {
    pub name: String,
    pub kind: PlanNodeKind,
    /// The statements of the turn, by index in [`Dialogue::written_turns`]: one for a written turn,
    /// any number for a move between topics.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<u32>,
    /// The named flow that the turn belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<String>,
    /// The bindings of the enclosing loops, by index in [`Dialogue::binders`]; the scope of a loop
    /// ends with the loop itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<u32>,
    #[serde(skip)]
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanNodeKind {
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
    /// Silent: one of the named flows after it is drawn.
    Fork,
    /// Silent: the beginning of a named flow.
    Flow,
    /// Silent: the head of a `for`. Its edge with `each` goes into the body, the other one past it.
    Loop,
    /// Silent: the head of a `when` around turns. Its edge with a guard goes into the first block,
    /// the other one into `else`, or past it.
    When,
    /// Silent: where the sides of a `when` meet again.
    Join,
    End,
}

impl PlanNodeKind {
    /// Whether it is not a turn.
    pub fn is_silent(self) -> bool {
        matches!(
            self,
            PlanNodeKind::Fork
                | PlanNodeKind::Flow
                | PlanNodeKind::Loop
                | PlanNodeKind::When
                | PlanNodeKind::Join
        )
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanEdge {
    pub kind: EdgeKind,
    /// The condition of the edge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Tree>,
    #[serde(skip)]
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// A possible next node. Open edges of a node are drawn by weight. An edge of
    /// weight 0 is taken as soon as its guard holds.
    Control {
        weight: u64,
        /// A move to another topic: if one alternative is closed (no unused topic, or none to
        /// return to), the other gets its share too.
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
    /// The plan as JSON.
    pub fn to_json(&self) -> String {
        // A plan contains only maps with text keys and finite numbers, so serializing it to memory
        // cannot fail.
        let stored = StoredPlan { version: VERSION, model: &self.model };
        serde_json::to_string(&stored).unwrap_or_default()
    }

    /// Parses the JSON of [`Plan::to_json`].
    pub fn from_json(text: &str) -> Result<Plan, serde_json::Error> {
        serde_json::from_str(text).map(build::build)
    }

    /// The record with a key in the bank of a draw.
    pub fn record(&self, from: &DrawFrom, key: &str) -> Option<&Value> {
        let bank = self.bank(&from.bank)?;
        let at = bank.keys.iter().position(|known| known == key)?;
        bank.records.get(at)
    }

    pub fn dialogues(&self) -> impl ExactSizeIterator<Item = DialoguePlan<'_>> {
        let pairs = self.model.dialogues.iter().zip(&self.graphs);
        pairs.map(|(table, graph)| DialoguePlan { table, graph })
    }

    pub fn dialogue(&self, name: &str) -> Option<DialoguePlan<'_>> {
        self.dialogues().find(|dialogue| dialogue.table.name == name)
    }

    /// The plan with a dialogue replaced by one of its variants, under the dialogue's name, so that
    /// it is drawn from the same streams. `None` if there is no such variant.
    pub fn varied(mut self, dialogue: &str, variant: &str) -> Option<Plan> {
        let at = self.model.dialogues.iter().position(|plain| plain.name == dialogue)?;
        let (_, varied) =
            self.model.dialogues[at].variants.iter().find(|(name, _)| name == variant)?;
        let varied = (**varied).clone();
        let over = varied.over.as_ref().map(|(from, _)| from.clone());
        self.graphs[at] = build::graph(&varied, &self.model.flows);
        self.model.dialogues[at] = varied;
        // The variant may have other records.
        let records = over.and_then(|from| self.records(&from)).map(|(_, all)| all.len() as u64);
        let releases = self.model.releases.iter_mut();
        for release in releases.filter(|it| it.has_every_record_of(dialogue)) {
            let counts = release.counts.iter_mut().filter(|(_, of)| of == dialogue);
            counts.for_each(|(count, _)| *count = records.unwrap_or(*count));
        }
        Some(self)
    }

    /// The variants of a dialogue by name, each with its graph.
    pub fn variants<'p>(
        &'p self,
        dialogue: &'p Dialogue,
    ) -> impl Iterator<Item = (&'p str, &'p Dialogue, Graph)> {
        dialogue
            .variants
            .iter()
            .map(|(name, table)| (name.as_str(), &**table, build::graph(table, &self.model.flows)))
    }

    pub fn bank(&self, name: &str) -> Option<&Bank> {
        self.model.banks.iter().find(|bank| bank.name == name)
    }

    /// The keys and records that a dialogue can iterate over by this name.
    pub fn records(&self, name: &str) -> Option<(&[String], &[Value])> {
        match self.bank(name) {
            Some(bank) => Some((&bank.keys, &bank.records)),
            None => self.feed(name).map(Feed::records),
        }
    }

    pub fn feed(&self, name: &str) -> Option<&Feed> {
        self.model.feeds.iter().find(|feed| feed.name == name)
    }

    /// The record of a dialogue, by its name.
    pub fn record_called(&self, name: &str, key: &str) -> Option<Value> {
        match self.bank(name) {
            Some(bank) => {
                let at = bank.keys.iter().position(|known| known == key)?;
                bank.records.get(at).cloned()
            }
            None => self.feed(name)?.game_named(key),
        }
    }

    /// A constraint by name. Every active constraint of every turn is looked up when responses are
    /// judged.
    pub fn constraint(&self, name: &str) -> Option<&Constraint> {
        self.constraint_id(name).map(|id| self.constraint_by_id(id))
    }

    pub fn constraint_id(&self, name: &str) -> Option<ConstraintId> {
        self.ids.index(&self.model.groups).1.get(name).copied()
    }

    /// The constraint with an id of this plan.
    ///
    /// # Panics
    /// If the id is of another plan.
    pub fn constraint_by_id(&self, id: ConstraintId) -> &Constraint {
        &self.group_by_id(id.group).constraints[id.at as usize]
    }

    pub fn group_id(&self, name: &str) -> Option<GroupId> {
        self.ids.index(&self.model.groups).0.get(name).copied()
    }

    /// The group with an id of this plan.
    ///
    /// # Panics
    /// If the id is of another plan.
    pub fn group_by_id(&self, id: GroupId) -> &Group {
        &self.model.groups[id.0 as usize]
    }

    /// The groups with their ids, in order.
    pub fn groups_by_id(&self) -> impl Iterator<Item = (GroupId, &Group)> {
        (0..).map(GroupId).zip(&self.model.groups)
    }

    /// The constraints of a group with their ids, in order.
    pub fn members(&self, group: GroupId) -> impl Iterator<Item = (ConstraintId, &Constraint)> {
        let members = (0..).zip(&self.group_by_id(group).constraints);
        members.map(move |(at, constraint)| (ConstraintId { group, at }, constraint))
    }

    /// The group of a constraint.
    pub fn group_of(&self, constraint: &str) -> Option<&Group> {
        self.constraint_id(constraint).map(|id| self.group_by_id(id.group))
    }

    /// Whether responses are judged on a relation. An unrelated turn relates to nothing, so it is
    /// judged only if a constraint defines what that means.
    pub fn judges(&self, kind: RelationKind) -> bool {
        kind.is_judged() || self.meaning(kind).is_some()
    }

    /// The constraint that defines a relation, if any.
    pub fn meaning(&self, kind: RelationKind) -> Option<&Constraint> {
        let all = self.model.groups.iter().flat_map(|group| &group.constraints);
        all.into_iter().find(|constraint| constraint.relation == Some(kind))
    }

    pub fn group(&self, name: &str) -> Option<&Group> {
        self.group_id(name).map(|id| self.group_by_id(id))
    }
}
