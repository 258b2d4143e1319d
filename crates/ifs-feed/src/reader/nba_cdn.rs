//! Basketball from `cdn.nba.com/static/json/liveData/playbyplay`. Full names, rosters and stated
//! scores are in the box score file next to it.
//!
//! Actions are not in game order; `orderNumber` gives their order.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::nba::{Sides, free_throw, small};
use super::text_log::lengths;
use super::{FeedFile, LineIndex, json, when};
use crate::clock::clock_text;
use crate::finish::TableDraft;
use crate::notice::{FeedError, QuirkKind};
use crate::table::{Clocking, Event, EventKind, EventRole, Sport};

#[derive(Deserialize)]
struct Log<'t> {
    #[serde(borrow)]
    game: Game<'t>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Game<'t> {
    #[serde(borrow)]
    game_id: &'t str,
    #[serde(borrow)]
    actions: Vec<Action<'t>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Action<'t> {
    #[serde(default)]
    order_number: i64,
    #[serde(borrow)]
    clock: &'t str,
    period: Option<u32>,
    #[serde(borrow)]
    action_type: &'t str,
    #[serde(borrow, default)]
    sub_type: Cow<'t, str>,
    #[serde(borrow, default)]
    descriptor: Cow<'t, str>,
    #[serde(default)]
    person_id: i64,
    #[serde(borrow, default)]
    player_name_i: Cow<'t, str>,
    #[serde(default)]
    team_id: i64,
    #[serde(borrow, default)]
    team_tricode: Cow<'t, str>,
    #[serde(borrow)]
    shot_result: Option<&'t str>,
    #[serde(borrow)]
    score_home: Option<&'t str>,
    #[serde(borrow)]
    score_away: Option<&'t str>,
    assist_person_id: Option<i64>,
    #[serde(borrow, default)]
    assist_player_name_initial: Cow<'t, str>,
    foul_drawn_person_id: Option<i64>,
    #[serde(borrow, default)]
    foul_drawn_player_name: Cow<'t, str>,
    #[serde(borrow, default)]
    description: Cow<'t, str>,
}

#[derive(Deserialize)]
struct Box<'t> {
    #[serde(borrow)]
    game: BoxGame<'t>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BoxGame<'t> {
    #[serde(borrow)]
    home_team: BoxTeam<'t>,
    #[serde(borrow)]
    away_team: BoxTeam<'t>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BoxTeam<'t> {
    #[serde(borrow)]
    team_name: Cow<'t, str>,
    #[serde(borrow)]
    team_city: Cow<'t, str>,
    #[serde(borrow)]
    team_tricode: Cow<'t, str>,
    score: Option<i64>,
    #[serde(default)]
    periods: Vec<Score>,
    #[serde(borrow, default)]
    players: Vec<BoxPlayer<'t>>,
}

#[derive(Deserialize)]
struct Score {
    score: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BoxPlayer<'t> {
    person_id: i64,
    #[serde(borrow)]
    name: Cow<'t, str>,
    statistics: Option<Points>,
}

#[derive(Deserialize)]
struct Points {
    points: Option<i64>,
}

pub fn read(file: &FeedFile<'_>) -> Result<TableDraft, FeedError> {
    let log: Log<'_> = json::parse(file.text, "a play-by-play of the NBA's live data")?;
    let boxed: Option<Box<'_>> = file
        .companion
        .map(|text| json::parse(text, "a box score of the NBA's live data"))
        .transpose()?;
    let teams = boxed.as_ref().map(|boxed| [&boxed.game.away_team, &boxed.game.home_team]);
    let mut names: BTreeMap<i64, Arc<str>> = BTreeMap::new();
    for player in teams.iter().flatten().flat_map(|team| &team.players) {
        names.insert(player.person_id, Arc::from(&*player.name));
    }
    let name = |id: i64, shown: &str| match names.get(&id) {
        Some(name) => Arc::clone(name),
        None => Arc::from(shown),
    };
    let mut draft = TableDraft::new(log.game.game_id, Sport::Basketball, Clocking::Down);
    let mut lines = LineIndex::new(file.text);
    let mut actions: Vec<(usize, &Action<'_>)> =
        log.game.actions.iter().map(|action| (lines.line_of(action.clock), action)).collect();
    actions.sort_by_key(|(_, action)| action.order_number);
    let mut sides = Sides::default();
    for (line, action) in actions {
        let (period, time) = when(line, action.clock, action.period, &action.description)?;
        let mut event = Event::new(period, &clock_text(time), time, line);
        event.text = Arc::from(&*action.description);
        event.team = sides.team(action.team_id, &action.team_tricode);
        event.detail = Arc::from(small(&format!("{} {}", action.descriptor, action.sub_type)));
        if action.person_id > 0 {
            event.add_actor(EventRole::Player, &name(action.person_id, &action.player_name_i));
        }
        what(&mut event, action, &mut draft, line);
        if let Some(id) = action.assist_person_id {
            event.add_actor(EventRole::Assist, &name(id, &action.assist_player_name_initial));
        }
        if let Some(id) = action.foul_drawn_person_id {
            event.add_actor(EventRole::Against, &name(id, &action.foul_drawn_player_name));
        }
        let score = |text: Option<&str>| text.and_then(|text| text.parse().ok());
        event.stated =
            score(action.score_away).zip(score(action.score_home)).map(|(away, home)| [away, home]);
        sides.learn(&event);
        draft.events.push(event);
    }
    sides.settle(&mut draft);
    for (team, found) in draft.teams.iter_mut().zip(teams.iter().flatten()) {
        team.name = Arc::from(format!("{} {}", found.team_city, found.team_name).trim());
        team.short = Arc::from(&*found.team_name);
        team.tricode = Arc::from(&*found.team_tricode);
        team.stated = found.score;
        team.stated_periods = found.periods.iter().map(|period| period.score).collect();
        for player in &found.players {
            let name: Arc<str> = Arc::from(&*player.name);
            let points = player.statistics.as_ref().and_then(|statistics| statistics.points);
            team.stated_points.extend(points.map(|points| (Arc::clone(&name), points)));
            team.players.push(name);
        }
    }
    lengths(&mut draft);
    Ok(draft)
}

fn what(event: &mut Event, action: &Action<'_>, draft: &mut TableDraft, line: usize) {
    let made = action.shot_result == Some("Made");
    event.kind = match action.action_type {
        "2pt" => return event.shot(EventKind::FieldGoal, 2, made),
        "3pt" => return event.shot(EventKind::FieldGoal, 3, made),
        "freethrow" => {
            return free_throw(event, draft, made);
        }
        "rebound" => EventKind::Rebound,
        "turnover" => EventKind::Turnover,
        "foul" => EventKind::Foul,
        "steal" => EventKind::Steal,
        "block" => EventKind::Block,
        "substitution" => {
            if action.sub_type == "out" {
                event.actors.iter_mut().for_each(|actor| actor.role = EventRole::Out);
            }
            EventKind::Substitution
        }
        "timeout" => EventKind::Timeout,
        "jumpball" => EventKind::JumpBall,
        "violation" => EventKind::Violation,
        "ejection" => EventKind::Ejection,
        "stoppage" => EventKind::Stoppage,
        "instantreplay" | "review" | "challenge" => EventKind::Review,
        "period" if action.sub_type == "start" => EventKind::PeriodStart,
        "period" => EventKind::PeriodEnd,
        "game" => EventKind::GameEnd,
        other => {
            draft.notice(QuirkKind::UnknownWording, line, format!("unknown action `{other}`"));
            EventKind::Other
        }
    };
}
