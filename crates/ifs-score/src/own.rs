//! Metrics by expressions of a scenario or of the library: over outcomes, turns and dialogues.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::interval::{ValueRange, interval};
use super::statistics::RatioTerm;
use super::{
    CriterionKind, DialogueSource, Direction, Measurement, MetricScore, MetricUnit, OutcomeTally,
    OwnKind, ScoreValue as Score, ScoredConstraint, ScoredDialogue, ScoredTurn, TurnOutcome,
};
use ifs_model::table::{MetricForm, MetricOf, OwnMetric};
use ifs_predicate::evaluate::{TextContext, evaluate};
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;
use ifs_text::NOTHING;
use ifs_value::random::SplitMix64;
use ifs_value::stable_hash::StreamKey;

/// The most resamples of a run for the standard error of a metric of the run, and the most dialogues
/// that they have together unless that leaves fewer than [`MIN_RESAMPLES`].
const MAX_RESAMPLES: usize = 200;
const MAX_RESAMPLED_DIALOGUES: usize = 400_000;
const MIN_RESAMPLES: usize = 25;

/// The mean over what the metric is of, with a standard error over distinct dialogues; the number
/// itself for a metric of the run, with one over resampled dialogues.
pub(super) fn score(metric: &OwnMetric, dialogues: &impl DialogueSource) -> MetricScore {
    let mut measured = match metric.of {
        MetricOf::Run => run_metric(metric, dialogues),
        _ => {
            let samples = reads_samples(&metric.tree);
            let part = |dialogue: ScoredDialogue| part(metric, &dialogue, samples);
            let parts: Vec<RatioTerm> = dialogues.each().filter_map(part).collect();
            Measurement::ratio(&parts, "no part of the run has a value")
        }
    };
    let (unit, range) = match (metric.form, metric.not_negative) {
        (MetricForm::Share, _) => (MetricUnit::Share, ValueRange::Share),
        (MetricForm::Percent, true) => (MetricUnit::Share, ValueRange::NotNegative),
        (MetricForm::Percent, false) => (MetricUnit::Share, ValueRange::Any),
        (MetricForm::Number, true) => (MetricUnit::Number, ValueRange::NotNegative),
        (MetricForm::Number, false) => (MetricUnit::Number, ValueRange::Any),
    };
    measured.interval = interval(&measured, range);
    let direction = match metric.lower {
        true => Direction::LowerIsBetter,
        false => Direction::HigherIsBetter,
    };
    let own = Some(OwnKind { unit, direction, doc: metric.doc.clone() });
    MetricScore { name: metric.name.clone(), measured, own, undecided: None }
}

/// The two sums of one dialogue; 0 without a value, and for a metric of the run.
#[must_use]
pub fn sums(metric: &OwnMetric, dialogue: &ScoredDialogue) -> (f64, f64) {
    part(metric, dialogue, reads_samples(&metric.tree))
        .map_or((0.0, 0.0), |part| (part.above, part.below))
}

/// Whether an expression reads the responses to a turn one by one. Their records are made only for
/// such a metric, since most turns have one response.
fn reads_samples(tree: &Tree) -> bool {
    matches!(&tree.node, Node::Var(name) | Node::Field(_, name) if name == "samples")
        || tree.children().into_iter().any(reads_samples)
}

