//! `ifs gate`

use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;

use super::exit::{CommandError, Exit};
use super::output::Output;
use super::score::{self, RescoreOptions, ScoredRun};
use ifs_report::junit::{self, CaseResult, JunitCase, Suite};
use ifs_report::{Grid, GridCell, cells, number_with_unit};
use ifs_run::Folder;
use ifs_score::{Direction, METRICS, Measurement, MetricScore, MetricUnit, ScoreValue};

/// Fail if a metric of a recorded run misses a threshold.
///
/// `--fail-under` is for metrics of which more is better, and `--fail-over` for the others. By default the
/// value of the metric is compared with the threshold; with `--bound lower` and `--bound upper`, an
/// end of its 95 % interval. `--fail-under ISR=0.8 --bound lower` passes only if the run shows that
/// the model is good enough, and `--bound upper` fails only if the run shows that it is not. A
/// metric without a value fails, and so does a run that is not complete.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs gate runs/gpt-4o --fail-under ISR=0.8
  ifs gate runs/gpt-4o --fail-under ISR=80% --fail-under CSR=90% --bound lower
  ifs gate runs/a runs/b --fail-under EDR_len=12 --format junit > gate.xml
  ifs gate runs/a --fail-under ISR=0.8 --fail-over led_astray=0.2
  ifs gate runs/a --fail-under ISR=0.8 --format markdown >> \"$GITHUB_STEP_SUMMARY\"

The exit status is 0 if every metric of every run passes its threshold, else 1.")]
pub(crate) struct Args {
    /// The folder of a run, or of several
    #[arg(value_name = "RUN", required = true, num_args = 1..)]
    runs: Vec<PathBuf>,
    /// Metric and lowest value that passes, as in `ISR=0.8` or `ISR=80%`; may be given several times
    #[arg(long, value_name = "METRIC=NUMBER", required_unless_present = "fail_over")]
    fail_under: Vec<Threshold>,
    /// Metric for which lower is better and highest value that passes, as in `led_astray=20%`; may be
    /// given several times
    #[arg(long, value_name = "METRIC=NUMBER")]
    fail_over: Vec<Threshold>,
    /// What is compared with the threshold
    #[arg(long, value_enum, default_value_t = ComparedValue::Value)]
    bound: ComparedValue,
    /// Use a judging of the run instead of its own verdicts, by its name under `judgings`
    #[arg(long, value_name = "NAME")]
    judging: Option<String>,
    /// Replay a shorter patience than the run's
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    patience: Option<u32>,
    /// Compare the dialogues of an incomplete run
    #[arg(long)]
    allow_incomplete: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = GateFormat::Text)]
    format: GateFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ComparedValue {
    /// The value of the metric
    Value,
    /// The lower end of its 95 % interval
    Lower,
    /// The upper end of its 95 % interval
    Upper,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GateFormat {
    /// For the terminal
    Text,
    Json,
    /// A table for a pull request
    Markdown,
    /// Test results for build servers: a case for each threshold
    Junit,
}

/// A metric and the least or the most that passes.
#[derive(Clone, Debug, PartialEq)]
struct Threshold {
    metric: String,
    number: f64,
    percent: bool,
}

/// What passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum PassingSide {
    AtLeast,
    AtMost,
}

impl FromStr for Threshold {
    type Err = String;

    fn from_str(text: &str) -> Result<Threshold, String> {
        const THRESHOLD_HELP: &str = "write a metric and a number, as in `ISR=0.8` or `ISR=80%`";
        let (metric, number) = text.split_once('=').ok_or_else(|| THRESHOLD_HELP.to_owned())?;
        let (digits, percent) = match number.trim().strip_suffix('%') {
            Some(digits) => (digits.trim(), true),
            None => (number.trim(), false),
        };
        let number: f64 = digits.parse().map_err(|_| THRESHOLD_HELP.to_owned())?;
        if !number.is_finite() || metric.trim().is_empty() {
            return Err(THRESHOLD_HELP.to_owned());
        }
        let number = if percent { number / 100.0 } else { number };
        Ok(Threshold { metric: metric.trim().to_owned(), number, percent })
    }
}

/// The result of one threshold for one run.
#[derive(Serialize, JsonSchema)]
struct ThresholdResult<'a> {
    metric: &'a str,
    threshold: f64,
    passes: PassingSide,
    bound: ComparedValue,
    /// What was compared with the threshold.
    compared: Option<f64>,
    value: Option<f64>,
    interval: Option<[f64; 2]>,
    passed: bool,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip)]
    unit: MetricUnit,
}

const SCHEMA: u32 = 1;

/// The results of all runs.
#[derive(Serialize, JsonSchema)]
struct Gate<'a> {
    /// The number of the schema: `ifs schema gate` prints it.
    schema: u32,
    passed: bool,
    runs: &'a [Gated<'a>],
}

pub(super) fn schema() -> serde_json::Value {
    ifs_report::schema::schema_of::<Gate<'static>>("gate", SCHEMA)
}

