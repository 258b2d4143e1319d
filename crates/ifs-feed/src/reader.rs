//! The readers of feeds: one file per source, and a row here.

mod columns;
mod data_nba_net;
mod espn;
mod espn_basketball;
mod espn_hockey;
mod json;
mod mlb_statsapi;
mod nba;
mod nba_cdn;
mod nba_stats_v2;
mod nba_stats_v3;
mod nhl_statsapi;
mod rows;
mod statsapi;
mod statsbomb;
mod text_log;

pub(super) use espn_hockey::overtime;

use std::collections::BTreeMap;

use super::bytes::decode;
use super::clock::parse_clock;
use super::finish::TableDraft;
use super::notice::{FeedError, FeedNotice};
use super::schema::FeedSchema;
use super::table::EventTable;

/// One row of the table of readers.
pub struct LogReader {
    pub name: &'static str,
    /// The source, for pages and messages.
    pub doc: &'static str,
    /// Texts that every file of this source contains; empty if there are none.
    pub signs: &'static [&'static str],
    /// The file name's ending, and its replacement in the name of a second file of the same game.
    pub companion: Option<(&'static str, &'static str)>,
    pub reading: ReadMethod,
}

pub enum ReadMethod {
    /// A source with a known format: a file is a game.
    Source(fn(&FeedFile<'_>) -> Result<TableDraft, FeedError>),
    /// A log with declared columns.
    Columns(TableFormat),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    Csv,
    Json,
    JsonLines,
}

/// A file as a reader sees it.
pub struct FeedFile<'t> {
    /// The file's name without folder and extension, which names a game without a name.
    pub stem: &'t str,
    pub text: &'t str,
    /// The text of the second file of the game, if there is one.
    pub companion: Option<&'t str>,
}

/// The contents of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeedTables {
    pub tables: Vec<EventTable>,
    pub notices: Vec<FeedNotice>,
    /// The declared fields that no event has. If no log of a feed has one, its name is wrong.
    pub absent: Vec<String>,
    /// The fields that the events have.
    pub fields: Vec<String>,
}

