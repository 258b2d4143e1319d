//! Converts the events that a reader found to a table: computes periods, game times and the running
//! score, and compares them with totals that the source states.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::notice::{FeedError, FeedNotice, QuirkKind};
use super::table::{Clocking, Event, EventKind, EventTable, Period, PeriodKind, Sport, Team};

/// The table before it is complete. The `time` of its events is still the time on the clock.
pub struct TableDraft {
    pub name: Arc<str>,
    pub sport: Sport,
    pub clocking: Clocking,
    pub teams: Vec<Team>,
    pub columns: Vec<String>,
    pub events: Vec<Event>,
    pub notices: Vec<FeedNotice>,
    /// The number of periods before overtime; 0 if there is none.
    pub regulation: u32,
    /// The lengths of a period and of overtime in milliseconds; if unknown, they last until the
    /// last event.
    pub length: Option<i64>,
    pub overtime: Option<i64>,
    /// The periods that are shoot-outs.
    pub shootouts: BTreeSet<u32>,
}

impl TableDraft {
    pub fn new(name: &str, sport: Sport, clocking: Clocking) -> TableDraft {
        let regulation = match sport {
            Sport::Basketball => 4,
            Sport::Hockey => 3,
            Sport::Football => 2,
            Sport::Baseball => 9,
            Sport::Log => 0,
        };
        TableDraft {
            name: Arc::from(name),
            sport,
            clocking,
            teams: Vec::new(),
            columns: Vec::new(),
            events: Vec::new(),
            notices: Vec::new(),
            regulation,
            length: None,
            overtime: None,
            shootouts: BTreeSet::new(),
        }
    }

    pub fn notice(&mut self, kind: QuirkKind, line: usize, message: impl Into<String>) {
        self.notices.push(FeedNotice::new(kind, line, message));
    }

    /// # Errors
    /// Returns an error without events, and for more than one game.
    pub fn finish(mut self) -> Result<(EventTable, Vec<FeedNotice>), FeedError> {
        if self.events.is_empty() {
            return Err(FeedError::new(1, "it has no events in the form of this reader").help(
                "`ifs feed --help` lists what is read, and columns can be declared for any other log; a \
                 game has no events before it begins",
            ));
        }
        self.one_game()?;
        self.sort_periods();
        let periods = self.periods();
        self.times(&periods);
        self.scores();
        let table = EventTable {
            name: self.name,
            sport: self.sport,
            clocking: self.clocking,
            teams: self.teams,
            periods,
            events: self.events,
            columns: self.columns,
        };
        let mut notices = self.notices;
        compare(&table, &mut notices);
        notices.sort_by_key(|notice| (notice.line, notice.kind));
        Ok((table, notices))
    }

    /// A second period number 1 means a second game.
    fn one_game(&self) -> Result<(), FeedError> {
        /// This many events of an earlier period in a row are not late insertions.
        const MIN_EVENTS_OF_PERIOD: usize = 10;
        let (mut latest, mut row) = (0, 0);
        for event in &self.events {
            row = if event.period < latest { row + 1 } else { 0 };
            latest = latest.max(event.period);
            if row == MIN_EVENTS_OF_PERIOD {
                let message = format!(
                    "period {} begins again after period {latest}: there is more than one game in it",
                    event.period
                );
                return Err(FeedError::new(event.line, message).help(
                    "put each game into a file of its own, or declare the column that tells them \
                     apart: `column game: text from \"…\"`",
                ));
            }
        }
        Ok(())
    }

    /// An event that was recorded late is moved to the end of its period.
    fn sort_periods(&mut self) {
        let mut latest = 0;
        let mut late = Vec::new();
        for event in &self.events {
            if event.period < latest {
                let message = format!(
                    "an event of period {} is among those of period {latest}; it was moved to the end of its own period",
                    event.period
                );
                late.push(FeedNotice::new(QuirkKind::PeriodBack, event.line, message));
            }
            latest = latest.max(event.period);
        }
        if !late.is_empty() {
            self.notices.append(&mut late);
            self.events.sort_by_key(|event| event.period);
        }
    }

