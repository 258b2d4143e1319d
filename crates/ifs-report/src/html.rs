//! The report as one self-contained file: without fonts and external pictures. Its one script shows
//! the dialogues.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::breakdown::by_miss_rate;
use super::chat;
use super::contents::contents;
use super::document::{HtmlPage, escape};
use super::dots::{self, Dot};
use super::words::{
    Headline, ending, miss_rate, percent, percent_or_none, sample_grid, scored, spending_grid,
    verdict_mark,
};
use super::{Chart, Grid, MetricRow, Report, breakdown, heat_map, profile, scatter, svg};
use ifs_score::{
    BreakdownRow, DialogueSource, DialogueSummary, MetricScore, MetricUnit, RoundScore,
    SurvivalPoint, TurnOutcome,
};

const WORST_TOPICS: usize = 10;
const WORST_DIALOGUES: usize = 3;
const FIRST_MISSES: usize = 6;
/// The number of constraints shown without a click if none was missed.
const SHOWN_CONSTRAINTS: usize = 12;

pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let card = report.scorecard;
    let title = format!("{} {}", report.title, report.benchmark_version);
    let (mut first, mut page) = (String::new(), String::new());
    page_head(&mut first, report, &escape(&title));
    scores(&mut page, report);
    slices(&mut page, report);
    by_turn(&mut page, report);
    rounds(&mut page, &report.scorecard.rounds);
    if let Some(samples) = &report.scorecard.samples {
        page.push_str(&sample_grid(samples).html());
    }
    if let Some(curve) = svg::curve(&card.survival) {
        page.push_str("<h2>Turn by turn</h2>\n<p class=\"key\">");
        if card.survival.iter().any(|point| point.lost > 0) {
            page.push_str("<span class=\"patient\">━</span> dialogues with patience left &ensp; ");
        }
        page.push_str("<span class=\"successful\">●</span> success rate</p>\n");
        page.push_str(&curve);
        survival(&mut page, &card.survival);
    }

    instructions(&mut page, report);
    answer_points(&mut page, report);
    if let Some(map) = heat_map::map(&card.dialogues, report.model) {
        page.push_str("<h2>Miss rate by group and turn</h2>\n");
        page.push_str(&map);
    }
    // Groups have a line each, and their descriptions; other parts are narrow enough for two columns.
    let (groups, others): (Vec<_>, Vec<_>) =
        breakdown::sections(&card.breakdown, report.docs, WORST_TOPICS)
            .into_iter()
            .partition(|section| section.docs.is_some());
    for section in groups {
        table(&mut page, section.title, &section.rows, section.docs);
    }
    page.push_str("<div class=\"pairs\">\n");
    for section in others {
        page.push_str("<section>\n");
        table(&mut page, section.title, &section.rows, None);
        page.push_str("</section>\n");
    }
    page.push_str("</div>\n");
    constraints(&mut page, &by_miss_rate(&card.breakdown.by_constraint));
    endings(&mut page, report);
    if !report.spending.is_empty() {
        page.push_str(&spending_grid(report.spending).html());
    }
    if let Some(picture) = report.picture {
        // It is an SVG document, and what it shows is listed in its description.
        page.push_str(
            "<h2>The plan of the dialogue</h2>\n<figure class=\"wide plan\" tabindex=\"0\">",
        );
        // The name space is known in a page, and its address is nothing to load.
        page.push_str(&picture.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1));
        page.push_str("</figure>\n");
    }
    dialogues(&mut page, report);
    exhibits(&mut page, report);
    let more: &[_] = if report.has_browser() { &[("dialogues", "Every dialogue")] } else { &[] };
    let (links, page) = contents(&page, more);
    first.push_str(&links);
    let page = first + &page;
    let title = format!("{title}: {}", report.model);
    let plain = HtmlPage { title: &title, styles: &[], body: &[&page], script: None };
    if let Some(browser) = report.browser.filter(|browser| !browser.is_empty()) {
        let section = browser.section();
        let body: Vec<&str> = [&*page, &*section].into_iter().chain(browser.chunks()).collect();
        let styles = [chat::STYLE, chat::BROWSER_STYLE];
        let script = Some(chat::BROWSER_SCRIPT);
        return HtmlPage { styles: &styles, body: &body, script, ..plain }.write(out);
    }
    plain.write(out)
}

