//! Games in the format of ESPN's summaries.

use serde_json::{Value, json};

use super::files::GameFiles;
use super::people::person_id;
use crate::table::{Event, EventKind, EventTable, PeriodKind, Sport, Team};

/// ESPN's summary of the game: each play with the source's score, which may be stale.
pub fn written(table: &EventTable) -> GameFiles {
    let teams = || table.teams.iter().enumerate();
    let (finals, hockey) = (table.score(), table.sport == Sport::Hockey);
    let competitors: Vec<Value> = teams()
        .map(|(at, team)| {
            let scores = table.periods.iter().map(|period| table.line_score(period)[at.min(1)]);
            let scores = scores.map(|score| json!({ "displayValue": score.to_string() }));
            json!({
                "homeAway": if at == 0 { "away" } else { "home" },
                "team": {
                    "id": team_id(at),
                    "displayName": &*team.name,
                    "name": &*team.short,
                    "abbreviation": &*team.tricode,
                },
                "score": finals.get(at).map(i64::to_string),
                "linescores": scores.collect::<Vec<_>>(),
            })
        })
        .collect();
    let players: Vec<Value> = teams().map(|(at, team)| squad(table, at, team)).collect();
    let plays: Vec<Value> = table.events.iter().map(|event| play(table, event)).collect();
    let whole = json!({
        "boxscore": { "players": players },
        "format": format(table),
        "header": {
            "id": &*table.name,
            // The numbers of the sport and the league, which identify such files.
            "uid": format!("s:{}~e:{}", if hockey { "70~l:90" } else { "40~l:46" }, table.name),
            "competitions": [{ "competitors": competitors }],
        },
        "plays": plays,
    });
    GameFiles::single_file(whole.to_string())
}

fn team_id(at: usize) -> String {
    (at + 1).to_string()
}

/// A player's number in this source.
fn athlete_id(table: &EventTable, name: &str) -> Option<String> {
    let id = person_id(&table.teams, name);
    (id > 0).then(|| id.to_string())
}

/// The box score of a side: the players and their points.
fn squad(table: &EventTable, at: usize, team: &Team) -> Value {
    let key = if table.sport == Sport::Hockey { "goals" } else { "points" };
    let athletes = team.players.iter().map(|name| {
        let of_his = table.events.iter().filter(|event| event.player() == &**name);
        let points: i64 = of_his.map(|event| event.points).sum();
        json!({
            "athlete": { "id": athlete_id(table, name), "displayName": &**name },
            "stats": [points.to_string()],
        })
    });
    json!({
        "team": { "id": team_id(at) },
        "statistics": [{ "keys": [key], "athletes": athletes.collect::<Vec<_>>() }],
    })
}

fn format(table: &EventTable) -> Value {
    let seconds = |kind: PeriodKind| {
        let period = table.periods.iter().find(|period| period.kind == kind);
        period.map(|period| period.length / 1000)
    };
    let whole = table.periods.iter().filter(|period| period.kind == PeriodKind::Regulation);
    json!({
        "regulation": { "periods": whole.count(), "clock": seconds(PeriodKind::Regulation) },
        "overtime": { "clock": seconds(PeriodKind::Overtime) },
    })
}

fn play(table: &EventTable, event: &Event) -> Value {
    let [away, home] = event.stated.unwrap_or(event.score);
    let period = table.periods.iter().find(|period| period.number == event.period);
    let kind = period.map(|period| period.kind);
    let participants = event.actors.iter().filter_map(|actor| {
        let id = athlete_id(table, &actor.name)?;
        Some(json!({ "athlete": { "id": id, "displayName": &*actor.name } }))
    });
    let shot = matches!(
        event.kind,
        EventKind::FieldGoal | EventKind::FreeThrow | EventKind::Goal | EventKind::Shot
    );
    let mut play = json!({
        "type": { "text": event.kind.word() },
        "text": &*event.text,
        "awayScore": away,
        "homeScore": home,
        "period": {
            "number": event.period,
            "displayValue": match kind {
                Some(PeriodKind::Shootout) => "Shootout".to_owned(),
                _ => period.map_or_else(String::new, |period| period.name.to_string()),
            },
        },
        "clock": { "displayValue": &*event.clock },
        "scoringPlay": event.points > 0,
        "scoreValue": event.points,
        "shootingPlay": shot,
        "participants": participants.collect::<Vec<_>>(),
    });
    if let Some(fields) = play.as_object_mut() {
        if let Some(team) = event.team {
            fields.insert("team".to_owned(), json!({ "id": team_id(team.into()) }));
        }
        if event.kind == EventKind::FieldGoal {
            fields.insert("pointsAttempted".to_owned(), json!(event.worth));
        }
    }
    play
}
