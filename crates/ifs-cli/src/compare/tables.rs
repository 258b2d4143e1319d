//! The tables of a comparison: scores, ranks, parts.

use super::{CompareFormat, ComparisonOutput, ReportedTable, table};
use crate::exit::CommandError;
use ifs_report::{Chart, Grid, GridCell, Series, number_with_unit};
use ifs_score::compare::{
    BreakdownTable, MetricComparison, MetricValue, Moves, PartMove, SIGNIFICANCE_LEVEL,
    SplitColumn, SplitRow,
};
use ifs_score::{Direction, MetricUnit};

const NO_VALUE: &str = "–";

/// A row for each run, a column for each metric.
pub(super) fn scores(metrics: &[MetricComparison]) -> Grid {
    let value = |standing: &MetricComparison, entry: &MetricValue| {
        let Some(value) = entry.value else { return GridCell::plain(NO_VALUE) };
        let error =
            entry.standard_error.map(|error| format!(" ± {}", without_unit(error, standing.unit)));
        let text =
            format!("{}{}", number_with_unit(value, standing.unit), error.unwrap_or_default());
        GridCell { text, is_best: entry.is_best }
    };
    grid("Scores ± standard errors over distinct dialogues", metrics, value)
}

/// The ranks that are consistent with the tests; empty if no runs were tested.
pub(super) fn ranks(metrics: &[MetricComparison]) -> Option<Grid> {
    let rank = |_: &MetricComparison, entry: &MetricValue| match entry.rank {
        None => GridCell::plain(NO_VALUE),
        Some((best, worst)) if best == worst => GridCell::plain(best.to_string()),
        Some((best, worst)) => GridCell::plain(format!("{best} to {worst}")),
    };
    let title = format!(
        "Ranks consistent with randomization tests (level {SIGNIFICANCE_LEVEL}, Holm's correction)"
    );
    let tested = |standing: &MetricComparison| !standing.pairs.is_empty();
    metrics.iter().any(tested).then(|| grid(&title, metrics, rank))
}

fn grid(
    title: &str,
    metrics: &[MetricComparison],
    cell: impl Fn(&MetricComparison, &MetricValue) -> GridCell,
) -> Grid {
    let runs = metrics.first().map_or(&[][..], |standing| &standing.values);
    let row = |(at, entry): (usize, &MetricValue)| {
        let cells =
            metrics.iter().filter_map(|standing| Some((standing, standing.values.get(at)?)));
        let cells = cells.map(|(standing, entry)| cell(standing, entry));
        std::iter::once(GridCell::plain(&entry.run)).chain(cells).collect()
    };
    let names = metrics.iter().map(|standing| standing.metric.clone());
    Grid {
        title: title.to_owned(),
        head: std::iter::once("model".to_owned()).chain(names).collect(),
        rows: runs.iter().enumerate().map(row).collect(),
    }
}

/// The parts of the runs, with their correlations with the total below.
pub(super) fn parts(split: &BreakdownTable, by: &str) -> Grid {
    let value = |row: &SplitRow, at: usize| match row.cells[at] {
        None => GridCell::plain(NO_VALUE),
        Some(value) => GridCell::plain(format!(
            "{}{}",
            number_with_unit(value, split.unit),
            rank_change(row, at)
        )),
    };
    let mut rows: Vec<Vec<GridCell>> = split
        .rows
        .iter()
        .map(|row| {
            let cells = (0..row.cells.len()).map(|at| value(row, at));
            std::iter::once(GridCell::plain(&row.run)).chain(cells).collect()
        })
        .collect();
    mark_best(&mut rows, split);
    let of: [(&str, ColumnCorrelation); 2] =
        [("Pearson with all", |it| it.pearson), ("Spearman with all", |it| it.spearman)];
    for (name, of) in of {
        if split.columns.iter().any(|column| of(column).is_some()) {
            let shown = |column| {
                GridCell::plain(of(column).map_or(NO_VALUE.to_owned(), |it| format!("{it:.3}")))
            };
            rows.push(
                std::iter::once(GridCell::plain(name))
                    .chain(split.columns.iter().map(shown))
                    .collect(),
            );
        }
    }
    let names = split.columns.iter().map(|column| column.name.clone());
    Grid {
        title: format!("{} by {by}", split.number),
        head: std::iter::once("model".to_owned()).chain(names).collect(),
        rows,
    }
}