/// The readers, in alphabetical order.
pub const READERS: &[LogReader] = &[
    LogReader {
        name: "csv",
        doc: "a table with declared columns; cells are separated by `,`, `;` or tabs",
        signs: &[],
        companion: None,
        reading: ReadMethod::Columns(TableFormat::Csv),
    },
    LogReader {
        name: "data_nba_net",
        doc: "data.nba.net's full play-by-play of a basketball game (JSON)",
        signs: &["\"pla\"", "\"etype\""],
        companion: None,
        reading: ReadMethod::Source(data_nba_net::read),
    },
    LogReader {
        name: "espn_basketball",
        doc: "ESPN's summary of a basketball game (JSON)",
        signs: &["\"plays\"", "\"s:40~"],
        companion: None,
        reading: ReadMethod::Source(espn_basketball::read),
    },
    LogReader {
        name: "espn_hockey",
        doc: "ESPN's summary of an ice hockey game (JSON)",
        signs: &["\"plays\"", "\"s:70~"],
        companion: None,
        reading: ReadMethod::Source(espn_hockey::read),
    },
    LogReader {
        name: "espn_hockey_text",
        doc: "rosters, then lines of clock, tab and sentence in ESPN's wording of ice hockey",
        signs: &["\t", " faceoff won against "],
        companion: None,
        reading: ReadMethod::Source(text_log::hockey),
    },
    LogReader {
        name: "espn_text",
        doc: "rosters, then lines of clock, tab and sentence in ESPN's wording of basketball",
        signs: &["\t", " misses "],
        companion: None,
        reading: ReadMethod::Source(text_log::basketball),
    },
    LogReader {
        name: "hupu_text",
        doc: "rosters, then lines of clock, tab and sentence in Hupu's Chinese wording of basketball",
        signs: &["\t", "两分"],
        companion: None,
        reading: ReadMethod::Source(text_log::hupu),
    },
    LogReader {
        name: "json",
        doc: "a list of records with declared columns, or a record with one such list in it",
        signs: &[],
        companion: None,
        reading: ReadMethod::Columns(TableFormat::Json),
    },
    LogReader {
        name: "jsonl",
        doc: "a record in each line, with declared columns",
        signs: &[],
        companion: None,
        reading: ReadMethod::Columns(TableFormat::JsonLines),
    },
    LogReader {
        name: "mlb_statsapi",
        doc: "the live feed of a baseball game by MLB's statsapi (JSON)",
        signs: &["\"allPlays\"", "\"halfInning\""],
        companion: None,
        reading: ReadMethod::Source(mlb_statsapi::read),
    },
    LogReader {
        name: "nba_cdn",
        doc: "the NBA's live play-by-play (JSON), with its box score",
        signs: &["\"actions\"", "\"orderNumber\""],
        companion: Some(("_playbyplay", "_boxscore")),
        reading: ReadMethod::Source(nba_cdn::read),
    },
    LogReader {
        name: "nba_stats_v2",
        doc: "stats.nba.com's play-by-play, version 2 (JSON or CSV), with its summary",
        signs: &["EVENTMSGTYPE", "PCTIMESTRING"],
        companion: Some(("", "_summary")),
        reading: ReadMethod::Source(nba_stats_v2::read),
    },
    LogReader {
        name: "nba_stats_v3",
        doc: "stats.nba.com's play-by-play, version 3 (JSON)",
        signs: &["\"actions\"", "\"playerNameI\"", "\"shotValue\""],
        companion: None,
        reading: ReadMethod::Source(nba_stats_v3::read),
    },
    LogReader {
        name: "nhl_statsapi",
        doc: "the live feed of an ice hockey game by the NHL's statsapi (JSON)",
        signs: &["\"allPlays\"", "\"periodTime\""],
        companion: None,
        reading: ReadMethod::Source(nhl_statsapi::read),
    },
    LogReader {
        name: "statsbomb",
        doc: "StatsBomb's events of a football match (JSON), with its line-up",
        signs: &["\"possession\"", "\"timestamp\"", "\"play_pattern\""],
        companion: Some(("_events", "_lineup")),
        reading: ReadMethod::Source(statsbomb::read),
    },
];

pub fn find(name: &str) -> Option<&'static LogReader> {
    READERS.iter().find(|reader| reader.name == name)
}

/// The reader of the source that a file seems to be from.
///
/// # Errors
/// Returns an error if the file is not text, or is JSON that is damaged before the source is known.
pub fn detect_reader(bytes: &[u8]) -> Result<Option<&'static LogReader>, FeedError> {
    let text = decode(bytes)?;
    let has = |sign: &&str| memchr::memmem::find(text.as_bytes(), sign.as_bytes()).is_some();
    let fits = |reader: &&LogReader| reader.is_source() && reader.signs.iter().all(has);
    let mut fitting = READERS.iter().filter(fits);
    let first = fitting.next();
    // A file may mention other sports: the news of a game's page.
    let reads = |reader: &&LogReader| reader.read("", bytes, None, &FeedSchema::default()).is_ok();
    let found = match fitting.next() {
        None => first,
        Some(second) => first.into_iter().chain([second]).chain(fitting).find(reads).or(first),
    };
    if found.is_none() && text.trim_start().starts_with(['{', '[']) && !is_lines(&text) {
        json::parse::<serde::de::IgnoredAny>(&text, "JSON")?;
    }
    Ok(found)
}

/// Whether each line of a text is a JSON record, judged by the first two.
fn is_lines(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (first, second) = (lines.next().unwrap_or(""), lines.next().unwrap_or("{"));
    let is_record =
        |line| serde_json::from_str::<BTreeMap<String, serde::de::IgnoredAny>>(line).is_ok();
    is_record(first) && second.starts_with('{')
}

