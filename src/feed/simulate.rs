//! Games that no one played, so that no model has read them: invented teams and players, plays in a
//! source's wording, and numbers as real games have them.
//!
//! A game is a function of a seed and its number. It goes through the same sums as a log that was
//! read, and its lines are read back by the reader whose wording they have (tested).

mod basketball;
mod data_nba_net;
mod espn;
mod hockey;
#[cfg(test)]
mod likely;
mod names;
mod nba;
mod nba_cdn;
mod nba_stats;
mod nba_stats_v2;
mod nba_stats_v3;
mod nhl_statsapi;
mod people;
mod rolls;
mod sentences;
#[cfg(test)]
mod spreads;
#[cfg(test)]
mod tests;
mod wording;
mod written;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use self::rolls::Rolls;
pub use self::wording::Wording;
pub use self::written::{Written, written};
use super::finish::Draft;
use super::table::{EventTable, PeriodKind, Sport};
use crate::stable_hash::Key;

/// What is simulated, and how it is worded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Simulated {
    pub wording: Wording,
    /// What every game has.
    pub cases: Vec<Case>,
}

/// Something rare that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Case {
    /// The score is level over a break.
    TieAtBreak,
    /// Two or more share the most points of a period.
    TiedTop,
    /// Two players score at one time of the clock.
    SameClock,
    Overtime,
    /// Attempts after overtime, in sources that have them.
    Shootout,
    /// The source's own score leaves out a basket for a while.
    StaleScore,
}

impl Case {
    pub const ALL: [Case; 6] = [
        Case::TieAtBreak,
        Case::TiedTop,
        Case::SameClock,
        Case::Overtime,
        Case::Shootout,
        Case::StaleScore,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Case::TieAtBreak => "tie_at_break",
            Case::TiedTop => "tied_top",
            Case::SameClock => "same_clock",
            Case::Overtime => "overtime",
            Case::Shootout => "shootout",
            Case::StaleScore => "stale_score",
        }
    }

    pub fn happens_in(self, wording: Wording) -> bool {
        match self {
            // In hockey no two goals fall at one time.
            Case::SameClock => wording.sport() == Sport::Basketball,
            Case::Shootout => wording.shootouts(),
            Case::TieAtBreak | Case::TiedTop | Case::Overtime | Case::StaleScore => true,
        }
    }

    fn holds(self, table: &EventTable) -> bool {
        match self {
            Case::TieAtBreak => {
                let breaks = table.periods.iter().rev().skip(1);
                breaks.filter(|period| period.end > 0).any(|period| {
                    let [away, home] = table.events[period.end - 1].score;
                    away == home && away > 0
                })
            }
            Case::TiedTop => table.periods.iter().any(|period| {
                let mut points: BTreeMap<&str, i64> = BTreeMap::new();
                for event in table.plays(period).iter().filter(|event| event.scoring()) {
                    *points.entry(event.player()).or_default() += event.points;
                }
                let most = points.values().max();
                points.values().filter(|points| Some(*points) == most).count() > 1
            }),
            Case::SameClock => {
                let scoring: Vec<_> = table.events.iter().filter(|event| event.scoring()).collect();
                scoring.windows(2).any(|pair| {
                    pair[0].time == pair[1].time && pair[0].player() != pair[1].player()
                })
            }
            Case::Overtime => has(table, PeriodKind::Overtime),
            Case::Shootout => has(table, PeriodKind::Shootout),
            Case::StaleScore => table
                .events
                .iter()
                .any(|event| event.stated.is_some_and(|stated| stated != event.score)),
        }
    }
}

fn has(table: &EventTable, kind: PeriodKind) -> bool {
    table.periods.iter().any(|period| period.kind == kind)
}

/// A game is drawn again until it has what is asked for; all cases together are met by one of some
/// thousand games.
const TRIES: u64 = 100_000;

impl Simulated {
    /// The game of that number. The same for the same seed and name of the feed, on every machine.
    /// `None` where no game that was drawn has all that is asked for.
    pub fn game(&self, seed: u64, feed: &str, number: u64) -> Option<EventTable> {
        self.game_within(TRIES, seed, feed, number)
    }

    fn game_within(&self, most: u64, seed: u64, feed: &str, number: u64) -> Option<EventTable> {
        let key = Key::of("simulated").and_number(seed).and(feed).and_number(number);
        let mut tries = (0..most).map(|attempt| self.attempt(key.and_number(attempt), number));
        let fits = |table: &EventTable| self.cases.iter().all(|case| case.holds(table));
        tries.find(fits)
    }

    fn attempt(&self, key: Key, number: u64) -> EventTable {
        let mut rolls = Rolls::new(key);
        let stale = self.cases.contains(&Case::StaleScore);
        let name = format!("{}-{}", self.wording.sport().word(), number + 1);
        let mut draft = match self.wording.sport() {
            Sport::Hockey => hockey::draft(&name, self.wording, &mut rolls),
            _ => basketball::draft(&name, self.wording, &mut rolls),
        };
        self.wording.reword(&mut draft);
        self.states(&mut draft, stale, &mut rolls);
        // A draft that is simulated has events, of one game.
        match draft.finish() {
            Ok((table, _)) => table,
            Err(fault) => unreachable!("a simulated game is valid: {}", fault.message),
        }
    }

    /// The score as the source would have it: the sum, or one that leaves out a basket for some
    /// time.
    fn states(&self, draft: &mut Draft, stale: bool, rolls: &mut Rolls) {
        let scoring = draft.events.iter().filter(|event| event.points > 0).count();
        let skipped = if stale { rolls.below(scoring.max(1) as u64) as usize } else { usize::MAX };
        let (mut score, mut seen, mut left) = ([0, 0], 0, None);
        let mut missing = [0, 0];
        for event in &mut draft.events {
            if event.points > 0 {
                if let Some(sum) = event.team.and_then(|team| score.get_mut(usize::from(team))) {
                    *sum += event.points;
                }
                if seen == skipped {
                    left = Some(4 + rolls.below(14));
                    missing[usize::from(event.team.unwrap_or(0)) % 2] = event.points;
                }
                seen += 1;
            }
            let shown = [score[0] - missing[0], score[1] - missing[1]];
            event.stated = self.wording.scores(event).then_some(shown);
            left = match left {
                Some(0) => {
                    missing = [0, 0];
                    None
                }
                Some(more) => Some(more - 1),
                None => None,
            };
        }
    }
}
