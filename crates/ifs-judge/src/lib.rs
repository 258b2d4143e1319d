//! Verdicts on a response: on its active constraints, then on the criteria of its
//! turn, by rule or by a judge.
//!
//! This module builds the prompts ([`JudgePrompts`]), parses replies ([`reply::parse_reply`]) and aggregates
//! votes ([`AggregationRule`]); `panel` sends the requests.

mod criteria;
mod fence;
pub mod grade;
mod loose;
mod parts;
mod prompt;
pub mod reply;
pub mod testing;
mod votes;

pub use loose::variants;
pub use parts::for_models;
pub use prompt::{
    EarlierExchange, JudgeItem, JudgeOptions, JudgePrompt, JudgePrompts, TurnHistory, items,
};
pub use votes::{AggregatedVote, AggregationRule, Vote, VoteValue, is_simulated};

use std::ops::Range;

use serde::{Deserialize, Serialize};

use ifs_draw::{Active, CriterionKind, PlacedResponse, ScriptTurn, TurnVariables};
use ifs_model::table::{Constraint, DecidedBy, Speaker};
use ifs_parts::parts::ExtractedPart;
use ifs_parts::template::render_once;
use ifs_plan::Plan;
use ifs_predicate::evaluate::{
    TextContext, Variables as _, Verdict, evaluate, holds, verdict as rule_verdict,
};
use ifs_predicate::explain::{Wording, explain_in};
use ifs_predicate::tree::Tree;
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;
use ifs_score::{DecisionMethod, NoText, Outcome};
use ifs_text::Text;

/// The verdict on one constraint or criterion of a response, as transcripts record it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct VerdictRecord {
    /// The name of the constraint, or of the criterion.
    pub constraint: String,
    /// The kind of criterion; `None` for a constraint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<CriterionKind>,
    pub outcome: Outcome,
    /// Who says the constraint.
    #[serde(default, skip_serializing_if = "Speaker::is_user")]
    pub speaker: Speaker,
    /// Whether a speaker that comes first contradicts it, so that it is in no score.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overruled: bool,
    /// Whether a constraint of published data that is missed holds in the loose reading.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loose: bool,
    pub by: DecisionMethod,
    /// Why it was missed or could not be judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The part that was not found, or the requirement that blocked it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// For a blocked criterion: why its own rule fails, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub itself: Option<String>,
    /// The votes of the judges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<Vote>,
    /// The parts of the response that a rule blames, in bytes. They are found again whenever the
    /// rule is evaluated, and are not recorded.
    #[serde(skip)]
    pub places: Vec<Range<usize>>,
}

/// What a simulated model reports about its response, for the simulated judge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Note {
    /// Constraints and criteria (by key) that it violates on purpose.
    pub missed: Vec<String>,
    /// Constraints that it tried to satisfy, for which no witness was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub no_witness: Vec<String>,
}

/// A response with its history.
pub struct Exchange<'a> {
    /// The name of the dialogue.
    pub dialogue: &'a str,
    pub turn: &'a ScriptTurn,
    pub answer: &'a str,
    pub note: Option<&'a Note>,
    /// The responses of earlier turns.
    pub replies: &'a [String],
    /// The parts that models extracted.
    pub extracted: &'a [ExtractedPart],
}

impl<'a> Exchange<'a> {
    /// What its checks may refer to, in addition to the response.
    pub fn place(&self) -> PlacedResponse<'a> {
        PlacedResponse { dialogue: self.dialogue, turn: self.turn, replies: self.replies }
    }
}

/// Evaluates every applicable constraint of a turn and every criterion. Without a rule, the
/// verdict is the aggregated vote with its name or key.
pub fn evaluate_constraints(
    plan: &Plan,
    exchange: &Exchange<'_>,
    aggregated: &[AggregatedVote],
) -> Vec<VerdictRecord> {
    read_in(plan, exchange, aggregated, Reasons::reported())
}

/// The same without reasons, which take longer than the verdicts.
pub fn evaluate_outcomes(
    plan: &Plan,
    exchange: &Exchange<'_>,
    aggregated: &[AggregatedVote],
) -> Vec<VerdictRecord> {
    evaluate_with(plan, exchange, aggregated, None)
}

/// The language of reasons, and who reads them.
#[derive(Clone, Copy)]
pub struct Reasons<'w> {
    pub words: &'w Wording,
    /// The model gets the instruction separately, and no reason that only quotes its response.
    pub for_model: bool,
}

impl Reasons<'static> {
    /// For reports: in English, with the instruction where there are no words for a demand.
    fn reported() -> Reasons<'static> {
        Reasons { words: Wording::english(), for_model: false }
    }
}

