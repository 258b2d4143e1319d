//! Basketball from the second version of `stats.nba.com`'s play-by-play, as JSON or as the CSV that
//! many tools convert it to. Team names and stated scores are in the summary file next to it.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;

use super::nba::free_throw;
use super::rows::{csv_fault, csv_line};
use super::text_log::lengths;
use super::{FeedFile, LineIndex, json};
use crate::clock::parse_clock;
use crate::finish::TableDraft;
use crate::notice::{FeedError, QuirkKind};
use crate::table::{Clocking, Event, EventKind, EventRole, Sport, Team};

#[derive(Deserialize)]
struct Log<'t> {
    #[serde(borrow, rename = "resultSets")]
    sets: Vec<Set<'t>>,
}

#[derive(Deserialize)]
struct Set<'t> {
    #[serde(borrow, default)]
    name: Cow<'t, str>,
    #[serde(borrow)]
    headers: Vec<Cow<'t, str>>,
    #[serde(borrow, rename = "rowSet")]
    rows: Vec<Vec<Cell<'t>>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Cell<'t> {
    #[serde(borrow)]
    Text(Cow<'t, str>),
    Whole(i64),
    Part(f64),
    None(()),
}

/// Rows with named columns.
struct Rows<'t> {
    headers: Vec<String>,
    rows: Vec<(usize, Vec<Cell<'t>>)>,
}

impl<'t> Rows<'t> {
    fn column(&self, name: &str) -> Option<usize> {
        self.headers.iter().position(|header| header.eq_ignore_ascii_case(name))
    }

    fn needed(&self, name: &str) -> Result<usize, FeedError> {
        self.column(name).ok_or_else(|| {
            FeedError::new(1, format!("there is no column `{name}`"))
                .help("take the play-by-play of stats.nba.com, version 2, as it is")
        })
    }
}

fn text<'a>(row: &'a [Cell<'_>], at: Option<usize>) -> &'a str {
    match at.and_then(|at| row.get(at)) {
        Some(Cell::Text(text)) => text,
        _ => "",
    }
}

fn number(row: &[Cell<'_>], at: Option<usize>) -> Option<i64> {
    match at.and_then(|at| row.get(at))? {
        Cell::Whole(number) => Some(*number),
        Cell::Part(number) if number.fract() == 0.0 => Some(*number as i64),
        // Some tools write integers with `1.0` in tables with empty cells.
        Cell::Text(text) => text.strip_suffix(".0").unwrap_or(text).parse().ok(),
        _ => None,
    }
}

pub fn read(file: &FeedFile<'_>) -> Result<TableDraft, FeedError> {
    let rows = if file.text.trim_start().starts_with('{') {
        of_json(file.text)?
    } else {
        of_csv(file.text)?
    };
    let mut draft = TableDraft::new(file.stem, Sport::Basketball, Clocking::Down);
    draft.teams = vec![Team::default(), Team::default()];
    events(&rows, &mut draft)?;
    if let Some(companion) = file.companion {
        summary(companion, &mut draft)?;
    }
    lengths(&mut draft);
    Ok(draft)
}

fn of_json(text: &str) -> Result<Rows<'_>, FeedError> {
    let log: Log<'_> = json::parse(text, "a play-by-play of stats.nba.com, version 2")?;
    let Some(set) = log.sets.into_iter().next() else {
        return Err(FeedError::new(1, "it has no rows").help("download the file again"));
    };
    let mut lines = LineIndex::new(text);
    let rows = set.rows.into_iter().map(|row| {
        let place = row.iter().find_map(|cell| match cell {
            Cell::Text(Cow::Borrowed(text)) => Some(*text),
            _ => None,
        });
        (place.map_or(1, |place| lines.line_of(place)), row)
    });
    Ok(Rows {
        rows: rows.collect(),
        headers: set.headers.iter().map(|name| name.to_string()).collect(),
    })
}

fn of_csv(text: &str) -> Result<Rows<'_>, FeedError> {
    let mut reader = csv::ReaderBuilder::new().from_reader(text.as_bytes());
    let fault = |error: csv::Error| csv_fault(&error, text);
    let headers =
        reader.headers().map_err(fault)?.iter().map(|name| name.trim().to_owned()).collect();
    let (mut rows, mut lines) = (Vec::new(), LineIndex::new(text));
    for row in reader.records() {
        let row = row.map_err(fault)?;
        let line = csv_line(row.position(), text, &mut lines);
        let cells = row.iter().map(|cell| match cell {
            "" | "nan" | "NaN" | "None" | "NULL" => Cell::None(()),
            cell => Cell::Text(Cow::Owned(cell.to_owned())),
        });
        rows.push((line, cells.collect()));
    }
    Ok(Rows { headers, rows })
}

fn events(rows: &Rows<'_>, draft: &mut TableDraft) -> Result<(), FeedError> {
    let (what, period) = (rows.needed("EVENTMSGTYPE")?, rows.needed("PERIOD")?);
    let (clock, score) = (rows.needed("PCTIMESTRING")?, rows.needed("SCORE")?);
    let sentences = ["VISITORDESCRIPTION", "HOMEDESCRIPTION", "NEUTRALDESCRIPTION"]
        .map(|name| rows.column(name));
    let game = rows.column("GAME_ID");
    let people = [1, 2, 3].map(|at| Person {
        name: rows.column(&format!("PLAYER{at}_NAME")),
        kind: rows.column(&format!("PERSON{at}TYPE")),
        city: rows.column(&format!("PLAYER{at}_TEAM_CITY")),
        nickname: rows.column(&format!("PLAYER{at}_TEAM_NICKNAME")),
        tricode: rows.column(&format!("PLAYER{at}_TEAM_ABBREVIATION")),
    });
    let mut first_game: Option<String> = None;
    for (line, row) in &rows.rows {
        let line = *line;
        let id = match number(row, game) {
            Some(id) => format!("{id:010}"),
            None => text(row, game).to_owned(),
        };
        match &first_game {
            None => {
                if !id.is_empty() {
                    draft.name = Arc::from(id.as_str());
                }
                first_game = Some(id);
            }
            Some(first) if *first == id => {}
            Some(first) => {
                let message = format!(
                    "game {id} begins after game {first}: there is more than one game in it"
                );
                return Err(
                    FeedError::new(line, message).help("put each game into a file of its own")
                );
            }
        }
        let shown = text(row, Some(clock));
        let Some(time) = parse_clock(shown) else {
            return Err(FeedError::new(line, format!("PCTIMESTRING `{shown}` is not a clock"))
                .help(
                    "clocks look like `9:32`; download the file again, or keep the column as text",
                ));
        };
        let Some(number_of_period) = number(row, Some(period))
            .and_then(|period| u32::try_from(period).ok())
            .filter(|period| *period > 0)
        else {
            return Err(FeedError::new(line, "PERIOD is empty in this row")
                .help("every event needs its period; download the file again"));
        };
        let mut event = Event::new(number_of_period, shown, time, line);
        let words: Vec<&str> = sentences
            .iter()
            .map(|at| text(row, *at).trim())
            .filter(|text| !text.is_empty())
            .collect();
        event.text = Arc::from(words.join(" / "));
        event.team = match people[0].side(row) {
            None if !text(row, sentences[0]).is_empty() => Some(0),
            None if !text(row, sentences[1]).is_empty() => Some(1),
            side => side,
        };
        for person in &people {
            person.register(row, &mut draft.teams);
        }
        fill_event(&mut event, row, number(row, Some(what)), &people, draft);
        event.stated = stated(text(row, Some(score)), line)?;
        draft.events.push(event);
    }
    Ok(())
}

/// The columns of a person in a row.
struct Person {
    name: Option<usize>,
    kind: Option<usize>,
    city: Option<usize>,
    nickname: Option<usize>,
    tricode: Option<usize>,
}

impl Person {
    /// The side: 0 for the visitors, 1 for the home side.
    fn side(&self, row: &[Cell<'_>]) -> Option<u8> {
        match number(row, self.kind) {
            Some(5 | 3) => Some(0),
            Some(4 | 2) => Some(1),
            _ => None,
        }
    }

    fn register(&self, row: &[Cell<'_>], teams: &mut [Team]) {
        let (Some(side), name) = (self.side(row), text(row, self.name)) else { return };
        let Some(team) = teams.get_mut(usize::from(side)).filter(|_| !name.is_empty()) else {
            return;
        };
        if team.name.is_empty() && !text(row, self.nickname).is_empty() {
            let nickname = text(row, self.nickname);
            team.name = Arc::from(format!("{} {nickname}", text(row, self.city)).trim());
            team.short = Arc::from(nickname);
            team.tricode = Arc::from(text(row, self.tricode));
        }
        if !team.players.iter().any(|known| **known == *name) {
            team.players.push(Arc::from(name));
        }
    }
}

fn fill_event(
    event: &mut Event,
    row: &[Cell<'_>],
    what: Option<i64>,
    people: &[Person; 3],
    draft: &mut TableDraft,
) {
    let name = |at: usize| text(row, people[at].name);
    let mut acts = |roles: [Option<EventRole>; 3]| {
        for (at, role) in roles.into_iter().enumerate() {
            if let Some(role) = role {
                event.add_actor(role, name(at));
            }
        }
    };
    use EventRole::{Against, Assist, Block, Gains, Out, Player, Steal};
    match what {
        Some(1) => acts([Some(Player), Some(Assist), None]),
        Some(2) => acts([Some(Player), None, Some(Block)]),
        Some(5) => acts([Some(Player), Some(Steal), None]),
        Some(6) => acts([Some(Player), Some(Against), None]),
        Some(8) => acts([Some(Out), Some(Player), None]),
        Some(10) => acts([Some(Player), Some(Against), Some(Gains)]),
        // A referee's number is in the field of a player's.
        Some(18) => {}
        _ => acts([Some(Player), None, None]),
    }
    let three = event.text.contains("3PT");
    event.kind = match what {
        Some(1) => return event.shot(EventKind::FieldGoal, if three { 3 } else { 2 }, true),
        Some(2) => return event.shot(EventKind::FieldGoal, if three { 3 } else { 2 }, false),
        Some(3) => {
            let made = !event.text.starts_with("MISS");
            return free_throw(event, draft, made);
        }
        Some(4) => EventKind::Rebound,
        Some(5) => EventKind::Turnover,
        Some(6) => EventKind::Foul,
        Some(7) => EventKind::Violation,
        Some(8) => EventKind::Substitution,
        Some(9) => EventKind::Timeout,
        Some(10) => EventKind::JumpBall,
        Some(11) => EventKind::Ejection,
        Some(12) => EventKind::PeriodStart,
        Some(13) => EventKind::PeriodEnd,
        Some(18) => EventKind::Review,
        other => {
            let shown = other.map_or_else(|| "nothing".to_owned(), |other| other.to_string());
            draft.notice(QuirkKind::UnknownWording, event.line, format!("EVENTMSGTYPE is {shown}"));
            EventKind::Other
        }
    };
}

/// Parses `2 - 0`: the visitors' score first.
fn stated(text: &str, line: usize) -> Result<Option<[i64; 2]>, FeedError> {
    if text.trim().is_empty() || text == "TIE" {
        return Ok(None);
    }
    let pair = text
        .split_once('-')
        .and_then(|(away, home)| Some([away.trim().parse().ok()?, home.trim().parse().ok()?]));
    match pair {
        Some(pair) => Ok(Some(pair)),
        None => Err(FeedError::new(line, format!("SCORE `{text}` is not a score")).help(
            "a spreadsheet converted scores to dates; download the file again, or keep the column as text",
        )),
    }
}

/// The names and scores of the summary.
fn summary(text_of: &str, draft: &mut TableDraft) -> Result<(), FeedError> {
    let log: Log<'_> = json::parse(text_of, "a summary of stats.nba.com, version 2")?;
    let set = |name: &str| log.sets.iter().find(|set| set.name == name);
    let (Some(game), Some(scores)) = (set("GameSummary"), set("LineScore")) else { return Ok(()) };
    let column = |set: &Set<'_>, name: &str| set.headers.iter().position(|header| header == name);
    let Some(row) = game.rows.first() else { return Ok(()) };
    for (at, side) in ["VISITOR_TEAM_ID", "HOME_TEAM_ID"].into_iter().enumerate() {
        let id = number(row, column(game, side));
        let found = scores
            .rows
            .iter()
            .find(|row| id.is_some() && number(row, column(scores, "TEAM_ID")) == id);
        let (Some(found), Some(team)) = (found, draft.teams.get_mut(at)) else { continue };
        let nickname = text(found, column(scores, "TEAM_NICKNAME"));
        team.name = Arc::from(
            format!("{} {nickname}", text(found, column(scores, "TEAM_CITY_NAME"))).trim(),
        );
        team.short = Arc::from(nickname);
        team.tricode = Arc::from(text(found, column(scores, "TEAM_ABBREVIATION")));
        team.stated = number(found, column(scores, "PTS"));
        let last = draft.events.iter().map(|event| event.period).max().unwrap_or(4);
        team.stated_periods = (1..=last)
            .map_while(|period| {
                let name = if period <= 4 {
                    format!("PTS_QTR{period}")
                } else {
                    format!("PTS_OT{}", period - 4)
                };
                number(found, column(scores, &name))
            })
            .collect();
    }
    Ok(())
}
