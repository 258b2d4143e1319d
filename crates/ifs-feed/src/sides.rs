//! A counterfactual game, in which the players have changed sides.

use std::sync::Arc;

use super::table::{EventTable, Team};
use ifs_value::value::Value;

impl EventTable {
    /// The same game with each player on the other side. Lines that name a player's team name the
    /// other one; other lines are unchanged. `None` unless there are two sides.
    pub fn with_sides_changed(&self) -> Option<EventTable> {
        let [one, other] = self.teams.as_slice() else { return None };
        let names = [names(one), names(other)];
        let mut table = self.clone();
        let [mut away, mut home] = [one.clone(), other.clone()];
        std::mem::swap(&mut away.players, &mut home.players);
        std::mem::swap(&mut away.stated, &mut home.stated);
        std::mem::swap(&mut away.stated_periods, &mut home.stated_periods);
        std::mem::swap(&mut away.stated_points, &mut home.stated_points);
        table.teams = vec![away, home];
        let mut score = [0, 0];
        for event in &mut table.events {
            if event.actors.is_empty() {
                // The actions of a team stay with the team.
            } else {
                event.team = event.team.map(|team| 1_u8.saturating_sub(team));
                event.text = changed(&event.text, &names);
                for cell in &mut event.cells {
                    if let Value::Text(text) = cell {
                        *cell = Value::text(&changed(&text.to_arc(), &names));
                    }
                }
            }
            if let Some(sum) = event.team.and_then(|team| score.get_mut(usize::from(team))) {
                *sum += event.points;
            }
            if event.score != score && states(&event.text, event.score) {
                event.text = format!("{} ({}-{})", event.text, score[0], score[1]).into();
            }
            event.score = score;
            event.stated = event.stated.map(|[away, home]| [home, away]);
        }
        Some(table)
    }
}

/// The names of a team, longest first.
fn names(team: &Team) -> [&str; 3] {
    [&team.name, &team.short, &team.tricode]
}

/// The text with the names of the teams exchanged.
fn changed(text: &Arc<str>, names: &[[&str; 3]; 2]) -> Arc<str> {
    let mut rest = &**text;
    let mut changed = String::new();
    while let Some(first) = rest.chars().next() {
        let found = (0..2).flat_map(|side| (0..3).map(move |form| (side, form))).find(|at| {
            let name = names[at.0][at.1];
            let whole = |edge: Option<char>, own: Option<char>| match (edge, own) {
                (Some(edge), Some(own)) => {
                    !(edge.is_ascii_alphanumeric() && own.is_ascii_alphanumeric())
                }
                _ => true,
            };
            !name.is_empty()
                && rest.starts_with(name)
                && whole(changed.chars().next_back(), name.chars().next())
                && whole(rest[name.len()..].chars().next(), name.chars().next_back())
        });
        match found {
            Some((side, form)) => {
                let other = names[1 - side][form];
                changed.push_str(if other.is_empty() { names[1 - side][0] } else { other });
                rest = &rest[names[side][form].len()..];
            }
            None => {
                changed.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    if *changed == **text { Arc::clone(text) } else { changed.into() }
}

/// Whether a line contains a score: `12-10`, `12 : 10`.
fn states(text: &str, [away, home]: [i64; 2]) -> bool {
    let (away, home) = (away.to_string(), home.to_string());
    text.match_indices(away.as_str()).any(|(at, found)| {
        let behind = text[at + found.len()..].trim_start();
        let between = behind.strip_prefix(['-', '–', ':', '：']).map(str::trim_start);
        !text[..at].ends_with(|c: char| c.is_ascii_digit())
            && between.is_some_and(|rest| {
                rest.strip_prefix(home.as_str())
                    .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::{changed, states};

    #[test]
    fn names_of_teams_in_a_line() {
        let names = [["Norwick Bears", "Bears", "NOR"], ["Lydford Comets", "Comets", ""]];
        let change = |text: &str| changed(&text.into(), &names).to_string();
        assert_eq!(change("Ada Bears scores (Bears)"), "Ada Comets scores (Comets)");
        assert_eq!(change("Norwick Bears lead, NOR 2"), "Lydford Comets lead, Lydford Comets 2");
        assert_eq!(change("Bearskin makes free throw 1 of 2"), "Bearskin makes free throw 1 of 2");
    }

    #[test]
    fn scores_in_a_line() {
        assert!(states("Goal, 2-1", [2, 1]) && states("比分 12 : 10", [12, 10]));
        assert!(!states("free throw 1 of 2", [1, 2]) && !states("12-10", [2, 1]));
    }
}
