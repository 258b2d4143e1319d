//! The common format of ESPN's summaries of all sports.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;

use super::{FeedFile, LineIndex, when};
use crate::finish::TableDraft;
use crate::notice::FeedError;
use crate::table::{Clocking, Event, EventKind, Sport, Team};

#[derive(Deserialize)]
pub struct Summary<'t> {
    #[serde(borrow)]
    plays: Option<Vec<Play<'t>>>,
    #[serde(borrow)]
    header: Header<'t>,
    #[serde(borrow, default)]
    boxscore: BoxScore<'t>,
    #[serde(default)]
    format: Format,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Play<'t> {
    #[serde(borrow, default)]
    pub text: Cow<'t, str>,
    #[serde(borrow, default)]
    r#type: Text<'t>,
    away_score: Option<i64>,
    home_score: Option<i64>,
    #[serde(borrow)]
    period: Option<Number<'t>>,
    #[serde(borrow)]
    clock: Option<Clock<'t>>,
    #[serde(default)]
    pub scoring_play: bool,
    #[serde(default)]
    pub score_value: i64,
    #[serde(default)]
    pub shooting_play: bool,
    pub points_attempted: Option<i64>,
    #[serde(borrow)]
    team: Option<Id<'t>>,
    #[serde(borrow, default)]
    participants: Vec<Participant<'t>>,
}

#[derive(Default, Deserialize)]
struct Text<'t> {
    #[serde(borrow, default)]
    text: Cow<'t, str>,
}

#[derive(Deserialize)]
struct Number<'t> {
    number: Option<u32>,
    #[serde(borrow, default, rename = "displayValue")]
    shown: Cow<'t, str>,
}

#[derive(Deserialize)]
struct Clock<'t> {
    #[serde(borrow, rename = "displayValue")]
    shown: &'t str,
}

#[derive(Deserialize)]
struct Id<'t> {
    #[serde(borrow)]
    id: &'t str,
}

#[derive(Deserialize)]
struct Participant<'t> {
    #[serde(borrow)]
    athlete: Option<Athlete<'t>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Athlete<'t> {
    #[serde(borrow)]
    id: Option<&'t str>,
    #[serde(borrow, default)]
    display_name: Cow<'t, str>,
}

#[derive(Deserialize)]
struct Header<'t> {
    #[serde(borrow)]
    id: Option<&'t str>,
    /// It begins with the sport: `s:40~l:46~e:401772994`.
    #[serde(borrow, default)]
    uid: Option<&'t str>,
    #[serde(borrow)]
    competitions: Vec<Competition<'t>>,
}

#[derive(Deserialize)]
struct Competition<'t> {
    #[serde(borrow)]
    competitors: Vec<Competitor<'t>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Competitor<'t> {
    #[serde(borrow)]
    home_away: &'t str,
    #[serde(borrow)]
    team: TeamName<'t>,
    #[serde(borrow)]
    score: Option<&'t str>,
    #[serde(borrow, default)]
    linescores: Vec<LineScore<'t>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TeamName<'t> {
    #[serde(borrow)]
    id: &'t str,
    #[serde(borrow)]
    display_name: Cow<'t, str>,
    #[serde(borrow, default)]
    name: Cow<'t, str>,
    #[serde(borrow, default)]
    abbreviation: Cow<'t, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LineScore<'t> {
    #[serde(borrow)]
    display_value: &'t str,
}

#[derive(Default, Deserialize)]
struct BoxScore<'t> {
    #[serde(borrow, default)]
    players: Vec<Squad<'t>>,
}

#[derive(Deserialize)]
struct Squad<'t> {
    #[serde(borrow)]
    team: Id<'t>,
    #[serde(borrow, default)]
    statistics: Vec<Statistics<'t>>,
}

#[derive(Deserialize)]
struct Statistics<'t> {
    #[serde(borrow, default)]
    keys: Vec<&'t str>,
    #[serde(borrow, default)]
    athletes: Vec<Line<'t>>,
}

#[derive(Deserialize)]
struct Line<'t> {
    #[serde(borrow)]
    athlete: Athlete<'t>,
    #[serde(borrow, default)]
    stats: Vec<Cow<'t, str>>,
}

#[derive(Default, Deserialize)]
struct Format {
    #[serde(default)]
    regulation: Regulation,
    #[serde(default)]
    overtime: Regulation,
}

#[derive(Default, Deserialize)]
struct Regulation {
    periods: Option<u32>,
    clock: Option<f64>,
}

impl Regulation {
    fn milliseconds(&self) -> Option<i64> {
        self.clock
            .filter(|clock| (1.0..100_000.0).contains(clock))
            .map(|clock| (clock * 1000.0) as i64)
    }
}

/// The names of players by number, and their teams.
pub struct Squads<'t>(HashMap<&'t str, (Arc<str>, u8)>);

impl Squads<'_> {
    /// The name of a participant, from the play or from the box score.
    pub fn name(&self, play: &Play<'_>, at: usize) -> Option<Arc<str>> {
        let athlete = play.participants.get(at)?.athlete.as_ref()?;
        match athlete.id.and_then(|id| self.0.get(id)) {
            Some((name, _)) => Some(Arc::clone(name)),
            None if !athlete.display_name.is_empty() => Some(Arc::from(&*athlete.display_name)),
            None => None,
        }
    }

    pub fn count(&self, play: &Play<'_>) -> usize {
        play.participants.len()
    }
}

