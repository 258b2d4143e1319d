//! Games in the format of the NBA's live data: steals, blocks, and each half of a substitution are
//! separate actions, and full names are in the box score next to it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::files::GameFiles;
use super::nba::{self, PlayWithTotals, team_id};
use super::people::{city, initial, person_id, side, surname};
use crate::clock::clock_text;
use crate::finish::TableDraft;
use crate::reader::small;
use crate::table::{Actor, Event, EventKind, EventRole, EventTable, Period, PeriodKind, Team};

/// The clock at the start of a game.
const OPENING_CLOCK: i64 = 720_000;

/// Rewords a draft from ESPN's wording to that of this source.
pub fn reword(draft: &mut TableDraft) {
    let events = nba::with_starts(draft);
    for play in nba::plays(&events, &draft.teams) {
        push_lines(&play, &draft.teams, &mut draft.events);
    }
}

fn push_lines(play: &PlayWithTotals<'_>, teams: &[Team], lines: &mut Vec<Event>) {
    let event = play.event;
    let who = initial(event.player());
    let miss = if event.made { "" } else { "MISS " };
    let points = if event.made { format!(" ({} PTS)", play.points) } else { String::new() };
    let people = |roles: &[EventRole]| -> Vec<Actor> {
        let has = |actor: &&Actor| roles.contains(&actor.role);
        event.actors.iter().filter(has).cloned().collect()
    };
    let player = people(&[EventRole::Player]);
    let mut push = |kind: EventKind, actors: Vec<Actor>, detail: &str, text: String| {
        let mut line =
            Event::new(event.period, &clock_text(event.time), event.time, lines.len() + 1);
        if matches!(kind, EventKind::FieldGoal | EventKind::FreeThrow) {
            line.shot(kind, event.worth, event.made);
        } else {
            line.kind = kind;
        }
        line.team = actors.first().map_or(event.team, |actor| side(teams, &actor.name));
        (line.actors, line.detail, line.text) = (actors, Arc::from(small(detail)), Arc::from(text));
        lines.push(line);
    };
    let kind = event.kind.clone();
    let detail = play.named.map_or_else(String::new, nba::EventNames::live_words);
    match event.kind {
        EventKind::PeriodStart => push(kind, player, "start", "Period Start".to_owned()),
        EventKind::PeriodEnd => push(kind, player, "end", "Period End".to_owned()),
        EventKind::GameEnd => push(kind, player, "end", "Game End".to_owned()),
        EventKind::FieldGoal => {
            let what = shot(play);
            let end = match (play.first(EventRole::Assist), play.first(EventRole::Block)) {
                ("", "") => String::new(),
                ("", _) => " - blocked".to_owned(),
                (assist, _) => format!(" ({} {} AST)", initial(assist), play.assists),
            };
            let text = format!("{miss}{who}{what}{points}{end}");
            push(kind, people(&[EventRole::Player, EventRole::Assist]), &detail, text);
            if play.blocks > 0 {
                let blocker = play.first(EventRole::Block);
                let text = format!("{} BLOCK ({} BLK)", initial(blocker), play.blocks);
                push(EventKind::Block, as_subject(event, EventRole::Block), "", text);
            }
        }
        EventKind::FreeThrow => match event.detail.strip_prefix("free throw ") {
            Some(which) => {
                push(kind, player, which, format!("{miss}{who} Free Throw {which}{points}"));
            }
            None => {
                let text = format!("{miss}{who} Free Throw Technical{points}");
                push(kind, player, "technical 1 of 1", text);
            }
        },
        EventKind::Rebound if player.is_empty() => {
            push(kind, player, &event.detail, format!("TEAM {} REBOUND", event.detail));
        }
        EventKind::Rebound => {
            let [offensive, defensive] = play.rebounds;
            let text = format!("{who} REBOUND (Off:{offensive} Def:{defensive})");
            push(kind, player, &event.detail, text);
        }
        EventKind::Turnover if player.is_empty() => {
            push(kind, player, &detail, format!("TEAM {detail} TURNOVER"));
        }
        EventKind::Turnover => {
            push(kind, player, &detail, format!("{who} {detail} TURNOVER ({} TO)", play.turnovers));
            if play.steals > 0 {
                let thief = play.first(EventRole::Steal);
                let text = format!("{} STEAL ({} STL)", initial(thief), play.steals);
                push(EventKind::Steal, as_subject(event, EventRole::Steal), "", text);
            }
        }
        EventKind::Foul => {
            let counted = match event.detail.starts_with("technical") {
                true => String::new(),
                false => format!(" ({} PF)", play.fouls),
            };
            let mut people = player;
            let mut drawn = String::new();
            if let Some((name, throws)) = play.drawn.filter(|_| !counted.is_empty()) {
                people.push(Actor { name: Arc::clone(name), role: EventRole::Against });
                drawn = format!(" ({} {throws} FT)", surname(name));
            }
            push(kind, people, &detail, format!("{who} {detail} FOUL{counted}{drawn}"));
        }
        EventKind::Violation => push(kind, player, &detail, format!("{who} {detail} VIOLATION")),
        EventKind::Substitution => {
            for (role, way) in [(EventRole::Out, "out"), (EventRole::Player, "in")] {
                let text = format!("SUB {way}: {}", initial(play.first(role)));
                push(kind.clone(), people(&[role]), way, text);
            }
        }
        EventKind::Timeout => {
            let team = event.team.and_then(|team| teams.get(usize::from(team)));
            let text = format!("{} Timeout", team.map_or("", |team| &team.tricode));
            push(kind, player, "full", text);
        }
        EventKind::JumpBall => {
            let (one, other) =
                (initial(play.first(EventRole::Player)), play.first(EventRole::Against));
            let gains = initial(play.first(EventRole::Gains));
            let text = format!("Jump Ball {one} vs. {}: Tip to {gains}", initial(other));
            let why = if event.period == 1 && event.time == OPENING_CLOCK {
                "startperiod"
            } else {
                "heldball"
            };
            push(kind, as_subject(event, EventRole::Gains), &format!("{why} recovered"), text);
        }
        EventKind::Review => {
            push(kind, player, "challenge", "Instant Replay - Challenge".to_owned())
        }
        _ => {}
    }
}