/// The difference of the run's rank on a part from its overall rank: ` ↑1` if it is better.
fn rank_change(row: &SplitRow, at: usize) -> String {
    let rank = |at: usize| row.ranks.get(at).copied().flatten();
    let last = row.ranks.len().checked_sub(1);
    match (rank(at), last.and_then(rank)) {
        (Some(here), Some(all)) if here < all => format!(" ↑{}", all - here),
        (Some(here), Some(all)) if here > all => format!(" ↓{}", here - all),
        _ => String::new(),
    }
}

/// Spearman's correlations between the parts; empty if undefined.
pub(super) fn correlations(split: &BreakdownTable) -> Option<Grid> {
    let known = split.between.iter().flatten().any(Option::is_some);
    let names = || split.columns.iter().map(|column| column.name.clone());
    let shown = |value: &Option<f64>| {
        GridCell::plain(value.map_or(NO_VALUE.to_owned(), |value| format!("{value:.3}")))
    };
    let row = |(name, values): (String, &Vec<Option<f64>>)| {
        std::iter::once(GridCell::plain(name)).chain(values.iter().map(shown)).collect()
    };
    known.then(|| Grid {
        title: format!("Spearman's correlation of {} between parts", split.number),
        head: std::iter::once("part".to_owned()).chain(names()).collect(),
        rows: names().zip(&split.between).map(row).collect(),
    })
}

/// The changes between two runs, with the test over their common dialogues.
fn moved_parts(moves: &Moves, parts: &ReportedTable) -> Grid {
    let unit = parts.split.unit;
    let row = |part: &PartMove| {
        let interval = part.tested.interval.map(|it| {
            // The second minus the first.
            let [lower, upper] = [-it.upper, -it.lower].map(|end| without_unit(end, unit));
            format!("{lower} to {upper}")
        });
        let cells = [
            part.part.clone(),
            number_with_unit(part.first, unit),
            number_with_unit(part.second, unit),
            interval.unwrap_or_else(|| NO_VALUE.to_owned()),
            format!("{:.4}", part.adjusted_p),
            part.verdict.word().to_owned(),
        ];
        cells.map(GridCell::plain).to_vec()
    };
    Grid {
        title: format!(
            "{} by {} from {} to {}, over common dialogues (p has Holm's correction, intervals \
             have none)",
            parts.split.number, parts.by, moves.one, moves.other
        ),
        head: ["part", "first", "second", "95 % of the change", "p", ""]
            .map(str::to_owned)
            .to_vec(),
        rows: moves.parts.iter().map(row).collect(),
    }
}

/// The correlation of a part with the total.
type ColumnCorrelation = fn(&SplitColumn) -> Option<f64>;

/// Marks the best values of each column in which values differ.
fn mark_best(rows: &mut [Vec<GridCell>], split: &BreakdownTable) {
    let better = match split.direction {
        Direction::HigherIsBetter => f64::max,
        Direction::LowerIsBetter => f64::min,
    };
    for at in 0..split.columns.len() {
        let value = |row: usize| split.rows.get(row).and_then(|row| *row.cells.get(at)?);
        let best = (0..rows.len()).filter_map(value).reduce(better);
        let differs = (0..rows.len()).filter_map(value).any(|value| Some(value) != best);
        for (row, cells) in rows.iter_mut().enumerate() {
            if let Some(cell) = cells.get_mut(at + 1) {
                cell.is_best = differs && value(row) == best;
            }
        }
    }
}

/// A number without its unit, which the heading has.
fn without_unit(number: f64, unit: MetricUnit) -> String {
    number_with_unit(number, unit).trim_end_matches(" %").to_owned()
}

/// The tables in their order, each with the charts that show it.
fn grids(found: &ComparisonOutput) -> Vec<(Grid, Vec<Chart>)> {
    let plain = |grid: Grid| (grid, Vec::new());
    match found.parts.as_slice() {
        [] => {
            let requests =
                (!found.spending.is_empty()).then(|| ifs_report::spending_grid(&found.spending));
            let all = std::iter::once(scores(&found.metrics)).chain(ranks(&found.metrics));
            all.chain(requests).map(plain).collect()
        }
        all => {
            let both = |one: &ReportedTable| {
                let grid = parts(&one.split, &one.by);
                let charts = chart(&one.split, &grid.title).split_by_level();
                let moved = one.moves.iter().map(|moves| plain(moved_parts(moves, one)));
                let first = [Some((grid, charts)), correlations(&one.split).map(plain)];
                first.into_iter().flatten().chain(moved).collect::<Vec<_>>()
            };
            all.iter().flat_map(both).collect()
        }
    }
}

