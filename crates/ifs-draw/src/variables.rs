//! The facts of a script while it is drawn.

use std::sync::Arc;

use super::drawer::Drawer;
use super::names::NamedValues;
use super::state::Observed;
use ifs_predicate::evaluate::Variables;
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;

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
    pub seen: Observed,
    /// The names that are drawn or computed for the turn.
    pub names: Option<Arc<NamedValues>>,
}

impl Variables for DrawVariables<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        self.names.as_ref()?.get(name)
    }

    fn fact(&self, fact: TurnFact) -> Option<Value> {
        let count = |number: usize| Some(Value::Int(number as i64));
        let whole = |number: u32| Some(Value::Int(i64::from(number)));
        match fact {
            TurnFact::Turn | TurnFact::Turns | TurnFact::Reply => whole(self.turn),
            TurnFact::Topics => count(self.topics),
            TurnFact::TopicTurns => whole(self.topic_turns),
            TurnFact::Constraints => count(self.constraints),
            TurnFact::Given => count(self.given),
            TurnFact::Groups => count(self.drawer.groups.len()),
            TurnFact::Patience => {
                let full = self.drawer.dialogue.table.patience.unwrap_or(1);
                whole(self.seen.patience.unwrap_or(full))
            }
            TurnFact::Tokens => {
                Some(Value::Int(i64::try_from(self.seen.tokens).unwrap_or(i64::MAX)))
            }
            TurnFact::Age => whole(0),
            TurnFact::Topic => self.drawer.topic(self.topic?).cloned(),
            TurnFact::Style => Some(self.drawer.styles.as_ref()?.bank.records[self.style?].clone()),
            TurnFact::Prompt | TurnFact::Replies => None,
        }
    }
}
