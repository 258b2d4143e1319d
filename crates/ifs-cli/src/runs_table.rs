//! Several runs as one table: a row for each model, a column for each task, and their mean.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::exit::CommandError;
use super::output::Output;
use super::score::{self, RescoreOptions};
use ifs_inference::ModelSpending;
use ifs_model::table::OwnMetric;
use ifs_plan::canonical::short;
use ifs_report::{Grid, GridCell, Sheet};
use ifs_run::{Folder, RunManifest};
use ifs_score::compare::{Seeds, seeds};
use ifs_score::{
    DialogueSource, Dialogues, Measurement, Metric, MetricScore, MetricUnit, ScoreOptions,
    Scorecard, score_all,
};

/// The dialogues of one model on one task, from all runs.
struct TaskDialogues {
    model: String,
    task: String,
    dialogues: Dialogues,
    /// Whether none of its runs left a dialogue out as a repeat.
    distinct: bool,
    /// The metrics by expressions.
    metrics: Vec<OwnMetric>,
    /// The seed and the metrics of each run.
    runs: Vec<(u64, Vec<MetricScore>)>,
}

/// The combined scores of runs.
#[derive(Serialize, JsonSchema)]
pub(super) struct RunsTable {
    /// The number of the schema: `ifs schema runs` prints it.
    schema: u32,
    metric: String,
    tasks: Vec<String>,
    models: Vec<RunRow>,
    /// The scores of each kind of question of a task, by the name of its turns.
    turns: Vec<RunTurn>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    incomplete: Vec<String>,
    /// What the endpoints of the runs did besides answering.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    endpoints: Vec<String>,
    /// The tasks of which the runs have several definitions, with the hashes of these. Without `pooled`
    /// each is a task of its own, and there is no mean over tasks.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    definitions: BTreeMap<String, BTreeSet<String>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pooled: bool,
    /// What the requests of all runs took, by role and model; latencies are those of single runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    spending: Vec<ModelSpending>,
    /// Whether the metric is a share, which is printed in percent.
    #[serde(skip)]
    is_share: bool,
}

#[derive(Serialize, JsonSchema)]
struct RunRow {
    model: String,
    simulated: bool,
    /// One score for each task; `None` if no run of the model has it.
    scores: Vec<Option<RunScore>>,
    /// The mean of the scores of all tasks; `None` if one is missing.
    overall: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
struct RunScore {
    value: Option<f64>,
    standard_error: Option<f64>,
    dialogues: u64,
    /// Between runs with different seeds, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    seeds: Option<Seeds>,
}

#[derive(Serialize, JsonSchema)]
struct RunTurn {
    task: String,
    name: String,
    /// One for each model.
    values: Vec<Option<f64>>,
}

const SCHEMA: u32 = 1;

pub(super) fn schema() -> serde_json::Value {
    ifs_report::schema::schema_of::<RunsTable>("runs", SCHEMA)
}

const SIMULATED_NOTE: &str = "SIMULATED: models that begin with sim/ say nothing about real ones.";

/// For turns without facts: the share of constraints and criteria that held.
const FALLBACK_METRIC: &str = "CSR";

fn task_of(run: &RunManifest) -> String {
    match &run.variant {
        Some(variant) => format!("{} ({variant})", run.dialogue),
        None => run.dialogue.clone(),
    }
}

/// The tasks of which the runs have several definitions, with the hashes of these.
fn definitions(folders: &[PathBuf]) -> Result<BTreeMap<String, BTreeSet<String>>, CommandError> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in folders {
        let run = Folder::open(path)?.manifest()?;
        let hash = short(&run.plan_hash, 12).to_owned();
        all.entry(task_of(&run)).or_default().insert(hash);
    }
    all.retain(|_, hashes| hashes.len() > 1);
    Ok(all)
}