/// Makes the player with a role the subject of the line.
fn as_subject(event: &Event, role: EventRole) -> Vec<Actor> {
    let found = event.actors.iter().filter(|actor| actor.role == role);
    found.map(|actor| Actor { name: Arc::clone(&actor.name), role: EventRole::Player }).collect()
}

/// ` 26' pullup 3PT` for a miss, ` 26' 3PT pullup` for a made shot.
fn shot(play: &PlayWithTotals<'_>) -> String {
    let (apart, what) = play.named.map_or(("", ""), |named| named.live);
    let made = play.event.made;
    let mut words: Vec<&str> = Vec::new();
    let feet = play.feet.map(|feet| format!("{feet}'"));
    words.extend(feet.as_deref());
    match (play.event.worth == 3, made) {
        (true, true) => words.extend(["3PT", apart]),
        (true, false) => words.extend([apart, "3PT"]),
        (false, false) if what == "Jump Shot" && !apart.is_empty() => words.extend([apart, "Shot"]),
        (false, _) => words.extend([apart, what]),
    }
    let reported = words.iter().enumerate();
    // A made three without further details has two blanks.
    let reported =
        reported.filter(|(at, word)| !word.is_empty() || (made && *at + 1 == words.len()));
    reported.fold(String::new(), |text, (_, word)| text + " " + word)
}

// ---- files ---------------------------------------------------------------------------

pub fn written(table: &EventTable) -> GameFiles {
    let events = table.events.iter().enumerate();
    let actions: Vec<Value> = events.map(|(at, event)| action(table, event, at)).collect();
    let game = json!({ "gameId": &*table.name, "actions": actions });
    let log = json!({ "meta": { "version": 1, "code": 200 }, "game": game });
    let team = |side: usize| table.teams.get(side).map(|team| boxed(table, side, team));
    let boxes = json!({
        "game": { "gameId": &*table.name, "homeTeam": team(1), "awayTeam": team(0) },
    });
    GameFiles { log: log.to_string(), companion: Some(boxes.to_string()) }
}

/// `PT11M38.00S`
pub fn clock(event: &Event, periods: &[Period]) -> String {
    let period = periods.iter().find(|period| period.number == event.period);
    let left = period.map_or(0, |period| period.start + period.length - event.time);
    format!("PT{:02}M{:02}.{:02}S", left / 60_000, left / 1000 % 60, left / 10 % 100)
}