/// The parts of a table without the column over everything.
fn chart(split: &BreakdownTable, title: &str) -> Chart {
    let has_whole = !split.between.is_empty();
    let parts = split.columns.len() - usize::from(has_whole);
    let series = |row: &SplitRow| Series {
        name: row.run.clone(),
        values: row.cells.iter().copied().take(parts).collect(),
    };
    Chart {
        title: title.to_owned(),
        unit: split.unit,
        parts: split.columns.iter().take(parts).map(|column| column.name.clone()).collect(),
        series: split.rows.iter().map(series).collect(),
        is_stepped: false,
    }
}

/// A page with the tables and their charts.
pub(super) fn page(found: &ComparisonOutput) -> String {
    let runs: Vec<&str> = match found.parts.as_slice() {
        [] => {
            let values = found.metrics.first().map_or(&[][..], |standing| &standing.values);
            values.iter().map(|entry| entry.run.as_str()).collect()
        }
        [first, ..] => first.split.rows.iter().map(|row| row.run.as_str()).collect(),
    };
    let warnings: Vec<String> = super::pairs::warnings(found)
        .lines()
        .map(|line| line.trim_start_matches("! ").to_owned())
        .collect();
    ifs_report::tables(&runs.join(", "), &warnings, &grids(found))
}

/// Prints the tables in the selected format.
pub(super) fn format_tables(
    found: &ComparisonOutput,
    form: CompareFormat,
    columns: usize,
) -> String {
    let grids: Vec<Grid> = grids(found).into_iter().map(|(grid, _)| grid).collect();
    let write = |grid: &Grid| match form {
        CompareFormat::Markdown => grid.markdown(),
        CompareFormat::Latex => grid.latex(),
        CompareFormat::Text
        | CompareFormat::Json
        | CompareFormat::Csv
        | CompareFormat::Html
        | CompareFormat::Junit => grid.text(columns),
    };
    grids.iter().map(write).collect::<Vec<_>>().join("\n")
}

/// A row for each run and each metric, or each part.
pub(super) fn csv(found: &ComparisonOutput) -> Result<String, CommandError> {
    let incomplete = found.incomplete.join(" ");
    let some = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
    if !found.parts.is_empty() {
        let head = ["incomplete", "model", "number", "by", "part", "value"];
        let row = |parts: &ReportedTable, row: &SplitRow, at: usize| -> Vec<String> {
            let column = parts.split.columns.get(at).map_or("", |column| &column.name);
            let texts = [&*incomplete, &row.run, &parts.split.number, &parts.by, column];
            let value = some(row.cells.get(at).copied().flatten());
            texts.into_iter().map(str::to_owned).chain([value]).collect()
        };
        let rows = found.parts.iter().flat_map(|parts| {
            let cells = |run: &SplitRow| -> Vec<Vec<String>> {
                (0..run.cells.len()).map(|at| row(parts, run, at)).collect()
            };
            parts.split.rows.iter().flat_map(cells).collect::<Vec<_>>()
        });
        return table(&head, rows);
    }
    let head = [
        "incomplete",
        "model",
        "metric",
        "value",
        "standard_error",
        "count",
        "distinct",
        "best_rank",
        "worst_rank",
    ];
    let rows = found.metrics.iter().flat_map(|standing| {
        standing.values.iter().map(|entry| {
            let rank =
                |of: fn((usize, usize)) -> usize| entry.rank.map(|rank| of(rank).to_string());
            vec![
                incomplete.clone(),
                entry.run.clone(),
                standing.metric.clone(),
                some(entry.value),
                some(entry.standard_error),
                entry.count.to_string(),
                entry.distinct.to_string(),
                rank(|rank| rank.0).unwrap_or_default(),
                rank(|rank| rank.1).unwrap_or_default(),
            ]
        })
    });
    table(&head, rows)
}
