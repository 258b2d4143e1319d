//! Counts of a run's outcomes, in reading order.

use std::collections::BTreeMap;

use super::words::miss_rate;
use ifs_score::{Breakdown, BreakdownRow};

pub(super) struct Section<'a> {
    pub title: &'static str,
    pub rows: Vec<&'a BreakdownRow>,
    /// The descriptions of rows; `None` if their names are clear.
    pub docs: Option<&'a BTreeMap<String, String>>,
}

/// A single row repeats the score, but groups are shown even then.
pub(super) fn sections<'a>(
    parts: &'a Breakdown,
    docs: &'a BTreeMap<String, String>,
    worst_topics: usize,
) -> Vec<Section<'a>> {
    let plain = |title, rows: &'a [BreakdownRow]| Section {
        title,
        rows: rows.iter().collect(),
        docs: None,
    };
    let mut topics = by_miss_rate(&parts.by_topic);
    topics.truncate(worst_topics);
    let mut sections = vec![
        plain("Turns since a constraint was imposed", &parts.by_age),
        plain("Active constraints on the turn", &parts.by_active_constraints),
        plain("By move or relation", &parts.by_transition),
        plain("Judged relations between turns", &parts.by_relation),
        plain("Constraints by speaker", &parts.by_speaker),
        plain("Tags", &parts.by_tag),
        Section { title: "Worst topics", rows: topics, docs: None },
    ];
    sections.retain(|section| section.rows.len() > 1);
    if !parts.overruled.is_empty() {
        sections.push(plain(
            "Overruled constraints, not scored: missed means not followed",
            &parts.overruled,
        ));
    }
    let title = "Groups of constraints, most missed first";
    let groups = Section { title, rows: by_miss_rate(&parts.by_group), docs: Some(docs) };
    sections.insert(0, groups);
    sections
}

/// Most missed first, those without verdicts last; ties by name.
pub(super) fn by_miss_rate(rows: &[BreakdownRow]) -> Vec<&BreakdownRow> {
    let mut rows: Vec<&BreakdownRow> = rows.iter().collect();
    rows.sort_by(|a, b| {
        let key = |row: &BreakdownRow| miss_rate(row).unwrap_or(-1.0);
        key(b).total_cmp(&key(a)).then_with(|| a.name.cmp(&b.name))
    });
    rows
}