fn action(table: &EventTable, event: &Event, at: usize) -> Value {
    let [away, home] = event.stated.unwrap_or(event.score);
    let period = table.periods.iter().find(|period| period.number == event.period);
    let overtime = period.is_some_and(|period| period.kind == PeriodKind::Overtime);
    let player = event.by(EventRole::Player).chain(event.by(EventRole::Out)).next().unwrap_or("");
    let kind = match &event.kind {
        EventKind::FieldGoal if event.worth == 3 => "3pt",
        EventKind::FieldGoal => "2pt",
        EventKind::FreeThrow => "freethrow",
        EventKind::PeriodStart | EventKind::PeriodEnd => "period",
        EventKind::GameEnd => "game",
        EventKind::JumpBall => "jumpball",
        EventKind::Review => "instantreplay",
        kind => kind.word(),
    };
    let (apart, sub) = parts(event);
    let mut action = json!({
        "actionNumber": at + 1,
        "orderNumber": 10_000 * (at + 1),
        "clock": clock(event, &table.periods),
        "period": event.period,
        "periodType": if overtime { "OVERTIME" } else { "REGULAR" },
        "actionType": kind,
        "subType": sub,
        "qualifiers": [],
        "personId": person_id(&table.teams, player),
        "scoreHome": home.to_string(),
        "scoreAway": away.to_string(),
        "isFieldGoal": i64::from(event.kind == EventKind::FieldGoal),
        "description": &*event.text,
    });
    let Some(fields) = action.as_object_mut() else { return action };
    let mut field = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    if !apart.is_empty() {
        field("descriptor", json!(apart));
    }
    if let Some(team) = event.team.map(usize::from) {
        field("teamId", json!(team_id(team)));
        field("teamTricode", json!(table.teams.get(team).map(|team| &*team.tricode)));
    }
    if !player.is_empty() {
        field("playerName", json!(surname(player)));
        field("playerNameI", json!(initial(player)));
    }
    if event.worth > 0 {
        field("shotResult", json!(if event.made { "Made" } else { "Missed" }));
    }
    if let Some(assist) = event.by(EventRole::Assist).next() {
        field("assistPersonId", json!(person_id(&table.teams, assist)));
        field("assistPlayerNameInitial", json!(initial(assist)));
    }
    if let Some(drawn) = event.by(EventRole::Against).next() {
        field("foulDrawnPersonId", json!(person_id(&table.teams, drawn)));
        field("foulDrawnPlayerName", json!(surname(drawn)));
    }
    action
}

/// The distinguishing part and the kind of an action.
fn parts(event: &Event) -> (&str, &str) {
    let named = nba::names(&event.kind).iter();
    let found = named.map(|named| named.live).find(|(apart, what)| {
        let rest = event.detail.strip_prefix(apart).map(str::trim_start);
        rest.is_some_and(|rest| rest.eq_ignore_ascii_case(what))
    });
    let split = || event.detail.rsplit_once(' ').filter(|_| event.kind == EventKind::JumpBall);
    let technical = || Some(("technical", event.detail.strip_prefix("technical ")?));
    found
        .or_else(split)
        .or_else(|| technical().filter(|_| event.kind == EventKind::FreeThrow))
        .unwrap_or(("", &event.detail))
}

/// A side of the box score.
fn boxed(table: &EventTable, side: usize, team: &Team) -> Value {
    let periods = table.periods.iter().map(
        |period| json!({ "period": period.number, "score": table.line_score(period)[side.min(1)] }),
    );
    let players = team.players.iter().map(|name| {
        let his = table.events.iter().filter(|event| event.player() == &**name);
        json!({
            "personId": person_id(&table.teams, name),
            "name": &**name,
            "nameI": initial(name),
            "familyName": surname(name),
            "statistics": { "points": his.map(|event| event.points).sum::<i64>() },
        })
    });
    json!({
        "teamId": team_id(side),
        "teamName": &*team.short,
        "teamCity": city(team),
        "teamTricode": &*team.tricode,
        "score": table.score()[side.min(1)],
        "periods": periods.collect::<Vec<_>>(),
        "players": players.collect::<Vec<_>>(),
    })
}
