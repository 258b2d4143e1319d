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

/// What a simulated model says of its own answer, for the simulated judge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Constraints it means to miss.
    pub missed: Vec<String>,
    /// Constraints it wanted to satisfy and could not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unproven: Vec<String>,
}

/// An answer with what came before it.
pub struct Exchange<'a> {
    /// The name of the dialogue.
    pub dialogue: &'a str,
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
        let facts = Facts::new(plan, active, exchange);
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
            let (outcome, why) = match exchange.note {
                Some(note) if note.missed.contains(&active.constraint) => {
                    (Outcome::Missed, Some("the simulated judge says so"))
                }
                Some(_) => (Outcome::Held, None),
                // A real model says nothing of its own answer, and no real judge was asked.
                None => (Outcome::Unjudged, Some("no judge was asked")),
            };
            let why = why.map(str::to_owned);
            Verdict { constraint: name, outcome, by: Reading::SimulatedJudge, why }
        }
    }
}

/// The variables of a check: arguments, and the facts of the turn.
pub struct Facts<'a> {
    plan: &'a Plan,
    dialogue: &'a str,
    active: &'a Active,
    turn: &'a ScriptTurn,
    replies: &'a [String],
}

impl<'a> Facts<'a> {
    pub fn new(plan: &'a Plan, active: &'a Active, exchange: &Exchange<'a>) -> Facts<'a> {
        let Exchange { dialogue, turn, replies, .. } = *exchange;
        Facts { plan, dialogue, active, turn, replies }
    }

    fn topic(&self) -> Option<Value> {
        let table = &self.plan.dialogue(self.dialogue)?.table;
        self.plan.record(table.topic.as_ref()?, &self.turn.topic).cloned()
    }

    fn style(&self) -> Option<Value> {
        let table = &self.plan.dialogue(self.dialogue)?.table;
        self.plan.record(table.style.as_ref()?, self.turn.style.as_ref()?).cloned()
    }
}

impl Variables for Facts<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.active.arg(name) {
            return Some(value.clone());
        }
        let turn = self.turn.turn;
        match name {
            "reply" | "turn" => Some(Value::Int(i64::from(turn))),
            "age" => Some(Value::Int(i64::from(turn.saturating_sub(self.active.since)))),
            "prompt" => Some(Value::text(&self.turn.ask)),
            "replies" => Some(Value::list(self.replies.iter().map(|reply| Value::text(reply)))),
            "topic" => self.topic(),
            "style" => self.style(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Exchange, read};
    use crate::model::check;
    use crate::plan::build;
    use crate::score::Outcome;
    use crate::script::{Drawer, Seed};
    use crate::world::MemoryWorld;

    #[test]
    fn a_check_knows_topic_and_style() {
        let world = MemoryWorld::new([
            ("topics.jsonl", r#"{"name":"tides","request":"Why?"}"#),
            ("styles.jsonl", r#"{"name":"kind","voice":"plain"}"#),
            (
                "main.ifs",
                r#"ifs 1
import topics "topics.jsonl"
import styles "styles.jsonl"
constraint about {
  say   "Name the subject, {{ style.name }}."
  check contains(word (topic.name)) and style.name == "kind"
}
constraint marked(mark: one_of [style.name]) {
  say   "Be {{ mark }}."
  check contains(mark)
}
dialogue talk {
  topic from topics
  style from styles
  start with 2 constraints
  flow { stay at least 9 turns }
  end when turns >= 9
}
"#,
            ),
        ]);
        let plan = build(check(&world, "main.ifs").model.unwrap());
        let drawer = Drawer::new(&plan, "talk").unwrap();
        let turn = drawer.script(Seed(1), 0).next().unwrap().unwrap();
        for (answer, wanted) in [("Of kind tides.", Outcome::Held), ("Of bread.", Outcome::Missed)]
        {
            let exchange =
                Exchange { dialogue: "talk", turn: &turn, answer, note: None, replies: &[] };
            let verdicts = read(&plan, &exchange);
            assert_eq!(verdicts.len(), 2);
            assert!(verdicts.iter().all(|verdict| verdict.outcome == wanted), "{verdicts:?}");
        }
    }
}