/// The same, with reasons for a reader.
pub fn read_in(
    plan: &Plan,
    exchange: &Exchange<'_>,
    aggregated: &[AggregatedVote],
    reasons: Reasons<'_>,
) -> Vec<VerdictRecord> {
    evaluate_with(plan, exchange, aggregated, Some(reasons))
}

fn evaluate_with(
    plan: &Plan,
    exchange: &Exchange<'_>,
    aggregated: &[AggregatedVote],
    reasons: Option<Reasons<'_>>,
) -> Vec<VerdictRecord> {
    let answer = Text::new(exchange.answer);
    let known = |active: &Active| {
        let constraint = plan.constraint(&active.constraint)?;
        let facts = TurnVariables::new(plan, active, &exchange.place());
        let scene = TextContext { it: &answer, variables: &facts };
        binds(constraint, &scene).then(|| {
            let asked = || instruction(constraint, active, &facts);
            verdict((constraint, active, &asked), &scene, aggregated, reasons)
        })
    };
    let constraints = exchange.turn.active_constraints.iter().map(AsRef::as_ref).filter_map(known);
    constraints
        .chain(criteria::evaluate_criteria(plan, exchange, &answer, aggregated, reasons))
        .collect()
}

/// The verdicts on a response without text, which need neither rules nor judges.
pub fn without_text(plan: &Plan, exchange: &Exchange<'_>, why: &NoText) -> Vec<VerdictRecord> {
    let text = Text::new(exchange.answer);
    let settled = |name: &str, kind| VerdictRecord {
        constraint: name.to_owned(),
        kind,
        ..VerdictRecord::new(
            why.outcome(),
            DecisionMethod::Rule,
            Some(format!("the response has no text ({why})")),
        )
    };
    let known = |active: &Active| {
        let constraint = plan.constraint(&active.constraint)?;
        let facts = TurnVariables::new(plan, active, &exchange.place());
        let scene = TextContext { it: &text, variables: &facts };
        binds(constraint, &scene).then(|| settled(&active.constraint, None).said(active))
    };
    let constraints = exchange.turn.active_constraints.iter().map(AsRef::as_ref).filter_map(known);
    let criteria = &exchange.turn.criteria;
    constraints.chain(criteria.iter().map(|it| settled(&it.name, Some(it.kind)))).collect()
}

/// Whether a constraint applies to this response.
fn binds(constraint: &Constraint, scene: &TextContext<'_>) -> bool {
    constraint
        .applies
        .as_ref()
        .is_none_or(|applies| evaluate(applies, scene) == Ok(Value::Bool(true)))
}

/// The instruction as the user says it; `None` if its text needs what is unknown here.
fn instruction(
    constraint: &Constraint,
    active: &Active,
    facts: &TurnVariables<'_>,
) -> Option<String> {
    let say = constraint.say.first()?;
    let args = active.args.iter().map(|(name, value)| (name.as_str(), value.clone()));
    let turn = [TurnFact::Topic, TurnFact::Style, TurnFact::Reply, TurnFact::Turn, TurnFact::Age];
    let turn = turn.into_iter().filter_map(|fact| Some((fact.name(), facts.fact(fact)?)));
    render_once(say, args.chain(turn).collect()).ok()
}

/// A constraint that is active, and its instruction.
type ActiveConstraint<'a> = (&'a Constraint, &'a Active, &'a dyn Fn() -> Option<String>);

fn verdict(
    (constraint, active, asked): ActiveConstraint<'_>,
    scene: &TextContext<'_>,
    aggregated: &[AggregatedVote],
    reasons: Option<Reasons<'_>>,
) -> VerdictRecord {
    let read = match &constraint.by {
        DecidedBy::Rule(tree) => by_rule(tree, scene, reasons, &[], asked),
        DecidedBy::Judge(_) => by_judge(&active.key(), aggregated),
    };
    let loose = match &constraint.by {
        DecidedBy::Rule(tree) if active.called.is_some() && read.outcome == Outcome::Missed => {
            let held = |text: &String| holds(tree, &TextContext { it: &Text::new(text), ..*scene });
            variants(scene.it.str()).iter().any(held)
        }
        _ => false,
    };
    VerdictRecord { constraint: active.constraint.clone(), loose, ..read }.said(active)
}

