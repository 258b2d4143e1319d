//! Text logs: rosters at the top, then a line for each event with its clock, a tab and a sentence.
//!
//! ```text
//! Match: Northport Gulls vs Eastvale Otters
//! Northport Gulls: Bo Li, Al Ma
//! Eastvale Otters: Cy Ng, Di Ro
//!
//! 12:00<TAB>Bo Li vs. Cy Ng (Al Ma gains possession)
//! 11:47<TAB>Cy Ng makes 3-foot layup
//! ```
//!
//! The team that is named first is listed first. A new period begins where the clock jumps back, or
//! after a line that ends one. An empty line among the events is not an event.

use std::sync::Arc;

use super::espn_hockey::{PERIOD, overtime};
use super::{FeedFile, LineIndex};
use crate::bytes::starts;
use crate::clock::parse_clock;
use crate::finish::TableDraft;
use crate::notice::{FeedError, QuirkKind};
use crate::roster::Roster;
use crate::table::{Actor, Clocking, Event, EventKind, EventRole, Sport, Team};
use crate::wording::{self, Sentence};

pub fn basketball(file: &FeedFile<'_>) -> Result<TableDraft, FeedError> {
    let mut draft = read(file, Sport::Basketball, Clocking::Down, wording::basketball)?;
    lengths(&mut draft);
    Ok(draft)
}

pub fn hupu(file: &FeedFile<'_>) -> Result<TableDraft, FeedError> {
    let mut draft = read(file, Sport::Basketball, Clocking::Down, wording::hupu)?;
    lengths(&mut draft);
    Ok(draft)
}

pub fn hockey(file: &FeedFile<'_>) -> Result<TableDraft, FeedError> {
    let mut draft = read(file, Sport::Hockey, Clocking::Up, wording::hockey)?;
    draft.length = Some(PERIOD);
    draft.overtime = overtime(&draft);
    Ok(draft)
}

/// Quarters of twelve minutes if one is longer than ten; overtime of five.
pub fn lengths(draft: &mut TableDraft) {
    let longest = draft.events.iter().map(|event| event.time).max().unwrap_or(0);
    draft.length = Some(if longest > 600_000 { 720_000 } else { 600_000 });
    draft.overtime = Some(300_000);
}

/// How far the clock must jump back for a new period, in milliseconds.
const MIN_RESET_MILLISECONDS: i64 = 120_000;

fn read(
    file: &FeedFile<'_>,
    sport: Sport,
    clocking: Clocking,
    sentence: fn(&str) -> Sentence<'_>,
) -> Result<TableDraft, FeedError> {
    let mut draft = TableDraft::new(file.stem, sport, clocking);
    let mut lines = LineIndex::new(file.text);
    let mut rows = file.text.lines().peekable();
    let mut head = Vec::new();
    while let Some(row) = rows.next_if(|row| clock_and_words(row).is_none()) {
        head.push((lines.line_of(row), row));
    }
    draft.teams = teams(&head)?;
    if rows.peek().is_none() {
        return Err(FeedError::new(1, "there is no line of clock, tab and sentence in it")
            .help("lines look like this: `11:47`, a tab, `Bo Li makes 3-foot layup`"));
    }
    let mut roster = Roster::new(&draft.teams);
    let body = rows.peek().map_or(0, |row| row.as_ptr() as usize - file.text.as_ptr() as usize);
    roster.spelled_in(file.text.get(body..).unwrap_or(""));
    let (mut period, mut last, mut ended) = (1, None, false);
    let mut blank = None;
    for row in rows {
        let line = lines.line_of(row);
        let Some((shown, words)) = clock_and_words(row) else {
            if row.trim().is_empty() {
                blank = blank.or(Some(line));
                continue;
            }
            if match_named(row).is_some() {
                return Err(FeedError::new(line, "a second game begins here")
                    .help("put each game into a file of its own"));
            }
            return Err(FeedError::new(
                line,
                format!("no clock before the tab: `{}`", starts(row)),
            )
            .help("each line is a clock, a tab and a sentence"));
        };
        let time = parse_clock(shown).unwrap_or(0);
        let said = sentence(words);
        let begins = match (last, clocking) {
            (Some(last), Clocking::Down) => {
                time > last + MIN_RESET_MILLISECONDS || (ended && time > last)
            }
            (Some(last), _) => time + MIN_RESET_MILLISECONDS < last || (ended && time < last),
            (None, _) => false,
        } || (ended && said.kind == EventKind::PeriodStart);
        // Empty lines after the last event are not reported.
        if let Some(blank) = blank.take() {
            draft.notice(QuirkKind::Blank, blank, "an empty line, which is not an event");
        }
        period += u32::from(begins);
        ended = said.kind == EventKind::PeriodEnd
            || (ended && !begins && said.kind == EventKind::GameEnd);
        last = Some(time);
        let mut event = Event::new(period, shown, time, line);
        event.text = Arc::from(words);
        fill_event(&mut event, &said, &mut draft, &mut roster);
        draft.events.push(event);
    }
    Ok(draft)
}

