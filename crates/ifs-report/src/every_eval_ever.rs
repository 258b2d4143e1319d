//! A record of Every Eval Ever (evaleval/every_eval_ever), version 0.3.0 of its schema: the results of
//! a run, as that collection stores them.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::{Report, ReportError};
use ifs_score::{DialogueSource, Direction, MetricScore, MetricUnit};

const VERSION: &str = "0.3.0";

/// What the record needs in addition to the report.
#[derive(Clone, Copy, Debug)]
pub struct Provenance<'a> {
    /// When the run ended; 1970 for a run that was recorded elsewhere.
    pub ended: Timestamp,
    /// Who publishes the record, and how that relates to the model.
    pub organization: &'a str,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub max_tokens: Option<u64>,
}

/// # Errors
///
/// Returns an error if a value cannot be written as JSON, which does not happen for scorecards.
pub fn record(report: &Report<'_>, from: &Provenance<'_>) -> Result<String, ReportError> {
    let seconds = from.ended.as_second().to_string();
    let shown = report.shown_metrics(&report.scorecard.metrics);
    // A score is required, so a metric without a value has no place in the record.
    let results: Vec<Value> =
        shown.into_iter().filter_map(|score| result(report, from, score)).collect();
    let mut details = Map::new();
    let (label, drawn_from) = report.drawn_from();
    for (name, value) in [
        ("definition_hash", report.plan_hash.to_owned()),
        ("benchmark_version", report.benchmark_version.to_owned()),
        (label, drawn_from),
        ("simulated_model", report.simulated.to_string()),
        ("simulated_judge", report.has_simulated_judge().to_string()),
        ("warnings", report.warnings().join(" ")),
        ("answered_by", report.answered_by().join(", ")),
        ("caveats", report.caveats().join(" ")),
    ] {
        if !value.is_empty() {
            details.insert(name.to_owned(), json!(value));
        }
    }
    if let Some(judges) = report.judges() {
        details.insert("judges".to_owned(), json!(judges));
    }
    for (label, value) in report.credits() {
        details.insert(label.to_owned(), json!(value));
    }
    if !report.spending.is_empty() {
        details.insert("spending".to_owned(), json!(serde_json::to_string(report.spending)?));
    }
    if let Some(variant) = report.variant {
        details.insert("variant".to_owned(), json!(variant));
    }
    let named = report.replayed.and_then(|source| source.model.as_deref());
    let named = if report.replayed.is_some() { named } else { Some(report.model) };
    let developer = named.and_then(|name| name.split_once('/')).map_or("unknown", |(it, _)| it);
    let record = json!({
        "schema_version": VERSION,
        "evaluation_id": format!("{}/{}/{seconds}", report.title, report.model.replace('/', "_")),
        "evaluation_timestamp": seconds,
        "retrieved_timestamp": seconds,
        "source_metadata": {
            "source_name": report.title, "source_type": "evaluation_run",
            "source_organization_name": from.organization, "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": "ifs", "version": report.origin.ifs_version, "additional_details": details,
        },
        "model_info": {
            "name": report.model, "id": report.model, "developer": developer,
            // Required; a name does not say who runs a model, or whether its weights can be had.
            "additional_details": { "deployment_type": "unknown", "model_availability": "unknown" },
        },
        "evaluation_results": results,
    });
    let mut text = serde_json::to_string_pretty(&record)?;
    text.push('\n');
    Ok(text)
}

fn result(report: &Report<'_>, from: &Provenance<'_>, score: &MetricScore) -> Option<Value> {
    let measured = &score.measured;
    let value = measured.number()?;
    let is_share = score.unit() == MetricUnit::Share;
    let lower = score.direction() == Direction::LowerIsBetter;
    let mut config = json!({ "lower_is_better": lower, "score_type": "continuous" });
    if !score.source().is_empty() {
        config["evaluation_description"] = json!(format!("{} ({})", score.doc(), score.source()));
    }
    // The schema wants ends for a continuous score; a count of turns has only the longest dialogue.
    let most = report.scorecard.dialogues.each().map(|dialogue| dialogue.turns.len()).max();
    config["min_score"] = json!(if is_share { 0.0 } else { value.min(0.0) });
    config["max_score"] =
        json!(if is_share { 1.0 } else { value.max(most.unwrap_or_default() as f64) });
    let mut uncertainty = json!({ "num_samples": measured.distinct });
    if let Some(error) = measured.standard_error {
        uncertainty["standard_error"] =
            json!({ "value": error, "method": "analytic, clustered by distinct dialogue" });
    }
    if let Some(interval) = measured.interval {
        uncertainty["confidence_interval"] = json!({
            "lower": interval.lower, "upper": interval.upper, "confidence_level": 0.95,
            "method": match () {
                () if interval.single => "none: every dialogue has this value",
                () if is_share => "Clopper-Pearson for the effective sample",
                () => "Student, of the logarithm where no value can be negative",
            },
        });
    }
    let mut arguments = Map::new();
    for (name, value) in [
        ("temperature", from.temperature.map(|number| json!(number))),
        ("top_p", from.top_p.map(|number| json!(number))),
        ("max_tokens", from.max_tokens.map(|number| json!(number))),
    ] {
        if let Some(value) = value {
            arguments.insert(name.to_owned(), value);
        }
    }
    Some(json!({
        "evaluation_name": format!("{}: {}", report.title, score.name),
        "source_data": { "dataset_name": report.title, "source_type": "other" },
        "metric_config": config,
        "score_details": { "score": value, "uncertainty": uncertainty },
        "generation_config": { "generation_args": arguments },
    }))
}
