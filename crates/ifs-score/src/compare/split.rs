//! Runs compared on parts of their dialogues: by slice, group, round or turn number, or on their
//! first dialogues.

use std::collections::BTreeMap;

use serde::Serialize;

use super::ComparedRun;
use super::correlation::{pearson, ranks, spearman};
use crate::{BreakdownRow, ComparedMetric, Direction, MetricUnit};

const UTILITY_RATE: &str = "utility_rate";
const MEESEEKS_SCORE: &str = "Meeseeks_score";
/// The metrics that each round of feedback has.
pub const ROUND_METRICS: [&str; 2] = [UTILITY_RATE, MEESEEKS_SCORE];

/// The meaning of the table's columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SplitBy {
    /// The slices of `report … by`.
    Slice,
    Group,
    Constraint,
    Topic,
    Age,
    /// Constraints that are active on the turn.
    Active,
    Transition,
    Relation,
    Tag,
    /// Who says a constraint.
    Speaker,
    /// The turn number.
    Turn,
    /// The name of the turn.
    Name,
    /// The turn's `class`: the kind of its question.
    Class,
    /// Rounds of feedback.
    Round,
}

impl SplitBy {
    pub const ALL: [SplitBy; 14] = [
        SplitBy::Slice,
        SplitBy::Group,
        SplitBy::Constraint,
        SplitBy::Topic,
        SplitBy::Age,
        SplitBy::Active,
        SplitBy::Transition,
        SplitBy::Relation,
        SplitBy::Tag,
        SplitBy::Speaker,
        SplitBy::Turn,
        SplitBy::Name,
        SplitBy::Class,
        SplitBy::Round,
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SplitBy::Slice => "slice",
            SplitBy::Group => "group",
            SplitBy::Constraint => "constraint",
            SplitBy::Topic => "topic",
            SplitBy::Age => "age",
            SplitBy::Active => "active",
            SplitBy::Transition => "transition",
            SplitBy::Relation => "relation",
            SplitBy::Tag => "tag",
            SplitBy::Speaker => "speaker",
            SplitBy::Turn => "turn",
            SplitBy::Name => "name",
            SplitBy::Class => "class",
            SplitBy::Round => "round",
        }
    }

    #[must_use]
    pub fn parse(name: &str) -> Option<SplitBy> {
        SplitBy::ALL.into_iter().find(|by| by.name() == name)
    }

    /// Whether a column has a metric instead of the share of constraints that held.
    #[must_use]
    pub fn has_metric(self) -> bool {
        matches!(self, SplitBy::Slice | SplitBy::Round)
    }
}

/// A row for each run, a column for each part.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct BreakdownTable {
    /// The name of the number in the cells.
    pub number: String,
    pub unit: MetricUnit,
    pub direction: Direction,
    pub columns: Vec<SplitColumn>,
    pub rows: Vec<SplitRow>,
    /// Spearman's correlation between every two columns; empty if a column has no metric.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<Vec<Option<f64>>>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct SplitColumn {
    pub name: String,
    /// Pearson's correlation of the column with the values over everything; `None` if it is
    /// undefined, as with fewer than two runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pearson: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spearman: Option<f64>,
}

#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct SplitRow {
    pub run: String,
    /// In the order of the columns.
    pub cells: Vec<Option<f64>>,
    /// The rank of the run in each column, 1 for the best value; ties share their mean rank.
    /// Empty if a column has no metric.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<Option<f64>>,
}

