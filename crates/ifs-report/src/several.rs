//! Several runs on one page: their metrics and curves side by side, and every dialogue of each run.

use super::chat::{self, Browser};
use super::contents::contents;
use super::document::HtmlPage;
use super::document::escape;
use super::dots::{Dot, DotRow, DotUnit, Dots};
use super::{Chart, NamedReport, Report, Series, heat_map, parts_of_runs};
use ifs_score::{MetricUnit, SurvivalPoint};

/// What reports say about their runs, each once, with the names of the runs.
fn collected<'n>(
    runs: &[NamedReport<'n>],
    said: impl Fn(&Report<'n>) -> Vec<String>,
) -> Vec<(String, Vec<&'n str>)> {
    let mut all: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, report) in runs {
        for text in said(report) {
            match all.iter_mut().find(|(known, _)| *known == text) {
                Some((_, names)) => names.push(name),
                None => all.push((text, vec![name])),
            }
        }
    }
    all
}

/// A share of a turn.
type TurnShare = fn(&SurvivalPoint) -> Option<f64>;

/// The page of several runs. Metrics are those that the first run's dialogue reports.
#[must_use]
pub fn page_of_runs(title: &str, runs: &[NamedReport<'_>], browser: &Browser) -> String {
    let mut page = String::new();
    for (warning, names) in &collected(runs, Report::warnings) {
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
            "<b>{}</b>: {} {}{}, {} dialogues, {label} {drawn_from}, <code>{}</code><br>\n",
            escape(name),
            escape(report.title),
            escape(report.benchmark_version),
            escape(&variant),
            report.scorecard.totals.dialogues,
            escape(report.plan_hash),
        ));
    }
    page.push_str("<a href=\"#dialogues\">Read every dialogue</a></p>\n");
    let caveats = collected(runs, Report::caveats);
    if !caveats.is_empty() {
        page.push_str("<section class=\"caveats\"><h2>Before you quote a number</h2>\n<ul>\n");
        for (caveat, names) in &caveats {
            let names = escape(&names.join(", "));
            page.push_str(&format!("<li>{names}: {}</li>\n", escape(caveat)));
        }
        page.push_str("</ul></section>\n");
    }
    let first = std::mem::take(&mut page);
    page.push_str(&metrics(runs));
    let curves: [(&str, TurnShare); 2] = [
        ("Dialogues with patience left, by turn (Kaplan-Meier)", |point| Some(point.patient)),
        ("Success rate by turn", |point| point.successful),
    ];
    let mut headed = false;
    for (at, (title, value)) in curves.into_iter().enumerate() {
        let points = || runs.iter().flat_map(|(_, report)| &report.scorecard.survival);
        // Without patience, the curve would be a line at the top.
        if (at > 0 || points().any(|point| point.lost > 0)) && points().any(|point| point.turn > 1)
        {
            if !headed {
                page.push_str("<h2>Turn by turn</h2>\n");
                headed = true;
            }
            let chart = Chart { is_stepped: at == 0, ..curve(title, runs, value) };
            page.push_str(&format!("{}{}", chart.figure(), chart.data()));
        }
    }
    parts_of_runs::write(&mut page, runs);
    let maps = runs.iter().filter_map(|(name, report)| {
        heat_map::map(&report.scorecard.dialogues, name).map(|map| (*name, map))
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
    let (links, page) = contents(&page, &[("dialogues", "Every dialogue")]);
    let parts = [&*first, &*links, &*page, &*section];
    let body: Vec<&str> = parts.into_iter().chain(browser.chunks()).collect();
    HtmlPage { title, styles: &styles, body: &body, script }.text()
}

/// A row for each metric: each run's value with its interval, as text and as a picture.
fn metrics(runs: &[NamedReport<'_>]) -> String {
    let Some((_, first)) = runs.first() else { return String::new() };
    let mut rows = Vec::new();
    for shown in first.shown_metrics(&first.scorecard.metrics) {
        let value = |(_, report): &NamedReport<'_>| {
            let score = report.scorecard.metrics.iter().find(|score| score.name == shown.name)?;
            let (value, interval) = (score.measured.number()?, score.measured.interval);
            Some(Dot { value, interval })
        };
        rows.push(DotRow {
            name: shown.name.clone(),
            unit: DotUnit::Of(shown.unit()),
            values: runs.iter().map(value).collect(),
        });
    }
    let series = runs.iter().map(|(name, _)| *name).collect();
    let table = Dots { corner: "metric", series, rows }.table(true);
    format!(
        "<h2>Scores</h2>\n<p class=\"key\">With 95 % intervals over distinct dialogues.</p>\n{table}"
    )
}

/// A line for each run, over turns.
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
        is_stepped: false,
    }
}
