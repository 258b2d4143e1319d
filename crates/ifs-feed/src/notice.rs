//! Faults of a feed, which stop the reader, and notices, which do not.

/// A file that cannot be read as a feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedError {
    /// The line, from 1.
    pub line: usize,
    pub message: String,
    pub help: Option<String>,
}

impl FeedError {
    pub fn new(line: usize, message: impl Into<String>) -> FeedError {
        FeedError { line: line.max(1), message: message.into(), help: None }
    }

    /// A declared field that no event has; with the fields that events have.
    pub fn absent(field: &str, fields: &[String]) -> FeedError {
        /// The number of fields that are listed.
        const MOST: usize = 12;
        let listed = fields.iter().take(MOST).map(|name| format!("`{name}`"));
        let listed = listed.collect::<Vec<_>>().join(", ");
        let more = if fields.len() > MOST { ", …" } else { "" };
        FeedError::new(1, format!("no event has a field `{field}`"))
            .help(format!("name a field that events have after `from`: {listed}{more}"))
    }

    pub fn help(mut self, help: impl Into<String>) -> FeedError {
        self.help = Some(help.into());
        self
    }
}

/// A problem that the reader could handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedNotice {
    pub kind: QuirkKind,
    /// The line, from 1.
    pub line: usize,
    pub message: String,
}

impl FeedNotice {
    pub fn new(kind: QuirkKind, line: usize, message: impl Into<String>) -> FeedNotice {
        FeedNotice { kind, line: line.max(1), message: message.into() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuirkKind {
    /// The feed's own score differs from the sum of points.
    StaleScore,
    /// The stated final score differs from the sum of points.
    FinalScore,
    /// The stated score of a period differs from the sum of its points.
    LineScore,
    /// A player's stated points differ from the sum of his points.
    BoxScore,
    /// An event is out of order.
    OutOfOrder,
    /// An event is among those of another period, and was moved.
    PeriodBack,
    /// A name that is in no roster.
    UnknownPlayer,
    /// A name that is spelled differently in the roster.
    OtherSpelling,
    /// An event without a team in the source.
    NoTeam,
    /// A declared field that no event of the log has.
    NoField,
    /// A sentence with a missing name.
    NoName,
    /// A line without text.
    Blank,
    /// A time in the text that differs from the clock.
    OtherClock,
    /// Three points that the sentence does not mention.
    SilentThree,
    /// A game longer than regulation.
    Overtime,
    Shootout,
    OwnGoal,
    /// Free throws worth more than one.
    LargeFreeThrow,
    /// An unknown wording.
    UnknownWording,
    /// A duplicate event; both are kept.
    Twice,
}

impl QuirkKind {
    pub fn word(self) -> &'static str {
        match self {
            QuirkKind::StaleScore => "stale-score",
            QuirkKind::FinalScore => "final-score",
            QuirkKind::LineScore => "line-score",
            QuirkKind::BoxScore => "box-score",
            QuirkKind::OutOfOrder => "out-of-order",
            QuirkKind::PeriodBack => "period-back",
            QuirkKind::UnknownPlayer => "unknown-player",
            QuirkKind::OtherSpelling => "other-spelling",
            QuirkKind::NoTeam => "no-team",
            QuirkKind::NoField => "no-field",
            QuirkKind::NoName => "no-name",
            QuirkKind::Blank => "blank-line",
            QuirkKind::OtherClock => "other-clock",
            QuirkKind::SilentThree => "silent-three",
            QuirkKind::Overtime => "overtime",
            QuirkKind::Shootout => "shootout",
            QuirkKind::OwnGoal => "own-goal",
            QuirkKind::LargeFreeThrow => "large-free-throw",
            QuirkKind::UnknownWording => "unknown-wording",
            QuirkKind::Twice => "twice",
        }
    }
}