/// `pool` counts the dialogues of several definitions of a task together.
pub(super) fn read(
    folders: &[PathBuf],
    (metric, pool): (Option<&str>, bool),
    again: &RescoreOptions,
    output: &mut Output,
) -> Result<RunsTable, CommandError> {
    let (mut pools, mut incomplete) = (Vec::<TaskDialogues>::new(), Vec::new());
    let mut endpoints: Vec<String> = Vec::new();
    let (mut models, mut tasks) = (Vec::<(String, bool)>::new(), Vec::<String>::new());
    let mut named = metric.map(str::to_owned);
    let mut requests: Vec<ModelSpending> = Vec::new();
    let definitions = definitions(folders)?;
    for path in folders {
        let folder = Folder::open(path)?;
        let scored = score::read(&folder, again, None, output)?;
        let run = &scored.manifest;
        named = named.or_else(|| scored.metrics.first().cloned());
        if let Some(warning) = scored.gaps.warning() {
            incomplete.push(format!("{}: {warning}", path.display()));
        }
        let caveats = scored.scorecard.endpoint_caveats().into_iter();
        endpoints.extend(caveats.map(|caveat| format!("{}: {caveat}", path.display())));
        let task = match definitions.contains_key(&task_of(run)) && !pool {
            true => format!("{} [{}]", task_of(run), short(&run.plan_hash, 12)),
            false => task_of(run),
        };
        requests.extend(run.spending.iter().cloned());
        if !models.iter().any(|(model, _)| *model == run.model) {
            models.push((run.model.clone(), run.simulated_model));
        }
        if !tasks.contains(&task) {
            tasks.push(task.clone());
        }
        let own = (run.seed, scored.scorecard.metrics.clone());
        let known = pools.iter_mut().find(|pool| pool.model == run.model && pool.task == task);
        match known {
            Some(pool) => {
                pool.dialogues.extend(scored.scorecard.dialogues.without_texts().each());
                pool.distinct &= run.distinct;
                pool.runs.push(own);
            }
            None => pools.push(TaskDialogues {
                model: run.model.clone(),
                task,
                dialogues: scored.scorecard.dialogues.without_texts(),
                distinct: run.distinct,
                metrics: scored.scorecard.options.metrics.clone(),
                runs: vec![own],
            }),
        }
    }
    let metric = named.unwrap_or_else(|| "ISR".to_owned());
    let is_own = |pool: &TaskDialogues| pool.metrics.iter().any(|own| own.name == metric);
    if Metric::named(&metric).is_none() && !pools.iter().any(is_own) {
        return Err(CommandError::usage(format!("`{metric}` is not a metric"))
            .help("docs/metrics.md lists them; for example `points`, `CSR` or `ISR`"));
    }
    let between: Vec<Option<Seeds>> =
        pools.iter().map(|pool| between_seeds(&pool.runs, &metric)).collect();
    let cards: Vec<(String, String, Scorecard)> = pools
        .into_iter()
        .map(|pool| {
            let (distinct, metrics) = (pool.distinct, pool.metrics);
            let options = ScoreOptions { distinct, metrics, ..ScoreOptions::default() };
            (pool.model, pool.task, score_all(pool.dialogues, &options))
        })
        .collect();
    let place =
        |model: &str, task: &str| cards.iter().position(|(its, of, _)| its == model && of == task);
    let card = |model: &str, task: &str| place(model, task).map(|at| &cards[at].2);
    let rows = models.iter().map(|(model, simulated)| {
        let scores: Vec<Option<RunScore>> = tasks
            .iter()
            .map(|task| {
                let card = card(model, task)?;
                let measured = card.metric(&metric)?;
                Some(RunScore {
                    value: measured.number(),
                    standard_error: measured.standard_error,
                    dialogues: card.totals.dialogues,
                    seeds: place(model, task).and_then(|at| between[at]),
                })
            })
            .collect();
        let values: Option<Vec<f64>> =
            scores.iter().map(|cell| cell.as_ref().and_then(|cell| cell.value)).collect();
        // A mean over two definitions of a task would be one number of both.
        let overall = values.filter(|_| definitions.is_empty() || pool);
        let overall = overall.map(|values| values.iter().sum::<f64>() / values.len() as f64);
        RunRow { model: model.clone(), simulated: *simulated, scores, overall }
    });
    let rows = rows.collect();
    let mut turns = Vec::new();
    for task in &tasks {
        let mut names: Vec<&str> = Vec::new();
        for (.., card) in cards.iter().filter(|(_, of, _)| of == task) {
            for turn in &card.by_turn {
                if !names.contains(&turn.name.as_str()) {
                    names.push(&turn.name);
                }
            }
        }
        for name in names {
            let value = |model: &str| {
                let found = card(model, task)?.by_turn.iter().find(|turn| turn.name == name)?;
                number(&found.metrics, &metric).or_else(|| number(&found.metrics, FALLBACK_METRIC))
            };
            turns.push(RunTurn {
                task: task.clone(),
                name: name.to_owned(),
                values: models.iter().map(|(model, _)| value(model)).collect(),
            });
        }
    }
    let scores = cards.iter().flat_map(|(.., card)| &card.metrics);
    let is_share =
        scores.filter(|score| score.name == metric).all(|score| score.unit() == MetricUnit::Share);
    Ok(RunsTable {
        schema: SCHEMA,
        metric,
        tasks,
        models: rows,
        turns,
        incomplete,
        endpoints,
        definitions,
        pooled: pool,
        spending: ModelSpending::summed(requests),
        is_share,
    })
}

