//! The event table: one typed model for every feed.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use ifs_value::value::Value;

/// One game, or another log of events, in the order of the feed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventTable {
    /// The name in the source, or the file's name.
    pub name: Arc<str>,
    pub sport: Sport,
    pub clocking: Clocking,
    /// The away side (listed first) and the home side; empty for logs without sides.
    pub teams: Vec<Team>,
    pub periods: Vec<Period>,
    pub events: Vec<Event>,
    /// The names of additional columns that a feed declares.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sport {
    Basketball,
    Hockey,
    Football,
    Baseball,
    /// Any other log.
    Log,
}

impl Sport {
    pub fn word(self) -> &'static str {
        match self {
            Sport::Basketball => "basketball",
            Sport::Hockey => "hockey",
            Sport::Football => "football",
            Sport::Baseball => "baseball",
            Sport::Log => "log",
        }
    }
}

/// The direction of the published clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clocking {
    /// Counts down from the length of the period.
    Down,
    /// Counts up from zero in each period.
    Up,
    /// Counts up from zero through all periods.
    On,
    /// Without a clock, events only have an order.
    None,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Team {
    pub name: Arc<str>,
    /// The name without the city, if the source has it: `Suns`.
    pub short: Arc<str>,
    /// `PHX`; empty if the source has none.
    pub tricode: Arc<str>,
    /// In the order of the source.
    pub players: Vec<Arc<str>>,
    /// The final score that the source states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated: Option<i64>,
    /// The score of each period that the source states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stated_periods: Vec<i64>,
    /// Each player's points that the source states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stated_points: Vec<(Arc<str>, i64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeriodKind {
    Regulation,
    Overtime,
    /// Attempts after the end, which give no points.
    Shootout,
}

/// A part of a game between two breaks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Period {
    /// The number from 1; overtime continues the numbers.
    pub number: u32,
    pub name: Cow<'static, str>,
    pub kind: PeriodKind,
    /// Game time at its start, in milliseconds.
    pub start: i64,
    /// The length in milliseconds.
    pub length: i64,
    /// Its events: from this one …
    pub first: usize,
    /// … to before this one.
    pub end: usize,
}

impl Period {
    /// The name in box scores: `Q1`, `P3`, `OT`, `2OT`, `SO`.
    pub fn short(&self, sport: Sport) -> String {
        let letter = match sport {
            Sport::Basketball => 'Q',
            Sport::Hockey | Sport::Log => 'P',
            Sport::Football => 'H',
            Sport::Baseball => 'I',
        };
        match self.kind {
            PeriodKind::Shootout => "SO".to_owned(),
            PeriodKind::Overtime if sport != Sport::Baseball => {
                let nth = self.name.chars().take_while(char::is_ascii_digit);
                nth.chain("OT".chars()).collect()
            }
            PeriodKind::Regulation | PeriodKind::Overtime => format!("{letter}{}", self.number),
        }
    }
}

/// The kind of an event, with the same names for every source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    FieldGoal,
    FreeThrow,
    Rebound,
    Turnover,
    Foul,
    Violation,
    Substitution,
    Timeout,
    JumpBall,
    Review,
    Ejection,
    /// A steal or a block in its own row, as in some sources.
    Steal,
    Block,
    Goal,
    OwnGoal,
    Shot,
    Faceoff,
    Hit,
    Giveaway,
    Takeaway,
    Penalty,
    Stoppage,
    ShootoutAttempt,
    Card,
    PeriodStart,
    PeriodEnd,
    GameEnd,
    /// An empty line of a text log.
    Blank,
    Other,
    /// The kind in a feed with declared columns.
    Named(Arc<str>),
}

impl EventKind {
    pub fn word(&self) -> &str {
        match self {
            EventKind::FieldGoal => "field goal",
            EventKind::FreeThrow => "free throw",
            EventKind::Rebound => "rebound",
            EventKind::Turnover => "turnover",
            EventKind::Foul => "foul",
            EventKind::Violation => "violation",
            EventKind::Substitution => "substitution",
            EventKind::Timeout => "timeout",
            EventKind::JumpBall => "jump ball",
            EventKind::Review => "review",
            EventKind::Ejection => "ejection",
            EventKind::Steal => "steal",
            EventKind::Block => "block",
            EventKind::Goal => "goal",
            EventKind::OwnGoal => "own goal",
            EventKind::Shot => "shot",
            EventKind::Faceoff => "faceoff",
            EventKind::Hit => "hit",
            EventKind::Giveaway => "giveaway",
            EventKind::Takeaway => "takeaway",
            EventKind::Penalty => "penalty",
            EventKind::Stoppage => "stoppage",
            EventKind::ShootoutAttempt => "shootout attempt",
            EventKind::Card => "card",
            EventKind::PeriodStart => "period start",
            EventKind::PeriodEnd => "period end",
            EventKind::GameEnd => "game end",
            EventKind::Blank => "blank",
            EventKind::Other => "other",
            EventKind::Named(name) => name,
        }
    }
}

