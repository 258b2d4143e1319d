//! Ice hockey from `statsapi.web.nhl.com/…/feed/live`. The clock counts up. A shoot-out is a
//! separate period, for which the official score has one more goal for the winner.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::espn_hockey::{PERIOD, overtime};
use super::statsapi::{Feed, Name, Person, Scored, Sides};
use super::{FeedFile, LineIndex, when};
use crate::finish::TableDraft;
use crate::notice::{FeedError, QuirkKind};
use crate::table::{Clocking, Event, EventKind, EventRole, Sport};

#[derive(Deserialize)]
struct BoxScore<'t> {
    #[serde(borrow)]
    teams: Sides<BoxTeam<'t>>,
}

#[derive(Deserialize)]
struct BoxTeam<'t> {
    #[serde(borrow, default)]
    players: BTreeMap<Cow<'t, str>, BoxPlayer<'t>>,
}

#[derive(Deserialize)]
struct BoxPlayer<'t> {
    #[serde(borrow)]
    person: Person<'t>,
    #[serde(default)]
    stats: Stats,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stats {
    skater_stats: Option<Scored>,
}

#[derive(Deserialize)]
struct Play<'t> {
    #[serde(borrow)]
    result: Outcome<'t>,
    #[serde(borrow)]
    about: About<'t>,
    #[serde(borrow, default)]
    players: Vec<Acting<'t>>,
    team: Option<Id>,
}

#[derive(Deserialize)]
struct Id {
    id: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Acting<'t> {
    #[serde(borrow)]
    player: Person<'t>,
    #[serde(borrow)]
    player_type: &'t str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'t> {
    #[serde(borrow)]
    event_type_id: &'t str,
    #[serde(borrow, default)]
    secondary_type: Cow<'t, str>,
    #[serde(borrow, default)]
    description: Cow<'t, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct About<'t> {
    period: Option<u32>,
    #[serde(borrow)]
    period_time: &'t str,
    #[serde(borrow, default)]
    period_type: Cow<'t, str>,
    goals: Option<Sides<i64>>,
}

pub fn read(file: &FeedFile<'_>) -> Result<TableDraft, FeedError> {
    type Hockey<'t> = Feed<Name<'t>, Play<'t>, BoxScore<'t>>;
    let (feed, mut draft) =
        Hockey::read(file, "a live feed of the NHL's statsapi", Sport::Hockey, Clocking::Up)?;
    if let Some(boxed) = &feed.live_data.boxscore {
        rosters(boxed, &mut draft);
    }
    let names = feed.game_data.teams.each();
    let mut lines = LineIndex::new(file.text);
    for play in &feed.live_data.plays.all_plays {
        let line = lines.line_of(play.about.period_time);
        let (period, time) =
            when(line, play.about.period_time, play.about.period, &play.result.description)?;
        let mut event = Event::new(period, play.about.period_time, time, line);
        event.text = Arc::from(&*play.result.description);
        event.detail = Arc::from(&*play.result.secondary_type);
        let team =
            play.team.as_ref().and_then(|team| names.iter().position(|name| name.id == team.id));
        event.team = team.and_then(|team| u8::try_from(team).ok());
        let shootout = play.about.period_type == "SHOOTOUT";
        if shootout {
            draft.shootouts.insert(period);
        }
        add_people(&mut event, play);
        what(&mut event, play, shootout, &mut draft);
        event.stated = play.about.goals.as_ref().map(|goals| [goals.away, goals.home]);
        draft.events.push(event);
    }
    draft.length = Some(PERIOD);
    draft.overtime = overtime(&draft);
    Ok(draft)
}

/// The players, and their goals.
fn rosters(boxed: &BoxScore<'_>, draft: &mut TableDraft) {
    for (team, boxed) in draft.teams.iter_mut().zip(boxed.teams.each()) {
        for player in boxed.players.values() {
            let name: Arc<str> = Arc::from(&*player.person.full_name);
            let goals = player.stats.skater_stats.as_ref().and_then(|stats| stats.goals);
            team.stated_points.extend(goals.map(|goals| (Arc::clone(&name), goals)));
            team.players.push(name);
        }
    }
}

fn add_people(event: &mut Event, play: &Play<'_>) {
    for acting in &play.players {
        let role = match acting.player_type {
            "Assist" => EventRole::Assist,
            "Loser" | "Hittee" | "DrewBy" => EventRole::Against,
            "Goalie" => EventRole::Goalie,
            "Blocker" => EventRole::Block,
            "ServedBy" => continue,
            _ => EventRole::Player,
        };
        event.add_actor(role, &acting.player.full_name);
    }
}

fn what(event: &mut Event, play: &Play<'_>, shootout: bool, draft: &mut TableDraft) {
    event.kind = match play.result.event_type_id {
        "GOAL" | "SHOT" | "MISSED_SHOT" if shootout => {
            event.made = play.result.event_type_id == "GOAL";
            EventKind::ShootoutAttempt
        }
        "GOAL" => return event.shot(EventKind::Goal, 1, true),
        "SHOT" | "MISSED_SHOT" | "BLOCKED_SHOT" => EventKind::Shot,
        "FACEOFF" => EventKind::Faceoff,
        "HIT" => EventKind::Hit,
        "GIVEAWAY" => EventKind::Giveaway,
        "TAKEAWAY" => EventKind::Takeaway,
        "PENALTY" => EventKind::Penalty,
        "STOP" => EventKind::Stoppage,
        "CHALLENGE" => EventKind::Review,
        "PERIOD_START" => EventKind::PeriodStart,
        "PERIOD_END" | "SHOOTOUT_COMPLETE" => EventKind::PeriodEnd,
        "GAME_END" => EventKind::GameEnd,
        "GAME_SCHEDULED"
        | "PERIOD_READY"
        | "PERIOD_OFFICIAL"
        | "GAME_OFFICIAL"
        | "EARLY_INT_START"
        | "EARLY_INT_END"
        | "EMERGENCY_GOALTENDER" => EventKind::Other,
        other => {
            draft.notice(QuirkKind::UnknownWording, event.line, format!("unknown event `{other}`"));
            EventKind::Other
        }
    };
}
