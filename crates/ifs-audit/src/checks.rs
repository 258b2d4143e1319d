//! The checks of a turn: what each is about, what it notices, and where it is written.

use std::collections::BTreeMap;

use super::base::exchange;
use ifs_base::source::Span;
use ifs_draw::proof::rules_and_observations;
use ifs_draw::{CriterionKind, PartCriterion, ScriptTurn, asks_for};
use ifs_forms::CheckSubject;
use ifs_judge::{AggregatedVote, VerdictRecord};
use ifs_model::table::DecidedBy;
use ifs_parts::parts::PartReader;
use ifs_plan::Plan;
use ifs_predicate::aspects::aspects;
use ifs_score::{DecisionMethod, Outcome};
use ifs_text::{Aspect, Aspects};

/// A check by its place in the scenario: the same for all turns on which it is evaluated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CheckId {
    /// The turn's name, for what is written in a turn.
    pub turn: String,
    /// Where its expression begins: facts have no names.
    pub start: (u16, u32),
    /// `length.at_most`, `fact`, `requirement size`
    pub name: String,
}

/// A check of one turn.
#[derive(Clone, Debug)]
pub struct TurnCheck {
    pub id: CheckId,
    pub span: Span,
    pub subject: CheckSubject,
    pub sees: Aspects,
    pub kind: Option<CriterionKind>,
    /// Whether a model extracts the part that it is about.
    pub unread: bool,
    /// The points of a fact.
    pub points: f64,
}

/// The checks of a turn that a rule decides, by the key of their verdicts.
pub fn checks(
    plan: &Plan,
    dialogue: &str,
    turn: &ScriptTurn,
    replies: &[String],
) -> BTreeMap<String, TurnCheck> {
    let exchange = exchange(dialogue, turn, replies);
    let mut checks = BTreeMap::new();
    for rule in rules_and_observations(plan, &exchange.place()) {
        let goal = rule.goal(true);
        let criterion = turn.criteria.iter().find(|criterion| criterion.key() == rule.key);
        let parts = asks_for(goal.tree, &turn.parts);
        let kind = criterion.map(|criterion| criterion.kind);
        let subject = match kind {
            Some(CriterionKind::Fact | CriterionKind::Void | CriterionKind::Observation) => {
                CheckSubject::Answer
            }
            // What is said to the user belongs to a part that is the response.
            _ if parts.iter().any(|part| !is_response(part)) => CheckSubject::Part,
            _ => CheckSubject::Response,
        };
        let read: Vec<(&str, Aspects)> =
            parts.iter().map(|part| (part.name.as_str(), noticed_by_reader(part))).collect();
        // No form may matter to an answer, so what it notices is only reported for the others.
        let sees = match subject {
            CheckSubject::Answer => Aspects::NONE,
            CheckSubject::Response | CheckSubject::Part => {
                aspects(goal.tree, goal.variables, &read)
            }
        };
        let name = match criterion {
            None => rule.key.clone(),
            Some(criterion) => match criterion.kind {
                CriterionKind::Fact | CriterionKind::Void => criterion.kind.word().to_owned(),
                kind => format!("{} {}", kind.word(), criterion.written_name()),
            },
        };
        let written = if criterion.is_some() { turn.name.clone() } else { String::new() };
        let span = goal.tree.span;
        let id = CheckId { turn: written, name, start: (span.file.0, span.start) };
        let points = criterion.and_then(|criterion| criterion.points).unwrap_or(0.0);
        let unread = parts.iter().any(|part| part.reader.is_none());
        checks
            .insert(rule.key.clone(), TurnCheck { id, span, subject, sees, kind, unread, points });
    }
    checks
}

fn is_response(part: &PartCriterion) -> bool {
    let reader = part.reader.as_ref().and_then(|tree| PartReader::evaluate(tree, &()).ok());
    matches!(reader, Some(PartReader::Response))
}

/// What the reader of a part notices of a response.
fn noticed_by_reader(part: &PartCriterion) -> Aspects {
    let Some(tree) = &part.reader else {
        // No rule says what the marks of a part mean that a model extracts.
        return Aspects::of(&[Aspect::Marks, Aspect::Lines, Aspect::Format]);
    };
    PartReader::evaluate(tree, &()).map_or(Aspects::ALL, |reader| noticed(&reader))
}

fn noticed(reader: &PartReader) -> Aspects {
    match reader {
        PartReader::Response | PartReader::Whole => Aspects::NONE,
        PartReader::Lines | PartReader::Paragraphs => Aspect::Lines.set(),
        PartReader::Sentences => Aspect::Sentences.set(),
        PartReader::Numbered | PartReader::Bullets | PartReader::Code | PartReader::Table(_) => {
            Aspect::Marks.set()
        }
        PartReader::Section(_) | PartReader::Label(_) => Aspect::Marks.set(),
        PartReader::Quoted | PartReader::Between(..) => Aspect::Signs.set(),
        PartReader::Json(_) => Aspect::Format.set(),
        PartReader::In(one, other) => noticed(one) | noticed(other),
    }
}

/// Votes that say of everything that a judge decides that it holds, so that what comes after it is
/// not blocked.
pub fn kind_judge(turn: &ScriptTurn, plan: &Plan) -> Vec<AggregatedVote> {
    let judged = turn.active_constraints.iter().filter_map(|active| {
        let constraint = plan.constraint(&active.constraint)?;
        matches!(constraint.by, DecidedBy::Judge(_)).then(|| active.key())
    });
    let criteria = turn
        .criteria
        .iter()
        .filter(|&criterion| matches!(criterion.by, DecidedBy::Judge(_)))
        .map(|criterion| criterion.key());
    let vote = |name| AggregatedVote {
        name,
        outcome: Outcome::Held,
        votes: Vec::new(),
        why: None,
        simulated: true,
    };
    judged.chain(criteria).map(vote).collect()
}

/// Whether a judge decided a verdict.
pub fn is_judged(verdict: &VerdictRecord) -> bool {
    match verdict.by {
        DecisionMethod::Rule => false,
        DecisionMethod::Judge | DecisionMethod::SimulatedJudge => true,
    }
}