/// The role of a player in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventRole {
    /// The subject: the shooter, the winner of the faceoff, the player who comes in.
    Player,
    Assist,
    /// The opponent in a faceoff, hit, jump ball or penalty.
    Against,
    Steal,
    Block,
    /// The player who leaves in a substitution.
    Out,
    /// The player who gains the ball after a jump ball.
    Gains,
    Goalie,
}

impl EventRole {
    pub fn word(self) -> &'static str {
        match self {
            EventRole::Player => "player",
            EventRole::Assist => "assist",
            EventRole::Against => "against",
            EventRole::Steal => "steal",
            EventRole::Block => "block",
            EventRole::Out => "out",
            EventRole::Gains => "gains",
            EventRole::Goalie => "goalie",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Actor {
    pub name: Arc<str>,
    pub role: EventRole,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The number of its period.
    pub period: u32,
    /// As published: `9:32`, `49.0`.
    pub clock: Arc<str>,
    /// Game time since the start, without breaks, in milliseconds.
    pub time: i64,
    pub kind: EventKind,
    /// Details: `offensive` of a rebound, the name of the foul or shot.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub detail: Arc<str>,
    /// The index of the team whose event it is, or that gains by it.
    pub team: Option<u8>,
    pub actors: Vec<Actor>,
    /// The points that it adds to its team's score.
    pub points: i64,
    /// The points that it would have added: 3 for a missed three-pointer.
    pub worth: i64,
    /// Whether a shot or throw was made.
    pub made: bool,
    /// The published sentence.
    pub text: Arc<str>,
    /// The score after it: the sum of all points so far.
    pub score: [i64; 2],
    /// The score after it in the source, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated: Option<[i64; 2]>,
    /// The values of the table's columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<Value>,
    /// The line in the file, from 1.
    #[serde(skip)]
    pub line: usize,
}

impl Event {
    /// An event with only a time. `time` is the time on the clock.
    pub(super) fn new(period: u32, clock: &str, time: i64, line: usize) -> Event {
        Event {
            period,
            clock: Arc::from(clock),
            time,
            kind: EventKind::Other,
            detail: Arc::from(""),
            team: None,
            actors: Vec::new(),
            points: 0,
            worth: 0,
            made: false,
            text: Arc::from(""),
            score: [0, 0],
            stated: None,
            cells: Vec::new(),
            line,
        }
    }

    pub(super) fn add_actor(&mut self, role: EventRole, name: &str) {
        if !name.is_empty() {
            self.actors.push(Actor { name: Arc::from(name), role });
        }
    }

    /// A shot with its value, made or missed.
    pub(super) fn shot(&mut self, kind: EventKind, worth: i64, made: bool) {
        (self.kind, self.worth, self.made) = (kind, worth, made);
        self.points = if made { worth } else { 0 };
    }

    /// The subject of the event; empty without a name.
    pub fn player(&self) -> &str {
        self.by(EventRole::Player).next().unwrap_or("")
    }

    pub fn by(&self, role: EventRole) -> impl Iterator<Item = &str> {
        self.actors.iter().filter(move |actor| actor.role == role).map(|actor| &*actor.name)
    }

    pub fn scoring(&self) -> bool {
        self.points != 0
    }
}

impl EventTable {
    /// The score at the end.
    pub fn score(&self) -> [i64; 2] {
        self.events.last().map_or([0, 0], |event| event.score)
    }

    /// The events of a period.
    pub fn plays(&self, period: &Period) -> &[Event] {
        self.events.get(period.first..period.end).unwrap_or(&[])
    }

    /// The points of each team in a period.
    pub fn line_score(&self, period: &Period) -> [i64; 2] {
        let mut sums = [0, 0];
        for event in self.plays(period) {
            if let Some(sum) = event.team.and_then(|team| sums.get_mut(usize::from(team))) {
                *sum += event.points;
            }
        }
        sums
    }
}