/// The results of a run.
#[derive(Serialize, JsonSchema)]
struct Gated<'a> {
    run: String,
    model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<String>,
    passed: bool,
    metrics: Vec<ThresholdResult<'a>>,
    #[serde(skip)]
    suite: Suite,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let Args { runs, fail_under, fail_over, bound, judging, patience, allow_incomplete, format } =
        args;
    let under = fail_under.iter().map(|threshold| (threshold, PassingSide::AtLeast));
    let over = fail_over.iter().map(|threshold| (threshold, PassingSide::AtMost));
    let thresholds: Vec<(&Threshold, PassingSide)> = under.chain(over).collect();
    let again = RescoreOptions { patience, judging, ..Default::default() };
    let mut all = Vec::new();
    for path in &runs {
        let scored = score::read(&Folder::open(path)?, &again, None, output)?;
        for threshold in &thresholds {
            check_threshold(*threshold, &scored)?;
        }
        let metrics = thresholds.iter().map(|threshold| checked(*threshold, bound, &scored));
        let metrics: Vec<ThresholdResult<'_>> = metrics.collect();
        let incomplete = scored.gaps.warning();
        let counts = incomplete.is_none() || allow_incomplete;
        all.push(Gated {
            run: path.display().to_string(),
            model: scored.manifest.model.clone(),
            passed: counts && metrics.iter().all(|one| one.passed),
            suite: suite(&scored, &metrics, incomplete.as_ref().filter(|_| !counts)),
            incomplete,
            metrics,
        });
    }
    let passed = all.iter().all(|one| one.passed);
    match format {
        GateFormat::Text => {
            all.iter().for_each(|one| output.print_folded(&gate_text(one, allow_incomplete)))
        }
        GateFormat::Json => {
            let gate = Gate { schema: SCHEMA, passed, runs: &all };
            let text = serde_json::to_string_pretty(&gate)
                .map_err(|error| CommandError::infrastructure(error.to_string()))?;
            output.json_line(&text);
        }
        GateFormat::Markdown => {
            let tables: Vec<String> = all.iter().map(|one| cells(&grid(one)).markdown()).collect();
            output.data(&tables.join("\n"));
        }
        GateFormat::Junit => {
            let suites: Vec<Suite> = all.iter().map(|one| one.suite.clone()).collect();
            output.data(&junit::document(&suites));
        }
    }
    Ok(if passed { Exit::Good } else { Exit::Failed })
}

/// Refuses metrics that do not exist, thresholds that no value of the metric can have, and those
/// that a worse model passes.
fn check_threshold(
    (threshold, side): (&Threshold, PassingSide),
    scored: &ScoredRun,
) -> Result<(), CommandError> {
    let Threshold { metric: name, number, percent } = threshold;
    let Some(metric) = metric(scored, name) else {
        let reported = match scored.metrics.as_slice() {
            [] => METRICS.iter().filter(|it| !it.on_request).map(|it| it.name.to_owned()).collect(),
            reported => reported.to_vec(),
        };
        let further =
            METRICS.iter().map(|it| it.name).filter(|name| !reported.iter().any(|it| it == name));
        let further: Vec<&str> = further.collect();
        return Err(CommandError::usage(format!("`{name}` is not a metric")).help(format!(
            "the dialogue reports {}; there are also {}",
            reported.join(", "),
            further.join(", ")
        )));
    };
    let (needed, more, option) = match metric.direction() {
        Direction::HigherIsBetter => (PassingSide::AtLeast, "more", "--fail-under"),
        Direction::LowerIsBetter => (PassingSide::AtMost, "less", "--fail-over"),
    };
    if side != needed {
        return Err(CommandError::usage(format!("{more} of `{name}` is better"))
            .help(format!("write `{option} {name}={number}`")));
    }
    match metric.unit() {
        MetricUnit::Share if !(0.0..=1.0).contains(number) => Err(CommandError::usage(format!(
            "`{name}` is a share, and `{number}` is not between 0 and 1"
        ))
        .help(format!("write `{name}=0.8` or `{name}=80%`"))),
        MetricUnit::Turns | MetricUnit::Marks | MetricUnit::Number if *percent => {
            Err(CommandError::usage(format!("`{name}` is not a share, so `%` has no meaning"))
                .help(format!("write a number, as in `{name}=12`")))
        }
        MetricUnit::Share | MetricUnit::Turns | MetricUnit::Marks | MetricUnit::Number => Ok(()),
    }
}

fn metric<'s>(scored: &'s ScoredRun, name: &str) -> Option<&'s MetricScore> {
    scored.scorecard.metrics.iter().find(|score| score.name == name)
}

