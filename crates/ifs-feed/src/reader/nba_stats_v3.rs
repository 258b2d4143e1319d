//! Basketball from the third version of `stats.nba.com`'s play-by-play.
//!
//! Steals and blocks have their own rows, with the number of the shot. On team rebounds, the
//! person's number is a team's; on replays it is a referee's, with the name of someone else.
//! Players have a surname and an initial.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::nba::{FIRST_TEAM_ID, free_throw, small};
use super::text_log::lengths;
use super::{FeedFile, LineIndex, json, when};
use crate::clock::clock_text;
use crate::finish::TableDraft;
use crate::notice::{FeedError, QuirkKind};
use crate::table::{Clocking, Event, EventKind, EventRole, Sport, Team};

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
    #[serde(borrow)]
    clock: &'t str,
    period: Option<u32>,
    #[serde(default)]
    team_id: i64,
    #[serde(borrow, default)]
    team_tricode: Cow<'t, str>,
    #[serde(default)]
    person_id: i64,
    #[serde(borrow, default)]
    player_name: Cow<'t, str>,
    #[serde(borrow, default)]
    player_name_i: Cow<'t, str>,
    #[serde(borrow, default)]
    score_home: Cow<'t, str>,
    #[serde(borrow, default)]
    score_away: Cow<'t, str>,
    #[serde(borrow, default)]
    location: Cow<'t, str>,
    #[serde(borrow, default)]
    description: Cow<'t, str>,
    #[serde(borrow)]
    action_type: &'t str,
    #[serde(borrow, default)]
    sub_type: Cow<'t, str>,
    #[serde(default)]
    shot_value: i64,
}

pub fn read(file: &FeedFile<'_>) -> Result<TableDraft, FeedError> {
    let log: Log<'_> = json::parse(file.text, "a play-by-play of stats.nba.com, version 3")?;
    let actions = &log.game.actions;
    let mut draft = TableDraft::new(log.game.game_id, Sport::Basketball, Clocking::Down);
    draft.teams = vec![Team::default(), Team::default()];
    let side = |action: &Action<'_>| match &*action.location {
        "v" => Some(0),
        "h" => Some(1),
        _ => None,
    };
    // Sentences have surnames; the initial is in the player's own rows.
    let mut names: BTreeMap<(u8, &str), &str> = BTreeMap::new();
    for action in actions.iter().filter(|action| is_player(action)) {
        if let Some(team) = side(action) {
            names.insert((team, &action.player_name), &action.player_name_i);
            let team = &mut draft.teams[usize::from(team)];
            if team.tricode.is_empty() && !action.team_tricode.is_empty() {
                team.tricode = Arc::from(&*action.team_tricode);
                (team.name, team.short) = (Arc::clone(&team.tricode), Arc::clone(&team.tricode));
            }
            if !team.players.iter().any(|known| **known == *action.player_name_i) {
                team.players.push(Arc::from(&*action.player_name_i));
            }
        }
    }
    let mut lines = LineIndex::new(file.text);
    for action in actions {
        let line = lines.line_of(action.clock);
        let (period, time) = when(line, action.clock, action.period, &action.description)?;
        let mut event = Event::new(period, &clock_text(time), time, line);
        event.text = Arc::from(&*action.description);
        event.team = side(action);
        event.detail = Arc::from(small(&action.sub_type));
        let named = |surname: &str| {
            let full = side(action).and_then(|team| names.get(&(team, surname)));
            full.map_or(surname, |name| name).to_owned()
        };
        if is_player(action) {
            event.add_actor(EventRole::Player, &action.player_name_i);
        }
        what(&mut event, action, &mut draft, &named);
        let score = |text: &str| text.parse().ok();
        let stated = score(&action.score_away).zip(score(&action.score_home));
        // If nothing was scored, the columns are empty, or zero in older games.
        event.stated = stated.map(|(away, home)| [away, home]).filter(|_| event.points > 0);
        draft.events.push(event);
    }
    lengths(&mut draft);
    Ok(draft)
}

fn is_player(action: &Action<'_>) -> bool {
    (1..FIRST_TEAM_ID).contains(&action.person_id)
        && action.team_id > 0
        && action.action_type != "Instant Replay"
}

fn what(
    event: &mut Event,
    action: &Action<'_>,
    draft: &mut TableDraft,
    named: &dyn Fn(&str) -> String,
) {
    let text = &*action.description;
    event.kind = match action.action_type {
        "Made Shot" | "Missed Shot" => {
            if let Some(assist) = text.strip_suffix(" AST)").and_then(|rest| rest.rsplit_once('('))
            {
                let surname = assist.1.rsplit_once(' ').map_or(assist.1, |(name, _)| name);
                event.add_actor(EventRole::Assist, &named(surname));
            }
            let worth = if action.shot_value > 0 { action.shot_value } else { 2 };
            return event.shot(EventKind::FieldGoal, worth, action.action_type == "Made Shot");
        }
        "Free Throw" => {
            return free_throw(event, draft, !text.starts_with("MISS"));
        }
        "" if text.contains(" STEAL") => EventKind::Steal,
        "" if text.contains(" BLOCK") => EventKind::Block,
        "Rebound" => EventKind::Rebound,
        "Turnover" => EventKind::Turnover,
        "Foul" => EventKind::Foul,
        "Violation" => EventKind::Violation,
        "Substitution" => {
            // The person is the player who leaves.
            event.actors.iter_mut().for_each(|actor| actor.role = EventRole::Out);
            let comes =
                text.strip_prefix("SUB: ").and_then(|rest| Some(rest.split_once(" FOR ")?.0));
            if let Some(comes) = comes {
                event.add_actor(EventRole::Player, &named(comes));
            }
            EventKind::Substitution
        }
        "Timeout" => EventKind::Timeout,
        "Jump Ball" => EventKind::JumpBall,
        "Ejection" => EventKind::Ejection,
        "Instant Replay" => EventKind::Review,
        "period" if action.sub_type == "start" => EventKind::PeriodStart,
        "period" => EventKind::PeriodEnd,
        "game" => EventKind::GameEnd,
        other => {
            draft.notice(
                QuirkKind::UnknownWording,
                event.line,
                format!("unknown action `{other}`: {text}"),
            );
            EventKind::Other
        }
    };
}
