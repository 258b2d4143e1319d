//! What is wrong with a feed, and what is worth knowing of it.

/// A file that cannot be read as a feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// From 1.
    pub line: usize,
    pub message: String,
    pub help: Option<String>,
}

impl Fault {
    pub fn new(line: usize, message: impl Into<String>) -> Fault {
        Fault { line: line.max(1), message: message.into(), help: None }
    }

    pub fn help(mut self, help: impl Into<String>) -> Fault {
        self.help = Some(help.into());
        self
    }
}

/// Something a reader met and dealt with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub kind: Noticed,
    /// From 1.
    pub line: usize,
    pub message: String,
}

impl Notice {
    pub fn new(kind: Noticed, line: usize, message: impl Into<String>) -> Notice {
        Notice { kind, line: line.max(1), message: message.into() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Noticed {
    /// The feed's own score is not the sum of the points.
    StaleScore,
    /// The stated final score is not the sum of the points.
    FinalScore,
    /// A stated score of a period is not the sum of its points.
    LineScore,
    /// A player's stated points are not the sum of his points.
    BoxScore,
    /// An event is out of order.
    OutOfOrder,
    /// An event is among those of another period, and was moved.
    PeriodBack,
    /// A name that no roster has.
    UnknownPlayer,
    /// A name that the roster spells another way.
    OtherSpelling,
    /// An event whose team the source leaves open.
    NoTeam,
    /// A declared field that no event of the log has.
    NoField,
    /// A sentence with a name left out.
    NoName,
    /// A line without text.
    Blank,
    /// A time in the text that is not the clock's.
    OtherClock,
    /// Points that the text does not tell.
    SilentThree,
    /// A game longer than regulation.
    Overtime,
    Shootout,
    OwnGoal,
    /// Free throws worth more than one.
    LargeFreeThrow,
    /// A wording that is not known.
    UnknownWording,
    /// The same event twice; both stay.
    Twice,
}

impl Noticed {
    pub fn word(self) -> &'static str {
        match self {
            Noticed::StaleScore => "stale-score",
            Noticed::FinalScore => "final-score",
            Noticed::LineScore => "line-score",
            Noticed::BoxScore => "box-score",
            Noticed::OutOfOrder => "out-of-order",
            Noticed::PeriodBack => "period-back",
            Noticed::UnknownPlayer => "unknown-player",
            Noticed::OtherSpelling => "other-spelling",
            Noticed::NoTeam => "no-team",
            Noticed::NoField => "no-field",
            Noticed::NoName => "no-name",
            Noticed::Blank => "blank-line",
            Noticed::OtherClock => "other-clock",
            Noticed::SilentThree => "silent-three",
            Noticed::Overtime => "overtime",
            Noticed::Shootout => "shootout",
            Noticed::OwnGoal => "own-goal",
            Noticed::LargeFreeThrow => "large-free-throw",
            Noticed::UnknownWording => "unknown-wording",
            Noticed::Twice => "twice",
        }
    }
}
