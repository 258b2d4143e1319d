//! Whether what an answer is judged on holds of it: the constraints in force, then
//! the criteria of its turn. By rule, or by a judge.
//!
//! What needs a judge is a question; here only the simulated judge answers it, and
//! everything it says is marked as simulated.

mod criteria;
mod facts;
mod parts;

pub use facts::Facts;
pub use parts::{Cut, cut};

use serde::{Deserialize, Serialize};

use crate::model::table::{By, Constraint};
use crate::plan::Plan;
use crate::predicate::evaluate::{Scene, evaluate, holds};
use crate::predicate::explain::explain;
use crate::predicate::tree::Tree;
use crate::predicate::value::Value;
use crate::score::{Outcome, Reading};
use crate::script::{Active, CriterionKind, ScriptTurn};
use crate::text::Text;

/// What was found out about one constraint, or one criterion, on one answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The name of the constraint, or of the criterion.
    pub constraint: String,
    /// Which kind of criterion it is; nothing for a constraint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<CriterionKind>,
    pub outcome: Outcome,
    pub by: Reading,
    /// Why it was missed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The part that was not found, or the requirement that was missed before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// What a simulated model says of its own answer, for the simulated judge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Constraints, and criteria by their keys, that it means to miss.
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

/// Reads every constraint that binds on a turn, and every criterion.
pub fn read(plan: &Plan, exchange: &Exchange<'_>) -> Vec<Verdict> {
    let answer = Text::new(exchange.answer);
    let known = |active: &Active| {
        let constraint = plan.constraint(&active.constraint)?;
        let facts = Facts::new(plan, active, exchange);
        let scene = Scene { it: &answer, variables: &facts };
        binds(constraint, &scene).then(|| verdict(constraint, active, &scene, exchange))
    };
    let constraints = exchange.turn.in_force.iter().filter_map(known);
    constraints.chain(criteria::read(plan, exchange, &answer)).collect()
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
    let (outcome, by, why) = match &constraint.by {
        By::Rule(tree) => by_rule(tree, scene),
        By::Judge(_) => simulated(&active.constraint, exchange.note),
    };
    Verdict { constraint: active.constraint.clone(), kind: None, outcome, by, why, cause: None }
}

/// What is known of something: its outcome, who read it, and why it was missed.
type Read = (Outcome, Reading, Option<String>);

fn by_rule(tree: &Tree, scene: &Scene<'_>) -> Read {
    let held = holds(tree, scene);
    let why = (!held).then(|| explain(tree, scene).map(|why| why.text)).flatten();
    (if held { Outcome::Held } else { Outcome::Missed }, Reading::Rule, why)
}

/// What the simulated judge says, by what the simulated model says of its own answer.
fn simulated(key: &str, note: Option<&Note>) -> Read {
    let (outcome, why) = match note {
        Some(note) if note.missed.iter().any(|missed| missed == key) => {
            (Outcome::Missed, Some("the simulated judge says so"))
        }
        Some(_) => (Outcome::Held, None),
        // A real model says nothing of its own answer, and no real judge was asked.
        None => (Outcome::Unjudged, Some("no judge was asked")),
    };
    (outcome, Reading::SimulatedJudge, why.map(str::to_owned))
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
