//! PIF by turn, age and instruction: shown if a dialogue's `report` names PIF.

use super::words::NO_NUMBER;
use super::{Chart, Report, Series};
use ifs_score::{
    AnswerRow, AnswerScores, DialogueSource, MetricUnit, PifMean, Profile, Spread, answers, profile,
};

/// PIF on the parts of a run, if it was requested.
pub(super) fn requested_profile(report: &Report<'_>) -> Option<Profile> {
    let asked = report.metrics.iter().any(|name| name.starts_with("PIF"));
    asked.then(|| profile(&report.scorecard.dialogues))
}

/// Titles and rows of the text formats. A single row only repeats the score.
pub(super) fn sections(profile: &Profile) -> impl Iterator<Item = (&'static str, &[PifMean])> {
    let all: [(&'static str, &[PifMean]); 5] = [
        ("PIF by turn", &profile.by_turn),
        ("PIF by number of active instructions", &profile.by_given),
        ("PIF by active instruction", &profile.by_instruction),
        ("Share followed by age of the instruction", &profile.by_age),
        ("PIF-N-K by K", &profile.by_answers),
    ];
    all.into_iter().filter(|(_, points)| points.len() > 1)
}

/// The means as a line, for parts that are numbers in their order.
pub(super) fn chart(model: &str, title: &str, points: &[PifMean]) -> Option<Chart> {
    let values = points.iter().map(|point| Some(point.mean)).collect();
    let chart = Chart {
        title: title.to_owned(),
        unit: MetricUnit::Share,
        parts: points.iter().map(|point| point.name.clone()).collect(),
        series: vec![Series { name: model.to_owned(), values }],
        is_stepped: false,
    };
    chart.is_ordered().then_some(chart)
}

/// A row as text: mean, interval of 95 %, number of terms.
pub(super) fn columns(point: &PifMean) -> [String; 3] {
    [
        format!("{:.3}", point.mean),
        format!("{:.3} to {:.3}", point.low, point.high),
        point.count.to_string(),
    ]
}

/// The scores of responses, if PIF is requested or turns have a class.
pub(super) fn answered(report: &Report<'_>) -> Option<AnswerScores> {
    let asked = report.metrics.iter().any(|name| name.starts_with("PIF"))
        || report.scorecard.dialogues.turns().any(|turn| !turn.classes.is_empty());
    asked.then(|| answers(&report.scorecard.dialogues))
}

/// The tables of responses with more than one row.
pub(super) fn tables(found: &AnswerScores) -> impl Iterator<Item = (&'static str, &[AnswerRow])> {
    let all: [(&'static str, &[AnswerRow]); 2] =
        [("Responses by class of turn", &found.by_class), ("Responses by turn", &found.by_turn)];
    all.into_iter().filter(|(_, rows)| rows.len() > 1)
}

/// The headings of the columns after the name.
pub(super) const ANSWER_COLUMNS: [&str; 4] = ["turns", "PIF", "points", "characters"];

pub(super) fn cells(row: &AnswerRow) -> [String; 4] {
    let share =
        |value: Option<f64>| value.map_or_else(|| NO_NUMBER.to_owned(), |it| format!("{it:.3}"));
    let characters = row.characters.map_or_else(|| NO_NUMBER.to_owned(), |it| format!("{it:.0}"));
    [row.turns.to_string(), share(row.pif), share(row.points), characters]
}

/// Lengths, and the turns that are right and follow everything, as sentences.
pub(super) fn sentences(found: &AnswerScores) -> Vec<String> {
    let spread = |what: &str, spread: &Option<Spread>| {
        let Spread { mean, least, lower, median, upper, most, .. } = spread.as_ref()?;
        Some(format!(
            "Characters of {what}: {mean:.0} on average, {least} to {most}, quartiles {lower}, \
             {median}, {upper}."
        ))
    };
    let mut said: Vec<String> = Vec::new();
    if let (both, known @ 1..) = found.right_and_followed() {
        said.push(format!(
            "Correct, and every instruction followed: {both} of {known} turns with a reference answer."
        ));
    }
    said.extend(spread("a response", &found.response));
    said.extend(spread("the messages that a turn is sent with", &found.sent));
    said
}
