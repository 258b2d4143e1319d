//! `ifs feed`

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use serde::Serialize;

use super::exit::{CommandError, Exit};
use super::files;
use super::load::{LoadedScenario, counted, load, load_drawn};
use super::output::Output;
use ifs_base::diagnostic::Code;
use ifs_base::replace;
use ifs_feed::simulate::{RareCase, SimulatedSport, SourceWording, written};
use ifs_feed::{
    self as feed, Event, EventRole, EventTable, FeedNotice, FeedSchema, FeedTables, LogReader,
    ReadMethod,
};
use ifs_model::table::Feed;
use ifs_predicate::value::Value;

/// Check, print and simulate event logs.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs feed check games/*.json                   the quirks of each file
  ifs feed show games/1.json                    the events in the common format
  ifs feed show log.txt --reader hupu_text --format csv > log.csv
  ifs feed check handball.ifs                   the logs that a scenario's feeds read
  ifs feed show handball.ifs --feed matches     with the columns that the feed declares
  ifs feed simulate basketball --count 20 --seed 7 --with overtime --out games")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: FeedCommand,
}

#[derive(Debug, Subcommand)]
enum FeedCommand {
    /// Report every problem in logs
    Check(CheckArgs),
    /// Print the events of a log in a common format
    Show(ShowArgs),
    /// Simulate games and write their logs
    Simulate(Simulate),
}

#[derive(Debug, clap::Args)]
struct Simulate {
    /// basketball or hockey
    sport: String,
    /// Output folder
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = super::distinct::chosen)]
    count: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The reader whose wording the plays have
    #[arg(long, value_name = "READER")]
    reader: Option<String>,
    /// Cases that every game includes: tie_at_break, tied_top, same_clock, overtime
    #[arg(long = "with", value_delimiter = ',', value_name = "CASE")]
    cases: Vec<String>,
}

#[derive(Debug, clap::Args)]
struct CheckArgs {
    /// Logs, compressed (.gz, .zst) or not; a scenario (.ifs) for the logs that its feeds
    /// read
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// For a scenario, only this feed
    #[arg(long, value_name = "NAME")]
    feed: Option<String>,
    /// Reader of the logs; detected from the content by default
    #[arg(long, value_name = "READER")]
    reader: Option<String>,
}

#[derive(Debug, clap::Args)]
struct ShowArgs {
    /// A log, compressed (.gz, .zst) or not; a scenario (.ifs) for the logs that its feeds
    /// read
    file: PathBuf,
    /// For a scenario, only this feed
    #[arg(long, value_name = "NAME")]
    feed: Option<String>,
    /// Reader of the log; detected from the content by default
    #[arg(long, value_name = "READER")]
    reader: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = FeedFormat::Text)]
    format: FeedFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FeedFormat {
    /// Human-readable text
    Text,
    /// One record per line
    #[value(alias = "json")]
    Jsonl,
    /// A table
    Csv,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    match args.command {
        FeedCommand::Check(args) => check(args, output),
        FeedCommand::Show(args) => show(args, output),
        FeedCommand::Simulate(args) => simulate(&args, output),
    }
}

fn simulate(args: &Simulate, output: &mut Output) -> Result<Exit, CommandError> {
    let wordings: Vec<SourceWording> = SourceWording::for_sport(&args.sport).collect();
    let Some(usual) = wordings.first() else {
        return Err(CommandError::usage(format!("`{}` is not a simulated sport", args.sport))
            .help("there are `basketball` and `hockey`"));
    };
    let wording = match &args.reader {
        None => *usual,
        Some(name) => {
            let found = wordings.iter().find(|wording| wording.reader() == name);
            let names: Vec<&str> = wordings.iter().map(|wording| wording.reader()).collect();
            *found.ok_or_else(|| {
                CommandError::usage(format!("`{name}` is not a wording of {}", args.sport)).help(
                    format!("games of {} are simulated as {}", args.sport, names.join(" or ")),
                )
            })?
        }
    };
    let known = || RareCase::ALL.into_iter().filter(|case| case.happens_in(wording));
    let mut cases = Vec::new();
    for name in &args.cases {
        let found = known().find(|case| case.word() == name);
        let names: Vec<&str> = known().map(RareCase::word).collect();
        cases.push(found.ok_or_else(|| {
            CommandError::usage(format!("`{name}` is not a case of `{}`", wording.reader()))
                .help(format!("there are {}", names.join(", ")))
        })?);
    }
    let simulated = SimulatedSport { wording, cases };
    ifs_base::replace::make_folder(&args.out).map_err(|error| write_error(&args.out, error))?;
    for number in 0..args.count {
        let table = simulated.game(args.seed, "", number).ok_or_else(|| {
            CommandError::input("no game with all of these cases was found")
                .help("request fewer cases, or use another `--seed`")
        })?;
        let path = args.out.join(format!("{}.txt", table.name));
        let log = written(&table, wording);
        replace::write_new(&path, log.as_ref()).map_err(|error| write_error(&path, error))?;
        if args.count <= 20 {
            output.line(&format!("{}: {}", path.display(), summary(&table, wording.reader())));
        }
    }
    output.note(&format!("{} in {}", counted(args.count as usize, "log"), args.out.display()));
    Ok(Exit::Good)
}

