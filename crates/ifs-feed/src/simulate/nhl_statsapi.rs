//! Hockey games in the format of the NHL's statsapi live feed. It has shoot-outs, so a game that is
//! level after five minutes of overtime is decided by one.

use std::sync::Arc;

use serde_json::{Value, json};

use super::files::GameFiles;
use super::people::{self, side};
use crate::finish::TableDraft;
use crate::table::{Actor, Event, EventKind, EventRole, EventTable, PeriodKind, Team};

/// Rewords a draft from ESPN's wording to that of this source.
pub fn reword(draft: &mut TableDraft) {
    for event in std::mem::take(&mut draft.events) {
        let other = |event: &Event, kind: &str| {
            let mut line = Event::new(event.period, &shown(event.time), event.time, 1);
            line.text = Arc::from(kind);
            line
        };
        let before = (event.kind == EventKind::PeriodStart).then(|| other(&event, "Period Ready"));
        let after = (event.kind == EventKind::PeriodEnd).then(|| other(&event, "Period Official"));
        let shootout = draft.shootouts.contains(&event.period);
        draft.events.extend(before);
        draft.events.push(line(event, &draft.teams, shootout));
        draft.events.extend(after);
    }
}

/// `05:48`
fn shown(clock: i64) -> String {
    format!("{:02}:{:02}", clock / 60_000, clock / 1000 % 60)
}

fn line(event: Event, teams: &[Team], shootout: bool) -> Event {
    let mut line = event.clone();
    line.clock = Arc::from(shown(event.time));
    line.detail = Arc::from("");
    let first = |role: EventRole| event.by(role).next().unwrap_or("").to_owned();
    let who = event.player();
    match event.kind {
        EventKind::PeriodStart => line.text = Arc::from("Period Start"),
        EventKind::PeriodEnd if event.period > 3 && !shootout => line.text = Arc::from("End of OT"),
        EventKind::Shot if !first(EventRole::Block).is_empty() => {
            // The line is about the player who blocks.
            let blocker = first(EventRole::Block);
            line.text = Arc::from(format!("{blocker} blocked shot from {who}"));
            line.team = side(teams, &blocker);
            line.actors.reverse();
        }
        EventKind::Shot if first(EventRole::Goalie).is_empty() => {
            line.text = Arc::from(format!("{who} - {}", missed(&event.text)));
        }
        EventKind::Shot | EventKind::Penalty | EventKind::ShootoutAttempt => {
            line.detail = event.detail
        }
        EventKind::Goal => {
            line.text = Arc::from(event.text.replacen(" Goal (", " (", 1));
            line.detail = event.detail;
            let other = event.team.and_then(|team| teams.get(1 - usize::from(team)));
            // The last player of a squad is the goalie.
            let goalie = other.and_then(|team| team.players.last());
            line.actors.extend(
                goalie.map(|name| Actor { name: Arc::clone(name), role: EventRole::Goalie }),
            );
        }
        _ => {}
    }
    line
}

/// The direction of a missed shot, where ESPN names the side.
fn missed(text: &str) -> &'static str {
    let known = [("Post", "Goalpost"), ("Crossbar", "Over Net"), ("High", "Over Net")];
    known.iter().find(|(word, _)| text.contains(word)).map_or("Wide of Net", |(_, net)| net)
}

// ---- file ----------------------------------------------------------------------------

pub fn written(table: &EventTable) -> GameFiles {
    let teams = |of: &dyn Fn(usize, &Team) -> Value| {
        let side = |at: usize| table.teams.get(at).map(|team| of(at, team));
        json!({ "away": side(0), "home": side(1) })
    };
    let names = teams(&|at, team| {
        json!({
            "id": team_id(at),
            "name": &*team.name,
            "teamName": &*team.short,
            "triCode": &*team.tricode,
            "abbreviation": &*team.tricode,
        })
    });
    let boxes = teams(&|at, team| boxed(table, at, team));
    let periods = table.periods.iter().filter(|period| period.kind != PeriodKind::Shootout);
    let periods = periods.map(|period| {
        let [away, home] = table.line_score(period);
        json!({ "num": period.number, "away": { "goals": away }, "home": { "goals": home } })
    });
    let finals = finals(table);
    let line = json!({
        "periods": periods.collect::<Vec<_>>(),
        "teams": { "away": { "goals": finals[0] }, "home": { "goals": finals[1] } },
    });
    let events = table.events.iter().enumerate();
    let plays: Vec<Value> = events.map(|(at, event)| play(table, event, at)).collect();
    let log = json!({
        "gameData": { "teams": names },
        "liveData": {
            "plays": { "allPlays": plays },
            "linescore": line,
            "boxscore": { "teams": boxes },
        },
    });
    GameFiles::single_file(log.to_string())
}