/// Parses a summary. `stated` is the key of points in the box score; `event` parses the sentence of
/// a play.
pub fn read(
    file: &FeedFile<'_>,
    sport: Sport,
    clocking: Clocking,
    stated: &str,
    mut event: impl FnMut(&Play<'_>, &Squads<'_>, &mut TableDraft, &mut Event),
) -> Result<TableDraft, FeedError> {
    let summary: Summary<'_> = super::json::parse(file.text, "a summary of a game by ESPN")?;
    let number = if sport == Sport::Hockey { "s:70~" } else { "s:40~" };
    if let Some(uid) = summary.header.uid.filter(|uid| !uid.starts_with(number)) {
        return Err(FeedError::new(1, format!("it is a summary of another sport or league: `{uid}`"))
            .help(
                "`espn_basketball` reads basketball and `espn_hockey` ice hockey; for another sport declare \
                 columns with `read json`",
            ));
    }
    let mut draft = TableDraft::new(summary.header.id.unwrap_or(file.stem), sport, clocking);
    draft.length = summary.format.regulation.milliseconds();
    draft.overtime = summary.format.overtime.milliseconds();
    draft.regulation = summary.format.regulation.periods.unwrap_or(draft.regulation);
    let mut lines = LineIndex::new(file.text);
    let (teams, ids) = teams(&summary, stated)?;
    draft.teams = teams;
    let squads = squads(&summary, &ids);
    let Some(plays) = &summary.plays else {
        return Err(FeedError::new(1, "it has no plays")
            .help("take the summary of a game with play-by-play"));
    };
    for play in plays {
        let shown = play.clock.as_ref().map_or("", |clock| clock.shown);
        let line = lines.line_of(shown);
        let period = play.period.as_ref().and_then(|period| period.number);
        let (number, time) = when(line, shown, period, &play.text)?;
        if play
            .period
            .as_ref()
            .is_some_and(|period| period.shown.contains("hootout") || period.shown == "SO")
        {
            draft.shootouts.insert(number);
        }
        let team = play.team.as_ref().and_then(|team| ids.iter().position(|id| *id == team.id));
        let mut found = Event::new(number, shown, time, line);
        found.team = team.and_then(|team| u8::try_from(team).ok());
        found.text = Arc::from(&*play.text);
        found.stated = play.away_score.zip(play.home_score).map(|(away, home)| [away, home]);
        event(play, &squads, &mut draft, &mut found);
        if found.kind == EventKind::Other && !play.r#type.text.is_empty() {
            found.detail = Arc::from(&*play.r#type.text);
        }
        draft.events.push(found);
    }
    Ok(draft)
}

/// The away side first, with the numbers of both.
fn teams<'t>(summary: &Summary<'t>, stated: &str) -> Result<(Vec<Team>, Vec<&'t str>), FeedError> {
    let competitors = summary.header.competitions.first().map(|one| &one.competitors);
    let (mut teams, mut ids) = (Vec::new(), Vec::new());
    for side in ["away", "home"] {
        let found = competitors.and_then(|all| all.iter().find(|one| one.home_away == side));
        let Some(found) = found else {
            return Err(FeedError::new(1, format!("the header has no {side} team")));
        };
        let mut team = Team {
            name: Arc::from(&*found.team.display_name),
            short: Arc::from(&*found.team.name),
            tricode: Arc::from(&*found.team.abbreviation),
            stated: found.score.and_then(|score| score.parse().ok()),
            stated_periods: (found.linescores.iter())
                .map_while(|score| score.display_value.parse().ok())
                .collect(),
            ..Team::default()
        };
        let squad = summary.boxscore.players.iter().filter(|squad| squad.team.id == found.team.id);
        for statistics in squad.flat_map(|squad| &squad.statistics) {
            // The order of the columns differs between files.
            let column = statistics.keys.iter().position(|key| *key == stated);
            for line in &statistics.athletes {
                let name: Arc<str> = Arc::from(&*line.athlete.display_name);
                team.players.push(Arc::clone(&name));
                let points = column.and_then(|at| line.stats.get(at)?.parse().ok());
                if let Some(points) = points {
                    team.stated_points.push((name, points));
                }
            }
        }
        teams.push(team);
        ids.push(found.team.id);
    }
    Ok((teams, ids))
}

fn squads<'t>(summary: &Summary<'t>, ids: &[&str]) -> Squads<'t> {
    let mut names = HashMap::new();
    for squad in &summary.boxscore.players {
        let Some(team) = ids.iter().position(|id| *id == squad.team.id) else { continue };
        for line in squad.statistics.iter().flat_map(|statistics| &statistics.athletes) {
            if let (Some(id), Ok(team)) = (line.athlete.id, u8::try_from(team)) {
                names.insert(id, (Arc::from(&*line.athlete.display_name), team));
            }
        }
    }
    Squads(names)
}
