//! Football from StatsBomb's open data. The clock restarts in each half. An own goal is two events;
//! the event of the side that gains has no player.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::{FeedFile, LineIndex, json};
use crate::clock::{clock_text, parse_clock};
use crate::finish::TableDraft;
use crate::notice::FeedError;
use crate::table::{Clocking, Event, EventKind, EventRole, Sport, Team};

#[derive(Deserialize)]
struct Row<'t> {
    #[serde(borrow)]
    id: &'t str,
    period: Option<u32>,
    #[serde(borrow)]
    timestamp: &'t str,
    #[serde(borrow)]
    r#type: Named<'t>,
    #[serde(borrow)]
    team: Option<Named<'t>>,
    #[serde(borrow)]
    player: Option<Named<'t>>,
    #[serde(borrow)]
    tactics: Option<Tactics<'t>>,
    #[serde(borrow)]
    shot: Option<Shot<'t>>,
    #[serde(borrow)]
    substitution: Option<Substitution<'t>>,
    #[serde(borrow)]
    bad_behaviour: Option<Carded<'t>>,
    #[serde(borrow)]
    foul_committed: Option<Carded<'t>>,
}

#[derive(Deserialize)]
struct Named<'t> {
    #[serde(borrow)]
    name: Cow<'t, str>,
}

#[derive(Deserialize)]
struct Tactics<'t> {
    #[serde(borrow, default)]
    lineup: Vec<Listed<'t>>,
}

#[derive(Deserialize)]
struct Listed<'t> {
    #[serde(borrow)]
    player: Named<'t>,
}

#[derive(Deserialize)]
struct Shot<'t> {
    #[serde(borrow)]
    outcome: Named<'t>,
    #[serde(borrow)]
    key_pass_id: Option<&'t str>,
}

#[derive(Deserialize)]
struct Substitution<'t> {
    #[serde(borrow)]
    replacement: Named<'t>,
}

#[derive(Deserialize)]
struct Carded<'t> {
    #[serde(borrow)]
    card: Option<Named<'t>>,
}

#[derive(Deserialize)]
struct LineUp<'t> {
    #[serde(borrow)]
    team_name: Cow<'t, str>,
    #[serde(borrow)]
    lineup: Vec<LinedUp<'t>>,
}

#[derive(Deserialize)]
struct LinedUp<'t> {
    #[serde(borrow)]
    player_name: Cow<'t, str>,
}

/// The period number of penalty kicks.
const PENALTY_KICKS_PERIOD: u32 = 5;

pub fn read(file: &FeedFile<'_>) -> Result<TableDraft, FeedError> {
    let rows: Vec<Row<'_>> = json::parse(file.text, "a list of StatsBomb's events")?;
    let name = file.stem.strip_suffix("_events").unwrap_or(file.stem);
    let mut draft = TableDraft::new(name, Sport::Football, Clocking::Up);
    let passes: BTreeMap<&str, &str> =
        rows.iter().filter_map(|row| Some((row.id, &*row.player.as_ref()?.name))).collect();
    let mut lines = LineIndex::new(file.text);
    for row in &rows {
        let line = lines.line_of(row.id);
        let Some(time) = parse_clock(row.timestamp) else {
            return Err(FeedError::new(line, format!("`{}` is not a time", row.timestamp)));
        };
        let Some(period) = row.period.filter(|period| *period > 0) else {
            return Err(FeedError::new(line, "this event has no period"));
        };
        if period == PENALTY_KICKS_PERIOD {
            draft.shootouts.insert(period);
        }
        let mut event = Event::new(period, &clock_text(time), time, line);
        if let Some(team) = &row.team {
            event.team = side(&mut draft.teams, &team.name);
        }
        if let (Some(tactics), Some(team)) = (&row.tactics, event.team) {
            list(
                &mut draft.teams[usize::from(team)],
                tactics.lineup.iter().map(|one| &*one.player.name),
            );
        }
        if let Some(player) = &row.player {
            event.add_actor(EventRole::Player, &player.name);
        }
        what(&mut event, row, &passes);
        let player = row.player.as_ref().map_or("", |player| &player.name);
        let detail =
            if event.detail.is_empty() { String::new() } else { format!(" ({})", event.detail) };
        let by = if player.is_empty() { "" } else { " by " };
        event.text = Arc::from(format!("{}{by}{player}{detail}", row.r#type.name));
        draft.events.push(event);
    }
    if let Some(companion) = file.companion {
        let squads: Vec<LineUp<'_>> = json::parse(companion, "the line-ups of a match")?;
        for squad in &squads {
            if let Some(team) = draft.teams.iter_mut().find(|team| *team.name == *squad.team_name) {
                list(team, squad.lineup.iter().map(|player| &*player.player_name));
            }
        }
    }
    Ok(draft)
}

/// Teams are listed in the order of their line-ups.
fn side(teams: &mut Vec<Team>, name: &str) -> Option<u8> {
    let at = teams.iter().position(|team| *team.name == *name).unwrap_or(teams.len());
    if at == teams.len() && at < 2 {
        teams.push(Team { name: Arc::from(name), short: Arc::from(name), ..Team::default() });
    }
    u8::try_from(at).ok().filter(|at| *at < 2)
}

fn list<'a>(team: &mut Team, players: impl Iterator<Item = &'a str>) {
    for player in players {
        if !team.players.iter().any(|known| **known == *player) {
            team.players.push(Arc::from(player));
        }
    }
}

fn what(event: &mut Event, row: &Row<'_>, passes: &BTreeMap<&str, &str>) {
    let card = [&row.bad_behaviour, &row.foul_committed];
    let card = card.iter().find_map(|carded| carded.as_ref()?.card.as_ref());
    event.kind = match (&*row.r#type.name, &row.shot) {
        ("Shot", Some(shot)) => {
            event.detail = Arc::from(&*shot.outcome.name);
            let goal = shot.outcome.name == "Goal";
            if event.period == PENALTY_KICKS_PERIOD {
                event.made = goal;
                event.kind = EventKind::ShootoutAttempt;
                return;
            }
            if !goal {
                return event.shot(EventKind::Shot, 1, false);
            }
            if let Some(pass) = shot.key_pass_id.and_then(|id| passes.get(id)) {
                event.add_actor(EventRole::Assist, pass);
            }
            return event.shot(EventKind::Goal, 1, true);
        }
        ("Own Goal For", _) => return event.shot(EventKind::OwnGoal, 1, true),
        ("Substitution", _) => {
            event.actors.iter_mut().for_each(|actor| actor.role = EventRole::Out);
            if let Some(substitution) = &row.substitution {
                event.add_actor(EventRole::Player, &substitution.replacement.name);
            }
            EventKind::Substitution
        }
        ("Foul Committed" | "Bad Behaviour", _) if card.is_some() => {
            event.detail = Arc::from(card.map_or("", |card| &card.name));
            EventKind::Card
        }
        ("Foul Committed", _) => EventKind::Foul,
        ("Half Start", _) => EventKind::PeriodStart,
        ("Half End", _) => EventKind::PeriodEnd,
        ("Injury Stoppage" | "Referee Ball-Drop", _) => EventKind::Stoppage,
        (other, _) => EventKind::Named(Arc::from(other.to_lowercase())),
    };
}