/// The contribution of a dialogue. What has no value is left out.
fn part(metric: &OwnMetric, dialogue: &ScoredDialogue, samples: bool) -> Option<RatioTerm> {
    let values: Vec<f64> = match metric.of {
        MetricOf::Dialogue => {
            number(metric, &fields_of_dialogue(dialogue, samples)).into_iter().collect()
        }
        MetricOf::Turn => {
            let turns = dialogue.turns.iter();
            turns.filter_map(|turn| number(metric, &fields_of_turn(turn, samples))).collect()
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

fn run_metric(metric: &OwnMetric, dialogues: &impl DialogueSource) -> Measurement {
    // Dialogues with the same text are drawn together.
    let mut clusters: BTreeMap<u64, Vec<Value>> = BTreeMap::new();
    let mut all = Vec::new();
    let samples = reads_samples(&metric.tree);
    for (at, dialogue) in (0..).zip(dialogues.each()) {
        let value = Value::record(fields_of_dialogue(&dialogue, samples));
        // Numbers of texts are smaller than this.
        let text = dialogue.text.unwrap_or(u64::MAX - at);
        clusters.entry(text).or_default().push(value.clone());
        all.push(value);
    }
    let clusters: Vec<Vec<Value>> = clusters.into_values().collect();
    let of =
        |dialogues: Vec<Value>| number(metric, &[("dialogues".to_owned(), Value::list(dialogues))]);
    let count = all.len();
    let Some(value) = of(all) else {
        return Measurement::undefined("the expression has no value for this run");
    };
    let resamples = (MAX_RESAMPLED_DIALOGUES / count.max(1)).clamp(MIN_RESAMPLES, MAX_RESAMPLES);
    let mut stream = SplitMix64::new(StreamKey::new("resampled dialogues").number());
    let mut resample = |_| {
        let number = clusters.len() as u64;
        let drawn = (0..number).filter_map(|_| clusters.get(stream.integer_below(number) as usize));
        of(drawn.flatten().cloned().collect())
    };
    let found: Vec<f64> = match clusters.len() {
        0 | 1 => Vec::new(),
        _ => (0..resamples).filter_map(&mut resample).collect(),
    };
    let mean = found.iter().sum::<f64>() / found.len() as f64;
    let squares: f64 = found.iter().map(|one| (one - mean) * (one - mean)).sum();
    // Of a metric that few resamples have a value for, the error is unknown.
    let standard_error =
        (found.len() > resamples / 2).then(|| (squares / (found.len() - 1) as f64).sqrt());
    Measurement {
        value: Score::Number(value),
        numerator: value,
        denominator: 1.0,
        count: count as u64,
        distinct: clusters.len() as u64,
        standard_error,
        ..Measurement::undefined("")
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

fn fields_of_dialogue(dialogue: &ScoredDialogue, samples: bool) -> NamedFields {
    let turns = dialogue.turns.iter().map(|turn| Value::record(fields_of_turn(turn, samples)));
    named([
        ("turns", Value::list(turns.collect::<Vec<_>>())),
        ("slice", Value::text(dialogue.slice.as_deref().unwrap_or_default())),
    ])
}

fn fields_of_turn(turn: &ScoredTurn, samples: bool) -> NamedFields {
    let mut fields = fields_of_first(turn);
    if samples {
        let samples = turn.responses().map(|all| Value::record(fields_of_response(all)));
        fields.push(("samples".to_owned(), Value::list(samples.collect::<Vec<_>>())));
    }
    fields
}

/// One of the responses to a turn.
fn fields_of_response(constraints: &[Arc<ScoredConstraint>]) -> NamedFields {
    let tally = OutcomeTally::from_constraints(constraints);
    let outcomes = constraints.iter().map(|one| Value::record(fields_of_outcome(one)));
    named([
        ("held", Value::Bool(tally.missed == 0 && tally.is_decided())),
        ("missed", Value::Bool(tally.missed > 0)),
        ("outcomes", Value::list(outcomes.collect::<Vec<_>>())),
    ])
}

/// A turn with the outcomes of its first response.
fn fields_of_first(turn: &ScoredTurn) -> NamedFields {
    let outcomes = turn.constraints.iter().map(|one| Value::record(fields_of_outcome(one)));
    let overruled = turn.overruled.iter().map(|one| Value::record(fields_of_outcome(one)));
    let observations = turn.observations.iter();
    let observations = observations.map(|one| Value::record(fields_of_observation(one)));
    named([
        ("position", Value::Int(i64::from(turn.turn))),
        ("classes", texts(&turn.classes)),
        ("slice", Value::text(turn.slice.as_deref().unwrap_or_default())),
        ("observations", Value::list(observations.collect::<Vec<_>>())),
        ("held", Value::Bool(turn.verdict() == TurnOutcome::Success)),
        ("missed", Value::Bool(turn.verdict() == TurnOutcome::Failure)),
        ("outcomes", Value::list(outcomes.collect::<Vec<_>>())),
        ("overruled", Value::list(overruled.collect::<Vec<_>>())),
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
        ("speaker", Value::text(outcome.speaker.word())),
        ("tags", texts(&outcome.tags)),
        ("held", Value::Bool(held)),
        ("missed", Value::Bool(outcome.outcome.is_missed())),
        ("loose", Value::Bool(held || outcome.loose)),
        ("weight", Value::Float(outcome.weight.unwrap_or(1.0))),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_checked_against_all_kinds() {
        let words = CriterionKind::ALL.map(CriterionKind::word);
        let kinds: Vec<&str> = ["constraint"].into_iter().chain(words).collect();
        assert_eq!(kinds, ifs_model::OUTCOME_KINDS);
    }
}
