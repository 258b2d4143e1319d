//! Games in the format of data.nba.net: sentences with surnames that begin with the team and its
//! score, and the score on every row.

use std::sync::Arc;

use serde_json::{Value, json};

use super::files::GameFiles;
use super::nba::{self, PlayWithTotals, team_id};
use super::people::{person_id, players_by_appearance, surname};
use crate::finish::TableDraft;
use crate::table::{Actor, Event, EventKind, EventRole, EventTable, Team};

/// The referees, in turn.
const OFFICIALS: [&str; 3] = ["M Arden", "T Kessel", "J Orme"];

/// Rewords a draft from ESPN's wording to that of this source.
pub fn reword(draft: &mut TableDraft) {
    let events = nba::with_starts(draft);
    let mut score = [0, 0];
    for play in nba::plays(&events, &draft.teams) {
        let event = play.event;
        // A game ends with its last period.
        if event.kind == EventKind::GameEnd {
            continue;
        }
        if let Some(points) = event.team.and_then(|team| score.get_mut(usize::from(team))) {
            *points += event.points;
        }
        let shown = shown(event.time);
        let mut line = Event::new(event.period, &shown, event.time, draft.events.len() + 1);
        line.kind = event.kind.clone();
        (line.points, line.worth, line.made) = (event.points, event.worth, event.made);
        line.actors = persons(&play);
        // The line is about the home side's player.
        line.team = if event.kind == EventKind::JumpBall { Some(1) } else { event.team };
        line.text = Arc::from(sentence(&play, &draft.teams, score));
        draft.events.push(line);
    }
    let players = players_by_appearance(draft, |_, role| role != EventRole::Gains);
    // The row does not give the side of the player who gains a jump ball; other rows do.
    for event in draft.events.iter_mut().filter(|event| event.kind == EventKind::JumpBall) {
        let known = |actor: &Actor| players.iter().any(|side| side.contains(&actor.name));
        event.actors.retain(|actor| actor.role != EventRole::Gains || known(actor));
    }
    for actor in draft.events.iter_mut().flat_map(|event| &mut event.actors) {
        actor.name = Arc::from(surname(&actor.name));
    }
    for (team, players) in draft.teams.iter_mut().zip(players) {
        team.players = players.iter().map(|name| Arc::from(surname(name))).collect();
        (team.name, team.short) = (Arc::clone(&team.tricode), Arc::clone(&team.tricode));
    }
}

/// `09:55`, `00:41.6`
fn shown(clock: i64) -> String {
    let (minutes, seconds) = (clock / 60_000, clock / 1000 % 60);
    let tenths = if clock < 60_000 { format!(".{}", clock / 100 % 10) } else { String::new() };
    format!("{minutes:02}:{seconds:02}{tenths}")
}

/// The persons of the row: the player, his opponent, and the player who helps.
fn persons(play: &PlayWithTotals<'_>) -> Vec<Actor> {
    let event = play.event;
    let mut persons = nba::persons(
        event,
        &[EventRole::Player, EventRole::Steal, EventRole::Block, EventRole::Assist],
    );
    let drawn = play.drawn.filter(|_| !event.detail.starts_with("technical"));
    let drawn = drawn.map(|(name, _)| Actor { name: Arc::clone(name), role: EventRole::Against });
    persons.extend(drawn);
    persons
}

