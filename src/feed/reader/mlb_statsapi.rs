//! Baseball from `statsapi.mlb.com/…/feed/live`: one event for each time at bat. There is no clock;
//! events have an order alone.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;

use super::{File, Lines, json};
use crate::feed::finish::Draft;
use crate::feed::notice::Fault;
use crate::feed::table::{Clocking, Event, Kind, Role, Sport, Team};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feed<'t> {
    game_pk: Option<u64>,
    #[serde(borrow)]
    game_data: GameData<'t>,
    #[serde(borrow)]
    live_data: LiveData<'t>,
}

#[derive(Deserialize)]
struct GameData<'t> {
    #[serde(borrow)]
    teams: Sides<Name<'t>>,
}

#[derive(Deserialize)]
struct Sides<T> {
    away: T,
    home: T,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Name<'t> {
    #[serde(borrow)]
    name: Cow<'t, str>,
    #[serde(borrow, default)]
    team_name: Cow<'t, str>,
    #[serde(borrow, default)]
    abbreviation: Cow<'t, str>,
}

#[derive(Deserialize)]
struct LiveData<'t> {
    #[serde(borrow)]
    plays: Plays<'t>,
    linescore: Option<LineScore>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Plays<'t> {
    #[serde(borrow)]
    all_plays: Vec<Play<'t>>,
}

#[derive(Deserialize)]
struct LineScore {
    #[serde(default)]
    innings: Vec<Sides<Runs>>,
    teams: Option<Sides<Runs>>,
}

#[derive(Deserialize)]
struct Runs {
    runs: Option<i64>,
}

#[derive(Deserialize)]
struct Play<'t> {
    #[serde(borrow)]
    result: Outcome<'t>,
    #[serde(borrow)]
    about: About<'t>,
    #[serde(borrow)]
    matchup: Option<Matchup<'t>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'t> {
    #[serde(borrow, default)]
    event: Cow<'t, str>,
    #[serde(borrow, default)]
    description: Cow<'t, str>,
    away_score: Option<i64>,
    home_score: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct About<'t> {
    inning: Option<u32>,
    is_top_inning: bool,
    #[serde(borrow)]
    half_inning: &'t str,
}

#[derive(Deserialize)]
struct Matchup<'t> {
    #[serde(borrow)]
    batter: Person<'t>,
    #[serde(borrow)]
    pitcher: Person<'t>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Person<'t> {
    #[serde(borrow)]
    full_name: Cow<'t, str>,
}

pub fn read(file: &File<'_>) -> Result<Draft, Fault> {
    let feed: Feed<'_> = json::parse(file.text, "a live feed of MLB's statsapi")?;
    let name = feed.game_pk.map_or_else(|| file.stem.to_owned(), |game| game.to_string());
    let mut draft = Draft::new(&name, Sport::Baseball, Clocking::None);
    draft.teams = [&feed.game_data.teams.away, &feed.game_data.teams.home]
        .map(|name| Team {
            name: Arc::from(&*name.name),
            short: Arc::from(&*name.team_name),
            tricode: Arc::from(&*name.abbreviation),
            ..Team::default()
        })
        .to_vec();
    if let Some(line) = &feed.live_data.linescore {
        for inning in &line.innings {
            draft.teams[0].stated_periods.extend(inning.away.runs);
            draft.teams[1].stated_periods.extend(inning.home.runs);
        }
        if let Some(teams) = &line.teams {
            (draft.teams[0].stated, draft.teams[1].stated) = (teams.away.runs, teams.home.runs);
        }
    }
    let (mut lines, mut score) = (Lines::new(file.text), [0, 0]);
    for play in &feed.live_data.plays.all_plays {
        let line = lines.of(play.about.half_inning);
        let Some(inning) = play.about.inning.filter(|inning| *inning > 0) else {
            return Err(Fault::new(
                line,
                format!("this play has no inning: {}", play.result.description),
            ));
        };
        let mut event = Event::new(inning, "", 0, line);
        let team = usize::from(!play.about.is_top_inning);
        event.team = u8::try_from(team).ok();
        event.kind = Kind::Named(Arc::from(play.result.event.to_lowercase()));
        event.detail = Arc::from(play.about.half_inning);
        event.text = Arc::from(&*play.result.description);
        if let Some(matchup) = &play.matchup {
            event.acts(Role::Player, &matchup.batter.full_name);
            event.acts(Role::Against, &matchup.pitcher.full_name);
            for (side, name) in [(team, &matchup.batter), (1 - team, &matchup.pitcher)] {
                let players = &mut draft.teams[side].players;
                if !players.iter().any(|known| **known == *name.full_name) {
                    players.push(Arc::from(&*name.full_name));
                }
            }
        }
        let after =
            play.result.away_score.zip(play.result.home_score).map(|(away, home)| [away, home]);
        if let Some(after) = after {
            // The log has the score alone: runs are what it grew by while the side was at bat.
            event.points = (after[team] - score[team]).max(0);
            event.worth = event.points;
            event.made = event.points > 0;
            score = after;
        }
        event.stated = after;
        draft.events.push(event);
    }
    Ok(draft)
}