/// The runs by parts, some of which have the metric.
#[must_use]
pub fn split(sides: &[ComparedRun], by: SplitBy, metric: &ComparedMetric) -> BreakdownTable {
    let mut names: Vec<String> = Vec::new();
    let found: Vec<Vec<(String, Option<f64>)>> =
        sides.iter().map(|side| parts(side, by, metric)).collect();
    for (name, _) in found.iter().flatten() {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    // Runs may lack a part. Numbers are sorted; other names are in the order of the first run.
    if let Ok(numbers) = names.iter().map(|name| name.parse::<u32>()).collect::<Result<Vec<_>, _>>()
    {
        let mut order: Vec<(u32, String)> = numbers.into_iter().zip(names).collect();
        order.sort_unstable();
        names = order.into_iter().map(|(_, name)| name).collect();
    }
    let cell = |parts: &[(String, Option<f64>)], name: &String| {
        let found = parts.iter().find(|(known, _)| known == name);
        // A run that needed no further round has the numbers of its last one.
        let found = found.or_else(|| parts.last().filter(|_| by == SplitBy::Round));
        found.and_then(|(_, value)| *value)
    };
    let rows: Vec<SplitRow> = sides
        .iter()
        .zip(&found)
        .map(|(side, parts)| SplitRow {
            run: side.name.clone(),
            cells: names.iter().map(|name| cell(parts, name)).collect(),
            ranks: Vec::new(),
        })
        .collect();
    let number = if by.has_metric() { &metric.name } else { "share held" };
    let (unit, direction) = match by.has_metric() {
        true => (metric.unit, metric.direction),
        false => (MetricUnit::Share, Direction::HigherIsBetter),
    };
    let whole =
        (by == SplitBy::Slice).then(|| sides.iter().map(|side| value(side, metric)).collect());
    let empty = BreakdownTable {
        number: number.to_owned(),
        unit,
        direction,
        columns: Vec::new(),
        rows,
        between: Vec::new(),
    };
    with_correlations(empty, names, whole)
}

/// The runs on their first dialogues: would fewer dialogues have given the same ranking?
#[must_use]
pub fn first_dialogues(
    sides: &[ComparedRun],
    sizes: &[usize],
    metric: &ComparedMetric,
) -> BreakdownTable {
    let first = |side: &ComparedRun, size: usize| {
        let at = side.place(&metric.name)?;
        let mut held: Vec<_> = side.dialogues.iter().collect();
        held.sort_by_key(|((name, index), _)| (*index, name.as_str()));
        let (above, below) = side.sums(at, held.into_iter().take(size).map(|(_, held)| held));
        (below != 0.0 && side.is_summed(at)).then(|| above / below)
    };
    let rows = sides.iter().map(|side| SplitRow {
        run: side.name.clone(),
        cells: sizes.iter().map(|size| first(side, *size)).collect(),
        ranks: Vec::new(),
    });
    let names = sizes.iter().map(|size| format!("first {size}")).collect();
    let whole = sides.iter().map(|side| value(side, metric)).collect();
    let empty = BreakdownTable {
        number: metric.name.clone(),
        unit: metric.unit,
        direction: metric.direction,
        columns: Vec::new(),
        rows: rows.collect(),
        between: Vec::new(),
    };
    with_correlations(empty, names, Some(whole))
}

/// Adds the columns and the correlations between them, and a last column over everything if it is given.
fn with_correlations(
    mut table: BreakdownTable,
    names: Vec<String>,
    whole: Option<Vec<Option<f64>>>,
) -> BreakdownTable {
    let Some(whole) = whole else {
        let columns =
            names.into_iter().map(|name| SplitColumn { name, pearson: None, spearman: None });
        table.columns = columns.collect();
        return table;
    };
    let rows = &mut table.rows;
    for (row, value) in rows.iter_mut().zip(whole) {
        row.cells.push(value);
    }
    let last = names.len();
    let names: Vec<String> = names.into_iter().chain(["all".to_owned()]).collect();
    let with = |one: usize, other: usize, of: CorrelationOf| of(&pairs(rows, one, other)?);
    let columns = names.iter().enumerate().map(|(at, name)| SplitColumn {
        name: name.clone(),
        pearson: (at < last).then(|| with(at, last, pearson)).flatten(),
        spearman: (at < last).then(|| with(at, last, spearman)).flatten(),
    });
    table.columns = columns.collect();
    table.between = (0..names.len())
        .map(|one| (0..names.len()).map(|other| with(one, other, spearman)).collect())
        .collect();
    // The rank of the smallest number is 1.
    let sign = match table.direction {
        Direction::HigherIsBetter => -1.0,
        Direction::LowerIsBetter => 1.0,
    };
    for at in 0..names.len() {
        let values: Vec<Option<f64>> = rows.iter().map(|row| row.cells[at]).collect();
        let known: Vec<f64> = values.iter().copied().flatten().map(|value| sign * value).collect();
        let mut ranked = ranks(&known).into_iter();
        for (row, value) in rows.iter_mut().zip(values) {
            row.ranks.push(value.and_then(|_| ranked.next()));
        }
    }
    table
}

type CorrelationOf = fn(&[(f64, f64)]) -> Option<f64>;

/// The runs that have a value in both columns; empty for fewer than three, since two points are
/// always on a line.
fn pairs(rows: &[SplitRow], one: usize, other: usize) -> Option<Vec<(f64, f64)>> {
    let cell = |row: &SplitRow, at: usize| row.cells.get(at).copied().flatten();
    let pairs: Vec<(f64, f64)> =
        rows.iter().filter_map(|row| Some((cell(row, one)?, cell(row, other)?))).collect();
    (pairs.len() > 2).then_some(pairs)
}

fn value(side: &ComparedRun, metric: &ComparedMetric) -> Option<f64> {
    let score = side.metrics.iter().find(|score| score.name == metric.name)?;
    score.measured.number()
}

/// The parts of one run, in their order.
fn parts(side: &ComparedRun, by: SplitBy, metric: &ComparedMetric) -> Vec<(String, Option<f64>)> {
    let rates =
        |rows: &[BreakdownRow]| rows.iter().map(|row| (row.name.clone(), row.rate)).collect();
    let parts = &side.breakdown;
    match by {
        SplitBy::Slice => {
            let of = |slice: &crate::Slice| {
                let score = slice.metrics.iter().find(|score| score.name == metric.name);
                (slice.name.clone(), score.and_then(|score| score.measured.number()))
            };
            side.slices.iter().map(of).collect()
        }
        SplitBy::Round => {
            let of = |round: &crate::RoundScore| {
                let measured = match metric.name.as_str() {
                    UTILITY_RATE => Some(&round.utility_rate),
                    MEESEEKS_SCORE => Some(&round.meeseeks_score),
                    _ => None,
                };
                (round.round.to_string(), measured.and_then(|measured| measured.number()))
            };
            side.rounds.iter().map(of).collect()
        }
        SplitBy::Turn => {
            side.by_turn.iter().map(|point| (point.name.clone(), Some(point.mean))).collect()
        }
        SplitBy::Name | SplitBy::Class => {
            let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
            for (part, term) in side.dialogues.values().flat_map(|held| held.parts(by, 0)) {
                let sum = sums.entry(part).or_default();
                *sum = (sum.0 + term.0, sum.1 + term.1);
            }
            let share = |(part, sum): (&str, (f64, f64))| (part.to_owned(), Some(sum.0 / sum.1));
            sums.into_iter().map(share).collect()
        }
        SplitBy::Group => rates(&parts.by_group),
        SplitBy::Constraint => rates(&parts.by_constraint),
        SplitBy::Topic => rates(&parts.by_topic),
        SplitBy::Age => rates(&parts.by_age),
        SplitBy::Active => rates(&parts.by_active_constraints),
        SplitBy::Transition => rates(&parts.by_transition),
        SplitBy::Relation => rates(&parts.by_relation),
        SplitBy::Speaker => rates(&parts.by_speaker),
        // The tags after the last round, if there were several.
        SplitBy::Tag => match side.rounds.last() {
            Some(last) => rates(&last.tags),
            None => rates(&parts.by_tag),
        },
    }
}
