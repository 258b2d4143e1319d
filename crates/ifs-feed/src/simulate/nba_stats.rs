//! The sentences of both versions of stats.nba.com's play-by-play: surnames, and running totals in
//! parentheses.

use super::nba::PlayWithTotals;
use super::people::surname;
use crate::table::{EventKind, EventRole, Team};

/// The number of fouls of a side in a period after which each further one leads to throws.
const PENALTY_FOULS: i64 = 5;
/// The referees, in turn.
const OFFICIALS: [&str; 3] = ["M.Arden", "T.Kessel", "J.Orme"];

/// The sentence about the player.
pub fn sentence(play: &PlayWithTotals<'_>, teams: &[Team]) -> String {
    let event = play.event;
    let who = surname(event.player());
    let miss = if event.made { "" } else { "MISS " };
    let points = if event.made { format!(" ({} PTS)", play.points) } else { String::new() };
    let words = play.word(|named| named.words);
    match event.kind {
        EventKind::PeriodStart => format!("Start of {}", ordinal(event.period, 0)),
        EventKind::PeriodEnd => format!("End of {}", ordinal(event.period, 1)),
        EventKind::FieldGoal => {
            let feet = play.feet.map_or_else(String::new, |feet| format!("{feet}' "));
            let three = if event.worth == 3 { "3PT " } else { "" };
            let assist = match play.first(EventRole::Assist) {
                "" => String::new(),
                name => format!(" ({} {} AST)", surname(name), play.assists),
            };
            format!("{miss}{who} {feet}{three}{words}{points}{assist}")
        }
        EventKind::FreeThrow => {
            let which = event.detail.strip_prefix("free throw ").unwrap_or("Technical");
            format!("{miss}{who} Free Throw {which}{points}")
        }
        EventKind::Rebound if who.is_empty() => format!("{} Rebound", side_name(play, teams)),
        EventKind::Rebound => {
            let [offensive, defensive] = play.rebounds;
            format!("{who} REBOUND (Off:{offensive} Def:{defensive})")
        }
        EventKind::Turnover if who.is_empty() => {
            format!("{} Turnover: {words} (T#{})", side_name(play, teams), play.team_turnovers)
        }
        EventKind::Turnover => {
            format!("{who} {words} (P{}.T{})", play.turnovers, play.team_turnovers)
        }
        EventKind::Foul => {
            let of_team = match play.team_fouls {
                _ if event.detail.starts_with("offensive") => String::new(),
                PENALTY_FOULS.. => ".PN".to_owned(),
                fouls => format!(".T{fouls}"),
            };
            format!("{who} {words} (P{}{of_team}) ({})", play.fouls, official(play))
        }
        EventKind::Violation => format!("{who} Violation:{words} ({})", official(play)),
        EventKind::Substitution => {
            format!("SUB: {who} FOR {}", surname(play.first(EventRole::Out)))
        }
        EventKind::Timeout => {
            let full = if event.team == Some(1) { "Full " } else { "Reg." };
            format!("{} Timeout: Regular ({full}{} Short 0)", side_name(play, teams), play.timeouts)
        }
        // The home side's player is named first.
        EventKind::JumpBall => format!(
            "Jump Ball {} vs. {who}: Tip to {}",
            surname(play.first(EventRole::Against)),
            surname(play.first(EventRole::Gains))
        ),
        _ => String::new(),
    }
}

/// The sentence about a steal or block, and its player.
pub fn defender_sentence(play: &PlayWithTotals<'_>) -> Option<(EventRole, EventKind, String)> {
    let of = |role: EventRole, kind: EventKind, word: &str, count: i64, short: &str| {
        let name = surname(play.first(role));
        (count > 0).then(|| (role, kind, format!("{name} {word} ({count} {short})")))
    };
    of(EventRole::Block, EventKind::Block, "BLOCK", play.blocks, "BLK")
        .or_else(|| of(EventRole::Steal, EventKind::Steal, "STEAL", play.steals, "STL"))
}

/// A side in place of a player; the home side in capitals.
fn side_name(play: &PlayWithTotals<'_>, teams: &[Team]) -> String {
    let side = play.event.team.unwrap_or(0);
    let name = teams.get(usize::from(side)).map_or("", |team| &team.short);
    if side == 1 { name.to_uppercase() } else { name.to_owned() }
}

fn official(play: &PlayWithTotals<'_>) -> &'static str {
    OFFICIALS[(play.event.time / 1000) as usize % OFFICIALS.len()]
}

/// The sentence of the start or end of a period, with the time of day.
pub fn ordinal(number: u32, over: u32) -> String {
    let nth = |number: u32| match number {
        1 => "1st".to_owned(),
        2 => "2nd".to_owned(),
        3 => "3rd".to_owned(),
        more => format!("{more}th"),
    };
    let whole = i64::from(number - 1 + over);
    let played = whole.min(4) * 720 + (whole - 4).max(0) * 300;
    let name = match number {
        1..=4 => format!("{} Period", nth(number)),
        _ => format!("{} OT", nth(number - 4)),
    };
    format!("{name} ({} EST)", wall(number, played))
}

/// The time of day after this many seconds of play: a quarter takes about half an hour, and the
/// break in the middle a quarter of an hour.
pub fn wall(period: u32, played: i64) -> String {
    let pause = if period > 2 { 15 } else { 0 };
    let minutes = 7 * 60 + 10 + pause + played * 5 / 2 / 60;
    format!("{}:{:02} PM", (minutes / 60 - 1) % 12 + 1, minutes % 60)
}
