//! The scores of a run as tables of other documents: Markdown for a pull request, LaTeX for a paper.

use super::words::{
    Headline, NO_NUMBER, miss_rate, one_line, percent_or_none, sample_grid, scored, spending_grid,
};
use super::{Grid, GridCell, Report};
use ifs_score::{BreakdownRow, Slice};

/// The most groups of constraints in a summary.
const MAX_GROUPS: usize = 10;

/// A summary: warnings, scores, and the most often missed groups.
pub(super) fn markdown(report: &Report<'_>) -> String {
    let mut text = String::new();
    for warning in report.warnings() {
        text.push_str(&format!("> **Warning:** {}\n\n", in_text(&warning)));
    }
    text.push_str(&format!("### {}\n\n", in_text(&title(report))));
    text.push_str(&format!("{}\n\n", in_text(&caption(report))));
    let credits = report.credits();
    if !credits.is_empty() {
        let credits: Vec<String> =
            credits.iter().map(|(label, value)| format!("{label} {}", in_text(value))).collect();
        text.push_str(&format!("{}\n\n", credits.join(" · ")));
    }
    text.push_str(&cells(&scores(report)).markdown());
    if let Some(slices) = slices(report) {
        text.push_str(&format!("\n{}", cells(&slices).markdown()));
    }
    if let Some(samples) = &report.scorecard.samples {
        text.push_str(&format!("\n{}", cells(&sample_grid(samples)).markdown()));
    }
    let groups = groups(report);
    if !groups.rows.is_empty() {
        text.push_str(&format!("\n{}", cells(&groups).markdown()));
    }
    if !report.spending.is_empty() {
        text.push_str(&format!("\n{}", cells(&spending_grid(report.spending)).markdown()));
    }
    let caveats = report.caveats();
    if !caveats.is_empty() {
        text.push('\n');
        for caveat in caveats {
            text.push_str(&format!("- {}\n", in_text(&caveat)));
        }
    }
    text
}

/// A table of the scores, with what identifies the run in comments.
pub(super) fn latex(report: &Report<'_>) -> String {
    let mut text = String::new();
    let warnings = report.warnings();
    let credits = report.credits().into_iter().map(|(label, value)| format!("{label}: {value}"));
    let head = [title(report), caption(report)].into_iter().chain(credits);
    for line in warnings.iter().cloned().chain(head).chain(report.caveats()) {
        text.push_str(&format!("% {}\n", one_line(&line)));
    }
    text.push_str(&scores(report).latex());
    if let Some(slices) = slices(report) {
        text.push_str(&format!("\n{}", slices.latex()));
    }
    if let Some(samples) = &report.scorecard.samples {
        text.push_str(&format!("\n{}", sample_grid(samples).latex()));
    }
    if !report.spending.is_empty() {
        text.push_str(&format!("\n{}", spending_grid(report.spending).latex()));
    }
    text
}

fn title(report: &Report<'_>) -> String {
    let variant = report.variant.map(|variant| format!(", variant {variant}"));
    format!(
        "{} {}{}: {}",
        report.title,
        report.benchmark_version,
        variant.unwrap_or_default(),
        report.model
    )
}

fn caption(report: &Report<'_>) -> String {
    let (label, drawn_from) = report.drawn_from();
    let judges = report.judges().map(|judges| format!("; judged by {judges}")).unwrap_or_default();
    let served = match report.answered_by().join(", ") {
        names if names.is_empty() => String::new(),
        names => format!("; answered by {names}"),
    };
    format!(
        "{}{served}{judges}; {label} {drawn_from}, definition {}, {}",
        scored(report),
        report.plan_hash,
        report.origin.description()
    )
}

fn scores(report: &Report<'_>) -> Grid {
    let shown = report.shown_metrics(&report.scorecard.metrics);
    let row = |line: Headline| {
        let some = |text: String| if text.is_empty() { NO_NUMBER.to_owned() } else { text };
        [line.name, line.value, some(line.error), some(line.interval)].map(GridCell::plain).to_vec()
    };
    Grid {
        title: format!("Scores of {}", report.model),
        head: ["metric", "value", "standard error", "95 % interval"].map(str::to_owned).to_vec(),
        rows: shown.into_iter().map(|score| row(Headline::from_score(score))).collect(),
    }
}

/// The metrics of each slice, if there are slices.
fn slices(report: &Report<'_>) -> Option<Grid> {
    let slices = &report.scorecard.slices;
    let shown = report.shown_metrics(&slices.first()?.metrics);
    let head = ["slice", "dialogues"].into_iter().chain(shown.iter().map(|score| &*score.name));
    let row = |slice: &Slice| {
        let values = report.shown_metrics(&slice.metrics).into_iter();
        let values = values.map(|score| Headline::from_score(score).value);
        let name = [slice.name.clone(), slice.dialogues.to_string()];
        name.into_iter().chain(values).map(GridCell::plain).collect()
    };
    Some(Grid {
        title: format!("Scores by part of {}", report.model),
        head: head.map(str::to_owned).collect(),
        rows: slices.iter().map(row).collect(),
    })
}

/// The groups that were missed most often, worst first.
fn groups(report: &Report<'_>) -> Grid {
    let rate = |row: &BreakdownRow| miss_rate(row).unwrap_or_default();
    let mut rows: Vec<&BreakdownRow> = report.scorecard.breakdown.by_group.iter().collect();
    rows.retain(|row| row.missed > 0);
    // The sort is stable: groups that are missed alike stay in the order of their names.
    rows.sort_by(|one, other| rate(other).total_cmp(&rate(one)));
    let row = |row: &&BreakdownRow| {
        let missed = format!("{} of {}", row.missed, row.missed + row.held);
        [row.name.clone(), percent_or_none(miss_rate(row)), missed].map(GridCell::plain).to_vec()
    };
    Grid {
        title: "Most often missed".to_owned(),
        head: ["group", "missed", "outcomes"].map(str::to_owned).to_vec(),
        rows: rows.iter().take(MAX_GROUPS).map(row).collect(),
    }
}

/// The same table with text that Markdown does not read as markup.
#[must_use]
pub fn cells(grid: &Grid) -> Grid {
    let cell = |cell: &GridCell| GridCell { text: in_text(&cell.text), ..cell.clone() };
    Grid {
        title: in_text(&grid.title),
        head: grid.head.iter().map(|head| in_text(head)).collect(),
        rows: grid.rows.iter().map(|row| row.iter().map(cell).collect()).collect(),
    }
}

/// Text of a scenario or a model on one line: no tags, links, mentions or emphasis.
fn in_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in one_line(text).chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // A zero-width separator would be invisible; the entity shows the same sign.
            '@' => escaped.push_str("&#64;"),
            '[' => escaped.push_str("&#91;"),
            ']' => escaped.push_str("&#93;"),
            '*' => escaped.push_str("&#42;"),
            '`' => escaped.push_str("&#96;"),
            '#' => escaped.push_str("&#35;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}
