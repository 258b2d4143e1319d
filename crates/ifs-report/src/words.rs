//! The wording of numbers and facts, the same in every text format.

use super::{Grid, GridCell, Report};
use ifs_base::diagnostic::visible_text;
use ifs_inference::{Latency, ModelSpending, Spent};
use ifs_score::{
    BreakdownRow, ConfidenceInterval, Ending, Measurement, MetricScore, MetricUnit, SampleScore,
    SampleScores, ScoreValue, TurnOutcome, UndecidedBounds,
};

/// The placeholder for a missing number.
pub(super) const NO_NUMBER: &str = "–";

pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

pub(super) fn percent_or_none(share: Option<f64>) -> String {
    share.map_or_else(|| NO_NUMBER.to_owned(), percent)
}

/// A number of a metric as reports show it.
#[must_use]
pub fn number_with_unit(number: f64, unit: MetricUnit) -> String {
    let text = match unit {
        MetricUnit::Share => percent(number),
        MetricUnit::Turns | MetricUnit::Marks | MetricUnit::Number => format!("{number:.2}"),
    };
    // A number that rounds to zero has no sign.
    let is_zero = text.chars().all(|char| !char.is_ascii_digit() || char == '0');
    if is_zero { text.trim_start_matches('-').to_owned() } else { text }
}

/// The ends of an interval, with the unit once. One without a width is not shown as one.
pub(super) fn interval_with_unit(
    ConfidenceInterval { lower, upper, single }: ConfidenceInterval,
    unit: MetricUnit,
) -> String {
    if single {
        return "in every dialogue".to_owned();
    }
    let lower = number_with_unit(lower, unit);
    format!("{} to {}", lower.strip_suffix(" %").unwrap_or(&lower), number_with_unit(upper, unit))
}

/// What requests took: a row for each model in each role.
#[must_use]
pub fn spending_grid(spending: &[ModelSpending]) -> Grid {
    let head = [
        "requests to",
        "calls",
        "tokens in",
        "of them cached",
        "tokens out",
        "money",
        "retries",
        "failed",
        "median time",
        "95 %",
    ];
    let some = |count: u64| if count == 0 { NO_NUMBER.to_owned() } else { count.to_string() };
    let time = |of: fn(&Latency) -> u64, one: &ModelSpending| {
        let latency = one.latency.as_ref();
        latency.map_or_else(|| NO_NUMBER.to_owned(), |all| milliseconds(of(all)))
    };
    let row = |one: &ModelSpending| {
        let Spent { calls, input, output, money, .. } = one.spent;
        let cells = [
            format!("{} {}", one.role.word(), one.model),
            calls.to_string(),
            input.to_string(),
            some(one.cached),
            output.to_string(),
            if one.priced { money.to_string() } else { NO_NUMBER.to_owned() },
            some(one.retries),
            some(one.failed),
            time(|all| all.median_ms, one),
            time(|all| all.p95_ms, one),
        ];
        cells.map(|text| GridCell::plain(one_line(&text))).to_vec()
    };
    Grid {
        title: "Requests, by role and model".to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: spending.iter().map(row).collect(),
    }
}

/// `850 ms`, `1.3 s`
pub(super) fn milliseconds(time: u64) -> String {
    match time {
        0..1000 => format!("{time} ms"),
        time => format!("{:.1} s", time as f64 / 1000.0),
    }
}

/// The scores over all responses to a turn, for the runs that have several of a turn.
pub(super) fn sample_grid(samples: &SampleScores) -> Grid {
    let cells = |measured: &Measurement| {
        let interval = measured.interval.map(|it| interval_with_unit(it, MetricUnit::Share));
        [percent_or_none(measured.number()), interval.unwrap_or_else(|| NO_NUMBER.to_owned())]
    };
    let row = |score: &SampleScore| {
        let cells = [&score.pass_at_k, &score.pass_all_k].map(cells).concat();
        let first = GridCell::plain(score.k.to_string());
        std::iter::once(first).chain(cells.into_iter().map(GridCell::plain)).collect()
    };
    let interval = "95 % interval".to_owned();
    Grid {
        title: format!(
            "Of k responses to a turn, one succeeds (pass@k) or all do (pass^k); {} of up to {} to a turn",
            count(samples.responses, "response"),
            samples.most
        ),
        head: vec![
            "k".to_owned(),
            "pass@k".to_owned(),
            interval.clone(),
            "pass^k".to_owned(),
            interval,
        ],
        rows: samples.by_count.iter().map(row).collect(),
    }
}