/// Tables, each with the charts that show it, on a page that needs nothing else.
#[must_use]
pub fn tables(title: &str, warnings: &[String], tables: &[(Grid, Vec<Chart>)]) -> String {
    let mut page = String::new();
    for warning in warnings {
        let warning = escape(warning);
        page.push_str(&format!("<p class=\"warning\" role=\"alert\">{warning}</p>\n"));
    }
    page.push_str(&format!("<h1>{}</h1>\n", escape(title)));
    let mut all = String::new();
    for (grid, charts) in tables {
        all.push_str(&grid.html());
        charts.iter().for_each(|chart| all.push_str(&chart.figure()));
    }
    let (links, all) = contents(&all, &[]);
    HtmlPage { title, styles: &[], body: &[&page, &links, &all], script: None }.text()
}

fn page_head(page: &mut String, report: &Report<'_>, title: &str) {
    for warning in report.warnings() {
        let warning = escape(&warning);
        page.push_str(&format!("<p class=\"warning\" role=\"alert\">{warning}</p>\n"));
    }
    let variant = report.variation().map(|variation| format!("<b>{}</b> · ", escape(&variation)));
    let (label, drawn_from) = report.drawn_from();
    page.push_str(&format!(
        "<h1>{title}</h1>\n<p class=\"run\">model <b>{}</b> · {}{label} <b>{drawn_from}</b> · <code>{}</code>\
         <br>{}",
        escape(report.model),
        variant.unwrap_or_default(),
        escape(report.plan_hash),
        escape(&scored(report)),
    ));
    if let Some(replay) = &report.scorecard.replay {
        page.push_str(&format!("<br>patience {} replayed", replay.patience));
    }
    page.push_str(&format!("<br>{}", escape(&report.origin.description())));
    let served = report.answered_by().join(", ");
    if !served.is_empty() {
        page.push_str(&format!("<br>answered by <b>{}</b>", escape(&served)));
    }
    for (label, value) in report.credits() {
        let shown = match label {
            "homepage" => format!("<span>{}</span>", escape(&value)),
            _ => escape(&value).to_string(),
        };
        page.push_str(&format!("<br>{label} {shown}"));
    }
    if let Some(judges) = report.judges() {
        page.push_str(&format!("<br>judged by <b>{}</b>", escape(&judges)));
    }
    if report.has_browser() {
        page.push_str("<br><a href=\"#dialogues\">Read every dialogue</a>");
    }
    page.push_str("</p>\n");
    let caveats = report.caveats();
    if !caveats.is_empty() {
        page.push_str("<section class=\"caveats\"><h2>Before you quote a number</h2>\n<ul>\n");
        for caveat in &caveats {
            page.push_str(&format!("<li>{}</li>\n", escape(caveat)));
        }
        page.push_str("</ul></section>\n");
    }
}

fn scores(page: &mut String, report: &Report<'_>) {
    page.push_str(
        "<h2>Scores</h2>\n<table class=\"scores\">\n<thead><tr><th>metric</th>\
         <th class=\"number\">value<br>95 % interval</th><th class=\"track\" aria-hidden=\"true\"></th>\
         <th class=\"number\">standard error<br>over distinct dialogues</th>\
         <th>what it means</th></tr></thead>\n<tbody>\n",
    );
    for score in report.shown_metrics(&report.scorecard.metrics) {
        let line = Headline::from_score(score);
        let note = line.note.as_deref().map(escape);
        let note = note.map(|note| format!("<br><small>{note}</small>")).unwrap_or_default();
        let interval = match line.interval.as_str() {
            "" => String::new(),
            interval => format!("<br><small>{interval}</small>"),
        };
        page.push_str(&format!(
            "<tr><th scope=\"row\">{}</th><td class=\"number\"><b>{}</b>{interval}</td>\
             <td class=\"track\" aria-hidden=\"true\">{}</td>\
             <td class=\"number\">{}</td><td>{}<br><small>{}</small>{note}</td></tr>\n",
            escape(&line.name),
            line.value,
            share_track(score),
            line.error,
            escape(line.doc),
            escape(line.source),
        ));
    }
    page.push_str("</tbody>\n</table>\n");
}

/// A share with its interval on a scale from 0 to 1; nothing for other metrics.
fn share_track(score: &MetricScore) -> String {
    let is_share = score.unit() == MetricUnit::Share;
    let value = score.measured.number().filter(|_| is_share);
    let dot = value.map(|value| Dot { value, interval: score.measured.interval });
    dot.map(|dot| dots::dot_track(&[Some(dot)], 1.0)).unwrap_or_default()
}

