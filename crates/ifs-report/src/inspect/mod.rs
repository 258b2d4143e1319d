//! A run as a log of inspect_ai, in the form of its `.eval` files, version 2: an archive with a JSON
//! file for each sample, a list of the samples, and a header. Its reader, its data frames and its
//! viewer need nothing else.
//!
//! A dialogue is a sample. Its scores are the metrics of this dialogue alone; the results have the
//! metrics of the run with their standard errors. Each turn is a span with its requests and, as
//! intermediate scores, the verdicts.

mod sample;

use std::collections::BTreeMap;
use std::io::{self, Write};

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::Report;
use super::chat::ChatView;
use ifs_inference::panel::{JudgeEntry, Judging};
use ifs_inference::provider::{Parameters, Usage};
use ifs_inference::{ModelSpending, Money, RequestRole, Spent};
use ifs_run::RunManifest;
use ifs_score::{METRICS, MetricScore, Scorecard};
pub use sample::PictureData;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{DateTime, ZipWriter};

/// The version of the format.
const VERSION: u32 = 2;

/// In place of messages that are left out.
const LEFT_OUT: &str = "[left out]";

/// A run to be logged.
#[derive(Clone, Copy, Debug)]
pub struct LoggedRun<'a> {
    pub manifest: &'a RunManifest,
    /// The name of the benchmark.
    pub title: &'a str,
    /// The metrics of the dialogue's `report`; the default ones if empty.
    pub metrics: &'a [String],
    /// The id of the log: letters and digits, unique to the run and the settings of its scores.
    pub id: &'a str,
    /// Whether a request with feedback replaces the question (`retry … fresh`).
    pub fresh_rounds: bool,
}

impl LoggedRun<'_> {
    /// The name of the file, in the form that inspect_ai lists: time, task, id.
    #[must_use]
    pub fn file_name(&self) -> String {
        let letters = |it: char| if it.is_ascii_alphanumeric() { it } else { '-' };
        let task: String = self.task().chars().map(letters).collect();
        format!("{}_{task}_{}.eval", self.ended().strftime("%Y-%m-%dT%H-%M-%S"), self.id)
    }

    /// When the run ended; 1970 for a run that was recorded elsewhere.
    fn ended(&self) -> Timestamp {
        self.manifest.ended.unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// The time after this many milliseconds of the run.
    fn time(&self, elapsed: u64) -> String {
        let started = self.manifest.started.unwrap_or(Timestamp::UNIX_EPOCH);
        let time = started.as_millisecond().saturating_add_unsigned(elapsed);
        utc(Timestamp::from_millisecond(time).unwrap_or(started))
    }

    fn task(&self) -> String {
        let variant = self.manifest.variant.as_deref();
        let variant = variant.map(|variant| format!("-{variant}")).unwrap_or_default();
        let task = format!("{}{variant}", self.manifest.dialogue);
        match self.manifest.benchmark.as_str() {
            "" => task,
            benchmark => format!("{benchmark}/{task}"),
        }
    }

    /// The parameters of every request, as far as inspect_ai has a name for them.
    fn config(&self) -> Value {
        generate_config(&self.manifest.parameters)
    }
}

/// `2026-11-23T18:41:01.250+00:00`
fn utc(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%.3f+00:00").to_string()
}

fn generate_config(parameters: &Parameters) -> Value {
    let mut config = Map::new();
    for (name, value) in [
        ("system_message", parameters.system.as_ref().map(|text| json!(text))),
        ("temperature", parameters.temperature.map(|number| json!(number))),
        ("top_p", parameters.top_p.map(|number| json!(number))),
        ("max_tokens", parameters.max_tokens.map(|number| json!(number))),
        ("seed", parameters.seed.map(|number| json!(number))),
        ("stop_seqs", (!parameters.stop.is_empty()).then(|| json!(parameters.stop))),
        ("extra_body", (!parameters.body.is_empty()).then(|| json!(parameters.body))),
    ] {
        if let Some(value) = value {
            config.insert(name.to_owned(), value);
        }
    }
    Value::Object(config)
}