fn sentence(play: &PlayWithTotals<'_>, teams: &[Team], score: [i64; 2]) -> String {
    let event = play.event;
    let who = surname(event.player());
    let side = usize::from(event.team.unwrap_or(0));
    let team = teams.get(side).map_or("", |team| &team.tricode);
    let front = match event.points {
        0 => format!("[{team}] "),
        // Its own side's points are first.
        _ => format!("[{team} {}-{}] ", score[side], score[1 - side]),
    };
    let sub = play.word(|named| named.sub);
    let official = OFFICIALS[(event.time / 1000) as usize % OFFICIALS.len()];
    let said = match event.kind {
        EventKind::PeriodStart => return "Start Period".to_owned(),
        EventKind::PeriodEnd => return "End Period".to_owned(),
        EventKind::Review => return "Instant Replay - Challenge - Support Ruling".to_owned(),
        EventKind::JumpBall => {
            return format!(
                "Jump Ball {} vs {who} ({} gains possession)",
                surname(play.first(EventRole::Against)),
                surname(play.first(EventRole::Gains))
            );
        }
        EventKind::FieldGoal => {
            let what = if event.worth == 3 { "3pt Shot" } else { sub };
            let end = match (play.first(EventRole::Assist), play.first(EventRole::Block)) {
                _ if event.made && play.assists == 0 => format!("Made ({} PTS)", play.points),
                (assist, "") if event.made => {
                    let (points, assists) = (play.points, play.assists);
                    format!("Made ({points} PTS) Assist: {} ({assists} AST)", surname(assist))
                }
                (_, "") => "Missed".to_owned(),
                (_, name) => format!("Missed Block: {} ({} BLK)", surname(name), play.blocks),
            };
            format!("{who} {what}: {end}")
        }
        EventKind::FreeThrow => {
            let which = event.detail.strip_prefix("free throw ").unwrap_or("Technical");
            match event.made {
                true => format!("{who} Free Throw {which} ({} PTS)", play.points),
                false => format!("{who} Free Throw {which} Missed"),
            }
        }
        EventKind::Rebound if who.is_empty() => "Team Rebound".to_owned(),
        EventKind::Rebound => {
            let [offensive, defensive] = play.rebounds;
            format!("{who} Rebound (Off:{offensive} Def:{defensive})")
        }
        EventKind::Turnover if who.is_empty() => format!("Team Turnover : {sub}"),
        EventKind::Turnover => {
            let steal = match play.first(EventRole::Steal) {
                "" => String::new(),
                name => format!(" Steal:{} ({} ST)", surname(name), play.steals),
            };
            format!("{who} Turnover : {sub} ({} TO){steal}", play.turnovers)
        }
        EventKind::Foul if event.detail.starts_with("technical") => {
            format!("{who} Technical ({official})")
        }
        EventKind::Foul => {
            let throws = match play.drawn {
                Some((_, throws)) => format!(" ({throws} FTA)"),
                None => String::new(),
            };
            format!("{who} Foul: {sub} ({} PF){throws} ({official})", play.fouls)
        }
        EventKind::Violation => format!("{who} Violation:{sub} ({official})"),
        EventKind::Substitution => {
            format!("{} Substitution replaced by {who}", surname(play.first(EventRole::Out)))
        }
        EventKind::Timeout => "Team Timeout : Regular".to_owned(),
        _ => String::new(),
    };
    front + &said
}

// ---- the file ----------------------------------------------------------------------

pub fn written(table: &EventTable) -> GameFiles {
    let mut number = 0;
    let periods: Vec<Value> = (table.periods.iter())
        .map(|period| {
            let plays: Vec<Value> = (table.plays(period).iter())
                .map(|event| {
                    number += 1;
                    row(table, event, number)
                })
                .collect();
            json!({ "p": period.number, "pla": plays })
        })
        .collect();
    let log = json!({ "g": { "gid": &*table.name, "pd": periods } });
    GameFiles::single_file(log.to_string())
}

fn row(table: &EventTable, event: &Event, number: i64) -> Value {
    let [away, home] = event.stated.unwrap_or(event.score);
    let id = |roles: &[EventRole]| {
        let actor = event.actors.iter().find(|actor| roles.contains(&actor.role))?;
        Some(person_id(&table.teams, &actor.name))
    };
    let text = |id: Option<i64>| id.map_or_else(String::new, |id| id.to_string());
    let (one, helper) = match event.kind {
        EventKind::Substitution => (id(&[EventRole::Out]), id(&[EventRole::Player])),
        _ => (id(&[EventRole::Player]), id(&[EventRole::Assist, EventRole::Gains])),
    };
    let action = match event.kind {
        EventKind::Rebound => i64::from(event.actors.is_empty()),
        EventKind::FieldGoal if event.worth == 3 => 1,
        _ => nba::action_type(event, |named| named.sub),
    };
    json!({
        "evt": number,
        "cl": &*event.clock,
        "de": &*event.text,
        "etype": nba::message_type(event),
        "mtype": action,
        "opt1": event.worth,
        "tid": event.team.map_or(0, |side| team_id(side.into())),
        "pid": one.unwrap_or(0),
        "epid": text(helper),
        "opid": text(id(&[EventRole::Against, EventRole::Steal, EventRole::Block])),
        "hs": home,
        "vs": away,
    })
}