/// One metric, ready to be laid out.
pub(super) struct Headline<'s> {
    pub(super) name: String,
    pub(super) value: String,
    /// `± 1.2 %`, or empty.
    pub(super) error: String,
    /// `63.2 to 66.1 %`, the 95 % interval, or empty.
    pub(super) interval: String,
    pub(super) doc: &'s str,
    pub(super) source: &'static str,
    /// Why there is no value, or a note about it.
    pub(super) note: Option<String>,
}

impl<'s> Headline<'s> {
    pub(super) fn from_score(score: &'s MetricScore) -> Self {
        let unit = score.unit();
        let bounds = score.undecided.map(|UndecidedBounds { all_missed, all_held }| {
            let interval = ConfidenceInterval::between(all_missed, all_held);
            format!("{}, by what was not judged", interval_with_unit(interval, unit))
        });
        let Measurement { value, standard_error, interval, note, .. } = &score.measured;
        let (value, why) = match value {
            ScoreValue::Number(number) => (number_with_unit(*number, unit), None),
            ScoreValue::Undefined { why } => (NO_NUMBER.to_owned(), Some(why.clone())),
        };
        Self {
            name: score.name.clone(),
            value,
            error: standard_error
                .map(|error| format!("± {}", number_with_unit(error, unit)))
                .unwrap_or_default(),
            interval: interval.map(|it| interval_with_unit(it, unit)).unwrap_or_default(),
            doc: score.doc(),
            source: score.source(),
            note: match (why.or_else(|| note.clone()), bounds) {
                (Some(note), Some(bounds)) => Some(format!("{note}; {bounds}")),
                (note, bounds) => note.or(bounds),
            },
        }
    }
}

pub(super) fn ending(ending: &Ending) -> String {
    match ending {
        Ending::Patience => "patience ran out".to_owned(),
        Ending::Condition(condition) => format!("condition met: {condition}"),
        Ending::Script => "script finished".to_owned(),
        Ending::MaxTurns => "cut at --max-turns".to_owned(),
        Ending::ContextLength => "context window exceeded (context_length)".to_owned(),
        Ending::Interrupted => "interrupted".to_owned(),
        Ending::Failed(why) => format!("infrastructure error: {why}"),
        Ending::PermanentFailure(why) => format!("permanent infrastructure error: {why}"),
        Ending::Unrecorded => "recording ends; the dialogue would have gone on".to_owned(),
    }
}

/// One character per turn.
pub(super) fn verdict_mark(verdict: TurnOutcome) -> char {
    match verdict {
        TurnOutcome::Success => '●',
        TurnOutcome::Failure => '✗',
        TurnOutcome::Undecided => '?',
        TurnOutcome::Empty => '·',
    }
}

pub(super) fn miss_rate(row: &BreakdownRow) -> Option<f64> {
    row.rate.map(|rate| 1.0 - rate)
}

/// Control characters are made visible, line breaks become spaces.
pub(super) fn one_line(text: &str) -> String {
    visible_text(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// How much was scored, and how it was decided.
pub(super) fn scored(report: &Report<'_>) -> String {
    let totals = &report.scorecard.totals;
    let tally = totals.constraints;
    let dialogues = match report.part() {
        Some(available) => format!("{} of {}", totals.dialogues, count(available, "dialogue")),
        None => count(totals.dialogues, "dialogue"),
    };
    let text = format!(
        "{}, {}, {}",
        match totals.broken_dialogues {
            0 => dialogues,
            broken => format!("{dialogues} ({broken} incomplete by an infrastructure error)"),
        } + &match totals.distinct_dialogues {
            texts if texts < totals.dialogues => format!(" ({texts} distinct)"),
            _ => String::new(),
        },
        count(totals.turns, "turn"),
        count(tally.judged() + tally.unjudged, "constraint outcome"),
    );
    let readers = [
        (totals.by_rule, "by rule"),
        (totals.by_judge, "by judge"),
        (totals.by_simulated_judge, "by a simulated judge"),
    ];
    let readers: Vec<String> = readers
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, who)| format!("{number} {who}"))
        .collect();
    let mut text =
        if readers.is_empty() { text } else { format!("{text} ({})", readers.join(", ")) };
    let silent: u64 = totals.without_text.values().sum();
    if silent > 0 {
        text.push_str(&format!("; {} without text", count(silent, "response")));
    }
    if totals.with_reasoning > 0 {
        text.push_str(&format!(
            "; reasoning stored separately in {}",
            count(totals.with_reasoning, "response")
        ));
    }
    text
}

fn count(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}