impl LogReader {
    /// Whether it reads a known format, instead of columns that a feed declares.
    pub fn is_source(&self) -> bool {
        matches!(self.reading, ReadMethod::Source(_))
    }

    /// The name of the second file of a game, if there may be one.
    pub fn companion(&self, name: &str) -> Option<String> {
        let (own, other) = self.companion?;
        with_ending(name, own, other)
    }

    /// The name of the log that a second file belongs to.
    pub fn first_of(&self, second: &str) -> Option<String> {
        let (own, other) = self.companion?;
        with_ending(second, other, own)
    }

    /// Reads a file, and the second one next to it. The name is relative to the scenario.
    ///
    /// # Errors
    /// Returns an error if the file is damaged or has another format.
    pub fn read(
        &self,
        name: &str,
        bytes: &[u8],
        companion: Option<&[u8]>,
        schema: &FeedSchema,
    ) -> Result<FeedTables, FeedError> {
        let text = decode(bytes)?;
        let companion = companion.map(decode).transpose()?;
        let stem = name.rsplit('/').next().unwrap_or(name);
        let stem = stem.split('.').next().unwrap_or(stem);
        let file = FeedFile { stem, text: &text, companion: companion.as_deref() };
        match self.reading {
            ReadMethod::Source(read) => {
                let (table, notices) = read(&file)?.finish()?;
                Ok(FeedTables { tables: vec![table], notices, ..FeedTables::default() })
            }
            ReadMethod::Columns(form) => {
                let columns::ReadColumns { games, absent, fields } =
                    columns::read(form, &file, schema)?;
                let mut read = FeedTables { absent, fields, ..FeedTables::default() };
                for draft in games {
                    let (table, mut notices) = draft.finish()?;
                    read.tables.push(table);
                    read.notices.append(&mut notices);
                }
                Ok(read)
            }
        }
    }
}

/// The name of a file with another ending.
fn with_ending(name: &str, ending: &str, other: &str) -> Option<String> {
    let (folder, file) = name.rsplit_once('/').map_or(("", name), |(folder, file)| (folder, file));
    let (stem, rest) = file.split_once('.').unwrap_or((file, ""));
    let stem = stem.strip_suffix(ending)?;
    let slash = if folder.is_empty() { "" } else { "/" };
    let dot = if rest.is_empty() { "" } else { "." };
    Some(format!("{folder}{slash}{stem}{other}{dot}{rest}"))
}

/// The period and the clock time of a play, in milliseconds. `text` is the play's sentence.
///
/// # Errors
/// Returns an error if the clock is invalid, or if there is no period.
fn when(
    line: usize,
    clock: &str,
    period: Option<u32>,
    text: &str,
) -> Result<(u32, i64), FeedError> {
    let Some(time) = parse_clock(clock) else {
        let message = format!("`{clock}` is not a clock: {}", text.trim_end());
        return Err(FeedError::new(line, message)
            .help("clocks look like `9:32`, `49.0` or `PT11M38.00S`; download the file again"));
    };
    match period {
        Some(period) if period > 0 => Ok((period, time)),
        _ => Err(FeedError::new(line, format!("this play has no period: {}", text.trim_end()))
            .help("every play needs its period; download the file again")),
    }
}

/// Maps parts of a text to line numbers; it scans each byte once if the parts are in order.
pub(super) struct LineIndex<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> LineIndex<'t> {
    pub fn new(text: &'t str) -> LineIndex<'t> {
        LineIndex { text, at: 0, line: 1 }
    }

    /// The line of a part that was borrowed from the text; for another text, the previous line.
    pub fn line_of(&mut self, part: &str) -> usize {
        let start = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        if start > self.text.len() {
            return self.line;
        }
        if start < self.at {
            (self.at, self.line) = (0, 1);
        }
        let between = self.text.as_bytes().get(self.at..start).unwrap_or(&[]);
        self.line += memchr::memchr_iter(b'\n', between).count();
        self.at = start;
        self.line
    }
}
