//! The report as JSON. The schema is stable: fields may be added, and none changes its meaning
//! without a new number in `schema`.

use std::collections::BTreeMap;
use std::io::Write;

use serde::{Serialize, Serializer};

use super::{Origin, Report, ReportError};
use ifs_inference::panel::Judging;
use ifs_inference::{ModelSpending, ServedNames};
use ifs_run::{Gaps, ReplayedEntry, SetEntry};
use ifs_score::{
    AnswerScores, Breakdown, ConfidenceInterval, DialogueSource, DialogueSummary, Dialogues,
    Direction, EndingCount, Measurement, Metric, MetricScore, MetricUnit, Profile, Replay,
    RoundScore, SampleScores, ScoreTotals, ScoreValue, SurvivalPoint, UndecidedBounds,
};
use jiff::Timestamp;

pub(super) const SCHEMA: u32 = 2;

#[derive(Serialize, schemars::JsonSchema)]
pub(super) struct JsonReport<'a> {
    schema: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<Incomplete<'a>>,
    title: &'a str,
    benchmark_version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<&'a str>,
    plan_hash: &'a str,
    origin: Origin<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    set: Option<&'a SetEntry>,
    /// How many dialogues there are to run, if that is known: those of the set or of the release, or
    /// one for each record that the dialogue goes over.
    #[serde(skip_serializing_if = "Option::is_none")]
    available: Option<u64>,
    model: &'a str,
    /// The models that answered, judges included, as their endpoints name them.
    #[serde(skip_serializing_if = "ServedNames::is_empty")]
    served: &'a ServedNames,
    /// What `--redact` left out.
    #[serde(skip_serializing_if = "<[&str]>::is_empty")]
    redacted: &'a [&'static str],
    simulated: SimulatedRoles,
    #[serde(skip_serializing_if = "Option::is_none")]
    replayed: Option<&'a ReplayedEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judging: Option<&'a Judging>,
    /// What the requests to each model in each role took.
    #[serde(skip_serializing_if = "<[ModelSpending]>::is_empty")]
    spending: &'a [ModelSpending],
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    started: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    ended: Option<Timestamp>,
    /// What the benchmark says about itself: `author`, `licence`, `cites`, `homepage` and others.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    about: &'a BTreeMap<String, String>,
    patience_replayed: Option<&'a Replay>,
    caveats: Vec<String>,
    totals: &'a ScoreTotals,
    metrics: Vec<MetricEntry<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    slices: Vec<Sliced<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by_turn: Vec<NamedTurnScores<'a>>,
    #[serde(skip_serializing_if = "<[RoundScore]>::is_empty")]
    rounds: &'a [RoundScore],
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<&'a SampleScores>,
    survival: &'a [SurvivalPoint],
    breakdown: &'a Breakdown,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<Profile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<AnswerScores>,
    endings: &'a [EndingCount],
    groups: &'a BTreeMap<String, String>,
    #[schemars(with = "Vec<DialogueSummary>")]
    dialogues: Summaries<'a>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Incomplete<'a> {
    warning: String,
    #[serde(flatten)]
    gaps: &'a Gaps,
}

#[derive(Serialize, schemars::JsonSchema)]
struct SimulatedRoles {
    model: bool,
    judge: bool,
    warning: Option<&'static str>,
}

/// A summary of each dialogue, made when it is written.
struct Summaries<'a>(&'a Dialogues);

impl Serialize for Summaries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer
            .collect_seq(self.0.each().map(|dialogue| DialogueSummary::from_dialogue(&dialogue)))
    }
}

/// The metrics of the dialogues of one slice.
#[derive(Serialize, schemars::JsonSchema)]
struct Sliced<'a> {
    name: &'a str,
    dialogues: u64,
    metrics: Vec<MetricEntry<'a>>,
}

/// The metrics of the turns of one name.
#[derive(Serialize, schemars::JsonSchema)]
struct NamedTurnScores<'a> {
    name: &'a str,
    turns: u64,
    metrics: Vec<MetricEntry<'a>>,
}