fn write_error(path: &Path, error: std::io::Error) -> CommandError {
    let path = path.display();
    match error.kind() {
        ErrorKind::AlreadyExists => {
            CommandError::input(format!("`{path}` already exists and is another log"))
                .help("choose another folder with `--out`, or remove the file")
        }
        _ => CommandError::infrastructure(format!("`{path}` cannot be written: {error}")),
    }
}

fn check(args: CheckArgs, output: &mut Output) -> Result<Exit, CommandError> {
    let mut exit = Exit::Good;
    for file in &args.files {
        if is_scenario(file) {
            let scenario = load_drawn(file, output)?;
            for feed in feeds(scenario, file, args.feed.as_deref())? {
                check_feed(feed, output);
            }
            continue;
        }
        if let Some(first) = first_of(file).filter(|_| args.reader.is_none()) {
            output.line(&format!("{}: read with {}", file.display(), first.display()));
            continue;
        }
        match read(file, args.reader.as_deref()) {
            Ok((reader, read)) => {
                for table in &read.tables {
                    let summary = summary(table, reader.name);
                    output.line(&format!("{}: {summary}", file.display()));
                }
                report(&read.notices, output);
            }
            Err(problem) => {
                problem.report(output);
                exit = Exit::Input;
            }
        }
    }
    Ok(exit)
}

fn report(notices: &[FeedNotice], output: &mut Output) {
    for FeedNotice { line, kind, message } in notices {
        output.line(&format!("  line {line}: {}: {message}", kind.word()));
    }
}

fn is_scenario(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "ifs")
}

/// The feeds of a scenario, or the one that was named.
fn feeds(
    scenario: &'static LoadedScenario,
    path: &Path,
    named: Option<&str>,
) -> Result<Vec<&'static Feed>, CommandError> {
    let feeds = &scenario.plan.model.feeds;
    if feeds.is_empty() {
        return Err(CommandError::input(format!("`{}` has no feed", path.display()))
            .help("write `feed NAME { … }` in it, or name a log"));
    }
    let Some(named) = named else { return Ok(feeds.iter().collect()) };
    let found: Vec<&Feed> = feeds.iter().filter(|feed| feed.name == named).collect();
    if found.is_empty() {
        let names: Vec<String> = feeds.iter().map(|feed| format!("`{}`", feed.name)).collect();
        return Err(CommandError::input(format!("`{}` has no feed `{named}`", path.display()))
            .help(format!("its feeds are {}", names.join(", "))));
    }
    Ok(found)
}

fn check_feed(feed: &Feed, output: &mut Output) {
    let mut games = feed.games.iter();
    for log in &feed.logs {
        for table in games.by_ref().take(log.games) {
            output.line(&format!("{}: {}", log.file, summary(table, &feed.name)));
        }
        report(&log.notices, output);
    }
    for table in games {
        output.line(&format!("{} (simulated): {}", table.name, summary(table, &feed.name)));
    }
}

/// A line about a game, with its reader.
fn summary(table: &EventTable, by: &str) -> String {
    let events = counted(table.events.len(), "event");
    let periods = counted(table.periods.len(), "period");
    let [away, home] = table.score();
    match table.teams.as_slice() {
        [first, second] => {
            format!("{} {away}, {} {home}; {events} in {periods} ({by})", first.name, second.name)
        }
        _ => format!("{}; {events} in {periods} ({by})", table.name),
    }
}

fn show(args: ShowArgs, output: &mut Output) -> Result<Exit, CommandError> {
    if is_scenario(&args.file) {
        for feed in feeds(load(&args.file, output)?, &args.file, args.feed.as_deref())? {
            let tables: Vec<&EventTable> = feed.games.iter().collect();
            print(&tables, &feed.name, args.format, output)?;
        }
        return Ok(Exit::Good);
    }
    let (reader, read) = read(&args.file, args.reader.as_deref())?;
    let tables: Vec<&EventTable> = read.tables.iter().collect();
    print(&tables, reader.name, args.format, output)?;
    Ok(Exit::Good)
}

