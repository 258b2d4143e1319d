//! PIF and lengths of responses of several runs, side by side: by turn, by instruction, by class.

use super::NamedReport;
use super::document::escape;
use super::dots::{Dot, DotRow, DotUnit, Dots};
use super::{Chart, Series, profile, scatter};
use ifs_score::{AnswerRow, AnswerScores, JointCount, MetricUnit, PifMean};

/// The value of a row of responses.
type ValueOfRow = fn(&AnswerRow) -> Option<f64>;

pub(super) fn write(page: &mut String, runs: &[NamedReport<'_>]) {
    pif(page, runs);
    answers(page, runs);
}

/// The parts of PIF. Numbered parts are lines, others dots.
fn pif(page: &mut String, runs: &[NamedReport<'_>]) {
    let found: Vec<_> = runs.iter().map(|(_, report)| profile::requested_profile(report)).collect();
    let sections: Vec<Vec<(&str, &[PifMean])>> = found
        .iter()
        .map(|found| found.as_ref().map_or(Vec::new(), |it| profile::sections(it).collect()))
        .collect();
    for title in titles(&sections) {
        let points = |at: usize| -> &[PifMean] {
            let section = sections[at].iter().find(|(name, _)| *name == title);
            section.map_or(&[], |(_, points)| points)
        };
        let names = names((0..runs.len()).flat_map(&points).map(|it| it.name.as_str()));
        let dot = |at: usize, name: &str| {
            let point = points(at).iter().find(|point| point.name == name)?;
            Some(Dot { value: point.mean, interval: None })
        };
        section(page, title, runs, &names, DotUnit::Of(MetricUnit::Share), &dot);
    }
}

/// Lengths and points of responses, by class and by turn.
fn answers(page: &mut String, runs: &[NamedReport<'_>]) {
    let found: Vec<Option<AnswerScores>> =
        runs.iter().map(|(_, report)| profile::answered(report)).collect();
    let joint: Vec<(&str, Vec<JointCount>)> = runs
        .iter()
        .zip(&found)
        .map(|((name, _), found)| (*name, found.as_ref().map_or(Vec::new(), |it| it.joint.clone())))
        .collect();
    if let Some(figure) = scatter::figure(&joint) {
        page.push_str("<h2>Accuracy and PIF</h2>\n");
        page.push_str(&figure);
    }
    let tables: Vec<Vec<(&str, &[AnswerRow])>> = found
        .iter()
        .map(|found| found.as_ref().map_or(Vec::new(), |it| profile::tables(it).collect()))
        .collect();
    let shown: [(&str, DotUnit, ValueOfRow); 4] = [
        ("turns", DotUnit::Count, |row| Some(row.turns as f64)),
        ("PIF", DotUnit::Of(MetricUnit::Share), |row| row.pif),
        ("points", DotUnit::Of(MetricUnit::Share), |row| row.points),
        ("characters", DotUnit::Count, |row| row.characters),
    ];
    for title in titles(&tables) {
        let rows = |at: usize| -> &[AnswerRow] {
            tables[at].iter().find(|(name, _)| *name == title).map_or(&[], |(_, rows)| rows)
        };
        let names = names((0..runs.len()).flat_map(&rows).map(|row| row.name.as_str()));
        for (what, unit, value) in shown {
            let dot = |at: usize, name: &str| {
                let row = rows(at).iter().find(|row| row.name == name)?;
                Some(Dot { value: value(row)?, interval: None })
            };
            section(page, &format!("{title}: {what}"), runs, &names, unit, &dot);
        }
    }
}

/// A section of one value on some parts, if a run has it on any.
fn section(
    page: &mut String,
    title: &str,
    runs: &[NamedReport<'_>],
    names: &[String],
    unit: DotUnit,
    dot: &dyn Fn(usize, &str) -> Option<Dot>,
) {
    let all = || 0..runs.len();
    let rows: Vec<DotRow> = names
        .iter()
        .map(|name| DotRow {
            name: name.clone(),
            unit,
            values: all().map(|at| dot(at, name)).collect(),
        })
        .collect();
    if rows.iter().all(|row| row.values.iter().all(Option::is_none)) {
        return;
    }
    page.push_str(&format!("<h2>{}</h2>\n", escape(title)));
    let series: Vec<&str> = runs.iter().map(|(name, _)| *name).collect();
    let values = |at: usize| names.iter().map(|name| dot(at, name).map(|dot| dot.value)).collect();
    let chart = Chart {
        title: title.to_owned(),
        unit: match unit {
            DotUnit::Of(unit) => unit,
            DotUnit::Count => MetricUnit::Turns,
        },
        parts: names.to_vec(),
        series: all()
            .map(|at| Series { name: series[at].to_owned(), values: values(at) })
            .collect(),
        is_stepped: false,
    };
    let table = Dots { corner: "", series, rows }.table(false);
    match chart.is_ordered() {
        true => page.push_str(&format!(
            "{}<details class=\"data\"><summary>{} as a table</summary>\n{table}</details>\n",
            chart.without_caption(),
            escape(title)
        )),
        false => page.push_str(&table),
    }
}

/// The titles of some sections, each once, in their order.
fn titles<'a, T>(sections: &[Vec<(&'a str, T)>]) -> Vec<&'a str> {
    let mut titles: Vec<&str> = Vec::new();
    for (title, _) in sections.iter().flatten() {
        if !titles.contains(title) {
            titles.push(title);
        }
    }
    titles
}

/// The names of parts, each once, in their order: numbers first.
fn names<'a>(all: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in all {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    let number = |name: &str| {
        let end = name.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(name.len());
        name[..end].parse::<u64>().unwrap_or(u64::MAX)
    };
    names.sort_by(|one, other| (number(one), one).cmp(&(number(other), other)));
    names
}
