//! What a script knows of itself while it is drawn.

use std::sync::Arc;

use super::drawer::Drawer;
use super::names::Names;
use super::walk::Seen;
use crate::predicate::evaluate::Variables;
use crate::predicate::value::Value;

/// What guards, bounds and domains may ask for.
#[derive(Clone)]
pub(super) struct DrawVariables<'d> {
    pub drawer: &'d Drawer<'d>,
    pub turn: u32,
    pub topics: usize,
    pub topic_turns: u32,
    pub constraints: usize,
    /// How many groups have given a constraint.
    pub given: usize,
    /// The record of the topic at hand.
    pub topic: Option<usize>,
    pub style: Option<usize>,
    pub seen: Seen,
    /// What is drawn and computed where the turn is.
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