fn print(
    tables: &[&EventTable],
    by: &str,
    format: FeedFormat,
    output: &mut Output,
) -> Result<(), CommandError> {
    for table in tables {
        match format {
            FeedFormat::Text => print_events(table, by, output),
            FeedFormat::Jsonl => {
                for (at, event) in table.events.iter().enumerate() {
                    let row = EventRow::from_event(table, event, at);
                    output.json_line(&serde_json::to_string(&row).unwrap_or_default());
                }
            }
            FeedFormat::Csv => {}
        }
    }
    match format {
        FeedFormat::Csv => csv(tables, output),
        FeedFormat::Text | FeedFormat::Jsonl => Ok(()),
    }
}

fn print_events(table: &EventTable, by: &str, output: &mut Output) {
    output.line(&summary(table, by));
    for period in &table.periods {
        let [away, home] = table.line_score(period);
        output.line(&format!("{} ({away}-{home})", period.name));
        for event in table.plays(period) {
            let [away, home] = event.score;
            let own: String = declared_columns(table, event)
                .map(|(name, value)| format!("  {name}: {value}"))
                .collect();
            output.line(&format!(
                "  {:>7}  {away:>3}-{home:<3}  {:<12}  {}{own}",
                &*event.clock,
                event.kind.word(),
                event.text.trim_end()
            ));
        }
    }
}

/// The values of the columns that the feed itself declares.
fn declared_columns<'t>(
    table: &'t EventTable,
    event: &'t Event,
) -> impl Iterator<Item = (&'t str, &'t Value)> {
    let known = |name: &str| feed::KNOWN.iter().any(|(known, _)| *known == name);
    let all = table.columns.iter().map(String::as_str).zip(&event.cells);
    all.filter(move |(name, value)| {
        !known(name) && **value != Value::Nothing && !value.to_string().is_empty()
    })
}

/// An event as a row.
#[derive(Serialize)]
struct EventRow<'t> {
    number: usize,
    period: u32,
    clock: &'t str,
    /// Milliseconds.
    time: i64,
    kind: &'t str,
    detail: &'t str,
    team: &'t str,
    player: &'t str,
    assists: String,
    points: i64,
    worth: i64,
    made: bool,
    away: i64,
    home: i64,
    text: &'t str,
    /// The feed's own columns.
    #[serde(flatten)]
    own: BTreeMap<&'t str, &'t Value>,
}

impl<'t> EventRow<'t> {
    /// The columns of every row.
    const COLUMN_NAMES: [&'static str; 15] = [
        "number", "period", "clock", "time", "kind", "detail", "team", "player", "assists",
        "points", "worth", "made", "away", "home", "text",
    ];

    fn from_event(table: &'t EventTable, event: &'t Event, at: usize) -> EventRow<'t> {
        let team = event.team.and_then(|team| table.teams.get(usize::from(team)));
        let assists: Vec<&str> = event.by(EventRole::Assist).collect();
        EventRow {
            number: at + 1,
            period: event.period,
            clock: &event.clock,
            time: event.time,
            kind: event.kind.word(),
            detail: &event.detail,
            team: team.map_or("", |team| &team.name),
            player: event.player(),
            assists: assists.join("; "),
            points: event.points,
            worth: event.worth,
            made: event.made,
            away: event.score[0],
            home: event.score[1],
            text: &event.text,
            own: declared_columns(table, event).collect(),
        }
    }
}