/// The official score: a shoot-out gives its winner one goal.
fn finals(table: &EventTable) -> [i64; 2] {
    let mut score = table.score();
    let mut made = [0, 0];
    for attempt in table.events.iter().filter(|event| event.kind == EventKind::ShootoutAttempt) {
        if let Some(goals) = attempt.team.and_then(|team| made.get_mut(usize::from(team))) {
            *goals += i64::from(attempt.made);
        }
    }
    if made[0] != made[1] {
        score[usize::from(made[1] > made[0])] += 1;
    }
    score
}

fn team_id(side: usize) -> i64 {
    901 + side as i64
}

fn person_id(table: &EventTable, name: &str) -> i64 {
    8_900_000 + people::person_id(&table.teams, name)
}

fn boxed(table: &EventTable, at: usize, team: &Team) -> Value {
    let players = team.players.iter().map(|name| {
        let his = table.events.iter().filter(|event| event.player() == &**name);
        let goals: i64 = his.map(|event| event.points).sum();
        let id = person_id(table, name);
        let boxed = json!({
            "person": { "id": id, "fullName": &**name },
            "stats": { "skaterStats": { "goals": goals } },
        });
        (format!("ID{id}"), boxed)
    });
    json!({ "team": { "id": team_id(at) }, "players": players.collect::<serde_json::Map<_, _>>() })
}

fn play(table: &EventTable, event: &Event, at: usize) -> Value {
    let [away, home] = event.stated.unwrap_or(event.score);
    let period = table.periods.iter().find(|period| period.number == event.period);
    let kind = period.map_or(PeriodKind::Regulation, |period| period.kind);
    let players = event.actors.iter().map(|actor| {
        let id = person_id(table, &actor.name);
        json!({
            "player": { "id": id, "fullName": &*actor.name },
            "playerType": part(event, actor.role),
        })
    });
    let mut play = json!({
        "result": { "eventTypeId": type_id(event), "description": &*event.text },
        "about": {
            "eventIdx": at,
            "period": event.period,
            "periodType": match kind {
                PeriodKind::Regulation => "REGULAR",
                PeriodKind::Overtime => "OVERTIME",
                PeriodKind::Shootout => "SHOOTOUT",
            },
            "periodTime": &*event.clock,
            "goals": { "away": away, "home": home },
        },
        "players": players.collect::<Vec<_>>(),
    });
    if !event.detail.is_empty() {
        play["result"]["secondaryType"] = json!(&*event.detail);
    }
    if let Some(side) = event.team.map(usize::from) {
        play["team"] = json!({ "id": team_id(side) });
    }
    play
}

fn type_id(event: &Event) -> &'static str {
    match event.kind {
        EventKind::Goal => "GOAL",
        EventKind::Shot if event.by(EventRole::Block).next().is_some() => "BLOCKED_SHOT",
        EventKind::ShootoutAttempt if event.made => "GOAL",
        EventKind::Shot | EventKind::ShootoutAttempt
            if event.by(EventRole::Goalie).next().is_some() =>
        {
            "SHOT"
        }
        EventKind::Shot | EventKind::ShootoutAttempt => "MISSED_SHOT",
        EventKind::Faceoff => "FACEOFF",
        EventKind::Hit => "HIT",
        EventKind::Giveaway => "GIVEAWAY",
        EventKind::Takeaway => "TAKEAWAY",
        EventKind::Penalty => "PENALTY",
        EventKind::Stoppage => "STOP",
        EventKind::PeriodStart => "PERIOD_START",
        EventKind::PeriodEnd if event.text.ends_with("Shootout") => "SHOOTOUT_COMPLETE",
        EventKind::PeriodEnd => "PERIOD_END",
        EventKind::GameEnd => "GAME_END",
        _ if &*event.text == "Period Ready" => "PERIOD_READY",
        _ => "PERIOD_OFFICIAL",
    }
}

/// The source's name for a player's role.
fn part(event: &Event, role: EventRole) -> &'static str {
    match (role, &event.kind) {
        (EventRole::Player, EventKind::Faceoff) => "Winner",
        (EventRole::Against, EventKind::Faceoff) => "Loser",
        (EventRole::Player, EventKind::Hit) => "Hitter",
        (EventRole::Against, EventKind::Hit) => "Hittee",
        (EventRole::Player, EventKind::Penalty) => "PenaltyOn",
        (EventRole::Against, _) => "DrewBy",
        (EventRole::Player, EventKind::Goal) => "Scorer",
        (EventRole::Player, EventKind::ShootoutAttempt) if event.made => "Scorer",
        (EventRole::Assist, _) => "Assist",
        (EventRole::Goalie, _) => "Goalie",
        (EventRole::Block, _) => "Blocker",
        (EventRole::Player, EventKind::Shot | EventKind::ShootoutAttempt) => "Shooter",
        _ => "PlayerID",
    }
}
