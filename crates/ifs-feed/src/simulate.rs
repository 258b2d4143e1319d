//! Simulated games, which are in no model's training data: invented teams and players, plays in a
//! source's wording, and statistics like those of real games.
//!
//! A game is a function of a seed and its index. Its totals are computed like those of a log that
//! was read, and tests ensure that the reader of its wording reads it back.

mod basketball;
mod hockey;
mod names;
#[cfg(test)]
mod plausible;
mod random_stream;
mod sentences;
#[cfg(test)]
mod spreads;
#[cfg(test)]
mod tests;
mod wording;
mod written;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use self::random_stream::RandomStream;
pub use self::wording::SourceWording;
pub use self::written::written;
use super::finish::TableDraft;
use super::table::{EventTable, PeriodKind, Sport};
use ifs_value::stable_hash::StreamKey;

/// A simulated sport and its wording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimulatedSport {
    pub wording: SourceWording,
    /// The cases that every game must include.
    pub cases: Vec<RareCase>,
}

/// A rare case that can be requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RareCase {
    /// The score is level at a break.
    TieAtBreak,
    /// Two or more players share the most points of a period.
    TiedTop,
    /// Two players score at the same time of the clock.
    SameClock,
    Overtime,
}

impl RareCase {
    pub const ALL: [RareCase; 4] =
        [RareCase::TieAtBreak, RareCase::TiedTop, RareCase::SameClock, RareCase::Overtime];

    pub fn word(self) -> &'static str {
        match self {
            RareCase::TieAtBreak => "tie_at_break",
            RareCase::TiedTop => "tied_top",
            RareCase::SameClock => "same_clock",
            RareCase::Overtime => "overtime",
        }
    }

    pub fn happens_in(self, wording: SourceWording) -> bool {
        match self {
            // In hockey no two goals are at the same time.
            RareCase::SameClock => wording.sport() == Sport::Basketball,
            RareCase::TieAtBreak | RareCase::TiedTop | RareCase::Overtime => true,
        }
    }

    fn holds(self, table: &EventTable) -> bool {
        match self {
            RareCase::TieAtBreak => {
                let breaks = table.periods.iter().rev().skip(1);
                breaks.filter(|period| period.end > 0).any(|period| {
                    let [away, home] = table.events[period.end - 1].score;
                    away == home && away > 0
                })
            }
            RareCase::TiedTop => table.periods.iter().any(|period| {
                let mut points: BTreeMap<&str, i64> = BTreeMap::new();
                for event in table.plays(period).iter().filter(|event| event.scoring()) {
                    *points.entry(event.player()).or_default() += event.points;
                }
                let most = points.values().max();
                points.values().filter(|points| Some(*points) == most).count() > 1
            }),
            RareCase::SameClock => {
                let scoring: Vec<_> = table.events.iter().filter(|event| event.scoring()).collect();
                scoring.windows(2).any(|pair| {
                    pair[0].time == pair[1].time && pair[0].player() != pair[1].player()
                })
            }
            RareCase::Overtime => {
                table.periods.iter().any(|period| period.kind == PeriodKind::Overtime)
            }
        }
    }
}

/// The maximum number of draws until a game includes the requested cases; about one game in some
/// thousand includes all of them.
const MAX_GAMES_TRIED: u64 = 100_000;

impl SimulatedSport {
    /// The game with this index: the same for the same seed and feed name, on every machine. `None`
    /// if no drawn game includes all requested cases.
    pub fn game(&self, seed: u64, feed: &str, number: u64) -> Option<EventTable> {
        self.game_within(MAX_GAMES_TRIED, seed, feed, number)
    }

    fn game_within(&self, most: u64, seed: u64, feed: &str, number: u64) -> Option<EventTable> {
        let key = StreamKey::new("simulated").and_number(seed).and(feed).and_number(number);
        let mut tries = (0..most).map(|attempt| self.attempt(key.and_number(attempt), number));
        let fits = |table: &EventTable| self.cases.iter().all(|case| case.holds(table));
        tries.find(fits)
    }

    fn attempt(&self, key: StreamKey, number: u64) -> EventTable {
        let mut random = RandomStream::new(key);
        let name = format!("{}-{}", self.wording.sport().word(), number + 1);
        let mut draft = match self.wording.sport() {
            Sport::Hockey => hockey::draft(&name, &mut random),
            _ => basketball::draft(&name, self.wording, &mut random),
        };
        state_scores(&mut draft);
        // A simulated draft has events, and they are of one game.
        match draft.finish() {
            Ok((table, _)) => table,
            Err(fault) => unreachable!("a simulated game is valid: {}", fault.message),
        }
    }
}

/// The score after each event, as a source has it.
fn state_scores(draft: &mut TableDraft) {
    let mut score = [0, 0];
    for event in &mut draft.events {
        if let Some(sum) = event.team.and_then(|team| score.get_mut(usize::from(team))) {
            *sum += event.points;
        }
        event.stated = Some(score);
    }
}
