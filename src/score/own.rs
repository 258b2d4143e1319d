//! Metrics by expressions of a scenario or of the library: over outcomes, turns and dialogues.

use super::interval::interval;
use super::statistics::RatioTerm;
use super::{
    CriterionKind, DialogueSource, Measurement, MetricScore, MetricUnit, ScoreValue as Score,
    ScoredConstraint, ScoredDialogue, ScoredTurn, TurnOutcome,
};
use crate::model::table::{MetricOf, OwnMetric};
use crate::predicate::evaluate::{TextContext, evaluate};
use crate::predicate::value::Value;
use crate::text::NOTHING;

/// The mean over what the metric is of, with a standard error over distinct dialogues; the number
/// itself for a metric of the run.
pub(super) fn score(metric: &OwnMetric, dialogues: &impl DialogueSource) -> MetricScore {
    // An interval of shares does not leave 0 to 1.
    let mut is_share = false;
    let mut measured = match metric.of {
        MetricOf::Run => of_run(metric, dialogues),
        _ => {
            let part = |dialogue: ScoredDialogue| part(metric, &dialogue);
            let parts: Vec<RatioTerm> = dialogues.each().filter_map(part).collect();
            is_share = parts.iter().all(|part| (0.0..=part.below).contains(&part.above));
            Measurement::ratio(&parts, "no part of the run has a value")
        }
    };
    let unit = if is_share { MetricUnit::Share } else { MetricUnit::Turns };
    measured.interval = interval(&measured, unit);
    MetricScore { name: metric.name.clone(), measured }
}

/// The contribution of a dialogue. What has no value is left out.
fn part(metric: &OwnMetric, dialogue: &ScoredDialogue) -> Option<RatioTerm> {
    let values: Vec<f64> = match metric.of {
        MetricOf::Dialogue => number(metric, &fields_of_dialogue(dialogue)).into_iter().collect(),
        MetricOf::Turn => {
            let turns = dialogue.turns.iter();
            turns.filter_map(|turn| number(metric, &fields_of_turn(turn))).collect()
        }
        MetricOf::Outcome => {
            let outcomes = dialogue.turns.iter().flat_map(|turn| &turn.constraints);
            outcomes.filter_map(|one| number(metric, &fields_of_outcome(one))).collect()
        }
        MetricOf::Run => Vec::new(),
    };
    let above = values.iter().fold(0.0, |sum, one| sum + one);
    (!values.is_empty()).then(|| dialogue.part(above, values.len() as f64))
}

fn of_run(metric: &OwnMetric, dialogues: &impl DialogueSource) -> Measurement {
    let all = dialogues.each().map(|dialogue| Value::record(fields_of_dialogue(&dialogue)));
    let all: Vec<Value> = all.collect();
    let count = all.len() as u64;
    let value = number(metric, &[("dialogues".to_owned(), Value::list(all))]);
    match value {
        None => Measurement::undefined("the expression has no value for this run"),
        Some(value) => Measurement {
            value: Score::Number(value),
            numerator: value,
            denominator: 1.0,
            count,
            ..Measurement::undefined("")
        },
    }
}

/// The value of the expression; a condition counts 1 or 0.
fn number(metric: &OwnMetric, fields: &[(String, Value)]) -> Option<f64> {
    let number =
        match evaluate(&metric.tree, &TextContext { it: &NOTHING, variables: &fields }).ok()? {
            Value::Int(number) => number as f64,
            Value::Float(number) => number,
            Value::Bool(holds) => f64::from(u8::from(holds)),
            _ => return None,
        };
    number.is_finite().then_some(number)
}

type NamedFields = Vec<(String, Value)>;

fn named<const N: usize>(fields: [(&str, Value); N]) -> NamedFields {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn texts(texts: &[String]) -> Value {
    Value::list(texts.iter().map(|text| Value::text(text)).collect::<Vec<_>>())
}

fn fields_of_dialogue(dialogue: &ScoredDialogue) -> NamedFields {
    let turns = dialogue.turns.iter().map(|turn| Value::record(fields_of_turn(turn)));
    named([
        ("turns", Value::list(turns.collect::<Vec<_>>())),
        ("slice", Value::text(dialogue.slice.as_deref().unwrap_or_default())),
    ])
}

fn fields_of_turn(turn: &ScoredTurn) -> NamedFields {
    let outcomes = turn.constraints.iter().map(|one| Value::record(fields_of_outcome(one)));
    let observations = turn.observations.iter();
    let observations = observations.map(|one| Value::record(fields_of_observation(one)));
    named([
        ("position", Value::Int(i64::from(turn.turn))),
        ("classes", texts(&turn.classes)),
        ("observations", Value::list(observations.collect::<Vec<_>>())),
        ("held", Value::Bool(turn.verdict() == TurnOutcome::Success)),
        ("missed", Value::Bool(turn.verdict() == TurnOutcome::Failure)),
        ("outcomes", Value::list(outcomes.collect::<Vec<_>>())),
    ])
}

fn fields_of_observation((name, seen): &(String, Option<bool>)) -> NamedFields {
    named([
        ("name", Value::text(name)),
        ("held", Value::Bool(*seen == Some(true))),
        ("read", Value::Bool(seen.is_some())),
    ])
}

fn fields_of_outcome(outcome: &ScoredConstraint) -> NamedFields {
    let held = outcome.outcome == super::Outcome::Held;
    named([
        ("name", Value::text(&outcome.constraint)),
        ("kind", Value::text(outcome.kind.map_or("constraint", CriterionKind::word))),
        ("group", Value::text(&outcome.group)),
        ("tags", texts(&outcome.tags)),
        ("held", Value::Bool(held)),
        ("missed", Value::Bool(outcome.outcome.is_missed())),
        ("loose", Value::Bool(held || outcome.loose)),
        ("weight", Value::Float(outcome.weight.unwrap_or(1.0))),
    ])
}
