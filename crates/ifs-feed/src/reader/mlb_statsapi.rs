//! Baseball from `statsapi.mlb.com/…/feed/live`: one event for each time at bat. There is no clock,
//! only an order of events.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::statsapi::{Feed, Name, Person};
use super::{FeedFile, LineIndex};
use crate::finish::TableDraft;
use crate::notice::FeedError;
use crate::table::{Clocking, Event, EventKind, EventRole, Sport};

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

pub fn read(file: &FeedFile<'_>) -> Result<TableDraft, FeedError> {
    type Baseball<'t> = Feed<Name<'t>, Play<'t>, IgnoredAny>;
    let (feed, mut draft) =
        Baseball::read(file, "a live feed of MLB's statsapi", Sport::Baseball, Clocking::None)?;
    let (mut lines, mut score) = (LineIndex::new(file.text), [0, 0]);
    for play in &feed.live_data.plays.all_plays {
        let line = lines.line_of(play.about.half_inning);
        let Some(inning) = play.about.inning.filter(|inning| *inning > 0) else {
            return Err(FeedError::new(
                line,
                format!("this play has no inning: {}", play.result.description),
            ));
        };
        let mut event = Event::new(inning, "", 0, line);
        let team = usize::from(!play.about.is_top_inning);
        event.team = u8::try_from(team).ok();
        event.kind = EventKind::Named(Arc::from(play.result.event.to_lowercase()));
        event.detail = Arc::from(play.about.half_inning);
        event.text = Arc::from(&*play.result.description);
        if let Some(matchup) = &play.matchup {
            event.add_actor(EventRole::Player, &matchup.batter.full_name);
            event.add_actor(EventRole::Against, &matchup.pitcher.full_name);
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
            // The log has only the score: runs are its increase while the side was at bat.
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
