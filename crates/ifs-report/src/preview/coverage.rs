//! What the sample covers, and what it does not.

use std::collections::{BTreeMap, BTreeSet};

use super::super::document::escape;
use super::super::words::percent;
use super::Preview;

/// What could be drawn.
#[derive(Clone, Debug, Default)]
pub struct PossibleFeatures {
    /// The constraints of each group that the dialogue draws from or imposes.
    pub groups: BTreeMap<String, Vec<String>>,
    pub topics: Vec<String>,
    pub styles: Vec<String>,
    pub relations: Vec<String>,
}

/// With fewer draws than this for each name, some are expected to be left out by chance.
const MIN_DRAWS_PER_NAME: u64 = 5;
/// The most names in a line.
const MAX_NAMES: usize = 12;
/// The most rows of a list; of a longer one, those that were drawn most often.
const MAX_ROWS: usize = 60;

/// Items missing from the sample although it is large enough for them.
pub(super) fn never(preview: &Preview<'_>) -> Vec<String> {
    let Preview { coverage, possible, survey, .. } = preview;
    let lacking = |what: &str, all: Vec<&String>, drawn: &BTreeMap<String, u64>, draws: u64| {
        let lacking: Vec<&str> = all
            .iter()
            .filter(|name| !drawn.contains_key(**name))
            .map(|name| name.as_str())
            .collect();
        let expected = draws >= MIN_DRAWS_PER_NAME * all.len() as u64;
        (expected && !lacking.is_empty()).then(|| {
            let named = lacking.iter().take(MAX_NAMES).copied().collect::<Vec<_>>().join(", ");
            match lacking.len().saturating_sub(MAX_NAMES) {
                0 => format!("{what}: {named}"),
                more => format!("{what}: {named} and {more} more"),
            }
        })
    };
    let pairs: Vec<String> = pairs(preview)
        .filter(|(one, other)| one != other)
        .map(|(one, other)| pair(one, other))
        .collect();
    let constraints = possible.groups.values().flatten().collect();
    let (turns, dialogues) = (coverage.turns, survey.dialogues);
    let all = [
        lacking("constraints", constraints, &coverage.constraints, turns),
        lacking("pairs of groups", pairs.iter().collect(), &coverage.pairs_of_groups, turns),
        lacking("relations", possible.relations.iter().collect(), &coverage.relations, turns),
        lacking("topics", possible.topics.iter().collect(), &coverage.topics, dialogues),
        lacking("styles", possible.styles.iter().collect(), &coverage.styles, dialogues),
    ];
    all.into_iter().flatten().collect()
}

fn pair(one: &str, other: &str) -> String {
    if one < other { format!("{one} + {other}") } else { format!("{other} + {one}") }
}

fn pairs<'p>(preview: &'p Preview<'_>) -> impl Iterator<Item = (&'p str, &'p str)> {
    let groups: Vec<&str> = preview.possible.groups.keys().map(String::as_str).collect();
    let later = groups.clone();
    groups.into_iter().enumerate().flat_map(move |(at, one)| {
        later[at..].iter().map(move |other| (one, *other)).collect::<Vec<_>>()
    })
}

/// The turns on which both groups are active.
fn count(preview: &Preview<'_>, one: &str, other: &str) -> u64 {
    preview.coverage.pairs_of_groups.get(&pair(one, other)).copied().unwrap_or(0)
}