fn clock_and_words(row: &str) -> Option<(&str, &str)> {
    let (clock, words) = row.split_once('\t')?;
    let clock = clock.trim();
    parse_clock(clock).map(|_| (clock, words))
}

/// Fills an event from its sentence, with players looked up in the rosters.
fn fill_event(event: &mut Event, said: &Sentence<'_>, draft: &mut TableDraft, roster: &mut Roster) {
    // Substitutions have many spellings, and nothing depends on them.
    let strict = said.kind != EventKind::Substitution && said.kind != EventKind::JumpBall;
    for (role, name) in &said.who {
        if let Some(team) = team_named(&draft.teams, name) {
            // A team in place of a player: a foul of its bench.
            event.team = Some(team);
            continue;
        }
        let (found, reported) = roster.player(name);
        if let Some((kind, message)) = reported.filter(|_| strict && !roster.is_empty()) {
            draft.notice(kind, event.line, message);
        }
        if let (Some((team, _)), EventRole::Player, None) = (&found, role, event.team) {
            event.team = Some(*team);
        }
        let name = found.map_or_else(|| Arc::from(*name), |(_, name)| name);
        event.actors.push(Actor { name, role: *role });
    }
    if let Some(team) = said.team {
        event.team = team_named(&draft.teams, team);
    }
    event.kind = said.kind.clone();
    event.detail = Arc::from(said.detail);
    event.made = said.made;
    event.worth = said.worth;
    event.points = if said.made { said.worth } else { 0 };
    match said.kind {
        EventKind::Other => {
            let message = format!("unknown wording: {}", starts(&event.text));
            draft.notice(QuirkKind::UnknownWording, event.line, message);
        }
        EventKind::Blank => draft.notice(QuirkKind::Blank, event.line, "a clock without words"),
        _ => {}
    }
    if said.silent_three && said.made {
        let message = format!("counted as a three-pointer by its distance: {}", event.text);
        draft.notice(QuirkKind::SilentThree, event.line, message);
    }
    if let Some(time) = said.clock.and_then(parse_clock).filter(|time| *time != event.time) {
        let message =
            format!("the text says {}, the clock {}", crate::clock_text(time), event.clock);
        draft.notice(QuirkKind::OtherClock, event.line, message);
    }
}

/// The team with that name, or whose name ends in it.
fn team_named(teams: &[Team], name: &str) -> Option<u8> {
    let name = name.trim();
    let fits = |team: &Team| *team.name == *name || team.name.ends_with(&format!(" {name}"));
    u8::try_from(teams.iter().position(fits)?).ok()
}

/// Parses `Match: A vs B`, then `A: names` and `B: names`; in Chinese or English.
fn teams(head: &[(usize, &str)]) -> Result<Vec<Team>, FeedError> {
    let mut teams: Vec<Team> = Vec::new();
    for (line, row) in head {
        let row = row.trim();
        let row = row
            .strip_prefix("Team info:")
            .or_else(|| row.strip_prefix("球队信息："))
            .unwrap_or(row)
            .trim();
        if let Some(pair) = match_named(row) {
            let Some((one, other)) = pair.split_once(" vs ") else {
                return Err(FeedError::new(*line, "a match is written `Match: TEAM vs TEAM`"));
            };
            teams = [one, other].map(|name| named(name.trim())).to_vec();
            continue;
        }
        let Some((name, players)) = row.split_once([':', '：']) else { continue };
        let name = name.trim();
        let players = players.split([',', '，', '、']).map(str::trim);
        let players: Vec<Arc<str>> =
            players.filter(|player| !player.is_empty()).map(Arc::from).collect();
        match teams.iter().position(|team| *team.name == *name) {
            Some(at) => teams[at].players = players,
            None if teams.len() < 2 => teams.push(Team { players, ..named(name) }),
            None => {
                return Err(FeedError::new(*line, format!("`{name}` is a third team"))
                    .help("a log has one game; its rosters are `TEAM: NAME, NAME, …`"));
            }
        }
    }
    if teams.len() != 2 || teams.iter().any(|team| team.players.is_empty()) {
        return Err(FeedError::new(1, "the rosters of the two teams are missing").help(
            "begin with a line for each team, `TEAM: NAME, NAME, …`: the sentences do not say whose points they are",
        ));
    }
    Ok(teams)
}

/// The text after `Match:`.
fn match_named(row: &str) -> Option<&str> {
    row.strip_prefix("Match:").or_else(|| row.strip_prefix("比赛："))
}

fn named(name: &str) -> Team {
    let short = name.rsplit(' ').next().unwrap_or(name);
    Team { name: Arc::from(name), short: Arc::from(short), ..Team::default() }
}