fn usage(tokens: &Usage) -> Value {
    let (input, output) = (tokens.input.unwrap_or_default(), tokens.output.unwrap_or_default());
    json!({
        "input_tokens": input, "output_tokens": output,
        "total_tokens": input.saturating_add(output),
        "input_tokens_cache_read": tokens.cached, "input_tokens_cache_write": tokens.written,
        "reasoning_tokens": tokens.reasoning,
    })
}

/// What requests used, by the key that is given for each model in a role.
fn usage_by<'s>(
    spending: &'s [ModelSpending],
    key: impl Fn(&'s ModelSpending) -> &'s str,
) -> Value {
    let mut all: BTreeMap<&str, (Usage, Money)> = BTreeMap::new();
    for one in spending {
        let Spent { input, output, reasoning, money, .. } = one.spent;
        let used = Usage {
            input: Some(input),
            output: Some(output),
            reasoning: Some(reasoning),
            cached: Some(one.cached),
            written: Some(one.written),
            written_hour: None,
        };
        let (sum, cost) = all.entry(key(one)).or_default();
        (*sum, *cost) = (sum.plus(used), cost.plus(money));
    }
    let priced = spending.iter().all(|one| one.priced);
    let entry = |(key, (tokens, cost)): (&str, (Usage, Money))| {
        let mut entry = usage(&tokens);
        if priced {
            entry["total_cost"] = json!(cost);
        }
        (key.to_owned(), entry)
    };
    Value::Object(all.into_iter().map(entry).collect())
}

/// The metrics of a report, by their names.
fn metric_names(metrics: &[String]) -> Vec<String> {
    match metrics {
        [] => METRICS.iter().filter(|it| !it.on_request).map(|it| it.name.to_owned()).collect(),
        metrics => metrics.to_vec(),
    }
}

/// A log that is being written, sample by sample.
pub struct InspectLog<'a, W: Write> {
    run: LoggedRun<'a>,
    archive: ZipWriter<StreamWriter<W>>,
    summaries: Vec<Value>,
    ids: Vec<u64>,
    usage: Usage,
    /// How many dialogues have each score.
    scored: BTreeMap<String, u64>,
}