pub(super) fn write(page: &mut String, preview: &Preview<'_>) {
    let Preview { coverage, possible, survey, .. } = preview;
    page.push_str("<h2 id=\"coverage\">Coverage of the sample</h2>\n");
    let turns = coverage.turns.max(1);
    if !possible.groups.is_empty() {
        page.push_str("<h3>Constraints, by the turns on which they are active</h3>\n<div class=\"columns\">\n");
        for (group, constraints) in &possible.groups {
            let rows: Vec<(&str, u64)> = constraints
                .iter()
                .map(|name| {
                    let short =
                        name.strip_prefix(group.as_str()).and_then(|rest| rest.strip_prefix('.'));
                    let turns = coverage.constraints.get(name).copied().unwrap_or(0);
                    (short.unwrap_or(name), turns)
                })
                .collect();
            counts(page, group, &rows, turns);
        }
        page.push_str("</div>\n");
    }
    if possible.groups.len() > 1 {
        matrix(page, preview);
    }
    let drawn = |all: &[String], drawn: &BTreeMap<String, u64>| -> Vec<(String, u64)> {
        let names: BTreeSet<&String> = all.iter().chain(drawn.keys()).collect();
        let mut rows: Vec<(String, u64)> = names
            .into_iter()
            .filter(|name| !name.is_empty())
            .map(|name| (name.clone(), drawn.get(name).copied().unwrap_or(0)))
            .collect();
        rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        rows
    };
    let by_turn = [
        ("Moves, by turns", drawn(&[], &coverage.moves), turns),
        ("Relations, by turns", drawn(&possible.relations, &coverage.relations), turns),
        ("Topics, by dialogues", drawn(&possible.topics, &coverage.topics), survey.dialogues),
        ("Styles, by dialogues", drawn(&possible.styles, &coverage.styles), survey.dialogues),
    ];
    for (title, rows, of) in by_turn {
        if rows.is_empty() {
            continue;
        }
        page.push_str(&format!("<h3>{title}</h3>\n"));
        if rows.len() > MAX_ROWS {
            let drawn = rows.iter().filter(|(_, count)| *count > 0).count();
            page.push_str(&format!(
                "<p class=\"none\">{drawn} of {} in the sample; the {MAX_ROWS} most frequent:</p>\n",
                rows.len()
            ));
        }
        page.push_str("<div class=\"columns\">\n");
        // Long lists are set in columns, which a table in one piece would not allow.
        let rows: Vec<(&str, u64)> =
            rows.iter().take(MAX_ROWS).map(|(name, count)| (name.as_str(), *count)).collect();
        for rows in rows.chunks(20) {
            counts(page, "", rows, of);
        }
        page.push_str("</div>\n");
    }
}

/// A small table of counts with their shares.
fn counts(page: &mut String, title: &str, rows: &[(&str, u64)], of: u64) {
    page.push_str("<table class=\"shares\">");
    if !title.is_empty() {
        page.push_str(&format!("<caption>{}</caption>", escape(title)));
    }
    page.push_str("<tbody>\n");
    for (name, count) in rows {
        let share = *count as f64 / of.max(1) as f64;
        let class = if *count == 0 { " class=\"never\"" } else { "" };
        page.push_str(&format!(
            "<tr{class}><th scope=\"row\">{}</th><td class=\"number\">{count}</td>\
             <td class=\"number\">{}</td><td class=\"share\"><s><i style=\"width:{:.1}%\"></i></s></td></tr>\n",
            escape(name),
            percent(share),
            share.min(1.0) * 100.0
        ));
    }
    page.push_str("</tbody></table>\n");
}

/// How often both groups of a pair are active.
fn matrix(page: &mut String, preview: &Preview<'_>) {
    let groups: Vec<&String> = preview.possible.groups.keys().collect();
    let most = preview.coverage.pairs_of_groups.values().copied().max().unwrap_or(0).max(1);
    page.push_str(
        "<h3>Pairs of groups, by the turns on which both are active</h3>\n\
         <div class=\"heat\" tabindex=\"0\" role=\"region\" aria-label=\"Pairs of groups\"><table><thead><tr><th></th>",
    );
    for group in &groups[1..] {
        page.push_str(&format!("<th class=\"number\">{}</th>", escape(group)));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for (at, one) in groups[..groups.len() - 1].iter().enumerate() {
        page.push_str(&format!("<tr><th scope=\"row\">{}</th>", escape(one)));
        for (column, other) in groups.iter().enumerate().skip(1) {
            if column <= at {
                page.push_str("<td></td>");
                continue;
            }
            let count = count(preview, one, other);
            let class = if count == 0 { " class=\"never\"" } else { "" };
            page.push_str(&format!(
                "<td{class} style=\"--shade:var(--accent);--heat:{:.3}\">{count}</td>",
                count as f64 / most as f64
            ));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
}
