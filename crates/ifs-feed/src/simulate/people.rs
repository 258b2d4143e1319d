//! The players, with names and numbers as in the sources.

use std::sync::Arc;

use crate::finish::TableDraft;
use crate::table::{Event, EventRole, Team};

/// The side of a player.
pub fn side(teams: &[Team], name: &str) -> Option<u8> {
    let at = teams.iter().position(|team| team.players.iter().any(|player| **player == *name));
    at.and_then(|at| u8::try_from(at).ok())
}

/// A player's unique number; 0 for no player.
pub fn person_id(teams: &[Team], name: &str) -> i64 {
    let mut sides = teams.iter().enumerate();
    let found = sides.find_map(|(side, team)| {
        let place = team.players.iter().position(|player| **player == *name)?;
        Some((100 * (side + 1) + place) as i64)
    });
    found.unwrap_or(0)
}

/// Without the first name: `Holt Jr.`
pub fn surname(name: &str) -> &str {
    name.split_once(' ').map_or(name, |(_, rest)| rest)
}

/// With the first letter of the first name: `B. Holt Jr.`
pub fn initial(name: &str) -> String {
    let letter = name.chars().next().unwrap_or(' ');
    format!("{letter}. {}", surname(name))
}

/// The first part of a team's name: its city.
pub fn city(team: &Team) -> &str {
    team.name.strip_suffix(&*team.short).unwrap_or("").trim()
}

/// The players of a log, in order of appearance: all that a source without rosters shows.
pub fn players_by_appearance(
    draft: &TableDraft,
    of: impl Fn(&Event, EventRole) -> bool,
) -> Vec<Vec<Arc<str>>> {
    let mut found: Vec<Vec<Arc<str>>> = vec![Vec::new(); draft.teams.len()];
    for event in &draft.events {
        for actor in event.actors.iter().filter(|actor| of(event, actor.role)) {
            let side = draft.teams.iter().position(|team| team.players.contains(&actor.name));
            if let Some(known) = side.and_then(|side| found.get_mut(side))
                && !known.contains(&actor.name)
            {
                known.push(Arc::clone(&actor.name));
            }
        }
    }
    found
}