impl<'a, W: Write> InspectLog<'a, W> {
    pub fn new(run: LoggedRun<'a>, to: W) -> InspectLog<'a, W> {
        let archive = ZipWriter::new_stream(to);
        let (usage, scored) = (Usage::default(), BTreeMap::new());
        InspectLog { run, archive, summaries: Vec::new(), ids: Vec::new(), usage, scored }
    }

    /// Adds a dialogue with the scores of this dialogue alone.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written, or if the log is too large for the format.
    pub fn add(
        &mut self,
        chat: &ChatView<'_>,
        card: &Scorecard,
        picture: PictureData<'_>,
    ) -> io::Result<()> {
        let sample = sample::sample(&self.run, chat, card, picture);
        let name = format!("samples/{}_epoch_1.json", chat.index);
        add_file(&mut self.archive, &name, &sample.full.to_string())?;
        for name in sample.summary["scores"].as_object().into_iter().flatten().map(|(name, _)| name)
        {
            *self.scored.entry(name.clone()).or_default() += 1;
        }
        self.summaries.push(sample.summary);
        self.ids.push(chat.index);
        self.usage = self.usage.plus(sample.usage);
        Ok(())
    }

    /// Adds the results of the run.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`InspectLog::add`].
    pub fn finish(mut self, report: &Report<'_>) -> io::Result<W> {
        let eval = spec(&self.run, report, &self.ids);
        let plan = json!({
            "name": "plan", "config": self.run.config(),
            "steps": [{ "solver": "ifs", "params": {}, "params_passed": {} }],
        });
        let start = json!({ "version": VERSION, "eval": eval, "plan": plan });
        let archive = &mut self.archive;
        add_file(archive, "_journal/start.json", &start.to_string())?;
        let summaries = Value::Array(self.summaries).to_string();
        add_file(archive, "_journal/summaries/1.json", &summaries)?;
        add_file(archive, "summaries.json", &summaries)?;
        add_file(archive, "reductions.json", "[]")?;
        let spending = report.spending;
        let model_usage = match (spending.is_empty(), self.usage.is_unknown()) {
            (false, _) => usage_by(spending, |one| &one.model),
            (true, false) => json!({ &self.run.manifest.model: usage(&self.usage) }),
            (true, true) => json!({}),
        };
        let judges: Vec<ModelSpending> =
            spending.iter().filter(|one| one.role != RequestRole::Model).cloned().collect();
        let role_usage = usage_by(&judges, |one| match one.role {
            RequestRole::Judge => "grader",
            role => role.word(),
        });
        let gaps = report.gaps;
        let warning = gaps.warning();
        let status = match () {
            () if gaps.is_none() => "success",
            () if gaps.failed > 0 => "error",
            () => "cancelled",
        };
        let error = warning.filter(|_| status == "error");
        let error =
            error.map(|why| json!({ "message": why, "traceback": "", "traceback_ansi": "" }));
        let header = json!({
            "version": VERSION, "status": status, "eval": eval, "plan": plan,
            "results": results(report, &self.scored),
            "stats": {
                "started_at": self.run.time(0), "completed_at": utc(self.run.ended()),
                "model_usage": model_usage, "role_usage": role_usage,
            },
            "error": error, "invalidated": false, "tags": [], "metadata": {},
        });
        add_file(&mut self.archive, "header.json", &header.to_string())?;
        Ok(self.archive.finish()?.into_inner())
    }
}

/// The same run gives the same bytes, so the files have the first date of the format.
fn add_file<W: Write>(
    archive: &mut ZipWriter<StreamWriter<W>>,
    name: &str,
    content: &str,
) -> io::Result<()> {
    let options = SimpleFileOptions::default()
        .last_modified_time(DateTime::default())
        .large_file(content.len() > u32::MAX as usize);
    archive.start_file(name, options)?;
    archive.write_all(content.as_bytes())
}

/// What was evaluated, and with what.
fn spec(run: &LoggedRun<'_>, report: &Report<'_>, ids: &[u64]) -> Value {
    let manifest = run.manifest;
    let names = metric_names(run.metrics);
    let scorers: Vec<Value> = names
        .iter()
        .map(|name| {
            let doc = report.scorecard.metrics.iter().find(|score| score.name == *name);
            let doc = doc.map(|score| score.doc());
            json!({
                "name": name, "metrics": [{ "name": "value" }, { "name": "stderr" }],
                "metadata": { "doc": doc },
            })
        })
        .collect();
    let mut packages = BTreeMap::new();
    packages.insert("ifs", manifest.ifs_version.as_str());
    let revision = manifest.revision.as_ref().map(
        |commit| json!({ "type": "git", "origin": "", "commit": commit, "dirty": manifest.dirty }),
    );
    json!({
        "created": utc(run.ended()), "run_id": run.id, "eval_id": run.id, "task_id": run.id,
        "task": run.task(), "task_version": manifest.benchmark_version,
        "task_display_name": run.title, "task_args": {}, "task_args_passed": {},
        "task_attribs": {}, "solver": "ifs", "model": manifest.model,
        "model_base_url": manifest.address, "model_args": {},
        "model_generate_config": run.config(), "model_roles": manifest.judging.as_ref().map(roles),
        "dataset": {
            "name": run.title, "samples": manifest.dialogues, "sample_ids": ids, "shuffled": false,
        },
        "config": { "epochs": 1, "turn_limit": manifest.max_turns },
        "packages": packages, "revision": revision, "scorers": scorers,
        "headline_metric": names.first().map(|name| json!({ "score": name, "metric": "value" })),
        "metadata": metadata(run, report),
    })
}

/// The judges as a role.
fn roles(judging: &Judging) -> Value {
    let config = generate_config(&judging.parameters);
    let judge = |judge: &JudgeEntry| json!({ "model": judge.model, "base_url": judge.address, "config": config, "args": {} });
    match judging.judges.as_slice() {
        [] => json!({}),
        judges => json!({ "grader": judges.iter().map(judge).collect::<Vec<Value>>() }),
    }
}

/// What identifies the definition and the run.
fn metadata(run: &LoggedRun<'_>, report: &Report<'_>) -> Value {
    let manifest = run.manifest;
    json!({
        "definition_hash": report.plan_hash,
        "benchmark": report.title,
        "benchmark_version": report.benchmark_version,
        "dialogue": manifest.dialogue,
        "variant": report.variant,
        "ifs_version": report.origin.ifs_version,
        "edition": report.origin.edition,
        // As a text: browsers round large integers.
        "seed": (!report.is_hidden()).then(|| report.seed.to_string()),
        "set": report.set,
        "transcripts_hash": manifest.transcripts,
        "simulated_model": report.simulated,
        "simulated_judge": report.has_simulated_judge(),
        "replayed": report.replayed,
        "judging": report.judging,
        "cost": manifest.spent.money.to_string(),
        "requests": manifest.spent.calls,
        "spending": report.spending,
        "about": report.about,
        "redacted": report.redacted,
        "warnings": report.warnings(),
        "caveats": report.caveats(),
    })
}

/// The metrics of the run.
fn results(report: &Report<'_>, scored: &BTreeMap<String, u64>) -> Value {
    let card = report.scorecard;
    let shown = report.shown_metrics(&card.metrics);
    let dialogues = card.totals.dialogues;
    let scores = shown.into_iter().map(|score| {
        let scored = scored.get(&score.name).copied().unwrap_or_default();
        metric(score, scored, dialogues.saturating_sub(scored))
    });
    let scores: Vec<Value> = scores.collect();
    let first = scores.first().filter(|score| score["metrics"]["value"].is_object());
    let headline = first
        .map(|score| json!({ "scorer": score["name"], "score": score["name"], "metric": "value" }));
    json!({
        "total_samples": report.gaps.dialogues, "completed_samples": report.gaps.complete,
        "logged_samples": dialogues, "scores": scores, "headline": headline,
        "metadata": {
            "totals": card.totals, "endings": card.endings, "samples": card.samples,
        },
    })
}

fn metric(score: &MetricScore, scored: u64, unscored: u64) -> Value {
    let measured = &score.measured;
    let mut metrics = Map::new();
    let interval = measured.interval;
    for (name, value) in [
        ("value", measured.number()),
        ("stderr", measured.standard_error),
        ("ci_lower", interval.map(|it| it.lower)),
        ("ci_upper", interval.map(|it| it.upper)),
    ] {
        if let Some(value) = value {
            metrics.insert(name.to_owned(), json!({ "name": name, "value": value, "params": {} }));
        }
    }
    let undefined = match &measured.value {
        ifs_score::ScoreValue::Number(_) => None,
        ifs_score::ScoreValue::Undefined { why } => Some(why),
    };
    json!({
        "name": score.name, "scorer": score.name, "params": {},
        "scored_samples": scored, "unscored_samples": unscored,
        "metrics": metrics,
        "metadata": {
            "doc": score.doc(), "source": score.source(), "unit": score.unit(),
            "direction": score.direction(), "undefined": undefined,
            "note": measured.note, "numerator": measured.numerator,
            "denominator": measured.denominator, "count": measured.count,
            "distinct": measured.distinct,
            "single_value": interval.is_some_and(|it| it.single),
        },
    })
}