/// The table behind the curve.
fn survival(page: &mut String, points: &[SurvivalPoint]) {
    page.push_str(
        "<details class=\"data\"><summary>Turn by turn as a table</summary>\n<table class=\"rates\">\
         <thead><tr><th>turn</th><th class=\"number\">dialogues</th><th class=\"number\">with patience left</th>\
         <th class=\"number\">95 %</th><th class=\"number\">turns successful</th></tr></thead>\n<tbody>\n",
    );
    for point in points {
        let interval = point.interval.as_ref();
        let interval = interval.map(|it| format!("{} to {}", percent(it.lower), percent(it.upper)));
        page.push_str(&format!(
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
            point.turn,
            point.at_risk,
            percent(point.patient),
            interval.unwrap_or_default(),
            percent_or_none(point.successful),
        ));
    }
    page.push_str("</tbody></table></details>\n");
}

fn slices(page: &mut String, report: &Report<'_>) {
    let slices = report.scorecard.slices.iter();
    let parts: Vec<MetricRow<'_>> = slices
        .map(|slice| (slice.name.as_str(), slice.dialogues, slice.metrics.as_slice()))
        .collect();
    breakdown(page, report, "By slice", "dialogues", &parts);
}

fn by_turn(page: &mut String, report: &Report<'_>) {
    let turns = report.scorecard.by_turn.iter();
    let parts: Vec<MetricRow<'_>> =
        turns.map(|turn| (turn.name.as_str(), turn.turns, turn.metrics.as_slice())).collect();
    breakdown(page, report, "By turn name", "turns", &parts);
}

