//! Games in the format of the second version of stats.nba.com's play-by-play: one row for a shot
//! and its block, whole seconds, the score on the rows that change it, and a separate summary.

use std::sync::Arc;

use serde_json::{Value, json};

use super::files::GameFiles;
use super::nba::{self, team_id};
use super::nba_stats::{defender_sentence, sentence, wall};
use super::people::{city, person_id, players_by_appearance};
use crate::finish::TableDraft;
use crate::table::{Actor, Event, EventKind, EventRole, EventTable, Team};

/// Rewords a draft from ESPN's wording to that of this source.
pub fn reword(draft: &mut TableDraft) {
    let events = nba::with_starts(draft);
    for play in nba::plays(&events, &draft.teams) {
        let event = play.event;
        // A game ends with its last period.
        if event.kind == EventKind::GameEnd {
            continue;
        }
        let time = event.time / 1000 * 1000;
        let shown = format!("{}:{:02}", time / 60_000, time / 1000 % 60);
        let mut line = Event::new(event.period, &shown, time, draft.events.len() + 1);
        let mut people = nba::persons(
            event,
            &[EventRole::Player, EventRole::Assist, EventRole::Steal, EventRole::Block],
        );
        if let Some((name, _)) = play.drawn.filter(|_| !event.detail.starts_with("technical")) {
            people.push(Actor { name: Arc::clone(name), role: EventRole::Against });
        }
        (line.kind, line.actors) = (event.kind.clone(), people);
        (line.points, line.worth, line.made) = (event.points, event.worth, event.made);
        line.team = match event.kind {
            EventKind::JumpBall => Some(1),
            EventKind::Review => None,
            _ => event.team,
        };
        let said = sentence(&play, &draft.teams);
        line.text = match defender_sentence(&play) {
            // The visitors' sentence is first.
            Some((_, _, other)) if line.team == Some(0) => Arc::from(format!("{said} / {other}")),
            Some((_, _, other)) => Arc::from(format!("{other} / {said}")),
            None => Arc::from(said),
        };
        draft.events.push(line);
    }
    let players = players_by_appearance(draft, |_, _| true);
    for (team, players) in draft.teams.iter_mut().zip(players) {
        team.players = players;
    }
}

// ---- files ---------------------------------------------------------------------------

const LEADING_COLUMNS: [&str; 12] = [
    "GAME_ID",
    "EVENTNUM",
    "EVENTMSGTYPE",
    "EVENTMSGACTIONTYPE",
    "PERIOD",
    "WCTIMESTRING",
    "PCTIMESTRING",
    "HOMEDESCRIPTION",
    "NEUTRALDESCRIPTION",
    "VISITORDESCRIPTION",
    "SCORE",
    "SCOREMARGIN",
];

pub fn written(table: &EventTable) -> GameFiles {
    let mut headers: Vec<String> = LEADING_COLUMNS.iter().map(|name| (*name).to_owned()).collect();
    for at in 1..=3 {
        headers.push(format!("PERSON{at}TYPE"));
        for column in ["ID", "NAME", "TEAM_ID", "TEAM_CITY", "TEAM_NICKNAME", "TEAM_ABBREVIATION"] {
            headers.push(format!("PLAYER{at}_{column}"));
        }
    }
    let events = table.events.iter().enumerate();
    let rows: Vec<Value> = events.map(|(at, event)| row(table, event, at)).collect();
    let log = json!({
        "resource": "playbyplay",
        "parameters": { "GameID": &*table.name },
        "resultSets": [{ "name": "PlayByPlay", "headers": headers, "rowSet": rows }],
    });
    GameFiles { log: log.to_string(), companion: Some(summary(table).to_string()) }
}

