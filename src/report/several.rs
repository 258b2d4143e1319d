//! Several runs on one page: their metrics side by side, curves over one another, and every dialogue
//! of all of them.

use super::chat::{self, Browser};
use super::document::HtmlPage;
use super::html::escape;
use super::words::Headline;
use super::{Chart, Grid, GridCell, Report, Series, heat};
use crate::score::{MetricUnit, SurvivalPoint};

/// A run with the name that it has among the others.
pub type NamedReport<'a> = (&'a str, Report<'a>);

/// A share of a turn.
type TurnShare = fn(&SurvivalPoint) -> Option<f64>;

/// The page of several runs. Metrics are those that the first run's dialogue reports.
#[must_use]
pub fn page_of_runs(title: &str, runs: &[NamedReport<'_>], browser: &Browser) -> String {
    let mut page = String::new();
    // Each warning once, with the runs that it is about.
    let mut warned: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, report) in runs {
        for warning in report.warnings() {
            match warned.iter_mut().find(|(known, _)| *known == warning) {
                Some((_, names)) => names.push(name),
                None => warned.push((warning, vec![name])),
            }
        }
    }
    for (warning, names) in &warned {
        page.push_str(&format!(
            "<p class=\"warning\" role=\"alert\">{}: {}</p>\n",
            escape(&names.join(", ")),
            escape(warning)
        ));
    }
    page.push_str(&format!("<h1>{}</h1>\n<p class=\"run\">", escape(title)));
    for (name, report) in runs {
        let variant =
            report.variation().map(|variation| format!(", {variation}")).unwrap_or_default();
        let (label, drawn_from) = report.drawn_from();
        page.push_str(&format!(
            "<b>{}</b>: {} {}{}, {label} {drawn_from}, <code>{}</code><br>\n",
            escape(name),
            escape(report.title),
            escape(report.benchmark_version),
            escape(&variant),
            escape(report.plan_hash),
        ));
    }
    page.push_str("<a href=\"#dialogues\">Read every dialogue</a></p>\n");
    let metrics = metrics(runs);
    let turned = metrics.head.len() > metrics.rows.len() + 1;
    page.push_str(&if turned { metrics.transposed() } else { metrics }.html());
    let curves: [(&str, TurnShare); 2] = [
        ("Users still patient after a turn (Kaplan-Meier)", |point| Some(point.patient)),
        ("Turns successful, by the number of the turn", |point| point.successful),
    ];
    for (at, (title, value)) in curves.into_iter().enumerate() {
        let points = || runs.iter().flat_map(|(_, report)| &report.scorecard.survival);
        // Without patience, the curve would be a line at the top.
        if (at > 0 || points().any(|point| point.lost > 0)) && points().any(|point| point.turn > 1)
        {
            let chart = curve(title, runs, value);
            page.push_str(&format!("{}{}", chart.figure(), chart.data()));
        }
    }
    let maps = runs.iter().filter_map(|(name, report)| {
        heat::map(&report.scorecard.dialogues).map(|map| (*name, map))
    });
    let maps: Vec<(&str, String)> = maps.collect();
    if !maps.is_empty() {
        page.push_str("<h2>Miss rate by group and turn</h2>\n");
        for (name, map) in maps {
            page.push_str(&format!("<h3>{}</h3>\n{map}", escape(name)));
        }
    }
    let styles = [chat::STYLE, chat::BROWSER_STYLE];
    let script = Some(chat::BROWSER_SCRIPT);
    let section = browser.section();
    let body: Vec<&str> = [&*page, &*section].into_iter().chain(browser.chunks()).collect();
    HtmlPage { title, styles: &styles, body: &body, script }.text()
}

/// A row for each run, a column for each metric with its standard error.
fn metrics(runs: &[NamedReport<'_>]) -> Grid {
    let Some((_, first)) = runs.first() else { return Grid::default() };
    let names: Vec<String> = first
        .shown_metrics(&first.scorecard.metrics)
        .iter()
        .map(|score| score.name.clone())
        .collect();
    let row = |(name, report): &NamedReport<'_>| {
        let cells = names.iter().map(|wanted| {
            let found = report.scorecard.metrics.iter().find(|score| score.name == *wanted);
            let line = found.map(Headline::from_score);
            let text =
                line.map(|line| format!("{} {}", line.value, line.error)).unwrap_or_default();
            GridCell::plain(text.trim_end())
        });
        let dialogues = report.scorecard.totals.dialogues.to_string();
        [GridCell::plain(*name), GridCell::plain(dialogues)].into_iter().chain(cells).collect()
    };
    Grid {
        title: "Scores, with standard errors over distinct dialogues".to_owned(),
        head: ["run".to_owned(), "dialogues".to_owned()].into_iter().chain(names.clone()).collect(),
        rows: runs.iter().map(row).collect(),
    }
}

/// A line for each run over the numbers of turns.
fn curve(title: &str, runs: &[NamedReport<'_>], value: TurnShare) -> Chart {
    let last = |report: &Report<'_>| report.scorecard.survival.iter().map(|it| it.turn).max();
    let last = runs.iter().filter_map(|(_, report)| last(report)).max().unwrap_or(0);
    let series = |(name, report): &NamedReport<'_>| Series {
        name: (*name).to_owned(),
        values: (1..=last)
            .map(|turn| {
                let points = &report.scorecard.survival;
                points.iter().find(|point| point.turn == turn).and_then(value)
            })
            .collect(),
    };
    Chart {
        title: title.to_owned(),
        unit: MetricUnit::Share,
        parts: (1..=last).map(|turn| turn.to_string()).collect(),
        series: runs.iter().map(series).collect(),
    }
}
