//! The common format of MLB's and the NHL's `statsapi`: `P` is a play, `B` the box score.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;

use super::{FeedFile, json};
use crate::finish::TableDraft;
use crate::notice::FeedError;
use crate::table::{Clocking, Sport, Team};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Feed<N, P, B> {
    game_pk: Option<u64>,
    pub game_data: GameData<N>,
    pub live_data: LiveData<P, B>,
}

#[derive(Deserialize)]
pub struct GameData<N> {
    pub teams: Sides<N>,
}

#[derive(Deserialize)]
pub struct Sides<T> {
    pub away: T,
    pub home: T,
}

impl<T> Sides<T> {
    /// The away side is first, as everywhere.
    pub fn each(&self) -> [&T; 2] {
        [&self.away, &self.home]
    }
}

#[derive(Deserialize)]
pub struct LiveData<P, B> {
    pub plays: Plays<P>,
    linescore: Option<LineScore>,
    pub boxscore: Option<B>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plays<P> {
    pub all_plays: Vec<P>,
}

#[derive(Deserialize)]
struct LineScore {
    #[serde(default, alias = "innings")]
    periods: Vec<Sides<Scored>>,
    teams: Option<Sides<Scored>>,
}

#[derive(Deserialize)]
pub struct Scored {
    #[serde(alias = "runs")]
    pub goals: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Name<'t> {
    #[serde(default)]
    pub id: i64,
    #[serde(borrow)]
    name: Cow<'t, str>,
    #[serde(borrow, default)]
    team_name: Cow<'t, str>,
    #[serde(borrow, default)]
    tri_code: Cow<'t, str>,
    #[serde(borrow, default)]
    abbreviation: Cow<'t, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Person<'t> {
    #[serde(borrow)]
    pub full_name: Cow<'t, str>,
}

impl<'t, P: Deserialize<'t>, B: Deserialize<'t>> Feed<Name<'t>, P, B> {
    /// Parses the feed, and a draft with the teams and their line scores.
    ///
    /// # Errors
    /// Returns an error if the text is not such a feed.
    pub fn read(
        file: &FeedFile<'t>,
        what: &str,
        sport: Sport,
        clocking: Clocking,
    ) -> Result<(Self, TableDraft), FeedError> {
        let feed: Self = json::parse(file.text, what)?;
        let name = feed.game_pk.map_or_else(|| file.stem.to_owned(), |game| game.to_string());
        let mut draft = TableDraft::new(&name, sport, clocking);
        draft.teams = feed.game_data.teams.each().map(Name::team).to_vec();
        if let Some(line) = &feed.live_data.linescore {
            for (at, team) in draft.teams.iter_mut().enumerate() {
                let goals = |sides: &Sides<Scored>| sides.each()[at].goals;
                team.stated_periods = line.periods.iter().filter_map(goals).collect();
                team.stated = line.teams.as_ref().and_then(goals);
            }
        }
        Ok((feed, draft))
    }
}

impl Name<'_> {
    fn team(&self) -> Team {
        let code = if self.tri_code.is_empty() { &self.abbreviation } else { &self.tri_code };
        Team {
            name: Arc::from(&*self.name),
            short: Arc::from(&*self.team_name),
            tricode: Arc::from(&**code),
            ..Team::default()
        }
    }
}