/// The differences between runs, if each has a seed of its own.
fn between_seeds(runs: &[(u64, Vec<MetricScore>)], metric: &str) -> Option<Seeds> {
    let different: BTreeSet<u64> = runs.iter().map(|(seed, _)| *seed).collect();
    let values: Option<Vec<f64>> =
        runs.iter().map(|(_, metrics)| number(metrics, metric)).collect();
    seeds(&values?).filter(|_| different.len() == runs.len())
}

/// The numbers of texts are unique only within a run.
fn number(metrics: &[MetricScore], name: &str) -> Option<f64> {
    let found = metrics.iter().find(|metric| metric.name == name)?;
    Measurement::number(&found.measured)
}

fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{:.2}", 100.0 * value))
}

impl RunsTable {
    /// A value of the metric, in percent if it is a share.
    fn shown(&self, value: Option<f64>) -> String {
        match value {
            Some(value) if !self.is_share => format!("{value:.2}"),
            value => percent(value),
        }
    }

    fn in_percent(&self, before: &'static str) -> &'static str {
        if self.is_share { before } else { "" }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.incomplete.is_empty()
    }

    /// Formats it in lines of at most this many columns.
    pub(super) fn format_lines(&self, columns: usize) -> String {
        let mut page = String::new();
        for line in self.warnings() {
            for piece in ifs_report::wrap(&line, columns) {
                let _ = writeln!(page, "{piece}");
            }
        }
        if !page.is_empty() {
            page.push('\n');
        }
        let grids = self.grids();
        page.push_str(&grids.iter().map(|grid| grid.text(columns)).collect::<Vec<_>>().join("\n"));
        page
    }

    /// The tables, with what they lack in front.
    pub(super) fn markdown(&self) -> String {
        let mut page = String::new();
        for line in self.warnings() {
            let _ = writeln!(page, "> **Warning:** {line}\n");
        }
        let grids = self.grids();
        let tables = grids.iter().map(|grid| ifs_report::cells(grid).markdown());
        page + &tables.collect::<Vec<_>>().join("\n")
    }

    pub(super) fn latex(&self) -> String {
        let mut page = String::new();
        for line in self.warnings() {
            let _ = writeln!(page, "% {line}");
        }
        page + &self.grids().iter().map(Grid::latex).collect::<Vec<_>>().join("\n")
    }

    fn grids(&self) -> Vec<Grid> {
        let kinds = (!self.turns.is_empty()).then(|| self.kinds());
        let requests =
            (!self.spending.is_empty()).then(|| ifs_report::spending_grid(&self.spending));
        std::iter::once(self.tasks()).chain(self.seeds()).chain(kinds).chain(requests).collect()
    }

    /// A row for each model and task with runs of several seeds.
    fn seeds(&self) -> Option<Grid> {
        let scores = self.models.iter().flat_map(|row| {
            self.tasks.iter().zip(&row.scores).map(move |(task, score)| (row, task, score))
        });
        let rows = scores.filter_map(|(row, task, score)| {
            let score = score.as_ref()?;
            let seeds = score.seeds?;
            Some(vec![
                GridCell::plain(format!("{}: {task}", row.model)),
                GridCell::plain(seeds.runs.to_string()),
                GridCell::plain(self.shown(Some(seeds.mean))),
                GridCell::plain(self.shown(Some(seeds.deviation))),
                GridCell::plain(self.shown(Some(seeds.standard_error))),
                GridCell::plain(self.shown(score.standard_error)),
            ])
        });
        let rows: Vec<Vec<GridCell>> = rows.collect();
        let head = ["model", "seeds", "mean", "deviation", "error by seed", "by dialogue"];
        (!rows.is_empty()).then(|| Grid {
            title: format!(
                "{} of runs with different seeds{}",
                self.metric,
                self.in_percent(", in percent")
            ),
            head: head.map(str::to_owned).to_vec(),
            rows,
        })
    }

    fn warnings(&self) -> Vec<String> {
        let incomplete = self.incomplete.iter().map(|line| format!("INCOMPLETE: {line}"));
        let simulated = self.models.iter().any(|row| row.simulated);
        let simulated = simulated.then(|| SIMULATED_NOTE.to_owned());
        let definitions = self.definitions.iter().map(|(task, hashes)| {
            let hashes: Vec<&str> = hashes.iter().map(String::as_str).collect();
            let (count, hashes) = (hashes.len(), hashes.join(", "));
            match self.pooled {
                true => format!("POOLED: `{task}` is of {count} definitions: {hashes}"),
                false => format!(
                    "`{task}` is of {count} definitions, which are separate tasks here: {hashes}. \
                     `--pool` counts their dialogues together"
                ),
            }
        });
        incomplete
            .chain(self.endpoints.iter().cloned())
            .chain(simulated)
            .chain(definitions)
            .collect()
    }

    /// A row for each model.
    fn tasks(&self) -> Grid {
        let head = ["model", "overall"].into_iter().map(str::to_owned);
        let row = |row: &RunRow| {
            let scores = row.scores.iter().map(|cell| {
                let Some(cell) = cell else { return GridCell::plain("–") };
                let error = cell.standard_error;
                let error = error
                    .map_or_else(String::new, |error| format!(" ±{}", self.shown(Some(error))));
                GridCell::plain(format!("{}{error}", self.shown(cell.value)))
            });
            let first = [GridCell::plain(&row.model), GridCell::plain(self.shown(row.overall))];
            first.into_iter().chain(scores).collect()
        };
        Grid {
            title: format!(
                "{}{}; overall is the mean of the tasks",
                self.metric,
                self.in_percent(" in percent")
            ),
            head: head.chain(self.tasks.iter().cloned()).collect(),
            rows: self.models.iter().map(row).collect(),
        }
    }

    /// A row for each kind of question.
    fn kinds(&self) -> Grid {
        let models = self.models.iter().map(|row| row.model.clone());
        let row = |turn: &RunTurn| {
            let first = GridCell::plain(format!("{}: {}", turn.task, turn.name));
            let values = turn.values.iter().map(|value| GridCell::plain(percent(*value)));
            std::iter::once(first).chain(values).collect()
        };
        Grid {
            title: format!(
                "{} by turn name; {FALLBACK_METRIC} where a turn states no facts",
                self.metric
            ),
            head: std::iter::once("turn".to_owned()).chain(models).collect(),
            rows: self.turns.iter().map(row).collect(),
        }
    }

    pub(super) fn csv(&self) -> Result<String, CommandError> {
        let wrong = |error: csv::Error| CommandError::infrastructure(error.to_string());
        let head = [
            "metric",
            "model",
            "simulated",
            "task",
            "turn",
            "value",
            "standard_error",
            "dialogues",
        ];
        let mut sheet = Sheet::new(head).map_err(wrong)?;
        let shown = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        for row in &self.models {
            let simulated = row.simulated.to_string();
            let start = [self.metric.as_str(), row.model.as_str(), simulated.as_str()];
            let overall = shown(row.overall);
            let cells = ["overall", "", overall.as_str(), "", ""];
            sheet.row(start.iter().chain(&cells)).map_err(wrong)?;
            for (task, cell) in self.tasks.iter().zip(&row.scores) {
                let Some(cell) = cell else { continue };
                let (value, error) = (shown(cell.value), shown(cell.standard_error));
                let dialogues = cell.dialogues.to_string();
                let cells = [task.as_str(), "", value.as_str(), error.as_str(), dialogues.as_str()];
                sheet.row(start.iter().chain(&cells)).map_err(wrong)?;
            }
        }
        for turn in &self.turns {
            for (row, value) in self.models.iter().zip(&turn.values) {
                let (simulated, value) = (row.simulated.to_string(), shown(*value));
                let start = [self.metric.as_str(), row.model.as_str(), simulated.as_str()];
                let cells = [turn.task.as_str(), turn.name.as_str(), value.as_str(), "", ""];
                sheet.row(start.iter().chain(&cells)).map_err(wrong)?;
            }
        }
        sheet.finish().map_err(wrong)
    }
}
