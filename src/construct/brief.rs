//! What was drawn of a dialogue before models write it.

use crate::model::table::By;
use crate::plan::Plan;
use crate::predicate::value::Value;
use crate::release::{Edge, Talk, Turn};
use crate::script::{Drawer, ScriptTurn};

/// A dialogue to be written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Brief {
    pub task: String,
    pub about: String,
    pub topic: String,
    pub request: String,
    /// The sides of the topic that its bank names.
    pub angles: Vec<String>,
    pub user: String,
    /// How the user writes.
    pub manner: Vec<String>,
    pub turns: Vec<TurnBrief>,
    /// What a demand may be about.
    pub kinds: Vec<Kind>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnBrief {
    pub name: String,
    pub relations: Vec<Relation>,
    /// Kinds of demands that the user's words have to make.
    pub kinds: Vec<String>,
    /// The words that templates make of the turn, for simulated models.
    pub plain: String,
    /// What a judge is asked about those demands: kind and question, for simulated models.
    pub asked: Vec<(String, String)>,
    /// What a judge is asked about each relation: kind and question.
    pub related: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    pub kind: String,
    pub to: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    pub name: String,
    pub about: String,
}