    fn periods(&mut self) -> Vec<Period> {
        let mut periods: Vec<Period> = Vec::new();
        for (at, event) in self.events.iter().enumerate() {
            match periods.last_mut() {
                Some(period) if period.number == event.period => period.end = at + 1,
                _ => periods.push(Period {
                    number: event.period,
                    name: Cow::Borrowed(""),
                    kind: PeriodKind::Regulation,
                    start: 0,
                    length: 0,
                    first: at,
                    end: at + 1,
                }),
            }
        }
        let mut start = 0;
        for period in &mut periods {
            let clocks = self.events[period.first..period.end].iter().map(|event| event.time);
            let longest = clocks.max().unwrap_or(0);
            if self.shootouts.contains(&period.number) {
                period.kind = PeriodKind::Shootout;
            } else if self.regulation > 0 && period.number > self.regulation {
                period.kind = PeriodKind::Overtime;
            }
            let declared = match period.kind {
                PeriodKind::Regulation => self.length,
                PeriodKind::Overtime => self.overtime.filter(|length| longest <= *length),
                PeriodKind::Shootout => Some(0),
            };
            period.start = start;
            period.length = match self.clocking {
                Clocking::Down | Clocking::Up => declared.unwrap_or(longest),
                Clocking::On => declared.unwrap_or(0).max(longest - start),
                Clocking::None => (period.end - period.first) as i64,
            };
            period.name = period_name(self.sport, period, self.regulation);
            start += period.length;
        }
        for (kind, noticed, what) in [
            (PeriodKind::Overtime, QuirkKind::Overtime, "overtime"),
            (PeriodKind::Shootout, QuirkKind::Shootout, "a shoot-out"),
        ] {
            let of_kind = |period: &&Period| period.kind == kind;
            if let Some(first) = periods.iter().find(of_kind) {
                let line = self.events[first.first].line;
                let message = match periods.iter().filter(of_kind).count() {
                    1 => format!("there is {what}: period {}", first.number),
                    more => format!("there is {what}: {more} periods from {}", first.number),
                };
                self.notices.push(FeedNotice::new(noticed, line, message));
            }
        }
        periods
    }

    /// Converts clock times to game times.
    fn times(&mut self, periods: &[Period]) {
        for period in periods {
            let mut before = i64::MIN;
            let mut row: Option<(usize, usize)> = None;
            for (at, event) in self.events[period.first..period.end].iter_mut().enumerate() {
                let shown = event.time;
                event.time = match self.clocking {
                    _ if period.kind == PeriodKind::Shootout => period.start,
                    Clocking::Down => period.start + (period.length - shown).max(0),
                    Clocking::Up => period.start + shown,
                    Clocking::On => shown,
                    Clocking::None => period.start + at as i64,
                };
                row = match row {
                    _ if event.time >= before => row,
                    // Consecutive events with the same wrong position are reported once.
                    Some((first, count)) if first + count == at => Some((first, count + 1)),
                    _ => Some((at, 1)),
                };
                if row == Some((at, 1)) {
                    let message = format!(
                        "{} in period {} follows a later event; the order of the feed is kept",
                        event.clock, period.number
                    );
                    self.notices.push(FeedNotice::new(QuirkKind::OutOfOrder, event.line, message));
                }
                before = before.max(event.time);
            }
        }
    }

    fn scores(&mut self) {
        let mut score = [0, 0];
        for event in &mut self.events {
            if self.shootouts.contains(&event.period) {
                event.points = 0;
            }
            if let Some(sum) = event.team.and_then(|team| score.get_mut(usize::from(team))) {
                *sum += event.points;
            } else if event.points != 0 && self.teams.len() == 2 {
                let message = format!("points of no team are not counted: {}", event.text);
                self.notices.push(FeedNotice::new(QuirkKind::NoTeam, event.line, message));
                event.points = 0;
            }
            event.score = score;
            if event.kind == EventKind::OwnGoal && event.points != 0 {
                let message = "an own goal counts for the other side and for no player";
                self.notices.push(FeedNotice::new(QuirkKind::OwnGoal, event.line, message));
            }
        }
    }
}

fn period_name(sport: Sport, period: &Period, regulation: u32) -> Cow<'static, str> {
    let nth = |number: u32| {
        let ending = match (number % 10, number % 100) {
            (1, tens) if tens != 11 => "st",
            (2, tens) if tens != 12 => "nd",
            (3, tens) if tens != 13 => "rd",
            _ => "th",
        };
        format!("{number}{ending}")
    };
    let noun = match sport {
        Sport::Basketball => "quarter",
        Sport::Hockey | Sport::Log => "period",
        Sport::Football => "half",
        Sport::Baseball => "inning",
    };
    match period.kind {
        PeriodKind::Regulation => Cow::Owned(format!("{} {noun}", nth(period.number))),
        PeriodKind::Shootout => Cow::Borrowed("shootout"),
        PeriodKind::Overtime => match period.number - regulation {
            _ if sport == Sport::Baseball => Cow::Owned(format!("{} inning", nth(period.number))),
            1 => Cow::Borrowed("overtime"),
            number => Cow::Owned(format!("{} overtime", nth(number))),
        },
    }
}

