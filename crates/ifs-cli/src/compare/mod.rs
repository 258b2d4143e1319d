//! `ifs compare`

mod cases;
mod marks;
mod pairs;
mod tables;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::ValueEnum;
use serde::Serialize;

use crate::by;
use crate::exit::{CommandError, Exit};
use crate::output::Output;
use crate::same_messages::{MessagesOfRun, RunDifferences, find_differences};
use crate::score;
use ifs_inference::ModelSpending;
use ifs_plan::Plan;
use ifs_run::{Folder, RunManifest};
use ifs_score::compare::{
    self, BreakdownTable, ComparedRun, MetricComparison, Moves, ROUND_METRICS, RunComparison,
    RunPair, compare_metric, first_dialogues, moves, split,
};
use ifs_score::{ComparedMetric, METRICS, Metric, MetricUnit};

/// Compare runs, or judges with human marks.
///
/// Prints a table of every metric that the scenario reports, with a row for each run and the ranks
/// that are consistent with tests over the common dialogues. For every two runs, on the turns that
/// both have, it prints the mean difference in PIF (the share of constraints, requirements, facts
/// and relations that are followed), Wilcoxon's signed-rank test over distinct dialogues, and
/// whether one dominates the other (first-order stochastic dominance). Runs with different messages
/// are refused, with a list of the differences.
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "\
Examples:
  ifs compare runs/a runs/b runs/c
  ifs compare runs/* --by group                a column for each group of constraints
  ifs compare runs/* --by slice --metric ROB   for each part of `report … by`
  ifs compare runs/* --by synthesizer --metric ROB   for each model that wrote user messages
  ifs compare runs/* --metric ROB --sizes 30,60,90   do fewer dialogues rank them alike?
  ifs compare runs/* --format latex
  ifs compare runs/main runs/branch --format junit > compare.xml   fails where the branch is worse
  ifs compare runs/* --by tag --format html > tags.html   tables and radar charts
  ifs compare --allow-differences runs/plain runs/reminded   two variants
  ifs compare --marks marks.csv                judges next to people; columns judge, model, item, mark, quality
  ifs compare runs/a runs/b --marks marks.csv  how far people's marks and PIF correlate")]
pub(crate) struct Args {
    /// The folders of two or more runs
    #[arg(value_name = "RUN", required_unless_present = "marks", num_args = 1..)]
    runs: Vec<PathBuf>,
    /// Compare runs with different messages too, and list the differences
    #[arg(long, conflicts_with = "marks")]
    allow_differences: bool,
    /// The metrics to compare; by default those that the scenario reports
    #[arg(long = "metric", value_name = "METRIC", conflicts_with = "marks")]
    metrics: Vec<String>,
    /// Compare by part: the share held by group, constraint, topic, age, active, transition,
    /// relation, tag, speaker, turn, name (of the turn) or class (the kind of its question); the metrics by slice, round, synthesizer, style, or a field such as
    /// style.register
    #[arg(long, value_name = "PART", conflicts_with_all = ["marks", "sizes", "pairs"])]
    by: Option<By>,
    /// A table of the metric on the first dialogues, for each of these numbers of dialogues
    #[arg(long, value_name = "N,…", value_delimiter = ',', conflicts_with_all = ["marks", "pairs"],
          value_parser = clap::value_parser!(u64).range(1..))]
    sizes: Vec<u64>,
    /// Compare each pair of runs separately; the default for two runs
    #[arg(long, conflicts_with = "marks")]
    pairs: bool,
    /// Replay a shorter patience than the runs'
    #[arg(long, conflicts_with = "marks", value_parser = clap::value_parser!(u32).range(1..))]
    patience: Option<u32>,
    /// Marks of judges and of people, as CSV
    ///
    /// With runs: the correlation of marks and scores, on turns (`item` 3/7: turn 7 of dialogue
    /// number 3) or dialogues (`item` 3). Without runs: judges against people, and each judge's
    /// preferences between models.
    #[arg(long, value_name = "FILE")]
    marks: Option<PathBuf>,
    /// Name of the human raters in the column `judge`
    #[arg(long, value_name = "NAME", default_value = "human", requires = "marks")]
    human: String,
    /// Exit with status 0 even if a run is not complete
    #[arg(long)]
    allow_incomplete: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = CompareFormat::Text)]
    format: CompareFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum CompareFormat {
    /// For the terminal
    #[default]
    Text,
    Json,
    /// A row for each run and metric, for each pair of runs with `--pairs`, or for each judge on each
    /// model
    Csv,
    /// Markdown tables
    Markdown,
    /// LaTeX tables, with the package `booktabs`
    Latex,
    /// An HTML page of tables, with a chart of each breakdown: a radar, or lines over numbered
    /// parts
    Html,
    /// Test results for build servers: a case fails if a run is worse than an earlier one
    Junit,
}

/// The values of `--by`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum By {
    /// A breakdown that every report has.
    Part(compare::SplitBy),
    /// Groups of dialogues with separate scores.
    Apart(String, by::ReportBy),
}

impl FromStr for By {
    type Err = String;

    fn from_str(text: &str) -> Result<By, String> {
        if let Some(part) = compare::SplitBy::parse(text) {
            return Ok(By::Part(part));
        }
        let parts: Vec<&str> = compare::SplitBy::ALL.iter().map(|part| part.name()).collect();
        match text.parse() {
            Ok(by) => Ok(By::Apart(text.to_owned(), by)),
            Err(_) => Err(format!(
                "write one of {}, `synthesizer`, `style`, or a field as in `style.register` and \
                 `topic.subject`",
                parts.join(", ")
            )),
        }
    }
}

impl By {
    fn split_by(&self) -> compare::SplitBy {
        match self {
            By::Part(part) => *part,
            By::Apart(..) => compare::SplitBy::Slice,
        }
    }

    fn name(&self) -> String {
        match self {
            By::Part(part) => part.name().to_owned(),
            By::Apart(name, _) => name.clone(),
        }
    }

    fn report_by(&self) -> Option<by::ReportBy> {
        match self {
            By::Part(_) => None,
            By::Apart(_, by) => Some(by.clone()),
        }
    }
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let (text, complete) = match &args.marks {
        Some(file) if args.runs.is_empty() => {
            (marks::judges(file, &args.human, args.format)?, true)
        }
        Some(file) => mark_correlations(&args, file, output)?,
        None => runs(&args, output)?,
    };
    match args.format {
        CompareFormat::Text | CompareFormat::Markdown => output.print(&text),
        CompareFormat::Json => output.json(&text),
        CompareFormat::Csv | CompareFormat::Latex | CompareFormat::Html | CompareFormat::Junit => {
            output.data(&text)
        }
    }
    Ok(if complete || args.allow_incomplete { Exit::Good } else { Exit::Failed })
}

/// Compares the runs that a command made, complete or not.
pub(super) fn compare_runs(
    runs: Vec<PathBuf>,
    format: super::Format,
    output: &mut Output,
) -> Result<(), CommandError> {
    let format = match format {
        super::Format::Text => CompareFormat::Text,
        super::Format::Json => CompareFormat::Json,
    };
    let args = Args { runs, allow_incomplete: true, format, ..Args::default() };
    run(args, output).map(drop)
}

/// Correlations between marks and scores of responses.
fn mark_correlations(
    args: &Args,
    file: &Path,
    output: &mut Output,
) -> Result<(String, bool), CommandError> {
    reject_duplicate_runs(&args.runs)?;
    let mut runs: Vec<LoadedRun> = Vec::new();
    for path in &args.runs {
        let run = read(path, &runs, args, output)?;
        runs.push(run);
    }
    let incomplete: Vec<String> = runs.iter().filter_map(|run| run.incomplete.clone()).collect();
    let sides: Vec<ComparedRun> = runs.into_iter().map(|run| run.side).collect();
    let text = marks::compare_marks(file, &sides, args.format)?;
    let warnings: String = match args.format {
        CompareFormat::Text => incomplete.iter().map(|warning| format!("! {warning}\n")).collect(),
        _ => String::new(),
    };
    Ok((warnings + &text, incomplete.is_empty()))
}

/// A run that is compared.
struct LoadedRun {
    folder: Folder,
    manifest: RunManifest,
    plan: Plan,
    side: ComparedRun,
    /// The metrics of the dialogue's `report`.
    reported: Vec<String>,
    /// The gaps of the run, if it is not complete.
    incomplete: Option<String>,
    /// What its endpoint did besides answering.
    endpoint: Vec<String>,
}

impl LoadedRun {
    fn messages(&self) -> MessagesOfRun<'_> {
        let LoadedRun { folder, manifest, plan, side, .. } = self;
        MessagesOfRun { folder, manifest, plan, side }
    }
}

/// The number of the schema of `--format json` for runs.
const SCHEMA: u32 = 1;

/// The schema of `ifs compare RUN RUN --format json`.
pub(super) fn schema() -> serde_json::Value {
    ifs_report::schema::schema_of::<ComparisonOutput>("compare", SCHEMA)
}

/// The comparison, the gaps of its runs, and their differences.
#[derive(Serialize, schemars::JsonSchema)]
struct ComparisonOutput {
    /// The number of the schema: `ifs schema compare` prints it.
    schema: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    incomplete: Vec<String>,
    /// What the endpoints of the runs did besides answering.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    endpoints: Vec<String>,
    /// Runs of simulated models, or with simulated judges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    simulated: Vec<String>,
    /// Runs on which nothing was judged; they are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unjudged: Vec<String>,
    /// What the requests of all runs took, by role and model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    spending: Vec<ModelSpending>,
    /// Every metric over all runs.
    metrics: Vec<MetricComparison>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<ReportedTable>,
    #[serde(flatten)]
    comparison: RunComparison,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differences: Vec<RunDifferences>,
}

/// A table of `--by` or `--sizes`.
#[derive(Serialize, schemars::JsonSchema)]
struct ReportedTable {
    by: String,
    #[serde(flatten)]
    split: BreakdownTable,
    /// Improvements and regressions between each pair of runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<Moves>,
}

/// Compares the runs; returns the comparison, and whether all runs are complete.
fn runs(args: &Args, output: &mut Output) -> Result<(String, bool), CommandError> {
    let folders = &args.runs;
    if folders.len() < 2 {
        return Err(CommandError::usage("one run cannot be compared")
            .help("name two or more: `ifs compare RUN RUN`"));
    }
    let mut runs: Vec<LoadedRun> = Vec::new();
    for path in folders {
        let run = read(path, &runs, args, output)?;
        runs.push(run);
    }
    reject_duplicate_runs(folders)?;
    if args.format == CompareFormat::Junit && (args.by.is_some() || !args.sizes.is_empty()) {
        return Err(CommandError::usage(
            "test results are of metrics, without `--by` and `--sizes`",
        )
        .help("leave them out, or use `--format csv`"));
    }
    if args.pairs
        && matches!(
            args.format,
            CompareFormat::Markdown | CompareFormat::Latex | CompareFormat::Html
        )
    {
        return Err(CommandError::usage("`--pairs` has the formats text, JSON and CSV")
            .help("leave out `--pairs`, or use `--format csv`"));
    }
    let differences = differing_pairs(&runs)?;
    if let Some(first) = differences.first()
        && !args.allow_differences
    {
        let lines = first.lines().join("\n  ");
        return Err(CommandError::input(format!(
            "`{}` and `{}` {}, so a difference in scores would say nothing about the models\n  {lines}",
            first.one,
            first.other,
            first.what()
        ))
        .help("`--allow-differences` compares them anyway, turn by turn, and lists what differs"));
    }
    let incomplete = runs.iter().filter_map(|run| run.incomplete.clone()).collect();
    let endpoints = runs
        .iter()
        .flat_map(|run| run.endpoint.iter().map(|caveat| format!("{}: {caveat}", run.side.name)));
    let endpoints = endpoints.collect();
    let metrics = select_metrics(&args.metrics, &runs)?;
    let is_simulated =
        |run: &&LoadedRun| run.manifest.simulated_model || run.manifest.simulated_judge;
    let simulated = runs.iter().filter(is_simulated).map(|run| run.side.name.clone()).collect();
    let spending = runs.iter().flat_map(|run| run.manifest.spending.iter().cloned());
    let spending = ModelSpending::summed(spending);
    let sides: Vec<ComparedRun> = runs.into_iter().map(|run| run.side).collect();
    // A run of which nothing was judged has no place in a table, and takes it from no other.
    let has_turns =
        |side: &ComparedRun| side.dialogues.values().any(|held| held.shares().next().is_some());
    let (sides, unjudged): (Vec<ComparedRun>, Vec<ComparedRun>) =
        sides.into_iter().partition(has_turns);
    let unjudged: Vec<String> = unjudged.into_iter().map(|side| side.name).collect();
    if sides.len() < 2 {
        return Err(nothing_judged(&unjudged));
    }
    let comparison = compare::compare(&sides);
    if let Some(pair) = comparison.pairs.iter().find(|pair| pair.turns == 0) {
        return Err(nothing_to_compare(pair));
    }
    let parts = parts(args, &sides, &metrics)?;
    let metrics = metrics.iter().filter_map(|metric| compare_metric(&sides, metric)).collect();
    let found = ComparisonOutput {
        schema: SCHEMA,
        incomplete,
        endpoints,
        simulated,
        unjudged,
        spending,
        metrics,
        parts,
        comparison,
        differences,
    };
    let text = match args.format {
        CompareFormat::Text => {
            let columns = Output::width();
            let mut text = pairs::wrapped_warnings(&found, columns);
            text.push_str(&tables::format_tables(&found, args.format, columns));
            if found.parts.is_empty() && (args.pairs || sides.len() == 2) {
                text.push_str(&pairs::fitted(&pairs::pairs_text(&found), columns));
            }
            text
        }
        CompareFormat::Markdown | CompareFormat::Latex => {
            let mut text = pairs::warnings(&found);
            if args.format == CompareFormat::Latex {
                text = text.lines().map(|line| format!("% {line}\n")).collect();
            }
            text + &tables::format_tables(&found, args.format, Output::width())
        }
        CompareFormat::Html => tables::page(&found),
        CompareFormat::Junit => cases::junit(&found),
        CompareFormat::Json => json(&found)?,
        CompareFormat::Csv if args.pairs => pairs::csv(&found)?,
        CompareFormat::Csv => tables::csv(&found)?,
    };
    Ok((text, found.incomplete.is_empty()))
}

/// The metrics to compare: the named ones, those that the scenarios report, or the default ones.
fn select_metrics(
    named: &[String],
    runs: &[LoadedRun],
) -> Result<Vec<ComparedMetric>, CommandError> {
    let unknown = |name: &String| {
        let mut known: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
        for score in runs.iter().flat_map(|run| &run.side.metrics) {
            if !known.contains(&score.name.as_str()) {
                known.push(&score.name);
            }
        }
        CommandError::usage(format!("there is no metric `{name}`"))
            .help(format!("the metrics are {}", known.join(", ")))
    };
    let find = |name: &String| known_metric(name, runs).ok_or_else(|| unknown(name));
    if !named.is_empty() {
        return named.iter().map(find).collect();
    }
    let mut reported: Vec<ComparedMetric> = Vec::new();
    for name in runs.iter().flat_map(|run| &run.reported) {
        if !reported.iter().any(|known| known.name == *name) {
            reported.extend(known_metric(name, runs));
        }
    }
    match reported.is_empty() {
        true => Ok(METRICS.iter().filter(|it| !it.on_request).map(ComparedMetric::from).collect()),
        false => Ok(reported),
    }
}

/// A metric of the table, or one that a run's scenario defines: a share if it is one in every run.
fn known_metric(name: &str, runs: &[LoadedRun]) -> Option<ComparedMetric> {
    let scores = runs.iter().filter_map(|run| Some(&run.side.metrics[run.side.place(name)?]));
    scores.map(ComparedMetric::from).reduce(|one, other| match other.unit {
        MetricUnit::Share => one,
        _ => other,
    })
}

/// The tables of `--by` or `--sizes`: one for each metric, if a part has metrics.
fn parts(
    args: &Args,
    sides: &[ComparedRun],
    metrics: &[ComparedMetric],
) -> Result<Vec<ReportedTable>, CommandError> {
    if !args.sizes.is_empty() {
        let sizes: Vec<usize> = args.sizes.iter().map(|size| *size as usize).collect();
        let by = "number of dialogues";
        let part = |metric: &ComparedMetric| ReportedTable {
            by: by.to_owned(),
            split: first_dialogues(sides, &sizes, metric),
            moves: Vec::new(),
        };
        return Ok(metrics.iter().map(part).collect());
    }
    let Some(by) = &args.by else { return Ok(Vec::new()) };
    let part = by.split_by();
    let metrics = match part {
        compare::SplitBy::Slice => metrics.to_vec(),
        compare::SplitBy::Round => of_rounds(args, metrics)?,
        // The share that held, which is not a metric.
        _ if args.metrics.is_empty() => metrics.iter().take(1).cloned().collect(),
        _ => {
            return Err(CommandError::usage(format!(
                "`--by {}` counts what held, and has no `{}`",
                by.name(),
                args.metrics.join(", ")
            ))
            .help("leave out `--metric`; it requires `--by slice`, `--by round` and `--sizes`"));
        }
    };
    let of = |metric: ComparedMetric| ReportedTable {
        by: by.name(),
        split: split(sides, part, &metric),
        moves: moves(sides, part, &metric),
    };
    let parts: Vec<ReportedTable> = metrics.into_iter().map(of).collect();
    let is_empty =
        |parts: &ReportedTable| parts.split.columns.iter().all(|column| column.name == "all");
    if !parts.iter().all(is_empty) {
        return Ok(parts);
    }
    let name = by.name();
    Err(CommandError::input(format!("none of these runs has anything to count by {name}")).help(
        match part {
            compare::SplitBy::Slice => {
                "a dialogue is reported by parts with `report METRIC by EXPRESSION`"
            }
            compare::SplitBy::Round => "rounds are of dialogues with `retry` or requirements",
            compare::SplitBy::Tag => {
                "tags are written at requirements and constraints: `tags [\"json\"]`"
            }
            compare::SplitBy::Name => "turns have names where they are written: `turn NAME { … }`",
            compare::SplitBy::Class => "turns have classes with `class EXPRESSION`",
            compare::SplitBy::Speaker => {
                "all constraints are the user's: `by` names another speaker"
            }
            compare::SplitBy::Relation => "relations are those of a flow that a judge reads",
            _ => "no instruction was judged",
        },
    ))
}

/// The metrics of rounds.
fn of_rounds(args: &Args, metrics: &[ComparedMetric]) -> Result<Vec<ComparedMetric>, CommandError> {
    let has = |metric: &&ComparedMetric| ROUND_METRICS.contains(&metric.name.as_str());
    let other = args.metrics.iter().find(|name| !ROUND_METRICS.contains(&name.as_str()));
    if let Some(other) = other {
        return Err(CommandError::usage(format!("a round has no `{other}`"))
            .help(format!("rounds have {}", ROUND_METRICS.join(" and "))));
    }
    let found: Vec<ComparedMetric> = metrics.iter().filter(has).cloned().collect();
    match found.is_empty() {
        true => Ok(ROUND_METRICS.into_iter().filter_map(Metric::named).map(Into::into).collect()),
        false => Ok(found),
    }
}

/// Refuses a run that is given twice.
fn reject_duplicate_runs(folders: &[PathBuf]) -> Result<(), CommandError> {
    let real = |path: &PathBuf| std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    let mut seen = BTreeSet::new();
    match folders.iter().find(|path| !seen.insert(real(path))) {
        None => Ok(()),
        Some(twice) => {
            Err(CommandError::usage(format!("the run `{}` is named twice", twice.display()))
                .help("name two different runs"))
        }
    }
}

/// Reads a run, and gives it a unique name.
fn read(
    path: &Path,
    before: &[LoadedRun],
    args: &Args,
    output: &mut Output,
) -> Result<LoadedRun, CommandError> {
    let folder = Folder::open(path)?;
    let by = args.by.as_ref().and_then(By::report_by);
    let again = score::RescoreOptions { patience: args.patience, by, ..Default::default() };
    let scored = score::read(&folder, &again, None, output)?;
    let plan = folder.plan()?;
    let incomplete = scored.gaps.warning().map(|warning| format!("{}: {warning}", path.display()));
    let manifest = scored.manifest;
    let mut name = manifest.model.clone();
    if let Some(variant) = &manifest.variant {
        write!(name, ", {variant}").unwrap_or_default();
    }
    if before.iter().any(|run| run.side.name == name) {
        write!(name, " ({})", path.display()).unwrap_or_default();
    }
    let side = ComparedRun::new(name, &scored.scorecard);
    let endpoint = scored.scorecard.endpoint_caveats();
    Ok(LoadedRun { folder, manifest, plan, side, reported: scored.metrics, incomplete, endpoint })
}

/// The differences between every two runs with different messages.
fn differing_pairs(runs: &[LoadedRun]) -> Result<Vec<RunDifferences>, CommandError> {
    let mut found = Vec::new();
    for (at, one) in runs.iter().enumerate() {
        for other in &runs[at + 1..] {
            found.extend(find_differences(&one.messages(), &other.messages())?);
        }
    }
    Ok(found)
}

fn nothing_judged(names: &[String]) -> CommandError {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    CommandError::input(format!(
        "there is nothing to compare: nothing was judged on any turn of {}",
        names.join(", ")
    ))
    .help(
        "a turn is compared by its constraints, requirements, facts and relations; questions for a \
         judge need one (`ifs score --judge`)",
    )
}

fn nothing_to_compare(pair: &RunPair) -> CommandError {
    let RunPair { one, other, .. } = pair;
    CommandError::input(format!("`{one}` and `{other}` have no turn in common"))
        .help("run the same dialogues with both models: the same scenario, seed and `-n`")
}

fn json(found: &impl serde::Serialize) -> Result<String, CommandError> {
    serde_json::to_string_pretty(found)
        .map(|text| text + "\n")
        .map_err(|error| CommandError::infrastructure(error.to_string()))
}

fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<String, CommandError> {
    let wrong = |error: csv::Error| CommandError::infrastructure(error.to_string());
    let mut sheet = ifs_report::Sheet::new(head).map_err(wrong)?;
    for row in rows {
        sheet.row(row).map_err(wrong)?;
    }
    sheet.finish().map_err(wrong)
}
