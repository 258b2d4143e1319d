//! Games in the format of the third version of stats.nba.com's play-by-play: steals and blocks have
//! their own rows, players have an initial and a surname, and teams have three-letter codes.

use std::sync::Arc;

use serde_json::{Value, json};

use super::files::GameFiles;
use super::nba::{self, PlayWithTotals, team_id};
use super::nba_cdn::clock;
use super::nba_stats::{defender_sentence, sentence};
use super::people::{initial, person_id, players_by_appearance, surname};
use crate::clock::clock_text;
use crate::finish::TableDraft;
use crate::reader::small;
use crate::table::{Actor, Event, EventKind, EventRole, EventTable};

/// Rewords a draft from ESPN's wording to that of this source.
pub fn reword(draft: &mut TableDraft) {
    let events = nba::with_starts(draft);
    for play in nba::plays(&events, &draft.teams) {
        // A game ends with its last period.
        if play.event.kind == EventKind::GameEnd {
            continue;
        }
        let said = sentence(&play, &draft.teams);
        draft.events.push(line(&play, said));
        if let Some((role, kind, text)) = defender_sentence(&play) {
            let mut taken = Event::new(
                play.event.period,
                &clock_text(play.event.time),
                play.event.time,
                draft.events.len() + 1,
            );
            let who = play.event.actors.iter().find(|actor| actor.role == role);
            let who =
                who.map(|actor| Actor { name: Arc::clone(&actor.name), role: EventRole::Player });
            taken.team = play.event.team.map(|team| 1 - team);
            (taken.kind, taken.text, taken.actors) =
                (kind, Arc::from(text), who.into_iter().collect());
            draft.events.push(taken);
        }
    }
    // Players with their own rows have initials; others are known only by their surnames.
    let own = players_by_appearance(draft, |event, role| {
        role == EventRole::Out
            || (role == EventRole::Player && event.kind != EventKind::Substitution)
    });
    for event in &mut draft.events {
        for actor in &mut event.actors {
            let known = own.iter().any(|players| players.contains(&actor.name));
            actor.name = match known {
                true => Arc::from(initial(&actor.name)),
                false => Arc::from(surname(&actor.name)),
            };
        }
    }
    for (team, players) in draft.teams.iter_mut().zip(own) {
        team.players = players.iter().map(|name| Arc::from(initial(name))).collect();
        (team.name, team.short) = (Arc::clone(&team.tricode), Arc::clone(&team.tricode));
    }
}

fn line(play: &PlayWithTotals<'_>, said: String) -> Event {
    let event = play.event;
    let mut line = Event::new(event.period, &clock_text(event.time), event.time, 1);
    line.kind = event.kind.clone();
    (line.points, line.worth, line.made) = (event.points, event.worth, event.made);
    line.text = Arc::from(said);
    let roles: &[EventRole] = match event.kind {
        EventKind::Substitution => &[EventRole::Out, EventRole::Player],
        // The row is about the home side's player.
        EventKind::JumpBall => &[EventRole::Against],
        EventKind::FieldGoal => &[EventRole::Player, EventRole::Assist],
        _ => &[EventRole::Player],
    };
    let of = |role: &EventRole| event.actors.iter().find(|actor| actor.role == *role).cloned();
    line.actors = roles.iter().filter_map(of).collect();
    line.team = event.team;
    if event.kind == EventKind::JumpBall {
        line.team = Some(1);
        line.actors.iter_mut().for_each(|actor| actor.role = EventRole::Player);
    }
    if event.kind == EventKind::Review {
        line.team = None;
    }
    line.detail = Arc::from(small(&sub(&line)));
    line
}

/// The value of the subtype column.
fn sub(line: &Event) -> String {
    match line.kind {
        EventKind::PeriodStart => "start".to_owned(),
        EventKind::PeriodEnd => "end".to_owned(),
        EventKind::FreeThrow => {
            let at = line.text.find("Free Throw").unwrap_or(0);
            let rest = line.text.get(at..).unwrap_or("");
            rest.split(" (").next().unwrap_or(rest).to_owned()
        }
        EventKind::Rebound if line.actors.is_empty() => "Normal Rebound".to_owned(),
        EventKind::Rebound => "Unknown".to_owned(),
        EventKind::Timeout => "Regular".to_owned(),
        EventKind::Review => "Coach Challenge Support Ruling".to_owned(),
        _ => {
            let mut named = nba::names(&line.kind).iter();
            let found = named.find(|named| line.text.contains(named.words));
            found.map_or_else(String::new, |named| named.sub.to_owned())
        }
    }
}

// ---- file ----------------------------------------------------------------------------

pub fn written(table: &EventTable) -> GameFiles {
    let mut number = 0;
    let events = table.events.iter().enumerate();
    let actions = events.map(|(at, event)| {
        // A steal or block has the number of its play.
        number += i64::from(!matches!(event.kind, EventKind::Steal | EventKind::Block));
        action(table, event, number, at)
    });
    let actions: Vec<Value> = actions.collect();
    let game = json!({ "gameId": &*table.name, "videoAvailable": 0, "actions": actions });
    GameFiles::single_file(json!({ "meta": { "version": 1 }, "game": game }).to_string())
}

fn action(table: &EventTable, event: &Event, number: i64, at: usize) -> Value {
    let (kind, result) = match event.kind {
        EventKind::FieldGoal if event.made => ("Made Shot", "Made"),
        EventKind::FieldGoal => ("Missed Shot", "Missed"),
        EventKind::FreeThrow => ("Free Throw", ""),
        EventKind::Rebound => ("Rebound", ""),
        EventKind::Turnover => ("Turnover", ""),
        EventKind::Foul => ("Foul", ""),
        EventKind::Violation => ("Violation", ""),
        EventKind::Substitution => ("Substitution", ""),
        EventKind::Timeout => ("Timeout", ""),
        EventKind::JumpBall => ("Jump Ball", ""),
        EventKind::Review => ("Instant Replay", ""),
        EventKind::PeriodStart | EventKind::PeriodEnd => ("period", ""),
        _ => ("", ""),
    };
    let shown = event.actors.first().map_or("", |actor| &*actor.name);
    let score = |side: usize| event.stated.map_or_else(String::new, |both| both[side].to_string());
    // Without a player, the team's number is in his field and there is no team.
    let (team, person) = match event.team.map(usize::from) {
        Some(side) if shown.is_empty() => (None, team_id(side)),
        side => (side, person_id(&table.teams, shown)),
    };
    json!({
        "actionNumber": number,
        "actionId": at + 1,
        "clock": clock(event, &table.periods),
        "period": event.period,
        "teamId": team.map_or(0, team_id),
        "teamTricode": team.and_then(|side| Some(&*table.teams.get(side)?.tricode)).unwrap_or(""),
        "personId": person,
        "playerName": surname(shown),
        "playerNameI": shown,
        "shotResult": result,
        "isFieldGoal": i64::from(event.kind == EventKind::FieldGoal),
        "scoreHome": score(1),
        "scoreAway": score(0),
        "location": match event.team {
            Some(0) => "v",
            Some(_) => "h",
            None => "",
        },
        "description": &*event.text,
        "actionType": kind,
        "subType": sub(event),
        "shotValue": if event.kind == EventKind::FieldGoal { event.worth } else { 0 },
    })
}
