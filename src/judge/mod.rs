//! Whether what an answer is judged on holds of it: the constraints in force, then
//! the criteria of its turn. By rule, or by a judge.
//!
//! What needs a judge is a question. What is asked ([`Prompts`]), how a reply is read
//! ([`reply::read`]) and what several votes come to ([`Rule`]) stands here; judges are
//! asked in `panel`.

mod criteria;
mod facts;
mod fence;
mod parts;
mod prompt;
pub mod reply;
mod votes;

pub use facts::Facts;
pub use parts::for_models;
pub use prompt::{Before, Earlier, Item, JudgeOptions, Prompt, Prompts, items};
pub use votes::{AggregatedVote, Rule, Vote, VoteValue, is_simulated};

use serde::{Deserialize, Serialize};

use crate::model::table::{By, Constraint};
use crate::parts::ExtractedPart;
use crate::plan::Plan;
use crate::predicate::evaluate::{Scene, evaluate, holds};
use crate::predicate::explain::{Wording, explain_in};
use crate::predicate::tree::Tree;
use crate::predicate::value::Value;
use crate::score::{NoText, Outcome, Reading};
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
    /// Why it was missed, or could not be judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The part that was not found, or the requirement that was missed before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Of one that was blocked by another: what its own rule has to say, where that fails too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub itself: Option<String>,
    /// What each judge said, each time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<Vote>,
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
    /// What models cut out of the answer.
    pub cuts: &'a [ExtractedPart],
}

/// Reads every constraint that binds on a turn, and every criterion. Where no rule
/// reads one, the aggregated vote with its name, or its key, is its verdict.
pub fn read(plan: &Plan, exchange: &Exchange<'_>, aggregated: &[AggregatedVote]) -> Vec<Verdict> {
    read_in(plan, exchange, aggregated, Wording::english())
}

/// The same, with what rules have to say in the words of a language.
pub fn read_in(
    plan: &Plan,
    exchange: &Exchange<'_>,
    aggregated: &[AggregatedVote],
    words: &Wording,
) -> Vec<Verdict> {
    let answer = Text::new(exchange.answer);
    let known = |active: &Active| {
        let constraint = plan.constraint(&active.constraint)?;
        let facts = Facts::new(plan, active, exchange);
        let scene = Scene { it: &answer, variables: &facts };
        binds(constraint, &scene).then(|| verdict(constraint, active, &scene, aggregated, words))
    };
    let constraints = exchange.turn.in_force.iter().map(AsRef::as_ref).filter_map(known);
    constraints.chain(criteria::read(plan, exchange, &answer, aggregated, words)).collect()
}

/// The verdicts on a response without text: nothing in it can be read, and nothing is asked about it.
pub fn without_text(plan: &Plan, exchange: &Exchange<'_>, why: &NoText) -> Vec<Verdict> {
    let text = Text::new(exchange.answer);
    let settled = |name: &str, kind| Verdict {
        constraint: name.to_owned(),
        kind,
        ..Verdict::new(
            why.outcome(),
            Reading::Rule,
            Some(format!("the response has no text ({why})")),
        )
    };
    let known = |active: &Active| {
        let constraint = plan.constraint(&active.constraint)?;
        let facts = Facts::new(plan, active, exchange);
        let scene = Scene { it: &text, variables: &facts };
        binds(constraint, &scene).then(|| settled(&active.constraint, None))
    };
    let constraints = exchange.turn.in_force.iter().map(AsRef::as_ref).filter_map(known);
    let criteria = &exchange.turn.criteria;
    constraints.chain(criteria.iter().map(|it| settled(&it.name, Some(it.kind)))).collect()
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
    aggregated: &[AggregatedVote],
    words: &Wording,
) -> Verdict {
    let read = match &constraint.by {
        By::Rule(tree) => by_rule(tree, scene, words, &[]),
        By::Judge(_) => by_judge(&active.constraint, aggregated),
    };
    Verdict { constraint: active.constraint.clone(), ..read }
}

/// What a rule says, of something that has no name yet.
fn by_rule(tree: &Tree, scene: &Scene<'_>, words: &Wording, called: &[(&str, &str)]) -> Verdict {
    let held = holds(tree, scene);
    let why = (!held).then(|| explain_in(tree, scene, words, called).map(|why| why.text)).flatten();
    Verdict::new(if held { Outcome::Held } else { Outcome::Missed }, Reading::Rule, why)
}

/// What judges ruled.
fn by_judge(key: &str, aggregated: &[AggregatedVote]) -> Verdict {
    match aggregated.iter().find(|aggregated| aggregated.name == key) {
        Some(aggregated) => {
            let by = if aggregated.simulated { Reading::SimulatedJudge } else { Reading::Judge };
            let read = Verdict::new(aggregated.outcome, by, aggregated.why.clone());
            Verdict { votes: aggregated.votes.clone(), ..read }
        }
        None => {
            let why = Some("no judge was asked".to_owned());
            Verdict::new(Outcome::Unjudged, Reading::Judge, why)
        }
    }
}

impl Verdict {
    fn new(outcome: Outcome, by: Reading, why: Option<String>) -> Verdict {
        Verdict {
            constraint: String::new(),
            kind: None,
            outcome,
            by,
            why,
            cause: None,
            itself: None,
            votes: Vec::new(),
        }
    }

    /// The name of the constraint, or the key of the criterion.
    pub fn key(&self) -> String {
        match self.kind {
            None => self.constraint.clone(),
            Some(kind) => format!("{} {}", kind.word(), self.constraint),
        }
    }

    /// The aggregated vote that it was; nothing where a rule read it, or where it was settled
    /// by something else.
    pub fn aggregated(&self) -> Option<AggregatedVote> {
        let Verdict { outcome, votes, why, .. } = self;
        if self.cause.is_some() {
            // What its votes come to by themselves was not looked at, and is when they are
            // counted anew.
            return (!votes.is_empty()).then(|| AggregatedVote {
                name: self.key(),
                outcome: Outcome::Unjudged,
                votes: votes.clone(),
                why: None,
                simulated: votes.iter().any(|vote| is_simulated(&vote.judge)),
            });
        }
        let simulated = match self.by {
            Reading::Rule => return None,
            Reading::Judge => false,
            Reading::SimulatedJudge => true,
        };
        Some(AggregatedVote {
            name: self.key(),
            outcome: *outcome,
            votes: votes.clone(),
            why: why.clone(),
            simulated,
        })
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
            let exchange = Exchange {
                dialogue: "talk",
                turn: &turn,
                answer,
                note: None,
                replies: &[],
                cuts: &[],
            };
            let verdicts = read(&plan, &exchange, &[]);
            assert_eq!(verdicts.len(), 2);
            assert!(verdicts.iter().all(|verdict| verdict.outcome == wanted), "{verdicts:?}");
        }
    }
}