fn row(table: &EventTable, event: &Event, at: usize) -> Value {
    let text = |side: Option<u8>| {
        let reported = match (event.text.split_once(" / "), side) {
            (Some((visitors, _)), Some(0)) => visitors,
            (Some((_, home)), Some(1)) => home,
            (None, side) if side == event.team => &event.text,
            _ => "",
        };
        (!reported.is_empty()).then_some(reported)
    };
    let score = event.stated.map(|[away, home]| {
        let margin = match home - away {
            0 => "TIE".to_owned(),
            margin => margin.to_string(),
        };
        (format!("{away} - {home}"), margin)
    });
    let action = match event.kind {
        EventKind::Rebound => i64::from(event.actors.is_empty()),
        _ => nba::action_type(event, |named| named.words),
    };
    let mut row = vec![
        json!(&*table.name),
        json!(at + 1),
        json!(nba::message_type(event)),
        json!(action),
        json!(event.period),
        json!(wall(event.period, event.time / 1000)),
        json!(&*event.clock),
        json!(text(Some(1))),
        json!(text(None)),
        json!(text(Some(0))),
        json!(score.as_ref().map(|(score, _)| score)),
        json!(score.as_ref().map(|(_, margin)| margin)),
    ];
    for at in 1..=3 {
        let found = event.actors.iter().find(|actor| place(&event.kind, actor.role) == at);
        person(table, event, at, found.map_or("", |actor| &actor.name), &mut row);
    }
    Value::Array(row)
}

/// The person of the row with a role.
fn place(kind: &EventKind, role: EventRole) -> usize {
    match role {
        EventRole::Player if *kind == EventKind::Substitution => 2,
        EventRole::Player | EventRole::Out => 1,
        EventRole::Assist | EventRole::Against | EventRole::Steal => 2,
        EventRole::Block | EventRole::Gains | EventRole::Goalie => 3,
    }
}

/// Seven cells: the kind, the person and the team.
fn person(table: &EventTable, event: &Event, at: usize, name: &str, row: &mut Vec<Value>) {
    let of = |team: &Team| team.players.iter().any(|player| **player == *name);
    if let Some(side) = table.teams.iter().position(of) {
        let team = &table.teams[side];
        row.extend([
            json!(if side == 0 { 5 } else { 4 }),
            json!(person_id(&table.teams, name)),
            json!(name),
            json!(team_id(side)),
            json!(city(team)),
            json!(&*team.short),
            json!(&*team.tricode),
        ]);
        return;
    }
    // A team is in place of a player.
    let (kind, id) = match event.team.filter(|_| at == 1) {
        Some(side) => (3 - i64::from(side), team_id(side.into())),
        None => (0, 0),
    };
    row.extend([json!(kind), json!(id)]);
    row.extend(std::iter::repeat_n(Value::Null, 5));
}

fn summary(table: &EventTable) -> Value {
    let quarter = |number: usize| match number {
        1..=4 => format!("PTS_QTR{number}"),
        _ => format!("PTS_OT{}", number - 4),
    };
    let numbers = 1..=table.periods.len();
    let names = ["TEAM_ID", "TEAM_ABBREVIATION", "TEAM_CITY_NAME", "TEAM_NICKNAME"];
    let names = names.into_iter().map(str::to_owned);
    let headers: Vec<String> =
        names.chain(numbers.map(quarter)).chain(["PTS".to_owned()]).collect();
    let lines = table.teams.iter().enumerate().map(|(side, team)| {
        let mut line = vec![
            json!(team_id(side)),
            json!(&*team.tricode),
            json!(city(team)),
            json!(&*team.short),
        ];
        let periods = table.periods.iter().map(|period| table.line_score(period)[side.min(1)]);
        line.extend(periods.map(|points| json!(points)));
        line.push(json!(table.score()[side.min(1)]));
        Value::Array(line)
    });
    json!({
        "resource": "boxscoresummary",
        "resultSets": [
            {
                "name": "GameSummary",
                "headers": ["GAME_ID", "HOME_TEAM_ID", "VISITOR_TEAM_ID"],
                "rowSet": [[&*table.name, team_id(1), team_id(0)]],
            },
            { "name": "LineScore", "headers": headers, "rowSet": lines.collect::<Vec<_>>() },
        ],
    })
}