/// Compares the totals that the source states with the computed ones.
fn compare(table: &EventTable, notices: &mut Vec<FeedNotice>) {
    score_mismatches(table, notices);
    let shootout = table.periods.iter().any(|period| period.kind == PeriodKind::Shootout);
    let score = table.score();
    for (at, team) in table.teams.iter().enumerate().take(2) {
        if let Some(stated) = team.stated.filter(|stated| *stated != score[at]) {
            let why = if shootout && stated == score[at] + 1 {
                ": the goal of the shoot-out, which no player scored"
            } else {
                ""
            };
            let message = format!(
                "{} have {} by the events and {stated} by the file{why}",
                team.name, score[at]
            );
            notices.push(FeedNotice::new(QuirkKind::FinalScore, 1, message));
        }
        for (period, stated) in table.periods.iter().zip(&team.stated_periods) {
            let sum = table.line_score(period)[at];
            if sum != *stated && period.kind != PeriodKind::Shootout {
                let message = format!(
                    "{} have {sum} in the {} by the events and {stated} by the file",
                    team.name, period.name
                );
                notices.push(FeedNotice::new(QuirkKind::LineScore, 1, message));
            }
        }
        let mut sums: BTreeMap<&str, i64> = BTreeMap::new();
        for event in &table.events {
            if event.team == u8::try_from(at).ok() && event.scoring() {
                *sums.entry(event.player()).or_default() += event.points;
            }
        }
        for (player, stated) in &team.stated_points {
            let sum = sums.get(&**player).copied().unwrap_or(0);
            if sum != *stated {
                let message = format!("{player} has {sum} by the events and {stated} by the file");
                notices.push(FeedNotice::new(QuirkKind::BoxScore, 1, message));
            }
        }
    }
    let mut known: BTreeSet<(u32, &str, &str)> = BTreeSet::new();
    let reported = |event: &&Event| {
        !matches!(
            event.kind,
            EventKind::PeriodStart | EventKind::PeriodEnd | EventKind::GameEnd | EventKind::Blank
        ) && !event.text.trim().is_empty()
    };
    for event in table.events.iter().filter(reported) {
        if !known.insert((event.period, &event.clock, &event.text)) {
            let message = format!("{} {} occurs twice; both count", event.clock, event.text);
            notices.push(FeedNotice::new(QuirkKind::Twice, event.line, message));
        }
    }
}

/// Ranges of events whose stated score differs from the sum of points.
fn score_mismatches(table: &EventTable, notices: &mut Vec<FeedNotice>) {
    let mut run: Option<(&Event, usize)> = None;
    let mut tell = |run: &mut Option<(&Event, usize)>| {
        let Some((first, count)) = run.take() else { return };
        let [away, home] = first.stated.unwrap_or_default();
        let events = if count == 1 { "event" } else { "events" };
        let from = match &*first.clock {
            "" => format!("line {}", first.line),
            clock => format!("{clock} in period {}", first.period),
        };
        let message = format!(
            "the score column says {away}-{home} where the points add up to {}-{}, on {count} {events} from {from}",
            first.score[0], first.score[1]
        );
        notices.push(FeedNotice::new(QuirkKind::StaleScore, first.line, message));
    };
    // Each set is counted from zero.
    let (mut period, mut last, mut before) = (0, [0, 0], [0, 0]);
    for event in &table.events {
        if event.period != period {
            (period, before) = (event.period, last);
        }
        last = event.score;
        let of_set = [event.score[0] - before[0], event.score[1] - before[1]];
        match event.stated {
            Some(stated) if stated == of_set && table.sport == Sport::Log => tell(&mut run),
            Some(stated) if stated != event.score => match &mut run {
                Some((_, count)) => *count += 1,
                None => run = Some((event, 1)),
            },
            Some(_) => tell(&mut run),
            None => {}
        }
    }
    tell(&mut run);
}
