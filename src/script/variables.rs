//! The facts of a script while it is drawn.

use std::sync::Arc;

use super::drawer::Drawer;
use super::names::Names;
use super::walk::Seen;
use crate::predicate::evaluate::Variables;
use crate::predicate::value::Value;

/// The facts that guards, bounds and domains may refer to.
#[derive(Clone)]
pub(super) struct DrawVariables<'d> {
    pub drawer: &'d Drawer<'d>,
    pub turn: u32,
    pub topics: usize,
    pub topic_turns: u32,
    pub constraints: usize,
    /// The number of groups that have given a constraint.
    pub given: usize,
    /// The record of the current topic.
    pub topic: Option<usize>,
    pub style: Option<usize>,
    pub seen: Seen,
    /// The names that are drawn or computed for the turn.
    pub names: Option<Arc<Names>>,
}

impl Variables for DrawVariables<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        let count = |number: usize| Some(Value::Int(number as i64));
        let whole = |number: u32| Some(Value::Int(i64::from(number)));
        match name {
            "turn" | "turns" | "reply" => whole(self.turn),
            "topics" => count(self.topics),
            "topic_turns" => whole(self.topic_turns),
            "constraints" => count(self.constraints),
            "given" => count(self.given),
            "groups" => count(self.drawer.groups.len()),
            "patience" => {
                let full = self.drawer.dialogue.table.patience.unwrap_or(1);
                whole(self.seen.patience.unwrap_or(full))
            }
            "tokens" => Some(Value::Int(i64::try_from(self.seen.tokens).unwrap_or(i64::MAX))),
            "age" => whole(0),
            "topic" => self.drawer.topic(self.topic?).cloned(),
            "style" => Some(self.drawer.styles.as_ref()?.bank.records[self.style?].clone()),
            name => self.names.as_ref()?.get(name),
        }
    }
}