fn checked<'a>(
    (threshold, passes): (&'a Threshold, PassingSide),
    bound: ComparedValue,
    scored: &ScoredRun,
) -> ThresholdResult<'a> {
    let name = threshold.metric.as_str();
    let score = metric(scored, name);
    let unit = score.map_or(MetricUnit::Share, MetricScore::unit);
    let measured = score.map(|score| &score.measured);
    let interval = measured.and_then(|it| it.interval);
    let value = measured.and_then(Measurement::number);
    let compared = match bound {
        ComparedValue::Value => value,
        ComparedValue::Lower => interval.map(|it| it.lower),
        ComparedValue::Upper => interval.map(|it| it.upper),
    };
    let why = match (compared, value) {
        (Some(compared), _) if passes.holds(compared, threshold.number) => None,
        (Some(compared), _) => Some(format!(
            "{} {} is {}",
            bound.description(),
            number_with_unit(compared, unit),
            match passes {
                PassingSide::AtLeast => "below",
                PassingSide::AtMost => "above",
            }
        )),
        (None, Some(_)) => {
            Some("there is no interval of fewer than 2 distinct dialogues".to_owned())
        }
        (None, None) => Some(match measured.map(|it| &it.value) {
            Some(ScoreValue::Undefined { why }) => format!("it is undefined: {why}"),
            _ => "the run does not have it".to_owned(),
        }),
    };
    ThresholdResult {
        metric: name,
        threshold: threshold.number,
        passes,
        bound,
        compared,
        value,
        interval: interval.map(|it| [it.lower, it.upper]),
        passed: why.is_none(),
        why,
        unit,
    }
}

impl PassingSide {
    fn holds(self, value: f64, threshold: f64) -> bool {
        match self {
            PassingSide::AtLeast => value >= threshold,
            PassingSide::AtMost => value <= threshold,
        }
    }

    fn words(self) -> &'static str {
        match self {
            PassingSide::AtLeast => "at least",
            PassingSide::AtMost => "at most",
        }
    }
}

impl ComparedValue {
    fn description(self) -> &'static str {
        match self {
            ComparedValue::Value => "the value",
            ComparedValue::Lower => "the lower end",
            ComparedValue::Upper => "the upper end",
        }
    }
}

impl ThresholdResult<'_> {
    /// `the lower end of ISR is at least 80.0 %`
    fn requirement_text(&self) -> String {
        let number = number_with_unit(self.threshold, self.unit);
        let passes = self.passes.words();
        match self.bound {
            ComparedValue::Value => format!("{} is {passes} {number}", self.metric),
            bound => format!("{} of {} is {passes} {number}", bound.description(), self.metric),
        }
    }
}

fn suite(
    scored: &ScoredRun,
    metrics: &[ThresholdResult<'_>],
    incomplete: Option<&String>,
) -> Suite {
    let about = junit::suite_of_report(&scored.report());
    let class = scored.report().title.to_owned();
    let case = |one: &ThresholdResult<'_>| JunitCase {
        class: class.clone(),
        name: one.requirement_text(),
        result: match &one.why {
            None => CaseResult::Passed,
            Some(why) => CaseResult::Failed(why.clone(), Vec::new()),
        },
    };
    let missing = incomplete.map(|warning| JunitCase {
        class: class.clone(),
        name: "every dialogue".to_owned(),
        result: CaseResult::Error(warning.clone()),
    });
    Suite { cases: metrics.iter().map(case).chain(missing).collect(), ..about }
}

fn grid(gated: &Gated<'_>) -> Grid {
    let shown = |number: Option<f64>, unit| {
        number.map_or("–".to_owned(), |it| number_with_unit(it, unit))
    };
    let row = |one: &ThresholdResult<'_>| {
        let interval = one.interval.map(|[lower, upper]| {
            format!(
                "{} to {}",
                number_with_unit(lower, one.unit),
                number_with_unit(upper, one.unit)
            )
        });
        let result = match &one.why {
            None => "passed".to_owned(),
            Some(why) => format!("FAILED: {why}"),
        };
        [
            one.metric.to_owned(),
            shown(one.value, one.unit),
            interval.unwrap_or_else(|| "–".to_owned()),
            format!("{} {}", one.passes.words(), number_with_unit(one.threshold, one.unit)),
            result,
        ]
        .map(GridCell::plain)
        .to_vec()
    };
    let incomplete = gated.incomplete.as_ref().map(|warning| format!(" ({warning})"));
    Grid {
        title: format!("{}: {}{}", gated.run, gated.model, incomplete.unwrap_or_default()),
        head: ["metric", "value", "95 % interval", "passes", "result"].map(str::to_owned).to_vec(),
        rows: gated.metrics.iter().map(row).collect(),
    }
}

/// A line for each metric; the reasons are below, so that lines stay short.
fn gate_text(gated: &Gated<'_>, allowed: bool) -> String {
    let mut text = format!("{} · {}\n", gated.run, gated.model);
    for one in &gated.metrics {
        let value = one.value.map_or("undefined".to_owned(), |it| number_with_unit(it, one.unit));
        let interval = one.interval.map(|[lower, upper]| {
            format!(
                " ({} to {})",
                number_with_unit(lower, one.unit),
                number_with_unit(upper, one.unit)
            )
        });
        let (mark, why) = match &one.why {
            None => ("passed", String::new()),
            Some(why) => ("FAILED", format!(": {why}")),
        };
        let interval = interval.unwrap_or_default();
        text.push_str(&format!("  {mark}  {}{why}\n", one.requirement_text()));
        text.push_str(&format!("          {} {value}{interval}\n", one.metric));
    }
    if gated.incomplete.is_some() && !allowed {
        text.push_str(
            "  FAILED  the run is not complete; `--allow-incomplete` tests what it has\n",
        );
    }
    text
}
