//! Feeds: logs of events, each with its actors, kind, time and points.
//!
//! A reader parses a file and returns an [`EventTable`], one form for every source.
//! [`EventTable::value`] is its value in expressions.

mod bytes;
mod clock;
mod finish;
mod notice;
mod reader;
mod roster;
mod schema;
mod sides;
pub mod simulate;
mod table;
mod value;
mod wording;

pub use bytes::{decode, starts};
pub use clock::{clock_text, parse_clock};
pub use notice::{FeedError, FeedNotice, QuirkKind};
pub use reader::{FeedTables, LogReader, READERS, ReadMethod, TableFormat, detect_reader, find};
pub use schema::{ColumnSource, FILLED, FeedColumn, FeedColumnRule, FeedSchema, KNOWN, Periods};
pub use table::{
    Actor, Clocking, Event, EventKind, EventRole, EventTable, Period, PeriodKind, Sport, Team,
};
pub use value::{GAME_FIELDS, game_type};