/// The verdict of a rule, without a name; with the reason if there are words for it.
fn by_rule(
    tree: &Tree,
    scene: &TextContext<'_>,
    reasons: Option<Reasons<'_>>,
    called: &[(&str, &str)],
    asked: &dyn Fn() -> Option<String>,
) -> VerdictRecord {
    match rule_verdict(tree, scene) {
        Verdict::Holds => return VerdictRecord::new(Outcome::Held, DecisionMethod::Rule, None),
        Verdict::Undecided(why) => {
            return VerdictRecord::new(Outcome::Unjudged, DecisionMethod::Rule, Some(why));
        }
        Verdict::Fails | Verdict::Exhausted => {}
    }
    let missed = || VerdictRecord::new(Outcome::Missed, DecisionMethod::Rule, None);
    let Some(Reasons { words, for_model }) = reasons else { return missed() };
    let Some(why) = explain_in(tree, scene, words, called) else { return missed() };
    let length = scene.it.str().len();
    let blamed = why.blamed.iter().filter_map(|blame| blame.place.clone());
    // A reason about the complete response marks nothing.
    let mut places: Vec<Range<usize>> =
        blamed.filter(|place| !place.is_empty() && place.len() < length).collect();
    places.sort_by_key(|place| (place.start, place.end));
    places.dedup();
    let text = match for_model {
        true => Some(why).filter(|why| !why.is_excerpt).map(|why| why.text),
        false => {
            let asked = if why.unsaid { asked() } else { None };
            Some(why.with_instruction(asked.as_deref(), words))
        }
    };
    VerdictRecord { places, ..VerdictRecord::new(Outcome::Missed, DecisionMethod::Rule, text) }
}

/// The verdict of a judge or panel.
fn by_judge(key: &str, aggregated: &[AggregatedVote]) -> VerdictRecord {
    match aggregated.iter().find(|aggregated| aggregated.name == key) {
        Some(aggregated) => {
            let by = if aggregated.simulated {
                DecisionMethod::SimulatedJudge
            } else {
                DecisionMethod::Judge
            };
            let read = VerdictRecord::new(aggregated.outcome, by, aggregated.why.clone());
            VerdictRecord { votes: aggregated.votes.clone(), ..read }
        }
        None => {
            let why = Some("no judge was asked".to_owned());
            VerdictRecord::new(Outcome::Unjudged, DecisionMethod::Judge, why)
        }
    }
}

impl VerdictRecord {
    fn new(outcome: Outcome, by: DecisionMethod, why: Option<String>) -> VerdictRecord {
        VerdictRecord {
            constraint: String::new(),
            kind: None,
            outcome,
            speaker: Speaker::User,
            overruled: false,
            loose: false,
            by,
            why,
            cause: None,
            itself: None,
            votes: Vec::new(),
            places: Vec::new(),
        }
    }

    /// The verdict on a constraint, with who says it.
    fn said(self, active: &Active) -> VerdictRecord {
        let overruled = active.overruled.is_some();
        // Disobeying it is not wrong, so nothing is marked.
        let places = if overruled { Vec::new() } else { self.places };
        VerdictRecord { speaker: active.speaker, overruled, places, ..self }
    }

    /// Whether it is in scores: neither of an observation nor of an overruled constraint.
    pub fn counts(&self) -> bool {
        !self.is_observation() && !self.overruled
    }

    /// Whether it is about an observation, which is in no score.
    pub fn is_observation(&self) -> bool {
        self.kind == Some(CriterionKind::Observation)
    }

    /// Whether something that is required was missed.
    pub fn is_missed(&self) -> bool {
        self.outcome.is_missed() && self.counts()
    }

    /// The name of the constraint, or the key of the criterion.
    pub fn key(&self) -> String {
        match self.kind {
            None if self.speaker == Speaker::User => self.constraint.clone(),
            None => format!("{} by {}", self.constraint, self.speaker.word()),
            Some(kind) => format!("{} {}", kind.word(), self.constraint),
        }
    }

    /// The aggregated vote of this verdict; `None` for a rule, or if something else decided
    /// it.
    pub fn aggregated(&self) -> Option<AggregatedVote> {
        let VerdictRecord { outcome, votes, why, .. } = self;
        if self.cause.is_some() {
            // The votes were not aggregated when the verdict was made, so they are counted now.
            return (!votes.is_empty()).then(|| AggregatedVote {
                name: self.key(),
                outcome: Outcome::Unjudged,
                votes: votes.clone(),
                why: None,
                simulated: votes.iter().any(|vote| is_simulated(&vote.judge)),
            });
        }
        let simulated = match self.by {
            DecisionMethod::Rule => return None,
            DecisionMethod::Judge => false,
            DecisionMethod::SimulatedJudge => true,
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
    use super::{Exchange, evaluate_constraints};
    use ifs_base::world::MemoryWorld;
    use ifs_draw::{Drawer, Seed};
    use ifs_model::check;
    use ifs_plan::build;
    use ifs_score::Outcome;

    #[test]
    fn checks_see_topic_and_style() {
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
                extracted: &[],
            };
            let verdicts = evaluate_constraints(&plan, &exchange, &[]);
            assert_eq!(verdicts.len(), 2);
            assert!(verdicts.iter().all(|verdict| verdict.outcome == wanted), "{verdicts:?}");
        }
    }
}
