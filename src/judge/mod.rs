//! Whether the constraints in force hold of an answer: by rule, or by a judge.
//!
//! A constraint that needs a judge is a question; here only the simulated judge
//! answers it, and everything it says is marked as simulated.

use serde::{Deserialize, Serialize};

use crate::model::table::{By, Constraint};
use crate::plan::Plan;
use crate::predicate::evaluate::{Scene, Variables, evaluate, holds};
use crate::predicate::explain::explain;
use crate::predicate::value::Value;
use crate::provider::Note;
use crate::score::{Outcome, Reading};
use crate::script::{Active, ScriptTurn};
use crate::text::Text;

/// What was found out about one constraint on one answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    pub constraint: String,
    pub outcome: Outcome,
    pub by: Reading,
    /// Why it was missed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// An answer with what came before it.
pub struct Exchange<'a> {
    pub turn: &'a ScriptTurn,
    pub answer: &'a str,
    pub note: Option<&'a Note>,
    /// The answers of earlier turns.
    pub replies: &'a [String],
}

/// Reads every constraint that binds on a turn.
pub fn read(plan: &Plan, exchange: &Exchange<'_>) -> Vec<Verdict> {
    let answer = Text::new(exchange.answer);
    let known = |active: &Active| {
        let constraint = plan.constraint(&active.constraint)?;
        let facts = Facts::new(active, exchange);
        let scene = Scene { it: &answer, variables: &facts };
        binds(constraint, &scene).then(|| verdict(constraint, active, &scene, exchange))
    };
    exchange.turn.in_force.iter().filter_map(known).collect()
}

/// Whether a constraint binds on this reply.
fn binds(constraint: &Constraint, scene: &Scene<'_>) -> bool {
    constraint
        .applies
        .as_ref()
        .is_none_or(|applies| evaluate(applies, scene) == Ok(Value::Bool(true)))
}

fn verdict(
    constraint: &Constraint,
    active: &Active,
    scene: &Scene<'_>,
    exchange: &Exchange<'_>,
) -> Verdict {
    let name = active.constraint.clone();
    match &constraint.by {
        By::Rule(tree) => {
            let held = holds(tree, scene);
            let why = (!held).then(|| explain(tree, scene).map(|why| why.text)).flatten();
            let outcome = if held { Outcome::Held } else { Outcome::Missed };
            Verdict { constraint: name, outcome, by: Reading::Rule, why }
        }
        By::Judge(_) => {
            let missed = match exchange.note {
                Some(note) => note.missed.contains(&active.constraint),
                // An answer that nobody claims anything of satisfies no one.
                None => true,
            };
            let outcome = if missed { Outcome::Missed } else { Outcome::Held };
            let why = missed.then(|| "the simulated judge says so".to_owned());
            Verdict { constraint: name, outcome, by: Reading::SimulatedJudge, why }
        }
    }
}

/// The variables of a check: arguments, and the facts of the turn.
pub struct Facts<'a> {
    active: &'a Active,
    turn: u32,
    ask: &'a str,
    replies: &'a [String],
}

impl<'a> Facts<'a> {
    pub fn new(active: &'a Active, exchange: &Exchange<'a>) -> Facts<'a> {
        Facts {
            active,
            turn: exchange.turn.turn,
            ask: &exchange.turn.ask,
            replies: exchange.replies,
        }
    }
}

impl Variables for Facts<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.active.arg(name) {
            return Some(value.clone());
        }
        match name {
            "reply" | "turn" => Some(Value::Int(i64::from(self.turn))),
            "age" => Some(Value::Int(i64::from(self.turn.saturating_sub(self.active.since)))),
            "prompt" => Some(Value::text(self.ask)),
            "replies" => Some(Value::list(self.replies.iter().map(|reply| Value::text(reply)))),
            _ => None,
        }
    }
}