/// `value` is null if the metric is undefined; `undefined` then has the reason.
#[derive(Serialize, schemars::JsonSchema)]
struct MetricEntry<'a> {
    name: &'a str,
    value: Option<f64>,
    undefined: Option<&'a str>,
    numerator: f64,
    denominator: f64,
    count: u64,
    distinct: u64,
    standard_error: Option<f64>,
    interval: Option<ConfidenceInterval>,
    note: Option<&'a str>,
    /// The value if everything that was not judged had been missed, and if it had held.
    #[serde(skip_serializing_if = "Option::is_none")]
    undecided: Option<UndecidedBounds>,
    unit: Option<MetricUnit>,
    direction: Option<Direction>,
    doc: Option<&'a str>,
    source: Option<&'a str>,
}

pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
    let card = report.scorecard;
    let document = JsonReport {
        schema: SCHEMA,
        incomplete: report.gaps.warning().map(|warning| Incomplete { warning, gaps: report.gaps }),
        title: report.title,
        benchmark_version: report.benchmark_version,
        variant: report.variant,
        plan_hash: report.plan_hash,
        origin: report.origin,
        seed: (!report.is_hidden()).then_some(report.seed),
        set: report.set,
        available: report.available,
        model: report.model,
        served: report.served,
        redacted: report.redacted,
        simulated: SimulatedRoles {
            model: report.simulated,
            judge: report.has_simulated_judge(),
            warning: report.simulation(),
        },
        replayed: report.replayed,
        judging: report.judging,
        spending: report.spending,
        started: report.times[0],
        ended: report.times[1],
        about: report.about,
        patience_replayed: card.replay.as_ref(),
        caveats: report.caveats(),
        totals: &card.totals,
        metrics: card.metrics.iter().map(entry).collect(),
        slices: card
            .slices
            .iter()
            .map(|slice| Sliced {
                name: &slice.name,
                dialogues: slice.dialogues,
                metrics: slice.metrics.iter().map(entry).collect(),
            })
            .collect(),
        by_turn: card
            .by_turn
            .iter()
            .map(|turn| NamedTurnScores {
                name: &turn.name,
                turns: turn.turns,
                metrics: turn.metrics.iter().map(entry).collect(),
            })
            .collect(),
        rounds: &card.rounds,
        samples: card.samples.as_ref(),
        survival: &card.survival,
        breakdown: &card.breakdown,
        instructions: super::profile::requested_profile(report),
        answers: super::profile::answered(report),
        endings: &card.endings,
        groups: report.docs,
        dialogues: Summaries(&card.dialogues),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    Ok(out.write_all(b"\n")?)
}

fn entry(score: &MetricScore) -> MetricEntry<'_> {
    let Measurement {
        value,
        numerator,
        denominator,
        count,
        distinct,
        standard_error,
        interval,
        note,
    } = &score.measured;
    let is_known = score.own.is_some() || Metric::named(&score.name).is_some();
    MetricEntry {
        name: &score.name,
        value: score.measured.number(),
        undefined: match value {
            ScoreValue::Number(_) => None,
            ScoreValue::Undefined { why } => Some(why),
        },
        numerator: *numerator,
        denominator: *denominator,
        count: *count,
        distinct: *distinct,
        standard_error: *standard_error,
        interval: *interval,
        note: note.as_deref(),
        undecided: score.undecided,
        unit: is_known.then(|| score.unit()),
        direction: is_known.then(|| score.direction()),
        doc: is_known.then(|| score.doc()),
        source: is_known.then(|| score.source()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{edge_case_scorecard, report};
    use super::*;

    #[test]
    fn has_the_promised_shape() -> Result<(), ReportError> {
        let (card, docs) = (edge_case_scorecard(), BTreeMap::new());
        let json_of = |report: &Report<'_>| crate::write(report, crate::Format::Json);
        let text = json_of(&Report { simulated: true, ..report(&card, &docs) })?;
        let json: serde_json::Value = serde_json::from_str(&text)?;
        assert_eq!(json.pointer("/schema"), Some(&2.into()));
        assert_eq!(json.pointer("/simulated/model"), Some(&true.into()));
        assert_eq!(json.pointer("/metrics/0/name"), Some(&"CSR".into()));
        assert_eq!(json.pointer("/metrics/0/unit"), Some(&"share".into()));
        assert_eq!(json.pointer("/totals/dialogues"), Some(&4.into()));
        assert_eq!(json.pointer("/dialogues/3/ending"), Some(&"script".into()));
        assert_eq!(text, json_of(&Report { simulated: true, ..report(&card, &docs) })?);
        Ok(())
    }
}
