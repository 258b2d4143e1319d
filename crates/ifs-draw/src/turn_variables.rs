//! The values that a check may refer to, in addition to the response.

use super::{Active, ScriptTurn};
use ifs_plan::Plan;
use ifs_predicate::evaluate::Variables;
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;

/// The turn that a response is to, and the responses of earlier turns.
#[derive(Clone, Copy)]
pub struct PlacedResponse<'a> {
    /// The name of the dialogue.
    pub dialogue: &'a str,
    pub turn: &'a ScriptTurn,
    pub replies: &'a [String],
}

/// The variables of a check: arguments or parts, and the facts of the turn.
pub struct TurnVariables<'a> {
    plan: &'a Plan,
    dialogue: &'a str,
    /// The constraint that is evaluated; `None` for a criterion.
    active: Option<&'a Active>,
    /// The extracted parts, by name.
    parts: &'a [(String, Value)],
    turn: &'a ScriptTurn,
    replies: &'a [String],
}

impl<'a> TurnVariables<'a> {
    /// The variables of an active constraint.
    pub fn new(
        plan: &'a Plan,
        active: &'a Active,
        place: &PlacedResponse<'a>,
    ) -> TurnVariables<'a> {
        TurnVariables { active: Some(active), ..TurnVariables::of_criteria(plan, place, &[]) }
    }

    /// The variables of the turn's criteria, including the parts of the response.
    pub fn of_criteria(
        plan: &'a Plan,
        place: &PlacedResponse<'a>,
        parts: &'a [(String, Value)],
    ) -> TurnVariables<'a> {
        let PlacedResponse { dialogue, turn, replies } = *place;
        TurnVariables { plan, dialogue, active: None, parts, turn, replies }
    }

    fn topic(&self) -> Option<Value> {
        let table = &self.plan.dialogue(self.dialogue)?.table;
        self.plan.record(table.topic.as_ref()?, &self.turn.topic).cloned()
    }

    /// The current record of the dialogue's `over`, under its name.
    fn current_record(&self, name: &str) -> Option<Value> {
        let (from, called) = self.plan.dialogue(self.dialogue)?.table.over.as_ref()?;
        if called != name {
            return None;
        }
        self.plan.record_called(from, self.turn.over.as_ref()?)
    }

    fn style(&self) -> Option<Value> {
        let table = &self.plan.dialogue(self.dialogue)?.table;
        self.plan.record(table.style.as_ref()?, self.turn.style.as_ref()?).cloned()
    }
}

impl Variables for TurnVariables<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.active.and_then(|active| active.arg(name)) {
            return Some(value.clone());
        }
        if let Some((_, value)) = self.parts.iter().find(|(known, _)| known == name) {
            return Some(value.clone());
        }
        self.current_record(name)
    }

    fn fact(&self, fact: TurnFact) -> Option<Value> {
        let turn = self.turn.turn;
        match fact {
            TurnFact::Reply | TurnFact::Turn => Some(Value::Int(i64::from(turn))),
            TurnFact::Age => {
                let since = self.active.map_or(turn, |active| active.since);
                Some(Value::Int(i64::from(turn.saturating_sub(since))))
            }
            TurnFact::Prompt => Some(Value::text(&self.turn.ask)),
            TurnFact::Replies => {
                Some(Value::list(self.replies.iter().map(|reply| Value::text(reply))))
            }
            TurnFact::Topic => self.topic(),
            TurnFact::Style => self.style(),
            TurnFact::Constraints
            | TurnFact::Given
            | TurnFact::Groups
            | TurnFact::Patience
            | TurnFact::Tokens
            | TurnFact::TopicTurns
            | TurnFact::Topics
            | TurnFact::Turns => None,
        }
    }
}
