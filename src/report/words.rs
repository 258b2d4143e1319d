//! The wording of numbers and facts, the same in every text format.

use crate::diagnostic::visible_text;
use crate::score::{
    BreakdownRow, ConfidenceInterval, Ending, Measurement, MetricScore, MetricUnit, ScoreTotals,
    ScoreValue, TurnOutcome,
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

/// The ends of an interval, with the unit once.
fn interval_with_unit(
    ConfidenceInterval { lower, upper }: ConfidenceInterval,
    unit: MetricUnit,
) -> String {
    let lower = number_with_unit(lower, unit);
    format!("{} to {}", lower.strip_suffix(" %").unwrap_or(&lower), number_with_unit(upper, unit))
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
            note: why.or_else(|| note.clone()),
        }
    }
}

pub(super) fn ending(ending: &Ending) -> String {
    match ending {
        Ending::Patience => "patience ran out".to_owned(),
        Ending::Condition(condition) => format!("condition met: {condition}"),
        Ending::Script => "script finished".to_owned(),
        Ending::MaxTurns => "cut at --max-turns".to_owned(),
        Ending::Interrupted => "interrupted".to_owned(),
        Ending::Failed(why) => format!("infrastructure error: {why}"),
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
pub(super) fn scored(totals: &ScoreTotals) -> String {
    let tally = totals.constraints;
    let text = format!(
        "{}, {}, {}",
        match totals.broken_dialogues {
            0 => count(totals.dialogues, "dialogue"),
            broken => {
                format!(
                    "{} ({broken} incomplete by an infrastructure error)",
                    count(totals.dialogues, "dialogue")
                )
            }
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