/// A row for each part, a column for each metric that is shown.
fn breakdown(
    page: &mut String,
    report: &Report<'_>,
    title: &str,
    of: &str,
    parts: &[MetricRow<'_>],
) {
    let Some((.., first)) = parts.first() else { return };
    page.push_str(&format!(
        "<h2>{title}</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">\
         <table class=\"rates\">\n<thead><tr><td></td><th class=\"number\">{of}</th>"
    ));
    for score in report.shown_metrics(first) {
        page.push_str(&format!("<th class=\"number\">{}</th>", escape(&score.name)));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for (name, count, metrics) in parts {
        page.push_str(&format!(
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{count}</td>",
            escape(name)
        ));
        for score in report.shown_metrics(metrics) {
            page.push_str(&format!(
                "<td class=\"number\">{}</td>",
                Headline::from_score(score).value
            ));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table></div>\n");
}

fn instructions(page: &mut String, report: &Report<'_>) {
    let Some(found) = profile::requested_profile(report) else { return };
    for (title, points) in profile::sections(&found) {
        page.push_str(&format!(
            "<h2>{}</h2>\n<table class=\"rates\">\n<thead><tr><td></td><th class=\"number\">mean</th>\
             <th class=\"number\">95 %</th><th class=\"number\">of</th></tr></thead>\n<tbody>\n",
            escape(title)
        ));
        for point in points {
            let [mean, interval, count] = profile::columns(point);
            page.push_str(&format!(
                "<tr><th scope=\"row\">{}</th><td class=\"number\"><b>{mean}</b></td>\
                 <td class=\"number\">{interval}</td><td class=\"number\">{count}</td></tr>\n",
                escape(&point.name)
            ));
        }
        page.push_str("</tbody>\n</table>\n");
        if let Some(chart) = profile::chart(report.model, title, points) {
            page.push_str(&chart.figure());
        }
    }
}

/// Points and lengths of responses, by the classes and numbers of turns.
fn answer_points(page: &mut String, report: &Report<'_>) {
    let Some(found) = profile::answered(report) else { return };
    if let Some(figure) = scatter::figure(&[(report.model, found.joint.clone())]) {
        page.push_str("<h2>Accuracy and PIF</h2>\n");
        page.push_str(&figure);
    }
    for (title, rows) in profile::tables(&found) {
        page.push_str(&format!(
            "<h2>{}</h2>\n<table class=\"rates\">\n<thead><tr><td></td>",
            escape(title)
        ));
        for head in profile::ANSWER_COLUMNS {
            page.push_str(&format!("<th class=\"number\">{head}</th>"));
        }
        page.push_str("</tr></thead>\n<tbody>\n");
        for row in rows {
            page.push_str(&format!("<tr><th scope=\"row\">{}</th>", with_break_points(&row.name)));
            for cell in profile::cells(row) {
                page.push_str(&format!("<td class=\"number\">{cell}</td>"));
            }
            page.push_str("</tr>\n");
        }
        page.push_str("</tbody>\n</table>\n");
    }
    for sentence in profile::sentences(&found) {
        page.push_str(&format!("<p>{}</p>\n", escape(&sentence)));
    }
}

/// The level of a tag, and its own name.
fn tag_name(path: &str) -> (usize, &str) {
    (path.matches('.').count(), path.rsplit('.').next().unwrap_or(path))
}

/// A row for each round, then one for each ability with a column for each round.
fn rounds(page: &mut String, rounds: &[RoundScore]) {
    // Without a second round, the scores above and the tags say the same.
    let [_, .., last] = rounds else { return };
    page.push_str("<h2>Round by round</h2>\n<table class=\"rates\">\n<thead><tr><th>round</th>");
    for title in ["asked", "utility rate", "Meeseeks score", "fixed", "broken", "never fixed"] {
        page.push_str(&format!("<th class=\"number\">{title}</th>"));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for score in rounds {
        let cells = [
            score.asked.to_string(),
            percent_or_none(score.utility_rate.number()),
            percent_or_none(score.meeseeks_score.number()),
            score.fixed.to_string(),
            score.broken.to_string(),
            score.never_fixed.to_string(),
        ];
        page.push_str(&format!("<tr><th scope=\"row\">{}</th>", score.round));
        for cell in cells {
            page.push_str(&format!("<td class=\"number\">{cell}</td>"));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n");
    if last.tags.is_empty() {
        return;
    }
    page.push_str(
        "<h2>Share held by ability and round</h2>\n<table class=\"rates\">\n<thead><tr><td></td>",
    );
    for score in rounds {
        page.push_str(&format!("<th class=\"number\">round {}</th>", score.round));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for (at, tag) in last.tags.iter().enumerate() {
        let (depth, name) = tag_name(&tag.name);
        page.push_str(&format!(
            "<tr><th scope=\"row\" style=\"padding-left: {depth}em\">{}</th>",
            escape(name)
        ));
        for score in rounds {
            let rate = score.tags.get(at).and_then(|row| row.rate);
            page.push_str(&format!("<td class=\"number\">{}</td>", percent_or_none(rate)));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n");
}

/// Every constraint; those that were never missed are shown on demand.
fn constraints(page: &mut String, rows: &[&BreakdownRow]) {
    let kept = rows.iter().take_while(|row| row.missed > 0).count();
    let (missed, others) =
        rows.split_at(if kept == 0 { rows.len().min(SHOWN_CONSTRAINTS) } else { kept });
    table(page, "Every constraint, most missed first", missed, None);
    if others.is_empty() {
        return;
    }
    let named = if others.len() == 1 { "constraint was" } else { "constraints were" };
    page.push_str(&format!(
        "<details class=\"data\"><summary>{} {named} never missed</summary>\n",
        others.len()
    ));
    rates(page, others, None);
    page.push_str("</details>\n");
}

fn table(
    page: &mut String,
    title: &str,
    rows: &[&BreakdownRow],
    docs: Option<&BTreeMap<String, String>>,
) {
    if rows.is_empty() {
        return;
    }
    page.push_str(&format!("<h2>{}</h2>\n", escape(title)));
    rates(page, rows, docs);
}

fn rates(page: &mut String, rows: &[&BreakdownRow], docs: Option<&BTreeMap<String, String>>) {
    page.push_str(
        "<table class=\"rates\">\n<thead><tr><td></td><th class=\"number\">miss rate</th><th class=\"bar\"></th>\
         <th class=\"number\">held</th><th class=\"number\">missed</th>\
         <th class=\"number\">unjudged</th></tr></thead>\n<tbody>\n",
    );
    for row in rows {
        let doc = docs.and_then(|docs| docs.get(&row.name));
        let doc = doc.map(|doc| format!("<br><small>{}</small>", escape(doc)));
        let missed = miss_rate(row);
        let bar = missed.filter(|missed| *missed > 0.0);
        let bar = bar.map(|missed| format!("<i style=\"width:{:.1}%\"></i>", missed * 100.0));
        page.push_str(&format!(
            "<tr><th scope=\"row\">{}{}</th><td class=\"number\">{}</td>\
             <td class=\"bar\"><s>{}</s></td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
            with_break_points(&row.name),
            doc.unwrap_or_default(),
            percent_or_none(missed),
            bar.unwrap_or_default(),
            row.held,
            row.missed,
            row.unjudged,
        ));
    }
    page.push_str("</tbody>\n</table>\n");
}

fn endings(page: &mut String, report: &Report<'_>) {
    let endings = &report.scorecard.endings;
    if endings.is_empty() {
        return;
    }
    page.push_str("<h2>How dialogues ended</h2>\n<table class=\"endings\"><tbody>\n");
    for entry in endings {
        let share = entry.count as f64 / report.scorecard.totals.dialogues as f64;
        page.push_str(&format!(
            "<tr><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
            entry.count,
            percent(share),
            escape(&ending(&entry.ending))
        ));
    }
    page.push_str("</tbody></table>\n");
}

fn dialogues(page: &mut String, report: &Report<'_>) {
    let worst = report.scorecard.worst(WORST_DIALOGUES);
    if !worst.is_empty() {
        page.push_str("<h2>Worst dialogues</h2>\n");
        for summary in &worst {
            page.push_str("<section class=\"dialogue\">");
            dialogue(page, summary, FIRST_MISSES, report.has_browser());
            page.push_str("</section>\n");
        }
    }
    if report.scorecard.dialogues.is_empty() || report.has_browser() {
        return;
    }
    page.push_str("<h2>Every dialogue</h2>\n");
    for summary in report.scorecard.dialogues.each().map(|it| DialogueSummary::from_dialogue(&it)) {
        page.push_str(&format!(
            "<details><summary>{} <span class=\"marks\">{}</span></summary>",
            escape(&summary.dialogue),
            marks(&summary)
        ));
        dialogue(page, &summary, usize::MAX, false);
        page.push_str("</details>\n");
    }
}

/// With links, the dialogue is on the page too.
fn dialogue(page: &mut String, summary: &DialogueSummary, most: usize, links: bool) {
    let linked = |to: String, text: String| match links {
        true => format!("<a href=\"#dialogue-{to}\">{text}</a>"),
        false => text,
    };
    page.push_str(&format!(
        "<p><b>{}</b> (index {}, seed {}): {} of {} turns successful, {}<br>\
         <span class=\"marks\">{}</span></p>\n",
        linked(summary.index.to_string(), escape(&summary.dialogue)),
        summary.index,
        summary.seed,
        summary.successes,
        summary.successes + summary.failures,
        escape(&ending(&summary.ending)),
        marks(summary),
    ));
    if summary.misses.is_empty() {
        return;
    }
    page.push_str("<table class=\"misses\"><tbody>\n");
    for miss in summary.misses.iter().take(most) {
        page.push_str(&format!(
            "<tr><td class=\"number\">{}</td><td><code>{}</code></td><td>{}</td></tr>\n",
            linked(format!("{}-turn-{}", summary.index, miss.turn), format!("turn {}", miss.turn)),
            with_break_points(&miss.constraint),
            escape(miss.why.as_deref().unwrap_or_default())
        ));
    }
    page.push_str("</tbody></table>\n");
    let more = summary.misses.len().saturating_sub(most);
    if more > 0 {
        page.push_str(&format!("<p class=\"more\">and {more} more</p>\n"));
    }
}

/// Pictures are part of the page; URLs are shown as text, since nothing is fetched.
fn exhibits(page: &mut String, report: &Report<'_>) {
    if report.exhibits.is_empty() {
        return;
    }
    page.push_str("<h2>Pictures that were shown</h2>\n<div class=\"exhibits\">\n");
    for exhibit in report.exhibits {
        let label = escape(&exhibit.label);
        page.push_str("<figure>");
        if let Some(data) = &exhibit.data {
            page.push_str(&format!("<img src=\"{}\" alt=\"{label}\">", escape(data)));
        }
        page.push_str(&format!(
            "<figcaption><b>{}</b> <code>{label}</code><br>{}</figcaption></figure>\n",
            escape(&exhibit.place),
            escape(&exhibit.asked),
        ));
    }
    page.push_str("</div>\n");
}

fn marks(summary: &DialogueSummary) -> String {
    let mark = |verdict: &TurnOutcome| {
        let class = match verdict {
            TurnOutcome::Success => "good",
            TurnOutcome::Failure => "bad",
            TurnOutcome::Undecided | TurnOutcome::Empty => "unknown",
        };
        format!("<span class=\"{class}\">{}</span>", verdict_mark(*verdict))
    };
    summary.verdicts.iter().map(mark).collect()
}

/// A name that may be broken after each of its parts.
fn with_break_points(name: &str) -> String {
    escape(name).replace('.', ".<wbr>").replace('_', "_<wbr>")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{edge_case_scorecard, report};
    use super::*;

    #[test]
    fn tags_balance() {
        let card = edge_case_scorecard();
        let docs = BTreeMap::from([("length".to_owned(), "<how> long".to_owned())]);
        let page = crate::write(&report(&card, &docs), crate::Format::Html);
        let page = page.unwrap_or_default();
        for tag in ["table", "tr", "td", "th", "p", "section", "details", "svg", "span", "main"] {
            let opened = page.matches(&format!("<{tag}>")).count()
                + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
        assert!(page.contains("&lt;how&gt;"));
        assert!(!page.contains("<script"));
    }

    #[test]
    fn everything_is_escaped() {
        assert_eq!(escape("<a b='c\">&\u{0}"), "&lt;a b=&#39;c&quot;&gt;&amp; ");
    }
}
