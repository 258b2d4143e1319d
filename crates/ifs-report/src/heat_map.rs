//! Where instructions are missed: a row for each group, a column for each depth in the dialogue. It
//! is a table whose cells are shaded, so it reads without colours.

use std::collections::BTreeMap;

use super::document::escape;
use ifs_score::{DialogueSource, Outcome};

/// The most columns; with more turns, a column has several.
const COLUMNS: u32 = 12;

/// The map of a run with this name; `None` if there is nothing to compare: one turn, or no verdict.
pub(super) fn map(dialogues: &impl DialogueSource, name: &str) -> Option<String> {
    let last = dialogues.turns().map(|turn| turn.turn).max()?;
    if last < 2 {
        return None;
    }
    let wide = last.div_ceil(COLUMNS);
    let columns = last.div_ceil(wide);
    let mut groups: BTreeMap<String, Vec<[u64; 2]>> = BTreeMap::new();
    for turn in dialogues.turns() {
        for one in turn.constraints.iter().filter(|one| one.outcome != Outcome::Unjudged) {
            if !groups.contains_key(&one.group) {
                groups.insert(one.group.clone(), vec![[0, 0]; columns as usize]);
            }
            let column = ((turn.turn.max(1) - 1) / wide) as usize;
            let cells = groups.get_mut(&one.group);
            if let Some(cell) = cells.and_then(|cells| cells.get_mut(column)) {
                cell[0] += u64::from(one.outcome.is_missed());
                cell[1] += 1;
            }
        }
    }
    if groups.is_empty() {
        return None;
    }
    let head = (0..columns).map(|at| match wide {
        1 => format!("<th class=\"number\">{}</th>", at + 1),
        wide => {
            let from = at * wide + 1;
            format!("<th class=\"number\">{from}–{}</th>", (from + wide - 1).min(last))
        }
    });
    let head: String = head.collect();
    let mut table = format!(
        "<div class=\"heat\" tabindex=\"0\" role=\"region\" aria-label=\"Miss rate by group and turn, {}\">\
         <table><thead><tr><th>turn</th>{head}</tr></thead>\n<tbody>\n",
        escape(name)
    );
    for (group, cells) in groups {
        table.push_str(&format!("<tr><th scope=\"row\">{}</th>", escape(&group)));
        for [missed, all] in cells {
            match all {
                0 => table.push_str("<td></td>"),
                all => {
                    let share = missed as f64 / all as f64;
                    table.push_str(&format!(
                        "<td style=\"--heat:{share:.3}\" title=\"{missed} of {all} missed\">{:.0} %</td>",
                        share * 100.0
                    ));
                }
            }
        }
        table.push_str("</tr>\n");
    }
    table.push_str("</tbody></table></div>\n");
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ifs_score::testing::dialogues;

    #[test]
    fn rates_are_by_group_and_turn() {
        let page = map(&dialogues(&["SF", "SS"]), "a").unwrap();
        assert!(page.contains(">50 %<") && page.contains(">0 %<"), "{page}");
        assert!(map(&dialogues(&["S"]), "a").is_none() && map(&[], "a").is_none());
        let long = map(&dialogues(&["S".repeat(25).as_str()]), "a").unwrap();
        assert!(long.contains(">1–3<") && long.contains(">25–25<"), "{long}");
    }
}