/// One table with a header for all games.
fn csv(tables: &[&EventTable], output: &mut Output) -> Result<(), CommandError> {
    let failed = |error: csv::Error| CommandError::infrastructure(error.to_string());
    let known = |name: &str| feed::KNOWN.iter().any(|(known, _)| *known == name);
    let columns = tables.first().map_or(&[][..], |table| &table.columns[..]);
    let columns: Vec<&str> = columns.iter().map(String::as_str).filter(|it| !known(it)).collect();
    let head = EventRow::COLUMN_NAMES.iter().copied().chain(columns.iter().copied());
    let mut sheet = ifs_report::Sheet::new(head).map_err(failed)?;
    for table in tables {
        for (at, event) in table.events.iter().enumerate() {
            let row =
                serde_json::to_value(EventRow::from_event(table, event, at)).unwrap_or_default();
            let cell = |name: &str| match row.get(name) {
                None | Some(serde_json::Value::Null) => String::new(),
                Some(serde_json::Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
            };
            let names = EventRow::COLUMN_NAMES.iter().copied().chain(columns.iter().copied());
            sheet.row(names.map(cell)).map_err(failed)?;
        }
    }
    let text = sheet.finish().map_err(failed)?;
    output.data(&text);
    Ok(())
}

/// The log next to the second file of the same game.
fn first_of(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let first_files = feed::READERS.iter().filter_map(|reader| reader.first_of(name));
    let mut first_files = first_files.map(|first| path.with_file_name(first));
    first_files.find(|first| first.is_file())
}

/// Reads a log with the named reader, or with the one that recognises it.
fn read(
    path: &Path,
    reader: Option<&str>,
) -> Result<(&'static LogReader, FeedTables), CommandError> {
    let bytes = files::read_decompressed(path).map_err(|error| read_error(path, &error))?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("log");
    let reader = match reader {
        Some(named) => {
            let found = feed::find(named).ok_or_else(|| unknown(named))?;
            if matches!(found.reading, ReadMethod::Columns(_)) {
                return Err(CommandError::usage(format!(
                    "`{named}` reads columns that a feed declares"
                ))
                .help(DECLARE_COLUMNS_HELP));
            }
            found
        }
        None => match feed::detect_reader(&bytes) {
            Ok(Some(reader)) => reader,
            Ok(None) => return Err(no_source(path, name)),
            Err(fault) => return Err(damaged(path, &fault)),
        },
    };
    // A second file of the same game, if its source has one.
    let companion = reader
        .companion(name)
        .and_then(|second| files::read_decompressed(&path.with_file_name(second)).ok());
    let read = reader.read(name, &bytes, companion.as_deref(), &FeedSchema::default());
    read.map(|read| (reader, read)).map_err(|fault| damaged(path, &fault))
}

/// The error for a log whose source is not recognized by its content.
fn no_source(path: &Path, name: &str) -> CommandError {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let form = match ending.to_ascii_lowercase().as_str() {
        "jsonl" | "ndjson" => "jsonl",
        "csv" | "tsv" => "csv",
        _ => {
            return CommandError::input(format!("the source of `{}` is unknown", path.display()))
                .help(format!(
                    "name its reader by `--reader`: {}; {DECLARE_COLUMNS_HELP}",
                    reader_names()
                ));
        }
    };
    CommandError::input(format!(
        "`{}` is a log of your own: only a scenario says what its columns mean",
        path.display()
    ))
    .help(format!(
        "declare them in a scenario, `feed NAME {{ read {form} \"{name}\" column … }}`, and name that: \
         `ifs feed show FILE.ifs`"
    ))
}

/// Help for other kinds of logs.
const DECLARE_COLUMNS_HELP: &str = "for another log, declare its columns in a scenario (`feed NAME { read csv \"…\" \
                      column … }`) and name that: `ifs feed show FILE.ifs`";

fn reader_names() -> String {
    let sources = feed::READERS.iter().filter(|reader| reader.is_source());
    let names: Vec<String> = sources.map(|reader| format!("`{}`", reader.name)).collect();
    names.join(", ")
}

fn unknown(named: &str) -> CommandError {
    CommandError::usage(format!("there is no reader `{named}`"))
        .help(format!("readers are {}", reader_names()))
}

fn read_error(path: &Path, error: &std::io::Error) -> CommandError {
    let problem = CommandError::input(format!("`{}` cannot be read: {error}", path.display()));
    let packed = path.extension().is_some_and(|ending| ending == "gz" || ending == "zst");
    match error.kind() {
        std::io::ErrorKind::NotFound => problem.help("look at its name"),
        std::io::ErrorKind::IsADirectory => {
            problem.help(format!("name the logs in it: `{}`", path.join("*.json").display()))
        }
        std::io::ErrorKind::FileTooLarge => problem,
        _ if packed => problem
            .help("its end is missing, or it is compressed in another format; download it again"),
        _ => problem,
    }
}

fn damaged(path: &Path, fault: &feed::FeedError) -> CommandError {
    let problem = CommandError::input(format!(
        "`{}`, line {}: {} ({})",
        path.display(),
        fault.line,
        fault.message,
        Code::DAMAGED_FEED
    ));
    match &fault.help {
        Some(help) => problem.help(help.clone()),
        None => problem,
    }
}
